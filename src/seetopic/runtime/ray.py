"""The engine for many machines, which runs maps as tasks of a Ray cluster."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, TypeVar

from seetopic.errors import ClusterError, MissingExtra, SeeTopicError, SettingsError
from seetopic.runtime.files import writing
from seetopic.runtime.processes import gone_with_us, named, outcome_of, result_of
from seetopic.version import __version__

_PATIENCE = 60  # seconds to wait for a node's answer
_KNOCKING = 10  # seconds to wait for a connection
_TOLD = 200  # characters shown of a message from Ray
_CLIENT = "ray://"


@dataclass(frozen=True)
class Session:
    """A connection to Ray, and how to close it."""

    ray: Any
    close: Callable[[], Any]


def ray_session(address: str | None, workers: int | None) -> Session:
    """The cluster at the address; without an address, a private cluster on this machine."""
    if address is not None:
        _check_address(address)
    with ExitStack() as opened:
        if address is None:
            opened.enter_context(_environment(_PRIVATE | {"RAY_AUTH_TOKEN": _secret()}))
        ray = _ray()
        if ray.is_initialized():  # by the caller, who owns the cluster
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
    return Session(ray, Finalize(None, close, exitpriority=10))  # at exit, if nobody closes it before


# No usage statistics; a token that only this process and its children know; and loopback only, which is Ray's default
# on systems other than Linux.
_PRIVATE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


@cache
def _secret() -> str:
    """One per process, because Ray reads it only once."""
    return os.environ.get("RAY_AUTH_TOKEN") or secrets.token_hex(32)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("--engine ray", "ray") from error
    return ray


def _check_address(address: str) -> None:
    """Fail early: Ray itself would try for minutes to connect to a closed port."""
    if address == "auto":
        return
    host, _, port = address.removeprefix(_CLIENT).rpartition(":")
    if not host or not port.isdigit():
        raise ClusterError(
            f"{address!r} is not the address of a Ray cluster; give auto, HOST:PORT or {_CLIENT}HOST:PORT"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCKING).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> ClusterError:
    return ClusterError(
        f"cannot connect to a Ray cluster at {address!r} ({_one_line(error)}); give --address as HOST:PORT of its head "
        "node, or use auto when running on one of its nodes"
    )


def _init(ray: Any, address: str, **settings: Any) -> None:
    try:
        ray.init(address, **settings)
    except Exception as error:  # a bare `Exception` if the machine was too busy to start in time
        if address != "local":
            raise _unreachable(address, error) from error
        raise ClusterError(f"Ray cannot be started on this machine ({_one_line(error)}); use --engine local") from error


@contextmanager
def _on_standard_error(ray: Any) -> Iterator[None]:
    """Shorten Ray's messages about lost workers and nodes, and keep them off standard output, which is for results."""
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
    """A folder for Ray's logs and sockets, whose paths must be short."""
    place = "/tmp" if Path("/tmp").is_dir() else tempfile.gettempdir()
    with writing(Path(place)):
        folder = Path(tempfile.mkdtemp(prefix="seetopic-ray-", dir=place))
    with gone_with_us(folder, "folder"):
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def check_nodes(ray: Any, folder: Path) -> None:
    """Check that every live node can see the folder and has the same versions of seetopic and Python."""
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
                continue  # it has left the cluster
            except ray.exceptions.RayError as error:
                raise sentence_about(error, f"a query to the node {name}") from error
    finally:
        marker.unlink(missing_ok=True)


def _looker() -> Callable[[str], tuple[bool, str, str | None]]:
    """A function that is pickled by value, so that it also runs where seetopic is not installed."""

    def look(path: str) -> tuple[bool, str, str | None]:
        import os
        import platform

        try:
            from seetopic.version import __version__ as version
        except ImportError:
            return os.path.exists(path), platform.python_version(), None  # noqa: PTH110 - as few imports as possible
        return os.path.exists(path), platform.python_version(), version  # noqa: PTH110

    return look


def _check_node(name: str, folder: Path, seen: bool, python: str, version: str | None) -> None:
    if version is None:
        raise ClusterError(
            f"seetopic is not installed on the node {name}; install seetopic=={__version__} on every node"
        )
    if version != __version__:
        raise ClusterError(
            f"the node {name} has seetopic {version}, but this machine has {__version__}; "
            "install the same version on every node"
        )
    ours = platform.python_version()
    if python.split(".")[:2] != ours.split(".")[:2]:
        raise ClusterError(
            f"the node {name} has Python {python}, but this machine has {ours}; use the same version on every node"
        )
    if not seen:
        raise ClusterError(
            f"the node {name} cannot see the folder {folder.absolute()}; build on a disk that all nodes share"
        )


def sentence_about(error: Exception, work: str) -> SeeTopicError:
    """Ray's error, often a page long, as one sentence that names the task."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, SeeTopicError):
        return cause
    return ClusterError(
        f"the Ray cluster could not complete a task, {work} ({_one_line(cause or error)}); "
        "check its nodes and their memory, then start again: finished work is kept"
    )


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:_TOLD]}"


Item = TypeVar("Item")
Result = TypeVar("Result")
_AHEAD = 2  # items in flight per core or GPU
# Clusters of cheap machines often lose workers and nodes, but an item that kills every worker must not be retried
# forever.
_TRIES_MORE = 20
_COUNTED_AGAIN = 5.0  # seconds between checks of the cluster's size, which may change


@dataclass(frozen=True)
class RayEngine:
    """The cluster at an address, or a private one on this machine that ends with the engine."""

    address: str | None = None  # auto, host:port or ray://host:port
    workers: int | None = None  # items processed at once; None: one per core

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise SettingsError(
                f"the number of jobs is {self.workers}, but must be at least 1; change --jobs (in Python: n_jobs)"
            )

    @property
    def remote(self) -> bool:
        return True

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        threads: bool = False,
        gpu: bool = False,
    ) -> Iterator[Result]:
        """Results in the order of the items, with only a few items in flight."""
        ray = self._session.ray
        size = _Size(ray, self.workers if self.address else None, gpu)
        try:
            work = _Work(ray.put(function), str(Path.cwd()), sys.path)
        except (TypeError, AttributeError):  # the function exists only in this process, so it runs here
            yield from map(function, items)
            return
        task = _task(ray).options(num_gpus=1 if size.on_gpus else 0)
        waiting: deque[tuple[Item, Any]] = deque()
        try:
            for item in items:
                while len(waiting) >= size.in_flight():
                    yield self._result(*waiting.popleft())
                waiting.append((item, task.remote(work, item)))
            while waiting:
                yield self._result(*waiting.popleft())
        finally:
            for _, reference in waiting:
                with suppress(ray.exceptions.RayError):
                    ray.cancel(reference)

    def check_shared(self, folder: Path) -> None:
        """Refuse a cluster with a node that cannot see the folder, or has another version of seetopic or Python."""
        check_nodes(self._session.ray, folder)

    def close(self) -> None:
        """Leave the cluster; stop it if this engine started it."""
        session: Session | None = self.__dict__.pop("_session", None)
        if session is not None:
            session.close()

    def _result(self, item: Any, reference: Any) -> Any:
        ray = self._session.ray
        try:
            outcome = ray.get(reference)
        except ray.exceptions.RayError as error:
            raise sentence_about(error, named(item)) from error
        return result_of(outcome)

    @cached_property
    def _session(self) -> Session:
        """Opened by the first map."""
        return ray_session(self.address, self.workers)


class _Size:
    """How many items may be in flight, which varies with the size of the cluster."""

    def __init__(self, ray: Any, limit: int | None, gpu: bool) -> None:
        self._ray, self._limit = ray, limit
        self.on_gpus = gpu and bool(ray.cluster_resources().get("GPU"))
        self._counted = float("-inf")

    def in_flight(self) -> int:
        if self._limit is not None:
            return self._limit
        if time.monotonic() - self._counted > _COUNTED_AGAIN:
            slots = self._ray.cluster_resources().get("GPU" if self.on_gpus else "CPU", 1)
            self._known, self._counted = max(_AHEAD * int(slots), 1), time.monotonic()
        return self._known


@cache
def _task(ray: Any) -> Any:
    # By default Ray ends GPU workers after each task; with `max_calls=0` they stay, and keep their loaded model.
    return ray.remote(num_cpus=1, max_retries=_TRIES_MORE, retry_exceptions=False, max_calls=0)(_done)


@dataclass(frozen=True)
class _Work:
    """What is sent with every item: a reference to the function, and where to find its modules and files."""

    function: Any  # wrapped in this class, or Ray would unpack it for every item
    folder: str
    path: list[str]


def _done(work: _Work, item: Any) -> bytes:
    """Process an item in a worker, which resolves files and modules as the calling process does."""
    with suppress(OSError):
        os.chdir(work.folder)
    sys.path += [place for place in work.path if place not in sys.path]
    function = _function(work.function)
    return outcome_of(lambda: function(item))


@lru_cache(maxsize=1)
def _function(reference: Any) -> Callable[[Any], Any]:
    """Unpacked once per map by each worker process; its arrays stay in memory that all workers of a node share."""
    import ray

    function: Callable[[Any], Any] = ray.get(reference)
    return function
