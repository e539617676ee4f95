"""Updates an index on disk: adds documents, removes parts."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import closing
from numbers import Integral
from typing import TYPE_CHECKING, Any

from seetopic.corpus import OnError
from seetopic.errors import DamagedIndex, IndexFailure
from seetopic.index import layout
from seetopic.index.build import Build, plan
from seetopic.index.layout import read_lists, tokenizer_name
from seetopic.index.stages import exclusive
from seetopic.index.update import (
    Incoming,
    Part,
    Stored,
    Update,
    check_made_with,
    forget_update,
    incoming,
    parts_before,
    refuse_again,
    require_some_change,
    starts_of,
    without,
)

if TYPE_CHECKING:
    from seetopic.index.index import Index


def update_index(
    index: Index,
    add: Any,
    remove: Iterable[int | str],
    *,
    again: bool = False,
    text_field: str | None = None,
    on_error: OnError = "raise",
    **resources: Any,
) -> None:
    """Replace an index on disk with one that has documents added, parts removed, or both; see `Index.update`."""
    added = incoming(add, text_field=text_field, on_error=on_error, keep=index.column_names)
    removed = (remove,) if isinstance(remove, Integral | str) else tuple(remove)
    if _was_done(index, added, removed, resources):
        return
    kept = without(index.parts, removed)
    require_some_change(index.parts, kept, added)
    build = _planned(index, kept, added, resources)
    with closing(build.resources.engine):
        if not again:
            refuse_again(kept, build.parts[len(kept) :])
        build.run()


def stored_in(index: Index) -> Stored:
    """What an update reuses from an index, fully checked."""
    parts = index.parts
    sample_texts = read_lists(index.files.path(layout.SAMPLE_TEXTS))
    if starts_of(parts)[-1] != len(index) or len(sample_texts) != len(parts):
        raise DamagedIndex(
            f"{index.folder / layout.MANIFEST} lists parts that do not match the documents; build the index again"
        )
    return Stored(
        key=str(index.manifest["key"]),
        parts=parts,
        words=index.texts.words,
        texts=index.folder / layout.TEXTS,
        text_starts=index.folder / layout.TEXT_STARTS,
        terms=index.vocabulary.terms,
        general=index.general,
        sampled=index.sampled,
        sample_general=index.sample.general,
        sample_texts=sample_texts,
        columns=index.columns,
    )


def _planned(index: Index, kept: tuple[Part, ...], added: tuple[Incoming, ...], resources: dict[str, Any]) -> Build:
    build = plan(
        Update(added, stored_in(index), kept),
        index.folder,
        settings=index.settings,
        embedding_model=index.model_or_name,
        reader=index.reader_or_name,
        tokenizer=index.tokenizer,
        cache=index.cache.folder,
        **resources,
    )
    index.check_model(build.encoder)
    models = {"model": build.encoder.name}
    if build.reader is not None:
        index.check_model(build.reader, "reader")
        models["reader"] = build.reader.name
    has_document_vectors = build.ready_documents is not None
    check_made_with(index.manifest, models, tokenizer_name(index.tokenizer), has_document_vectors)
    return build


def _was_done(
    index: Index, added: tuple[Incoming, ...], removed: tuple[int | str, ...], resources: dict[str, Any]
) -> bool:
    """Whether the index already is the result of this update, which was killed before it could report success."""
    folder, key = layout.resolved(index.folder), index.manifest["key"]
    before = parts_before(folder, key)
    if before is None:
        return False
    try:
        build = _planned(index, without(before, removed), added, resources)
    except IndexFailure:  # no such part, so this is a different update
        return False
    with closing(build.resources.engine), exclusive(folder):
        done = bool(build.key == key)
        if done:
            shutil.rmtree(build.folder, ignore_errors=True)
        else:
            forget_update(folder, key)
    return done
