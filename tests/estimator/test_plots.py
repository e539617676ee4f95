"""What a fitted model can show: figures and a report, each with one call, before and after saving."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fake_model import directions
from planted import NAMES
from seetopic import SeeTopic
from seetopic.discovery.run import run_of
from seetopic.errors import EncoderError, OutputError, SeedError, SeeTopicError, SettingsError
from seetopic.estimator.estimator import NotFitted
from seetopic.estimator.plots import Pictures
from seetopic.output import charts
from seetopic.output.charts import Figure
from seetopic.output.report import report_html

METHODS = {
    "visualize_barchart": charts.barchart,
    "visualize_topics": charts.topics_map,
    "visualize_documents": charts.documents_map,
    "visualize_heatmap": charts.heatmap,
    "visualize_term_rank": charts.term_rank,
}
every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(scope="module")
def model(index) -> SeeTopic:
    return SeeTopic(NAMES).fit(index)


@pytest.fixture(scope="module")
def loaded(model: SeeTopic, tmp_path_factory: pytest.TempPathFactory) -> SeeTopic:
    folder = tmp_path_factory.mktemp("saved") / "model"
    model.save(folder)
    return SeeTopic.load(folder)


def all_drawn(model: SeeTopic) -> list[Figure]:
    return [getattr(model, method)() for method in METHODS]


@every_method
def test_a_model_draws_what_the_function_draws_of_its_run(model, index, method):
    assert getattr(model, method)() == METHODS[method](run_of(index, NAMES))


def test_a_loaded_model_draws_the_same_to_the_last_byte(model, loaded):
    assert all_drawn(loaded) == all_drawn(model)


def test_nothing_is_sought_again(loaded, monkeypatch):
    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("seetopic.discovery.run.discover_terms", never)
    monkeypatch.setattr("seetopic.index.index.encoder_for", never)
    assert all_drawn(loaded)


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.with_seeds(["meals", "planets", "ball games", "weather"]),
        lambda model: model.accept("outer space", "comet"),
        lambda model: model.reject(0, ["tennis"]),
    ],
    ids=["with_seeds", "accept", "reject"],
)
def test_a_changed_model_draws_its_own_topics(model, change: Callable[[SeeTopic], SeeTopic]):
    changed = change(model)
    bars = changed.visualize_barchart()
    for topic in changed.topics_:
        assert topic.name.replace("&", "&amp;") in bars.drawn
        assert all(f">{term}</text>" in bars.drawn for term in topic)
    assert changed.visualize_topics() != model.visualize_topics()


def test_the_options_reach_the_figures(model):
    by_number, by_name = model.visualize_barchart([1], top=3), model.visualize_barchart(["cooking & cuisine"], top=3)
    assert by_number == by_name == charts.barchart(model.topics_, topics=[1], top=3)
    for single in (1, "cooking & cuisine"):
        assert model.visualize_barchart(single, top=3) == by_number
    assert model.visualize_heatmap(by="documents").title == "Documents shared by topics"
    assert model.visualize_documents(documents=10).drawn.count("<circle") == 10
    assert model.visualize_term_rank(log=False) != model.visualize_term_rank()
    for method in METHODS:
        assert getattr(model, method)(width=400).width <= 400


@pytest.mark.parametrize(
    ("draw", "error", "sentence"),
    [
        (lambda model: model.visualize_barchart(["weather"]), SeedError, "there is no topic 'weather'"),
        (lambda model: model.visualize_barchart([3]), SeedError, "there is no topic 3"),
        (lambda model: model.visualize_barchart([]), SettingsError, "must be one or more numbers"),
        (lambda model: model.visualize_topics(width=3), SettingsError, "`width` is 3"),
        (lambda model: model.visualize_heatmap(by="colour"), SettingsError, "`by` is 'colour'"),
    ],
)
def test_a_users_mistake_is_one_sentence(model, draw, error, sentence):
    with pytest.raises(error, match=re.escape(sentence)):
        draw(model)


@pytest.mark.parametrize("method", [*METHODS, "write_report"])
def test_a_model_must_be_fitted_first(method, tmp_path):
    arguments = [tmp_path] if method == "write_report" else []
    with pytest.raises(NotFitted, match="call `fit`"):
        getattr(SeeTopic(NAMES), method)(*arguments)


@pytest.mark.parametrize("ending", [".svg", ".html", ".png"])
def test_a_figure_is_saved_as_its_files_name_says(model, tmp_path, ending):
    model.visualize_term_rank().save(tmp_path / f"figure{ending}")
    assert (tmp_path / f"figure{ending}").stat().st_size > 1000


def test_the_report_is_the_functions_own(model, loaded, index, tmp_path):
    path = model.write_report(tmp_path / "report")
    assert path == tmp_path / "report" / "report.html"
    assert path.read_text() == report_html(run_of(index, NAMES))
    assert loaded.write_report(tmp_path / "again").read_bytes() == path.read_bytes()


def test_the_report_quotes_the_documents_of_a_fit_and_of_a_loaded_model(documents, tmp_path):
    marked = [text.replace("planet", "PLANET") for text in documents]
    model = SeeTopic(["planet", "tomato", "goal"], embedding_model=directions, n_jobs=1).fit(marked)
    model.save(tmp_path / "model")
    for each in (model, SeeTopic.load(tmp_path / "model")):
        assert "PLANET" in each.write_report(tmp_path / "report").read_text()


# Without the language model


def foreign(documents: list[str], names: list[str], folder: Path) -> SeeTopic:
    """A model with a function as language model, loaded without it."""
    SeeTopic(names, embedding_model=directions, n_jobs=1).fit(documents).save(folder)
    return SeeTopic.load(folder)


def test_figures_need_no_language_model(documents, tmp_path):
    model = foreign(documents, ["sport", "soup"], tmp_path / "model")
    assert len(all_drawn(model)) == len(METHODS)
    assert model.write_report(tmp_path).exists()


def test_a_name_that_was_made_a_term_asks_for_the_language_model_again(documents, tmp_path):
    rare = [*documents, "A quokka, and a soup."]
    model = foreign(rare, ["quokka", "soup"], tmp_path / "model")
    assert model.topics_[0].terms[0].term == "quokka"
    assert model.visualize_barchart()
    with pytest.raises(EncoderError, match=r"SeeTopic\.load\(folder, embedding_model=\.\.\.\)"):
        model.visualize_topics()
    again = SeeTopic.load(tmp_path / "model", embedding_model=directions)
    assert "quokka" in again.visualize_topics().drawn


def edited(folder: Path, change: Callable[[dict], None]) -> SeeTopic:
    """A loaded model whose topics were edited by hand, with a corrected checksum."""
    import hashlib

    topics, about = folder / "topics.json", folder / "model.json"
    value = json.loads(topics.read_text())
    change(value)
    topics.write_text(json.dumps(value))
    told = json.loads(about.read_text())
    told["files"]["topics.json"] = hashlib.sha256(topics.read_bytes()).hexdigest()
    about.write_text(json.dumps(told))
    return SeeTopic.load(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value["topics"][0]["terms"][0].update(term="<script>"),
        lambda value: value["topics"][0]["terms"][0].update(variants=["no such term"]),
        lambda value: value["made_with"].clear(),
        lambda value: value["made_with"]["corpus"].pop("tokens"),
        lambda value: value["made_with"]["corpus"].update(documents="<b>"),
        lambda value: value["made_with"]["corpus"].update(parts=[{"name": 1}, {}]),
        lambda value: value["made_with"].update(settings=[]),
        lambda value: value["made_with"]["settings"].update(discovery={"sorting": 3}),
        lambda value: value["made_with"]["settings"]["discovery"].update(top=-1),
    ],
    ids=[
        "unknown term",
        "unknown variant",
        "nothing said",
        "no words",
        "no number",
        "no parts",
        "a list",
        "another kind",
        "a wrong number",
    ],
)
def test_a_model_that_was_tampered_with_is_told_in_a_sentence(model, tmp_path, change):
    model.save(tmp_path / "model")
    changed = edited(tmp_path / "model", change)
    with pytest.raises(SeeTopicError) as caught:
        changed.write_report(tmp_path)
    assert isinstance(caught.value, OutputError | SettingsError)
    assert "\n" not in str(caught.value)


# Promises


def test_every_picture_is_documented_typed_and_used_in_the_users_script():
    script = ast.parse((Path(__file__).parents[1] / "user_script.py").read_text())
    used = {node.attr for node in ast.walk(script) if isinstance(node, ast.Attribute)}
    public = {name: value for name, value in vars(Pictures).items() if not name.startswith("_") and callable(value)}
    assert set(METHODS) | {"write_report", "visualize_hierarchy"} == set(public)
    for name, method in public.items():
        assert name in used
        assert inspect.getdoc(getattr(SeeTopic, name))
        signature = inspect.signature(method)
        assert signature.return_annotation is not inspect.Signature.empty
        assert all(each.annotation is not inspect.Parameter.empty for each in [*signature.parameters.values()][1:])
