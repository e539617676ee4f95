"""Scripts in processes of their own that start at once, as forks of one that has loaded everything a build needs."""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path


class Forks:
    """Runs scripts like `python -c`, without the seconds that importing takes."""

    def __init__(self) -> None:
        self._loaded = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},  # a process with threads cannot be forked safely
        )

    def run(self, script: str, *arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            asked = [script, [*map(str, arguments)], str(cwd), {**os.environ, **environment}, folder]
            print(json.dumps(asked), file=self._loaded.stdin, flush=True)
            code = int(self._loaded.stdout.readline())
            return subprocess.CompletedProcess(script, code, *(Path(folder, name).read_text() for name in "12"))

    def close(self) -> None:
        self._loaded.communicate()


def _load() -> None:
    import click.testing
    import pytest  # noqa: F401

    from fake_model import directions
    from planted import NAMES, planted_documents
    from seetopic import Index, cli, discover, sorter_for

    with tempfile.TemporaryDirectory() as folder:
        index = Index.build(planted_documents(9), Path(folder, "index"), embedding_model=directions, n_jobs=1)
        discover(index, NAMES[:2]).save(Path(folder, "topics"))
        sorter_for(index, NAMES[:2])
    click.testing.CliRunner().invoke(cli.cli, ["discover", "--help"])


def _serve() -> None:
    """Answer each request with the exit code of a fork that runs its script."""
    gc.freeze()  # so that forks do not copy what they only look at
    for line in sys.stdin:
        if child := os.fork():
            sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
            sys.stdout.flush()
            continue
        script, arguments, cwd, environment, folder = json.loads(line)
        for number, name in enumerate((os.devnull, f"{folder}/1", f"{folder}/2")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(cwd)
        tempfile.tempdir = None  # is looked up again
        sys.argv = ["-c", *arguments]
        sys.path.insert(0, "")
        try:
            exec(script, {"__name__": "__main__"})
            code = 0
        except BaseException:
            traceback.print_exc()
            code = 1
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)  # to take apart all that is loaded would take as long as to load it


if __name__ == "__main__":
    _load()
    _serve()
    os._exit(0)
