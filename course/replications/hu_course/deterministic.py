"""Numbers of the slides without randomness, or whose random numbers follow from a printed seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import stats

from replications.hu_course import nearest_neighbors, r_random, record_linkage
from replications.hu_course.data import KEYS, Samples
from synthlab import dp
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.intruder import Intruder
from synthlab.risk import cap
from synthlab.utility import analysis_utility, interval_overlap

COMPARED = ("LANX", "WAOB", "DIS", "HICOV", "MIG", "SCH", "HISP")
PREDICTORS = ("UrbanRural", "Income", "Race", "KidsCount")
PAIRS = 3  # the slides print the first three pairs
SEED, BUDGETS = 123, ("0.1", "1")
# Intervals that the slides compare: mean of Expenditure and slope of Income, as typed on the slide.
OVERLAPPING = ([[9870.15, 10524.61], [0.057, 0.064]], [[9822.29, 10401.72], [0.038, 0.044]])


def numbers(samples: Samples) -> pd.DataFrame:
    """Return the numbers by key; both ends of the interval are the number."""
    parts = (records, priors, regressions, links, attributes, noise)
    found = [*overlaps(), *(row for part in parts for row in part(samples))]
    table = pd.DataFrame(found, columns=["key", "ours"])
    return table.assign(low=table["ours"], high=table["ours"], repetitions=1)


def records(samples: Samples) -> Iterator[tuple[str, float]]:
    """Yield numbers of records and levels, and percentages."""
    ce, acs = samples.ce, samples.acs
    yield "ce_records", len(ce)
    yield "acs_records", len(acs)
    yield "races", ce["Race"].nunique()
    yield "rural", int((ce["UrbanRural"] == 2).sum())
    for name in acs:
        yield f"levels_{name}", acs[name].nunique()
    for name in ("DIS", "HICOV"):
        for level in (1, 2):
            yield f"dpmpm_{name}_0_{level}", 100 * (acs[name] == level).mean()


def priors(samples: Samples) -> Iterator[tuple[str, float]]:
    """Yield the default priors of brms: the rounded median, and the rounded spread or 2.5 if it is larger."""
    log_expenditure = np.log(samples.ce["Expenditure"])
    spread = round(float(stats.median_abs_deviation(log_expenditure, scale="normal")), 1)
    yield "prior_location", round(float(np.median(log_expenditure)), 1)
    yield "prior_scale", max(2.5, spread)
    yield "prior_sigma_scale", max(2.5, spread)


def regressions(samples: Samples) -> Iterator[tuple[str, float]]:
    """Yield the mean of Expenditure and its regression on Income in the confidential data."""
    ce = samples.ce
    for formula, names in (("Expenditure ~ 1", ["mean"]), ("Expenditure ~ Income", ["intercept", "income"])):
        with quiet():  # one dataset has no combined interval
            fit = analysis_utility(ce, [samples.ce_synthetic], formula=formula)
        for place, name in enumerate(names):
            estimate, error = fit.confidential_estimate[place], fit.confidential_std_error[place]
            yield f"confidential_{name}_estimate", estimate
            yield f"confidential_{name}_lower", fit.confidential_interval[place, 0]
            yield f"confidential_{name}_upper", fit.confidential_interval[place, 1]
            if name != "mean":
                yield f"confidential_{name}_std_error", error
                yield f"confidential_{name}_t", estimate / error
                yield f"confidential_{name}_p", 2 * stats.t.sf(abs(estimate / error), len(ce) - len(names))


def overlaps() -> Iterator[tuple[str, float]]:
    """Yield the interval overlap of the intervals that the slides print, with both definitions."""
    found = interval_overlap(*OVERLAPPING)
    for place, name in enumerate(("mean", "slope")):
        yield f"overlap_1_{name}", found.interval_overlap_clipped[place]
        yield f"overlap_2_{name}", found.interval_overlap[place]


def links(samples: Samples) -> Iterator[tuple[str, float]]:
    """Yield the first pairs, their weights, and the links of both files."""
    confidential = samples.acs
    for name, released in (("synthetic", samples.acs_synthetic), ("confidential", confidential)):
        found = record_linkage.link(released, confidential, KEYS, COMPARED)
        n, true = len(confidential), found.true_links
        linked, pairs = int((found.linked >= 0).sum()), int(found.blocks.counts.sum())
        yield f"{name}_true_linked", true
        yield f"{name}_true_not_linked", n - true
        yield f"{name}_false_linked", linked - true
        yield f"{name}_false_not_linked", pairs - n - (linked - true)
        if name == "confidential":
            yield "confidential_true_percentage", 100 * true / n
            yield "confidential_false_percentage", 100 * (linked - true) / n
        else:
            yield from _first_pairs(found, confidential)


def _first_pairs(found: record_linkage.Linkage, confidential: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Yield the first pairs of the first synthetic record."""
    columns, patterns = next((c, p) for r, c, p in found.blocks.parts if r[0] == 0)
    for place in range(PAIRS):
        pattern = int(patterns[0, place])
        digits = "".join(str(pattern >> bit & 1) for bit in range(len(COMPARED)))
        yield f"pair_{place + 1}", int(columns[place]) + 1
        yield f"pattern_{place + 1}", int(digits)
        yield f"weight_{place + 1}", found.weights[pattern]


def attributes(samples: Samples) -> Iterator[tuple[str, float]]:
    """Yield the average CAP of DIS, and the errors of predictions from the nearest neighbors."""
    intruder = Intruder(known=KEYS, synthesized=["DIS"])
    with quiet():
        found = cap(samples.acs, [samples.acs_synthetic], intruder, target="DIS")
    yield "cap_synthetic", found.attack
    yield "cap_confidential", found.confidential
    truth = samples.ce["Expenditure"].to_numpy(dtype=np.float64)
    predictions = [_predict(samples.ce, train) for train in (samples.ce_synthetic, samples.ce)]
    errors = [np.abs(truth - one) / truth for one in predictions]
    for name, one in zip(("synthetic", "confidential"), predictions, strict=True):
        yield f"knn_mse_{name}", float(np.square(truth - one).mean())
    yield "knn_share", float((errors[1] > errors[0]).mean())


def _predict(queries: pd.DataFrame, train: pd.DataFrame) -> FloatArray:
    """Return the predicted Expenditure of the queries."""
    names = list(PREDICTORS)
    x, query = train[names].to_numpy(dtype=np.float64), queries[names].to_numpy(dtype=np.float64)
    return nearest_neighbors.predict(x, train["Expenditure"].to_numpy(dtype=np.float64), query)


def noise(samples: Samples) -> Iterator[tuple[str, float]]:
    """Yield the sensitivity of a count, and the noisy number of rural consumer units."""
    sensitivity = dp.count_sensitivity(adjacency="replace")
    yield "count_sensitivity", sensitivity
    rural = float((samples.ce["UrbanRural"] == 2).sum())
    for budget in BUDGETS:
        noisy = noisy_count(rural, budget)
        yield f"noisy_{budget}", noisy
        yield f"noise_{budget}", abs(noisy - rural)


def noisy_count(count: float, budget: str) -> float:
    """Return a count with the Laplace noise of R's seed 123, rounded."""
    mechanism = dp.LaplaceMechanism(float(budget), dp.count_sensitivity(adjacency="replace"))
    return float(np.round(count + r_random.laplace(SEED, 1, mechanism.scale)[0]))
