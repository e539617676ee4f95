"""How much memory objects hold in arrays, so that what is remembered can be bounded, and giving back what is not."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from functools import cache
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_SINGLE = (str, bytes, int, float, type(None), type, FunctionType, MethodType, ModuleType)
_WORD = 64  # bytes of a short text in a tuple, or of an entry of a table
_MANY = 1000  # entries from which a dict that begins with a word or a number is taken for a table of these


def held_bytes(roots: Iterable[object], without: tuple[type, ...] = ()) -> int:
    """The bytes of all arrays that objects lead to, each array counted once; arrays on disk do not count.

    Objects of the types in `without` are not looked into.
    """
    waiting: list[Any] = list(roots)
    seen: set[int] = set()
    total = 0
    while waiting:
        each = waiting.pop()
        while isinstance(each, np.ndarray) and isinstance(each.base, np.ndarray):
            each = each.base  # a view holds the array that it is part of
        if id(each) in seen or isinstance(each, (*_SINGLE, *without)):
            continue
        seen.add(id(each))
        if isinstance(each, np.memmap):
            continue
        if isinstance(each, np.ndarray):
            total += each.nbytes
        elif isinstance(each, dict):
            if len(each) > _MANY and isinstance(next(iter(each.values())), str | int):
                total += len(each) * _WORD  # a table of words or numbers, such as the numbers of terms
            else:
                waiting += each.values()
        elif isinstance(each, list | tuple):
            if each and isinstance(each[0], str | int):
                total += len(each) * (_WORD if isinstance(each[0], str) else 8)
            else:
                waiting += each
        else:
            waiting += getattr(each, "__dict__", {}).values()
    return total


def give_back_memory() -> None:
    """Return freed memory to the system: the C library keeps it for later, a fifth of what a server has after a while.

    Only GNU's library offers this.
    """
    trim = _trimming()
    if trim is not None:
        trim(0)


@cache
def _trimming() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, TypeError, AttributeError):  # another system or library
        return None
