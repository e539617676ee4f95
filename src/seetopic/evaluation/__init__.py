"""How good topics are: measures, judgements by people, and other methods side by side."""

from __future__ import annotations

from seetopic.evaluation.agreement import Agreement, Estimate, agreement_of, read_agreement
from seetopic.evaluation.comparison import CompareOptions, Comparison, Parts, compare, split
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate, evaluate_all, evaluate_folder
from seetopic.evaluation.figures import Evaluation, in_order, meaning, stem
from seetopic.evaluation.methods import METHODS, Task, available, method_named, require
from seetopic.evaluation.sheets import (
    BELONGS,
    FilledSheet,
    Sheet,
    annotate,
    judgements_of,
    make_sheet,
    read_sheets,
    sheet_of_key,
)
from seetopic.evaluation.significance import mark

__all__ = [
    "BELONGS",
    "METHODS",
    "Agreement",
    "CompareOptions",
    "Comparison",
    "Estimate",
    "Evaluation",
    "EvaluationOptions",
    "FilledSheet",
    "Parts",
    "Sheet",
    "Task",
    "agreement_of",
    "annotate",
    "available",
    "compare",
    "evaluate",
    "evaluate_all",
    "evaluate_folder",
    "in_order",
    "judgements_of",
    "make_sheet",
    "mark",
    "meaning",
    "method_named",
    "read_agreement",
    "read_sheets",
    "require",
    "sheet_of_key",
    "split",
    "stem",
]
