"""Figures of chains: every draw is in the trace, and the chains can be told apart without colour."""

from __future__ import annotations

import numpy as np

from synthlab.teaching.figures.lecture_03 import plot_trace


def test_the_trace_holds_every_draw_of_every_chain():
    chains = np.random.default_rng(3).normal(size=(2, 50)) + [[0.0], [9.0]]
    x = np.linspace(-3, 12, 50)
    trace, share = plot_trace(
        chains, parameter="theta", target=(x, np.exp(-(x**2))), truth=("truth", 4.5), data="simulated"
    )
    np.testing.assert_array_equal([line.get_ydata() for line in trace.lines[:2]], chains)
    assert [line.get_ydata()[0] for line in (trace.lines[2], share.lines[-1])] == [4.5, 4.5]
    assert {t.get_text() for t in share.texts} == {"chain 1", "chain 2", "truth", "simulated data"}
    assert trace.get_ylabel() == "theta"
    one, two = share.patches
    assert one.get_linestyle() != two.get_linestyle()


def test_names_of_chains_in_one_place_do_not_touch():
    chains = np.random.default_rng(3).normal(size=(5, 50))
    _, share = plot_trace(chains, parameter="theta", truth=("truth", 0.0))
    heights = sorted(text.get_position()[1] for text in share.texts)
    assert len(heights) == 6
    assert min(np.diff(heights)) >= 0.09 - 1e-9
    assert heights[0] > 0
    assert heights[-1] < 1
