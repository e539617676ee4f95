"""Options shared by commands, and the documents, indexes and settings made from them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from seetopic.cli.messages import say
from seetopic.settings import DEFAULT, PRESETS, IndexSettings

if TYPE_CHECKING:
    from seetopic.classify import Trends
    from seetopic.index import Build, Index
    from seetopic.runtime import Progress

Command = TypeVar("Command", bound=Callable[..., Any])
_TEXT, _LOCAL = DEFAULT.index.text, DEFAULT.index.local


class _Place(click.Path):
    """A printable path; an empty one, as from an unset variable, does not mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty; give a file or folder", param, ctx)
        try:
            str(value).encode()
        except UnicodeEncodeError:
            self.fail(f"the name {str(value)!r} is not UTF-8; choose another", param, ctx)
        return super().convert(value, param, ctx)


PATH = _Place(path_type=Path)
JOBS = click.option(
    "--jobs",
    type=int,
    metavar="N",
    help="Number of worker processes; does not affect the result.  [default: all cores]",
)
ENGINE = click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Run on this machine or on a Ray cluster; the result is the same.",
)
ADDRESS = click.option(
    "--address",
    metavar="HOST:PORT",
    help="Address of the Ray cluster; use auto when running on one of its nodes.  [default: start one on this machine]",
)
MEMORY = click.option(
    "--memory", metavar="SIZE", help="Memory limit for building an index, such as 4GB.  [default: none]"
)
DEVICE = click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Device to compute vectors on; auto uses a GPU if there is one.",
)
CACHE = click.option(
    "--cache",
    type=PATH,
    metavar="DIR",
    help="Folder for cached vectors and indexes.  [default: SEETOPIC_CACHE, or the user cache folder]",
)
READING = (
    click.option(
        "--text-field",
        metavar="NAME",
        help="Field or column that holds the text.  [default: text, or the only one with text]",
    ),
    click.option(
        "--format",
        type=click.Choice(["txt", "md", "jsonl", "json", "csv", "tsv", "parquet", "xlsx", "arrow"]),
        help="File format.  [default: from the file name]",
    ),
    click.option("--delimiter", metavar="CHARACTER", help="Delimiter of a .csv file.  [default: detected]"),
    click.option("--encoding", metavar="NAME", help="Encoding of text files, such as cp1252.  [default: detected]"),
    click.option(
        "--on-error",
        type=click.Choice(["raise", "skip"]),
        default="raise",
        show_default=True,
        help="What to do with malformed records.",
    ),
)
READING_EVERY_ROW = (
    *READING[:-1],
    click.option(
        "--on-error",
        type=click.Choice(["raise", "skip"]),
        default="skip",
        show_default=True,
        help="What to do with malformed records: stop, or give them a row that says what is wrong.",
    ),
)
KEEP = click.option(
    "--keep",
    metavar="COLUMNS",
    help="Columns to carry along with the documents, separated by commas (id,date), or all for all but the text.",
)
MODEL = click.option(
    "--model",
    metavar="NAME|PATH",
    help="Language model: a folder or a Hugging Face model name.  [default: embedded all-MiniLM-L6-v2]",
)
READER = click.option(
    "--reader",
    metavar="NAME|PATH",
    help="Another language model to read documents and names; terms are ranked by --model.  [default: the same]",
)
INDEX_MODELS = (
    click.option("--model", metavar="NAME|PATH", help="New location of the index's language model, if it was moved."),
    click.option("--reader", metavar="NAME|PATH", help="New location of the index's reader, if it was moved."),
)
PRESET = click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    default="default",
    show_default=True,
    help="Method to use. Every preset except default trains vectors, which takes minutes on a CPU.",
)
MIN_COUNT = click.option(
    "--min-count",
    type=int,
    default=_TEXT.min_count,
    show_default=True,
    help="Leave out terms that occur less often than this.",
)
INDEXING = (
    MODEL,
    READER,
    MIN_COUNT,
    click.option(
        "--max-phrase-words",
        type=int,
        default=_TEXT.max_phrase_words,
        show_default=True,
        help="Maximum number of words in a phrase; 1 for no phrases.",
    ),
    click.option(
        "--language",
        metavar="CODES",
        default=_TEXT.language,
        show_default=True,
        help="Languages whose stop words are excluded from the terms: comma-separated codes (en or en,es), auto to "
        "detect them, or none.",
    ),
    click.option(
        "--known-phrases",
        type=PATH,
        metavar="FILE",
        help="Known phrases, one per line (titles, products, MeSH); phrase detection learns from them.",
    ),
    click.option(
        "--stop-words", type=PATH, metavar="FILE", help="Further words to exclude from the terms, one per line."
    ),
    click.option(
        "--max-documents",
        type=float,
        metavar="SHARE",
        default=_TEXT.max_documents,
        show_default=True,
        help="Leave out terms that occur in more than this share of the documents, such as 0.5.",
    ),
    click.option("--keep-case", is_flag=True, help="Distinguish case: Polish and polish are different terms."),
    click.option(
        "--window",
        type=int,
        default=_LOCAL.window,
        show_default=True,
        help="Number of terms on either side that count as context.",
    ),
    click.option("--rank", type=int, default=_LOCAL.rank, show_default=True, help="Dimensions of local vectors."),
    click.option(
        "--sample-words",
        type=int,
        default=DEFAULT.index.sample.words,
        show_default=True,
        help="Number of words that the language model reads from documents; 0 for none.",
    ),
    click.option(
        "--precision",
        type=click.Choice(["float32", "bfloat16"]),
        default="float32",
        show_default=True,
        help="Precision of the language model.",
    ),
    click.option(
        "--random-state", type=int, default=0, show_default=True, help="Seed for the random number generator."
    ),
    MEMORY,
    JOBS,
    ENGINE,
    ADDRESS,
    DEVICE,
    CACHE,
)
SHOWING = (
    click.option("--quiet", is_flag=True, help="Do not show progress."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
)
SEEDS = click.option(
    "--seeds",
    required=True,
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Category names: a .txt, .yaml, .json, .csv or .dic file. Names of several files are put together.",
)
JUDGEMENTS = click.option(
    "--judgements",
    type=PATH,
    metavar="FILE",
    help="Judgements of terms and documents, one JSON object per line; `seetopic ask --interactive` writes them.",
)
TOP = click.option(
    "--top", type=int, default=DEFAULT.discovery.top, show_default=True, help="Number of terms per topic."
)

TIME = click.option("--time", metavar="FIELD", help="Column of dates.")
BY = click.option(
    "--by",
    type=click.Choice(["day", "week", "month", "quarter", "year", "auto"]),
    default="auto",
    show_default=True,
    help="Length of a period; auto chooses one by the span of the dates and the number of documents.",
)
GROUP = click.option("--group", metavar="FIELD", help="Column of groups to compare, such as the source or author.")
DATES = click.option(
    "--dates",
    type=click.Choice(["day-first", "month-first"]),
    help="How to read ambiguous dates such as 3/4/2025.",
)
TIME_ZONE = click.option(
    "--time-zone",
    metavar="NAME",
    help="Convert times to this zone, such as Europe/Berlin.  [default: days as written; UTC for Unix seconds]",
)


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def open_index(source: str | Path, options: dict[str, Any]) -> Index:
    from seetopic.index import Index

    return Index.open(source, embedding_model=options["model"], reader=options["reader"], cache=options["cache"])


def require_index(source: str) -> None:
    """Refuse what is not an index, with how to get one."""
    from seetopic.corpus import refuse_topics
    from seetopic.errors import CorpusError
    from seetopic.index import is_index

    if is_index(source):
        return
    refuse_topics(Path(source))
    raise CorpusError(f"{source} is not an index; build one with `seetopic index {source} --out INDEX`")


def refuse_to_replace_inputs(targets: Iterable[Path], *inputs: Any) -> None:
    """Refuse to write over a file, or one of the documents, of an index or of topics, that a command reads."""
    from seetopic.runtime import refuse_to_replace

    refuse_to_replace(targets, (path for each in inputs if each is not None for path in _files_of(each)))


def _files_of(source: Any) -> list[Path]:
    from seetopic.corpus import Documents
    from seetopic.discovery import RESULTS
    from seetopic.index import is_index

    if isinstance(source, Documents):
        return source.paths()
    path = Path(source)
    if is_index(path):
        return [*path.iterdir()]
    if path.is_dir() or path.name in RESULTS:  # topics
        folder = path if path.is_dir() else path.parent
        return [folder / name for name in RESULTS]
    return [path]


def given_documents(source: str, options: dict[str, Any], keep: Sequence[str] = ()) -> Any:
    from seetopic.corpus import open_documents

    return open_documents(
        source,
        label_field=options.get("label_field"),
        keep=keep or kept_columns(options.get("keep")),
        told=say_note,
        **{name: options[name] for name in ("text_field", "on_error", "format", "delimiter", "encoding")},
    )


def kept_columns(keep: str | None) -> Any:
    """The columns of `--keep`; a name that contains a comma is in quotes, as in a CSV file."""
    if keep is None or keep == "all":
        return keep or ()
    return tuple(name.strip() for name in next(csv.reader([keep], skipinitialspace=True), []) if name.strip())


def cached_build(
    source: str, options: dict[str, Any], progress: Progress, names: Iterable[str] = (), keep: Sequence[str] = ()
) -> Build:
    from seetopic.index import plan_cached

    return plan_cached(given_documents(source, options, keep), names=names, **build_options(options, progress))


def build_options(options: dict[str, Any], progress: Progress) -> dict[str, Any]:
    return {
        "settings": _index_settings(options),
        "progress": progress,
        "warn": say_warning,
        "embedding_model": options["model"],
        "n_jobs": options["jobs"],
        **{name: options[name] for name in ("reader", "engine", "address", "device", "cache", "memory")},
    }


def _index_settings(options: dict[str, Any]) -> IndexSettings:
    settings = DEFAULT.index
    text = replace(
        settings.text,
        min_count=options["min_count"],
        max_phrase_words=options["max_phrase_words"],
        language=options["language"],
        lowercase=not options["keep_case"],
        known_phrases=_known_phrases(options),
        stop_words=_stop_words(options),
        max_documents=options["max_documents"],
    )
    local = replace(settings.local, window=options["window"], rank=options["rank"])
    sample = replace(settings.sample, words=options["sample_words"])
    rest = {name: options[name] for name in ("precision", "random_state")}
    return replace(settings, text=text, local=local, sample=sample, **rest)


def _known_phrases(options: dict[str, Any]) -> tuple[str, ...]:
    """Those in the file, and names given to `index`; an index built by `discover` must serve any names."""
    from seetopic.corpus import read_seeds
    from seetopic.text import phrases_of_names, read_known_phrases

    path, seeds = options["known_phrases"], options.get("seeds")
    known = read_known_phrases(path) if path else ()
    return tuple(sorted({*known, *(phrases_of_names(read_seeds(*seeds)) if seeds else ())}))


def _stop_words(options: dict[str, Any]) -> tuple[str, ...]:
    from seetopic.text import read_stop_words

    return () if options["stop_words"] is None else read_stop_words(options["stop_words"])


def show(result: Any, as_json: bool, print_result: Callable[[Any], None]) -> None:
    """Print a result as JSON or for people."""
    if as_json:
        click.echo(json.dumps(result.to_json(), ensure_ascii=False, indent=1))
    else:
        print_result(result)


def size_of(corpus: dict[str, Any]) -> str:
    """The size of an index, from its manifest."""
    from seetopic.runtime import quantity

    counts = {"document": corpus["documents"], "word": corpus["tokens"], "term": corpus["terms"]}
    return ", ".join(quantity(number, noun) for noun, number in counts.items())


def say_skipped(opened: Index) -> None:
    """Report skipped records."""
    skipped = opened.manifest["corpus"]["skipped"]
    if skipped:
        say(f"left out: {', '.join(f'{count} {reason}' for reason, count in skipped.items())}")


def say_doubts(opened: Index, names: Iterable[str] = ()) -> None:
    """Print the warnings of an existing index; a build prints its own, before its slow part."""
    say_warnings([*opened.manifest["corpus"]["warnings"], *opened.warnings_about(names)])


def say_warnings(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        say_warning(sentence)


def say_left_out(found: Trends) -> None:
    """Report rows that are not counted, with examples of unreadable dates."""
    if found.left_out:
        examples = f", such as {', '.join(map(repr, found.unreadable))}" if found.unreadable else ""
        say(f"left out: {', '.join(f'{number:,} {why}' for why, number in found.left_out.items())}{examples}")
    for note in found.notes:
        say_warning(note)


def say_note(sentence: str) -> None:
    say(f"note: {sentence}")


def say_warning(sentence: str) -> None:
    say(f"warning: {sentence}")


def say_unused(opened: Index, options: dict[str, Any]) -> None:
    """Report options that have no effect, because the index was built with other values."""
    built, context = opened.settings, click.get_current_context()
    made_with = {
        "min_count": built.text.min_count,
        "max_documents": built.text.max_documents,
        "max_phrase_words": built.text.max_phrase_words,
        "language": built.text.language,
        "keep_case": not built.text.lowercase,
        "window": built.local.window,
        "rank": built.local.rank,
        "sample_words": built.sample.words,
        "precision": built.precision,
        "random_state": built.random_state,
    }
    for name, value in made_with.items():
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and options[name] != value:
            option = "--" + name.replace("_", "-")
            say(
                f"note: {opened.folder} was built with {option} {value}, so {option} {options[name]} has no effect; "
                "pass it to `seetopic index`"
            )
    if options["stop_words"] is not None and _stop_words(options) != built.text.stop_words:
        say(
            f"note: {opened.folder} was built with other stop words, so --stop-words has no effect; "
            "pass it to `seetopic index`"
        )
