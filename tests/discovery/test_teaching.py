"""Learning from judgements: known documents and terms move everything that is like them."""

from __future__ import annotations

import csv
import random
from dataclasses import replace

import numpy as np
import pytest

from planted import KINDS, NAMES
from seetopic import Index, assign
from seetopic.classify import sorter_for, sorter_of
from seetopic.classify.taught import taught_sorter
from seetopic.corpus import Judgement, Judgements
from seetopic.discovery import ask, corrections, most_predictive, run_of, teaching_report
from seetopic.discovery.run import _constraints
from seetopic.discovery.self_training import sort_sample
from seetopic.discovery.teaching import CONSTANT
from seetopic.discovery.teaching import taught as teach
from seetopic.errors import CorpusError, JudgementError, SettingsError
from seetopic.settings import DEFAULT, SampleSettings

SWAPPED = [NAMES[1], NAMES[2], NAMES[0]]  # what a person means who calls sport "cooking", and so on


def judged_by(names: list[str], numbers: range) -> Judgements:
    """Document i of the planted corpus is of kind i % 3."""
    return Judgements(tuple(Judgement(names[number % 3], document=number) for number in numbers))


def answers(index, judgements, unseen) -> list[int]:
    sorter = sorter_of(run_of(index, NAMES, judgements=judgements))
    return sorter.scores(sorter.terms_in(unseen)).argmax(axis=1).tolist()


@pytest.fixture(scope="module")
def plain(index):
    return run_of(index, NAMES)


@pytest.fixture(scope="module")
def taught(index):
    return run_of(index, NAMES, judgements=judged_by(SWAPPED, range(60)))


def test_no_judgements_change_nothing(index, plain):
    again = run_of(index, NAMES, judgements=Judgements())
    assert again.topics == plain.topics
    assert sorter_of(again).fingerprint == sorter_of(plain).fingerprint


def test_a_handicap_is_kept_as_it_is(index):
    run = run_of(index, NAMES, judgements=judged_by(NAMES, range(9)))
    assert run.lessons is not None
    features, settings, handicaps = run.sampled.features, run.settings.sorting, np.array([0.0, 0.0, 1.5])
    lowered = replace(
        (found := sort_sample(features, run.encoded.spoken, settings)),
        scores=found.scores - handicaps,
        offset=found.offset - handicaps,
    )
    better = teach(features, lowered, run.lessons, settings)
    assert features.times(better.weights) + better.offset + features.mean @ better.weights == pytest.approx(
        better.scores, abs=1e-4
    )
    assert better.scores.mean(axis=0)[2] < -1.4


def test_judged_documents_say_what_a_name_means(index, taught, unseen):
    by_kind = [SWAPPED[number % 3] for number in range(len(unseen))]
    guessed = [NAMES[number] for number in answers(index, judged_by(SWAPPED, range(60)), unseen)]
    assert np.mean([one == other for one, other in zip(by_kind, guessed, strict=True)]) > 0.9
    sport = set(KINDS[0])
    assert len(sport & set(taught.topics[NAMES[1]])) >= 5


def test_the_order_does_not_matter(index, taught):
    shuffled = random.Random(0).sample(list(judged_by(SWAPPED, range(60))), 60)
    again = run_of(index, NAMES, judgements=Judgements(tuple(shuffled)))
    assert again.topics == taught.topics
    assert sorter_of(again).fingerprint == sorter_of(taught).fingerprint


def test_taking_back_is_exact(index, plain):
    one = Judgement(NAMES[0], document=4)
    some = judged_by(NAMES, range(5))
    before = run_of(index, NAMES, judgements=some)
    after = run_of(index, NAMES, judgements=some.plus([one]).without(one))
    assert sorter_of(after).fingerprint == sorter_of(before).fingerprint
    assert run_of(index, NAMES, judgements=Judgements((one,)).without(one)).topics == plain.topics


def test_an_accepted_term_is_in_its_topic_alone_but_does_not_lead_it_and_a_rejected_one_never_is(index, plain):
    assert "planet" in list(plain.topics[NAMES[2]])
    judgements = Judgements((Judgement(NAMES[1], term="planet"), Judgement(NAMES[0], term="tennis", belongs=False)))
    topics = run_of(index, NAMES, judgements=judgements).topics
    assert "planet" in list(topics[NAMES[1]])[1:]
    assert "planet" not in list(topics[NAMES[2]])
    assert "tennis" not in list(topics[NAMES[0]])


def test_what_the_names_themselves_exclude_stays_out_even_if_it_is_accepted(index):
    seeds = {NAMES[0]: {"negative": ["referee"]}, NAMES[1]: {}, NAMES[2]: {}}
    topics = run_of(index, seeds, judgements=[Judgement(NAMES[0], term="referee")]).topics
    assert not any("referee" in list(topic) for topic in topics)


def test_a_term_that_is_accepted_below_a_name_may_stand_above_it(index):
    tree = {"leisure": {NAMES[0]: None, NAMES[1]: None}, NAMES[2]: None}
    run = run_of(index, tree, judgements=[{"category": NAMES[0], "term": "referee", "belongs": True}])
    barred = _constraints(run.query, run.uncovered).barred[: len(run.seeds), run.index.term_id("referee")]
    assert dict(zip(run.seeds.names, barred.tolist(), strict=True)) == {
        "leisure": False,
        NAMES[0]: False,
        NAMES[1]: True,
        NAMES[2]: True,
    }


def test_what_is_like_a_judged_term_follows_it(index, plain):
    terms = KINDS[2][:6]
    judgements = Judgements(tuple(Judgement(NAMES[1], term=term) for term in terms))
    judgements = judgements.plus(Judgement(NAMES[2], term=term, belongs=False) for term in terms)
    run = run_of(index, NAMES, judgements=judgements)
    others = [run.index.term_id(term) for term in KINDS[2][6:]]
    moved = run.reading.memberships[:, 1].mean() - plain.reading.memberships[:, 1].mean()
    assert moved > 0.02  # some documents about space are now about what is called cooking
    after, before = (sum(each.found.scores.scores_of(1, others)) for each in (run, plain))
    assert after > before


def test_none_of_these_teaches_what_lies_outside(index):
    outside = Judgements(tuple(Judgement(None, document=number) for number in range(2, 60, 3)))
    run = run_of(index, NAMES[:2], judgements=outside.plus(judged_by(NAMES, range(0, 12, 3))))
    sorter = sorter_of(run)
    shares = sorter.shares(sorter.terms_in(["planet, galaxy, telescope", "bread, cheese, soup"]))
    assert shares[0].argmax() == 2
    assert shares[1].argmax() == 1


def test_texts_outside_the_index_teach_too(index, unseen):
    texts = Judgements(tuple(Judgement(SWAPPED[number % 3], document=unseen[number]) for number in range(60)))
    guessed = answers(index, texts, unseen[60:])
    assert np.mean([NAMES[one] == SWAPPED[number % 3] for number, one in enumerate(guessed)]) > 0.9


def test_examples_of_a_category_teach_as_judged_texts_do(index, unseen):
    examples = {name: {"examples": unseen[SWAPPED.index(name) : 30 : 3]} for name in NAMES}
    judged = [Judgement(SWAPPED[number % 3], document=unseen[number]) for number in range(30)]
    by_examples, by_texts = (
        sorter_of(run_of(index, seeds, judgements=given)) for seeds, given in ((examples, None), (NAMES, judged))
    )
    rows = by_texts.terms_in(unseen)
    assert by_examples.scores(rows).argmax(axis=1).tolist() == by_texts.scores(rows).argmax(axis=1).tolist()


def test_a_few_wrong_answers_are_survived(index, unseen):
    right = list(judged_by(NAMES, range(40)))
    wrong = [Judgement(SWAPPED[number % 3], document=number) for number in range(40, 44)]
    guessed = answers(index, Judgements((*right, *wrong)), unseen)
    assert np.mean([one == number % 3 for number, one in enumerate(guessed)]) > 0.9


def test_leaving_one_out_is_as_if_it_had_not_been_judged():
    chance = np.random.default_rng(0)
    features, guesses = chance.normal(size=(40, 8)), chance.normal(size=(40, 3))
    allowed = np.eye(3, dtype=bool)[(features[:, :3] + 0.5 * chance.normal(size=(40, 3))).argmax(axis=1)]
    products = features @ features.T
    best = most_predictive(corrections(products, guesses, allowed))
    for left in range(0, 40, 8):
        kept = np.delete(np.arange(40), left)
        among = corrections(products[np.ix_(kept, kept)], guesses[kept], allowed[kept])
        same = next(each for each in among if each.penalty == best.penalty)
        exact = guesses[left] + (products[left, kept] + CONSTANT) @ same.by_judged
        assert np.abs(exact - best.left_out[left]).max() < 0.35


def test_weights_are_those_of_the_equation():
    """At the optimum, the weights of an item are known shares minus predicted ones, divided by the penalty."""
    products, guesses, allowed = np.eye(3), np.zeros((3, 3)), np.eye(3, dtype=bool)
    strong = corrections(products, guesses, allowed)[0]
    assert strong.penalty == 3.0
    scores = guesses + (products + CONSTANT) @ strong.by_judged
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    trust = 0.9 * np.diag(shares) / (0.9 * np.diag(shares) + 0.1 / 3)
    assert strong.by_judged == pytest.approx(trust[:, None] * (np.eye(3) - shares) / 3.0, abs=1e-4)


def test_names_that_mean_nearly_the_same_learn_from_their_own_judgements(index):
    names = ["sports and games", "sport and games", *NAMES[1:]]
    assert run_of(index, names).lessons is None
    judgements = [Judgement(names[-1], document=0), Judgement(names[1], document=0, belongs=False)]
    run = run_of(index, names, judgements=judgements)
    assert run.lessons.allowed[0, : len(names)].tolist() == [False, False, False, True]
    examples = {name: {"examples": ["The goalkeeper saved it."] if name == names[1] else []} for name in names}
    assert run_of(index, examples).lessons.allowed[0, 1]


@pytest.mark.parametrize("own", [0, 1])
def test_a_term_that_is_accepted_for_one_of_two_such_names_goes_to_it(index, own):
    names = ["sports and games", "sport and games", *NAMES[1:]]
    run = run_of(index, names, judgements=[Judgement(names[own], term="referee")])
    assert ["referee" in list(topic) for topic in run.topics] == [number == own for number in range(4)]
    assert "mean nearly the same" in run.topics[0].warnings[0]
    assert teaching_report(run).terms == 1


TREE = {"hobbies": dict.fromkeys(NAMES[:2]), NAMES[2]: None}
PATHS = [f"hobbies > {NAMES[0]}", f"hobbies > {NAMES[1]}", NAMES[2]]


def test_a_tree_of_names_learns_like_names_without_parents(index, unseen):
    swapped = [PATHS[1], PATHS[2], PATHS[0]]
    run = run_of(index, TREE, judgements=judged_by(swapped, range(60)))
    sorter = sorter_of(run)
    guessed = sorter.scores(sorter.terms_in(unseen)).argmax(axis=1)
    assert np.mean([sorter.names[one] == swapped[number % 3] for number, one in enumerate(guessed)]) > 0.9
    report = teaching_report(run)
    assert (report.documents, report.known) == (60, 60)
    questions = ask(run, 8)
    assert {each.category for each in questions} <= {*PATHS, "hobbies"}
    assert not {each.document for each in questions if each.document is not None} & set(range(60))


def test_a_judgement_of_a_parent_is_about_all_below_it(index):
    run = run_of(
        index, TREE, judgements=[Judgement("hobbies", document=2), Judgement("hobbies", document=0, belongs=False)]
    )
    columns = [
        run.seeds.paths.index(path)
        for path in (("hobbies",), ("hobbies", NAMES[0]), ("hobbies", NAMES[1]), (NAMES[2],))
    ]
    assert run.lessons.allowed[:, columns].tolist() == [[False, False, False, True], [False, True, True, False]]
    both = run_of(index, TREE, judgements=[Judgement(name, document=2) for name in ("hobbies", PATHS[1])])
    assert both.lessons.allowed[0, columns].tolist() == [False, False, True, False]


def test_assign_learns_from_judged_texts_in_a_tree(index, unseen):
    sorter = sorter_for(index, TREE)
    by_kind = [PATHS[(number + 1) % 3] for number in range(len(unseen))]
    given = [Judgement(path, document=text) for path, text in zip(by_kind[:30], unseen[:30], strict=True)]
    given.append(Judgement("hobbies", term="planet"))
    taught = taught_sorter(sorter, Judgements(tuple(given)))
    guessed = taught.scores(taught.terms_in(unseen[30:])).argmax(axis=1)
    assert np.mean([taught.names[one] == path for one, path in zip(guessed, by_kind[30:], strict=True)]) > 0.8


def test_assign_learns_from_judged_texts_that_it_reads(index, unseen, tmp_path):
    by_kind = [NAMES[(number + 1) % 3] for number in range(len(unseen))]
    judged = [Judgement(name, document=text) for name, text in zip(by_kind[:30], unseen[:30], strict=True)]
    assign(unseen[30:], sorter_for(index, NAMES), tmp_path / "sorted.csv", read=True, judgements=judged, n_jobs=1)
    with (tmp_path / "sorted.csv").open(encoding="utf-8", newline="") as file:
        guessed = [row["category"] for row in csv.DictReader(file)]
    assert np.mean([one == name for one, name in zip(guessed, by_kind[30:], strict=True)]) > 0.8


def test_questions_are_new_and_say_why(index, taught):
    questions = ask(taught, 12)
    asked = [each.document for each in questions if each.document is not None]
    assert len(asked) == 9
    assert len(set(asked)) == 9
    assert not set(asked) & set(range(60))
    assert all(each.reason and each.category in NAMES for each in questions)
    assert ask(taught, 12) == questions
    assert {each.term is None for each in ask(taught, 6, "terms")} == {False}


def test_reasons_mention_judged_documents_only_once_there_are_some(plain, taught):
    before, after = ([each.reason for each in ask(run, 40, "documents")] for run in (plain, taught))
    assert any(reason.startswith("like many documents about") for reason in before)
    assert not any("judged" in reason for reason in before)
    assert any(reason.endswith("and unlike those that were judged") for reason in after)


def test_questions_need_documents_that_were_read(documents, plain, cache, tmp_path):
    with pytest.raises(SettingsError):
        ask(plain, 0)
    with pytest.raises(SettingsError, match=r"'words'.*both, documents, terms"):
        ask(plain, 5, "words")
    unread = replace(DEFAULT.index, sample=SampleSettings(words=0))
    index = Index.build(documents[:60], tmp_path / "unread", settings=unread, cache=cache, n_jobs=1)
    with pytest.warns(UserWarning, match="teach nothing"):
        run = run_of(index, NAMES, judgements=judged_by(NAMES, range(3)))
    with pytest.raises(CorpusError):
        ask(run, 5)


def test_judgements_of_what_the_index_does_not_have_are_refused_or_said(index, documents):
    with pytest.raises(JudgementError, match=str(len(documents))):
        run_of(index, NAMES, judgements=[Judgement(NAMES[0], document=len(documents))])
    with pytest.warns(UserWarning, match="'unheard-of'"):
        found = run_of(index, NAMES, judgements=[Judgement(NAMES[0], term="unheard-of", belongs=False)])
    assert not any("unheard-of" in sentence for sentence in found.topics.notes)  # once is enough


def test_a_report_tells_what_changed_and_how_sure_it_is(index, plain, taught):
    report = teaching_report(taught, plain.topics)
    assert (report.documents, report.terms, report.known) == (60, 0, 60)
    assert report.accuracy > 0.8
    low, high = report.interval
    assert low < report.accuracy <= high
    assert report.untaught < 0.2
    assert set(report.changed) == set(NAMES)
    doubled = judged_by(NAMES, range(3)).plus([Judgement(NAMES[0], document=0, belongs=False)])
    told = teaching_report(run_of(index, NAMES, judgements=doubled))
    assert "document 0" in told.contradictions[0]
    assert any("contradiction" in sentence for sentence in told.sentences())


def test_a_sorter_alone_is_corrected_by_texts(index, unseen, tmp_path):
    from seetopic import assign

    judged = [{"category": SWAPPED[n % 3], "document": unseen[n], "belongs": True} for n in range(60)]
    before = assign(unseen[60:], sorter_for(index, NAMES), tmp_path / "before.csv")
    after = assign(unseen[60:], sorter_for(index, NAMES), tmp_path / "after.csv", judgements=judged)
    assert before == dict.fromkeys(NAMES, 10)
    assert after == dict.fromkeys(NAMES, 10)
    rows = [line.split(",")[1] for line in (tmp_path / "after.csv").read_text().splitlines()[1:]]
    assert rows == [SWAPPED[number % 3] for number in range(30)]
    with pytest.warns(UserWarning, match="by their number"):
        assign(unseen, sorter_for(index, NAMES), tmp_path / "n.csv", judgements=[{**judged[0], "document": 3}])
