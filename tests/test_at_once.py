"""Measures that work on several datasets at once: the same numbers, bit for bit, as one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import dp
from synthlab._system import parallel
from synthlab.risk.posterior._draws import refit
from synthlab.utility import bootstrap_statistic, pmse


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start workers for any work; end them at last."""
    monkeypatch.setattr(parallel, "_pays", lambda *_: True)
    yield
    joblib.externals.loky.get_reusable_executor(max_workers=1).shutdown(wait=True, kill_workers=True)


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    return pd.DataFrame({"x": x, "y": x + rng.normal(size=80), "ill": rng.choice(["no", "yes"], 80)})


def noisy(ages: list[float], rng: np.random.Generator) -> float:
    return len(ages) + float(rng.laplace())


def measures(people: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    fitted = sl.CART(["y", "ill"], predictors=["x"]).fit(people, rng=1)
    release = fitted.generate(m=3, rng=2)
    return {
        "analytic": lambda: pmse(people, release, rng=1).to_frame(),
        "shuffled": lambda: pmse(people, release, null="permutation", permutations=5, rng=1).null_values,
        "pairs": lambda: pmse(people, release, model="cart", null="pairs", rng=1).null_values,
        "bootstrap": lambda: bootstrap_statistic(people, release, variable="y", resamples=20, rng=1).draws,
        "audit": lambda: dp.audit_epsilon(noisy, [30, 41], [30], epsilon=1.0, runs=400, rng=1).to_frame(),
        "refit": lambda: [fit.draw(people, 0, np.random.default_rng(1)) for fit in refit(
            sl.CART(["y"], predictors=["x"]), release, {}, np.random.default_rng(3)
        )],
    }  # fmt: skip


@pytest.mark.full
def test_the_numbers_do_not_depend_on_the_number_of_workers(
    people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[int, dict[str, Any]] = {}
    real, sent = parallel._send, []
    monkeypatch.setattr(parallel, "_send", lambda *a: sent.append(a) or real(*a))
    for jobs in (1, 2):
        with joblib.parallel_config(n_jobs=jobs):
            found[jobs] = {name: measure() for name, measure in measures(people).items()}
    assert len(sent) == 1 + len(found[1])  # the release, and each of the measures
    for name, one in found[1].items():
        other = found[2][name]
        if isinstance(one, pd.DataFrame):
            pd.testing.assert_frame_equal(one, other, check_exact=True)
        elif name == "refit":
            for first, second in zip(one, other, strict=True):
                pd.testing.assert_series_equal(first["y"], second["y"], check_exact=True)
        else:
            np.testing.assert_array_equal(one, other)
