"""How every figure looks: one context, direct labels beside colour, and what the data are.

Nothing global is changed: a plotting function draws inside `context`, on its own axes or on the
caller's. Each figure says whether the records are about people (real data) or made by a program.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab._system import optional_dependencies
from synthlab.exceptions import InputError
from synthlab.plots.color import GRID, INK, PAPER, SERIES
from synthlab.plots.data_provenance import WORDS, Source as Source, data_kind as data_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Beside its colour every series has a line and a marker of its own.
LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v")
FIGSIZE = (8.0, 4.5)
# Place of a legend over the panel, where it hides nothing.
ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2, "borderaxespad": 0.2}

# Read from the last row when the figure is as wide as the screen: nothing under 12 points on 8 inches.
_RC: dict[str, Any] = {
    "font.size": 13.0,
    "axes.titlesize": 15.0,
    "axes.labelsize": 14.0,
    "xtick.labelsize": 13.0,
    "ytick.labelsize": 13.0,
    "legend.fontsize": 13.0,
    "font.family": "sans-serif",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "lines.linewidth": 2.2,
    "lines.markersize": 8.0,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "synthlab",
}


@contextmanager
def context() -> Iterator[None]:
    """Draw with the style of the project inside the block; matplotlib is as it was afterwards.

    Raises
    ------
    ExtraUnavailableError
        If Matplotlib is not installed; it is in the extra ``plots``.

    Examples
    --------
    >>> import matplotlib
    >>> from synthlab.plots import style
    >>> before = matplotlib.rcParams["font.size"]
    >>> with style.context():
    ...     inside = matplotlib.rcParams["font.size"]
    >>> inside, matplotlib.rcParams["font.size"] == before
    (13.0, True)
    """
    matplotlib = optional_dependencies.load("plots", "matplotlib", "a figure")
    cycler = optional_dependencies.load("plots", "cycler", "a figure").cycler
    settings: Any = {**_RC, "axes.prop_cycle": cycler(color=SERIES) + cycler(linestyle=LINES)}
    with matplotlib.rc_context(settings):
        yield


def axes(ax: Axes | None, figsize: tuple[float, float] = FIGSIZE) -> Axes:
    """Return the caller's axes, or new ones; call it inside `context`."""
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise InputError(f"ax: must be matplotlib Axes, as plt.subplots() gives, or None, got {_checks.described(ax)}")
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=figsize)[1]


def off_screen(figsize: tuple[float, float] = FIGSIZE) -> Axes:
    """Return axes of a figure that no window and no notebook knows of; call it inside `context`."""
    from matplotlib.figure import Figure

    return Figure(figsize=figsize).add_subplot()


def panels(number: int, figsize: tuple[float, float], **places: float) -> Any:
    """Return axes side by side, as `off_screen`, in places that are given: none are looked for when it is drawn."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=figsize)
    figure.set_layout_engine("none")
    return figure.subplots(1, number, gridspec_kw=places)


def series(number: int) -> dict[str, Any]:
    """Return colour, line and marker of series 0, 1, 2, ...; lines change when the colours start again."""
    _checks.check_count(number, "number", minimum=0)
    turn, place = divmod(number, len(SERIES))
    shifted = (place + turn) % len(LINES)
    return {"color": SERIES[place], "linestyle": LINES[shifted], "marker": MARKERS[shifted]}


def finish(
    ax: Axes,
    *,
    kind: str | None = None,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    legend: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Axes:
    """Set limits and scales, label the axes, and write in the margin whether the data are real or simulated.

    A legend, by default without a frame, is drawn where its place is given; other settings are those of ``Axes.set``.
    """
    ax.set(**settings)
    if legend is not None:
        ax.legend(**{"frameon": False, **legend})
    for text, target in ((xlabel, ax.xaxis.label), (ylabel, ax.yaxis.label)):
        if text:
            target.set_text(literal(text))
    if _checks.check_text(title, "title"):
        ax.set_title(literal(title))
    if kind is not None:
        words = WORDS[_checks.check_choice(kind, "kind", tuple(WORDS))]
        look: dict[str, Any] = {"ha": "right", "va": "bottom", "fontsize": 12}
        ax.annotate(words, (1.0, 1.0), (0, 5), xycoords="axes fraction", textcoords="offset points", **look)
    return ax


def literal(text: object) -> str:
    """Return text that matplotlib prints as it is: a dollar sign in a name starts no formula."""
    return str(text).replace("$", r"\$")


def png(figure: Figure, dpi: int = 110) -> bytes:
    """Return the figure as a PNG image, the same bytes for the same figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    buffer = BytesIO()
    with _drawn_on(figure, FigureCanvasAgg) as canvas:
        figure.dpi = dpi
        canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()


def svg(figure: Figure) -> str:
    """Return the figure as one ``<svg>`` element, letters as outlines, the same text for the same figure."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = BytesIO()
    with (
        matplotlib.rc_context({"svg.hashsalt": "synthlab", "svg.fonttype": "path"}),
        _drawn_on(figure, FigureCanvasSVG) as canvas,
    ):
        canvas.print_svg(buffer, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue().decode()
    return text[text.index("<svg") :]


@contextmanager
def _drawn_on(figure: Figure, canvas: Any) -> Iterator[Any]:
    """Put a figure on a canvas for a while; ``savefig`` would draw it twice, the first time for the layout alone."""
    before = (figure.canvas, figure.dpi)
    try:
        yield canvas(figure)
    finally:
        figure.set_canvas(before[0])
        figure.dpi = before[1]


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

    @property
    def title(self) -> str:
        """The titles of the figure and of its panels, in one line; empty if there is none."""
        overall = [self.figure.get_suptitle()]
        panels = [ax.get_title(loc=place) for ax in self.figure.axes for place in ("left", "center", "right")]
        return "; ".join(" ".join(text.split()) for text in overall + panels if text.strip())

    def _repr_html_(self) -> str:
        words = escape(self.description)
        image = b64encode(png(self.figure)).decode()
        return (
            f'<figure data-title="{escape(self.title)}" style="margin:0"><img alt="{words}" src="data:image/png;base64,{image}" style="max-width:100%">'
            f'<figcaption aria-hidden="true"><details><summary>The figure in words</summary>{words}</details></figcaption>'
            "</figure>"
        )

    def __str__(self) -> str:
        return f"Figure: {self.description}"


def figure_with_description(figure: Axes | Figure | Sequence[Axes], description: str) -> DescribedFigure:
    """Show a figure and its text description together in a notebook.

    An alternative text in the metadata of a cell is shown by no front end; here it is the alternative text of the
    image, and below the figure it opens with a click, so that a reader looks first.

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
