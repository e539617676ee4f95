"""How much judgements teach: a simulated person answers questions by the labels of the indexed documents. JSON lines.

    python benchmarks/teaching.py FOLDER [NAME ...] [--samples 3] [--cache DIR]

FOLDER, the split and the labels are as in `quality.py`. Documents are judged in rounds of ten: questions chosen by
`ask`, the same with a tenth of the answers wrong, and random documents, which are drawn several times, because one draw
moves the figures more than anything else does. Then sixty terms are judged. Everything is measured on held-out
documents: some of them, drawn once, for sorting, and all of them for topics.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from corpora import Corpus, corpus_named, labelled_split
from draws import another_draw
from open_world import Judged, judged_documents
from seetopic import Index
from seetopic.classify.sorter import sorter_of
from seetopic.corpus.judgements import Judgement, Judgements
from seetopic.discovery.questions import ask
from seetopic.discovery.run import Discovery, run_of
from seetopic.discovery.topics import Topics
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.evaluation.labels import f1_of_guesses, labels_of, own_labels, speaks_for
from seetopic.settings import DEFAULT

ROUND = 10
MOST = 120
RANDOM = (30, 60, 100, 120)
DRAWS = 3  # of random documents; their figures are means
TERMS = 60
WRONG = 0.1
DEEP = replace(DEFAULT.discovery, top=50)
FIGURES = ("label_precision@10", "label_f1@50")


class Person:
    """Answers by the labels of the indexed documents, some of the time wrongly."""

    def __init__(self, index: Index, names: Sequence[str], labels: Sequence[str], wrong: float, state: int) -> None:
        self.names, self.labels, self.wrong, self.chance = list(names), labels, wrong, random.Random(state)
        holds, known = index_matrix(index), labels_of([(label,) for label in labels])
        speaking, own = speaks_for(holds, known), own_labels(self.names, known.names)
        self.term_belongs = {
            (name, index.vocabulary.terms[term])
            for name, label in zip(self.names, own, strict=True)
            for term in np.flatnonzero(speaking[:, label])
        }

    def judged(self, document: int) -> Judgement:
        label = self.labels[document]
        if self.chance.random() < self.wrong:
            label = self.chance.choice([name for name in self.names if name != label])
        return Judgement(label if label in self.names else None, document=document)

    def judged_term(self, category: str, term: str) -> Judgement:
        return Judgement(category, term=term, belongs=(category, term) in self.term_belongs)


def index_matrix(index: Index) -> Any:
    """1 where a document contains a term; (n_documents, n_terms)."""
    from scipy.sparse import csc_array

    ones = np.ones(len(index.posting_documents), np.int64)
    parts = (ones, np.asarray(index.posting_documents), np.asarray(index.posting_starts))
    return csc_array(parts, shape=(len(index), len(index.vocabulary))).tocsr()


class Sorting:
    """Macro-F1 of sorting held-out documents."""

    def __init__(self, judged: Judged, names: Sequence[str]) -> None:
        self.judged, self.labels = judged, labels_of([(label,) for label in judged.labels])
        self.own, self.matched = own_labels(names, self.labels.names), None

    def of(self, run: Discovery) -> dict[str, float]:
        sorter = sorter_of(run)
        matched = sorter.terms_in(self.judged.texts) if self.matched is None else self.matched
        self.matched = matched
        n_names, vectors = len(sorter.names), self.judged.vectors
        read, by_terms = sorter.shares(matched, vectors)[:, :n_names], sorter.shares(matched)[:, :n_names]
        return {"assign --read": self.f1(read.argmax(axis=1)), "assign": self.f1(by_terms.argmax(axis=1))}

    def f1(self, guesses: Any) -> float:
        return round(float(np.mean(f1_of_guesses(guesses, self.own, self.labels))), 4)


def ceiling(index: Index, run: Discovery, sorting: Sorting, labels: Sequence[str]) -> float:
    """Logistic regression on the language model's vectors of all documents that were read, with all of their labels."""
    numbers = {name: number for number, name in enumerate(run.seeds.names)}
    truth = np.array([numbers.get(labels[each], -1) for each in index.sampled[: len(index.sample.general)]])
    model = LogisticRegression(C=10, max_iter=1000).fit(np.asarray(index.sample.general), truth)
    return sorting.f1(model.predict(sorting.judged.vectors))


def taught_by_documents(index: Index, corpus: Corpus, sorting: Sorting, person: Person, chosen: Sequence[int] | None):
    """Figures and topics by number of judged documents; `chosen` are asked in their order, or else those of `ask`."""
    judged, curve, topics = Judgements(), {}, {}
    run = run_of(index, corpus.seeds, DEEP)
    while True:
        number = len(judged)
        if chosen is None or number in (0, *RANDOM):
            run = run_of(index, corpus.seeds, DEEP, judgements=judged)
            curve[number], topics[number] = sorting.of(run), run.topics
        if number >= MOST:
            return curve, topics
        if chosen is None:
            asked = [each.document for each in ask(run, ROUND, "documents")]
        else:
            asked = chosen[number : number + ROUND]
        judged = judged.plus(person.judged(int(document)) for document in asked)


def taught_by_terms(index: Index, corpus: Corpus, person: Person) -> tuple[list[Topics], dict[str, Any]]:
    """Topics before and after term judgements, as they are and without the judged terms."""
    judged, before = Judgements(), run_of(index, corpus.seeds, DEEP)
    run = before
    while len(judged) < TERMS:
        questions = ask(run, ROUND, "terms")
        judged = judged.plus(person.judged_term(each.category, str(each.term)) for each in questions)
        run = run_of(index, corpus.seeds, DEEP, judgements=judged)
    seen = {each.term for each in judged}
    several = [before.topics, run.topics]
    return several + [without(each, seen) for each in several], {"accepted": sum(each.belongs for each in judged)}


def without(topics: Topics, terms: set[str | None]) -> Topics:
    kept = (replace(each, terms=tuple(one for one in each.terms if one.term not in terms)) for each in topics)
    return replace(topics, topics=tuple(kept))


def measure(corpus: Corpus, labels: Sequence[str], state: int, cache: Path, place: Path) -> dict[str, Any]:
    with another_draw(state):
        index = Index.build(list(corpus.parts.learned_from), place, cache=cache)
    sorting = Sorting(judged_documents(corpus, index, 5000), corpus.seeds.names)
    first = run_of(index, corpus.seeds, DEEP)
    ready = first.index  # with names added as terms, so that every run has the same terms
    read = np.asarray(index.sampled)[: len(index.sample.general)]
    chance = np.random.default_rng(state)
    drawn = [chance.permutation(read)[:MOST].tolist() for _ in range(DRAWS)]
    ways = {"ask": (None, 0.0), "random": (drawn[0], 0.0), "ask, a tenth wrong": (None, WRONG)}
    curves, several, where = {}, [], []
    for way, (chosen, wrong) in ways.items():
        person = Person(ready, corpus.seeds.names, labels, wrong, state)
        curves[way], topics = taught_by_documents(index, corpus, sorting, person, chosen)
        for number in (0, 60, 120):
            several.append(topics[number])
            where.append((way, number))
    person = Person(ready, corpus.seeds.names, labels, 0.0, state)
    others = [taught_by_documents(index, corpus, sorting, person, each)[0] for each in drawn[1:]]
    for number, figures in curves["random"].items():
        for name in ("assign --read", "assign"):
            figures[name] = round(float(np.mean([figures[name], *(each[number][name] for each in others)])), 4)
    by_terms, about = taught_by_terms(index, corpus, Person(ready, corpus.seeds.names, labels, 0.0, state))
    found = evaluate_all([*several, *by_terms], corpus.parts.held_out, options=EvaluationOptions(draws=0))
    figures = [{figure: round(each.figures[figure], 4) for figure in FIGURES} for each in found]
    for (way, number), each in zip(where, figures, strict=False):
        curves[way][number] |= each
    before, after, new_before, new_after = figures[len(where) :]
    terms = {"before": before, "after": after, "unjudged before": new_before, "unjudged after": new_after, **about}
    return {"ceiling": ceiling(index, first, sorting, labels), "documents": curves, "terms": terms}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--samples", type=int, default=3, help="the first is the program's own")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            corpus = corpus_named(parsed.folder, name)
            labels = labelled_split(parsed.folder / f"{name}.jsonl.gz")[0].labels
            for state in range(parsed.samples):
                started, place = time.perf_counter(), Path(temporary) / f"{name}-{state}"
                result = measure(corpus, labels, state, parsed.cache or Path(temporary), place)
                seconds = round(time.perf_counter() - started, 1)
                json.dump({"corpus": name, "sample": state, **result, "seconds": seconds}, sys.stdout)
                print(flush=True)


if __name__ == "__main__":
    main()
