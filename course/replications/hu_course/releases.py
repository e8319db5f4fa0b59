"""Numbers of the slides that depend on a random release.

The slides state the seeds of the noise, but not the posterior draws. Lecture 6 prints three synthetic values, from which
the parameters of its release follow. For lecture 7 the posterior draws are drawn again, with the noise of the slides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from replications.hu_course import r_random
from replications.hu_course.data import Samples
from replications.hu_course.deterministic import OVERLAPPING
from replications.hu_course.printed import printed
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab.synthesizers import DPMPM
from synthlab.synthesizers.regression import FittedRegression
from synthlab.utility import CombinedResult, PmseResult, combine_partial, ecdf_utility, interval_overlap, pmse

RELEASE_SEED = 683  # of the noise in lecture 6
DATASETS = 20  # m of lecture 7; the noise of dataset l has the seed 20 + l
CATEGORIES = ("UrbanRural", "Race")
PRINTED = 5  # datasets of the DPMPM on the slides


def release_parameters(samples: Samples, expenditures: FloatArray) -> FloatArray:
    """Return intercept, slope and sigma of the release of lecture 6 from its first three synthetic values.

    The slide prints three values of ``exp(a + b log(Income) + sigma z)``, and its seed determines z, so that three
    equations determine three parameters.
    """
    x = np.log(samples.ce["Income"].to_numpy()[:3])
    equations = np.column_stack([np.ones(3), x, r_random.normal(RELEASE_SEED, 3)])
    return np.asarray(np.linalg.solve(equations, np.log(expenditures)))


def released(samples: Samples, parameters: FloatArray, seed: int) -> pd.DataFrame:
    """Return the release with given intercept, slope and sigma, and the noise of a seed of R."""
    x, (intercept, slope, sigma) = np.log(samples.ce["Income"].to_numpy()), parameters
    return samples.ce.assign(Expenditure=np.exp(intercept + slope * x + sigma * r_random.normal(seed, x.size)))


def propensity(samples: Samples, release: pd.DataFrame) -> PmseResult:
    """Return pMSE with the terms of the slide: all variables and their two-way interactions."""
    return pmse(samples.ce, release, categorical=CATEGORIES, order=2)


def lecture_6(samples: Samples, draws: pd.DataFrame, repetitions: int, rng: int) -> pd.DataFrame:
    """Return pMSE, U_m and U_a of the slide's release, and its first three values.

    `draws` are posterior draws of the regression. The intervals of pMSE, U_m and U_a contain 95% of the releases whose
    three values round to the printed values; `ours` is the release with exactly the printed values.
    """
    values = np.array([printed(f"synthetic_{i}") for i in (1, 2, 3)])
    generator = _rng.as_generator(rng)
    asked = [values, *(values + generator.uniform(-0.5, 0.5, 3) for _ in range(repetitions))]
    found = []
    for one in asked:
        release = released(samples, release_parameters(samples, one), RELEASE_SEED)
        distance = ecdf_utility(samples.ce, release, variables=["Expenditure"])
        score = propensity(samples, release)
        found.append((score.pmse[0], distance.ecdf_max[0, 0], distance.ecdf_mean_square[0, 0], score.ratio[0]))
    table = np.array(found)
    rows = [
        (key, table[0, place], *np.quantile(table[1:, place], (0.025, 0.975)), repetitions)
        for place, key in enumerate(("pmse", "u_m", "u_a", "pmse_ratio"))
    ]
    x, z = np.log(samples.ce["Income"].to_numpy()[:3]), r_random.normal(RELEASE_SEED, 3)
    first = np.exp(draws[["intercept"]].to_numpy() + np.outer(draws["slope"], x) + np.outer(draws["sigma"], z))
    for place in range(3):
        low, high = np.quantile(first[:, place], (0.025, 0.975))
        rows.append((f"synthetic_{place + 1}", first[:, place].mean(), low, high, len(draws)))
    return pd.DataFrame(rows, columns=["key", "ours", "low", "high", "repetitions"])


def lecture_7(samples: Samples, draws: pd.DataFrame, repetitions: int, rng: int) -> pd.DataFrame:
    """Return the combined estimates of m = 20 releases with the noise of the slides and other posterior draws."""
    generator, parameters = _rng.as_generator(rng), draws[["intercept", "slope", "sigma"]].to_numpy()
    income = samples.ce["Income"].to_numpy(dtype=np.float64)
    noise = np.stack([r_random.normal(DATASETS + number, income.size) for number in range(1, DATASETS + 1)])
    ends = []
    for _ in range(repetitions):
        intercept, slope, sigma = parameters[generator.choice(len(parameters), DATASETS, replace=False)].T[:, :, None]
        combined = combine(income, np.exp(intercept + slope * np.log(income) + sigma * noise))
        ends.append(np.column_stack([combined.q_bar, combined.interval]))
    rows = []
    for place, name in enumerate(("mean", "slope")):
        for column, end in enumerate(("q_bar", "lower", "upper")):
            values = np.array([one[place, column] for one in ends])
            rows.append((f"{name}_{end}", values.mean(), *np.quantile(values, (0.025, 0.975)), repetitions))
    return pd.DataFrame(rows, columns=["key", "ours", "low", "high", "repetitions"])


def combine(income: FloatArray, expenditure: FloatArray) -> CombinedResult:
    """Combine the mean of Expenditure and its slope on Income over datasets of shape (m, n)."""
    n, x = income.size, income - income.mean()
    mean = expenditure.mean(axis=1)
    centered = expenditure - mean[:, None]
    slope = centered @ x / (x @ x)
    residual = np.square(centered - slope[:, None] * x).sum(axis=1)
    variances = np.column_stack([centered.var(axis=1, ddof=1) / n, residual / (n - 2) / (x @ x)])
    return combine_partial(np.column_stack([mean, slope]), variances, names=["mean", "slope"])


def fresh(samples: Samples, fitted: FittedRegression, repetitions: int, rng: int) -> pd.DataFrame:
    """Return measures of releases of this package, without the seeds of the slides, one row per repetition.

    The columns are the ratio of pMSE to its expected value for a correct model with fixed parameters, U_m, and the
    overlap of the combined with the confidential interval of the mean and of the slope.
    """
    confidential, income = np.array(OVERLAPPING[0]), samples.ce["Income"].to_numpy(dtype=np.float64)
    rows = []
    for number, stream in enumerate(_rng.spawn(rng, repetitions)):
        release = fitted.generate(m=DATASETS, rng=stream)
        one = release[0][list(samples.ce)]
        combined = combine(income, np.stack([dataset["Expenditure"].to_numpy() for dataset in release]))
        overlap = interval_overlap(confidential, combined.interval).interval_overlap
        distance = float(ecdf_utility(samples.ce, one, variables=["Expenditure"]).ecdf_max[0, 0])
        rows.append((number, float(propensity(samples, one).ratio[0]), distance, *overlap))
    return pd.DataFrame(rows, columns=["repetition", "pmse_ratio", "u_m", "overlap_mean", "overlap_slope"])


def dpmpm(samples: Samples, datasets: int, rng: int, **sampler: Any) -> pd.DataFrame:
    """Return the percentages of DIS and HICOV in synthetic datasets of the DPMPM."""
    fit_rng, release_rng = _rng.spawn(rng, 2)
    model = DPMPM([str(name) for name in samples.acs], ["DIS", "HICOV"], classes=80, membership="record")
    release = model.fit(samples.acs, rng=fit_rng, **sampler).generate(m=datasets, rng=release_rng)
    rows = []
    for name in ("DIS", "HICOV"):
        for level in (1, 2):
            share = np.array([100 * float((dataset[name] == level).mean()) for dataset in release])
            found = (share.mean(), *np.quantile(share, (0.025, 0.975)), datasets)
            rows += [(f"dpmpm_{name}_{number}_{level}", *found) for number in range(1, PRINTED + 1)]
    return pd.DataFrame(rows, columns=["key", "ours", "low", "high", "repetitions"])
