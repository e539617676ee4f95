"""Figures of docs/benchmarks.md as SVG; made by `page.py`."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

from page import Json, methods_of, values


def draw_all(table: Json, rare_terms: Json, studied: list[Json], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    draw_main(table, folder)
    draw_trade(table, folder)
    draw_rare_terms(rare_terms, folder)
    draw_parameters(studied, folder)


def draw_rare_terms(found: Json, folder: Path) -> None:
    figure, axes = plt.subplots(figsize=(6, 3.4))
    for name, rows in found.items():
        points = sorted((int(bound), row["npmi"]) for bound, row in rows.items() if bound != "0")
        style = {"color": "black", "linestyle": "--"} if name == "without topics" else {}
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name, **style)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("held-out documents with a word")
    axes.set_ylabel("NPMI as in the paper")
    axes.set_title("Ten random words: the rarer, the more coherent", fontsize=10)
    save(folder, figure, axes, "rare_terms")


def draw_main(table: Json, folder: Path) -> None:
    names = list(table["corpora"])
    figure, grid = plt.subplots(1, len(names), figsize=(3 * len(names), 3.6), sharey=True)
    for axes, name in zip(grid, names, strict=True):
        corpus = table["corpora"][name]
        methods = methods_of(corpus)[::-1]
        lengths = [fmean(values(corpus["outcomes"], method, "label_precision@10") or [0]) for method in methods]
        axes.barh(methods, lengths, color=["#2563eb" if method == methods[-1] else "#9ca3af" for method in methods])
        axes.set_title(name, fontsize=10)
        axes.set_xlim(0, 1)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0].set_xlabel("label precision@10", fontsize=8)
    figure.tight_layout()
    write(folder, figure, "label_precision")


def draw_trade(table: Json, folder: Path) -> None:
    """The paper's coherence against label precision, which need not agree."""
    figure, grid = plt.subplots(1, len(table["corpora"]), figsize=(3 * len(table["corpora"]), 3))
    for axes, (name, corpus) in zip(grid, table["corpora"].items(), strict=True):
        for method in methods_of(corpus):
            x, y = (values(corpus["outcomes"], method, figure_) for figure_ in ("npmi", "label_precision@10"))
            if x and y:
                axes.scatter(fmean(x), fmean(y), s=14, color="#2563eb" if method == "default" else "#6b7280")
                axes.annotate(method, (fmean(x), fmean(y)), fontsize=5, xytext=(3, 2), textcoords="offset points")
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("NPMI as in the paper", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0].set_ylabel("label precision@10", fontsize=8)
    figure.tight_layout()
    write(folder, figure, "npmi_and_precision")


def draw_parameters(rows: list[Json], folder: Path) -> None:
    shown = {"npmi": "NPMI", "lcp": "LCP", "label_precision@10": "label precision@10"}
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for parameter, title in (("rho", "ρ"), ("iterations", "iterations T")):
        figure, grid = plt.subplots(len(methods), len(shown), figsize=(9, 2.6 * len(methods)), squeeze=False)
        for line, method in zip(grid, methods, strict=True):
            for axes, measure in zip(line, shown, strict=True):
                curves: dict[str, list[tuple[float, float]]] = defaultdict(list)
                for row in rows:
                    if row["method"] == method and parameter in row and measure in row:
                        curves[row["corpus"]].append((row[parameter], row[measure]))
                for corpus, points in curves.items():
                    axes.plot(*zip(*sorted(points), strict=True), marker="o", markersize=3, label=corpus)
                axes.set_title(f"{method}: {shown[measure]}", fontsize=8)
                axes.set_xlabel(title, fontsize=8)
                axes.tick_params(labelsize=7)
                axes.spines[["top", "right"]].set_visible(False)
        grid[0][0].legend(fontsize=6, frameon=False)
        figure.tight_layout()
        write(folder, figure, parameter)


def save(folder: Path, figure: Any, axes: Any, name: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=7, frameon=False)
    figure.tight_layout()
    write(folder, figure, name)


def write(folder: Path, figure: Any, name: str) -> None:
    # No date and fixed ids: the same results give the same bytes.
    with plt.rc_context({"svg.hashsalt": name}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
