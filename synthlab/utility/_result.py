"""How the results of this room show themselves: one sentence, then the summary table."""

from __future__ import annotations

from html import escape

import pandas as pd


class ShownAsTable:
    """A result that prints as a head line and its `summary` table, as text and as HTML."""

    __slots__ = ()

    def summary(self) -> pd.DataFrame:
        """Return the table a reader looks at first."""
        raise NotImplementedError

    def describe(self) -> str:
        """Say in a sentence what was compared."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{self.describe()}\n\n{self.summary().to_string(float_format=_short, na_rep='-')}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.describe())}</p>" + self.summary().to_html(float_format=_short, na_rep="-")


def _short(value: float) -> str:
    return f"{value:.4g}"
