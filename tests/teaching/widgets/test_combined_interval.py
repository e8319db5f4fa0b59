"""The first m datasets of an analysis are those of an analysis of m datasets, and the control shows them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.teaching.widgets import combined_interval_explorer, combined_interval_figure, first_datasets
from tests.teaching.widgets.drawn import outside


def line(frame, **more):
    return sl.analysis_utility(frame[0], frame[1:], formula="y ~ x", **more)


@pytest.fixture(scope="module")
def frames():
    rng = np.random.default_rng(8)
    x = rng.normal(size=80)
    return [pd.DataFrame({"x": x, "y": 2 * x + rng.normal(size=80)}) for _ in range(9)]


@pytest.mark.parametrize("m", [2, 3, 8])
def test_it_is_the_analysis_of_m_datasets(frames, m):
    first, alone = first_datasets(line(frames), m=m), line(frames[: m + 1])
    np.testing.assert_allclose(first.combined.interval, alone.combined.interval)
    np.testing.assert_allclose(first.interval_overlap, alone.interval_overlap)
    assert (first.m, first.combined.m, first.names) == (m, m, alone.names)
    between, within = alone.combined.between, alone.combined.within
    np.testing.assert_allclose(first.combined.total_variance, between / m + within)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
def test_what_cannot_be(frames):
    answers = line(frames)
    for m in (1, 9):
        with pytest.raises(InputError, match=f"m={m}"):
            first_datasets(answers, m=m)
    with pytest.raises(InputError, match="full synthesis"):
        first_datasets(line(frames, synthesis="full", parameters="fixed"), m=3)
    with pytest.raises(InputError, match="answers"):
        first_datasets("answers", m=3)
    with pytest.raises(InputError, match="name"):
        combined_interval_figure(answers, name="z", m=3)
    with pytest.raises(InputError, match="labels"):
        combined_interval_explorer(answers, labels={"z": "nothing"})


@pytest.mark.parametrize("m", [2, 3, 8])
def test_the_figure_says_the_numbers_and_keeps_them_inside(frames, m):
    answers = line(frames)
    figure = combined_interval_figure(answers, name="x", m=m, label="the slope", data="simulated")
    found = first_datasets(answers, m=m)
    row = answers.names.index("x")
    low, high = found.combined.interval[row]
    assert f"combined over the first m = {m} datasets from {low:.3g} to {high:.3g}" in figure.description
    assert f"overlap is J = {found.interval_overlap[row]:.3f}" in figure.description
    assert figure.description.startswith("95% intervals of the slope")
    assert outside(figure.figure) == []


def test_the_scale_stays_from_one_m_to_the_next(frames):
    answers = line(frames)
    limits = [combined_interval_figure(answers, name="x", m=m).figure.axes[0].get_xlim() for m in (4, 5, 8)]
    assert limits == [limits[0]] * 3
