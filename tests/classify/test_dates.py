"""Dates as people write them: the day that is meant, or a refusal, never a guess."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.classify.findings.dates import NO_DATE, UNITS, DateReader, period_name, period_starts, unit_for
from seetopic.errors import CorpusError, SettingsError

DAYS = st.dates(date(1600, 1, 1), date(2900, 12, 31))
EPOCH = date(1970, 1, 1)
KINDS = ((int, pa.int64()), (str, pa.string()))


def day_of(value: object, **how: str) -> date | None:
    day = int(DateReader(how.get("order"), how.get("zone")).days(pa.array([value]))[0])
    return None if day == NO_DATE else EPOCH + timedelta(days=day)


@pytest.mark.parametrize(
    "text",
    [
        "2025-06-03",
        "2025/6/3",
        "20250603",
        "2025-06-03T23:59:59.123456Z",
        "2025-06-03 23:59:59+02:00",
        "2025-W23-2",
        "3 June 2025",
        "3rd Jun 2025",
        "June 3, 2025",
        "Tue, 03 Jun 2025 10:00:00 +0200",
        "  2025-06-03 ",
        "20250603140500",
        "202506031405",
        "1748908800",
        "1748908800000",
        "1748908800.5",
    ],
)
def test_unambiguous_dates_are_read_without_being_told_how(text):
    assert day_of(text) == date(2025, 6, 3)


def test_the_order_of_day_and_month_is_said_by_the_user():
    assert day_of("3/6/2025", order="day-first") == date(2025, 6, 3)
    assert day_of("6/3/2025", order="month-first") == date(2025, 6, 3)
    assert day_of("3.6.25 14:05", order="day-first") == date(2025, 6, 3)
    assert day_of("6/3/2025 2:05 PM", order="month-first") == date(2025, 6, 3)
    assert day_of("25/12/2025") == day_of("12/25/2025") == date(2025, 12, 25)
    assert day_of("5/5/2025") == date(2025, 5, 5)
    assert day_of("25/12/2025", order="month-first") is None


def test_a_date_that_may_begin_with_the_day_or_the_month_is_refused():
    with pytest.raises(
        CorpusError, match=r"^the date '3/4/2025' may begin .* --dates day-first or --dates month-first"
    ):
        day_of("3/4/2025")


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.times(), st.sampled_from(["%Y%m%d%H%M", "%Y%m%d%H%M%S"]))
def test_a_compact_time_is_on_its_day_as_a_number_and_as_a_text(day, time, form):
    written = datetime.combine(day, time).strftime(form)
    assert day_of(written) == day_of(int(written)) == day_of(float(written)) == day
    assert day_of(written, zone="Asia/Tokyo") == day


@pytest.mark.parametrize(
    "number", [202513011200, 202502291200, 202506001200, 202506012400, 20250601126000, 202506011200.5]
)
def test_a_number_that_is_no_compact_time_is_milliseconds(number):
    assert day_of(number) == day_of(str(number)) == EPOCH + timedelta(days=number // 86_400_000)


def test_years_and_months_are_their_first_day():
    assert day_of("2025") == day_of(2025) == date(2025, 1, 1)
    assert day_of("2025-06") == day_of("June 2025") == date(2025, 6, 1)


def test_with_a_time_zone_the_day_is_that_of_the_place():
    late = "2025-06-03T23:30:00+00:00"
    assert day_of(late) == date(2025, 6, 3)
    assert day_of(late, zone="Europe/Berlin") == date(2025, 6, 4)
    assert day_of("2025-06-03T23:30:00", zone="Europe/Berlin") == date(2025, 6, 3)
    assert day_of(int(datetime(2025, 6, 3, 23, 30, tzinfo=UTC).timestamp()), zone="Asia/Tokyo") == date(2025, 6, 4)
    aware = datetime(2025, 6, 3, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert day_of(aware) == date(2025, 6, 3)
    assert day_of(aware, zone="UTC") == date(2025, 6, 4)
    with pytest.raises(SettingsError, match="Mars/Olympus"):
        DateReader(zone="Mars/Olympus")


def test_what_cannot_be_read_is_counted_and_shown():
    reader = DateReader()
    column = pa.array(["2025-02-30", "soon", "", None, "  ", "2025-01-01", "soon", "32/13/2025", "2025-01-01Tx"])
    assert (reader.days(column) != NO_DATE).tolist() == [False] * 5 + [True] + [False] * 3
    assert (reader.missing, reader.unreadable) == (3, 5)
    assert reader.examples == ["2025-02-30", "soon", "32/13/2025", "2025-01-01Tx"]


@pytest.mark.parametrize("values", [[None, None], [float("nan"), 0.0], [12, -5], [True, None]])
def test_a_column_without_dates_has_none(values):
    assert (DateReader().days(pa.array(values)) == NO_DATE).all()


@given(st.lists(st.none() | st.integers(10**8, 10**11 - 1)), st.sampled_from([None, "Asia/Tokyo"]))
def test_seconds_are_the_same_as_numbers_and_as_texts(seconds, zone):
    numbers, texts = (
        pa.array([None if each is None else make(each) for each in seconds], kind) for make, kind in KINDS
    )
    read = DateReader(zone=zone).days(numbers)
    assert (DateReader(zone=zone).days(texts) == read).all()
    assert [day == NO_DATE for day in read] == [each is None for each in seconds]


@given(DAYS, st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%Y/%m/%d", "%Y%m%d"]))
def test_every_day_is_read_back(day, form):
    assert day_of(day.strftime(form)) == day_of(day) == day_of(datetime.combine(day, datetime.max.time())) == day


@given(st.lists(st.text(max_size=12)))
def test_any_text_is_a_date_or_counted_or_refused(texts):
    reader = DateReader("day-first")
    days = reader.days(pa.array(texts, pa.string()))
    assert (days == NO_DATE).sum() == reader.missing + reader.unreadable


@given(st.lists(DAYS, min_size=1), st.sampled_from(UNITS))
def test_a_period_contains_its_days_and_begins_with_one_of_its_own(days, unit):
    numbers = np.array([(day - EPOCH).days for day in days])
    starts = period_starts(numbers, unit)
    longest = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[unit]
    assert ((starts <= numbers) & (numbers < starts + longest)).all()
    assert (period_starts(starts, unit) == starts).all()
    names = {start: period_name(start, unit) for start in starts.tolist()}
    assert len(set(names.values())) == len(names)
    assert sorted(names) == sorted(names, key=lambda start: names[start])


def test_periods_have_the_names_that_people_know():
    day = (date(2024, 12, 30) - EPOCH).days
    named = {unit: period_name(int(period_starts(np.array([day]), unit)[0]), unit) for unit in UNITS}
    assert named == {
        "day": "2024-12-30", "week": "2025-W01", "month": "2024-12", "quarter": "2024-Q4", "year": "2024",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("days", "documents", "unit"),
    [
        (30, 10_000, "day"),
        (365, 10_000, "week"),
        (365, 2_000, "month"),
        (1_800, 10_000, "month"),
        (9_000, 10_000, "year"),
    ],
)
def test_the_automatic_unit_has_few_periods_and_many_documents_in_each(days, documents, unit):
    assert unit_for(np.arange(days), documents) == unit


def test_dates_in_a_dictionary_are_read_as_plain_ones_are():
    column = pa.array(["2025-06-03", None, "2025-06-04", "2025-06-03"])
    assert DateReader().days(column.dictionary_encode()).tolist() == DateReader().days(column).tolist()


def test_dates_that_are_all_months_are_months():
    months = np.arange("2024-01", "2026-01", dtype="datetime64[M]").astype("datetime64[D]").astype(np.int64)
    assert unit_for(months, 10_000) == "month"
