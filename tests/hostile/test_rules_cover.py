"""The coverage and the length of the intervals of `analysis_utility`, by the kind of synthesis that a release states.

Normal theory, all repetitions at once: each repetition is one coefficient of one analysis. The variance of a dataset's
estimate is 1, the true value is 0.
"""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._warnings import quiet
from synthlab.exceptions import FewDegreesOfFreedomWarning

R = inspect.signature(sl.Imputed.synthesize).parameters["r"].default
M = inspect.signature(sl.Imputed).parameters["M"].default
POPULATIONS = inspect.signature(sl.synthesize_pseudo_populations).parameters["populations"].default


def partial(rng, repetitions, m):
    """Return estimates of m partially synthetic datasets, all values of a variable synthesized."""
    q = rng.normal(rng.normal(0, 1, repetitions), np.sqrt(2), (m, repetitions))
    return q, {}


def nested(rng, repetitions, missing, nests, r):
    """Return estimates of r datasets of each imputation; `missing` is the share of missing information."""
    between = missing / (1 - missing)
    observed = rng.normal(0, np.sqrt(1 + between), repetitions)
    imputed = rng.normal(observed, np.sqrt(between), (nests, repetitions))
    q = rng.normal(imputed[:, None], np.sqrt(2), (nests, r, repetitions))
    return q.reshape(nests * r, repetitions), {"nests": nests}


def pseudo(rng, repetitions, effect, populations, r=1, parameters="drawn"):
    """Return estimates of r datasets of each pseudo-population; `effect` is the design effect of the survey."""
    survey = rng.normal(0, np.sqrt(effect), repetitions)
    samples = rng.normal(survey, np.sqrt(effect + 2), (populations, repetitions))
    inside = 2 if parameters == "drawn" else 1
    q = rng.normal(samples[:, None], np.sqrt(inside), (populations, r, repetitions))
    provenance = {"pseudo_populations": populations, "parameters": parameters, "sampling_fraction": 0.0}
    return q.reshape(populations * r, repetitions), provenance


def table(draw, variance, repetitions, *sizes, by_default=True, **options):
    """Return coverage and the shares of unusable intervals, by the rule that the provenance determines."""
    q, provenance = draw(np.random.default_rng(1), repetitions, *sizes, **options)
    frames = [pd.DataFrame({"estimate": row}) for row in q]
    release = sl.Release(frames, provenance=provenance) if by_default else frames

    def analysis(frame):
        return {str(k): (value, 1.0) for k, value in enumerate(frame["estimate"])}

    with quiet(FewDegreesOfFreedomWarning):
        found = sl.analysis_utility(frames[0], release, analysis=analysis).combined
    lower, upper = found.interval.T
    none = np.isnan(lower)
    assert (none == (found.df < 1)).all()
    length = np.where(none, np.inf, upper - lower) / (2 * 1.96 * np.sqrt(variance))
    return {
        "coverage": float((none | ((lower <= 0) & (upper >= 0))).mean()),
        "without an interval": float(none.mean()),
        "longer than 5 times": float((length > 5).mean()),
        "replaced": float(found.adjusted.mean()),
        "median length": float(np.median(length)),
    }


KINDS = [(pytest.param(partial, 1, (5,), {}, id="partial, m = 5"))]
KINDS += [
    pytest.param(nested, 1 + (1 + 1 / M) * s / (1 - s), (s, M, R), {}, id=f"nested, {s:.0%} missing")
    for s in (0.1, 0.3, 0.5)
]
KINDS += [
    pytest.param(pseudo, effect, (effect, POPULATIONS, r), {"parameters": p}, id=f"pseudo, effect {effect}, {r}, {p}")
    for effect, r, p in ((2.3, 1, "drawn"), (2.3, 1, "fixed"), (2.3, 2, "drawn"), (5.0, 1, "drawn"), (5.0, 2, "fixed"))
]


@pytest.mark.parametrize("repetitions", [400, pytest.param(5_000, marks=pytest.mark.full)])
@pytest.mark.parametrize(("draw", "variance", "sizes", "options"), KINDS)
def test_at_the_default_sizes_intervals_cover_and_are_short_enough(draw, variance, sizes, options, repetitions):
    found = table(draw, variance, repetitions, *sizes, **options)
    error = np.sqrt(0.05 * 0.95 / repetitions)
    assert 0.94 - 4 * error < found["coverage"] < 0.97 + 4 * error
    assert found["longer than 5 times"] < 0.01 + 4 * np.sqrt(0.01 / repetitions)
    assert 1.0 < found["median length"] < 1.25


@pytest.mark.parametrize("repetitions", [400, pytest.param(5_000, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("draw", "variance", "sizes", "expected"),
    [(nested, 1.5, (0.3, M, R), 0.89), (nested, 2.2, (0.5, M, R), 0.82), (pseudo, 2.3, (2.3, POPULATIONS), 0.81)],
)
def test_the_rule_for_partial_synthesis_does_not_cover_the_releases_of_another_kind(
    draw, variance, sizes, expected, repetitions
):
    error = 4 * np.sqrt(expected * (1 - expected) / repetitions)
    found = table(draw, variance, repetitions, *sizes, by_default=False)["coverage"]
    assert found == pytest.approx(expected, abs=error + 0.005)


@pytest.mark.parametrize("repetitions", [400, pytest.param(5_000, marks=pytest.mark.full)])
@pytest.mark.parametrize(("draw", "variance", "sizes"), [(nested, 1.5, (0.3, 5, 2)), (pseudo, 2.3, (2.3, 20))])
def test_few_datasets_give_no_interval_where_it_would_be_of_no_use(draw, variance, sizes, repetitions):
    """The intervals with fewer than 1 degree of freedom are those that would be more than 5 times too long."""
    found = table(draw, variance, repetitions, *sizes)
    error = 4 * np.sqrt(0.17 * 0.83 / repetitions)
    assert found["without an interval"] == pytest.approx(0.17, abs=error + 0.01)
    assert found["longer than 5 times"] == pytest.approx(found["without an interval"], abs=0.02)
    assert found["coverage"] > 0.95 - 4 * np.sqrt(0.05 * 0.95 / repetitions)
