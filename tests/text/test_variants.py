"""Variants of one term: similar in spelling and by both kinds of vectors; in topics, one represents all."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as some

from planted import NAMES, planted_documents
from seetopic import Index, Topics, discover
from seetopic.classify.sorter import sorter_for
from seetopic.cli import cli
from seetopic.discovery.algorithm import Constraints, discover_terms
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.evidence.local import LocalEvidence
from seetopic.discovery.topics import RankedTerm, Topic
from seetopic.output.report import report_html
from seetopic.settings import DEFAULT, NO_ITER, PAPER, RELEASED_CODE, DiscoverySettings
from seetopic.text.variants import Variants, agreement_of, find_variants, folded, likeness, no_variants, spellings_of

APART = ["glass/glasses", "new/news", "physic/physics", "arm/arms", "good/goods", "short/shorts", "custom/customs"]
TOGETHER = [
    "tumor/tumors/tumour",
    "dvd/dvds/dvd's",
    "exercise/exercises/exercising",
    "x ray/x-ray/xray",
    "email/e-mail",
]


def vectors(groups: list[int], noise: float, seed: int = 0, dimension: int = 512) -> np.ndarray:
    """Unit rows: terms with the same number point the same way, all others elsewhere."""
    chance = np.random.default_rng(seed)
    ways = chance.standard_normal((max(groups) + 1, dimension))
    rows = ways[groups] + noise * chance.standard_normal((len(groups), dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def groups_of(terms: list[str], variants: Variants) -> set[frozenset[str]]:
    members: dict[int, set[str]] = {}
    for term, head in zip(terms, variants.heads.tolist(), strict=True):
        members.setdefault(head, set()).add(term)
    return {frozenset(group) for group in members.values() if len(group) > 1}


def among_others(groups: list[str]) -> tuple[list[str], list[int], int]:
    """Terms of groups followed by other terms, the number of each one's group, and how many others there are."""
    terms = [term for group in groups for term in group.split("/")]
    numbers = [number for number, group in enumerate(groups) for _ in group.split("/")]
    others = [f"{letter}{end}" for letter in "bcdfghjklmnpqrtvwz" for end in ("olk", "unt", "arp", "ilt")]
    return [*terms, *others], [*numbers, *range(len(groups), len(groups) + len(others))], len(others)


def test_words_of_one_meaning_are_merged():
    terms, numbers, _ = among_others(TOGETHER)
    found = find_variants(spellings_of(terms), vectors(numbers, 0.5), vectors(numbers, 0.3, seed=1))
    assert groups_of(terms, found) == {frozenset(group.split("/")) for group in TOGETHER}


@pytest.mark.parametrize("disagree", ["local", "general", "both"])
def test_words_that_only_look_like_inflections_stay_apart(disagree):
    terms, numbers, _ = among_others(APART)
    alike, unlike = vectors(numbers, 0.3), vectors(list(range(len(terms))), 0.3, seed=1)
    local, general = (unlike if disagree in (kind, "both") else alike for kind in ("local", "general"))
    assert groups_of(terms, find_variants(spellings_of(terms), local, general)) == set()
    assert groups_of(terms, find_variants(spellings_of(terms), alike, alike)) == {
        frozenset(group.split("/")) for group in APART
    }


def test_what_is_not_spelled_alike_is_never_merged_however_near():
    terms, numbers, _ = among_others(["person/personal", "organ/organic", "car/automobile", "run/runner"])
    near = vectors(numbers, 0.0)
    assert groups_of(terms, find_variants(spellings_of(terms), near, near)) == set()


@pytest.mark.parametrize(
    ("local", "general", "merged"),
    [
        (0.05, 0.99, set()),
        (0.15, 0.40, {"colour"}),
        (0.30, 0.69, {"colour"}),
        (0.24, 0.74, {"colour", "paints"}),
        (0.15, 0.85, {"colour", "paints"}),
        (0.35, 0.78, {"colour", "paints", "painting"}),
    ],
)
def test_the_less_the_spelling_says_the_more_the_vectors_must(local, general, merged):
    terms = ["paint", "color", "paints", "painting", "colour", *(f"{a}{b}" for a in "bcdfghjklm" for b in "qxzwhkpt")]
    found = find_variants(spellings_of(terms), at_cosine(local, len(terms)), at_cosine(general, len(terms)))
    together = {term for group in groups_of(terms, found) for term in group}
    assert together - {"paint", "color"} == merged


def at_cosine(cosine: float, n_terms: int) -> np.ndarray:
    """Terms 2 and 3 at this cosine from term 0, term 4 from term 1; all others at right angles."""
    rows = np.eye(n_terms, dtype=np.float32)
    for term, other in ((2, 0), (3, 0), (4, 1)):
        rows[term, [term, other]] = (1 - cosine**2) ** 0.5, cosine
    return rows


def test_agreement_does_not_depend_on_what_all_terms_share():
    numbers = [*range(40), 0, 1]
    plain = vectors(numbers, 0.4, dimension=256)
    shared = np.hstack([plain, np.full((42, 1), 1.5, np.float32)])
    shared /= np.linalg.norm(shared, axis=1, keepdims=True)
    pairs = np.array([0, 1, 2]), np.array([40, 41, 3])
    assert agreement_of(shared, *pairs) == pytest.approx(agreement_of(plain, *pairs), abs=0.03)


def test_a_term_that_could_join_two_joins_the_one_it_agrees_with_most():
    terms = ["life", "live", "lives"]
    ways = np.eye(3, 64, dtype=np.float32)
    lives = 0.5 * ways[0] + 0.8 * ways[1] + 0.3 * ways[2]
    rows = np.vstack([ways[:2], lives / np.linalg.norm(lives), np.eye(40, 64, k=10, dtype=np.float32)])
    others = [f"{letter}olk{end}" for letter in "bcdfghjk" for end in ("o", "u", "w", "m", "t")]
    assert groups_of([*terms, *others], find_variants(spellings_of([*terms, *others]), rows, rows)) == {
        frozenset({"live", "lives"})
    }


@given(
    some.lists(some.text(some.sampled_from("tumors' -ingéd"), max_size=9), max_size=25, unique=True),
    some.integers(0, 9),
)
def test_every_member_is_spelled_like_its_head_and_agrees_with_it(terms, seed):
    rows = vectors([number // 3 for number in range(len(terms))] or [0], 0.4, seed)[: len(terms)]
    heads = find_variants(spellings_of(terms), rows, rows).heads
    assert (heads[heads] == heads).all()
    assert (heads <= np.arange(len(terms))).all()
    spelled = folded(terms)
    for term, head in enumerate(heads.tolist()):
        if term != head:
            assert likeness(spelled[term], spelled[head]) is not None
            assert rows[term] @ rows[head] >= 0.1


def representatives(heads, scores, kept):
    """The simple implementation."""
    stands = []
    for term, head in enumerate(heads):
        group = [other for other, other_head in enumerate(heads) if other_head == head]
        best = max(group, key=lambda other: (scores[:, other].max(), -other))
        stands.append(term if term in kept else best)
    return stands


@given(some.data(), some.integers(1, 3), some.integers(1, 12))
def test_the_best_of_a_group_stands_for_it(data, n_categories, n_terms):
    heads = []
    for term in range(n_terms):
        free = [other for other, head in enumerate(heads) if other == head]
        heads.append(data.draw(some.sampled_from([*free, term])))
    scores = np.array(
        data.draw(
            some.lists(
                some.lists(some.sampled_from([0, 0.2, 0.5, 1]), min_size=n_terms, max_size=n_terms),
                min_size=n_categories,
                max_size=n_categories,
            )
        ),
        float,
    )
    kept = data.draw(some.sets(some.integers(0, n_terms - 1)))
    found = Variants(np.array(heads)).representatives(scores.max(axis=0), kept)
    assert found.tolist() == representatives(heads, scores, kept)


def test_without_variants_all_stand_for_themselves():
    assert no_variants(4).representatives(np.ones(4)).tolist() == [0, 1, 2, 3]


PLANTED_VARIANTS = Variants(np.array([0, 0, 0, 3, 4, 5, 6, 6, 8, 9, 10, 11]))
SETTINGS = DiscoverySettings(top=4, growth=2, iterations=2, checked_ranks=12)


def found_in(fixed=((), ()), barred=(), variants=PLANTED_VARIANTS):
    """Terms 0 to 5 belong to the first category, 6 to 11 to the second; the nearest to the names come first."""
    ways = np.zeros((12, 14), np.float32)
    ways[:6, 0] = ways[6:, 1] = np.tile(np.linspace(0.95, 0.7, 6), 1)
    ways[np.arange(12), np.arange(2, 14)] = np.sqrt(1 - (ways[:, 0] + ways[:, 1]) ** 2)
    names = np.eye(2, 14, dtype=np.float32)
    flags = np.zeros((2, 12), np.bool_)
    for category, term in barred:
        flags[category, term] = True
    evidence = [(GeneralEvidence(ways, names, name_pull=1.0), 1.0), (LocalEvidence(ways), 1.0)]
    return discover_terms(names @ ways.T, Constraints(fixed, flags), evidence, SETTINGS, variants)


def test_one_term_stands_for_its_variants_and_frees_their_places():
    found = found_in()
    assert found.terms == [[0, 3, 4, 5], [6, 8, 9, 10]]
    assert found.variants == {0: [1, 2], 6: [7]}
    assert found_in(variants=None).terms == [[0, 1, 2, 3], [6, 7, 8, 9]]


def test_a_group_stands_in_no_other_topic():
    found = found_in(variants=Variants(np.array([0, 0, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11])))
    assert [set(terms) & {0, 1, 6} for terms in found.deep] == [{0}, set()]
    assert found.variants == {0: [1, 6]}


def test_a_fixed_term_keeps_its_spelling_and_stands_for_the_others():
    found = found_in(fixed=((2,), ()))
    assert found.terms[0] == [2, 3, 4, 5]
    assert found.variants[2] == [0, 1]


def test_fixed_terms_of_one_group_all_stay_in_their_own_topics():
    found = found_in(fixed=((2, 1), (0,)))
    assert found.terms[0][:2] == [2, 1]
    assert found.terms[1][0] == 0
    assert list(found.variants.values()) == [[7]]


def test_a_barred_variant_is_not_listed():
    assert found_in(barred=[(0, 1)]).variants == {0: [2], 6: [7]}


def test_terms_with_their_variants_are_what_sorts_documents():
    found = found_in()
    assert found.with_variants(found.terms[0]) == [0, 1, 2, 3, 4, 5]


# --- from documents to topics


def inflected(text: str, number: int) -> str:
    """Sometimes in the plural, so that "planet" and "planets" are used alike."""
    for word in ("planet", "telescope", "comet", "tomato", "stadium"):
        plural = word + ("es" if word.endswith("o") else "s")
        text = text.replace(word, plural) if number % 2 else text.replace(word, f"{word}, {plural}")
    return text


@pytest.fixture(scope="module")
def many(tmp_path_factory, cache) -> Index:
    texts = [inflected(text, number // 3) for number, text in enumerate(planted_documents())]
    return Index.build(texts, tmp_path_factory.mktemp("inflected") / "index", cache=cache, n_jobs=1)


def variants_in(topics: Topics) -> dict[str, tuple[str, ...]]:
    return {ranked.term: ranked.variants for topic in topics for ranked in topic.terms if ranked.variants}


@pytest.mark.slow
def test_inflections_stand_once_and_are_listed(many):
    topics = discover(many, NAMES)
    merged = [{term, *others} for term, others in variants_in(topics).items()]
    assert {"planet", "planets"} in merged
    assert {"telescope", "telescopes"} in merged
    everything = [term for topic in topics for ranked in topic.terms for term in (ranked.term, *ranked.variants)]
    assert len(everything) == len(set(everything))
    assert all(len(topic.terms) == 10 for topic in topics)


@pytest.mark.slow
def test_documents_are_those_of_the_term_itself(many):
    ids = many.vocabulary.ids
    for topic in discover(many, NAMES):
        for ranked in topic.terms:
            assert ranked.documents == many.document_frequencies[ids[ranked.term]]


@pytest.mark.slow
def test_it_can_be_switched_off_and_the_papers_presets_do_not_merge(many):
    topics = discover(many, NAMES, settings=replace(DEFAULT.discovery, merge_variants=False, top=16))
    assert variants_in(topics) == {}
    assert {"planet", "planets"} <= set(topics[2])
    assert [preset.discovery.merge_variants for preset in (PAPER, RELEASED_CODE, NO_ITER)] == [False] * 3


def test_a_name_that_occurs_keeps_its_own_spelling(many):
    for name, other in combinations(["planets", "planet"], 2):
        for first, second in ((name, other), (other, name)):
            topic = discover(many, [first, "cooking"])[0]
            assert next(iter(topic)) == first
            assert second in topic.terms[0].variants


def test_pinned_terms_stay_as_typed_and_negative_ones_are_not_listed(many):
    constraints = {"outer space": {"pinned": ["comets", "comet"], "negative": ["planets"]}, "cooking": {}}
    space, _ = discover(many, constraints)
    assert list(space)[:2] == ["comets", "comet"]
    everything = {term for ranked in space.terms for term in (ranked.term, *ranked.variants)}
    assert not {"planet", "planets"} & everything


def test_a_document_that_holds_a_variant_holds_the_topics_term(many):
    sorter = sorter_for(many, NAMES)
    for text in ("planet telescope", "planets telescopes"):
        assigned = sorter.assign([text])[0]
        assert assigned.categories == (2,)
        assert set(assigned.evidence) == set(text.split(" "))


@pytest.mark.slow
def test_the_command_line_can_keep_them(many, tmp_path):
    (tmp_path / "names.txt").write_text("\n".join(NAMES))
    common = ["discover", str(many.folder), "--seeds", str(tmp_path / "names.txt"), "--quiet", "--json"]
    merged, kept = (
        json.loads(CliRunner().invoke(cli, [*common, *more], catch_exceptions=False).stdout)
        for more in ([], ["--keep-variants"])
    )
    listed = [[each["variants"] for topic in value["topics"] for each in topic["terms"]] for value in (merged, kept)]
    assert any(listed[0])
    assert not any(listed[1])
    assert [value["made_with"]["preset"] for value in (merged, kept)] == ["default", "custom"]


# --- as they are written


def one_topic(*variants: str) -> Topics:
    term = RankedTerm("exercise", 0.5, 7, {"general": 1}, variants)
    made_with = {
        "corpus": {"name": "c", "documents": 1, "tokens": 1, "terms": 1},
        "version": "1",
        "model": {"name": "m"},
        "preset": "default",
        "random_state": 0,
    }
    return Topics((Topic("sport", ("sport",), True, (term,)),), made_with)


def test_they_are_written_to_both_files_and_read_back(tmp_path):
    topics = one_topic("exercises", "exercising")
    topics.save(tmp_path)
    assert json.loads((tmp_path / "topics.json").read_text())["topics"][0]["terms"][0]["variants"] == [
        "exercises",
        "exercising",
    ]
    header, row = (tmp_path / "topics.csv").read_text().splitlines()
    assert (header.split(",")[-1], row.split(",")[-1]) == ("variants", "exercises; exercising")
    assert Topics.load(tmp_path) == topics


def test_files_without_them_are_read(tmp_path):
    one_topic().save(tmp_path)
    value = json.loads((tmp_path / "topics.json").read_text())
    del value["topics"][0]["terms"][0]["variants"]
    (tmp_path / "topics.json").write_text(json.dumps(value))
    assert Topics.load(tmp_path) == one_topic()


def test_the_report_shows_them_behind_their_term_and_the_text_does_not():
    topics = one_topic("exercises", "<b>exercising</b>")
    assert "exercise <small>exercises, &lt;b&gt;exercising&lt;/b&gt;</small>" in report_html(topics)
    assert "<small>" not in report_html(one_topic())
    assert str(topics).splitlines()[1].split("  ")[-1] == "exercise"


@given(
    some.lists(some.sampled_from([word for group in TOGETHER for word in group.split("/")]), min_size=2, unique=True)
)
def test_terms_that_come_later_are_spelled_as_if_they_had_been_there(terms):
    whole = spellings_of(terms)
    for first in range(1, len(terms)):
        grown = spellings_of(terms[:first]).followed_by(terms[first:])
        assert (grown.folded, grown.skeletons) == (whole.folded, whole.skeletons)
        assert sorted(grown.pairs.tolist()) == sorted(whole.pairs.tolist())
