"""Contrast of colors, and their distance under color-vision deficiency.

The functions measure whether a palette is accessible. `contrast_ratio` is the ratio of WCAG 2.2. `color_distance` is the
CIE 1976 distance after the simulation of Machado, Oliveira and Fernandes (2009).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

INK = "#1a1a1a"
PAPER = "#ffffff"
GRID = "#d9d9d9"
CONFIDENTIAL = "#bb4411"
SYNTHETIC = "#006699"
BASELINE = "#222222"
# These five colors maximize the smallest distance, given two of them and a contrast of at least 4.5.
SERIES = (SYNTHETIC, CONFIDENTIAL, BASELINE, "#8811ff", "#996666")

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
DEFICIENCIES: dict[str, FloatArray] = {
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _XYZ.sum(axis=1)


def contrast_ratio(colour: str, background: str = PAPER) -> float:
    """Return the WCAG 2.2 contrast ratio of two colors.

    The ratio is between 1 (equal colors) and 21 (black on white). Text needs 4.5; lines and marks need 3.

    Parameters
    ----------
    colour, background : str
        Colors, each written ``#rrggbb``.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If a color is not written ``#rrggbb``.

    Examples
    --------
    >>> from synthlab.plots.color import contrast_ratio
    >>> contrast_ratio("#000000", "#ffffff")
    21.0
    """
    light, dark = sorted((float(_LUMINANCE @ _linear(c)) for c in (colour, background)), reverse=True)
    return round((light + 0.05) / (dark + 0.05), 10)


def color_distance(first: str, second: str, deficiency: str | None = None) -> float:
    """Return the CIE 1976 distance of two colors under a color-vision deficiency.

    A distance of about 2.3 is just noticeable; a distance of 20 is visible from the back of a lecture hall.

    Parameters
    ----------
    first, second : str
        Colors, each written ``#rrggbb``.
    deficiency : {None, "protanopia", "deuteranopia", "tritanopia"}
        Simulated deficiency; None stands for normal color vision.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If a color is not written ``#rrggbb``, or the deficiency is unknown.

    Examples
    --------
    >>> from synthlab.plots.color import color_distance
    >>> round(color_distance("#ff0000", "#008000")), round(color_distance("#ff0000", "#6b6b00", "deuteranopia"))
    (133, 23)
    """
    _checks.check_choice(deficiency, "deficiency", (None, *DEFICIENCIES))
    return float(np.linalg.norm(_lab(first, deficiency) - _lab(second, deficiency)))


def smallest_distance(colours: Sequence[str]) -> float:
    """Return the smallest distance between two of the colors under any vision.

    The minimum is over normal color vision and the three deficiencies.
    """
    views = (None, *DEFICIENCIES)
    return min(color_distance(a, b, view) for a, b in combinations(colours, 2) for view in views)


def _linear(colour: str) -> FloatArray:
    if not isinstance(colour, str) or not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        raise InputError(f"colour={colour!r}: must be written #rrggbb")
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _lab(colour: str, deficiency: str | None) -> FloatArray:
    linear = _linear(colour)
    if deficiency is not None:
        linear = np.clip(DEFICIENCIES[deficiency] @ linear, 0.0, 1.0)
    ratio = (_XYZ @ linear) / _WHITE
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
