"""Documents and category names, from wherever users keep them."""

from __future__ import annotations

from seetopic.corpus.arrow_files import parquet_file, unpacked_bytes
from seetopic.corpus.demo import NAMES, demo_documents
from seetopic.corpus.detect import detected_delimiter, detected_encoding
from seetopic.corpus.documents import Documents, joined
from seetopic.corpus.fingerprint import Fingerprint, FingerprintBuilder, fingerprint, text_digest
from seetopic.corpus.formats import FORMATS, format_of, refuse_topics, text_files
from seetopic.corpus.judgements import (
    Judgement,
    Judgements,
    Settled,
    append_judgements,
    as_judgements,
    read_judgements,
    write_judgements,
)
from seetopic.corpus.opening import as_keep, open_documents
from seetopic.corpus.partition import OnError, Piece, Pieces, TextShard
from seetopic.corpus.readers import field_size_limit, raw_rows
from seetopic.corpus.records import Keep
from seetopic.corpus.seed_files import as_seeds, read_seeds
from seetopic.corpus.seed_lists import HEADERS
from seetopic.corpus.seed_values import OWN_WORDS, as_records, as_value, split_path
from seetopic.corpus.seeds import Seed, Seeds, has_wildcard, is_below, normalized_name, path_text, without_pinned
from seetopic.corpus.storage import is_url, local_file

__all__ = [
    "FORMATS",
    "HEADERS",
    "NAMES",
    "OWN_WORDS",
    "Documents",
    "Fingerprint",
    "FingerprintBuilder",
    "Judgement",
    "Judgements",
    "Keep",
    "OnError",
    "Piece",
    "Pieces",
    "Seed",
    "Seeds",
    "Settled",
    "TextShard",
    "append_judgements",
    "as_judgements",
    "as_keep",
    "as_records",
    "as_seeds",
    "as_value",
    "demo_documents",
    "detected_delimiter",
    "detected_encoding",
    "field_size_limit",
    "fingerprint",
    "format_of",
    "has_wildcard",
    "is_below",
    "is_url",
    "joined",
    "local_file",
    "normalized_name",
    "open_documents",
    "parquet_file",
    "path_text",
    "raw_rows",
    "read_judgements",
    "read_seeds",
    "refuse_topics",
    "split_path",
    "text_digest",
    "text_files",
    "unpacked_bytes",
    "without_pinned",
    "write_judgements",
]
