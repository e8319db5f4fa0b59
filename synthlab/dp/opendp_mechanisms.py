"""Mechanisms whose noise is drawn exactly by OpenDP, without a seed."""

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
    """Geometric mechanism: two-sided geometric noise for counts, drawn by OpenDP.

    P(noise = z) is proportional to ``exp(-|z| / scale)``. The noise and the answer are integers, and the noise is drawn
    with exact arithmetic, without floating-point errors.

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of one use.
    sensitivity : int >= 1
        Largest change of the answer caused by one person (L1).

    Raises
    ------
    InputError
        Epsilon is not a finite number > 0, or the scale would be too small or too large.
    ExtraUnavailableError
        Noise is drawn and OpenDP is not installed.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2012). Universally utility-maximizing privacy mechanisms. SIAM
    Journal on Computing 41, 1673-1693. Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
    differential privacy. NeurIPS 33.

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
            raise InputError("epsilon, sensitivity: the scale of the noise must be between 1e-300 and 1e15")

    @property
    def scale(self) -> float:
        """Scale of the noise, sensitivity / epsilon."""
        return self.sensitivity / self.epsilon

    def add_noise(self, answer: Any) -> IntArray:
        """Return the answer as whole numbers with independent noise.

        Parameters
        ----------
        answer : int or array_like
            True answer. Values that are not finite numbers count as 0, and fractions are truncated, because an error
            would be an answer without noise.

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
    """Gaussian mechanism: normal noise for (epsilon, delta), calibrated and drawn by OpenDP.

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of one use.
    delta : float in (0, 1)
        Delta of (epsilon, delta)-differential privacy.
    sensitivity : float > 0
        Largest change of the answer caused by one person, as the root of the sum of squares (L2).

    Attributes
    ----------
    scale : float
        Standard deviation of the noise.
    loss : Loss
        Privacy loss of one use, as rho of zero-concentrated differential privacy. Pass it to `compose`, because it
        gives the smallest total.

    Raises
    ------
    InputError
        An argument is out of range.
    ExtraUnavailableError
        OpenDP is not installed.

    Notes
    -----
    The scale is the smallest for which OpenDP converts rho = sensitivity^2 / (2 scale^2) to (epsilon, delta).

    References
    ----------
    Bun, M. and Steinke, T. (2016). Concentrated differential privacy: simplifications, extensions, and lower bounds.
    Theory of Cryptography, 635-658.

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
            raise InputError(
                "epsilon, delta, sensitivity: too small to calibrate the noise with floats; use larger values"
            )
        object.__setattr__(self, "scale", _gaussian_scale(self.epsilon, self.delta, self.sensitivity))
        rho = float(_gaussian(library("GaussianMechanism"), self.scale).map(self.sensitivity))
        object.__setattr__(self, "loss", Loss(rho=rho, what="Gaussian noise"))

    def add_noise(self, answer: Any) -> FloatArray:
        """Return the answer with independent noise on every number.

        Parameters
        ----------
        answer : float or array_like
            True answer. Values that are not finite numbers count as 0, because an error would be an answer without
            noise.

        Returns
        -------
        numpy.ndarray of float, the shape of `answer`
        """
        exact = finite(answer)
        mechanism = _gaussian(library("GaussianMechanism"), self.scale)
        return np.asarray(mechanism([float(v) for v in exact.ravel()]), dtype=np.float64).reshape(exact.shape)


@lru_cache(maxsize=1_000)
def _gaussian_scale(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the smallest standard deviation that satisfies (epsilon, delta) by OpenDP's conversion."""
    opendp = library("GaussianMechanism")

    def enough(relative: float) -> bool:
        private = opendp.c.make_zCDP_to_approxDP(_gaussian(opendp, relative * sensitivity))
        try:
            return bool(private.map(sensitivity).epsilon(delta) <= epsilon)
        except opendp.OpenDPException:  # the loss exceeds the largest float
            return False

    # Start from an upper bound: Bun and Steinke's conversion, epsilon = rho + 2 sqrt(rho log(1 / delta)).
    distance = log(1.0 / delta)
    high = (sqrt(distance + epsilon) + sqrt(distance)) / (sqrt(2.0) * epsilon)
    while not enough(high):  # because of a rounding error
        high *= 1.001
    low = high / 4.0
    while enough(low):
        low, high = low / 4.0, low
    return float(opendp.binary_search(enough, bounds=(low, high))) * sensitivity


def _gaussian(opendp: Any, scale: float) -> Any:
    return opendp.m.make_gaussian(*vector(opendp, float, "l2"), scale=scale)
