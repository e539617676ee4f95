"""What the names leave out, and suggested names for it, on the planted corpus."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commands import run_here
from planted import NAMES, PLANTED, planted_documents
from seetopic import Index, SeeTopic, Topics, as_seeds, discover
from seetopic.discovery import Residual
from seetopic.discovery.run import run_of
from seetopic.discovery.suggestions import as_seeds_file, suggest
from seetopic.errors import CorpusError, SettingsError
from seetopic.output.report import report_html
from seetopic.settings import DEFAULT

MISSED = set(PLANTED["astronomy"].split(" "))


@pytest.fixture(scope="module")
def part(index: Index) -> Topics:
    return discover(index, NAMES[:2])


def test_what_the_names_miss_is_told_with_terms_a_name_and_passages(part):
    assert part.coverage == pytest.approx(2 / 3, abs=0.05)
    assert sum(each.share for each in part.residual) == pytest.approx(1 - part.coverage, abs=0.05)
    assert [each.share for each in part.residual] == sorted((each.share for each in part.residual), reverse=True)
    largest = part.residual[0]
    assert largest.suggested_name in MISSED
    assert len(set(largest.terms) & MISSED) >= 5
    assert len(largest.passages) == 3
    assert all(MISSED & set(passage.split(" ")) for passage in largest.passages)


def test_terms_of_what_is_missed_stand_in_no_topic(part):
    assert not MISSED & {term for topic in part for term in topic}


def test_one_name_leaves_the_rest(index):
    topics = discover(index, NAMES[:1])
    assert set(list(topics[0])[:5]) <= set(PLANTED["sport"].split(" "))
    assert topics.coverage == pytest.approx(1 / 3, abs=0.05)


def test_topics_are_read_back_with_what_they_miss_and_older_ones_without(part, tmp_path):
    part.save(tmp_path)
    assert Topics.load(tmp_path) == part
    older = {key: value for key, value in part.to_json().items() if key not in ("coverage", "residual")}
    assert (Topics.from_json(older).coverage, Topics.from_json(older).residual) == (1.0, ())


def test_confidence_is_the_same_for_any_number_of_terms_and_not_lifted_by_what_the_user_gave(index):
    few, many = (
        [topic.confidence for topic in discover(index, NAMES, settings=replace(DEFAULT.discovery, top=top))]
        for top in (3, 30)
    )
    assert few == many
    pinned = discover(index, {"zqxj vbnm": {"pinned": ["planet", "comet"]}, **{name: {} for name in NAMES[:2]}})
    plain = discover(index, ["zqxj vbnm", *NAMES[:2]])
    assert pinned[0].terms[0].term == "planet"
    assert pinned[0].confidence <= plain[0].confidence + 0.2 < 0.7


def test_documents_of_what_is_missed_are_given_none(model, unseen):
    some = model.with_seeds(NAMES[:2])
    missed = np.arange(len(unseen)) % 3 == 2
    assert ((some.predict(unseen) == -1) == missed).mean() > 0.95
    shares = some.transform(unseen, none=True)
    assert shares.shape == (len(unseen), 3)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(shares[:, :2], some.transform(unseen))
    assert shares[missed, 2].mean() > 0.7 > 0.3 > shares[~missed, 2].mean()
    assert some.suggest(1)[0].suggested_name in MISSED


def test_the_first_suggestion_is_what_the_names_miss(index):
    found = suggest(index, NAMES[:2], number=3)
    assert len(found) == 3
    assert found[0].suggested_name in MISSED
    assert found == suggest(index, NAMES[:2], number=3)


def test_the_more_names_are_given_the_smaller_the_suggested_themes(index):
    shares = [
        np.mean([each.share for each in suggest(index, names, number=2)])
        for names in (NAMES[:1], [NAMES[0], *PLANTED["sport"].split(" ")])
    ]
    assert shares[0] > shares[1]


@pytest.mark.parametrize("written", [{"pinned": ["PLANET"]}, {"names": ["sports and games", "planets"]}])
def test_no_term_of_a_category_is_suggested_as_a_name(index, tmp_path, written):
    both = [text.replace("planet", "planet, planets") for text in planted_documents(seed=1)]
    more = Index.build([*planted_documents(), *both], tmp_path / "more", n_jobs=1)
    ids = more.vocabulary.ids
    assert more.variants.heads[ids["planets"]] == more.variants.heads[ids["planet"]]
    given = {NAMES[0]: written, NAMES[1]: None}
    found = suggest(more, given, number=50)
    assert any("planet" in each.terms or "planets" in each.terms for each in found)
    assert not {"planet", "planets"} & {each.suggested_name for each in found}
    assert SeeTopic(given).fit(more).suggest(50) == found


def test_a_theme_whose_name_is_given_is_called_by_another_of_its_terms(index):
    (before,) = suggest(index, NAMES[:2], number=1)
    (after,) = suggest(index, {NAMES[0]: {"pinned": [before.suggested_name]}, NAMES[1]: None}, number=1)
    assert after.terms == before.terms
    assert after.suggested_name in {*before.terms} - {before.suggested_name}


def test_a_wildcard_covers_what_its_terms_cover(index):
    stars = [term for term in index.vocabulary.terms if term in MISSED]
    hidden = [term[:2] + "?" * (len(term) - 2) for term in stars]  # by themselves, they mean nothing
    written, meant = ({NAMES[0]: None, "x": {"names": names}} for names in (hidden, stars))
    found = suggest(index, written, number=6)
    assert found == suggest(index, meant, number=6)
    assert SeeTopic(written).fit(index).suggest(6) == found


def test_without_names_every_kind_is_suggested(index):
    kinds = [set(words.split(" ")) for words in PLANTED.values()]
    found = suggest(index, number=6)
    assert all(any(each.suggested_name in kind for each in found) for kind in kinds)


def test_suggestions_are_a_file_of_names(index, tmp_path):
    found = suggest(index, number=3)
    (tmp_path / "names.yaml").write_text(as_seeds_file(found), encoding="utf-8")
    assert as_seeds(tmp_path / "names.yaml").names == tuple(each.suggested_name for each in found)


def test_a_suggested_name_is_written_as_it_is(tmp_path):
    (tmp_path / "names.yaml").write_text(as_seeds_file([Residual("a null result", 0.1, ("null",))]), encoding="utf-8")
    assert as_seeds(tmp_path / "names.yaml").names == ("a null result",)


def test_too_few_documents_or_names_are_refused(index, tmp_path):
    with pytest.raises(SettingsError, match="`number` is 0"):
        suggest(index, number=0)
    few = Index.build(planted_documents(30), tmp_path / "few", n_jobs=1)
    with pytest.raises(CorpusError, match=r"takes 120 documents .* has read 30;"):
        suggest(few)


def test_the_report_shows_what_is_not_covered(index, part):
    page = report_html(run_of(index, NAMES[:2]))
    assert "What the names do not cover" in page
    assert part.residual[0].suggested_name in page
    assert "The names cover" in page
    assert "What the names do not cover" not in report_html(run_of(index, NAMES))


def test_the_command_writes_a_file_of_names_or_json(index, tmp_path):
    (tmp_path / "names.txt").write_text("\n".join(NAMES[:2]))
    place = ("suggest", index.folder, "--seeds", "names.txt", "--number", "2")
    written = run_here(*place, "--out", "more.yaml", cwd=tmp_path)
    assert written.stdout == "more.yaml: 2 names\n"
    assert as_seeds(tmp_path / "more.yaml").names[0] in MISSED
    shown = json.loads(run_here(*place, "--json", cwd=tmp_path).stdout)
    assert [each["suggested_name"] for each in shown] == list(as_seeds(tmp_path / "more.yaml").names)
    assert set(shown[0]) == {"suggested_name", "share", "terms", "passages", "parent"}
    both = ("--seeds", "names.txt", "--seeds", "more.yaml")
    checked = run_here("check", index.folder, *both, "--json", cwd=tmp_path)
    assert [each["category"] for each in json.loads(checked.stdout)["names"]] == [
        *NAMES[:2],
        *(each["suggested_name"] for each in shown),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["docs.txt"], "docs.txt is not an index"),
        (["INDEX", "--out", "names.txt"], "--out names.txt does not end in .yaml"),
    ],
)
def test_what_cannot_be_done_is_said(index, tmp_path: Path, arguments, said):
    (tmp_path / "docs.txt").write_text("some text\n")
    given = [index.folder if each == "INDEX" else each for each in arguments]
    result = run_here("suggest", *given, cwd=tmp_path)
    assert result.returncode == 2
    assert said in result.stderr
    assert not (tmp_path / "names.txt").exists()
