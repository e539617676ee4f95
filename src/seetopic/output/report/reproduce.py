"""How to reproduce the topics, and how to cite them."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

from seetopic.corpus import HEADERS, Seed, Seeds, as_value
from seetopic.discovery import Query, Topics
from seetopic.settings import DEFAULT, PRESETS, as_json
from seetopic.vectors import EMBEDDED_NAME

_INDEX_FLAGS = {
    ("text", "min_count"): "--min-count",
    ("text", "max_phrase_words"): "--max-phrase-words",
    ("text", "language"): "--language",
    ("local", "window"): "--window",
    ("local", "rank"): "--rank",
    ("sample", "words"): "--sample-words",
    ("precision",): "--precision",
    ("random_state",): "--random-state",
}
_SWITCHES = {("text", "lowercase"): "--keep-case"}
_DISCOVERY_FLAGS = {("top",): "--top"}
_DISCOVERY_SWITCHES = {("merge_variants",): "--keep-variants"}

JUDGEMENTS_FILE = "judgements.jsonl"  # of judgements that were learned from, if there are any
UNNAMED = "documents"  # name of a corpus that did not come from a file

CITATION = """@inproceedings{zhang-etal-2022-seed,
  title     = {Seed-Guided Topic Discovery with Out-of-Vocabulary Seeds},
  author    = {Zhang, Yu and Meng, Yu and Wang, Xuan and Wang, Sheng and Han, Jiawei},
  booktitle = {Proceedings of the 2022 Conference of the North American Chapter of the Association
               for Computational Linguistics: Human Language Technologies (NAACL)},
  year      = {2022}
}"""


def names_file(topics: Topics, seeds: Seeds | None) -> tuple[str, str]:
    """The file of names and its content: plain text if only names were given."""
    asked = seeds or Seeds(tuple(Seed(topic.name, topic.names) for topic in topics))
    # A plain file has one name per line, and some first words and characters have a meaning.
    if all(seed == Seed(seed.name, (seed.name,)) and _is_plain(seed.name) for seed in asked.seeds):
        return "names.txt", "\n".join(asked.names)
    return "names.json", json.dumps(as_value(asked), ensure_ascii=False, indent=1)


def _is_plain(name: str) -> bool:
    return name.isprintable() and name[:1].isalpha() and ":" not in name and name.casefold() not in HEADERS


@dataclass(frozen=True)
class Origin:
    """What is known about the origin of the documents, besides the name of the corpus."""

    text_field: str | None = None  # of a table, if not the default one
    index: str | None = None  # the folder of an existing index, if there is nothing else
    demo: bool = False  # the articles included in seetopic


_USUAL_MODEL = ("model", EMBEDDED_NAME)
NAMED = Origin()  # known only by its name


def commands(topics: Topics, seeds_file: str, origin: Origin = NAMED) -> str | None:
    """The commands that reproduce the topics; None if they have no option for a setting made in Python."""
    made = topics.made_with
    if origin.demo or not {"index", "discovery"} <= set(made.get("settings", {})):
        return None  # the documents are not in a file, or another method found the topics
    preset = made["preset"] if made["preset"] in PRESETS else "default"
    chosen = PRESETS[preset]
    index = _flags(made["settings"]["index"], as_json(chosen.index), _INDEX_FLAGS, _SWITCHES)
    found = _flags(made["settings"]["discovery"], as_json(chosen.discovery), _DISCOVERY_FLAGS, _DISCOVERY_SWITCHES)
    models = {kind: made[kind] for kind in ("model", "reader") if kind in made}
    if index is None or found is None or any(each.get("fingerprint") is None for each in models.values()):
        return None
    named_models = {kind: each["name"] for kind, each in models.items() if (kind, each["name"]) != _USUAL_MODEL}
    model = [option for kind, name in named_models.items() for option in (f"--{kind}", name)]
    skipped = ["--on-error", "skip"] if set(made["corpus"].get("skipped", {})) - {"empty"} else []
    named, *added = _named(made["corpus"])
    column = [] if origin.text_field is None else ["--text-field", origin.text_field]
    build = ["seetopic", "index", named, "--out", "index", *column, *skipped, *model, *index]
    more = [option for name in added for option in ("--add", name)]
    update = ["seetopic", "update", "index", *more, *column, *skipped]
    before = [build, update] if added else [build]
    chosen_preset = [] if preset == "default" else ["--preset", preset]
    ready = origin.index or "index"
    judged = ["--judgements", JUDGEMENTS_FILE] if "judgements" in made else []
    run = ["seetopic", "discover", ready, "--seeds", seeds_file, *judged, *chosen_preset, *found, "--out", "topics"]
    return "\n".join(shlex.join(words) for words in ([run] if origin.index else [*before, run]))


def _named(corpus: dict[str, Any]) -> list[str]:
    """The documents of the build, and of later updates."""
    names = [corpus["name"], *(part["name"] for part in corpus.get("parts", [])[1:])]
    return ["DOCS" if name == UNNAMED else name for name in names]


def _flags(
    made: dict[str, Any], usual: dict[str, Any], flags: dict[Any, str], switches: dict[Any, str]
) -> list[str] | None:
    """The settings that differ from a preset, as options; None if one of them has no option."""
    options: list[str] = []
    for path, value in _differences(made, usual):
        if path in flags:
            options += [flags[path], str(value)]
        elif path in switches:
            options.append(switches[path])
        elif path == ("text", "known_phrases"):
            options += ["--known-phrases", "phrases.txt"]
        else:
            return None
    return options


def _differences(made: Any, usual: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    if isinstance(made, dict) and isinstance(usual, dict):
        keys = [key for key in made if key in usual or made[key] is not None]
        return [found for key in keys for found in _differences(made[key], usual.get(key), (*path, key))]
    same = (
        list(made) == list(usual)
        if isinstance(made, list | tuple) and isinstance(usual, list | tuple)
        else made == usual
    )
    return [] if same else [(path, made)]


def python_script(query: Query, origin: Origin = NAMED) -> str:
    """The same in Python, with every setting that is not the default."""
    own = "" if query.settings == DEFAULT.discovery else f", settings={query.settings!r}"
    judged = f", judgements={JUDGEMENTS_FILE!r}" if len(query.judgements) else ""
    usual = "settings=" not in _opened(query, origin) and not own
    lines = [
        "from seetopic import Index, discover",
        *([] if usual else ["from seetopic.settings import *"]),
        *(["from seetopic.corpus import demo_documents"] if origin.demo else []),
        "",
        f"index = {_opened(query, origin)}",
        f"topics = discover(index, {as_value(query.seeds)!r}{judged}{own})",
        "topics.save('topics')",
    ]
    return "\n".join(lines)


def _opened(query: Query, origin: Origin) -> str:
    """The expression that builds or opens the index."""
    if origin.index is not None:
        return f"Index.open({origin.index!r})"
    corpus = query.index.manifest["corpus"]
    options = [] if origin.text_field is None else [f"text_field={origin.text_field!r}"]
    options += ['on_error="skip"'] if set(corpus["skipped"]) - {"empty"} and not origin.demo else []
    options += [] if query.index.settings == DEFAULT.index else [f"settings={query.index.settings!r}"]
    documents = "demo_documents()" if origin.demo else repr(corpus["name"])
    built = f"Index.build({', '.join([documents, repr('index'), *options])})"
    read = [option for option in options if not option.startswith("settings=")]
    more = [f".update({', '.join([repr(part['name']), *read])})" for part in corpus["parts"][1:]]
    return "".join([built, *more])
