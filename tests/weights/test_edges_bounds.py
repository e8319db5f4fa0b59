"""Sensitivities, the weights made of them, and the search for one weight, by plain loops over draws and records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import (
    ConvergenceWarning,
    InputError,
)
from synthlab.weights import (
    _chunked_log_likelihood,
    achieved_epsilon,
    exponential_mechanism_weight,
    lipschitz_weights,
    match_lipschitz_bound,
)
from synthlab.weights.lipschitz import _mapped
from synthlab.weights.matched_bound import MatchedWeight, _next_weight

LOG = np.array(
    [
        [-1.0, 2.0, -0.5, 0.0],
        [-3.0, 0.5, -0.25, -1.0],
        [-1.5, -7.0, -4.0, -2.0],
        [0.5, -0.5, -6.0, -0.125],
        [-9.0, 0.0, -1.0, -1.0],
    ]
)


@pytest.mark.parametrize("cells", [1, 10, 11])
@pytest.mark.parametrize("quantile", [0.01, 0.5, 0.74, 0.75, 1.0])
@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 0.0, 2.0], [0.0, 0.25, 1.0, 0.0]])
def test_the_largest_values_by_draw_and_by_record(
    cells: int, quantile: float, weights: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_chunked_log_likelihood, "CELLS", cells)
    w = np.ones(4) if weights is None else np.array(weights)
    by_draw = [max(abs(LOG[s, i]) * w[i] for i in range(4)) for s in range(5)]
    last = sorted(by_draw)[int(quantile * 4)]
    kept = [d <= last for d in by_draw]
    by_record = [max(abs(LOG[s, i]) * w[i] for s in range(5) if kept[s]) for i in range(4)]
    for given in (LOG, LOG.tolist(), [LOG[:, :1], LOG[:, 1:]], lambda: iter([LOG[:, :3], LOG[:, 3:]])):
        found = _chunked_log_likelihood.reduce_blocks(given, 4, quantile, None if weights is None else w)
        assert found.by_draw.tolist() == by_draw
        assert found.kept.tolist() == kept
        assert found.by_record.tolist() == by_record
    spent = achieved_epsilon(LOG, weights, n=4, quantile=quantile, m=3)
    assert spent.sensitivity.tolist() == by_record
    top = max(by_record)
    assert (spent.lipschitz_bound, spent.epsilon_per_draw, spent.epsilon_total, spent.n_kept) == (
        top,
        2 * top,
        6 * top,
        sum(kept),
    )
    assert spent.summary()["value"].tolist() == [
        top,
        2 * top,
        3.0,
        6 * top,
        float(np.median(by_record)),
        sum(kept),
        5.0,
    ]
    assert spent.to_frame()["sensitivity"].tolist() == by_record
    assert spent.for_datasets(5).epsilon_total == 10 * top
    assert f"can use {sum(kept)} of 5 draws" in spent.title
    assert "for m = 3 datasets." in spent.title
    assert "for m = 1 dataset." in spent.for_datasets(1).title


def test_log_likelihoods_that_cannot_be_read() -> None:
    for bad in (np.nan, np.inf):
        with pytest.raises(InputError, match="contains NaN or plus infinity"):
            _chunked_log_likelihood.reduce_blocks(np.where(LOG == -4.0, bad, LOG), 4, 1.0)
        with pytest.raises(InputError, match="contains NaN or plus infinity"):
            _chunked_log_likelihood.reduce_blocks(
                np.where(LOG == -4.0, bad, LOG), 4, 1.0, np.zeros(4)
            )  # a record of weight 0 too
    hidden = np.where(LOG == -4.0, -np.inf, LOG)
    assert _chunked_log_likelihood.reduce_blocks(hidden, 4, 0.75).kept.tolist() == [True, True, False, True, True]
    assert _chunked_log_likelihood.reduce_blocks(hidden, 4, 1.0, np.array([1.0, 1.0, 0.0, 1.0])).by_record.tolist() == [
        9.0,
        7.0,
        0.0,
        2.0,
    ]
    with pytest.raises(InputError, match=r"1 of 4 records have probability 0 .*1 of 5 draws have such a record"):
        _chunked_log_likelihood.reduce_blocks(hidden, 4, 1.0)
    for given, n, match in (
        (LOG, 5, r"5 draws of 4 records, not of n=5; it is transposed"),
        (LOG, 3, r"5 draws of 4 records, not of n=3"),
        ([LOG[:, :2], LOG[:4, 2:]], 4, "block 2 has 4 draws, but the first block has 5"),
        ([LOG, LOG[:, :0]], 4, "both at least 1"),
        (np.empty((0, 4)), 4, "both at least 1"),
        (iter([LOG]), 4, "an iterator can be read once"),
        (lambda: [], 4, "has no records"),
    ):
        with pytest.raises(InputError, match=match):
            _chunked_log_likelihood.reduce_blocks(given, n, 1.0)
    with pytest.raises(InputError, match="weights: has 3 values"):
        _chunked_log_likelihood.reduce_blocks(LOG, 3, 1.0, np.ones(3))
    for options in (
        {},
        {"n": 3, "weights": [1.0] * 4},
        {"n": 4, "quantile": 0.0},
        {"n": 4, "quantile": 1.1},
        {"n": 4, "m": 0},
    ):
        with pytest.raises(InputError):
            achieved_epsilon(LOG, **{"quantile": 1.0, **options})


@pytest.mark.parametrize("mapping", ["range", "maximum"])
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (0.5, 0.25), (2.0, -0.5), (0.0, 0.75)])
def test_weights_from_bounds(mapping: Any, scale: float, shift: float) -> None:
    found = lipschitz_weights(LOG, n=4, quantile=0.5, mapping=mapping, scale=scale, shift=shift)
    f = np.array([3.0, 2.0, 6.0, 1.0])  # the draws of 2, 3 and 6 are kept
    assert found.kept.tolist() == [True, True, False, True, False]
    assert found.sensitivity.tolist() == f.tolist()
    mapped = (f - 1) / 5 if mapping == "range" else f / 6
    alpha = np.clip(scale * (1 - mapped) + shift, 0, 1)
    assert found.weights.tolist() == pytest.approx(alpha.tolist())
    rows = found.summary()["value"]
    assert rows.tolist() == pytest.approx([4, alpha.mean(), alpha.min(), (alpha == 0).sum(), 2.5, 6.0, 3, 5])
    assert rows.index.tolist()[:4] == ["records", "mean weight", "smallest weight", "records of weight 0"]
    assert found.to_frame().to_numpy().T.tolist() == [f.tolist(), pytest.approx(alpha.tolist())]
    assert f"over 3 of 5 draws: mean {alpha.mean():.3f}, {(alpha == 0).sum()} are 0." in found.title
    assert np.asarray(found).tolist() == found.weights.tolist()
    assert np.array(found, copy=True).flags.writeable
    assert not np.asarray(found).flags.writeable
    assert len(found) == 4


def test_sensitivities_that_are_all_the_same() -> None:
    assert _mapped(np.zeros(3), "maximum").tolist() == [0.0] * 3
    assert _mapped(np.full(3, 2.0), "maximum").tolist() == [1.0] * 3
    with pytest.raises(InputError, match="all 3 records have the same sensitivity"):
        _mapped(np.full(3, 2.0), "range")
    with pytest.raises(InputError, match="every weight is 0"):
        lipschitz_weights(LOG, n=4, quantile=0.5, scale=0.0)
    for options in ({"scale": -0.1}, {"quantile": 0.0}, {"quantile": 1.1}, {"shift": np.nan}, {"mapping": "min"}):
        with pytest.raises(InputError):
            lipschitz_weights(LOG, **{"n": 4, "quantile": 1.0, **options})
    with pytest.raises(InputError, match="every weight is 0"):
        sl.scale_and_shift([0.5, 1.0], scale=1.0, shift=-1.0)
    assert sl.scale_and_shift([0.0, 0.0], scale=1.0, shift=0.0).tolist() == [0.0, 0.0]
    assert sl.scale_and_shift([0.25, 4.0], scale=2.0, shift=0.25).tolist() == [0.75, 1.0]


def test_one_weight_for_all_by_the_formula_and_by_search() -> None:
    for epsilon, bound in ((8.0, 16.0), (0.3, 7.0), (80.0, 16.0), (32.0, 16.0)):
        assert exponential_mechanism_weight(epsilon, bound) == min(1.0, epsilon / (2 * bound))
    asked: list[float] = []

    def bound_of(weight: float) -> float:
        asked.append(weight)
        return 10 * weight**0.5

    found = match_lipschitz_bound(bound_of, 4.0, start=0.4, tolerance=1e-9)
    assert found.weight == pytest.approx(0.16)
    assert found.tried["weight"].tolist() == asked
    assert found.tried["lipschitz_bound"].tolist() == [10 * w**0.5 for w in asked]
    # the first step is by the power 1, the second by the power the two tried have
    assert asked[:3] == pytest.approx([0.4, 0.4 * 4 / (10 * 0.4**0.5), 0.16])
    assert found.summary()["value"].tolist() == [found.weight, found.lipschitz_bound, 4.0, len(asked)]
    assert found.to_frame().equals(found.tried)
    assert "after 3 refits; the first weight tried, 0.4, reached 6.325" in found.title
    with pytest.warns(ConvergenceWarning, match="the closest of 1 refits"):
        assert not match_lipschitz_bound(bound_of, 4.0, start=0.4, max_fits=1).matched
    with pytest.warns(ConvergenceWarning):
        short = match_lipschitz_bound(bound_of, 20.0, start=0.5)
    assert short.tried["weight"].tolist() == [0.5, 1.0]
    assert (short.weight, short.lipschitz_bound) == (1.0, 10.0)
    for bound, near in ((1.25, True), (1.2501, False), (0.75, True), (0.7499, False)):
        assert MatchedWeight(0.5, bound, 1.0, 0.25, pd.DataFrame()).matched is near
    for start, target in ((0.0, 4.0), (1.1, 4.0), (0.5, 0.0)):
        with pytest.raises(InputError, match="must be"):
            match_lipschitz_bound(bound_of, target, start=start)
    exactly = match_lipschitz_bound(lambda w: 4.0, 4.0, start=0.4, tolerance=1e-12)
    assert len(exactly.tried) == 1


def test_the_next_weight_stays_in_its_bracket() -> None:
    assert _next_weight([(0.5, 2.0)], 1.0) == pytest.approx(0.25)
    assert _next_weight([(0.5, 2.0)], 9.0) == 1.0
    assert _next_weight([(0.5, 1.0), (0.25, 0.5)], 0.7) == pytest.approx(0.35)
    # a power beyond 0.2 to 5 is not believed: the middle of the bracket
    found = _next_weight([(0.2, 1.0), (0.8, 1.01)], 1.005)
    assert 0.2 < found < 0.8
    # a larger weight reached less: between the two
    assert _next_weight([(0.2, 2.0), (0.8, 1.0)], 1.5) == pytest.approx(0.4)
