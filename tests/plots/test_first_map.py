"""The map of lecture 1."""

from __future__ import annotations

from synthlab.teaching.figures.lecture_01 import plot_first_map

LABELS = {"xlabel": "loss", "ylabel": "answers read"}


def test_risk_goes_up_and_loss_goes_across():
    ax = plot_first_map({"as is": (0.0, 151.0), "topcoded": (0.05, 133.0)}, baseline=("shuffled", 7.0), **LABELS)
    drawn = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines[:2]]
    assert drawn == [(0.0, 151.0), (0.05, 133.0)]
    assert ax.get_xlim()[0] == 0
    assert ax.get_ylim()[0] == 0
    assert sorted(text.get_text() for text in ax.texts) == ["as is", "shuffled", "topcoded"]
