"""The base of the count distributions: pmf, tails, quantiles, draws."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import Field, replace
from typing import Any, ClassVar, Self

import numpy as np

from synthlab import _checks, _rng
from synthlab._typing import BoolArray, FloatArray, IntArray, RngLike
from synthlab._warnings import warn
from synthlab.counts._broadcast import check_parameters, common_shape, parameters, wanted_shape
from synthlab.counts._quantile_search import smallest_count
from synthlab.exceptions import InputError, UndefinedStatisticWarning

MAX_COUNT = 2.0**62
SMALLEST_DRAWN = (
    1e-300  # a mixing variable of smaller variance is drawn with this one: 1 to rounding, and 1 / sigma finite
)


class CountFamily(abc.ABC):
    """A distribution on 0, 1, 2, ...; its parameters are numbers or arrays that broadcast.

    Every method takes numbers or arrays that broadcast with the parameters. Where parameters and
    arguments are all plain numbers the answer is a number.
    """

    __slots__ = ()

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # every family is a dataclass
    mu: Any
    takes_zero: ClassVar[bool] = False

    # What a family has to say about itself. Arguments arrive as float64 arrays.

    @abc.abstractmethod
    def _logpmf(self, y: FloatArray) -> FloatArray: ...

    @abc.abstractmethod
    def _cdf(self, y: FloatArray) -> FloatArray: ...

    @abc.abstractmethod
    def _sf(self, y: FloatArray) -> FloatArray: ...

    @abc.abstractmethod
    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        """Return a first guess of the quantile, exactness not needed."""

    @abc.abstractmethod
    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray | IntArray: ...

    @property
    @abc.abstractmethod
    def mean(self) -> Any:
        """Exact mean."""

    @property
    @abc.abstractmethod
    def var(self) -> Any:
        """Exact variance."""

    @property
    @abc.abstractmethod
    def nominal_var(self) -> Any:
        """The variance function by which the family is known, before any rounding to integers."""

    # What every family can do.

    def __post_init__(self) -> None:
        check_parameters(self)

    def _moments(self) -> tuple[Any, Any]:
        """Return the exact mean and variance, for a caller that needs both."""
        return self.mean, self.var

    @property
    def std(self) -> Any:
        """Exact standard deviation."""
        return np.sqrt(self.var)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape the parameters broadcast to."""
        return np.broadcast_shapes(*(np.shape(getattr(self, f.name)) for f in parameters(self)))

    @property
    def label(self) -> str:
        """The family with its parameters other than mu, for titles and tables."""
        parts = []
        for f in parameters(self)[1:]:
            value = getattr(self, f.name)
            parts.append(
                f"{f.name} = {float(value):g}" if np.ndim(value) == 0 else f"{f.name}: {np.size(value)} values"
            )
        return type(self).__name__ + (f"({', '.join(parts)})" if parts else "")

    def at(self, mu: object) -> Self:
        """Return the same family at other means.

        Parameters
        ----------
        mu : float or array_like
            The new means.

        Returns
        -------
        CountFamily
            A copy; this object is not changed.
        """
        return replace(self, mu=mu)

    def pmf(self, y: object) -> Any:
        """Return P(Y = y), 0 where y is no integer >= 0."""
        return np.exp(self.logpmf(y))

    def logpmf(self, y: object) -> Any:
        """Return log P(Y = y), finite far below the smallest float that `pmf` can return."""
        values = _values(y, "y")
        common_shape(self, values, "y")
        with np.errstate(all="ignore"):
            found = self._logpmf(values)
        return defined(found, self.label)[()]

    def cdf(self, y: object) -> Any:
        """Return P(Y <= y), relatively accurate in the lower tail."""
        return self._tail(_values(y, "y"), self._cdf, 0.0)

    def sf(self, y: object) -> Any:
        """Return P(Y > y), relatively accurate in the upper tail."""
        return self._tail(_values(y, "y"), self._sf, 1.0)

    def ppf(self, p: object) -> Any:
        """Return the smallest count whose `cdf` is at least p; 0 at p = 0 and inf at p = 1.

        Parameters
        ----------
        p : float or array_like
            Probabilities in [0, 1].

        Returns
        -------
        float or ndarray
            Whole numbers as float64.
        """
        return self._quantile(check_probabilities(p, "p"), upper=False, name="p")

    def isf(self, q: object) -> Any:
        """Return the smallest count whose `sf` is at most q; 0 at q = 1 and inf at q = 0."""
        return self._quantile(check_probabilities(q, "q"), upper=True, name="q")

    def from_uniform(self, u: object) -> Any:
        """Return the counts that uniform numbers stand for (inverse CDF).

        Equal uniforms give the draws of R's ``gamlss.dist``: ``rNBI`` and ``rPIG`` as they come, ``rGAF``
        after rounding.

        Parameters
        ----------
        u : float or array_like
            Numbers in [0, 1), for example ``rng.random(size)``.

        Returns
        -------
        int or ndarray of int64
            Counts.
        """
        uniform = check_probabilities(u, "u")
        if (uniform == 1.0).any():
            raise InputError("u: 1 stands for an infinite count; uniform numbers lie in [0, 1)")
        return as_counts(self._quantile(uniform, upper=False, name="u"), self.label)

    def rvs(self, size: int | tuple[int, ...] | None = None, rng: RngLike = None) -> Any:
        """Draw counts, by NumPy's own generators (`from_uniform` draws by inversion, more slowly).

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the draws; the parameters must broadcast to it. None: the shape of the parameters.
        rng : int or numpy.random.Generator, optional
            Source of randomness. Omit it for counts that are published: a short seed can be found by trial and gives back
            the means.

        Returns
        -------
        int or ndarray of int64
            Counts.

        Raises
        ------
        InputError
            If `size` is no shape, the parameters do not broadcast to it, or a draw is above 2**62.
        """
        shape = self.shape if size is None else wanted_shape(size, self.shape)
        return as_counts(self._draw(shape, _rng.as_generator(rng)), self.label)

    def _tail(self, y: FloatArray, tail: Callable[[FloatArray], FloatArray], below_zero: float) -> Any:
        shape = common_shape(self, y, "y")
        y = np.broadcast_to(y, shape)
        inside = (y >= 0) & np.isfinite(y)
        whole = np.where(inside, np.floor(np.where(inside, y, 0.0)), 0.0)
        with np.errstate(all="ignore"):
            found = tail(whole)
        value = np.where(inside, defined(found, self.label), np.where(y < 0, below_zero, 1.0 - below_zero))
        return np.clip(value, 0.0, 1.0)[()]

    def _quantile(self, p: FloatArray, *, upper: bool, name: str) -> Any:
        shape = common_shape(self, p, name)
        with np.errstate(all="ignore"):
            found = self._search(np.broadcast_to(p, shape).ravel(), shape, upper)
        return defined(found, self.label, "quantiles").reshape(shape)[()]

    def _search(self, p: FloatArray, shape: tuple[int, ...], upper: bool) -> FloatArray:
        """Return the quantiles, flat; NaN where the tails cannot be computed, or the count is beyond the largest float."""
        at_zero = self._tail_at_zero(shape, upper)
        positive = p < at_zero if upper else p > at_zero
        beyond = p == (0.0 if upper else 1.0)
        out = np.where(beyond, np.inf, np.where(np.isnan(at_zero), np.nan, 0.0))
        todo = np.flatnonzero(positive & ~beyond)
        if todo.size:
            family, target = self._flat(shape)._take(todo), p[todo]

            def reaches(y: FloatArray, index: IntArray) -> BoolArray:
                part = family if index.size == target.size else family._take(index)
                value = part._sf(y) <= target[index] if upper else part._cdf(y) >= target[index]
                return np.asarray(value)

            counts = smallest_count(reaches, family._guess(target, upper))
            out[todo] = np.where(np.isfinite(counts), counts, np.nan)
        return out

    def _tail_at_zero(self, shape: tuple[int, ...], upper: bool) -> FloatArray:
        """Return P(Y <= 0), or P(Y > 0), flat; worked once for equal means, which in a table are the most."""
        varying = [f.name for f in parameters(self) if np.size(getattr(self, f.name)) > 1]
        if len(varying) == 1:
            values, inverse = np.unique(getattr(self, varying[0]), return_inverse=True)
            distinct = replace(self, **{varying[0]: values})
            found = distinct._at_zero(upper)[inverse.reshape(np.shape(getattr(self, varying[0])))]
        else:
            found = self._at_zero(upper)
        return np.broadcast_to(found, shape).ravel()

    def _at_zero(self, upper: bool) -> FloatArray:
        zero = np.zeros(self.shape)
        return self._sf(zero) if upper else self._cdf(zero)

    def _flat(self, shape: tuple[int, ...]) -> Self:
        return replace(
            self, **{f.name: np.broadcast_to(getattr(self, f.name), shape).ravel() for f in parameters(self)}
        )

    def _take(self, index: IntArray) -> Self:
        return replace(self, **{f.name: getattr(self, f.name)[index] for f in parameters(self)})


def defined(values: FloatArray, label: str, what: str = "probabilities") -> FloatArray:
    """Return what was computed, with a warning where numbers so large or small leave it undefined."""
    undefined = int(np.isnan(values).sum())
    if undefined:
        warn(
            f"{label}: {undefined:,} of {np.size(values):,} {what} cannot be computed with floats and are NaN",
            UndefinedStatisticWarning,
            stacklevel=3,
        )
    return values


def as_counts(values: Any, label: str) -> Any:
    """Return integers as int64, or raise when one does not fit."""
    array = np.asarray(values)
    if array.size and not (array.max() <= MAX_COUNT):
        raise InputError(f"{label}: a draw is above 2**62; mu and the other parameters put mass there")
    return array.astype(np.int64)[()]


def draw_poisson(mean: FloatArray, size: tuple[int, ...], label: str, rng: np.random.Generator) -> IntArray:
    """Draw Poisson counts, or raise when a mean is itself too large a count; NumPy has no draws beyond 9.2e18."""
    if np.max(mean, initial=0.0) > MAX_COUNT:
        raise InputError(f"{label}: a draw is above 2**62; mu and the other parameters put mass there")
    return rng.poisson(mean, size)


def _values(y: object, name: str) -> FloatArray:
    _checks.check_not_truth(y, name)
    array = _checks.check_array(y, name, "a number or an array of numbers")
    if np.isnan(array).any():
        raise InputError(f"{name}: holds NaN; must be numbers")
    return array


def check_probabilities(p: object, name: str) -> FloatArray:
    array = _values(p, name)
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise InputError(f"{name}: probabilities lie in [0, 1]; {_checks.first_of(outside)}, do not")
    return array


def check_family(family: object) -> None:
    """Raise unless this is a family whose means are left for the table to set."""
    if not isinstance(family, CountFamily):
        raise InputError(
            f"family: must be a count distribution such as GAF(sigma=2, nu=-0.5), got {type(family).__name__}"
        )
    if np.ndim(family.mu) != 0 or float(family.mu) != 1.0:
        raise InputError(
            f"family: mu={_checks.shown(np.asarray(family.mu).tolist())} is set, but the table sets the means; "
            f"leave mu out, for example {family.label}"
        )
