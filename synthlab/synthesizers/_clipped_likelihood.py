r"""Regressions with a clipped log-likelihood for each record, and their prior.

The posterior is proportional to ``p(theta) prod_i exp(clip(w_i log p(y_i | x_i, theta), -M, M))``. To bound the
influence of one record, nothing else can depend on the records. The prior therefore uses declared units, not units
computed from the file. The density refers to the response in its declared unit, on the modeled scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import DesignMatrix
from synthlab.synthesizers._linear import Standardised, aggregate, prior_sd
from synthlab.synthesizers._metropolis import MetropolisOptions, sample_metropolis

LOOKED_AT = 200  # number of draws used to check whether every contribution is clipped
STEPS = 5  # number of bounds, from unclipped to `bound`, in the search for the mode
STATEFUL = ("bs", "cc", "center", "cr", "ns", "poly", "scale")  # functions of a formula that depend on all records
Unit = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Clipped:
    """Clipping of the likelihood of a fit.

    Attributes
    ----------
    bound : float
        M; infinite if the likelihood is not clipped.
    signed : bool
        Whether log-likelihoods can be positive: True for densities, False for probabilities.
    offset : float or ndarray of shape (n,)
        Difference between the clipped log-likelihood and that of the fit, due to the Jacobian and the unit of the
        response.
    reasons : tuple of str
        Reasons why a record can change the model itself, not only its clipped contribution; empty if it cannot.
    """

    bound: float
    signed: bool
    offset: FloatArray | float
    reasons: tuple[str, ...]

    def contributions(self, log_likelihood: FloatArray, weights: FloatArray | None) -> FloatArray:
        """Return the contribution of each record to the log posterior, shape (draws, n)."""
        values = log_likelihood + self.offset
        if weights is not None:
            values = np.where(weights > 0, values, 0.0) * weights
        return clipped(values, self.bound)


def clipped(values: FloatArray, bound: float) -> FloatArray:
    """Return values clipped to [-bound, bound].

    NaN (for example, from an infinite predictor) is replaced by -bound. Otherwise a single record could make a
    parameter impossible, and the bound would not hold.
    """
    return np.clip(np.where(np.isnan(values), -np.inf, values), -bound, bound)


@dataclass(frozen=True, slots=True, eq=False)
class Clippable:
    """Model whose contributions can be clipped.

    Attributes
    ----------
    y : ndarray of shape (n,)
        The response on the modeled scale.
    log_density : callable
        Function of y (rows,), the linear predictor (chains, rows) and the other parameters (chains, k, 1); returns
        shape (chains, rows).
    log_prior : callable
        Function of the coefficients (chains, 1 + p) and the other parameters (chains, k); returns shape (chains,).
    start : ndarray of shape (1 + k,)
        Initial values of the intercept and the other parameters.
    fitted : callable
        Function that returns the fit from (intercepts, slopes), both (chains, draws, ...), and the other parameters
        (chains, draws, k).
    signed, offset, reasons
        As in `Clipped`.
    """

    y: FloatArray
    log_density: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    log_prior: Callable[[FloatArray, FloatArray], FloatArray]
    start: FloatArray
    fitted: Callable[[tuple[FloatArray, FloatArray], FloatArray], Any]
    signed: bool
    offset: FloatArray | float = 0.0
    reasons: tuple[str, ...] = ()


def normal_prior(beta: FloatArray, extra: FloatArray) -> FloatArray:
    """Return the log prior of the coefficients in declared units."""
    return np.asarray(-0.5 * np.square(beta / prior_sd(beta.shape[1])).sum(axis=1), dtype=np.float64)


def check_units(units: object, response: str, design: DesignMatrix, measured: bool) -> dict[str, Unit]:
    """Return the declared (center, scale) of predictors and response, or raise."""
    given = {} if units is None else _checks.check_mapping(units, "units", "names and pairs (center, scale)")
    allowed = [*([response] if measured else []), *(name for name in design.names if name in design.formula.columns)]
    found: dict[str, Unit] = {}
    for name, pair in given.items():
        if name not in allowed:
            words = ", ".join(map(repr, allowed)) or "none here"
            raise InputError(f"units: {_checks.shown(name)} has no unit; allowed are {words}")
        values = _checks.check_vector(pair, f"units[{name!r}]")
        if values.shape != (2,) or not values[1] > 0:
            raise InputError(f"units[{name!r}]: must be a pair (center, scale) of numbers, the scale > 0")
        found[name] = (float(values[0]), float(values[1]))
    return found


def why_local(design: DesignMatrix) -> tuple[str, ...]:
    """Return the reasons why a record can change the predictors of other records."""
    text = "".join(design.formula.text.split())
    functions = [name for name in STATEFUL if f"{name}(" in text]
    found = ["the formula has functions that depend on all records"] * bool(functions)
    return (*found, *["the categories of the predictors are read from the file"] * bool(design.levels))


def in_units(design: DesignMatrix, units: Mapping[str, Unit]) -> Standardised:
    """Return the predictors in their declared units, with a leading column of ones."""
    center, scale = (np.array([units.get(name, (0.0, 1.0))[k] for name in design.names]) for k in (0, 1))
    ones = np.ones((len(design.matrix), 1))
    return Standardised(np.hstack([ones, (design.matrix - center) / scale]), center, scale)


def sample_clipped(
    model: Clippable,
    predictors: Standardised,
    weights: FloatArray,
    bound: float,
    options: MetropolisOptions,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Return draws of the coefficients and of the other parameters.

    The shapes are (chains, draws, 1 + p) and (chains, draws, k).

    Raises
    ------
    InputError
        If the contribution of every record is clipped under every draw, so that the posterior equals the prior.
    """
    used = weights > 0
    width = predictors.matrix.shape[1]
    rows, count = aggregate(
        np.column_stack([predictors.matrix, model.y, weights])[used], np.ones(int(used.sum()), dtype=np.float64)
    )
    x, y, w = rows[:, :width], rows[:, width], rows[:, width + 1]

    def contributions(theta: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = w * model.log_density(y, theta[:, :width] @ x.T, theta[:, width:, None])
        return clipped(np.asarray(found, dtype=np.float64), np.inf)

    def target(theta: FloatArray, limit: float = bound) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = np.clip(contributions(theta), -limit, limit) @ count
            value = value + model.log_prior(theta[:, :width], theta[:, width:])
        return np.where(np.isnan(value), -np.inf, value)

    start = np.concatenate([model.start[:1], np.zeros(width - 1), model.start[1:]])
    mode, spread = _mode(target, contributions, start, bound)
    theta = sample_metropolis(target, mode, spread, options, rng)
    few = theta.reshape(-1, theta.shape[2])[:: max(1, options.chains * options.draws // LOOKED_AT)]
    if (np.abs(contributions(few)) >= bound).all():
        raise InputError(
            f"clip={2 * bound:g}: under every draw the contribution of every record is clipped, so the posterior "
            "equals the prior; use a larger epsilon, or units in which densities are closer to 1"
        )
    return theta[:, :, :width], theta[:, :, width:]


def _mode(
    target: Callable[..., FloatArray],
    contributions: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    bound: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the mode and spread, found by decreasing the bound step by step."""
    from scipy.optimize import minimize

    def found(at: FloatArray, limit: float) -> Any:
        def minus(theta: FloatArray) -> float:
            value = float(target(theta[None], limit)[0])
            return -value if np.isfinite(value) else 1e300

        return minimize(minus, at, method="BFGS")

    best = found(start, np.inf)
    if np.isfinite(bound):
        reached = np.minimum(np.abs(contributions(best.x[None])), np.finfo(np.float64).max / 4)
        widest = max(float(reached.max()), bound)
        for limit in np.geomspace(widest, bound, STEPS):
            best = found(best.x, float(limit))
    covariance = 0.5 * (best.hess_inv + best.hess_inv.T)
    values, vectors = np.linalg.eigh(covariance)
    return best.x, vectors * np.sqrt(np.clip(values, 1e-12, 1.0))
