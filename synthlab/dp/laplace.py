"""Laplace mechanism: an answer with noise calibrated to its sensitivity."""

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
    """Laplace mechanism with noise of scale sensitivity / epsilon on every number of an answer.

    The densities of the released number under neighboring databases differ by a factor of at most exp(epsilon)
    everywhere (Dwork, McSherry, Nissim and Smith 2006).

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of one use. Two uses have twice the loss; a `Budget` keeps the account.
    sensitivity : float > 0
        Largest change of the answer caused by one person (L1), from declared bounds. See `count_sensitivity` and the
        related functions.

    Raises
    ------
    InputError
        A value is not a finite number > 0, or the scale would be 0 or infinite.

    Notes
    -----
    Pseudo-random floating-point noise illustrates the mechanism, but is not secure enough for a release: the gaps
    between floating-point numbers allow an intruder to undo the noise (Mironov 2012), and a pseudo-random stream can be
    predicted from its seed. ``add_noise(answer, sampler="opendp")`` prevents both attacks. `GeometricMechanism` adds
    integer noise.

    `synthlab.counts.LaplaceCount` is the distribution of counts with Laplace noise, rounded to whole numbers >= 0.

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
        if not np.finfo(np.float64).tiny <= self.scale < np.inf:  # subnormal floats lose digits
            raise InputError(
                "epsilon, sensitivity: the scale of the noise is 0 or infinite; use values of similar size"
            )

    @property
    def scale(self) -> float:
        """Scale of the noise, sensitivity / epsilon; see `std` for its standard deviation."""
        return self.sensitivity / self.epsilon

    @property
    def std(self) -> float:
        """Standard deviation of the noise, sqrt(2) times the scale."""
        return float(np.sqrt(2.0)) * self.scale

    def margin(self, level: float = 0.95) -> float:
        """Return the bound that the absolute noise does not exceed with probability `level`.

        Parameters
        ----------
        level : float in (0, 1)
            Probability.

        Returns
        -------
        float
            ``scale * log(1 / (1 - level))``.
        """
        level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
        return float(stats.laplace.ppf(0.5 + level / 2, scale=self.scale))

    def density(self, released: Any, answer: float) -> FloatArray:
        """Return the density of released numbers for a given true answer.

        This method is for teaching. Its result has no noise.

        Parameters
        ----------
        released : float or array_like
            Released numbers at which the density is evaluated.
        answer : float or array_like
            Answer without noise.

        Returns
        -------
        numpy.ndarray of float

        Raises
        ------
        InputError
            An argument is not a finite number or array of finite numbers, or the shapes do not broadcast.
        """
        at, centre = _numbers(released=released, answer=answer)
        with np.errstate(all="ignore"):
            density: FloatArray = stats.laplace.pdf(at, loc=centre, scale=self.scale)
        return density

    def log_ratio(self, released: Any, answer: Any, other: Any) -> Any:
        """Return the log ratio of the densities of a released number under two answers.

        The ratio is the density under `answer` divided by the density under `other`. The log ratio is in
        [-epsilon, epsilon] if the difference of the two answers is at most the sensitivity. It is exact even if both
        densities underflow. The result has no noise.

        Parameters
        ----------
        released : float or array_like
            Released number.
        answer, other : float or array_like
            Two answers without noise.

        Returns
        -------
        float, or numpy.ndarray of float if an argument is an array

        Raises
        ------
        InputError
            An argument is not a finite number or array of finite numbers, or the shapes do not broadcast.
        """
        at, here, there = _numbers(released=released, answer=answer, other=other)
        with np.errstate(all="ignore"):
            ratio = (np.abs(at - there) - np.abs(at - here)) / self.scale
        return ratio if ratio.ndim else float(ratio)

    def add_noise(
        self, answer: Any, *, rng: RngLike = None, sampler: Literal["numpy", "opendp"] = "numpy"
    ) -> FloatArray:
        """Return the answer with independent noise on every number.

        Parameters
        ----------
        answer : float or array_like
            True answer; `sensitivity` refers to all its numbers together. Values that are not finite numbers count as
            0, because an error would be an answer without noise. The sensitivity must hold after this replacement.
        rng : int, Generator or None
            Seed or generator, for teaching. Omit it for a release; see `synthlab.dp`.
        sampler : {"numpy", "opendp"}
            Library that draws the noise: NumPy, in floating point, or OpenDP (extra `dp`), exactly and without a seed.

        Returns
        -------
        numpy.ndarray of float, the shape of `answer`

        Raises
        ------
        InputError
            `rng` is given for OpenDP, which does not accept a seed.
        ExtraUnavailableError
            The sampler is "opendp" and OpenDP is not installed.
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
    """Raise `InputError` if the sampler is unknown, or does not accept the given seed."""
    _checks.check_choice(sampler, "sampler", ("numpy", "opendp"))
    if sampler == "opendp" and rng is not None:
        raise InputError("rng: OpenDP draws from the system's source of randomness and takes no seed; omit rng")


def _numbers(**given: Any) -> list[FloatArray]:
    """Return arrays of finite numbers that broadcast; errors show none of the numbers."""
    arrays = [numbers_array(value, name) for name, value in given.items()]
    shapes = [array.shape for array in arrays]
    if attempt(lambda all_shapes: np.broadcast_shapes(*all_shapes), shapes, None) is None:
        raise InputError(f"{', '.join(given)}: their shapes {', '.join(map(str, shapes))} do not broadcast")
    return arrays
