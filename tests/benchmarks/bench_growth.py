"""Time against n, m, d and draws, each alone: match risk, weights of order k, Lipschitz weights, CART."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab import weights
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly
from tests.benchmarks.wide import wide_survey

N = 20_000


def survey(n: int, d: int = 1, seed: int = 1) -> pd.DataFrame:
    """Return a category and d amounts."""
    draw = np.random.default_rng(seed)
    frame = {"a": draw.integers(0, 20, n)}
    return pd.DataFrame(frame | {f"y{j}": draw.lognormal(10, 1, n) for j in range(d)})


def release(frame: pd.DataFrame, m: int) -> list[pd.DataFrame]:
    draw = np.random.default_rng(2)
    noise = [draw.lognormal(0, 0.3, (len(frame), frame.shape[1] - 1)) for _ in range(m)]
    return [frame.assign(**{c: frame[c] * e[:, j] for j, c in enumerate(frame.columns[1:])}) for e in noise]


def match_risk(frame: pd.DataFrame, m: int) -> float:
    amounts = list(frame.columns[1:])
    who = sl.Intruder(known=["a"], synthesized=amounts, radius=0.2)
    made = release(frame, m)
    return best_of(quietly(lambda: sl.identification_risk(frame, made, who)))[0]


def run() -> Iterator[Row]:
    match_risk(survey(100), 1)
    for n in (31_250, 62_500, 125_000, 250_000, 500_000):
        yield Row("identification_risk, 1 amount", n, match_risk(survey(n), 1), grows="n")
    for m in (1, 2, 4, 8, 16):
        yield Row("identification_risk, 1 amount", N, match_risk(survey(N), m), grows="m", size=m)
    for d in (1, 2, 3, 4):
        match_risk(survey(100, d), 1)
        yield Row("identification_risk, m = 1", 5_000, match_risk(survey(5_000, d), 1), grows="d", size=d)
    someone = sl.Intruder(known=[], synthesized=["y0"], radius={"y0": 0.2})
    amounts = survey(N)
    for k in (2, 4, 8, 16, 32):
        seconds, _ = best_of(quietly(lambda k=k: sl.risk_weights(amounts, someone, order=k)))
        yield Row("risk_weights", N, seconds, grows="k", size=k)
    draw = np.random.default_rng(3)
    for draws in (250, 500, 1_000, 2_000):
        log = draw.normal(-3, 1, (draws, 5_000))
        seconds, _ = best_of(
            quietly(lambda log=log: weights.lipschitz_weights(log, n=5_000, quantile=0.95, progress=False))
        )
        yield Row("lipschitz_weights", 5_000, seconds, grows="draws", size=draws)
    for n in (2_500, 5_000, 10_000, 20_000):
        frame = wide_survey(n, 10)
        model = sl.CART(list(frame.columns))
        seconds, _ = best_of(quietly(lambda model=model, frame=frame: model.fit(frame, rng=1).generate(m=1, rng=1)))
        yield Row("CART, 10 variables, m = 1", n, seconds, grows="n")
