"""The texts of a corpus as they were written, stored so that any of them can be shown at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from seetopic.corpus import Documents
from seetopic.runtime import Longs, Progress, writing, written_whole

COPYING = "copying texts"
_TEXTS, _STARTS = "texts.bin", "starts.npy"
_TOLD = 4096  # documents between two reports of progress


class WrittenTexts(Mapping[int, str]):
    """Texts by document number."""

    def __init__(self, folder: Path, starts: Longs) -> None:
        self._path, self._starts = folder / _TEXTS, starts

    def __getitem__(self, number: int) -> str:
        first, last = int(self._starts[number]), int(self._starts[number + 1])
        with self._path.open("rb") as file:
            file.seek(first)
            return file.read(last - first).decode("utf-8", "replace")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))


def written_texts(folder: Path, n_documents: int) -> WrittenTexts | None:
    """The texts in a folder; None if there are none, or not those of so many documents."""
    try:
        starts: Longs = np.load(folder / _STARTS, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    complete = starts.ndim == 1 and starts.dtype == np.int64 and len(starts) == n_documents + 1
    return WrittenTexts(folder, starts) if complete else None


def store_texts(documents: Documents, folder: Path, progress: Progress) -> None:
    """Store the texts of documents; the file of their starts comes last, so that it is there only if they are."""
    starts = array("q", [0])
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _STARTS).unlink(missing_ok=True)
        with (folder / _TEXTS).open("wb") as file:
            for number, text in enumerate(documents.texts()):
                data = text.encode("utf-8", "replace")
                file.write(data)
                starts.append(starts[-1] + len(data))
                if number % _TOLD == 0:
                    progress(COPYING, number, None)
        with written_whole(folder / _STARTS) as beside, beside.open("wb") as file:
            np.save(file, np.frombuffer(starts, np.int64))
