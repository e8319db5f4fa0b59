"""Format numbers and tables as text and HTML."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

MISSING = "-"
UNDEFINED = "not defined"  # text for NaN in sentences
SMALL = 0.0005  # smaller shares have no significant digit in four decimals
SMALLEST_GROUP = 10  # smaller groups of records are not shown in publications


def number(value: float) -> str:
    """Format a number for a table with four significant digits.

    Whole numbers below 1e15 are written in full, and NaN is written as a dash.

    >>> number(1085.0), number(0.123456), number(23456.7), number(31338042833949112.0), number(float("nan"))
    ('1,085', '0.1235', '23,457', '3.134e+16', '-')
    """
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return f"{value:g}"
    return f"{value:,.0f}" if (value == round(value) or abs(value) >= 10_000) and abs(value) < 1e15 else f"{value:,.4g}"


def share(value: float) -> str:
    """Format a number in [0, 1] with four decimals.

    >>> share(0.5), share(1.0)
    ('0.5000', '1.0000')
    """
    return MISSING if math.isnan(value) else f"{value:.4f}"


def count(value: float, *totals: float) -> str:
    """Format a number of people for a sentence.

    Numbers from 100 on are rounded to whole numbers. Smaller numbers have one decimal or two significant digits.
    `totals` is not used.

    >>> count(12345.6), count(41.37), count(3.0), count(0.254)
    ('12,346', '41.4', '3', '0.25')
    """
    if math.isnan(value):
        return UNDEFINED
    value = float(value)
    if value >= 100 or round(value, 9).is_integer():
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"


def round_people(value: float, *totals: float) -> float:
    """Round a number of people for publication to two digits, and at least to tens.

    If fewer than half of the first total are not in the group, the number of these others is rounded instead.

    >>> round_people(335.5), round_people(1234.0), round_people(11.0), round_people(1446.0, 1500.0), round_people(0.0)
    (340.0, 1200.0, 10.0, 1450.0, 0.0)
    """
    total = totals[0] if totals else math.nan
    if 0 <= total - value < value:
        return total - round_people(total - value)
    if math.isnan(value):
        return value
    if value <= 0:
        return 0.0
    step = max(SMALLEST_GROUP, 10 ** (math.floor(math.log10(value)) - 1))
    return float(max(math.floor(value / step + 0.5) * step, SMALLEST_GROUP))


def two_digits(value: float) -> float:
    """Round a number for publication to two significant digits.

    >>> two_digits(0.12345), two_digits(5.678), two_digits(float("nan"))
    (0.12, 5.7, nan)
    """
    return float(f"{value:.2g}")


def fewer_than_10(value: float, *totals: float) -> str:
    """Format a number of people for publication; suppress groups of fewer than 10 people.

    Numbers between 0 and 10, and numbers that leave fewer than 10 others, are not given. All others are rounded by
    `round_people`.

    Parameters
    ----------
    value : float
        Number of people.
    *totals : float
        Sizes of the groups to which the people belong, that of the whole file first. If 395 of 400 people are found,
        the other 5 are identified too.

    Returns
    -------
    str

    Examples
    --------
    >>> fewer_than_10(3.0, 400), fewer_than_10(0.0, 400), fewer_than_10(10.0, 400)
    ('fewer than 10', '0', '10')
    >>> fewer_than_10(395.0, 400), fewer_than_10(400.0, 400), fewer_than_10(395.0, 500)
    ('all but fewer than 10', '400', '390')
    """
    if 0 < round(value, 9) < SMALLEST_GROUP:
        return f"fewer than {SMALLEST_GROUP}"
    few_others = any(0 < round(total - value, 9) < SMALLEST_GROUP for total in totals)
    return f"all but fewer than {SMALLEST_GROUP}" if few_others else count(round_people(value, *totals))


def percent(value: float) -> str:
    """Format a share for a sentence as a percentage with at least two significant digits.

    A share below 1 is never written as 100%.

    >>> percent(0.974359), percent(0.0005), percent(1.0), percent(0.99974)
    ('97.4%', '0.05%', '100%', '99.97%')
    """
    if math.isnan(value):
        return UNDEFINED
    value = 100 * value
    if value == 0:
        return "0%"
    if value < 99.5:
        return f"{value:.1f}%" if value >= 1 else f"{value:.2g}%"
    digits = next((digits for digits in range(1, 9) if float(f"{value:.{digits}f}") != 100), 0)
    return f"{value:.{digits}f}%"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Join the names of columns, at most `most` of them.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d", "e", "f"])
    ('a, b and c', 'a, b, c, d and 2 more')
    """
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def three_digits(value: float) -> str:
    """Format a number for a sentence with three significant digits.

    >>> three_digits(0.12345), three_digits(12.0)
    ('0.123', '12')
    """
    return UNDEFINED if math.isnan(value) else f"{value:.3g}"


def table_text(table: pd.DataFrame) -> str:
    """Return a table as text, without an index of row numbers.

    >>> print(table_text(pd.DataFrame({"n": [1200, 3], "rate": [0.25, 0.5], "ratio": [12.345, None]})))
        n   rate ratio
    1,200 0.2500 12.35
        3 0.5000     -
    """
    return str(_written(table).to_string(index=_has_names(table)))


def table_html(table: pd.DataFrame) -> str:
    """Return a table as HTML, without an index of row numbers."""
    return str(_written(table).to_html(index=_has_names(table)))


def _has_names(table: pd.DataFrame) -> bool:
    return not (isinstance(table.index, pd.RangeIndex) and table.index.name is None)


def _written(table: pd.DataFrame) -> pd.DataFrame:
    columns = [_column(table.iloc[:, place]) for place in range(table.shape[1])]
    written = pd.DataFrame(dict(enumerate(columns)), index=table.index)
    written.columns = table.columns
    return written


def _column(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as text: shares have four decimals, and other numbers use `number`."""
    values = column.tolist()
    numbers = [v for v in values if _is_scalar_number(v) and math.isfinite(v)]
    plain = len(numbers) == len(values) or column.dtype.kind == "f"
    whole = all(
        math.isclose(v, round(v), rel_tol=1e-12, abs_tol=1e-12) for v in numbers
    )  # tolerance for platform differences
    shares = plain and not whole and all(v == 0 or SMALL <= v <= 1 for v in numbers)
    write = share if shares else number
    return pd.Series([_cell(v, write) for v in values], index=column.index, dtype=object)


def _cell(value: Any, write: Any) -> str:
    if _is_scalar_number(value):
        return str(write(float(value)))
    return MISSING if value is None or value is pd.NA or value is pd.NaT else str(value)


def _is_scalar_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def plain(value: Any) -> Any:
    """Convert arrays, tables, NumPy scalars and mappings to JSON types; NaN and infinity become None.

    >>> plain({"a": np.array([1.0, np.nan])})
    {'a': [1.0, None]}
    """
    if isinstance(value, pd.DataFrame):
        named = value.reset_index() if _has_names(value) else value
        return plain(named.to_dict("records"))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    return str(value)
