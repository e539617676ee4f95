"""Trends as files: tables, a chart, a page, or a folder with all of them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seetopic.classify import TABLES, Trends
from seetopic.errors import MissingExtra, OutputError
from seetopic.output.charts import shares_chart
from seetopic.output.report.trends import trends_html
from seetopic.runtime import SafeRows, refuse_others, workbook, write_sheet, write_text, written_whole

_ENDINGS = (".csv", ".parquet", ".xlsx", ".json", ".svg", ".png", ".html")
_IN_FOLDER = (*(f"{name}.csv" for name in TABLES), "trends.json", "trends.svg", "trends.html")


def check_trends_place(out: Path) -> None:
    """Refuse a place that `write_trends` cannot write to, before any slow work."""
    if _is_folder(out):
        refuse_others(out, _IN_FOLDER, "trends.json", "shares")
    elif out.suffix.lower() not in _ENDINGS:
        raise OutputError(
            f"{out} has the unsupported extension {out.suffix!r}; trends can be saved as {', '.join(_ENDINGS)}, "
            "or in a folder"
        )


def trends_places(out: Path) -> list[Path]:
    """The files that `write_trends` may write or, in a folder, remove."""
    return [out / name for name in _IN_FOLDER] if _is_folder(out) else [out]


def _is_folder(out: Path) -> bool:
    return out.is_dir() or not out.suffix


def write_trends(trends: Trends, out: str | Path) -> list[Path]:
    """Write shares (.csv, .parquet), all tables (.xlsx), everything (.json), the chart (.svg, .png), or a page (.html).

    A name without an extension is a folder for all tables, `trends.json`, `trends.svg` and `trends.html`. Returns
    the paths of what was written.
    """
    out = Path(out)
    check_trends_place(out)
    if _is_folder(out):
        paths = [out / each for each in ("trends.json", "trends.svg", "trends.html")]
        for path in paths:  # trends.json first: it marks the folder as one that may be written again
            write_trends(trends, path)
        names = [f"{name}.csv" for name, rows in trends.tables().items() if rows or name == "shares"]
        for name, rows in trends.tables().items():
            if f"{name}.csv" not in names:
                (out / f"{name}.csv").unlink(missing_ok=True)  # of an earlier run
            elif rows:
                write_text(out / f"{name}.csv", _csv(rows))
        return [*(out / name for name in names), *paths]
    ending, shares = out.suffix.lower(), trends.tables()["shares"]
    if ending == ".csv":
        write_text(out, _csv(shares))
    elif ending == ".parquet":
        _write_parquet(out, shares)
    elif ending == ".xlsx":
        _write_workbook(out, trends)
    elif ending == ".json":
        write_text(out, json.dumps(trends.to_json(), ensure_ascii=False, indent=1) + "\n")
    elif ending == ".html":
        write_text(out, trends_html(trends))
    else:
        shares_chart(trends).save(out)
    return [out]


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    cells = SafeRows(text)
    cells.add(rows[0])
    for row in rows:
        cells.add(row.values())
    return text.getvalue()


def _write_workbook(path: Path, trends: Trends) -> None:
    """One sheet per table that has rows."""
    with written_whole(path) as beside, workbook(beside) as book:
        for name, rows in trends.tables().items():
            if rows:
                write_sheet(book, name, list(rows[0]), (row.values() for row in rows))


def _write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("writing a .parquet table", "parquet") from error
    with written_whole(path) as beside:
        parquet.write_table(pa.Table.from_pylist(list(rows)), beside)
