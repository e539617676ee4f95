"""What judgements have changed, how well they predict each other, and whether more of them would help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seetopic.discovery.run import Discovery
from seetopic.discovery.teaching import predicted_from_half
from seetopic.discovery.topics import Topics
from seetopic.runtime import Flags, quantity

_NORMAL = 1.96  # standard deviations of a 95 % interval
_FEW = 30  # judged documents below which more of them always help


@dataclass(frozen=True)
class TeachingReport:
    """After a round of judgements: figures, and the same in words by `sentences`."""

    documents: int  # judged ones that taught something
    terms: int
    right: int  # documents whose category was predicted from the other judgements
    known: int  # documents whose category is known, to predict
    untaught: float | None  # share of them that are sorted correctly without any judgements
    from_half: float | None  # share of them predicted from half of the judgements
    more_help: bool
    changed: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]  # by category, new terms and lost ones
    contradictions: tuple[str, ...]

    @property
    def accuracy(self) -> float | None:
        return self.right / self.known if self.known else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy; from 0 to 1 if nothing is known."""
        n, z = self.known, _NORMAL
        if not n:
            return 0.0, 1.0
        share = self.right / n
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return min(share, max(0.0, float(middle - half))), max(share, min(1.0, float(middle + half)))

    def sentences(self) -> Iterator[str]:
        yield f"learned from {quantity(self.documents, 'document')} and {quantity(self.terms, 'term')}"
        for name, (gained, lost) in self.changed.items():
            parts = [f"new: {', '.join(gained)}"] * bool(gained) + [f"gone: {', '.join(lost)}"] * bool(lost)
            yield f"{name}: {'; '.join(parts)}"
        if self.accuracy is not None:
            low, high = self.interval
            untaught = "" if self.untaught is None else f"; without judgements, {self.untaught:.0%}"
            yield (
                f"{self.accuracy:.0%} of the judged documents are sorted correctly when each is left out "
                f"(95% interval {low:.0%} to {high:.0%}){untaught}"
            )
        if self.from_half is not None and self.known >= _FEW:
            outcome = "more of them still help" if self.more_help else "more of them will hardly help"
            yield f"half of the judgements would give {self.from_half:.0%}: {outcome}"
        for sentence in self.contradictions:
            yield f"contradiction: {sentence}"


def teaching_report(run: Discovery, earlier: Topics | None = None) -> TeachingReport:
    """A report on a run with judgements, compared with earlier topics of the same names."""
    settled, lessons, changed = run.query.settled, run.lessons, _changes(run.topics, earlier)
    found = None if run.reading is None else run.reading.found
    if lessons is None or found is None or found.left_out is None:
        return TeachingReport(0, len(settled.terms), 0, 0, None, None, True, changed, settled.contradictions)
    n = lessons.n_documents
    known = np.flatnonzero(lessons.allowed[:n, : len(run.seeds)].sum(axis=1) <= 1)
    allowed = lessons.allowed[known]
    right = _hits(found.left_out[known].argmax(axis=1), allowed)
    from_half, more_help = None, True
    if len(known) >= 2 and found.untaught is not None:
        half = _hits(predicted_from_half(lessons, found.untaught)[known].argmax(axis=1), allowed)
        gain = right.astype(np.float64) - half
        from_half = float(half.mean())
        more_help = bool(len(known) < _FEW or gain.mean() > gain.std() / np.sqrt(len(gain)))
    rows, untaught = lessons.rows[known], None
    if found.untaught is not None and (rows >= 0).any():
        untaught = float(_hits(found.untaught.scores[rows[rows >= 0]].argmax(axis=1), allowed[rows >= 0]).mean())
    return TeachingReport(
        documents=n,
        terms=len(lessons.rows) - n,
        right=int(right.sum()),
        known=len(known),
        untaught=untaught,
        from_half=from_half,
        more_help=more_help,
        changed=changed,
        contradictions=settled.contradictions,
    )


def _hits(guesses: np.ndarray[tuple[int], np.dtype[np.int64]], allowed: Flags) -> Flags:
    hits: Flags = allowed[np.arange(len(guesses)), guesses]
    return hits


def _changes(topics: Topics, earlier: Topics | None) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    if earlier is None:
        return {}
    found = {}
    for new, old in zip(topics, earlier, strict=True):
        gained = tuple(term for term in new if term not in set(old))
        lost = tuple(term for term in old if term not in set(new))
        if gained or lost:
            found[new.label] = gained, lost
    return found
