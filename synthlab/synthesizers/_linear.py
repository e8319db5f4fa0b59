"""Common parts of the regressions: standardization, posterior mode and whitening."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._pymc import width

PRIOR_SD = 2.5
INTERCEPT_PRIOR_SD = 5.0
MAX_ROUNDING = 0.01  # largest rounding error of a log density that can be sampled


@dataclass(frozen=True, slots=True, eq=False)
class Standardised:
    """Predictors (x - center) / scale with a leading column of ones.

    Center and scale are weighted by the record weights: a record of weight 2 has the same effect as two records, and a
    record of weight 0 has no effect. A column that is constant among the records of positive weight keeps its
    unweighted scale.
    """

    matrix: FloatArray
    center: FloatArray
    scale: FloatArray

    def raw(self, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (intercepts, slopes) for predictors in their own units.

        `coefficients` has shape (..., 1 + p).
        """
        slopes = coefficients[..., 1:] / self.scale
        return coefficients[..., 0] - slopes @ self.center, slopes


def standardise(matrix: FloatArray, weights: FloatArray | None) -> Standardised:
    """Standardize the columns of an (n, p) matrix."""
    center, scale = weighted_moments(matrix, weights)
    ones = np.ones((matrix.shape[0], 1))
    return Standardised(np.hstack([ones, (matrix - center) / scale]), center, scale)


def weighted_moments(values: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return the weighted mean and standard deviation along the first axis.

    If a weighted standard deviation is 0, the unweighted one is returned.
    """
    w = np.ones(len(values)) if weights is None else weights
    w = np.ldexp(w, -np.frexp(w.max())[1])  # a power of two: products do not overflow, and digits stay
    center = w @ values / w.sum()
    scale = np.sqrt(w @ np.square(values - center) / w.sum())
    plain = values.std(axis=0)
    return center, np.where(scale > 1e-8 * plain, scale, plain)


def response_moments(z: FloatArray, weights: FloatArray | None, response: str) -> tuple[FloatArray, FloatArray]:
    """Return the weighted mean and sd of a transformed response, or raise if sd is 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        center, scale = weighted_moments(z, weights)
    if not np.isfinite(scale):
        raise InputError(
            f"confidential: response {response!r}: the variance of its values overflows; divide them by a power of ten"
        )
    if scale == 0:
        raise InputError(f"confidential: response {response!r} is constant: there is nothing to model")
    return center, scale


def prior_sd(columns: int) -> FloatArray:
    """Return prior sds of (intercept, slopes) on the standardized scale."""
    return np.concatenate([[INTERCEPT_PRIOR_SD], np.full(columns - 1, PRIOR_SD)])


def equal_rows(matrix: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first position of each distinct row, and the group of each row.

    Groups are in lexical order of the rows. Sorting column by column is several times faster than
    ``np.unique(..., axis=0)``.
    """
    group = np.zeros(len(matrix), dtype=np.int64)
    for column in matrix.T:
        values, code = np.unique(column, return_inverse=True)
        if values.size > 1:
            group = np.unique(group * values.size + code, return_inverse=True)[1]
    first = np.full(int(group.max(initial=-1)) + 1, len(matrix), dtype=np.int64)
    np.minimum.at(first, group, np.arange(len(matrix)))
    return first, group


def aggregate(matrix: FloatArray, *values: FloatArray) -> tuple[FloatArray, ...]:
    """Merge equal rows of a matrix and sum their values."""
    first, group = equal_rows(matrix)
    sums = [np.asarray(np.bincount(group, weights=v, minlength=first.size), dtype=np.float64) for v in values]
    return matrix[first], *sums


Curvature = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]


def posterior_mode(matrix: FloatArray, likelihood: Curvature, sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find the mode of a log-concave regression posterior by damped Newton steps.

    Parameters
    ----------
    matrix : ndarray of shape (n, p)
    likelihood : callable
        Function of the linear predictor, shape (n,). It returns the log-likelihood, and for each record the derivative
        and the negative second derivative.
    sd : ndarray of shape (p,)
        Standard deviations of the normal prior around 0.

    Returns
    -------
    mode : ndarray of shape (p,)
    spread : ndarray of shape (p, p)
        A, where A A' is the inverse of the negative Hessian at the mode. The normal approximation of the posterior is
        ``mode + A z`` with standard normal z.
    """

    def target(beta: FloatArray) -> float:
        return likelihood(matrix @ beta)[0] - 0.5 * float(np.sum(np.square(beta / sd)))

    beta = np.zeros(matrix.shape[1])
    value = target(beta)
    for _ in range(100):
        _, slope, curvature = likelihood(matrix @ beta)
        gradient = matrix.T @ slope - beta / sd**2
        hessian = (matrix * curvature[:, None]).T @ matrix + np.diag(1 / sd**2)
        try:
            step = np.linalg.solve(hessian, gradient)
            spread = spread_of(hessian)
        except np.linalg.LinAlgError:
            break
        decrement = float(gradient @ step)
        if decrement < 1e-10:
            return beta, spread
        size = 1.0
        while size > 1e-10:
            candidate = beta + size * step
            new = target(candidate)
            if np.isfinite(new) and new >= value + 1e-4 * size * decrement - 1e-9 * (1 + abs(value)):
                break
            size /= 2
        else:
            break
        beta, value = candidate, new
    raise no_mode()


def no_mode() -> FitError:
    """Return the error for a posterior whose mode cannot be found, or whose curvature there is not positive."""
    return FitError(
        "formula, weights: the mode of the posterior was not found, because the log-likelihood is numerically flat or too "
        "steep; rescale predictors with extreme values, and use weights of similar size"
    )


def check_rounding(log_density: float) -> None:
    """Raise if rounding errors of a log density of this size hide its shape."""
    if not np.spacing(abs(log_density)) <= MAX_ROUNDING:
        raise FitError(
            "weights: the log-likelihood is so large that its rounding errors hide the posterior; divide the weights, or "
            "a response that is a count, by a power of ten"
        )


def spread_of(precision: FloatArray) -> FloatArray:
    """Return a matrix A such that A A' is the inverse of a precision matrix."""
    lower = np.linalg.cholesky(precision)
    return np.linalg.inv(lower).T


@dataclass(frozen=True, slots=True, eq=False)
class Whitening:
    """Coefficients as mode + spread u, padded to a common width.

    u is nearly standard normal. Formulas with the same padded width share a compiled model.
    """

    mode: FloatArray
    spread: FloatArray

    @property
    def size(self) -> int:
        """Number of elements of u, including the padding."""
        return width(self.mode.size)

    def data(self) -> dict[str, FloatArray]:
        """Return the data of `whitened_coefficients`."""
        padding = (np.arange(self.size) >= self.mode.size).astype(np.float64)
        return {"mode": pad(self.mode, self.size), "spread": pad(self.spread, self.size), "padding": padding}

    def prior(self, sd: FloatArray) -> dict[str, FloatArray]:
        """Return the data of `whitened_prior`; `sd` are the prior standard deviations."""
        return {**self.data(), "prior_sd": np.concatenate([sd, np.ones(self.size - sd.size)])}

    def predictor(self, matrix: FloatArray) -> dict[str, FloatArray]:
        """Return the data of `whitened_predictor`."""
        extra = np.zeros((len(matrix), self.size - self.mode.size))
        return {"eta": matrix @ self.mode, "rotated": np.hstack([matrix @ self.spread, extra])}

    def coefficients(self, u: FloatArray) -> FloatArray:
        """Return the coefficients of draws of u, shape (..., p)."""
        return np.asarray(self.mode + u[..., : self.mode.size] @ self.spread.T, dtype=np.float64)


def whitened_coefficients(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Return u of a PyMC model, the padded coefficients, and an indicator of padding."""
    mode, padding = (pm.Data(name, data[name], shape=shape) for name in ("mode", "padding"))
    spread = pm.Data("spread", data["spread"], shape=shape * 2)
    u = pm.Flat("u", shape=shape)
    return u, mode + pm.math.dot(spread, u), padding


def whitened_prior(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    """Return u of a PyMC model with normal priors of the coefficients.

    The padding has a standard normal prior.
    """
    u, beta, padding = whitened_coefficients(pm, data, shape)
    sd = pm.Data("prior_sd", data["prior_sd"], shape=shape)
    pm.Potential("prior", -0.5 * pm.math.sum(pm.math.sqr(beta / sd)) - 0.5 * pm.math.sum(padding * pm.math.sqr(u)))
    return u


def whitened_predictor(pm: Any, data: Mapping[str, FloatArray], u: Any) -> Any:
    """Return the linear predictor of every record from predictors times spread."""
    rotated = pm.Data("rotated", data["rotated"], shape=(None, *u.type.shape))
    return pm.Data("eta", data["eta"]) + pm.math.dot(rotated, u)


def pad(array: FloatArray, size: int) -> FloatArray:
    """Pad every axis of a vector or square matrix with zeros up to `size`."""
    return np.pad(array, [(0, size - length) for length in array.shape])
