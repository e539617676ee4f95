"""All settings, validated on construction."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from numbers import Integral, Real
from typing import Any, Literal

from seetopic.errors import SettingsError

Precision = Literal["float32", "bfloat16"]
Assignment = Literal["best", "turns"]
CategoryTerm = Literal["negative-sampling", "softmax"]
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "da", "nb", "pl", "ru", "sv")  # with known stop words

LONGEST_PHRASE = 6  # words


def _check(settings: Any, name: str, low: float, high: float) -> None:
    """Integer bounds require an integer. NumPy's numbers become Python's, so that settings can be written as JSON."""
    value, whole = getattr(settings, name), isinstance(low, int)
    if not isinstance(value, Integral if whole else Real) or isinstance(value, bool):
        raise SettingsError(f"`{name}` is {value!r}, but must be a {'whole ' if whole else ''}number")
    number = int(value) if isinstance(value, Integral) else float(value)
    if not low <= number <= high:
        raise SettingsError(f"`{name}` is {number}, but must be between {low} and {high}")
    object.__setattr__(settings, name, number)


def language_codes(language: str) -> tuple[str, ...] | None:
    """Language codes; empty for "none", None for "auto"."""
    if language in ("auto", "none"):
        return None if language == "auto" else ()
    codes = language.split(",") if isinstance(language, str) else [language]
    for code in codes:
        if code not in LANGUAGES:
            raise SettingsError(
                f"`language` is {language!r}, but must be auto, none, or a comma-separated list of these: "
                f"{', '.join(LANGUAGES)}"
            )
    return tuple(dict.fromkeys(codes))


@dataclass(frozen=True, kw_only=True)
class TextSettings:
    """How text becomes terms."""

    language: str = "auto"  # languages whose stop words are excluded: comma-separated codes, "none" or "auto"
    lowercase: bool = True
    min_count: int = 3  # minimum occurrences of a term
    max_phrase_words: int = 6  # 1: no phrases
    phrase_min_count: int = 5  # minimum occurrences of a phrase
    phrase_quality: float = 0.5  # minimum quality of a phrase, from 0 to 1
    known_phrases: tuple[str, ...] = ()  # examples to learn phrase quality from
    stop_words: tuple[str, ...] = ()  # words, or terms of several words, that are excluded besides the language's own
    max_documents: float = 1.0  # share of documents above which a term is excluded
    shard_documents: int = 32_768  # shards never depend on the number of workers
    shard_characters: int = 2_000_000

    def __post_init__(self) -> None:
        language_codes(self.language)
        _check(self, "min_count", 1, 1_000_000)
        _check(self, "max_phrase_words", 1, LONGEST_PHRASE)
        _check(self, "phrase_min_count", 2, 1_000_000)
        _check(self, "phrase_quality", 0.0, 1.0)
        _check(self, "max_documents", 0.0, 1.0)
        for name in ("known_phrases", "stop_words"):
            value = getattr(self, name)
            if isinstance(value, list):  # as read from JSON
                object.__setattr__(self, name, tuple(value))
            if not isinstance(value, tuple | list) or not all(isinstance(each, str) for each in value):
                raise SettingsError(f"`{name}` is {value!r:.100}, but must be a tuple of strings")
        _check(self, "shard_documents", 1, 1_000_000)
        _check(self, "shard_characters", 1_000, 1_000_000_000)


@dataclass(frozen=True, kw_only=True)
class LocalSettings:
    """How local vectors are computed from counts: factorised PMI matrices of the objective (Eq. 3 and 4)."""

    window: int = 5  # h: terms on either side that count as context
    rank: int = 256  # dimensions of local vectors
    subsample: float = 1e-3  # share of all words above which a term's counts are reduced; 0: never
    context_smoothing: float = 0.75  # power on the context distribution
    document_weight: float = 1.0  # norm of the term-document block, relative to the term-term block
    lanczos_block: int = 32  # directions added per step of the factorisation
    lanczos_steps: int = 28  # more is more exact

    def __post_init__(self) -> None:
        _check(self, "window", 1, 50)
        _check(self, "rank", 2, 4096)
        _check(self, "subsample", 0.0, 1.0)
        _check(self, "context_smoothing", 0.0, 1.0)
        _check(self, "document_weight", 0.0, 100.0)
        _check(self, "lanczos_block", 1, 512)
        _check(self, "lanczos_steps", 1, 200)


@dataclass(frozen=True, kw_only=True)
class SkipgramSettings:
    """How local vectors are trained: the objective of Eq. (1), by negative sampling."""

    dimensions: int = 768
    window: int = 5  # h: terms on either side that count as context
    negatives: int = 5  # b: per pair
    subsample: float = 1e-3  # share of all words above which a term's occurrences are subsampled; 0: never
    learning_rate: float = 0.025  # decays linearly to zero
    epochs: int = 12
    warm_up: int = 2  # first epochs, without the category term
    context_weight: float = 1.0
    document_weight: float = 1.0
    category_weight: float = 20.0  # shared equally by all categories and their terms
    category_term: CategoryTerm = "negative-sampling"
    category_every: int = 96  # words per step of the category term
    grows: bool = False  # whether categories gain a term after each epoch of training
    block: int = 6144  # positions whose gradients are summed before vectors are updated
    shared_negatives: int = 16  # K: terms drawn per group of 32 positions; more is closer to b per pair
    shared_documents: int = 6  # documents drawn per group

    def __post_init__(self) -> None:
        _check(self, "dimensions", 1, 4096)
        _check(self, "window", 1, 50)
        _check(self, "negatives", 1, 100)
        _check(self, "subsample", 0.0, 1.0)
        _check(self, "learning_rate", 1e-6, 10.0)
        _check(self, "epochs", 1, 10_000)
        _check(self, "warm_up", 0, self.epochs)
        for weight in ("context_weight", "document_weight", "category_weight"):
            _check(self, weight, 0.0, 1000.0)
        if self.category_term not in ("negative-sampling", "softmax"):
            raise SettingsError(
                f"`category_term` is {self.category_term!r}, but must be 'negative-sampling' or 'softmax'"
            )
        _check(self, "category_every", 1, 1_000_000)
        _check(self, "block", 32, 1 << 20)
        _check(self, "shared_negatives", 1, 4096)
        _check(self, "shared_documents", 1, 4096)


@dataclass(frozen=True, kw_only=True)
class SampleSettings:
    """Which documents the language model reads: as many as a number of words allows."""

    words: int = 150_000  # in all documents read; 0: none
    document_words: int = 64  # at the beginning of each document
    more_words: int = 2_000_000  # in further documents, represented by their terms only

    def __post_init__(self) -> None:
        _check(self, "words", 0, 1_000_000_000)
        _check(self, "document_words", 1, 100_000)
        _check(self, "more_words", 0, 1_000_000_000)


@dataclass(frozen=True, kw_only=True)
class IndexSettings:
    """Everything an index depends on besides the documents and the language model."""

    text: TextSettings = field(default_factory=TextSettings)
    local: LocalSettings = field(default_factory=LocalSettings)
    sample: SampleSettings = field(default_factory=SampleSettings)
    precision: Precision = "float32"  # of the language model's arithmetic
    random_state: int = 0  # seed of the themes, and of training if vectors are trained

    def __post_init__(self) -> None:
        if self.precision not in ("float32", "bfloat16"):
            raise SettingsError(f"`precision` is {self.precision!r}, but must be 'float32' or 'bfloat16'")
        _check(self, "random_state", 0, 2**32 - 1)


@dataclass(frozen=True, kw_only=True)
class SortingSettings:
    """How sampled documents are assigned to categories by name, without labels."""

    rounds: int = 2  # of self-training on the clearest assignments
    kept: float = 0.5  # share of a category's documents, clearest first, that a round learns from
    ridge: float = 0.01  # strength of the regression's penalty, per document
    name_pull: float = 0.5  # weight of the cosine to the name, relative to what was learned
    temperature: float = 0.7  # of the memberships; lower is harder
    described_by: int = 10  # best terms of a first pass that describe each name in a second; 0: one pass

    def __post_init__(self) -> None:
        _check(self, "rounds", 1, 20)
        _check(self, "kept", 0.01, 1.0)
        _check(self, "ridge", 1e-9, 1e3)
        _check(self, "name_pull", 0.0, 1e3)
        _check(self, "temperature", 1e-3, 1e3)
        _check(self, "described_by", 0, 100)


@dataclass(frozen=True, kw_only=True)
class DiscoverySettings:
    """Constants of Algorithm 1, with the paper's symbols, and of what goes beyond it."""

    top: int = 10  # terms per topic in the result
    growth: int = 3  # N: initial terms, and terms added per iteration
    iterations: int = 4  # T
    rho: float = 0.1  # exponent of the mean of reciprocal ranks, Eq. (6)
    checked_ranks: int = 1000  # M: terms further down a ranking have infinite rank in it
    name_pull: float = 1.0  # weight of the name's vector in the general ranking, in terms
    contrast: float = 0.5  # share of the highest similarity to another category that is subtracted
    general_weight: float = 1.0  # weight of each ranking in the mean
    local_weight: float = 1.0
    documents_weight: float = 2.0
    assignment: Assignment = "best"  # which category gets a term: the best one, or each in turn, Eq. (7)
    names_first: bool = True  # a name that occurs as a term is the first term of its topic, in every iteration
    merge_variants: bool = True  # merge inflections and other spellings into one term
    held_back: float = 5.0  # extra weight of the name in a topic that has drifted, in terms
    starts_overlap: bool = False  # whether categories may share starting terms
    training: SkipgramSettings | None = None  # retrains local vectors in every iteration; None: use the index's
    sorting: SortingSettings = field(default_factory=SortingSettings)

    def __post_init__(self) -> None:
        _check(self, "top", 1, 10_000)
        _check(self, "growth", 1, 1_000)
        _check(self, "iterations", 1, 100)
        _check(self, "rho", 1e-6, 1.0)
        _check(self, "checked_ranks", 1, 1_000_000)
        _check(self, "name_pull", 0.0, 1000.0)
        _check(self, "contrast", 0.0, 1.0)
        _check(self, "held_back", 0.0, 1000.0)
        for weight in ("general_weight", "local_weight", "documents_weight"):
            _check(self, weight, 0.0, 100.0)
        if self.general_weight + self.local_weight + self.documents_weight == 0:
            raise SettingsError("all three weights are 0, so no ranking is used; raise one of them")
        if self.assignment not in ("best", "turns"):
            raise SettingsError(f"`assignment` is {self.assignment!r}, but must be 'best' or 'turns'")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of `index` and `discover`."""

    preset: str = "default"
    index: IndexSettings = field(default_factory=IndexSettings)
    discovery: DiscoverySettings = field(default_factory=DiscoverySettings)


DEFAULT = Settings()
# Algorithm 1 as in the paper.
PAPER = Settings(
    preset="paper",
    discovery=DiscoverySettings(
        checked_ranks=100,
        name_pull=0.0,
        held_back=0.0,
        contrast=0.0,
        documents_weight=0.0,
        assignment="turns",
        names_first=False,
        merge_variants=False,
        training=SkipgramSettings(),
    ),
)
# Where the released code differs from the paper.
RELEASED_CODE = Settings(
    preset="released-code",
    discovery=replace(
        PAPER.discovery,
        checked_ranks=99,
        name_pull=1.0,
        starts_overlap=True,
        training=SkipgramSettings(document_weight=1.5, category_term="softmax", grows=True),
    ),
)
# SeeTopic-NoIter: one iteration yields 2 N terms, so ten terms need N = 5.
NO_ITER = Settings(preset="no-iter", discovery=replace(PAPER.discovery, iterations=1, growth=5))
PRESETS = {settings.preset: settings for settings in (DEFAULT, PAPER, RELEASED_CODE, NO_ITER)}


def preset_named(name: str) -> Settings:
    if name not in PRESETS:
        raise SettingsError(f"there is no preset {name!r}; choose one of {', '.join(PRESETS)}")
    return PRESETS[name]


def index_settings_from(saved: dict[str, Any]) -> IndexSettings:
    """Index settings from a manifest; the constructors reject unknown names."""
    parts = {"text": TextSettings, "local": LocalSettings, "sample": SampleSettings}
    made = {name: parts[name](**value) if name in parts else value for name, value in saved.items()}
    return IndexSettings(**made)


def settings_from(saved: dict[str, Any]) -> Settings:
    """Settings from the output of `as_json`; the constructors reject unknown names."""
    discovery = dict(saved["discovery"])
    if discovery.get("training") is not None:
        discovery["training"] = SkipgramSettings(**discovery["training"])
    discovery["sorting"] = SortingSettings(**discovery["sorting"])
    index = index_settings_from(saved["index"])
    return Settings(preset=str(saved["preset"]), index=index, discovery=DiscoverySettings(**discovery))


def as_json(settings: Any) -> dict[str, Any]:
    """A settings dataclass as plain JSON values."""
    return asdict(settings)
