"""Base class of the count distributions: pmf, tails, quantiles and draws."""

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
# Mixing variables of smaller variance are drawn with this variance: they equal 1 up to rounding, and 1 / sigma is finite.
SMALLEST_DRAWN = 1e-300


class CountFamily(abc.ABC):
    """Distribution on 0, 1, 2, ... whose parameters are numbers or arrays that broadcast.

    Every method takes numbers or arrays that broadcast with the parameters. If the parameters and arguments are plain
    numbers, the result is a number.
    """

    __slots__ = ()

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # every family is a dataclass
    mu: Any
    takes_zero: ClassVar[bool] = False

    # Methods that every family must define. Their arguments are float64 arrays.

    @abc.abstractmethod
    def _logpmf(self, y: FloatArray) -> FloatArray: ...

    @abc.abstractmethod
    def _cdf(self, y: FloatArray) -> FloatArray: ...

    @abc.abstractmethod
    def _sf(self, y: FloatArray) -> FloatArray: ...

    @abc.abstractmethod
    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        """Return an approximate quantile, from which the search starts."""

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
        """Variance function of the family, before rounding to integers."""

    # Methods shared by all families.

    def __post_init__(self) -> None:
        check_parameters(self)

    def _moments(self) -> tuple[Any, Any]:
        """Return the exact mean and variance together."""
        return self.mean, self.var

    @property
    def std(self) -> Any:
        """Exact standard deviation."""
        return np.sqrt(self.var)

    @property
    def shape(self) -> tuple[int, ...]:
        """Common shape of the parameters."""
        return np.broadcast_shapes(*(np.shape(getattr(self, f.name)) for f in parameters(self)))

    @property
    def label(self) -> str:
        """Name of the family and its parameters except mu, for titles and tables."""
        parts = []
        for f in parameters(self)[1:]:
            value = getattr(self, f.name)
            parts.append(
                f"{f.name} = {float(value):g}" if np.ndim(value) == 0 else f"{f.name}: {np.size(value)} values"
            )
        return type(self).__name__ + (f"({', '.join(parts)})" if parts else "")

    def at(self, mu: object) -> Self:
        """Return a copy of the family with different means.

        Parameters
        ----------
        mu : float or array_like
            New means.

        Returns
        -------
        CountFamily
            Copy with the new means.
        """
        return replace(self, mu=mu)

    def pmf(self, y: object) -> Any:
        """Return P(Y = y); 0 if y is not an integer >= 0."""
        return np.exp(self.logpmf(y))

    def logpmf(self, y: object) -> Any:
        """Return log P(Y = y), which is finite even if `pmf` underflows."""
        values = _values(y, "y")
        common_shape(self, values, "y")
        with np.errstate(all="ignore"):
            found = self._logpmf(values)
        return defined(found, self.label)[()]

    def cdf(self, y: object) -> Any:
        """Return P(Y <= y), with high relative accuracy in the lower tail."""
        return self._tail(_values(y, "y"), self._cdf, 0.0)

    def sf(self, y: object) -> Any:
        """Return P(Y > y), with high relative accuracy in the upper tail."""
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
        """Transform uniform numbers into counts by inversion of the distribution function.

        Equal uniform numbers give the draws of R's ``gamlss.dist``: ``rNBI``, ``rPIG``, ``rDEL`` and
        ``rSICHEL``, and the rounded draws of ``rGAF``.

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
            raise InputError("u: must be in [0, 1); 1 would give an infinite count")
        return as_counts(self._quantile(uniform, upper=False, name="u"), self.label)

    def rvs(self, size: int | tuple[int, ...] | None = None, rng: RngLike = None) -> Any:
        """Draw counts with NumPy's generators, which is faster than `from_uniform`.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the draws, to which the parameters must broadcast; by default the shape of the parameters.
        rng : int or numpy.random.Generator, optional
            Seed or generator. Omit it for counts that will be published: a short seed can be found by trial and error
            and reveals the means.

        Returns
        -------
        int or ndarray of int64
            Counts.

        Raises
        ------
        InputError
            `size` is not a shape, the parameters do not broadcast to it, or a draw exceeds 2**62.
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
        """Return the flat quantiles; NaN if the tails are undefined or the count exceeds the largest float."""
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
        """Return flat P(Y <= 0) or P(Y > 0), computed once for equal parameters, which are frequent in tables."""
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
    """Return the values; warn if some are NaN because numbers are too large or too small."""
    undefined = int(np.isnan(values).sum())
    if undefined:
        warn(
            f"{label}: {undefined:,} of {np.size(values):,} {what} cannot be computed with floats and are NaN",
            UndefinedStatisticWarning,
        )
    return values


def as_counts(values: Any, label: str) -> Any:
    """Return draws as int64; raise `InputError` if one exceeds 2**62."""
    array = np.asarray(values)
    if array.size and not (array.max() <= MAX_COUNT):
        raise InputError(f"{label}: a draw is above 2**62; use smaller values of mu or of the other parameters")
    return array.astype(np.int64)[()]


def draw_poisson(mean: FloatArray, size: tuple[int, ...], label: str, rng: np.random.Generator) -> IntArray:
    """Draw Poisson counts; raise `InputError` if a mean exceeds 2**62, because NumPy's limit is 9.2e18."""
    if np.max(mean, initial=0.0) > MAX_COUNT:
        raise InputError(f"{label}: a draw is above 2**62; use smaller values of mu or of the other parameters")
    return rng.poisson(mean, size)


def _values(y: object, name: str) -> FloatArray:
    _checks.check_not_truth(y, name)
    array = _checks.check_array(y, name, "a number or an array of numbers")
    if np.isnan(array).any():
        raise InputError(f"{name}: must be numbers, but contains NaN")
    return array


def check_probabilities(p: object, name: str) -> FloatArray:
    array = _values(p, name)
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise InputError(f"{name}: probabilities must be in [0, 1]; {_checks.first_of(outside)}, are not")
    return array


def check_family(family: object) -> None:
    """Raise `InputError` unless `family` is a count family without means."""
    if not isinstance(family, CountFamily):
        raise InputError(
            f"family: must be a count distribution such as GAF(sigma=2, nu=-0.5), got {type(family).__name__}"
        )
    if np.ndim(family.mu) != 0 or float(family.mu) != 1.0:
        raise InputError(
            f"family: mu={_checks.shown(np.asarray(family.mu).tolist())} is set, but the table sets the means; "
            f"omit mu, for example {family.label}"
        )
