"""Setting a parameter by what is wanted, and the map of risk against loss."""

from __future__ import annotations

import re

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.exceptions import InputError, PseudocountWarning
from tests.loops import every

COUNTS = np.repeat([0, 1, 2, 3, 5, 20, 100], [5000, 300, 100, 60, 30, 20, 10])


@pytest.fixture(scope="module")
def table() -> slc.Table:
    return slc.Table.from_counts(COUNTS, {"cell": range(COUNTS.size)})


@pytest.mark.parametrize(
    ("family", "target", "over"),
    [
        (slc.GAF(sigma=1, nu=-0.5), ("tau3", 1, 0.2), "sigma"),
        (slc.GAF(sigma=2, nu=-0.5), ("tau3", 5, 0.3), "nu"),
        (slc.GAF(sigma=2, nu=-0.5), ("tau4", 1, 0.6), "sigma"),
        (slc.GAF(sigma=2, nu=-0.5), ("loss", 800.0), "sigma"),
        (slc.GAF(sigma=2, nu=-0.5), ("loss", 1800.0), "nu"),
        (slc.NBI(sigma=1), ("tau3", 1, 0.2), "sigma"),
        (slc.NBI(sigma=1), ("loss", 5e4), "sigma"),
        (slc.LaplaceCount(epsilon=1), ("tau3", 1, 0.2), "epsilon"),
    ],
    ids=lambda v: str(v) if not isinstance(v, slc.CountFamily) else v.label,
)
def test_the_target_is_met(table, family, target, over):
    pseudocount = 0.0 if over == "epsilon" else 0.01
    result = slc.tune(table, family, target=target, over=over, pseudocount=pseudocount)
    assert result.achieved == pytest.approx(target[-1], rel=1e-8)
    tuned = result.family
    if target[0] == "loss":
        value = slc.expected_loss(table, tuned, pseudocount=0).occupied
    else:
        value = getattr(slc.expected_tau(table, tuned, k=target[1], zeros_to_ones=0, pseudocount=0), target[0])[0]
        if target[0] == "tau4":
            with pytest.warns(PseudocountWarning):
                value = slc.expected_tau(table, tuned, k=1).tau4[0]
    assert value == pytest.approx(target[-1], rel=1e-8)
    for name in ("sigma", "nu", "epsilon"):
        if hasattr(family, name) and name != over:
            assert float(getattr(tuned, name)) == float(getattr(family, name))
    assert result.to_frame().shape == (61, 2)


def test_of_several_solutions_the_one_with_least_noise(table):
    # tau1(1) of the GAF falls and rises with sigma.
    result = slc.tune(table, slc.NBI(sigma=1), target=("tau1", 2, 0.012), between=(1e-3, 50))
    assert result.value == result.solutions.min()
    assert all(
        slc.expected_tau(table, slc.NBI(sigma=s), k=2).tau1[0] == pytest.approx(0.012, rel=1e-8)
        for s in result.solutions
    )


def test_the_policy_of_the_lecture(table):
    result = slc.tune(table, slc.GAF(sigma=1, nu=-0.5), target=("tau3", 1, 0.2))
    assert result.value == pytest.approx(1.73291, rel=1e-5)
    assert str(result) == "tau3(1) = 0.2 at sigma = 1.73291: GAF(sigma = 1.73291, nu = -0.5)"
    assert result.summary()["solutions"].item() == 1
    # and 20% of the uniques stay unique
    synthetic = slc.synthesize_table(table, result.family, m=50, zeros_to_ones=0.01, rng=1)
    measured = slc.tau(table, synthetic, k=1).tau3.mean()
    assert measured == pytest.approx(0.2, abs=4 * np.sqrt(0.16 / 300 / 50))


@every(
    ("family", "target", "over", "message"),
    [
        (slc.GAF(sigma=1, nu=0), ("tau3", 1, 0.2), "nu", "tau3(1) is 0.3834 for every nu; 1 to any power nu is 1"),
        (
            slc.GAF(sigma=1, nu=0),
            ("tau3", 1, 1e-9),
            "sigma",
            "tau3(1) = 1e-09 is out of reach; for sigma from 0.01 to 100",
        ),
        (slc.GAF(sigma=1, nu=0), ("tau3", 77, 0.5), "sigma", "tau3(77) is undefined, because no cell has size 77"),
        (slc.Poisson(), ("tau3", 1, 0.2), "sigma", "Poisson has no parameter to tune"),
        (slc.NBI(sigma=1), ("tau3", 1, 0.2), "nu", "over='nu': must be one of 'sigma'"),
        (slc.NBI(sigma=1), ("tau5", 1, 0.2), "sigma", "target=('tau5', 1, 0.2): must be"),
        (slc.NBI(4.0, 1), ("tau3", 1, 0.2), "sigma", "mu=4.0 is set"),
        ("NBI", ("tau3", 1, 0.2), "sigma", "family: must be a count distribution"),
    ],
)
def test_what_cannot_be_reached_is_explained(table, family, target, over, message):
    with pytest.raises(InputError, match=re.escape(message)):
        slc.tune(table, family, target=target, over=over)


def test_the_range_can_be_given(table):
    narrow = slc.tune(table, slc.NBI(sigma=1), target=("tau3", 1, 0.3), between=(0.1, 1.0))
    assert (narrow.grid[0], narrow.grid[-1]) == (pytest.approx(0.1), pytest.approx(1.0))
    with pytest.raises(InputError, match=r"between\[0\]=0"):
        slc.tune(table, slc.NBI(sigma=1), target=("tau3", 1, 0.3), between=(0, 1))
    for odd in (5, (1, 2, 3), [1]):
        with pytest.raises(InputError, match=r"between=.*: must be two numbers, \(low, high\)"):
            slc.tune(table, slc.NBI(sigma=1), target=("tau3", 1, 0.3), between=odd)
    with pytest.raises(InputError, match=r"between\[1\]=1"):
        slc.tune(table, slc.NBI(sigma=1), target=("tau3", 1, 0.3), between=(2, 1))


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.PseudocountWarning")
def test_the_map_of_risk_and_loss(table):
    families = [slc.GAF(sigma=s, nu=-0.5) for s in (0.5, 1, 2)]
    families += [slc.NBI(sigma=s) for s in (0.5, 2)] + [slc.LaplaceCount(epsilon=1)]
    result = slc.frontier(table, families, m=10)
    frame = result.to_frame()
    assert frame["family"].tolist() == ["GAF"] * 3 + ["NBI"] * 2 + ["LaplaceCount"]
    for row, family in zip(frame.itertuples(), families, strict=True):
        options = {"pseudocount": 0.0} if family.takes_zero else {}
        assert row.tau4 == slc.expected_tau(table, family, k=1, **options).tau4[0]
        loss = slc.expected_loss(table, family, m=10, **options)
        assert (row.loss, row.loss_empty, row.approximation) == (loss.occupied, loss.empty, loss.approximation)
    for i, row in frame.iterrows():
        others = frame.drop(index=i)
        beaten = ((others["tau4"] <= row["tau4"]) & (others["loss"] < row["loss"])).any()
        beaten |= ((others["tau4"] < row["tau4"]) & (others["loss"] <= row["loss"])).any()
        assert row["efficient"] == (not beaten)
    assert result.summary()["tau4"].is_monotonic_increasing
    assert "efficient" in str(result)
    assert "<table" in result._repr_html_()
    with pytest.raises(InputError, match="families: must be a list of at least one"):
        slc.frontier(table, [])
