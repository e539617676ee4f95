"""JSON: each category's name with the list of its words, the plainest dictionary there is."""

from __future__ import annotations

import json

from seetopic.output.exports.dictionary import Dictionary


def json_dictionary(dictionary: Dictionary) -> str:
    lists = {category.name: list(category.forms) for category in dictionary.categories}
    return json.dumps(lists, ensure_ascii=False, indent=1) + "\n"
