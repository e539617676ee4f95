"""A tokenizer for `Index.build` that finds words and noun phrases with a spaCy pipeline (extra `spacy`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from seetopic.errors import MissingExtra, SettingsError

_NOT_AT_THE_START = ("DET", "PRON", "NUM", "PUNCT", "SPACE")


@dataclass(frozen=True)
class SpacyTokenizer:
    """Tokens of a spaCy pipeline, with the words of a noun chunk or named entity joined: `breast_cancer`.

    A pipeline given by its name is loaded by worker processes; a loaded pipeline runs in this process.
    With `TextSettings(lowercase=False)` the pipeline reads the text as written, which parsers need to
    recognise names; tokens are still lower-cased unless `lowercase` is False.
    """

    pipeline: Any  # a name, a path, or a loaded `spacy.Language`
    lemmas: bool = False  # dictionary forms: "tumors" becomes "tumor"
    lowercase: bool = True

    @property
    def name(self) -> str:
        """Identifies the tokenizer in an index's key."""
        meta = self._language.meta
        form = "lemmas" if self.lemmas else "words"
        case = "lower case" if self.lowercase else "as written"
        return f"spacy:{meta['lang']}_{meta['name']}-{meta['version']}, {form}, {case}"

    def __call__(self, text: str) -> list[str]:
        document = self._language(text)
        if len(document) and not (_has_noun_chunks(document) or document.has_annotation("ENT_IOB")):
            raise SettingsError(
                f"the spaCy pipeline {self._language.meta['name']!r} finds neither noun chunks nor entities in "
                f"{self._language.lang!r}; use one with a parser, such as en_core_web_sm, or with an entity recogniser"
            )
        tokens, at = [], 0
        for piece in self._names(document):
            tokens += [self._spelled(token) for token in document[at : piece.start]]
            # As written, so that "follow-up study" and "mother's day" keep their punctuation.
            tokens.append("".join(self._spelled(token) + "_" * bool(token.whitespace_) for token in piece).strip("_"))
            at = piece.end
        tokens += [self._spelled(token) for token in document[at:]]
        return [token for token in tokens if token]

    def __reduce__(self) -> tuple[Any, ...]:
        if not isinstance(self.pipeline, str):
            raise TypeError("a loaded pipeline cannot be sent to worker processes; give its name instead")
        return SpacyTokenizer, (self.pipeline, self.lemmas, self.lowercase)

    @cached_property
    def _language(self) -> Any:
        return _loaded(self.pipeline) if isinstance(self.pipeline, str) else self.pipeline

    def _names(self, document: Any) -> list[Any]:
        """Noun chunks and named entities of two or more words; of two that overlap, the longer one."""
        from spacy.util import filter_spans

        chunks = document.noun_chunks if _has_noun_chunks(document) else ()  # entities do not need them
        pieces = [_bare(piece) for piece in (*chunks, *document.ents)]
        fit = [piece for piece in pieces if len(piece) > 1 and not any(_parts_words(token) for token in piece)]
        return list(filter_spans(fit))

    def _spelled(self, token: Any) -> str:
        if token.is_space:
            return "\n" if "\n" in token.text else ""
        spelled: str = (token.lemma_ or token.text) if self.lemmas else token.text
        return spelled.lower() if self.lowercase else spelled


@lru_cache(maxsize=2)
def _loaded(name: str) -> Any:
    try:
        import spacy
    except ImportError as error:
        raise MissingExtra("using a spaCy pipeline as the tokenizer", "spacy") from error
    try:
        return spacy.load(name)
    except OSError as error:
        raise SettingsError(f"spaCy has no pipeline {name!r}; install it, or give the path to its folder") from error


def _has_noun_chunks(document: Any) -> bool:
    """They need a parser and rules for the language, which spaCy lacks for some."""
    return document.noun_chunks_iterator is not None and document.has_annotation("DEP")


def _bare(piece: Any) -> Any:
    """Without the determiner, possessive or number at its start."""
    while len(piece) and piece[0].pos_ in _NOT_AT_THE_START:
        piece = piece[1:]
    return piece


def _parts_words(token: Any) -> bool:
    return bool(token.is_space or (token.is_punct and token.text != "-"))
