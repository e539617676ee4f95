"""Suggests names for themes that the given names do not cover, or a first set if there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from seetopic.corpus import as_seeds
from seetopic.discovery.algorithm import discover_terms
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence import Evidence
from seetopic.discovery.evidence.documents import ReadDocumentsEvidence, typical_terms
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.names import encode_names
from seetopic.discovery.residual import TERMS, by_size, told_themes
from seetopic.discovery.run import index_with_names
from seetopic.discovery.sampled import sampled_documents
from seetopic.discovery.topics import Residual
from seetopic.errors import CorpusError, SettingsError
from seetopic.index import Index, Themes
from seetopic.runtime import Doubles, Floats
from seetopic.settings import DEFAULT, DiscoverySettings

MOST = 200  # names that can be requested
_FINER = 2.5  # themes per requested name, because some are small or already covered


def suggest(
    index: Index,
    seeds: Any = None,
    *,
    number: int = 10,
    settings: DiscoverySettings = DEFAULT.discovery,
) -> tuple[Residual, ...]:
    """Suggest names for themes of the documents that the given names do not cover, or for all themes.

    `seeds` is a list, a dict, a path to a file, or None if there are no names yet. The largest and least covered themes
    come first; each `suggested_name` can be used as a category name.
    """
    if seeds is None:
        return suggest_beside(index, None, number, settings)
    asked = as_seeds(seeds)
    names = encode_names(index_with_names(index, asked, settings), asked).spoken
    return suggest_beside(index, names, number, settings)


def suggest_beside(
    index: Index, names: Floats | None, number: int, settings: DiscoverySettings
) -> tuple[Residual, ...]:
    """The same for vectors of names, unit rows."""
    if not 1 <= number <= MOST:
        raise SettingsError(f"`number` is {number}, but must be between 1 and {MOST} (--number)")
    grains = index.themes.grains
    if not grains:
        raise CorpusError(
            "the language model has read too few documents of this index to find themes; "
            "give more documents, or build the index with a larger sample"
        )
    enough = (each for each in grains if len(each.centres) >= _FINER * number)
    themes = next(enough, grains[-1])
    wanted = themes.sizes if names is None else themes.sizes * np.exp(-themes.standing(names).max(axis=0))
    memberships = np.zeros((len(themes.vectors), len(themes.centres)))
    memberships[np.arange(len(themes.vectors)), themes.of_documents] = 1.0
    terms = _terms_of(index, themes, memberships, settings)
    told = told_themes(index, memberships, terms, themes.centres, 0, themes.vectors)
    largest = [theme for theme in by_size(themes.sizes) if terms[theme]]  # in the order of `told`
    return tuple(told[place] for place in np.argsort(-wanted[largest], kind="stable")[:number])


def as_seeds_file(found: Sequence[Residual]) -> str:
    """Suggested names as a YAML seeds file, each with a comment that describes its theme."""
    import yaml

    lines = ["# Suggested names for themes of the documents: rename or remove any, then pass the file with --seeds."]
    for each in found:
        lines.append(f"# {each.share:.1%} of the documents: {', '.join(each.terms)}")
        lines.append(yaml.safe_dump({each.suggested_name: None}, allow_unicode=True).replace(" null", "").rstrip())
    return "\n".join(lines) + "\n"


def _terms_of(index: Index, themes: Themes, memberships: Doubles, settings: DiscoverySettings) -> list[list[int]]:
    """The terms of each theme, found as for categories, by its centre and its documents."""
    chosen = replace(settings, top=TERMS)
    general = np.asarray(index.general)
    near = GeneralEvidence(general, themes.centres, chosen.name_pull, chosen.contrast, chosen.held_back)
    read = sampled_documents(index).documents[: len(themes.vectors)]
    documents = ReadDocumentsEvidence(typical_terms(read, memberships))
    evidence: list[tuple[Evidence, float]] = [(near, 1.0), (documents, 1.0)]
    nothing = Constraints.none(len(themes.centres), len(general))
    return discover_terms(near.similarity, nothing, evidence, chosen, index.variants, veto=near).deep
