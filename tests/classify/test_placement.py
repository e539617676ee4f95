"""The categories of documents, checked against the rule written out for a single document."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic import Sorter
from seetopic.classify.placement import (
    STEPS,
    Assigned,
    AssignmentRule,
    AssignOptions,
    Bounds,
    Placement,
    placed,
    threshold_for,
)
from seetopic.classify.rows import SortedRows
from seetopic.discovery import Tree
from seetopic.runtime.ragged import Lists

TERMS = ("alpha", "beta", "gamma", "delta", "alpha beta")
NAMES = ("first", "second", "third")
TOPICS = (("alpha", "alpha beta"), ("beta", "gamma"), ("delta",))
MATCHED = st.lists(st.lists(st.integers(0, 4), unique=True).map(sorted), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def sorter() -> Sorter:
    chance = np.random.default_rng(3)
    arrays = {
        "idf": np.array([1.0, 0.0, 2.5, 0.5, 3.0]),
        "term_weights": chance.normal(size=(5, 5)).astype(np.float32),
        "term_offset": chance.normal(size=5),
        "document_weights": chance.normal(size=(4, 5)).astype(np.float32),
        "document_term_weights": chance.normal(size=(5, 5)).astype(np.float32),
        "document_offset": chance.normal(size=5),
    }
    return Sorter(NAMES, TERMS, TOPICS, arrays, term_trust=0.8, read_trust=0.6)  # the last two columns are residual


def shares_of(sorter: Sorter, terms: list[int], vector: np.ndarray | None) -> list[float]:
    """Of the names, followed by that of none."""
    if not terms and vector is None:  # nothing is known about it
        return [*(0.0 for _ in NAMES), 1.0]
    arrays = sorter.arrays
    idf = [float(arrays["idf"][term]) for term in terms]
    length = math.sqrt(sum(value**2 for value in idf)) or 1.0
    weights = arrays["term_weights" if vector is None else "document_term_weights"]
    scores = []
    for category in range(len(arrays["term_offset"])):
        by_terms = sum(value * float(weights[term, category]) for value, term in zip(idf, terms, strict=True)) / length
        if vector is None:
            scores.append(by_terms + arrays["term_offset"][category])
        else:
            read = sum(
                float(x) * float(w) for x, w in zip(vector, arrays["document_weights"][:, category], strict=True)
            )
            scores.append(by_terms + read + arrays["document_offset"][category])
    powers = [math.exp((score - max(scores)) / sorter.temperature) for score in scores]
    joined = [*powers[: len(NAMES)], sum(powers[len(NAMES) :])]
    trust = sorter.term_trust if vector is None else sorter.read_trust
    return [trust * each / sum(joined) + (1 - trust) / len(joined) for each in joined]


def assigned(sorter: Sorter, with_none: list[float], terms: list[int], *, read: bool, rule: AssignmentRule) -> Assigned:
    *shares, none = with_none
    bound = max(rule.bound, none) if rule.may_be_none else rule.bound
    order = sorted(range(len(shares)), key=lambda category: -shares[category])
    given = [category for category in order if shares[category] >= bound and (terms or read)]
    given = given if rule.several else given[:1]
    own = sorter.topic_terms[given[0]] if given else ()
    evidence = tuple(sorter.terms[term] for term in terms if sorter.terms[term] in own)
    if given and not evidence:
        counts = {
            term: float(sorter.arrays["idf"][term] * sorter.arrays["term_weights"][term, given[0]]) for term in terms
        }
        most = sorted((term for term in terms if counts[term] > 0), key=lambda term: -counts[term])[:3]
        evidence = tuple(sorter.terms[term] for term in terms if term in most)
    return Assigned(tuple(round(share, 4) for share in shares), tuple(given), evidence)


RULES = st.builds(AssignmentRule, st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 1.0]), st.booleans(), st.booleans())


@given(MATCHED, st.booleans(), RULES)
def test_documents_are_given_what_the_rule_gives_each(sorter, matched, read, rule):
    vectors = np.random.default_rng(0).normal(size=(len(matched), 4)).astype(np.float32) if read else None
    found = sorter.place(Lists.of(matched), vectors, rule)
    shares = [
        shares_of(sorter, terms, None if vectors is None else vectors[number]) for number, terms in enumerate(matched)
    ]
    assert sorter.shares(matched, vectors) == pytest.approx(np.array(shares), abs=1e-5)
    exact = sorter.shares(matched, vectors).tolist()
    assert found.assigned(TERMS) == [
        assigned(sorter, *each, read=read, rule=rule) for each in zip(exact, matched, strict=True)
    ]


@given(MATCHED, st.booleans(), st.sampled_from([0.0, 0.3, 0.5, 0.9]))
def test_a_bound_that_is_raised_later_is_as_one_from_the_beginning(sorter, matched, several, bound):
    terms = Lists.of(matched)
    later = sorter.place(terms, rule=AssignmentRule(0.0, several)).at_least(Bounds(bound, bound))
    at_once = sorter.place(terms, rule=AssignmentRule(bound, several))
    assert later.assigned(TERMS) == at_once.assigned(TERMS)
    assert later.best.tolist() == at_once.best.tolist()


@given(MATCHED)
def test_the_best_category_alone_is_that_of_the_placement(sorter, matched):
    held = Lists.of(matched)
    assert sorter.best(held, sorter.shares(held)).tolist() == sorter.place(held).best.tolist()


@given(MATCHED)
def test_the_best_is_the_first_that_is_given(sorter, matched):
    found = sorter.place(Lists.of(matched), rule=AssignmentRule(0.4, several=True))
    each = found.assigned(TERMS)
    assert found.best.tolist() == [one.categories[0] if one.categories else -1 for one in each]
    assert (found.best_steps / STEPS).tolist() == [max(one.shares) if one.categories else 0.0 for one in each]


def test_no_documents_are_placed_nowhere(sorter):
    found = sorter.place(Lists.of([]))
    assert len(found) == 0
    assert found.at_least(Bounds(0.5, 0.5)).assigned(TERMS) == []


def test_what_is_saved_is_loaded_to_the_last_bit(sorter, tmp_path: Path):
    found = sorter.place(Lists.of([[0, 1], [], [2, 4]]), rule=AssignmentRule(0.0, several=True))
    rows = SortedRows(found, {1: "empty"}, {"id": [1, None, "x"]})
    rows.save(tmp_path / "part.npz")
    again = SortedRows.load(tmp_path / "part.npz")
    loaded = again.placement
    assert (again.problems, again.columns) == (rows.problems, rows.columns)
    assert loaded.none.tolist() == found.none.tolist()
    assert loaded.assigned(TERMS) == found.assigned(TERMS)
    assert loaded.shares.tobytes() == found.shares.tobytes()


def test_an_even_share_is_asked_for_where_several_are_given_and_no_threshold_is_set():
    assert AssignOptions(several=True).rule(4).bound == 0.25
    assert AssignOptions(threshold=0.1, several=True).rule(4).bound == 0.1
    assert AssignOptions().rule(4).bound == 0.0


@given(MATCHED)
def test_at_rate_1_every_document_has_its_best_category_and_those_with_an_even_share(sorter, matched):
    options = AssignOptions(rate=1.0, several=True)
    sorted_ = sorter.place(Lists.of(matched), rule=options.rule(len(NAMES)))
    bests = np.bincount(sorted_.best_steps, minlength=STEPS + 1)
    found = sorted_.at_least(options.bounds(len(NAMES), bests)).categories.as_lists()
    for terms, own, shares in zip(matched, found, sorter.shares(matched)[:, :-1], strict=True):
        best = int(shares.argmax())
        assert set(own) == ({best, *np.flatnonzero(shares >= 1 / len(NAMES)).tolist()} if terms else set())


@given(MATCHED, st.integers(0, 5))
def test_documents_placed_in_parts_are_placed_as_together(sorter, matched, cut):
    rule = AssignmentRule(0.2, several=True)
    parts = [sorter.place(Lists.of(part), rule=rule) for part in (matched[:cut], matched[cut:])]
    together = sorter.place(Lists.of(matched), rule=rule)
    assert Placement.joined(parts).assigned(TERMS) == together.assigned(TERMS)
    assert Placement.joined(parts).best.tolist() == together.best.tolist()


@given(st.lists(st.integers(0, STEPS), min_size=1, max_size=60), st.floats(0.001, 0.999))
def test_the_threshold_of_a_rate_is_the_quantile_of_all_best_shares(steps, rate):
    counts = np.bincount(steps, minlength=STEPS + 1)
    assert threshold_for(counts, rate) == float(np.quantile(np.array(steps) / STEPS, 1 - rate))


def test_at_rate_1_and_without_documents_there_is_no_threshold():
    assert threshold_for(np.bincount([5000]), 1.0) == 0.0
    assert threshold_for(np.zeros(STEPS + 1, np.int64), 0.5) == 0.0


@pytest.mark.parametrize(("bound", "category"), [(0.3, 1), (0.5, 0)])
def test_evidence_is_for_the_first_category_that_is_assigned(bound, category):
    tree = Tree((-1, 0, 0), 3)
    shares = np.array([[0.0, 0.4, 0.25, 0.35]])  # of a parent, its two children and none
    matched, topic_pairs = Lists.of([[0, 1]]), np.array([0 * 2 + 0, 1 * 2 + 1])  # each of the first two has one term
    rule = AssignmentRule(bound, several=True)

    def counts(terms: np.ndarray, categories: np.ndarray) -> np.ndarray:
        return np.zeros(len(terms), np.float32)

    found = placed(shares, np.array([True]), matched, topic_pairs, 2, counts, rule, tree)
    assert found.best.tolist() == [category]
    assert found.evidence.as_lists() == [[category]]


def test_of_equal_shares_the_first_name_is_taken(sorter):
    even = np.full((1, 4), 1 / 4)  # the last share is that of none
    known = np.array([True])
    for several in (False, True):
        found = placed(
            even, known, Lists.of([[]]), sorter._topic_pairs, 5, sorter._counts, AssignmentRule(0.0, several)
        )
        assert found.best.tolist() == [0]
