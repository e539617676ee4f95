"""BERTopic (Grootendorst, 2022), guided by starting terms or by names: clusters of documents, described by their terms.

Uses the author's package with its own components: UMAP, HDBSCAN, class-based TF-IDF. It receives the index's language
model, the vectors of document beginnings, and the index's terms instead of words, so that all methods see the same.
Its topics are numbered by size; each method below matches them to categories. A category that BERTopic did not find
has no terms.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from seetopic.discovery import Topics
from seetopic.errors import CorpusError, MissingExtra
from seetopic.evaluation.methods.contract import Task
from seetopic.runtime import Floats, Longs

_NEAR = 0.3  # zero-shot: minimum cosine of a document to its name; BERTopic's default, 0.7, suits few models
_NEIGHBOURS, _COMPONENTS = 15, 5  # of UMAP, as in BERTopic
_SMALLEST = 10  # documents per topic, as in BERTopic


def guided(task: Task, size: int, random_state: int) -> Topics:
    """`seed_topic_list` contains the starting terms. Every topic goes to the name nearest to the mean vector of its
    documents; if a category has several, the nearest one is used."""
    seeds = [[task.terms[term] for term in terms] for terms in task.starting]
    model = _fitted(task, random_state, seed_topic_list=seeds)
    topics = _nearest_topics(task, np.array(model.topics_))
    return _topics(task, "bertopic-guided", model, topics, size, random_state)


def zero_shot(task: Task, size: int, random_state: int) -> Topics:
    """`zeroshot_topic_list` contains the names. A category's topic is the one that its documents were assigned to:
    those near its name, and nearer to it than to any other."""
    model, topics = zero_shot_model(task, random_state)
    return _topics(task, "bertopic-zeroshot", model, topics, size, random_state, near=_NEAR)


def zero_shot_model(task: Task, random_state: int) -> tuple[Any, list[int | None]]:
    """The BERTopic model, which has further clusters besides the names, and the topic of each name."""
    names = [seed.name for seed in task.seeds.seeds]
    model = _fitted(task, random_state, zeroshot_topic_list=names, zeroshot_min_similarity=_NEAR)
    return model, _assigned_topics(task, np.array(model.topics_))


def _fitted(task: Task, random_state: int, **guidance: Any) -> Any:
    if len(task.index) <= _NEIGHBOURS:
        raise CorpusError(
            f"BERTopic compares each document with {_NEIGHBOURS} others, but there are {len(task.index)} in all; "
            "give more documents"
        )
    vectors = np.array(task.document_vectors)  # a copy: guided BERTopic modifies its input
    documents = [" ".join(map(str, document)) for document in task.documents]
    task.progress("bertopic", 0, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its packages give deprecation warnings about each other and NumPy
        model = _model(task, random_state, guidance)
        model.fit(documents, vectors)
    return model


def _model(task: Task, random_state: int, guidance: dict[str, Any]) -> Any:
    bertopic, umap, hdbscan, backend, text = _packages()

    class Backend(backend.BaseEmbedder):  # type: ignore[misc, name-defined]
        """Encodes seeds and names with the index's language model."""

        def embed(self, documents: list[str], verbose: bool = False) -> Floats:
            return task.index.encode_names(list(documents))

    class Clusters(hdbscan.HDBSCAN):  # type: ignore[misc, name-defined]
        """HDBSCAN fails on too few points for a cluster, which is all zero-shot leaves if most are near a name."""

        def fit(self, points: Floats, y: Any = None) -> Any:
            if len(points) > _SMALLEST:
                return super().fit(points, y)
            self.labels_, self.probabilities_ = np.full(len(points), -1), np.zeros(len(points))
            return self

    def as_terms(document: str) -> list[str]:
        """BERTopic joins and cleans documents as text; term numbers survive that, and keep phrases intact."""
        return [task.terms[int(number)] for number in document.split(" ") if number.isdecimal()]

    return bertopic.BERTopic(
        embedding_model=Backend(),
        vectorizer_model=text.CountVectorizer(analyzer=as_terms),
        umap_model=umap.UMAP(
            n_neighbors=_NEIGHBOURS,
            n_components=_COMPONENTS,
            min_dist=0.0,
            metric="cosine",
            low_memory=True,
            random_state=random_state,
            n_jobs=1,
        ),
        hdbscan_model=Clusters(min_cluster_size=_SMALLEST, core_dist_n_jobs=1),
        **guidance,
    )


def _packages() -> tuple[Any, ...]:
    try:
        return tuple(
            import_module(name)
            for name in ("bertopic", "umap", "hdbscan", "bertopic.backend", "sklearn.feature_extraction.text")
        )
    except ImportError as error:
        raise MissingExtra("BERTopic", "bertopic") from error


def _nearest_topics(task: Task, assigned: Longs) -> list[int | None]:
    found = [topic for topic in np.unique(assigned).tolist() if topic >= 0]  # -1: documents without a topic
    if not found:
        return [None for _ in task.seeds.seeds]
    means = np.stack([task.document_vectors[assigned == topic].mean(axis=0) for topic in found])
    nearness = task.names @ (means / np.linalg.norm(means, axis=1, keepdims=True)).T  # (n_categories, n_found)
    own = nearness.argmax(axis=0) == np.arange(len(nearness))[:, None]
    best = np.where(own, nearness, -np.inf).argmax(axis=1)
    return [found[topic] if own[category, topic] else None for category, topic in enumerate(best)]


def _assigned_topics(task: Task, assigned: Longs) -> list[int | None]:
    names = task.index.encode_names([seed.name for seed in task.seeds.seeds])
    nearness = task.document_vectors @ names.T
    category_of = np.where(nearness.max(axis=1) >= _NEAR, nearness.argmax(axis=1), -1)
    topics: list[int | None] = []
    for category in range(len(names)):
        theirs = assigned[category_of == category]
        topics.append(int(np.bincount(theirs[theirs >= 0]).argmax()) if (theirs >= 0).any() else None)
    return topics


def _topics(
    task: Task, method: str, model: Any, topics: list[int | None], size: int, random_state: int, **settings: Any
) -> Topics:
    """The terms of each category's topic with the highest class-based TF-IDF."""
    row_of = {topic: row for row, topic in enumerate(sorted(set(model.topics_)))}
    terms = [task.index.vocabulary.ids[word] for word in model.vectorizer_model.get_feature_names_out()]
    ranked: list[list[tuple[int, float]]] = []
    for topic in topics:
        weights = np.zeros(0) if topic is None else model.c_tf_idf_[[row_of[topic]]].toarray()[0]
        best = np.argsort(-weights, kind="stable")[:size]
        ranked.append([(terms[column], float(weights[column])) for column in best if weights[column] > 0])
    return task.topics(method, ranked, **settings, smallest_topic=_SMALLEST, random_state=random_state)
