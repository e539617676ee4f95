"""Category names as lines of text: a list, or an outline in which children are indented."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from seetopic.corpus.seed_values import ReadSeed, at_line, checked
from seetopic.corpus.seeds import Seed, Seeds, text_of
from seetopic.errors import SeedError
from seetopic.runtime import warn

HEADERS = ("name", "names", "category", "categories", "topic", "topics")  # also of a list of names
_YAML = re.compile(r"[^:]+:|[^:]+:\s+[\[{].*[\]}]")  # "politics:", "politics: [congress]"
_BULLET = re.compile(r"[-*•–]\s")
_ORDINAL = re.compile(r"\d+[.)]\s")  # a single "1. FC Köln" is a name
_NUMBERED = re.compile(r"\d+\s*:.*")


def seeds_of_lines(text: str) -> Seeds:
    numbered = enumerate(text.splitlines(), start=1)
    lines = [(number, line) for number, line in numbered if line.strip() and not is_comment(line, number)]
    is_numbered = all(_NUMBERED.fullmatch(line.strip()) for _, line in lines)
    if not is_numbered:
        _refuse_other_formats([(number, line.strip()) for number, line in lines])
    # Text that was pasted from a page may be indented with other kinds of spaces.
    indents = [re.sub(r"[^\S\t]", " ", line[: len(line) - len(line.lstrip())]) for _, line in lines]
    if len(set(indents)) > 1:
        return checked(list(_outline(lines, indents)))
    if len(lines) > 1 and lines[0][1].strip().casefold() in HEADERS:
        lines = lines[1:]
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(lines) > 1 and all(mark in line.strip() for _, line in lines):
            raise SeedError(f"every line is divided by {name}, as in a table; rename the file to end in .csv")
    names = [line.strip() for _, line in lines]
    # Files of the paper's released code number the names and join their words: `0:mental_disorders`. Only a file in
    # which every line is numbered is read that way.
    if is_numbered:
        names = [name.partition(":")[2].replace("_", " ").strip() for name in names]
    return checked(
        [ReadSeed(Seed(text_of(name), (name,)), number) for name, (number, _) in zip(names, lines, strict=True)]
    )


def _refuse_other_formats(lines: Sequence[tuple[int, str]]) -> None:
    """Refuse YAML and lists with bullets or numbers, and warn of names side by side: all would be part of the names."""
    for number, line in lines:
        if _YAML.fullmatch(line):
            raise SeedError(f"{line!r:.60} looks like YAML; rename the file to end in .yaml{at_line(number)}")
        if _BULLET.match(line):
            raise SeedError(f"{line!r:.60} begins with a bullet; remove the bullets{at_line(number)}")
    if len(lines) > 1 and all(_ORDINAL.match(line) for _, line in lines):
        number, line = lines[0]
        raise SeedError(f"every line begins with a number, such as {line!r:.60}; remove the numbers{at_line(number)}")
    if len(lines) == 1 and re.search("[,;\t]", lines[0][1]):
        warn(f"{lines[0][1]!r:.60} is read as one name; if these are several, write one name per line")


def _outline(lines: Sequence[tuple[int, str]], indents: Sequence[str]) -> Iterator[ReadSeed]:
    """Children are indented more than their parent; the indentation of siblings is the same."""
    mark = next(indent[0] for indent in indents if indent)
    open_levels: list[tuple[int, str]] = []  # indentation and name, from the root to the line before
    for (number, line), indent in zip(lines, indents, strict=True):
        if indent.strip(mark):
            raise SeedError(f"the indentation mixes tabs and spaces; use only one of them{at_line(number)}")
        depth = len(indent)
        closed = [level for level, _ in open_levels if level >= depth]
        if (closed and depth not in closed) or (not open_levels and depth):
            raise SeedError(
                f"the indentation of {line.strip()!r} fits no line above it; "
                f"indent it like its siblings, or more than its parent{at_line(number)}"
            )
        open_levels = [*(level for level in open_levels if level[0] < depth), (depth, text_of(line))]
        path = tuple(name for _, name in open_levels)
        yield ReadSeed(Seed(path[-1], path[-1:], path=path), number)


def is_comment(line: str, number: int) -> bool:
    """Whether a line is a comment: `# ...`; a hashtag may be meant as a name or as a comment, so it is refused."""
    if not line.lstrip().startswith("#"):
        return False
    if re.match(r"#+(\s|$)", line.lstrip()):
        return True
    raise SeedError(
        f"{line.strip()!r:.60} may be a comment or a name; write '# ' before a comment, "
        f"or put the name in quotes in a .yaml, .json or .csv file{at_line(number)}"
    )
