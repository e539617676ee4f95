"""What is remembered between edits of the names changes no bit of the result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planted import PLANTED, planted_documents
from seetopic import Index
from seetopic.classify import sorter_of
from seetopic.corpus import Seed, Seeds
from seetopic.discovery import Discovery, run_of
from seetopic.runtime import held_bytes

NAMES = [*PLANTED, "oven salad", "something else", "food and cooking"]
TERMS = ["oven", "moon", "striker", "salad", "people"]


@dataclass(frozen=True)
class Edit:
    """A change of one category, or of their number."""

    kind: str
    category: int
    text: str

    def made(self, seeds: Seeds) -> Seeds:
        now = list(seeds.seeds)
        number = self.category % len(now)
        others = [each for place, each in enumerate(now) if place != number]
        taken = {each.name for each in others}
        if self.kind == "remove" and others:
            return Seeds(tuple(others))
        if self.kind == "add" and self.text not in taken | {now[number].name}:
            return Seeds((*now, Seed(self.text, (self.text,))))
        if self.kind == "rename" and self.text not in taken:
            now[number] = Seed(self.text, (self.text,), now[number].pinned, now[number].negative)
        if self.kind == "accept" and not any(self.text in each.pinned for each in now):
            negative = tuple(term for term in now[number].negative if term != self.text)
            now[number] = replace(now[number], pinned=(*now[number].pinned, self.text), negative=negative)
        if self.kind == "reject" and self.text not in (*now[number].pinned, *now[number].names):
            now[number] = replace(now[number], negative=(*dict.fromkeys((*now[number].negative, self.text)),))
        return Seeds(tuple(now))


edits = st.lists(
    st.one_of(
        st.builds(Edit, st.sampled_from(["rename", "add"]), st.integers(0, 5), st.sampled_from(NAMES)),
        st.builds(Edit, st.sampled_from(["accept", "reject"]), st.integers(0, 5), st.sampled_from(TERMS)),
        st.builds(Edit, st.just("remove"), st.integers(0, 5), st.just("")),
    ),
    min_size=1,
    max_size=5,
)


def everything(run: Discovery) -> tuple[object, ...]:
    """All that a run finds, to the last bit."""
    scores, reading = run.found.scores, run.described
    return (
        run.topics,
        run.found.deep,
        scores.categories.tolist(),
        scores.terms.tolist(),
        scores.scores.tobytes(),
        None if reading is None else reading.memberships.tobytes(),
        sorter_of(run).fingerprint,
    )


@pytest.fixture(scope="module")
def opened(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index in which a name occurs that is not a term of it."""
    texts = [*planted_documents(), "the oven salad", "an oven salad, the moon"]
    return Index.build(texts, tmp_path_factory.mktemp("edits") / "index", cache=cache, n_jobs=1)


@pytest.mark.slow
@given(edits)
def test_after_any_edits_topics_are_those_of_a_run_from_nothing(opened: Index, changes: list[Edit]):
    seeds = Seeds(tuple(Seed(name, (name,)) for name in PLANTED))
    for change in changes:
        seeds = change.made(seeds)
        again = run_of(opened, seeds)
    fresh = run_of(Index.open(opened.folder, cache=opened.cache.folder), seeds)
    assert everything(again) == everything(fresh)


def test_an_index_that_was_released_gives_the_same_topics_and_holds_less(index: Index):
    opened = Index.open(index.folder, cache=index.cache.folder)
    before = everything(run_of(opened, list(PLANTED)))
    held = held_bytes([opened])
    opened.release()
    only_encodes = Index.open(index.folder, cache=index.cache.folder)
    only_encodes.encode_names(["a name that is no term"])
    assert held_bytes([opened]) < held - 1_000_000
    assert held_bytes([opened]) <= held_bytes([only_encodes]) < held  # what remains is the language model
    assert everything(run_of(opened, list(PLANTED))) == before


def test_an_array_is_counted_once_however_often_it_is_held():
    numbers = np.zeros(1000)
    assert held_bytes([{"one": numbers, "part": [numbers[10:], (numbers.reshape(10, 100),)]}, numbers]) == 8000
    table = {str(number): number for number in range(2000)}  # counted as a whole, as there is one per index
    assert held_bytes([{"table": table, "one": numbers}]) == 8000 + 2000 * 64
