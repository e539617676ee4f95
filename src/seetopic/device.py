"""Where to compute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from seetopic.errors import SettingsError

DEVICES = ("auto", "cpu", "cuda")


def resolve_device(device: str) -> str:
    """The device to compute on; `auto` takes a GPU where there is one."""
    if device not in DEVICES:
        raise SettingsError(f"`device` is {device!r}, but must be one of {', '.join(DEVICES)}")
    if device == "cpu":
        return device
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if device == "cuda":
        raise SettingsError("`device` is 'cuda', but no GPU can be used here; say auto or cpu")
    return "cpu"


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Products on one thread: with several, how sums are grouped, and so the last bits, may depend on how many."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
