"""Figures: the same drawing as .svg, .png and .html, with the results in it, for any topics."""

from __future__ import annotations

import builtins
import re
import struct
from collections import Counter
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
import resvg_py
from hypothesis import given
from hypothesis import strategies as st

from fake_model import directions
from planted import NAMES, PLANTED, planted_documents
from seetopic import Index, Topics
from seetopic.classify.sorter import sorter_of
from seetopic.discovery import Topic
from seetopic.discovery.run import Discovery, run_of
from seetopic.errors import MissingExtra, OutputError, SettingsError
from seetopic.output.charts import (
    Figure,
    barchart,
    documents_map,
    documents_per_topic,
    heatmap,
    term_rank,
    topics_map,
    treemap,
)
from seetopic.output.charts.bars import bar_length
from seetopic.output.charts.drawing import fitted, number, safe, text, text_width
from seetopic.output.charts.layout import Board, plane, pushed_apart
from seetopic.output.charts.scene import scene_of
from seetopic.output.charts.theme import THEMES
from seetopic.runtime.progress import silent

ODD = '</text><script>alert(1)</script>" onload="alert(1) \x00\x0b'
FIGURES = {
    "barchart": barchart,
    "topics_map": topics_map,
    "documents_map": documents_map,
    "documents_per_topic": documents_per_topic,
    "heatmap": heatmap,
    "heatmap by documents": partial(heatmap, by="documents"),
    "term_rank": term_rank,
}
every_figure = pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES.keys())


def found(index: Index, names) -> Discovery:
    return run_of(index, names, None, "default", "auto", silent)


@pytest.fixture(scope="module")
def run(index: Index) -> Discovery:
    return found(index, NAMES)


def texts(figure: Figure) -> str:
    return " ".join(each.text or "" for each in ElementTree.fromstring(figure.svg).iter() if each.text)


def written(figure: Figure) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(figure.svg).iter() if each.tag.endswith("}text")]


@every_figure
def test_a_figure_is_svg_that_stands_alone_and_names_every_topic(run, draw):
    figure = draw(run)
    root = ElementTree.fromstring(figure.svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert (float(root.get("width")), float(root.get("height"))) == pytest.approx(
        (figure.width, figure.height), abs=0.1
    )
    assert all(name in texts(figure) for name in NAMES)
    assert root.get("aria-label").startswith(figure.title)
    assert "var(" not in figure.svg
    assert "http" not in figure.svg.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.slow
@every_figure
def test_the_same_run_gives_the_same_bytes(index, draw):
    assert draw(found(index, NAMES)).svg == draw(found(Index.open(index.folder), NAMES)).svg


@every_figure
def test_a_name_of_markup_is_text(index, draw):
    figure = draw(found(index, [ODD, "cooking"]))
    tags = {each.tag.split("}")[1] for each in ElementTree.fromstring(figure.svg).iter()}
    assert tags <= {"svg", "style", "rect", "text", "title", "g", "circle", "ellipse", "polyline"}
    assert not [
        key for each in ElementTree.fromstring(figure.svg).iter() for key in each.attrib if key.startswith("on")
    ]
    assert ODD[:20] in texts(figure)


@every_figure
@pytest.mark.parametrize("width", [280, 960, 4000])
def test_every_width_holds_its_drawing(run, draw, width):
    figure = draw(run, width=width)
    xs = [float(x) for x in re.findall(r' (?:x|cx)="(-?[\d.]+)"', figure.drawn)]
    assert min(xs) >= -1
    assert max(xs) <= figure.width + 1


@every_figure
@pytest.mark.parametrize(
    "names",
    [
        ["cooking"],
        ["cooking", "space"],
        ["x" * 300, "体育运动", "⚽🏀"],
        {"leisure": ["football", "tennis"], "sky": ["moon"]},
    ],
    ids=["one", "two", "odd", "several names"],
)
def test_any_names_can_be_drawn(index, draw, names):
    assert ElementTree.fromstring(draw(found(index, names)).svg) is not None


@every_figure
def test_topics_without_terms_can_be_drawn(index, draw):
    few = found(index, [*NAMES, "everything else", "a word"])
    assert ElementTree.fromstring(draw(few).svg) is not None


def test_an_index_without_a_sample_has_maps_without_documents(tmp_path):
    from dataclasses import replace

    from seetopic.settings import DEFAULT, SampleSettings

    settings = replace(DEFAULT.index, sample=SampleSettings(words=0, more_words=0))
    index = Index.build(
        planted_documents(60), tmp_path / "index", embedding_model=directions, settings=settings, n_jobs=1
    )
    run = found(index, ["sport", "food"])
    for draw in FIGURES.values():
        assert ElementTree.fromstring(draw(run).svg) is not None
    assert "<circle" not in documents_map(run).drawn


def test_bars_hold_every_term_with_its_score(run):
    shown = texts(barchart(run))
    for topic in run.topics:
        for term in topic.terms:
            assert term.term in shown
            assert f"{term.score:.2f}" in shown


def test_only_the_topics_and_terms_that_are_asked_for_are_drawn(run):
    shown = texts(barchart(run, topics=[2], top=3))
    assert NAMES[2] in shown
    assert NAMES[0] not in shown
    assert [term in shown for term in list(run.topics[2])[:4]] == [True, True, True, False]


def test_charts_of_scores_need_no_run(run, tmp_path):
    run.topics.save(tmp_path)
    loaded = Topics.load(tmp_path)
    assert barchart(loaded).svg == barchart(run).svg
    assert term_rank(loaded).svg == term_rank(run).svg
    with pytest.raises(SettingsError, match="needs a run"):
        topics_map(loaded)


def test_documents_are_counted_as_the_sorter_gives_them(run, documents):
    given = Counter(each.categories[0] for each in sorter_of(run).assign(documents))
    assert scene_of(run).documents_given.tolist() == [given[0], given[1], given[2], 0]
    told = documents_per_topic(run).description
    assert all(f"{name} {given[number]:,}" in told for number, name in enumerate(NAMES))


@pytest.mark.parametrize("width", [960, 340])
def test_a_tree_that_covers_little_is_drawn_with_all_its_names(width):
    shares = {"reading": 0.24, "reading > novels": 0.07, "reading > music albums": 0.08, "gadgets": 0.16}
    shares |= {"gadgets > cameras": 0.06, "gadgets > headphones and audio": 0.05}
    paths = {label: tuple(label.split(" > ")) for label in shares}
    topics = [Topic(path[-1], path[-1:], True, (), path=path, share=shares[each]) for each, path in paths.items()]
    figure = treemap(Topics(tuple(topics), {}), width=width)
    assert {f"{path[-1]} {shares[label]:.0%}" for label, path in paths.items()} <= set(written(figure))
    assert "60%" in written(figure)[-1]


def test_a_tree_without_documents_is_drawn():
    topics = [Topic(path[-1], path[-1:], False, (), path=path, share=0.0) for path in (("a",), ("a", "b"))]
    assert "100%" in treemap(Topics(tuple(topics), {})).description


def test_documents_of_no_topic_are_counted_as_such(index):
    """A third of the documents is about the name that is missing."""
    some = found(index, NAMES[:2])
    *_, none = scene_of(some).documents_given.tolist()
    assert none > 70
    assert f"(none of the names) {none}" in documents_per_topic(some).description


def test_documents_stand_by_the_topic_they_were_planted_in(run):
    figure = documents_map(run, documents=30)
    groups = [group for group in figure.drawn.split("<g ") if "<circle" in group]
    assert sum(group.count("<circle") for group in groups) == 30
    for group, words in zip(groups, PLANTED.values(), strict=True):
        for told in re.findall(r"<title>(.*?)…", group, re.S):
            assert set(told.split()) & set(words.split())


def test_topics_are_most_like_themselves_and_their_documents_are_most_their_own(run):
    scene = scene_of(run)
    for values in (scene.likeness, scene.shared_documents):
        assert values.argmax(axis=1).tolist() == [0, 1, 2]
    assert np.allclose(scene.likeness, scene.likeness.T)
    assert np.allclose(scene.shared_documents.sum(axis=1), 1, atol=1e-3)  # shares are rounded


def test_alike_topics_stand_nearer_to_each_other():
    pairs = np.array([[1, 0.9, 0.1, 0.1], [0.9, 1, 0.1, 0.1], [0.1, 0.1, 1, 0.9], [0.1, 0.1, 0.9, 1]])
    points = plane(pairs)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert max(distances[0, 1], distances[2, 3]) < min(
        distances[0, 2], distances[0, 3], distances[1, 2], distances[1, 3]
    )


def test_topics_that_are_all_alike_stand_in_a_row():
    points = plane(np.ones((4, 4)))
    assert (np.diff(points[:, 0]) > 0.1).all()
    assert len({*points[:, 1].tolist()}) == 1


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(0, 300)), min_size=1, max_size=25), st.integers(0, 6))
def test_no_label_covers_another(wishes, turn):
    board, frame = Board(len(wishes)), np.array([900.0, 700.0])
    spots = np.array([board.place(np.array(wish), 60, 18, frame, float(turn)) for wish in wishes])
    apart = np.abs(spots[:, None] - spots[None])
    np.fill_diagonal(apart[:, :, 0], 1e9)
    assert ((apart[:, :, 0] >= 59.9) | (apart[:, :, 1] >= 17.9)).all()
    assert (spots >= [30, 9]).all()
    assert (spots <= [870, 691]).all()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12))
def test_boxes_with_room_enough_are_pushed_apart_within_the_frame(points):
    frame, sizes = np.array([1000.0, 800.0]), np.full((len(points), 2), 90.0)
    places = pushed_apart(np.array(points) * frame, sizes, frame)
    apart = np.abs(places[:, None] - places[None]).max(axis=2) + 1e9 * np.eye(len(points))
    assert apart.min() > 75  # nearly: overlaps that remain after all rounds stay
    assert (places >= 45).all()
    assert (places <= frame - 45).all()


@pytest.mark.slow
@given(st.text(max_size=60), st.floats(20, 300))
def test_a_fitted_text_is_no_wider_than_its_room(text, width):
    assert text_width(fitted(text, 13, width), 13) <= max(width, text_width("…", 13))


@given(st.text())
def test_any_text_is_well_formed_once_escaped(text):
    root = ElementTree.fromstring(f'<a b="{safe(text)}">{safe(text)}</a>')
    assert root.text is None or "\x00" not in root.text


def test_marks_above_a_letter_take_no_room():
    assert text_width("e\u0301", 13) == text_width("e", 13)


def test_numbers_are_short():
    assert [number(value) for value in (-0.04, 0.0, 3.0, 2.25, -1.06)] == ["0", "0", "3", "2.2", "-1.1"]


def test_a_bar_is_as_long_as_the_root_of_its_score():
    assert [bar_length(score, 0.64) for score in (0.64, 0.16, 0.0)] == [1.0, 0.5, 0.0]
    assert bar_length(0.0, 0.0) == 0.0


def test_a_figure_is_saved_as_its_ending_says(run, tmp_path):
    figure = topics_map(run)
    for ending in ("svg", "html", "png"):
        figure.save(tmp_path / f"map.{ending}")
    assert (tmp_path / "map.svg").read_text() == figure.svg
    assert figure.element in (tmp_path / "map.html").read_text()
    picture = (tmp_path / "map.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (2 * figure.width, 2 * figure.height)
    figure.save(tmp_path / "dark.svg", theme="dark")
    assert THEMES["dark"]["ink"] in (tmp_path / "dark.svg").read_text()
    assert THEMES["dark"]["ink"] not in figure.svg


def test_a_picture_has_its_words_in_it(run):
    with_words, without = topics_map(run), re.sub(r"<text.*?</text>", "", topics_map(run).svg, flags=re.S)
    assert with_words.to_png(scale=1) != resvg_py.svg_to_bytes(svg_string=without)


def drawn_words(*lines: str) -> Figure:
    words = "".join(text(10, 30 * number, line, 16, "st-ink") for number, line in enumerate(lines, start=1))
    return Figure("Words", "as they are", 300, 30 * len(lines) + 20, words)


def test_latin_greek_and_cyrillic_need_no_font_of_the_system(monkeypatch):
    asked: list[bool] = []
    draw = resvg_py.svg_to_bytes

    def watched(*, skip_system_fonts: bool, **given: object) -> bytes:
        asked.append(not skip_system_fonts)
        return draw(skip_system_fonts=skip_system_fonts, **given)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", watched)
    drawn_words("Fußball, naïve, Złoty, “ğ” … –", "Ελληνικά", "Кириллица, Ђ ў").to_png()
    assert asked
    assert not any(asked)


def test_letters_that_no_font_has_are_one_warning_and_no_boxes(tmp_path):
    nobodys = "\U000ffffe\U0010fffe"  # never to be assigned
    with pytest.warns(UserWarning, match="no font on this machine has .* \\(2 in all\\)") as told:
        drawn_words(f"odd {nobodys}", nobodys).save(tmp_path / "odd.png", scale=1)
    assert [each.filename for each in told] == [__file__]
    assert (tmp_path / "odd.png").read_bytes() == drawn_words("odd \ufffd\ufffd", "\ufffd\ufffd").to_png(scale=1)


def test_pictures_name_the_extra_that_they_need(run, monkeypatch):
    real = builtins.__import__
    monkeypatch.setattr(
        builtins,
        "__import__",
        lambda name, *rest: (_ for _ in ()).throw(ImportError) if name == "resvg_py" else real(name, *rest),
    )
    with pytest.raises(MissingExtra, match=r"seetopic\[png\]"):
        term_rank(run).to_png()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            lambda run: topics_map(run).save("map.pdf"),
            "has the unsupported extension '.pdf'; figures can be saved as .svg, .png, .html",
        ),
        (lambda run: topics_map(run).save("map.svg", theme="blue"), "'blue', but must be one of light, dark"),
        (lambda run: topics_map(run).to_png(scale=99), "cannot be scaled by 99; choose a `scale` between 0.1 and 16"),
        (lambda run: topics_map(run, width=10), "`width` is 10"),
        (lambda run: documents_map(run, documents=0), "`documents` is 0"),
        (lambda run: heatmap(run, by="names"), "`by` is 'names'"),
        (lambda run: barchart(run, topics=[3]), "numbers from 0 to 2"),
        (lambda run: barchart(run, top=0), "`top` is 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(run, wrong, sentence):
    with pytest.raises((OutputError, SettingsError), match=re.escape(sentence)):
        wrong(run)


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_colour_can_be_read_on_every_surface(theme):
    colours = THEMES[theme]
    surfaces = ("card", "paper")
    pairs = [
        (name, surface) for name in ("ink", "soft", "accent", *(f"c{n}" for n in range(10))) for surface in surfaces
    ]
    pairs += [("ink", name) for name in ("mark", "warn", "line", *(f"h{n}" for n in range(10)))]
    assert {
        pair: contrast(colours[pair[0]], colours[pair[1]])
        for pair in pairs
        if contrast(colours[pair[0]], colours[pair[1]]) < 4.5
    } == {}


def contrast(first: str, second: str) -> float:
    lights = sorted(luminance(colour) for colour in (first, second))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
