"""Figures and tables of a page: an image that needs no file beside it, and what it shows in words."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE = (6.4, 4.2)
SQUARE = (5.5, 5.2)


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as a data URI, its caption, and what it shows in words."""

    source: str
    caption: str
    description: str
    square: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text: its heading, what to know of it, column heads and rows; the first cell is the head of its row."""

    heading: str
    text: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a measure shows on the page below its lines; `not_drawn` names what has no figure there."""

    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    not_drawn: tuple[str, ...] = ()


def draw(onto: Callable[[Axes], Any], caption: str, description: str, figsize: tuple[float, float] = WIDE) -> Picture:
    """Draw on a figure of its own and keep it as a data URI, so that ids of two figures cannot clash."""
    from synthlab.plots import style

    with style.context():
        ax: Axes = style.off_screen(figsize)
        onto(ax)
        image = style.svg(cast("Figure", ax.figure))
    source = f"data:image/svg+xml;base64,{b64encode(image.encode()).decode()}"
    return Picture(source, caption, description, square=figsize is SQUARE)
