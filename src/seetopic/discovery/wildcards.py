"""Wildcards in names and terms, as in quanteda: `elect*` and `wom?n` stand for all terms of the index that match."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from seetopic.corpus import Seed, Seeds, has_wildcard, normalized_name


def matching(pattern: str, terms: Sequence[str]) -> list[int]:
    """The terms that match, word by word and ignoring case; `*` is any number of characters, `?` exactly one."""
    words = re.escape(" ".join(pattern.split())).replace(r"\ ", " ").replace(r"\*", r"\S*").replace(r"\?", r"\S")
    compiled = re.compile(words, re.IGNORECASE)
    return [number for number, term in enumerate(terms) if compiled.fullmatch(term)]


def expanded(seeds: Seeds, terms: Sequence[str]) -> Seeds:
    """The seeds with matching terms in place of wildcards in names and pinned terms.

    A negative term of the category, or a term pinned by name in another one, is left out. A name that matches nothing
    is read without its wildcards; a pinned term that matches nothing stays, and is reported as not found.
    """
    if not any(has_wildcard(text) for seed in seeds.seeds for text in (*seed.names, *seed.pinned)):
        return seeds
    pinned = {normalized_name(term) for seed in seeds.seeds for term in seed.pinned}
    return Seeds(tuple(_expanded(seed, terms, pinned) for seed in seeds.seeds))


def _expanded(seed: Seed, terms: Sequence[str], pinned: set[str]) -> Seed:
    negative = set(map(normalized_name, seed.negative))
    negative |= {terms[number] for word in seed.negative if has_wildcard(word) for number in matching(word, terms)}

    def found(pattern: str, without: set[str]) -> list[str]:
        return [terms[number] for number in matching(pattern, terms) if terms[number] not in without]

    names = [
        each
        for name in seed.names
        for each in ((found(name, negative) or [re.sub(r"[*?]", "", name)]) if has_wildcard(name) else [name])
    ]
    first = [
        each
        for term in seed.pinned
        for each in ((found(term, negative | pinned) or [term]) if has_wildcard(term) else [term])
    ]
    return replace(seed, names=_distinct(names), pinned=_distinct(first))


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(normalized_name(name), name)
    return tuple(first.values())
