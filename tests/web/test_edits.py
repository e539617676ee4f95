"""Edits: what each does, in words too, and that nobody's change is ever lost in silence."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pydantic import TypeAdapter

from seetopic.errors import SeedError
from seetopic.web.database import Database
from seetopic.web.edits import Edit, clash
from seetopic.web.errors import Conflict
from seetopic.web.limits import CATEGORIES, TERMS
from seetopic.web.projects import Projects
from seetopic.web.schemas import GivenCategory, Names, with_new

AN_EDIT: TypeAdapter[Any] = TypeAdapter(Edit)


def edit(kind: str, **parts: Any) -> Any:
    return AN_EDIT.validate_python({"kind": kind, **parts})


def three() -> Names:
    """c1 sport, c2 food, c3 sky."""
    given = [
        GivenCategory(name="sport", pinned=("ball",)),
        GivenCategory(name="food", negative=("ball",)),
        GivenCategory(name="sky"),
    ]
    return with_new(Names(title="A project"), given)


def brief(names: Names) -> list[tuple[Any, ...]]:
    return [(each.id, each.name, each.names, each.pinned, each.negative) for each in names.categories]


# What each edit does


def test_new_categories_stand_at_the_end_or_where_asked_and_have_ids_of_their_own() -> None:
    names = edit("add", names=["law", "art"]).applied(three())
    assert [each.id for each in names.categories] == ["c1", "c2", "c3", "c4", "c5"]
    assert [each.name for each in edit("add", names=["law"], at=1).applied(three()).categories][1] == "law"
    assert names.next_id == 6


def test_a_renamed_category_keeps_its_id_and_place_and_what_was_judged() -> None:
    names = edit("rename", category="c1", name="games").applied(three())
    assert brief(names)[0] == ("c1", "games", ("games",), ("ball",), ())


def test_a_category_is_described_by_each_name_once() -> None:
    names = edit("names", category="c1", names=["sport", "games", "sport"]).applied(three())
    assert names["c1"].names == ("sport", "games")
    assert edit("rename", category="c1", name="athletics").applied(names)["c1"].names == ("athletics", "games")


def test_what_a_category_covers_is_said_changed_and_taken_back() -> None:
    names = edit("description", category="c1", description="  matches and athletes ").applied(three())
    assert names["c1"].description == "matches and athletes"
    assert brief(names) == brief(three())
    assert edit("description", category="c1", description="").applied(names) == three()


def test_removing_and_placing_leave_the_others_as_they_are() -> None:
    assert [each.id for each in edit("remove", category="c2").applied(three()).categories] == ["c1", "c3"]
    assert [each.id for each in edit("place", category="c3", at=0).applied(three()).categories] == ["c3", "c1", "c2"]
    assert [each.id for each in edit("place", category="c1", at=99).applied(three()).categories] == ["c2", "c3", "c1"]


def test_an_accepted_term_stands_in_one_category_only() -> None:
    names = edit("pin", category="c2", term="Ball").applied(three())
    assert (names["c1"].pinned, names["c2"].pinned, names["c2"].negative) == ((), ("Ball",), ())


def test_a_rejected_term_is_no_longer_accepted_and_can_be_left_open_again() -> None:
    names = edit("bar", category="c1", term="BALL").applied(three())
    assert (names["c1"].pinned, names["c1"].negative) == ((), ("BALL",))
    assert edit("free", category="c1", term="ball").applied(names)["c1"].negative == ()


def test_a_term_that_moves_is_rejected_here_and_accepted_there() -> None:
    names = edit("shift", category="c1", term="ball", to="c3").applied(three())
    assert names["c1"].negative == names["c3"].pinned == ("ball",)
    assert names["c1"].pinned == ()


def test_options_and_title_change_what_was_named_and_nothing_else() -> None:
    names = edit("options", top=25).applied(three())
    assert (names.options.top, names.options.keep_variants) == (25, False)
    assert edit("options", keep_variants=True).applied(names).options.top == 25
    assert edit("title", title="  Other ").applied(names).title == "Other"


def test_pasted_names_replace_all_and_take_no_old_ids() -> None:
    names = edit("seeds", categories=[{"name": "law", "names": ["law", "court"], "negative": ["tennis"]}])
    assert brief(names.applied(three())) == [("c4", "law", ("law", "court"), (), ("tennis",))]


@pytest.mark.parametrize(
    ("kind", "parts", "sentence"),
    [
        ("rename", {"category": "c9", "name": "x"}, "category 'c9' no longer exists"),
        ("bar", {"category": "c1", "term": "Sport"}, "is a name of 'sport'"),
        ("shift", {"category": "c1", "term": "ball", "to": "c1"}, "is already in 'sport'; choose another category"),
        ("add", {"names": [str(n) for n in range(CATEGORIES)]}, f"the limit is {CATEGORIES}"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(kind: str, parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SeedError, match=sentence):
        edit(kind, **parts).applied(three())


def test_a_category_takes_no_more_terms_than_its_bound() -> None:
    full = with_new(Names(title="x"), [GivenCategory(name="a", pinned=tuple(f"t{n}" for n in range(TERMS)))])
    with pytest.raises(SeedError, match=f"would have {TERMS + 1} pinned terms, but the limit is {TERMS}"):
        edit("pin", category="c1", term="one more").applied(full)


@pytest.mark.parametrize(
    ("kind", "parts", "words"),
    [
        ("add", {"names": ["law"]}, "add “law”"),
        ("add", {"names": list("abcde")}, "add “a”, “b”, “c” and 2 more"),
        ("rename", {"category": "c1", "name": "games"}, "rename “sport” to “games”"),
        ("names", {"category": "c1", "names": ["sport", "games"]}, "set the names of “sport” to “sport”, “games”"),
        ("description", {"category": "c1", "description": "clubs"}, "say that “sport” covers “clubs”"),
        ("description", {"category": "c1", "description": ""}, "no longer describe “sport”"),
        ("remove", {"category": "c2"}, "remove “food”"),
        ("place", {"category": "c3", "at": 0}, "move “sky” to position 1"),
        ("pin", {"category": "c3", "term": "star"}, "accept “star” in “sky”"),
        ("bar", {"category": "c3", "term": "star"}, "reject “star” in “sky”"),
        ("free", {"category": "c1", "term": "ball"}, "clear the judgement of “ball” in “sport”"),
        ("shift", {"category": "c1", "term": "ball", "to": "c3"}, "move “ball” from “sport” to “sky”"),
        ("options", {"top": 20}, "show 20 terms per topic"),
        ("options", {"top": 20, "keep_variants": True}, "show 20 terms per topic, variants as separate terms"),
        ("options", {"keep_variants": False}, "show variants merged into one term"),
        ("title", {"title": "Other"}, "rename the project to “Other”"),
        ("seeds", {"categories": [{"name": "law"}, {"name": "art"}]}, "replace all names with 2 others"),
    ],
)
def test_every_edit_is_told_in_words(kind: str, parts: dict[str, Any], words: str) -> None:
    assert edit(kind, **parts).told(three()) == words


# Two people


@pytest.mark.parametrize(
    ("theirs", "mine", "stands"),
    [
        (("rename", {"category": "c1", "name": "games"}), ("rename", {"category": "c1", "name": "play"}), "games"),
        (("remove", {"category": "c1"}), ("pin", {"category": "c1", "term": "bat"}), "gone"),
        (("bar", {"category": "c3", "term": "star"}), ("pin", {"category": "c3", "term": "Star"}), "rejected"),
        (
            ("pin", {"category": "c1", "term": "star"}),
            ("pin", {"category": "c3", "term": "star"}),
            "accepted in “sport”",
        ),
        (
            ("pin", {"category": "c2", "term": "ball"}),
            ("shift", {"category": "c1", "term": "ball", "to": "c3"}),
            "accepted in “food”",
        ),
        (("bar", {"category": "c3", "term": "x"}), ("shift", {"category": "c1", "term": "x", "to": "c3"}), "rejected"),
        (("remove", {"category": "c3"}), ("shift", {"category": "c1", "term": "ball", "to": "c3"}), "gone"),
        (("title", {"title": "Theirs"}), ("title", {"title": "Mine"}), "Theirs"),
        (
            ("description", {"category": "c1", "description": "clubs"}),
            ("description", {"category": "c1", "description": "athletes"}),
            "clubs",
        ),
    ],
)
def test_a_change_of_the_same_thing_is_a_clash_that_says_what_stands_there(theirs: Any, mine: Any, stands: str) -> None:
    before = three()
    now = edit(theirs[0], **theirs[1]).applied(before)
    assert clash(edit(mine[0], **mine[1]), before, now) == stands


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        (("rename", {"category": "c1", "name": "games"}), ("pin", {"category": "c1", "term": "bat"})),
        (("pin", {"category": "c1", "term": "bat"}), ("pin", {"category": "c1", "term": "net"})),
        (("names", {"category": "c1", "names": ["sport", "games"]}), ("rename", {"category": "c1", "name": "play"})),
        (("rename", {"category": "c2", "name": "meals"}), ("pin", {"category": "c3", "term": "ball"})),
        (("add", {"names": ["law"]}), ("remove", {"category": "c1"})),
        (("bar", {"category": "c1", "term": "x"}), ("bar", {"category": "c2", "term": "x"})),
    ],
)
def test_changes_of_different_things_do_not_clash(theirs: Any, mine: Any) -> None:
    before = three()
    now = edit(theirs[0], **theirs[1]).applied(before)
    assert clash(edit(mine[0], **mine[1]), before, now) is None


# Any edits

WORDS = ["sport", "Sport", "food", "sky", "ball", "BALL", "bat", " net ", "law", "é", "e\u0301", "\x1c"]


def edits_of(given_words: list[str], given_ids: list[str]) -> st.SearchStrategy[Any]:
    words, ids = st.sampled_from(given_words), st.sampled_from(given_ids)
    some = st.lists(words, min_size=1, max_size=2)
    pasted = st.fixed_dictionaries({"name": words}, optional={"pinned": some, "names": some})
    judgements = st.fixed_dictionaries(
        {"kind": st.sampled_from(["pin", "bar", "free"]), "category": ids, "term": words}
    )
    moves = st.fixed_dictionaries({"kind": st.just("shift"), "category": ids, "term": words, "to": ids})
    others = [
        {"kind": st.just("add"), "names": some, "at": st.none() | st.integers(0, 5)},
        {"kind": st.just("rename"), "category": ids, "name": words},
        {"kind": st.just("names"), "category": ids, "names": some},
        {"kind": st.just("remove"), "category": ids},
        {"kind": st.just("place"), "category": ids, "at": st.integers(0, 5)},
        {"kind": st.just("options"), "top": st.none() | st.integers(1, 9), "keep_variants": st.none() | st.booleans()},
        {"kind": st.just("title"), "title": words},
        {"kind": st.just("seeds"), "categories": st.lists(pasted, max_size=3)},
    ]
    return st.one_of(judgements, moves, *map(st.fixed_dictionaries, others)).map(AN_EDIT.validate_python)


ANY_EDIT = edits_of(WORDS, [f"c{number}" for number in range(1, 8)])
NEAR_EDIT = edits_of(["ball", "law"], ["c1", "c2", "c4"])  # so few that two people often mean the same


def is_valid(names: Names) -> bool:
    """What is kept can be read again, can be sought for, and has ids that are its own."""
    names.check()
    ids = [each.id for each in names.categories]
    numbers = [int(each[1:]) for each in ids]
    read = Names.model_validate_json(names.model_dump_json())
    return read == names and len(set(ids)) == len(ids) and all(number < names.next_id for number in numbers)


@pytest.mark.slow
@given(st.lists(ANY_EDIT, max_size=15))
def test_any_edits_keep_names_valid_and_can_all_be_undone_and_redone_exactly(edits: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Database(Path(folder) / "x.sqlite")
        data.insert("corpora", id="k", title="", source="", options="", folder="", own=0, state="ready", created=0)
        projects = Projects(data)
        project = projects.make("k", three())
        states = [projects.get(project).names]
        for each in edits:
            try:
                kept = projects.edit(project, projects.version(project), "", each)
            except SeedError:
                continue
            assert is_valid(kept.names)
            if kept.names != states[-1]:
                states.append(kept.names)
        for expected in reversed(states[:-1]):
            assert projects.undo(project, projects.version(project), "").names == expected
        for expected in states[1:]:
            assert projects.redo(project, projects.version(project), "").names == expected
        data.close()


def parts(names: Names) -> dict[Any, Any]:
    """Everything that a person may have said, by what it is about."""
    said: dict[Any, Any] = {"title": names.title, "options": names.options}
    for each in names.categories:
        said |= {(each.id, "there"): True, (each.id, "name"): each.name, (each.id, "names"): each.names}
        said |= {(each.id, term.casefold().strip()): "accepted" for term in each.pinned}
        said |= {(each.id, term.casefold().strip()): "rejected" for term in each.negative}
    return said


class TwoPeople(RuleBasedStateMachine):
    """Ann and Ben change one project, each by what they saw last."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.data = Database(Path(self.folder.name) / "x.sqlite")
        self.data.insert("corpora", id="k", title="", source="", options="", folder="", own=0, state="ready", created=0)
        self.projects = Projects(self.data)
        self.seen: dict[str, int] = {}
        self.names: dict[int, Names] = {}

    @initialize()
    def begin(self) -> None:
        self.project = self.projects.make("k", three(), "Ann")
        self.history = self.projects.history(self.project)
        self.seen = {"Ann": 1, "Ben": 1}
        self.names = {1: self.projects.get(self.project).names}

    @rule(who=st.sampled_from(["Ann", "Ben"]))
    def looks(self, who: str) -> None:
        self.seen[who] = self.projects.version(self.project)

    @rule(who=st.sampled_from(["Ann", "Ben"]), change=NEAR_EDIT)
    def edits(self, who: str, change: Any) -> None:
        base, now = self.names[self.seen[who]], self.projects.get(self.project)
        try:
            kept = self.projects.edit(self.project, self.seen[who], who, change)
        except Conflict as conflict:
            self.says_who_and_what(str(conflict), **conflict.more)
            assert change.touches(base) != change.touches(now.names)
            assert self.projects.get(self.project) == now
            return
        except SeedError:
            assert self.projects.get(self.project) == now
            return
        self.nothing_of_others_is_lost(change, parts(base), parts(now.names), parts(kept.names))
        if kept.version != now.version:
            newest = self.projects.history(self.project)[0]
            assert (newest.label, newest.by, newest.current) == (change.told(now.names), who, True)
        self.kept(who, kept)

    def says_who_and_what(self, sentence: str, by: str, theirs: Any) -> None:
        assert by in ("Ann", "Ben")
        assert by in sentence
        assert theirs is not None

    def nothing_of_others_is_lost(self, change: Any, base: Any, now: Any, after: Any) -> None:
        """What differs between what was seen and what is there was said by others meanwhile: it still stands."""
        for about in base.keys() | now.keys():
            merged = change.kind == "rename" and about == (change.category, "names")  # one name of several is another
            if base.get(about) != now.get(about) and not merged:
                assert after.get(about) == now.get(about), (change, about)

    @rule(who=st.sampled_from(["Ann", "Ben"]), way=st.sampled_from(["undo", "redo"]))
    def steps(self, who: str, way: str) -> None:
        before = self.projects.get(self.project)
        try:
            kept = getattr(self.projects, way)(self.project, self.seen[who], who)
        except Conflict:
            assert self.seen[who] != before.version or getattr(before, way) is None
            assert self.projects.get(self.project) == before
            return
        assert self.seen[who] == before.version
        assert kept.last.label == f"{way}: {getattr(before, way)}"
        self.kept(who, kept)

    @rule(who=st.sampled_from(["Ann", "Ben"]), at=st.integers(0, 30))
    def goes_back(self, who: str, at: int) -> None:
        self.looks(who)
        number = self.history[at % len(self.history)].number
        kept = self.projects.restore(self.project, self.seen[who], who, number)
        assert kept.names.categories == self.projects.names_of_entry(self.project, number).categories
        self.kept(who, kept)

    def kept(self, who: str, kept: Any) -> None:
        self.seen[who] = kept.version
        self.names[kept.version] = kept.names

    @invariant()
    @precondition(lambda self: bool(self.seen))
    def history_only_grows_and_names_stay_valid(self) -> None:
        history = self.projects.history(self.project)
        steps = [(each.number, each.label, each.by) for each in reversed(history)]
        assert steps[: len(self.history)] == [(each.number, each.label, each.by) for each in reversed(self.history)]
        assert sum(each.current for each in history) == 1
        self.history = history
        assert is_valid(self.projects.get(self.project).names)

    def teardown(self) -> None:
        if self.seen:  # what is on disk is what was answered
            kept = self.projects.get(self.project)
            self.data.close()
            again = Database(self.data.path)
            assert Projects(again).get(self.project) == kept
            again.close()
        else:
            self.data.close()
        self.folder.cleanup()


TwoPeople.TestCase.settings = settings(
    max_examples=30, stateful_step_count=25, suppress_health_check=[HealthCheck.too_slow]
)
TestTwoPeople = pytest.mark.slow(TwoPeople.TestCase)


def test_names_with_a_term_that_is_pinned_and_negative_in_two_spellings_can_still_be_opened() -> None:
    kept = with_new(Names(title="x"), [GivenCategory(name="sport", pinned=("Goal",), negative=("goal", "foul"))])
    assert kept.seeds.seeds[0].negative == ("foul",)
