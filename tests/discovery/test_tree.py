"""Trees of names, on documents whose words are planted at two levels."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from commands import run_here
from planted import NAMES
from seetopic import Index, SeeTopic, Sorter, Topics, as_seeds, assign, check, discover, evaluate
from seetopic.classify import sorter_of
from seetopic.classify.placement import AssignmentRule, Bounds
from seetopic.corpus import read_seeds
from seetopic.discovery import Residual, Tree, as_seeds_file, suggest
from seetopic.discovery.run import Discovery, run_of
from seetopic.errors import CorpusError, SeedError, SettingsError
from seetopic.output import export
from seetopic.output.charts import treemap
from seetopic.output.charts.scene import Scene
from seetopic.output.report import report_html
from seetopic.output.report.cards import Card
from seetopic.output.report.sentences import examples
from seetopic.settings import DEFAULT, SampleSettings

SHARED = {
    "sports and games": ["referee", "stadium", "athlete", "coach", "tournament", "league", "championship", "team"],
    "cooking & cuisine": ["recipe", "chef", "kitchen", "delicious", "taste", "spoon", "plate", "ingredients"],
}
OWN = {
    "soccer": ["goalkeeper", "striker", "midfielder", "penalty", "kick", "offside", "pitch", "header"],
    "swimming": ["pool", "butterfly", "breaststroke", "lane", "diver", "goggles", "backstroke", "freestyle"],
    "baking": ["bread", "flour", "dough", "cake", "yeast", "oven", "pastry", "cookies"],
    "soups": ["broth", "stew", "ladle", "simmer", "stock", "noodles", "lentils", "chowder"],
}
TREE = {"sports and games": {"soccer": None, "swimming": None}, "cooking & cuisine": {"baking": None, "soups": None}}
PARENT = {child: parent for parent, children in TREE.items() for child in children}
LABELS = list(OWN)


def planted_tree(size: int = 200, seed: int = 0) -> tuple[list[str], list[str]]:
    """Documents of one child each: words of the child, and words that it shares with its sibling."""
    chance = random.Random(seed)
    texts, labels = [], []
    for number in range(size):
        label = LABELS[number % len(LABELS)]
        words = chance.sample(OWN[label], 4) + chance.sample(SHARED[PARENT[label]], 4)
        chance.shuffle(words)
        texts.append(", ".join(words) + ".")
        labels.append(label)
    return texts, labels


@pytest.fixture(scope="module")
def tree_index(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(planted_tree()[0], tmp_path_factory.mktemp("tree") / "index", cache=cache, n_jobs=1)


@pytest.fixture(scope="module")
def run(tree_index: Index) -> Discovery:
    return run_of(tree_index, TREE)


@pytest.fixture(scope="module")
def topics(run: Discovery) -> Topics:
    return run.topics


@pytest.fixture(scope="module")
def sorter(run: Discovery) -> Sorter:
    return sorter_of(run)


# Terms


def test_a_parent_has_what_its_children_share_and_a_child_what_is_its_own(topics):
    for parent, words in SHARED.items():
        assert len(set(topics[parent]) & set(words)) >= 6, parent
    for child, words in OWN.items():
        found = list(topics[child])[:8]
        assert len(set(found) & set(words)) >= 6, child
        assert not set(found) & set(SHARED[PARENT[child]]), child


@pytest.mark.parametrize("top", [1, 4])
def test_fewer_terms_are_the_first_ones_with_the_same_confidence(run, topics, top):
    fewer = run_of(run.index, run.seeds, replace(run.settings, top=top)).topics
    assert [list(topic) for topic in fewer] == [list(topic)[:top] for topic in topics]
    assert [topic.confidence for topic in fewer] == [topic.confidence for topic in topics]


def test_no_term_stands_in_two_nodes(topics):
    terms = [form for topic in topics for each in topic.terms for form in (each.term, *each.variants)]
    assert len(terms) == len(set(terms))


def test_names_without_parents_give_what_they_gave(index):
    nested = [{"name": name} for name in NAMES]
    plain, listed = run_of(index, NAMES), run_of(index, nested)
    assert json.dumps(plain.topics.to_json()) == json.dumps(listed.topics.to_json())
    assert sorter_of(plain).fingerprint == sorter_of(listed).fingerprint
    assert plain.tree is None


def test_a_name_below_two_parents_is_two_topics(tree_index):
    found = discover(tree_index, {"sports and games": {"equipment": None}, "cooking & cuisine": {"equipment": None}})
    assert [topic.label for topic in found][1::2] == [
        "sports and games > equipment",
        "cooking & cuisine > equipment",
    ]
    assert not set(found[1]) & set(found[3])
    with pytest.raises(KeyError, match="several topics have the name 'equipment'"):
        found["equipment"]


def test_children_that_mean_nearly_the_same_share_their_terms(tree_index):
    tree = {"sports and games": ["soccer", "soccer matches", "swimming"], "cooking & cuisine": ["baking", "soups"]}
    found = run_of(tree_index, {parent: {"children": children} for parent, children in tree.items()})
    topics = {topic.name: topic for topic in found.topics}
    first, second = ([term.term for term in topics[name].terms] for name in ("soccer", "soccer matches"))
    assert len(first) >= 3
    assert abs(len(first) - len(second)) <= 2
    assert {*first, *second} - {"soccer"} <= {*OWN["soccer"], *SHARED["sports and games"]}
    assert "soccer matches' mean nearly the same" in topics["soccer"].warnings[0]
    assert topics["soccer"].path == ("sports and games", "soccer")
    shown = [term.term for topic in found.topics for term in topic.terms]
    assert len(shown) == len(set(shown))
    shares = {name: topic.share for name, topic in topics.items()}
    below = sum(shares[name] for name in tree["sports and games"])
    assert shares["sports and games"] == pytest.approx(below, abs=0.001)
    texts, labels = planted_tree(80, seed=1)
    sorter = sorter_of(found)
    best = sorter.place(sorter.terms_in(texts)).best
    guessed = [found.topics[number].name.removesuffix(" matches") for number in best]
    assert np.mean([guess == label for guess, label in zip(guessed, labels, strict=True)]) > 0.9


def test_leaves_may_be_at_different_depths(tree_index):
    found = discover(
        tree_index, {"sports and games": {"soccer": None, "water": {"swimming": None}}, "cooking & cuisine": None}
    )
    assert [len(topic.path) for topic in found] == [1, 2, 2, 3, 1]
    assert len(set(found["swimming"]) & set(OWN["swimming"])) >= 5
    assert len(set(found["cooking & cuisine"]) & {*SHARED["cooking & cuisine"], *OWN["baking"], *OWN["soups"]}) >= 8


# Documents


def test_shares_add_up_from_the_leaves_to_the_roots(run, topics):
    shares = {topic.label: topic.share for topic in topics}
    owned = dict.fromkeys(TREE, 0.0)
    memberships = run.reading.memberships.mean(axis=0)
    for theme in range(run.tree.n_names, len(run.tree)):
        if run.tree.parents[theme] >= 0:
            owned[topics[run.tree.parents[theme]].label] += memberships[theme]
    for parent, children in TREE.items():
        below = sum(shares[f"{parent} > {child}"] for child in children)
        assert shares[parent] == pytest.approx(below + owned[parent], abs=3e-4)


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=8), st.integers(0, 3))
def test_a_sum_over_a_tree_is_the_sum_of_all_below(wanted, n_themes):
    parents = tuple(min(parent, place - 1) for place, parent in enumerate(wanted))
    tree = Tree((*parents, *(-1 for _ in range(n_themes))), len(parents))
    shares = np.random.default_rng(0).random((3, len(tree)))
    summed = tree.summed(shares)
    for node in range(len(tree)):
        below = [other for other in range(len(tree)) if node in tree.path(other)]
        np.testing.assert_allclose(summed[:, node], shares[:, below].sum(axis=1))
    for depth in range(max(tree.depths) + 1):  # a cut has every leaf exactly once
        cut = tree.cut(depth)
        assert all(len(set(tree.path(leaf)) & set(cut)) == 1 for leaf in tree.leaves if leaf >= tree.n_names)
        assert all(len(set(tree.path(leaf)) & set(cut)) == 1 for leaf in tree.leaves if tree.depths[leaf] >= depth)


def test_documents_are_sorted_at_both_levels(sorter):
    texts, labels = planted_tree(80, seed=1)
    best = sorter.place(sorter.terms_in(texts)).best
    assert np.mean([sorter.names[found].endswith(label) for found, label in zip(best, labels, strict=True)]) > 0.95


def test_a_document_that_fits_both_children_belongs_to_their_parent(sorter):
    text = ["referee, stadium, coach, league, goalkeeper, striker, pool, butterfly"]
    (best,) = sorter.assign(text)[0].categories
    assert sorter.names[best] in ("sports and games > soccer", "sports and games > swimming")
    (found,) = sorter.assign(text, threshold=0.75)
    assert [sorter.names[each] for each in found.categories] == ["sports and games"]
    assert sorter.assign(text, threshold=1.0)[0].categories == ()


def test_several_categories_in_a_tree_take_an_even_share_of_its_roots(sorter):
    assert sorter.n_roots == len(TREE)
    texts = planted_tree(80, seed=1)[0]
    for found in sorter.assign(texts, several=True):
        roots = {sorter.names[each].split(" > ")[0] for each in found.categories}
        assert len(roots) == 1  # an even share of all names would be 1 / 6, which both roots have
        assert all(found.shares[each] >= 1 / len(TREE) for each in found.categories)


def test_evidence_is_for_the_category_that_is_left_where_a_child_falls_below_a_bound(sorter):
    text = ["referee, stadium, coach, league, goalkeeper, striker, pool, butterfly"]
    both = sorter.place(sorter.terms_in(text), rule=AssignmentRule(0.0, several=True))
    assert sorter.names[both.best[0]].startswith("sports and games > ")
    assert both.assigned(sorter.terms)[0].evidence
    parent = both.at_least(Bounds(0.75, 0.75))
    assert sorter.names[parent.best[0]] == "sports and games"
    assert parent.assigned(sorter.terms)[0].evidence == ()


def test_a_saved_sorter_of_a_tree_is_the_same(sorter, tmp_path):
    sorter.save(tmp_path)
    assert Sorter.load(tmp_path).tree == sorter.tree
    assert Sorter.load(tmp_path).fingerprint == sorter.fingerprint


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_the_table_has_the_path_and_the_share_at_each_level(sorter, tmp_path, ending):
    place = tmp_path / f"sorted.{ending}"
    assign([*planted_tree(4)[0], "qwerty"], sorter, place, threshold=0.5, n_jobs=1)
    if ending == "csv":
        header, first = (line.split(",") for line in place.read_text().splitlines()[:2])
        row = dict(zip(header, first, strict=True))
        levels = [float(share) for share in row["path_shares"].split("|")]
    elif ending == "parquet":
        row, *_, last = pyarrow.parquet.read_table(place).to_pylist()
        levels = row["path_shares"]
        assert (last["category"], last["path"], last["path_shares"]) == (None, None, [])
    else:
        row = json.loads(place.read_text().splitlines()[0])
        levels = row["path_shares"]
    assert (row["category"], row["path"]) == ("soccer", "sports and games > soccer")
    assert levels == [float(row["sports and games"]), float(row["sports and games > soccer"])]
    assert levels[0] >= levels[1] == float(row["share"])


def test_a_column_called_path_can_be_kept_only_where_the_table_has_none(sorter, tmp_path):
    (tmp_path / "in.csv").write_text("text,path\nthe referee and the pool,/home\n")
    with pytest.raises(SettingsError, match="the table has its own column 'path'"):
        assign(tmp_path / "in.csv", sorter, tmp_path / "x.csv", keep="path", n_jobs=1)
    flat = replace(sorter, parents=())
    assign(tmp_path / "in.csv", flat, tmp_path / "x.csv", keep="path", n_jobs=1)
    assert (tmp_path / "x.csv").read_text().splitlines()[1].startswith("0,/home,")


def test_a_tree_needs_no_documents_that_were_read(cache, tmp_path):
    unread = replace(DEFAULT.index, sample=SampleSettings(words=0))
    index = Index.build(planted_tree()[0], tmp_path / "unread", settings=unread, cache=cache, n_jobs=1)
    for topic in discover(index, TREE):
        kin = {topic.name, *TREE.get(topic.name, ())}
        assert sum(term in words for name, words in (SHARED | OWN).items() if name in kin for term in topic) >= 3
    with pytest.raises(CorpusError, match="has read 0"):
        suggest(index, TREE, below="sports and games")


# What is elsewhere in a parent


def test_what_no_child_names_is_suggested_below_its_parent(tree_index):
    part = {"sports and games": {"soccer": None}, "cooking & cuisine": {"baking": None, "soups": None}}
    found = suggest(tree_index, part, number=2, below="sports and games")
    assert set(found[0].terms) & set(OWN["swimming"])
    assert {each.parent for each in found} == {"sports and games"}
    with pytest.raises(SettingsError, match=r"'soccer' has no children; .* with --below .*: sports and games, cooking"):
        suggest(tree_index, part, below="soccer")
    with pytest.raises(SettingsError, match="'sports' is not a name; choose"):
        suggest(tree_index, part, below="sports")
    with pytest.raises(SettingsError, match=r"but there are no names; give a tree of names \(--seeds\)"):
        suggest(tree_index, None, below="soccer")
    assert SeeTopic(part).fit(tree_index).suggest(2, below="sports and games") == found


def test_suggestions_below_a_parent_are_a_file_that_adds_children_to_it(tree_index, tmp_path):
    part = {"sports and games": {"soccer": None}, "cooking & cuisine": {"baking": None, "soups": None}}
    found = suggest(tree_index, part, number=2, below="sports and games")
    (tmp_path / "names.json").write_text(json.dumps(part))
    (tmp_path / "more.yaml").write_text(as_seeds_file(found))
    seeds = read_seeds(tmp_path / "names.json", tmp_path / "more.yaml")
    names = ["soccer", *(each.suggested_name for each in found)]
    assert seeds.labels[:4] == ("sports and games", *(f"sports and games > {name}" for name in names))


def test_no_name_of_the_tree_is_suggested_below_a_parent(tree_index):
    names = {each.suggested_name for each in suggest(tree_index, TREE, number=50, below="sports and games")}
    parent, other = sorted(names)[:2]
    tree = {parent: {"soccer": None, "swimming": None}, "cooking & cuisine": {other: None, "soups": None}}
    found = {each.suggested_name for each in suggest(tree_index, tree, number=50, below=parent)}
    assert found
    assert not found & {parent, other}


# Files, pages and exports


def test_topics_of_a_tree_are_saved_with_paths(topics, tmp_path):
    topics.save(tmp_path)
    loaded = Topics.load(tmp_path)
    assert loaded == topics
    saved = json.loads((tmp_path / "topics.json").read_text())["topics"]
    assert saved[1]["path"] == ["sports and games", "soccer"]
    assert [each["parent"] for each in saved[:2]] == [None, "sports and games"]
    assert "\nsoccer,sports and games > soccer,1," in (tmp_path / "topics.csv").read_text()
    assert "\n  soccer " in str(topics)


def test_the_report_shows_a_tree(topics):
    page = report_html(topics)
    assert page.count("<details open><summary>") == 2
    assert 'aria-label="Tree of topics.' in page
    with pytest.raises(SettingsError, match="have no hierarchy to draw"):
        treemap(Topics((), topics.made_with))


def test_the_documents_of_children_are_counted_in_their_parents(run):
    scene = Scene(run.query, run.topics, run)
    parents, given, within = as_seeds(TREE).parents, scene.documents_given.tolist(), scene.documents_within.tolist()
    for node in range(len(parents)):
        below = [place for place, parent in enumerate(parents) if parent == node]
        assert within[node] == given[node] + sum(given[child] for child in below)
    page = report_html(run)
    assert f"{within[0]} of 200 documents ({within[0] / 200:.0%})" in page
    assert page.count("of them in none of its subtopics") == sum(given[node] > 0 for node in {*parents} - {-1})
    told = Card(0, run.topics[0], (), 9, 9, documents=(90, 200), in_no_subtopic=7).html()
    assert "90 of 200 documents (45%), 7 of them in none of its subtopics" in told
    assert within[0] > 80


def test_a_parent_has_sentences_from_the_documents_of_its_children(run):
    scene = Scene(run.query, run.topics, run)
    parents = as_seeds(TREE).parents
    for node, sentences in enumerate(examples(scene).of_topics):
        topics = scene.document_topics[np.isin(scene.index.sampled, [each.document for each in sentences])]
        assert len(sentences) == 3
        assert {node, *(place for place, parent in enumerate(parents) if parent == node)} >= set(topics.tolist())


def test_assign_prints_parents_with_the_documents_of_their_children(run, tree_index, tmp_path):
    run.topics.save(tmp_path / "topics")
    sorter_of(run).save(tmp_path / "topics")
    place = ("assign", tree_index.folder, "--topics", "topics", "--out", "sorted.csv")
    told, given = run_here(*place, cwd=tmp_path).stdout, json.loads(run_here(*place, "--json", cwd=tmp_path).stdout)
    counts = given["given"]
    total = sum(number for name, number in counts.items() if name.startswith("sports and games"))
    own = counts["sports and games"]
    rest = f", {own} of them in none of its subtopics" if own else ""
    assert f"{total:>9}  sports and games{rest}\n" in told


def test_the_report_tells_what_is_missing_below_a_parent_apart_from_what_no_name_covers(topics):
    inside = Residual("swimming", 0.1, ("pool",), parent="sports and games")
    for residual, share_is_told in (((inside,), False), ((inside, replace(inside, parent=None)), True)):
        page = report_html(replace(topics, residual=residual))
        assert "Below sports and games" in page
        assert ("The names cover" in page) == share_is_told


def test_exports_of_a_tree_are_nested_and_read_again(topics, tmp_path):
    (tmp_path / "topics.yml").write_text(export(topics, "quanteda"))
    assert as_seeds(tmp_path / "topics.yml").paths == as_seeds(TREE).paths
    assert set(yaml.safe_load(export(topics, "quanteda"))["sports and games"]) == {"__", "soccer", "swimming"}
    lines = export(topics, "liwc").splitlines()
    assert "2\tsports and games > soccer" in lines
    assert "goalkeeper\t1\t2" in lines
    labels = {json.loads(line)["label"] for line in export(topics, "spacy").splitlines()}
    assert labels == {topic.label for topic in topics}


# Checks and measures


def test_a_child_that_is_nearer_to_another_parent_is_told(tree_index):
    misplaced = {"sports and games": {"soccer": None, "baking bread": None}, "cooking & cuisine": {"soups": None}}
    assert check(tree_index, misplaced).misplaced == (("sports and games > baking bread", "cooking & cuisine"),)
    assert check(tree_index, TREE).misplaced == ()
    assert check(tree_index, LABELS).misplaced == ()


def _written(folder: Path, documents: list[dict[str, str]]) -> Path:
    place = folder / "held-out.jsonl"
    place.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return place


def test_labels_are_measured_at_each_level_and_by_paths(topics, sorter, tmp_path):
    texts, labels = planted_tree(80, seed=1)
    for given_labels in (labels, *([f"{PARENT[label]}{mark}{label}" for label in labels] for mark in (" > ", ">"))):
        documents = [{"text": text, "label": label} for text, label in zip(texts, given_labels, strict=True)]
        found = evaluate(topics, _written(tmp_path, documents), label_field="label", sorter=sorter, n_jobs=1)
        assert [level["topics"] for level in found.levels] == [2, 4]
        assert all(level["label_precision@8"] >= 0.7 for level in found.levels)
        assert found.figures["exact_path"] > 0.95
        assert found.figures["hierarchical_f1"] >= found.figures["exact_path"]
        assert found.names_without_label == ()


def test_only_levels_that_have_labels_are_measured(topics, sorter, tmp_path):
    texts, labels = planted_tree(80, seed=1)
    parents = [PARENT[label] for label in labels]
    documents = [{"text": text, "label": label} for text, label in zip(texts, parents, strict=True)]
    found = evaluate(topics, _written(tmp_path, documents), label_field="label", sorter=sorter, n_jobs=1)
    assert [level["topics"] for level in found.levels] == [2]
    assert found.figures["macro_f1"] == found.levels[0]["macro_f1"] > 0.95
    assert found.figures["exact_path"] > 0.95  # paths end at that level
    assert found.names_without_label == tuple(f"{PARENT[label]} > {label}" for label in LABELS)


def test_labels_that_fit_no_level_are_refused(topics, tmp_path):
    texts, _ = planted_tree(4)
    for label, fits in (("soups", True), ("stews", False)):
        documents = [{"text": text, "label": label} for text in texts]
        place = _written(tmp_path, documents)
        if fits:  # one of the two roots has a label below it
            found = evaluate(topics, place, label_field="label", n_jobs=1)
            assert [level["topics"] for level in found.levels] == [1, 1]
        else:
            with pytest.raises(CorpusError, match="only 0 of 2 topics"):
                evaluate(topics, place, label_field="label", n_jobs=1)


# The estimator


def test_a_name_that_several_topics_have_is_told_with_their_paths(tree_index):
    model = SeeTopic({"sports and games": {"news": None}, "cooking & cuisine": {"news": None}}).fit(tree_index)
    with pytest.raises(SeedError, match="several topics have the name 'news'; choose from sports and games > news, "):
        model.reject("news", "goal")
    assert model.reject("cooking & cuisine > news", "goal").seeds_.seeds[3].negative == ("goal",)


def test_the_estimator_knows_paths_and_levels(tree_index, tmp_path):
    model = SeeTopic(TREE).fit(tree_index)
    texts, labels = planted_tree(40, seed=2)
    leaves, roots = model.predict(texts), model.predict(texts, level=0)
    assert list(model.classes_[:2]) == ["sports and games", "sports and games > soccer"]
    assert np.mean(model.classes_[leaves] == [f"{PARENT[label]} > {label}" for label in labels]) > 0.9
    assert np.mean(model.classes_[roots] == [PARENT[label] for label in labels]) > 0.9
    np.testing.assert_array_equal(model.predict(texts, level=5), leaves)
    for level in (-1, "leaf", 0.5, True):
        with pytest.raises(SettingsError, match=f"`level` is {level!r}, .* 0 for the roots of a tree, 1 or more "):
            model.predict(texts, level=level)
    np.testing.assert_array_equal(model.predict(texts, level=np.int64(0)), roots)
    np.testing.assert_allclose(model.transform(texts, none=True).sum(axis=1), 1.0)
    own = dict(zip(model.classes_, model.transform(texts).T, strict=True))
    assign(texts, model.sorter_, tmp_path / "sorted.jsonl", n_jobs=1)
    rows = [json.loads(line) for line in (tmp_path / "sorted.jsonl").read_text().splitlines()]
    for parent, children in TREE.items():
        summed = own[parent] + sum(own[f"{parent} > {child}"] for child in children)
        np.testing.assert_allclose([float(row[parent]) for row in rows], summed, atol=2e-3)
    assert model.visualize_hierarchy().title == "Tree of topics"
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(SeeTopic.load(tmp_path / "model").predict(texts), leaves)
