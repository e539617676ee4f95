"""The command line: parse, call, print; nothing else."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from seetopic.cli import exporting, judging, serving, topics, updating, verifying
from seetopic.cli.saying import say
from seetopic.errors import NotEnoughMemory, SeeTopicError
from seetopic.version import __version__

__all__ = ["cli", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="seetopic")
def cli() -> None:
    """Name your categories; get, for each, the terms your documents really use for it."""
    if "--help" not in sys.argv and "-h" not in sys.argv:
        _check_memory()


for command in (
    topics.demo,
    topics.index,
    updating.update,
    verifying.verify,
    topics.check,
    topics.discover,
    topics.suggest,
    topics.assign,
    judging.evaluate,
    judging.compare,
    judging.annotate,
    judging.agreement,
    exporting.export,
    serving.serve,
):
    cli.add_command(command)


# What the machine refuses, whatever the program does; anything else that the system says is a bug.
_REFUSALS = {
    errno.ENOSPC: "free some space on the disk",
    errno.EDQUOT: "free some of your quota",
    errno.EFBIG: "raise the limit on file sizes (ulimit -f)",
    errno.EROFS: "choose a place that can be written to",
    errno.EIO: "check the disk",
    errno.EACCES: "check your rights",
    errno.EPERM: "check your rights",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.ELOOP: "mend the symbolic links",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ENFILE: "let other programs end",
    errno.ENOMEM: "give fewer --jobs, or more memory (ulimit -v)",
    errno.EAGAIN: "raise the limit on processes (ulimit -u), or give fewer --jobs",
}

_OUT_OF_MEMORY = ("can't start new thread", "failed to map segment", "PyObject pointer is null")  # as libraries say it
_LEAST_MEMORY = 1 << 30  # bytes of addresses: the numeric libraries alone take most of it


def main() -> None:
    """Exit code 0; 2 and one line for what the user can mend; 1 and a trace for a bug; 128 + n for a signal."""
    with _ended_like_ctrl_c() as stopped_by:
        try:
            cli(standalone_mode=False)
            if sys.stdout is not None:
                sys.stdout.flush()
        except (click.Abort, KeyboardInterrupt):
            say("seetopic: stopped; an index that is being built goes on when the command is given again")
            sys.exit(128 + stopped_by[-1])
        except BrokenPipeError:  # whoever read the output has read enough
            _give_up_output()
            sys.exit(128 + 13)
        except BaseException as error:  # a library in Rust that runs out of memory raises what is no `Exception`
            sentence = None if isinstance(error, SystemExit) else _sentence(error)
            if sentence is None:
                raise
            _give_up_output()
            say(f"seetopic: {sentence}")
            sys.exit(2)


@contextmanager
def _ended_like_ctrl_c() -> Iterator[list[int]]:
    """Let SIGTERM and SIGHUP do what Ctrl-C does: workers end, locks are released. Gives the signals that came."""
    came: list[int] = [signal.SIGINT]

    def stop(number: int, _: object) -> None:
        came.append(number)
        signal.signal(number, signal.SIG_IGN)  # once is enough
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(each) == signal.SIG_DFL:  # `nohup` has SIGHUP ignored
                before[each] = signal.signal(each, stop)
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _sentence(error: BaseException) -> str | None:
    """What to tell the user; None if it is a bug."""
    if isinstance(error, SeeTopicError):
        return str(error)
    if isinstance(error, click.ClickException):
        return f"{error.format_message()} (see seetopic --help)"
    # What was wrong first is told: neither what the machine refuses on the way out, nor what stumbles over it.
    first = _sentence(error.__context__) if error.__context__ is not None else None
    refusal = _refusal(error)
    ran_out = error.__context__ is not None and _ran_out(error.__context__)
    return (first or refusal) if refusal or ran_out else None


def _ran_out(error: BaseException) -> bool:
    """Whether there was no more memory, or no more files could be opened: then anything may fail."""
    numbers = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in numbers)


def _check_memory() -> None:
    """Below a certain limit the libraries do not fail: they print pages, or wait for ever."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < _LEAST_MEMORY:
        raise NotEnoughMemory(
            f"the limit on memory is {limit >> 20:,} MB, but the libraries need {_LEAST_MEMORY >> 20:,} MB; "
            "raise it (ulimit -v)"
        )


def _refusal(error: BaseException) -> str | None:
    """What the machine did not let the program do, if that is all."""
    if isinstance(error, MemoryError) or any(each in str(error) for each in _OUT_OF_MEMORY):
        return f"the memory is not enough; {_REFUSALS[errno.ENOMEM]}"
    if isinstance(error, UnicodeEncodeError):
        letter = error.object[error.start : error.start + 1]
        return f"a text holds {letter!r}, which is not Unicode and cannot be written; remove it from the input"
    if not isinstance(error, OSError) or error.errno not in _REFUSALS:
        return None
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror}; {_REFUSALS[error.errno]}, and give the command again"


def _give_up_output() -> None:
    """What could not be written to standard output would be tried again, and complained of, when Python ends."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
