"""Where a published number lies: at the last digit that is printed."""

from __future__ import annotations

from math import nan

import pytest

from replications.published import COLUMNS, INPUT, STATUSES, Value, compare, decimals, inside, rounds_to
from synthlab.exceptions import InputError
from tests.loops import every


@every(
    ("printed", "low", "high", "expected"),
    [
        ("0.0451", 0.04514, 0.05, True),
        ("0.0451", 0.04516, 0.05, False),
        ("0.0451", 0.04, 0.04506, True),
        ("0.0451", 0.04, 0.04504, False),
        ("97.10", 97.1049, 99.0, True),
        ("97.10", 97.1051, 99.0, False),
        ("143", 143.4, 150.0, True),
        ("143", 143.6, 150.0, False),
        ("3.6e-05", 3.64e-05, 1.0, True),
        ("3.6e-05", 3.66e-05, 1.0, False),
        ("-45826.20", -45826.1951, 0.0, True),
        ("-45826.20", -45826.1949, 0.0, False),
    ],
)
def test_inside_allows_for_half_a_unit_of_the_last_digit(printed: str, low: float, high: float, expected: bool) -> None:
    assert inside(printed, low, high) is expected


def test_the_digits_of_a_number() -> None:
    assert [decimals(text) for text in ("143", "97.10", "0.0451", "3.6e-05", "2E3")] == [0, 2, 4, 6, -3]


@pytest.mark.parametrize(
    ("value", "printed", "same"),
    [(0.00052, "0.0005", True), (0.0006, "0.0005", False), (172.4, "173", False), (97.1, "97.10", True)],
)
def test_rounds_to(value: float, printed: str, same: bool) -> None:
    assert rounds_to(value, printed) is same


@every(
    ("number", "status"),
    [
        (Value(1.52, 1.52, 1.52), "exact"),
        (Value(1.56, 1.56, 1.56), "outside"),
        (Value(1.8, 1.4, 2.0, 9), "inside 95 %"),
        (Value(1.8, 1.6, 2.0, 9), "outside"),
        (Value(1.5), "no verdict"),
        (Value(1.5, 1.4, 1.6, instead=INPUT), "input"),
        (Value(), "not computable"),
        (Value(nan, 1.0, 2.0, instead=INPUT), "not computable"),
    ],
)
def test_status(number: Value, status: str) -> None:
    assert number.status("1.5") == status
    assert status in STATUSES
    texts = {"one": {"where": "t", "quantity": "q", "printed": "1.5", "reason": "why"}}
    (row,) = compare("a paper", texts, {"one": number}).to_dict("records")
    assert tuple(row) == COLUMNS
    assert (row["paper"], row["published"], row["status"]) == ("a paper", "1.5", status)
    assert row["reason"] == ("" if status in STATUSES[:2] else "why")


def test_numbers_without_a_counterpart_are_an_error() -> None:
    texts = {"one": {"where": "t", "quantity": "q", "printed": "1.5", "reason": ""}}
    for values in ({}, {"one": Value(), "two": Value()}):
        with pytest.raises(InputError, match="is not in both"):
            compare("a paper", texts, values)
