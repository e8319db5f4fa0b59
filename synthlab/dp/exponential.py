"""Exponential mechanism: random choice with probabilities by utility (McSherry and Talwar 2007)."""

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
    """Exponential mechanism, which chooses one of several candidates by their utility.

    The probability of a candidate is proportional to ``base * exp(epsilon * utility / (2 * sensitivity))``.

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of one choice.
    sensitivity : float > 0
        Largest change of the utility of any candidate caused by one person.
    monotone : bool, default False
        Whether one person changes the utilities of all candidates in the same direction, such as counts under
        add-remove. The factor 2 is then omitted, and the choice is more accurate for the same epsilon. Do not use it if
        utilities can change in both directions.

    Raises
    ------
    InputError
        Epsilon or the sensitivity is not a finite number > 0, their ratio is 0 or infinite, or `monotone` is not a
        bool.

    Notes
    -----
    A synthesizer that draws parameters from the posterior is an exponential mechanism with the log-likelihood as
    utility and the prior as base. Pseudo-random numbers illustrate the mechanism, but are not secure enough for a
    release.

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
            raise InputError("epsilon, sensitivity: their ratio is 0 or infinite; use values of similar size")

    @property
    def rate(self) -> float:
        """Log-probability per unit of utility: epsilon / (2 sensitivity), or without the 2."""
        return self.epsilon / (self.sensitivity * (1.0 if self.monotone else 2.0))

    def probabilities(self, utility: Any, base: Any = None) -> FloatArray:
        """Return the probability of each candidate.

        Parameters
        ----------
        utility : array_like of shape (k,)
            Utility of each candidate for these data. Values that are not finite numbers count as 0, because an error
            would be an answer without noise. The sensitivity must hold for the utilities after this replacement.
        base : array_like of shape (k,), optional
            Base measure >= 0, for example the width of the interval that a candidate represents; by default equal for
            all candidates. A candidate with base 0 is never chosen.

        Returns
        -------
        numpy.ndarray of float, shape (k,)
            Probabilities with sum 1. CONFIDENTIAL: they are computed from the data without noise; `choose` draws from
            them.

        Raises
        ------
        InputError
            There is no candidate, or the base is not >= 0 or is 0 for all candidates.
        """
        values = finite(utility)
        if values.ndim != 1 or values.size == 0:
            raise InputError(f"utility: must be one number per candidate, got shape {values.shape}")
        weights = np.ones_like(values) if base is None else numbers_array(base, "base")
        if weights.shape != values.shape or weights.min() < 0 or not weights.any():
            raise InputError(f"base: must be {values.size} numbers >= 0, one per candidate, not all of them 0")
        with np.errstate(all="ignore"):
            # Subtract the largest possible utility, because rate times utility can overflow.
            behind = np.where(weights > 0, values - values[weights > 0].max(), 0.0)
            return np.asarray(special.softmax(np.log(weights) + self.rate * behind))

    def choose(self, utility: Any, base: Any = None, *, rng: RngLike = None) -> int:
        """Return the position of the chosen candidate.

        Parameters
        ----------
        utility, base
            As in `probabilities`.
        rng : int, Generator or None
            Seed or generator, for teaching. Omit it for a release; see `synthlab.dp`.

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
