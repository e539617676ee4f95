"""Joining a Ray cluster, or starting one on this machine, and looking whether its nodes can do the work."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from seetopic.errors import ClusterError, MissingExtra, SeeTopicError
from seetopic.files import writing
from seetopic.parcels import gone_with_us
from seetopic.version import __version__

_PATIENCE = 60  # seconds for a node's answer
_KNOCKING = 10  # seconds until it is clear that nobody listens
_TOLD = 200  # characters of what Ray says
_CLIENT = "ray://"


@dataclass(frozen=True)
class Session:
    """Ray, connected; and how to end that."""

    ray: Any
    close: Callable[[], Any]


def ray_session(address: str | None, workers: int | None) -> Session:
    """The cluster at the address; without one, a cluster of this machine alone, that nobody else can reach."""
    if address is not None:
        _check_address(address)
    with ExitStack() as opened:
        if address is None:
            opened.enter_context(_environment(_PRIVATE | {"RAY_AUTH_TOKEN": _secret()}))
        ray = _ray()
        if ray.is_initialized():  # by the caller's own program, whose cluster it is
            return Session(ray, lambda: None)
        opened.enter_context(_on_standard_error(ray))
        quiet = {"log_to_driver": False, "configure_logging": False, "logging_level": "ERROR"}
        if address is None:
            folder = opened.enter_context(_short_folder())
            settings = {"num_cpus": workers, "include_dashboard": False, "_temp_dir": str(folder)}
            _init(ray, "local", **settings, **quiet)
        else:
            _init(ray, address, **quiet)
        opened.callback(ray.shutdown)
        close = opened.pop_all().close
    return Session(ray, Finalize(None, close, exitpriority=10))  # also where nobody closes it


# No statistics to Ray's makers; a secret that only this process and its children know; and loopback only, which Ray
# does by itself on other systems than Linux.
_PRIVATE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


@cache
def _secret() -> str:
    """One a process: Ray reads it once."""
    return os.environ.get("RAY_AUTH_TOKEN") or secrets.token_hex(32)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("--engine ray", "ray") from error
    return ray


def _check_address(address: str) -> None:
    """Ray itself would knock for minutes at a port that nobody listens to."""
    if address == "auto":
        return
    host, _, port = address.removeprefix(_CLIENT).rpartition(":")
    if not host or not port.isdigit():
        raise ClusterError(
            f"{address!r} is not an address of a Ray cluster; give auto, HOST:PORT or {_CLIENT}HOST:PORT"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCKING).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> ClusterError:
    return ClusterError(
        f"no Ray cluster can be joined at {address!r} ({_one_line(error)}); give --address as HOST:PORT of its head, "
        "or as auto on one of its nodes"
    )


def _init(ray: Any, address: str, **settings: Any) -> None:
    try:
        ray.init(address, **settings)
    except Exception as error:  # also of no kind at all, where the machine was too busy to start in time
        if address != "local":
            raise _unreachable(address, error) from error
        raise ClusterError(f"Ray cannot be started on this machine ({_one_line(error)}); use --engine local") from error


@contextmanager
def _on_standard_error(ray: Any) -> Iterator[None]:
    """Ray tells of lost workers and nodes at length and on standard output, which is for results."""
    worker = ray._private.worker
    tell: Any = getattr(worker, "print_to_stdstream", None)

    def tell_shortly(data: dict[str, Any], *others: Any, **settings: Any) -> None:
        lines = [str(line).partition("\n")[0][:_TOLD] for line in data["lines"]]
        tell({**data, "lines": lines, "is_err": True}, *others, **settings)

    if tell is not None:
        worker.print_to_stdstream = tell_shortly
    try:
        yield
    finally:
        if tell is not None:
            worker.print_to_stdstream = tell


@contextmanager
def _environment(added: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _short_folder() -> Iterator[Path]:
    """For Ray's logs and sockets, whose paths may not be long."""
    place = "/tmp" if Path("/tmp").is_dir() else tempfile.gettempdir()
    with writing(Path(place)):
        folder = Path(tempfile.mkdtemp(prefix="seetopic-ray-", dir=place))
    with gone_with_us(folder, "folder"):
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def check_nodes(ray: Any, folder: Path) -> None:
    """Ask every node that works whether it sees the folder, and which seetopic and Python it has."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    marker = folder.absolute() / f".seen-by-all-{secrets.token_hex(8)}"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        marker.touch()
    task = ray.remote(num_cpus=0, max_retries=3)(_looker())
    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    try:
        asked = [
            task.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(
                str(marker)
            )
            for node in nodes
        ]
        for node, answer in zip(nodes, asked, strict=True):
            name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
            try:
                _check_node(name, folder, *ray.get(answer, timeout=_PATIENCE))
            except ray.exceptions.TaskUnschedulableError:
                continue  # it has left the cluster meanwhile
            except ray.exceptions.RayError as error:
                raise sentence_about(error, f"a question to the node {name}") from error
    finally:
        marker.unlink(missing_ok=True)


def _looker() -> Callable[[str], tuple[bool, str, str | None]]:
    """A function that travels as its code: where seetopic is missing, it must be able to say so."""

    def look(path: str) -> tuple[bool, str, str | None]:
        import os
        import platform

        try:
            from seetopic.version import __version__ as version
        except ImportError:
            return os.path.exists(path), platform.python_version(), None  # noqa: PTH110 - nothing but the bare minimum
        return os.path.exists(path), platform.python_version(), version  # noqa: PTH110

    return look


def _check_node(name: str, folder: Path, seen: bool, python: str, version: str | None) -> None:
    if version is None:
        raise ClusterError(f"the node {name} has no seetopic; install seetopic=={__version__} on every node")
    if version != __version__:
        raise ClusterError(
            f"the node {name} has seetopic {version}, but here it is {__version__}; install the same on every node"
        )
    ours = platform.python_version()
    if python.split(".")[:2] != ours.split(".")[:2]:
        raise ClusterError(f"the node {name} has Python {python}, but here it is {ours}; use the same on every node")
    if not seen:
        raise ClusterError(
            f"the node {name} does not see the folder {folder.absolute()}; build on a disk that all nodes share"
        )


def sentence_about(error: Exception, work: str) -> SeeTopicError:
    """What Ray says in a page, in a sentence that names the piece of work."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, SeeTopicError):
        return cause
    return ClusterError(
        f"the Ray cluster could not do a piece of work, {work} ({_one_line(cause or error)}); "
        "look at its nodes and their memory, then start again: what is done is kept"
    )


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:_TOLD]}"
