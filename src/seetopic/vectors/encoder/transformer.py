"""Any Hugging Face or sentence-transformers model, run on batches of texts of equal length."""

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
# Smaller products use other kernels, whose last bits differ, so small batches are padded. Measured: below
# 16 tokens in float32, below 216 in bfloat16 (Intel's AMX).
_LEAST_TOKENS = 256
_MODEL_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")
_OLD_WEIGHTS = "*.bin"  # for models without safetensors, such as BioBERT
# Modules of sentence-transformers models that contain nothing but numbers. Others name classes to import, which some
# versions of the library load from the model's folder, whatever `trust_remote_code` says.
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
    """A model ready to run: its tokeniser, and its forward pass on a batch of token ids."""

    token_ids: Callable[[list[str]], list[list[int]]]
    forward: Forward


@dataclass(frozen=True)
class TransformerEncoder:
    """A model from a folder, with its own pooling if it is a sentence-transformers model, otherwise the
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
        """Pickled without the model, which is loaded again after unpickling."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def encode(self, texts: Sequence[str], n_jobs: int, progress: Progress) -> Floats:
        return encode_in_batches(self._loaded, texts, self._device, n_jobs, progress)

    def encode_names(self, names: Sequence[str]) -> Floats:
        return self.encode(names, 1, silent)

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return self._loaded.token_ids(list(texts))


@dataclass(frozen=True)
class SentenceModelEncoder:
    """A sentence-transformers model that the caller has already loaded."""

    model: Any

    @property
    def name(self) -> str:
        return f"given {type(self.model).__name__}"

    @property
    def fingerprint(self) -> None:
        return None  # its weights may have been trained further in memory

    def encode(self, texts: Sequence[str], n_jobs: int, progress: Progress) -> Floats:
        return encode_in_batches(from_sentence_transformer(self.model), texts, str(self.model.device), n_jobs, progress)

    def encode_names(self, names: Sequence[str]) -> Floats:
        return self.encode(names, 1, silent)

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return from_sentence_transformer(self.model).token_ids(list(texts))


def encode_in_batches(loaded: Loaded, texts: Sequence[str], device: str, n_jobs: int, progress: Progress) -> Floats:
    """Encode texts of equal token count together, without padding; each product runs on one thread."""
    import torch

    require_texts(texts)
    kind = torch.device(device).type
    token_ids = loaded.token_ids(list(texts))
    batches = list(_batches(token_ids, _TOKENS_A_BATCH.get(kind, 8192)))

    def vectors_of(batch: list[int]) -> Floats:
        torch.set_num_threads(1)  # for this thread; splitting a product among threads would change its last bits
        rows = [token_ids[number] for number in batch]
        rows += [rows[0]] * (_rows(_LEAST_TOKENS, rows[0]) - len(rows))
        with torch.inference_mode():
            vectors = loaded.forward(torch.tensor(rows, device=device))[: len(batch)]
        return vectors.float().cpu().numpy()

    result: Floats | None = None
    done = 0
    with _threads_restored(), ThreadPoolExecutor(n_jobs if kind == "cpu" else 1) as pool:
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
    """How many rows of this length have at least `tokens` tokens."""
    return -(-tokens // max(len(row), 1))


def from_sentence_transformer(model: Any) -> Loaded:
    """Runs the model's own prompt, modules and pooling; only the batching is ours."""
    import torch

    prompt = model.prompts.get(model.default_prompt_name, "") if model.default_prompt_name else ""
    tokenizer = model.tokenizer
    if not callable(tokenizer):
        raise EncoderError(
            f"a model whose first module is {type(model[0]).__name__} cannot be used; choose a transformer model"
        )
    # Some kinds of pooling skip the prompt's tokens; it has no closing token.
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
    """Refuse a sentence-transformers model that names its own code, before the library reads it."""
    parts = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    for part in parts:
        kind = str(part["type"])
        if not kind.startswith("sentence_transformers.") or kind.rpartition(".")[2] not in _PARTS:
            raise EncoderError(
                f"the model {folder} contains the module {kind[:80]!r}, which seetopic does not support; "
                "use another model"
            )
        config = folder / str(part["path"]) / "config.json"
        called = read_json(config).get("activation_function") if config.is_file() else None
        if kind.endswith(".Dense") and not (called is None or str(called).startswith("torch.nn.")):
            raise EncoderError(
                f"the model {folder} requires the custom code {str(called)[:80]!r}, which seetopic does not run; "
                "use another model"
            )


def _plain_model(folder: Path, device: str, precision: Precision) -> Loaded:
    from transformers import AutoModel, AutoTokenizer

    # Without these options, the library asks at the terminal whether to run the folder's code.
    safely = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = AutoTokenizer.from_pretrained(folder, **safely)
    model, read = AutoModel.from_pretrained(folder, output_loading_info=True, **safely)
    missing = [name for name in read["missing_keys"] if "pooler" not in name]  # the pooler is not used
    if missing:  # the library would initialise them at random
        raise EncoderError(
            f"{folder} is missing {len(missing)} of the model's weights ({min(missing)}); download it again"
        )
    model = _in_precision(model.to(device).eval(), precision)
    # RoBERTa and its relatives number positions from the padding token's id upwards.
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
    """The folder of a model; a name that is not a folder is looked up on the hub."""
    folder = Path(name)
    if folder.is_dir():
        if not any((folder / file).exists() for file in ("config.json", "modules.json")):
            raise EncoderError(
                f"the folder {name} has no config.json, so it is not a model; give the folder of a Hugging Face model"
            )
        return folder
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(name, allow_patterns=list(_MODEL_FILES)))
        if not any(folder.rglob("*.safetensors")):
            snapshot_download(name, allow_patterns=_OLD_WEIGHTS)
        return folder
    except Exception as error:  # the hub client raises a dozen kinds; all mean that the model is unavailable
        reason = " ".join(str(error).split())[:200]
        raise EncoderError(
            f"the model {name!r} is not a local folder and could not be downloaded from the Hugging Face Hub "
            f"({reason}); specify the path of a downloaded model, or leave the model out to use the embedded one"
        ) from error


@contextmanager
def _loading(name: str) -> Iterator[None]:
    try:
        yield
    except SeeTopicError:
        raise
    except Exception as error:  # each format raises its own kinds; all mean that we cannot run the model
        reason = " ".join(str(error).split())[:200]
        raise EncoderError(
            f"the model {name!r} cannot be loaded ({reason}); check that its folder is complete"
        ) from error


@contextmanager
def _quietly() -> Iterator[None]:
    """Silence the library's progress bars and messages; ours report what is going on."""
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
