"""A few values that were asked for last, so that what has not changed is not made again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Memory(Generic[Key, Value]):
    """Values by key, at most so many; the one that was not asked for the longest is forgotten first.

    Several threads may ask at once. A value that two of them miss is made twice, so making it must always give the
    same, and nobody may change it.
    """

    def __init__(self, size: int) -> None:
        self._size, self._lock = size, Lock()
        self._kept: dict[Key, Value] = {}  # the one that was asked for last stands last

    def __len__(self) -> int:
        return len(self._kept)

    def one(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made if it is missing."""
        return self.all([key], lambda _: [make()])[0]

    def all(self, keys: Sequence[Key], make: Callable[[list[Key]], Iterable[Value]]) -> list[Value]:
        """The values of keys; those that are missing are made together."""
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            found.update(zip(missing, make(missing), strict=True))
        with self._lock:
            for key in found:
                self._kept.pop(key, None)
            self._kept.update(found)
            for key in list(self._kept)[: -self._size]:
                del self._kept[key]
        return [found[key] for key in keys]
