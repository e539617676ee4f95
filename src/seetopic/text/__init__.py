"""From text to words, phrases and a vocabulary."""

from __future__ import annotations

from seetopic.text.languages import function_words, languages_of, warnings_about_spaces
from seetopic.text.matching import EMPTY, Finder, TermTable, distinct, finder_of, occurrences, term_table
from seetopic.text.phrases import mine
from seetopic.text.phrases.known import phrases_of_names, read_known_phrases, read_stop_words
from seetopic.text.shards import Shard, StoredTexts, WordTable, all_words, sampled_counts, scan
from seetopic.text.spacy_terms import SpacyTokenizer
from seetopic.text.tokenizer import Grammar, Tokenizer, as_term, cleaned, tokenize
from seetopic.text.variants import Spellings, Variants, find_variants, no_variants, spellings_of
from seetopic.text.vocabulary import (
    Vocabulary,
    segment_shards,
    vocabulary_of,
    without_frequent,
    write_documents,
    write_texts,
)

__all__ = [
    "EMPTY",
    "Finder",
    "Grammar",
    "Shard",
    "SpacyTokenizer",
    "Spellings",
    "StoredTexts",
    "TermTable",
    "Tokenizer",
    "Variants",
    "Vocabulary",
    "WordTable",
    "all_words",
    "as_term",
    "cleaned",
    "distinct",
    "find_variants",
    "finder_of",
    "function_words",
    "languages_of",
    "mine",
    "no_variants",
    "occurrences",
    "phrases_of_names",
    "read_known_phrases",
    "read_stop_words",
    "sampled_counts",
    "scan",
    "segment_shards",
    "spellings_of",
    "term_table",
    "tokenize",
    "vocabulary_of",
    "warnings_about_spaces",
    "without_frequent",
    "write_documents",
    "write_texts",
]
