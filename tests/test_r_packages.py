"""One live case for each R package that the README names. Without the package, its case is skipped and names it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.crosscheck import crosscheck
from synthlab.exceptions import SynthlabWarning
from synthlab.r import from_synds, gamlss_dist, identification_risk as risk_in_r, probe, session, to_r, to_svydesign

pytestmark = [
    pytest.mark.r,
    pytest.mark.filterwarnings(f"ignore::{SynthlabWarning.__module__}.SynthlabWarning"),
]


def people(n: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame({
        "age": rng.integers(20, 70, n), "region": rng.choice(["north", "south"], n), "income": rng.integers(10, 60, n) / 2,
        "w": rng.uniform(1, 3, n),
    })  # fmt: skip


def call(code: str, *arguments: object) -> np.ndarray:
    """Return the numbers that an R function returns."""
    import rpy2.robjects as ro

    return np.array(ro.r(code)(*arguments), dtype=float)


def match_risk() -> None:
    frame = people()
    release = frame.assign(income=np.random.default_rng(4).permutation(frame["income"]))
    intruder = sl.Intruder(
        known=["age", "region"], synthesized=["income"], radius={"age": 0.1, "income": 0.5}, convention="irc"
    )
    ours, theirs = sl.identification_risk(frame, release, intruder), risk_in_r(frame, release, intruder)
    assert ours.expected_match_risk.min() > 0
    np.testing.assert_array_equal(ours.match_count, theirs.match_count)
    np.testing.assert_allclose(ours.expected_match_risk, theirs.expected_match_risk, rtol=1e-12)
    np.testing.assert_allclose(ours.false_match_rate, theirs.false_match_rate, rtol=1e-12)


def count_families() -> None:
    y, mu = np.arange(12.0), np.linspace(0.5, 9, 12)
    np.testing.assert_allclose(sl.counts.NBI(mu, 0.5).pmf(y), gamlss_dist.dNBI(y, mu, 0.5), rtol=1e-11)
    np.testing.assert_allclose(sl.counts.PIG(mu, 0.5).pmf(y), gamlss_dist.dPIG(y, mu, 0.5), rtol=1e-9)
    steps = gamlss_dist.pGAF(y + 0.5, mu, 0.7, 1.0) - np.where(
        y > 0, gamlss_dist.pGAF(np.maximum(y - 0.5, 1e-9), mu, 0.7, 1.0), 0
    )
    np.testing.assert_allclose(sl.counts.GAF(mu, 0.7, 1.0).pmf(y), steps, rtol=1e-8, atol=1e-14)


def fitted_models(package: str) -> Callable[[], None]:
    def check() -> None:
        rows = [
            row for row in crosscheck(["models"], live=True).rows if (package == "nnet") == ("multinom" in row.what)
        ]
        assert rows
        assert all(row.passes and row.live for row in rows)

    return check


def survey_mean() -> None:
    frame = people()
    design = sl.SurveyDesign(weights="w", strata="region")
    found = sl.survey_mean(frame, ["income"], design).to_frame().iloc[0]
    mean = "function(d) { m <- survey::svymean(~income, d); c(coef(m), survey::SE(m)) }"
    np.testing.assert_allclose([found.iloc[0], found.iloc[1]], call(mean, to_svydesign(frame, design)), rtol=1e-10)


def replicated_uniques() -> None:
    import rpy2.robjects as ro

    frame = people().drop(columns="w").assign(income=lambda d: d["income"].round(-1))
    syn = ro.r("function(d) synthpop::syn(d, m = 1, seed = 5, print.flag = FALSE)")(to_r(frame))
    code = "function(s, d) as.matrix(synthpop::replicated.uniques(s, d, keys = c('age', 'region'))$res_tab)[, 1]"
    theirs = call(code, syn, to_r(frame))
    ours = sl.risk.replicated_uniques(
        frame, from_synds(syn), sl.Intruder(known=["age", "region"], synthesized=["income"])
    )
    found = ours.to_frame()[["UiO", "UiS", "repU"]].iloc[0] * len(frame)
    assert theirs[3] > 0
    np.testing.assert_allclose(found, theirs[[0, 1, 3]], atol=1e-9)


def population_risk() -> None:
    rows = crosscheck(["population"], live=True).rows
    assert all(row.passes and row.live for row in rows)
    assert rows


def mixture_with_structural_zeros() -> None:
    live, recorded = (sl.r.reference("npbayes_zeros", live=live).table for live in (True, False))
    ours, theirs = (table.filter(like="chain_").to_numpy(dtype=float).mean(axis=1) for table in (live, recorded))
    np.testing.assert_allclose(ours, theirs, atol=0.01)


def nested_mixture() -> None:
    rows = crosscheck(["nested"], live=True).rows
    assert rows
    assert all(row.passes and row.live for row in rows)


CASES: dict[str, Callable[[], None]] = {
    "IdentificationRiskCalculation": match_risk,
    "gamlss.dist": count_families,
    "MASS": fitted_models("MASS"),
    "nnet": fitted_models("nnet"),
    "survey": survey_mean,
    "synthpop": replicated_uniques,
    "sdcMicro": population_risk,
    "NPBayesImputeCat": mixture_with_structural_zeros,
    "NestedCategBayesImpute": nested_mixture,
}


# NestedCategBayesImpute takes minutes, and its numbers differ between runs.
SLOW = {"NPBayesImputeCat": pytest.mark.full, "NestedCategBayesImpute": pytest.mark.editions}


@pytest.mark.parametrize("package", [pytest.param(name, marks=SLOW.get(name, ())) for name in session.PACKAGES])
def test_one_case(package: str) -> None:
    if not probe().has(package):
        pytest.skip(probe().problem or session.package_problem(package, session.package_state(package)))
    CASES[package]()
