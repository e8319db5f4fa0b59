"""Tolerances for differences between synthlab and R, with reasons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Largest allowed difference of a quantity: absolute + relative x |R's number|.

    Attributes
    ----------
    relative, absolute : float
        Relative and absolute part.
    reason : str
        Reason for the tolerance.
    """

    relative: float
    absolute: float
    reason: str


TOLERANCES = {
    "count": Tolerance(0.0, 0.0, "whole numbers must be equal"),
    "sum of ratios": Tolerance(
        1e-12, 0.0, "a sum of 10,000 ratios in a different order: 10,000 rounding errors of 1.1e-16, and 15 recorded digits"
    ),
    "share": Tolerance(1e-12, 1e-13, "a quotient of small whole numbers, or a mean of a few hundred quotients"),
    "probability": Tolerance(
        1e-10, 0.0, "incomplete gamma and Bessel functions use different series; 10 digits agree, also in the smallest tail"
    ),
    "density of a large shape": Tolerance(
        2e-9, 0.0, "R subtracts numbers of size k log k, where the shape k of the gamma is up to 400,000: they are "
        "up to 5e6, and 7 of their 16 digits are lost"
    ),
    "difference near 1": Tolerance(
        1e-10, 2.5e-16, "R's cell is a difference of two distribution functions, which are rounded to 1.1e-16 near 1"
    ),
    "recurrence": Tolerance(
        1e-9, 0.0, "R adds the logs of up to 100 ratios of a recurrence, whose terms are subtracted in DEL; 15 recorded digits"
    ),
    "continuous tail": Tolerance(
        1e-9, 1e-14, "R's pIG adds two normal tails; the shape of the Weibull is found by a search to 1e-14"
    ),
    "share of draws": Tolerance(
        0.0, 0.0065, "a share of 100,000 draws has a standard error of at most 0.0016, and four times this is allowed"
    ),
    "first order": Tolerance(0.0, 1e-5, "terms of second order in sigma (1 - nu)^2 (y - mu)^2, which is 0.01, are omitted"),
    "quantile": Tolerance(1e-10, 0.0, "R's qgamma stops its search at about 1e-12"),
    "formula": Tolerance(1e-10, 1e-14, "the same formula with a different order of addition"),
    "series": Tolerance(
        1e-9, 0.0, "sdcMicro's sum for a cell of up to 4 people has alternating terms, and subtraction loses up to 6 digits"
    ),
    "design-based": Tolerance(
        1e-9, 1e-12, "sums over 240 records, t quantiles of R accurate to 1e-12, and 15 recorded digits"
    ),
    "combined": Tolerance(
        1e-10, 1e-13, "b and T_f are differences of nearly equal numbers, from estimates with 15 recorded digits"
    ),
    "overlap": Tolerance(1e-9, 1e-12, "differences of interval ends, each accurate to 1e-10"),
    "maximum likelihood": Tolerance(
        1e-9, 1e-11, "Newton steps, each of which squares the error: R stops at a relative change of the deviance below 1e-15, "
        "synthlab below 1e-13, or at a relative change of the coefficients below 1e-10"
    ),
    "unfinished likelihood": Tolerance(
        1e-5, 1e-15, "synthpop's glm.fit stops at a relative change of the deviance below 1e-8, which is 3e-4 for a deviance of 28,000 "
        "with 20,000 records, of which the model explains tens or hundreds; synthlab continues to 1e-13"
    ),
    "glm by default": Tolerance(
        1e-8, 0.0, "R's glm stops at a relative change of the deviance below 1e-8, which leaves a relative error of 1e-9 in a mean; "
        "synthlab's fit of these models is exact"
    ),
    "permutation null": Tolerance(
        0.28, 0.0, "means of 200 permutations in R and of 500 in synthlab, of a pMSE with 3 degrees of freedom, whose standard "
        "deviation is .82 of its mean: the standard error is 7%, and four times this is allowed"
    ),
    "proportional fitting": Tolerance(
        1e-8, 1e-8, "synthlab stops when every margin fits to 1e-12 of the 10,000 people, which is 1e-8; R when it fits to "
        "1e-12 itself"
    ),
    "posterior probability": Tolerance(
        0.0, 0.006, "a posterior mean and a maximum of the likelihood: prior and skewness differ by up to 0.0025, and "
        "2,000 draws of a standard deviation of up to 0.038 by 0.00085, and four times this is allowed"
    ),
    "posterior mode": Tolerance(
        0.0, 4e-6, "synthlab stops within 1e-4 posterior standard deviations of the mode, and the standard deviation of a "
        "probability is up to 0.038; R uses Newton steps"
    ),
    "posterior": Tolerance(
        0.0, 0.15, "in standard errors: a posterior and a maximum of the likelihood; prior and skewness differ by "
        "0.06, and 2,000 draws by 0.022, and four times this is allowed"
    ),
    "share of missing values": Tolerance(
        0.0, 1.8, "in standard errors of the share in one file: means over 20 datasets, each of which has up to twice the "
        "variance of a share, because the predictors are synthetic too: 0.45, and four times this is allowed"
    ),
    "households of two samplers": Tolerance(
        0.0, 0.08, "means over four chains of synthlab and two of R; chains of 1,000 iterations have standard deviations of up to "
        "0.036, so the standard error of a difference is up to 0.03; the recorded differences are at most 0.029"
    ),
    "ages of two samplers": Tolerance(
        0.0, 0.8, "in groups of two years: means over four chains of synthlab and two of R; chains of 1,000 iterations have "
        "standard deviations of up to 0.35, so the standard error of a difference is up to 0.3; the recorded differences are at most 0.25"
    ),
    "two samplers": Tolerance(
        0.0, 0.01, "two samplers of one posterior, whose standard deviation is up to 0.013; the two chains of R differ by 0.0045"
    ),
}  # fmt: skip
