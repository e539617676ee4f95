"""Agreement of annotators, compared with published worked examples and with the equations."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.cli.verdicts import print_agreement
from seetopic.corpus import Judgements, as_seeds
from seetopic.evaluation import agreement
from seetopic.evaluation.agreement import agreement_of, read_agreement
from seetopic.evaluation.sheets import FilledSheet, Item, Sheet, judgements_of, write_sheet

# Fleiss (1971): 10 subjects, 14 raters, 5 categories.
FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
SHEET = Sheet(
    ("ours", "theirs"),
    ("food", "sport"),
    (
        Item(1, "food", "soup", {"ours": 1, "theirs": 2}),
        Item(2, "food", "bread", {"ours": 2}),
        Item(3, "food", "goal", {"theirs": 1}),
        Item(4, "sport", "tennis", {"ours": 1}),
        Item(5, "sport", "oven", {"theirs": 1}),
    ),
)


def counts(*raters: str) -> np.ndarray:
    """How many raters chose each value for each unit; a dot is a missing value."""
    values = sorted(set("".join(raters)) - {"."})
    return np.array([[column.count(value) for value in values] for column in zip(*raters, strict=True)])


def fleiss_kappa(table: np.ndarray) -> float | None:
    return once(agreement.fleiss_kappa, table)


def krippendorff_alpha(table: np.ndarray) -> float | None:
    return once(agreement.krippendorff_alpha, table)


def once(coefficient: Callable[..., np.ndarray], table: np.ndarray) -> float | None:
    """The coefficient with every item counted once; None if it is undefined."""
    value = coefficient(table, np.ones((1, len(table))))[0]
    return float(value) if np.isfinite(value) else None


def by(name: str, answers: str) -> FilledSheet:
    meaning = {"1": True, "0": False, ".": None}
    return FilledSheet(Path(f"{name}.csv"), name, {n: meaning[a] for n, a in enumerate(answers, start=1)})


def alpha_written_out(units: list[list[int]]) -> float | None:
    """Krippendorff's coincidence matrix, computed pair by pair."""
    coincidences: dict[tuple[int, int], float] = {}
    for unit in units:
        for pair in permutations(range(len(unit)), 2):
            values = unit[pair[0]], unit[pair[1]]
            coincidences[values] = coincidences.get(values, 0) + 1 / (len(unit) - 1)
    totals: dict[int, float] = {}
    for (value, _), number in coincidences.items():
        totals[value] = totals.get(value, 0) + number
    n = sum(totals.values())
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b)
    if not expected:
        return None
    return 1 - (n - 1) * sum(number for (a, b), number in coincidences.items() if a != b) / expected


def test_fleiss_kappa_of_the_published_example():
    assert fleiss_kappa(FLEISS) == pytest.approx(0.210, abs=0.0005)


@pytest.mark.parametrize(
    ("raters", "alpha"),
    [
        (["0100000010", "1110010000"], 0.095),  # two observers, two values
        (["aabbdcccedda", "babbbccceddd"], 0.692),  # two observers, five values
        (["123321412...", "1233224125.3", ".3332342251.", "12332441251."], 0.743),  # four, values missing
        ([".....34121133.3", "1.213343.......", "..21344.21133.4"], 0.691),  # three, values missing
    ],
)
def test_krippendorffs_alpha_of_the_published_examples(raters, alpha):
    assert krippendorff_alpha(counts(*raters)) == pytest.approx(alpha, abs=0.0005)


@given(st.lists(st.lists(st.integers(0, 2), max_size=4), max_size=8))
def test_alpha_is_that_of_the_coincidence_matrix(units):
    table = np.array([[unit.count(value) for value in range(3)] for unit in units], np.int64).reshape(-1, 3)
    expected = alpha_written_out([unit for unit in units if len(unit) > 1])
    found = krippendorff_alpha(table)
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found == pytest.approx(expected)


@given(st.integers(2, 5), st.integers(2, 4), st.integers(1, 12), st.integers(0, 10_000))
def test_kappa_is_at_most_one_and_does_not_care_for_order(raters, categories, items, seed):
    chance = np.random.default_rng(seed)
    table = chance.multinomial(raters, np.full(categories, 1 / categories), size=items)
    kappa = fleiss_kappa(table)
    shuffled = table[chance.permutation(items)][:, chance.permutation(categories)]
    assert kappa is None or kappa <= 1
    assert fleiss_kappa(shuffled) == (None if kappa is None else pytest.approx(kappa))


def test_perfect_agreement_is_one():
    table = np.array([[3, 0], [0, 3]])
    assert fleiss_kappa(table) == krippendorff_alpha(table) == 1.0


def test_one_answer_throughout_leaves_both_undefined():
    table = np.array([[3, 0]] * 7)
    assert fleiss_kappa(table) is None
    assert krippendorff_alpha(table) is None
    assert fleiss_kappa(table[:0]) is None
    assert krippendorff_alpha(table[:0]) is None


def test_macc_is_the_share_per_topic_then_over_topics_then_over_annotators():
    found = agreement_of(SHEET, [by("anna", "11010"), by("bob", "10010")])
    ours, theirs = found.methods
    assert ours.per_annotator == {"anna": 1.0, "bob": 0.75}
    assert ours.per_topic == {"food": 0.75, "sport": 1.0}
    assert ours.macc == pytest.approx(0.875)
    assert theirs.per_annotator == {"anna": 0.25, "bob": 0.25}
    assert theirs.per_topic == {"food": 0.5, "sport": 0.0}
    assert theirs.macc == pytest.approx(0.25)


def test_kappa_of_two_annotators_by_hand():
    found = agreement_of(SHEET, [by("anna", "11010"), by("bob", "10010")])
    # Agreement on 4 of 5; 5 of 10 answers are yes, so .5 by chance.
    assert found.fleiss_kappa.value == pytest.approx((0.8 - 0.5) / 0.5)
    assert found.fleiss_kappa.items == 5
    # One pair of ten answers differs: 2 of 10 observed, 2 * 5 * 5 of 10 * 9 expected.
    assert found.krippendorff_alpha.value == pytest.approx(1 - (2 / 10) / (50 / 90))
    assert found.notes == ()


def test_unfilled_items_count_neither_way_and_are_reported():
    found = agreement_of(SHEET, [by("anna", "11010"), by("bob", "1.0.0"), by("eve", "1...1")])
    assert [(each.judged, each.unfilled) for each in found.annotators] == [(5, 0), (3, 2), (2, 3)]
    assert [each.belongs for each in found.annotators] == pytest.approx([0.6, 1 / 3, 1.0])
    ours, _ = found.methods
    assert ours.per_annotator == {"anna": 1.0, "bob": 1.0, "eve": 1.0}
    assert ours.per_topic == {"food": 1.0, "sport": 1.0}
    assert found.fleiss_kappa.items == 2
    assert found.krippendorff_alpha.items == 3
    assert found.notes == (
        "2 terms were not judged by bob and count neither way.",
        "3 terms were not judged by eve and count neither way; write 0 where a term does not belong.",
    )


def test_disputed_terms_come_least_agreement_first_with_their_methods():
    found = agreement_of(SHEET, [by("a", "11000"), by("b", "10000"), by("c", "10011"), by("d", "10010")])
    assert [(each.item, each.yes, each.no) for each in found.disputed] == [(4, 2, 2), (2, 1, 3), (5, 1, 3)]
    assert found.disputed[0].term == "tennis"
    assert found.disputed[0].methods == ("ours",)


@pytest.mark.parametrize(("disputed", "told"), [(20, False), (23, True)])
def test_disputed_terms_that_are_not_shown_are_counted(capsys, disputed, told):
    items = tuple(Item(number + 1, "food", f"soup {number}", {"ours": number + 1}) for number in range(disputed))
    sheet = Sheet(("ours",), ("food",), items)
    print_agreement(agreement_of(sheet, [by("a", "1" * disputed), by("b", "0" * disputed)]))
    assert ("and 3 more disputed terms; --json lists all" in capsys.readouterr().out) == told


def test_one_annotator_has_shares_but_no_agreement():
    found = agreement_of(SHEET, [by("anna", "11010")])
    assert found.methods[0].macc == 1.0
    assert found.fleiss_kappa.value is found.krippendorff_alpha.value is found.fleiss_kappa.low is None
    assert found.notes == ("Agreement needs at least two annotators, but there is only one.",)


def test_the_same_answer_everywhere_is_said_to_leave_agreement_undefined():
    found = agreement_of(SHEET, [by("anna", "11111"), by("bob", "11111")])
    assert found.fleiss_kappa.value is found.krippendorff_alpha.value is None
    assert [note.split(":")[0] for note in found.notes] == [
        "Fleiss' kappa is undefined",
        "Krippendorff's alpha is undefined",
    ]
    assert "the same" in found.notes[0]


def test_annotators_who_share_no_item_have_no_agreement():
    found = agreement_of(SHEET, [by("anna", "110.."), by("bob", "...10")])
    assert found.fleiss_kappa.value is None
    assert "no item was judged by all annotators" in " ".join(found.notes)
    assert "no item was judged by two annotators" in " ".join(found.notes)


def test_a_method_without_terms_for_a_category_is_said_to_lack_them():
    sheet = Sheet(("a", "b"), ("x", "y"), (Item(1, "x", "t", {"a": 1, "b": 1}), Item(2, "y", "u", {"a": 1})))
    found = agreement_of(sheet, [by("anna", "10")])
    assert found.methods[1].per_topic == {"x": 1.0, "y": None}
    assert found.methods[1].macc == 1.0
    assert "b has no terms for 'y', so its MACC leaves that category out." in found.notes


def many(size: int, agreeing: float, seed: int) -> tuple[Sheet, list[FilledSheet]]:
    chance = np.random.default_rng(seed)
    truth = chance.random(size) < 0.5
    items = tuple(Item(n, "x", f"t{n}", {"m": n}) for n in range(1, size + 1))
    answers = [np.where(chance.random(size) < agreeing, truth, ~truth) for _ in range(3)]
    sheets = [by(f"p{n}", "".join("01"[int(a)] for a in own)) for n, own in enumerate(answers)]
    return Sheet(("m",), ("x",), items), sheets


def test_intervals_hold_the_value_narrow_with_more_items_and_repeat():
    narrow, wide = agreement_of(*many(800, 0.9, 1)), agreement_of(*many(50, 0.9, 1))
    for one in (narrow, wide):
        for estimate in (one.fleiss_kappa, one.krippendorff_alpha):
            assert estimate.low < estimate.value < estimate.high <= 1
    assert narrow.fleiss_kappa.high - narrow.fleiss_kappa.low < wide.fleiss_kappa.high - wide.fleiss_kappa.low
    assert narrow == agreement_of(*many(800, 0.9, 1))
    assert narrow.fleiss_kappa != agreement_of(*many(800, 0.9, 1), random_state=1).fleiss_kappa


@pytest.mark.slow
def test_an_interval_covers_the_true_kappa_nineteen_times_in_twenty():
    # Three annotators, each right with probability .85 on balanced items: two agree with probability .85**2 + .15**2.
    true_kappa = (0.85**2 + 0.15**2 - 0.5) / 0.5
    found = [agreement_of(*many(150, 0.85, seed)).fleiss_kappa for seed in range(120)]
    covered = sum(each.low <= true_kappa <= each.high for each in found) / len(found)
    assert 0.88 <= covered <= 0.99


@given(st.lists(st.text("10.", min_size=5, max_size=5).filter(lambda s: s != "....."), min_size=1, max_size=4))
def test_any_filled_sheets_have_an_agreement_that_json_can_hold(answers):
    found = agreement_of(SHEET, [by(f"p{n}", own) for n, own in enumerate(answers)])
    value = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert value["items"] == 5
    assert len(value["annotators"]) == len(answers)
    for estimate in (found.fleiss_kappa, found.krippendorff_alpha):
        assert estimate.value is None or estimate.value <= 1
        assert estimate.low is None or estimate.low <= estimate.high
        assert estimate.value is not None or any("undefined" in note or "at least two" in note for note in found.notes)
    for method in found.methods:
        assert method.macc is None or 0 <= method.macc <= 1


def test_agreement_is_read_from_files(tmp_path):
    files = write_sheet(SHEET, tmp_path / "sheet.csv")
    blank = files.table.read_text().splitlines()
    for name, answers in (("anna", "11010"), ("bob", "10010")):
        lines = [line.replace(",,s", f",{answer},s") for line, answer in zip(blank[1:], answers, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join([blank[0], *lines]))
    found = read_agreement([tmp_path / "anna.csv", tmp_path / "bob.csv"])
    assert found == agreement_of(SHEET, [by("anna", "11010"), by("bob", "10010")])
    assert found == read_agreement([tmp_path / "anna.csv", tmp_path / "bob.csv"], files.key)


@pytest.mark.parametrize(("terms", "noted"), [(20, True), (19, False)])
def test_the_same_answers_to_many_terms_are_noted_as_a_likely_copy(terms, noted):
    items = tuple(Item(number, "food", f"term {number}", {"ours": number}) for number in range(1, terms + 1))
    sheet = Sheet(("ours",), ("food",), items)
    answers = "10" * (terms // 2) + "1" * (terms % 2)
    found = agreement_of(sheet, [by("anna", answers), by("copy", answers), by("bob", answers[::-1])])
    assert [note for note in found.notes if "different people" in note] == [
        "anna and copy gave the same answers throughout; check that they are different people."
    ] * noted


def test_answers_become_judgements_of_which_the_majority_counts():
    items = tuple(
        Item(number, "sports", term, {"a": number}) for number, term in enumerate(("goal", "soup", "oven"), 1)
    )
    sheet = Sheet(("a",), ("sports", "food"), items)
    answers = {"ana": (True, False, None), "bo": (True, True, False), "cy": (True, False, None)}
    filled = [
        FilledSheet(Path(f"{name}.csv"), name, dict(enumerate(given, start=1))) for name, given in answers.items()
    ]
    judgements = judgements_of(sheet, filled)
    assert len(judgements) == 7
    settled = Judgements(judgements).settled(as_seeds(["sports", "food"]))
    assert settled.terms == {"goal": {0: True}, "oven": {0: False}, "soup": {0: False}}
    assert len(settled.contradictions) == 1
