"""A reader of its own: another model than that of the terms reads documents, and the names to sort them by."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from commands import one_line_error, run_here
from fake_model import directions
from planted import KINDS, NAMES, PLANTED, planted_documents
from seetopic import Index, SeeTopic, discover
from seetopic.classify import sorter_of
from seetopic.discovery import ask, run_of, suggest
from seetopic.errors import EncoderError
from seetopic.vectors import encoder_for

DIMENSION = 24


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of a few dimensions that knows little of planted words, and of the names' words, but their kind."""
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("reader") / "bert"
    folder.mkdir()
    kinds = {word: kind for kind, words in enumerate(KINDS) for word in words}
    kinds |= {word: kind for kind, name in enumerate(NAMES) for word in name.split() if word not in ("and", "&")}
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *kinds]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=DIMENSION,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=DIMENSION,
        max_position_embeddings=64,
        layer_norm_eps=1.0,  # so that words without a kind stay short, and say little
    )
    model = BertModel(config)
    for name, weights in model.named_parameters():
        if "LayerNorm.weight" not in name:
            weights.data.zero_()  # so that every layer passes on what it is given
    chance = np.random.default_rng(0)
    model.embeddings.word_embeddings.weight.data[:] = torch.tensor(chance.normal(0, 0.15, (len(words), DIMENSION)))
    for word, kind in kinds.items():
        model.embeddings.word_embeddings.weight.data[words.index(word), kind] += 1.0
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def read(reader: Path, documents, cache, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The planted corpus, whose terms are encoded by the embedded model."""
    return Index.build(documents, tmp_path_factory.mktemp("read") / "index", reader=reader, cache=cache, n_jobs=1)


def test_documents_and_names_are_read_by_one_model_and_terms_ranked_by_the_other(read, index, unseen):
    assert np.array_equal(read.general, index.general)
    assert read.sample.general.shape[1] == DIMENSION != index.sample.general.shape[1]
    run = run_of(read, NAMES)
    for topic, kind in zip(run.topics, KINDS, strict=True):
        assert {ranked.term for ranked in topic.terms} <= set(kind)
    assert run.topics.made_with["reader"] == {"name": str(read.reader), "fingerprint": read._reader.fingerprint}
    sorter = sorter_of(run)
    assert sorter.model == str(read.reader)
    placed = sorter.assign(unseen, read.read_texts(unseen))
    assert [each.categories for each in placed] == [(number % 3,) for number in range(len(unseen))]


@pytest.mark.slow
def test_documents_are_sorted_even_if_the_model_of_the_terms_knows_nothing(reader, documents, unseen, tmp_path):
    model = SeeTopic(NAMES, embedding_model=directions, reader=reader, read_documents=True, n_jobs=1).fit(documents)
    kinds = np.arange(len(unseen)) % 3
    assert (model.predict(unseen) == kinds).all()
    assert np.mean(SeeTopic(NAMES, embedding_model=directions, n_jobs=1).fit(documents).predict(unseen) == kinds) < 0.9
    assert np.array_equal(pickle.loads(pickle.dumps(model)).transform(unseen), model.transform(unseen))

    model.save(tmp_path / "model")
    same = SeeTopic.load(tmp_path / "model", embedding_model=directions, reader=reader)
    assert np.array_equal(
        same.with_seeds(NAMES[::-1]).transform(unseen), model.with_seeds(NAMES[::-1]).transform(unseen)
    )
    with pytest.raises(EncoderError, match="reader="):  # a saved model never makes anyone load another one
        SeeTopic.load(tmp_path / "model", embedding_model=directions).with_seeds(NAMES[::-1])


def test_a_theme_that_no_name_covers_is_told_by_its_terms(read):
    topics = discover(read, NAMES[:2])
    residual = {term for theme in topics.residual for term in theme.terms}
    assert topics.coverage is not None
    assert topics.coverage < 0.75
    assert len(residual & set(KINDS[2])) >= 10
    assert not residual & {term for topic in topics for term in (ranked.term for ranked in topic.terms)}
    assert suggest(read, NAMES[:2], number=1)[0].suggested_name in KINDS[2]


@pytest.mark.parametrize(
    "seeds",
    [
        ["sports and games", "games and sports", "outer space"],  # two of them mean the same
        {"sports and games": {"children": ["football", "tennis"]}, "outer space": None},
        {"sports and games": None, "outer space": {"description": "planets and stars"}},
    ],
)
def test_any_kind_of_names_is_read(read, seeds):
    topics = discover(read, seeds)
    assert set(topics["outer space"]) <= set(KINDS[2])
    assert topics["sports and games"].terms[0].term in KINDS[0]


def test_judgements_teach_in_the_readers_terms(read):
    mixed = "planet, bread, galaxy, cheese"
    judgements = [{"category": NAMES[2], "document": mixed, "belongs": True}]
    judgements += [{"category": NAMES[2], "term": "bread", "belongs": True}]
    run = run_of(read, NAMES, judgements=judgements)
    assert run.lessons is not None
    assert run.lessons.features.shape[1] == DIMENSION + read.local.shape[1]
    assert {question.category for question in ask(run, 6)} <= {*NAMES, None}


@pytest.mark.slow
def test_an_update_reads_only_new_documents_and_gives_the_index_of_all(reader, cache, tmp_path):
    first, second = planted_documents(60), planted_documents(60, seed=1)
    options = {"embedding_model": directions, "reader": reader, "cache": cache, "n_jobs": 1}
    updated = Index.build(first, tmp_path / "first", **options).update(second, n_jobs=1)
    at_once = Index.build(first + second, tmp_path / "all", **options)
    assert np.array_equal(updated.sample.general, at_once.sample.general)
    assert discover(updated, NAMES).to_json()["topics"] == discover(at_once, NAMES).to_json()["topics"]


@pytest.mark.slow
def test_commands_take_a_reader_and_later_ones_know_it(reader, documents, unseen, tmp_path):
    for name, texts in (("docs.txt", documents), ("new.txt", unseen)):
        (tmp_path / name).write_text("\n".join(texts), encoding="utf-8")
    (tmp_path / "names.txt").write_text("\n".join(NAMES), encoding="utf-8")
    built = run_here("index", "docs.txt", "--out", "index", "--reader", reader, "--json", cwd=tmp_path)
    assert json.loads(built.stdout)["reader"]["name"] == str(reader)
    names = ("--seeds", "names.txt", "--out", "topics", "--quiet")
    assert run_here("discover", "index", *names, cwd=tmp_path).returncode == 0
    report = (tmp_path / "topics" / "report.html").read_text(encoding="utf-8")
    assert f"--reader {reader}" in report
    assigned = run_here("assign", "new.txt", "--topics", "topics", "--read", "--out", "new.csv", "--json", cwd=tmp_path)
    assert [json.loads(assigned.stdout)["given"][name] for name in NAMES] == [30, 30, 30]
    assert run_here("discover", "docs.txt", "--reader", reader, *names, cwd=tmp_path).returncode == 0

    compared = ["compare", "docs.txt", "--seeds", "names.txt", "--methods", "default", "--json", "--out", "compared"]
    assert run_here(*compared, "--reader", reader, cwd=tmp_path).returncode == 0
    found = json.loads((tmp_path / "compared" / "default-0.json").read_text(encoding="utf-8"))
    assert found["made_with"]["reader"]["name"] == str(reader)

    plain = run_here("index", "docs.txt", "--out", "plain", cwd=tmp_path)
    assert plain.returncode == 0
    error = one_line_error(run_here("discover", "plain", "--reader", reader, *names, cwd=tmp_path))
    assert "without a reader" in error
    assert "no-such" in one_line_error(run_here("discover", "docs.txt", "--reader", "./no-such", *names, cwd=tmp_path))


@pytest.mark.slow
def test_what_cannot_read_or_is_another_reader_is_refused(read, documents, tmp_path):
    ready = dict.fromkeys([word for words in PLANTED.values() for word in words.split()], np.ones(3))
    with pytest.raises(EncoderError, match="must read any text"):
        Index.build(documents, tmp_path / "index", reader=ready)
    other = Index.open(read.folder, reader=encoder_for())
    with pytest.raises(EncoderError, match="different model"):
        discover(other, NAMES)
    with pytest.raises(EncoderError, match="length 5"):
        Index.build(documents, tmp_path / "index", reader=read.reader, document_vectors=np.ones((240, 5)), n_jobs=1)
