"""Identification probability of one record (Betty)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.risk import identification_probability
from synthlab.teaching.widgets._interactive import choice, explorer, number

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure

_CROWD = (12.0, 19.0, 26.0, 31.0, 68.0, 74.0, 81.0)
BETTY: Mapping[str, tuple[float, ...]] = {
    "few near her": (53.0, 45.0, 56.0, *_CROWD, 35.0, 63.0, 92.0),
    "well covered": (53.0, 42.0, 44.0, 46.0, 49.0, 51.0, 55.0, 57.0, 12.0, 26.0, 31.0, 68.0, 81.0),
    "not near herself": (77.0, 45.0, 48.0, 56.0, *_CROWD, 35.0, 92.0),
}
"""Invented synthetic values of the 13 records of Betty's pattern.

Betty's own value is the first. Her true value is 50, and the radius is 10.
"""


@dataclass(frozen=True, slots=True)
class OneRecordProbability:
    """Identification risk (IR) of one record in one dataset, and its components.

    Attributes
    ----------
    outside : int
        Number of records of the pattern whose synthetic value is outside the ball around the true value.
    size : int
        Number of records of the pattern.
    own_inside : bool
        Whether the record's own synthetic value is inside the ball (T).
    probability : float
        IR, in [0, 1].
    """

    outside: int
    size: int
    own_inside: bool
    probability: float

    def __str__(self) -> str:
        product = f"{self.outside}/{self.size} x T = {self.outside}/{self.size} x {int(self.own_inside)}"
        return f"IR = {product} = {self.probability:.3f}"


def one_record_probability(
    synthetic: Sequence[float], *, true_value: float, radius: float, own: int = 0
) -> OneRecordProbability:
    """Return the identification risk (IR) of one record, with its components.

    Parameters
    ----------
    synthetic : sequence of float, shape (N,)
        Synthetic values of the records with the same known values, including the record itself.
    true_value : float
        Confidential value of the record, which the intruder knows.
    radius : float >= 0
        Half-width of the closed ball, in the unit of the value.
    own : int
        Position of the record's own synthetic value.

    Returns
    -------
    OneRecordProbability

    Raises
    ------
    InputError
        If a value is not a finite number, `radius` is negative, or `own` is not a position.

    Warns
    -----
    SingletonPatternWarning
        If the record is the only record of its pattern. The formula then gives 0, although every intruder identifies the record.

    References
    ----------
    Hu, J., Savitsky, T. D. and Williams, M. R. (2021). Risk-efficient Bayesian data synthesis for privacy protection.
    Journal of Survey Statistics and Methodology, equation 1 and figure 1.

    Examples
    --------
    >>> from synthlab.teaching.widgets import BETTY, one_record_probability
    >>> for case, values in BETTY.items():
    ...     print(one_record_probability(values, true_value=50, radius=10), "", case)
    IR = 10/13 x T = 10/13 x 1 = 0.769  few near her
    IR = 5/13 x T = 5/13 x 1 = 0.385  well covered
    IR = 10/13 x T = 10/13 x 0 = 0.000  not near herself
    """
    values = _checks.check_array(synthetic, "synthetic")
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise InputError("synthetic: must be one or more finite numbers")
    own = _checks.check_count(own, "own", minimum=0, maximum=values.size - 1)
    true_value = _checks.check_number(true_value, "true_value")
    radius = _checks.check_number(radius, "radius", low=0.0)
    inside = (values >= true_value - radius) & (values <= true_value + radius)
    confidential = values.copy()
    confidential[own] = true_value
    risk = identification_probability(
        pd.DataFrame({"value": confidential}),
        pd.DataFrame({"value": values}),
        Intruder(known=[], synthesized=["value"], radius={"value": radius}, radius_kind="absolute"),
    )
    return OneRecordProbability(
        outside=int((~inside).sum()),
        size=values.size,
        own_inside=bool(inside[own]),
        probability=float(risk.record[own]),
    )


def one_record_figure(
    synthetic: Sequence[float],
    *,
    true_value: float,
    radius: float,
    own: int = 0,
    name: str = "Betty",
    xlabel: str = "synthetic value",
) -> DescribedFigure:
    """Draw the pattern of one record and the ball, with a description.

    Parameters
    ----------
    synthetic, true_value, radius, own
        As `one_record_probability`.
    name : str
        Name of the person.
    xlabel : str
        Label of the axis: the variable and its unit.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        As `one_record_probability`.

    Examples
    --------
    >>> from synthlab.teaching.widgets import BETTY, one_record_figure
    >>> print(one_record_figure(BETTY["well covered"], true_value=50, radius=10).description.partition(": ")[0])
    13 records share Betty's known values
    """
    from synthlab.plots import style
    from synthlab.teaching.figures.lecture_08 import plot_candidates

    _checks.check_text(name, "name")
    risk = one_record_probability(synthetic, true_value=true_value, radius=radius, own=own)
    with style.context():
        ax = plot_candidates(
            synthetic,
            own=own,
            center=true_value,
            half_width=radius,
            ax=style.off_screen((9.0, 3.4)),
            xlabel=xlabel,
        )
        ax.set_title(style.literal(str(risk)))
    return style.figure_with_description(ax, _describe(risk, true_value, radius, name))


def one_record_explorer(
    cases: Mapping[str, Sequence[float]] = BETTY,
    *,
    true_value: float = 50.0,
    radius: float = 10.0,
    name: str = "Betty",
    xlabel: str = "synthetic value",
) -> Any:
    """Return controls for the values of one record, with a figure.

    Parameters
    ----------
    cases : mapping {label: synthetic values}
        Cases to choose from. The first value of a case is the record's own value. The first case is selected.
    true_value, radius : float
        Initial values.
    name, xlabel
        As `one_record_figure`.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        If `cases` is empty; also as `one_record_probability`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    if not cases:
        raise InputError("cases: must contain at least one case")
    for case in cases.values():
        one_record_probability(case, true_value=true_value, radius=radius)
    selected = choice("Case", cases)
    own_value = number(f"{name}'s synthetic value", float(cases[selected.value][0]))

    def draw(case: str, true_value: float, radius: float, own: float) -> DescribedFigure:
        values = [own, *cases[case][1:]]
        return one_record_figure(values, true_value=true_value, radius=radius, name=name, xlabel=xlabel)

    selected.observe(lambda change: setattr(own_value, "value", cases[change["new"]][0]), "value")
    return explorer(
        draw,
        case=selected,
        true_value=number("True value", float(true_value)),
        radius=number("Radius", float(radius)),
        own=own_value,
    )


def _describe(risk: OneRecordProbability, true_value: float, radius: float, name: str) -> str:
    consequence = (
        f"inside the band. The probability that an intruder identifies {name} is the proportion outside"
        if risk.own_inside
        else f"outside the band. An intruder who searches the band does not find {name}, and the probability is 0"
    )
    return (
        f"{risk.size} records share {name}'s known values: {risk.outside} of their synthetic values are outside the band "
        f"from {true_value - radius:g} to {true_value + radius:g} around the true value {true_value:g}, and "
        f"{risk.size - risk.outside} are inside. {name}'s own synthetic value, the star, is {consequence}: {risk}."
    )
