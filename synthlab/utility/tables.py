"""Compare confidential and synthetic tables of counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import InputError
from synthlab.utility._cells import check_size, code_variable, count_cells
from synthlab.utility._frames import check_usable, prepare


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """Cell counts of one table.

    Attributes
    ----------
    variables : tuple of str
        The cross-classified variables.
    levels : tuple of tuple
        Levels of each variable. In the order of the cells, the last variable changes fastest.
    confidential : numpy.ndarray of int, shape (cells,)
        Counts in the confidential data.
    synthetic : numpy.ndarray of int, shape (m, cells)
        Counts in each synthetic dataset.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> survey = pd.DataFrame({"sex": ["f", "f", "m"]})
    >>> margin = sl.table_utility(survey, survey.assign(sex=["f", "m", "m"])).margins[0]
    >>> margin.confidential.tolist(), margin.synthetic.tolist()
    ([2, 1], [[1, 2]])
    """

    variables: tuple[str, ...]
    levels: tuple[tuple[object, ...], ...]
    confidential: IntArray
    synthetic: IntArray

    @property
    def share_confidential(self) -> FloatArray:
        """Share of the confidential records in each cell, shape (cells,)."""
        return np.asarray(self.confidential / self.confidential.sum())

    @property
    def share_synthetic(self) -> FloatArray:
        """Share of the synthetic records in each cell, shape (m, cells)."""
        return np.asarray(self.synthetic / self.synthetic.sum(axis=1, keepdims=True))

    def to_frame(self) -> pd.DataFrame:
        """Return confidential counts and shares and the synthetic means, one row per cell."""
        cells = pd.MultiIndex.from_product(self.levels, names=self.variables)
        share, mean = self.share_confidential, self.share_synthetic.mean(axis=0)
        columns = {
            "confidential": self.confidential,
            "synthetic": self.synthetic.mean(axis=0),
            "share_confidential": share,
            "share_synthetic": mean,
            "difference": mean - share,
        }
        return pd.DataFrame(columns, index=cells)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableUtilityResult(Result):
    """Distance between confidential and synthetic tables.

    Attributes
    ----------
    total_variation : numpy.ndarray of float, shape (tables, m)
        Half the sum over the cells of the absolute differences in shares, in [0, 1]. It is the share of records that
        would have to move to another cell to make the tables equal.
    max_difference : numpy.ndarray of float, shape (tables, m)
        Largest absolute difference in shares over the cells.
    expected_total_variation : numpy.ndarray of float, shape (tables,)
        Expected total variation of synthetic records drawn from the confidential table.
    margins : tuple of Margin
        The tables.
    """

    _figure: ClassVar[str] = "distances.plot_table_distances"

    total_variation: FloatArray
    max_difference: FloatArray
    expected_total_variation: FloatArray
    margins: tuple[Margin, ...]

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.total_variation.shape[1])

    @property
    def names(self) -> list[str]:
        """Names of the tables: the names of their variables joined by " x "."""
        return [" x ".join(margin.variables) for margin in self.margins]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per table and dataset 1..m."""
        index = pd.MultiIndex.from_product([self.names, range(1, self.m + 1)], names=["table", "dataset"])
        columns = {"total_variation": self.total_variation.ravel(), "max_difference": self.max_difference.ravel()}
        return pd.DataFrame(columns, index=index).reset_index()

    def summary(self) -> pd.DataFrame:
        """Return the mean distances over the m datasets and the expected distance, one row per table."""
        columns = {
            "cells": [margin.confidential.size for margin in self.margins],
            "total_variation": self.total_variation.mean(axis=1),
            "expected_total_variation": self.expected_total_variation,
            "max_difference": self.max_difference.mean(axis=1),
        }
        return pd.DataFrame(columns, index=pd.Index(self.names, name="table"))

    def worst_cells(self, k: int = 10) -> pd.DataFrame:
        """Return the k cells of all tables with the largest differences in shares.

        The differences are between the mean synthetic share and the confidential share.
        """
        k = _checks.check_count(k, "k", 1)
        found = []
        for name, margin in zip(self.names, self.margins, strict=True):
            table = margin.to_frame().reset_index(drop=True)
            table = table.loc[table["difference"].abs().nlargest(k).index]
            table.insert(0, "cell", [_cell_name(margin, int(position)) for position in table.index])
            table.insert(0, "table", name)
            found.append(table)
        everything = pd.concat(found, ignore_index=True)
        return everything.loc[everything["difference"].abs().nlargest(k).index].reset_index(drop=True)

    @property
    def title(self) -> str:
        """Description of the tables compared."""
        return (
            f"{len(self.margins)} tables, mean over m = {self.m}; total variation is the share of records in the wrong "
            "cell, compared with what drawing records from the confidential table would give."
        )


@explains_arguments
def table_utility(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    margins: Sequence[Sequence[str]] | None = None,
    bins: int = 10,
    missing: str = "raise",
) -> TableUtilityResult:
    """Compare one- and two-way tables of the confidential and the synthetic data.

    With p_k and q_k the confidential and synthetic shares of cell k, each table and dataset has a total variation
    ``1/2 sum over k of |p_k - q_k|`` and a largest difference ``max over k of |p_k - q_k|``.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset
        The confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets.
    variables : sequence of str, optional
        Variables whose one- and two-way tables are compared; by default all variables of the confidential data.
    margins : sequence of sequences of str, optional
        Tables to compare instead, each given by the names of any number of variables.
    bins : int
        Number of groups of numbers, dates and time spans with more than `bins` distinct values. They are cut at
        quantiles of the confidential data into intervals that are open on the left. There are fewer groups if quantiles
        are equal.
    missing : {"raise", "category", "never"}
        Treatment of missing values: "raise" raises an error, and "category" adds a level for them. With "never", a
        table contains only the records that have all of its variables.

    Returns
    -------
    TableUtilityResult
        Distances of each table, and the tables in `margins`.

    Raises
    ------
    InputError
        A variable is absent or infinite; a column of objects holds numbers (which could be measurements or categories);
        a table has more than five million cells; or an option is unknown.
    MissingValueError
        A variable has missing values and ``missing="raise"``.

    Notes
    -----
    The expected total variation is exact for n_s records drawn independently from the shares p_k. It is half the sum of
    the mean absolute deviations of binomial proportions (de Moivre's formula).

    The R equivalent is ``prop.table(table(...))``; ``cut`` with ``quantile(type = 7)`` gives the same groups.
    ``utility.tab`` of the R package synthpop 1.9-3 cuts every number into five groups at quantiles of the stacked data,
    as `group_numbers` does. Its SPECKS is the total variation and its MabsDD is twice the total variation. If there are
    as many synthetic as confidential records, its PO50 is fifty times the total variation.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.utility import table_utility
    >>> confidential = pd.DataFrame({"sex": ["f", "f", "m", "m"], "job": ["yes", "no", "yes", "no"]})
    >>> synthetic = pd.DataFrame({"sex": ["f", "f", "m", "m"], "job": ["yes", "yes", "yes", "no"]})
    >>> table_utility(confidential, synthetic).summary()["total_variation"].to_dict()
    {'sex': 0.0, 'job': 0.25, 'sex x job': 0.25}
    """
    _checks.check_meaning(missing, "table_utility")
    _checks.check_count(bins, "bins", 2)
    if margins is not None and variables is not None:
        raise InputError("variables, margins: give one of them; the tables in margins name their variables")
    wanted = None if margins is None else _check_margins(margins)
    used = variables if wanted is None else list(dict.fromkeys(c for margin in wanted for c in margin))
    confidential, release, names = prepare(confidential, synthetic, used)
    check_usable(confidential, release, names, 'use missing="category" to count missing as a separate level', missing)
    if wanted is None:
        wanted = [(c,) for c in names] + list(combinations(names, 2))
    frames = [confidential, *release]
    coded = {c: code_variable(c, frames, bins) for c in names}
    lost = {c for c in names if missing == "never" and any(frame[c].isna().any() for frame in frames)}
    tables = []
    for margin in wanted:
        crossed = [coded[c] for c in margin]
        check_size(margin, crossed)
        counts = np.array([count_cells(crossed, dataset) for dataset in range(release.m + 1)])
        levels = tuple(variable.levels for variable in crossed)
        if any(c in lost for c in margin):
            counts, levels = _there(counts, levels, [c in lost for c in margin])
        ours, theirs = _checks.read_only(counts[0].copy()), _checks.read_only(counts[1:].copy())
        tables.append(Margin(tuple(margin), levels, ours, theirs))
    gaps = [np.abs(table.share_synthetic - table.share_confidential) for table in tables]
    expected = [expected_total_variation(table.share_confidential, _records(table)) for table in tables]
    return TableUtilityResult(
        total_variation=_checks.read_only(np.array([gap.sum(axis=1) / 2 for gap in gaps])),
        max_difference=_checks.read_only(np.array([gap.max(axis=1) for gap in gaps])),
        expected_total_variation=_checks.read_only(np.array(expected)),
        margins=tuple(tables),
    )


def _check_margins(margins: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    allowed = "a non-empty list of column names and lists of column names"
    listed = [margins] if isinstance(margins, str) else _checks.check_list(margins, "margins", allowed)
    if not listed or any(isinstance(margin, bytes) or not isinstance(margin, Iterable) for margin in listed):
        raise InputError(f"margins={_checks.shown(margins)}: must be {allowed}")
    return [_checks.check_names(margin, f"margins[{j}]", allow_empty=False) for j, margin in enumerate(listed)]


def _there(
    counts: IntArray, levels: tuple[tuple[object, ...], ...], lost: Sequence[bool]
) -> tuple[IntArray, tuple[tuple[object, ...], ...]]:
    """Drop the last level, that of missing values, of the variables in `lost` from counts and levels."""
    table = counts.reshape(len(counts), *map(len, levels))
    table = table[(slice(None), *(slice(-1) if gone else slice(None) for gone in lost))].reshape(len(counts), -1)
    if not table.sum(axis=1).all():
        raise InputError(
            'missing="never": a dataset has no record with all variables of a table; use missing="category" or other margins'
        )
    return table, tuple(values[:-1] if gone else values for values, gone in zip(levels, lost, strict=True))


def _records(table: Margin) -> int:
    """Return the average number of records of a synthetic dataset in the table."""
    return round(float(table.synthetic.sum(axis=1).mean()))


def expected_total_variation(share: FloatArray, n: int) -> float:
    """Return half the sum of E|X_k / n - p_k| for X_k ~ Binomial(n, p_k)."""
    from scipy import stats

    p = share[(share > 0) & (share < 1)]
    above = np.floor(n * p) + 1
    return float((above * stats.binom.pmf(above, n, p) * (1 - p)).sum() / n)


def _cell_name(margin: Margin, position: int) -> str:
    shape = tuple(len(levels) for levels in margin.levels)
    place = np.unravel_index(position, shape)
    return ", ".join(f"{c}={levels[i]}" for c, levels, i in zip(margin.variables, margin.levels, place, strict=True))
