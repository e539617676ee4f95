"""Questions to a person, in the terminal or as JSON: `ask`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seetopic.cli.options import (
    CACHE,
    DEVICE,
    INDEX_MODELS,
    JUDGEMENTS,
    SEEDS,
    SHOWING,
    open_index,
    require_index,
    say_warning,
    with_options,
)
from seetopic.errors import SettingsError

if TYPE_CHECKING:
    from seetopic.corpus import Judgement, Judgements, Seeds
    from seetopic.discovery import Discovery, Question
    from seetopic.index import Index

_ROUND = 10  # answers after which everything is learned again
_LISTED = 9  # categories that a digit chooses


@click.command()
@click.argument("source", metavar="INDEX")
@SEEDS
@JUDGEMENTS
@click.option("--number", type=int, default=20, show_default=True, help="Number of questions.")
@click.option(
    "--about",
    type=click.Choice(["both", "documents", "terms"]),
    default="both",
    show_default=True,
    help="What to ask about.",
)
@click.option("--interactive", is_flag=True, help="Ask in the terminal, and add the answers to the --judgements file.")
@click.option("--by", default="", metavar="NAME", help="Your name, stored with each answer.")
@with_options(*INDEX_MODELS, DEVICE, CACHE, *SHOWING)
def ask(
    source: str,
    seeds: tuple[Path, ...],
    judgements: Path | None,
    number: int,
    about: Any,
    interactive: bool,
    by: str,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """List the questions whose answers would improve the topics of INDEX most.

    With --interactive, each question is answered with one key, and after every ten answers, the topics are recomputed.
    """
    from seetopic.corpus import Judgements, read_judgements, read_seeds
    from seetopic.discovery import ask as questions_for
    from seetopic.discovery import teaching_report

    asked = read_seeds(*seeds)
    if interactive and judgements is None:
        raise SettingsError("--interactive needs a file for the answers; give --judgements FILE")
    require_index(source)
    known = Judgements()
    if judgements is not None and (judgements.exists() or not interactive):  # the first answer creates a missing file
        known = read_judgements(judgements)
    opened = open_index(source, options)
    if interactive:
        assert judgements is not None
        with _keys() as pressed:
            return _Session(opened, asked, judgements, by, about, options["device"], pressed).run(known, number)
    run = _run(opened, asked, known, options["device"])
    for sentence in run.query.settled.contradictions:
        say_warning(f"contradiction: {sentence}")
    questions = questions_for(run, number, about)
    if as_json:
        click.echo(json.dumps([each.to_json() for each in questions], ensure_ascii=False, indent=1))
        return None
    if len(known) and not quiet:
        click.echo("\n".join(teaching_report(run).sentences()) + "\n")
    for place, each in enumerate(questions, start=1):
        click.echo(f"{place:>3}. {each.category}: {_shown(each)}\n     {each.reason}")
    return None


def _run(index: Index, seeds: Seeds, judgements: Judgements, device: str) -> Discovery:
    from seetopic.discovery import run_of

    return run_of(index, seeds, device=device, judgements=judgements)


def _shown(question: Question) -> str:
    """The term or the passage, in which telling terms are marked."""
    if question.term is not None:
        return f"the term {click.style(question.term, bold=True)}"
    words = {word for term in question.terms for word in term.split(" ")}
    return " ".join(click.style(word, bold=True) if word in words else word for word in question.text.split(" "))


class _Session:
    """A conversation: each answer is stored before the next question is shown."""

    def __init__(
        self, index: Index, seeds: Seeds, path: Path, by: str, about: Any, device: str, pressed: Callable[[], str]
    ) -> None:
        self.index, self.seeds, self.path, self.by, self.about, self.device = index, seeds, path, by, about, device
        self.pressed, self.stopped = pressed, False

    def run(self, known: Judgements, number: int) -> None:
        from seetopic.discovery import ask as questions_for
        from seetopic.discovery import teaching_report
        from seetopic.runtime import quantity

        current = _run(self.index, self.seeds, known, self.device)
        answered = 0
        while answered < number:
            questions = questions_for(current, min(_ROUND, number - answered), self.about)
            given = self._round(questions, answered, number)
            known = known.plus(each for each in given if each is not None)
            if not given:
                break
            answered += len(given)
            earlier, current = current.topics, _run(self.index, self.seeds, known, self.device)
            click.echo("\n" + "\n".join(teaching_report(current, earlier).sentences()) + "\n")
            if self.stopped:
                break
        click.echo(f"{self.path}: {quantity(len(known), 'judgement')}")

    def _round(self, questions: list[Question], answered: int, number: int) -> list[Judgement | None]:
        """The answers to some questions, None for skipped ones; fewer if the person stops."""
        given: list[Judgement | None] = []
        while len(given) < len(questions):
            question = questions[len(given)]
            click.echo(f"\n[{answered + len(given) + 1}/{number}] {_shown(question)}\n    {question.reason}")
            key = self._key(question, bool(given))
            if key == "q":
                self.stopped = True
                break
            if key == "u":
                self._take_back(given.pop())
                continue
            given.append(self._answer(question, key))
        return given

    def _key(self, question: Question, can_undo: bool) -> str:
        keys = {"y": f"yes, {question.category}", "n": f"not {question.category}", "0": "none of the categories"}
        if question.document is not None:
            listed = enumerate(question.likely[:_LISTED], start=1)
            keys |= {str(place): name for place, name in listed if name != question.category}
        keys |= {"s": "skip"} | ({"u": "undo"} if can_undo else {}) | {"q": "quit"}
        click.echo("    " + "  ".join(f"{click.style(key, bold=True)} {name}" for key, name in keys.items()))
        while (key := self.pressed()) not in keys:
            click.echo(f"    {key!r} is not one of {' '.join(keys)}")
        return key

    def _answer(self, question: Question, key: str) -> Judgement | None:
        from seetopic.corpus import Judgement, append_judgements

        if key == "s":
            return None
        category = {"y": question.category, "n": question.category, "0": None}.get(key, "")
        if category == "":
            category = question.likely[int(key) - 1]
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        answer = Judgement(category, question.term, question.document, key != "n", self.by, at)
        append_judgements(self.path, [answer])
        return answer

    def _take_back(self, answer: Judgement | None) -> None:
        from seetopic.corpus import read_judgements, write_judgements

        if answer is not None:
            write_judgements(self.path, read_judgements(self.path).without(answer))


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """A function that returns the next key; a line of input if this is not a terminal. The end of the input quits.

    Keys pressed while topics are learned are not lost, as they would be if the terminal were switched for each key.
    """
    if not sys.stdin.isatty():
        yield lambda: (sys.stdin.readline() or "q").strip().lower()
        return
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield lambda: click.getchar().lower()
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSANOW)
        yield lambda: (sys.stdin.read(1) or "q").lower()
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
