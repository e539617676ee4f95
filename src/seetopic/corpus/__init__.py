"""Documents and category names, from wherever users keep them."""

from __future__ import annotations

from seetopic.corpus.demo import NAMES, demo_documents
from seetopic.corpus.documents import FORMATS, Documents, OnError, format_of, joined, open_documents, text_files
from seetopic.corpus.fingerprint import Fingerprint, FingerprintBuilder, fingerprint, text_digest
from seetopic.corpus.judgements import (
    Judgement,
    Judgements,
    Settled,
    append_judgements,
    as_judgements,
    read_judgements,
    write_judgements,
)
from seetopic.corpus.partition import Piece, Pieces, TextShard
from seetopic.corpus.readers import field_size_limit, parquet_file, unpacked_bytes
from seetopic.corpus.seeds import Seed, Seeds, as_seeds, normalized_name, read_seeds
from seetopic.corpus.storage import local_file

__all__ = [
    "FORMATS",
    "NAMES",
    "Documents",
    "Fingerprint",
    "FingerprintBuilder",
    "Judgement",
    "Judgements",
    "OnError",
    "Piece",
    "Pieces",
    "Seed",
    "Seeds",
    "Settled",
    "TextShard",
    "append_judgements",
    "as_judgements",
    "as_seeds",
    "demo_documents",
    "field_size_limit",
    "fingerprint",
    "format_of",
    "joined",
    "local_file",
    "normalized_name",
    "open_documents",
    "parquet_file",
    "read_judgements",
    "read_seeds",
    "text_digest",
    "text_files",
    "unpacked_bytes",
    "write_judgements",
]
