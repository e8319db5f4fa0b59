"""The Laplace mechanism: an answer plus noise, as much as one person can change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, RngLike
from synthlab.dp._opendp import laplace_noise
from synthlab.dp._records import attempt, finite, numbers_array
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True)
class LaplaceMechanism:
    """Noise from a Laplace distribution of scale sensitivity / epsilon on every number of an answer.

    The density of the released number then differs between neighbouring databases by a factor of at most
    exp(epsilon), everywhere (Dwork, McSherry, Nissim and Smith 2006).

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of ONE use. Two uses cost twice as much; a `Budget` keeps the account.
    sensitivity : float > 0
        By how much one person can change the answer (L1), from declared bounds; see `count_sensitivity` and the others.

    Raises
    ------
    InputError
        If a value is not a finite number > 0, or the scale would be 0 or infinite.

    Notes
    -----
    Pseudo-random floating-point noise illustrates the mechanism and is no release mechanism: the gaps between
    floating-point numbers let an intruder undo the noise (Mironov 2012), and a pseudo-random stream can be predicted
    from its seed. ``add_noise(answer, sampler="opendp")`` leaves neither open; `GeometricMechanism` is integer noise.

    Whole non-negative counts after noise are the family `synthlab.counts.LaplaceCount`.

    Examples
    --------
    >>> from synthlab import dp
    >>> mechanism = dp.LaplaceMechanism(epsilon=0.5, sensitivity=1)
    >>> mechanism.scale, round(mechanism.margin(0.95), 2)
    (2.0, 5.99)
    """

    epsilon: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        for name in ("epsilon", "sensitivity"):
            value = _checks.check_number(getattr(self, name), name, low=0.0, open_low=True)
            object.__setattr__(self, name, value)
        if not np.finfo(np.float64).tiny <= self.scale < np.inf:  # a smaller one is rounded by more than a last digit
            raise InputError("epsilon, sensitivity: so far apart that the scale of the noise is 0 or infinite")

    @property
    def scale(self) -> float:
        """Scale of the noise, sensitivity / epsilon; its standard deviation is sqrt(2) times that."""
        return self.sensitivity / self.epsilon

    @property
    def std(self) -> float:
        """Standard deviation of the noise."""
        return float(np.sqrt(2.0)) * self.scale

    def margin(self, level: float = 0.95) -> float:
        """Return the distance from the truth that the noise stays within with probability `level`.

        Parameters
        ----------
        level : float in (0, 1)

        Returns
        -------
        float
            ``scale * log(1 / (1 - level))``.
        """
        level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
        return float(stats.laplace.ppf(0.5 + level / 2, scale=self.scale))

    def density(self, released: Any, answer: float) -> FloatArray:
        """Return the density of released numbers when the true answer is `answer`: for teaching, it has no noise.

        Parameters
        ----------
        released : float or array_like
            Where.
        answer : float or array_like
            The answer without noise.

        Returns
        -------
        numpy.ndarray of float

        Raises
        ------
        InputError
            If one of them is not made of finite numbers, or their shapes do not fit.
        """
        at, centre = _numbers(released=released, answer=answer)
        with np.errstate(all="ignore"):
            density: FloatArray = stats.laplace.pdf(at, loc=centre, scale=self.scale)
        return density

    def log_ratio(self, released: Any, answer: Any, other: Any) -> Any:
        """Return the log of the density of a released number under `answer` over that under `other`: it has no noise.

        Within [-epsilon, epsilon] when the two answers are no further apart than the sensitivity; exact also where both
        densities are too small for a floating-point number.

        Parameters
        ----------
        released : float or array_like
            The number that was released.
        answer, other : float or array_like
            Two answers without noise.

        Returns
        -------
        float, or numpy.ndarray of float where an argument is an array

        Raises
        ------
        InputError
            If one of them is not made of finite numbers, or their shapes do not fit.
        """
        at, here, there = _numbers(released=released, answer=answer, other=other)
        with np.errstate(all="ignore"):
            ratio = (np.abs(at - there) - np.abs(at - here)) / self.scale
        return ratio if ratio.ndim else float(ratio)

    def add_noise(
        self, answer: Any, *, rng: RngLike = None, sampler: Literal["numpy", "opendp"] = "numpy"
    ) -> FloatArray:
        """Return the answer with independent noise on every number of it.

        Parameters
        ----------
        answer : float or array_like
            The true answer; `sensitivity` is that of all its numbers together. Whatever is no finite number counts as
            0, and the sensitivity must hold of that: an error would be an answer without noise.
        rng : int, Generator or None
            Seed or generator, for teaching; a release leaves it out, see `synthlab.dp`.
        sampler : {"numpy", "opendp"}
            Who draws: NumPy, by floating point; or OpenDP (extra `dp`), exactly and without a seed.

        Returns
        -------
        numpy.ndarray of float, the shape of `answer`

        Raises
        ------
        InputError
            If a seed is given to OpenDP, which takes none.
        ExtraUnavailableError
            If OpenDP is asked for and not installed.
        """
        check_sampler(sampler, rng)
        exact = finite(answer)
        if sampler == "opendp":
            noisy = laplace_noise(exact, self.scale, self.sensitivity, self.epsilon)
            return np.asarray(noisy, dtype=np.float64).reshape(exact.shape)
        generator = _rng.as_generator(rng)
        with np.errstate(over="ignore"):
            return exact + generator.laplace(0.0, self.scale, exact.shape)

    def __str__(self) -> str:
        return (
            f"Laplace noise of scale {self.scale:.4g} (sensitivity {self.sensitivity:.4g} / epsilon {self.epsilon:.4g})"
        )


def check_sampler(sampler: object, rng: RngLike) -> None:
    """Raise unless this is a sampler, and one that takes a seed where there is one."""
    _checks.check_choice(sampler, "sampler", ("numpy", "opendp"))
    if sampler == "opendp" and rng is not None:
        raise InputError("rng: OpenDP draws from the system's source of randomness and takes no seed; leave it out")


def _numbers(**given: Any) -> list[FloatArray]:
    """Return finite numbers, of shapes that fit each other; the messages show none of them."""
    arrays = [numbers_array(value, name) for name, value in given.items()]
    shapes = [array.shape for array in arrays]
    if attempt(lambda all_shapes: np.broadcast_shapes(*all_shapes), shapes, None) is None:
        raise InputError(f"{', '.join(given)}: their shapes {', '.join(map(str, shapes))} do not fit each other")
    return arrays
