"""Base class of all results, with a title, tables, plain values and a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from synthlab._format import plain, table_html, table_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Result:
    """Base class of all results.

    A subclass defines `title`, and declares the columns of its table or defines at least one of `summary` and
    `to_frame`. Subclasses are frozen dataclasses with ``repr=False``, so that a result prints as its title and a table.
    """

    __slots__ = ()

    _figure: ClassVar[str] = ""  # plotting function in `synthlab.plots`, such as "risk.plot_record_risk"
    # Columns of `to_frame`: attributes with one value per dataset or per record, by name of the column if it differs.
    _per_dataset: ClassVar[Sequence[str] | Mapping[str, str]] = ()
    _per_record: ClassVar[Sequence[str] | Mapping[str, str]] = ()
    _table: ClassVar[str] = "summary"  # method or attribute with the printed table; "" prints only the title

    @property
    def title(self) -> str:
        """Description of the result in one or two sentences."""
        raise NotImplementedError

    def summary(self) -> pd.DataFrame:
        """Return the main table of the result."""
        return self.to_frame()

    def to_frame(self) -> pd.DataFrame:
        """Return all numbers as one table: one row per dataset, numbered from 1, or per record, numbered from 0."""
        columns = self._per_dataset or self._per_record
        if not columns:
            return self.summary()
        attributes = columns if isinstance(columns, Mapping) else dict(zip(columns, columns, strict=True))
        values = {column: getattr(self, attribute) for column, attribute in attributes.items()}
        rows = len(next(iter(values.values())))
        if self._per_dataset:
            return pd.DataFrame(values, index=pd.RangeIndex(1, rows + 1, name="dataset"))
        return pd.DataFrame(values, index=pd.Index(getattr(self, "targets", range(rows)), name="record"))

    def to_dict(self) -> dict[str, Any]:
        """Return title and summary as JSON-compatible values; undefined numbers are None."""
        return {"result": type(self).__name__, "title": self.title, "summary": plain(self.summary())}

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the result with its function in `synthlab.plots`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on. Default: axes of a new figure.
        **options
            Options of the plotting function.

        Returns
        -------
        matplotlib.axes.Axes
            The axes with the plot.

        Raises
        ------
        ExtraUnavailableError
            If Matplotlib is not installed; it is in the extra ``plots``.
        """
        if not self._figure:
            raise NotImplementedError(f"{type(self).__name__} has no figure")
        module, _, name = self._figure.partition(".")
        drawn: Axes = getattr(import_module(f"synthlab.plots.{module}"), name)(self, ax=ax, **options)
        return drawn

    def _shown(self) -> pd.DataFrame | None:
        """Return the printed table, or None if only the title is printed."""
        if not self._table:
            return None
        table = getattr(self, self._table)
        found: pd.DataFrame = table() if callable(table) else table
        return None if found.empty else found

    def __str__(self) -> str:
        table = self._shown()
        return self.title if table is None else f"{self.title}\n\n{table_text(table)}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        table = self._shown()
        title = "".join(f"<p>{escape(line)}</p>" for line in self.title.splitlines())
        return title if table is None else title + table_html(table)
