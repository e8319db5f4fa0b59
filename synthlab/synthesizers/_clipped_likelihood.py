r"""Regressions whose log-likelihood is clipped record by record, and the prior that goes with them.

The posterior is proportional to ``p(theta) prod_i exp(clip(w_i log p(y_i | x_i, theta), -M, M))``. For a bound on what one
record can do, nothing else may depend on the records: the prior is in units that are declared, not in those of the file, and
the density is that of the response in its declared unit, on the scale on which it is modeled.
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

LOOKED_AT = 200  # draws by which a bound that keeps nothing is told
STEPS = 5  # from the likelihood as it is to the clipped one, on the way to its mode
STATEFUL = ("bs", "cc", "center", "cr", "ns", "poly", "scale")  # functions of a formula that look at all records
ALLOWED = "LogisticRegression, NegativeBinomial, NormalRegression, PoissonRegression"
Unit = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Clipped:
    """The way the likelihood of a fit was clipped.

    Attributes
    ----------
    bound : float
        M; infinite: not clipped.
    signed : bool
        Whether log-likelihoods lie on both sides of 0, as those of densities do; logarithms of probabilities do not.
    offset : float or ndarray of shape (n,)
        From the log-likelihood of the fit to the one that is clipped: the Jacobian and the unit of the response.
    reasons : tuple of str
        Why the model itself, not only the clipped contributions, may change with a record; empty where it cannot.
    """

    bound: float
    signed: bool
    offset: FloatArray | float
    reasons: tuple[str, ...]

    def contributions(self, log_likelihood: FloatArray, weights: FloatArray | None) -> FloatArray:
        """Return what each record adds to the log of the posterior, shape (draws, n)."""
        values = log_likelihood + self.offset
        if weights is not None:
            values = np.where(weights > 0, values, 0.0) * weights
        return clipped(values, self.bound)


def clipped(values: FloatArray, bound: float) -> FloatArray:
    """Return values moved into [-bound, bound]; what is no number, as of an infinite predictor, is -bound.

    Were it left as it is, a single record could make a parameter impossible, and no bound would hold.
    """
    return np.clip(np.where(np.isnan(values), -np.inf, values), -bound, bound)


@dataclass(frozen=True, slots=True, eq=False)
class Clippable:
    """A model whose contributions can be clipped.

    Attributes
    ----------
    y : ndarray of shape (n,)
        The response, as it is modeled.
    log_density : callable
        Of y (rows,), the linear predictor (chains, rows) and the other parameters (chains, k, 1): shape (chains, rows).
    log_prior : callable
        Of the coefficients (chains, 1 + p) and the other parameters (chains, k): shape (chains,).
    start : ndarray of shape (1 + k,)
        Intercept and other parameters, to start from.
    fitted : callable
        Makes the fit from (intercepts, slopes), both (chains, draws, ...), and the other parameters (chains, draws, k).
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
    """Return the log of the prior of coefficients in declared units, as that of the regressions."""
    return np.asarray(-0.5 * np.square(beta / prior_sd(beta.shape[1])).sum(axis=1), dtype=np.float64)


def check_units(units: object, response: str, design: DesignMatrix, measured: bool) -> dict[str, Unit]:
    """Return the declared (center, scale) of numeric predictors, and of a measured response."""
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
    """Return why the predictors of a formula may change with a record other than their own."""
    text = "".join(design.formula.text.split())
    functions = [name for name in STATEFUL if f"{name}(" in text]
    found = ["the formula has functions that look at all records"] * bool(functions)
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
    """Return draws of the coefficients (chains, draws, 1 + p) and of the other parameters (chains, draws, k).

    Raises
    ------
    InputError
        If every contribution of every record is clipped under every draw: the posterior is the prior.
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
            f"clip={2 * bound:g}: it keeps nothing: under every draw the contribution of every record is clipped, so the "
            "posterior is the prior; take a larger epsilon, or units in which densities are nearer 1"
        )
    return theta[:, :, :width], theta[:, :, width:]


def _mode(
    target: Callable[..., FloatArray],
    contributions: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    bound: float,
) -> tuple[FloatArray, FloatArray]:
    """Find where to start: the mode of the likelihood as it is, followed as the bound comes down to the one asked for."""
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
