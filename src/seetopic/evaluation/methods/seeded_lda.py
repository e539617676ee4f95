"""SeededLDA (Jagarlamudi et al., 2012): topics prefer their seed words, documents the topics of the seeds they hold.

Latent Dirichlet allocation by collapsed Gibbs sampling (tomotopy), with the two biases as priors:

- words: a starting term has weight in its own category's topic, and next to none in any other;
- documents: one that holds starting terms gets pseudo-words, as many as it has words, which only the topics of
  those terms can produce. In Gibbs sampling that is a Dirichlet prior of its own for each document, save that
  pseudo-words count in their topics' totals, too.

Jagarlamudi et al. mix two distributions in each topic, one of them over seeds alone, and learn which topics go with
each set of seeds. Here both are fixed: the bias of a document is towards its seeds' own topics. Free topics take up
what belongs to no category; without them, every word of every document would have to belong to one.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from seetopic.discovery import Topics
from seetopic.errors import MissingExtra
from seetopic.evaluation.methods.contract import Task, best_terms
from seetopic.runtime import Doubles

_FREE = 5  # topics of no category
_ROUNDS = 100  # of Gibbs sampling
_AT_ONCE = 10  # rounds between two signs of progress
_ELSEWHERE = 1e-5  # prior of a starting term in topics that are not its own; nought would not be a Dirichlet
_BIAS = 1.0  # pseudo-words a word of a document that holds starting terms


def run(task: Task, size: int, random_state: int) -> Topics:
    """The most probable terms of each topic, p(w|t), common words included; a term may stand in several topics."""
    model = _model(task, random_state)
    for done in range(0, _ROUNDS, _AT_ONCE):
        task.progress("seeded-lda", done, _ROUNDS)
        model.train(_AT_ONCE, workers=1)  # two workers would sample in another order than one
    task.progress("seeded-lda", _ROUNDS, _ROUNDS)
    settings = {"free_topics": _FREE, "rounds": _ROUNDS, "document_bias": _BIAS, "random_state": random_state}
    found = zip(best_terms(_probabilities(task, model), size), task.starting, strict=True)
    # A topic that no starting term holds is nobody's.
    return task.topics("seeded-lda", [best if terms else [] for best, terms in found], **settings)


def _package() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how it is imported is deprecated
        try:
            return import_module("tomotopy")
        except ImportError as error:
            raise MissingExtra("the method seeded-lda", "baselines") from error


def _model(task: Task, random_state: int) -> Any:
    category_of = {term: category for category, terms in enumerate(task.starting) for term in terms}
    n_topics = len(task.starting) + _FREE
    model = _package().LDAModel(k=n_topics, seed=random_state)
    for document in task.documents:
        if document:
            model.add_doc([str(term) for term in document] + _pseudo_words(document, category_of))
    for category, terms in enumerate(task.starting):
        prior = dict.fromkeys(range(n_topics), _ELSEWHERE) | {category: 1.0}
        for word in (*map(str, terms), _pseudo_word(category)):
            model.set_word_prior(word, prior)
    return model


def _pseudo_words(document: list[int], category_of: dict[int, int]) -> list[str]:
    """As many as the bias asks for, shared by the categories of the starting terms in the document."""
    categories = sorted({category_of[term] for term in document if term in category_of})
    each = round(_BIAS * len(document) / max(len(categories), 1))
    return [_pseudo_word(category) for category in categories for _ in range(each)]


def _pseudo_word(category: int) -> str:
    return f"category {category}"  # no term's: those are numbers


def _probabilities(task: Task, model: Any) -> Doubles:
    """p(w|t) of the categories' topics, up to a factor for each; (n_categories, n_terms)."""
    words = [(column, int(word)) for column, word in enumerate(model.used_vocabs) if word.isdecimal()]
    columns, terms = np.array(words).T
    probabilities = np.zeros((len(task.starting), len(task.terms)))
    for category, row in enumerate(probabilities):
        row[terms] = model.get_topic_word_dist(category)[columns]
    return probabilities
