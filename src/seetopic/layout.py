"""An index's folder: the names of its files, its manifest, and the checks that it is whole."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from seetopic.errors import DamagedIndex, IndexFailure, OutputError
from seetopic.files import sha256_of, write_text
from seetopic.settings import LANGUAGES
from seetopic.version import __version__

FORMAT = 3
_SHA256 = re.compile("[0-9a-f]{64}")  # a manifest may be of any origin, and hold any text in its place
_LARGE = 1 << 24  # bytes of a file that takes time to be read as a whole
MANIFEST = "manifest.json"
TERMS = "terms.json"
TERM_COUNTS = "term_counts.npy"
DOCUMENTS = "documents.npy"
DOCUMENT_STARTS = "document_starts.npy"
WORDS = "words.json"
TEXTS = "texts.npy"
TEXT_STARTS = "text_starts.npy"
POSTINGS = ("posting_starts.npy", "posting_documents.npy", "posting_counts.npy")
GENERAL = "general.npy"
LOCAL = "local.npy"
VARIANTS = "variants.npy"
SAMPLE_DOCUMENTS = "sample_documents.npy"
SAMPLE_STARTS = "sample_starts.npy"
SAMPLE_TERMS = "sample_terms.npy"
SAMPLE_GENERAL = "sample_general.npy"
SAMPLE_TEXTS = "sample_texts.json"
SAMPLE = (SAMPLE_STARTS, SAMPLE_TERMS, SAMPLE_GENERAL)
FILES = (
    *(TERMS, TERM_COUNTS, DOCUMENTS, DOCUMENT_STARTS, WORDS, TEXTS, TEXT_STARTS),
    *(*POSTINGS, GENERAL, LOCAL, VARIANTS, SAMPLE_DOCUMENTS, *SAMPLE, SAMPLE_TEXTS),
)
_NAMES = "|".join(map(re.escape, (MANIFEST, *FILES)))
# An index's files, what a killed program left of them, and what file managers put into any folder.
_OWN = re.compile(rf"({_NAMES})|\.({_NAMES})\.\d+\.part|\.DS_Store|Thumbs\.db|desktop\.ini")


def manifest(*, folder: Path, **facts: Any) -> dict[str, Any]:
    """What the index was made from and of; nothing that differs between two builds from the same input."""
    files = {name: {"bytes": (folder / name).stat().st_size, "sha256": sha256_of(folder / name)} for name in FILES}
    return {"format": FORMAT, "version": __version__, **facts, "files": files}


def place_of(folder: Path) -> Path:
    """Where an index really lies, or will: a link is followed, for it is the folder that gives way to a new one."""
    if folder.name in ("", ".."):
        raise IndexFailure(f"'{folder}' is not the name of a folder; give one, such as topics/index")
    if folder.is_symlink() and not folder.exists():
        raise IndexFailure(f"{folder} is a link to a folder that does not exist; make that, or remove the link")
    return folder.resolve() if folder.is_symlink() else folder


def may_be_index(folder: Path) -> bool:
    """Whether a folder is empty, or holds what an index does, whole or not: a manifest is in many folders."""
    return not any(folder.iterdir()) or any((folder / name).exists() for name in FILES)


def others_in(folder: Path) -> list[str]:
    """The names of what is in a folder and belongs to no index."""
    return sorted(path.name for path in folder.iterdir() if not _OWN.fullmatch(path.name))


def building(out: Path) -> Path:
    """The folder in which an index is built that will be `out`."""
    return out.with_name(f".{out.name}.building")


def replaced(out: Path) -> Path:
    """Where the index is put that gives way to a new one, on systems where two folders cannot change places."""
    return building(out) / "replaced"


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a whole index; every file is there with the right size, contents are checked when read."""
    path = folder / MANIFEST
    if not folder.exists() and replaced(folder).exists():
        raise IndexFailure(
            f"the program ended while another index took the place of {folder}; rename {replaced(folder)} to {folder}"
        )
    if not folder.is_dir() or not path.is_file():
        raise IndexFailure(f"{folder} is no index: it has no {MANIFEST}; build one with `seetopic index`")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedIndex(f"{path} is damaged ({error}); build the index again") from error
    if not isinstance(value, dict) or "format" not in value:
        raise DamagedIndex(f"{path} is damaged (it states no format); build the index again")
    if value["format"] != FORMAT:
        raise IndexFailure(
            f"{folder} has index format {value['format']}, but this seetopic ({__version__}) reads format {FORMAT}; "
            "build the index again, or use the version that made it"
        )
    _check_shape(value, path)
    for name in FILES:
        file = folder / name
        size = file.stat().st_size if file.is_file() else -1
        if size != value["files"][name]["bytes"]:
            found = "is missing" if size < 0 else f"has {size} bytes instead of {value['files'][name]['bytes']}"
            raise DamagedIndex(f"{file} {found}; build the index again")
    return value


def _check_shape(value: dict[str, Any], path: Path) -> None:
    try:
        fine = (
            all(isinstance(value["files"][name]["bytes"], int) for name in FILES)
            and all(isinstance(value["files"][name]["sha256"], str) for name in FILES)
            and all(isinstance(value["corpus"][count], int) for count in ("documents", "tokens", "terms"))
            and set(value["corpus"]["languages"]) <= set(LANGUAGES)
            and all(isinstance(sentence, str) for sentence in value["corpus"]["warnings"])
            and all(isinstance(value["corpus"][fact], str) for fact in ("name", "sha256"))
            and isinstance(value["corpus"]["skipped"], dict)
            and all(_is_part(part) for part in value["corpus"]["parts"])
            and isinstance(value["document_vectors"], str | None)
            and isinstance(value["model"]["name"], str)
            and isinstance(value["model"]["fingerprint"], str | None)
            and isinstance(value["settings"], dict)
            and all(isinstance(value[fact], str) for fact in ("key", "tokenizer"))
        )
    except (KeyError, TypeError) as error:
        raise DamagedIndex(f"{path} is damaged (it lacks {error}); build the index again") from error
    if not fine:
        raise DamagedIndex(f"{path} is damaged (a value has the wrong type); build the index again")


def _is_part(value: dict[str, Any]) -> bool:
    return (
        set(value) == {"name", "sha256", "documents", "first", "skipped"}
        and all(isinstance(value[fact], str) for fact in ("name", "sha256"))
        and all(type(value[fact]) is int and 0 <= value[fact] < 2**63 for fact in ("documents", "first"))
        and isinstance(value["skipped"], dict)
        and all(type(count) is int for count in value["skipped"].values())
    )


def check_contents(folder: Path, name: str, expected: str, remembered: Path | None = None) -> None:
    """Refuse a file whose bytes are not those that were written.

    Of a large file it is `remembered` in a folder that it was whole: it is read as a whole again only after it changed.
    """
    path = folder / name
    seen = path.stat()
    note = None
    if remembered is not None and seen.st_size >= _LARGE and _SHA256.fullmatch(expected):
        note = remembered / expected
    if note is not None and _noted(note) == _state(seen):
        return
    if sha256_of(path) != expected:
        raise DamagedIndex(f"{path} is damaged: its checksum is not the manifest's; build the index again")
    if note is not None:
        with suppress(OutputError):  # where nothing can be remembered, it is checked again
            write_text(note, _state(seen))


def _state(seen: os.stat_result) -> str:
    """What differs when a file has been written, or is another one."""
    return f"{seen.st_dev} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"


def _noted(note: Path) -> str | None:
    try:
        return note.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def is_intact(folder: Path) -> bool:
    """Whether the folder holds a whole index, to the last byte."""
    try:
        files = read_manifest(folder)["files"]
        for name in FILES:
            check_contents(folder, name, files[name]["sha256"])
    except IndexFailure:
        return False
    return True
