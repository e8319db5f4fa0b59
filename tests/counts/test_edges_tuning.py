"""Tuned parameters, maps of risk and loss, and sets of tables at their edges."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab.counts as slc
from synthlab.counts import GAF, NBI, LaplaceCount, Poisson, Table, tuning
from synthlab.counts._frontier import _undominated
from synthlab.exceptions import InputError

SMALL = Table.from_counts([0, 1, 1, 2, 3, 10, 0], {"A": list(range(7))})


@pytest.mark.parametrize(
    ("family", "target", "over"),
    [
        (GAF(sigma=1, nu=-0.5), ("tau3", 1, 0.3), "sigma"),
        (GAF(sigma=1, nu=-0.5), ("tau3", 3, 0.5), "nu"),
        (NBI(sigma=1), ("loss", 60.0), "sigma"),
        (NBI(sigma=1), ("tau1", 0, 0.45), "sigma"),
        (NBI(sigma=1), ("tau4", 1, 0.35), "sigma"),
        (LaplaceCount(epsilon=1), ("tau3", 1, 0.3), "epsilon"),
    ],
)
def test_what_is_tuned_has_its_value_and_every_crossing_is_a_solution(family: Any, target: Any, over: str) -> None:
    options = {"pseudocount": 0.0, "zeros_to_ones": 0.1, "structural_zeros": [6]}
    found = slc.tune(SMALL, family, target=target, over=over, m=2, **options)

    def metric(value: float) -> float:
        from dataclasses import replace

        candidate = replace(family, **{over: value})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if target[0] == "loss":
                return slc.expected_loss(SMALL, candidate, m=2, **options).occupied
            return float(getattr(slc.expected_tau(SMALL, candidate, k=target[1], **options), target[0])[0])

    low, high = tuning._RANGES[over]
    grid = np.linspace(low, high, 61) if over == "nu" else np.geomspace(low, high, 61)
    assert found.grid.tolist() == pytest.approx(grid.tolist())
    assert found.curve.tolist() == pytest.approx([metric(v) for v in grid])
    signs = np.sign(found.curve - target[-1])
    assert found.solutions.size == int((signs[:-1] * signs[1:] < 0).sum())
    assert [metric(v) for v in found.solutions] == pytest.approx([target[-1]] * found.solutions.size, rel=1e-8)
    assert found.value == (found.solutions.max() if over == "epsilon" else found.solutions.min())
    assert getattr(found.family, over) == found.value
    assert (found.wanted, found.achieved) == (target[-1], pytest.approx(target[-1], rel=1e-8))
    label = "loss" if target[0] == "loss" else f"{target[0]}({target[1]})"
    row = [found.family.label, over, found.value, label, target[-1], found.achieved, found.solutions.size]
    assert found.summary().iloc[0].tolist() == row
    assert found.to_frame().columns.tolist() == [over, label]
    assert found.to_frame().to_numpy().T.tolist() == [found.grid.tolist(), found.curve.tolist()]
    assert (" (one of " in found.title) == (found.solutions.size > 1)


def test_solutions_at_the_points_of_the_grid_and_between_them() -> None:
    grid = np.array([0.0, 1.0, 2.0, 3.0, 4.0])

    def metric(x: float) -> float:
        return (x - 1.0) * (x - 2.5)

    curve = np.array([metric(x) for x in grid])
    assert tuning._solve(metric, grid, curve, 0.0) == pytest.approx([1.0, 2.5])
    assert tuning._solve(metric, grid, curve, -0.5) == [2.0]
    assert tuning._solve(metric, grid, np.full(5, 0.0), 0.0) == []
    assert tuning._solve(metric, grid, curve, 99.0) == []


@pytest.mark.parametrize(
    "target",
    [
        ("tau3", 1, 0.0),
        ("tau3", 1, 1.0),
        ("tau3", -1, 0.5),
        ("tau2", 1, 0.5),
        ("loss", 0.0),
        ("loss", 1, 2),
        ("tau3", 1),
        "tau3",
        ("tau3", 1, 0.5, 2),
    ],
)
def test_targets_that_cannot_be(target: Any) -> None:
    with pytest.raises(InputError, match="target"):
        slc.tune(SMALL, NBI(sigma=1), target=target)


def test_the_range_that_is_searched() -> None:
    assert tuning._grid("nu", (-1.0, 1.0)).tolist() == np.linspace(-1, 1, 61).tolist()
    assert tuning._grid("sigma", (1.0, 4.0)).tolist() == np.geomspace(1, 4, 61).tolist()
    for over, between in (
        ("sigma", (0.0, 1.0)),
        ("sigma", (1.0, 1.0)),
        ("nu", (1.0, 1.0)),
        ("nu", (2.0, 1.0)),
        ("sigma", 3),
        ("sigma", (1, 2, 3)),
    ):
        with pytest.raises(InputError, match="between"):
            tuning._grid(over, between)
    with pytest.raises(InputError, match="no parameter to tune"):
        slc.tune(SMALL, Poisson(), target=("tau3", 1, 0.3))
    with pytest.raises(InputError, match=r"is undefined, because no cell has size 7"):
        slc.tune(SMALL, NBI(sigma=1), target=("tau3", 7, 0.3))
    with pytest.raises(InputError, match=r"out of reach; for sigma from 1 to 2 it is between 0\.1\d+ and 0\.\d+"):
        slc.tune(SMALL, NBI(sigma=1), target=("tau3", 1, 0.9), between=(1, 2))
    with pytest.raises(InputError, match=r"1 to any power nu is 1; tune over a different"):
        slc.tune(SMALL, GAF(sigma=1, nu=0), target=("tau3", 1, 0.3), over="nu")


def test_every_column_of_a_map() -> None:
    families = [NBI(sigma=0.2), LaplaceCount(epsilon=0.7), GAF(sigma=2, nu=0.1), NBI(sigma=3.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = slc.frontier(SMALL, families, k=2, m=3, pseudocount=0.2, zeros_to_ones=0.1, structural_zeros=[0])
        frame = found.to_frame()
        for row, family in zip(frame.itertuples(), families, strict=True):
            options = {"pseudocount": 0.0 if family.takes_zero else 0.2, "zeros_to_ones": 0.1, "structural_zeros": [0]}
            risk, loss = (
                slc.expected_tau(SMALL, family, k=2, **options),
                slc.expected_loss(SMALL, family, m=3, **options),
            )
            assert (row.label, row.family) == (family.label, type(family).__name__)
            assert (row.tau3, row.tau4) == (risk.tau3[0], risk.tau4[0])
            assert (row.loss, row.loss_empty, row.approximation) == (loss.occupied, loss.empty, loss.approximation)
    assert (found.k, found.m) == (2, 3)
    assert frame["sigma"].fillna(-1).tolist() == [0.2, -1, 2.0, 3.0]
    assert frame["nu"].fillna(-1).tolist() == [-1, -1, 0.1, -1]
    assert frame["epsilon"].fillna(-1).tolist() == [-1, 0.7, -1, -1]
    best = [
        not any((t <= a and x <= b) and (t < a or x < b) for t, x in zip(frame["tau4"], frame["loss"], strict=True))
        for a, b in zip(frame["tau4"], frame["loss"], strict=True)
    ]
    assert frame["efficient"].tolist() == best
    assert found.summary()["tau4"].tolist() == sorted(frame.loc[best, "tau4"])
    assert found.title == f"4 settings, {sum(best)} of them efficient"
    assert _undominated(np.array([1.0, 1.0, 2.0]), np.array([2.0, 3.0, 2.0])).tolist() == [True, False, False]
    for bad in ([], None):
        with pytest.raises(InputError, match="families"):
            slc.frontier(SMALL, bad)


def test_what_a_set_of_tables_says() -> None:
    made = slc.synthesize_table(SMALL, NBI(sigma=0.5), m=3, pseudocount=0.0, zeros_to_ones=0.5, rng=1)
    assert len(made) == made.m == 3
    dense = [t.dense() for t in made]
    rows = [[i + 1, d.sum(), (d > 0).sum(), (d == 1).sum(), d.max()] for i, d in enumerate(dense)]
    assert made.to_frame().to_numpy().tolist() == rows
    assert made.to_frame().columns.tolist() == ["dataset", "total", "occupied", "ones", "largest"]
    columns = np.array(rows)[:, 1:]
    shown = made.summary()
    assert shown.index.tolist() == ["total", "occupied", "ones", "largest"]

    np.testing.assert_allclose(shown.to_numpy(), np.stack([columns.mean(0), columns.min(0), columns.max(0)], axis=1))
    assert (
        made.title
        == "3 synthetic tables of 7 cells by NBI(sigma = 0.5), saturated means, pseudocount 0, 0.5 of the zeros to ones"
    )
    for number in (1, 3):
        assert made.microdata(number).equals(made[number - 1].microdata())
    for bad in (0, 4):
        with pytest.raises(InputError, match="dataset"):
            made.microdata(bad)
    nobody = slc.synthesize_table(Table.from_counts([0], {"A": [1]}), Poisson(), pseudocount=0.0, rng=1)
    assert nobody.to_frame()["largest"].tolist() == [0]
    assert isinstance(made.to_frame(), pd.DataFrame)
