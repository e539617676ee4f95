"""Dates as people write them, and the periods that they fall into; a date is a number of days since 1970."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from seetopic.errors import CorpusError, SettingsError
from seetopic.runtime import Doubles, Longs

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

Unit = Literal["day", "week", "month", "quarter", "year"]
DateOrder = Literal["day-first", "month-first"]
UNITS: tuple[Unit, ...] = get_args(Unit)
NO_DATE = np.iinfo(np.int64).min  # the day of a missing or unreadable date
MOST_PERIODS = 60  # of a unit that is chosen automatically; more are hard to see in a chart
_ENOUGH = 100  # documents per period, on average, of such a unit
_REMEMBERED = 1 << 16  # texts whose day is known
_UNREADABLE = 5  # examples to show
_EPOCH = date(1970, 1, 1).toordinal()
_LENGTHS = {"day": 1.0, "week": 7.0, "month": 30.44, "quarter": 91.31, "year": 365.25}  # mean number of days

# A date and a time of day, of which only the date matters unless a time zone is given.
_TIMED = r"^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?$"
_UNIX = r"^-?\d{9,14}(?:\.\d+)?$"
_YEAR = re.compile(r"(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?")
_NUMBERS = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?:,?[T ]\s*(.+))?")
_NAMED = tuple(f"{each} %Y" for each in ("%d %B", "%d %b", "%B %d", "%b %d", "%B", "%b"))
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")
_SECONDS = (1e8, 1e11)  # Unix seconds from 1973 on; smaller numbers are rather years, larger ones milliseconds


@dataclass
class DateReader:
    """Reads columns of dates, and counts those that it cannot read.

    The day is the one that is written, whatever the time zone beside it. With a `zone`, times with an offset and Unix
    seconds are converted to it; times without an offset are taken to be in it.
    """

    order: DateOrder | None = None  # of dates such as 3/4/2025
    zone: str | None = None
    missing: int = 0
    unreadable: int = 0
    examples: list[str] = field(default_factory=list)  # of unreadable dates
    _zone: ZoneInfo | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.order not in (None, *get_args(DateOrder)):
            raise SettingsError(f"`dates` is {self.order!r}, but must be one of {', '.join(get_args(DateOrder))}")
        from zoneinfo import ZoneInfo  # few have a time zone, and it takes as long to import as most packages here

        try:
            self._zone = None if self.zone is None else ZoneInfo(self.zone)
        except (KeyError, ValueError, OSError) as error:
            raise SettingsError(
                f"`time_zone` is {self.zone!r}, which is unknown; give a name such as Europe/Berlin"
            ) from error

    @cached_property
    def _known(self) -> Callable[[str], int]:
        """`_of_text`, which need not read the same dates again in every batch."""
        return lru_cache(_REMEMBERED)(self._of_text)

    def days(self, column: Any) -> Longs:
        """The day of each value of an Arrow array, or NO_DATE."""
        import pyarrow as pa
        from pyarrow import compute as pc

        kind = column.type
        if pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
            kind = column.type
        if pa.types.is_date(kind):
            days = _numbers(column.cast(pa.date32()).cast(pa.int32()))
        elif pa.types.is_timestamp(kind):
            if kind.tz is not None:
                column = column if self.zone is None else column.cast(pa.timestamp(kind.unit, self.zone))
                column = pc.local_timestamp(column)
            days = _numbers(pc.floor_temporal(column, unit="day").cast(pa.date32()).cast(pa.int32()))
        elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            days = self._of_numbers(pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False))
        elif pa.types.is_null(kind):
            days = np.full(len(column), NO_DATE)
        else:
            return self._of_texts(column.cast(pa.string()))
        self._count(column, days)
        return days

    def _of_texts(self, column: Any) -> Longs:
        """Each distinct text is read once."""
        from pyarrow import compute as pc

        if pc.all(pc.match_substring_regex(column, _UNIX)).as_py():
            return self.days(column.cast("float64"))
        if self._zone is None:
            column = pc.replace_substring_regex(column, _TIMED, r"\1")
        encoded = column.dictionary_encode()
        read = [self._known(text) for text in encoded.dictionary.to_pylist()]
        codes = encoded.indices.fill_null(len(read)).to_numpy(zero_copy_only=False)
        days: Longs = np.array([*read, NO_DATE], np.int64)[codes]
        self._count(column, days)
        return days

    def _count(self, column: Any, days: Longs) -> None:
        import pyarrow as pa
        from pyarrow import compute as pc

        unknown = column.filter(pa.array(days == NO_DATE))
        given = unknown.drop_null()
        if pa.types.is_string(given.type):
            given = given.filter(pc.not_equal(pc.utf8_trim_whitespace(given), ""))
        self.missing += len(unknown) - len(given)
        self.unreadable += len(given)
        for value in map(str, given[:1000].to_pylist()):
            if len(self.examples) < _UNREADABLE and value not in self.examples:
                self.examples.append(value)

    def _of_numbers(self, numbers: Doubles) -> Longs:
        """Years, YYYYMMDD, YYYYMMDDhhmm, YYYYMMDDhhmmss, Unix seconds or milliseconds, by their digits and size."""
        numbers = _without_clocks(numbers)
        sizes = np.abs(np.nan_to_num(numbers))
        seconds = np.where(sizes >= _SECONDS[1], numbers / 1000, numbers)
        timed = (np.abs(np.nan_to_num(seconds)) >= _SECONDS[0]) & (np.abs(np.nan_to_num(seconds)) < _SECONDS[1])
        days = np.full(len(numbers), NO_DATE)
        days[timed] = self._local_days(seconds[timed])
        rest = np.flatnonzero(~timed & (sizes < _SECONDS[0]) & (sizes > 0))
        values, places = np.unique(numbers[rest], return_inverse=True)
        days[rest] = np.array([self._of_text(f"{value:.15g}") for value in values], np.int64)[places]
        return days

    def _local_days(self, seconds: Doubles) -> Longs:
        import pyarrow as pa
        from pyarrow import compute as pc

        whole = np.floor(seconds).astype(np.int64)
        if self.zone is not None and len(whole):
            moments = pa.array(whole).cast(pa.timestamp("s", self.zone))
            whole = pc.local_timestamp(moments).cast(pa.int64()).to_numpy()
        days: Longs = whole // 86400
        return days

    def _of_text(self, text: str) -> int:
        text = text.strip()
        if re.fullmatch(_UNIX, text):
            return int(self._of_numbers(np.array([float(text)]))[0])
        try:
            moment = self._moment(text)
            if moment is None:
                return NO_DATE
            if moment.tzinfo is not None and self._zone is not None:
                moment = moment.astimezone(self._zone)
        except CorpusError:  # which is a ValueError
            raise
        except (ValueError, OverflowError):
            return NO_DATE
        return moment.toordinal() - _EPOCH

    def _moment(self, text: str) -> datetime | None:
        """The moment that a text says; ISO 8601, numbers in the order given, or English names of months."""
        if match := _YEAR.fullmatch(text):  # also 2025 and 2025-06, which `fromisoformat` refuses
            return datetime(*(int(part or 1) for part in match.groups()))  # type: ignore[arg-type] # noqa: DTZ001
        if match := _NUMBERS.fullmatch(text):
            return self._of_three(text, match)
        if text[:1].isdigit():
            try:
                return datetime.fromisoformat(text)
            except ValueError:
                pass
        words = _ORDINAL.sub("", text.replace(",", " ").replace(".", " "))
        for form in _NAMED:
            try:
                return datetime.strptime(" ".join(words.split()), form)  # noqa: DTZ007
            except ValueError:
                continue
        from email.utils import parsedate_to_datetime

        return parsedate_to_datetime(text)  # as in e-mails

    def _of_three(self, text: str, match: re.Match[str]) -> datetime | None:
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        if len(match[4]) == 2:
            year += 1900 if year >= 69 else 2000  # as POSIX reads them
        if self.order is None and first != second and max(first, second) <= 12:
            raise CorpusError(
                f"the date {text!r} may begin with the day or with the month; say which with --dates day-first or "
                '--dates month-first (in Python: dates="day-first")'
            )
        day_first = first > 12 if self.order is None else self.order == "day-first"
        day, month = (first, second) if day_first else (second, first)
        return datetime.combine(date(year, month, day), _clock(match[5]))


def _clock(text: str | None) -> Any:
    if text is None:
        return datetime.min.time()
    for form in _CLOCKS:
        try:
            return datetime.strptime(text.strip().upper(), form).time()  # noqa: DTZ007
        except ValueError:
            continue
    return datetime.fromisoformat(f"2000-01-01T{text.strip()}").timetz()


def _without_clocks(numbers: Doubles) -> Doubles:
    """The date YYYYMMDD of every YYYYMMDDhhmm or YYYYMMDDhhmmss from 1900 to 2100, and other numbers as they are.

    As Unix milliseconds, they would be in 1976 or after 2570.
    """
    found = numbers.copy()
    for unit in (10**4, 10**6):
        inside = (numbers >= 19000101 * unit) & (numbers < 21010101 * unit) & (numbers == np.floor(numbers))
        places = np.flatnonzero(inside)
        dates, clocks = np.divmod(numbers[places].astype(np.int64), unit)
        clocks *= 10**6 // unit
        months, days = dates // 100 % 100, dates % 100
        firsts = ((dates // 10**4 - 1970) * 12 + months - 1).astype("datetime64[M]")
        real = (months >= 1) & (months <= 12)
        real &= (firsts.astype("datetime64[D]") + (days - 1)).astype("datetime64[M]") == firsts
        real &= (clocks < 240000) & (clocks // 100 % 100 < 60) & (clocks % 100 < 60)
        found[places[real]] = dates[real]
    return found


def _numbers(column: Any) -> Longs:
    days: Longs = column.cast("int64").fill_null(NO_DATE).to_numpy(zero_copy_only=False)
    return days


def period_starts(days: Longs, unit: Unit) -> Longs:
    """The first day of the period that each day is in; weeks begin on Monday."""
    if unit == "day":
        return days
    if unit == "week":
        return days - (days + 3) % 7  # day 0 was a Thursday
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    starts: Longs = (months // size * size).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return starts


def period_name(start: int, unit: Unit) -> str:
    """2025-06-02, 2025-W23 (ISO 8601), 2025-06, 2025-Q2 or 2025."""
    first = date.fromordinal(start + _EPOCH)
    if unit == "week":
        year, week, _ = first.isocalendar()
        return f"{year}-W{week:02d}"
    if unit == "quarter":
        return f"{first.year}-Q{(first.month + 2) // 3}"
    return first.isoformat()[: {"day": 10, "month": 7, "year": 4}[unit]]


def iso_date(day: int) -> str:
    return date.fromordinal(day + _EPOCH).isoformat()


def unit_for(days: Longs, n_documents: int) -> Unit:
    """The finest unit with at most 60 periods and, on average, 100 documents in each.

    With fewer documents, the coarsest one that still has four periods; and a longer one if it has as many periods:
    dates that are all the first of a month are months.
    """
    span = int(days.max() - days.min())
    periods: dict[Unit, int] = {
        unit: len(np.unique(period_starts(days, unit)))
        for unit in UNITS
        if unit == "year" or span / _LENGTHS[unit] < MOST_PERIODS
    }
    enough = [unit for unit, number in periods.items() if n_documents >= _ENOUGH * number > _ENOUGH]
    some = [unit for unit, number in reversed(periods.items()) if number >= 4]
    chosen = [*enough, *some, *periods][0]
    return [unit for unit, number in periods.items() if number == periods[chosen]][-1]
