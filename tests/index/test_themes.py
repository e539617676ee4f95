"""What documents are about, independently of any names, on vectors whose groups are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.index.themes import (
    SampleThemes,
    Themes,
    find_centres,
    find_neighbours,
    may_be_stored,
    n_centres,
    uncovered_by,
)
from seetopic.runtime.arrays import Floats

KINDS = 5
DIMENSION = 24


def unit(vectors: np.ndarray) -> Floats:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def of_kinds(size: int, seed: int = 0, noise: float = 0.08) -> tuple[Floats, np.ndarray]:
    """Documents around as many directions as there are kinds, and the kind of each."""
    chance = np.random.default_rng(seed)
    kinds = np.arange(size) % KINDS
    return unit(np.eye(DIMENSION)[kinds] + noise * chance.normal(size=(size, DIMENSION))), kinds


@pytest.fixture(scope="module")
def themes() -> SampleThemes:
    vectors, _ = of_kinds(400)
    return SampleThemes(vectors, find_centres(vectors))


@pytest.mark.parametrize("size", [0, 1, 119, 120, 400])
def test_few_documents_have_no_themes_and_more_have_finer_ones(size):
    vectors, _ = of_kinds(size)
    centres = find_centres(vectors)
    assert centres.shape == (n_centres(size), DIMENSION)
    grains = SampleThemes(vectors, centres).grains
    assert [len(each.centres) for each in grains] == [grain for grain in (6, 9, 12, 18) if 20 * grain <= size]
    for each in grains:
        assert np.linalg.norm(each.centres, axis=1) == pytest.approx(1, abs=1e-5)
        assert each.sizes.sum() == size


def test_the_order_of_the_documents_has_no_part_in_their_themes():
    vectors, _ = of_kinds(400, noise=0.3)
    centres = find_centres(vectors)
    assert find_centres(vectors.copy()).tobytes() == centres.tobytes()
    shuffled = vectors[np.random.default_rng(0).permutation(len(vectors))]
    np.testing.assert_allclose(find_centres(shuffled), centres, atol=1e-5)


def test_one_document_fewer_changes_few_themes():
    vectors, _ = of_kinds(400)
    centres = find_centres(vectors)
    without = [find_centres(np.delete(vectors, gone, axis=0)) for gone in range(5)]
    assert np.mean([(each @ centres.T).max(axis=1).mean() for each in without]) > 0.95


def test_documents_are_drawn_as_often_as_their_weight_is_large():
    """Of two distant groups, the second centre is in the other one, whichever is larger."""
    for larger in (10, 100, 190):
        few = unit(np.eye(DIMENSION)[:2] + 0.0)[(np.arange(200) >= larger).astype(int)]
        vectors = unit(few + 0.01 * np.random.default_rng(larger).normal(size=few.shape))
        assert find_centres(vectors)[:6, :2].argmax(axis=1).max() == 1


def test_documents_go_to_the_nearest_centre_as_a_loop_would_send_them(themes):
    for each in themes.grains:
        for number in range(0, len(themes.vectors), 37):
            nearest = max(range(len(each.centres)), key=lambda at: float(each.centres[at] @ themes.vectors[number]))
            assert each.of_documents[number] == nearest


def test_no_theme_mixes_kinds(themes):
    _, kinds = of_kinds(400)
    for each in themes.grains:
        assert all(len(set(kinds[each.of_documents == theme])) <= 1 for theme in range(len(each.centres)))


@pytest.mark.parametrize("named", [1, 2, 3])
def test_what_no_name_is_near_to_is_residual(themes, named):
    names = unit(np.eye(DIMENSION)[:named])
    left = uncovered_by(names, themes)
    assert left.coverage == pytest.approx(named / KINDS, abs=0.02)
    assert set((left.centres @ np.eye(DIMENSION)[:KINDS].T).argmax(axis=1)) == set(range(named, KINDS))


def test_names_for_every_kind_leave_nothing(themes):
    left = uncovered_by(unit(np.eye(DIMENSION)[:KINDS]), themes)
    assert left.coverage == pytest.approx(1, abs=0.02)
    assert not len(left.centres)


def test_without_themes_names_cover_everything():
    vectors, _ = of_kinds(30)
    left = uncovered_by(unit(np.eye(DIMENSION)[:1]), SampleThemes(vectors, find_centres(vectors)))
    assert (left.coverage, len(left.centres)) == (1.0, 0)


def test_what_is_remembered_of_a_name_does_not_depend_on_the_names_beside_it(themes):
    names, _ = of_kinds(40, seed=1)
    together = SampleThemes(themes.vectors, themes.centres)._near(names)
    alone = np.concatenate([themes._near(names[number : number + 1]) for number in range(len(names))])
    assert together.tolist() == alone.tolist() == themes._near(names).tolist()


def test_names_that_cut_across_subjects_are_told_from_what_they_leave():
    """Documents about 25 events, each with one of four things that are said about events."""
    events, kinds, size = 25, 4, 1200
    axes = np.eye(events + kinds)
    number, chance = np.arange(size), np.random.default_rng(0)
    said = 0.5 * axes[events + (number // events) % kinds]
    vectors = unit(axes[number % events] + said + 0.02 * chance.normal(size=(size, events + kinds)))
    themes = SampleThemes(vectors, find_centres(vectors))
    assert themes.may_be_cut_across_by(unit(axes[events : events + 2]))
    assert not themes.may_be_cut_across_by(unit(axes[:2]))
    left = uncovered_by(unit(axes[events : events + 1]), themes)
    assert set((left.centres @ axes[events:].T).argmax(axis=1)) <= {1, 2, 3}
    assert 0 < left.coverage < 0.5


def test_a_subject_of_few_documents_is_not_mistaken_for_a_name_across_subjects():
    vectors, kinds = of_kinds(900)
    few = np.flatnonzero(kinds == 0)[15:]
    vectors = np.delete(vectors, few, axis=0)
    name = unit(np.eye(DIMENSION)[:1])
    themes = SampleThemes(vectors, find_centres(vectors))
    assert themes.may_be_cut_across_by(name)
    left = uncovered_by(name, themes)
    assert set((left.centres @ np.eye(DIMENSION)[:KINDS].T).argmax(axis=1)) == set(range(1, KINDS))
    assert left.coverage < 0.1


@pytest.mark.parametrize("size", [150, 1100])
def test_neighbours_are_the_nearest_other_documents(size):
    vectors = unit(np.random.default_rng(0).normal(size=(size, DIMENSION)))
    found = find_neighbours(vectors)
    nearness = vectors @ vectors.T
    np.fill_diagonal(nearness, -np.inf)
    assert found.shape == (size, 20)
    for own, near in zip(found, nearness, strict=True):
        assert set(own.tolist()) == set(np.argsort(-near)[:20].tolist())


def test_few_documents_have_no_neighbours_and_those_of_very_many_are_not_stored():
    assert find_neighbours(unit(np.ones((30, DIMENSION)))).shape == (30, 0)
    assert may_be_stored(28_000)
    assert not may_be_stored(150_000)


@given(st.integers(1, 4), st.integers(0, 5))
def test_a_name_stands_out_in_mean_zero(n_names, seed):
    chance = np.random.default_rng(seed)
    groups = Themes(unit(chance.normal(size=(9, DIMENSION))), unit(chance.normal(size=(30, DIMENSION))))
    names = unit(chance.normal(size=(n_names, DIMENSION)))
    assert groups.standing(names).mean(axis=1) == pytest.approx(0, abs=1e-6)
    assert groups.standing(names).std(axis=1) == pytest.approx(1, abs=1e-6)
    assert groups.share_of(groups.near_any_of(names, -99.0)) == 1.0
    assert groups.share_of(groups.near_any_of(names, 99.0)) == 0.0


def test_many_names_cover_their_own_themes_and_hardly_any_by_chance():
    chance = np.random.default_rng(0)
    centres = unit(chance.normal(size=(50, DIMENSION)))
    groups = Themes(centres, centres)
    for number in (2, 10, 25):
        covered = groups.covered_by(centres[:number])
        assert covered[:number].all()
        assert covered[number:].mean() < 0.25


def test_a_broad_name_covers_its_themes_beside_many_others():
    """It is equally near to ten themes, and so to none as near as the others are to their own."""
    centres = unit(np.eye(40))
    names = unit(np.vstack([centres[:10].sum(axis=0), centres[10:35]]))
    groups = Themes(centres, centres)
    assert groups.covered_by(names).tolist() == [True] * 35 + [False] * 5


def test_the_documents_nearest_to_a_name_that_none_is_about_are_neither_alike_nor_near():
    vectors, _ = of_kinds(1200)
    themes = SampleThemes(vectors, find_centres(vectors))
    about = themes.nearest_to(unit(np.eye(DIMENSION)[:KINDS]))
    absent = themes.nearest_to(unit(np.eye(DIMENSION)[KINDS : KINDS + 2]))
    assert about is not None
    assert absent is not None
    assert (about > [0.9, 0.9]).all()
    assert (absent < [0.5, 0.4]).all()
    assert SampleThemes(vectors[:900], find_centres(vectors[:900])).nearest_to(vectors[:2]) is None


def test_between_names_that_cover_everything_and_names_that_do_not_themes_have_a_handicap():
    """The fewer documents are about something else, the larger the handicap; in the end there are no themes."""
    handicaps = []
    for others in (0, 60, 120, 200, 600):
        kinds = np.concatenate([np.arange(900) % 10, np.full(others, 10)])
        noise = 0.3 * np.random.default_rng(0).normal(size=(len(kinds), DIMENSION))
        vectors = unit(np.eye(DIMENSION)[kinds] + noise)
        left = uncovered_by(unit(np.eye(DIMENSION)[:10]), SampleThemes(vectors, find_centres(vectors)))
        assert left.handicaps.shape == (len(left.centres),)
        handicaps.append(left.handicaps.max() if len(left.centres) else np.inf)
    assert handicaps == sorted(handicaps, reverse=True)
    assert handicaps[0] == np.inf
    assert handicaps[-1] == 0
    assert any(0 < each < np.inf for each in handicaps)
