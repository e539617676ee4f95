"""Shares of categories over time or by group, with their intervals: one panel per category, all on one scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from seetopic.classify import CategoryShare, ShareChange, Trends
from seetopic.output.charts.drawing import area, circle, fitted, line, of_topic, text, text_width
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.scene import check_width
from seetopic.output.charts.theme import BOLD, HUES
from seetopic.runtime import quantity

_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 40.0, 10.0, 30.0, 24.0, 18.0
_NARROWEST, _PLOT = 270.0, 120.0  # width of a panel, height of its lines
_ROW, _NAMES = 20.0, 0.38  # height of a group's row, and the most of the width that its name takes
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "14 4")  # groups differ on paper without colours
_MOST_ROWS = 30  # groups in a panel without dates
_DOTTED = 40  # periods up to which each has a dot
_STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
_LEGEND, _NOTE = 26.0, 26.0  # heights above the panels


def shares_chart(trends: Trends, *, width: int = 960) -> Figure:
    """The share of documents per category: lines with bands over time, or dots with bars by group.

    Triangles mark the periods from which on a share is higher or lower than before. At most five groups have lines,
    the largest ones; without dates, at most thirty have a row. A sentence above the panels says if there are more.
    """
    check_width(width)
    groups = _largest(trends, len(_DASHES) if trends.periods else _MOST_ROWS)
    shown = [row for row in trends.shares if row.group in groups]
    highest = max((row.high for row in shown), default=1.0)
    step = next((each for each in _STEPS if highest / each <= 4), _STEPS[-1])
    top = min(1.0, step * -(-highest // step))
    most = max(1, int((width + _GAP) / (_NARROWEST + _GAP)))
    rows = max(1, -(-len(trends.categories) // most))
    columns = max(1, -(-len(trends.categories) // rows))  # as many in each row as possible
    size = (width - _GAP * (columns - 1)) / columns
    legend = _LEGEND if trends.periods and trends.groups else 0.0
    tall = _TOP + _BOTTOM + (_PLOT if trends.periods else _ROW * len(groups))
    drawn = [_legend(groups, width)] if legend else []
    are_some = len(groups) < len(trends.groups)
    above = legend + (_NOTE if are_some else 0.0)
    if are_some:
        told = f"{len(groups)} of {len(trends.groups)} groups shown, the largest"
        drawn.append(text(2, legend + 14, told, 12, "st-soft"))
    for number, category in enumerate(trends.categories):
        x, y = (size + _GAP) * (number % columns), above + (tall + _GAP) * (number // columns)
        panel = _Panel(
            trends, number, [row for row in shown if row.category == category], groups, x, y, size, top, step
        )
        drawn.append(of_topic(number, panel.over_time() if trends.periods else panel.by_group()))
    what = f"per {trends.by}" if trends.by else f"by {trends.group}"
    kept = f" The {len(groups)} largest of {len(trends.groups)} groups." if are_some else ""
    n_categories = quantity(len(trends.categories), "category", "categories")
    return Figure(
        f"Share of documents {what}",
        f"The share of {quantity(trends.documents, 'document')} in {n_categories} {what}, with 95 % "
        f"intervals.{kept} {_told(trends)}".strip(),
        width,
        above + max((tall + _GAP) * rows - _GAP, 40.0),
        "".join(drawn),
    )


def _largest(trends: Trends, most: int) -> list[str]:
    """The groups to draw, in order; one empty name if there are none."""
    if not trends.groups:
        return [""]
    sizes = dict.fromkeys(trends.groups, 0)
    for row in trends.shares:
        if row.category == trends.categories[0]:
            sizes[row.group] += row.of
    chosen = set(sorted(sizes, key=lambda group: (-sizes[group], group))[:most])
    return [group for group in trends.groups if group in chosen]


def _told(trends: Trends) -> str:
    """The changes in words, for those who cannot see them."""
    changes = [
        f"{each.category}{f' ({each.group})' if each.group else ''}: {each.direction} in {each.period}"
        for each in trends.changes
    ]
    return f"{'; '.join(changes[:10])}." if changes else ""


def _legend(groups: Sequence[str], width: int) -> str:
    drawn, room = [], width / len(groups)
    for number, group in enumerate(groups):
        x = room * number
        drawn.append(line([(x, 10), (x + 26, 10)], f"st-line-c{number % HUES}", 2, dashes=_DASHES[number]))
        drawn.append(text(x + 32, 14, fitted(group, 12.5, room - 40), 12.5, "st-ink", group))
    return "".join(drawn)


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"


@dataclass(frozen=True)
class _Panel:
    trends: Trends
    number: int  # of the category
    rows: list[CategoryShare]
    groups: list[str]
    left: float
    above: float
    width: float
    top: float  # the largest share
    step: float

    def over_time(self) -> list[str]:
        bottom = self.above + _TOP + _PLOT
        first, last = self.left + _LEFT, self.left + self.width - _RIGHT
        days = {row.period: date.fromisoformat(row.start).toordinal() for row in self.trends.shares}
        low, high = min(days.values()), max(days.values())

        def x(period: str) -> float:
            return first + (last - first) * ((days[period] - low) / (high - low) if high > low else 0.5)

        def y(share: float) -> float:
            return bottom - _PLOT * min(share / self.top, 1.0)

        drawn = [self._title()]
        for tick in self._ticks:
            drawn.append(line([(first, y(tick)), (last, y(tick))], "st-line-line"))
            drawn.append(text(first - 6, y(tick) + 4, self._shown(tick), 11, "st-soft st-end"))
        drawn += self._periods(x, bottom)
        for place, group in enumerate(self.groups):
            own = [row for row in self.rows if row.group == group]
            hue = f"c{(place if self.trends.groups else self.number) % HUES}"
            drawn += self._line(own, x, y, hue, place)
        for each in self.trends.changes:
            if each.category == self.trends.categories[self.number] and each.group in self.groups:
                drawn.append(self._mark(each, x(each.period), y))
        return drawn

    def _line(
        self, own: list[CategoryShare], x: Callable[[str], float], y: Callable[[float], float], hue: str, place: int
    ) -> list[str]:
        if not own:
            return []
        upper = [(x(row.period), y(row.high)) for row in own]
        lower = [(x(row.period), y(row.low)) for row in reversed(own)]
        if len(own) == 1:  # a band needs two periods
            upper, lower = ([(px + side, py) for side in (-3, 3)] for ((px, py),) in (upper, lower))
            lower.reverse()
        points = [(x(row.period), y(row.share)) for row in own]
        radius = 2.2 if len(own) <= _DOTTED else 1.2
        dots = [circle(px, py, radius, f"st-{hue}", _tip(row)) for (px, py), row in zip(points, own, strict=True)]
        return [
            area([*upper, *lower], f"st-{hue} st-band"),
            line(points, f"st-line-{hue}", 2, dashes=_DASHES[place]),
            *dots,
        ]

    def _mark(self, change: ShareChange, x: float, y: Callable[[float], float]) -> str:
        """A triangle above the band for a rise, below it for a fall."""
        row = next(row for row in self.rows if (row.period, row.group) == (change.period, change.group))
        up = change.direction == "rise"
        tip = y(row.high) - 11 if up else y(row.low) + 11
        back = tip + 7 if up else tip - 7
        told = f"{change.direction} in {change.period}\n{percent(change.before)} before, {percent(change.after)} after"
        hue = f"st-c{self.groups.index(change.group) % HUES}" if self.trends.groups else "st-ink"
        return area([(x, tip), (x - 4.5, back), (x + 4.5, back)], hue, told)

    def by_group(self) -> list[str]:
        room = min(max(text_width(group, 12) for group in self.groups) + 12, self.width * _NAMES)
        first, last, top = self.left + room, self.left + self.width - _RIGHT - 8, self.above + _TOP
        bottom = top + _ROW * len(self.groups)

        def x(share: float) -> float:
            return first + (last - first) * min(share / self.top, 1.0)

        drawn, hue = [self._title()], f"c{self.number % HUES}"
        for tick in self._ticks:
            drawn.append(line([(x(tick), top), (x(tick), bottom)], "st-line-line"))
            drawn.append(text(x(tick), bottom + 14, self._shown(tick), 11, "st-soft st-middle"))
        for row in self.rows:
            y = top + _ROW * (self.groups.index(row.group) + 0.5)
            drawn.append(text(first - 8, y + 4, fitted(row.group, 12, room - 10), 12, "st-ink st-end", row.group))
            drawn.append(line([(x(row.low), y), (x(row.high), y)], f"st-line-{hue}", 2, _tip(row)))
            drawn.append(circle(x(row.share), y, 3.2, f"st-{hue}", _tip(row)))
        return drawn

    def _title(self) -> str:
        name = self.trends.categories[self.number]
        shown = fitted(name, 13 * BOLD, self.width - 8)
        return text(self.left + 2, self.above + 14, shown, 13, "st-ink st-bold", name)

    @property
    def _ticks(self) -> list[float]:
        return [self.step * place for place in range(round(self.top / self.step) + 1)]

    def _shown(self, tick: float) -> str:
        return percent(tick, 1 if self.step < 0.01 else 0)

    def _periods(self, x: Callable[[str], float], bottom: float) -> list[str]:
        """Names of periods below the lines: the first, the last, and those between for which there is room."""
        names = self.trends.periods
        half = text_width(names[0], 11) / 2
        limits = self.left + half, self.left + self.width - half
        places = {name: min(max(x(name), limits[0]), limits[1]) for name in names}
        chosen = [names[-1]]
        for name in reversed(names[:-1]):
            if places[chosen[-1]] - places[name] >= 2 * half + 14:
                chosen.append(name)
        return [text(places[name], bottom + 16, name, 11, "st-soft st-middle") for name in chosen]


def _tip(row: CategoryShare) -> str:
    where = ", ".join(part for part in (row.category, row.group, row.period) if part)
    counts = f"{row.documents:,} of {row.of:,} documents{' as sorted' if row.calibrated else ''}"
    return f"{where}\n{percent(row.share)} ({percent(row.low)} to {percent(row.high)})\n{counts}"
