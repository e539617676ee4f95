"""Names for what the names miss, or a first set where there are none: proposed from the themes of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from seetopic.discovery.algorithm import discover_terms
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence import Evidence
from seetopic.discovery.evidence.documents import ReadDocumentsEvidence, typical_terms
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.residual import TERMS, by_size, told_themes
from seetopic.discovery.run import query_for
from seetopic.discovery.sampled import sampled_documents
from seetopic.discovery.topics import Residual
from seetopic.errors import CorpusError, SettingsError
from seetopic.index import Index, Themes
from seetopic.runtime import Doubles, Floats
from seetopic.settings import DEFAULT, DiscoverySettings

MOST = 200  # names that can be asked for
_FINER = 2.5  # themes for each name that is asked for: some are small, and some are covered


def suggest(
    index: Index,
    seeds: Any = None,
    *,
    number: int = 10,
    settings: DiscoverySettings | None = None,
    device: str = "auto",
) -> tuple[Residual, ...]:
    """Themes that the names (a list, a dict, a file's path) leave out, or all themes if there are no names.

    The first are the largest and the least covered; `suggested_name` can be given as a name.
    """
    names = None if seeds is None else query_for(index, seeds, settings, DEFAULT.preset, device).encoded_names().spoken
    return suggest_beside(index, names, number, settings or DEFAULT.discovery)


def suggest_beside(
    index: Index, names: Floats | None, number: int, settings: DiscoverySettings
) -> tuple[Residual, ...]:
    """The same for vectors of names, unit rows."""
    if not 1 <= number <= MOST:
        raise SettingsError(f"`number` is {number}; give one from 1 to {MOST} (--number)")
    grains = index.themes.grains
    if not grains:
        raise CorpusError(
            "the language model has read too few documents of this index to see themes; "
            "give more documents, or index with a larger sample"
        )
    enough = (each for each in grains if len(each.centres) >= _FINER * number)
    themes = next(enough, grains[-1])
    wanted = themes.sizes if names is None else themes.sizes * np.exp(-themes.standing(names).max(axis=0))
    memberships = np.zeros((len(themes.vectors), len(themes.centres)))
    memberships[np.arange(len(themes.vectors)), themes.of_documents] = 1.0
    terms = _terms_of(index, themes, memberships, settings)
    told = told_themes(index, memberships, terms, themes.centres, 0, themes.vectors)
    largest = [theme for theme in by_size(themes.sizes) if terms[theme]]  # in this order they are told
    return tuple(told[place] for place in np.argsort(-wanted[largest], kind="stable")[:number])


def as_seeds_file(found: Sequence[Residual]) -> str:
    """Suggested names as a YAML file of seeds, each with what it stands for as a comment."""
    import yaml

    lines = ["# Names for themes of the documents: rename them, remove what is not wanted, give the file as --seeds."]
    for each in found:
        lines.append(f"# {each.share:.1%} of the documents: {', '.join(each.terms)}")
        lines.append(yaml.safe_dump({each.suggested_name: None}, allow_unicode=True).replace(" null", "").rstrip())
    return "\n".join(lines) + "\n"


def _terms_of(index: Index, themes: Themes, memberships: Doubles, settings: DiscoverySettings) -> list[list[int]]:
    """The terms of each theme as those of categories are found, by its centre and by its documents."""
    chosen = replace(settings, top=TERMS)
    general = np.asarray(index.general)
    near = GeneralEvidence(general, themes.centres, chosen.name_pull, chosen.contrast, chosen.held_back)
    read = sampled_documents(index).documents[: len(themes.vectors)]
    documents = ReadDocumentsEvidence(typical_terms(read, memberships))
    evidence: list[tuple[Evidence, float]] = [(near, 1.0), (documents, 1.0)]
    nothing = Constraints.none(len(themes.centres), len(general))
    return discover_terms(near.similarity, nothing, evidence, chosen, index.variants, veto=near).deep
