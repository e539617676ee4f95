"""The folder of an index: its file names, its manifest, and the checks that it is complete."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seetopic.errors import DamagedIndex, IndexFailure
from seetopic.runtime import Header, LongArray, blocks, is_intact_file, linked, read_header, write_text
from seetopic.settings import LANGUAGES
from seetopic.text import Tokenizer, tokenize
from seetopic.version import __version__


def key_of(*parts: Any) -> str:
    """A hash of values that JSON can represent."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def tokenizer_name(tokenizer: Tokenizer) -> str:
    """`default`, the tokenizer's `name` attribute, or its qualified function name."""
    if tokenizer is tokenize:
        return "default"
    if isinstance(named := getattr(tokenizer, "name", None), str):
        return named
    kind = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
    return f"{getattr(kind, '__module__', 'builtins')}.{kind.__qualname__}"  # `str.split` has no module


_HEAD = 1 << 12  # bytes, enough for the header of any array
Check: TypeAlias = Callable[[Any], bool]  # whether an array is valid


def read_array(
    path: Path, dtype: type[np.generic], dimensions: int, *checks: Check, data: NDArray[np.uint8] | None = None
) -> Any:
    """An array of this type that passes all checks, in memory; `data` is the file's content, if already read."""
    read = np.fromfile(path, np.uint8) if data is None else data
    try:
        header = _header(io.BytesIO(read[:_HEAD].tobytes()), len(read), np.dtype(dtype), dimensions)
    except ValueError as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    return _passed(header.shaped(read[header.start :].view(dtype)), path, checks)


def read_long_array(path: Path, file: io.FileIO, dtype: type[np.generic], *checks: Check) -> Any:
    """A one-dimensional array that passes all checks and stays on disk; its values are checked as they are read."""
    each = [check for check in checks if isinstance(check, _Within)]
    try:
        header = _header(file, path.stat().st_size, np.dtype(dtype), 1)
    except ValueError as error:
        file.close()
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    array = LongArray(file, header, str(path), lambda part: all(check(part) for check in each))
    return _passed(array, path, [check for check in checks if check not in each])


def _header(file: IO[bytes], size: int, dtype: np.dtype[Any], dimensions: int) -> Header:
    """The header of an array file, checked before any data is read."""
    header = read_header(file)
    if header.dtype != dtype or len(header.shape) != dimensions or header.by_columns:
        raise ValueError("it contains an array of the wrong type or shape")
    if header.end != size:
        raise ValueError("its size does not match its header")
    return header


def _passed(array: Any, path: Path, checks: Sequence[Check]) -> Any:
    if not all(check(array) for check in checks):
        raise DamagedIndex(f"{path} does not match the other files of the index; build the index again")
    return array


def read_words(path: Path) -> tuple[str, ...]:
    """A list of distinct strings."""
    try:
        words = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    if not isinstance(words, list) or set(map(type, words)) - {str} or len(set(words)) < len(words):
        raise DamagedIndex(f"{path} is not a list of distinct strings; build the index again")
    return tuple(words)


def read_lists(path: Path) -> tuple[tuple[str, ...], ...]:
    """A list of lists of strings."""
    try:
        lists = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    fine = isinstance(lists, list) and all(isinstance(each, list) for each in lists)
    if not fine or not all(isinstance(text, str) for each in lists for text in each):
        raise DamagedIndex(f"{path} is not a list of lists of strings; build the index again")
    return tuple(map(tuple, lists))


def of_length(length: int) -> Check:
    return lambda array: len(array) == length


@dataclass(frozen=True)
class _Within:
    low: int
    high: int

    def __call__(self, array: Any) -> bool:
        filled = (block for _, block in blocks(array) if block.size)  # few documents have no neighbours
        return all(bool(self.low <= block.min() and block.max() < self.high) for block in filled)


def within(low: int, high: int) -> Check:
    """Every value is at least `low` and less than `high`."""
    return _Within(low, high)


def bounds(parts: int | None = None, end: int | None = None) -> Check:
    """Valid start positions of consecutive parts, and the end of the last one; `parts` is their number, if known."""

    def check(array: Any) -> bool:
        if not len(array) or array[0] != 0 or parts not in (None, len(array) - 1):
            return False
        return bool((end is None or array[-1] == end) and (array[1:] >= array[:-1]).all())

    return check


def ascending(array: Any) -> bool:
    """Every value is greater than the one before."""
    return all(bool((np.diff(block) > 0).all()) for _, block in blocks(array, overlap=1))


def finite(array: Any) -> bool:
    """All values are finite; computed without a second array."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()))


FORMAT = 7
_OLDEST = 5  # that can still be read
_SHA256 = re.compile("[0-9a-f]{64}")  # a manifest may come from anywhere and contain any text here
# A manifest that another program has rewritten lacks this last line and cannot be checked.
_SEALED = re.compile(rb'(.*)\n "seal": "([0-9a-f]{64})"\n\}\n', re.DOTALL)
_LARGE = 1 << 24  # bytes above which reading a whole file takes noticeable time
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
THEMES = "themes.npy"
SAMPLE_NEIGHBOURS = "sample_neighbours.npy"
SAMPLE_LIKENESS = "sample_likeness.npy"
COLUMNS = "columns.json"
COLUMN_VALUES = "column_values.npy"
COLUMN_STARTS = "column_starts.npy"
COLUMN_FILES = (COLUMNS, COLUMN_VALUES, COLUMN_STARTS)
SAMPLE = (SAMPLE_STARTS, SAMPLE_TERMS, SAMPLE_GENERAL)
FILES = (
    *(TERMS, TERM_COUNTS, DOCUMENTS, DOCUMENT_STARTS, WORDS, TEXTS, TEXT_STARTS),
    *(*POSTINGS, GENERAL, LOCAL, VARIANTS, SAMPLE_DOCUMENTS, *SAMPLE, SAMPLE_TEXTS),
    *(THEMES, SAMPLE_NEIGHBOURS, SAMPLE_LIKENESS, *COLUMN_FILES),
)
# The formats since which these files exist; in an older index, what they contain is computed when it is needed.
_SINCE = {SAMPLE_NEIGHBOURS: 6, SAMPLE_LIKENESS: 7}
_NAMES = "|".join(map(re.escape, (MANIFEST, *FILES)))
# Files of an index, partial files of killed programs, and files that file managers create.
_OWN = re.compile(rf"({_NAMES})|\.({_NAMES})\.\d+\.part|\.DS_Store|Thumbs\.db|desktop\.ini")


def files_of(manifest: dict[str, Any]) -> tuple[str, ...]:
    """The names of an index's files, which depend on its format."""
    return tuple(name for name in FILES if manifest["format"] >= _SINCE.get(name, _OLDEST))


def manifest(*, folder: Path, digests: dict[str, str], **facts: Any) -> dict[str, Any]:
    """What the index was built from and what it contains; identical for two builds from the same input.

    `digests` has the SHA-256 of every file at the time it was written, so that later damage is noticed.
    """
    value = {"format": FORMAT, "version": __version__, **facts}
    sizes = {name: (folder / name).stat().st_size for name in files_of(value)}
    return {**value, "files": {name: {"bytes": size, "sha256": digests[name]} for name, size in sizes.items()}}


def write_manifest(path: Path, value: dict[str, Any]) -> None:
    """Write the manifest as JSON whose last line is a checksum of everything before it."""
    text = json.dumps(value, ensure_ascii=False, indent=1).removesuffix("\n}") + ","
    write_text(path, f'{text}\n "seal": "{hashlib.sha256(text.encode()).hexdigest()}"\n}}\n')


def resolved(folder: Path) -> Path:
    """The real path of an index; links are followed, because an update replaces the folder itself."""
    if folder.name in ("", ".."):
        raise IndexFailure(f"'{folder}' is not a folder name; choose one such as topics/index")
    if folder.is_symlink() and not folder.exists():
        raise IndexFailure(f"{folder} is a link to a folder that does not exist; create the folder, or remove the link")
    return folder.resolve() if folder.is_symlink() else folder


def may_be_index(folder: Path) -> bool:
    """Whether a folder is empty or has files of an index; a manifest is not enough, because many folders have one."""
    return not any(folder.iterdir()) or any((folder / name).exists() for name in FILES)


def others_in(folder: Path) -> list[str]:
    """The names of entries in a folder that do not belong to an index."""
    return sorted(path.name for path in folder.iterdir() if not _OWN.fullmatch(path.name))


def building(out: Path) -> Path:
    """The folder in which the index `out` is built."""
    return out.with_name(f".{out.name}.building")


def replaced(out: Path) -> Path:
    """Where an index is moved when it is replaced, on systems that cannot exchange two folders."""
    return out.with_name(f".{out.name}.replaced")


def place_of(folder: Path) -> Path:
    """Where the index is: in its folder or, while it is being replaced, beside it."""
    if not folder.exists():
        with suppress(OSError, ValueError):  # the longer name may not be allowed
            if (replaced(folder) / MANIFEST).is_file():
                return replaced(folder)
    return folder


def copy_files(source: Path, target: Path) -> None:
    """Link or copy an index; its files are never changed, only replaced, so folders on one disk can share them."""
    files = files_of(read_manifest(source))  # refuses an index with missing files
    target.mkdir()
    for name in (MANIFEST, *files):
        linked(source / name, target / name)


def is_index(folder: str | Path) -> bool:
    """Whether the folder contains an index or is just being replaced; False for anything that cannot be a path."""
    try:
        return (place_of(Path(folder)) / MANIFEST).is_file()
    except (OSError, ValueError):
        return False


def put_back(out: Path) -> None:
    """Undo a replacement that was interrupted after the old index was moved away."""
    if place_of(out) != out:
        replaced(out).rename(out)


def clear_replaced(out: Path) -> None:
    """Remove the old index after it was replaced."""
    if (replaced(out) / MANIFEST).exists():
        shutil.rmtree(replaced(out), ignore_errors=True)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an index whose files all exist with the right size; contents are checked when they are read."""
    while True:
        place, text = _manifest_of(folder)
        try:
            value = _parsed(text, place / MANIFEST)
            _check_sizes(place, value)
            return value
        except DamagedIndex:
            # If the index was replaced in the meantime, the manifest may be the old one and the files the new ones.
            if _manifest_of(folder) == (place, text):
                raise


def _manifest_of(folder: Path) -> tuple[Path, bytes]:
    """Where the index is, and the bytes of its manifest."""
    for _ in range(2):  # it may be moved beside its folder after `place_of` has looked
        place = place_of(folder)
        with suppress(FileNotFoundError):
            if (place / MANIFEST).is_file():
                return place, (place / MANIFEST).read_bytes()
    raise IndexFailure(f"{folder} is not an index: it has no {MANIFEST}; build one with `seetopic index`")


def _parsed(text: bytes, path: Path) -> dict[str, Any]:
    sealed = _SEALED.fullmatch(text)
    if sealed is not None and hashlib.sha256(sealed[1]).hexdigest() != sealed[2].decode():
        raise DamagedIndex(f"{path} is damaged: its checksum does not match; build the index again")
    try:
        value = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedIndex(f"{path} is damaged ({error}); build the index again") from error
    if not isinstance(value, dict) or "format" not in value:
        raise DamagedIndex(f"{path} is damaged (it has no format version); build the index again")
    if value["format"] not in range(_OLDEST, FORMAT + 1):
        raise IndexFailure(
            f"{path.parent} has index format {value['format']}, but this version of seetopic ({__version__}) reads "
            f"formats {_OLDEST} to {FORMAT}; build the index again, or use the version that built it"
        )
    _check_shape(value, path)
    value.pop("seal", None)
    return value


def _check_sizes(place: Path, value: dict[str, Any]) -> None:
    for name in files_of(value):
        file = place / name
        size = file.stat().st_size if file.is_file() else -1
        if size != value["files"][name]["bytes"]:
            found = "is missing" if size < 0 else f"has {size} bytes instead of {value['files'][name]['bytes']}"
            raise DamagedIndex(f"{file} {found}; build the index again")


def _check_shape(value: dict[str, Any], path: Path) -> None:
    try:
        fine = (
            all(isinstance(value["files"][name]["bytes"], int) for name in files_of(value))
            and all(isinstance(value["files"][name]["sha256"], str) for name in files_of(value))
            and all(isinstance(value["corpus"][count], int) for count in ("documents", "tokens", "terms"))
            and set(value["corpus"]["languages"]) <= set(LANGUAGES)
            and all(isinstance(sentence, str) for sentence in value["corpus"]["warnings"])
            and all(isinstance(value["corpus"][fact], str) for fact in ("name", "sha256"))
            and isinstance(value["corpus"]["skipped"], dict)
            and all(_is_part(part) for part in value["corpus"]["parts"])
            and isinstance(value["document_vectors"], str | None)
            and all(_is_model(value[kind]) for kind in ("model", "reader") if kind in value)
            and "model" in value
            and isinstance(value["settings"], dict)
            and all(isinstance(value[fact], str) for fact in ("key", "tokenizer"))
        )
    except (KeyError, TypeError) as error:
        raise DamagedIndex(f"{path} is damaged (it lacks {error}); build the index again") from error
    if not fine:
        raise DamagedIndex(f"{path} is damaged (a value has the wrong type); build the index again")


def _is_model(value: dict[str, Any]) -> bool:
    return isinstance(value["name"], str) and isinstance(value["fingerprint"], str | None)


def _is_part(value: dict[str, Any]) -> bool:
    return (
        set(value) == {"name", "sha256", "documents", "first", "skipped"}
        and all(isinstance(value[fact], str) for fact in ("name", "sha256"))
        and all(type(value[fact]) is int and 0 <= value[fact] < 2**63 for fact in ("documents", "first"))
        and isinstance(value["skipped"], dict)
        and all(type(count) is int for count in value["skipped"].values())
    )


def check_contents(folder: Path, name: str, expected: str, remembered: Path | None = None) -> None:
    """Refuse a file whose bytes have changed since it was written.

    For a large file, the folder `remembered` records that it was intact; it is read again only after a change.
    """
    open_contents(folder, name, expected, remembered).close()


def open_contents(folder: Path, name: str, expected: str, remembered: Path | None = None) -> io.FileIO:
    """The opened file, checked as by `check_contents`; a file that replaces it later is not read."""
    with ExitStack() as unless_whole:
        file = unless_whole.enter_context(io.FileIO(folder / name))
        _check(folder / name, file, lambda: hashlib.file_digest(file, "sha256").hexdigest(), expected, remembered)
        unless_whole.pop_all()
    file.seek(0)
    return file


def read_contents(folder: Path, name: str, expected: str, remembered: Path | None = None) -> NDArray[np.uint8]:
    """The bytes of the file, checked as by `check_contents`; read-only."""
    with io.FileIO(folder / name) as file:
        data = np.fromfile(file, np.uint8)
        _check(folder / name, file, lambda: hashlib.sha256(data.data).hexdigest(), expected, remembered)
        if len(data) != os.fstat(file.fileno()).st_size:
            raise DamagedIndex(f"{folder / name} was truncated while it was being read; build the index again")
    data.flags.writeable = False
    return data


def is_large(folder: Path, name: str) -> bool:
    """Whether reading the whole file takes noticeable time or memory."""
    return (folder / name).stat().st_size >= _LARGE


def _check(path: Path, file: io.FileIO, digest: Callable[[], str], expected: str, remembered: Path | None) -> None:
    is_noted = os.fstat(file.fileno()).st_size >= _LARGE and _SHA256.fullmatch(expected)
    if not is_intact_file(file, digest, expected, remembered / expected if remembered and is_noted else None):
        raise DamagedIndex(f"{path} is damaged: its checksum does not match the manifest; build the index again")


def is_intact(folder: Path) -> bool:
    """Whether the folder contains a complete and undamaged index; reads every file."""
    try:
        return not damaged_files(folder, read_manifest(folder))
    except IndexFailure:
        return False


def damaged_files(folder: Path, manifest: dict[str, Any], remembered: Path | None = None) -> list[str]:
    """The names of all damaged files; records that they were intact are removed."""
    found = []
    for name in files_of(manifest):
        expected = manifest["files"][name]["sha256"]
        try:
            check_contents(folder, name, expected)
        except (DamagedIndex, OSError):  # a failing disk raises an error instead
            found.append(name)
            if remembered is not None and _SHA256.fullmatch(expected):
                with suppress(OSError):
                    (remembered / expected).unlink(missing_ok=True)
    return found
