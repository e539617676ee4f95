"""Warnings about documents and names that the embedded language model cannot read come before any slow work."""

from __future__ import annotations

import json
import random
import shutil
import warnings
from collections.abc import Iterable
from pathlib import Path

import pytest

import commands
from commands import Result
from fake_model import directions
from planted import NAMES, planted_documents
from seetopic import Index, SeeTopic, discover
from seetopic.corpus.opening import open_documents
from seetopic.discovery.name_check import check, check_build
from seetopic.index import plan
from seetopic.settings import IndexSettings, SampleSettings, TextSettings
from seetopic.vectors.encoder.minilm import EMBEDDED_NAME, embedded_folder
from seetopic.vectors.readable import script_shares, warnings_about_names, warnings_about_text

# Sentences of each language, with a gap for words of two topics.
FRAMES = {
    "German": "Der {} und die {} sind in der Stadt, aber {} ist nicht mit {} gekommen.",
    "Cyrillic script": "Он не был там, где {} и {}, но потом {} была уже с {} в городе.",
    "Greek": "Το {} και η {} είναι στην πόλη, αλλά {} δεν ήρθε με {} χθες.",
    "Chinese or Japanese": "他们 昨天 去 了 {} 的 {} 那里 有 {} 和 {} 公园",
    "English": "The {} and the {} were in the town, but {} did not come with {} at all.",
}
WORDS = {
    "German": ["Fußball Torwart Tennis Stürmer Trainer Stadion", "Brot Käse Suppe Butter Zwiebel Knoblauch"],
    "Cyrillic script": ["футбол вратарь теннис тренер стадион матч", "хлеб сыр суп масло лук чеснок"],
    "Greek": ["ποδόσφαιρο τένις προπονητής γήπεδο αγώνας τέρμα", "ψωμί τυρί σούπα βούτυρο κρεμμύδι σκόρδο"],
    "Chinese or Japanese": ["足球 网球 教练 体育场 比赛 球员", "面包 奶酪 汤 黄油 洋葱 大蒜"],
    "English": ["café élan résumé naïveté tennis coach", "crème brûlée soufflé purée bread cheese"],
}
FOREIGN = [language for language in FRAMES if language != "English"]
MADE_FOR = "the embedded language model, all-MiniLM-L6-v2, was trained on English"
GERMAN = (
    f"100% of the text is in German, but {MADE_FOR}, so expect poor topics; "
    "choose a multilingual model with --model (in Python: `embedding_model` or `model`)"
)
RUSSIAN_NAMES = (
    f"the category names are mostly in Cyrillic script, such as 'спорт', but {MADE_FOR}; "
    "write them in English, or choose a multilingual model with --model (in Python: `embedding_model` or `model`)"
)
SMALL = IndexSettings(text=TextSettings(max_phrase_words=1), sample=SampleSettings(words=0))


def planted_in(language: str, size: int = 40, seed: int = 0) -> list[str]:
    """Documents on one of two topics, each with four of its words in a sentence of the language."""
    chance = random.Random(seed)
    topics = [words.split(" ") for words in WORDS[language]]
    return [FRAMES[language].format(*chance.sample(topics[number % 2], 4)) for number in range(size)]


def said_about(
    documents: Iterable[str], folder: Path, model: object = None, names: tuple[str, ...] = (), language: str = "auto"
) -> list[str]:
    """The warnings that a build gives before its slow part, which is skipped."""
    said: list[str] = []
    settings = IndexSettings(text=TextSettings(language=language))
    build = plan(
        open_documents(list(documents)),
        folder / "index",
        settings=settings,
        embedding_model=model,
        names=names,
        n_jobs=1,
        warn=said.append,
    )
    build.prepare()
    shutil.rmtree(build.folder)
    return said


# Documents


@pytest.mark.parametrize("language", FOREIGN)
def test_documents_in_another_language_or_script_are_said_by_one_sentence(language, tmp_path):
    (sentence,) = said_about(planted_in(language), tmp_path)
    assert f"of the text is in {language}, but {MADE_FOR}" in sentence
    assert "--model" in sentence


def test_the_sentence_says_how_much_is_wrong_and_what_to_change(tmp_path):
    assert said_about(planted_in("German"), tmp_path) == [GERMAN]


@pytest.mark.parametrize("texts", [planted_documents(60), planted_in("English")])
def test_english_is_silent_however_many_accents_it_has(texts, tmp_path):
    assert said_about(texts, tmp_path) == []


@pytest.mark.parametrize(("share", "is_said"), [(30, False), (50, False), (60, True)])
@pytest.mark.parametrize("language", ["German", "Cyrillic script"])
def test_a_mixture_is_said_only_if_most_of_it_is_foreign(language, share, is_said, tmp_path):
    # Cyrillic sentences are a little shorter than English ones, so half of the documents is less than half of the text.
    texts = planted_in(language, share) + planted_in("English", 100 - share)
    assert bool(said_about(texts, tmp_path)) is is_said


def test_languages_and_scripts_count_together(tmp_path):
    texts = planted_in("German", 35) + planted_in("Cyrillic script", 35) + planted_in("English", 30)
    (sentence,) = said_about(texts, tmp_path)
    assert "of the text is in German or Cyrillic script, but" in sentence


def test_a_few_foreign_documents_among_many_without_function_words_are_silent(tmp_path):
    titles = [f"camera lens number {number} black leather case" for number in range(97)]
    assert said_about(titles + planted_in("German", 3), tmp_path) == []


@pytest.mark.parametrize("language", ["de", "en", "en,es", "none"])
def test_what_the_function_words_are_taken_from_does_not_matter(language, tmp_path):
    assert said_about(planted_in("German"), tmp_path, language=language) == [GERMAN]
    assert said_about(planted_documents(60), tmp_path, language=language) == []


@pytest.mark.parametrize("model", [directions, {"fußball": [1.0, 0.0], "brot": [0.0, 1.0]}, str(embedded_folder())])
def test_a_model_of_the_users_own_is_never_doubted(model, tmp_path):
    assert said_about(planted_in("German"), tmp_path, model=model) == []
    assert said_about(planted_in("English"), tmp_path, model=model, names=("спорт", "еда")) == []


def test_the_embedded_model_is_doubted_also_where_it_is_named(tmp_path):
    assert said_about(planted_in("German"), tmp_path, model=EMBEDDED_NAME) == [GERMAN]


def test_the_shares_of_scripts_are_of_letters():
    assert script_shares([("abc", 2), ("где", 1), ("2012", 0)]) == {"Cyrillic script": 1 / 3}
    assert script_shares([("naïve", 1), ("ªº", 1), ("µm", 1)]) == {}
    assert script_shares([]) == {}


def test_at_most_three_languages_are_named_the_largest_first():
    shares = {"en": 0.1, "de": 0.1, "fr": 0.3, "it": 0.2, "nl": 0.3 - 1e-9}
    (sentence,) = warnings_about_text({}, shares)
    assert sentence.startswith("90% of the text is in French, Dutch or Italian, but")


# Names


@pytest.mark.parametrize(
    "names",
    [
        ["café culture", "crème brûlée", "naïve art", "Zürich"],
        ["US", "UN", "WHO", "β-blockers", "α"],
        ["politics", "спорт"],
        ["war", "die", "La Liga", "El Niño"],
        ["café culture", "schadenfreude", "el niño"],
        ["van der Waals forces", "Tour de France", "São Paulo", "Rio de Janeiro", "Zeitgeist"],
        ["type i diabetes", "vitamin e deficiency"],
        ["Kunst und Kultur", "arts and culture", "Sport und Spiel", "sports and games"],  # as many in English
        ["Kunst und Kultur", "Sport und Spiel", "politics", "music", "film"],
        ["2012", "⚽🏀", "!?!"],
        [],
    ],
)
def test_names_that_may_be_english_are_silent(names):
    assert warnings_about_names(names) == []


@pytest.mark.parametrize(
    ("names", "script"),
    [
        (["политика", "спорт"], "Cyrillic script"),
        (["πολιτική"], "Greek"),
        (["体育", "天文", "food"], "Chinese or Japanese"),
        (["정치"], "Korean"),
        (["ქართული"], "a script other than Latin"),
        (["спорт", "еда", "πολιτική"], "Cyrillic script or Greek"),
        (["Politik und Regierung", "Fußball und Sport"], "German"),
        (["Politik und Regierung", "Kunst und Kultur", "Bücher", "Wirtschaft"], "German"),
        (["gobierno y política", "fútbol y deportes", "economía y negocios", "el cine y la música"], "Spanish"),
        (["politique et gouvernement", "arts et culture", "santé des enfants"], "French"),
        (["politikk og regjering", "kunst og kultur"], "Danish or Norwegian"),
    ],
)
def test_names_mostly_in_another_language_are_said(names, script):
    (sentence,) = warnings_about_names(names)
    assert sentence.startswith(f"the category names are mostly in {script}, such as {names[0]!r}, but {MADE_FOR}")


def test_names_are_said_with_the_documents_words_and_only_where_these_are_readable(tmp_path):
    names = ("спорт", "еда")
    assert said_about(planted_in("English"), tmp_path, names=names) == [RUSSIAN_NAMES]
    (sentence,) = said_about(planted_in("Cyrillic script"), tmp_path, names=names)
    assert "of the text is" in sentence


# In Python


def recorded(work) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        work()
    return seen


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Index:
    with pytest.warns(UserWarning, match="of the text is in German"):
        return Index.build(planted_in("German"), tmp_path_factory.mktemp("german") / "index", settings=SMALL, n_jobs=1)


@pytest.mark.slow
def test_a_build_warns_once_at_the_callers_line_before_the_slow_part(tmp_path):
    stages: list[str] = []

    def progress(stage: str, done: int, total: int | None) -> None:
        stages.append(stage)

    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="of the text is in German"):
                Index.build(planted_in("German"), tmp_path / "index", settings=SMALL, n_jobs=1, progress=progress)
        Index.build(planted_in("German"), tmp_path / "index", settings=SMALL, n_jobs=1)

    (warning,) = recorded(work)
    assert (str(warning.message), warning.category, warning.filename) == (GERMAN, UserWarning, __file__)
    assert set(stages) == {"reading documents"}


@pytest.mark.slow
def test_it_stays_visible_in_the_index_and_is_said_again_of_one_that_is_ready(german):
    assert german.manifest["corpus"]["warnings"] == [GERMAN]
    again = recorded(lambda: Index.build(planted_in("German"), german.folder, settings=SMALL, n_jobs=1))
    assert [str(warning.message) for warning in again] == [GERMAN]


@pytest.mark.slow
def test_an_update_says_it_once_most_of_the_documents_are_foreign(tmp_path):
    index = Index.build(planted_in("English", 20), tmp_path / "index", settings=SMALL, n_jobs=1)
    (warning,) = recorded(lambda: index.update(planted_in("German", 40), n_jobs=1))
    assert str(warning.message).startswith("67% of the text is in German")
    assert warning.filename == __file__


@pytest.mark.slow
def test_a_fit_warns_once_of_documents_or_names():
    english, small = planted_in("English"), {"n_jobs": 1, "min_count": 2}
    (about_text,) = recorded(lambda: SeeTopic(["Fußball", "Küche"], **small).fit(planted_in("German")))
    (about_names,) = recorded(lambda: SeeTopic(["спорт", "еда"], **small).fit(english))
    assert (str(about_text.message), str(about_names.message)) == (GERMAN, RUSSIAN_NAMES)
    assert {about_text.filename, about_names.filename} == {__file__}


@pytest.mark.slow
def test_new_names_on_a_ready_index_are_said_and_those_of_before_are_not(index, model):
    (warning,) = recorded(lambda: discover(index, ["спорт", "еда", "food"]))
    assert str(warning.message) == RUSSIAN_NAMES
    renamed: list[SeeTopic] = []
    assert len(recorded(lambda: renamed.append(model.with_seeds(["спорт", "еда"])))) == 1
    assert recorded(lambda: renamed[0].accept("спорт", "tennis")) == []
    ready = dict(zip(["спорт", "еда"], index.encode_names(NAMES[:2]), strict=True))
    assert recorded(lambda: SeeTopic(["спорт", "еда"]).fit(index, seed_embeddings=ready)) == []


@pytest.mark.slow
def test_a_check_holds_what_is_said(index, german, tmp_path):
    assert check(index, ["спорт"]).warnings == (RUSSIAN_NAMES,)
    assert check(index, NAMES).warnings == ()
    assert check(german, ["спорт"]).warnings == (GERMAN,)
    build = plan(open_documents(planted_in("English")), tmp_path / "index", settings=SMALL, n_jobs=1)
    with pytest.warns(UserWarning, match="category names are mostly in Cyrillic script"):
        assert check_build(build, ["спорт"]).warnings == (RUSSIAN_NAMES,)


# On the command line


def run_here(*arguments: str | Path, cwd: Path) -> Result:
    done = commands.run_here(*arguments, "--jobs", "1", "--cache", "cache", "--quiet", "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.slow
def test_every_command_says_it_in_one_line(tmp_path, new_cache):
    new_cache(tmp_path / "cache")
    (tmp_path / "docs.txt").write_text("\n".join(planted_in("German")))
    (tmp_path / "english.txt").write_text("\n".join(planted_in("English")))
    (tmp_path / "names.txt").write_text("спорт\nеда\n")
    names, quick = ("--seeds", "names.txt"), ("--sample-words", "0")
    said = [
        run_here("check", "docs.txt", *names, *quick, cwd=tmp_path).stderr,  # no index yet
        run_here("discover", "docs.txt", *names, *quick, cwd=tmp_path).stderr,
        run_here("discover", "docs.txt", *names, *quick, cwd=tmp_path).stderr,  # from the cache
        run_here("check", "docs.txt", *names, *quick, cwd=tmp_path).stderr,
        run_here("index", "docs.txt", "--out", "index", *quick, cwd=tmp_path).stderr,
        run_here("discover", "index", *names, cwd=tmp_path).stderr,
        run_here("check", "index", *names, cwd=tmp_path).stderr,
    ]
    assert said == [f"warning: {GERMAN}\n"] * len(said)
    updated = run_here("update", "index", "--add", "english.txt", cwd=tmp_path)
    assert updated.stderr == ""  # half of it is English now
    assert json.loads(updated.stdout)["corpus"]["warnings"] == []
    told = [run_here(command, "english.txt", *names, *quick, cwd=tmp_path).stderr for command in ("check", "discover")]
    told += [run_here(command, "index", *names, cwd=tmp_path).stderr for command in ("check", "discover")]
    assert told == [f"warning: {RUSSIAN_NAMES}\n"] * len(told)


def test_no_line_of_the_command_line_is_cut():
    longest = warnings_about_names(["спорт" * 30])[0]
    assert len(f"warning: {longest}") <= 300
