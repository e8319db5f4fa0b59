"""Response time of an interactive control of a lecture."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import synthlab as sl
from synthlab.teaching import widgets
from synthlab.teaching.widgets import matching
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly

M = 20


def run() -> Iterator[Row]:
    survey = sl.datasets.load("ce_lecture").frame
    draw = np.random.default_rng(1)
    amount = next(c for c in survey if np.unique(survey[c]).size > 100)
    made = [survey.assign(**{amount: survey[amount] * draw.lognormal(0, 0.3, len(survey))}) for _ in range(M)]
    known = [c for c in survey if survey[c].nunique() < 10]
    start = time.process_time()
    view: Any = quietly(lambda: widgets.match_risk_explorer(survey, made, choices={"all": known}, synthesized=amount))()
    *_, radius, _ = view.children
    first = time.process_time() - start
    values = itertools.cycle(matching.RADII)

    def change() -> None:
        radius.value = next(values)

    seconds, _ = best_of(quietly(change), repeats=5)
    what = f"another radius in the control of match risk, m = {M}"
    yield Row(what, len(survey), seconds, "the first figure, all radii", first, "with the figure")
