"""Number of records that are unique in the known variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab._typing import ColumnNames, FrameLike, IntArray
from synthlab.teaching.widgets._interactive import checkbox, explorer

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure


@dataclass(frozen=True, slots=True, eq=False)
class UniqueRecords:
    """Groups of records with equal known variables.

    Attributes
    ----------
    known : tuple of str
        Known variables.
    sizes : numpy.ndarray of int, shape (n,)
        Number of records in the group of each record, including itself: f_i.
    """

    known: tuple[str, ...]
    sizes: IntArray

    @property
    def unique(self) -> int:
        """Number of records that are the only record of their group."""
        return int((self.sizes == 1).sum())

    @property
    def found(self) -> float:
        """Expected number of records identified by random guesses: sum of 1 / f_i."""
        return float((1.0 / self.sizes).sum())

    def __str__(self) -> str:
        n = self.sizes.size
        return (
            f"{self.unique:,} of {n:,} records are unique ({100 * self.unique / n:.1f}%); random guesses within the groups identify "
            f"{self.found:,.0f} records on average; the size of the largest group is {self.sizes.max():,}"
        )


def unique_records(frame: FrameLike, *, known: ColumnNames) -> UniqueRecords:
    """Return the sizes of the groups of records with equal known variables.

    Parameters
    ----------
    frame : pandas.DataFrame or Dataset
        Data with one row per record. Missing values are equal to each other.
    known : sequence of str
        Known variables; without any, all records form one group.

    Returns
    -------
    UniqueRecords

    Raises
    ------
    InputError
        If a variable is absent or the frame has no rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.widgets import unique_records
    >>> people = pd.DataFrame({"age": [30, 30, 40, 40], "town": list("aaab")})
    >>> print(unique_records(people, known=["age", "town"]))
    2 of 4 records are unique (50.0%); random guesses within the groups identify 3 records on average; the size of the \
largest group is 2
    """
    table = _checks.check_frame(frame, "frame")
    names = _checks.check_columns(table, known, "known", where="frame", allow_empty=True)
    if not names:
        return UniqueRecords((), np.full(len(table), len(table)))
    group = table.groupby(list(names), observed=True, dropna=False, sort=False).ngroup().to_numpy()
    return UniqueRecords(tuple(names), np.bincount(group)[group])


def unique_records_figure(
    frame: FrameLike, *, known: ColumnNames, labels: Mapping[str, str] | None = None
) -> DescribedFigure:
    """Draw the number of records by group size, with a description.

    Parameters
    ----------
    frame, known
        As `unique_records`.
    labels : mapping {variable: text}, optional
        Labels of the variables.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        As `unique_records`.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.widgets import unique_records_figure
    >>> people = pd.DataFrame({"age": [30, 30, 40, 40], "town": list("aaab")})
    >>> print(unique_records_figure(people, known=["age"]).description.partition(". ")[0])
    The intruder knows age of every record
    """
    from synthlab.plots import style
    from synthlab.teaching.figures.lecture_01 import plot_group_sizes

    groups = unique_records(frame, known=known)
    names = ", ".join((labels or {}).get(name, name) for name in groups.known) or "nothing"
    with style.context():
        ax = plot_group_sizes(
            {"records": groups.sizes},
            style.off_screen(),
            data=_checks.check_frame(frame, "frame"),
            xlabel="records in the file that share all known values",
            title=f"{groups.unique:,} of {groups.sizes.size:,} records are unique",
        )
        ax.set_ylabel("records")
    bars = zip(ax.get_xticklabels(), ax.texts, strict=False)  # the first texts are the numbers on the bars
    description = (
        f"The intruder knows {names} of every record. {groups}. Bars show the number of records by the size of their group: "
        f"{', '.join(f'{name.get_text()}: {height.get_text()}' for name, height in bars)}."
    )
    return style.figure_with_description(ax, description)


def unique_records_explorer(
    frame: FrameLike,
    *,
    variables: ColumnNames,
    known: ColumnNames = (),
    labels: Mapping[str, str] | None = None,
) -> Any:
    """Return one checkbox per variable that might be known, with a figure.

    Parameters
    ----------
    frame, labels
        As `unique_records_figure`.
    variables : sequence of str
        Variables that the intruder might know.
    known : sequence of str
        Initially known variables.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        If a variable is absent or a known variable is not in `variables`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    table = _checks.check_frame(frame, "frame")
    names = _checks.check_columns(table, variables, "variables", where="frame")
    selected = _checks.check_columns(table[list(names)], known, "known", where="variables", allow_empty=True)
    controls = {name: checkbox((labels or {}).get(name, name), name in selected) for name in names}

    def draw(**checked: bool) -> DescribedFigure:
        return unique_records_figure(frame, known=[name for name in names if checked[name]], labels=labels)

    return explorer(draw, **controls)
