"""Decorator for figure functions, and marks that several figures draw."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import wraps
from textwrap import fill
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, cast

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

LONGEST_NAME = 36  # characters of a name in one line

P = ParamSpec("P")
T = TypeVar("T")
Drawn = TypeVar("Drawn", bound="Axes | Sequence[Axes] | npt.NDArray[np.object_]")

COMMON = {
    "ax": "ax : matplotlib.axes.Axes, optional\n    Axes to draw on; a new figure by default.",
    "data": 'data : Dataset, DataFrame, Release, "real" or "simulated", optional\n    Source of the data label of the figure',
    "title": "title : str, optional\n    Title of the figure.",
}
KNOWN = "; by default taken from `{}`"
RETURNS = "Returns\n-------\nmatplotlib.axes.Axes"
UNITS: dict[str, Any] = {
    "xy": "data",
    "x": ("data", "axes fraction"),
    "y": ("axes fraction", "data"),
    "": "axes fraction",
}


def figure(*knows: str, kind: str | None = None) -> Callable[[Callable[P, Drawn]], Callable[P, Drawn]]:
    """Decorate a function that draws on axes; its signature does not change.

    The decorated function draws inside `style.context`. Its panel, or the panel at the top right, states whether the
    data are real or simulated. The paragraphs that all figure functions share are added to its docstring: `ax`, `data`,
    `title` and the returned value.

    Parameters
    ----------
    *knows : str
        Names of the arguments that the data kind is taken from when `data` is not given.
    kind : {"real", "simulated"}, optional
        Kind of the data, if it is the same for every call.

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> from synthlab.plots import style
    >>> from synthlab.plots._decorators import figure
    >>> @figure("result")
    ... def plot_point(result, ax=None, *, data=None):
    ...     '''Draw a point.
    ...
    ...     Parameters
    ...     ----------
    ...     result : float
    ...         Both coordinates of the point.
    ...     '''
    ...     ax = style.axes(ax)
    ...     ax.plot(result, result, "o")
    ...     return ax
    >>> [text.get_text() for text in plot_point(1.0, data="real").texts]
    ['real data']
    >>> plot_point.__doc__.splitlines()[6:8]
    ['ax : matplotlib.axes.Axes, optional', '    Axes to draw on; a new figure by default.']
    """

    def decorate(draw: Callable[P, Drawn]) -> Callable[P, Drawn]:
        signature = inspect.signature(draw)

        def run(*args: P.args, **kwargs: P.kwargs) -> Drawn:
            with style.context():
                drawn = draw(*args, **kwargs)
                given = signature.bind(*args, **kwargs).arguments
                word = kind or style.data_kind(*(given.get(name) for name in ("data", *knows)))
                style.finish(_top_right(drawn), kind=word)
                return drawn

        def call(*args: P.args, **kwargs: P.kwargs) -> Drawn:
            return run(*args, **kwargs)

        # Doctest skips a function whose globals belong to another module.
        twin = FunctionType(call.__code__, getattr(draw, "__globals__"), closure=call.__closure__)  # noqa: B009
        public = wraps(draw)(cast("Callable[P, Drawn]", twin))
        public.__doc__ = _documented(draw.__doc__, signature.parameters, knows)
        return public

    return decorate


def _top_right(drawn: Axes | Sequence[Axes] | npt.NDArray[np.object_]) -> Axes:
    panels: Sequence[Axes] = np.asarray(drawn, dtype=object).reshape(-1).tolist()
    return max(panels, key=lambda panel: (panel.get_position().y1, panel.get_position().x1))


def _documented(text: str | None, parameters: Mapping[str, object], knows: Sequence[str]) -> str | None:
    """Return the docstring with the common paragraphs, in the order of the signature."""
    if text is None:  # python -OO
        return None
    head, *sections = re.split(r"\n\n(?=[A-Z][a-z ]+\n---)", inspect.cleandoc(text))
    title, *entries = re.split(r"\n(?=\S)(?!---)", sections[0])
    own = {name: entry for entry in entries for name in entry.partition(" : ")[0].replace("*", "").split(", ")}
    common = {**COMMON, "data": COMMON["data"] + (KNOWN.format(knows[0]) if knows else "") + "."}
    wanted = dict.fromkeys(own.get(name) or common[name] for name in parameters)
    returns = [] if sections[1:] and sections[1].startswith("Returns\n") else [RETURNS]
    return "\n\n".join([head, "\n".join([title, *wanted]), *returns, *sections[1:]])


def note(
    ax: Axes,
    words: object,
    at: tuple[float, float],
    offset: tuple[float, float],
    *,
    units: Literal["xy", "x", "y", ""] = "xy",
    **look: Any,
) -> None:
    """Write text next to a data point, shifted by `offset` typographic points.

    The coordinates of `at` named in `units` are data coordinates; the others are fractions of the panel, from 0 to 1.
    """
    ax.annotate(style.literal(words), at, offset, xycoords=UNITS[units], textcoords="offset points", **look)


def rows(
    ax: Axes | None,
    names: Collection[object],
    height: float,
    *,
    margin: float = 1.6,
    width: float = style.FIGSIZE[0],
    first_on_top: bool = True,
) -> tuple[Axes, FloatArray]:
    """Return axes with one row per name, and the row positions; sizes are in inches."""
    ax = style.axes(ax, (width, margin + height * len(names)))
    places = np.arange(len(names), dtype=np.float64)[:: -1 if first_on_top else 1]
    ax.set_yticks(places, [style.literal(_wrapped(str(name))) for name in names])
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.grid(axis="y", visible=False)
    return ax, places


def _wrapped(name: str) -> str:
    return fill(name, LONGEST_NAME) if len(name) > LONGEST_NAME else name


def violin(
    ax: Axes,
    values: FloatArray,
    place: float,
    colour: str,
    *,
    alpha: float,
    width: float = 0.85,
    linewidth: float = 1.2,
    points: int = 300,
    side: Literal["both", "low", "high"] = "both",
) -> None:
    """Draw the distribution of values as a horizontal violin."""
    parts = ax.violinplot(
        [values], [place], orientation="horizontal", widths=width, showextrema=False, points=points, side=side
    )
    shapes: Any = parts["bodies"]
    shapes[0].set(facecolor=colour, alpha=alpha, edgecolor=colour, linewidth=linewidth)


def few_ticks(ax: Axes) -> None:
    """Set about six ticks along the horizontal axis."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(6))


def scattered(count: int) -> FloatArray:
    """Return the first `count` numbers of the golden-ratio sequence in [0, 1)."""
    return np.asarray((np.arange(count) * 0.6180339887498949) % 1.0, dtype=np.float64)


def filled(given: Mapping[str, T], name: str) -> Mapping[str, T]:
    """Return the mapping unchanged; raise `InputError` if it is empty."""
    if not given:
        raise InputError(f"{name}: is an empty mapping; give at least one entry")
    return given


def named(given: T | Mapping[str, T], name: str, alone: str = "") -> Mapping[str, T]:
    """Return a non-empty mapping; a single object is put under the name `alone`."""
    return filled(given, name) if isinstance(given, Mapping) else {alone: given}


def each(given: Mapping[str, T]) -> Iterator[tuple[str, T, dict[str, Any]]]:
    """Yield each name, its value, and the color, line and marker of its series."""
    for number, (name, value) in enumerate(given.items()):
        yield name, value, style.series(number)


def no_marker(look: Mapping[str, Any]) -> dict[str, Any]:
    """Return the color and the line style of a series."""
    return {name: value for name, value in look.items() if name != "marker"}


def thousands(axis: Axis) -> None:
    """Format the tick labels of an axis as whole numbers with commas."""
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}")
