"""The files of an opened index, read on first use, checked against the manifest and cached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from seetopic.errors import DamagedIndex, IndexFailure
from seetopic.index import layout
from seetopic.index.layout import Check, read_array, read_long_array

Found = TypeVar("Found")


@dataclass(frozen=True)
class IndexFiles:
    """Access to the files; `checked` is the folder that records which large files were found intact."""

    folder: Path
    manifest: dict[str, Any] = field(repr=False)
    checked: Path = field(repr=False)
    _arrays: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _locks: dict[str, Lock] = field(default_factory=dict, init=False, repr=False, compare=False)

    def array(self, name: str, dtype: type[np.generic], dimensions: int, *checks: Check) -> Any:
        """An array in memory; a mapped file would kill the process if another program truncated it."""
        with self._locks.setdefault(name, Lock()):  # or two threads would read the same file
            if name not in self._arrays:
                path, data = self._found(name, layout.read_contents)
                self._arrays[name] = read_array(path, dtype, dimensions, *checks, data=data)
            return self._arrays[name]

    def long_array(self, name: str, dtype: type[np.generic], *checks: Check) -> Any:
        """An array whose length grows with the documents; a large one stays on disk and is read in parts."""
        if name not in self._arrays:
            if not self._found(name, lambda place, *_: layout.is_large(place, name))[1]:
                return self.array(name, dtype, 1, *checks)
            path, file = self._found(name, layout.open_contents)
            self._arrays[name] = read_long_array(path, file, dtype, *checks)
        return self._arrays[name]

    def path(self, name: str) -> Path:
        """The path of a file, after its contents are checked."""
        return self._found(name, layout.check_contents)[0]

    def damaged(self) -> list[str]:
        """The names of all damaged files; reads every file to its end."""
        return layout.damaged_files(layout.place_of(self.folder), self.manifest, self.checked)

    def _found(self, name: str, read: Callable[[Path, str, str, Path], Found]) -> tuple[Path, Found]:
        """The path of a file, and what `read` returns for it."""
        place = layout.place_of(self.folder)
        try:
            return place / name, read(place, name, str(self.manifest["files"][name]["sha256"]), self.checked)
        except (DamagedIndex, FileNotFoundError) as error:
            if layout.read_manifest(self.folder) != self.manifest:
                raise IndexFailure(f"{self.folder} has been updated since it was opened; open it again") from None
            if isinstance(error, FileNotFoundError):  # it has just been moved beside its folder
                return self._found(name, read)
            raise
