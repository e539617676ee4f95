"""Where to compute."""

from __future__ import annotations

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
