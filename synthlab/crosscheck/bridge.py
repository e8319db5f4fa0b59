"""Answers of R through rpy2, which test the conversion of data."""

from __future__ import annotations

from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from typing import Any

import pandas as pd

from synthlab.crosscheck import match_risk
from synthlab.exceptions import RUnavailableError
from synthlab.r import Reference, gamlss_dist, identification_risk, probe, reference, require
from synthlab.r.identification_risk_calculation import ask as ask_r
from synthlab.r.session import package_state

STEP = 7  # every seventh row of the grids is used


def ask(name: str, live: bool | None) -> Reference:
    """Return an answer of R through rpy2 if possible, and else the recorded answer; arguments as in `reference`."""
    package = "IdentificationRiskCalculation" if name == "match_risk" else "gamlss.dist"
    answer = reference(name, live=False)
    table = answer.table if name == "match_risk" else answer.table[::STEP]
    if live or (live is None and probe().has(package)):
        try:
            require(package)
            return _through_rpy2(name, table, package)
        except RUnavailableError as error:
            return replace(answer, table=table, skipped=str(error))
    return replace(answer, table=table)


def _through_rpy2(name: str, table: pd.DataFrame, package: str) -> Reference:
    """Return a live reference computed through rpy2."""
    fresh = _match_risk() if name == "match_risk" else table.assign(**_gamlss_dist(name, table))
    return Reference(fresh, True, f"Live: {probe().r}, {package} {package_state(package)}, rpy2 {probe().rpy2}.")


def _match_risk() -> pd.DataFrame:
    parts = []
    with redirect_stdout(StringIO()):  # the package prints a message about the number of radii
        for name, setting in match_risk.RELEASES.items():
            confidential, *release = setting.frames()
            result = identification_risk(confidential, release, setting.intruder())
            measures: dict[str, Any] = {**match_risk.sums(result), "unique matches": result.n_unique}
            for what in ("expected match risk", "true match rate", "false match rate"):
                measures[what] = getattr(result, what.replace(" ", "_"))
            parts += [pd.DataFrame({"what": what, "case": name, "value": values}) for what, values in measures.items()]
        for name, options in match_risk.OPTIONS.items():
            confidential, *release = options.frames()
            sums = match_risk.sums(ask_r(confidential, release, options.intruder(), euclidean=options.euclidean))
            parts += [pd.DataFrame({"what": what, "case": name, "value": values}) for what, values in sums.items()]
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
