"""The embedded model in torch, for many texts, without the four seconds that its library takes to import."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seetopic.settings import Precision
from seetopic.vectors.encoder.transformer import Loaded

if TYPE_CHECKING:
    import torch


def load_minilm(folder: Path, device: str, precision: Precision) -> Loaded:
    """Load the model; a test checks that it matches the library to the last bit."""
    import torch
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    longest = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"]
    kind = torch.bfloat16 if precision == "bfloat16" else torch.float32
    stored = load_file(folder / "model.safetensors", device=device)
    weights = {name: tensor.to(kind) for name, tensor in stored.items() if tensor.is_floating_point()}
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)

    def token_ids(texts: list[str]) -> list[list[int]]:
        return [encoding.ids for encoding in tokenizer.encode_batch(texts)]

    shape = (config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"])
    return Loaded(token_ids, _MiniLM(weights, *shape).vectors)


@dataclass(frozen=True)
class _MiniLM:
    weights: dict[str, torch.Tensor]
    layers: int
    heads: int
    epsilon: float

    def vectors(self, ids: torch.Tensor) -> torch.Tensor:
        """Mean of the last layer over all tokens, scaled to length 1; (n, length) -> (n, dimension)."""
        import torch
        from torch.nn.functional import normalize

        states = self._embedded(ids)
        for layer in range(self.layers):
            states = self._layer(states, f"encoder.layer.{layer}")
        mean = states.sum(dim=1, dtype=torch.float32) / ids.shape[1]
        return normalize(mean.to(states.dtype), p=2, dim=-1)

    def _embedded(self, ids: torch.Tensor) -> torch.Tensor:
        words, kinds, places = (
            self.weights[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "token_type", "position")
        )
        return self._normed(words[ids] + kinds[0] + places[: ids.shape[1]], "embeddings.LayerNorm")

    def _layer(self, states: torch.Tensor, at: str) -> torch.Tensor:
        from torch.nn.functional import gelu

        mixed = self._dense(self._attention(states, f"{at}.attention.self"), f"{at}.attention.output.dense")
        states = self._normed(mixed + states, f"{at}.attention.output.LayerNorm")
        wide = gelu(self._dense(states, f"{at}.intermediate.dense"))
        return self._normed(self._dense(wide, f"{at}.output.dense") + states, f"{at}.output.LayerNorm")

    def _attention(self, states: torch.Tensor, at: str) -> torch.Tensor:
        from torch.nn.functional import scaled_dot_product_attention

        query, key, value = (
            self._dense(states, f"{at}.{part}").view(*states.shape[:2], self.heads, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )  # (n, heads, length, dimension of a head)
        return scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(states.shape)

    def _dense(self, states: torch.Tensor, at: str) -> torch.Tensor:
        from torch.nn.functional import linear

        return linear(states, self.weights[f"{at}.weight"], self.weights[f"{at}.bias"])

    def _normed(self, states: torch.Tensor, at: str) -> torch.Tensor:
        from torch.nn.functional import layer_norm

        return layer_norm(
            states, states.shape[-1:], self.weights[f"{at}.weight"], self.weights[f"{at}.bias"], self.epsilon
        )
