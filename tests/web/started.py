"""`seetopic serve` in processes that start at once, as forks of one that has imported all that a server needs."""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

# Among them is what a server imports only when it is asked for topics, searches or trends.
_IMPORTED = (
    "pyarrow.dataset",
    "scipy.stats",
    "seetopic.cli",
    "seetopic.web.app",
    "seetopic.web.connections",
    "seetopic.web.workbench",
    "torch",
    "uvicorn.protocols.http.auto",
    "uvicorn.loops.auto",
)


class Started:
    """A command in a process of its own, with what tests use of `subprocess.Popen`."""

    def __init__(self, args: list[str], pid: int, stdout: IO[str], stderr: IO[str], code: IO[str]) -> None:
        self.args, self.pid, self.stdout = args, pid, stdout
        self.returncode: int | None = None
        self._stderr, self._code = stderr, code
        self._said: tuple[str, str] | None = None

    def poll(self) -> int | None:
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end; the rest of what it wrote, and all that it complained about."""
        self.wait(timeout)
        if self._said is None:
            with self.stdout, self._stderr, self._code:
                self._stderr.seek(0)
                self._said = self.stdout.read(), self._stderr.read()
        return self._said

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._code], [], [], timeout)[0]:
            self.returncode = int(self._code.readline())
        return self.returncode


def start(*arguments: str, cwd: Path, environment: dict[str, str]) -> Started:
    """`seetopic` with these arguments."""
    output, told = os.pipe(), os.pipe()
    errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - a pipe could fill up while nobody reads it
    asked = json.dumps([arguments, str(cwd), environment]).encode()
    place = _forking()
    socket.send_fds(place, [len(asked).to_bytes(4)], [output[1], errors.fileno(), told[1]])
    place.sendall(asked)
    os.close(output[1])
    os.close(told[1])
    code = os.fdopen(told[0])
    return Started(["seetopic", *arguments], int(code.readline()), os.fdopen(output[0]), errors, code)


@cache
def _forking() -> socket.socket:
    """Where to ask for forks; the process that makes them ends with this one."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            env={**os.environ, "OMP_NUM_THREADS": "1"},  # a process with threads cannot be forked safely
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # or it would get the Ctrl-C of whoever runs the tests
        )
    atexit.register(process.wait)
    atexit.register(ours.close)  # first
    return ours


def _fork_when_asked(place: socket.socket) -> None:
    gc.freeze()  # so that forks do not copy what they only look at
    while True:
        size, files, _, _ = socket.recv_fds(place, 4, 3)
        if not size:
            return
        arguments, cwd, environment = json.loads(place.recv(int.from_bytes(size), socket.MSG_WAITALL))
        if os.fork() == 0:
            place.close()
            _run_and_tell(files, arguments, cwd, environment)
        for file in files:
            os.close(file)


def _run_and_tell(files: list[int], arguments: list[str], cwd: str, environment: dict[str, str]) -> NoReturn:
    """Fork once more, tell the number of that process and then how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *written, told = files
    if (command := os.fork()) == 0:
        os.close(told)
        _run(written, arguments, cwd, environment)
    for file in (0, 1, 2, *written):
        os.close(file)  # or readers would never come to the end
    os.write(told, f"{command}\n".encode())
    os.write(told, f"{os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])}\n".encode())
    os._exit(0)


def _run(written: list[int], arguments: list[str], cwd: str, environment: dict[str, str]) -> NoReturn:
    os.setsid()
    for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), *written)):
        os.dup2(file, number)
        os.close(file)  # or the processes of jobs would keep it open
    sys.stdout, sys.stderr = (os.fdopen(number, "w", 1, closefd=False) for number in (1, 2))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    tempfile.tempdir = None  # is looked up again
    sys.argv = ["seetopic", *arguments]
    code: Any = 0
    try:
        import_module("seetopic.cli").main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    os._exit(int(code or 0))  # to take apart all that is loaded would take as long as to load it


if __name__ == "__main__":
    asking = socket.socket(fileno=int(sys.argv[1]))
    for module in _IMPORTED:
        import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who tell
    _fork_when_asked(asking)
    os._exit(0)
