"""Figures of tables: which bars are drawn, and what the map shows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.plots import style
from synthlab.plots.tables import LONGEST_LEVEL, OTHERS, plot_level_shares, plot_pair_distances
from synthlab.report.measure import SQUARE, WIDE
from synthlab.report.measures.tables import LARGE

PEOPLE = pd.DataFrame({"town": list("aaaaabbbccd"), "sex": list("fmfmfmfmfmf")})
OTHER = PEOPLE.assign(town=list("aaaabbbbccc"))
TABLES = sl.table_utility(PEOPLE, [OTHER, PEOPLE])


def bars(ax):
    """Return label: (confidential, synthetic)."""
    own, others = ([bar.get_width() for bar in group] for group in ax.containers[:2])
    return dict(zip([label.get_text() for label in ax.get_yticklabels()], zip(own, others, strict=True), strict=True))


def test_every_level_has_its_two_bars() -> None:
    drawn = bars(plot_level_shares(TABLES.margins[0]))
    assert list(drawn) == list("abcd")
    assert drawn["a"] == pytest.approx((5 / 11, 4.5 / 11))
    assert drawn["d"] == pytest.approx((1 / 11, 0.5 / 11))


def test_small_groups_are_drawn_together_and_the_rest_is_no_small_group() -> None:
    drawn = bars(plot_level_shares(TABLES.margins[0], smallest=2))
    # d alone would be told by the rest, so c joins it.
    assert list(drawn) == ["a", "b", OTHERS]
    assert drawn[OTHERS] == pytest.approx((3 / 11, 3 / 11))


def test_levels_that_were_not_released_are_not_named() -> None:
    one = sl.table_utility(PEOPLE, OTHER).margins[0]
    assert list(bars(plot_level_shares(one, released_only=True))) == ["a", "b", "c", OTHERS]
    assert list(bars(plot_level_shares(one))) == list("abcd")


def test_only_the_most_frequent_of_many_levels_have_bars() -> None:
    many = pd.DataFrame({"x": [f"l{i:02d}" for i in range(40) for _ in range(i + 1)]})
    drawn = bars(plot_level_shares(sl.table_utility(many, many).margins[0]))
    assert len(drawn) == 21
    assert sum(own for own, _ in drawn.values()) == pytest.approx(1)


def test_the_map_shows_what_exceeds_chance_for_every_pair() -> None:
    ax = plot_pair_distances(TABLES)
    grid = np.asarray(ax.images[0].get_array())
    excess = np.maximum(TABLES.total_variation.mean(axis=1) - TABLES.expected_total_variation, 0)
    assert grid[0, 0] == pytest.approx(excess[0])
    assert grid[0, 1] == grid[1, 0] == pytest.approx(excess[2])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["town", "sex"]


def test_of_many_variables_the_worst_are_drawn() -> None:
    draw = np.random.default_rng(1)
    wide = pd.DataFrame({f"v{i}": draw.integers(0, 2, 60) for i in range(45)})
    ax = plot_pair_distances(sl.table_utility(wide, wide.assign(v7=draw.permutation(wide["v7"]), v44=0)))
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert len(names) == 40
    assert "v44" in names
    assert ax.get_xlabel() == "the worst 40 of 45 variables"


def test_what_has_no_such_figure_is_refused() -> None:
    with pytest.raises(InputError, match="margin: is a table of 2 variables"):
        plot_level_shares(TABLES.margins[2])
    with pytest.raises(InputError, match="result: contains no table of two variables"):
        plot_pair_distances(sl.table_utility(PEOPLE, OTHER, variables=["town"]))


def placed(draw_on: Callable[[Axes], Axes], size: tuple[float, float]) -> tuple[Axes, list[Bbox]]:
    """Return axes on a page, drawn, and where the names of the rows are, from the lowest."""
    with style.context():
        ax = draw_on(style.off_screen(size))
        ax.figure.draw_without_rendering()
    return ax, sorted((label.get_window_extent() for label in ax.get_yticklabels()), key=lambda box: box.y0)


def test_long_names_of_levels_leave_room_for_the_bars() -> None:
    names = [f"services {k} for the population and for transport" for k in range(19)] + ["price in $"]
    jobs = pd.DataFrame({"job": [name for k, name in enumerate(names) for _ in range(k + 2)]})
    margin = sl.table_utility(jobs, [jobs] * 3).margins[0]
    ax, boxes = placed(lambda ax: plot_level_shares(margin, ax), (WIDE[0], 1.6 + 0.42 * 21))
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert all(len(line) <= LONGEST_LEVEL for label in labels for line in label.splitlines())
    assert r"price in \$" in labels
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
    for part in (ax.get_legend(), ax.xaxis.label):
        assert part.get_window_extent().x1 <= ax.figure.bbox.x1


@pytest.mark.parametrize(("variables", "size"), [(14, SQUARE), (15, LARGE), (35, LARGE), (40, LARGE)])
def test_the_names_of_many_variables_do_not_cover_one_another(variables: int, size: tuple[float, float]) -> None:
    draw = np.random.default_rng(1)
    wide = pd.DataFrame({f"variable{i}": draw.integers(0, 2, 40) for i in range(variables)})
    tables = sl.table_utility(wide, wide.apply(draw.permutation))
    _, boxes = placed(lambda ax: plot_pair_distances(tables, ax), size)
    assert len(boxes) == variables
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
