"""Models of the sizes of the cells of a population, fitted to the sizes of the cells of a sample.

The models ignore the values of the variables: they use the frequencies of frequencies, the number of cells with one person, with
two people, and so on. The sample is a simple random sample of the population.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.risk.population._population_fit import Others, integrated_inverse

SizeModel = Literal["samuels", "pitman", "slide negative binomial"]
LARGEST_DISCOUNT = 1 - 1e-6
LOG_ENDS = (-12.0, 30.0)  # of log(theta + alpha)
STEP, END = 0.0625, 3.25  # of the double exponential rule


@dataclass(frozen=True, slots=True, eq=False)
class SizeFit:
    """Distribution of the population count of a cell, for each size of a cell in the sample.

    parameters : fitted parameters by name; others : expected number of people outside the sample; alone : probability that
    there are none; match : expected inverse of the population count. The arrays have one value for each size.
    """

    parameters: Mapping[str, float]
    others: FloatArray
    alone: FloatArray
    match: FloatArray


def fit_sizes(model: SizeModel, sizes: IntArray, cells: IntArray, people: float) -> SizeFit | None:
    """Fit a model by maximum likelihood; None if every cell has one person, so that the likelihood has no maximum.

    sizes, cells : distinct sizes of the cells of the sample, and the number of cells of each size; people : population size.
    """
    if sizes.max() == 1:
        return None
    if model == "slide negative binomial":
        return _fit_slide(sizes, cells, people)
    discount, strength = fit_pitman(sizes, cells, discount=0.0 if model == "samuels" else None)
    n, counts = float((sizes * cells).sum()), sizes.astype(np.float64)
    a = np.asarray(counts - discount, dtype=np.float64)
    urn = Urn(counts, a, np.asarray(strength + n - a, dtype=np.float64), people - n)
    parameters = {"theta": strength} if model == "samuels" else {"alpha": discount, "theta": strength}
    return SizeFit(parameters, urn.mean(), urn.probability_of_none(), urn.expected_inverse())


def pitman_log_probability(sizes: IntArray, cells: IntArray, discount: float, strength: float) -> float:
    r"""Return the log-probability of the frequencies of frequencies under Pitman's sampling formula.

    With :math:`s_j` cells of size j, u cells and n people (Pitman 1995; Hoshino 2001, equation 1):

    .. math:: n! \, \frac{\prod_{i=1}^{u-1} (\theta + i\alpha)}{(\theta + 1)^{[n-1]}}
        \prod_j \Bigl( \frac{(1-\alpha)^{[j-1]}}{j!} \Bigr)^{s_j} \frac{1}{s_j!},
        \qquad x^{[k]} = x (x+1) \cdots (x+k-1).

    alpha = `discount` = 0 is Ewens' sampling formula.
    """
    from scipy.special import gammaln

    n, u = float((sizes * cells).sum()), int(cells.sum())
    constant = gammaln(n + 1) - float((cells * gammaln(sizes + 1.0) + gammaln(cells + 1.0)).sum())
    new = float(np.log(strength + discount * np.arange(1, u)).sum()) if u > 1 else 0.0
    total = float(gammaln(strength + n) - gammaln(strength + 1))
    again = float((cells * (gammaln(sizes - discount) - gammaln(1 - discount))).sum())
    return float(constant + new - total + again)


def fit_pitman(sizes: IntArray, cells: IntArray, discount: float | None = None) -> tuple[float, float]:
    """Return alpha and theta with the largest likelihood; alpha is fixed at `discount` if it is given."""

    def strength_of(alpha: float) -> tuple[float, float]:
        """Return theta with the largest likelihood given alpha, and minus its log-likelihood."""
        at, loss = _minimum(lambda log: -pitman_log_probability(sizes, cells, alpha, np.exp(log) - alpha), *LOG_ENDS)
        return float(np.exp(at) - alpha), loss

    if discount is not None:
        return discount, strength_of(discount)[0]
    inside, loss = _minimum(lambda alpha: strength_of(alpha)[1], 0.0, LARGEST_DISCOUNT)
    alpha = inside if loss < strength_of(0.0)[1] else 0.0
    return alpha, strength_of(alpha)[0]


def _minimum(loss: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-9})
    return float(found.x), float(found.fun)


@dataclass(frozen=True, slots=True, eq=False)
class Urn:
    """Distribution of the number of people of a cell who are not in the sample: beta-binomial with parameters a and b.

    Under Pitman's formula, the next person belongs to a cell of size j with probability (j - alpha) / (n + theta), as in an urn,
    so that a = j - alpha and b = n + theta - j + alpha. rest : number of people outside the sample.
    """

    counts: FloatArray
    a: FloatArray
    b: FloatArray
    rest: float

    def mean(self) -> FloatArray:
        """Return the expected number of people outside the sample."""
        return np.asarray(self.rest * self.a / (self.a + self.b))

    def probability_of_none(self) -> FloatArray:
        """Return the probability that no person outside the sample is in the cell."""
        from scipy.special import betaln

        return np.asarray(np.exp(betaln(self.a, self.b + self.rest) - betaln(self.a, self.b)))

    def expected_inverse(self) -> FloatArray:
        """Return E(1/N): given the share p of the cell, the others are binomial; p is integrated over its quantiles."""
        from scipy.stats import beta

        t = np.arange(-END, END + STEP / 2, STEP)
        q = 1 / (1 + np.exp(np.pi * np.sinh(np.abs(t))))  # distance from the nearer end of (0, 1)
        weight = STEP * np.pi * np.cosh(t) * q * (1 - q)
        found = np.empty(self.counts.size)
        for i, (count, a, b) in enumerate(zip(self.counts, self.a, self.b, strict=True)):
            share = np.where(t < 0, beta.ppf(q, a, b), beta.isf(q, a, b))[:, None]

            def log_moment(s_minus_one: FloatArray, share: FloatArray = share) -> FloatArray:
                with np.errstate(divide="ignore"):
                    return np.asarray(self.rest * np.log1p(share * s_minus_one)) if self.rest else 0.0 * share

            inverse = integrated_inverse(np.full(t.size, count), log_moment)
            found[i] = (weight * inverse).sum() / weight.sum()
        return found


def slide_log_probability(sizes: IntArray, shape: float, beta: float, fraction: float) -> FloatArray:
    """Return the log-probability that a population cell has each size in the sample.

    The population count of a cell is 1 + X, where X is negative binomial; each person is in the sample with probability
    `fraction`. The sampled part of X is negative binomial too.
    """
    from scipy.stats import nbinom

    thinned = beta / (beta + fraction * (1 - beta))
    with np.errstate(divide="ignore"):
        without = np.log1p(-fraction) + nbinom.logpmf(sizes, shape, thinned)
        first = np.log(fraction) + nbinom.logpmf(sizes - 1, shape, thinned)
    return np.asarray(np.logaddexp(without, first))


def fit_slide(sizes: IntArray, cells: IntArray, fraction: float) -> tuple[float, float]:
    """Return shape and beta with the largest likelihood of the sizes of the cells that occur in the sample."""
    from scipy.optimize import minimize

    zero = np.zeros(1, dtype=np.int64)

    def loss(at: FloatArray) -> float:
        shape, beta = np.exp(at[0]), 1 / (1 + np.exp(-at[1]))
        empty = float(slide_log_probability(zero, shape, beta, fraction)[0])
        return float(-(cells * (slide_log_probability(sizes, shape, beta, fraction) - np.log(-np.expm1(empty)))).sum())

    # Start at the mean of the sample cells, for three shapes.
    mean = max(float((sizes * cells).sum() / cells.sum()) / fraction - 1, 0.1)
    starts = [np.array([np.log(shape), np.log(shape / mean)]) for shape in (0.1, 1.0, 10.0)]
    options = {"xatol": 1e-9, "fatol": 1e-11, "maxiter": 4_000}
    bounds = [(-9.0, 9.0), (-25.0, 25.0)]
    found = [minimize(loss, start, method="Nelder-Mead", bounds=bounds, options=options) for start in starts]
    best = min(found, key=lambda one: float(one.fun)).x
    return float(np.exp(best[0])), float(1 / (1 + np.exp(-best[1])))


def _fit_slide(sizes: IntArray, cells: IntArray, people: float) -> SizeFit:
    from scipy.stats import nbinom

    fraction = float((sizes * cells).sum()) / people
    shape, beta = fit_slide(sizes, cells, fraction)
    thinned = beta / (beta + fraction * (1 - beta))
    # Either the person whom every cell has is in the sample (first), or not (later), given the size of the cell.
    log = slide_log_probability(sizes, shape, beta, fraction)
    first = np.exp(np.log(fraction) + nbinom.logpmf(sizes - 1, shape, thinned) - log)
    rate = (1 - fraction) / (beta / (1 - beta) + fraction)
    counts = sizes.astype(np.float64)
    shapes = np.asarray(shape + counts, dtype=np.float64)
    in_sample = Others(counts, np.asarray((shapes - 1) * rate, dtype=np.float64), shapes - 1)
    outside = Others(counts + 1, np.asarray(shapes * rate, dtype=np.float64), shapes)
    return SizeFit(
        {"alpha": shape, "beta": beta},
        first * in_sample.mean + (1 - first) * (1 + outside.mean),
        first * in_sample.probability_of_none(),
        first * in_sample.expected_inverse() + (1 - first) * outside.expected_inverse(),
    )
