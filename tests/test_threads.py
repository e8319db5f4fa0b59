"""Calls in several threads return and warn the same as calls one by one, and leave the filters of warnings alone."""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import _warnings, counts as slc
from synthlab._warnings import quiet
from synthlab.exceptions import FitError
from synthlab.utility import analysis_utility
from tests.loops import every

THREADS, REPEATS = 8, 4
RNG = np.random.default_rng(7)
PEOPLE = pd.DataFrame({
    "region": RNG.choice(list("NSW"), 60),
    "age": RNG.integers(20, 80, 60),
    "job": [f"job {i % 40}" for i in range(60)],
    "income": RNG.lognormal(10, 0.6, 60).round(),
    "ill": RNG.choice(["no", "yes"], 60),
})  # fmt: skip
RELEASE = PEOPLE.assign(income=RNG.permutation(PEOPLE["income"]))
SOMEONE = sl.Intruder(known=["region", "age"], synthesized=["income"], radius=0.2)
TABLE = slc.Table.from_counts(RNG.poisson(3.0, (2, 3, 4)), {"a": [0, 1], "b": [0, 1, 2], "c": [0, 1, 2, 3]})


def separated() -> str:
    frame = PEOPLE.assign(old=(PEOPLE["age"] > 50).astype(int))
    with pytest.raises(FitError) as raised:
        analysis_utility(frame, frame, formula="old ~ age", family="binomial")
    return str(raised.value)


CALLS: dict[str, Callable[[], str]] = {
    "evaluate": lambda: json.dumps(sl.evaluate(PEOPLE, RELEASE, SOMEONE).to_dict()),
    "compare": lambda: sl.compare(PEOPLE, {"a": RELEASE, "b": PEOPLE}, SOMEONE).to_frame().to_json(),
    "synthesize": lambda: sl.synthesize(PEOPLE, m=1, rng=2**70)[0].to_json(),
    "identification risk": lambda: str(sl.identification_risk(PEOPLE, RELEASE, SOMEONE)),
    "identification probability": lambda: str(sl.identification_probability(PEOPLE, RELEASE, SOMEONE)),
    "tree of many levels": lambda: sl.CART(["job"], predictors=["age"]).fit(PEOPLE, rng=1).generate(1, 2)[0].to_json(),
    "mixture": lambda: str(sl.DPMPM(["region", "ill"], classes=2).fit(PEOPLE, draws=20, tune=5, rng=1).posterior),
    "log-linear model": lambda: str(slc.fit_log_linear(TABLE, "a*b*c", method="glm").means.sum()),
    "no convergence": lambda: str(slc.fit_log_linear(TABLE, "a+b+c", method="ipf", max_iterations=1).means.sum()),
    "separation": separated,
    "formula": lambda: str(analysis_utility(PEOPLE, RELEASE, formula="income ~ age + C(region)", family="gaussian")),
}

SILENT = ("tree of many levels", "log-linear model", "separation", "formula")  # of a library they silence warnings


class LockedByLibraries(warnings.catch_warnings):  # type: ignore[type-arg]
    """A `catch_warnings` that other libraries, such as pandas, use in one thread at a time.

    Without it they change the filters of the process themselves before Python 3.14.
    """

    def __enter__(self) -> Any:
        self.foreign = not sys._getframe(1).f_globals["__name__"].startswith(("synthlab", "tests"))
        if self.foreign:
            _warnings._filters.acquire()
        return super().__enter__()

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        if self.foreign:
            _warnings._filters.release()


@pytest.fixture(autouse=True)
def switching(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let threads take turns as often as possible."""
    monkeypatch.setattr(warnings, "catch_warnings", LockedByLibraries)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def run(name: str, threads: int, times: int) -> tuple[Counter[str], Counter[tuple[type[Warning], str]]]:
    """Return how often each result and each warning was seen; the filters must stay as they are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        before = list(warnings.filters)
        with ThreadPoolExecutor(threads) as pool:
            results = Counter(pool.map(lambda _: CALLS[name](), range(times)))
        assert warnings.filters == before
    return results, Counter((one.category, str(one.message)) for one in caught)


def times(count: int, seen: Counter[Any]) -> Counter[Any]:
    return Counter({one: count * number for one, number in seen.items()})


@every("name", list(CALLS)[3::3])
def test_eight_threads_return_and_warn_the_same_as_one_in_some_calls(name: str) -> None:
    check_threads(name)


@pytest.mark.full
@every("name", CALLS)
def test_eight_threads_return_and_warn_the_same_as_one(name: str) -> None:
    check_threads(name)


def check_threads(name: str) -> None:
    with quiet():
        CALLS[name]()  # imports libraries, some of which add filters
    results, given = run(name, 1, 1)
    found, seen = run(name, THREADS, THREADS * REPEATS)
    assert found == times(THREADS * REPEATS, results)
    assert seen == times(THREADS * REPEATS, given)
    assert given or name in SILENT
