"""Comparison with R through rpy2, which tests the conversion of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from typing import Any

import pandas as pd

from synthlab import datasets
from synthlab._warnings import quiet
from synthlab.crosscheck import counts, match_risk
from synthlab.crosscheck._check import Check
from synthlab.intruder import Intruder
from synthlab.r import Reference, gamlss_dist, identification_risk, probe, reference, require
from synthlab.r.session import package_state

GROUP = "bridge"
CASE = "ce-income"
TABLES = ("gamlss_dist_GAF", "gamlss_dist_qGAF", "gamlss_dist_NBI_PIG_PO", "gamlss_dist_quantiles", "gamlss_dist_draws")
STEP = 7  # every seventh row of the grids is used
PACKAGES = ("IdentificationRiskCalculation", "gamlss.dist")


def ask(live: bool | None) -> dict[str, Reference]:
    """Return the answers of R through rpy2 if possible, and else recorded answers.

    Parameters
    ----------
    live : bool, optional
        As in `synthlab.r.reference`.
    """
    names = ("match_risk", *TABLES)
    answers = {name: reference(name, live=False) for name in names}
    answers = {name: replace(a, table=a.table[:: STEP if name in TABLES else 1]) for name, a in answers.items()}
    for package in PACKAGES:
        if live or (live is None and probe().has(package)):
            require(package)
            affected = ["match_risk"] if package == PACKAGES[0] else list(TABLES)
            for name in affected:
                answers[name] = _through_rpy2(name, answers[name].table, package)
    return answers


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of the group."""
    with quiet():
        rows = [
            *match_risk.case_checks(answers["match_risk"], CASE),
            *counts.gamma(answers["gamlss_dist_GAF"], answers["gamlss_dist_qGAF"]),
            *counts.others(answers["gamlss_dist_NBI_PIG_PO"]),
            *counts.quantiles(answers["gamlss_dist_quantiles"]),
            *counts.draws(answers["gamlss_dist_draws"]),
        ]
    for row in rows:
        yield replace(row, group=GROUP)


def _through_rpy2(name: str, table: pd.DataFrame, package: str) -> Reference:
    """Return a live reference computed through rpy2."""
    fresh = _match_risk() if name == "match_risk" else table.assign(**_gamlss_dist(name, table))
    return Reference(fresh, True, f"Live: {probe().r}, {package} {package_state(package)}, rpy2 {probe().rpy2}.")


def _match_risk() -> pd.DataFrame:
    case = match_risk.CASES[CASE]
    data = datasets.load(case.data, version="simulated")
    with redirect_stdout(StringIO()):  # the package prints a message about the number of radii
        theirs = identification_risk(
            data,
            [data.synthetic_version(v) for v in case.versions],
            Intruder(known=case.known, synthesized=case.synthesized, radius=case.radius),
        )
    measures: dict[str, Any] = {**match_risk.sums(theirs), "unique matches": theirs.n_unique}
    for what in ("expected match risk", "true match rate", "false match rate"):
        measures[what] = getattr(theirs, what.replace(" ", "_"))
    parts = [pd.DataFrame({"what": what, "case": CASE, "value": values}) for what, values in measures.items()]
    return pd.concat(parts, ignore_index=True)


def _gamlss_dist(name: str, table: pd.DataFrame) -> dict[str, Any]:
    r = gamlss_dist
    mu, sigma = table["mu"], table["sigma"]
    if name == "gamlss_dist_GAF":
        y, nu = table["y"], table["nu"]
        cells = r.pGAF(y + 0.5, mu, sigma, nu) - r.pGAF(y - 0.5, mu, sigma, nu)
        return {"dGAF": r.dGAF(y, mu, sigma, nu), "pGAF": r.pGAF(y, mu, sigma, nu), "pmf_discretised": cells}
    if name == "gamlss_dist_qGAF":
        return {"qGAF": r.qGAF(table["p"], mu, sigma, table["nu"])}
    if name == "gamlss_dist_NBI_PIG_PO":
        y = table["y"]
        two = {f: getattr(r, f)(y, mu, sigma) for f in ("dNBI", "pNBI", "dPIG", "pPIG")}
        return {**two, **{f: getattr(r, f)(y, mu) for f in ("dPO", "pPO")}}
    if name == "gamlss_dist_quantiles":
        p = table["p"]
        return {"qNBI": r.qNBI(p, mu, sigma), "qPIG": r.qPIG(p, mu, sigma), "qPO": r.qPO(p, mu)}
    u = table["u"]
    return {
        "rGAF_nu_0": r.rGAF(u, mu, sigma, 0.0),
        "rGAF_nu_minus_half": r.rGAF(u, mu, sigma, -0.5),
        "rNBI": r.rNBI(u, mu, sigma),
        "rPIG": table["rPIG"].mask(mu <= 100, pd.Series(r.rPIG(u, mu.clip(upper=100.0), sigma), index=table.index)),
    }
