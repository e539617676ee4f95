"""The steps of a fit: settings from parameters, an index from documents, topics and a sorter from an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

from seetopic.classify import AssignOptions, Sorter, sorter_of
from seetopic.corpus import Documents, Judgements, Seeds, as_seeds, is_url, normalized_name
from seetopic.discovery import Discovery, Topics, run_of
from seetopic.errors import CorpusError, SeedError, SettingsError
from seetopic.estimator.vectors import Ready
from seetopic.index import Index, is_index
from seetopic.runtime import Progress, warn
from seetopic.settings import DEFAULT, PRESETS, Settings, preset_named


@dataclass(frozen=True)
class FittedOn:
    """What a model was fitted on, kept for the report, `save`, `partial_fit` and `teach`."""

    documents: Documents | None = None  # None if it was an existing index
    ready: Ready = field(default_factory=Ready)
    judgements: Judgements = field(default_factory=Judgements)


class Learned:
    """The result of a fit; the sorter is made when it is first needed, because topics do not need it."""

    def __init__(self, topics: Topics, sorter: Sorter | Discovery) -> None:
        self.topics, self._sorter = topics, sorter

    @property
    def sorter(self) -> Sorter:
        if isinstance(self._sorter, Discovery):
            self._sorter = sorter_of(self._sorter)  # the run, which is large, is not kept any longer
        return self._sorter

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle, without the run."""
        return {"topics": self.topics, "_sorter": self.sorter}


class GivenTwice(NamedTuple):
    """Names given by both parameters: a constructor of scikit-learn's only stores, so `fit` refuses them."""

    seeds: Any
    seed_topic_list: Any


def one_of(seeds: Any, seed_topic_list: Any) -> Any:
    """The names, from whichever of the two parameters was given."""
    if seeds is not None and seed_topic_list is not None:
        return GivenTwice(seeds, seed_topic_list)
    return seed_topic_list if seeds is None else seeds


def seeds_from(seeds: Any) -> Seeds:
    """The category names; refuses a model without any."""
    if isinstance(seeds, GivenTwice):
        raise SettingsError("both `seeds` and `seed_topic_list` are given, but they mean the same thing; pass only one")
    if seeds is None:
        raise SeedError('there are no category names; pass some: SeeTopic(["books", "health & personal care"])')
    return as_seeds(seeds)


def settings_from_parameters(
    preset: Any, top: int | None, min_count: int | None, language: str | None, random_state: int | None
) -> Settings:
    """A preset or custom settings, with the individually given parameters applied."""
    chosen = preset if isinstance(preset, Settings) else preset_named(preset)
    text, index, discovery = chosen.index.text, chosen.index, chosen.discovery
    text = replace(text, min_count=text.min_count if min_count is None else min_count)
    text = replace(text, language=text.language if language is None else language)
    state = index.random_state if random_state is None else random_state
    discovery = replace(discovery, top=discovery.top if top is None else top)
    return replace(chosen, index=replace(index, text=text, random_state=state), discovery=discovery)


def options_from(threshold: Any) -> AssignOptions:
    """How documents are assigned to categories."""
    if not isinstance(threshold, Real) or isinstance(threshold, bool):
        raise SettingsError(f"`threshold` is {threshold!r}, but must be a number between 0 and 1")
    return AssignOptions(threshold=float(threshold))


def learn(
    index: Index, seeds: Seeds, settings: Settings, device: str, progress: Progress, given: FittedOn
) -> Discovery:
    """Everything that is found for the names."""
    preset = settings.preset if settings.preset in PRESETS else DEFAULT.preset
    return run_of(
        index, seeds, settings.discovery, preset, device, progress, given.ready.names, judgements=given.judgements
    )


def ready_index(source: Any, model: Any, reader: Any, tokenizer: Any, cache: Any) -> Index | None:
    """The index, if the source is one or is its folder; otherwise None."""
    if isinstance(source, Index):
        return source
    if isinstance(source, str | Path) and is_index(source):
        options = {} if tokenizer is None else {"tokenizer": tokenizer}
        return Index.open(source, embedding_model=model, reader=reader, cache=cache, **options)
    return None


@contextmanager
def telling_texts_from_files(source: Any) -> Iterator[None]:
    """Say how to pass one text if documents cannot be opened because a text was given instead of a file's name."""
    try:
        yield
    except CorpusError as error:
        if not isinstance(source, str) or source in ("", "-") or is_url(source) or _exists(source):
            raise
        raise CorpusError(f"{source!r:.60} is not the name of a file; one text goes in a list: [text]") from error


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # too long for a name
        return False


def say_unused(index: Index, min_count: int | None, language: str | None, random_state: int | None) -> None:
    """Warn about parameters that differ from those the index was built with, instead of ignoring them silently."""
    built = index.settings
    asked = {"min_count": min_count, "language": language, "random_state": random_state}
    made_with = {"min_count": built.text.min_count, "language": built.text.language, "random_state": built.random_state}
    for name, value in asked.items():
        if value is not None and value != made_with[name]:
            warn(
                f"the index was built with {name}={made_with[name]!r}, so {name}={value!r} has no effect; "
                "pass it to Index.build"
            )


def say_unreadable(index: Index, seeds: Seeds, ready: Ready) -> None:
    """Warn about names that the language model has to read but cannot."""
    for sentence in index.warnings_about(names_to_read(seeds, ready)):
        warn(sentence)


def names_to_read(seeds: Seeds, ready: Ready) -> tuple[str, ...]:
    """The names of categories that were given without a vector."""
    return tuple(name for seed in seeds.seeds if seed.name not in ready.names for name in seed.names)


def refuse_other_columns(names: tuple[str, ...], new: Documents) -> None:
    """Refuse documents with other columns than the earlier ones."""
    if new.keep != "all" and set(new.keep) != set(names):
        raise CorpusError(
            f"the model was fitted with {_listed(names)}, but these documents come with {_listed(new.keep)}; "
            "pass the same `columns`"
        )


def _listed(names: tuple[str, ...]) -> str:
    return f"the columns {', '.join(names)}" if names else "no columns"


def topic_number(seeds: Seeds, topic: int | str) -> int:
    """The number of a topic, given its number or its name; in a tree, also its path as text."""
    labels = seeds.labels
    if isinstance(topic, str) and topic in labels:
        return labels.index(topic)
    if isinstance(topic, str) and seeds.names.count(topic) == 1:
        return seeds.names.index(topic)
    if isinstance(topic, Integral) and not isinstance(topic, bool) and 0 <= topic < len(seeds):
        return int(topic)  # `predict` returns NumPy's integers
    if same := [label for label, name in zip(labels, seeds.names, strict=True) if name == topic]:
        raise SeedError(f"several topics have the name {topic!r}; choose from {', '.join(same)}")
    raise SeedError(
        f"there is no topic {topic!r}; give a number from 0 to {len(seeds) - 1}, or one of {', '.join(labels[:5])}"
    )


def topic_or_none(seeds: Seeds, topic: int | str) -> int:
    """The same, or -1, as `predict` calls documents without a topic."""
    return -1 if topic == -1 else topic_number(seeds, topic)


def accepted(seeds: Seeds, topic: int | str, terms: tuple[str, ...]) -> Seeds:
    """The names with these terms pinned in a topic, and in no other, and not negative in it."""
    number = topic_number(seeds, topic)
    own = seeds.seeds[number]
    changed = [replace(seed, pinned=_without(seed.pinned, terms)) for seed in seeds.seeds]
    pinned, negative = (*_without(own.pinned, terms), *terms), _without(own.negative, terms)
    changed[number] = replace(own, pinned=pinned, negative=negative)
    return Seeds(tuple(changed))


def rejected(seeds: Seeds, topic: int | str, terms: tuple[str, ...]) -> Seeds:
    """The names with these terms negative in a topic, and not pinned in it."""
    number = topic_number(seeds, topic)
    own = seeds.seeds[number]
    changed = list(seeds.seeds)
    negative = (*_without(own.negative, terms), *terms)
    changed[number] = replace(own, pinned=_without(own.pinned, terms), negative=negative)
    return Seeds(tuple(changed))


def listed_terms(terms: Any) -> tuple[str, ...]:
    """One term or several, without duplicates."""
    given = list(terms) if isinstance(terms, Iterable) and not isinstance(terms, str) else [terms]
    if not given or not all(isinstance(term, str) and term.strip() for term in given):
        raise SeedError(f"terms must be a string or a list of strings, not {terms!r:.60}")
    return tuple({normalized_name(term): term.strip() for term in given}.values())


def _without(terms: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    keys = set(map(normalized_name, others))
    return tuple(term for term in terms if normalized_name(term) not in keys)
