"""Columns of partial dates, as a column of days and a column of precisions that are synthesized."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.io.partial_dates import PRECISIONS, PartialDates
from synthlab.synthesis.naming import TREE


@dataclass(frozen=True, slots=True, eq=False)
class DividedDates:
    """Confidential data in which each column of partial dates is divided into days and precisions.

    Parameters
    ----------
    original : pandas.DataFrame
        The confidential data.
    frame : pandas.DataFrame
        The data with days instead of partial dates, each after its precision.
    dates : mapping of str to PartialDates
        The partial dates of each column.
    precisions : mapping of str to str
        The name of the column of precisions, such as "start (precision)".
    """

    original: pd.DataFrame = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    dates: Mapping[str, PartialDates] = field(repr=False, default_factory=dict)
    precisions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, confidential: pd.DataFrame, models: Mapping[str, object]) -> DividedDates:
        """Divide the columns of text that hold dates of several precisions.

        A partial date counts as the first day of its period, or as the last one if most dates of the column are later
        than the other dates of the records.

        Raises
        ------
        InputError
            If a date does not exist, such as 2013-02-30.
        """
        dates = {}
        for column in confidential.columns:
            series = confidential[column]
            if models.get(column, TREE) != TREE or not _is_text(series):
                continue
            found = PartialDates.of(series)
            if found is None:
                continue
            if found.impossible.any():
                raise InputError(
                    f"confidential: column {column!r} holds dates of several precisions, such as year and month, but the dates "
                    f"of {_checks.first_of(found.impossible.to_numpy(dtype=bool), 'records')} do not exist; correct them, or release the texts of the file with models={{{column!r}: 'sample'}}"
                )
            dates[column] = found
        if not dates:
            return cls(confidential, confidential)
        others = {c: one.first for c, one in dates.items()}
        for column in confidential.columns:
            if column not in dates and (instants := _checks.as_instants(confidential[column])) is not None:
                others[column] = pd.Series(instants, index=confidential.index)
        columns: dict[str, pd.Series] = {}
        precisions = {}
        for column in confidential.columns:
            if column not in dates:
                columns[column] = confidential[column]
                continue
            one, name = dates[column], f"{column} (precision)"
            while name in confidential.columns:
                name += "_"
            used = [precision for precision in PRECISIONS if precision in one.formats]
            precisions[column] = name
            columns[name] = pd.Series(pd.Categorical(one.precision.fillna(used[0]), used), index=confidential.index)
            columns[column] = one.last if _is_later(column, one.first, others) else one.first
        frame = pd.DataFrame(columns, index=confidential.index)
        frame.attrs = confidential.attrs
        return cls(confidential, frame, dates, precisions)

    @property
    def within(self) -> dict[str, str]:
        """The column of precisions within which each column of days is drawn."""
        return dict(self.precisions)

    def with_precisions(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return columns with the precision before each column of days."""
        named = [n for c in columns for n in ((self.precisions[c], c) if c in self.precisions else (c,))]
        return tuple(dict.fromkeys(named))

    def restored(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a synthetic dataset with texts instead of days and precisions."""
        columns = {}
        for column, name in self.precisions.items():
            if column not in frame:
                continue
            like, days = self.original[column], frame[column]
            texts = self.dates[column].write(days, frame[name])
            gone = days.isna().to_numpy(dtype=bool)
            texts[gone] = next(iter(like[like.isna()]), None)
            columns[column] = texts.astype(like.dtype)
        made = frame.assign(**columns).drop(columns=[n for n in self.precisions.values() if n in frame])
        made.attrs = frame.attrs
        return made


def _is_text(series: pd.Series) -> bool:
    return not isinstance(series.dtype, pd.CategoricalDtype) and _checks.kind_of(series) == "text"


def _is_later(column: str, days: pd.Series, others: Mapping[str, pd.Series]) -> bool:
    """Return whether most dates of a column are later than the other dates of the records."""
    later = 0
    for name, other in others.items():
        if name != column:
            gap = (days.astype("datetime64[s]") - other.astype("datetime64[s]")).dt.total_seconds()
            later += int(np.sign(gap.fillna(0.0)).sum())
    return later > 0
