"""CSV: one row per form of each term, for R, pandas and spreadsheets."""

from __future__ import annotations

import csv
import io

from seetopic.output.exports.dictionary import Dictionary
from seetopic.runtime import guarded

COLUMNS = ("category", "confidence", "rank", "term", "form", "score", "documents")


def csv_table(dictionary: Dictionary) -> str:
    text = io.StringIO()
    # Quote all texts: a lone carriage return in a name would split the row, which the writer's own rule misses.
    rows = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    rows.writerow(COLUMNS)
    for category in dictionary.categories:
        for entry in category.entries:
            score = float(f"{entry.score:.6g}")
            for form in entry.forms:
                texts = guarded(entry.term), guarded(form)
                rows.writerow([guarded(category.name), category.confidence, entry.rank, *texts, score, entry.documents])
    return text.getvalue()
