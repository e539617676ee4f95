"""YAML for quanteda's `dictionary(file = "topics.yml")`: a list of words for each category's name."""

from __future__ import annotations

from seetopic.output.exports.dictionary import Dictionary, refuse_marks


def quanteda_yaml(dictionary: Dictionary) -> str:
    import yaml

    refuse_marks(dictionary, "*?", "quanteda reads as a wildcard")
    lists = {category.name: list(category.forms) for category in dictionary.categories}
    # Quote everything: readers differ in what they take for a number, a date or a boolean ("no", "y", "1e3").
    text: str = yaml.safe_dump(
        lists, default_style='"', default_flow_style=False, allow_unicode=True, sort_keys=False, width=float("inf")
    )
    return text
