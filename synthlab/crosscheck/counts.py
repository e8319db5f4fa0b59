"""Count distributions compared with the R package gamlss.dist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from synthlab.counts import GAF, NBI, PIG, GammaFamily, Poisson
from synthlab.crosscheck._check import Check, make_check
from synthlab.exceptions import InputError
from synthlab.r import Reference

GROUP = "counts"
REFERENCES = tuple(f"gamlss_dist_{what}" for what in ("GAF", "qGAF", "NBI_PIG_PO", "quantiles", "draws", "edges"))
LARGE_SHAPE = 1e4  # shape of the gamma; above it, the density in R subtracts large numbers
FINEST = 1e-290  # below it, quantiles of the gamma are denormal numbers


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of the group."""
    yield from gamma(answers["gamlss_dist_GAF"], answers["gamlss_dist_qGAF"])
    yield from others(answers["gamlss_dist_NBI_PIG_PO"])
    yield from quantiles(answers["gamlss_dist_quantiles"])
    yield from draws(answers["gamlss_dist_draws"])
    yield from _edges(answers["gamlss_dist_edges"])


def _grid(rows: pd.DataFrame) -> str:
    return f"{len(rows):,} values, means {rows['mu'].min():g} to {rows['mu'].max():g}"


def gamma(values: Reference, inverse: Reference) -> Iterator[Check]:
    """Yield the checks of the continuous gamma family and its cells."""
    table, q = values.table, inverse.table
    family = GammaFamily(table["mu"], table["sigma"], table["nu"])
    large = (table["mu"] ** (2 - table["nu"]) / table["sigma"] ** 2 > LARGE_SHAPE).to_numpy()
    density = family.pdf(table["y"])
    for rows, quantity, name in (
        (~large, "probability", ""),
        (large, "density of a large shape", f", gamma shape above {LARGE_SHAPE:g}"),
    ):
        case = _grid(table[rows]) + name
        yield make_check(GROUP, "dGAF", case, density[rows], table["dGAF"][rows], quantity, values)
    yield make_check(GROUP, "pGAF", _grid(table), family.cdf(table["y"]), table["pGAF"], "probability", values)
    cells = GAF(table["mu"], table["sigma"], table["nu"]).pmf(table["y"])
    what = "GAF cell, pGAF(y + 1/2) - pGAF(y - 1/2)"
    yield make_check(GROUP, what, _grid(table), cells, table["pmf_discretised"], "difference near 1", values)
    ours = GammaFamily(q["mu"], q["sigma"], q["nu"]).ppf(q["p"])
    fine = (q["qGAF"] > FINEST).to_numpy()
    yield make_check(GROUP, "qGAF", _grid(q[fine]), ours[fine], q["qGAF"][fine], "quantile", inverse)


def others(answer: Reference) -> Iterator[Check]:
    """Yield the checks of densities and distribution functions of NBI, PIG and PO."""
    table = answer.table
    families = {"NBI": NBI(table["mu"], table["sigma"]), "PIG": PIG(table["mu"], table["sigma"])}
    for name, family in {**families, "PO": Poisson(table["mu"])}.items():
        for function, ours in (("d", family.pmf), ("p", family.cdf)):
            what = function + name
            yield make_check(GROUP, what, _grid(table), ours(table["y"]), table[what], "probability", answer)


def quantiles(answer: Reference) -> Iterator[Check]:
    """Yield the checks of quantiles of NBI, PIG and PO."""
    table = answer.table
    families = {"NBI": NBI(table["mu"], table["sigma"]), "PIG": PIG(table["mu"], table["sigma"])}
    for name, family in {**families, "PO": Poisson(table["mu"])}.items():
        yield make_check(GROUP, f"q{name}", _grid(table), family.ppf(table["p"]), table[f"q{name}"], "count", answer)


def draws(answer: Reference) -> Iterator[Check]:
    """Yield the checks of draws from given uniform numbers."""
    table = answer.table
    for column, nu in (("rGAF_nu_0", 0.0), ("rGAF_nu_minus_half", -0.5)):
        family = GAF(table["mu"], table["sigma"], nu)
        fine = (table[column] > FINEST).to_numpy()
        case = f"{_grid(table)}, nu {nu:g}, the same uniforms"
        ours = family.continuous.from_uniform(table["u"])
        yield make_check(GROUP, "rGAF", case, ours[fine], table[column][fine], "quantile", answer)
        rounded = np.rint(table[column])
        yield make_check(GROUP, "rGAF, rounded", case, family.from_uniform(table["u"]), rounded, "count", answer)
    for column, kind in (("rNBI", NBI), ("rPIG", PIG)):
        rows = table[np.isfinite(table[column])]
        ours = kind(rows["mu"], rows["sigma"]).from_uniform(rows["u"])
        yield make_check(GROUP, column, f"{_grid(rows)}, the same uniforms", ours, rows[column], "count", answer)


def _edges(answer: Reference) -> Iterator[Check]:
    case = "count 2; means 1 and 5 and 10"
    one, vector = (answer.value(what=f"dPIG {how}") for how in ("one mean at a time", "with a vector of means"))
    ours = PIG([1.0, 5.0, 10.0], 1.0).pmf(2)
    yield make_check(GROUP, "dPIG, one mean at a time", case, ours, one, "probability", answer)
    reason = (
        "with one count and a vector of means, R does not recycle the count, so only the first probability is correct"
    )
    yield make_check(
        GROUP, "dPIG, a vector of means", case, ours, vector, "probability", answer, stated=one - vector, reason=reason
    )
    capped, real = answer.value(what="qPIG"), answer.value(what="quantile by pPIG")
    case = "p 0.99999; mean 300; sigma 10"
    ours = PIG(300.0, 10.0).ppf(0.99999)
    yield make_check(GROUP, "quantile by R's own pPIG", case, ours, real, "count", answer)
    reason = "R's qPIG does not search beyond 10,000"
    yield make_check(GROUP, "qPIG", case, ours, capped, "count", answer, stated=real - capped, reason=reason)
    large = answer.value(what="qNBI")
    ours = NBI(1e10, 0.1).from_uniform([0.1, 0.5, 0.9])
    reason = "R's rNBI converts its draws to 32-bit integers, so draws above 2^31 - 1 are NA; qNBI returns them"
    yield make_check(GROUP, "qNBI where rNBI is NA", "mean 1e10", ours, large, "count", answer, reason=reason)
    missing = np.isnan(answer.value(what="rNBI")).sum()
    yield make_check(
        GROUP, "draws of rNBI that are NA", "mean 1e10", np.isnan(ours).sum(), missing, "count", answer,
        stated=-3.0, reason=reason,
    )  # fmt: skip
    theirs = answer.value(what="dNBI fails")
    yield make_check(GROUP, "a mean of 0 is refused", "mean 0", _is_refused(0.0), theirs, "count", answer)


def _is_refused(mu: float) -> float:
    try:
        NBI(mu, 1.0)
    except InputError:
        return 1.0
    return 0.0
