"""Files that people send: bounded, checked, and kept under names that the server chooses."""

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
from seetopic.web.folder import is_readable
from seetopic.web.limits import LETTERS, LONGEST_LINE, UploadLimits
from seetopic.web.schemas import Frozen

_CHUNK = 1 << 20
_MARK = ".seetopic-upload"  # in every folder that is made here; it holds the name that the file will have
_PART = ".part"
_UNUSED = 86_400  # seconds
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]+")


class Upload(Frozen):
    """A file that was sent whole."""

    id: str
    name: str
    bytes: int


@dataclass(frozen=True)
class Uploads:
    """All of them; each lies in a folder by its id, under its own name as far as a file may be called so."""

    database: Database
    folder: Path
    limits: UploadLimits
    receiving: set[str]  # ids of those that come in now: they count, too
    _counting: Lock = field(default_factory=Lock, repr=False, compare=False)

    async def receive(self, name: str, chunks: AsyncIterable[bytes], announced: int | None) -> Upload:
        """Keep what comes in; what is too large, cut off or no documents is refused, and nothing is left of it."""
        safe = file_name(name)
        most = self.limits.file_bytes
        if announced is not None and announced > most:
            raise TooLarge(f"{safe} has {announced:,} bytes, but at most {most:,} can be sent; send a part of it")
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
                    raise CorpusError(f"{safe} came with {size:,} of {announced:,} bytes; send it again")
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
        """An id for one more file, if there is room."""
        with self._counting:  # or two who come at once would both take the last place
            if self._held() >= self.limits.files:
                self.tidy()
            held = self._held()
            if held >= self.limits.files:
                raise TooLarge(f"there are {held} uploaded files already, and no more fit; remove a corpus first")
            made = new_id()
            self.receiving.add(made)
        return made

    def _held(self) -> int:
        return len(self.receiving.union(row["id"] for row in self.database.all("SELECT id FROM uploads")))

    def tidy(self) -> None:
        """Remove what a crash left half sent, and what nobody made a corpus of within a day."""
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
                    raise TooLarge(f"{name} is larger than the {self.limits.file_bytes:,} bytes that can be sent")
                file.write(chunk)
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())  # seconds for a large file: others are answered meanwhile
        return size

    def path(self, upload: str) -> Path:
        row = self.database.one("SELECT name FROM uploads WHERE id = ?", (upload,))
        if row is None:
            raise Missing(f"there is no uploaded file {upload[:40]!r}; send it again")
        return self.folder / upload / str(row["name"])

    def remove(self, upload: str) -> None:
        row = self.database.one("SELECT name FROM uploads WHERE id = ?", (upload,))
        if row is not None and self.database.do("DELETE FROM uploads WHERE id = ?", (upload,)):
            _remove(self.folder / upload, str(row["name"]))


def file_name(name: str) -> str:
    """A name that a file may have on any system, with an ending that says what is in it."""
    last = re.split(r"[/\\]", name)[-1]
    safe = _UNSAFE.sub(" ", last.encode("utf-8", "replace").decode()).strip(" .")
    if not is_readable(safe) or safe.startswith("."):
        format_of(Path(safe or "file"))  # says which endings are known
        raise CorpusError(f"{name[:80]!r} cannot be a file name; choose one such as documents.csv")
    if len(safe.encode()) > LETTERS:
        raise CorpusError(f"the file name {safe[:40]!r}… is longer than {LETTERS} bytes; shorten it")
    return safe


def check_contents(path: Path, name: str, most: int) -> None:
    """Refuse a file that unpacks to too much, or whose lines are too long to be held in memory."""
    if path.stat().st_size == 0:
        raise CorpusError(f"{name} is empty; send a file with documents")
    plain = not name.lower().endswith(".gz")
    if name.lower().endswith(".parquet"):
        return _check_parquet(path, name, most)
    size = line = 0
    try:
        with path.open("rb") if plain else gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise TooLarge(f"{name} unpacks to more than {most:,} bytes; send a part of it")
                line = line + len(chunk) if b"\n" not in chunk else len(chunk) - chunk.rfind(b"\n")
                if line > LONGEST_LINE:
                    raise TooLarge(f"{name} has a line of more than {LONGEST_LINE:,} bytes, too many for one document")
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{name} cannot be unpacked ({error}); is the file whole?") from error


def _check_parquet(path: Path, name: str, most: int) -> None:
    """What its texts have unpacked, counted: what it says of its own size need not be so."""
    size = 0
    with parquet_file(local_file(path, name), name) as table:
        for batch in table.batches(sorted(table.texts)):
            size += unpacked_bytes(batch)
            if size > most:
                raise TooLarge(f"{name} unpacks to more than {most:,} bytes; send a part of it")


def _marked(mark: Path) -> str:
    """The name of the file that a folder was made for."""
    try:
        return file_name(mark.read_text(encoding="utf-8"))
    except (OSError, ValueError, CorpusError):  # a crash left the mark empty: nothing but itself was written yet
        return _PART


def _remove(home: Path, name: str) -> None:
    """What was written here, file by file; whatever else somebody put into the folder stays, and so does the folder."""
    with suppress(OSError):
        for file in (name, _PART, _MARK):
            (home / file).unlink(missing_ok=True)
        home.rmdir()
