"""Tolerances of the differences between synthlab and R, by quantity, with reasons. None is wider than its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The largest difference of a quantity: absolute + relative x |R's number|.

    Attributes
    ----------
    relative, absolute : float
        The two parts.
    reason : str
        The source of the difference.
    """

    relative: float
    absolute: float
    reason: str


TOLERANCES = {
    "count": Tolerance(0.0, 0.0, "whole numbers: equal or wrong"),
    "sum of ratios": Tolerance(
        1e-12, 0.0, "a sum of 10,000 ratios in another order: 10,000 roundings of 1.1e-16, and 15 recorded digits"
    ),
    "share": Tolerance(1e-12, 1e-13, "a quotient of small whole numbers, or a mean of some hundred of them"),
    "probability": Tolerance(
        1e-10, 0.0, "incomplete gamma and Bessel functions by other series: 10 digits of the smallest tail as well"
    ),
    "density of a large shape": Tolerance(
        2e-9, 0.0, "R subtracts numbers of the size of k log k, where the shape k of the gamma is up to 400,000: they are "
        "up to 5e6, and 7 of their 16 digits go"
    ),
    "difference near 1": Tolerance(
        1e-10, 2.5e-16, "R's cell is a difference of two distribution functions: near 1 each is rounded to 1.1e-16"
    ),
    "quantile": Tolerance(1e-10, 0.0, "R's qgamma stops its search at about 1e-12"),
    "formula": Tolerance(1e-10, 1e-14, "the same formula, in another order of addition"),
    "series": Tolerance(
        1e-9, 0.0, "sdcMicro's sum for a cell of up to 4 people has alternating terms, and loses up to 6 digits to subtraction"
    ),
    "design-based": Tolerance(
        1e-9, 1e-12, "sums over 240 records, and t quantiles that R has to 1e-12; numbers with 15 recorded digits"
    ),
    "combined": Tolerance(
        1e-10, 1e-13, "b and T_f are differences of nearly equal numbers, from estimates with 15 recorded digits"
    ),
    "overlap": Tolerance(1e-9, 1e-12, "differences of interval ends, each right to 1e-10"),
    "maximum likelihood": Tolerance(
        1e-9, 1e-11, "Newton steps, each of which squares the error: R stops where the deviance moves by less than 1e-15 of "
        "itself, synthlab at 1e-13 of it, or where the coefficients move by less than 1e-10 of themselves"
    ),
    "unfinished likelihood": Tolerance(
        1e-5, 1e-15, "synthpop's glm.fit stops where the deviance moves by less than 1e-8 of itself: by 3e-4 where it is 28,000 of "
        "20,000 records, of which the model explains some hundreds or tens; synthlab goes on to 1e-13"
    ),
    "glm by default": Tolerance(
        1e-8, 0.0, "R's glm stops where the deviance moves by less than 1e-8 of itself, which leaves 1e-9 of a mean; synthlab's "
        "fit of these models is exact"
    ),
    "permutation null": Tolerance(
        0.28, 0.0, "two means, R's of 200 permutations and synthlab's of 500, of a pMSE of 3 degrees of freedom, whose standard "
        "deviation is .82 of its mean: 7 % of it, of which four times as much is allowed"
    ),
    "proportional fitting": Tolerance(
        1e-8, 1e-8, "synthlab stops when every margin fits to 1e-12 of the 10,000 people, which is 1e-8; R when it fits to "
        "1e-12 itself"
    ),
    "posterior probability": Tolerance(
        0.0, 0.006, "a posterior mean against a maximum of the likelihood: prior and skewness move it by up to 0.0025, and "
        "2,000 draws of a standard deviation of up to 0.038 by 0.00085, of which four times as much is allowed"
    ),
    "posterior mode": Tolerance(
        0.0, 4e-6, "synthlab stops within 1e-4 of the posterior's standard deviations of the mode, and that of a probability is "
        "up to 0.038; R's is settled by Newton steps"
    ),
    "posterior": Tolerance(
        0.0, 0.15, "in standard errors: a posterior against a maximum of the likelihood; prior and skewness move it by "
        "0.06, and 2,000 draws by 0.022, of which four times as much is allowed"
    ),
    "share of missing values": Tolerance(
        0.0, 1.8, "in standard errors of the share in one file: two means over 20 datasets, each of which has up to twice the "
        "variance of a share, as what comes before is synthetic too: 0.45, of which four times as much is allowed"
    ),
    "two samplers": Tolerance(
        0.0, 0.01, "two samplers of one posterior, whose standard deviation is up to 0.013: R's own two chains differ by 0.0045"
    ),
}  # fmt: skip
