"""What tells one corpus from another: a hash of its texts, the same however they are stored."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from seetopic.corpus.documents import Documents
from seetopic.corpus.partition import Piece, Pieces
from seetopic.runtime import Engine, Progress

_DIGEST = 16  # bytes for each text: two texts in 2^64 have the same


class Fingerprint(NamedTuple):
    """What a corpus is."""

    sha256: str  # of the texts
    documents: int
    sizes: tuple[int, ...]  # how many documents each piece has
    skipped: dict[str, int]  # how many records were left out, by reason


@dataclass
class FingerprintBuilder:
    """Adds up the pieces of a corpus, in their order."""

    sizes: list[int] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256, repr=False)

    @property
    def documents(self) -> int:
        return sum(self.sizes)

    def add(self, digests: bytes, skipped: Counter[str]) -> None:
        """One more piece: the digests of its texts, one after the other, and the records that were left out."""
        self._hash.update(digests)
        self.sizes.append(len(digests) // _DIGEST)
        self.skipped.update(skipped)

    def finished(self, documents: Documents) -> Fingerprint:
        """The fingerprint of all pieces; a corpus without documents is refused."""
        documents.refuse_if_empty(self.documents, self.skipped)
        skipped = dict(sorted(self.skipped.items()))
        return Fingerprint(self._hash.hexdigest(), self.documents, tuple(self.sizes), skipped)


def fingerprint(documents: Documents, pieces: Pieces, engine: Engine, progress: Progress) -> Fingerprint:
    """Read all documents to know what they are."""
    builder = FingerprintBuilder()
    progress("looking at documents", 0, None)
    for digests, skipped in pieces.mapped(engine, _digests, pieces):
        builder.add(digests, skipped)
        progress("looking at documents", builder.documents, None)
    return builder.finished(documents)


def _digests(piece: Piece) -> tuple[bytes, Counter[str]]:
    found: list[bytes] = []
    skipped: Counter[str] = Counter()
    for shard in piece.shards():
        found += map(text_digest, shard.texts)
        skipped.update(shard.skipped)
    return b"".join(found), skipped


def text_digest(text: str) -> bytes:
    """What stands for a text in the fingerprint of its corpus."""
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST).digest()
