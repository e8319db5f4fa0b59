"""Checks of the fits: rare categories, the width of drawn coefficients, R's own answer, other imputations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from replications.intruder.attacks import new_model, release_of
from replications.intruder.data import KNOWN, SYNTHESIZED, prepare
from replications.intruder.early_stopped_multinomial import ITERATIONS, stopped_mode
from replications.intruder.models import FACILITY, RACE, covariance_root
from replications.intruder.settings import PROTOTYPE, Setting
from synthlab.r.nnet import PACKAGE, multinom, vcov
from synthlab.r.session import package_state, probe
from synthlab.synthesizers._multinomial import hessian, log_softmax, table

NUMBERS = ("value", "value of nnet", "largest difference of a probability", "largest difference of a standard error")


def approximation(frame: pd.DataFrame, precisions: Sequence[float], seed: int, draws: int = 20) -> pd.DataFrame:
    """Return how many youths of rare races and small facilities there are, and in synthetic data on average.

    A normal distribution round the mode is no posterior where a category has a handful of youths: its draws give such
    categories too many.
    """
    rare = _rarest(frame)
    rows = []
    for precision in precisions:
        release = release_of(frame, new_model(frame, precision).fit(frame), draws, np.random.default_rng(seed))
        for column, levels in rare.items():
            synthetic = np.mean([f[column].isin(levels).sum() for f in release])
            row = {"precision": precision, "category": f"{column} {', '.join(map(str, levels))}"}
            rows.append({**row, "youths": int(frame[column].isin(levels).sum()), "synthetic": float(synthetic)})
    return pd.DataFrame(rows)


def _rarest(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the three rarest races and the five smallest facilities."""
    return {
        c: frame[c].value_counts().index[-number:].sort_values().tolist() for c, number in ((RACE, 3), (FACILITY, 5))
    }


def widths(frame: pd.DataFrame, seed: int, draws: int = 100) -> pd.DataFrame:
    """Return how many youths of the three rarest races a fit of precision 1 expects, by the scale of the indicators.

    With the mode and the real facilities; with drawn coefficients of race; and with drawn facilities too. Under the
    posterior itself the expectation with the real facilities is the number of youths less E(intercept) / sd^2 of the
    prior, as at the mode: what drawn coefficients add is the error of the normal approximation.
    """
    races = _rarest(frame)[RACE]
    rows = []
    for name, plain in (("standardised", False), ("0 and 1", True)):
        model = Setting(name, precision=PROTOTYPE, plain=plain).model(frame)
        x, fitted = model.predictors, model.fit(frame)
        code, rare = x.facilities.get_indexer(pd.Index(frame[FACILITY])), x.races.isin(races)

        def expected(code: Any, betas: Any, x: Any = x, rare: Any = rare) -> float:
            matrix = x.with_facility(code)
            return float(np.mean([np.exp(log_softmax(matrix @ beta.T))[:, rare].sum() for beta in betas]))

        normal = fitted.normals[1]
        betas = normal.mode + normal.deviations(draws, np.random.default_rng(seed))
        release = release_of(frame, fitted, 20, np.random.default_rng(seed))
        rows.append(
            {
                "indicators": name,
                "precision": PROTOTYPE,
                "prior sd of a facility": float(np.ptp(x.indicators[:, 0])) / PROTOTYPE**0.5,
                "sd of drawn coefficients": float(
                    np.std(betas - normal.mode, axis=0)[rare][:, -x.indicators.shape[1] :].mean()
                    * np.ptp(x.indicators[:, 0])
                ),
                "youths": int(frame[RACE].isin(races).sum()),
                "mode": expected(code, [normal.mode]),
                "drawn": expected(code, betas),
                "drawn, drawn facility": float(np.mean([f[RACE].isin(races).sum() for f in release])),
            }
        )
    return pd.DataFrame(rows)


def imputed(raw: pd.DataFrame, frame: pd.DataFrame, times: int) -> pd.DataFrame:
    """Return how many youths are unique under other draws of the missing answers, and how often."""
    kept = frame[FACILITY].unique()
    counts = []
    for seed in range(times):
        other = prepare(raw, seed)
        other = other[other[FACILITY].isin(kept)]
        counts.append(int((other.groupby([*KNOWN, *SYNTHESIZED], observed=True).size() == 1).sum()))
    found = pd.Series(counts).value_counts().sort_index()
    return pd.DataFrame({"unique": found.index.to_numpy(), "imputations": found.to_numpy()})


def nnet_here() -> bool:
    """Return whether R and nnet answer."""
    return probe().has(PACKAGE)


def beside_nnet(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what R's nnet::multinom finds for the agency's regressions, beside what is found here; NaN without R.

    The standard errors of vcov are compared for race; for facility vcov multiplies 118,000 matrices of 1,530 rows.
    """
    here = nnet_here()
    source = f"{probe().r}, nnet {package_state(PACKAGE)}" if here else "R with nnet was not there"
    rows = []
    for columns, few in (("all", False), ("few", True)):
        x = Setting(columns, few=few).model(frame).predictors
        facility = x.facilities.get_indexer(pd.Index(frame[FACILITY]))
        race = x.races.get_indexer(pd.Index(frame[RACE]))
        for name, matrix, codes, levels in (
            (FACILITY, x.matrix, facility, len(x.facilities)),
            (RACE, x.with_facility(facility), race, len(x.races)),
        ):
            numbers = _beside(*table(matrix, codes, levels, None), here, name == RACE)
            size = matrix.shape[1], (levels - 1) * matrix.shape[1]
            rows.append({"regression": name, "columns": size[0], "coefficients": size[1], **numbers, "source": source})
    return pd.DataFrame(rows)


def _beside(rows: Any, counts: Any, here: bool, with_errors: bool) -> dict[str, float]:
    mode, stopped = stopped_mode(rows, counts, ITERATIONS)
    found = {"value": float(-np.sum(counts * log_softmax(rows @ mode.T))), **dict.fromkeys(NUMBERS[1:], np.nan)}
    if here:
        fit = multinom(rows, counts, ITERATIONS)
        ours, theirs = (np.exp(log_softmax(rows @ beta.T)) for beta in (mode, fit.coefficients))
        found |= {NUMBERS[1]: fit.value, NUMBERS[2]: float(np.abs(ours - theirs).max())}
        stopped = stopped and fit.stopped
        if with_errors:
            p = rows.shape[1]
            root = covariance_root(hessian(rows, counts.sum(axis=1, keepdims=True), mode, np.full(p, np.inf))[p:, p:])
            errors = np.sqrt(np.diag(vcov(rows, counts, ITERATIONS)))
            found[NUMBERS[3]] = float(np.abs(np.sqrt((root**2).sum(axis=1)) / errors - 1).max())
    return {**found, "stopped": float(stopped)}
