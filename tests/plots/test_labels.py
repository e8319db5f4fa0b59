"""Labels beside points: none on a point, none on another, none outside."""

from __future__ import annotations

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from synthlab.exceptions import InputError
from synthlab.plots import style
from synthlab.plots.labels import label_points


def make_axes() -> Axes:
    with style.context():
        ax = style.off_screen((6.0, 4.0))
    ax.set(xlim=(0, 1), ylim=(0, 1))
    return ax


def extents(ax: Axes) -> list:
    figure = ax.figure
    figure.draw_without_rendering()
    return [text.get_window_extent() for text in ax.texts]


def test_a_point_alone_has_its_label_to_the_right():
    ax = make_axes()
    label_points(ax, [0.4], [0.5], ["one"])
    assert extents(ax)[0].x0 > ax.transData.transform((0.4, 0.5))[0]


def test_at_the_right_end_the_label_goes_to_the_left():
    ax = make_axes()
    label_points(ax, [0.99], [0.5], ["at the end"])
    assert extents(ax)[0].x1 < ax.transData.transform((0.99, 0.5))[0]


def test_neighbors_keep_off_each_other():
    ax = make_axes()
    x, y = [0.40, 0.45, 0.50, 0.42], [0.5, 0.5, 0.5, 0.53]
    label_points(ax, x, y, ["0.02", "0.01", "0.005", "0.5"])
    boxes = extents(ax)
    assert [t.get_text() for t in ax.texts] == ["0.5", "0.02", "0.01", "0.005"]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert not any(box.contains(*ax.transData.transform(point)) for box in boxes for point in zip(x, y, strict=True))


def test_a_label_keeps_off_the_line():
    ax = make_axes()
    label_points(ax, [0.5], [0.5], ["one"], line=[(0.0, 0.5), (1.0, 0.5)])
    box, level = extents(ax)[0], ax.transData.transform((0.5, 0.5))[1]
    assert box.y0 > level or box.y1 < level


def test_no_points_no_labels_and_no_figure_no_place():
    ax = make_axes()
    label_points(ax, [], [], [])
    assert not ax.texts
    lost = Figure().add_subplot()
    lost.remove()
    with pytest.raises(InputError, match="does not belong to a figure"):
        label_points(lost, [0.5], [0.5], ["one"])
