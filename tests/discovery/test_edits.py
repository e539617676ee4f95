"""Names edited repeatedly on one opened index: the same results as on a freshly opened one, in bounded memory."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from planted import NAMES, planted_documents
from seetopic import Index
from seetopic.discovery import named_terms
from seetopic.discovery.run import run_of
from seetopic.discovery.sampled import sampled_documents
from seetopic.vectors.encoder.minilm import EmbeddedEncoder

TEXTS = [
    f"{text[:-1]}, the oven salad, moon goalkeeper." if number in (1, 4, 7, 11) else text
    for number, text in enumerate(planted_documents())
]
EDITS = [
    NAMES,
    [*NAMES[:2], "stars"],
    [*NAMES[:2], "stars and planets above"],
    ["oven salad", *NAMES[1:]],  # occurs as words, but is not a term
    ["oven salad", "moon goalkeeper", NAMES[2]],
    {**dict.fromkeys(NAMES[1:]), "oven salad": {"pinned": ["soup"]}},
    {**dict.fromkeys(NAMES[1:]), NAMES[0]: {"pinned": ["moon goalkeeper"]}},
    {**dict.fromkeys(NAMES[1:]), NAMES[0]: {"negative": ["tennis"]}},
    [NAMES[0]],
    [[NAMES[0], "athletics"], NAMES[1:]],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, cache):
    out = tmp_path_factory.mktemp("edited") / "index"
    Index.build(TEXTS, out, cache=cache, n_jobs=1)
    return out


def result(index: Index, seeds) -> tuple:
    run = run_of(index, seeds)
    return run.topics.to_json(), run.found.scores.tobytes(), run.similarity.tobytes(), run.reading.memberships.tobytes()


@pytest.fixture(scope="module")
def anew(folder) -> list[tuple]:
    """The result of every edit, each on its own index."""
    return [result(Index.open(folder), seeds) for seeds in EDITS]


@pytest.mark.slow
def test_edits_of_one_index_give_what_an_index_opened_anew_gives(folder, anew):
    index = Index.open(folder)
    for order in (range(len(EDITS)), reversed(range(len(EDITS)))):
        for edit in order:
            assert result(index, EDITS[edit]) == anew[edit], EDITS[edit]


@pytest.mark.slow
def test_several_threads_may_edit_one_index_at_once(folder, anew):
    index = Index.open(folder)
    edits = [number % len(EDITS) for number in range(4 * len(EDITS))]
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda edit: result(index, EDITS[edit]), edits)
        assert all(each == anew[edit] for edit, each in zip(edits, found, strict=True))


def test_only_what_is_new_is_encoded(folder, monkeypatch):
    encoded = []
    encode = EmbeddedEncoder.encode_names
    monkeypatch.setattr(
        EmbeddedEncoder, "encode_names", lambda self, names: encoded.extend(names) or encode(self, names)
    )
    index = Index.open(folder)
    _ = run_of(index, NAMES).topics
    assert set(NAMES) < set(encoded)
    encoded.clear()
    _ = run_of(index, [*NAMES[:2], "stars"]).topics
    assert {"stars", "This text is about stars."} <= set(encoded)
    assert not any(text.endswith(f"{name}.") or text == name for text in encoded for name in NAMES[:2])
    encoded.clear()
    _ = run_of(index, NAMES).topics
    assert encoded == []


@pytest.mark.slow
def test_nothing_grows_with_the_number_of_edits(folder):
    index = Index.open(folder)
    pairs = [
        ("oven salad", "moon goalkeeper"),
        ("moon goalkeeper", "oven salad"),
        ("oven salad",),
        ("moon goalkeeper",),
    ]
    runs = [run_of(index, [*names, f"name {number}"]) for number, names in enumerate(pairs)]
    for run in runs:
        _ = run.topics
    assert len({id(run.index) for run in runs}) == 4
    assert len(index.derived(named_terms._with_names)) == 2
    for number in range(10):
        _ = run_of(index, [*NAMES[:2], f"name {number}"]).topics
    assert len(sampled_documents(index)._readings) == 4


@pytest.mark.slow
def test_a_used_index_is_pickled_as_what_opens_it(folder, anew):
    index = Index.open(folder)
    _ = run_of(index, EDITS[4]).topics
    data = pickle.dumps(index)
    assert len(data) < 10_000
    assert result(pickle.loads(data), EDITS[4]) == anew[4]
    named = run_of(index, EDITS[4]).index  # it has names as terms, and keeps them
    assert result(pickle.loads(pickle.dumps(named)), EDITS[0]) == result(named, EDITS[0])


def test_names_of_one_index_are_terms_of_it_only(folder):
    index = Index.open(folder)
    named = run_of(index, EDITS[3]).index
    assert run_of(index, EDITS[5]).index is named
    assert index.term_id("oven salad") is None
    assert named.term_id("oven salad") == len(index.vocabulary)
    assert np.array_equal(named.encode_names(["oven salad"])[0], named.general[-1])
