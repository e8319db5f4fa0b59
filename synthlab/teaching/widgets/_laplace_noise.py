"""Evidence on your presence in the data from a count with Laplace noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab.dp import LaplaceMechanism, count_sensitivity
from synthlab.teaching.widgets._interactive import explorer, number

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure


@dataclass(frozen=True, slots=True)
class LaplaceNoise:
    """Evidence from one released count on whether you are in the data.

    Attributes
    ----------
    mechanism : LaplaceMechanism
        Mechanism that adds the noise.
    count : int
        True count without you; with you, it is one larger.
    released : float
        Released number.
    belief : float
        Posterior probability that you are in the data, for an intruder with a prior probability of 50%.
    """

    mechanism: LaplaceMechanism
    count: int
    released: float
    belief: float

    @property
    def answers(self) -> tuple[float, float]:
        """True counts without you and with you."""
        return float(self.count), float(self.count + 1)

    @property
    def largest_belief(self) -> float:
        """Largest possible belief of an intruder: exp(epsilon) / (1 + exp(epsilon))."""
        return float(1.0 / (1.0 + np.exp(-self.mechanism.epsilon)))

    def __str__(self) -> str:
        return (
            f"true count {self.count:,} or {self.count + 1:,}, released {self.released:,.4g}: the intruder's probability that "
            f"you are in the data changes from 50% to {100 * self.belief:.1f}%. For any released number, it is between "
            f"{100 * (1 - self.largest_belief):.1f}% and {100 * self.largest_belief:.1f}%. In 95% of all releases, the error of "
            f"the count is less than {self.mechanism.margin():,.3g}"
        )


def laplace_noise(*, count: int, epsilon: float, released: float) -> LaplaceNoise:
    """Return the evidence of a released count on your presence.

    Parameters
    ----------
    count : int >= 0
        True count without you.
    epsilon : float > 0
        Privacy loss of the count under addition or removal of one record.
    released : float
        Released number.

    Returns
    -------
    LaplaceNoise

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> from math import log
    >>> from synthlab.teaching.widgets import laplace_noise
    >>> laplace_noise(count=7, epsilon=log(3), released=12).belief
    0.75
    """
    without = _checks.check_count(count, "count", minimum=0)
    number = _checks.check_number(released, "released")
    mechanism = LaplaceMechanism(epsilon, count_sensitivity())
    ratio = mechanism.log_ratio(number, without + 1.0, without)
    return LaplaceNoise(mechanism, without, number, round(float(1.0 / (1.0 + np.exp(-ratio))), 12))


def laplace_noise_figure(*, count: int, epsilon: float, released: float) -> DescribedFigure:
    """Draw the densities of the released count, with a description.

    Parameters
    ----------
    count, epsilon, released
        As `laplace_noise`.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        As `laplace_noise`.

    Examples
    --------
    >>> from synthlab.teaching.widgets import laplace_noise_figure
    >>> print(laplace_noise_figure(count=7, epsilon=1.0, released=10).description.partition(". ")[0])
    Two pointed curves show the density of the released count: without you, centered at 7, and with you, centered at 8
    """
    from synthlab.plots import style
    from synthlab.teaching.figures.lecture_12 import plot_neighbor_noise

    setting = laplace_noise(count=count, epsilon=epsilon, released=released)
    with style.context():
        ax = style.off_screen()
    ax = plot_neighbor_noise(setting.mechanism, setting.answers, ax, released=released, xlabel="released count")
    text = str(setting)
    description = (
        f"Two pointed curves show the density of the released count: without you, centered at {setting.answers[0]:,.0f}, and "
        f"with you, centered at {setting.answers[1]:,.0f}. Epsilon is {setting.mechanism.epsilon:.4g}; the scale of the noise is "
        f"{setting.mechanism.scale:.4g}. A line marks the released number. {text[0].upper()}{text[1:]}."
    )
    return style.figure_with_description(ax, description)


def laplace_noise_explorer(*, count: int = 7, epsilon: float = 1.0, released: float = 10.0) -> Any:
    """Return controls for the count, epsilon and the released number, with a figure.

    Parameters
    ----------
    count, epsilon, released
        Initial values.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        As `laplace_noise`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    laplace_noise(count=count, epsilon=epsilon, released=released)
    return explorer(
        laplace_noise_figure,
        count=number("True count without you", int(count), 0, max(1_000_000, count)),
        epsilon=number("Epsilon of this count", float(epsilon), 0.0, max(50.0, epsilon), step=0.1),
        released=number("Released number", float(released), step=0.5),
    )
