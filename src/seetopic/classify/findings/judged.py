"""Judgements of documents, from which shares are calibrated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from seetopic.corpus import Judgements, as_judgements, as_seeds, is_below, normalized_name
from seetopic.errors import JudgementError
from seetopic.runtime import quantity, warn

JudgedDocuments: TypeAlias = Mapping[int, Mapping[str, bool]]  # by number, whether each belongs to a category


def judged_documents(given: Any, several: bool) -> JudgedDocuments:
    """Judgements of documents by number, as `as_judgements` takes them, settled as for teaching.

    Judgements of terms, and of documents by their text, say nothing about numbered documents and are left out. Unless
    documents may have several categories, one that belongs to a category does not belong to the others.
    """
    numbered = Judgements(tuple(each for each in as_judgements(given) if isinstance(each.document, int)))
    names = {normalized_name(each.category): each.category for each in numbered if each.category is not None}
    if not names:
        raise JudgementError(
            "there are no judgements of documents by number; give `category`, `document` (its number) and `belongs`"
        )
    settled = numbered.settled(as_seeds(list(names.values())))
    if settled.contradictions:
        number = quantity(len(settled.contradictions), "contradiction")
        warn(f"{number} in the judgements, such as {settled.contradictions[0]}")
    own, found = list(names), dict[int, dict[str, bool]]()
    for document, settled_answers in settled.documents.items():
        answers = {own[category]: belongs for category, belongs in settled_answers.items()}
        accepted = [name for name, belongs in answers.items() if belongs]
        below = {name for name in own for each in accepted if is_below(name, each)}
        others = {} if several or not accepted else {name: False for name in own if name not in below}
        above = {name: True for name in own for each in accepted if is_below(each, name)}
        found[int(document)] = others | answers | above
    return found
