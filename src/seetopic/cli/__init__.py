"""The command line, which only parses, calls and prints."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from seetopic.cli import ask, cache, evaluate, export, serve, topics, trends, update, verify
from seetopic.cli.messages import say
from seetopic.cli.options import say_warning
from seetopic.errors import NotEnoughMemory, SeeTopicError, SettingsError
from seetopic.version import __version__

__all__ = ["cli", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="seetopic")
def cli() -> None:
    """Name your categories and get the terms your documents actually use for each."""
    if "--help" not in sys.argv and "-h" not in sys.argv:
        _check_memory()


for command in (
    topics.demo,
    topics.index,
    update.update,
    verify.verify,
    topics.check,
    topics.discover,
    topics.suggest,
    ask.ask,
    topics.assign,
    trends.trends,
    evaluate.evaluate,
    evaluate.compare,
    evaluate.annotate,
    evaluate.agreement,
    export.export,
    serve.serve,
    cache.cache,
):
    cli.add_command(command)


# System errors that only the user can fix; any other one is a bug.
_REFUSALS = {
    errno.ENOSPC: "free some disk space",
    errno.EDQUOT: "free up some of your quota",
    errno.EFBIG: "raise the limit on file sizes (ulimit -f)",
    errno.EROFS: "choose a writable location",
    errno.EIO: "check the disk",
    errno.EACCES: "check your permissions",
    errno.EPERM: "check your permissions",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.ELOOP: "fix the symbolic links",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ENFILE: "close some other programs",
    errno.ENOMEM: "use fewer --jobs, or allow more memory (ulimit -v)",
    errno.EAGAIN: "raise the limit on processes (ulimit -u), or use fewer --jobs",
}

# After interruptions, by command; the others have nothing to resume.
_BUILD = "; if an index was being built, run the same command again to resume"
_RESUMED = dict.fromkeys(("demo", "index", "update", "check", "discover"), _BUILD) | {
    "assign": "; run the same command again to resume",
    "compare": "; with --out, run the same command again to resume",
}

_PARAMETER = re.compile(r"`(\w+)`")
_OUT_OF_MEMORY = ("can't start new thread", "failed to map segment", "PyObject pointer is null")  # from libraries
_MANY_OBJECTS = 100_000  # new ones until Python looks for garbage; by default, imports alone would make it look often
_LEAST_MEMORY = 1 << 30  # bytes of address space; the numeric libraries alone need most of it


def main() -> None:
    """Exit with 0; 2 and one line for an error the user can fix; 1 and a traceback for a bug; 128 + n for a signal."""
    gc.set_threshold(_MANY_OBJECTS)
    # Products are divided among threads that use one BLAS thread each; BLAS's own would only wait, on a busy processor.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    atexit.register(gc.freeze)  # or Python would spend up to half a second on looking for garbage in what it frees
    with _warnings_on_lines(), _ended_like_ctrl_c() as stopped_by:
        try:
            cli(standalone_mode=False)
            if sys.stdout is not None:
                sys.stdout.flush()
        except (click.Abort, KeyboardInterrupt):
            say(f"seetopic: interrupted{_RESUMED.get(''.join(sys.argv[1:2]), '')}")
            exec("")  # or Python would take an interrupt inside an `exec`, as dataclasses use, for one nobody handled
            sys.exit(128 + stopped_by[-1])
        except BrokenPipeError:  # the reader has closed the pipe
            _give_up_output()
            sys.exit(128 + 13)
        except BaseException as error:  # out of memory, Rust libraries raise something other than an `Exception`
            sentence = None if isinstance(error, SystemExit) else _sentence(error)
            if sentence is None:
                raise
            _give_up_output()
            say(f"seetopic: {sentence}")
            sys.exit(2)


@contextmanager
def _warnings_on_lines() -> Iterator[None]:
    """Print warnings for the user as one line each; in Python they would begin with the place in the program."""
    before = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if category is UserWarning:
            say_warning(str(message))
        else:
            before(message, category, *place, **more)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before


@contextmanager
def _ended_like_ctrl_c() -> Iterator[list[int]]:
    """Treat SIGTERM and SIGHUP like Ctrl-C: workers end, locks are released. Yields the signals received."""
    came: list[int] = [signal.SIGINT]

    def stop(number: int, _: object) -> None:
        came.append(number)
        signal.signal(number, signal.SIG_IGN)  # once is enough
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(each) == signal.SIG_DFL:  # under `nohup`, SIGHUP is ignored
                before[each] = signal.signal(each, stop)
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _sentence(error: BaseException) -> str | None:
    """The message for the user, or None for a bug."""
    if isinstance(error, SettingsError):
        return _PARAMETER.sub(lambda found: _options().get(found[1], found[0]), str(error))
    if isinstance(error, SeeTopicError):
        return str(error)
    if isinstance(error, click.ClickException):
        return f"{error.format_message()} (see seetopic --help)"
    # Report the original error, not what went wrong while handling it.
    first = _sentence(error.__context__) if error.__context__ is not None else None
    refusal = _refusal(error)
    ran_out = error.__context__ is not None and _ran_out(error.__context__)
    return (first or refusal) if refusal or ran_out else None


def _options() -> dict[str, str]:
    """The options that set parameters, by the name of the parameter in Python."""
    given = (option for command in cli.commands.values() for option in command.params)
    own = {option.name or "": option.opts[0] for option in given if isinstance(option, click.Option)}
    return {**own, "words": "--sample-words"}


def _ran_out(error: BaseException) -> bool:
    """Whether memory or file handles ran out, after which anything may fail."""
    numbers = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in numbers)


def _check_memory() -> None:
    """Below a certain limit the libraries do not fail cleanly: they print pages of errors, or hang."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < _LEAST_MEMORY:
        raise NotEnoughMemory(
            f"the memory limit is {limit >> 20:,} MB, but the libraries need {_LEAST_MEMORY >> 20:,} MB; "
            "raise it (ulimit -v)"
        )


def _refusal(error: BaseException) -> str | None:
    """The message for a system error, if it is one."""
    if isinstance(error, MemoryError) or any(each in str(error) for each in _OUT_OF_MEMORY):
        return f"out of memory; {_REFUSALS[errno.ENOMEM]}"
    if isinstance(error, UnicodeEncodeError):
        letter = error.object[error.start : error.start + 1]
        return f"a text contains {letter!r}, which is not valid Unicode and cannot be written; remove it from the input"
    if not isinstance(error, OSError) or error.errno not in _REFUSALS:
        return None
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror}; {_REFUSALS[error.errno]}, and run the command again"


def _give_up_output() -> None:
    """Discard unwritten output, which Python would otherwise try to flush again at exit."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
