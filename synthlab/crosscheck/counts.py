"""Count distributions compared with the R package gamlss.dist."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from synthlab.counts import GAF, NBI, PIG, Delaporte, Discretized, GammaFamily, Poisson, Sichel
from synthlab.crosscheck._check import Row
from synthlab.exceptions import InputError
from synthlab.r import Reference

LARGE_SHAPE = 1e4  # shape of the gamma; above it, the density in R subtracts large numbers
FINEST = 1e-290  # below it, quantiles of the gamma are denormal numbers


def _grid(rows: pd.DataFrame) -> str:
    return f"{len(rows):,} values, means {rows['mu'].min():g} to {rows['mu'].max():g}"


def gamma_family(values: Reference, inverse: Reference) -> Iterator[Row]:
    """Yield the rows of the continuous gamma family and its cells."""
    table, q = values.table, inverse.table
    family = GammaFamily(table["mu"], table["sigma"], table["nu"])
    large = (table["mu"] ** (2 - table["nu"]) / table["sigma"] ** 2 > LARGE_SHAPE).to_numpy()
    density = family.pdf(table["y"])
    for rows, quantity, name in (
        (~large, "probability", ""),
        (large, "density of a large shape", f", gamma shape above {LARGE_SHAPE:g}"),
    ):
        yield Row("dGAF", _grid(table[rows]) + name, density[rows], table["dGAF"][rows], quantity)
    yield Row("pGAF", _grid(table), family.cdf(table["y"]), table["pGAF"], "probability")
    cells = GAF(table["mu"], table["sigma"], table["nu"]).pmf(table["y"])
    what = "GAF cell, pGAF(y + 1/2) - pGAF(y - 1/2)"
    yield Row(what, _grid(table), cells, table["pmf_discretised"], "difference near 1")
    ours = GammaFamily(q["mu"], q["sigma"], q["nu"]).ppf(q["p"])
    fine = (q["qGAF"] > FINEST).to_numpy()
    yield Row("qGAF", _grid(q[fine]), ours[fine], q["qGAF"][fine], "quantile")


def probabilities(answer: Reference) -> Iterator[Row]:
    """Yield the rows of densities and distribution functions of NBI, PIG and PO."""
    table = answer.table
    for name, family in _families(table).items():
        yield Row(f"d{name}", _grid(table), family.pmf(table["y"]), table[f"d{name}"], "probability")
        yield Row(f"p{name}", _grid(table), family.cdf(table["y"]), table[f"p{name}"], "probability")


def quantiles(answer: Reference) -> Iterator[Row]:
    """Yield the rows of quantiles of NBI, PIG and PO."""
    table = answer.table
    for name, family in _families(table).items():
        yield Row(f"q{name}", _grid(table), family.ppf(table["p"]), table[f"q{name}"], "count")


def _families(table: pd.DataFrame) -> dict[str, NBI | PIG | Poisson]:
    mu, sigma = table["mu"], table["sigma"]
    return {"NBI": NBI(mu, sigma), "PIG": PIG(mu, sigma), "PO": Poisson(mu)}


def three_parameters(values: Reference, inverse: Reference) -> Iterator[Row]:
    """Yield the rows of DEL and SICHEL."""
    for name, kind in (("DEL", Delaporte), ("SICHEL", Sichel)):
        table, q = (answer.table[answer.table["family"] == name] for answer in (values, inverse))
        family = kind(table["mu"], table["sigma"], table["nu"])
        yield Row(f"d{name}", _grid(table), family.pmf(table["y"]), table["d"], "recurrence")
        yield Row(f"p{name}", _grid(table), family.cdf(table["y"]), table["p"], "recurrence")
        family = kind(q["mu"], q["sigma"], q["nu"])
        yield Row(f"q{name}", _grid(q), family.ppf(q["p"]), q["q"], "count")
        yield Row(f"r{name}", f"{_grid(q)}, the same uniforms", family.from_uniform(q["u"]), q["r"], "count")


def continuous(answer: Reference) -> Iterator[Row]:
    """Yield the rows of the distribution functions of `Discretized`."""
    table = answer.table
    mean, sd = table["mean"].to_numpy(float), table["sd"].to_numpy(float)
    case = f"{len(table):,} values, means {mean.min():g} to {mean.max():g}"
    for column, law in (("pLOGNO", "lognormal"), ("pIG", "inverse gaussian"), ("pWEI", "weibull")):
        # The variance before rounding is sigma^2 mu^nu, so nu = 0 makes sigma the standard deviation.
        ours = Discretized(mean, sd, 0.0, W=law).cdf(table["y"])
        yield Row(f"Discretized, {column}", case, ours, table[column], "continuous tail")


def draws(answer: Reference) -> Iterator[Row]:
    """Yield the rows of draws from given uniform numbers."""
    table = answer.table
    for column, nu in (("rGAF_nu_0", 0.0), ("rGAF_nu_minus_half", -0.5)):
        family = GAF(table["mu"], table["sigma"], nu)
        fine = (table[column] > FINEST).to_numpy()
        case = f"{_grid(table)}, nu {nu:g}, the same uniforms"
        ours = family.continuous.from_uniform(table["u"])
        yield Row("rGAF", case, ours[fine], table[column][fine], "quantile")
        yield Row("rGAF, rounded", case, family.from_uniform(table["u"]), np.rint(table[column]), "count")
    for column, kind in (("rNBI", NBI), ("rPIG", PIG)):
        rows = table[np.isfinite(table[column])]
        ours = kind(rows["mu"], rows["sigma"]).from_uniform(rows["u"])
        yield Row(column, f"{_grid(rows)}, the same uniforms", ours, rows[column], "count")


def poisson_draws(answer: Reference) -> Iterator[Row]:
    """Yield the rows of Poisson draws, which R does not make from uniform numbers."""
    reason = "R's rPO draws by rpois, not by inversion, so the shares of 100,000 draws are compared with probabilities"
    for mu in (0.5, 4.0, 50.0):
        case = f"mean {mu:g}"
        at, share = (np.atleast_1d(answer.value(what=f"rPO {what}", case=case)) for what in ("at most", "share"))
        yield Row("rPO, share of draws", case, Poisson(mu).cdf(at), share, "share of draws", reason=reason)


def edges(answer: Reference) -> Iterator[Row]:
    """Yield the rows of arguments for which functions of R fail or use a limit."""
    case = "count 2; means 1 and 5 and 10"
    one, vector = (answer.value(what=f"dPIG {how}") for how in ("one mean at a time", "with a vector of means"))
    ours = PIG([1.0, 5.0, 10.0], 1.0).pmf(2)
    yield Row("dPIG, one mean at a time", case, ours, one, "probability")
    reason = (
        "with one count and a vector of means, R does not recycle the count, so only the first probability is correct"
    )
    yield Row("dPIG, a vector of means", case, ours, vector, "probability", one - vector, reason)
    capped, real = answer.value(what="qPIG"), answer.value(what="quantile by pPIG")
    case = "p 0.99999; mean 300; sigma 10"
    quantile = PIG(300.0, 10.0).ppf(0.99999)
    yield Row("quantile by R's own pPIG", case, quantile, real, "count")
    yield Row("qPIG", case, quantile, capped, "count", real - capped, "R's qPIG does not search beyond 10,000")
    ours = NBI(1e10, 0.1).from_uniform([0.1, 0.5, 0.9])
    reason = "R's rNBI converts its draws to 32-bit integers, so draws above 2^31 - 1 are NA; qNBI returns them"
    yield Row("qNBI where rNBI is NA", "mean 1e10", ours, answer.value(what="qNBI"), "count", reason=reason)
    missing = np.isnan(answer.value(what="rNBI")).sum()
    yield Row("draws of rNBI that are NA", "mean 1e10", np.isnan(ours).sum(), missing, "count", -3.0, reason)
    case = "count 30; mean 10; sigma 0.0001; nu 0.5"
    density, poisson = answer.value(what="dDEL of a small sigma"), answer.value(what="dPO")
    reason = "R's dDEL returns the Poisson probability if sigma is at most 0.0001"
    yield Row("dDEL of a small sigma", case, poisson, density, "probability", reason=reason)
    # The logs differ by sigma (1 - nu)^2 ((y - mu)^2 - y) / 2 and terms of second order.
    stated = 1e-4 * 0.25 * (20.0**2 - 30.0) / 2.0
    ours = np.log(Delaporte(10.0, 1e-4, 0.5).pmf(30))
    yield Row("log dDEL of a small sigma", case, ours, np.log(density), "first order", stated, reason)
    case = "count 30; mean 10; sigma 20000; nu 0.1"
    limit, density = NBI(10.0, 10.0).pmf(30), answer.value(what="dSICHEL of a large sigma")
    reason = "R's dSICHEL returns the NBI probability, which is the limit, if sigma is above 10,000 and nu above 0"
    yield Row("dSICHEL of a large sigma", case, limit, density, "probability", reason=reason)
    fails = answer.value(what="dNBI fails")
    yield Row("a mean of 0 is refused", "mean 0", _is_refused(0.0), fails, "count")


def _is_refused(mu: float) -> bool:
    try:
        NBI(mu, 1.0)
    except InputError:
        return True
    return False
