"""Figures of differential privacy: what is drawn is what the results hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab import dp
from synthlab.exceptions import InputError
from synthlab.plots.dp_account import plot_audit, plot_budget
from synthlab.teaching.figures.lecture_12 import plot_neighbor_noise, plot_noise_by_epsilon


def test_noisy_numbers_beside_the_true_ones():
    answer = dp.private_histogram(["a", "b", "b"], categories=["a", "b"], epsilon=1.0, rng=1)
    ax = answer.plot(confidential=[1, 2], labels={"a": "cost $"}, data="simulated")
    dots, truth = ax.lines[0], ax.lines[-1]
    np.testing.assert_allclose(dots.get_xdata(), answer.estimate)
    assert truth.get_xydata().tolist() == [[1, 1], [2, 0]]
    ends = np.sort(np.concatenate([line.get_xdata() for line in ax.lines[1:3]]))
    np.testing.assert_allclose(ends, np.sort(answer.interval.ravel()))
    assert [t.get_text() for t in ax.get_yticklabels()] == [r"cost \$", "b"]
    assert "simulated data" in [t.get_text() for t in ax.texts]
    with pytest.raises(InputError, match="must contain 2 numbers, one per cell"):
        answer.plot(confidential=[1])


def test_the_account():
    budget = dp.Budget(2.0)
    with pytest.raises(InputError, match="has no entry to draw yet"):
        plot_budget(budget)
    budget.spend(0.5, "a")
    budget.spend(1.0, "b")
    ax = budget.plot()
    assert [(bar.get_x(), bar.get_width()) for bar in ax.patches] == [(0.0, 0.5), (0.5, 1.0)]
    assert [t.get_text() for t in ax.texts] == ["0.5", "1", "total 2"]
    assert list(ax.lines[0].get_xdata()) == [2.0, 2.0]


def test_choices_on_a_grid_and_between():
    grid = dp.quantile_probabilities([1, 2, 3], low=0, high=4, epsilon=1.0, step=1)
    ax = grid.plot(best=2, data="real")
    heights = [segment[1, 1] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(heights, grid.probability)
    between = dp.quantile_probabilities([1, 1, 3], low=0, high=4, epsilon=1.0)
    stairs = between.plot().patches[0].get_data()
    np.testing.assert_allclose((stairs.values * np.diff(stairs.edges)).sum(), 1.0)
    assert stairs.edges.tolist() == [0, 1, 3, 4]


def test_tables():
    people = pd.DataFrame({"tenure": ["owns", "rents", "rents"]})
    table = dp.private_table(people, levels={"tenure": ["owns", "rents"]}, n_synthetic=50, epsilon=1.0, m=2, rng=1)
    ax = table.plot(confidential=[1, 2])
    assert list(ax.lines[0].get_xdata()) == [50.0, 50.0]
    np.testing.assert_allclose(ax.lines[2].get_xdata(), 100 * table.counts[:, 1] / 50)
    np.testing.assert_allclose(ax.lines[3].get_xdata(), [100 / 3, 200 / 3])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["owns", "rents"]
    for bad in ([1], [0, 0]):
        with pytest.raises(InputError, match="confidential"):
            table.plot(confidential=bad)
    many = dp.private_table(people.assign(x=1), levels={"x": range(41)}, n_synthetic=5, epsilon=1.0, rng=1)
    with pytest.raises(InputError, match="has 41 cells; at most 40"):
        many.plot()


def test_audits():
    audits = {
        name: dp.audit_epsilon(
            lambda d, rng, s=s: len(d) + rng.laplace(0, s), [1, 2], [1], epsilon=1.0, runs=2000, rng=1
        )
        for name, s in (("right", 1.0), ("half", 0.5))
    }
    ax = plot_audit(audits)
    ends = [line.get_xdata()[0] for line in ax.lines[:4]]
    assert ends == [audits["right"].epsilon_lower, 1.0, audits["half"].epsilon_lower, 1.0]
    assert [t.get_text() for t in ax.texts if t.get_text()] == ["not refuted", "refuted"]
    assert audits["right"].plot().get_xlabel() == "epsilon"
    with pytest.raises(InputError, match="results: is empty"):
        plot_audit({})


def test_noise_of_two_neighbors():
    noise = dp.LaplaceMechanism(0.5)
    ax = plot_neighbor_noise(noise, (7, 8), released=10, names=("D", "D'"))
    for line, answer in zip(ax.lines[:2], (7, 8), strict=True):
        at, density = line.get_xydata().T
        assert at[density.argmax()] == answer
        np.testing.assert_allclose(density, noise.density(at, answer))
    assert [t.get_text() for t in ax.texts] == [f"ratio {np.exp(0.5):.3g}"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["D: 7", "D': 8"]


def test_noise_by_epsilon():
    margins = {"Laplace": [30.0, 3.0], "coins": [90.0, 20.0]}
    ax = plot_noise_by_epsilon([0.1, 1.0], margins, error=5.0, title="Noise", ylabel="people")
    drawn = {str(line.get_label()): line.get_xydata().tolist() for line in ax.lines[:2]}
    assert drawn == {"Laplace": [[0.1, 30.0], [1.0, 3.0]], "coins": [[0.1, 90.0], [1.0, 20.0]]}
    assert list(ax.lines[2].get_ydata()) == [5.0, 5.0]
    assert ax.get_title(loc="left") == "Noise"
    assert (ax.get_xscale(), ax.get_ylabel()) == ("log", "people")
