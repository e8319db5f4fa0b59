"""Comparison with R through rpy2, which tests the conversion of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from itertools import chain
from typing import Any

import pandas as pd

from synthlab import datasets
from synthlab._warnings import quiet
from synthlab.crosscheck import counts, match_risk
from synthlab.crosscheck._check import Check
from synthlab.exceptions import RUnavailableError
from synthlab.r import Reference, gamlss_dist, identification_risk, probe, reference, require
from synthlab.r.identification_risk_calculation import ask as ask_r
from synthlab.r.session import package_state

GROUP = "bridge"
TABLES = (
    "gamlss_dist_GAF",
    "gamlss_dist_qGAF",
    "gamlss_dist_NBI_PIG_PO",
    "gamlss_dist_quantiles",
    "gamlss_dist_DEL_SICHEL",
    "gamlss_dist_qDEL_qSICHEL",
    "gamlss_dist_draws",
)
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
            affected = ["match_risk"] if package == PACKAGES[0] else list(TABLES)
            for name in affected:
                try:
                    require(package)
                    answers[name] = _through_rpy2(name, answers[name].table, package)
                except RUnavailableError as error:
                    answers[name] = replace(answers[name], skipped=str(error))
    return answers


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of the group."""
    with quiet():
        for row in chain(
            *(match_risk.case_checks(answers["match_risk"], name) for name in match_risk.CASES),
            match_risk.option_checks(answers["match_risk"]),
            counts.gamma(answers["gamlss_dist_GAF"], answers["gamlss_dist_qGAF"]),
            counts.others(answers["gamlss_dist_NBI_PIG_PO"]),
            counts.quantiles(answers["gamlss_dist_quantiles"]),
            counts.three_parameters(answers["gamlss_dist_DEL_SICHEL"], answers["gamlss_dist_qDEL_qSICHEL"]),
            counts.draws(answers["gamlss_dist_draws"]),
        ):
            yield replace(row, group=GROUP)


def _through_rpy2(name: str, table: pd.DataFrame, package: str) -> Reference:
    """Return a live reference computed through rpy2."""
    fresh = _match_risk() if name == "match_risk" else table.assign(**_gamlss_dist(name, table))
    return Reference(fresh, True, f"Live: {probe().r}, {package} {package_state(package)}, rpy2 {probe().rpy2}.")


def _match_risk() -> pd.DataFrame:
    parts = []
    with redirect_stdout(StringIO()):  # the package prints a message about the number of radii
        for name, case in match_risk.CASES.items():
            data = datasets.load(case.data, version="simulated")
            release = [data.synthetic_version(v) for v in case.versions] or [data.frame]
            theirs = identification_risk(data, release, case.intruder())
            measures: dict[str, Any] = {**match_risk.sums(theirs), "unique matches": theirs.n_unique}
            for what in ("expected match risk", "true match rate", "false match rate"):
                measures[what] = getattr(theirs, what.replace(" ", "_"))
            parts += [pd.DataFrame({"what": what, "case": name, "value": values}) for what, values in measures.items()]
        for name, options in match_risk.OPTIONS.items():
            confidential, *released = options.frames()
            theirs = ask_r(confidential, released, options.intruder(), euclidean=options.euclidean)
            found = match_risk.sums(theirs).items()
            parts += [pd.DataFrame({"what": what, "case": name, "value": values}) for what, values in found]
    return pd.concat(parts, ignore_index=True)


def _three_parameters(name: str, table: pd.DataFrame) -> dict[str, Any]:
    columns = {"d": "y", "p": "y"} if name == "gamlss_dist_DEL_SICHEL" else {"q": "p", "r": "u"}
    answers = {}
    for column, argument in columns.items():
        parts = []
        for family, rows in table.groupby("family"):
            values = getattr(gamlss_dist, f"{column}{family}")(rows[argument], rows["mu"], rows["sigma"], rows["nu"])
            parts.append(pd.Series(values, index=rows.index))
        answers[column] = pd.concat(parts).reindex(table.index)
    return answers


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
    if name in ("gamlss_dist_DEL_SICHEL", "gamlss_dist_qDEL_qSICHEL"):
        return _three_parameters(name, table)
    u = table["u"]
    return {
        "rGAF_nu_0": r.rGAF(u, mu, sigma, 0.0),
        "rGAF_nu_minus_half": r.rGAF(u, mu, sigma, -0.5),
        "rNBI": r.rNBI(u, mu, sigma),
        "rPIG": table["rPIG"].mask(mu <= 100, pd.Series(r.rPIG(u, mu.clip(upper=100.0), sigma), index=table.index)),
    }
