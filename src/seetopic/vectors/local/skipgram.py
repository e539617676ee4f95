"""Local vectors by the paper's own training of the objective (Eq. 1), with negative sampling; Section 3.2.

Every pair of the objective is a term's vector u and a target's: a context term (v_w), a document (v_d) or a
category (v_c). A block of positions is scored with a few matrix products and moves all its vectors at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seetopic.runtime import Ids, Progress, silent
from seetopic.settings import SkipgramSettings
from seetopic.vectors.local.batches import GROUP, Batch, Epoch, TrainingCorpus, batch_of, corpus_of, draws_of, epoch_of
from seetopic.vectors.local.blocks import Buffers, Tables, add, find_moves, zeros
from seetopic.vectors.local.categories import Categories, CategoryPull

if TYPE_CHECKING:
    import torch


_STAGE = "local vectors"
_LAST_RATE = 1e-4  # lowest learning rate, as a share of the initial one


@dataclass(frozen=True)
class Vectors:
    """Tensors on the training device; during training they show its current state."""

    terms: torch.Tensor  # u_w; (n_terms, dimensions)
    contexts: torch.Tensor  # v_w; (n_terms, dimensions)
    documents: torch.Tensor  # v_d; (n_documents, dimensions)
    categories: torch.Tensor  # v_c; (n_categories, dimensions)

    @property
    def unit_terms(self) -> torch.Tensor:
        """The vectors of the terms as unit rows."""
        import torch

        return torch.nn.functional.normalize(self.terms, dim=1)


AfterEpoch = Callable[[int, Vectors], Categories | None]


def train(
    terms: Ids,
    documents: Ids,
    n_terms: int,
    n_documents: int,
    settings: SkipgramSettings,
    *,
    categories: Categories = (),
    random_state: int = 0,
    device: str = "cpu",
    progress: Progress = silent,
    after_epoch: AfterEpoch | None = None,
) -> Vectors:
    """Vectors of terms, documents and categories; Eq. (1).

    `terms` are the term ids of all documents, `documents` the number of each position's document, ascending.
    `after_epoch` receives the number of completed epochs and the vectors, and may return other terms for the
    categories. On a CPU the same `random_state` gives the same bytes, however many threads torch has.
    """
    import torch

    generator = torch.Generator(device).manual_seed(random_state)
    vectors, tables = _start(n_terms, n_documents, len(categories), settings, generator)
    if len(terms) == 0:
        return vectors
    corpus = corpus_of(terms, documents, n_terms, n_documents, settings, device)
    with _workers(device) as pool:
        training = _Training(corpus, tables, settings, generator, pool)
        for done in range(settings.epochs):
            pull = None
            if done >= settings.warm_up and any(categories):
                pull = CategoryPull.of(categories, vectors, settings)
                pull.start()
            _train_epoch(training, done, pull, progress)
            if after_epoch is not None:
                categories = _as_many(after_epoch(done + 1, vectors), categories)
    progress(_STAGE, settings.epochs * len(terms), settings.epochs * len(terms))
    return vectors


def _as_many(grown: Categories | None, categories: Categories) -> Categories:
    if grown is not None and len(grown) != len(categories):
        raise ValueError(f"`after_epoch` returned terms for {len(grown)} categories, but there are {len(categories)}")
    return categories if grown is None else grown


def _start(
    n_terms: int, n_documents: int, n_categories: int, settings: SkipgramSettings, generator: torch.Generator
) -> tuple[Vectors, Tables]:
    """Initial values as in word2vec: small random vectors for terms, zeros for targets."""
    width = settings.dimensions
    terms = zeros(n_terms, width, generator.device).uniform_(-0.5 / width, 0.5 / width, generator=generator)
    targets = zeros(n_terms + n_documents, width, generator.device)
    categories = zeros(n_categories, width, generator.device)
    return Vectors(terms, targets[:n_terms], targets[n_terms:], categories), Tables(terms, targets)


class _AtOnce(Executor):
    """Runs tasks in the calling thread: a GPU works in parallel by itself."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*arguments, **named))
        return done


@contextmanager
def _workers(device: str) -> Iterator[Executor]:
    """On a CPU, as many workers as torch has threads, and one thread for each worker.

    The work is divided the same way for any number of workers, and one thread sums in one order, so the number
    of threads cannot affect the result.
    """
    import torch

    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    # Gradients of random negatives gain nothing from full precision in products, and on a GPU rounding is faster. On a
    # CPU it is not, and only processors with instructions for bfloat16 would round, so results would differ.
    torch.set_float32_matmul_precision("highest" if device == "cpu" else "medium")
    torch.set_num_threads(1)
    try:
        with ThreadPoolExecutor(threads) if device == "cpu" else _AtOnce() as pool:
            yield pool
    finally:
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(precision)


@dataclass(frozen=True)
class _Training:
    """What every block needs, in any epoch."""

    corpus: TrainingCorpus
    tables: Tables
    settings: SkipgramSettings
    generator: torch.Generator
    pool: Executor


@dataclass(frozen=True)
class _EpochWork:
    """An epoch, divided into blocks."""

    epoch: Epoch
    blocks: list[tuple[torch.Tensor, int]]  # starts of groups, and how many documents a group has room for
    rates: Iterator[float]  # of learning, one per block
    pull: CategoryPull | None
    room: Buffers


def _train_epoch(training: _Training, done: int, pull: CategoryPull | None, progress: Progress) -> None:
    settings, device = training.settings, training.generator.device
    epoch = epoch_of(training.corpus, settings, training.generator)
    size = settings.block // GROUP
    slots = _most(epoch.touched, size)
    if not slots:
        return  # subsampling left nothing
    room = Buffers.of(settings, size, max(slots), device)
    n_positions = len(training.corpus.terms)

    def rates() -> Iterator[float]:
        for number in range(len(slots)):
            share = (done + number / len(slots)) / settings.epochs
            progress(_STAGE, round(share * settings.epochs * n_positions), settings.epochs * n_positions)
            yield settings.learning_rate * max(1 - share, _LAST_RATE)

    blocks = list(zip(epoch.starts.split(size), slots, strict=True))  # type: ignore[no-untyped-call]
    (_in_turn if device.type == "cpu" else _replayed)(training, _EpochWork(epoch, blocks, rates(), pull, room))


def _in_turn(training: _Training, work: _EpochWork) -> None:
    """One block after another; the next one's targets are prepared while this one's moves are added."""
    settings, pool, blocks = training.settings, training.pool, work.blocks

    def made(starts: torch.Tensor, slots: int) -> Batch:
        draws = draws_of(len(starts), settings, training.generator)
        return batch_of(training.corpus, work.epoch, starts, slots, draws, settings)

    upcoming = pool.submit(made, *blocks[0])
    for number, rate in enumerate(work.rates):
        batch = upcoming.result()
        adding = [pool.submit(add, side) for side in find_moves(training.tables, batch, rate, work.room, pool)]
        if number + 1 < len(blocks):
            # Queued after this block's tasks, and always one at a time, so that draws keep their order.
            upcoming = pool.submit(made, *blocks[number + 1])
        for each in adding:
            each.result()
        if work.pull is not None:
            work.pull.move(rate * batch.centres.numel() / settings.category_every)


def _replayed(training: _Training, work: _EpochWork) -> None:
    """The same on a GPU, with a block's hundred kernels recorded once: launching each takes longer than running it.

    The last block, which may be short, comes first, as the warm-up run that a recording needs.
    """
    import torch

    settings, device, blocks = training.settings, training.generator.device, work.blocks
    slots = max(most for _, most in blocks)

    def step(starts: torch.Tensor, draws: torch.Tensor, rate: torch.Tensor) -> None:
        batch = batch_of(training.corpus, work.epoch, starts, slots, draws, settings)
        for side in find_moves(training.tables, batch, rate, work.room, training.pool):
            add(side)
        if work.pull is not None:
            work.pull.move(rate * (batch.centres.numel() / settings.category_every))

    rate = torch.full((), next(work.rates), device=device)
    aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        step(blocks[-1][0], draws_of(len(blocks[-1][0]), settings, training.generator), rate)
    torch.cuda.current_stream().wait_stream(aside)
    if len(blocks) == 1:
        return
    starts, draws = blocks[0][0].clone(), draws_of(len(blocks[0][0]), settings, training.generator)
    recording = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recording):
        step(starts, draws, rate)
    for (these, _), present in zip(blocks[:-1], work.rates, strict=True):
        starts.copy_(these)
        draws.copy_(draws_of(len(these), settings, training.generator))
        rate.fill_(present)
        recording.replay()
    torch.cuda.synchronize()  # before the recording and its memory are freed


def _most(touched: torch.Tensor, size: int) -> list[int]:
    """The largest number in each block."""
    import torch

    padded = torch.nn.functional.pad(touched, (0, -len(touched) % size))
    largest: list[int] = padded.view(-1, size).amax(1).tolist() if len(touched) else []
    return largest
