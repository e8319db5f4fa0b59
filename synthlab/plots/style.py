"""Style of the figures, and functions that create, label and export them.

No global setting is changed: a plotting function draws inside `context`, on its own axes or on the caller's. Each
figure states whether the data are real (about people) or simulated.
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
from synthlab._calls import explains_arguments
from synthlab._system import optional_dependencies
from synthlab.exceptions import InputError
from synthlab.plots.color import GRID, INK, PAPER, SERIES
from synthlab.plots.data_provenance import WORDS, Source as Source, data_kind as data_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image

# Each series also has its own line style and marker, so color is never the only difference.
LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v")
FIGSIZE = (8.0, 4.5)
# Position of a legend above the panel, where it covers nothing.
ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2, "borderaxespad": 0.2}

# At least 12 points on 8 inches: readable from the back of a lecture hall if the figure fills the screen.
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
    """Apply the style of the project inside the block; restore it afterwards.

    Raises
    ------
    ExtraUnavailableError
        If Matplotlib is not installed; install the extra ``plots``.

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
    """Return the given axes, or new ones if None; call it inside `context`."""
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise InputError(
            f"ax: must be matplotlib Axes, as returned by plt.subplots(), or None, got {_checks.described(ax)}"
        )
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=figsize)[1]


def off_screen(figsize: tuple[float, float] = FIGSIZE) -> Axes:
    """Return axes that pyplot does not manage or display; call it inside `context`."""
    from matplotlib.figure import Figure

    return Figure(figsize=figsize).add_subplot()


def panels(number: int, figsize: tuple[float, float], **places: float) -> Any:
    """Return axes side by side, as `off_screen` does, at fixed positions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=figsize)
    figure.set_layout_engine("none")
    return figure.subplots(1, number, gridspec_kw=places)


def series(number: int) -> dict[str, Any]:
    """Return the color, line style and marker of series 0, 1, 2, ..."""
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
    """Set limits and scales, label the axes, and state the kind of the data.

    The margin states whether the data are real or simulated. A legend is drawn if `legend` is given; it has no frame by
    default. Other settings are passed to ``Axes.set``.
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
    """Escape dollar signs, so that matplotlib does not read the text as a formula."""
    return str(text).replace("$", r"\$")


def png(figure: Figure, dpi: int = 110) -> bytes:
    """Return the figure as PNG bytes with a palette of 256 colors; equal figures give equal bytes.

    A palette reduces the size of a notebook to about a third.
    """
    buffer = BytesIO()
    picture(figure, dpi).save(buffer, "png", optimize=True, dpi=(dpi, dpi))
    return buffer.getvalue()


def picture(figure: Figure, dpi: int) -> Image:
    """Return the pixels of the figure, with a palette of 256 colors."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    with _drawn_on(figure, FigureCanvasAgg) as canvas:
        figure.dpi = dpi
        canvas.draw()
        image = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba())
        return image.convert("RGB").quantize(256, dither=Image.Dither.NONE)


def svg(figure: Figure) -> str:
    """Return the figure as an ``<svg>`` element with letters as outlines.

    Equal figures give equal text.
    """
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
    """Attach a figure to a canvas temporarily; ``savefig`` would draw it twice."""
    before = (figure.canvas, figure.dpi)
    try:
        yield canvas(figure)
    finally:
        figure.set_canvas(before[0])
        figure.dpi = before[1]


@dataclass(frozen=True, slots=True, eq=False)
class DescribedFigure:
    """Figure with a text description that a notebook displays together.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    description : str
        Description for readers who cannot see the figure.
    """

    figure: Figure = field(repr=False)
    description: str

    @property
    def title(self) -> str:
        """Titles of the figure and of its panels, in one line; empty if there are none."""
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


@explains_arguments
def figure_with_description(figure: Axes | Figure | Sequence[Axes], description: str) -> DescribedFigure:
    """Show a figure and its text description together in a notebook.

    Front ends do not show alternative text from the metadata of a cell. Therefore, the description is the alternative
    text of the image. It also opens below the figure after a click, so that readers look at the figure first.

    Parameters
    ----------
    figure : Axes, sequence of Axes, or Figure
        Return value of a plotting function. The notebook shows it once, through the returned object.
    description : str
        Description of the figure, including the computed numbers.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        If `description` is empty, or `figure` is not a figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from synthlab.plots.style import figure_with_description
    >>> print(figure_with_description(Figure().add_subplot(), "An empty pair of axes."))
    Figure: An empty pair of axes.
    """
    from matplotlib.figure import Figure

    if not isinstance(description, str) or not description.strip():
        raise InputError(f"description={_checks.shown(description)}: describe in words what the figure shows")
    candidates = np.asarray(figure, dtype=object).reshape(-1)
    first = candidates[0] if candidates.size else None
    found = first if isinstance(first, Figure) else getattr(first, "figure", None)
    if not isinstance(found, Figure):
        raise InputError(f"figure: must be matplotlib Axes or a Figure, got {type(figure).__name__}")
    _close(found)
    return DescribedFigure(found, description.strip())


def _close(figure: Figure) -> None:
    """Close the figure in pyplot, which would show it a second time."""
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)
