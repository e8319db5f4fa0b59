"""The records of a file that are unique in what an intruder knows, and the sizes of the groups of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab._typing import ColumnNames, FrameLike, IntArray
from synthlab.teaching.widgets._base import Choice, Control

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure

KNOWN = {"known": True, "not known": False}


@dataclass(frozen=True, slots=True, eq=False)
class UniqueRecords:
    """The groups of records that agree in what an intruder knows.

    Attributes
    ----------
    known : tuple of str
        The variables the intruder knows.
    sizes : numpy.ndarray of int, shape (n,)
        For every record the number of records in its group, itself included: f_i.
    """

    known: tuple[str, ...]
    sizes: IntArray

    @property
    def unique(self) -> int:
        """Records that are alone in their group."""
        return int((self.sizes == 1).sum())

    @property
    def found(self) -> float:
        """Records found on average by picking one of the group at random: the sum of 1 / f_i, the number of groups."""
        return float((1.0 / self.sizes).sum())

    def __str__(self) -> str:
        n = self.sizes.size
        return (
            f"{self.unique:,} of {n:,} records are unique ({100 * self.unique / n:.1f} %); picking a record of the right group at "
            f"random finds {self.found:,.0f} on average; the largest group has {self.sizes.max():,}"
        )


def unique_records(frame: FrameLike, *, known: ColumnNames) -> UniqueRecords:
    """Return how many records are unique in some variables, and how large the groups of the others are.

    Parameters
    ----------
    frame : pandas.DataFrame or Dataset
        One row a record. A missing value equals a missing value.
    known : sequence of str
        Variables the intruder knows; none of them: all records are one group.

    Returns
    -------
    UniqueRecords

    Raises
    ------
    InputError
        If a variable is absent, or the frame has no rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.widgets import unique_records
    >>> people = pd.DataFrame({"age": [30, 30, 40, 40], "town": list("aaab")})
    >>> print(unique_records(people, known=["age", "town"]))
    2 of 4 records are unique (50.0 %); picking a record of the right group at random finds 3 on average; the largest group has 2
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
    """Draw how many records are alone in what an intruder knows, in groups of two, and so on, and say it in words.

    Parameters
    ----------
    frame, known
        As `unique_records`.
    labels : mapping {variable: text}, optional
        What to call the variables.

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
    from synthlab.teaching.figures.equivalence_class_sizes import plot_group_sizes

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
        ax.set_ylim(0, 1.15 * groups.sizes.size)
    bars = zip(ax.get_xticklabels(), ax.texts, strict=False)  # the numbers on the bars are the first texts
    words = (
        f"The intruder knows {names} of every record. {str(groups).capitalize()}. Bars of records by the size of their group: "
        f"{', '.join(f'{name.get_text()}: {height.get_text()}' for name, height in bars)}."
    )
    return style.figure_with_description(ax, words)


def unique_records_explorer(
    frame: FrameLike,
    *,
    variables: ColumnNames,
    known: ColumnNames = (),
    labels: Mapping[str, str] | None = None,
) -> Any:
    """Return a drop-down list for each variable, known or not known, with the figure they lead to.

    Parameters
    ----------
    frame, labels
        As `unique_records_figure`.
    variables : sequence of str
        What the intruder may know.
    known : sequence of str
        What the intruder knows at the beginning.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        If a variable is absent, or a known one is not among `variables`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    table = _checks.check_frame(frame, "frame")
    names = _checks.check_columns(table, variables, "variables", where="frame")
    first = _checks.check_columns(table[list(names)], known, "known", where="variables", allow_empty=True)
    boxes = {name: Choice((labels or {}).get(name, name), KNOWN, name in first) for name in names}

    def draw(**chosen: bool) -> DescribedFigure:
        return unique_records_figure(frame, known=[name for name in names if chosen[name]], labels=labels)

    return Control(boxes, draw).view
