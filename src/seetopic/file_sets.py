"""Files that belong together: all of them are exchanged for new ones, or none, whenever the program is killed."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from seetopic.errors import OutputError
from seetopic.files import clear_leftovers, held, place_of_file, writing


@dataclass(frozen=True)
class FileSet:
    """Files in a folder that may hold others, too.

    New files are written into a folder beside them. When that is renamed, the set is complete: from then on whoever
    comes next, a reader or a writer, puts in place what is not there yet.
    """

    folder: Path
    name: str
    last: str  # the file that is put in place after the others
    replaces: bool = True  # older files of the same names

    @contextmanager
    def written(self) -> Iterator[Path]:
        """A folder for the new files."""
        self.complete()
        beside = self.folder / f".{self.name}.{os.getpid()}.part"
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            clear_leftovers(self.folder, self.name)
            beside.mkdir(exist_ok=True)
        try:
            with writing(self.folder), held(beside):
                yield beside
                for file in beside.iterdir():
                    clear_leftovers(self.folder, file.name)
                    place_of_file(self.folder / file.name)  # refuses what no file may replace
                self._settle(beside)
        except OutputError as error:
            raise OutputError(str(error).replace(str(beside), str(self.folder))) from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        self.complete()

    def _settle(self, beside: Path) -> None:
        while True:
            self.complete()
            try:
                beside.rename(self._settled)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
            else:
                return  # no other writer was faster

    def complete(self) -> None:
        """Put in place what a killed program has left to do of a complete set."""
        if not self._settled.is_dir():
            return
        with writing(self.folder):
            files = sorted(self._settled.iterdir(), key=lambda path: (path.name == self.last, path.name))
            for file in files:
                if not self.replaces and (self.folder / file.name).exists():
                    raise OutputError(f"{self.folder / file.name} exists; choose another name or remove it first")
            for file in files:
                with suppress(FileNotFoundError):  # another process has just done it
                    file.replace(self.folder / file.name)
            with suppress(FileNotFoundError):
                self._settled.rmdir()

    @property
    def _settled(self) -> Path:
        return self.folder / f".{self.name}.new"
