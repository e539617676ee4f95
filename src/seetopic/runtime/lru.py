"""A cache of the most recently used values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LRU(Generic[Key, Value]):
    """At most `size` values by key; the least recently used one is dropped first.

    Safe to use from several threads. A value that two threads miss is computed twice, so the computation must be
    deterministic, and values must not be modified.
    """

    def __init__(self, size: int) -> None:
        self._size, self._lock = size, Lock()
        self._kept: dict[Key, Value] = {}  # most recently used last

    def __len__(self) -> int:
        return len(self._kept)

    def one(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is missing."""
        return self.all([key], lambda _: [make()])[0]

    def all(self, keys: Sequence[Key], make: Callable[[list[Key]], Iterable[Value]]) -> list[Value]:
        """The values of keys; missing ones are computed together."""
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
