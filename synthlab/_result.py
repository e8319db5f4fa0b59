"""The base of every result: a title, tables, plain values and a figure, shown the same way everywhere."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from synthlab._format import plain, table_html, table_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Result:
    """Base of all results.

    A result gives its `title` and at least one of `summary` and `to_frame`; all else follows. Classes are frozen
    dataclasses with ``repr=False``, so that they print as a title with the table below it.
    """

    __slots__ = ()

    _figure: ClassVar[str] = ""  # the function that draws it, such as "risk.plot_record_risk"
    _table: ClassVar[str] = "summary"  # what is shown below the title; "" where the title says all

    @property
    def title(self) -> str:
        """The quantity measured, in a sentence or two."""
        raise NotImplementedError

    def summary(self) -> pd.DataFrame:
        """Return the table a reader looks at first."""
        return self.to_frame()

    def to_frame(self) -> pd.DataFrame:
        """Return all numbers as one table."""
        return self.summary()

    def to_dict(self) -> dict[str, Any]:
        """Return the title and the summary as plain values that JSON knows; a number that is not defined is None."""
        return {"result": type(self).__name__, "title": self.title, "summary": plain(self.summary())}

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the result; the options are those of the function in `synthlab.plots` that draws it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; a new figure without.
        **options
            Passed on.

        Returns
        -------
        matplotlib.axes.Axes
            The axes drawn on.

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
        """Return the table below the title, or None where the title says all."""
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
