"""Suggests names for themes that the given names do not cover, or a first set if there are none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from numbers import Integral
from textwrap import indent
from typing import Any

import numpy as np

from seetopic.corpus import Seeds, as_seeds, normalized_name, path_text, split_path
from seetopic.discovery.algorithm import discover_terms
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence import Evidence
from seetopic.discovery.evidence.documents import ReadDocumentsEvidence, theme_vectors, typical_terms
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.names import encode_names
from seetopic.discovery.query import index_with_names
from seetopic.discovery.residual import TERMS, by_size, told_themes
from seetopic.discovery.run import Discovery, run_of
from seetopic.discovery.sampled import sampled_documents
from seetopic.discovery.topics import Residual
from seetopic.discovery.wildcards import expanded
from seetopic.errors import CorpusError, SettingsError
from seetopic.index import FEWEST, Index, Themes, require_index
from seetopic.runtime import Doubles, Flags, Floats, Longs, Sparse
from seetopic.settings import DEFAULT, DiscoverySettings

MOST = 200  # names that can be requested
_FINER = 2.5  # themes per requested name, beside one per given name, because some are small or already covered


def suggest(
    index: Index,
    seeds: Any = None,
    *,
    number: int = 10,
    below: str | None = None,
    settings: DiscoverySettings = DEFAULT.discovery,
) -> tuple[Residual, ...]:
    """Suggest names for themes of the documents that the given names do not cover, or for all themes.

    `seeds` is a list, a dict, a path to a file, or None if there are no names yet. The largest themes come first that
    neither a name nor an earlier suggestion covers; each `suggested_name` can be used as a category name. In a tree of
    names, `below` is the name or path of a parent: what it holds that none of its children names.
    """
    require_index(index)
    if seeds is None:
        if below is not None:
            raise SettingsError(
                f"--below (in Python: below) is {below!r}, but there are no names; give a tree of names (--seeds)"
            )
        return suggest_beside(index, None, number, settings)
    if below is not None:
        return suggest_below(run_of(index, seeds, settings), number, below)
    asked = expanded(as_seeds(seeds), index.vocabulary.terms)
    names = encode_names(index_with_names(index, asked, settings), asked).spoken
    return suggest_beside(index, names, number, settings, seeds=asked)


def suggest_below(run: Discovery, number: int, below: str) -> tuple[Residual, ...]:
    """Suggest names for what a parent, given by its name or path, holds that none of its children names."""
    paths = [path_text(path) for path in run.seeds.paths]
    chosen = [place for place, path in enumerate(paths) if below in (path, run.seeds.names[place])]
    tree = run.tree
    if tree is None or len(chosen) != 1 or chosen[0] not in tree.inner:
        parents = [] if tree is None else [paths[node] for node in tree.inner]
        problem = "has no children" if len(chosen) == 1 else "is the name of several" if chosen else "is not a name"
        raise SettingsError(
            f"{below!r} {problem}; choose one of the names that have children with --below (in Python: below): "
            f"{', '.join(parents) or 'there are none'}"
        )
    names, inside = run.encoded.spoken[tree.children(chosen[0])], None
    if run.reading is not None:
        cut = tree.cut(tree.depths[chosen[0]])
        at_level = tree.summed(run.reading.memberships)[: run.sampled.n_read, cut]
        inside = at_level.argmax(axis=1) == cut.index(chosen[0])
    found = suggest_beside(run.index, names, number, run.settings, inside, run.seeds)
    return tuple(replace(each, parent=paths[chosen[0]]) for each in found)


def suggest_beside(
    index: Index,
    names: Floats | None,
    number: int,
    settings: DiscoverySettings,
    inside: Flags | None = None,
    seeds: Seeds | None = None,
) -> tuple[Residual, ...]:
    """Themes that the names, unit rows, cover least; with `inside`, those whose documents are mostly inside.

    None is called by a name or a pinned term of `seeds`, or by an inflection of one.
    """
    if not isinstance(number, Integral) or not 1 <= number <= MOST:
        raise SettingsError(f"`number` is {number!r}, but must be a whole number between 1 and {MOST}")
    grains = index.themes.grains
    if not grains:
        raise CorpusError(
            f"finding themes takes {FEWEST} documents that the language model has read, but of this index "
            f"it has read {len(index.themes.vectors)}; give more documents, or build the index with a larger "
            "--sample-words"
        )
    least = _FINER * number + (0 if names is None else len(names))
    enough = (each for each in grains if len(each.centres) >= least and inside is None)
    themes = next(enough, grains[-1])
    sizes = themes.sizes
    if inside is not None:
        held = np.bincount(themes.of_documents, inside, minlength=len(sizes))
        sizes = np.where(2 * held >= sizes, sizes, 0)
    memberships = np.zeros((len(themes.vectors), len(themes.centres)))
    memberships[np.arange(len(themes.vectors)), themes.of_documents] = 1.0
    read, meanings = sampled_documents(index).documents[: len(themes.vectors)].tocsc(), themes.centres
    if index.has_reader:
        meanings = theme_vectors(index, read, memberships)
    terms = _terms_of(index, meanings, read, memberships, settings)
    told = told_themes(index, memberships, terms, meanings, 0, themes)
    places = {theme: place for place, theme in enumerate(theme for theme in by_size(themes.sizes) if terms[theme])}
    order = (theme for theme in _least_covered_first(themes, sizes, names) if theme in places)
    found = [told[places[theme]] for theme in order]
    return tuple(found if seeds is None else _with_new_names(index, seeds, found))[:number]


def _least_covered_first(themes: Themes, sizes: Longs, names: Floats | None) -> Iterator[int]:
    """Themes that have a size, the largest and least covered first; each covers those near to it as a name would."""
    covered = np.zeros(len(sizes)) if names is None else themes.standing(names).max(axis=0)
    likeness, left = themes.standing(themes.centres), sizes.astype(np.float64)
    while (left > 0).any():
        best = int((left * np.exp(-covered)).argmax())
        yield best
        left[best] = 0
        covered = np.maximum(covered, likeness[best])


def _with_new_names(index: Index, seeds: Seeds, found: Sequence[Residual]) -> Iterator[Residual]:
    """The themes, each called by its best term that no category has; without those that have no such term."""
    categories = expanded(seeds, index.vocabulary.terms).seeds
    given = {text for seed in categories for text in (seed.name, *seed.names, *seed.pinned)}
    spelled = set(map(normalized_name, given))
    heads, ids = index.variants.heads, index.vocabulary.ids
    used = {int(heads[term]) for term in map(index.term_id, given) if term is not None}
    for each in found:
        for term in (each.suggested_name, *each.terms):
            if normalized_name(term) not in spelled and int(heads[ids[term]]) not in used:
                yield replace(each, suggested_name=term)
                break


def as_seeds_file(found: Sequence[Residual]) -> str:
    """Suggested names as a YAML seeds file, each with a comment that describes its theme, below its parent if any."""
    lines = [
        "# Suggested names for themes of the documents: rename or remove any, then pass this file with --seeds.",
        "# If you have a file of names already, give both: --seeds YOUR-FILE --seeds THIS-FILE.",
    ]
    above: tuple[str, ...] = ()
    for each in found:
        path = () if each.parent is None else split_path(each.parent)
        if path != above:
            for level, name in enumerate(path):
                lines += [indent(_yaml_key(name), "    " * level), indent("  children:", "    " * level)]
            above = path
        told = f"# {each.share:.1%} of the documents: {', '.join(each.terms)}\n{_yaml_key(each.suggested_name)}"
        lines.append(indent(told, "    " * len(path)))
    return "\n".join(lines) + "\n"


def _yaml_key(name: str) -> str:
    import yaml

    return str(yaml.safe_dump({name: None}, allow_unicode=True, width=math.inf)).removesuffix(" null\n")


def _terms_of(
    index: Index, themes: Floats, read: Sparse, memberships: Doubles, settings: DiscoverySettings
) -> list[list[int]]:
    """The terms of each theme, found as for categories, by its vector and its documents."""
    chosen = replace(settings, top=TERMS)
    general = np.asarray(index.general)
    near = GeneralEvidence(general, themes, chosen.name_pull, chosen.contrast, chosen.held_back)
    documents = ReadDocumentsEvidence(typical_terms(read, memberships))
    evidence: list[tuple[Evidence, float]] = [(near, 1.0), (documents, 1.0)]
    nothing = Constraints.none(len(themes), len(general))
    return discover_terms(near.similarity, nothing, evidence, chosen, index.variants, veto=near).deep
