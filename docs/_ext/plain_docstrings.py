"""Docstrings are written as plain text with Markdown's habits, and fields are explained beside them; Sphinx reads
reStructuredText."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from dataclasses import is_dataclass
from typing import Any

from sphinx.application import Sphinx


def as_restructured_text(lines: list[str]) -> list[str]:
    """The same lines, with indented examples marked as code; in Markdown they need no mark."""
    marked: list[str] = []
    in_code = in_list = False
    for number, line in enumerate(lines):
        after_blank = number == 0 or not lines[number - 1].strip()
        if line.strip() and not line.startswith(" "):
            in_code, in_list = False, line.startswith("- ")
        elif line.startswith("    ") and after_blank and not in_code and not in_list:
            marked += [".. code-block:: python", ""]
            in_code = True
        marked.append(line)
    return marked


def fields_explained(kind: type) -> list[str]:
    """A list of a dataclass's fields with the comments that stand behind them."""
    source = textwrap.dedent(inspect.getsource(kind))
    lines, body = source.splitlines(), ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef)
    explained: list[str] = []
    for node in body.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
            _, _, comment = lines[(node.end_lineno or node.lineno) - 1][node.end_col_offset or 0 :].partition("#")
            explained.append(f"- `{node.target.id}`" + (f": {_escaped(comment.strip())}" if comment else ""))
    return ["", *explained, ""] if any(":" in each for each in explained) else []


def _escaped(comment: str) -> str:
    """Stars, bars and underscores mean something in reStructuredText, and nothing here; not within code."""
    parts = re.split(r"(`[^`]*`)", comment)
    return "".join(part if part.startswith("`") else re.sub(r"([*|\\]|_\b)", r"\\\1", part) for part in parts)


def rewrite(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = as_restructured_text(lines)
    if what == "class" and is_dataclass(thing):
        lines += fields_explained(thing)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", rewrite)
    return {"parallel_read_safe": True}
