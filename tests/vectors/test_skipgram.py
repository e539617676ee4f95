"""The batched training, compared with autograd, with loops over pairs and with the objective's optimum."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import logsigmoid

from seetopic.errors import SettingsError
from seetopic.settings import SkipgramSettings
from seetopic.vectors.local import blocks, skipgram
from seetopic.vectors.local.batches import GROUP, Epoch, TrainingCorpus, batch_of, corpus_of, draws_of, epoch_of
from seetopic.vectors.local.blocks import pulls_of
from seetopic.vectors.local.categories import category_pulls_of
from seetopic.vectors.local.skipgram import Vectors, train

SMALL = SkipgramSettings(dimensions=8, window=2, epochs=2, warm_up=0, subsample=0.0, block=64)
Documents = list[list[int]]


def positions(documents: Documents) -> tuple[np.ndarray, np.ndarray]:
    terms = np.array([term for document in documents for term in document], np.int32)
    return terms, np.repeat(np.arange(len(documents)), [len(document) for document in documents]).astype(np.int32)


def random_documents(size: int, n_terms: int, length: int = 12, seed: int = 0) -> Documents:
    """Documents of up to `length` terms that follow Zipf's law, some of them empty."""
    rng = np.random.default_rng(seed)
    chances = 1 / np.arange(1, n_terms + 1)
    lengths = rng.integers(0, length + 1, size)
    return [rng.choice(n_terms, each, p=chances / chances.sum()).tolist() for each in lengths]


def trained(documents: Documents, n_terms: int, settings: SkipgramSettings = SMALL, **options: object) -> Vectors:
    return train(*positions(documents), n_terms, len(documents), settings, **options)  # type: ignore[arg-type]


def as_bytes(vectors: Vectors) -> list[bytes]:
    tables = (vectors.terms, vectors.contexts, vectors.documents, vectors.categories)
    return [table.numpy().tobytes() for table in tables]


def mean_loss(vectors: Vectors, documents: Documents, settings: SkipgramSettings) -> float:
    """Minus the objective's context and document terms per position, in expectation over negatives."""
    terms, numbers = positions(documents)
    inner = vectors.terms @ vectors.contexts.T
    of_documents = vectors.terms @ vectors.documents.T

    def chances(counts: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(counts**0.75 / np.sum(counts**0.75)).float()

    term_chances = chances(np.bincount(terms, minlength=len(vectors.terms)))
    document_chances = chances(np.bincount(numbers, minlength=len(documents)))
    negative = settings.negatives * (logsigmoid(-inner) @ term_chances)
    negative_document = settings.negatives * (logsigmoid(-of_documents) @ document_chances)
    total = 0.0
    for apart in range(1, settings.window + 1):
        same = numbers[apart:] == numbers[:-apart]
        left, right = terms[:-apart][same], terms[apart:][same]
        for one, other in ((left, right), (right, left)):
            total += float((logsigmoid(inner[one, other]) + negative[one]).sum())
    total += float((logsigmoid(of_documents[terms, numbers]) + negative_document[terms]).sum())
    return -total / len(terms)


# Derivatives


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["context", "document"])
def test_pulls_are_the_derivative_of_the_context_and_of_the_document_term(kind: str) -> None:
    documents = random_documents(12, 6)
    weights = {"context_weight": float(kind == "context"), "document_weight": 1.5 * (kind == "document")}
    settings = replace(SMALL, shared_negatives=3, shared_documents=2, **weights)
    corpus, epoch, draws = prepared(documents, 6, settings)
    batch = batch_of(corpus, epoch, epoch.starts, int(epoch.touched.max()), draws, settings)
    generator = torch.Generator().manual_seed(3)
    terms = torch.randn((6, 8), generator=generator, dtype=torch.float64, requires_grad=True)
    targets = torch.randn((6 + len(documents), 8), generator=generator, dtype=torch.float64, requires_grad=True)
    total = torch.zeros((), dtype=torch.float64)
    for term, target, weight, label in pairs_of(epoch, draws, corpus, settings):
        inner = terms[term] @ targets[target]
        total = total + weight * logsigmoid(inner if label else -inner)
    total.backward()
    read, against = terms.detach()[batch.centres], targets.detach()[batch.targets]
    pulls = pulls_of(read, against, batch.weights.double(), batch.labels.double())
    term_moves = torch.zeros_like(terms).index_add_(0, batch.centres.flatten(), (pulls @ against).flatten(0, 1))
    target_moves = torch.zeros_like(targets).index_add_(
        0, batch.targets.flatten(), (pulls.transpose(1, 2) @ read).flatten(0, 1)
    )
    # Weights have single precision, so b / K is not exact.
    torch.testing.assert_close(term_moves, terms.grad, rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(target_moves, targets.grad, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", ["negative-sampling", "softmax"])
def test_category_pulls_are_the_derivative_of_the_category_term(kind: str) -> None:
    settings = replace(SMALL, category_term=kind, negatives=4)  # type: ignore[arg-type]
    generator = torch.Generator().manual_seed(0)
    terms = torch.randn((5, 8), generator=generator, dtype=torch.float64, requires_grad=True)
    categories = torch.randn((3, 8), generator=generator, dtype=torch.float64, requires_grad=True)
    members = [0, 0, 1, 2, 2]
    weights = torch.tensor([0.5, 0.5, 1.0, 0.25, 0.25], dtype=torch.float64)
    total = torch.zeros((), dtype=torch.float64)
    for term, member in enumerate(members):
        inner = terms[term] @ categories.T
        if kind == "softmax":
            total = total + weights[term] * inner.log_softmax(0)[member]
        else:  # the appendix: b negatives, all categories equally likely
            total = total + weights[term] * (logsigmoid(inner[member]) + 4 / 3 * logsigmoid(-inner).sum())
    total.backward()
    own = torch.eye(3, dtype=torch.float64)[members]
    pulls = category_pulls_of(terms.detach(), categories.detach(), own, weights[:, None], settings)
    torch.testing.assert_close(pulls @ categories.detach(), terms.grad)
    torch.testing.assert_close(pulls.T @ terms.detach(), categories.grad)


def test_shared_negatives_have_the_expected_gradient_of_negatives_for_each_pair() -> None:
    documents = [[0, 1, 2, 1, 0], [2, 2, 1]]
    settings = replace(SMALL, shared_negatives=2, shared_documents=1)
    corpus, epoch, _ = prepared(documents, 3, settings)
    generator = torch.Generator().manual_seed(1)
    terms, targets = (torch.randn((size, 4), generator=generator, dtype=torch.float64) for size in (3, 5))
    expected = torch.zeros_like(terms)
    for places in itertools.product(range(3), range(3), range(2)):
        chance, draws = drawn_at(places, corpus)
        batch = batch_of(corpus, epoch, epoch.starts, 2, draws, settings)
        against = targets[batch.targets]
        pulls = pulls_of(terms[batch.centres], against, batch.weights.double(), batch.labels.double())
        expected.index_add_(0, batch.centres.flatten(), chance * (pulls @ against).flatten(0, 1))
    direct = torch.zeros_like(terms)
    term_chances = np.diff(corpus.term_chances.numpy(), prepend=0)
    document_chances = np.diff(corpus.document_chances.numpy(), prepend=0)
    for term, target, is_document in occurring(documents, 3, settings.window):
        chances = np.zeros(5)
        chances[3:] = document_chances * is_document
        chances[:3] = term_chances * (not is_document)
        negatives = torch.from_numpy(chances) * (targets @ terms[term]).sigmoid()
        direct[term] += (1 - (targets[target] @ terms[term]).sigmoid()) * targets[target]
        direct[term] -= settings.negatives * negatives @ targets
    torch.testing.assert_close(expected, direct, rtol=1e-6, atol=1e-6)


def prepared(
    documents: Documents, n_terms: int, settings: SkipgramSettings
) -> tuple[TrainingCorpus, Epoch, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    corpus = corpus_of(*positions(documents), n_terms, len(documents), settings, "cpu")
    epoch = epoch_of(corpus, settings, generator)
    return corpus, epoch, draws_of(len(epoch.starts), settings, generator)


def drawn_at(places: tuple[int, ...], corpus: TrainingCorpus) -> tuple[float, torch.Tensor]:
    """Draws that select the given negatives, the last one a document, and their probability."""
    sums = [corpus.term_chances, corpus.term_chances, corpus.document_chances]
    bounds = [
        (float(each[place - 1]) if place else 0.0, float(each[place])) for each, place in zip(sums, places, strict=True)
    ]
    chance = float(np.prod([high - low for low, high in bounds]))
    return chance, torch.tensor([[(low + high) / 2 for low, high in bounds]], dtype=torch.float64)


def occurring(documents: Documents, n_terms: int, window: int) -> list[tuple[int, int, bool]]:
    """Every pair of the context and document terms, position by position."""
    pairs = []
    for number, document in enumerate(documents):
        for place, term in enumerate(document):
            near = range(max(0, place - window), min(len(document), place + window + 1))
            pairs += [(term, document[other], False) for other in near if other != place]
            pairs.append((term, n_terms + number, True))
    return pairs


# The batched step


Pair = tuple[int, int, float, int]  # term, target, weight, label


def pairs_of(epoch: Epoch, draws: torch.Tensor, corpus: TrainingCorpus, settings: SkipgramSettings) -> list[Pair]:
    """All pairs of an epoch, one by one."""
    n_terms, shared = len(corpus.term_chances), settings.shared_negatives
    terms, ranks = epoch.terms.tolist(), epoch.ranks.tolist()
    pairs: list[Pair] = []
    for start, drawn in zip(epoch.starts.tolist(), draws.numpy(), strict=True):
        negatives = np.searchsorted(corpus.term_chances.numpy(), drawn[:shared], side="right")
        others = np.searchsorted(corpus.document_chances.numpy(), drawn[shared:], side="right")
        for place in range(start + settings.window, start + settings.window + GROUP):
            if ranks[place] < 0:
                continue
            near = range(place - settings.window, place + settings.window + 1)
            contexts = [terms[other] for other in near if other != place and ranks[other] == ranks[place]]
            pairs += [(terms[place], context, settings.context_weight, 1) for context in contexts]
            weight = settings.context_weight * len(contexts) * settings.negatives / shared
            pairs += [(terms[place], int(negative), weight, 0) for negative in negatives]
            document = n_terms + int(epoch.documents[ranks[place]])
            pairs.append((terms[place], document, settings.document_weight, 1))
            weight = settings.document_weight * settings.negatives / settings.shared_documents
            pairs += [(terms[place], n_terms + int(other), weight, 0) for other in others]
    return pairs


def step_in_loops(tables: list[np.ndarray], pairs: list[Pair], rate: float) -> int:
    """Move terms and targets along the summed gradient, within each row's reach; return how many were held back."""
    moves = [np.zeros_like(table) for table in tables]
    reaches = [np.zeros(len(table)) for table in tables]
    for term, target, weight, label in pairs:
        one, other = tables[0][term], tables[1][target]
        pull = weight * (label - 1 / (1 + np.exp(-one @ other)))
        moves[0][term] += pull * other
        moves[1][target] += pull * one
        reaches[0][term] += abs(pull) * other @ other
        reaches[1][target] += abs(pull) * one @ one
    held_back = 0
    for table, move, reach in zip(tables, moves, reaches, strict=True):
        for row, most in enumerate(reach):
            held_back += rate * most > blocks.REACH
            table[row] += move[row] * (blocks.REACH / most if rate * most > blocks.REACH else rate)
    return held_back


def test_blocks_move_vectors_as_loops_over_their_pairs_do() -> None:
    documents, n_terms = random_documents(40, 7), 7
    settings = replace(SMALL, epochs=3, block=4096, learning_rate=0.5, document_weight=1.5, shared_documents=3)
    generator = torch.Generator().manual_seed(5)
    _, start = skipgram._start(n_terms, len(documents), 0, settings, generator)
    corpus = corpus_of(*positions(documents), n_terms, len(documents), settings, "cpu")
    tables = [start.terms.double().numpy(), start.targets.double().numpy()]
    held_back = []
    for done in range(3):
        epoch = epoch_of(corpus, settings, generator)
        draws = draws_of(len(epoch.starts), settings, generator)
        held_back.append(step_in_loops(tables, pairs_of(epoch, draws, corpus, settings), 0.5 * (1 - done / 3)))
    assert all(0 < number < 7 + 7 + len(documents) for number in held_back)  # the limit is part of the claim
    made = trained(documents, n_terms, settings, random_state=5)
    np.testing.assert_allclose(made.terms, tables[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(torch.cat([made.contexts, made.documents]), tables[1], rtol=1e-4, atol=1e-5)


def test_windows_end_at_documents_and_a_group_s_seams_lose_no_pair() -> None:
    documents = random_documents(30, 5, length=60)
    corpus, epoch, draws = prepared(documents, 5, SMALL)
    batch = batch_of(corpus, epoch, epoch.starts, int(epoch.touched.max()), draws, SMALL)
    found: Counter[tuple[int, int, bool]] = Counter()
    for group, place, column in zip(*np.nonzero((batch.weights * batch.labels).numpy()), strict=True):
        target = int(batch.targets[group, column])
        found[int(batch.centres[group, place]), target, target >= 5] += 1
    assert len(epoch.starts) > 10
    assert found == Counter(occurring(documents, 5, SMALL.window))


def test_subsampling_keeps_word2vec_s_share_of_a_frequent_term() -> None:
    terms = np.array([0] * 5000 + list(range(1, 5001)), np.int32)
    settings = replace(SMALL, subsample=1e-2)
    corpus = corpus_of(terms, np.zeros_like(terms), 5001, 1, settings, "cpu")
    epoch = epoch_of(corpus, settings, torch.Generator().manual_seed(0))
    kept = np.bincount(epoch.terms[epoch.ranks >= 0].numpy(), minlength=5001)
    assert kept[0] / 5000 == pytest.approx(np.sqrt(0.02) + 0.02, abs=0.02)
    assert (kept[1:] == 1).all()


def test_negatives_are_drawn_by_counts_and_lengths_to_the_power_of_three_quarters() -> None:
    corpus, _, _ = prepared([[0] * 16, [], [1]], 3, SMALL)
    np.testing.assert_allclose(corpus.term_chances, [8 / 9, 1, 1])
    np.testing.assert_allclose(corpus.document_chances, [8 / 9, 8 / 9, 1])
    settings = replace(SMALL, shared_negatives=50, shared_documents=50)
    corpus, epoch, draws = prepared([[0] * 16, [], [1]], 3, settings)
    drawn = batch_of(corpus, epoch, epoch.starts, 2, draws, settings).targets[:, -100:]
    assert set(drawn[:, :50].flatten().tolist()) == {0, 1}  # never a term that does not occur
    assert set(drawn[:, 50:].flatten().tolist()) == {3, 5}


# What is learned


@pytest.mark.slow
def test_inner_products_approach_the_shifted_pmi() -> None:
    """Eq. (4), with the distribution of negatives in use (counts to the power of 0.75)."""
    rng = np.random.default_rng(0)
    n_terms = 20
    follows = rng.dirichlet(np.full(n_terms, 0.5), n_terms)
    documents = []
    for _ in range(40):
        document = [int(rng.integers(n_terms))]
        while len(document) < 100:
            document.append(int(rng.choice(n_terms, p=follows[document[-1]])))
        documents.append(document)
    settings = SkipgramSettings(
        dimensions=32, window=1, subsample=0.0, epochs=60, document_weight=0.0, learning_rate=0.1, block=256
    )
    vectors = trained(documents, n_terms, settings)
    counts = np.zeros((n_terms, n_terms))
    for term, other, is_document in occurring(documents, n_terms, 1):
        if not is_document:
            counts[term, other] += 1
    often = counts >= 5
    single = counts.sum(1)
    chances = np.bincount(positions(documents)[0], minlength=n_terms) ** 0.75
    learned = (vectors.terms @ vectors.contexts.T).numpy()
    with np.errstate(divide="ignore"):
        paper = np.log(counts * counts.sum() / np.outer(single, single) / settings.negatives)
        exact = np.log(counts / np.outer(single, chances / chances.sum()) / settings.negatives)
    assert often.sum() > 150
    assert np.corrcoef(learned[often], paper[often])[0, 1] > 0.95
    assert np.corrcoef(learned[often], exact[often])[0, 1] > 0.97
    assert np.abs(learned - exact)[often].mean() < 0.25


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["negative-sampling", "softmax"])
def test_categories_pull_their_terms_together(kind: str) -> None:
    documents = random_documents(200, 40, length=20)
    settings = replace(SMALL, dimensions=16, epochs=4, category_term=kind)  # type: ignore[arg-type]
    categories = [[5, 9, 20], [7, 11, 30]]

    def contrast(vectors: Vectors) -> float:
        unit = torch.nn.functional.normalize(vectors.terms, dim=1)
        cosines = unit @ unit.T
        within = sum(
            float(cosines[one, other]) for each in categories for one in each for other in each if one != other
        )
        across = sum(float(cosines[one, other]) for one in categories[0] for other in categories[1])
        return within / 12 - across / 9

    plain, pulled = trained(documents, 40, settings), trained(documents, 40, settings, categories=categories)
    assert contrast(pulled) > contrast(plain) + 0.3
    inner = pulled.terms @ pulled.categories.T
    assert (inner[categories[0], 0] > inner[categories[0], 1]).all()
    assert (inner[categories[1], 1] > inner[categories[1], 0]).all()


@pytest.mark.slow
def test_training_at_768_dimensions_stays_finite_and_learns_with_a_term_in_a_fifth_of_all_places() -> None:
    rng = np.random.default_rng(0)
    chances = 1 / np.arange(1, 501)
    chances[0] = 0.0
    chances = np.concatenate([[0.2], 0.8 * chances[1:] / chances.sum()])
    documents = [rng.choice(500, 50, p=chances).tolist() for _ in range(200)]
    settings = SkipgramSettings(epochs=3, subsample=0.0, block=4096, learning_rate=0.1)
    losses: list[float] = []

    def note(done: int, vectors: Vectors) -> None:
        losses.append(mean_loss(vectors, documents, settings))

    vectors = trained(documents, 500, settings, after_epoch=note)
    start = trained(documents, 500, replace(settings, epochs=1, warm_up=0, learning_rate=1e-6))
    for table in (vectors.terms, vectors.contexts, vectors.documents):
        assert torch.isfinite(table).all()
    assert float((vectors.terms @ vectors.contexts.T).abs().max()) < 15
    assert mean_loss(start, documents, settings) > losses[0] > losses[1] > losses[2]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_learns_as_well_as_a_cpu() -> None:
    documents = random_documents(400, 60, length=40)
    settings = replace(SMALL, dimensions=64, block=1024, epochs=4, subsample=0.01)
    categories = [[5, 9, 20], [7, 11, 30]]
    losses = []
    for device in ("cpu", "cuda"):
        made = trained(documents, 60, settings, categories=categories, device=device)
        tables = (made.terms, made.contexts, made.documents, made.categories)
        vectors = Vectors(*(table.cpu() for table in tables))
        losses.append(mean_loss(vectors, documents, settings))
        inner = vectors.terms @ vectors.categories.T
        assert (inner[categories[0], 0] > inner[categories[0], 1]).all()
    assert losses[1] == pytest.approx(losses[0], rel=0.02)


# Randomness


def test_the_same_random_state_gives_the_same_bytes_for_any_number_of_threads() -> None:
    documents = random_documents(300, 60, length=40)
    settings = replace(SMALL, dimensions=96, block=1024, subsample=0.01)
    categories = [[1, 2], [3, 4, 5]]
    before = torch.get_num_threads()
    made = []
    try:
        for threads in (1, 2, 3, 1):
            torch.set_num_threads(threads)
            made.append(as_bytes(trained(documents, 60, settings, categories=categories)))
            assert torch.get_num_threads() == threads  # the caller's number is restored
    finally:
        torch.set_num_threads(before)
    assert all(each == made[0] for each in made)
    assert as_bytes(trained(documents, 60, settings, categories=categories, random_state=1)) != made[0]


def test_the_global_random_state_is_neither_read_nor_changed() -> None:
    documents = random_documents(20, 9)
    np.random.seed(1)  # noqa: NPY002
    torch.manual_seed(1)
    numpy_state, torch_state = np.random.get_state()[1].tobytes(), torch.get_rng_state()  # type: ignore[union-attr]  # noqa: NPY002
    first = as_bytes(trained(documents, 9))
    assert np.random.get_state()[1].tobytes() == numpy_state  # type: ignore[union-attr]  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), torch_state)
    torch.manual_seed(2)
    assert as_bytes(trained(documents, 9)) == first


# Categories that change, and odd input


def test_after_epoch_sees_every_epoch_and_changes_the_categories_terms() -> None:
    documents = random_documents(100, 20)
    settings = replace(SMALL, epochs=3, warm_up=1)
    seen = []

    def note(done: int, vectors: Vectors) -> None:
        seen.append((done, bool(vectors.categories.any())))

    kept = trained(documents, 20, settings, categories=[[1], [2]], after_epoch=note)
    assert seen == [(1, False), (2, True), (3, True)]  # the warm-up has no categories
    same = trained(documents, 20, settings, categories=[[1], [2]], after_epoch=lambda done, vectors: [[1], [2]])
    grown = trained(documents, 20, settings, categories=[[1], [2]], after_epoch=lambda done, vectors: [[1, 3], [2]])
    assert as_bytes(same) == as_bytes(kept)
    assert as_bytes(grown) != as_bytes(kept)
    with pytest.raises(ValueError, match="returned terms for 1 categories, but there are 2"):
        trained(documents, 20, settings, categories=[[1], [2]], after_epoch=lambda done, vectors: [[1]])


def test_a_category_begins_at_the_mean_of_its_terms_after_the_warm_up() -> None:
    means = []

    def note(done: int, vectors: Vectors) -> None:
        means.append(vectors.terms[[1, 4]].mean(0))

    settings = replace(SMALL, warm_up=1, category_weight=0.0)
    vectors = trained(random_documents(50, 9), 9, settings, categories=[[1, 4], []], after_epoch=note)
    torch.testing.assert_close(vectors.categories[0], means[0])
    assert not vectors.categories[1].any()


def test_progress_rises_to_its_total() -> None:
    calls: list[tuple[int, int | None]] = []
    trained(random_documents(50, 9), 9, progress=lambda stage, done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert calls[0][0] == 0
    assert calls[-1][0] == calls[-1][1]


@pytest.mark.parametrize(
    ("documents", "n_terms", "categories"),
    [
        ([], 3, []),  # nothing at all
        ([[], []], 3, [[0]]),  # only empty documents
        ([[0]], 1, []),  # a single word
        ([[0] * 200], 1, [[0]]),  # a single term
        ([[0], [1], [2], [], [0]] * 20, 3, []),  # one-word documents: no context anywhere
        ([[0, 1, 2], [], [2, 1, 0]], 4, [[0], []]),  # a term that never occurs, a category without terms
        ([[0, 1, 2]], 3, [[], []]),
    ],
)
def test_odd_input_gives_finite_vectors(documents: Documents, n_terms: int, categories: list[list[int]]) -> None:
    vectors = trained(documents, n_terms, categories=categories)
    assert vectors.terms.shape == (n_terms, 8)
    assert vectors.contexts.shape == (n_terms, 8)
    assert vectors.documents.shape == (len(documents), 8)
    assert vectors.categories.shape == (len(categories), 8)
    assert all(torch.isfinite(table).all() for table in (vectors.terms, vectors.contexts, vectors.documents))
    assert torch.isfinite(vectors.categories).all()


def test_a_corpus_that_subsampling_empties_is_no_error() -> None:
    vectors = trained([[0, 0, 0]], 1, replace(SMALL, subsample=1e-9))
    assert not vectors.contexts.any()


@pytest.mark.parametrize(
    "wrong", [{"window": 0}, {"epochs": 2, "warm_up": 3}, {"block": 8}, {"category_term": "none"}, {"negatives": 0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match=f"`{list(wrong)[-1]}`"):
        SkipgramSettings(**wrong)  # type: ignore[arg-type]
