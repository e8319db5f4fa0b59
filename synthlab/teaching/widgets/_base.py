"""Shared parts of all controls: labeled boxes, a status line, and the figure."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from synthlab._system import optional_dependencies
from synthlab._warnings import collected, not_filtered_out
from synthlab.exceptions import SynthlabError

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure

COMPUTING = "computing ..."
KEPT = "The figure is that of the last values that could be computed."
MOST_KEPT = 300  # figures of one control
DIGITS = 6

# Values of other boxes that follow from the one that was changed.
Follow = Mapping[str, Callable[[Any], Mapping[str, Any]]]
Box: TypeAlias = "Number | Choice"


@dataclass(frozen=True, slots=True)
class Number:
    """A number box with a range, which its label tells; a `value` outside widens the range.

    The arrow keys go to the multiples of `step`. The browser would count from the lower end of a range that it knows, so
    the range is kept here.
    """

    label: str
    value: float
    low: float
    high: float
    step: float = 1

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        return min(self.low, self.value), max(self.high, self.value)

    @property
    def whole(self) -> bool:
        """True if the box holds whole numbers only."""
        return isinstance(self.value, int) and isinstance(self.step, int)

    @property
    def words(self) -> str:
        """The label with the range."""
        return f"{self.label} ({' to '.join(f'{end:,.10g}' for end in self.ends)})"

    def read(self, value: Any) -> tuple[float, str]:
        """Return a value of the range, and a sentence if it is not the one that was typed."""
        low, high = self.ends
        taken = min(max(value, low), high)
        taken = taken if self.whole else float(f"{taken:.{DIGITS}g}")
        return taken, "" if low <= value <= high else f"{self.words}: {taken:,.10g} is taken."

    def widget(self, ipywidgets: Any, look: Mapping[str, Any]) -> Any:
        """Return the number box."""
        kind = ipywidgets.IntText if self.whole else ipywidgets.FloatText
        return kind(value=self.read(self.value)[0], step=self.step, description=self.words, **look)


@dataclass(frozen=True, slots=True)
class Choice:
    """A drop-down list: what its entries are called, and what they stand for."""

    label: str
    options: Mapping[str, Hashable]
    value: Hashable

    @property
    def words(self) -> str:
        """The label."""
        return self.label

    def read(self, value: Any) -> tuple[Any, str]:
        """Return the value; a list knows no others."""
        return value, ""

    def widget(self, ipywidgets: Any, look: Mapping[str, Any]) -> Any:
        """Return the drop-down list."""
        return ipywidgets.Dropdown(options=list(self.options.items()), value=self.value, description=self.label, **look)


def listed(label: str, names: Sequence[str]) -> Choice:
    """Return a drop-down list in which names are labels and values; the first is selected."""
    return Choice(label, {name: name for name in names}, next(iter(names)))


class Control:
    """Boxes and the figure they lead to.

    A figure is computed once for the values of the boxes; while it is, a line under the boxes says so. The same line says
    what a value outside its range was taken for, what the package warns of, and why a figure could not be computed; the
    figure before it stays then.

    Parameters
    ----------
    boxes : mapping {argument: Number or Choice}
        From the top.
    draw : callable
        Called with the value of each box as the argument of its name; returns a `DescribedFigure`.
    follow : mapping {argument: callable}, optional
        Called with a new value of that box; returns the values that other boxes take with it.
    ahead : sequence of str
        Drop-down lists whose entries are all drawn at the beginning, with the other boxes as they are then.

    Attributes
    ----------
    view : ipywidgets.VBox
        The boxes, the line, and the figure.

    Raises
    ------
    SynthlabError
        What `draw` raises for the values the boxes begin with.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """

    def __init__(
        self,
        boxes: Mapping[str, Box],
        draw: Callable[..., DescribedFigure],
        *,
        follow: Follow | None = None,
        ahead: Sequence[str] = (),
    ) -> None:
        ipywidgets = optional_dependencies.load("course", "ipywidgets", "a control")
        width = 0.6 * max(len(box.words) for box in boxes.values()) + 1
        look = {"style": {"description_width": f"{width:.0f}em"}, "layout": {"width": f"{width + 18:.0f}em"}}
        self._boxes, self._draw, self._follow = boxes, draw, follow or {}
        self._kept: dict[tuple[Any, ...], tuple[str, str]] = {}
        self._quiet = False
        self._widgets = {name: box.widget(ipywidgets, look) for name, box in boxes.items()}
        self._line = ipywidgets.HTML(layout={"min_height": "2em"})
        self._shown = ipywidgets.HTML()
        first = self._settings()
        for entries in itertools.product(*(dict(self._widgets[name].options).values() for name in ahead)):
            self._figure({**first, **dict(zip(ahead, entries, strict=True))})
        self._shown.value, heard = self._figure(first)
        self._say(heard)
        self.view = ipywidgets.VBox([*self._widgets.values(), self._line, self._shown])
        for name, widget in self._widgets.items():
            widget.observe(lambda change, name=name: self._changed(name, change["new"]), names="value")

    def _settings(self) -> dict[str, Any]:
        return {name: box.read(self._widgets[name].value)[0] for name, box in self._boxes.items()}

    def _changed(self, name: str, value: Any) -> None:
        if self._quiet:
            return
        taken, corrected = self._boxes[name].read(value)
        self._set({name: taken, **(self._follow[name](taken) if name in self._follow else {})})
        settings, said = self._settings(), KEPT
        try:
            if tuple(settings.values()) not in self._kept:
                self._say(COMPUTING)
            self._shown.value, said = self._figure(settings)
        except SynthlabError as error:
            said = f"{error} {KEPT}"
        finally:
            self._say(" ".join(filter(None, [corrected, said])))

    def _set(self, values: Mapping[str, Any]) -> None:
        """Set boxes without drawing."""
        self._quiet = True
        try:
            for name, value in values.items():
                self._widgets[name].value = value
        finally:
            self._quiet = False

    def _figure(self, settings: Mapping[str, Any]) -> tuple[str, str]:
        """Return the figure of the settings and what was warned of; a second time it is the one that was kept."""
        key = tuple(settings.values())
        if key not in self._kept:
            with collected() as given:
                html = self._draw(**settings)._repr_html_()
            heard = not_filtered_out(given)
            if len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = html, " ".join(dict.fromkeys(str(one.message) for one in heard))
        return self._kept[key]

    def _say(self, words: str) -> None:
        self._line.value = f'<span role="status">{escape(words)}</span>'
