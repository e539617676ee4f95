"""Seeds: names in the user's order and spelling, or one sentence that says which name is wrong."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from seetopic.corpus.seed_files import FORMATS, as_seeds, read_seeds
from seetopic.corpus.seed_values import as_records, as_value
from seetopic.corpus.seeds import Seed, Seeds
from seetopic.errors import SeedError

NAMES = ("Zoology", "health & personal care", "hepatitis a/b/c/e", "naïve café", "北京", "books")
PLAIN = {name: (name,) for name in NAMES}
DEEP = "name,parent\n" + "".join(f"n{n},n{n + 1}\n" for n in range(200)) + "n200,\n"
SPORTS = {"Sports": ("Sports", "football", "Tennis"), "food": ("food",)}


def as_dict(seeds: Seeds) -> dict[str, tuple[str, ...]]:
    return {seed.name: seed.names for seed in seeds.seeds}


def read(folder: Path, name: str, contents: str | bytes) -> dict[str, tuple[str, ...]]:
    path = folder / name
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return as_dict(read_seeds(path))


def refuse(folder: Path, name: str, contents: str | bytes, message: str) -> None:
    with pytest.raises(SeedError, match=message):
        read(folder, name, contents)


# In Python.


@pytest.mark.parametrize(
    "given_names",
    [
        list(NAMES),
        tuple(NAMES),
        [[name] for name in NAMES],
        {name: [name] for name in NAMES},
        {name: name for name in NAMES},
        dict.fromkeys(NAMES),
        {name: [] for name in NAMES},
        (name for name in NAMES),
        np.array(NAMES),
        pd.Series(NAMES),
        [f"  {name}\n" for name in NAMES],
    ],
    ids=lambda names: f"{type(names).__name__}",
)
def test_names_keep_their_order_and_spelling(given_names):
    seeds = as_seeds(given_names)
    assert as_dict(seeds) == PLAIN
    assert seeds.names == NAMES
    assert len(seeds) == len(NAMES)


def test_a_topic_may_have_several_names():
    assert as_dict(as_seeds({"Sports": ["football", "Tennis"], "food": ()})) == SPORTS
    assert as_dict(as_seeds([["football", "Tennis"], "food"])) == {
        "football": ("football", "Tennis"),
        "food": ("food",),
    }


def test_a_path_is_read_and_seeds_are_taken_as_they_are(tmp_path):
    (tmp_path / "a.txt").write_text("books\nfood\n")
    seeds = as_seeds(tmp_path / "a.txt")
    assert seeds.names == ("books", "food")
    assert as_seeds(seeds) is seeds


@pytest.mark.parametrize(
    ("given_names", "message"),
    [
        ("books", r"not one string; give \['books'\], or a pathlib\.Path"),
        (7, "not int"),
        (None, "not NoneType"),
        ({"books", "food"}, "in a set have no order"),
        ([], "there are no category names; give at least one"),
        ({}, "there are no category names; give at least one"),
        (["books", ""], "category 2 has an empty name"),
        (["  ", "books"], "category 1 has an empty name"),
        ({"": ["books"]}, "category 1 has an empty name"),
        ({"books": ["novels", " "]}, "category 1 has an empty name"),
        ({"books": ""}, "category 1 has an empty name"),
        ([[]], "a category has no names; give it a name or remove it"),
        ([["books"], ()], "a category has no names"),
        (["books", None], "a name is missing or null; write it"),
        ([{"children": ["b"]}], "has the field 'children', but no name"),
        ({"names": ["a", "b"], "description": "x"}, "has the field 'names', but no name"),
        ({"elections": {"parent": "politics"}}, "only CSV files have a field 'parent'; put 'elections' under"),
        (["books", 2024], "must be text, not 2024; put it in quotes"),
        ([["books", 1.5]], r"must be text, not 1\.5"),
        ({"books": 5}, "must be text, not 5"),
        ({"books": [True]}, "must be text, not True"),
        ({1: ["books"]}, "must be text, not 1"),
        ({None: ["books"]}, "a name is missing or null"),
        ([b"books"], "must be text, not 98"),
        ([[["books"]]], r"must be text, not \['books'\]"),
        ({"books": {"pinned": "x", "novels": ["x"]}}, "'novels' is not a field of a category; use names, description"),
        ({"books": {"pined": ["x"]}}, "'pined' is not a field of a category"),
        *(({"sport": {key: ["football"]}}, f"'{key}' is not a field") for key in ("naems", "Names", "childern")),
        ([{"name": "books", "novels": ["x"]}], "'novels' is not a field of a category"),
        ({"books": {"children": "novels"}}, "`children` must be a list or a mapping of categories, not 'novels'"),
        ([[{"books": ["novels"]}]], "must be text, not {'books': "),
        ([{"novels", "tales"}], "names of a category must be a list, not"),
        (["books\ud800"], r"'books\\ud800' is not valid Unicode \(at character 5\)"),
    ],
)
def test_what_is_no_name_is_refused(given_names, message):
    with pytest.raises(SeedError, match=message):
        as_seeds(given_names)


@pytest.mark.parametrize("again", ["Books", "BOOKS", " books ", "books\t"])
@pytest.mark.parametrize("shape", [list, lambda names: [names], dict.fromkeys, lambda names: {"a": names}])
def test_a_name_that_stands_twice_is_refused_in_any_spelling(shape, again):
    with pytest.raises(SeedError, match=f"the name '{again.strip()}' appears twice"):
        as_seeds(shape(["books", again]))


@pytest.mark.parametrize(
    ("first", "second"),
    [("toys games", "Toys   Games"), ("Straße", "STRASSE"), ("caf\u00e9", "cafe\u0301"), ("a\u00a0b", "A b")],
)
def test_names_that_a_reader_cannot_tell_apart_are_refused(first, second):
    with pytest.raises(SeedError, match="appears twice"):
        as_seeds([first, second])


def test_two_categories_may_not_have_one_name():
    with pytest.raises(SeedError, match="the name 'Books' appears twice"):
        as_seeds({"books": ["novels"], "Books": ["tales"]})


def test_a_further_name_may_belong_to_several_categories():
    shared = {"books": ("books", "novels"), "reading": ("reading", "essays", "novels")}
    assert as_dict(as_seeds({"books": ["novels"], "reading": ["essays", "novels"]})) == shared


def test_the_key_is_a_name_unless_names_are_given():
    given_names = {"a": ["b"], "c": {"names": ["d"]}, "e": ["f", "E"], "g": {"pinned": ["h"]}}
    assert as_dict(as_seeds(given_names)) == {"a": ("a", "b"), "c": ("d",), "e": ("f", "E"), "g": ("g",)}


def test_seeds_made_by_hand_are_checked_too():
    with pytest.raises(SeedError, match="category 2 has an empty name"):
        Seeds((Seed("books"), Seed(" ")))


def test_a_seed_made_by_hand_takes_what_a_dict_takes():
    parts: dict[str, Any] = {"pinned": "army", "negative": ["football"], "description": ["soldiers", "wars"]}
    assert (Seed("military", **parts),) == as_seeds([{"name": "military", **parts}]).seeds
    assert Seed("military", ["army"]).names == ("army",)  # type: ignore[arg-type]
    assert Seed("military", description="soldiers").names == ("military",)
    with pytest.raises(SeedError, match="must be text, not 5"):
        Seed("military", description=5)  # type: ignore[arg-type]


def test_an_error_about_a_huge_value_stays_short():
    huge: list[Any] = []
    for _ in range(50):
        huge = [huge, huge]
    with pytest.raises(SeedError, match="must be text") as refused:
        as_seeds([huge])
    assert len(str(refused.value)) < 1000


# Files.


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.txt", "\n".join(NAMES)),
        ("a.TXT", "\n\n" + "\r\n\r\n".join(f" {name} " for name in NAMES) + "\r\n"),
        ("numbered.txt", "".join(f"{number}:{name}\n" for number, name in enumerate(NAMES))),
        ("spaced.txt", "".join(f"{number} : {name}\n" for number, name in enumerate(NAMES))),
        ("a.json", json.dumps(NAMES)),
        ("mapped.json", json.dumps({name: [name] for name in NAMES}, ensure_ascii=False)),
        ("a.yaml", yaml.safe_dump(list(NAMES), allow_unicode=True)),
        ("a.yml", "".join(f"- '{name}'\n" for name in NAMES)),
        ("mapped.yaml", "".join(f"{name}:\n" for name in NAMES)),
        ("listed.yaml", "".join(f"{name}: ['{name}']\n" for name in NAMES)),
        ("a.csv", "".join(f'"{name}"\n' for name in NAMES)),
        ("headed.csv", "Category,more,names\n" + "".join(f"{name},,\n" for name in NAMES)),
        ("a.dic", "%\n" + "".join(f"{n}\t{name}\n" for n, name in enumerate(NAMES)) + "%\n"),
    ],
)
def test_every_format_keeps_order_and_spelling(tmp_path, name, contents):
    assert list(read(tmp_path, name, contents).items()) == list(PLAIN.items())
    assert list(read(tmp_path, name, b"\xef\xbb\xbf" + contents.encode()).items()) == list(PLAIN.items())


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.json", '{"Sports": ["football", "Tennis"], "food": null}'),
        ("a.yaml", "Sports: [football, Tennis]\nfood:\n"),
        ("a.yaml", "Sports:\n  - football\n  - Tennis\nfood: food\n"),
        ("a.csv", "Sports,football,Tennis\nfood\n"),
        ("a.csv", "Sports;football;Tennis\nfood\n"),
        ("a.csv", "sep=|\nSports|football|Tennis\nfood\n"),
        ("a.csv", "# mine\ncategory,term\nSports,football\nfood,food\nSports,Tennis\n"),
        ("a.csv", 'Theme;Keywords\nSports;"football, Tennis"\nfood;\n'),
        ("a.txt", "category\nSports\nfood\n"),
        ("a.txt", "# mine\n  Sports\n  food\n"),
    ],
)
def test_a_file_may_give_several_names_to_a_topic(tmp_path, name, contents):
    expected = dict.fromkeys(SPORTS) if name == "a.txt" else SPORTS
    assert read(tmp_path, name, contents) == {key: names or (key,) for key, names in expected.items()}


def test_a_liwc_category_has_its_words_as_names_and_they_may_be_in_several(tmp_path):
    contents = "%\r\n1\tSports\r\n2\tfood\r\n3\tfun\r\n%\r\nfootball*\t1\t3\r\nTennis\t\t1\r\n\r\n"
    found = read(tmp_path, "a.dic", contents)
    assert found == {"Sports": ("football*", "Tennis"), "food": ("food",), "fun": ("football*",)}


def test_a_csv_row_is_a_category_and_its_names(tmp_path):
    assert read(tmp_path, "a.csv", 'name\n"toys, games",Lego\n\nfood,,soup\n') == {
        "toys, games": ("toys, games", "Lego"),
        "food": ("food", "soup"),
    }


@pytest.mark.parametrize("contents", ["name;pinned\nfilm, book;novel\nfood;soup\n", "film, book;novel\nfood;soup\n"])
def test_names_may_contain_commas_where_semicolons_separate_the_header_or_every_row(tmp_path, contents):
    assert tuple(read(tmp_path, "a.csv", contents)) == ("film, book", "food")


def test_numbers_are_part_of_names_unless_every_line_has_one(tmp_path):
    assert tuple(read(tmp_path, "a.txt", "0:books\nfood: raw\n")) == ("0:books", "food: raw")


def test_an_ending_that_is_not_known_is_refused_with_the_known_ones(tmp_path):
    refuse(tmp_path, "a.docx", "books", r"a\.docx has the unsupported extension '\.docx'; use one of \.txt, \.yaml, ")
    refuse(tmp_path, "seeds", "books", "seeds has the unsupported extension ''; use one of")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(SeedError, match=r"gone\.txt cannot be opened: No such file or directory; check its name"):
        read_seeds(tmp_path / "gone.txt")
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(SeedError, match=r"folder\.txt cannot be opened: Is a directory"):
        read_seeds(tmp_path / "folder.txt")


def test_several_files_are_read_as_one_in_their_order(tmp_path):
    (tmp_path / "a.txt").write_text("culture\n  film\nsport\n")
    (tmp_path / "b.yaml").write_text("culture: {children: {music: }}\nfood: [cooking]\n")
    seeds = read_seeds(tmp_path / "a.txt", tmp_path / "b.yaml")
    assert seeds.labels == ("culture", "culture > film", "culture > music", "sport", "food")
    assert seeds.seeds[-1].names == ("food", "cooking")


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_one_of_several_files_may_describe_the_parent_of_all(tmp_path, order):
    (tmp_path / "a.txt").write_text("culture\n  film\n")
    (tmp_path / "b.yaml").write_text("culture: {description: arts, children: {music: }}\n")
    endings = {"a": "txt", "b": "yaml"}
    culture, *children = read_seeds(*(tmp_path / f"{name}.{endings[name]}" for name in order)).seeds
    assert culture.description == "arts"
    assert {child.name for child in children} == {"film", "music"}
    (tmp_path / "c.yaml").write_text("culture: {description: sports, children: {music: }}\n")
    with pytest.raises(SeedError, match="'culture' appears twice"):
        read_seeds(tmp_path / "a.txt", tmp_path / "b.yaml", tmp_path / "c.yaml")


@pytest.mark.parametrize(
    ("contents", "line"),
    [
        ("crime\npolitics:\nfood:\n", 2),
        ("politics: [congress, elections]\nfood\n", 1),
        ("politics:\n  names: [congress]\n", 1),
        ("- crime\n- food\n", 1),
        ("crime\n  • theft\n", 2),
        ("# names\n1. politics\n2. food\n", 2),
        ("1) politics\n2) food\n", 1),
    ],
)
def test_lists_in_another_format_are_refused_with_the_line(tmp_path, contents, line):
    refuse(tmp_path, "names.txt", contents, rf"^names\.txt: .*\(line {line}\)$")


def test_a_single_line_with_commas_is_one_name_and_a_warning_says_so(tmp_path):
    with pytest.warns(UserWarning, match="'politics, food, crime' is read as one name"):
        assert tuple(read(tmp_path, "names.txt", "politics, food, crime\n")) == ("politics, food, crime",)


def test_names_may_contain_commas_colons_and_numbers(tmp_path):
    names = ["arts, crafts and hobbies", "Star Wars: Andor", "1. FC Köln", "self-help", "16:9"]
    assert tuple(read(tmp_path, "names.txt", "\n".join(names))) == tuple(names)


@pytest.mark.parametrize(
    ("contents", "column"),
    [
        ("id,headline\n7,Rain\n8,Sun\n", "id"),
        ("text\nRain tomorrow\nSun today\n", "text"),
        ("review,stars\nBad,1\nGood,5\n", "stars"),
        ("day,headline\n2024-01-02,Rain\n2024-01-03,Sun\n", "day"),
        (f"shop,body\nbooks,{'a good book ' * 9}\n", "body"),
    ],
)
def test_a_table_of_documents_is_refused_by_its_column(tmp_path, contents, column):
    refuse(tmp_path, "names.csv", contents, f"the column '{column}'")


def test_a_table_without_a_header_has_names_and_further_names(tmp_path):
    assert read(tmp_path, "a.csv", "sport,football,1. FC Köln\nyears,2024\n") == {
        "sport": ("sport", "football", "1. FC Köln"),
        "years": ("years", "2024"),
    }


def test_a_name_in_two_files_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("culture\nsport\n")
    (tmp_path / "b.txt").write_text("food\nSport\n")
    with pytest.raises(SeedError, match=r"a\.txt and b\.txt: the name 'Sport' appears twice"):
        read_seeds(tmp_path / "a.txt", tmp_path / "b.txt")


@pytest.mark.parametrize("ending", FORMATS)
def test_wrong_encodings_and_empty_files_are_refused(tmp_path, ending):
    refuse(tmp_path, f"a{ending}", "naïve".encode("latin-1"), r"is not UTF-8 text \(byte 2\); save it as UTF-8")
    refuse(tmp_path, f"a{ending}", "books".encode("utf-16"), "is not UTF-8 text")
    refuse(tmp_path, f"a{ending}", "books".encode("utf-16-le"), "contains NUL bytes")
    refuse(tmp_path, f"a{ending}", "", rf"^a\{ending}: ")
    refuse(tmp_path, f"a{ending}", " \n\n", rf"^a\{ending}: ")


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.txt", "books\nfood\nBooks\n"),
        ("a.txt", "0:books\n1:Books\n"),
        ("a.json", '["books", "Books "]'),
        ("a.json", '{"books": ["x"], "books": ["y"]}'),
        ("a.json", '{"books": ["x"], " BOOKS": ["y"]}'),
        ("a.yaml", "- books\n- Books\n"),
        ("a.yaml", "books: x\nbooks: y\n"),
        ("a.yaml", "books: [x]\n'Books ': [y]\n"),
        ("a.txt", "media\n  books\n  Books\n"),
        ("a.yaml", "media:\n  children:\n    books: x\n    Books: y\n"),
        ("a.csv", "books\nBooks\n"),
        ("a.dic", "%\n1\tbooks\n2\tBooks\n%\n"),
    ],
)
def test_a_name_that_stands_twice_in_a_file_is_refused(tmp_path, name, contents):
    refuse(tmp_path, name, contents, rf"^{name}: the name '.*' appears twice")


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("a.txt", "0:books\n1:\n", "category 2 has an empty name"),
        ("a.json", '["books"', "is not valid JSON"),
        ("a.json", "[" * 100_000, "is not valid JSON"),
        ("a.json", '"books"', "must contain a list of names, or a mapping of names to lists of names"),
        ("a.json", "null", "must contain a list of names"),
        ("a.json", "[2024]", "must be text, not 2024; put it in quotes"),
        ("a.json", "[NaN]", "must be text, not nan"),
        ("a.json", '{"books": {"novels": 1}}', "must be text, not 1"),
        ("a.json", '["\\ud800"]', "is not valid Unicode"),
        ("a.yaml", "- [books", "is not valid YAML"),
        ("a.yaml", "books", "must contain a list of names"),
        ("a.yaml", "- books\n- 2024\n", "must be text, not 2024; put it in quotes"),
        ("a.yaml", "- no\n", "must be text, not False; put it in quotes"),
        ("a.yaml", "no: [x]\n", "must be text, not False; put it in quotes"),
        ("a.yaml", "null: [x]\n", r"a name is missing or null; .* \(line 1\)"),
        ("a.yaml", "a:\n  children:\n  -\n  - b\n", r"a name is missing or null; .* \(line 3\)"),
        ("a.yaml", "a:\n  children: [b,\n    5]\n", r"must be text, not 5; put it in quotes \(line 3\)"),
        ("a.yaml", "- a\n- names: [b, c]\n", r"has the field 'names', but no name; .* \(line 2\)"),
        ("a.yaml", "a:\nb:\n  parent: a\n", r"put 'b' under the children of 'a' \(line 3\)"),
        ("a.yaml", "- name: b\n  parent: a\n", r"put 'b' under the children of 'a' \(line 2\)"),
        ("a.yaml", "x:\na:\n  children: b\n", r"`children` must be a list .* not 'b' \(line 3\)"),
        ("a.yaml", "x:\na:\n  children: 5\n", r"`children` must be a list .* not 5 \(line 2\)"),
        ("a.yaml", "- x\n- {path: a > b}\n", r"'a > b' has no parent: add 'a' before it \(line 2\)"),
        ("a.json", '["a",\n{"path": ["x",\n"b"]}]', r"'x > b' has no parent: add 'x' before it \(line 2\)"),
        ("a.json", '["a",\n{"names": ["b"]}]', r"has the field 'names', but no name; .* \(line 2\)"),
        ("a.yaml", "- 2024-01-01\n", r"must be text, not datetime\.date\(2024, 1, 1\); put it in quotes"),
        ("a.yaml", "- 2024-99-99\n", "is not valid YAML"),
        ("a.yaml", "- [books: [novels]]\n", "must be text, not {"),
        ("a.yaml", "- books\n---\n- food\n", "is not valid YAML"),
        ("a.yaml", "!!python/object:os.system [x]\n", "is not valid YAML"),
        ("a.yaml", "- !!int ''\n", "is not valid YAML"),
        ("a.yaml", "- !!bool x\n", "is not valid YAML"),
        ("a.yaml", "- !!timestamp x\n", "is not valid YAML"),
        ("a.yaml", "? [a]\n: b\n", "is not valid YAML"),
        ("a.yaml", "- \x07\n", "is not valid YAML"),
        ("a.yaml", "&a [*a]\n", "must be text"),
        ("a.yaml", "[" * 1000, "is not valid YAML"),
        ("a.csv", 'books\n"food\n', r"is not valid CSV \(unexpected end of data\)"),
        ("a.csv", 'books\n"food"s\n', "is not valid CSV"),
        ("a.csv", "x" * 200_000, "is not valid CSV .*field larger than field limit"),
        ("a.csv", "name\n", "there are no category names"),
        ("a.dic", "books\nfood\n", "is not a LIWC dictionary; put its categories between two lines"),
        ("a.dic", "%\n1\tbooks\n", "is not a LIWC dictionary"),
        ("a.dic", "books\n%\n1\tbooks\n%\n", "is not a LIWC dictionary"),
        ("a.dic", "%\n%\n", "there are no category names"),
        ("a.dic", "%\n1 books\n%\n", "the category line '1 books' must consist of a number, a tab and a name"),
        ("a.dic", "%\n1\tbooks\n1\tfood\n%\n", "the category number '1' appears twice"),
        ("a.dic", "%\n1\tbooks\n%\nnovel\t2\n", "the word 'novel' has the undefined category '2'; define it"),
        ("a.dic", "%\n1\tbooks\n%\nnovel\n", "the word 'novel' has no category"),
        ("a.dic", "%\n1\tbooks\n%\n*\t1\n", "the word '\\*' is a wildcard for every word"),
        ("a.txt", "#metoo\nbooks\n", r"'#metoo' may be a comment or a name; .* \(line 1\)"),
        ("a.txt", "books;novels\nfood;soup\n", "every line is divided by semicolons, as in a table"),
        ("a.txt", "media\n\tbooks\n    dvd\n", r"mixes tabs and spaces; use only one of them \(line 3\)"),
        ("a.txt", "media\n    books\n  dvd\n", r"the indentation of 'dvd' fits no line above it; .* \(line 3\)"),
        ("a.txt", "  media\nbooks\n", r"fits no line above it; .* \(line 1\)"),
        ("a.txt", "media\n  Media\n", r"'Media' has the same name as its parent; rename .* \(line 2\)"),
        ("a.txt", "a > b\n  c\n", r"'a > b' contains '>', which separates levels of a tree; rename it \(line 1\)"),
        ("a.yaml", "a:\n  children:\n    - b\n    - A\n", r"'A' has the same name as its parent; .* \(line 4\)"),
        ("a.yaml", "a:\n  children: {b: , '': }\n", r"category 3 has an empty name; .* \(line 2\)"),
        ("a.yaml", "a: &a\n  children: *a\n", r"contains itself; give it children of its own \(line 2\)"),
        ("a.yaml", "a: &x\n  children:\n    b: *x\n", r"'a > b' contains itself; .* \(line 3\)"),
        ("a.yaml", "- &r {name: a, children: [{name: b, children: [*r]}]}\n", r"contains itself \(line 1\)"),
        ("a.yaml", "a:\n  pined: b\n", r"'pined' is not a field of a category; .* \(line 2\)"),
        ("a.json", '{"a": {"children": [\n"b",\n\t"A"]}}', r"has the same name as its parent; .* \(line 3\)"),
        ("a.csv", "name,parent\na,b\nb,c\nc,a\n", r"'a' is below itself: a > c > b > a; .* \(line 2\)"),
        ("a.csv", "name,parent\na,\nb,x\n", r"the parent 'x' of 'b' is not a category; add a row .* \(line 3\)"),
        ("a.csv", "name,parent\na,\na,a\n", r"'a' has the same name as its parent; .* \(line 3\)"),
        ("a.csv", "name,parent\na,\n,a\n", r"a category has an empty name; .* \(line 3\)"),
        ("a.csv", "name,parent\nx,a\nx,b\na,\nb,\ny,x\n", r"may be any of 2 .*such as 'a > x' \(line 6\)"),
        ("a.csv", "path,name\na > b,c\n", r"the path 'a > b' must end with the name 'c' \(line 2\)"),
        ("a.csv", "path,parent\na > b,a\n", "'parent' and 'path' mean the same; remove one"),
        ("a.csv", "path\na > > b\n", r"a category has an empty name; .* \(line 2\)"),
        ("a.csv", "name,negative,notes\na,b,c\n", "the column 'notes' is not known; call it name, "),
        ("a.csv", "Thema,pinned\na,b\n", "the column 'Thema' is not known"),
        ("a.csv", "parent,names\na,b\n,x\n", r"a category has an empty name; .* \(line 3\)"),
        ("a.csv", "a,b;c\nd\n", "unclear whether ',' or ';' separates the cells"),
        ("a.csv", "parent,pinned\na,b\n", "the header has no column for the category; call it 'name'"),
        ("a.csv", DEEP, r"more than 100 levels deep \(line 102\)"),
    ],
)
def test_a_file_that_is_wrong_is_refused_by_its_name(tmp_path, name, contents, message):
    refuse(tmp_path, name, contents, rf"^{name}: .*{message}")


# Arbitrary contents.


def are_distinct(names: Sequence[str]) -> bool:
    try:
        as_seeds(names)
    except SeedError:
        return False
    return True


NAME = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=12).map(str.strip)


OF_ANOTHER_FORMAT = re.compile(r"#|[-*•–]\s|.*:$|[^:]+:\s+[\[{]")  # a comment, a bullet, YAML


@given(st.lists(NAME, min_size=1, max_size=6).filter(are_distinct))
def test_distinct_names_come_back_from_json_yaml_and_txt(names):
    plain = {name: (name,) for name in names}
    first = {"not numbered": ("not numbered",)}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        assert read(folder, "a.json", json.dumps(names)) == plain
        assert read(folder, "a.json", json.dumps({name: [] for name in names}, ensure_ascii=False)) == plain
        assert read(folder, "a.yaml", yaml.safe_dump(names)) == plain
        assert read(folder, "a.yml", yaml.safe_dump({name: [name] for name in names}, sort_keys=False)) == plain
        if not any(OF_ANOTHER_FORMAT.match(name) for name in names):
            assert read(folder, "a.txt", "\n".join(["not numbered", *names])) == first | plain
        if not any("_" in name for name in names):  # it joins words in such a file
            assert read(folder, "a.txt", "".join(f"{n}:{name}\n" for n, name in enumerate(names))) == plain


def test_the_released_code_joins_words_of_names_by_underscores(tmp_path):
    text = "0:hepatitis_a/b/c/e\n1:neoplasms_(cancer)\n"
    assert tuple(read(tmp_path, "keywords_0.txt", text)) == ("hepatitis a/b/c/e", "neoplasms (cancer)")
    assert tuple(read(tmp_path, "names.txt", "snake_case\n")) == ("snake_case",)


MARKS = [*"[]{}:,-?!&*#|>%@'\"\t \n\r", "\n- ", ": ", "%\n", "\n%\n", "---\n", "<<", "\\u", "\\ud800", "1\tx\n"]
WORDS = ["books", "Books", "1", "é", "a: [b]\n", "!!int ", "!!set ", "!!binary ", "!!omap ", "2024-01-01", "null", "~"]
CONTENTS = st.one_of(
    st.binary(max_size=60),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40).map(str.encode),
    st.lists(st.sampled_from(MARKS + WORDS), max_size=20).map(lambda parts: "".join(parts).encode()),
)


@given(st.sampled_from(FORMATS), CONTENTS)
def test_any_contents_give_names_or_a_seed_error(ending, contents):
    with tempfile.TemporaryDirectory() as folder, suppress(SeedError):
        found = read(Path(folder), f"a{ending}", contents)
        assert found
        assert all(name.strip() and names and all(map(str.strip, names)) for name, names in found.items())


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=3))
LISTS = st.lists(SCALARS | st.lists(SCALARS, max_size=3), max_size=4)
VALUES = SCALARS | LISTS | st.dictionaries(st.text(max_size=4), SCALARS | LISTS, max_size=4)


@given(VALUES)
def test_any_value_gives_names_or_a_seed_error(value):
    with suppress(SeedError):
        seeds = as_seeds(value)
        assert len(seeds.names) == len(value)


def test_a_category_may_have_pinned_and_negative_terms(tmp_path):
    given = {"space": {"names": ["outer space"], "pinned": "comet", "negative": ["moon"]}, "food": None}
    (tmp_path / "a.json").write_text(json.dumps(given))
    for seeds in (as_seeds(given), read_seeds(tmp_path / "a.json")):
        space, food = seeds.seeds
        assert (space.names, space.pinned, space.negative) == (("outer space",), ("comet",), ("moon",))
        assert (food.names, food.pinned, food.negative) == (("food",), (), ())


@pytest.mark.parametrize(
    ("given_parts", "message"),
    [
        ({"a": {"pinned": ["x"], "negative": ["x"]}}, "'x' is both pinned and negative in 'a'"),
        (
            {"a": {"pinned": ["Goal  line"], "negative": ["goal line"]}},
            "'goal line' is both pinned and negative in 'a'",
        ),
        ({"a": {"pinned": ["x"]}, "b": {"pinned": ["X"]}}, "'X' appears twice"),
        ({"a": {"pinned": [" "]}}, "category 1 has an empty name"),
    ],
)
def test_wishes_that_contradict_each_other_are_refused(given_parts, message):
    with pytest.raises(SeedError, match=message):
        as_seeds(given_parts)


def read_whole(folder: Path, name: str, contents: str) -> Seeds:
    (folder / name).write_text(contents, encoding="utf-8")
    return read_seeds(folder / name)


def read_or_refused(folder: Path, name: str, contents: str) -> tuple[Any, str]:
    """The seeds, and the sentence that refuses them."""
    try:
        return read_whole(folder, name, contents), ""
    except SeedError as error:
        return None, str(error)


def test_a_table_says_by_its_header_what_the_columns_are(tmp_path):
    seeds = read_whole(
        tmp_path,
        "a.csv",
        "negative,Category,pinned,description,examples,names\n"
        'moon,space,"comet, star",what is above,"A rocket; it flew.",outer space|cosmos\n'
        ",food,,,,\n",
    )
    space, food = seeds.seeds
    assert space.names == ("space", "outer space", "cosmos")
    assert (space.pinned, space.negative) == (("comet", "star"), ("moon",))
    assert (space.description, space.examples) == ("what is above", ("A rocket; it flew.",))
    assert food == Seed("food", ("food",))


def test_a_description_may_be_a_list_of_what_it_covers(tmp_path):
    seeds = read_whole(
        tmp_path, "a.yaml", "a: {description: [teeth, the mouth], examples: one text}\nb: {description: x}\n"
    )
    assert [seed.description for seed in seeds.seeds] == ["teeth, the mouth", "x"]
    assert seeds.seeds[0].examples == ("one text",)


def test_a_list_may_have_seeds_and_records():
    given_seeds = [Seed("a", ("a",), description="x"), {"name": "b", "names": ["c"]}, "d", {"path": "d > e"}]
    seeds = as_seeds(given_seeds)
    assert seeds.paths == (("a",), ("b",), ("d",), ("d", "e"))
    assert seeds.seeds[0] is given_seeds[0]
    assert seeds.parents == (-1, -1, -1, 2)


# Trees.


def test_paths_are_spelled_like_the_names_above():
    assert as_seeds([{"path": "Sport"}, {"path": "sport > Tennis"}]).labels == ("Sport", "Sport > Tennis")


def test_other_kinds_of_spaces_indent_an_outline(tmp_path):
    seeds = read_whole(tmp_path, "a.txt", "a\n\u00a0\u00a0b\n  c\n\u3000\u3000\u3000d\n")
    assert seeds.labels == ("a", "a > b", "a > c", "a > c > d")


def test_children_may_be_called_like_fields_in_a_mapping(tmp_path):
    seeds = read_whole(tmp_path, "a.yaml", "children: [kids]\nfamily:\n  parent: [mother, father]\n")
    assert seeds.labels == ("children", "family", "family > parent")


TREE = {"media": {"books": {}, "news": {"local": {}}}, "sport": {"news": {}}}
PATHS = (
    *(("media",), ("media", "books"), ("media", "news"), ("media", "news", "local")),
    *(("sport",), ("sport", "news")),
)


def below(value: Any) -> Any:
    """A tree with `children`, as mappings."""
    return {name: {"children": below(children)} if children else None for name, children in value.items()}


def listed(value: Any) -> Any:
    """A tree with `children`, as lists."""
    return [{"name": name, "children": listed(children)} if children else name for name, children in value.items()]


def outline(value: Any, indent: str, depth: int = 0) -> str:
    return "".join(indent * depth + name + "\n" + outline(each, indent, depth + 1) for name, each in value.items())


def paths_of(value: Any, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    return [path for name, each in value.items() for path in [(*above, name), *paths_of(each, (*above, name))]]


def as_files(value: Any) -> dict[str, str]:
    """A tree in every format."""
    paths = paths_of(value)
    leaves = [path for path in paths if not any(other[:-1] == path for other in paths)]
    return {
        "tabs.txt": outline(value, "\t"),
        "spaces.txt": "# a comment\n\n" + outline(value, "   "),
        "children.yaml": yaml.safe_dump(below(value), sort_keys=False, allow_unicode=True),
        "listed.yml": yaml.safe_dump(listed(value), sort_keys=False),
        "quanteda.yml": yaml.safe_dump(value, sort_keys=False),
        "children.json": json.dumps(below(value)),
        "listed.json": json.dumps(listed(value), indent="\t"),
        "paths.csv": "path\n" + "".join(f"{' > '.join(path)}\n" for path in paths),
        "leaves.csv": "path;pinned\n" + "".join(f"{'>'.join(path)};\n" for path in leaves),
        "parents.csv": "name,parent\n" + "".join(f"{path[-1]},{' > '.join(path[:-1])}\n" for path in paths),
        "edges.csv": "parent,child\n" + "".join(f"{' > '.join(path[:-1])},{path[-1]}\n" for path in paths),
        "records.json": json.dumps(as_value(as_seeds(value))),
    }


@pytest.mark.parametrize("name", as_files(TREE))
def test_every_format_reads_the_same_tree(tmp_path, name):
    seeds = read_whole(tmp_path, name, as_files(TREE)[name])
    assert seeds.paths == PATHS
    assert seeds.parents == (-1, 0, 0, 2, -1, 4)
    assert seeds.names == tuple(path[-1] for path in PATHS)
    assert seeds.is_tree


def test_a_parent_that_comes_after_its_child_is_moved_before_it(tmp_path):
    seeds = read_whole(tmp_path, "a.csv", "name,parent\nfood,\nlocal,news\nnews,media\nbooks,media\nmedia,\n")
    assert seeds.names == ("food", "media", "news", "local", "books")
    assert seeds.parents == (-1, -1, 1, 2, 1)


def test_a_nested_dictionary_may_have_words_beside_its_subcategories():
    seeds = as_seeds({"news": {"local": ["town", "village*"], "__": ["press"]}})
    assert as_dict(seeds) == {"news": ("news", "press"), "local": ("local", "town", "village*")}


def test_lines_that_are_all_indented_alike_are_no_tree(tmp_path):
    seeds = read_whole(tmp_path, "a.txt", "\tbooks\n\tfood\n")
    assert seeds.paths == (("books",), ("food",))
    assert seeds.parents == (-1, -1)
    assert not seeds.is_tree


def test_a_name_may_contain_the_mark_of_paths_unless_there_is_a_tree():
    assert as_seeds(["a > b", "c"]).names == ("a > b", "c")


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ((Seed("b", ("b",), path=("a", "b")), Seed("a", ("a",))), "'a > b' has no parent: add 'a' before it"),
        ((Seed("b", ("b",), path=("c",)),), "the path 'c' must end with the name 'b'"),
    ],
)
def test_trees_made_by_hand_are_checked_too(seeds, message):
    with pytest.raises(SeedError, match=message):
        Seeds(seeds)


WORD = st.text("abcdé", min_size=1, max_size=3)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Any]:
    tree: dict[str, Any] = {draw(WORD): {}}
    for name in draw(st.lists(WORD, max_size=10)):
        parent = draw(st.sampled_from([(), *paths_of(tree)]))
        if not parent or parent[-1] != name:
            level = tree
            for above in parent:
                level = level[above]
            level.setdefault(name, {})
    return tree


@settings(max_examples=40)
@given(trees())
def test_any_tree_is_the_same_in_every_format(tree):
    expected = as_seeds(tree)
    assert expected.paths == tuple(paths_of(tree))
    for seed, parent in zip(expected.seeds, expected.parents, strict=True):
        assert seed.path[:-1] == (expected.paths[parent] if parent >= 0 else ())
    with tempfile.TemporaryDirectory() as folder:
        for name, contents in as_files(tree).items():
            assert read_whole(Path(folder), name, contents) == expected, name


@given(st.lists(st.tuples(st.text(" \t", max_size=4), WORD), min_size=1, max_size=8))
def test_any_indentation_gives_a_tree_or_one_sentence_with_the_line(lines):
    contents = "".join(f"{indent}{name}\n" for indent, name in lines)
    with tempfile.TemporaryDirectory() as folder:
        seeds, refused = read_or_refused(Path(folder), "a.txt", contents)
    if refused:
        assert re.fullmatch(r"a\.txt: [^\n]+ \(line [1-8]\)", refused)
    else:
        assert seeds.names == tuple(name for _, name in lines)


CELLS = ["name", "parent", "path", "pinned", "category", "term", "a", "b", "a > b", ",", ";", "\n", '"', "# x", "#x"]


@given(st.lists(st.sampled_from(CELLS), max_size=24).map("".join))
def test_any_table_gives_categories_or_one_sentence(contents):
    with tempfile.TemporaryDirectory() as folder:
        seeds, refused = read_or_refused(Path(folder), "a.csv", contents)
    assert "\n" not in refused
    if not refused:
        assert as_seeds(as_value(seeds)) == seeds
        assert '"' in contents or not {"#x", "# x"} & set(seeds.names)


PARTS = st.fixed_dictionaries(
    {},
    optional={
        "description": st.one_of(WORD, st.lists(WORD, max_size=2)),
        "examples": st.lists(WORD, max_size=2),
        "negative": st.lists(WORD, max_size=2),
        "names": st.lists(WORD, max_size=2, unique=True),
    },
)


@given(st.dictionaries(WORD, PARTS, min_size=1, max_size=4))
def test_what_is_written_is_read_back(value):
    seeds = as_seeds(value)
    assert as_seeds(as_value(seeds)) == seeds
    assert as_seeds(as_records(seeds)) == seeds
    assert as_seeds(json.loads(json.dumps(as_value(seeds)))) == seeds


@pytest.mark.parametrize("children", [{"games": ["chess"]}, {"naems": ["x"], "football": ["y"]}, {"chicken": None}])
def test_children_whose_names_are_not_much_like_a_field_or_not_alone_are_children(children):
    assert as_seeds({"parent": children}).names == ("parent", *children)
