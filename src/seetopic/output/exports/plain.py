"""JSON: a plain dictionary from each category's name to the list of its words."""

from __future__ import annotations

import json

from seetopic.output.exports.dictionary import Dictionary


def json_dictionary(dictionary: Dictionary) -> str:
    lists = {category.name: list(category.forms) for category in dictionary.categories}
    return json.dumps(lists, ensure_ascii=False, indent=1) + "\n"
