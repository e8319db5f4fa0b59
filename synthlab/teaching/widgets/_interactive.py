"""Layout of ipywidgets controls with a figure that follows their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from synthlab._system import optional_dependencies
from synthlab._warnings import collected, not_filtered_out
from synthlab.exceptions import SynthlabError

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure


def load_ipywidgets() -> Any:
    """Return ipywidgets, or raise an error with the installation command."""
    return optional_dependencies.load("course", "ipywidgets", "an interactive control")


def show(controls: Mapping[str, Any], draw: Callable[..., DescribedFigure]) -> Any:
    """Return the controls and the figure of their values in one column.

    The figure is drawn again when a value changes. Errors and warnings of the package appear as sentences below the controls.

    Parameters
    ----------
    controls : mapping {argument of `draw`: ipywidgets control}
        Controls from top to bottom. Use controls with an accessible name: ipywidgets gives one to number boxes, drop-down lists
        and checkboxes, but not to sliders.
    draw : callable
        Function that returns the figure of the values.

    Returns
    -------
    ipywidgets.VBox
    """
    from IPython.display import display

    def update(**values: Any) -> None:
        try:
            with collected() as given:
                figure = draw(**values)
        except SynthlabError as error:
            _show_message(str(error))
            return
        display(figure)  # type: ignore[no-untyped-call]
        for message in dict.fromkeys(str(warning.message) for warning in not_filtered_out(given)):
            _show_message(message)

    def _show_message(message: str) -> None:
        display({"text/plain": message, "text/html": f'<p role="alert">{escape(message)}</p>'}, raw=True)  # type: ignore[no-untyped-call]

    ipywidgets = load_ipywidgets()
    for control in controls.values():
        control.style.description_width, control.layout.width = "16em", "34em"
    return ipywidgets.VBox([*controls.values(), ipywidgets.interactive_output(update, controls)])
