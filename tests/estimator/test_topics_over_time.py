"""Topics over time and per class, with the columns that BERTopic's users know."""

from __future__ import annotations

import pandas
import pytest

from planted import NAMES, planted_documents
from seetopic import SeeTopic
from seetopic.errors import SettingsError


def test_topics_over_time_have_bertopics_columns_and_intervals(model: SeeTopic):
    docs = planted_documents(240)
    timestamps = [f"2025-{1 + number // 120:02d}-01" for number in range(240)]
    table = model.topics_over_time(docs, timestamps)
    assert list(table) == ["Topic", "Words", "Frequency", "Timestamp", "Name", "Share", "Low", "High"]
    assert table["Topic"].tolist() == [0, 1, 2] * 2
    assert table["Name"].tolist() == NAMES * 2
    assert table["Frequency"].tolist() == [40] * 6
    assert [str(each.date()) for each in table["Timestamp"]] == ["2025-01-01"] * 3 + ["2025-02-01"] * 3
    assert ((table["Low"] < 1 / 3) & (table["High"] > 1 / 3)).all()
    assert table["Words"].map(lambda words: len(words.split(", "))).tolist() == [5] * 6


def test_topics_per_class_count_the_documents_of_each_class(model: SeeTopic):
    docs = planted_documents(240)
    classes = ["first" if number % 3 == 0 else "others" for number in range(240)]
    table = model.topics_per_class([*docs, " "], [*classes, "others"], library="polars")
    assert table.columns == ["Topic", "Words", "Frequency", "Class", "Name", "Share", "Low", "High"]
    counted = {(row["Class"], row["Topic"]): row["Frequency"] for row in table.to_dicts()}
    assert counted == {(c, t): 80 * ((c == "first") == (t == 0)) for c in ("first", "others") for t in range(3)}


def test_terms_that_are_typical_of_a_class_come_first(model: SeeTopic):
    docs = planted_documents(240)
    classes = ["tennis" if "tennis" in doc else "others" for doc in docs]
    table = model.topics_per_class(docs, classes)
    words = table[(table["Class"] == "tennis") & (table["Topic"] == 0)]["Words"].item()
    assert words.split(", ")[0] == "tennis"


def test_values_must_match_the_documents(model: SeeTopic):
    docs = planted_documents(6)
    for classes in (["a"] * 5, ["a"] * 7):
        with pytest.raises(SettingsError, match="one for each document"):
            model.topics_per_class(docs, classes)
    with pytest.raises(SettingsError, match="only an index has columns"):
        model.topics_over_time(docs, "date")
    with pytest.raises(SettingsError, match="neither"):
        model.trends(docs)


def test_trends_are_in_the_report(model: SeeTopic, tmp_path):
    found = model.trends(planted_documents(60), group=["a", "b"] * 30, several=True)
    assert found.together
    page = model.write_report(tmp_path, trends=found).read_text(encoding="utf-8")
    assert 'id="trends"' in page
    assert "Share of documents by group" in page


def test_labels_and_judgements_correct_the_shares_alike(model: SeeTopic):
    docs, numbers = planted_documents(60), range(60)
    names = [model.classes_[number % 3] for number in numbers]
    judged = [{"category": name, "document": number, "belongs": True} for number, name in enumerate(names)]
    by_labels = model.trends(docs, group=["a", "b"] * 30, labels=names)
    assert all(row.calibrated for row in by_labels.shares)
    assert model.trends(docs, group=["a", "b"] * 30, judgements=judged).shares == by_labels.shares


def test_columns_are_called_as_those_that_were_given(model: SeeTopic):
    docs, days = planted_documents(60), [f"2025-0{1 + number % 3}-01" for number in range(60)]
    named = model.trends(
        docs, time=pandas.Series(days, name="date"), group=pandas.Series(["a", "b"] * 30, name="source")
    )
    assert (named.time, named.group) == ("date", "source")
    own = model.trends(docs, time=days, group=pandas.Series(["a", "b"] * 30, name="category"))
    assert (own.time, own.group) == ("time", "category")  # sorted documents have a column of that name, too
    assert own.groups == ("a", "b")
    both = model.trends(docs, time=pandas.Series(days, name="x"), group=pandas.Series(["a", "b"] * 30, name="x"))
    assert (both.time, both.group) == ("time", "group")
