"""Do intervals cover the truth, are planted changes found, are there false alarms, and how fast are ten million rows?

Simulated tables have twelve months of 2,000 documents, eight categories and three groups. In half of them nothing
changes; in the others, shares change by five points at random: two for good, with three months or more on either side;
one for four months, one of 5 % for a single month, and one differs in one group. One of 10 % changes for a single month
too, which is harder to find and is reported apart. Then documents are sorted with errors, and some have labels; and
there are small groups with few labels, in which one of twelve months differs.

    python benchmarks/trends.py --simulations 200 --rows 10000000 --work FOLDER > benchmarks/results/trends.json
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from seetopic.classify import Trends, trends
from seetopic.classify.findings.changes import change_points, comparisons
from seetopic.classify.findings.correction import Cells, corrected, error_rates
from seetopic.classify.findings.shares import difference_test, holm

MONTHS, GROUPS, DOCUMENTS = 12, 3, 2000  # documents per month
BASE = np.array([0.20, 0.15, 0.10, 0.10, 0.08, 0.05, 0.03, 0.02])
NAMES = [f"category {number}" for number in range(len(BASE))]
POINTS = 0.05
SENSITIVITY, FALSE_POSITIVES = 0.85, 0.02
LABELLED = 1000
SMALL_SHARES = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3)


def planted(chance: np.random.Generator) -> tuple[Any, set[tuple[str, str]], set[tuple[str, str]], tuple[str, str]]:
    """Shares, (months, groups, categories); changes and hard ones as (category, month); what differs in which group."""
    shares = np.tile(BASE, (MONTHS, GROUPS, 1))

    def change(category: int, points: float, first: int, last: int = MONTHS) -> set[tuple[str, str]]:
        shares[first:last, :, category] += points
        return {(NAMES[category], month_name(month)) for month in (first, last) if month < MONTHS}

    changes = change(0, POINTS, int(chance.integers(3, MONTHS - 2)))
    changes |= change(1, -POINTS, int(chance.integers(3, MONTHS - 2)))
    first = int(chance.integers(3, MONTHS - 5))
    changes |= change(4, POINTS, first, first + 4)
    first = int(chance.integers(3, MONTHS - 3))
    changes |= change(5, POINTS, first, first + 1)
    hard = change(2, POINTS, first, first + 1)
    group = int(chance.integers(GROUPS))
    shares[:, group, 3] += POINTS
    return shares, changes, hard, (NAMES[3], f"group {group}")


def small_cells(number: int) -> dict[str, Any]:
    """How many corrected intervals cover the truth in months of a group with few documents and labels.

    Sorting finds half of a category. In the last month, its share is 15 %.
    """
    tally: Counter[str] = Counter()
    documents, false = 40, 0.05
    for state in range(number):
        chance = np.random.default_rng(2 * 10**6 + state)
        for share in SMALL_SHARES:
            true = np.array([share] * (MONTHS - 1) + [0.15])
            for labels in (25, 100, MONTHS * documents):
                chosen = chance.permutation(np.repeat(np.arange(MONTHS), documents))[:labels]
                labelled = np.bincount(chosen, minlength=MONTHS)
                positive = chance.binomial(labelled, true)
                belongs = chance.binomial(documents - labelled, true)
                given = chance.binomial(belongs, 0.5) + chance.binomial(documents - labelled - belongs, false)
                own, others = int(positive.sum()), int((labelled - positive).sum())
                found, wrong = int(chance.binomial(own, 0.5)), int(chance.binomial(others, false))
                rates = error_rates(found, own - found, wrong, others - wrong)
                _, low, high = corrected(Cells(positive, labelled, given, documents - labelled), rates)
                tally[f"{labels} labels, share {share}"] += int(((low <= true) & (true <= high)).sum())
    rates = {name: round(count / number / MONTHS, 4) for name, count in tally.items()}
    return {"simulations": number, "documents_per_cell": documents, "coverage": rates}


def near(changes: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The changes, and the same a month earlier or later: one month of documents may not show where a change begins."""
    return {(category, month_name(int(month[5:]) - 1 + shift)) for category, month in changes for shift in (-1, 0, 1)}


def month_name(month: int) -> str:
    return f"2025-{month + 1:02d}"


def table_of(shares: Any, chance: np.random.Generator, errors: bool = False) -> pa.Table:
    """A table as `assign` writes it, of documents drawn with these shares."""
    size = MONTHS * DOCUMENTS
    month, group = np.repeat(np.arange(MONTHS), DOCUMENTS), chance.integers(GROUPS, size=size)
    bounds = shares[month, group].cumsum(axis=1)
    true = (chance.random(size)[:, None] >= bounds).sum(axis=1)
    days = np.datetime64("2025-01", "M") + month
    columns = {
        "date": pa.array(np.datetime_as_string(days.astype("datetime64[D]") + chance.integers(28, size=size))),
        "source": pa.array(np.array([f"group {number}" for number in range(GROUPS)])[group]),
    }
    names = np.array([*NAMES, None], object)
    if not errors:
        return pa.table({**columns, "category": pa.array(names[true], pa.string())})
    # Every category errs on its own, as with `--several`.
    marks = true[:, None] == np.arange(len(BASE))
    found = chance.random(marks.shape) < np.where(marks, SENSITIVITY, FALSE_POSITIVES)
    several = ["|".join(NAMES[each] for each in np.flatnonzero(row)) for row in found]
    chosen = chance.choice(size, LABELLED, replace=False)
    labels = np.full(size, "", object)
    labels[chosen] = [names[each] or "none" for each in true[chosen]]
    best = [row.split("|")[0] for row in several]
    return pa.table({**columns, "category": best, "categories": several, "label": pa.array(labels, pa.string())})


def covered(found: Trends, shares: Any) -> tuple[int, int]:
    inside = total = 0
    for row in found.shares:
        month, category = int(row.period[5:]) - 1, NAMES.index(row.category)
        truth = shares[month, int(row.group[6:]), category] if row.group else shares[month, :, category].mean()
        inside += row.low <= truth <= row.high
        total += 1
    return inside, total


def simulated(number: int) -> dict[str, Any]:
    tally: Counter[str] = Counter()
    for state in range(number):
        chance = np.random.default_rng(state)
        shares, changes, hard, different = planted(chance)
        constant = np.tile(BASE, (MONTHS, GROUPS, 1))
        for kind, own in (("planted", shares), ("constant", constant)):
            table = table_of(own, chance)
            over_time = trends(table, time="date", by="month")
            by_group = trends(table, group="source")
            inside, total = covered(over_time, own)
            tally[f"{kind} covered"] += inside
            tally[f"{kind} intervals"] += total
            alarms = {(each.category, each.period) for each in over_time.changes}
            differ = {(each.category, each.group) for each in by_group.differences if each.p <= 0.05}
            if kind == "constant":
                tally["constant with a false change"] += bool(alarms)
                tally["constant with a false difference"] += bool(differ)
            else:
                tally["changes"] += len(changes)
                tally["changes found"] += len(changes & near(alarms))
                tally["changes found in their month"] += len(changes & alarms)
                tally["hard"] += len(hard)
                tally["hard found"] += len(hard & near(alarms))
                tally["planted with a false change"] += bool(alarms - near(changes | hard))
                tally["differences found"] += different in differ
                # The other groups differ from the rest too, because that includes the one that was changed.
                tally["planted with a false difference"] += any(each[0] != different[0] for each in differ)
        table = table_of(shares, chance, errors=True)
        sorted_only = trends(table, time="date", by="month", several=True)
        corrected = trends(table, time="date", by="month", several=True, label_field="label")
        for kind, found in (("with errors", sorted_only), ("calibrated", corrected)):
            inside, total = covered(found, shares)
            tally[f"{kind} covered"] += inside
            tally[f"{kind} intervals"] += total
    rates = {
        kind: round(tally[f"{kind} covered"] / tally[f"{kind} intervals"], 4)
        for kind in ("planted", "constant", "calibrated", "with errors")
    }
    return {
        "simulations": number,
        "documents_per_period": DOCUMENTS,
        "coverage": rates,
        "false_alarms": {
            name: tally[f"{name.replace('_', ' with a false ', 1)}"] / number
            for name in ("constant_change", "constant_difference", "planted_change", "planted_difference")
        },
        "changes_of_five_points": tally["changes"],
        "changes_found": tally["changes found"],
        "changes_found_in_their_month": tally["changes found in their month"],
        "single_months_of_ten_percent": tally["hard"],
        "single_months_of_ten_percent_found": tally["hard found"],
        "differences_of_five_points": number,
        "differences_found": tally["differences found"],
    }


def false_alarms(number: int) -> dict[str, Any]:
    """The same tests on many more simulations, of counts instead of tables; a tenth of them for changes."""
    tally: Counter[str] = Counter()
    tested = {"change": number // 10, "difference": number}
    for state in range(number):
        chance = np.random.default_rng(10**6 + state)
        shares, changes, hard, different = planted(chance)
        for kind, own in (("planted", shares), ("constant", np.tile(BASE, (MONTHS, GROUPS, 1)))):
            if state < tested["change"]:
                expected = near(changes | hard) if kind == "planted" else set()
                tally[f"{kind}_change"] += bool(simulated_changes(own, chance) - expected)
            sizes = chance.multinomial(MONTHS * DOCUMENTS, np.full(GROUPS, 1 / GROUPS))
            per_group = zip(sizes, own.mean(axis=0), strict=True)
            k = np.array([chance.multinomial(size, [*each, 1 - each.sum()])[:-1] for size, each in per_group])
            n = sizes[:, None]
            p = holm(difference_test(k, n, k.sum(axis=0) - k, n.sum() - n).ravel()).reshape(k.shape)
            if kind == "planted":
                p[:, NAMES.index(different[0])] = 1.0
            tally[f"{kind}_difference"] += bool((p <= 0.05).any())
    rates = {name: round(count / tested[name.split("_")[1]], 4) for name, count in sorted(tally.items())}
    return {"simulations": tested, **rates}


def simulated_changes(shares: Any, chance: np.random.Generator) -> set[tuple[str, str]]:
    """The changes that are found in counts drawn with these shares."""
    per_month = [chance.multinomial(DOCUMENTS, [*each, 1 - each.sum()])[:-1] for each in shares.mean(axis=1)]
    given, n_tests = np.array(per_month), comparisons(MONTHS) * len(BASE)
    return {
        (NAMES[category], month_name(place))
        for category in range(len(BASE))
        for place in change_points(given[:, category], np.full(MONTHS, DOCUMENTS), n_tests)
    }


def write_rows(path: Path, rows: int) -> None:
    """A large table with times to the second, ten groups and four matched terms per document."""
    chance = np.random.default_rng(0)
    schema = pa.schema(
        [
            ("document", pa.int64()),
            ("date", pa.string()),
            ("source", pa.string()),
            ("category", pa.string()),
            ("share", pa.float64()),
            ("terms", pa.list_(pa.string())),
            ("problem", pa.string()),
        ]
    )
    words = np.array([f"term {number}" for number in range(400)], object)
    with pyarrow.parquet.ParquetWriter(path, schema) as file:
        for first in range(0, rows, 500_000):
            size = min(500_000, rows - first)
            given = chance.integers(21, size=size)
            seconds = np.datetime64("2020-01-01T00:00:00") + chance.integers(5 * 365 * 86400, size=size)
            sizes = np.arange(0, 4 * size + 1, 4, dtype=np.int32)
            terms = (np.repeat(given, 4) * 20 + chance.integers(20, size=4 * size)) % 400
            columns = [
                pa.array(np.arange(first, first + size)),
                pa.array(np.datetime_as_string(seconds)),
                pa.array(np.array([f"source {number}" for number in range(10)])[chance.integers(10, size=size)]),
                pa.array(np.array([*(f"category {number}" for number in range(20)), None], object)[given], pa.string()),
                pa.array(chance.random(size)),
                pa.ListArray.from_arrays(pa.array(sizes), pa.array(words[terms])),
                pa.nulls(size, pa.string()),
            ]
            file.write_table(pa.table(columns, schema=schema))


MEASURED = """
import resource, sys, time
from seetopic.classify import trends
began = time.perf_counter()
found = trends(sys.argv[1], time="date", group="source")
used = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss, found.documents, found.by)
"""


def scanned(work: Path, rows: int) -> dict[str, Any]:
    """Seconds and memory of a new process; rows per second include everything that follows from the counts."""
    work.mkdir(parents=True, exist_ok=True)
    path = work / f"sorted-{rows}.parquet"
    if not path.exists():
        write_rows(path, rows)
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", MEASURED, path], check=True, capture_output=True, text=True)
    whole = time.perf_counter() - began
    seconds, processor, kilobytes, documents, unit = done.stdout.split()
    assert int(documents) == rows
    return {
        "rows": rows,
        "seconds": round(float(seconds), 1),
        "seconds_with_imports": round(whole, 1),
        "processor_seconds": round(float(processor), 1),
        "rows_per_second": round(rows / whole),
        "megabytes": round(int(kilobytes) / 1024),
        "by": unit,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--work", type=Path, default=Path("trends-work"))
    given = parser.parse_args()
    result = {"simulated": simulated(given.simulations) if given.simulations else None}
    result["false_alarms"] = false_alarms(100 * given.simulations) if given.simulations else None
    result["small_cells"] = small_cells(given.simulations) if given.simulations else None
    result["parquet"] = scanned(given.work, given.rows) if given.rows else None
    print(json.dumps(result, indent=1))
