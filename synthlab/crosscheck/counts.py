"""Count distributions compared with the R package gamlss.dist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from synthlab.counts import GAF, NBI, PIG, Delaporte, Discretized, GammaFamily, Poisson, Sichel
from synthlab.crosscheck._check import Check, make_check
from synthlab.exceptions import InputError
from synthlab.r import Reference

GROUP = "counts"
_TABLES = ("GAF", "qGAF", "NBI_PIG_PO", "quantiles", "DEL_SICHEL", "qDEL_qSICHEL", "continuous", "draws", "edges")
REFERENCES = tuple(f"gamlss_dist_{what}" for what in _TABLES)
LARGE_SHAPE = 1e4  # shape of the gamma; above it, the density in R subtracts large numbers
FINEST = 1e-290  # below it, quantiles of the gamma are denormal numbers


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of the group."""
    yield from gamma(answers["gamlss_dist_GAF"], answers["gamlss_dist_qGAF"])
    yield from others(answers["gamlss_dist_NBI_PIG_PO"])
    yield from quantiles(answers["gamlss_dist_quantiles"])
    yield from three_parameters(answers["gamlss_dist_DEL_SICHEL"], answers["gamlss_dist_qDEL_qSICHEL"])
    yield from continuous(answers["gamlss_dist_continuous"])
    yield from draws(answers["gamlss_dist_draws"])
    yield from _poisson_draws(answers["gamlss_dist_edges"])
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


def three_parameters(values: Reference, inverse: Reference) -> Iterator[Check]:
    """Yield the checks of DEL and SICHEL."""
    for name, kind in (("DEL", Delaporte), ("SICHEL", Sichel)):
        table, q = (answer.table[answer.table["family"] == name] for answer in (values, inverse))
        family = kind(table["mu"], table["sigma"], table["nu"])
        for function, ours in (("d", family.pmf), ("p", family.cdf)):
            theirs = table[function]
            yield make_check(GROUP, function + name, _grid(table), ours(table["y"]), theirs, "recurrence", values)
        family = kind(q["mu"], q["sigma"], q["nu"])
        yield make_check(GROUP, f"q{name}", _grid(q), family.ppf(q["p"]), q["q"], "count", inverse)
        case = f"{_grid(q)}, the same uniforms"
        yield make_check(GROUP, f"r{name}", case, family.from_uniform(q["u"]), q["r"], "count", inverse)


def continuous(answer: Reference) -> Iterator[Check]:
    """Yield the checks of the distribution functions of `Discretized`."""
    table = answer.table
    mean, sd = table["mean"].to_numpy(float), table["sd"].to_numpy(float)
    for column, law in (("pLOGNO", "lognormal"), ("pIG", "inverse gaussian"), ("pWEI", "weibull")):
        # The variance before rounding is sigma^2 mu^nu, so nu = 0 makes sigma the standard deviation.
        ours = Discretized(mean, sd, 0.0, W=law).cdf(table["y"])
        case = f"{len(table):,} values, means {mean.min():g} to {mean.max():g}"
        yield make_check(GROUP, f"Discretized, {column}", case, ours, table[column], "continuous tail", answer)


def _poisson_draws(answer: Reference) -> Iterator[Check]:
    reason = "R's rPO draws by rpois, not by inversion, so the shares of 100,000 draws are compared with probabilities"
    for mu in (0.5, 4.0, 50.0):
        case = f"mean {mu:g}"
        at, share = (np.atleast_1d(answer.value(what=f"rPO {what}", case=case)) for what in ("at most", "share"))
        ours = Poisson(mu).cdf(at)
        yield make_check(GROUP, "rPO, share of draws", case, ours, share, "share of draws", answer, reason=reason)


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
    case = "count 30; mean 10; sigma 0.0001; nu 0.5"
    r, stated = answer.value(what="dDEL of a small sigma"), answer.value(what="dPO")
    ours = Delaporte(10.0, 1e-4, 0.5).pmf(30)
    reason = "R's dDEL returns the Poisson probability if sigma is at most 0.0001"
    yield make_check(GROUP, "dDEL of a small sigma", case, stated, r, "probability", answer, reason=reason)
    # The logs differ by sigma (1 - nu)^2 ((y - mu)^2 - y) / 2 and terms of second order.
    theirs = np.log(r)
    yield make_check(
        GROUP, "log dDEL of a small sigma", case, np.log(ours), theirs, "first order", answer,
        stated=1e-4 * 0.25 * (20.0**2 - 30.0) / 2.0, reason=reason,
    )  # fmt: skip
    case = "count 30; mean 10; sigma 20000; nu 0.1"
    theirs, limit = answer.value(what="dSICHEL of a large sigma"), NBI(10.0, 10.0).pmf(30)
    reason = "R's dSICHEL returns the NBI probability, which is the limit, if sigma is above 10,000 and nu above 0"
    yield make_check(GROUP, "dSICHEL of a large sigma", case, limit, theirs, "probability", answer, reason=reason)
    theirs = answer.value(what="dNBI fails")
    yield make_check(GROUP, "a mean of 0 is refused", "mean 0", _is_refused(0.0), theirs, "count", answer)


def _is_refused(mu: float) -> float:
    try:
        NBI(mu, 1.0)
    except InputError:
        return 1.0
    return 0.0
