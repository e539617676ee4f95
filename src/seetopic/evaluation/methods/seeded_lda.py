"""SeededLDA (Jagarlamudi et al., 2012): topics prefer their seed words, documents the topics of their seeds.

Latent Dirichlet allocation by collapsed Gibbs sampling (tomotopy), with the two biases as priors:

- words: a starting term has weight in the topic of its category, and almost none in any other;
- documents: one that contains starting terms gets as many pseudo-words as it has words, which only the topics of
  those terms can produce. In Gibbs sampling this amounts to a separate Dirichlet prior for each document, except
  that pseudo-words also count in their topics' totals.

Jagarlamudi et al. mix two distributions in each topic, one of them over seeds alone, and learn which topics go with
each set of seeds. Here both are fixed: a document is biased towards the topics of its seeds. Free topics absorb what
belongs to no category; without them, every word of every document would have to belong to one.
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

_FREE = 5  # topics without a category
_ROUNDS = 100  # of Gibbs sampling
_AT_ONCE = 10  # rounds between progress reports
_ELSEWHERE = 1e-5  # prior of a starting term in other topics; a Dirichlet prior cannot be 0
_BIAS = 1.0  # pseudo-words per word of a document that contains starting terms


def run(task: Task, size: int, random_state: int) -> Topics:
    """The most probable terms of each topic, p(w|t), including common words; a term may be in several topics."""
    model = _model(task, random_state)
    for done in range(0, _ROUNDS, _AT_ONCE):
        task.progress("seeded-lda", done, _ROUNDS)
        model.train(_AT_ONCE, workers=1)  # several workers would sample in another order
    task.progress("seeded-lda", _ROUNDS, _ROUNDS)
    settings = {"free_topics": _FREE, "rounds": _ROUNDS, "document_bias": _BIAS, "random_state": random_state}
    found = zip(best_terms(_probabilities(task, model), size), task.starting, strict=True)
    # A topic without starting terms belongs to no category.
    return task.topics("seeded-lda", [best if terms else [] for best, terms in found], **settings)


def _package() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it uses a deprecated way of importing
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
    """As many as the bias requires, divided among the categories of the document's starting terms."""
    categories = sorted({category_of[term] for term in document if term in category_of})
    each = round(_BIAS * len(document) / max(len(categories), 1))
    return [_pseudo_word(category) for category in categories for _ in range(each)]


def _pseudo_word(category: int) -> str:
    return f"category {category}"  # not a term: those are numbers


def _probabilities(task: Task, model: Any) -> Doubles:
    """p(w|t) of the categories' topics, up to a factor per topic; (n_categories, n_terms)."""
    words = [(column, int(word)) for column, word in enumerate(model.used_vocabs) if word.isdecimal()]
    columns, terms = np.array(words).T
    probabilities = np.zeros((len(task.starting), len(task.terms)))
    for category, row in enumerate(probabilities):
        row[terms] = model.get_topic_word_dist(category)[columns]
    return probabilities
