"""Other distributions before rounding, and the average of the synthetic tables: two extensions of the paper."""

from __future__ import annotations

import numpy as np
import pandas as pd

import synthlab.counts as slc
from replications.gamma_family import settings as _settings
from replications.gamma_family.overlap import (
    measure_overlap,
    measure_overlap_of_average,
    summarize_overlap,
)
from synthlab import _rng
from synthlab._typing import RngLike
from synthlab._warnings import quiet

LAWS = ("gamma", "lognormal", "inverse gaussian", "weibull")
SIZES = (1, 5, 10)
TOLERANCES = (0, 1, 2, 5)
AVERAGED = ((0.5, 0.0), (2.0, 0.0), (2.0, -0.5))


def law(name: str, sigma: float, nu: float) -> slc.CountFamily:
    """Return the discretised distribution of this name; the gamma is the GAF."""
    return slc.GAF(sigma=sigma, nu=nu) if name == "gamma" else slc.Discretized(sigma=sigma, nu=nu, W=name)


def compare_laws(table: slc.Table) -> pd.DataFrame:
    """Return tau3 and tau4 before anything is drawn, under the paper's nine (sigma, nu) and four distributions."""
    rows = []
    for nu in _settings.NUS:
        for sigma in _settings.SIGMAS:
            for name in LAWS:
                family = law(name, sigma, nu)
                with quiet():
                    # That the pseudocount moves few zeros under the GAF is what the study says at length.
                    tau = slc.expected_tau(table, family, k=list(SIZES))
                row = {"law": name, "sigma": sigma, "nu": nu, "one_to_zero": float(family.at(1.0).pmf(0))}
                for place, k in enumerate(SIZES):
                    row |= {f"tau3_{k}": float(tau.tau3[place]), f"tau4_{k}": float(tau.tau4[place])}
                row["sum_of_ones_to_tens"] = float(family.at(np.arange(1.0, 11.0)).mean.sum() / 55.0)
                rows.append(row)
    return pd.DataFrame(rows)


def compare_tolerances(table: slc.Table) -> pd.DataFrame:
    """Return tau3(k, d) and tau4(k, d) before anything is drawn, under three of the paper's settings: off by d counts as right."""
    rows = []
    for family in (slc.GAF(sigma=2.0, nu=0.0), slc.GAF(sigma=2.0, nu=-0.5), slc.NBI(sigma=2.0)):
        for d in TOLERANCES:
            with quiet():
                tau = slc.expected_tau(table, family, k=list(SIZES), d=d)
            numbers = {
                f"{name}_{k}": float(getattr(tau, name)[i]) for i, k in enumerate(SIZES) for name in ("tau3", "tau4")
            }
            rows.append({"setting": family.label, "d": d, **numbers})
    return pd.DataFrame(rows)


def compare_average(table: slc.Table, m: int, rng: RngLike, model: pd.DataFrame) -> pd.DataFrame:
    """Return the interval overlap when every table is analysed and combined, and when their average is analysed.

    `model` holds the confidential coefficients.
    """
    families = [slc.GAF(sigma=sigma, nu=nu) for sigma, nu in AVERAGED] + [slc.NBI(sigma=0.5)]
    rows = []
    for family, stream in zip(families, _rng.spawn(rng, len(families)), strict=True):
        with quiet():
            synthetic = slc.synthesize_table(table, family, m=m, rng=stream)
        for name, overlap in (
            ("combined", measure_overlap(model, synthetic)),
            ("average", measure_overlap_of_average(model, synthetic)),
        ):
            rows.append({"setting": family.label, "m": m, "analysis": name, **summarize_overlap(overlap)})
    return pd.DataFrame(rows)
