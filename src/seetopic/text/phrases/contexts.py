"""The function words next to a word or a run: nouns follow articles, verbs follow pronouns and auxiliaries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from seetopic.runtime import Band, Doubles, Engine, Flags, Longs, Scratch, table_of
from seetopic.text.phrases.candidates import kept_runs
from seetopic.text.phrases.english import CLASSES, ENDINGS
from seetopic.text.shards import Shard, WordTable
from seetopic.text.tokenizer import is_number

_NAMES = tuple(CLASSES)
PREPOSITION, DEGREE = _NAMES.index("preposition"), _NAMES.index("degree")
NUMBER, OTHER_FUNCTION, CONTENT, PARTED = range(len(_NAMES), len(_NAMES) + 4)
N_CLASSES = len(_NAMES) + 4
N_TOLD = 2 * N_CLASSES + len(ENDINGS) + 1
_LONG = 5  # letters
_PRIOR = 5.0  # pseudo-occurrences of each word with average neighbours
_KNOWN_SHARE = 0.15  # share of known function words from which a text counts as English

# Kinds of neighbours of a run, on its left and on its right.
CONTENT_BESIDE, ARTICLE_BEFORE, NUMBER_BEFORE, VERB_BEFORE, VERB_AFTER, JOINED_AFTER, REST = range(7)
_LEFT = {"determiner": ARTICLE_BEFORE, "to": VERB_BEFORE, "pronoun": VERB_BEFORE, "auxiliary": VERB_BEFORE}
_RIGHT = {"pronoun": VERB_AFTER, "auxiliary": VERB_AFTER, "preposition": JOINED_AFTER, "conjunction": JOINED_AFTER}


def classes_of(words: WordTable) -> Longs:
    """The class of every word, then that of separators, so that id -1 indexes it."""
    known = {word: number for number, name in enumerate(_NAMES) for word in CLASSES[name].split()}
    classes = [
        NUMBER if is_number(word.lower()) else known.get(word.lower(), CONTENT if ends else OTHER_FUNCTION)
        for word, ends in zip(words.words, words.may_end_a_phrase.tolist(), strict=True)
    ]
    return np.array([*classes, PARTED], np.int64)


def endings_of(words: WordTable) -> Doubles:
    """Which of ENDINGS each word has; (n_words, len(ENDINGS)). The ending of a short word may be the whole word."""
    long = [word.lower() if len(word) >= _LONG else "" for word in words.words]
    return np.array([[word.endswith(ending) for ending in ENDINGS] for word in long], np.float64).reshape(
        len(long), len(ENDINGS)
    )


def is_known_language(words: WordTable, classes: Longs) -> bool:
    """Whether the known function words make up enough of the text."""
    held = words.counts[classes[:-1] < len(_NAMES)].sum()
    return bool(held >= _KNOWN_SHARE * words.counts.sum()) and bool(words.counts.sum())


def told_of_words(pairs: Sequence[Band], words: WordTable, classes: Longs) -> Doubles:
    """The features of each word: its neighbours, its ending and a constant 1; (n_words, N_TOLD)."""
    return np.hstack([neighbours_of_words(pairs, words, classes), endings_of(words), np.ones((len(words.words), 1))])


def neighbours_of_words(pairs: Sequence[Band], words: WordTable, classes: Longs) -> Doubles:
    """How much more often than other words each word follows and precedes each class; (n_words, 2 * N_CLASSES).

    Logarithms of ratios to the mean of all content words; `pairs` are all pairs, including rare ones.
    """
    n_words = len(words.words)
    before, after = np.zeros((2, n_words * N_CLASSES))
    for band in pairs:
        left, right, counted = band.rows, band.columns.astype(np.int64), band.counts
        before += np.bincount(right * N_CLASSES + classes[left], counted, before.size)
        after += np.bincount(left * N_CLASSES + classes[right], counted, after.size)
    sides = []
    for cells in (before, after):
        counts = cells.reshape(n_words, N_CLASSES)
        counts[:, PARTED] = np.maximum(words.counts - counts.sum(axis=1), 0)
        usual = counts[classes[:-1] == CONTENT].sum(axis=0) + 1.0
        usual /= usual.sum()
        shares = (counts + _PRIOR * usual) / (counts.sum(axis=1, keepdims=True) + _PRIOR)
        sides.append(np.log(shares / usual))
    return np.hstack(sides)


def neighbours_of_runs(
    engine: Engine, shards: Sequence[Shard], fit: tuple[Flags, ...], classes: Longs, scratch: Scratch
) -> list[Longs]:
    """For each length, how often each well-formed run has each kind of neighbour; (n_fit_runs, 2, 7)."""
    sizes = [int(flags.sum()) for flags in fit]
    total = np.zeros((sum(sizes), 2 * (REST + 1)), np.int64)
    for band in table_of(engine, partial(_beside, fit=fit, classes=classes), shards, total.shape, scratch):
        total[band.rows, band.columns] = band.counts
    scratch.clear()
    return np.split(total.reshape(-1, 2, REST + 1), np.cumsum(sizes)[:-1]) if fit else []


def _beside(shard: Shard, fit: tuple[Flags, ...], classes: Longs) -> Longs:
    """Keys of the well-formed runs, numbered across all lengths, and the kinds of their left and right neighbours."""
    words = shard.words()
    kinds = np.array([_kinds(_LEFT, NUMBER_BEFORE), _kinds(_RIGHT)])  # (2, N_CLASSES)
    beside = classes[words]
    parted = np.array([PARTED])
    before, after = np.r_[parted, beside[:-1]], np.r_[beside, parted]
    keys, base = [np.empty(0, np.int64)], 0
    for length, flags in enumerate(fit, start=2):
        runs = kept_runs(shard, length)
        fits = flags[runs.numbers]
        starts, numbers = runs.starts[fits], base + (np.cumsum(flags) - 1)[runs.numbers[fits]]
        keys.append(numbers * 2 * (REST + 1) + kinds[0][before[starts]])
        keys.append((numbers * 2 + 1) * (REST + 1) + kinds[1][after[starts + length]])
        base += int(flags.sum())
    return np.concatenate(keys)


def _kinds(told: dict[str, int], number: int = REST) -> list[int]:
    kinds = [told.get(name, REST) for name in _NAMES]
    return [*kinds, number, REST, CONTENT_BESIDE, REST]
