"""The engine: the same results in the same order for any number of workers; and how work is reported."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection

import numpy as np
import pytest

from seetopic.engine import LocalEngine, available_cores
from seetopic.errors import CorpusError, MissingExtra, SettingsError
from seetopic.progress import counted, silent


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
    """Work that ends in another order than it began."""
    sum(range(200_000 if number % 3 == 0 else 1))
    return number


def process(_: int) -> int:
    return os.getpid()


def histogram(values: np.ndarray, bins: int) -> np.ndarray:
    return np.bincount(values, minlength=bins)


def fails_at_seven(number: int) -> int:
    if number == 7:
        raise CorpusError("document 7 is broken")
    return number


def needs_an_extra(_: int) -> int:
    raise MissingExtra("this", "parquet")


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
        assert len(taken) <= used + 2 * engine.jobs
    results.close()


@pytest.mark.parametrize("jobs", [0, -1])
def test_fewer_than_one_job_is_refused(jobs):
    with pytest.raises(SettingsError, match=f"`jobs` is {jobs}, but must be at least 1"):
        LocalEngine(jobs)


def test_workers_need_no_guard_in_a_script_and_end_with_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from seetopic.engine import LocalEngine\n"
        "def double(number): return 2 * number\n"
        "print(list(LocalEngine(2).map(double, range(5))))\n"
        "left = LocalEngine(2).map(double, range(100)); next(left)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[0, 2, 4, 6, 8]\n", "")


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
    """What a process does that is itself somebody's worker."""
    engine = LocalEngine(2)
    pipe.send(list(engine.map(square, range(8))))
    engine.close()


def test_a_process_that_is_itself_a_worker_ends_when_its_engine_is_closed():
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    worker = context.Process(target=squares_by_two_workers, args=(theirs,))
    worker.start()
    assert ours.recv() == [number * number for number in range(8)]
    worker.join(60)
    assert worker.exitcode == 0


def test_a_closed_engine_begins_anew():
    engine = LocalEngine(2)
    assert list(engine.map(square, range(3))) == [0, 1, 4]
    engine.close()
    engine.close()
    assert list(engine.map(square, range(3))) == [0, 1, 4]
    engine.close()
