"""Any Hugging Face or sentence-transformers model, in batches of equally long texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seetopic.errors import EncoderError, SeeTopicError
from seetopic.runtime import Floats, Progress, read_json, resolve_device, sha256_of, silent
from seetopic.settings import Precision
from seetopic.vectors.encoder.protocol import require_texts, unit_rows

if TYPE_CHECKING:
    import torch

_TOKENS_A_BATCH = {"cpu": 2048, "cuda": 65536}
# Smaller products run on other kernels, whose last bits differ, so such batches are filled up. Measured: below
# 16 tokens in float32, below 216 in bfloat16 (Intel's AMX).
_LEAST_TOKENS = 256
_MODEL_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")
_OLD_WEIGHTS = "*.bin"  # of models that have no safetensors: BioBERT
# Parts of sentence-transformers models that hold nothing but numbers. Others name classes to import: some versions of
# the library take such a class from the model's own folder, whatever `trust_remote_code` says.
_PARTS = (
    "Transformer",
    "Pooling",
    "Normalize",
    "Dense",
    "LayerNorm",
    "Dropout",
    "WeightedLayerPooling",
    "StaticEmbedding",
)
Forward = Callable[["torch.Tensor"], "torch.Tensor"]  # token ids (n, length) -> vectors (n, dimension)


@dataclass(frozen=True)
class Loaded:
    """A model ready to run: how it cuts a text into token ids, and what it makes of a batch of them."""

    token_ids: Callable[[list[str]], list[list[int]]]
    forward: Forward


@dataclass(frozen=True)
class TransformerEncoder:
    """A model from a folder, with its own pooling if it is a sentence-transformers model, else the
    mean of the last layer over all tokens of `[CLS] text [SEP]` (Section 3.1)."""

    name: str
    folder: Path
    device: str
    precision: Precision

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(self.precision.encode())
        for file in sorted(file for pattern in (*_MODEL_FILES, _OLD_WEIGHTS) for file in self.folder.rglob(pattern)):
            digest.update(f"{file.relative_to(self.folder).as_posix()} {sha256_of(file)}\n".encode())
        return digest.hexdigest()

    @cached_property
    def _device(self) -> str:
        return resolve_device(self.device)

    @cached_property
    def _loaded(self) -> Loaded:
        with _quietly(), _loading(self.name):
            if (self.folder / "modules.json").exists():
                _refuse_code(self.folder)
                from sentence_transformers import SentenceTransformer

                model = SentenceTransformer(
                    str(self.folder), device=self._device, local_files_only=True, trust_remote_code=False
                )
                return from_sentence_transformer(_in_precision(model, self.precision))
            return _plain_model(self.folder, self._device, self.precision)

    def __getstate__(self) -> dict[str, Any]:
        """It travels without the model, which is loaded where it arrives."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def encode(self, texts: Sequence[str], jobs: int, progress: Progress) -> Floats:
        return encode_in_batches(self._loaded, texts, self._device, jobs, progress)

    def encode_names(self, names: Sequence[str]) -> Floats:
        return self.encode(names, 1, silent)


@dataclass(frozen=True)
class SentenceModelEncoder:
    """A sentence-transformers model that the caller has loaded."""

    model: Any

    @property
    def name(self) -> str:
        return f"given {type(self.model).__name__}"

    @property
    def fingerprint(self) -> None:
        return None  # its weights may have been trained further in memory

    def encode(self, texts: Sequence[str], jobs: int, progress: Progress) -> Floats:
        return encode_in_batches(from_sentence_transformer(self.model), texts, str(self.model.device), jobs, progress)

    def encode_names(self, names: Sequence[str]) -> Floats:
        return self.encode(names, 1, silent)


def encode_in_batches(loaded: Loaded, texts: Sequence[str], device: str, jobs: int, progress: Progress) -> Floats:
    """Texts of equal token count together: no padding, so no wasted work; large products, one thread each."""
    import torch

    require_texts(texts)
    kind = torch.device(device).type
    token_ids = loaded.token_ids(list(texts))
    batches = list(_batches(token_ids, _TOKENS_A_BATCH.get(kind, 8192)))

    def vectors_of(batch: list[int]) -> Floats:
        torch.set_num_threads(1)  # for this thread; several threads within a product would change its last bits
        rows = [token_ids[number] for number in batch]
        rows += [rows[0]] * (_rows(_LEAST_TOKENS, rows[0]) - len(rows))
        with torch.inference_mode():
            vectors = loaded.forward(torch.tensor(rows, device=device))[: len(batch)]
        return vectors.float().cpu().numpy()

    result: Floats | None = None
    done = 0
    with _threads_restored(), ThreadPoolExecutor(jobs if kind == "cpu" else 1) as pool:
        progress("language model", 0, len(texts))
        for batch, vectors in zip(batches, pool.map(vectors_of, batches), strict=True):
            if result is None:
                result = np.empty((len(texts), vectors.shape[1]), np.float32)
            result[batch] = vectors
            done += len(batch)
            progress("language model", done, len(texts))
    return unit_rows(result, texts)


def _batches(token_ids: list[list[int]], tokens: int) -> Iterator[list[int]]:
    by_length: dict[int, list[int]] = {}
    for number, ids in enumerate(token_ids):
        by_length.setdefault(len(ids), []).append(number)
    for _, numbers in sorted(by_length.items()):
        size = _rows(tokens, token_ids[numbers[0]])
        for first in range(0, len(numbers), size):
            yield numbers[first : first + size]


def _rows(tokens: int, row: list[int]) -> int:
    """How many such rows have at least so many tokens."""
    return -(-tokens // max(len(row), 1))


def from_sentence_transformer(model: Any) -> Loaded:
    """Its own prompt, its own pooling, whatever modules it has; only the batching is ours."""
    import torch

    prompt = model.prompts.get(model.default_prompt_name, "") if model.default_prompt_name else ""
    tokenizer = model.tokenizer
    if not callable(tokenizer):
        raise EncoderError(f"a model whose first part is {type(model[0]).__name__} cannot be used; give a transformer")
    # Some poolings leave the prompt's tokens out; it has no closing token.
    told = {"prompt_length": len(tokenizer(prompt)["input_ids"]) - 1} if prompt else {}
    lowercase = bool(getattr(model[0], "do_lower_case", False))

    def token_ids(texts: list[str]) -> list[list[int]]:
        prepared = [prompt + (text.lower() if lowercase else text) for text in texts]
        ids: list[list[int]] = tokenizer(prepared, truncation=True, max_length=model.max_seq_length)["input_ids"]
        return ids

    def forward(ids: torch.Tensor) -> torch.Tensor:
        features = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **told}
        vectors: torch.Tensor = model(features)["sentence_embedding"][:, : model.truncate_dim]
        return vectors

    model.eval()
    return Loaded(token_ids, forward)


def _refuse_code(folder: Path) -> None:
    """Refuse a sentence-transformers model that names code of its own, before the library reads it."""
    parts = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    for part in parts:
        kind = str(part["type"])
        if not kind.startswith("sentence_transformers.") or kind.rpartition(".")[2] not in _PARTS:
            raise EncoderError(f"the model {folder} has a part {kind[:80]!r}, whose code is not run; use another model")
        config = folder / str(part["path"]) / "config.json"
        called = read_json(config).get("activation_function") if config.is_file() else None
        if kind.endswith(".Dense") and not (called is None or str(called).startswith("torch.nn.")):
            raise EncoderError(f"the model {folder} names code to run, {str(called)[:80]!r}; use another model")


def _plain_model(folder: Path, device: str, precision: Precision) -> Loaded:
    from transformers import AutoModel, AutoTokenizer

    # Unless it is said, the library asks at the terminal whether to run a folder's code.
    safely = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = AutoTokenizer.from_pretrained(folder, **safely)
    model, read = AutoModel.from_pretrained(folder, output_loading_info=True, **safely)
    missing = [name for name in read["missing_keys"] if "pooler" not in name]  # the pooler is not used
    if missing:  # the library would fill them with random numbers
        raise EncoderError(f"{folder} lacks {len(missing)} of the model's weights ({min(missing)}); fetch it again")
    model = _in_precision(model.to(device).eval(), precision)
    # Some models (RoBERTa's kin) count positions from after the padding token's number.
    unused = getattr(getattr(model, "embeddings", None), "padding_idx", -1) + 1
    longest = min(tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", 512) - unused)

    def token_ids(texts: list[str]) -> list[list[int]]:
        ids: list[list[int]] = tokenizer(texts, truncation=True, max_length=longest)["input_ids"]
        return ids

    def forward(ids: torch.Tensor) -> torch.Tensor:
        vectors: torch.Tensor = model(input_ids=ids).last_hidden_state.float().mean(dim=1)
        return vectors

    return Loaded(token_ids, forward)


def _in_precision(model: Any, precision: Precision) -> Any:
    return model.bfloat16() if precision == "bfloat16" else model.float()


def model_folder(name: str) -> Path:
    """The folder of a model; only a name that is not a folder is looked up on the hub."""
    folder = Path(name)
    if folder.is_dir():
        if not any((folder / file).exists() for file in ("config.json", "modules.json")):
            raise EncoderError(
                f"the folder {name} holds no config.json, so it is not a model; give a Hugging Face model's folder"
            )
        return folder
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(name, allow_patterns=list(_MODEL_FILES)))
        if not any(folder.rglob("*.safetensors")):
            snapshot_download(name, allow_patterns=_OLD_WEIGHTS)
        return folder
    except Exception as error:  # the hub's client has a dozen kinds; all mean that the model cannot be had
        reason = " ".join(str(error).split())[:200]
        raise EncoderError(
            f"the model {name!r} is not a folder here and could not be fetched from the hub ({reason}); "
            "give the path of a downloaded model, or leave it out for the embedded one"
        ) from error


@contextmanager
def _loading(name: str) -> Iterator[None]:
    try:
        yield
    except SeeTopicError:
        raise
    except Exception as error:  # each format has kinds of its own; all mean that the folder is not a model we can run
        reason = " ".join(str(error).split())[:200]
        raise EncoderError(f"the model {name!r} cannot be loaded ({reason}); is its folder whole?") from error


@contextmanager
def _quietly() -> Iterator[None]:
    """Without the library's own progress bars and reports; ours say what is going on."""
    from transformers.utils import logging

    shown, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()


@contextmanager
def _threads_restored() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(before)
