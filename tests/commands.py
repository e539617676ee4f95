"""Commands as users run them: each in its own process, or in this one, which has all libraries loaded."""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from seetopic import cli

Result = subprocess.CompletedProcess[str]

# Replaces `seetopic` in a shell: passes the command to the process that listens at SEETOPIC_SOCKET.
_HANDED_OVER = f"""#!{sys.executable} -IS
import json, os, socket, sys
if sys.argv[1] == "serve":  # keeps running beside the shell
    os.execv({sys.executable!r}, [{sys.executable!r}, "-m", "seetopic", *sys.argv[1:]])
given = sys.stdin.read() if {{"-", "--interactive"}} & {{*sys.argv}} else ""
with socket.socket(socket.AF_UNIX) as place:
    place.connect(os.environ["SEETOPIC_SOCKET"])
    with place.makefile("rw", encoding="utf-8") as talk:
        print(json.dumps([sys.argv[1:], os.getcwd(), given]), file=talk, flush=True)
        code, out, error = json.loads(talk.readline())
sys.stdout.write(out)
sys.stderr.write(error)
sys.exit(code)
"""


def run(*arguments: str | Path, cwd: Path, **options) -> Result:
    """Run a command in its own process."""
    command = [sys.executable, "-m", "seetopic", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **options)


def run_here(*arguments: str | Path, cwd: Path, given: str = "") -> Result:
    """Run a command in this process, with `given` as standard input."""
    words = ["seetopic", *map(str, arguments)]
    out, error = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    code = 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(cwd))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(error))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(sys, "argv", words)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
    told = [stream.buffer.getvalue().decode() for stream in (out, error)]  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(words, code, *told)


def run_shell(script: str, cwd: Path) -> Result:
    """Run a script in bash, stopping at the first failure; its `seetopic` commands run in this process."""
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))  # paths of sockets must be short
        (place / "seetopic").write_text(_HANDED_OVER)
        (place / "seetopic").chmod(0o755)
        listening = stack.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind(str(place / "socket"))
        listening.listen()
        listening.settimeout(0.05)  # so that the end of the script is noticed
        path = f"{place}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=cwd,
            env={**os.environ, "PATH": path, "SEETOPIC_SOCKET": str(place / "socket")},
            text=True,
            stdout=stack.enter_context((place / "out").open("w+")),
            stderr=stack.enter_context((place / "error").open("w+")),
        )
        for arguments, folder, given, talk in _asked(listening, shell):
            done = run_here(*arguments, cwd=Path(folder), given=given)
            print(json.dumps([done.returncode, done.stdout, done.stderr]), file=talk, flush=True)
        told = [(place / name).read_text() for name in ("out", "error")]
        return subprocess.CompletedProcess(script, shell.returncode, *told)


def _asked(
    listening: socket.socket, shell: subprocess.Popen[str]
) -> Iterator[tuple[list[str], str, str, io.TextIOBase]]:
    """The commands that a running shell passes on, one after the other."""
    while shell.poll() is None:
        try:
            connection, _ = listening.accept()
        except TimeoutError:
            continue
        connection.setblocking(True)
        with connection, connection.makefile("rw", encoding="utf-8") as talk:
            yield *json.loads(talk.readline()), talk


def one_line_error(result: Result) -> str:
    assert result.returncode == 2, result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert "Traceback" not in result.stderr
    return result.stderr
