"""The schematic of the lectures: every text is drawn and told, and nothing runs out of the picture."""

from __future__ import annotations

import pytest

from synthlab.exceptions import InputError
from synthlab.teaching.figures import release_diagram

PARTS = {"file": "994 households", "model": "a regression", "released": "m = 20 files", "intruder": "region and race"}
LONG = "m = 20 files; expenditure is synthetic, region, income and race are as collected from each household"


def drawn(shown):
    (ax,) = shown.figure.axes
    return [text.get_text().replace("\n", " ") for text in ax.texts if text.get_text()]


def test_every_text_is_drawn_and_told():
    parts = PARTS | {"asks": "Which record is it?", "analyst": "a student", "wants": "the slope"}
    shown = release_diagram.show(**parts)
    for text in parts.values():
        assert text in shown.description
        assert any(text in one for one in drawn(shown)), text


def test_without_an_analyst_there_is_one_person():
    assert "analyst" not in drawn(release_diagram.show(**PARTS))
    assert "intruder" not in drawn(release_diagram.show(**PARTS | {"intruder": "", "analyst": "a student"}))


@pytest.mark.parametrize("people", [{}, {"analyst": "a student with a regression", "wants": "the slope of income"}])
def test_nothing_runs_out_of_the_picture(people):
    shown = release_diagram.show(
        **PARTS | {"released": LONG, "asks": "Which of these records is about the household?"} | people
    )
    shown.figure.canvas.draw()
    (ax,) = shown.figure.axes
    width, height = shown.figure.canvas.get_width_height()
    for text in ax.texts:
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= width
        assert box.y1 <= height


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"file": " "}, "file: is missing"),
        ({"intruder": ""}, "intruder, analyst: is missing"),
        ({"model": 3}, "model=3: must be a text"),
        ({"released": "word " * 60}, "released: a text of 300 characters"),
    ],
)
def test_a_part_that_is_missing_or_too_long_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        release_diagram.show(**PARTS | change)
