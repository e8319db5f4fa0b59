"""Controls of ipywidgets with a figure that follows their values.

The controls are number boxes, drop-down lists and checkboxes: ipywidgets gives them an accessible name, but not to sliders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from synthlab._system import optional_dependencies
from synthlab._warnings import collected, not_filtered_out
from synthlab.exceptions import SynthlabError

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure


def number(text: str, value: float, low: float | None = None, high: float | None = None, *, step: float = 1.0) -> Any:
    """Return a number box with a label; it is for whole numbers if `value` is an integer."""
    kind = "IntText" if isinstance(value, int) else "FloatText"
    if low is None or high is None:
        return _control(kind, text, value=value, step=step)
    return _control(f"Bounded{kind}", text, value=value, min=low, max=high, step=step)


def choice(text: str, options: Iterable[Any], value: Any = None) -> Any:
    """Return a drop-down list of values or (label, value) pairs; the first is selected by default."""
    return _control("Dropdown", text, options=list(options), **({} if value is None else {"value": value}))


def checkbox(text: str, value: bool) -> Any:
    """Return a checkbox with a label."""
    return _control("Checkbox", text, value=value)


def _control(kind: str, text: str, **options: Any) -> Any:
    control = getattr(_ipywidgets(), kind)(description=text, **options)
    control.style.description_width, control.layout.width = "16em", "34em"
    return control


def _ipywidgets() -> Any:
    return optional_dependencies.load("course", "ipywidgets", "an interactive control")


def explorer(draw: Callable[..., DescribedFigure], /, **controls: Any) -> Any:
    """Return the controls and the figure of their values in one column.

    The figure is drawn again when a value changes. Errors and warnings of the package appear as sentences below the controls.

    Parameters
    ----------
    draw : callable
        Function that returns the figure of the values.
    **controls : ipywidgets control
        Controls of the arguments of `draw`, from top to bottom.

    Returns
    -------
    ipywidgets.VBox
    """
    from IPython.display import display

    def update(**values: Any) -> None:
        try:
            with collected() as warnings:
                figure = draw(**values)
        except SynthlabError as error:
            show_message(str(error))
            return
        display(figure)  # type: ignore[no-untyped-call]
        for message in dict.fromkeys(str(warning.message) for warning in not_filtered_out(warnings)):
            show_message(message)

    def show_message(message: str) -> None:
        display({"text/plain": message, "text/html": f'<p role="alert">{escape(message)}</p>'}, raw=True)  # type: ignore[no-untyped-call]

    ipywidgets = _ipywidgets()
    return ipywidgets.VBox([*controls.values(), ipywidgets.interactive_output(update, controls)])
