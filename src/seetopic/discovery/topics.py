"""`Topics`, the result of a discovery: each term with its score, its documents and its ranks."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, SupportsIndex

from seetopic.corpus import path_text
from seetopic.discovery.evidence.confidence import DOUBTFUL
from seetopic.errors import OutputError
from seetopic.runtime import (
    FileSet,
    Library,
    SafeRows,
    dataframe,
    listed,
    read_json,
    refuse_others,
    write_json,
    write_text,
)

LOW_CONFIDENCE = (
    "low confidence: the terms are not near enough to the name, or the documents do not use them alike; read them with "
    "care, or add a description"
)
RESULTS = ("topics.json", "topics.csv", "report.html", "sorter.safetensors")  # what `discover` writes
_INDENT = "  "  # per level of a tree
_TOLD = 5  # residual themes listed in a note
_LARGEST = 1e9  # far above the scores of any method


@dataclass(frozen=True)
class RankedTerm:
    """A term of a topic."""

    term: str
    score: float  # Eq. (6), lowered if terms before it cover its documents; 1 at best
    documents: int  # number of documents that contain it, not counting its variants
    ranks: dict[str, int | None]  # by each kind of evidence; None if not among the checked ranks
    variants: tuple[str, ...] = ()  # other forms and spellings that it represents, most frequent first


@dataclass(frozen=True)
class Topic:
    """A category with its terms, best first."""

    name: str
    names: tuple[str, ...]
    in_vocabulary: bool  # whether one of its names occurs in the documents as a term
    terms: tuple[RankedTerm, ...]
    confidence: float = 1.0  # how surely the terms are about the name, from 0 to 1
    warnings: tuple[str, ...] = ()  # what to know before using it, one sentence each
    path: tuple[str, ...] = ()  # names from the root of a tree to it; by default the name alone
    share: float | None = None  # of the documents, with those of the topics below it, from 0 to 1; only in a tree

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", self.path or (self.name,))

    @property
    def label(self) -> str:
        """Its path as text, which no other topic has; without a tree, its name."""
        return path_text(self.path)

    @property
    def parent(self) -> str | None:
        """The label of the topic above it."""
        return path_text(self.path[:-1]) or None

    def __iter__(self) -> Iterator[str]:
        return (ranked.term for ranked in self.terms)


@dataclass(frozen=True)
class Residual:
    """A theme of the documents that no name covers."""

    suggested_name: str  # the term that best describes it
    share: float  # of the documents, from 0 to 1
    terms: tuple[str, ...]  # best first
    passages: tuple[str, ...] = ()  # how typical documents begin
    parent: str | None = None  # in a tree, the label of the topic that it belongs to, of whose children none covers it


@dataclass(frozen=True, repr=False)
class Topics:
    """All topics, in the order of the names; `made_with` records how to reproduce them.

    Prints as a table, also in notebooks.
    """

    topics: tuple[Topic, ...]
    made_with: dict[str, Any]
    coverage: float = 1.0  # share of the documents that the names cover, from 0 to 1
    residual: tuple[Residual, ...] = ()  # themes that the names leave out, largest first
    coverage_note: str | None = None  # why nothing is left out

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __getitem__(self, topic: SupportsIndex | str) -> Topic:
        """A topic by its number, its name, or its path as text if several have that name."""
        if not isinstance(topic, str):  # `predict` returns NumPy's integers
            return self.topics[topic]
        found = [each for each in self.topics if each.label == topic] or [
            each for each in self.topics if each.name == topic
        ]
        if len(found) != 1:
            problem = "several topics have the name" if found else "there is no topic"
            labels = ", ".join(each.label for each in found or self.topics)
            raise KeyError(f"{problem} {topic!r}; choose from {labels}")
        return found[0]

    def __contains__(self, topic: object) -> bool:
        """Whether there is such a topic, or one with this name or path."""
        return any(topic in (each, each.name, each.label) for each in self.topics)

    @property
    def is_tree(self) -> bool:
        """Whether any topic has a parent."""
        return any(len(topic.path) > 1 for topic in self.topics)

    def children(self, label: str | None) -> tuple[Topic, ...]:
        """The topics right below the one with this label; the roots for None."""
        return tuple(topic for topic in self.topics if topic.parent == label)

    def __str__(self) -> str:
        names = [_INDENT * (len(topic.path) - 1) + topic.name for topic in self.topics]
        width = max(map(len, ("topic", *names)))
        lines = [f"{'topic':<{width}}  confidence  terms"]
        lines += [
            f"{name:<{width}}  {topic.confidence:>10.2f}  {', '.join(topic)}"
            for name, topic in zip(names, self.topics, strict=True)
        ]
        lines += self.notes
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    @property
    def notes(self) -> list[str]:
        """What to know about the topics as a whole: one sentence per issue, not one per topic."""
        told = []
        if self.doubtful:
            names, whose = listed(topic.label for topic in self.doubtful), "its" if len(self.doubtful) == 1 else "their"
            told.append(
                f"Low confidence (below {DOUBTFUL}): {names}. Read {whose} terms with care, or add a description."
            )
        for parent in dict.fromkeys(each.parent for each in self.residual):
            themes = [each for each in self.residual if each.parent == parent][:_TOLD]
            largest = ", ".join(f"{each.suggested_name} ({each.share:.0%})" for each in themes)
            if parent is None:
                told.append(f"The names cover {self.coverage:.0%} of the documents. The others are about: {largest}.")
            else:
                told.append(f"{parent} also has themes that no name below it covers: {largest}.")
        if self.coverage_note is not None:
            told.append(self.coverage_note)
        others: dict[str, list[str]] = {}
        for topic in self.topics:
            for sentence in topic.warnings:
                if not sentence.startswith("low confidence"):  # told above
                    others.setdefault(sentence, []).append(topic.label)
        for sentence, labels in others.items():
            names = listed(labels)
            told.append(f"{sentence}." if sentence.startswith(f"{names} ") else f"{names}: {sentence}")
        return told

    @property
    def doubtful(self) -> tuple[Topic, ...]:
        """Topics with low confidence, among them those without terms."""
        return tuple(topic for topic in self.topics if topic.confidence < DOUBTFUL)

    def _repr_html_(self) -> str:
        """The HTML shown by notebooks; names and terms are escaped."""
        head = "".join(f'<th style="text-align:left">{each}</th>' for each in ("topic", "confidence", "terms"))
        rows = "".join(_html_row(topic) for topic in self.topics)
        notes = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.notes)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"

    def to_dataframe(self, library: Library = "pandas") -> Any:
        """A pandas or polars table with one row per term; its columns are those of `topics.csv`."""
        return dataframe(self._columns(), library)

    def _columns(self) -> dict[str, list[Any]]:
        kinds = sorted({kind for topic in self.topics for each in topic.terms for kind in each.ranks})
        rows = [(topic, *numbered) for topic in self.topics for numbered in enumerate(topic.terms, start=1)]
        return {
            "topic": [topic.name for topic, _, _ in rows],
            **({"path": [topic.label for topic, _, _ in rows]} if self.is_tree else {}),
            "rank": [place for _, place, _ in rows],
            "term": [each.term for _, _, each in rows],
            "score": [each.score for _, _, each in rows],
            "documents": [each.documents for _, _, each in rows],
            **{f"{kind}_rank": [each.ranks.get(kind) for _, _, each in rows] for kind in kinds},
            "variants": [list(each.variants) for _, _, each in rows],
        }

    def to_json(self) -> dict[str, Any]:
        """The contents of `topics.json`."""
        return {
            "topics": [
                {
                    "name": topic.name,
                    "path": list(topic.path),
                    "parent": topic.parent,
                    **({} if topic.share is None else {"share": topic.share}),
                    "names": list(topic.names),
                    "in_vocabulary": topic.in_vocabulary,
                    "confidence": topic.confidence,
                    "warnings": list(topic.warnings),
                    "terms": [
                        {
                            "term": each.term,
                            "score": each.score,
                            "documents": each.documents,
                            "ranks": each.ranks,
                            "variants": list(each.variants),
                        }
                        for each in topic.terms
                    ],
                }
                for topic in self.topics
            ],
            "coverage": {
                "share": self.coverage,
                **({} if self.coverage_note is None else {"note": self.coverage_note}),
            },
            "residual": [
                {
                    "suggested_name": each.suggested_name,
                    **({} if each.parent is None else {"parent": each.parent}),
                    "share": each.share,
                    "terms": list(each.terms),
                    "passages": list(each.passages),
                }
                for each in self.residual
            ],
            "made_with": self.made_with,
        }

    def to_csv(self) -> str:
        """CSV with one row per term; variants are separated by semicolons.

        A text that a spreadsheet would run as a formula is prefixed with an apostrophe.
        """
        columns = self._columns()
        columns["score"] = [float(f"{score:.6g}") for score in columns["score"]]
        columns["variants"] = ["; ".join(variants) for variants in columns["variants"]]
        text = io.StringIO()
        rows = SafeRows(text)
        for row in ([*columns], *zip(*columns.values(), strict=True)):
            rows.add(row)
        return text.getvalue()

    def save(self, folder: str | Path) -> None:
        """Write `topics.json` and `topics.csv` to a folder, both or neither."""
        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise OutputError(f"{path} is a file; choose a folder for the results")
        refuse_other_results(path, ("topics.csv", "topics.json"))
        with results_in(path).written() as beside:
            write_text(beside / "topics.csv", self.to_csv())
            write_json(beside / "topics.json", self.to_json())

    @classmethod
    def load(cls, folder: str | Path) -> Topics:
        """Load what `save` wrote, from its folder or its `topics.json`; raises `OutputError` for anything else."""
        path = Path(folder) if Path(folder).is_file() else Path(folder) / "topics.json"
        results_in(path.parent).complete()
        try:
            return cls.from_json(read_json(path))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OutputError(
                f"{path} cannot be read as topics ({error}); create it with `seetopic discover`"
            ) from error

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Topics:
        """The inverse of `to_json`."""
        topics = tuple(_topic(each) for each in _of(value["topics"], list))
        coverage = _of(value.get("coverage", {}), dict)  # missing in older files
        residual = tuple(_residual(each) for each in _of(value.get("residual", []), list))
        note = coverage.get("note")
        return cls(
            topics,
            _of(value["made_with"], dict),
            _number(coverage.get("share", 1.0)),
            residual,
            None if note is None else _of(note, str),
        )


def results_in(folder: Path) -> FileSet:
    """The files that `discover` writes, which belong together: topics, a report and a sorter."""
    return FileSet(folder, "results", last="topics.json")


def refuse_other_results(folder: Path, names: Sequence[str] = RESULTS) -> None:
    """Refuse a folder in which files with the names of results are something else."""
    results_in(folder).complete()
    refuse_others(folder, names, "topics.json", "made_with")


def _html_row(topic: Topic) -> str:
    terms = ", ".join(escape(term) for term in topic)
    cells = (f"{'&emsp;' * (len(topic.path) - 1)}<b>{escape(topic.name)}</b>", f"{topic.confidence:.2f}", terms)
    return "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>"


def _of(value: Any, *kinds: type) -> Any:
    """The value, if it has one of these types."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{value!r:.60} is not of type {' or '.join(kind.__name__ for kind in kinds)}")
    if isinstance(value, str):
        value.encode()  # a lone surrogate is possible in JSON, but cannot be written to a file
    return value


def _number(value: Any) -> float:
    """A finite number in the range of scores."""
    number: float = _of(value, float, int)
    if not -_LARGEST <= number <= _LARGEST:
        raise ValueError(f"{value!r:.60} is not a valid score")
    return number


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_of(each, str) for each in _of(value, list))


def _topic(saved: dict[str, Any]) -> Topic:
    return Topic(
        _of(saved["name"], str),
        _texts(saved["names"]),
        _of(saved["in_vocabulary"], bool),
        tuple(_ranked(each) for each in _of(saved["terms"], list)),
        _number(saved["confidence"]),
        _texts(saved["warnings"]),
        _texts(saved.get("path", [])),  # missing in older files
        _number(saved["share"]) if "share" in saved else None,
    )


def _residual(saved: dict[str, Any]) -> Residual:
    return Residual(
        _of(saved["suggested_name"], str),
        _number(saved["share"]),
        _texts(saved["terms"]),
        _texts(saved["passages"]),
        None if saved.get("parent") is None else _of(saved["parent"], str),
    )


def _ranked(saved: dict[str, Any]) -> RankedTerm:
    ranks = {kind: None if place is None else _of(place, int) for kind, place in _of(saved["ranks"], dict).items()}
    variants = _texts(saved.get("variants", []))  # missing in older files
    return RankedTerm(_of(saved["term"], str), _number(saved["score"]), _of(saved["documents"], int), ranks, variants)
