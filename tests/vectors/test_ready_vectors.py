"""Vectors of terms, names and documents that the user supplies: enough for a fit, and never modified."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from planted import KINDS, NAMES
from seetopic import Index, SeeTopic
from seetopic.errors import EncoderError, SettingsError


@pytest.fixture(scope="module")
def vectors(index: Index, documents: list[str]) -> dict[str, np.ndarray]:
    """Read-only vectors of terms, names and documents, by the embedded model."""
    found = {
        "terms": np.array(index.general),
        "names": index.encode_names(NAMES),
        "documents": index.encode_texts(documents),
    }
    for array in found.values():
        array.flags.writeable = False
    return found


@pytest.mark.slow
def test_ready_vectors_are_enough_and_no_model_is_asked(index, documents, vectors, unseen, monkeypatch):
    def never(*_, **__):
        raise AssertionError("the embedded model was asked")

    monkeypatch.setattr("seetopic.vectors.encoder.minilm.EmbeddedEncoder.encode", never)
    monkeypatch.setattr("seetopic.vectors.encoder.minilm.EmbeddedEncoder.encode_names", never)
    terms = dict(zip(index.vocabulary.terms, vectors["terms"], strict=True))
    ready = {"term_embeddings": terms, "seed_embeddings": vectors["names"]}
    model = SeeTopic(NAMES, n_jobs=1).fit(documents, document_embeddings=vectors["documents"], **ready)
    assert model.index_.sample.was_read
    for topic, words in zip(model.topics_, KINDS, strict=True):
        assert set(list(topic)[:6]) <= set(words)
    assert np.mean(model.predict(unseen) == np.arange(90) % 3) > 0.95
    sorted_too = model.predict(documents, document_embeddings=vectors["documents"])
    assert np.mean(sorted_too == np.arange(240) % 3) > 0.95
    again = model.accept(0, "letter").with_seeds(NAMES[:2])
    assert [topic.name for topic in again.topics_] == NAMES[:2]
    more = SeeTopic(NAMES, n_jobs=1).fit(documents[:150], document_embeddings=vectors["documents"][:150], **ready)
    more.partial_fit(documents[150:], document_embeddings=vectors["documents"][150:])
    assert more.topics_.topics == model.topics_.topics


@pytest.mark.slow
def test_ready_vectors_of_the_same_model_change_no_topic(model, documents, vectors, cache, index):
    by_rows = SeeTopic(NAMES, cache=cache, n_jobs=1).fit(documents, document_embeddings=vectors["documents"])
    assert by_rows.topics_.topics == model.topics_.topics
    terms = dict(zip(index.vocabulary.terms[:20], vectors["terms"][:20], strict=True))
    partly = SeeTopic(NAMES, cache=cache, n_jobs=1, embedding_model="all-MiniLM-L6-v2")
    found = partly.fit(documents, term_embeddings=terms, document_embeddings=vectors["documents"]).topics_
    assert [list(topic) for topic in found] == [list(topic) for topic in model.topics_]


def test_a_vector_stands_for_a_name(index, vectors):
    swapped = dict(zip(NAMES, vectors["names"][[1, 0, 2]], strict=True))
    model = SeeTopic(NAMES).fit(index, seed_embeddings=swapped)
    assert set(list(model.topics_[0])[:6]) <= set(KINDS[1])
    assert set(list(model.topics_[1])[:6]) <= set(KINDS[0])
    assert set(list(model.accept(0, "onion").topics_[0])[:6]) <= set(KINDS[1])


@pytest.mark.slow
def test_rows_of_empty_documents_are_passed_over(documents, vectors, cache, model):
    gaps = ["", *documents, None]
    rows = np.vstack([np.ones((1, 384)), vectors["documents"], np.ones((1, 384))])
    found = SeeTopic(NAMES, cache=cache, n_jobs=1).fit(gaps, document_embeddings=rows)
    assert found.topics_.topics == model.topics_.topics
    assert found.transform(gaps, document_embeddings=rows).shape == (242, 3)


@pytest.mark.parametrize(
    ("ready", "message"),
    [
        ({"seed_embeddings": np.ones((2, 384))}, r"shape \(2, 384\) for 3 texts"),
        (
            {"seed_embeddings": np.ones((3, 5))},
            "has length 5, but the model's vectors have length 384; use one model for all vectors",
        ),
        ({"seed_embeddings": {"x": np.ones(384)}}, "none of the names"),
        ({"document_embeddings": np.ones((7, 384))}, "has 7 rows for 240 documents"),
        ({"document_embeddings": np.ones(384)}, "but must have one row per document"),
        ({"document_embeddings": np.ones((240, 5))}, "has length 5, but the model's vectors have length 384"),
        ({"term_embeddings": np.ones((3, 5))}, "must be a mapping"),
        ({"term_embeddings": {"bread": np.ones(5)}}, "no precomputed vector of 3 names"),
        (
            {"term_embeddings": {"bread": np.ones(5)}, "seed_embeddings": np.ones((3, 4))},
            "has length 4, but those of `term_embeddings` have length 5",
        ),
        (
            {"term_embeddings": {"bread": np.ones(5)}, "seed_embeddings": np.ones((3, 5))},
            "texts have no precomputed vector",
        ),
    ],
)
def test_vectors_that_do_not_fit_are_refused_with_a_sentence(documents, ready, message):
    with pytest.raises(EncoderError, match=message):
        SeeTopic(NAMES, n_jobs=1).fit(documents, **ready)


@pytest.mark.slow
def test_vectors_that_come_too_late_are_refused(model, index, documents, vectors):
    with pytest.raises(SettingsError, match="an index already has its vectors"):
        SeeTopic(NAMES).fit(index, document_embeddings=vectors["documents"])
    with pytest.raises(SettingsError, match="for all documents or for none"):
        clone(model).fit(documents).partial_fit(documents[:3], document_embeddings=vectors["documents"][:3])
    with pytest.raises(EncoderError, match="has 3 rows for 2 documents"):
        model.transform(documents[:2], document_embeddings=vectors["documents"][:3])
    with pytest.raises(EncoderError, match="vectors of length 5"):
        model.transform(documents[:2], document_embeddings=np.ones((2, 5)))
