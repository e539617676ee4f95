"""The Ray engine on a real cluster of two nodes on this machine: the same results, whatever is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import psutil
import pytest

from planted import planted_documents
from seetopic import Index, sorter_for
from seetopic.classify import trends
from seetopic.classify.assignment import assign_documents
from seetopic.corpus.opening import open_documents
from seetopic.errors import ClusterError, CorpusError, IndexFailure, MissingExtra, SettingsError
from seetopic.runtime.engine import LocalEngine, engine_for
from seetopic.runtime.ray import RayEngine, _check_node
from seetopic.settings import DEFAULT
from seetopic.text.shards import Shard
from seetopic.text.tokenizer import tokenize

SMALL_SHARDS = replace(DEFAULT.index, text=replace(DEFAULT.index.text, shard_documents=25))
_STORE = 80_000_000  # bytes of memory that a node's workers share: the minimum for Ray


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head and a node with a GPU, one core each; on loopback only, with their own secret and folder.

    Every node and every worker process takes seconds to start, so tests start no more than they need.
    """
    folder = tempfile.mkdtemp(prefix="st-", dir="/tmp")  # short, because it contains sockets
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "RAY_TMPDIR": folder,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": "0" * 32,
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        }.items():
            patch.setenv(name, value)
        from ray.cluster_utils import Cluster

        started = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 1, "include_dashboard": False, "object_store_memory": _STORE},
        )
        started.with_gpu = started.add_node(num_cpus=1, num_gpus=1, object_store_memory=_STORE)
        yield started
        started.shutdown()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def ray(cluster: Any) -> Iterator[RayEngine]:
    """Joined once for all tests."""
    engine = RayEngine(cluster.address)
    yield engine
    engine.close()


def node() -> str:
    from ray import get_runtime_context

    found: str = get_runtime_context().get_node_id()
    return found


def square(number: int) -> int:
    return number * number


def slow_if_early(number: int) -> tuple[int, str]:
    """Work that finishes in a different order than it started."""
    time.sleep(0.15 if number % 3 == 0 else 0.01)
    return number, node()


def test_the_cluster_is_on_loopback_only(cluster, ray):
    assert list(ray.map(square, range(3))) == [0, 1, 4]
    ours = psutil.Process().children(recursive=True)
    listening = [
        connection.laddr.ip.removeprefix("::ffff:")
        for process in ours
        for connection in process.net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening
    assert set(listening) == {"127.0.0.1"}


def test_results_come_in_the_order_of_the_items_from_all_nodes(ray):
    results = list(ray.map(slow_if_early, range(30)))
    assert [number for number, _ in results] == list(range(30))
    assert len({where for _, where in results}) == 2


def test_no_items_give_no_results_and_a_function_of_here_is_run_here(ray):
    assert list(ray.map(square, [])) == []
    assert list(ray.map(lambda number: number + 5, range(3))) == [5, 6, 7]
    lock = Lock()  # something that cannot be pickled
    assert set(ray.map(lambda _: (lock.locked(), os.getpid())[1], range(3))) == {os.getpid()}


def test_only_a_few_items_are_taken_ahead_of_the_results(ray):
    taken = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = ray.map(square, items())
    for used in range(1, 20):
        next(results)
        assert len(taken) <= used + 2 * 2
    results.close()


@dataclass(frozen=True)
class Noted:
    """Leaves a file wherever it is unpickled."""

    folder: Path
    values: np.ndarray

    def __setstate__(self, state: dict[str, Any]) -> None:
        (state["folder"] / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        self.__dict__.update(state)

    def __call__(self, number: int) -> tuple[float, int]:
        return float(self.values[number]), os.getpid()


def test_a_function_is_unpacked_once_a_map_by_each_worker(ray, tmp_path):
    results = list(ray.map(Noted(tmp_path, np.arange(500_000.0)), range(60)))
    assert [value for value, _ in results] == list(range(60))
    assert len(list(tmp_path.iterdir())) == len({worker for _, worker in results}) <= 9


def fails_at_seven(number: int) -> int:
    if number == 7:
        raise CorpusError("document 7 is broken")
    return number


def needs_an_extra(_: int) -> int:
    raise MissingExtra("this", "parquet")


def divides(number: int) -> float:
    return 1 / number


def test_an_error_reaches_the_caller_as_it_is_after_the_results_before_it(ray):
    results = ray.map(fails_at_seven, range(20))
    assert list(islice(results, 7)) == list(range(7))
    with pytest.raises(CorpusError, match=r"^document 7 is broken$") as caught:
        next(results)
    assert type(caught.value) is CorpusError
    with pytest.raises(MissingExtra, match=r"this needs an extra: .*seetopic\[parquet\]"):
        list(ray.map(needs_an_extra, [1]))
    with pytest.raises(ZeroDivisionError, match=r"division by zero\nIn a worker process:\n(.|\n)*in divides"):
        list(ray.map(divides, [1, 0]))
    assert list(ray.map(square, range(5))) == [0, 1, 4, 9, 16]


# Faults.


def killed_once(number: int, marks: Path, at: tuple[int, ...]) -> int:
    mark = marks / str(number)
    if number in at and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_a_worker_that_is_killed_changes_no_result(ray, tmp_path):
    work = partial(killed_once, marks=tmp_path, at=(0, 3, 17))
    assert list(ray.map(work, range(20))) == [number * number for number in range(20)]
    assert sorted(int(mark.name) for mark in tmp_path.iterdir()) == [0, 3, 17]


def large_and_slow(number: int) -> tuple[str, np.ndarray]:
    """A result that stays on the node until it is fetched, and is lost with it."""
    time.sleep(0.1)
    return node(), np.full(200_000, number)


def test_a_node_that_is_lost_in_the_middle_changes_no_result(cluster, ray, capsys):
    lost = cluster.add_node(num_cpus=1, object_store_memory=_STORE)
    results = ray.map(large_and_slow, range(60))
    found = []
    while not found or found[-1][0] != lost.node_id:
        found.append(next(results))
        assert len(found) < 50, "the new node did no work"
    cluster.remove_node(lost, allow_graceful=False)
    found += results
    assert [int(values[0]) for _, values in found] == list(range(60))
    assert all((values == values[0]).all() for _, values in found)
    assert capsys.readouterr().out == ""  # Ray's messages about it go elsewhere


def graphics(_: int) -> tuple[str, int, str | None]:
    time.sleep(0.02)
    return node(), os.getpid(), os.environ.get("CUDA_VISIBLE_DEVICES")


def test_work_for_a_gpu_goes_where_there_is_one_and_its_worker_stays(cluster, ray):
    found = set(ray.map(graphics, range(12), gpu=True))
    assert {(where, shown) for where, _, shown in found} == {(cluster.with_gpu.node_id, "0")}
    assert len(found) == 1  # one process, so that a language model is loaded once


def words_of(shard: Shard) -> int:
    return len(shard.words())


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-8])])
def test_a_shard_that_cannot_be_read_is_named(ray, tmp_path, damage):
    folder = tmp_path / "work" / "shards"
    folder.mkdir(parents=True)
    np.save(folder / "word_ids.npy", np.array([0, 1, -1]))
    shards = [Shard(folder, number) for number in range(5)]
    for shard in shards:
        np.save(shard.path("words"), np.array([0, 1]))
        np.save(shard.path("tokens"), np.array([0, 1, 1]))
    assert list(ray.map(words_of, shards)) == [3] * 5
    damage(shards[3].path("tokens"))
    for engine in (LocalEngine(1), ray):
        with pytest.raises(IndexFailure, match=r"the shard file .*000003\.tokens\.npy cannot be read"):
            list(engine.map(words_of, shards))


# Builds.


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def tokenize_unless_killed(text: str) -> list[str]:
    """The tokenizer, but a document may name a file; if it is missing, it is made and the process is killed."""
    if text.startswith("kill "):
        mark = Path(text.removeprefix("kill "))
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return list(tokenize(text))


@pytest.fixture(scope="module")
def directions() -> dict[str, np.ndarray]:
    words = {word for text in planted_documents() for word in text.replace(",", "").replace(".", "").split()}
    chance = np.random.default_rng(0)
    return {word: chance.standard_normal(8) for word in sorted(words)}


@pytest.fixture(scope="module")
def build(
    directions: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., dict[str, bytes]]:
    """All files of an index built with some options; if `faulty`, a document kills the worker that reads it."""
    folder = tmp_path_factory.mktemp("builds")
    documents = planted_documents()
    documents[60] = f"kill {folder / 'mark'}"

    def make(name: str, *, faulty: bool, **options: Any) -> dict[str, bytes]:
        mark = folder / "mark"
        mark.unlink(missing_ok=True) if faulty else mark.touch()
        fixed = {"settings": SMALL_SHARDS, "embedding_model": directions, "tokenizer": tokenize_unless_killed}
        Index.build(documents, folder / name, **fixed, **options)
        assert mark.exists()
        return contents(folder / name)

    return make


def test_an_index_is_the_same_bytes_from_processes_and_from_nodes_that_are_killed(cluster, ray, build):
    alone = build("alone", faulty=False, n_jobs=1)
    assert "manifest.json" in alone
    assert build("two-killed", faulty=True, n_jobs=2) == alone
    assert build("ray-killed", faulty=True, engine="ray", address=cluster.address) == alone


def test_the_embedded_model_gives_the_same_bytes_on_the_cluster(cluster, ray, tmp_path):
    documents = planted_documents(30)
    for name, options in {"here": {"n_jobs": 1}, "there": {"engine": "ray", "address": cluster.address}}.items():
        Index.build(documents, tmp_path / name, settings=SMALL_SHARDS, cache=tmp_path / f"{name}-c", **options)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert len(list(tmp_path.glob("*-c/vectors/*.sqlite"))) == 2  # each computed them


def test_sorting_and_updating_on_the_cluster_give_the_same_bytes(cluster, ray, index, tmp_path):
    documents = tmp_path / "documents.jsonl"
    texts = [*planted_documents(size=3000), "", 7]
    rows = [{"id": number, "text": text, "date": f"2025-{1 + number % 12}"} for number, text in enumerate(texts)]
    documents.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    every_row = {"on_error": "skip", "keep": "all"}
    sorter = sorter_for(index, ["sports and games", "cooking & cuisine"])
    for name, engine in {"here": LocalEngine(1), "there": ray}.items():
        assign_documents(open_documents(documents, **every_row), sorter, tmp_path / f"{name}.parquet", engine)
    assert (tmp_path / "there.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()
    there, here = (trends(tmp_path / f"{name}.parquet", time="date").to_json() for name in ("there", "here"))
    assert there == {**here, "source": "there.parquet"}
    assert len(here["periods"]) == 12
    for name, options in {"here": {"n_jobs": 1}, "there": {"engine": "ray", "address": cluster.address}}.items():
        shutil.copytree(index.folder, tmp_path / name)
        Index.open(tmp_path / name).update(planted_documents(size=60, seed=1), **options)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


_DRIVER = """
import json, sys
from pathlib import Path
from seetopic import Index
from seetopic.settings import DEFAULT
from dataclasses import replace
given = json.loads(Path(sys.argv[1]).read_text())
settings = replace(DEFAULT.index, text=replace(DEFAULT.index.text, shard_documents=25))
options = {"settings": settings, "embedding_model": given["model"], "engine": "ray", "address": sys.argv[3]}
Index.build(given["documents"], sys.argv[2], **options)
"""


def test_what_a_killed_driver_has_begun_another_one_ends_with_the_same_bytes(cluster, ray, directions, tmp_path):
    documents, model = planted_documents(), {word: vector.tolist() for word, vector in directions.items()}
    (tmp_path / "given.json").write_text(json.dumps({"documents": documents, "model": model}))
    command = [sys.executable, "-c", _DRIVER, tmp_path / "given.json", tmp_path / "index", cluster.address]
    record = tmp_path / ".index.building" / "stages.json"
    with subprocess.Popen(command) as driver:
        while not record.exists() or "words" not in record.read_text():
            assert driver.poll() is None
            time.sleep(0.01)
        driver.kill()
    assert not (tmp_path / "index").exists()
    for name, options in {"index": {"engine": "ray", "address": cluster.address}, "alone": {"n_jobs": 1}}.items():
        Index.build(documents, tmp_path / name, settings=SMALL_SHARDS, embedding_model=model, **options)
    assert contents(tmp_path / "index") == contents(tmp_path / "alone")


# Clusters that cannot be used.


def test_a_folder_that_nodes_do_not_see_is_refused_by_name(ray, tmp_path, monkeypatch):
    ray.check_shared(tmp_path / "build")
    assert list((tmp_path / "build").iterdir()) == []
    monkeypatch.chdir(tmp_path)
    apart = Path("/proc/self/cwd/apart")  # a different folder for each process
    with pytest.raises(ClusterError, match=r"the node \S+ \(127\.0\.0\.1\) cannot see the folder /proc/self/cwd/apart"):
        ray.check_shared(apart)


def test_relative_paths_lead_where_they_lead_here(ray, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("found")
    monkeypatch.chdir(tmp_path)
    assert list(ray.map(Path.read_text, [Path("file")] * 4)) == ["found"] * 4


@pytest.mark.parametrize(
    ("seen", "python", "version", "said"),
    [
        (True, "3.11.0", None, r"seetopic is not installed on the node b \(1\.2\.3\.4\); install seetopic=="),
        (True, "3.11.0", "0.0.1", r"has seetopic 0\.0\.1, but this machine has"),
        (True, "2.7.18", "", r"has Python 2\.7\.18, but this machine has"),
    ],
)
def test_a_node_with_other_programs_is_refused(seen, python, version, said):
    from seetopic.version import __version__

    with pytest.raises(ClusterError, match=said):
        _check_node("b (1.2.3.4)", Path("x"), seen, python, __version__ if version == "" else version)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            "127.0.0.1:1",
            r"cannot connect to a Ray cluster at '127\.0\.0\.1:1' \(ConnectionRefusedError: .*; give --address",
        ),
        ("ray://127.0.0.1:1", "cannot connect to a Ray cluster at 'ray://127"),
        ("127.0.0.1:99999", "cannot connect to a Ray cluster at '127"),
        ("nowhere", "'nowhere' is not the address of a Ray cluster; give auto, HOST:PORT or ray://HOST:PORT"),
        ("", "'' is not the address of a Ray cluster"),
    ],
)
def test_an_address_without_a_cluster_is_refused_at_once(address, said):
    with pytest.raises(ClusterError, match=said):
        list(RayEngine(address).map(square, [1]))


def test_without_the_extra_its_name_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"--engine ray needs an extra: .*seetopic\[ray\]"):
        list(RayEngine().map(square, [1]))


def test_engines_have_names():
    assert engine_for("local", 3) == LocalEngine(3)
    assert engine_for("ray", 3) == RayEngine(None, 3)
    assert engine_for("ray", None, "auto") == RayEngine("auto", None)
    with pytest.raises(SettingsError, match="`engine` is 'dask', but must be one of local, ray"):
        engine_for("dask")
    with pytest.raises(SettingsError, match=r"`address` is 'auto', .* --engine ray"):
        engine_for("local", 1, "auto")
    with pytest.raises(SettingsError, match="the number of jobs is 0, but must be at least 1"):
        engine_for("ray", 0)


_OWN_CLUSTERS = """
from pathlib import Path
from seetopic.runtime.engine import engine_for
def double(number): return 2 * number
for is_closed in (True, False):
    engine = engine_for("ray", 1)
    print(list(engine.map(double, range(5), gpu=True)))  # where there is no GPU, it is done without
    import ray  # only now: its settings are read when it is imported
    print(Path(ray._private.worker._global_node.get_session_dir_path()).parent, flush=True)
    if is_closed: engine.close()
"""


@pytest.mark.ray
def test_without_an_address_a_cluster_of_its_own_begins_and_ends_quietly_closed_or_not(tmp_path):
    (tmp_path / "script.py").write_text(_OWN_CLUSTERS)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", tmp_path / "script.py"],
        capture_output=True,
        text=True,
        check=True,
        env={**clean, "HOME": str(tmp_path), "CUDA_VISIBLE_DEVICES": ""},
    )
    assert done.stderr == ""
    results, closed, results_again, left = done.stdout.splitlines()
    assert results == results_again == "[0, 2, 4, 6, 8]"
    assert closed != left
    for folder in (closed, left):
        assert "seetopic-ray-" in folder
        assert not Path(folder).exists()
        assert not [process for process in psutil.process_iter(["cmdline"]) if folder in str(process.info["cmdline"])]
    assert not (tmp_path / ".ray").exists()  # no secret is left in the home folder
