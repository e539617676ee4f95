"""The index of a fit on documents, in a temporary folder that is removed with the last model that uses it."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seetopic.corpus import Documents
from seetopic.index import Index, layout, plan
from seetopic.runtime import remove_temporary, temporary_folder, writing
from seetopic.text import Tokenizer
from seetopic.vectors import VectorCache


class TemporaryIndex(Index):
    """An index whose folder is removed when nothing refers to it any more; pickled with its files."""

    def __reduce__(self) -> tuple[Any, ...]:
        files = {name: (self.folder / name).read_bytes() for name in (layout.MANIFEST, *layout.FILES)}
        return _unpacked, (files, self.embedding_model, self.tokenizer, self.cache, self.reader)


def build_temporary(documents: Documents, **options: Any) -> TemporaryIndex:
    """Build an index of documents in a new temporary folder; options are those of `plan`."""
    home = temporary_folder()
    try:
        build = plan(documents, home / "index", **options)
        build.run()
    except BaseException:  # even an interrupt must leave nothing behind
        remove_temporary(home)
        raise
    models = options["embedding_model"], options["reader"]
    return _owned(home / "index", models, build.tokenizer, build.resources.cache)


def update_temporary(index: Index, documents: Documents, embedding_model: Any, **options: Any) -> TemporaryIndex:
    """Add documents to a copy of an index in a new temporary folder; options are those of `Index.update`."""
    home = temporary_folder()
    try:
        with writing(home):
            layout.copy_files(index.folder, home / "index")
        copied = Index(home / "index", index.manifest, embedding_model, index.tokenizer, index.cache, index.reader)
        copied.update(documents, again=True, **options)
    except BaseException:
        remove_temporary(home)
        raise
    return _owned(home / "index", (embedding_model, index.reader), index.tokenizer, index.cache)


def _unpacked(
    files: Mapping[str, bytes], model: Any, tokenizer: Tokenizer, cache: VectorCache, reader: Any = None
) -> TemporaryIndex:
    folder = temporary_folder() / "index"
    with writing(folder):
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
    return _owned(folder, (model, reader), tokenizer, cache)


def _owned(folder: Path, models: tuple[Any, Any], tokenizer: Tokenizer, cache: VectorCache) -> TemporaryIndex:
    """The index in a folder; `models` are those of the terms and of the documents."""
    model, reader = models
    index = TemporaryIndex(folder, layout.read_manifest(folder), model, tokenizer, cache, reader)
    weakref.finalize(index, _remove, folder.parent, os.getpid())
    return index


def _remove(home: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked process has a copy of the index, but not of its folder
        remove_temporary(home)
