"""Every number once, checked where it is made."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from seetopic.errors import SettingsError

Precision = Literal["float32", "bfloat16"]
Assignment = Literal["best", "turns"]
CategoryTerm = Literal["negative-sampling", "softmax"]
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "da", "nb", "pl", "ru", "sv")  # with known function words

LONGEST_PHRASE = 6  # words


def _check(name: str, value: float, low: float, high: float) -> None:
    """Whole bounds ask for a whole number."""
    kinds = (int,) if isinstance(low, int) else (int, float)
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise SettingsError(f"`{name}` is {value!r}, but must be a {'whole ' if len(kinds) == 1 else ''}number")
    if not low <= value <= high:
        raise SettingsError(f"`{name}` is {value}, but must lie between {low} and {high}")


def language_codes(language: str) -> tuple[str, ...] | None:
    """The languages that were asked for, none if that was asked for, or None if they are to be detected."""
    if language in ("auto", "none"):
        return None if language == "auto" else ()
    codes = language.split(",") if isinstance(language, str) else [language]
    for code in codes:
        if code not in LANGUAGES:
            raise SettingsError(
                f"`language` is {language!r}, but must be auto, none, or languages parted by commas, "
                f"each one of {', '.join(LANGUAGES)}"
            )
    return tuple(dict.fromkeys(codes))


@dataclass(frozen=True, kw_only=True)
class TextSettings:
    """How text becomes terms."""

    language: str = "auto"  # languages whose function words are left out: codes with commas, "none", or as detected
    lowercase: bool = True
    min_count: int = 3  # terms that occur less often are left out
    max_phrase_words: int = 6  # 1: no phrases are mined
    phrase_min_count: int = 5  # a phrase must occur this often
    phrase_quality: float = 0.5  # and be this good: between 0 and 1
    known_phrases: tuple[str, ...] = ()  # which teach what a phrase looks like
    shard_documents: int = 32_768  # shards never depend on the number of workers
    shard_characters: int = 2_000_000

    def __post_init__(self) -> None:
        language_codes(self.language)
        _check("min_count", self.min_count, 1, 1_000_000)
        _check("max_phrase_words", self.max_phrase_words, 1, LONGEST_PHRASE)
        _check("phrase_min_count", self.phrase_min_count, 2, 1_000_000)
        _check("phrase_quality", self.phrase_quality, 0.0, 1.0)
        if isinstance(self.known_phrases, list):  # as JSON gives it back
            object.__setattr__(self, "known_phrases", tuple(self.known_phrases))
        if not isinstance(self.known_phrases, tuple) or not all(isinstance(each, str) for each in self.known_phrases):
            raise SettingsError(f"`known_phrases` is {self.known_phrases!r:.100}, but must be a tuple of strings")
        _check("shard_documents", self.shard_documents, 1, 1_000_000)
        _check("shard_characters", self.shard_characters, 1_000, 1_000_000_000)


@dataclass(frozen=True, kw_only=True)
class LocalSettings:
    """How local vectors come out of counts: the objective's PMI matrices, factorised (Eq. 3 and 4)."""

    window: int = 5  # h: terms on either side that count as context
    rank: int = 256  # length of a local vector
    subsample: float = 1e-3  # share of all words above which a term's counts are thinned; 0: never
    context_smoothing: float = 0.75  # power on the context distribution
    document_weight: float = 1.0  # norm of the term-document block, the term-term block being 1
    power_iterations: int = 2  # of the randomised factorisation: more is nearer to exact
    oversampling: int = 16  # directions beyond `rank` that it carries along

    def __post_init__(self) -> None:
        _check("window", self.window, 1, 50)
        _check("rank", self.rank, 2, 4096)
        _check("subsample", self.subsample, 0.0, 1.0)
        _check("context_smoothing", self.context_smoothing, 0.0, 1.0)
        _check("document_weight", self.document_weight, 0.0, 100.0)
        _check("power_iterations", self.power_iterations, 1, 20)
        _check("oversampling", self.oversampling, 0, 512)


@dataclass(frozen=True, kw_only=True)
class SkipgramSettings:
    """How local vectors are trained: the objective of Eq. (1), by negative sampling."""

    dimensions: int = 768
    window: int = 5  # h: terms on either side that count as context
    negatives: int = 5  # b: of every pair
    subsample: float = 1e-3  # share of all words above which a term's occurrences are thinned; 0: never
    learning_rate: float = 0.025  # falls to zero in a line
    epochs: int = 12
    warm_up: int = 2  # of these, the first ones without the category term
    context_weight: float = 1.0
    document_weight: float = 1.0
    category_weight: float = 20.0  # of all categories together, shared by them and by their terms alike
    category_term: CategoryTerm = "negative-sampling"
    category_every: int = 96  # words for each time that the category term counts
    grows: bool = False  # every category gains a term after each epoch, inside the training
    block: int = 6144  # positions whose gradients are summed before vectors move
    shared_negatives: int = 16  # K: terms drawn for a group of 32 positions; more is nearer to b for each pair
    shared_documents: int = 6  # documents drawn for a group

    def __post_init__(self) -> None:
        _check("dimensions", self.dimensions, 1, 4096)
        _check("window", self.window, 1, 50)
        _check("negatives", self.negatives, 1, 100)
        _check("subsample", self.subsample, 0.0, 1.0)
        _check("learning_rate", self.learning_rate, 1e-6, 10.0)
        _check("epochs", self.epochs, 1, 10_000)
        _check("warm_up", self.warm_up, 0, self.epochs)
        for weight in ("context_weight", "document_weight", "category_weight"):
            _check(weight, getattr(self, weight), 0.0, 1000.0)
        if self.category_term not in ("negative-sampling", "softmax"):
            raise SettingsError(
                f"`category_term` is {self.category_term!r}, but must be 'negative-sampling' or 'softmax'"
            )
        _check("category_every", self.category_every, 1, 1_000_000)
        _check("block", self.block, 32, 1 << 20)
        _check("shared_negatives", self.shared_negatives, 1, 4096)
        _check("shared_documents", self.shared_documents, 1, 4096)


@dataclass(frozen=True, kw_only=True)
class SampleSettings:
    """Which documents the language model reads: as many as hold a number of words, so short ones are many."""

    words: int = 150_000  # of all documents read; 0: none is read
    document_words: int = 64  # of each, from its beginning
    more_words: int = 2_000_000  # of further documents, which are known by their terms alone

    def __post_init__(self) -> None:
        _check("words", self.words, 0, 1_000_000_000)
        _check("document_words", self.document_words, 1, 100_000)
        _check("more_words", self.more_words, 0, 1_000_000_000)


@dataclass(frozen=True, kw_only=True)
class IndexSettings:
    """Everything an index depends on besides documents and language model."""

    text: TextSettings = field(default_factory=TextSettings)
    local: LocalSettings = field(default_factory=LocalSettings)
    sample: SampleSettings = field(default_factory=SampleSettings)
    precision: Precision = "float32"  # of the language model's arithmetic
    random_state: int = 0  # of the factorisation, and of the choice of documents to read

    def __post_init__(self) -> None:
        if self.precision not in ("float32", "bfloat16"):
            raise SettingsError(f"`precision` is {self.precision!r}, but must be 'float32' or 'bfloat16'")
        _check("random_state", self.random_state, 0, 2**32 - 1)


@dataclass(frozen=True, kw_only=True)
class SortingSettings:
    """How sampled documents are sorted into categories by their names, without any label."""

    rounds: int = 2  # of learning from one's own clearest guesses
    kept: float = 0.5  # share of a category's documents, the clearest, that a round learns from
    ridge: float = 0.01  # strength of the regression's penalty, per document
    name_pull: float = 0.5  # weight of the name's own cosine beside what was learned
    temperature: float = 0.7  # of the memberships: lower is harder
    described_by: int = 5  # best terms of a first run that describe each name in a second; 0: one run

    def __post_init__(self) -> None:
        _check("rounds", self.rounds, 1, 20)
        _check("kept", self.kept, 0.01, 1.0)
        _check("ridge", self.ridge, 1e-9, 1e3)
        _check("name_pull", self.name_pull, 0.0, 1e3)
        _check("temperature", self.temperature, 1e-3, 1e3)
        _check("described_by", self.described_by, 0, 100)


@dataclass(frozen=True, kw_only=True)
class DiscoverySettings:
    """Algorithm 1's constants, by the paper's symbols, and what goes beyond it."""

    top: int = 10  # terms of a topic in the result
    growth: int = 3  # N: terms at the start, and terms added per iteration
    iterations: int = 4  # T
    rho: float = 0.1  # power of the mean of reciprocal ranks, Eq. (6)
    checked_ranks: int = 1000  # M: a term further down a ranking has rank infinity there
    name_pull: float = 1.0  # the name's own vector counts as so many terms in the general ranking
    contrast: float = 0.5  # share of the best other category's similarity that is subtracted
    general_weight: float = 1.0  # of each ranking in the mean
    local_weight: float = 1.0
    documents_weight: float = 2.0
    assignment: Assignment = "best"  # who gets a term: the category it suits best, or categories in turns, Eq. (7)
    names_first: bool = True  # a name that occurs as a term stands first in its topic, in every iteration
    merge_variants: bool = True  # one term stands for its inflections and other spellings
    held_back: float = 5.0  # in a topic that has drifted, the name counts as so many terms more
    starts_overlap: bool = False  # whether categories may share starting terms
    training: SkipgramSettings | None = None  # local vectors are trained anew in every iteration; None: the index's
    sorting: SortingSettings = field(default_factory=SortingSettings)

    def __post_init__(self) -> None:
        _check("top", self.top, 1, 10_000)
        _check("growth", self.growth, 1, 1_000)
        _check("iterations", self.iterations, 1, 100)
        _check("rho", self.rho, 1e-6, 1.0)
        _check("checked_ranks", self.checked_ranks, 1, 1_000_000)
        _check("name_pull", self.name_pull, 0.0, 1000.0)
        _check("contrast", self.contrast, 0.0, 1.0)
        _check("held_back", self.held_back, 0.0, 1000.0)
        for weight in ("general_weight", "local_weight", "documents_weight"):
            _check(weight, getattr(self, weight), 0.0, 100.0)
        if self.general_weight + self.local_weight + self.documents_weight == 0:
            raise SettingsError("all three weights are 0, so nothing ranks the terms; raise one")
        if self.assignment not in ("best", "turns"):
            raise SettingsError(f"`assignment` is {self.assignment!r}, but must be 'best' or 'turns'")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What `index` and `discover` do, whole."""

    preset: str = "default"
    index: IndexSettings = field(default_factory=IndexSettings)
    discovery: DiscoverySettings = field(default_factory=DiscoverySettings)


DEFAULT = Settings()
# Algorithm 1 as it stands in the paper.
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
# Where the released program differs from it.
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
# SeeTopic-NoIter: a single iteration ends with 2 N terms, so ten terms need N = 5.
NO_ITER = Settings(preset="no-iter", discovery=replace(PAPER.discovery, iterations=1, growth=5))
PRESETS = {settings.preset: settings for settings in (DEFAULT, PAPER, RELEASED_CODE, NO_ITER)}


def preset_named(name: str) -> Settings:
    if name not in PRESETS:
        raise SettingsError(f"there is no preset {name!r}; choose one of {', '.join(PRESETS)}")
    return PRESETS[name]


def index_settings_from(saved: dict[str, Any]) -> IndexSettings:
    """The settings that `as_json` wrote into a manifest; unknown names are refused by the constructors."""
    parts = {"text": TextSettings, "local": LocalSettings, "sample": SampleSettings}
    made = {name: parts[name](**value) if name in parts else value for name, value in saved.items()}
    return IndexSettings(**made)


def settings_from(saved: dict[str, Any]) -> Settings:
    """The whole settings that `as_json` gave; unknown names are refused by the constructors."""
    discovery = dict(saved["discovery"])
    if discovery.get("training") is not None:
        discovery["training"] = SkipgramSettings(**discovery["training"])
    discovery["sorting"] = SortingSettings(**discovery["sorting"])
    index = index_settings_from(saved["index"])
    return Settings(preset=str(saved["preset"]), index=index, discovery=DiscoverySettings(**discovery))


def as_json(settings: Any) -> dict[str, Any]:
    """A settings dataclass as plain JSON values."""
    return asdict(settings)
