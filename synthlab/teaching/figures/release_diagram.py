"""Diagram of the agency, the released data, the intruder and the analyst."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, GRID, INK, PAPER, SYNTHETIC
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, LOW, HEIGHT = 12.0, 0.95, 5.2
TOP, MIDDLE = 3.55, 2.0  # vertical positions of the files and of the people
CHARACTERS = 30  # characters per line below a symbol


def show(
    *,
    file: str,
    model: str,
    released: str,
    intruder: str = "",
    asks: str = "",
    analyst: str = "",
    wants: str = "",
) -> DescribedFigure:
    """Show the diagram of a lecture, with its description.

    Parameters
    ----------
    file : str
        File of the agency, for example ``"994 households, as collected"``.
    model : str
        Model that creates the release, for example ``"regression of expenditure on income"``.
    released : str
        Public data, for example ``"m = 20 files; expenditure is synthetic, the rest as collected"``.
    intruder, asks : str, optional
        Information of the intruder, and the intruder's question.
    analyst, wants : str, optional
        Analyst of the release, and the analyst's question.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        If a text is missing or too long, or both `intruder` and `analyst` are missing.

    Examples
    --------
    >>> from synthlab.teaching.figures import release_diagram
    >>> print(release_diagram.show(
    ...     file="994 households", model="a regression", released="m = 20 files", intruder="region and race",
    ...     asks="Which record is it?"))
    Figure: Confidential file, held by the agency: 994 households. Through a regression it becomes the released data, open to everybody: m = 20 files. The intruder holds: region and race. They ask: Which record is it?
    """
    texts = {"file": file, "model": model, "released": released, "intruder": intruder, "asks": asks}
    texts |= {"analyst": analyst, "wants": wants}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise InputError(f"{name}={_checks.shown(text)}: must be a text")
        if len(wrap(text, CHARACTERS)) > 4:
            raise InputError(f"{name}: a text of {len(text)} characters; at most four lines of {CHARACTERS} fit")
    missing = [name for name in ("file", "model", "released") if not texts[name].strip()]
    if missing or not (intruder or analyst):
        raise InputError(f"{', '.join(missing) or 'intruder, analyst'}: is missing; describe it in a few words")
    return figure_with_description(_plot(**texts), _words(**texts))


def _words(*, file: str, model: str, released: str, intruder: str, asks: str, analyst: str, wants: str) -> str:
    parts = [
        f"Confidential file, held by the agency: {file}",
        f"Through {model} it becomes the released data, open to everybody: {released}",
    ]
    parts += [f"The intruder holds: {intruder}"] if intruder else []
    parts += [f"They ask: {asks}"] if asks else []
    parts += [f"The analyst: {analyst}"] if analyst else []
    parts += [f"They want: {wants}"] if wants else []
    return " ".join(part if part[-1] in ".?!" else f"{part}." for part in parts)


@_decorators.figure()
def _plot(*, file: str, model: str, released: str, intruder: str, asks: str, analyst: str, wants: str) -> Axes:
    ax = style.axes(None, (9.0, 3.4))
    ax.set(xlim=(0, WIDTH), ylim=(LOW, HEIGHT), aspect="equal")
    ax.axis("off")
    there = [one for one in (("intruder", intruder, asks), ("analyst", analyst, wants)) if one[1]]
    files_at = 6.0
    _page(ax, 1.6, TOP, CONFIDENTIAL)
    _below(ax, 1.6, "confidential file", file, CONFIDENTIAL)
    for order, shift in enumerate((0.24, 0.12, 0.0), start=1):
        _page(ax, files_at + shift, TOP + shift, SYNTHETIC, order)
    _below(ax, files_at, "released data", released, SYNTHETIC)
    _arrow(ax, (2.4, TOP), (5.2, TOP), _lines(model, 24), INK)
    for (name, holds, question), at in zip(there, (10.3,) if len(there) == 1 else (9.0, 11.2), strict=True):
        _person(ax, at, TOP, CONFIDENTIAL if name == "intruder" else INK)
        width = CHARACTERS if len(there) == 1 else 20
        _below(ax, at, name, holds if name == "analyst" else f"holds {holds}", INK, width)
        if question:
            ax.text(at, TOP + 1.0, _lines(question, width), ha="center", va="bottom", style="italic", fontsize=9)
    start = 9.7 if len(there) == 1 else 8.4
    _arrow(ax, (start, TOP), (6.95, TOP), "", INK)
    ax.set_title("Who has what")
    return ax


def _page(ax: Axes, x: float, y: float, colour: str, order: int = 1) -> None:
    """Draw a file as a page with lines."""
    from matplotlib.patches import Rectangle

    ax.add_patch(
        Rectangle((x - 0.5, y - 0.62), 1.0, 1.24, facecolor=PAPER, edgecolor=colour, linewidth=1.8, zorder=order)
    )
    for line in range(5):
        height = y + 0.4 - 0.2 * line
        ax.plot([x - 0.36, x + 0.36], [height, height], color=colour if line == 0 else GRID, ls="-", zorder=order)


def _person(ax: Axes, x: float, y: float, colour: str) -> None:
    """Draw a person as head and shoulders."""
    from matplotlib.patches import Circle, Wedge

    ax.add_patch(Circle((x, y + 0.3), 0.26, facecolor=colour, edgecolor="none"))
    ax.add_patch(Wedge((x, y - 0.55), 0.5, 0, 180, facecolor=colour, edgecolor="none"))


def _below(ax: Axes, x: float, name: str, text: str, colour: str, width: int = CHARACTERS) -> None:
    ax.text(x, MIDDLE + 0.55, name, ha="center", va="center", color=colour, weight="bold", fontsize=10)
    ax.text(x, MIDDLE + 0.25, _lines(text, width), ha="center", va="top", fontsize=9)


def _lines(text: str, width: int) -> str:
    return "\n".join(wrap(text, width))


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], text: str, colour: str) -> None:
    arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.4}
    ax.annotate("", xy=end, xytext=start, arrowprops=arrow)
    if text:
        ax.text((start[0] + end[0]) / 2, start[1] + 0.15, text, ha="center", va="bottom", fontsize=9)
