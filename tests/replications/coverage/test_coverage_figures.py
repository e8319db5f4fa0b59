"""The figure of the coverage shows the numbers of the result and the name of each method."""

from __future__ import annotations

import numpy as np
import pytest

from replications.coverage import recorded
from replications.coverage.intervals import METHODS
from replications.coverage.study import METHOD_WORDS, _apart, plot_coverage
from synthlab.exceptions import InputError


def test_coverage_draws_the_numbers_with_the_method_named_at_the_end():
    result = recorded()
    ax = plot_coverage(result, methods=["combine_partial", "no_between", "one_as_real"])
    line = next(line for line in ax.lines if len(line.get_xdata()) == 6)
    expected = 100 * result.coverage("partial", "combine_partial", "slope of y on x")
    assert line.get_ydata().tolist() == pytest.approx(expected.tolist())
    words = [text.get_text() for text in ax.texts]
    assert words == [METHOD_WORDS[m] for m in ("combine_partial", "no_between", "one_as_real")]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "3", "5", "10", "20", "50"]


def test_every_method_has_words():
    assert set(METHOD_WORDS) == set(METHODS)


def test_coverage_needs_a_method_and_a_part_that_was_simulated():
    with pytest.raises(InputError, match="at least one method"):
        plot_coverage(recorded(), methods=[])
    with pytest.raises(InputError, match="was simulated"):
        plot_coverage(recorded(), design="nothing")


def test_the_result_plots_itself():
    assert recorded().plot(title="who is right").get_title(loc="left") == "who is right"


def test_labels_are_moved_apart_in_their_order():
    heights = _apart([50.0, 50.0, 10.0, 52.0], 5.0)
    assert np.argsort(heights, kind="stable").tolist() == [2, 0, 1, 3]
    assert np.diff(np.sort(heights)).min() >= 5 - 1e-6
    assert _apart([1.0, 90.0], 5.0).tolist() == [1.0, 90.0]
