"""What the decorator of the figures gives to every one of them, and the marks they share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import synthlab
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.sampling import plot_repeated_intervals
from synthlab.teaching.figures.lecture_01 import plot_crowd
from synthlab.teaching.figures.lecture_14 import plot_synthetic_counts
from tests.loops import every

ROOT = Path(synthlab.__file__).parent


def figures() -> list[Callable[..., object]]:
    """Return every function that draws a figure."""
    return [
        function
        for folder in ("plots", "teaching/figures")
        for path in sorted((ROOT / folder).glob("*.py"))
        for name, function in vars(import_module(f"synthlab.{folder.replace('/', '.')}.{path.stem}")).items()
        if name.startswith("plot_")
    ]


@every("function", figures)
def test_every_figure_has_the_decorator_and_keeps_its_signature(function):
    assert inspect.unwrap(function) is not function
    parameters = inspect.signature(function).parameters
    for name in ("ax", "data"):
        if name in parameters:
            assert parameters[name].default is None
    assert function.__globals__["__name__"] == function.__module__


@pytest.mark.parametrize("wrong", [3, "ax", plt.Figure()], ids=["number", "text", "figure"])
def test_what_is_no_axes_is_refused_by_name(wrong):
    with pytest.raises(InputError, match="^ax: must be matplotlib Axes"):
        plot_crowd({"nothing": 3}, wrong)
    with pytest.raises(InputError, match="^ax: must be matplotlib Axes"):
        plot_repeated_intervals([[0, 2]], 1.0, ax=wrong)


def test_panels_that_are_no_axes_are_refused():
    import synthlab.counts as slc

    with pytest.raises(InputError, match="^ax: must be matplotlib Axes"):
        plot_synthetic_counts(slc.Poisson(), [1], axes=[3])


def test_the_kind_of_data_is_written_on_the_panel_at_the_top_right():
    @_decorators.figure(kind="simulated")
    def plot_four():
        """Draw nothing.

        Parameters
        ----------
        """
        return plt.subplots(2, 2, squeeze=False)[1].ravel().tolist()

    panels = plot_four()
    assert [[text.get_text() for text in panel.texts] for panel in panels] == [[], ["simulated data"], [], []]


@pytest.mark.parametrize(
    ("sources", "kind"),
    [(({"a": None, "b": "real"},), "real"), ((None, [None, "simulated"]), "simulated"), (({}, []), None)],
)
def test_what_knows_may_be_in_a_mapping_or_a_list(sources, kind):
    assert style.data_kind(*sources) == kind


def test_a_failure_leaves_the_style_of_matplotlib_as_it_was():
    before = dict(plt.rcParams)
    with pytest.raises(InputError):
        plot_crowd({"nothing": 3}, 3)
    assert dict(plt.rcParams) == before


def test_a_note_prints_a_dollar_sign():
    ax = style.off_screen()
    _decorators.note(ax, "5 $ and 6 $", (0.5, 0.5), (0, 0), units="")
    ax.figure.draw_without_rendering()
    assert ax.texts[0].get_text() == r"5 \$ and 6 \$"
