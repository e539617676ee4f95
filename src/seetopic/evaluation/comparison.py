"""Compares methods on the same documents, names and held-out part, over several random states."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.corpus import Documents, Seeds, as_records, as_seeds, open_documents
from seetopic.discovery import Topics, expanded
from seetopic.errors import CorpusError, OutputError, SettingsError
from seetopic.evaluation.evaluate import Evaluation, EvaluationOptions, evaluate_all, labels_for
from seetopic.evaluation.methods import METHODS, Task, method_named, require
from seetopic.evaluation.significance import TopicDifference, paired_bootstrap, unpaired_t_test, z_test
from seetopic.index import Index, plan_cached
from seetopic.runtime import Doubles, Progress, Warn, ignore, quantity, silent, warn, write_json
from seetopic.settings import DEFAULT, PRESETS
from seetopic.version import __version__

DEEP = 50  # terms per topic that methods are asked for, as many as label F1 uses


@dataclass(frozen=True)
class Parts:
    """Documents to learn from, and held-out documents with their labels, if any."""

    learned_from: tuple[str, ...]
    held_out: Documents
    skipped: tuple[tuple[str, int], ...] = ()  # records skipped before the split, by reason
    name: str = "documents"  # of those to learn from, for errors


def split(documents: Documents, share: float, random_state: int) -> Parts:
    """Hold out a random share of the documents; methods see neither these nor any labels."""
    if not 0 < share < 1:
        raise SettingsError(f"the share of documents to hold out is {share}, but must be between 0 and 1")
    labels: list[tuple[str, ...]] = []
    skipped: Counter[str] = Counter()
    texts = list(documents.texts(skipped, labels))
    order = np.random.default_rng(random_state).permutation(len(texts))
    n_held_out = round(share * len(texts))
    if not 0 < n_held_out < len(texts):
        raise CorpusError(
            f"{documents.name} has {quantity(len(texts), 'document')}, too few to hold out {share:.0%} of them"
        )
    held, kept = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    chosen = replace(
        open_documents([texts[number] for number in held]),
        title=documents.name,
        labels=[labels[number] for number in held] if documents.has_labels else None,
    )
    return Parts(tuple(texts[number] for number in kept), chosen, tuple(skipped.items()), documents.name)


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """How methods are run. Training of vectors may be shortened, which the result records."""

    runs: int = 1  # random states 0, 1, ...
    model: Any = None
    reader: Any = None  # another model that reads documents and names for the presets
    device: str = "auto"
    n_jobs: int | None = None
    cache: Path | None = None
    dimensions: int | None = None  # of vectors that a method trains; None: the method's default
    min_count: int = DEFAULT.index.text.min_count  # of terms, in the documents to learn from
    epochs: int | None = None  # of each training run of a preset, which trains again in every iteration

    def __post_init__(self) -> None:
        for name, least in (("runs", 1), ("dimensions", 2), ("epochs", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise SettingsError(f"`{name}` is {value}, but must be at least {least}")


@dataclass(frozen=True)
class Outcome:
    """The result of one method with one random state."""

    method: str
    random_state: int
    topics: Topics
    seconds: float
    evaluation: Evaluation

    def to_json(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "random_state": self.random_state,
            "seconds": round(self.seconds, 2),
            "made_with": self.topics.made_with,
            "evaluation": self.evaluation.to_json(),
            "topics": {topic.label: list(topic)[:10] for topic in self.topics},
            "in_vocabulary": {topic.label: topic.in_vocabulary for topic in self.topics},
        }


@dataclass(frozen=True)
class Comparison:
    """All outcomes; the other methods are compared with the first one."""

    outcomes: tuple[Outcome, ...]
    n_learned_from: int  # documents
    skipped: tuple[tuple[str, int], ...] = ()  # records skipped, by reason

    @property
    def runs(self) -> int:
        return len({outcome.random_state for outcome in self.outcomes})

    @cached_property
    def methods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(outcome.method for outcome in self.outcomes))

    def values(self, method: str, figure: str) -> list[float]:
        """A figure for each run of a method; nan where it is undefined."""
        runs = [outcome.evaluation.figures for outcome in self.outcomes if outcome.method == method]
        return [figures.get(figure, float("nan")) for figures in runs]

    def p_value(self, method: str, figure: str) -> float | None:
        """As in the paper: t-test over runs, z-test against a deterministic method; None: undecidable."""
        ours, others = self.values(self.methods[0], figure), self.values(method, figure)
        if np.isnan(ours).any() or np.isnan(others).any():
            return None
        tested = z_test(ours, others[0]) if len(set(others)) == 1 else unpaired_t_test(ours, others)
        return None if tested is None else tested.p

    def over_topics(self, method: str, figure: str, random_state: int = 0) -> TopicDifference | None:
        """Paired bootstrap over topics of the runs' means; None if no topic has the figure for both methods."""
        ours, other = self._by_topic(self.methods[0], figure), self._by_topic(method, figure)
        both = ~np.isnan(ours) & ~np.isnan(other)
        return paired_bootstrap(ours[both].tolist(), other[both].tolist(), random_state) if both.any() else None

    def _by_topic(self, method: str, figure: str) -> Doubles:
        runs = [outcome.evaluation.topics for outcome in self.outcomes if outcome.method == method]
        rows = [[topic.figures.get(figure, float("nan")) for topic in topics] for topics in runs]
        means: Doubles = np.mean(np.array(rows, np.float64), axis=0)
        return means

    def to_json(self) -> dict[str, Any]:
        """Means of each method's runs, with p against the first method, then every outcome; null: undefined."""
        return {
            "learned_from": self.n_learned_from,
            "held_out": self.outcomes[0].evaluation.n_documents,
            "skipped": dict(self.skipped),
            "runs": self.runs,
            "methods": {method: self._summary(method) for method in self.methods},
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
        }

    def _summary(self, method: str) -> dict[str, dict[str, float | None]]:
        figures = self.outcomes[0].evaluation.figures
        means = {figure: float(np.mean(self.values(method, figure))) for figure in figures}
        return {
            figure: {
                "mean": None if np.isnan(mean) else mean,
                "p": None if method == self.methods[0] else self.p_value(method, figure),
            }
            for figure, mean in means.items()
        }


def compare(
    parts: Parts,
    seeds: Any,
    methods: Sequence[str],
    *,
    options: CompareOptions = CompareOptions(),
    folder: Path | None = None,
    progress: Progress = silent,
    warn: Warn = warn,
) -> Comparison:
    """Run methods on the same task and measure all of them on the same held-out documents.

    With a folder, each result is saved there as soon as it is available, and an interrupted run resumes from them.
    """
    asked = as_seeds(seeds)
    _check(parts, asked, methods, folder)  # before an hour of work
    found = list(_run_all(parts, asked, methods, options, folder, progress, warn))
    measured = evaluate_all(
        [topics for _, _, topics, _ in found],
        parts.held_out,
        options=EvaluationOptions(),
        n_jobs=options.n_jobs,
        progress=progress,
    )
    outcomes = tuple(Outcome(*each, result) for each, result in zip(found, measured, strict=True))
    return Comparison(outcomes, len(parts.learned_from), parts.skipped)


def _check(parts: Parts, seeds: Seeds, methods: Sequence[str], folder: Path | None) -> None:
    if not isinstance(parts, Parts):
        raise SettingsError(
            f"`parts` is a {type(parts).__name__}, but must be documents of which some are held out: "
            "seetopic.evaluation.split(open_documents(documents), 0.5, random_state=0)"
        )
    if not methods:
        raise SettingsError(f"no method was given; choose from {', '.join(METHODS)}")
    for method in methods:
        require(method)
    if folder is not None and folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file; choose a folder for the results")
    given: list[tuple[str, ...]] = []
    for _ in parts.held_out.texts(labels=given):  # raises here if it cannot be read
        pass
    if parts.held_out.has_labels:
        held_out = parts.held_out
        labels_for(seeds.paths, given, held_out.name, held_out.label_field, held_out.column_names)


def _run_all(
    parts: Parts,
    seeds: Seeds,
    methods: Sequence[str],
    options: CompareOptions,
    folder: Path | None,
    progress: Progress,
    warn: Warn,
) -> Iterator[tuple[str, int, Topics, float]]:
    """Method, random state, topics and seconds, state by state: all methods of one state share an index."""
    total = options.runs * len(methods)
    for state in range(options.runs):
        heard = ignore if state else warn  # once is enough: the documents are the same
        task = _task(parts, seeds, options, state, progress, heard)
        for number, method in enumerate(methods, start=state * len(methods)):
            progress(f"{method}, random state {state}", number, total)
            place = None if folder is None else folder / f"{method}-{state}.json"
            own = replace(task, epochs=options.epochs) if method in PRESETS else task
            topics, seconds = _kept(place, own, method, state) or _run(place, own, method, state)
            yield method, state, topics, seconds


def _task(parts: Parts, seeds: Seeds, options: CompareOptions, state: int, progress: Progress, warn: Warn) -> Task:
    text = replace(DEFAULT.index.text, min_count=options.min_count)
    build = plan_cached(
        replace(open_documents(parts.learned_from), title=parts.name),
        settings=replace(DEFAULT.index, text=text, random_state=state),
        embedding_model=options.model,
        reader=options.reader,
        n_jobs=options.n_jobs,
        device=options.device,
        cache=options.cache,
        names=seeds.all_names,
        progress=progress,
        warn=warn,
    )
    build.run()
    index = Index.open(build.out, embedding_model=options.model, reader=options.reader, cache=options.cache)
    asked = expanded(seeds, index.vocabulary.terms)
    return Task(index, asked, parts.learned_from, options.device, options.dimensions, progress=progress)


def _run(place: Path | None, task: Task, method: str, state: int) -> tuple[Topics, float]:
    started = time.perf_counter()
    topics = method_named(method)(task, DEEP, state)
    seconds = time.perf_counter() - started
    if place is not None:
        kept = {"key": _key(task, method, state), "seconds": seconds, **topics.to_json()}
        write_json(place, kept)
    return topics, seconds


def _kept(place: Path | None, task: Task, method: str, state: int) -> tuple[Topics, float] | None:
    """The complete result of an earlier run for exactly this task, if there is one."""
    if place is None or not place.exists():
        return None
    try:
        value = json.loads(place.read_text(encoding="utf-8"))
        if value["key"] != _key(task, method, state):
            return None
        return Topics.from_json(value), float(value["seconds"])
    except (ValueError, KeyError, TypeError):
        return None  # not one of ours, or truncated: compute it again


def _key(task: Task, method: str, state: int) -> str:
    asked = [
        __version__,
        task.index.manifest["key"],
        as_records(task.seeds),
        [method, state, DEEP, task.dimensions, task.epochs],
    ]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()
