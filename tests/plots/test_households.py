"""The figures of lecture 16b: heights of bars, lines, and the assignment that the description states."""

from __future__ import annotations

import pandas as pd
import pytest

from synthlab.teaching.figures.lecture_16b import show_assignment, show_sizes


def test_bars_are_the_numbers_of_households():
    shown = show_sizes({"file": pd.Series([7, 7, 7, 8, 9]), "release": pd.Series([1, 1, 2, 2, 3])}, title="Sizes")
    assert [bar.get_height() for bar in shown.figure.axes[0].patches] == [2, 0, 1, 1, 2, 0]
    assert "file: 3 households with 1.67 members on average; 2 with 1, 1 with 3." in shown.description


@pytest.mark.parametrize(
    ("fits", "thick", "end"),
    [
        ([[1, 1], [1, 0]], 2, "a to d and b to c: the households match."),
        ([[1, 0], [1, 0]], 1, "so the households do not match."),
        ([[0, 0], [0, 0]], 0, "so the households do not match."),
        ([[1], [0]], 1, "so the households do not match."),
    ],
)
def test_thick_lines_are_a_largest_assignment(fits, thick, end):
    shown = show_assignment("ab", "cd"[: len(fits[0])], fits, title="Two")
    lines = [line for line in shown.figure.axes[0].lines if line.get_marker() == "None"]
    assert len(lines) == sum(map(sum, fits))
    assert sum(line.get_linewidth() == 4 for line in lines) == thick
    assert shown.description.endswith(end)
