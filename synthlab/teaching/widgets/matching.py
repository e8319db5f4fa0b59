"""Control of the expected match risk by known variables and radius."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from synthlab.teaching.widgets._base import Box, Control, Number, listed

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
        One row per radius, in ascending order; columns ``confidential`` (the data released unchanged),
        ``synthetic`` (mean over the m datasets), ``synthetic_min``, ``synthetic_max``, ``known_only``, all in
        people found on average, in [0, n].

    Raises
    ------
    InputError
        If there is no radius, or one is not a number > 0; else as `identification_risk`.

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
    checked = sorted(set(_checks.check_numbers(radii, "radii", low=0.0, open_low=True)))
    if not checked:
        raise InputError("radii=[]: must hold at least one number > 0")
    release = as_release(synthetic)
    rows = {radius: _at_radius(confidential, release, known, synthesized, radius) for radius in checked}
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
        Radius to mark, which is added to `radii`.

    Returns
    -------
    DescribedFigure
        The figure with its description; a notebook shows both.

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
    The intruder knows region and the true income, and calls a value within 20% of it a match
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
        Entries of the drop-down list; the first is selected.
    radius : float > 0
        Initial radius; the number box is in percent.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        If `choices` is empty, or the radius is not a number > 0.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    if not choices:
        raise InputError("choices: an empty mapping; name at least one set of known variables")
    percent = 100 * _checks.check_number(radius, "radius", low=0.0, open_low=True)
    tables: dict[str, pd.DataFrame] = {}
    boxes: dict[str, Box] = {
        "who": listed("The intruder knows", list(choices)),
        "percent": Number("Radius in percent", percent, 0.1, 1000.0, 5.0),
    }

    def by_radius(who: str, radii: Sequence[float]) -> pd.DataFrame:
        return match_risk_by_radius(confidential, synthetic, known=choices[who], synthesized=synthesized, radii=radii)

    def draw(who: str, percent: float) -> DescribedFigure:
        radius = percent / 100
        table = tables[who] if who in tables else tables.setdefault(who, by_radius(who, RADII))
        if radius not in table.index:
            table = pd.concat([table, by_radius(who, [radius])]).sort_index()
        return _figure(table, confidential, choices[who], synthesized, radius)

    return Control(boxes, draw, ahead=["who"]).view


def _figure(
    table: pd.DataFrame, confidential: pd.DataFrame, known: ColumnNames, synthesized: str, radius: float
) -> DescribedFigure:
    from synthlab.plots.style import figure_with_description
    from synthlab.teaching.figures.matching import plot_match_risk_by_radius

    names = ", ".join(known)
    title = f"The intruder knows {names or f'the true {synthesized} alone'}"
    ax = plot_match_risk_by_radius(table, radius=radius, data=confidential, title=title)
    n = len(_checks.check_frame(confidential, "confidential"))
    return figure_with_description(ax, _describe(table, names, synthesized, radius, n))


def _at_radius(
    confidential: pd.DataFrame, release: FrameOrFrames, known: ColumnNames, synthesized: str, radius: float
) -> dict[str, float]:
    with quiet():
        # No warning: the figure shows where the attack is no better than its baseline.
        someone = Intruder(known=known, synthesized=[synthesized], radius={synthesized: radius})
        risk = identification_risk(confidential, release, someone)
    found = risk.expected_match_risk
    as_is = np.nan if risk.baseline is None else float(risk.baseline.expected_match_risk[0])
    return {
        "confidential": as_is,
        "synthetic": float(found.mean()),
        "synthetic_min": float(found.min()),
        "synthetic_max": float(found.max()),
        "known_only": float(risk.known_only.mean()),
    }


def _describe(table: pd.DataFrame, names: str, synthesized: str, radius: float, n: int) -> str:
    row = table.loc[radius]
    return (
        f"The intruder knows {f'{names} and the true {synthesized}' if names else f'the true {synthesized} alone'}, and calls a value within {100 * radius:.4g}% of it a "
        f"match. Of {n:,} records this finds {row['synthetic']:,.1f} on average in the synthetic data, "
        f"{row['confidential']:,.1f} if the confidential data were released as they are, and {row['known_only']:,.1f} for "
        f"an intruder who uses the known variables alone. Over radii from {100 * table.index[0]:.4g} to "
        f"{100 * table.index[-1]:,.4g} percent the confidential curve falls from {table['confidential'].iloc[0]:,.0f} to "
        f"{table['confidential'].iloc[-1]:,.1f}; the synthetic curve stays between {table['synthetic'].min():,.1f} and "
        f"{table['synthetic'].max():,.1f}."
    )
