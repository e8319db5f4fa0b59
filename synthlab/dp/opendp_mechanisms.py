"""Noise drawn by OpenDP: exact at every bit, from the system's source of randomness, without a seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import log, sqrt
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.dp._opendp import library, scaled, vector
from synthlab.dp._records import finite
from synthlab.dp.accounting import Loss
from synthlab.exceptions import InputError

_WHOLE = 2.0**53


@dataclass(frozen=True, slots=True)
class GeometricMechanism:
    """Whole-number noise for counts: the two-sided geometric distribution, drawn by OpenDP.

    P(noise = z) is proportional to ``exp(-|z| / scale)``. Nothing is left to floating point: the noise and the answer are
    integers, and the noise is drawn with exact arithmetic.

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of ONE use.
    sensitivity : int >= 1
        By how much one person can change the answer (L1).

    Raises
    ------
    InputError
        If epsilon is not a finite number > 0, or the scale would be 0 or infinite.
    ExtraUnavailableError
        When noise is drawn and OpenDP is not installed.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2012). Universally utility-maximizing privacy mechanisms. SIAM Journal on
    Computing 41, 1673-1693.
    Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy. NeurIPS 33.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.GeometricMechanism(epsilon=0.5).scale
    2.0
    """

    epsilon: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        epsilon = _checks.check_number(self.epsilon, "epsilon", low=0.0, open_low=True)
        object.__setattr__(self, "epsilon", epsilon)
        _checks.check_count(self.sensitivity, "sensitivity", maximum=10**6)
        if not 1e-300 < self.scale < 1e15:
            raise InputError("epsilon, sensitivity: so far apart that the noise would be 0 or beyond all counts")

    @property
    def scale(self) -> float:
        """Scale of the noise, sensitivity / epsilon."""
        return self.sensitivity / self.epsilon

    def add_noise(self, answer: Any) -> IntArray:
        """Return the whole-number answer with independent noise on every number of it.

        Parameters
        ----------
        answer : int or array_like
            The true answer. What is no finite number counts as 0, and fractions are dropped: an error would be an answer
            without noise.

        Returns
        -------
        numpy.ndarray of int64, the shape of `answer`
        """
        exact = np.trunc(np.clip(finite(answer), -_WHOLE, _WHOLE))
        opendp = library("GeometricMechanism")
        space = vector(opendp, int, "l1")
        mechanism = scaled(
            lambda scale: opendp.m.make_geometric(*space, scale=scale), self.scale, self.sensitivity, self.epsilon
        )
        return np.asarray(mechanism([int(v) for v in exact.ravel()]), dtype=np.int64).reshape(exact.shape)


@dataclass(frozen=True, slots=True)
class GaussianMechanism:
    """Normal noise, calibrated and drawn by OpenDP, which loses (epsilon, delta).

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of ONE use.
    delta : float in (0, 1)
        Probability that the loss may be larger.
    sensitivity : float > 0
        By how much one person can change the answer, as the root of the sum of squares (L2).

    Attributes
    ----------
    scale : float
        Standard deviation of the noise.
    loss : Loss
        What a use costs, as rho of zero-concentrated differential privacy: the least that `compose` can be given.

    Raises
    ------
    InputError
        If an argument is out of its range.
    ExtraUnavailableError
        If OpenDP is not installed.

    Notes
    -----
    The scale is the smallest whose rho = sensitivity^2 / (2 scale^2) the library turns into (epsilon, delta).

    References
    ----------
    Bun, M. and Steinke, T. (2016). Concentrated differential privacy: simplifications, extensions, and lower bounds. Theory of
    Cryptography, 635-658.

    Examples
    --------
    >>> from synthlab import dp
    >>> mechanism = dp.GaussianMechanism(epsilon=1.0, delta=1e-6)
    >>> round(mechanism.scale, 2)
    4.53
    """

    epsilon: float
    delta: float
    sensitivity: float = 1.0
    scale: float = field(init=False)
    loss: Loss = field(init=False)

    def __post_init__(self) -> None:
        limits = {"epsilon": {"high": 700.0}, "delta": {"high": 1.0, "open_high": True}, "sensitivity": {"high": 1e100}}
        for name, allowed in limits.items():
            value = _checks.check_number(getattr(self, name), name, low=0.0, open_low=True, **allowed)  # type: ignore[arg-type]
            object.__setattr__(self, name, value)
        if self.epsilon < 1e-6 or self.delta < 1e-100 or self.sensitivity < 1e-100:
            raise InputError("epsilon, delta, sensitivity: so small that the noise cannot be calibrated with floats")
        object.__setattr__(self, "scale", _gaussian_scale(self.epsilon, self.delta, self.sensitivity))
        rho = float(_gaussian(library("GaussianMechanism"), self.scale).map(self.sensitivity))
        object.__setattr__(self, "loss", Loss(rho=rho, what="Gaussian noise"))

    def add_noise(self, answer: Any) -> FloatArray:
        """Return the answer with independent noise on every number of it.

        Parameters
        ----------
        answer : float or array_like
            The true answer. What is no finite number counts as 0: an error would be an answer without noise.

        Returns
        -------
        numpy.ndarray of float, the shape of `answer`
        """
        exact = finite(answer)
        mechanism = _gaussian(library("GaussianMechanism"), self.scale)
        return np.asarray(mechanism([float(v) for v in exact.ravel()]), dtype=np.float64).reshape(exact.shape)


@lru_cache(maxsize=1_000)
def _gaussian_scale(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the smallest standard deviation that the library turns into (epsilon, delta)."""
    opendp = library("GaussianMechanism")

    def enough(relative: float) -> bool:
        private = opendp.c.make_zCDP_to_approxDP(_gaussian(opendp, relative * sensitivity))
        try:
            return bool(private.map(sensitivity).epsilon(delta) <= epsilon)
        except opendp.OpenDPException:  # a loss beyond the largest float
            return False

    # Bun and Steinke's simple conversion, epsilon = rho + 2 sqrt(rho log(1 / delta)), errs upwards and is a start.
    distance = log(1.0 / delta)
    high = (sqrt(distance + epsilon) + sqrt(distance)) / (sqrt(2.0) * epsilon)
    while not enough(high):  # by a rounding error
        high *= 1.001
    low = high / 4.0
    while enough(low):
        low, high = low / 4.0, low
    return float(opendp.binary_search(enough, bounds=(low, high))) * sensitivity


def _gaussian(opendp: Any, scale: float) -> Any:
    return opendp.m.make_gaussian(*vector(opendp, float, "l2"), scale=scale)
