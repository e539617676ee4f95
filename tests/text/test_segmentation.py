"""Sentences cut into terms: the cut of the largest worth, compared with a simple implementation."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime.disk_counts import Tally
from seetopic.text.phrases import Candidates, PhraseTable, cut
from seetopic.text.phrases.candidates import runs_by_length
from seetopic.text.phrases.segmentation import PhraseOccurrences, best_cut

Run = tuple[int, ...]
# Sums of these are exact, so that equal cuts are equal however they are summed.
WORTH = st.sampled_from([0.25, 0.5, 1.0, 1.5])


def segmented(words, table):
    return cut(words, table, runs_by_length(words, table.candidates))


def chosen_plainly(n_positions: int, worth: dict[tuple[int, int], float]) -> list[int]:
    """Dynamic programming over all positions; of equal cuts, the one with the longer last phrase."""
    best, last = [0.0], [0]
    for end in range(1, n_positions + 1):
        phrases = [length for length in range(2, min(end, 6) + 1) if (end - length, length) in worth]
        offers = [(best[end - length] + worth[end - length, length], length) for length in phrases]
        total, length = max([(best[end - 1], 1), *offers])
        best.append(total)
        last.append(length)
    chosen, end = [0] * n_positions, n_positions
    while end:
        start = end - last[end]
        chosen[start] = last[end] if last[end] > 1 else 0
        end = start
    return chosen


@given(st.data(), st.integers(1, 40))
def test_the_cut_is_the_best_of_all(data, n_positions):
    spans = [(first, length) for length in range(2, 7) for first in range(n_positions - length + 1)]
    worth = data.draw(st.dictionaries(st.sampled_from(spans), WORTH, max_size=25)) if spans else {}
    found = []
    for length in range(2, 7):
        starts = sorted(first for first, its_length in worth if its_length == length)
        values = np.array([worth[first, length] for first in starts], np.float64)
        found.append(PhraseOccurrences(length, np.array(starts, np.int64), values))
    assert best_cut(n_positions, found).tolist() == chosen_plainly(n_positions, worth)


def table_of(quality: dict[Run, float], n_words: int) -> PhraseTable:
    """A table of runs and their quality; it must include every run within a run."""
    levels: list[Tally] = []
    qualities = []
    numbers: dict[Run, int] = {(word,): word for word in range(n_words)}
    for length in range(2, 7):
        keyed = sorted((numbers[run[:-1]] * n_words + run[-1], run) for run in quality if len(run) == length)
        if not keyed:
            break
        numbers.update({run: number for number, (_, run) in enumerate(keyed)})
        levels.append(Tally(np.array([key for key, _ in keyed], np.int64), np.ones(len(keyed), np.int64)))
        qualities.append(np.array([quality[run] for _, run in keyed]))
    return PhraseTable(Candidates(n_words, tuple(levels)), tuple(qualities))


def runs_within(run: Run) -> set[Run]:
    return {run[first:last] for first in range(len(run)) for last in range(first + 2, len(run) + 1)}


def cut_plainly(words: list[int], phrases: dict[Run, float]) -> list[Run]:
    worth = {}
    for first in range(len(words)):
        for length in range(2, 7):
            run = tuple(words[first : first + length])
            if len(run) == length and run in phrases:
                worth[first, length] = phrases[run] * length
    chosen = chosen_plainly(len(words), worth)
    terms, at = [], 0
    while at < len(words):
        length = chosen[at] or 1
        if words[at] != -1:
            terms.append(tuple(words[at : at + length]))
        at += length
    return terms


run_sets = st.dictionaries(
    st.lists(st.integers(0, 3), min_size=2, max_size=5).map(tuple),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    max_size=8,
).map(lambda drawn: {**{inner: 0.0 for run in drawn for inner in runs_within(run)}, **drawn})


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=60), run_sets)
def test_documents_are_cut_into_the_terms_of_the_best_cut(words, quality):
    table = table_of(quality, 4)
    phrases = {run: value for run, value in quality.items() if value >= 0.5}
    meaning = [*((word,) for word in range(4)), *(tuple(phrase.tolist()) for phrase in table.phrases())]
    assert set(meaning[4:]) == set(phrases)
    assert table.n_phrases == len(phrases)
    codes, starts = segmented(np.array(words, np.int64), table)
    assert [meaning[code] for code in codes[starts].tolist()] == cut_plainly(words, phrases)


def test_support_vector_machine_counts_neither_as_support_vector_nor_as_vector_machine():
    support, vector, machine, translation = range(4)
    table = table_of({(0, 1): 0.9, (1, 2): 0.9, (2, 3): 0.9, (0, 1, 2): 0.8, (1, 2, 3): 0.0}, 4)
    phrases = [tuple(phrase.tolist()) for phrase in table.phrases()]
    codes, starts = segmented(np.array([support, vector, machine, -1, machine, translation]), table)
    assert [phrases[code - 4] for code in codes[starts]] == [(0, 1, 2), (2, 3)]


def test_two_good_phrases_win_over_a_poor_one_that_lies_across():
    table = table_of({(0, 1): 0.8, (2, 3): 0.8, (1, 2): 0.9}, 4)
    codes, starts = segmented(np.array([0, 1, 2, 3]), table)
    assert np.flatnonzero(starts).tolist() == [0, 2]
    assert (codes[starts] >= 4).all()


def test_without_phrases_words_stay_words():
    codes, starts = segmented(np.array([2, -1, 0]), PhraseTable(Candidates(3)))
    assert codes[starts].tolist() == [2, 0]
