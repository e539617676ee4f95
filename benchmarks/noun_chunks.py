"""Names found by a parser: noun chunks without their determiner, and named entities, as runs of our own words."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seetopic.text.tokenizer import cleaned, tokenize

CHUNK = "chunk"
# Labels of spaCy's models for entities that are not names.
_VALUES = {"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"}

Span = tuple[int, int]  # first token, token after the last
Spans = dict[str, set[Span]]  # by kind: CHUNK, or the label of an entity


@dataclass(frozen=True)
class Parsed:
    """A document of the sample: its tokens (None is a separator) and the names found by the parser."""

    number: int
    words: list[str | None]
    names: Spans
    without_numbers: Spans  # the same, without leading numbers

    @property
    def all_names(self) -> set[Span]:
        """Noun chunks without their determiner, and all named entities."""
        return set().union(*self.names.values())

    @property
    def chunks(self) -> set[Span]:
        """Noun chunks without their determiner and without a leading number."""
        return self.without_numbers.get(CHUNK, set())

    @property
    def no_values(self) -> set[Span]:
        """These chunks, and entities other than dates, amounts and the like."""
        return set().union(*(spans for kind, spans in self.without_numbers.items() if kind not in _VALUES))


def sampled(n_documents: int, size: int) -> list[int]:
    """The numbers of the documents to evaluate on, drawn with a fixed seed."""
    return sorted(random.Random(0).sample(range(n_documents), min(size, n_documents)))


def words_of(text: str) -> list[str | None]:
    """The words for mining, with None for separators."""
    return [cleaned(token) for token in tokenize(text.lower())]


def parsed(texts: list[str], size: int, model: str, kept: Path | None) -> list[Parsed]:
    """The sample's documents as parsed; read from `kept` if it exists."""
    if kept and kept.exists():
        return [_from_json(json.loads(line)) for line in kept.read_text(encoding="utf-8").splitlines()]
    import spacy

    pipeline = spacy.load(model)
    numbers = sampled(len(texts), size)
    documents = pipeline.pipe((texts[number] for number in numbers), batch_size=64)
    found = [_parsed(number, texts[number], each) for number, each in zip(numbers, documents, strict=True)]
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text("\n".join(map(_to_json, found)), encoding="utf-8")
    return found


def _to_json(each: Parsed) -> str:
    both = each.names, each.without_numbers
    spans = ({kind: sorted(found) for kind, found in sorted(kinds.items())} for kinds in both)
    return json.dumps([each.number, each.words, *spans])


def _from_json(fields: list[Any]) -> Parsed:
    number, words, *both = fields
    names, without_numbers = ({kind: set(map(tuple, spans)) for kind, spans in kinds.items()} for kinds in both)
    return Parsed(number, words, names, without_numbers)


def _parsed(number: int, text: str, document: Any) -> Parsed:
    tokens = tokenize(text.lower())
    starts, ends = _places(text.lower(), tokens)
    words = [cleaned(token) for token in tokens]
    pieces = [(CHUNK, chunk) for chunk in document.noun_chunks] + [(each.label_, each) for each in document.ents]

    def spans(*dropped: str) -> Spans:
        found: Spans = {}
        for kind, whole in pieces:
            piece = _bare(whole, {"DET", "PUNCT", "SPACE", *dropped})
            if len(piece) and piece.start_char in starts and piece.end_char in ends:
                span = starts[piece.start_char], ends[piece.end_char] + 1
                found.setdefault(kind, set()).add(span)
        return found

    return Parsed(number, words, spans(), spans("NUM"))


def _places(text: str, tokens: list[str]) -> tuple[dict[int, int], dict[int, int]]:
    """The tokens that start and end at a character."""
    starts, ends, at = {}, {}, 0
    for number, token in enumerate(tokens):
        first = text.find(token, at)
        if first < 0:  # spelled differently in the normalised text
            continue
        at = first + len(token)
        starts[first], ends[at] = number, number
    return starts, ends


def _bare(piece: Any, dropped: set[str]) -> Any:
    """The span without its determiner (article or possessive) and without a final case marker."""
    while len(piece) and (piece[0].pos_ in dropped or piece[0].tag_ == "PRP$"):
        piece = piece[1:]
    while len(piece) and (piece[-1].pos_ in ("PUNCT", "SPACE") or piece[-1].tag_ == "POS"):
        piece = piece[:-1]
    return piece
