"""Utility measures at their edges, by plain loops over records, cells, intervals and steps."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError, UndefinedStatisticWarning
from synthlab.utility import (
    analysis_utility,
    combine_full,
    combine_partial,
    ecdf_utility,
    interval_overlap,
)  # fmt: skip
from synthlab.utility._combined import combined_result
from synthlab.utility.intervals import overlap


def _j(ours: Any, theirs: Any) -> float:
    common = min(ours[1], theirs[1]) - max(ours[0], theirs[0])
    widths = [side[1] - side[0] for side in (ours, theirs)]
    return sum(common / w for w in widths) / 2 if min(widths) > 0 else np.nan


def test_the_overlap_of_two_intervals() -> None:
    ours = [[0.0, 2.0], [0.0, 2.0], [0.0, 2.0], [0.0, 2.0], [1.0, 1.0], [0.0, 4.0], [0.0, np.nan]]
    theirs = [[1.0, 5.0], [3.0, 5.0], [2.0, 3.0], [0.0, 2.0], [0.0, 2.0], [1.0, 2.0], [0.0, 1.0]]
    with pytest.warns(UndefinedStatisticWarning, match="length 0"):
        found = interval_overlap(ours, theirs)
    plain = [_j(a, b) for a, b in zip(ours, theirs, strict=True)]
    plain[-1] = np.nan
    assert found.interval_overlap.tolist() == pytest.approx(plain, nan_ok=True)
    assert found.interval_overlap_clipped.tolist() == pytest.approx(
        [max(v, 0.0) if v == v else v for v in plain], nan_ok=True
    )
    table = found.to_frame()
    assert table.index.tolist() == list(range(1, 8))
    assert table.iloc[:, :4].to_numpy()[:6].tolist() == [[*a, *b] for a, b in zip(ours, theirs, strict=True)][:6]
    assert table["interval_overlap"].tolist() == pytest.approx(plain, nan_ok=True)
    assert found.summary().equals(table)
    assert overlap(np.array([[[0.0, 2.0]]]), np.array([[[1.0, 2.0]]])).tolist() == [[0.75]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval_overlap([0.0, 2.0], [1.0, 2.0])
    for bad in ([2.0, 1.0], [1.0], [[1.0, 2.0, 3.0]], [], [[[1.0, 2.0]]]):
        with pytest.raises(InputError, match="confidential"):
            interval_overlap(bad, [1.0, 2.0])
    with pytest.raises(InputError, match="synthetic: 2 intervals"):
        interval_overlap([1.0, 2.0], [[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(InputError, match="interval 2 has its lower"):
        interval_overlap([[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [1.0, 2.0]])


Q = np.array([[1.0, 5.0, 2.0, 0.0], [2.0, 5.0, 4.0, 0.0], [4.0, 5.0, 9.0, 0.0]])
V = np.array([[0.5, 0.25, 0.5, 0.0], [0.25, 0.25, 1.5, 0.0], [0.25, 0.5, 1.0, 0.0]])


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_combining_by_the_formulas(level: float, ratio: float) -> None:
    partial, full = (
        combine_partial(Q, V, level=level, names=list("abcd")),
        combine_full(Q, V, level=level, size_ratio=ratio),
    )
    for k in range(4):
        mean, b, v = Q[:, k].mean(), Q[:, k].var(ddof=1), V[:, k].mean()
        total = b / 3 + v
        df = 2 * (1 + v / (b / 3)) ** 2 if b else np.inf
        half = stats.t.ppf((1 + level) / 2, df) * np.sqrt(total)
        plain = [mean, b, v, total, np.sqrt(total), df, mean - half, mean + half]
        assert partial.to_frame().iloc[k, :8].tolist() == pytest.approx(plain)
        assert partial.summary().iloc[k].tolist() == pytest.approx([mean, np.sqrt(total), df, mean - half, mean + half])
        total = 4 / 3 * b - v
        adjusted = total < 0
        df = np.inf if adjusted or not b else 2 * (1 - v / (4 / 3 * b)) ** 2
        total = ratio * v if adjusted else total
        half = stats.t.ppf((1 + level) / 2, df) * np.sqrt(total)
        assert full.adjusted[k] == adjusted
        half = np.nan if df < 1 else half
        plain = [mean, b, v, total, np.sqrt(total), df, mean - half, mean + half]
        assert full.to_frame().iloc[k, :8].tolist() == pytest.approx(plain, nan_ok=True)
    assert partial.names == tuple("abcd")
    assert full.names == ("estimate 1", "estimate 2", "estimate 3", "estimate 4")
    assert combine_partial(Q[:, 0], V[:, 0]).names == ("estimate",)
    assert combine_partial(pd.DataFrame(Q, columns=list("wxyz")), V).names == tuple("wxyz")
    assert partial.title == f"Combined over m = 3 datasets by the rules for partial synthesis, {level:.0%} intervals."


def test_one_undefined_part_is_enough_to_be_said() -> None:
    def told(q: float, df: float, total: float, m: int = 3) -> str:
        one = np.array([1.0])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            combined_result(
                np.array([q, 0.0]),
                np.r_[one, 1],
                np.r_[one, 1],
                np.array([total, 1.0]),
                np.array([df, 5.0]),
                np.zeros(2, bool),
                ("a", "b"),
                m,
                0.9,
                "partial",
            )
        return str(caught[0].message) if caught else ""

    assert told(1.0, 5.0, 1.0) == ""
    assert "an estimate is NaN; variance and interval of 'a' are NaN" in told(np.nan, 5.0, 1.0)
    assert "exceeds the largest float" in told(1.0, np.nan, 1.0)
    assert "exceeds the largest float" in told(1.0, 5.0, np.nan)
    assert "m = 1 dataset" in told(1.0, np.nan, np.nan, m=1)
    with pytest.warns(UndefinedStatisticWarning, match="m = 1"):
        alone = combine_full([3.0], [1.0])
    assert np.isnan([alone.between[0], alone.total_variance[0], alone.df[0], *alone.interval[0]]).all()
    assert (alone.q_bar[0], alone.within[0], alone.adjusted[0]) == (3.0, 1.0, False)
    for q, v in (
        ([1.0], [1.0, 2.0]),
        ([], []),
        ([np.inf], [1.0]),
        ([1.0], [np.inf]),
        ([1.0], [-1e-9]),
        ([[[1.0]]], [[[1.0]]]),
    ):
        with pytest.raises(InputError):
            combine_partial(q, v)
    for options in ({"names": ["a", "b"]}, {"names": [1]}, {"level": 0.0}, {"level": 1.0}):
        with pytest.raises(InputError):
            combine_partial([1.0, 2.0], [1.0, 1.0], **options)
    with pytest.raises(InputError, match="size_ratio"):
        combine_full([1.0, 2.0], [1.0, 1.0], size_ratio=0.0)


def test_distances_of_distribution_functions_at_every_value() -> None:
    ours = pd.DataFrame({"x": [1.0, 2.0, 2.0, 5.0, np.nan], "y": [1, 1, 1, 1, 1], "z": list("abcde")})
    released = [
        pd.DataFrame({"x": [2.0, 3.0, np.nan], "y": [1, 2, 3], "z": list("abc")}),
        pd.DataFrame({"x": [0.0, 5.0, 6.0], "y": [1, 1, 1], "z": list("abc")}),
    ]
    found = ecdf_utility(ours, released, missing="never")
    assert found.variables == ("x", "y")
    rows = []
    for c, frame in itertools.product(("x", "y"), released):
        a, b = ours[c].dropna().to_numpy(), frame[c].dropna().to_numpy()
        gaps = [(a <= t).mean() - (b <= t).mean() for t in np.concatenate([a, b])]
        rows.append([max(map(abs, gaps)), np.mean(np.square(gaps))])
    np.testing.assert_allclose(found.to_frame()[["ecdf_max", "ecdf_mean_square"]].to_numpy(), rows)
    assert found.to_frame()[["variable", "dataset"]].to_numpy().tolist() == [["x", 1], ["x", 2], ["y", 1], ["y", 2]]
    np.testing.assert_allclose(found.summary().to_numpy(), np.array(rows).reshape(2, 2, 2).mean(axis=1))
    assert (found.m, found.n_confidential, found.n_synthetic) == (2, 5, 3)
    assert "mean over m = 2: 5 confidential against 3 synthetic" in found.title
    with pytest.raises(MissingValueError, match="'x' has 1 missing"):
        ecdf_utility(ours, released)
    stated = sl.Release(tuple(f.dropna() for f in [released[1]]), ("y", "z"))
    assert ecdf_utility(ours, stated).variables == ("y",)
    with pytest.raises(InputError, match="none of"):
        ecdf_utility(ours[["z"]], released)
    with pytest.raises(InputError, match="has only missing values"):
        ecdf_utility(ours, [released[0].assign(x=np.nan)], variables=["x"], missing="never")


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
def test_an_analysis_number_by_number() -> None:
    def fit(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
        return {"a": (float(frame["a"][0]), 1.0), "b": (float(frame["a"][1]), float(frame["a"][2]))}

    frames = [pd.DataFrame({"a": v}) for v in ([1.0, 5.0, 2.0], [1.5, 4.0, 1.0], [2.5, 9.0, 0.5])]
    found = analysis_utility(frames[0], frames[1:], analysis=fit, level=0.9)
    z = stats.norm.ppf(0.95)
    ours = [(1.0 - z, 1.0 + z), (5.0 - 2 * z, 5.0 + 2 * z)]
    theirs = [[(1.5 - z, 1.5 + z), (4.0 - z, 4.0 + z)], [(2.5 - z, 2.5 + z), (9.0 - z / 2, 9.0 + z / 2)]]
    frame = found.to_frame()
    assert frame[["dataset", "name"]].to_numpy().tolist() == [[1, "a"], [1, "b"], [2, "a"], [2, "b"]]
    assert frame["estimate"].tolist() == [1.5, 4.0, 2.5, 9.0]
    assert frame["std_error"].tolist() == [1.0, 1.0, 1.0, 0.5]
    np.testing.assert_allclose(frame[["lower", "upper"]].to_numpy(), [e for row in theirs for e in row])
    own = [[_j(o, t) for o, t in zip(ours, row, strict=True)] for row in theirs]
    assert frame["interval_overlap"].tolist() == pytest.approx([v for row in own for v in row])
    table, combined = found.summary(), combine_partial([[1.5, 4.0], [2.5, 9.0]], [[1.0, 1.0], [1.0, 0.25]], level=0.9)
    for k in range(2):
        row = table.iloc[k]
        assert row[["confidential", "confidential_lower", "confidential_upper"]].tolist() == pytest.approx(
            [[1.0, 5.0][k], *ours[k]]
        )
        assert row[["q_bar", "lower", "upper"]].tolist() == pytest.approx([combined.q_bar[k], *combined.interval[k]])
        assert row["standardised_difference"] == pytest.approx((combined.q_bar[k] - [1.0, 5.0][k]) / [1.0, 2.0][k])
        j = _j(ours[k], combined.interval[k])
        assert row[["interval_overlap", "interval_overlap_clipped"]].tolist() == pytest.approx([j, max(j, 0.0)])
        assert row["mean_dataset_overlap"] == pytest.approx((own[0][k] + own[1][k]) / 2)
    assert (
        found.title == "Analysis utility of fit, m = 2, partial synthesis (not stated by the release), 90% intervals."
    )
    whole = analysis_utility(frames[0], frames[1:], analysis=fit, synthesis="full", parameters="mixed", level=0.9)
    plain = combine_full([[1.5, 4.0], [2.5, 9.0]], [[1.0, 1.0], [1.0, 0.25]], level=0.9, parameters="mixed")
    np.testing.assert_allclose(whole.combined.interval, plain.interval)
    with pytest.warns(UndefinedStatisticWarning, match="an estimate of 'b' is NaN, or a standard error is 0"):
        zero = analysis_utility(frames[0].assign(a=[1.0, 5.0, 0.0]), frames[1:], analysis=fit)
    assert np.isnan(zero.standardised_difference).tolist() == [False, True]
