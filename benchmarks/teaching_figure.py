"""Draws the curves of `teaching.py` as an SVG, and prints their means as Markdown tables.

python benchmarks/teaching_figure.py benchmarks/results/teaching.jsonl docs/teaching.svg
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from page import DOCS, RESULTS, filled

READ, TERMS = "assign --read", ("label_precision@10", "label_f1@50")
WAYS = {"ask": "#0b6e99", "random": "#8a8a8a", "ask, a tenth wrong": "#c65d21"}
WIDTH, HEIGHT, GAP, LEFT, TOP = 300, 190, 60, 50, 50
MOST = 120  # judged documents


def runs_by_corpus(path: Path) -> dict[str, list[dict[str, Any]]]:
    found = defaultdict(list)
    for line in path.read_text().splitlines():
        found[json.loads(line)["corpus"]].append(json.loads(line))
    return dict(found)


def mean_curve(runs: list[dict[str, Any]], way: str, figure: str) -> dict[int, float]:
    numbers = [number for number, each in runs[0]["documents"][way].items() if figure in each]
    return {int(n): float(np.mean([run["documents"][way][n][figure] for run in runs])) for n in numbers}


def panel(name: str, runs: list[dict[str, Any]], x: int, y: int) -> list[str]:
    curves = {way: mean_curve(runs, way, READ) for way in WAYS}
    ceiling = float(np.mean([run["ceiling"] for run in runs]))
    low = min(min(curve.values()) for curve in curves.values()) - 0.02
    high = ceiling + 0.02

    def place(number: float, value: float) -> str:
        return f"{x + WIDTH * number / MOST:.1f},{y + HEIGHT * (high - value) / (high - low):.1f}"

    parts = [f'<text x="{x}" y="{y - 12}" font-weight="bold">{name}</text>']
    parts.append(f'<path d="M{x},{y} V{y + HEIGHT} H{x + WIDTH}" fill="none" stroke="#555"/>')
    parts += [
        f'<text x="{x + WIDTH * number / MOST}" y="{y + HEIGHT + 16}" text-anchor="middle">{number}</text>'
        for number in range(0, MOST + 1, 30)
    ]
    for value in np.linspace(low + 0.02, ceiling, 3):
        level = place(0, value).split(",")[1]
        parts.append(f'<text x="{x - 6}" y="{float(level) + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    parts.append(f'<path d="M{place(0, ceiling)} L{place(MOST, ceiling)}" stroke="#555" stroke-dasharray="2 4"/>')
    for way, curve in curves.items():
        points = " ".join(place(number, value) for number, value in curve.items())
        dashes = ' stroke-dasharray="6 3"' if way != "ask" else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{WAYS[way]}" stroke-width="2"{dashes}/>')
    return parts


def drawn(found: dict[str, list[dict[str, Any]]]) -> str:
    width, height = LEFT + 2 * (WIDTH + GAP), TOP + 2 * (HEIGHT + GAP) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="12"',
        ' font-family="sans-serif">',
        "<title>Macro-F1 of sorting by the number of judged documents</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for place, (name, runs) in enumerate(found.items()):
        parts += panel(name, runs, LEFT + (place % 2) * (WIDTH + GAP), TOP + (place // 2) * (HEIGHT + GAP))
    legend = [*WAYS.items(), ("all labels (ceiling)", "#555")]
    for place, (way, colour) in enumerate(legend):
        parts.append(f'<text x="{LEFT + 160 * place}" y="{height - 8}" fill="{colour}">— {way}</text>')
    return "\n".join([*parts, "</svg>", ""])


def tables(found: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    lines = ["| `assign --read` | 0 | 30 | 60 | 120 | random: 60 | 100 | 120 | a tenth wrong: 60 | 120 | all labels |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, runs in found.items():
        ask, chance, wrong = (mean_curve(runs, way, READ) for way in WAYS)
        values = [*(ask[n] for n in (0, 30, 60, 120)), *(chance[n] for n in (60, 100, 120)), wrong[60], wrong[120]]
        values.append(float(np.mean([run["ceiling"] for run in runs])))
        lines.append(f"| {name} | " + " | ".join(f"{value:.3f}" for value in values) + " |")
    sorting, lines = (
        "\n".join(lines),
        ["| label F1@50 | 0 | 60 | 120 documents | 60 terms | precision of new terms | after |"],
    )
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    for name, runs in found.items():
        curve, terms = mean_curve(runs, "ask", TERMS[1]), [run["terms"] for run in runs]
        values = [curve[0], curve[60], curve[120], float(np.mean([each["after"][TERMS[1]] for each in terms]))]
        values += [
            float(np.mean([each[f"unjudged {when}"][TERMS[0]] for each in terms])) for when in ("before", "after")
        ]
        lines.append(f"| {name} | " + " | ".join(f"{value:.3f}" for value in values) + " |")
    return {"sorting": sorting, "topics": "\n".join(lines)}


def main() -> None:
    found = runs_by_corpus(RESULTS / "teaching.jsonl")
    (DOCS / "teaching.svg").write_text(drawn(found), encoding="utf-8")
    text = (DOCS / "teaching.md").read_text(encoding="utf-8")
    (DOCS / "teaching.md").write_text(filled(text, tables(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
