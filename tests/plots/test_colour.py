"""The palette is measured, and the measures are those of WCAG and CIE."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from synthlab.exceptions import InputError
from synthlab.plots.color import (
    BASELINE,
    CONFIDENTIAL,
    DEFICIENCIES,
    INK,
    PAPER,
    SERIES,
    SYNTHETIC,
    color_distance,
    contrast_ratio,
    smallest_distance,
)
from tests.loops import every

COLOURS = st.integers(0, 0xFFFFFF).map("#{:06x}".format)


@pytest.mark.parametrize(
    ("colour", "ratio"),
    [("#000000", 21.0), ("#ffffff", 1.0), ("#777777", 4.48), ("#0000ff", 8.59), ("#ff0000", 4.0), ("#00ff00", 1.37)],
)
def test_contrast_ratio_gives_the_published_values(colour: str, ratio: float) -> None:
    assert contrast_ratio(colour) == pytest.approx(ratio, abs=0.005)


@given(COLOURS, COLOURS)
def test_contrast_and_distance_are_symmetric(first: str, second: str) -> None:
    assert contrast_ratio(first, second) == contrast_ratio(second, first) >= 1.0
    assert color_distance(first, second) == pytest.approx(color_distance(second, first))
    assert color_distance(first, first, "tritanopia") == 0.0


def test_black_and_white_are_a_hundred_apart_in_lightness() -> None:
    for view in (None, *DEFICIENCIES):
        assert color_distance("#000000", "#ffffff", view) == pytest.approx(100.0, abs=0.05)


def test_red_and_green_come_closer_for_the_red_green_blind_alone() -> None:
    red, green = "#cc0000", "#5a7a00"
    assert color_distance(red, green) > 80
    assert color_distance(red, green, "deuteranopia") < 40
    assert color_distance(red, green, "tritanopia") > 80


@every("colour", [CONFIDENTIAL, SYNTHETIC, BASELINE, INK, *SERIES])
def test_every_colour_can_be_read_as_text_on_paper(colour: str) -> None:
    assert contrast_ratio(colour, PAPER) >= 4.5


def test_every_two_colours_of_the_palette_can_be_told_apart() -> None:
    assert smallest_distance(SERIES) >= 30
    assert smallest_distance([CONFIDENTIAL, SYNTHETIC]) >= 60
    assert smallest_distance(["#00619e", "#93438b"]) < 10  # the measure does fail a pair that is not safe


@pytest.mark.parametrize("colour", ["red", "#fff", "#12345g", "#1234567", 3, None])
def test_a_colour_is_written_with_six_digits(colour: object) -> None:
    with pytest.raises(InputError, match="#rrggbb"):
        contrast_ratio(colour)  # type: ignore[arg-type]


def test_an_unknown_deficiency_is_an_error() -> None:
    with pytest.raises(InputError, match="deficiency='achromatopsia'"):
        color_distance("#000000", "#ffffff", "achromatopsia")
