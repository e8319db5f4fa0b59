"""The default samplers of regressions compared with NUTS: time of 1,000 effective draws of the worst parameter."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly

PREDICTORS = "C(rate_marriage) + age + yrs_married + C(religious) + educ + C(occupation)"
MODELS = (
    sl.NormalRegression(f"affairs ~ {PREDICTORS}", transform="log1p"),
    sl.LogisticRegression(f"any ~ {PREDICTORS}"),
    sl.PoissonRegression(f"children ~ {PREDICTORS}"),
    sl.OrderedLogisticRegression("rate_marriage ~ age + yrs_married + C(religious) + educ"),
    sl.MultinomialRegression("occupation ~ educ + age"),
)


def run() -> Iterator[Row]:
    survey = sl.datasets.load("affairs").frame
    survey = survey.assign(any=(survey["affairs"] > 0).astype(int), children=survey["children"].round().astype(int))
    for model in MODELS:
        method, seconds, first = _measure(model, survey, None, 3)
        for peer in ("nutpie", "pymc") if model in MODELS[:2] else ("nutpie",):
            _, its_seconds, its_first = _measure(model, survey, peer, 1)  # it takes long
            note = f"effective draws per second: {1000 / seconds:,.0f} and {1000 / its_seconds:,.0f}; "
            note += f"first fit: {first:.2f} s and {its_first:.2f} s"
            yield Row(
                f"{type(model).__name__}, 1,000 effective draws, {method}",
                len(survey),
                seconds,
                peer,
                its_seconds,
                note,
            )


def _measure(model: Any, frame: Any, sampler: str | None, repeats: int) -> tuple[str, float, float]:
    """Return the method, the seconds for 1,000 effective draws, and the seconds of the first fit."""
    start = time.perf_counter()
    quietly(lambda: model.fit(frame, rng=1, sampler=sampler))()
    first = time.perf_counter() - start
    seconds, fitted = best_of(lambda: model.fit(frame, rng=2, sampler=sampler), repeats)
    found = fitted.diagnostics()
    return found.method, seconds * 1000 / min(found.ess_bulk.min(), found.ess_tail.min()), first
