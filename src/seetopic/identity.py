"""What tells documents, tokenizers and settings apart: the same for the same, however they are stored."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any, NamedTuple

from seetopic.documents import Documents
from seetopic.engine import Engine
from seetopic.pieces import Piece, Pieces
from seetopic.progress import Progress
from seetopic.words import Tokenizer, tokenize

_DIGEST = 16  # bytes for each text: two texts in 2^64 have the same


def key_of(*parts: Any) -> str:
    """One short name for values that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class Fingerprint(NamedTuple):
    """What a corpus is."""

    sha256: str  # of the texts, the same however they are stored
    documents: int
    sizes: tuple[int, ...]  # how many documents each piece has
    skipped: dict[str, int]  # how many records were left out, by the reason


def fingerprint(documents: Documents, pieces: Pieces, engine: Engine, progress: Progress) -> Fingerprint:
    """A map over the pieces of documents: SHA-256 of the texts' digests in order."""
    digest = hashlib.sha256()
    sizes: list[int] = []
    skipped: Counter[str] = Counter()
    progress("looking at documents", 0, None)
    for digests, left_out in pieces.mapped(engine, _digests, pieces):
        digest.update(digests)
        sizes.append(len(digests) // _DIGEST)
        skipped.update(left_out)
        progress("looking at documents", sum(sizes), None)
    documents.refuse_if_empty(sum(sizes), skipped)
    return Fingerprint(digest.hexdigest(), sum(sizes), tuple(sizes), dict(sorted(skipped.items())))


def _digests(piece: Piece) -> tuple[bytes, Counter[str]]:
    """The digests of a piece's texts, one behind the other, and what was left out."""
    found: list[bytes] = []
    skipped: Counter[str] = Counter()
    for shard in piece.shards():
        found += map(text_digest, shard.texts)
        skipped.update(shard.skipped)
    return b"".join(found), skipped


def text_digest(text: str) -> bytes:
    """What stands for a text in the fingerprint of its corpus."""
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST).digest()


def tokenizer_name(tokenizer: Tokenizer) -> str:
    """`default`, the name that a tokenizer gives itself, or that of the function in its module."""
    if tokenizer is tokenize:
        return "default"
    if isinstance(named := getattr(tokenizer, "name", None), str):
        return named
    kind = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
    return f"{getattr(kind, '__module__', 'builtins')}.{kind.__qualname__}"  # `str.split` has no module
