"""Encoders: terms and names to vectors of a language model."""

from __future__ import annotations

from seetopic.vectors.encoder.choose import encoder_for
from seetopic.vectors.encoder.protocol import TermEncoder

__all__ = ["TermEncoder", "encoder_for"]
