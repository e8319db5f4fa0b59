"""Numbers that differ from a short decimal number only by the error of floating-point arithmetic."""

from __future__ import annotations

import numpy as np

from synthlab._typing import FloatArray

DIGITS = 12  # digits of a decimal number that the result of a computation can stand for
FEWER = 9  # digits if the result itself can be written with 16 digits, as a long identifier can
ULPS = 4.0  # largest error, in units of the last place
LARGEST_POWER = 22  # 10**22 is the largest power of ten that a float represents exactly


def without_rounding_errors(values: FloatArray) -> FloatArray:
    """Return numbers in which results of computations are replaced by the decimal numbers that they stand for.

    A number is replaced by a decimal number of at most 12 digits if the two differ by at most 4 units in the last place:
    1.1 + 2.2, which is 3.3000000000000003, by 3.3. Whole numbers and numbers that can be written with 15 digits are not
    changed. A number that can be written with 16 digits might be an identifier, and is replaced only by a number of at most
    9 digits. Each number is replaced independently of the others, so that parts of a file can be compared. The larger errors
    of a difference of two nearly equal numbers remain.

    >>> import numpy as np
    >>> without_rounding_errors(np.array([1.1 + 2.2, 0.7 + 0.1, 0.1234567890123456, 2.0**53 + 2])).tolist()
    [3.3, 0.8, 0.1234567890123456, 9007199254740994.0]
    """
    values = np.asarray(values, dtype=np.float64)
    rows = np.flatnonzero(np.isfinite(values) & (values != np.rint(values)))
    if not rows.size:
        return values
    some = values[rows]
    power = DIGITS - 1 - np.floor(np.log10(np.abs(some))).astype(np.int64)
    # A whole number below 2**53 divided by an exact power of ten is the float nearest to the decimal number.
    scale = 10.0 ** np.clip(power, 0, LARGEST_POWER)
    short = np.rint(some * scale) / scale
    close = (short != some) & (np.abs(short - some) <= ULPS * np.spacing(np.abs(some))) & (power <= LARGEST_POWER)
    if close.any():
        values = values.copy()
        values[rows[close]] = [_short(value) for value in some[close].tolist()]
    return values


def _short(value: float) -> float:
    """Return the decimal number that a number stands for, or the number itself."""
    digits = len(repr(value).lower().partition("e")[0].replace(".", "").strip("-0"))
    if digits <= 15:
        return value
    near = float(f"{value:.{(DIGITS if digits > 16 else FEWER) - 1}e}")
    return near if abs(near - value) <= ULPS * np.spacing(abs(value)) else value


__all__ = ["without_rounding_errors"]
