"""Formats of files, and which files of a folder are documents."""

from __future__ import annotations

from pathlib import Path, PurePath, PurePosixPath

import orjson

from seetopic.corpus.storage import Files, StoredFile, local_file
from seetopic.errors import CorpusError

FORMATS = ("txt", "md", "jsonl", "json", "csv", "tsv", "parquet", "xlsx", "arrow")
TEXTS = ("txt", "md")  # formats without columns; a Markdown file is one document
_ENDINGS = {**{f".{name}": name for name in FORMATS}, ".ndjson": "jsonl", ".markdown": "md"}
_TABLES = ("parquet", "jsonl", "json", "csv", "tsv", "xlsx")  # read from a folder, if it has no .txt files


def format_of(path: PurePath) -> str:
    """The format by a file's extension; an unknown extension is refused."""
    ending = PurePath(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix
    if ending.lower() not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise CorpusError(
            f"{path} has the unsupported extension {ending!r}; use one of {known} (optionally followed by .gz), "
            "or specify --format (in Python: Documents(path, format=...))"
        )
    return _ENDINGS[ending.lower()]


def text_files(folder: Path) -> list[Path]:
    """The .txt files of a folder and its subfolders, sorted, or its .md files if it has none; no hidden ones."""
    files = _visible_files(folder)
    found = ([file for file in files if _ENDINGS.get(file.suffix.lower()) == each] for each in TEXTS)
    return next(filter(None, found), [])


def _visible_files(folder: Path) -> list[Path]:
    found = (file for file in folder.rglob("*") if file.is_file())
    return sorted(file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts))


def files_in(folder: Path) -> tuple[list[StoredFile], str | None]:
    """The files of a folder and their format: texts, tables of one format, or a dataset of the `datasets` library."""
    if (folder / "dataset_dict.json").is_file():
        splits = ", ".join(sorted(each.parent.name for each in folder.glob("*/state.json")))
        raise CorpusError(f"{folder} is a dataset with several splits ({splits}); give the folder of one of them")
    if (folder / "state.json").is_file():
        return _dataset_files(folder), "arrow"
    files = _visible_files(folder)
    formats = [known for file in files if (known := _known_format(file)) is not None]
    tables = [name for name in _TABLES if name in formats]
    if "txt" not in formats and tables:  # a README.md often lies beside tables
        if len(tables) > 1:
            if set(tables) == {"json", "csv"}:
                refuse_topics(folder)
            raise CorpusError(
                f"the folder {folder} contains files of different formats ({', '.join(tables)}); "
                f"choose some with a pattern, such as {folder}/*.{tables[0]}"
            )
        chosen, file_format = [file for file in files if _known_format(file) == tables[0]], tables[0]
    else:
        chosen, file_format = text_files(folder), None
    if not chosen:
        raise CorpusError(
            f"the folder {folder} contains no documents; give a file, or a folder with .txt, .md or .parquet files"
        )
    return [local_file(file, str(file.relative_to(folder))) for file in chosen], file_format


def refuse_topics(folder: Path) -> None:
    """Refuse the folder that `discover --out` wrote where its documents or their index are meant."""
    if (folder / "topics.json").is_file() and (folder / "topics.csv").is_file():
        raise CorpusError(
            f"{folder} is a folder of topics; give the documents that they were found in, or the index of these "
            "documents (`seetopic index DOCS --out INDEX` builds one)"
        )


def _dataset_files(folder: Path) -> list[StoredFile]:
    """The files of a dataset in the order that it lists them; names with a folder are not followed."""
    try:
        listed = [each["filename"] for each in orjson.loads((folder / "state.json").read_bytes())["_data_files"]]
        return [local_file(folder / name) for name in listed if PurePath(name).name == name]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CorpusError(f"{folder / 'state.json'} does not list the files of a dataset; save it again") from error


def _known_format(file: Path) -> str | None:
    try:
        return format_of(file)
    except CorpusError:
        return None


def one_format(files: Files) -> str:
    formats = {format_of(PurePosixPath(file.name)) for file in files.files}
    if len(formats) > 1:
        raise CorpusError(
            f"{files.name} matches files of different formats ({', '.join(sorted(formats))}); give files of one format"
        )
    return formats.pop()
