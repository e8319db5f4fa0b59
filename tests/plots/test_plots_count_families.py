"""Figures of count distributions: what is drawn is what the distributions say."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.teaching.figures.lecture_14 import plot_noise, plot_synthetic_counts


def test_the_noise_drawn_is_the_exact_standard_deviation():
    families = [slc.Poisson(), slc.NBI(sigma=0.5), slc.GAF(sigma=2, nu=-0.5)]
    ax = plot_noise(families, largest=100)
    for line, family in zip(ax.lines, families, strict=True):
        counts, spread = line.get_xdata(), line.get_ydata()
        np.testing.assert_allclose(spread, family.at(counts).std)
        assert (counts[0], counts[-1]) == (1, 100)
    assert ax.lines[2].get_ydata()[-1] < ax.lines[2].get_ydata()[0]
    assert len({line.get_color() for line in ax.lines}) == 3
    assert "10" in [t.get_text() for t in ax.texts]


def test_the_bars_are_the_probabilities_and_the_true_count_is_hatched():
    family = slc.GAF(sigma=2, nu=-0.5)
    for ax, size in zip(plot_synthetic_counts(family, [1, 20]), (1, 20), strict=True):
        bars = {round(b.get_x() + b.get_width() / 2): b for b in ax.patches}
        assert [y for y, b in bars.items() if b.get_hatch()] == [size]
        for y, bar in bars.items():
            assert bar.get_height() == pytest.approx(float(family.at(size).pmf(y)))
        assert sum(b.get_height() for b in bars.values()) > 0.985
        assert f"kept in {100 * float(family.at(size).pmf(size)):.1f}%" in ax.get_title(loc="left")


def test_a_wide_distribution_is_cut_round_the_true_count():
    (ax,) = plot_synthetic_counts(slc.NBI(sigma=3), [200])
    places = sorted(round(b.get_x() + b.get_width() / 2) for b in ax.patches)
    assert len(places) == 60
    assert places[0] < 200 < places[-1]
