"""The paper's method, to the letter, and where the released program differs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from planted import NAMES, PLANTED
from seetopic import Index, as_seeds, discover
from seetopic.cli import cli
from seetopic.discovery import constraints_of, encode_names, products
from seetopic.discovery.algorithm import Constraints, starting_terms
from seetopic.discovery.evidence import trained
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.evidence.trained import TrainedLocalEvidence, _grown
from seetopic.discovery.query import Query
from seetopic.discovery.run import Discovery, _local_evidence, find
from seetopic.errors import SettingsError
from seetopic.settings import DEFAULT, NO_ITER, PAPER, RELEASED_CODE, DiscoverySettings, SkipgramSettings
from seetopic.vectors.local.skipgram import Vectors

TRAINING = ["paper", "released-code", "no-iter"]


def small(settings: DiscoverySettings) -> DiscoverySettings:
    """The preset, with vectors and batches of a size that suits 240 short documents."""
    assert settings.training is not None
    return replace(settings, training=replace(settings.training, dimensions=32, block=256, learning_rate=0.1))


def run_of(index: Index, preset: str, **changes: object) -> Discovery:
    settings = {"paper": PAPER, "released-code": RELEASED_CODE, "no-iter": NO_ITER}[preset].discovery
    return find(Query(index, as_seeds(NAMES), replace(small(settings), **changes), preset, "cpu"))


def nothing_settled(n_categories: int, n_terms: int) -> Constraints:
    return Constraints(tuple(() for _ in range(n_categories)), np.zeros((n_categories, n_terms), np.bool_))


def test_the_papers_numbers():
    found, training = PAPER.discovery, PAPER.discovery.training
    assert (found.growth, found.iterations, found.checked_ranks, found.rho) == (3, 4, 100, 0.1)
    assert (found.general_weight, found.local_weight, found.documents_weight) == (1, 1, 0)
    assert (training.dimensions, training.window, training.negatives) == (768, 5, 5)
    assert (training.document_weight, training.category_term, training.grows) == (1, "negative-sampling", False)


def test_the_released_programs_numbers():
    found, training = RELEASED_CODE.discovery, RELEASED_CODE.discovery.training
    assert (found.checked_ranks, found.name_pull, found.starts_overlap) == (99, 1, True)
    assert (training.document_weight, training.category_term, training.grows) == (1.5, "softmax", True)
    assert (training.category_weight, training.category_every) == (20, 96)
    assert (training.warm_up, training.epochs) == (2, 12)


def test_one_iteration_ends_with_ten_terms():
    found = NO_ITER.discovery
    assert found.iterations == 1
    assert (found.iterations + 1) * found.growth == found.top == 10


@pytest.mark.parametrize("preset", TRAINING)
def test_planted_topics_are_found(index, preset):
    topics = run_of(index, preset).topics
    planted = [set(words.split(" ")) for words in PLANTED.values()]
    for topic, words in zip(topics, planted, strict=True):
        assert len(set(topic) & words) >= 8, (preset, list(topic))
    everything = [term for topic in topics for term in topic]
    assert len(everything) == len(set(everything))
    assert topics.made_with["preset"] == preset


@pytest.mark.slow
@pytest.mark.parametrize("preset", TRAINING)
def test_the_same_random_state_gives_the_same_topics(index, preset):
    assert run_of(index, preset).topics.to_json() == run_of(index, preset).topics.to_json()


@pytest.mark.parametrize(
    ("preset", "sizes"), [("paper", [3, 6, 9, 12]), ("released-code", [3, 6, 9, 12]), ("no-iter", [5])]
)
def test_vectors_are_learned_anew_from_the_terms_of_each_iteration(index, monkeypatch, preset, sizes):
    trained_with = []
    real = trained.train

    def noting(*arguments, **named):
        trained_with.append([len(terms) for terms in named["categories"]])
        return real(*arguments, **named)

    monkeypatch.setattr(trained, "train", noting)
    run_of(index, preset)
    assert trained_with == [[size] * 3 for size in sizes]


def test_the_papers_terms_stay_as_they_are_within_an_iteration_and_the_programs_grow(index, monkeypatch):
    seen: dict[str, list[list[int]]] = {}
    real = trained.train
    for preset in ("paper", "released-code"):
        grown = seen.setdefault(preset, [])

        def noting(*arguments, grown=grown, **named):
            after, now = named["after_epoch"], [named["categories"]]

            def watched(epochs, vectors):
                now[0] = after(epochs, vectors) or now[0]
                grown.append([len(terms) for terms in now[0]])
                for first, terms in zip(named["categories"], now[0], strict=True):
                    assert terms[: len(first)] == first  # the terms it started with stay
                    assert len(set(terms)) == len(terms)
                return after(epochs, vectors)

            return real(*arguments, **{**named, "after_epoch": watched})

        monkeypatch.setattr(trained, "train", noting)
        run_of(index, preset, iterations=1)
    assert seen["paper"] == [[3] * 3] * 12
    assert seen["released-code"] == [[3] * 3] * 2 + [[3 + epoch] * 3 for epoch in range(1, 11)]


def test_a_category_grows_by_the_terms_nearest_to_its_vector():
    terms = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 0.3], [5.0, 5.0], [0.1, 0.9]])
    categories = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    vectors = Vectors(terms, terms, terms, categories)
    assert _grown(vectors, [[3], [3]], 1) == [[3, 0], [3, 1]]
    assert _grown(vectors, [[3], [3]], 2) == [[3, 0, 2], [3, 1, 4]]
    assert _grown(vectors, [[0], [1]], 100) == [[0, 2, 3, 4, 1], [1, 4, 3, 2, 0]]  # shared, and no more than exist


def test_a_category_without_terms_stays_without():
    terms = torch.eye(3)
    vectors = Vectors(terms, terms, terms, torch.zeros(2, 3))
    assert _grown(vectors, [[], [1]], 1)[0] == []


@pytest.mark.parametrize("preset", ["paper", "released-code"])
def test_a_category_that_starts_without_terms_has_only_its_name_to_go_by(index, preset):
    run = run_of(index, preset)
    found = _local_evidence(run.query).scores([[], [0, 1], [2, 3]])
    assert np.isneginf(found[0]).all()
    assert np.isfinite(found[1:]).all()
    general = run.general.scores([[], [0, 1], [2, 3]])
    np.testing.assert_allclose(general[0], run.similarity[0], atol=1e-6)


def test_settings_of_ones_own_are_called_so(index):
    own = replace(small(NO_ITER.discovery), top=4)
    assert discover(index, NAMES, settings=own, device="cpu").made_with["preset"] == "custom"
    assert discover(index, NAMES, settings=replace(DEFAULT.discovery, top=4)).made_with["preset"] == "default"


@pytest.mark.parametrize("grows", [False, True])
def test_the_number_of_threads_changes_no_term(index, grows):
    settings = replace(small(RELEASED_CODE.discovery), iterations=2)
    settings = replace(settings, training=replace(settings.training, grows=grows))
    before, results = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        results.append(
            _local_evidence(Query(index, as_seeds(NAMES), settings, "custom", "cpu")).vectors([[0], [1], [2]])
        )
        assert torch.get_num_threads() == threads
    torch.set_num_threads(before)
    assert np.array_equal(*results)


def test_starting_terms_are_shared_only_in_the_released_program():
    similarity = np.array([[0.9, 0.8, 0.1, 0.0], [0.95, 0.2, 0.7, 0.1]], np.float32)
    constraints = nothing_settled(2, 4)
    assert starting_terms(similarity, constraints, replace(RELEASED_CODE.discovery, growth=2)) == [[0, 1], [0, 2]]
    assert starting_terms(similarity, constraints, replace(PAPER.discovery, growth=2)) == [[0, 1], [2, 3]]


def test_score_g_is_the_mean_over_terms_and_in_the_released_program_over_the_name_too():
    draw = np.random.default_rng(0)
    vectors = draw.standard_normal((20, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    names = -vectors[:2]  # far from everything near the terms: a topic that has drifted is not held back here
    current = [[3, 4, 5], [6, 7]]
    for settings, with_name in ((PAPER.discovery, False), (RELEASED_CODE.discovery, True)):
        found = GeneralEvidence(vectors, names, settings.name_pull, settings.contrast, settings.held_back).scores(
            current
        )
        for row, name, terms in zip(found, names, current, strict=True):
            others = [vectors[term] for term in terms] + ([name] if with_name else [])
            expected = np.mean([vectors @ other for other in others], axis=0)
            np.testing.assert_allclose(row, expected, atol=1e-6)


def test_a_name_that_occurs_starts_its_topic_but_has_no_privilege_later(index):
    own = index.vocabulary.terms[index.vocabulary.ids["galaxy"]]
    seeds, settings = as_seeds([own, *NAMES[:2]]), PAPER.discovery
    similarity = products(encode_names(index, seeds).plain, np.asarray(index.general))
    constraints = constraints_of(index, seeds, index.variants, names_first=settings.names_first)
    assert starting_terms(similarity, constraints, settings)[0][0] == index.term_id(own)
    assert constraints.fixed == ((), (), ())


def test_training_shows_how_far_it_is(index):
    shown = []
    settings = replace(small(PAPER.discovery), iterations=1)
    discover(index, NAMES, settings=settings, progress=lambda *step: shown.append(step), device="cpu")
    stages = {stage for stage, _, _ in shown}
    assert stages == {"local vectors, 3 terms a category"}
    done = [step for _, step, _ in shown]
    assert done == sorted(done)
    assert shown[-1][1] == shown[-1][2]


def test_local_vectors_are_unit_rows(index):
    settings = small(PAPER.discovery).training
    evidence = TrainedLocalEvidence(
        *index.positions, len(index.vocabulary), len(index), settings, 0, "cpu", lambda *_: None
    )
    vectors = evidence.vectors([[0, 1], [2, 3], []])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors.shape == (len(index.vocabulary), 32)


def test_positions_are_the_documents_terms_in_order(index):
    terms, documents = index.positions
    assert len(terms) == len(documents)
    assert np.all(np.diff(documents) >= 0)
    counts = np.bincount(terms, minlength=len(index.vocabulary))
    assert counts.tolist() == np.asarray(index.vocabulary.counts).tolist()


def test_presets_by_name(index):
    with pytest.raises(SettingsError, match="no preset 'papre'; choose one of default, paper, released-code, no-iter"):
        discover(index, NAMES, preset="papre")


@pytest.mark.slow
def test_the_command_line_knows_them(index, tmp_path):
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(NAMES))
    command = ["discover", str(index.folder), "--seeds", str(seeds), "--preset", "no-iter", "--json", "--quiet"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)["made_with"]
    assert made["preset"] == "no-iter"
    assert made["settings"]["discovery"]["training"]["dimensions"] == 768


def test_settings_of_the_training_are_checked():
    with pytest.raises(SettingsError, match="category_term"):
        SkipgramSettings(category_term="full")
    with pytest.raises(SettingsError, match="warm_up"):
        SkipgramSettings(epochs=2, warm_up=3)
