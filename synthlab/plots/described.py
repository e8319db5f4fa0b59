"""Figures as images, and a figure together with what it shows in words."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def png(figure: Figure, dpi: int = 110) -> bytes:
    """Return the figure as a PNG image, the same bytes for the same figure."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def svg(figure: Figure) -> str:
    """Return the figure as one ``<svg>`` element, letters as outlines, the same text for the same figure."""
    import matplotlib

    buffer = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "synthlab", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue().decode()
    return text[text.index("<svg") :]


@dataclass(frozen=True, slots=True, eq=False)
class DescribedFigure:
    """A figure and what it shows in words, which a notebook displays together.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    description : str
        What a reader who does not see it must know.
    """

    figure: Figure = field(repr=False)
    description: str

    def _repr_html_(self) -> str:
        words = escape(self.description)
        image = b64encode(png(self.figure)).decode()
        return (
            f'<figure style="margin:0"><img alt="{words}" src="data:image/png;base64,{image}" style="max-width:100%">'
            f"<figcaption>{words}</figcaption></figure>"
        )

    def __str__(self) -> str:
        return f"Figure: {self.description}"


def figure_with_description(figure: Axes | Figure | Sequence[Axes], description: str) -> DescribedFigure:
    """Show a figure and its text description together in a notebook.

    An alternative text in the metadata of a cell is shown by no front end; here it is the caption
    below the figure, and the alternative text of the image.

    Parameters
    ----------
    figure : Axes, sequence of Axes, or Figure
        What a plotting function returned. The notebook shows it once, through the returned object.
    description : str
        What there is to see, in words; computed numbers belong in it.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        If there is no description, or no figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from synthlab.plots.style import figure_with_description
    >>> print(figure_with_description(Figure().add_subplot(), "An empty pair of axes."))
    Figure: An empty pair of axes.
    """
    from matplotlib.figure import Figure

    if not isinstance(description, str) or not description.strip():
        raise InputError(f"description={_checks.shown(description)}: say in words what the figure shows")
    candidates = np.asarray(figure, dtype=object).reshape(-1)
    first = candidates[0] if candidates.size else None
    found = first if isinstance(first, Figure) else getattr(first, "figure", None)
    if not isinstance(found, Figure):
        raise InputError(f"figure: must be matplotlib Axes or a Figure, got {type(figure).__name__}")
    _close(found)
    return DescribedFigure(found, description.strip())


def _close(figure: Figure) -> None:
    """Take the figure out of pyplot's hands, which would show it a second time."""
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)
