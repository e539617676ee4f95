"""Vectors of terms and documents, from a language model and from the corpus itself."""

from __future__ import annotations

from seetopic.vectors.cooccurrence import Block, PostingFiles, blocks_of, neighbours, write_postings
from seetopic.vectors.encoder import encoder_for
from seetopic.vectors.encoder.cache import VectorCache
from seetopic.vectors.encoder.documents import ReadyDocuments
from seetopic.vectors.encoder.minilm import EMBEDDED_NAME, EmbeddedEncoder, is_embedded
from seetopic.vectors.encoder.plain import ReadyVectors, reads_texts
from seetopic.vectors.encoder.protocol import TermEncoder, unit_rows, word_pieces
from seetopic.vectors.local.factorise import context_matrix, document_matrix, factorise
from seetopic.vectors.local.skipgram import Vectors, train
from seetopic.vectors.readable import script_shares, warnings_about_names, warnings_about_text

__all__ = [
    "EMBEDDED_NAME",
    "Block",
    "EmbeddedEncoder",
    "PostingFiles",
    "ReadyDocuments",
    "ReadyVectors",
    "TermEncoder",
    "VectorCache",
    "Vectors",
    "blocks_of",
    "context_matrix",
    "document_matrix",
    "encoder_for",
    "factorise",
    "is_embedded",
    "neighbours",
    "reads_texts",
    "script_shares",
    "train",
    "unit_rows",
    "warnings_about_names",
    "warnings_about_text",
    "word_pieces",
    "write_postings",
]
