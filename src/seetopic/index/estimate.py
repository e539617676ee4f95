"""Estimates the time, memory and disk space of a build from a few pieces of the corpus."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from seetopic.corpus import Piece, Pieces
from seetopic.errors import NotEnoughMemory, SettingsError
from seetopic.settings import IndexSettings, TextSettings
from seetopic.text import Tokenizer, cleaned

_SAMPLED = 6  # pieces that are read, evenly spaced
_ENOUGH = 8_000_000  # characters in total; files are often sorted, so less of a beginning misleads
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}

# Measured on synthetic and real corpora (benchmarks/scale.py); in bytes unless stated otherwise.
_COUNTING, _MULTIPLYING, _ENCODING = 300_000_000, 450_000_000, 700_000_000  # of the main process
_WORKER = 150_000_000
_ACTIVATIONS = 350_000_000  # of the language model, per thread
_COUNT = 100  # per count in memory
_MOST_HELD, _LEAST_HELD = 1 << 22, 1 << 16
_SLAB = 16 * 4 * 3  # per term and thread, in a matrix product
_DISK_PER_TOKEN, _INDEX_PER_TOKEN = 90, 14
_TOKENS_PER_TERM = 2900  # encoding a term takes as long as tokenising this many tokens
_WITH_PHRASES = 1.3  # terms per word of the vocabulary
_SLOWEST = 0.98
_DIMENSION = 384  # of the embedded model; that of another model is known only once it is loaded
_BUILD = 8.0  # a build without the language model takes this many times as long as tokenising


@dataclass(frozen=True)
class BuildEstimate:
    """Approximate needs of a build; the number of terms, and what depends on it, is estimated generously."""

    documents: int
    tokens: int
    terms: int
    seconds: float
    memory: int  # bytes
    disk: int  # bytes at the peak of the build
    index: int  # bytes of the finished index

    def __str__(self) -> str:
        return (
            f"about {_round(self.documents)} documents, {_round(self.tokens)} words, {_round(self.terms)} terms: "
            f"{_duration(self.seconds)}, {_size(self.memory)} of memory, "
            f"{_size(self.disk)} of disk during the build, {_size(self.index)} when finished"
        )


def estimate(
    pieces: Pieces, documents: int | None, settings: IndexSettings, tokenizer: Tokenizer, n_jobs: int, held: int
) -> BuildEstimate:
    """Estimate from a sample of the corpus; `documents` is their number, if already known."""
    texts, share = _sample(pieces)
    begun = time.perf_counter()
    tokens = [tokenizer(text.lower() if settings.text.lowercase else text) for text in texts]
    seconds = time.perf_counter() - begun
    words = {token for token in set().union(*tokens) if cleaned(token) is not None}
    tokens = [[token for token in document if token in words] for document in tokens]
    read = max(sum(map(len, tokens)), 1)
    seconds_a_token = seconds / read
    found = len(texts) / max(share, 1e-9) if documents is None else documents
    all_tokens = read * found / max(len(texts), 1)
    terms = _terms(tokens, all_tokens, settings.text)
    stored = terms * 4 * (settings.local.rank + _DIMENSION)
    work = all_tokens * _BUILD + (terms + _terms_to_read(settings, all_tokens)) * _TOKENS_PER_TERM
    return BuildEstimate(
        documents=round(found),
        tokens=round(all_tokens),
        terms=terms,
        seconds=seconds_a_token * work / n_jobs,
        memory=memory_needed(terms, settings, n_jobs, held),
        disk=round(all_tokens * _DISK_PER_TOKEN + stored),
        index=round(all_tokens * _INDEX_PER_TOKEN + stored),
    )


def _sample(pieces: Pieces) -> tuple[list[str], float]:
    """Some texts, and roughly what share of the corpus they are."""
    whole = [each for each in pieces.cut if isinstance(each, Piece)]
    stream = next(iter(pieces.streams), None)
    if stream is not None and stream.file is not None:  # of a stream, only the beginning is read
        piece, share = stream.beginning(_ENOUGH)
        texts = [text for shard in piece.shards() for text in shard.texts]
        return texts, share * stream.file.seen.size / max(pieces.size, 1)
    if stream is not None:
        looked_at, share = list(islice(pieces, 1)), 1.0
    else:
        looked_at = whole[:: max(1, -(-len(whole) // _SAMPLED))]
        share = len(looked_at) / max(len(whole), 1)
    texts = [text for piece in looked_at for text in _beginning(piece, _ENOUGH // len(looked_at))]
    return texts, share


def _beginning(piece: Piece, characters: int) -> Iterator[str]:
    for shard in piece.shards():
        for text in shard.texts:
            yield text
            characters -= len(text)
            if characters <= 0:
                return


def _terms(documents: Sequence[list[str]], all_tokens: float, settings: TextSettings) -> int:
    """Estimated number of words that occur often enough, and of phrases.

    A word that occurs once in a sample is likely to occur n times in n times as many documents. Beyond that, the number
    of words keeps growing, and its growth keeps slowing down, as within the sample (Heaps' law).
    """
    quarter, half, whole = (max(_distinct(documents[::step]), 1) for step in (4, 2, 1))
    before, growth = math.log2(half / quarter), math.log2(whole / half)
    slowing = min(growth / before, _SLOWEST) if before > 0 else _SLOWEST
    read = max(sum(map(len, documents)), 1)
    doublings = math.log2(max(all_tokens, 1) / (read * (settings.min_count + 1)))
    # Each doubling of the documents adds a fixed share of what the previous doubling added.
    grown = growth * (slowing * (1 - slowing**doublings) / (1 - slowing) if doublings > 0 else doublings)
    return max(1, round(whole * 2**grown * (_WITH_PHRASES if settings.max_phrase_words > 1 else 1)))


def _distinct(documents: Sequence[list[str]]) -> int:
    return len({token for document in documents for token in document})


def _terms_to_read(settings: IndexSettings, tokens: float) -> float:
    """The work of reading the sampled documents, as the number of terms whose encoding takes as long."""
    return min(settings.sample.words, tokens) / 4


def memory_needed(n_terms: int, settings: IndexSettings, n_jobs: int, held: int) -> int:
    """Bytes needed by the stage that needs the most."""
    local = settings.local
    width = max(local.lanczos_block * local.lanczos_steps, local.rank) + local.rank
    counting = _COUNTING + n_jobs * (_WORKER + held * _COUNT)
    multiplying = _MULTIPLYING + n_terms * 4 * width + n_jobs * (n_terms * _SLAB + held * 16)
    encoding = _ENCODING + n_terms * _DIMENSION * 4 + n_jobs * _ACTIVATIONS
    return max(counting, multiplying, encoding)


def held_for(memory: int | None, n_jobs: int) -> int:
    """How many counts each worker may hold in memory."""
    if memory is None:
        return _MOST_HELD
    free = (memory - _COUNTING) // n_jobs - _WORKER
    return max(_LEAST_HELD, min(_MOST_HELD, free // _COUNT))


def require_memory(memory: int | None, needed: int, n_terms: int) -> None:
    """Refuse a build that would need more memory than allowed."""
    if memory is not None and needed > memory:
        raise NotEnoughMemory(
            f"{_round(n_terms)} terms need about {_size(needed)} of memory, but --memory allows {_size(memory)} "
            "(in Python: memory); allow more, or use fewer --jobs, a higher --min-count or a lower --rank"
        )


def memory_size(text: str | int) -> int:
    """Bytes from a size such as 4GB, 500M or 1.5 GiB."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", str(text).upper())
    if found is None or found[2] not in _UNITS or not float(found[1]):
        raise SettingsError(f"`memory` is {text!r}, but must be a size, such as 4GB or 800MB")
    return int(float(found[1]) * _UNITS[found[2]])


def _round(number: float) -> str:
    """Round to two digits; estimates are no more precise."""
    if number < 100:
        return str(round(number))
    digits = 10 ** (int(math.log10(number)) - 1)
    return f"{round(number / digits) * digits:,}"


def _size(number: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" or number >= 10 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
