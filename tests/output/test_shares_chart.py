"""The chart of shares: every category, its intervals and changes, for any names, periods and groups."""

from __future__ import annotations

from xml.etree import ElementTree

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic import Trends, trends
from seetopic.errors import SettingsError
from seetopic.output import shares_chart, trends_html, write_trends

ODD = '</text><script>alert(1)</script>" onload="alert(1) \x00\x0b'
SVG = "{http://www.w3.org/2000/svg}"


def made(sizes: list[int], groups: int = 1, names: tuple[str, ...] = ("sport", "food")) -> Trends:
    """One period per size; the first category has 10 % at first, and half of the documents in the last period."""
    rows: dict[str, list[str]] = {"date": [], "source": [], "category": []}
    for month, size in enumerate(sizes):
        for group in range(groups):
            first = size // 2 if month == len(sizes) - 1 else size // 10
            rows["date"] += [f"20{25 + month // 12}-{month % 12 + 1:02d}-01"] * size
            rows["source"] += [f"{group}{ODD}"] * size
            rows["category"] += [names[0]] * first + [names[1]] * (size - first)
    how = {"group": "source"} if groups > 1 else {}
    return trends(pa.table(rows), time="date", by="month", seeds=list(names), **how)


def elements(svg: str, kind: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(SVG + kind))


def test_a_category_has_a_line_a_band_and_a_mark_where_it_changes():
    found = made([300] * 6)
    figure = shares_chart(found)
    polygons = [each.get("class") for each in elements(figure.svg, "polygon")]
    assert polygons == ["st-c0 st-band", "st-ink", "st-c1 st-band", "st-ink"]
    told = " ".join(each.text or "" for each in ElementTree.fromstring(figure.svg).iter())
    for words in ("sport", "food", "2025-06", "30 of 300 documents", "rise in 2025-06", "fall in 2025-06"):
        assert words in told
    assert "sport: rise in 2025-06" in figure.description


def test_groups_have_lines_that_differ_without_colours():
    found = made([200] * 3, groups=7)
    figure = shares_chart(found)
    dashes = {each.get("stroke-dasharray") for each in elements(figure.svg, "polyline")}
    assert len(dashes) == 5  # one of them is a solid line
    assert "The 5 largest of 7 groups." in figure.description
    assert [each.text for each in elements(figure.svg, "text")][5] == "5 of 7 groups shown, the largest"


def test_without_dates_groups_have_dots_with_bars():
    rows = {"source": ["a", "b"] * 50, "category": ["x", "", "x", "x"] * 25}
    figure = shares_chart(trends(pa.table(rows), group="source"))
    assert len(elements(figure.svg, "circle")) == 2
    assert figure.title == "Share of documents by source"


def test_a_chart_without_some_of_the_groups_says_so():
    rows = {"source": [f"s{number}" for number in range(41)] * 9, "category": ["x", "", "x"] * 123}
    drawn = [each.text for each in elements(shares_chart(trends(pa.table(rows), group="source")).svg, "text")]
    assert sum(each[0] == "s" for each in drawn[1:]) == 30
    assert drawn[0] == "30 of 41 groups shown, the largest"


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=70),
    st.integers(1, 3),
    st.sampled_from([280, 340, 960, 4000]),
)
def test_any_trends_can_be_drawn(sizes, groups, width):
    figure = shares_chart(made(sizes, groups), width=width)
    drawn = ElementTree.fromstring(figure.to_svg("dark"))
    assert "nan" not in figure.drawn
    for each in drawn.iter(SVG + "text"):
        assert 0 <= float(each.get("x", -1)) <= width
        assert 0 <= float(each.get("y", -1)) <= figure.height


def test_names_are_escaped_wherever_they_are_shown(tmp_path):
    found = made([40] * 3, groups=2, names=(ODD, "food"))
    assert "<script>alert" not in shares_chart(found).svg
    assert "<script>alert" not in trends_html(found)
    paths = write_trends(found, tmp_path / "all")
    assert all(path.is_file() for path in paths)


def test_a_folder_has_only_the_tables_of_the_last_run(tmp_path):
    write_trends(made([300] * 6), tmp_path)
    assert (tmp_path / "changes.csv").exists()
    write_trends(made([2, 2]), tmp_path)
    assert not (tmp_path / "changes.csv").exists()


def test_a_width_that_cannot_be_drawn_is_refused():
    with pytest.raises(SettingsError, match="width"):
        shares_chart(made([10]), width=10)
