"""A Unicode-aware tokenizer, and the function words of English."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import regex

Tokenizer: TypeAlias = Callable[[str], list[str]]

_TOKENS = r"""
      (?:https?://|www\.)\S+                                   # a web address separates words
    | @\w+                                                     # and so does a user name
    | (?:[\p{L}]\.){2,}                                        # u.s.a.
    | ['’](?:s|t|m|d|re|ve|ll)\b                               # the rest of a word that was split: do n't, it 's
    | [\p{N}]+(?:[.,][\p{N}]+)+                                # 1,000.5
    | [\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:[-'’&·׳״\u200c\u200d][\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*
    | (?:(?!@\w)[^\s\p{L}\p{N}_])+                             # anything else separates words
    | [\n\r\x85\u2028\u2029]\s*                               # and so does a line break
"""
_TOKEN = regex.compile(_TOKENS, regex.VERBOSE | regex.IGNORECASE)
# The same for ASCII, three times as fast: the standard library's engine suffices without Unicode classes, a space is
# consumed with the token after it, and letters before a space are accepted without trying the other patterns.
_ASCII_TOKENS = _TOKENS.replace(r"\p{L}", "a-z").replace(r"\p{N}", "0-9").replace(r"\p{M}", "")
_ASCII_TOKEN = re.compile(rf"[ ]?([a-z]++(?!\S) | {_ASCII_TOKENS})", re.VERBOSE | re.IGNORECASE | re.ASCII)
_LETTER = regex.compile(r"\p{L}")
_WORD = regex.compile(r"[\p{L}\p{N}]")

# The closed classes of English: articles, pronouns, prepositions, conjunctions, auxiliaries, and the
# commonest adverbs of degree and place. They never begin or end a phrase.
_CLOSED_CLASSES = """
    a an the this that these those such same other another each every either neither both all any some no none
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
    she her hers herself it its itself they them their theirs themselves who whom whose which what whoever whatever
    whichever anybody anyone anything everybody everyone everything nobody nothing somebody someone something
    about above across after against along although among amongst around as at because before behind below beneath
    beside besides between beyond but by despite down during except for from how however if in inside into like near
    nor of off on onto or out outside over per since so than through throughout till to toward towards under
    underneath unless until up upon versus via vs when whenever where whereas wherever whether while why with within
    without yet and not n't 's 't 'm 'd 're 've 'll s t m d re ve ll
    am is are was were be been being have has had having do does did doing done can cannot could may might must
    ought shall should will would dare need used let lets
    also again almost already always ever even enough else far further furthermore here hence just least less many
    more most much moreover never nevertheless now often once only otherwise perhaps quite rather really seldom
    several sometimes somewhat still then thence there thereby therefore thereafter though thus together too very
    well get gets got getting go goes going gone went make makes made making
    don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't haven't hasn't hadn't
    i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll
    he'll she'll we'll they'll that's there's what's who's let's etc eg ie rt amp
"""
# Numbers in words are treated like numbers in digits.
_NUMBERS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen
"""
NUMBER_WORDS = frozenset(_NUMBERS.split())
FUNCTION_WORDS = frozenset(_CLOSED_CLASSES.split()) | NUMBER_WORDS

# Function words that connect the words of a name: "quality of life", "pots and pans", "otitis media with effusion".
_JOINING = "of and or in for on to with at by the a an 's de la le du des del von van der den"
CONNECTORS = frozenset(_JOINING.split())
_LETTER_OF_NAMES = "t"


def tokenize(text: str) -> list[str]:
    """Words in order; separators (punctuation, addresses) stay in the list as tokens of their own."""
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    tokens: list[str] = _TOKEN.findall(unicodedata.normalize("NFC", text))
    return tokens


def cleaned(token: str) -> str | None:
    """The word as a person writes it (`breast_cancer` is "breast cancer"), or None for a separator."""
    if token.isalnum():  # nearly always: there is nothing to clean
        return token
    if not _WORD.search(token) or token.startswith("@") or "://" in token or token.lower().startswith("www."):
        return None
    return " ".join(token.replace("’", "'").replace("_", " ").split())


def token_numbers(documents: Iterable[list[str]]) -> tuple[dict[str, int], list[int], list[int]]:
    """The number of each distinct token, by first occurrence, those of all tokens, and where each document ends.

    The empty token, number 0, separates documents: it is the last one of each.
    """
    numbers: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    separator = numbers[""]
    tokens: list[int] = []
    ends: list[int] = []
    for document in documents:
        tokens += map(numbers.__getitem__, document)
        tokens.append(separator)
        ends.append(len(tokens))
    return numbers, tokens, ends


def is_number(word: str) -> bool:
    """Whether a word in lower case is a number, in digits or in English: "1,000.5", "twenty-eight"."""
    return _LETTER.search(word) is None or _is_written_out(word)


def _is_written_out(word: str) -> bool:
    return all(part in NUMBER_WORDS for part in word.split("-"))


@dataclass(frozen=True)
class Grammar:
    """Function words in lower case, and those that may connect the words of a name."""

    function_words: frozenset[str]
    connectors: frozenset[str]

    def is_function_word(self, word: str) -> bool:
        """Also true if several are written as one: "c'est", "dell'altra", "that'll"."""
        lowered = word.lower()
        if lowered in self.function_words:
            return True
        if "-" in lowered and self.function_words.issuperset(NUMBER_WORDS) and _is_written_out(lowered):
            return True
        first, *rest = lowered.split("'")
        # Possessives such as "Down's" and "Still's" are names.
        return bool(rest) and rest != ["s"] and all(part in self.function_words for part in (first, *rest))

    def may_end_a_phrase(self, word: str) -> bool:
        """Whether a phrase may end with the word."""
        return not self.is_function_word(word) and _LETTER.search(word) is not None

    def may_begin_a_phrase(self, word: str) -> bool:
        """Like `may_end_a_phrase`; also a number ("ten commandments") and the "t" of "t cell", not that of "don t"."""
        lowered = word.lower()
        return self.may_end_a_phrase(word) or lowered == _LETTER_OF_NAMES or _is_written_out(lowered)

    def may_join_a_phrase(self, word: str) -> bool:
        """Whether the word may occur inside a phrase."""
        return not self.is_function_word(word) or word.lower() in self.connectors or word.lower() == _LETTER_OF_NAMES

    def may_be_a_term(self, word: str) -> bool:
        """Whether the word is meaningful: it has a letter, and is neither a function word nor a single ASCII letter."""
        return self.may_end_a_phrase(word) and not (len(word) == 1 and word.isascii())


ENGLISH = Grammar(FUNCTION_WORDS, CONNECTORS)
NO_GRAMMAR = Grammar(frozenset(), frozenset())


def as_term(name: str, *, lowercase: bool, tokenizer: Tokenizer = tokenize) -> str | None:
    """A name as it would be written as a term of the documents; None if no term can look like it."""
    name = " ".join(name.split())  # a line break separates words in documents, not in names
    words = [cleaned(token) for token in tokenizer(name.lower() if lowercase else name)]
    return " ".join(word for word in words if word) if words and all(words) else None
