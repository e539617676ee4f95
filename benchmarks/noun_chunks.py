"""Where a parser sees names: noun chunks without their determiner, and named entities, as runs of our own words."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seetopic.words import cleaned, tokenize

# What spaCy's models call entities, too, though they name nothing.
_VALUES = {"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"}

Span = tuple[int, int]  # first token, token after the last


@dataclass(frozen=True)
class Parsed:
    """A document of the sample: its tokens (None parts words) and what the parser calls a name."""

    number: int
    words: list[str | None]
    chunks: set[Span]
    entities: set[Span]


def sampled(n_documents: int, size: int) -> list[int]:
    """Numbers of the documents to judge by, drawn by a fixed seed."""
    return sorted(random.Random(0).sample(range(n_documents), min(size, n_documents)))


def words_of(text: str) -> list[str | None]:
    """The words that are mined, None where something parts them."""
    return [cleaned(token) for token in tokenize(text.lower())]


def parsed(texts: list[str], size: int, model: str, kept: Path | None) -> list[Parsed]:
    """The sample's documents as the parser sees them; read from `kept` if it is there."""
    if kept and kept.exists():
        return [_from_json(json.loads(line)) for line in kept.read_text(encoding="utf-8").splitlines()]
    import spacy

    pipeline = spacy.load(model)
    numbers = sampled(len(texts), size)
    documents = pipeline.pipe((texts[number] for number in numbers), batch_size=64)
    found = [_parsed(number, texts[number], each) for number, each in zip(numbers, documents, strict=True)]
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps([each.number, each.words, sorted(each.chunks), sorted(each.entities)]) for each in found)
        kept.write_text("\n".join(lines), encoding="utf-8")
    return found


def _from_json(fields: list[Any]) -> Parsed:
    number, words, chunks, entities = fields
    return Parsed(number, words, {tuple(span) for span in chunks}, {tuple(span) for span in entities})


def _parsed(number: int, text: str, document: Any) -> Parsed:
    tokens = tokenize(text.lower())
    starts, ends = _places(text.lower(), tokens)
    words = [cleaned(token) for token in tokens]

    def spans(pieces: Any) -> set[Span]:
        found = set()
        for piece in map(_bare, pieces):
            if len(piece) and piece.start_char in starts and piece.end_char in ends:
                found.add((starts[piece.start_char], ends[piece.end_char] + 1))
        return found

    return Parsed(
        number, words, spans(document.noun_chunks), spans(each for each in document.ents if each.label_ not in _VALUES)
    )


def _places(text: str, tokens: list[str]) -> tuple[dict[int, int], dict[int, int]]:
    """The token that starts, and the one that ends, at a character."""
    starts, ends, at = {}, {}, 0
    for number, token in enumerate(tokens):
        first = text.find(token, at)
        if first < 0:  # written otherwise in the normalised text
            continue
        at = first + len(token)
        starts[first], ends[at] = number, number
    return starts, ends


def _bare(piece: Any) -> Any:
    """Without its determiner, be it an article, a possessive or a number, and without the case mark at its end."""
    while len(piece) and (piece[0].pos_ in ("DET", "NUM", "PUNCT", "SPACE") or piece[0].tag_ == "PRP$"):
        piece = piece[1:]
    while len(piece) and (piece[-1].pos_ in ("PUNCT", "SPACE") or piece[-1].tag_ == "POS"):
        piece = piece[:-1]
    return piece
