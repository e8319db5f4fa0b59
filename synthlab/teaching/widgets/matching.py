"""Expected match risk by known variables and radius."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames, FrameOrFrames
from synthlab._warnings import quiet
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.release import as_release
from synthlab.risk import identification_risk
from synthlab.teaching.widgets._interactive import choice, explorer

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure

RADII = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def match_risk_by_radius(
    confidential: pd.DataFrame,
    synthetic: FrameOrFrames,
    *,
    known: ColumnNames,
    synthesized: str,
    radii: Sequence[float] = RADII,
) -> pd.DataFrame:
    """Return the expected match risk of a release for several radii.

    Parameters
    ----------
    confidential : pandas.DataFrame, n rows
        Confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets of n rows.
    known : sequence of str
        Known variables.
    synthesized : str
        Continuous synthesized variable.
    radii : sequence of float > 0
        Relative radii, in any order.

    Returns
    -------
    pandas.DataFrame
        One row per radius, in ascending order. The columns ``confidential`` (the data released unchanged), ``synthetic``
        (mean over the m datasets), ``synthetic_min``, ``synthetic_max`` and ``known_only`` are expected numbers of identified
        people, in [0, n].

    Raises
    ------
    InputError
        If `radii` is empty or a radius is not a number > 0; also as `identification_risk`.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.widgets import match_risk_by_radius
    >>> confidential = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> synthetic = confidential.assign(income=[11, 21, 41, 30, 16, 31])
    >>> match_risk_by_radius(confidential, synthetic, known=["region"], synthesized="income", radii=[0.2, 9.0])[
    ...     ["confidential", "synthetic", "known_only"]]
            confidential  synthetic  known_only
    radius
    0.2              5.0        3.5         2.0
    9.0              2.0        2.0         2.0
    """
    sorted_radii = sorted(set(_checks.check_numbers(radii, "radii", low=0.0, open_low=True)))
    if not sorted_radii:
        raise InputError("radii: must contain at least one number > 0")
    release = as_release(synthetic)
    rows = {radius: _at_radius(confidential, release, known, synthesized, radius) for radius in sorted_radii}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("radius")


def match_risk_figure(
    confidential: pd.DataFrame,
    synthetic: FrameOrFrames,
    *,
    known: ColumnNames,
    synthesized: str,
    radius: float,
    radii: Sequence[float] = RADII,
) -> DescribedFigure:
    """Draw the expected match risk against the radius, with a description.

    Parameters
    ----------
    confidential, synthetic, known, synthesized, radii
        As `match_risk_by_radius`.
    radius : float > 0
        Radius to mark; it is added to `radii`.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        As `match_risk_by_radius`.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.widgets import match_risk_figure
    >>> confidential = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> synthetic = confidential.assign(income=[11, 21, 41, 30, 16, 31])
    >>> figure = match_risk_figure(confidential, synthetic, known=["region"], synthesized="income", radius=0.2)
    >>> print(figure.description.partition(". ")[0])
    The intruder knows region and the true income
    """
    table = match_risk_by_radius(confidential, synthetic, known=known, synthesized=synthesized, radii=[*radii, radius])
    return _figure(table, confidential, known, synthesized, radius)


def match_risk_explorer(
    confidential: pd.DataFrame,
    synthetic: FrameOrFrames,
    *,
    choices: Mapping[str, ColumnNames],
    synthesized: str,
    radius: float = 0.2,
) -> Any:
    """Return controls for the known variables and the radius, with a figure.

    Parameters
    ----------
    confidential, synthetic, synthesized
        As `match_risk_by_radius`.
    choices : mapping {label: known variables}
        Known variables to choose from. The first entry is selected.
    radius : float > 0
        Initial radius, which is added to a list of round values.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        If `choices` is empty or the radius is not a number > 0; also as `match_risk_by_radius`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    if not choices:
        raise InputError("choices: must contain at least one set of known variables")
    radii = sorted({*RADII, _checks.check_number(radius, "radius", low=0.0, open_low=True)})

    @cache
    def by_radius(label: str) -> pd.DataFrame:
        return match_risk_by_radius(confidential, synthetic, known=choices[label], synthesized=synthesized, radii=radii)

    def draw(label: str, radius: float) -> DescribedFigure:
        return _figure(by_radius(label), confidential, choices[label], synthesized, radius)

    by_radius(next(iter(choices)))  # raises errors before the controls are shown
    return explorer(
        draw,
        label=choice("Known variables", choices),
        radius=choice("Radius", [(f"{100 * value:,.10g}%", value) for value in radii], radius),
    )


def _figure(
    table: pd.DataFrame, confidential: pd.DataFrame, known: ColumnNames, synthesized: str, radius: float
) -> DescribedFigure:
    from synthlab.plots.style import figure_with_description
    from synthlab.teaching.figures.lecture_08 import plot_match_risk_by_radius

    names = ", ".join(_checks.check_columns(confidential, known, "known", where="confidential", allow_empty=True))
    title = f"The intruder knows {names or f'the true {synthesized} alone'}"
    ax = plot_match_risk_by_radius(table, radius=radius, data=confidential, title=title)
    n = len(_checks.check_frame(confidential, "confidential"))
    return figure_with_description(ax, _describe(table, names, synthesized, radius, n))


def _at_radius(
    confidential: pd.DataFrame, release: FrameOrFrames, known: ColumnNames, synthesized: str, radius: float
) -> dict[str, float]:
    with quiet():
        # The figure shows where the attack is no better than its baseline.
        intruder = Intruder(known=known, synthesized=[synthesized], radius={synthesized: radius})
        risk = identification_risk(confidential, release, intruder)
    expected = risk.expected_match_risk
    return {
        "confidential": np.nan if risk.baseline is None else float(risk.baseline.expected_match_risk[0]),
        "synthetic": float(expected.mean()),
        "synthetic_min": float(expected.min()),
        "synthetic_max": float(expected.max()),
        "known_only": float(risk.known_only.mean()),
    }


def _describe(table: pd.DataFrame, names: str, synthesized: str, radius: float, n: int) -> str:
    row = table.loc[radius]
    return (
        f"The intruder knows {f'{names} and the true {synthesized}' if names else f'the true {synthesized} alone'}. A value "
        f"within {100 * radius:.4g}% of the true value is a match. The expected number of identified records, out of {n:,}, is "
        f"{row['synthetic']:,.1f} in the synthetic data (mean over the datasets), {row['confidential']:,.1f} if the confidential "
        f"data were released unchanged, and {row['known_only']:,.1f} from the known variables alone. For radii from "
        f"{100 * table.index[0]:.4g}% to {100 * table.index[-1]:,.4g}%, the confidential curve falls from "
        f"{table['confidential'].iloc[0]:,.0f} to {table['confidential'].iloc[-1]:,.1f}; the synthetic curve is between "
        f"{table['synthetic'].min():,.1f} and {table['synthetic'].max():,.1f}."
    )
