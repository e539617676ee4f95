"""Uploaded files: limited in size, checked, and stored under ids that the server chooses."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import zlib
from collections.abc import AsyncIterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from seetopic.corpus import format_of, local_file, parquet_file, unpacked_bytes
from seetopic.errors import CorpusError
from seetopic.runtime import writing
from seetopic.web.database import Database, new_id, now
from seetopic.web.errors import Missing, TooLarge
from seetopic.web.limits import LETTERS, LONGEST_LINE, UploadLimits
from seetopic.web.schemas import Frozen
from seetopic.web.served_folder import is_readable
from seetopic.web.workbooks import check_workbook

_CHUNK = 1 << 20
_MARK = ".seetopic-upload"  # in every folder created here; contains the name of the file
_PART = ".part"
_UNUSED = 86_400  # seconds
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]+")


class Upload(Frozen):
    """A completely uploaded file."""

    id: str
    name: str
    bytes: int


@dataclass(frozen=True)
class Uploads:
    """All uploads; each is in a folder named by its id, under a safe form of its name."""

    database: Database
    folder: Path
    limits: UploadLimits
    receiving: set[str]  # ids of uploads in progress, which count too
    _counting: Lock = field(default_factory=Lock, repr=False, compare=False)

    async def receive(self, name: str, chunks: AsyncIterable[bytes], announced: int | None) -> Upload:
        """Store an upload; if it is too large, incomplete or not documents, reject it and delete everything."""
        safe = file_name(name)
        most = self.limits.file_bytes
        if announced is not None and announced > most:
            raise TooLarge(f"{safe} is {announced:,} bytes, but at most {most:,} can be uploaded; upload part of it")
        made = await asyncio.to_thread(self._place)
        home = self.folder / made
        target = home / safe
        part = home / _PART
        try:
            with writing(target):
                home.mkdir(parents=True)
                (home / _MARK).write_text(safe, encoding="utf-8")
                size = await self._write(part, chunks, safe)
                if announced is not None and size != announced:
                    raise CorpusError(f"only {size:,} of {announced:,} bytes of {safe} arrived; upload it again")
                await asyncio.to_thread(check_contents, part, safe, most * self.limits.unpacked)
                part.replace(target)
            self.database.insert("uploads", id=made, name=safe, bytes=size, created=now())
        except BaseException:
            _remove(home, safe)
            raise
        finally:
            self.receiving.discard(made)
        return Upload(id=made, name=safe, bytes=size)

    def _place(self) -> str:
        """An id for a new file, if there is room."""
        with self._counting:  # or two simultaneous uploads could both take the last slot
            if self._held() >= self.limits.files:
                self.tidy()
            held = self._held()
            if held >= self.limits.files:
                raise TooLarge(f"there are already {held} uploaded files, which is the limit; remove a corpus first")
            made = new_id()
            self.receiving.add(made)
        return made

    def _held(self) -> int:
        return len(self.receiving.union(row["id"] for row in self.database.all("SELECT id FROM uploads")))

    def tidy(self) -> None:
        """Delete incomplete uploads left by a crash, and uploads not made into a corpus within a day."""
        sources = (json.loads(row["source"]) for row in self.database.all("SELECT source FROM corpora"))
        used = {source.get("id") for source in sources}
        for row in self.database.all("SELECT id FROM uploads WHERE created < ?", (now() - _UNUSED,)):
            if row["id"] not in used:
                self.remove(row["id"])
        kept = self.receiving.union(row["id"] for row in self.database.all("SELECT id FROM uploads"))
        for mark in self.folder.glob(f"*/{_MARK}"):
            if mark.parent.name not in kept and not mark.parent.is_symlink():
                _remove(mark.parent, _marked(mark))

    async def _write(self, part: Path, chunks: AsyncIterable[bytes], name: str) -> int:
        size = 0
        with part.open("wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > self.limits.file_bytes:
                    raise TooLarge(f"{name} is larger than {self.limits.file_bytes:,} bytes; upload part of it")
                file.write(chunk)
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())  # may take seconds; other requests are served meanwhile
        return size

    def path(self, upload: str) -> Path:
        row = self.database.one("SELECT name FROM uploads WHERE id = ?", (upload,))
        if row is None:
            raise Missing(f"there is no uploaded file {upload[:40]!r}; upload it again")
        return self.folder / upload / str(row["name"])

    def remove(self, upload: str) -> None:
        row = self.database.one("SELECT name FROM uploads WHERE id = ?", (upload,))
        if row is not None and self.database.do("DELETE FROM uploads WHERE id = ?", (upload,)):
            _remove(self.folder / upload, str(row["name"]))


def file_name(name: str) -> str:
    """A file name that is valid on any system and has a known extension."""
    last = re.split(r"[/\\]", name)[-1]
    safe = _UNSAFE.sub(" ", last.encode("utf-8", "replace").decode()).strip(" .")
    if not is_readable(safe) or safe.startswith("."):
        format_of(Path(safe or "file"))  # raises an error that lists the known extensions
        raise CorpusError(f"{name[:80]!r} cannot be used as a file name; choose one such as documents.csv")
    if len(safe.encode()) > LETTERS:
        raise CorpusError(f"the file name {safe[:40]!r}… is longer than {LETTERS} bytes; shorten it")
    return safe


def check_contents(path: Path, name: str, most: int) -> None:
    """Reject a file that unpacks to too much, or whose lines are too long to fit in memory."""
    if path.stat().st_size == 0:
        raise CorpusError(f"{name} is empty; upload a file with documents")
    plain = not name.lower().endswith(".gz")
    if name.lower().endswith(".parquet"):
        return _check_parquet(path, name, most)
    if name.lower().endswith(".xlsx"):
        return check_workbook(path, name)
    size = line = 0
    try:
        with path.open("rb") if plain else gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise TooLarge(f"{name} unpacks to more than {most:,} bytes; upload part of it")
                line = line + len(chunk) if b"\n" not in chunk else len(chunk) - chunk.rfind(b"\n")
                if line > LONGEST_LINE:
                    raise TooLarge(f"{name} has a line longer than {LONGEST_LINE:,} bytes; shorten or remove it")
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{name} cannot be unpacked ({error}); check that the file is complete") from error


def _check_parquet(path: Path, name: str, most: int) -> None:
    """Count the unpacked bytes of its texts, because its own metadata cannot be trusted."""
    size = 0
    with parquet_file(local_file(path, name), name) as table:
        for batch in table.batches(sorted(table.texts)):
            size += unpacked_bytes(batch)
            if size > most:
                raise TooLarge(f"{name} unpacks to more than {most:,} bytes; upload part of it")


def _marked(mark: Path) -> str:
    """The name of the file that a folder was created for."""
    try:
        return file_name(mark.read_text(encoding="utf-8"))
    except (OSError, ValueError, CorpusError):  # after a crash the mark may be empty, and nothing else was written
        return _PART


def _remove(home: Path, name: str) -> None:
    """Delete only the files written here; if the folder contains anything else, both stay."""
    with suppress(OSError):
        for file in (name, _PART, _MARK):
            (home / file).unlink(missing_ok=True)
        home.rmdir()
