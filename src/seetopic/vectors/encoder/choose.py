"""Selects the encoder for the model that the user gave."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seetopic.errors import EncoderError
from seetopic.settings import Precision
from seetopic.vectors.encoder.minilm import EMBEDDED_NAME, EmbeddedEncoder
from seetopic.vectors.encoder.plain import CallableEncoder, ReadyVectors
from seetopic.vectors.encoder.protocol import TermEncoder
from seetopic.vectors.encoder.transformer import SentenceModelEncoder, TransformerEncoder, model_folder


def encoder_for(model: Any = None, *, device: str = "auto", precision: Precision = "float32") -> TermEncoder:
    """The encoder for a model: None (the embedded one), a folder or hub name, a sentence-transformers
    model, a mapping of precomputed vectors, a function from texts to vectors, or a custom encoder."""
    if model is None or (isinstance(model, str) and model == EMBEDDED_NAME):
        return EmbeddedEncoder(device, precision)
    if isinstance(model, str | Path):
        return TransformerEncoder(str(model), model_folder(str(model)), device, precision)
    if isinstance(model, TermEncoder):
        return model
    if isinstance(model, Mapping):
        return ReadyVectors(model)
    if hasattr(model, "encode") and hasattr(model, "get_submodule"):  # a SentenceTransformer, without importing it
        return SentenceModelEncoder(model)
    if callable(model):
        return CallableEncoder(model)
    raise EncoderError(f"a model must be a name, a folder, a mapping or a function, not {type(model).__name__}")
