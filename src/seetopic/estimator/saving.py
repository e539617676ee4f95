"""Saves a model to a folder as JSON, safetensors and an index, and loads it without trusting the folder."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seetopic.classify import SORTER, Sorter
from seetopic.corpus import (
    Documents,
    Judgements,
    Seeds,
    as_records,
    as_seeds,
    read_judgements,
    text_digest,
    without_pinned,
    write_judgements,
)
from seetopic.discovery import Topics
from seetopic.errors import CorpusError, EncoderError, OutputError, SeeTopicError, SettingsError
from seetopic.estimator.fitting import FittedOn, Learned, settings_from_parameters
from seetopic.estimator.vectors import Ready
from seetopic.index import Index, layout, tokenizer_name
from seetopic.runtime import (
    Floats,
    Progress,
    clear_leftovers,
    exchanged,
    held,
    read_json,
    sha256_of,
    write_json,
    writing,
    written_whole,
)
from seetopic.settings import Settings, as_json, settings_from
from seetopic.text import Tokenizer, tokenize
from seetopic.vectors import EMBEDDED_NAME, ReadyVectors, encoder_for, unit_rows
from seetopic.version import __version__

if TYPE_CHECKING:
    from seetopic.estimator.estimator import SeeTopic

FORMAT = 1
MODEL = "model.json"
INDEX = "index"
DOCUMENTS = "documents.jsonl"
NAMES = "seed_embeddings.safetensors"
_TOPICS = "topics.json"
_JUDGEMENTS = "judgements.jsonl"
_NAMES = {
    MODEL,
    INDEX,
    DOCUMENTS,
    NAMES,
    _TOPICS,
    _JUDGEMENTS,
    "topics.csv",
    SORTER,
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
}
# The parameters that are saved, with their types; how something is computed is up to whoever loads the model.
_PARAMS: dict[str, tuple[type, ...]] = {
    "top": (int, type(None)),
    "min_count": (int, type(None)),
    "language": (str, type(None)),
    "random_state": (int, type(None)),
    "text_field": (str, type(None)),
    "on_error": (str,),
    "read_documents": (bool,),
    "threshold": (float, int),
}


@dataclass(frozen=True)
class Saved:
    """A model that was loaded."""

    params: dict[str, Any]
    seeds: Seeds
    index: Index
    learned: Learned
    given: FittedOn


@dataclass(frozen=True)
class UnnamedModel:
    """Replaces a language model that a saved model names but the caller did not pass; it is never downloaded."""

    name: str
    parameter: str = "embedding_model"

    @property
    def fingerprint(self) -> str | None:
        raise EncoderError(
            f"the model was fitted with the language model {self.name!r}; "
            f"pass it to use new names: SeeTopic.load(folder, {self.parameter}=...)"
        )

    def encode(self, texts: Any, n_jobs: int, progress: Progress) -> Floats:
        raise EncoderError(
            f"the language model {self.name!r} is missing; pass it: SeeTopic.load(folder, {self.parameter}=...)"
        )

    def encode_names(self, names: Any) -> Floats:
        return self.encode(names, 1, None)  # type: ignore[arg-type]


# Writing


def save(model: SeeTopic, folder: Path, documents: bool) -> None:
    """Write everything to a folder beside the final one, then rename it."""
    with _written_beside(folder) as beside:
        model.topics_.save(beside)
        model.sorter_.save(beside)
        layout.copy_files(model.index_.folder, beside / INDEX)
        names = model._given.ready.names
        if names:
            _write_names(beside / NAMES, names)
        if model.judgements_:
            write_judgements(beside / _JUDGEMENTS, model.judgements_)
        if documents and model._given.documents is not None:
            try:
                _write_documents(beside / DOCUMENTS, model._given.documents, model.index_)
            except CorpusError as error:
                raise CorpusError(
                    f"{error}, or save the model without its documents: save(folder, documents=False)"
                ) from error
        write_json(beside / MODEL, {"format": FORMAT, "version": __version__, **_about(model, beside)})


def _about(model: SeeTopic, folder: Path) -> dict[str, Any]:
    parts = [_TOPICS, SORTER, f"{INDEX}/{layout.MANIFEST}"]
    parts += [name for name in (NAMES, _JUDGEMENTS) if (folder / name).exists()]
    return {
        "settings": {
            **{name: _plain(getattr(model, name)) for name in _PARAMS},
            "preset": as_json(model.preset) if isinstance(model.preset, Settings) else model.preset,
        },
        "tokenizer": tokenizer_name(model.index_.tokenizer),
        "seeds": as_records(model.seeds_),
        "ready_names": sorted(model._given.ready.names),
        "corpus": model.index_.manifest["corpus"]["name"],
        "files": {part: sha256_of(folder / part) for part in parts},
    }


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's, which JSON has."""
    return value.item() if isinstance(value, np.generic) else value


@contextmanager
def _written_beside(folder: Path) -> Iterator[Path]:
    folder = folder.resolve()  # replaces the target of a link, not the link
    _check_place(folder)
    beside, replaced = (folder.with_name(f".{folder.name}.{os.getpid()}.{end}") for end in ("part", "old"))
    try:
        with writing(folder):
            clear_leftovers(folder.parent, folder.name)
            beside.mkdir(parents=True)
            with held(beside):
                yield beside
            _check_place(folder)  # again, because another program may have written there in the meantime
            is_replaced = folder.exists()
            if is_replaced and exchanged(beside, folder):
                return
            if is_replaced:
                folder.rename(replaced)
            try:
                beside.rename(folder)
            except OSError:
                with suppress(OSError):  # there may be nothing to restore
                    replaced.rename(folder)
                raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        shutil.rmtree(replaced, ignore_errors=True)


def _check_place(folder: Path) -> None:
    """Refuse to replace anything but a saved model."""
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / MODEL).exists()):
        raise OutputError(f"{folder} exists but is not a saved model; choose another folder")
    others = sorted(path.name for path in folder.iterdir() if path.name not in _NAMES)
    if others:
        raise OutputError(f"{folder} contains {others[0]!r}, which would be lost; move it or choose another folder")


def _write_names(path: Path, names: Any) -> None:
    from safetensors.numpy import save as as_bytes

    with written_whole(path) as beside:
        beside.write_bytes(as_bytes({"vectors": np.stack([names[name] for name in sorted(names)])}))


def _write_documents(path: Path, documents: Documents, index: Index) -> None:
    """Write the texts that the model was fitted on; refuse others, because their file may have changed."""
    encode = json.JSONEncoder(ensure_ascii=False).encode  # created once, because there may be millions of texts
    texts, digests = documents.texts(), []
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for part in index.parts:
            digest = hashlib.sha256()
            for text in islice(texts, part.documents):
                digest.update(text_digest(text))
                file.write(f'{{"text": {encode(text)}}}\n')
            digests.append(digest.hexdigest())
    if digests != [part.sha256 for part in index.parts] or next(texts, None) is not None:
        raise CorpusError(f"the corpus {documents.name!r} has changed since the model was fitted; fit again")


# Reading


def load(folder: Path, embedding_model: Any, reader: Any, tokenizer: Tokenizer | None, cache: Any) -> Saved:
    """Load a saved model; file names are defined here and never taken from the folder."""
    about = _read_about(folder)
    try:
        return _loaded(folder, about, embedding_model, reader, tokenizer, cache)
    except SeeTopicError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{folder} is damaged ({error}); save the model again") from error


def _read_about(folder: Path) -> dict[str, Any]:
    path = folder / MODEL
    if not path.is_file():
        raise OutputError(f"{folder} is not a saved model: {_what_it_is(folder)}")
    try:
        about = read_json(path)
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} cannot be read ({error}); save the model again") from error
    saved = about.get("format")
    if not isinstance(saved, int) or isinstance(saved, bool) or saved < 1:
        raise OutputError(f"{path} has no format version; save the model again")
    if saved > FORMAT:
        raise OutputError(
            f"{folder} was saved in format {saved}, but this version of seetopic ({__version__}) only reads formats up "
            f"to {FORMAT}; upgrade with: pip install --upgrade seetopic"
        )
    return about


def _what_it_is(folder: Path) -> str:
    """What a folder without a model contains instead, and what to do with it."""
    if layout.is_index(folder):
        return "it is an index; fit on it: SeeTopic(names).fit(folder)"
    if folder.is_file():
        return "it is a file; give the folder that `model.save(folder)` wrote"
    if (folder / _TOPICS).is_file():
        return "it contains topics without an index; load them with Topics.load(folder)"
    return f"it has no {MODEL}; create one with `model.save(folder)`"


def _loaded(
    folder: Path, about: dict[str, Any], embedding_model: Any, reader: Any, tokenizer: Any, cache: Any
) -> Saved:
    for part in (_TOPICS, SORTER, f"{INDEX}/{layout.MANIFEST}"):
        _check_part(folder, about, part)
    if about["tokenizer"] != tokenizer_name(tokenizer or tokenize):
        raise SettingsError(
            f"the model was fitted with the tokenizer {about['tokenizer']!r:.100}; "
            "pass the same one: SeeTopic.load(folder, tokenizer=...)"
        )
    seeds, topics = _seeds(about["seeds"]), Topics.load(folder)
    sorter = Sorter.load(folder, tokenizer=tokenizer or tokenize)
    if not seeds.labels == sorter.names == tuple(topic.label for topic in topics):
        raise ValueError("its names, topics and sorter come from different models")
    names = _names(folder, about, seeds)
    index = Index.open(folder / INDEX, tokenizer=tokenizer or tokenize, cache=cache)
    model, reads = _model_of(index, embedding_model, names), _reader_of(index, reader)
    options = {"embedding_model": model, "reader": reads, "tokenizer": tokenizer or tokenize, "cache": cache}
    index = Index.open(folder / INDEX, **options)
    params = {**_params(about["settings"]), "seeds": seeds, "reader": reads}
    params["embedding_model"] = model if isinstance(model, UnnamedModel) else embedding_model
    documents = _documents(folder, about)
    given = FittedOn(documents, Ready(names=names), _judgements(folder, about))
    return Saved(params, seeds, index, Learned(topics, sorter), given)


def _check_part(folder: Path, about: dict[str, Any], part: str) -> None:
    path = folder / part
    if not path.is_file() or sha256_of(path) != about["files"][part]:
        raise OutputError(f"{path} is missing or has changed since it was saved; save the model again")


def _params(saved: dict[str, Any]) -> dict[str, Any]:
    """The parameters, with their types checked; their values are checked as for any model."""
    if set(saved) != {*_PARAMS, "preset"}:
        raise ValueError("its settings do not match its format")
    for name, kinds in _PARAMS.items():
        value = saved[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise TypeError(f"its setting {name} is invalid: {value!r:.60}")
    preset = saved["preset"] if isinstance(saved["preset"], str) else settings_from(saved["preset"])
    params = {**saved, "preset": preset}
    settings_from_parameters(*(params[name] for name in ("preset", "top", "min_count", "language", "random_state")))
    return params


def _seeds(saved: list[dict[str, Any]]) -> Seeds:
    if not all(isinstance(each["names"], list) for each in saved):
        raise TypeError("its names do not match its format")
    negative = [without_pinned(each.get("negative", []), each.get("pinned", [])) for each in saved]
    return as_seeds([{**each, "negative": own} for each, own in zip(saved, negative, strict=True)])


def _names(folder: Path, about: dict[str, Any], seeds: Seeds) -> dict[str, Floats]:
    """The vectors that were given for names."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    listed = about["ready_names"]
    if not isinstance(listed, list) or not set(listed) <= set(seeds.names):
        raise ValueError("it has vectors for unknown names")
    if not listed:
        return {}
    _check_part(folder, about, NAMES)
    try:
        vectors = load_file(folder / NAMES)["vectors"]
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    return dict(zip(listed, unit_rows(vectors, listed), strict=True))


def _model_of(index: Index, embedding_model: Any, names: dict[str, Floats]) -> Any:
    """The model that encodes new names."""
    made_with = index.manifest["model"]
    if made_with["name"] == EMBEDDED_NAME and embedding_model is None:
        return None
    if made_with["name"] == ReadyVectors({}).name:
        others = None if embedding_model is None else encoder_for(embedding_model, precision=index.settings.precision)
        return ReadyVectors(names, others)
    return UnnamedModel(made_with["name"]) if embedding_model is None else embedding_model


def _reader_of(index: Index, reader: Any) -> Any:
    """The model that reads documents, if it is not that of the terms."""
    if reader is not None or not index.has_reader or index.manifest["reader"]["name"] == EMBEDDED_NAME:
        return reader
    return UnnamedModel(index.manifest["reader"]["name"], "reader")


def _judgements(folder: Path, about: dict[str, Any]) -> Judgements:
    if _JUDGEMENTS not in about["files"]:
        return Judgements()
    _check_part(folder, about, _JUDGEMENTS)
    return read_judgements(folder / _JUDGEMENTS)


def _documents(folder: Path, about: dict[str, Any]) -> Documents | None:
    path = folder / DOCUMENTS
    title = str(about["corpus"])[:200]
    return Documents(path, format="jsonl", title=title) if path.is_file() else None
