"""Time, memory and disk space in the README and the docs, from the committed results; used by `page.py`."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).parent / "results"
Json = dict[str, Any]
GB = 1e9
CORES = 2  # of the machine that everything was measured on
SHARED_BY = 6  # workers that can share the products of the factorisation, at rank 256
PRODUCTS = 0.25  # share of these products in the time per document
PRICE = 0.05  # dollars per core-hour


def read(name: str) -> Any:
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


def paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 120, break_on_hyphens=False, break_long_words=False)


def rows(*pairs: tuple[str, str]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {what} | {figure} |" for what, figure in pairs)])


def speed() -> str:
    found = read("speed.json")
    cold, sizes, encoder = found["index_cold_cache"], found["sizes"], found["encoder"]
    model_stage = found["language_model"]
    float32, bfloat16 = (model_stage[precision] for precision in ("float32", "bfloat16"))
    stages = cold["stages"]
    model = stages["language model"] + stages["language model reads documents"]
    local = stages["counting neighbours"] + stages["local vectors"]
    quarter, half, whole = (sizes[size]["discover_seconds"] for size in ("25 %", "50 %", "100 %"))
    table = rows(
        (
            "index, nothing cached",
            f"{cold['seconds']:.0f} s, including {model:.0f} s for the language model and {local:.0f} s for local "
            f"vectors; {cold['peak_gb']:.1f} GB of memory",
        ),
        (
            "the same with `--precision bfloat16`",
            f"{found['index_bfloat16']['seconds']:.0f} s, including {bfloat16['seconds']:.0f} s for the language "
            f"model; {bfloat16_changes()}",
        ),
        (
            "the language model's stage, as a share of a float32 matrix product on the same cores",
            f"{float32['share']:.0%} in float32, {bfloat16['share']:.0%} in bfloat16 "
            f"({model_stage['float32_product_gflops']:,} GFLOPS)",
        ),
        ("index, vectors cached", f"{found['index_warm_cache']['seconds']:.0f} s"),
        (
            "discover on an existing index, entire process",
            f"{found['discover']['seconds']:.1f} s with report; without, {whole:.1f} s ({quarter:.1f} s and "
            f"{half:.1f} s with a quarter and half of the documents)",
        ),
        ("`seetopic --help`", f"{found['help_seconds']:.1f} s"),
        (
            "encoding terms, compared with plain `SentenceTransformer.encode` in the same run",
            f"{encoder['ratio_float32']:.1f} times as fast ({encoder['ratio_bfloat16']:.1f} times in bfloat16), "
            f"same vectors to {encoder['largest_difference_float32']:.0e}",
        ),
    )
    return f"{found['documents']:,} product reviews, {found['terms']:,} terms:\n\n{table}"


def bfloat16_changes() -> str:
    """How far the label figures of two precisions are apart."""
    found = read("precision.json")
    apart = {
        figure: [each["bfloat16"][figure] - each["float32"][figure] for each in found.values()]
        for figure in ("label_precision@10", "label_f1@50")
    }
    told = (
        f"{figure.replace('_', ' ').replace('f1', 'F1')} by {min(by):+.3f} to {max(by):+.3f}"
        for figure, by in apart.items()
    )
    return f"over {len(found)} corpora it changes {' and '.join(told)}"


def ten_million() -> str:
    """The largest corpus that was indexed."""
    point, gpu = _largest(), read("gpu.json")
    about = paragraph(
        f"{point['documents']:,} synthetic documents of 15 words, {point['terms']:,} terms, on two cores with no more "
        f"than {read('scale.json')['memory'].replace('GB', ' GB')} of memory available "
        "([how cost scales](docs/scale.md)):"
    )
    table = rows(
        (
            "index, nothing cached",
            f"{_minutes(point['seconds'])}, including {model_seconds(point) / 60:.0f} for the language model; "
            f"{_size(point['memory'])} of memory, {_size(point['disk'])} of disk during the build, "
            f"{_size(point['index'])} afterwards",
        ),
        (
            "discover, 20 names",
            f"{median(point['discover_seconds']):.1f} s; label precision@10 of the planted topics "
            f"{point['label_precision@10']:.2f}",
        ),
        (
            "on an H200: a million terms through the language model; factorisation of "
            f"{gpu['factorisation']['entries'] / 1e6:.0f} million entries",
            f"{gpu['encoding']['seconds']['float32']:.0f} s; {gpu['factorisation']['seconds']:.0f} s",
        ),
    )
    return f"{about}\n\n{table}"


def workbench() -> str:
    found, everyday = read("workbench.json"), read("everyday.json")
    columns = {"reviews": found["amazon"], "headlines": found.get("huffpost"), "articles": found["demo"]}
    measured = {name: each for name, each in columns.items() if each is not None}

    def row(label: str, key: str, figure: Any) -> list[str]:
        cells = [figure(each[key]) if key in each else "" for each in measured.values()]
        return [f"| {label} | {' | '.join(cells)} |".replace("|  |", "| |")] if any(cells) else []

    def quick(seconds: dict[str, float]) -> str:
        return f"{seconds['median']:.2f} s, {seconds['p95']:.2f} s"

    number, many = found["amazon"]["edit_seconds"]["edits"], found["demo"]["memory"]["edits"]
    headlines = (
        ""
        if columns["headlines"] is None
        else f"{columns['headlines']['documents']:,} headlines and {columns['headlines']['names']} names, "
    )
    return "\n".join(
        [
            paragraph(
                f"The workbench in Chromium, with {everyday['documents']:,} product reviews and {everyday['topics']} "
                f"names, {headlines}and with the demo's 2,224 articles and 5 names:"
            ),
            "",
            f"| | {' | '.join(measured)} |",
            "|---" * (1 + len(measured)) + "|",
            *row(
                f"from the end of an edit to new topics on screen, {number} edits: median, 95th percentile",
                "edit_seconds",
                quick,
            ),
            *row("the same after a term is accepted", "accept_seconds", quick),
            *row("the same after a term is rejected", "reject_seconds", quick),
            *row(
                "ten people editing without a pause: 95th percentile", "ten_people", lambda each: f"{each['p95']:.1f} s"
            ),
            *row(
                f"memory after {many // 10:,} and after {many:,} edits",
                "memory",
                lambda each: f"{each['megabytes_after_a_tenth']:.0f} MB, {each['megabytes_at_the_end']:.0f} MB",
            ),
            *row(
                "from the command to a page you can type into; page size",
                "start",
                lambda each: f"{each['usable']:.1f} s; {each['page_megabytes']:.2f} MB",
            ),
        ]
    )


# docs/scale.md


def scale() -> str:
    head = (
        "| documents | terms | time | of which language model | the rest, per document | memory | disk during build "
        "| index | discover |"
    )
    told = (
        f"| {point['documents']:,} | {point['terms']:,} | {point['seconds']:.0f} s | {model_seconds(point):.0f} s "
        f"| {1000 * per_document(point):.3f} ms | {point['memory'] / GB:.2f} GB | {point['disk'] / GB:.1f} GB "
        f"| {point['index'] / GB:.1f} GB | {median(point['discover_seconds']):.1f} s |"
        for point in read("scale.json")["points"]
    )
    return "\n".join([head, "|" + "---:|" * 9, *told])


def actual() -> str:
    point = _largest()
    return paragraph(
        f"The actual values were {point['documents']:,} documents, {point['tokens'] / 1e6:.0f} million words, "
        f"{point['terms']:,} terms, {point['seconds'] / 60:.1f} minutes, {_size(point['memory'])}, "
        f"{_size(point['disk'])} and {_size(point['index'])}. The number of terms is the least certain; the estimate "
        "is deliberately on the high side. For a single `.gz` or `.csv` file, the estimate uses only its beginning."
    )


def planted() -> str:
    shares = [point["share_planted"] for point in read("scale.json")["points"]]
    labels = [point["label_precision@10"] for point in read("scale.json")["points"]]
    return paragraph(
        f"The planted topics are found at every size: {100 * min(shares):.1f} to {100 * max(shares):.0f} % of the ten "
        f"best terms belong to the topic, and label precision@10 on other documents is {min(labels):.2f} to "
        f"{max(labels):.2f}."
    )


def price() -> str:
    """What more documents would cost, extrapolated from the largest corpus."""
    point = _largest()
    about = paragraph(
        f"These figures are extrapolated from the {point['documents']:,} documents above, on the same kind of cores: "
        f"documents of 15 words, {point['terms']:,} terms, {1000 * per_document(point):.3f} ms per document on two "
        f"cores and {model_seconds(point) / 60:.0f} minutes for the language model. We assume that time falls with the "
        "number of cores, except for the products of the factorisation, which we take to be a quarter of it and which "
        "at most six workers share. Nothing beyond these documents or two cores was actually run. Prices assume "
        f"{PRICE:.2f} dollars per core-hour. Longer documents cost in proportion to their words."
    )
    told = [
        "| documents | 2 cores | 16 cores | 128 cores, 8 machines | core-hours on 16 cores | price "
        "| disk during build |",
        "|" + "---:|" * 7,
    ]
    for number, shown in ((10**7, "10 million"), (10**8, "100 million"), (10**9, "1 billion")):
        times = [_minutes(_seconds(point, number, cores), digits=0) for cores in (2, 16, 128)]
        hours = 16 * _seconds(point, number, 16) / 3600
        disk = _size(point["disk"] / point["documents"] * number)
        told.append(f"| {shown} | {' | '.join(times)} | {hours:.1f} | {PRICE * hours:.2f} | {disk} |")
    return about + "\n\n" + "\n".join(told)


def gpu() -> str:
    found = read("gpu.json")
    factorised = found["factorisation"]
    return paragraph(
        f"With a GPU, the time of the language model becomes negligible: an H200 reads a million terms in "
        f"{found['encoding']['seconds']['float32']:.0f} seconds, and factorises {factorised['entries'] / 1e6:.0f} "
        f"million entries of {factorised['terms']:,} terms at rank {factorised['rank']} in {factorised['seconds']:.0f} "
        "seconds (`benchmarks/gpu.py`)."
    )


# Other pages


def training() -> str:
    cpu, cuda = read("skipgram.json")["cpu"], read("skipgram.json")["cuda"]
    ratios = cpu["ratio_of_each_round"]
    return paragraph(
        f"On two cores, with product reviews and {cpu['settings']['dimensions']} dimensions, training processed "
        f"{_thousands(cpu['ours_tokens_per_second'])} tokens per second, compared with "
        f"{_thousands(cpu['reference_tokens_per_second'])} for the public C program (`-O3 -march=native`, two threads) "
        f"run in alternation, or {cpu['ratio']:.1f} times as many ({min(ratios):.1f} to {max(ratios):.1f} in "
        f"individual rounds). On an H200, with a corpus the size of SciDocs ({cuda['tokens'] / 1e6:.1f} million "
        f"tokens, {cuda['terms']:,} terms): {cuda['ours_tokens_per_second'] / 1e6:.1f} million tokens per second, "
        f"{cuda['seconds_of_the_paper_s_training']:.1f} s for 4 iterations of 12 epochs; "
        f"{100 * cuda['share_of_matrix_products']:.0f} % of the device's time goes into matrix products, the rest into "
        "moving vectors. `benchmarks/skipgram.py` measures both."
    )


def many_names() -> str:
    flat = json.loads((RESULTS / "trees.jsonl").read_text(encoding="utf-8").splitlines()[-1])["seconds for 500 names"][
        "flat"
    ]
    return paragraph(
        f"Time grows with the number of names: on two cores, {read('speed.json')['documents']:,} product reviews and "
        f"500 names took {flat:.0f} s. The index is the same for any names."
    )


def report() -> str:
    found = read("everyday.json")
    return paragraph(
        f"This never takes more than a moment: {found['seconds']['write_report']:.1f} s for "
        f"{found['documents']:,} reviews."
    )


def trends() -> str:
    found = read("trends.json")["parquet"]
    return paragraph(
        f"{found['rows']:,} rows take about {found['processor_seconds']:.0f} seconds of one processor and "
        f"{found['megabytes'] / 1000:.1f} GB; a folder of Parquet files is one table. In such a table, terms are those "
        "of the topics. With an index, they are all terms of the documents."
    )


def simulations() -> str:
    found, alarms = read("trends.json")["simulated"], read("trends.json")["false_alarms"]
    cover, small = found["coverage"], read("trends.json")["small_cells"]
    low, high = sorted((cover["planted"], cover["constant"]))
    per_period = found["documents_per_period"]
    return "\n".join(
        [
            f"| in {found['simulations']:,} simulations, {per_period:,} documents per period | |",
            "|---|--:|",
            f"| intervals that cover the truth | {100 * low:.1f} to {100 * high:.1f} % |",
            f"| the same after sorting with errors | {100 * cover['with errors']:.0f} % |",
            f"| … with 1,000 labels | {100 * cover['calibrated']:.1f} % |",
            f"| … of groups with {small['documents_per_cell']} documents per month, and 25, 100 or all labels "
            f"| {100 * min(small['coverage'].values()):.1f} to {100 * max(small['coverage'].values()):.1f} % |",
            f"| changes of five points found, of {found['changes_of_five_points']:,} | {found['changes_found']:,} |",
            f"| … of these in exactly the right month | {found['changes_found_in_their_month']:,} |",
            "| rises and falls of one-month peaks from 10 to 15 % found, of "
            f"{found['single_months_of_ten_percent']:,} | {found['single_months_of_ten_percent_found']:,} |",
            f"| differences of five points between groups found, of {found['differences_of_five_points']:,} "
            f"| {found['differences_found']:,} |",
            "",
            "| tables with a false alarm | |",
            "|---|--:|",
            f"| a rise or fall where nothing changes ({alarms['simulations']['change']:,} simulations) "
            f"| {100 * alarms['constant_change']:.1f} % |",
            f"| … or beside planted changes | {100 * alarms['planted_change']:.1f} % |",
            f"| a difference where no groups differ ({alarms['simulations']['difference']:,} simulations) "
            f"| {100 * alarms['constant_difference']:.1f} % |",
            f"| … or in other categories than the planted one | {100 * alarms['planted_difference']:.1f} % |",
        ]
    )


# Shared


def model_seconds(point: Json) -> float:
    """What the language model took: for the terms and for its sample of documents, which older results call `rest`."""
    stages = point["stages"]
    return float(stages["general"]["seconds"] + stages.get("sample", stages["rest"])["seconds"])


def per_document(point: Json) -> float:
    """Seconds besides the language model."""
    return float((point["seconds"] - model_seconds(point)) / point["documents"])


def _largest() -> Json:
    point: Json = max(read("scale.json")["points"], key=lambda each: each["documents"])
    return point


def _seconds(point: Json, documents: int, cores: int) -> float:
    alone = per_document(point) * documents
    split = (1 - PRODUCTS) * alone * CORES / cores + PRODUCTS * alone * CORES / min(cores, SHARED_BY)
    return split + model_seconds(point) * CORES / cores


def _minutes(seconds: float, digits: int = 1) -> str:
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{max(seconds / 60, 1):.{digits}f} min"


def _size(size: float) -> str:
    if size >= 1000 * GB:
        return f"{size / (1000 * GB):.1f} TB"
    return f"{size / GB:.0f} GB" if size >= 10 * GB else f"{size / GB:.1f} GB"


def _thousands(number: float) -> str:
    return f"{round(number, -3):,.0f}"
