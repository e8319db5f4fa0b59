"""Guesses and their posteriors at their edges, by plain sums over draws."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.risk import guess_posterior
from synthlab.risk.attribute import _posterior
from synthlab.risk.attribute.guess_posterior import together
from synthlab.risk.posterior import _candidate_values


@pytest.mark.parametrize("prior", [None, [0.0, 1.0, -2.0], [-np.inf, 0.5, 0.0]])
def test_a_posterior_over_guesses_by_its_formula(prior: Any) -> None:
    rng = np.random.default_rng(2)
    own, guesses, release = rng.normal(size=5), rng.normal(size=(5, 3)), 3 * rng.normal(size=(5, 2))
    guesses[:, 0] = own
    posterior, before, ess = guess_posterior(own, guesses, release, None if prior is None else np.array(prior))
    w = np.exp(guesses - own[:, None])
    start = w.mean(axis=0) if prior is None else np.exp(prior)
    assert before.tolist() == pytest.approx((start / start.sum()).tolist())
    for j in range(2):
        q = w * np.exp(release[:, [j]])
        after = start * q.sum(axis=0) / w.sum(axis=0)
        assert posterior[:, j].tolist() == pytest.approx((after / after.sum()).tolist())
        used = start > 0
        assert ess[j] == pytest.approx((q.sum(axis=0) ** 2 / (q**2).sum(axis=0))[used].min())
    joint = np.prod([posterior[:, j] / np.where(before > 0, before, 1) for j in range(2)], axis=0) * before
    assert together(posterior, before).tolist() == pytest.approx((joint / joint.sum()).tolist())


def test_a_guess_no_draw_speaks_for_leaves_no_draws() -> None:
    guesses = np.array([[0.0, 0.0], [0.0, -np.inf]])
    posterior, before, ess = guess_posterior(np.zeros(2), guesses, np.array([[-np.inf], [0.0]]))
    assert before.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert posterior[:, 0].tolist() == [1.0, 0.0]
    assert ess.tolist() == [0.0]


@pytest.mark.parametrize("place", ["own", "guesses", "release"])
def test_the_largest_log_density(place: str) -> None:
    arrays = {"own": np.zeros(2), "guesses": np.zeros((2, 2)), "release": np.zeros((2, 1))}
    arrays[place].flat[0] = -1e300
    assert np.isfinite(guess_posterior(**arrays)[0]).all()
    for bad in (-1.1e300, 1.1e300, np.nan, np.inf):
        arrays[place].flat[0] = bad
        with pytest.raises(InputError, match=place):
            guess_posterior(**arrays)
    arrays[place] = arrays[place][:1]
    arrays[place].flat[0] = 0.0
    with pytest.raises(InputError, match="shapes"):
        guess_posterior(**arrays)
    for prior in ([0.0], [np.nan, 0.0], [-np.inf, -np.inf], [np.inf, 0.0]):
        with pytest.raises(InputError, match="prior"):
            guess_posterior(np.zeros(2), np.zeros((2, 2)), np.zeros((2, 1)), np.array(prior))


def test_the_guesses_of_a_record() -> None:
    frame = pd.DataFrame(
        {
            "a": [4, -6, 0],
            "b": [1.5, 2.0, -8.0],
            "c": pd.Categorical(["y", "x", "y"], categories=["z", "y", "x"]),
            "d": list("qpq"),
        }
    )
    levels = _candidate_values.levels_of(frame, ["a", "b", "c", "d"])
    assert {k: v.tolist() for k, v in levels.items()} == {
        "a": [-6, 0, 4],
        "b": [-8.0, 1.5, 2.0],
        "c": ["y", "x"],
        "d": ["p", "q"],
    }
    for row, relative in itertools.product((0, 1), (True, False)):
        own = frame.iloc[row]
        radii = {"a": 0.5, "b": 0.25} if relative else {"a": 2.0, "b": 0.5}
        half_a, half_b = (radii["a"] * abs(own["a"]), radii["b"] * abs(own["b"])) if relative else (2.0, 0.5)
        whole = sorted({float(np.round(own["a"] + s * half_a)) for s in np.linspace(-1, 1, 5)})
        points = [own["b"] + s * half_b for s in np.linspace(-1, 1, 5)]
        table, truth = _candidate_values.guesses_for(frame, row, levels, radii, relative, 5)
        plain = list(itertools.product(whole, points, ["y", "x"], ["p", "q"]))
        assert [tuple(r) for r in table[["a", "b", "c", "d"]].itertuples(index=False)] == [
            tuple(pytest.approx(v) if isinstance(v, float) else v for v in r) for r in plain
        ]
        assert table.iloc[truth].tolist() == own.tolist()
        assert table.dtypes.tolist() == frame.dtypes.tolist()
    table, truth = _candidate_values.guesses_for(frame[["d", "c"]], 1, {"d": levels["d"]}, {}, True, 5)
    assert (table["d"].tolist(), table["c"].tolist(), truth) == (["p", "q"], ["x", "x"], 0)


def test_too_many_guesses_and_a_grid_that_is_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"a": [4, 1, 0], "b": [1.5, 2.0, 0.0]})
    levels = _candidate_values.levels_of(frame, ["a", "b"])
    monkeypatch.setattr(_candidate_values, "MAX_GUESSES", 15)
    assert len(_candidate_values.guesses_for(frame, 0, levels, {"b": 0.5}, True, 5)[0]) == 15
    monkeypatch.setattr(_candidate_values, "MAX_GUESSES", 14)
    with pytest.raises(InputError, match="grid=5: gives 15 guesses"):
        _candidate_values.guesses_for(frame, 0, levels, {"b": 0.5}, True, 5)
    _candidate_values.check_grid(frame, np.array([0, 1]), {"b": 0.1}, "relative")
    _candidate_values.check_grid(frame, np.array([0, 1, 2]), {"b": 0.1}, "absolute")
    _candidate_values.check_grid(frame, np.array([0]), {"a": 0.2}, "relative")  # 3.2 to 4.8 has two ends
    for rows, radii, kind, first in (
        ([0, 2], {"b": 0.1}, "relative", 2),
        ([0, 1], {"a": 0.1}, "relative", 0),
        ([2, 1], {"a": 0.4}, "absolute", 2),
        ([0, 1], {"b": 0.1, "a": 0.2}, "relative", 1),
    ):
        with pytest.raises(InputError, match=f"the first in row {first};"):
            _candidate_values.check_grid(frame, np.array(rows), radii, kind)


class _Fitted:
    """A normal distribution with a draw of the mean in each draw."""

    n_draws = 4
    synthesized = ("y",)
    weights: Any = None
    means = np.array([0.0, 0.5, 1.0, 2.0])

    def __init__(self, frame: pd.DataFrame) -> None:
        self.confidential = frame
        self.asked: list[int] = []

    def log_density(self, frame: pd.DataFrame, as_drawn: bool = False) -> np.ndarray:
        self.asked.append(len(frame))
        return -0.5 * (frame["y"].to_numpy()[None, :] - self.means[:, None]) ** 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("at_once", [1, 12, 13, 24, 40, 10**7])
@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 0.0, 2.0]])
def test_posteriors_do_not_depend_on_the_batches(at_once: int, weights: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"y": [0.4, 1.0, 2.0, -1.0]})
    released = [frame + 0.1, frame * 0.9]
    fitted = _Fitted(frame)
    fitted.weights = None if weights is None else np.array(weights)
    monkeypatch.setattr(_posterior, "AT_ONCE", at_once)
    risk = sl.risk.attribute_risk(frame, released, fitted=fitted, radius={"y": 0.5}, grid=3, datasets="apart")
    for i, y in enumerate(frame["y"]):
        guesses = np.array([y - 0.5 * abs(y), y, y + 0.5 * abs(y)])
        power = 1.0 if weights is None else weights[i]
        w = np.exp(power * 0.5 * ((y - fitted.means[:, None]) ** 2 - (guesses - fitted.means[:, None]) ** 2))
        for j, other in enumerate(released):
            likelihood = np.exp([-0.5 * ((other["y"] - m) ** 2).sum() for m in fitted.means])
            after = (w * likelihood[:, None]).sum(axis=0) / w.sum(axis=0)
            assert risk.scores.attack[i, j] == pytest.approx(after[1] / after.sum())
        assert risk.guesses[i]["y"].tolist() == pytest.approx(guesses.tolist())
        assert risk.guesses[i]["true"].tolist() == [False, True, False]
        assert risk.guesses[i]["prior"].tolist() == pytest.approx([1 / 3] * 3)
    assert risk.scores.baseline[:, 0].tolist() == pytest.approx([1 / 3] * 4)
    records = risk.records_to_frame()
    assert records["guesses"].tolist() == [3] * 4
    assert records["before"].tolist() == pytest.approx([1 / 3] * 4)
    assert records["after"].tolist() == pytest.approx(risk.scores.attack.mean(axis=1).tolist())
    assert records["rank"].tolist() == pytest.approx(risk.rank.mean(axis=1).tolist())
    assert records["ess"].tolist() == pytest.approx(risk.ess.min(axis=1).tolist())
    first = (risk.rank == 1).mean(axis=0)
    row = risk.summary().loc["truth ranks first"]
    assert row[["mean", "min", "max"]].tolist() == pytest.approx([first.mean(), first.min(), first.max()])
    assert row[["low", "high"]].isna().all()
    assert (risk.draws, risk.m, risk.datasets, risk.prior) == (4, 2, "apart", "uniform")
    for other in (frame.iloc[:3], frame.rename(columns={"y": "z"})):
        with pytest.raises(InputError, match="synthetic dataset 2: must have 4 rows and y"):
            _posterior.check_fitted(frame, [frame, other], fitted)  # type: ignore[arg-type]
