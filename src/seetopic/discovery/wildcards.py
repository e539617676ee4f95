"""Wildcards in names and terms, as in quanteda: `elect*` and `wom?n` stand for all terms of the index that match."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from seetopic.corpus import Seed, Seeds, has_wildcard, normalized_name


class TermPatterns:
    """Terms that match a pattern; they are sorted, so that `elect*` looks only at those that begin with "elect"."""

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = terms
        self._sorted = sorted((term.lower(), number) for number, term in enumerate(terms))

    def matching(self, pattern: str) -> list[int]:
        """The numbers of terms that match, word by word and ignoring case; `*` is any characters, `?` exactly one."""
        words = " ".join(pattern.lower().split())
        beginning = re.split(r"[*?]", words, maxsplit=1)[0]
        compiled = re.compile(re.escape(words).replace(r"\*", r"\S*").replace(r"\?", r"\S"))
        following = map(self._sorted.__getitem__, range(bisect_left(self._sorted, (beginning,)), len(self._sorted)))
        likely = takewhile(lambda entry: entry[0].startswith(beginning), following)
        return sorted(number for term, number in likely if compiled.fullmatch(term))

    def terms_matching(self, pattern: str, without: set[str]) -> list[str]:
        """The terms that match, without those with some normalised names."""
        found = (self.terms[number] for number in self.matching(pattern))
        return [term for term in found if normalized_name(term) not in without]


def expanded(seeds: Seeds, terms: Sequence[str]) -> Seeds:
    """The seeds with matching terms in place of wildcards in names and pinned terms.

    Matches that are negative terms of the category are left out, and matches of pinned terms that are pinned by name
    anywhere. A name that matches nothing is read without its wildcards; a pinned term that matches nothing stays, and
    is reported as not found.
    """
    if not any(has_wildcard(text) for seed in seeds.seeds for text in (*seed.names, *seed.pinned)):
        return seeds
    patterns = TermPatterns(terms)
    pinned = {normalized_name(term) for seed in seeds.seeds for term in seed.pinned}
    return Seeds(tuple(_expanded(seed, patterns, pinned) for seed in seeds.seeds))


def _expanded(seed: Seed, patterns: TermPatterns, pinned: set[str]) -> Seed:
    negative = set(map(normalized_name, seed.negative))
    for word in filter(has_wildcard, seed.negative):
        negative.update(map(normalized_name, patterns.terms_matching(word, set())))
    names: list[str] = []
    for name in seed.names:
        found = patterns.terms_matching(name, negative) if has_wildcard(name) else [name]
        names += found or [re.sub(r"[*?]", "", name)]
    first: list[str] = []
    for term in seed.pinned:
        first += (patterns.terms_matching(term, negative | pinned) if has_wildcard(term) else []) or [term]
    return replace(seed, names=distinct_names(names), pinned=distinct_names(first))


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names in order, each once, in its first spelling."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(normalized_name(name), name)
    return tuple(first.values())
