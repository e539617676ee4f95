"""scikit-learn's own checks of estimators, as far as they apply to one that takes texts.

scikit-learn has hardly any checks for texts: all checks that fit a model use rows of numbers. So these run on a
subclass that only converts every row to a text.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils import estimator_checks, get_tags

from fake_model import directions
from seetopic import SeeTopic

WITHOUT_DATA = [
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_estimators_unfitted",
    "check_transformers_unfitted",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
]
_NO_COLUMNS = "texts have no columns, so there is no number of features to keep to"
_NO_NUMBERS = "any row can be written as a text, whatever its numbers are"
_NO_MATRIX = "a sparse matrix is not a list of texts; it is refused as any other object is"
DO_NOT_APPLY = {
    "check_n_features_in": _NO_COLUMNS,
    "check_n_features_in_after_fitting": _NO_COLUMNS,
    "check_fit1d": _NO_COLUMNS,
    "check_fit2d_predict1d": _NO_COLUMNS,
    "check_transformer_general": _NO_COLUMNS,
    "check_transformer_data_not_an_array": _NO_COLUMNS,
    "check_estimators_empty_data_messages": _NO_COLUMNS,  # it expects a message about 0 features
    "check_complex_data": _NO_NUMBERS,
    "check_estimators_nan_inf": _NO_NUMBERS,
    "check_estimator_sparse_tag": _NO_MATRIX,
    "check_estimator_sparse_array": _NO_MATRIX,
    "check_estimator_sparse_matrix": _NO_MATRIX,
}


class SeeTopicOfRows(SeeTopic):
    """Takes rows of numbers, and converts each to a text."""

    def _documents(self, source, columns=None):
        rows = getattr(source, "tolist", lambda: source)()
        texts = isinstance(rows, list) and all(isinstance(row, str) for row in rows)
        return super()._documents(rows if texts else [written(row) for row in np.asarray(rows)], columns)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


def written(row) -> str:
    return " ".join(["row", *(f"column{column} {value:.0f}times" for column, value in enumerate(np.atleast_1d(row)))])


def quick(kind: type[SeeTopic]) -> SeeTopic:
    return kind(["alpha", "beta"], embedding_model=directions, min_count=1, n_jobs=1)


@pytest.mark.parametrize("name", WITHOUT_DATA)
def test_the_estimator_passes_the_checks_that_need_no_data(name):
    getattr(estimator_checks, name)("SeeTopic", quick(SeeTopic))


def test_its_tags_say_that_it_takes_texts():
    tags = get_tags(SeeTopic())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert tags.transformer_tags is not None
    assert not tags.target_tags.required


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_with_rows_written_as_texts_every_check_passes_but_those_that_do_not_apply():
    results = estimator_checks.check_estimator(quick(SeeTopicOfRows), on_skip=None, on_fail=None)
    failed = {result["check_name"] for result in results if result["status"] == "failed"}
    passed = {result["check_name"] for result in results if result["status"] == "passed"}
    assert failed - set(DO_NOT_APPLY) == set()
    assert len(passed) > 30
    assert {"check_estimators_pickle", "check_fit_idempotent", "check_dict_unchanged"} <= passed
    assert {"check_methods_subset_invariance", "check_methods_sample_order_invariance"} <= passed
