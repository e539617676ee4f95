"""LIWC `.dic`: numbered categories between two `%` lines, then each word with the numbers of its categories.

In a tree, a word also has the numbers of the categories above its own, as in LIWC's own hierarchy.
"""

from __future__ import annotations

from collections import defaultdict

from seetopic.output.exports.dictionary import Dictionary, one_line, refuse_marks


def liwc_dictionary(dictionary: Dictionary) -> str:
    refuse_marks(dictionary, "*", "LIWC reads as a wildcard")
    numbers: defaultdict[str, list[str]] = defaultdict(list)
    exported = {category.number for category in dictionary.categories}
    for category in dictionary.categories:
        own = [number for number in (*category.above, category.number) if number in exported]
        for form in category.forms:
            # One line per word, even in two categories: readers keep only the last line of a word.
            numbers[form] += [str(number + 1) for number in own if str(number + 1) not in numbers[form]]
    names = [f"{category.number + 1}\t{one_line(category.name)}" for category in dictionary.categories]
    words = ["\t".join([form, *found]) for form, found in numbers.items()]
    return "\n".join(["%", *names, "%", *words]) + "\n"
