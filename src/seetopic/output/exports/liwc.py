"""LIWC `.dic`: numbered categories between two `%` lines, then each word with the numbers of its categories."""

from __future__ import annotations

from collections import defaultdict

from seetopic.output.exports.dictionary import Dictionary, one_line, refuse_marks


def liwc_dictionary(dictionary: Dictionary) -> str:
    refuse_marks(dictionary, "*", "LIWC reads as a wildcard")
    numbers: defaultdict[str, list[str]] = defaultdict(list)
    for category in dictionary.categories:
        for form in category.forms:
            # One line per word, even in two categories: readers keep only the last line of a word.
            numbers[form].append(str(category.number + 1))
    names = [f"{category.number + 1}\t{one_line(category.name)}" for category in dictionary.categories]
    words = ["\t".join([form, *found]) for form, found in numbers.items()]
    return "\n".join(["%", *names, "%", *words]) + "\n"
