"""One weight for all records on the mixture that was chosen, and on one regression of the same unit.

Where a mixture errs more the smaller its one weight is, three causes are told apart: the posterior is wider, which one
regression shows alone; the component of a synthetic record is drawn in another way; the components become one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from replications.checkpoints import Job, Piece
from replications.dp.data import fitting_study
from replications.dp.models import ALLOCATIONS, STATISTICS, model_jobs
from replications.dp.settings import M
from synthlab import _rng
from synthlab._warnings import quiet
from synthlab.synthesizers import FiniteMixture


def weight_jobs(seed: int, size: Mapping[str, Any], consumer_units: Callable[[], pd.DataFrame]) -> list[Job]:
    """Return a job a run: every weight on the mixture and on one regression."""
    models = tuple(job.name for job in model_jobs(seed, size, consumer_units))
    return [
        Job(f"one weight, run {i + 1}", f"weight_{i:03d}", partial(_one, seed, size, consumer_units, i), models)
        for i in range(size["weight_runs"])
    ]


def _one(
    seed: int, size: Mapping[str, Any], consumer_units: Callable[[], pd.DataFrame], run: int, *tried: Piece
) -> Piece:
    case = fitting_study(consumer_units(), size, pd.concat([table for table, _ in tried], ignore_index=True))
    rows = [
        {"run": run, **_errors(case, replace(case.synthesizer, classes=classes), weight, size["models"], stream)}
        for classes, row in zip(
            (case.synthesizer.classes, 1), np.random.SeedSequence([seed, 8, run]).spawn(2), strict=True
        )
        for weight, stream in zip(size["weights"], row.spawn(len(size["weights"])), strict=True)
    ]
    return pd.DataFrame(rows), {}


def _errors(
    case: Any, synthesizer: FiniteMixture, weight: float, sampler: Mapping[str, Any], seed: np.random.SeedSequence
) -> dict[str, float]:
    """Return by how much the releases of a weight are off, and how far apart the components are."""
    first, second = seed.spawn(2)
    weights = np.full(len(case.frame), weight)
    with quiet():
        fitted = synthesizer.fit(case.frame, weights=weights, rng=_rng.as_generator(first), **sampler)
        rhat = float(fitted.diagnostics().rhat.max())
    truth = np.concatenate([case.confidential[case.column].to_numpy(dtype=np.float64), case.rest])
    found = {"classes": float(synthesizer.classes), "weight": weight, "R-hat, max": rhat}
    for allocation in ALLOCATIONS:
        asked = replace(fitted, specification=replace(synthesizer, allocation=allocation))
        drawn = [case.back(np.asarray(f[case.modelled])) for f in asked.generate(M, _rng.as_generator(second))]
        whole = [np.concatenate([values, case.rest]) for values in drawn]
        for name, statistic in STATISTICS.items():
            found[f"{name}, {allocation}, error"] = float(np.mean([statistic(one) for one in whole]) - statistic(truth))
    return {**found, **apart(fitted.posterior)}


def apart(posterior: Any) -> dict[str, float]:
    """Return the mean share of the largest component, and of the others the residual sd as a multiple of its.

    Where the components become one the second goes to 1, or the first does.
    """
    share, sd = np.asarray(posterior["pi"]), np.asarray(posterior["sigma"])
    draws, largest = np.arange(len(share)), share.argmax(axis=1)
    first = share[draws, largest]
    rest = (share * sd).sum(axis=1) - first * sd[draws, largest]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = rest / (1 - first) / sd[draws, largest]
    known = np.isfinite(ratio)
    return {
        "largest component": float(first.mean()),
        "sd of the others": float(np.median(ratio[known])) if known.any() else np.nan,
    }
