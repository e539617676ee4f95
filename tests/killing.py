"""Kills a fork of this process just before its n-th change to the file system, or makes its changes fail."""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

_CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "os.link", "ctypes.dlsym"}
NEVER = 10**9


def _changes_something(event: str, arguments: tuple[object, ...]) -> bool:
    return event in _CHANGES or (event == "open" and bool(int(arguments[2]) & (os.O_WRONLY | os.O_RDWR)))


def killed_at(step: int, work: Callable[[], object]) -> int:
    """Do the work in a fork that is killed at a step; return how many steps it made, or 0 if it was killed."""

    def kill(made: int, _: str) -> None:
        if made == step:
            os.kill(os.getpid(), signal.SIGKILL)

    return _forked(kill, work)[0]


def refused_from(step: int, number: int, work: Callable[[], object]) -> tuple[int, Any]:
    """Do the work in a fork in which every change from a step on fails with this error number.

    Return how many steps were tried, and what the work returned.
    """

    def refuse(made: int, event: str) -> None:
        if made >= step and event != "ctypes.dlsym":
            raise OSError(number, os.strerror(number), "file")

    return _forked(refuse, work)


def _forked(at: Callable[[int, str], None], work: Callable[[], object]) -> tuple[int, Any]:
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        made = 0

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal made
            if _changes_something(event, arguments):
                made += 1
                at(made, event)

        try:
            sys.addaudithook(count)
            returned = work()
            os.write(write, json.dumps([made, returned]).encode())
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as told:
        made, returned = json.loads(told.read() or "[0, null]")
    status = os.waitpid(child, 0)[1]
    assert made or os.WIFSIGNALED(status), "the work failed for another reason"
    return made, returned
