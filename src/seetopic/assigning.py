"""A whole corpus sorted into a table, shard by shard, whole or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from seetopic.arrays import Floats
from seetopic.assign import Assigned, Sorter, threshold_for
from seetopic.documents import Documents
from seetopic.encoder.cache import VectorCache
from seetopic.encoder.protocol import TermEncoder
from seetopic.engine import Engine
from seetopic.errors import SettingsError
from seetopic.files import written_whole
from seetopic.progress import Progress, silent
from seetopic.settings import DEFAULT
from seetopic.spreadsheets import SafeRows


@dataclass(frozen=True)
class AssignOptions:
    """Who is given a category, and how many."""

    threshold: float = 0.0  # the least share of a category that is given
    rate: float | None = None  # or: the share of documents that are given one
    several: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise SettingsError(f"`threshold` is {self.threshold}, but must lie between 0 and 1")
        if self.rate is not None and self.threshold > 0:
            raise SettingsError("both `threshold` and `rate` are given, but each settles the other; give one")


@dataclass(frozen=True)
class Reader:
    """The language model that reads documents, where that was asked for."""

    encoder: TermEncoder
    cache: VectorCache
    jobs: int


def assign_documents(
    documents: Documents,
    sorter: Sorter,
    out: Path,
    engine: Engine,
    *,
    options: AssignOptions = AssignOptions(),  # noqa: B008 - frozen
    reader: Reader | None = None,
    progress: Progress = silent,
) -> Counter[str]:
    """Write a row a document: its best category, its share, all given categories, the terms that speak for it.

    Returns how many documents each category was given as the best; `""` counts those that were given none.
    """
    threshold = options.threshold
    if options.rate is not None:
        everyone = _assigned(documents, sorter, engine, AssignOptions(), reader, progress, "looking at documents")
        best = np.array([max(each.shares) if each.categories else 0.0 for each in everyone])
        threshold = threshold_for(best, options.rate)
    chosen = AssignOptions(threshold=threshold, several=options.several)
    given: Counter[str] = Counter()
    with written_whole(out) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        rows = SafeRows(file)
        rows.add(["document", "category", "share", "categories", "evidence", *sorter.names])
        found = _assigned(documents, sorter, engine, chosen, reader, progress, "sorting documents")
        for number, each in enumerate(found):
            names = [sorter.names[category] for category in each.categories]
            best_name = names[0] if names else ""
            given[best_name] += 1
            share = each.shares[each.categories[0]] if names else ""
            rows.add([number, best_name, share, "|".join(names), "|".join(each.evidence), *each.shares])
    return given


def _assigned(
    documents: Documents,
    sorter: Sorter,
    engine: Engine,
    options: AssignOptions,
    reader: Reader | None,
    progress: Progress,
    stage: str,
) -> Iterator[Assigned]:
    done = 0
    shards = documents.shards(DEFAULT.index.text)
    work = partial(_assign_shard, sorter=sorter, threshold=options.threshold, several=options.several)
    for part in engine.map(work, ((texts, _read(texts, sorter, reader)) for texts in shards)):
        yield from part
        done += len(part)
        progress(stage, done, None)


def _read(texts: list[str], sorter: Sorter, reader: Reader | None) -> Floats | None:
    if reader is None:
        return None
    return reader.cache.encode(reader.encoder, sorter.read_texts(texts), reader.jobs, silent)


def _assign_shard(
    shard: tuple[list[str], Floats | None], sorter: Sorter, threshold: float, several: bool
) -> list[Assigned]:
    texts, vectors = shard
    return sorter.assign(texts, vectors, threshold=threshold, several=several)
