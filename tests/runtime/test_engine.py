"""The engine: the same results in the same order for any number of workers; and reports of progress."""

from __future__ import annotations

import multiprocessing
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import psutil
import pytest

from seetopic.errors import CorpusError, MissingExtra, SettingsError, WorkerLost
from seetopic.runtime.engine import LocalEngine, available_cores, sum_of
from seetopic.runtime.progress import counted, shown_progress, silent


@pytest.fixture(scope="module")
def two() -> LocalEngine:
    """Two workers, started once for all tests."""
    return LocalEngine(2)


@pytest.fixture(params=[1, 2])
def engine(request: pytest.FixtureRequest, two: LocalEngine) -> LocalEngine:
    return two if request.param == 2 else LocalEngine(1)


def square(number: int) -> int:
    return number * number


def slow_if_early(number: int) -> int:
    """Work that finishes in a different order than it started."""
    sum(range(200_000 if number % 3 == 0 else 1))
    return number


def process(_: int) -> int:
    return os.getpid()


def histogram(values: np.ndarray, bins: int) -> np.ndarray:
    return np.bincount(values, minlength=bins)


def processes_of_map(_: int) -> tuple[int, set[int]]:
    return os.getpid(), set(LocalEngine(2).map(process, range(4)))


def test_a_daemonic_process_does_the_work_itself_because_it_may_not_start_others():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        ((own, used),) = pool.map(processes_of_map, [0])
    assert used == {own}
    assert own != os.getpid()


def fails_at_seven(number: int) -> int:
    if number == 7:
        raise CorpusError("document 7 is broken")
    return number


def needs_an_extra(_: int) -> int:
    raise MissingExtra("this", "parquet")


@pytest.mark.slow
def test_results_come_in_the_order_of_the_items(engine):
    assert list(engine.map(square, range(50))) == [number * number for number in range(50)]
    assert list(engine.map(slow_if_early, range(30))) == list(range(30))


def test_one_worker_and_two_give_equal_arrays(two):
    shards = [np.random.default_rng(seed).integers(0, 20, 1000) for seed in range(10)]
    count = partial(histogram, bins=20)
    alone, shared = list(LocalEngine(1).map(count, shards)), list(two.map(count, shards))
    assert [part.tobytes() for part in shared] == [part.tobytes() for part in alone]


def test_two_workers_are_other_processes_and_one_is_this(two):
    assert set(LocalEngine(1).map(process, range(3))) == {os.getpid()}
    assert os.getpid() not in set(two.map(process, range(3)))


def test_a_sum_is_made_in_the_order_of_the_items(engine):
    numbers = [1e16, 1.0, -1e16, 1.0]  # in floating point, the sum depends on the order
    total = np.zeros(1)
    assert sum_of(engine, np.array, ([number] for number in numbers), total) is total
    assert total.tolist() == [1.0]


def test_no_items_give_no_results(engine):
    assert list(engine.map(square, [])) == []


def test_a_function_that_cannot_travel_is_run_here(engine):
    offset = 5
    assert list(engine.map(lambda number: number + offset, range(10))) == list(range(5, 15))
    assert list(engine.map(partial(max, key=lambda word: len(word)), [["a", "bbb", "cc"]])) == ["bbb"]
    assert set(engine.map(lambda _: os.getpid(), range(3))) == {os.getpid()}


def test_an_error_in_a_worker_reaches_the_caller_after_the_results_before_it(engine):
    results = engine.map(fails_at_seven, range(20))
    assert list(islice(results, 7)) == list(range(7))
    with pytest.raises(CorpusError, match=r"^document 7 is broken$"):
        next(results)


def test_an_error_with_more_than_a_message_reaches_the_caller(engine):
    with pytest.raises(MissingExtra, match=r"this needs an extra: .*seetopic\[parquet\]"):
        list(engine.map(needs_an_extra, [1]))


def test_an_error_while_items_are_made_reaches_the_caller(engine):
    def items() -> Iterator[int]:
        yield from range(30)
        raise CorpusError("line 31 is broken")

    with pytest.raises(CorpusError, match="line 31 is broken"):
        list(engine.map(square, items()))


def test_an_engine_works_on_after_an_error_and_after_a_map_that_was_left(engine):
    with pytest.raises(CorpusError):
        list(engine.map(fails_at_seven, range(20)))
    left = engine.map(square, range(100))
    assert next(left) == 0
    left.close()
    assert list(engine.map(square, range(5))) == [0, 1, 4, 9, 16]


def test_only_a_few_items_are_taken_ahead_of_the_results(engine):
    taken = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = engine.map(square, items())
    for used in range(1, 20):
        next(results)
        assert len(taken) <= used + 2 * engine.n_jobs
    results.close()


@pytest.mark.parametrize("jobs", [0, -1])
def test_fewer_than_one_job_is_refused(jobs):
    with pytest.raises(SettingsError, match=f"the number of jobs is {jobs}, but must be at least 1"):
        LocalEngine(jobs)


@pytest.mark.slow
def test_workers_need_no_guard_in_a_script_and_end_with_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from seetopic.runtime.engine import LocalEngine\n"
        "def double(number): return 2 * number\n"
        "print(list(LocalEngine(2).map(double, range(5))))\n"
        "left = LocalEngine(2).map(double, range(100)); next(left)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[0, 2, 4, 6, 8]\n", "")


@pytest.mark.slow
def test_the_engine_leaves_joblib_to_others(two):
    import joblib

    assert list(two.map(square, range(3))) == [0, 1, 4]
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(square)(number) for number in range(3)) == [0, 1, 4]
    assert list(two.map(square, range(3))) == [0, 1, 4]


def test_available_cores_are_those_of_this_process(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert available_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1


# Progress.


def test_a_terminal_shows_one_bar_at_a_time_and_nothing_when_all_is_done():
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setattr(sys, "stderr", terminal)
        with shown_progress(quiet=False) as progress:
            for stage in ("reading", "counting"):
                for done in range(3):
                    progress(stage, done, 2)
    read = b""
    with suppress(OSError):  # the other side is closed
        while more := os.read(ours, 4096):
            read += more
    os.close(ours)
    told = read.decode()
    assert told.index("reading") < told.index("counting")
    assert told.rindex("reading") < told.rindex("counting")
    assert told.endswith("\x1b[2K")  # the line is cleared


def test_progress_is_told_before_the_first_item_and_after_each():
    told: list[tuple[str, int, int | None]] = []
    items = counted("ab", "reading", 2, lambda *report: told.append(report))
    assert told == []
    assert next(items) == "a"
    assert told == [("reading", 0, 2)]
    assert list(items) == ["b"]
    assert told == [("reading", 0, 2), ("reading", 1, 2), ("reading", 2, 2)]


def test_silence_prints_nothing(capsys):
    assert list(counted([1, 2], "reading", None, silent)) == [1, 2]
    assert capsys.readouterr() == ("", "")


def squares_by_two_workers(pipe: Connection) -> None:
    """Run by a process that is itself a worker."""
    engine = LocalEngine(2)
    pipe.send(list(engine.map(square, range(8))))
    engine.close()


@pytest.mark.slow
def test_a_process_that_is_itself_a_worker_ends_when_its_engine_is_closed():
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    worker = context.Process(target=squares_by_two_workers, args=(theirs,))
    worker.start()
    assert ours.recv() == [number * number for number in range(8)]
    worker.join(60)
    assert worker.exitcode == 0


@pytest.mark.slow
def test_a_closed_engine_begins_anew():
    engine = LocalEngine(2)
    assert list(engine.map(square, range(3))) == [0, 1, 4]
    engine.close()
    engine.close()
    assert list(engine.map(square, range(3))) == [0, 1, 4]
    engine.close()


# The function is sent once.


@dataclass
class Scale:
    """Counts how often it was pickled."""

    values: np.ndarray
    packed: int = field(default=0)

    def __getstate__(self) -> dict[str, object]:
        self.packed += 1
        return {"values": self.values}

    def __call__(self, number: int) -> tuple[float, bool]:
        return float(self.values[number]), self.values.flags.writeable


@pytest.mark.parametrize("size", [200, 200_000])
def test_a_function_is_packed_once_a_map_and_not_for_each_item(two, size):
    scale = Scale(np.arange(size, dtype=np.float64))
    results = list(two.map(scale, range(150)))
    assert [value for value, _ in results] == list(range(150))
    assert scale.packed <= 3  # tested, measured, packed
    assert [writeable for _, writeable in results] == [size == 200] * 150  # large arrays are shared and read-only


def test_arrays_of_all_kinds_arrive_as_they_were(two):
    chance = np.random.default_rng(0)
    arrays = [
        chance.random((300, 1000)),
        np.asfortranarray(chance.random((500, 300))),
        chance.random((1000, 400))[::2, ::3],
        np.empty((0, 5)),
        np.array(["a", "bc"]),
        np.array([1, None], object),
        chance.random(7).astype(np.float32),
    ]
    for found in two.map(partial(pick, arrays), range(len(arrays))):
        number, dtype, contents = found
        assert (dtype, contents) == (arrays[number].dtype.str, arrays[number].tolist())


def pick(arrays: list[np.ndarray], number: int) -> tuple[int, str, list[object]]:
    return number, arrays[number].dtype.str, arrays[number].tolist()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files of this test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_file_of_a_large_function_is_gone_after_the_map(two, temporary):
    scale = Scale(np.arange(200_000, dtype=np.float64))
    results = two.map(scale, range(50))
    next(results)
    assert len(list(temporary.iterdir())) == 1
    assert len(list(results)) == 49
    assert list(temporary.iterdir()) == []
    left = two.map(scale, range(50))
    next(left)
    left.close()
    assert list(temporary.iterdir()) == []
    assert list(two.map(square, range(3))) == [0, 1, 4]


# Faults.


def killed_once(number: int, marks: Path, at: tuple[int, ...]) -> int:
    """Kills its own process at some numbers, the first time."""
    mark = marks / str(number)
    if number in at and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_result(two, tmp_path):
    work = partial(killed_once, marks=tmp_path, at=(0, 3, 4, 17, 29))
    assert list(two.map(work, range(30))) == [number * number for number in range(30)]
    assert sorted(int(mark.name) for mark in tmp_path.iterdir()) == [0, 3, 4, 17, 29]
    assert list(two.map(square, range(30))) == [number * number for number in range(30)]


def killed_while_it_answers(_: int, mark: Path) -> bytes:
    if not mark.exists():
        mark.touch()
        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return bytes(100_000_000)


@pytest.mark.slow
def test_half_an_answer_is_none(two, tmp_path):
    answers = two.map(partial(killed_while_it_answers, mark=tmp_path / "mark"), range(2))
    assert [len(answer) for answer in answers] == [100_000_000] * 2


@dataclass(frozen=True)
class Part:
    number: int


def killed_at_seven(part: Part) -> int:
    if part.number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return part.number


@pytest.mark.slow
def test_an_item_that_kills_every_worker_is_named_after_the_results_before_it(two):
    results = two.map(killed_at_seven, map(Part, range(20)))
    assert list(islice(results, 7)) == list(range(7))
    with pytest.raises(WorkerLost, match=r"3 worker processes in a row .* Part\(number=7\); .* fewer --jobs"):
        next(results)
    assert list(two.map(square, range(5))) == [0, 1, 4, 9, 16]


@pytest.mark.slow
def test_workers_killed_from_outside_between_maps_and_within(two):
    results = two.map(slow_if_early, range(200))
    for number in range(200):
        assert next(results) == number
        if number in (20, 90):
            os.kill(psutil.Process(next(two.map(process, [0]))).pid, signal.SIGKILL)
    results.close()


def test_an_engine_that_is_closed_in_the_middle_does_not_wait_for_its_workers():
    engine = LocalEngine(2)
    results = engine.map(time.sleep, [0, 60, 60, 60])
    next(results)
    began = time.monotonic()
    engine.close()
    assert time.monotonic() - began < 20


@pytest.mark.slow
def test_a_killed_program_leaves_no_workers_and_no_files(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import time, numpy as np\n"
        "from functools import partial\n"
        "from seetopic.runtime.engine import LocalEngine\n"
        "def take(number, values): time.sleep(number / 10); return number\n"
        "for number in LocalEngine(2).map(partial(take, values=np.zeros(1_000_000)), range(1000)):\n"
        "    print(number, flush=True)\n"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temporary)}
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"0\n"
        assert len(list(temporary.iterdir())) == 1
        workers = psutil.Process(program.pid).children(recursive=True)
        program.kill()
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert alive == []
    assert list(temporary.iterdir()) == []
