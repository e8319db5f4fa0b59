"""The exponential mechanism: choose one of many, better ones with higher probability (McSherry and Talwar 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, RngLike
from synthlab.dp._records import finite, numbers_array
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True)
class ExponentialMechanism:
    """Choose with probability proportional to ``base * exp(epsilon * utility / (2 * sensitivity))``.

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of ONE choice.
    sensitivity : float > 0
        By how much one person can change the utility of one candidate, the same bound for all of them.
    monotone : bool, default False
        One person moves the utilities of all candidates in the same direction (counts, under add-remove): the 2 can
        go, and the choice is twice as sharp for the same epsilon. Wrong where utilities move both ways.

    Raises
    ------
    InputError
        If epsilon or the sensitivity is not a finite number > 0, they are so far apart that their ratio is 0 or infinite,
        or `monotone` is not a truth value.

    Notes
    -----
    A synthesizer that draws parameters from the posterior is an exponential mechanism with the log-likelihood as
    utility and the prior as base. Pseudo-random numbers illustrate the mechanism; they are no release mechanism.

    Examples
    --------
    >>> from synthlab import dp
    >>> mechanism = dp.ExponentialMechanism(epsilon=2.0, sensitivity=1)
    >>> mechanism.probabilities([3, 2, 0]).round(3).tolist()
    [0.705, 0.259, 0.035]
    """

    epsilon: float
    sensitivity: float = 1.0
    monotone: bool = False

    def __post_init__(self) -> None:
        for name in ("epsilon", "sensitivity"):
            value = _checks.check_number(getattr(self, name), name, low=0.0, open_low=True)
            object.__setattr__(self, name, value)
        _checks.check_choice(self.monotone, "monotone", (True, False))
        if not 0.0 < self.rate < np.inf:
            raise InputError("epsilon, sensitivity: so far apart that a unit of utility counts nothing, or without end")

    @property
    def rate(self) -> float:
        """The log-probability per unit of utility: epsilon / (2 sensitivity), or without the 2."""
        return self.epsilon / (self.sensitivity * (1.0 if self.monotone else 2.0))

    def probabilities(self, utility: Any, base: Any = None) -> FloatArray:
        """Return the probability of each candidate.

        Parameters
        ----------
        utility : array_like of shape (k,)
            How good each candidate is for these data. Whatever is no finite number counts as 0, and the sensitivity
            must hold of that: an error would be an answer without noise.
        base : array_like of shape (k,), optional
            Base measure >= 0, for example the width of the interval a candidate stands for; by default all alike. A
            candidate of base 0 is never chosen.

        Returns
        -------
        numpy.ndarray of float, shape (k,)
            They add up to 1. CONFIDENTIAL: they are computed from the data and have no noise; `choose` draws from them.

        Raises
        ------
        InputError
            If there is no candidate, or the base is not >= 0 or all 0.
        """
        values = finite(utility)
        if values.ndim != 1 or values.size == 0:
            raise InputError(f"utility: must be one number a candidate, got shape {values.shape}")
        weights = np.ones_like(values) if base is None else numbers_array(base, "base")
        if weights.shape != values.shape or weights.min() < 0 or not weights.any():
            raise InputError(f"base: must be {values.size} numbers >= 0, one a number of utility, not all of them 0")
        with np.errstate(all="ignore"):
            # From the best that can be chosen downwards: rate times utility may be too large for a float.
            behind = np.where(weights > 0, values - values[weights > 0].max(), 0.0)
            return np.asarray(special.softmax(np.log(weights) + self.rate * behind))

    def choose(self, utility: Any, base: Any = None, *, rng: RngLike = None) -> int:
        """Return the position of the candidate that is chosen.

        Parameters
        ----------
        utility, base
            As `probabilities`.
        rng : int, Generator or None
            Seed or generator, for teaching; a release leaves it out, see `synthlab.dp`.

        Returns
        -------
        int
        """
        generator = _rng.as_generator(rng)
        probability = self.probabilities(utility, base)
        return int(generator.choice(probability.size, p=probability))

    def __str__(self) -> str:
        two = "" if self.monotone else "2 x "
        return (
            f"exponential mechanism, epsilon {self.epsilon:.4g} / ({two}sensitivity {self.sensitivity:.4g})"
            f" = {self.rate:.4g} a unit of utility"
        )
