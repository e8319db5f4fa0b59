"""Parsing of lists, radii, limits and row numbers on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from synthlab.exceptions import InputError


def names(values: Iterable[str] | None, columns: Sequence[str]) -> list[str]:
    """Split texts at commas, unless the whole text is the name of a column."""
    names: list[str] = []
    for value in values or ():
        names += [value] if value in columns else [part.strip() for part in value.split(",") if part.strip()]
    return names


def radius_of(values: Iterable[str] | None, columns: Sequence[str]) -> dict[str, float] | float | None:
    """Read NAME=NUMBER pairs or one number; a number can be 1d, 1m or 1y.

    A name can contain commas and equals signs if it is the name of a column.
    """
    radii: dict[str, float] = {}
    plain: list[float] = []
    for value in values or ():
        name, equals, _ = value.rpartition("=")
        for part in [value] if equals and name in columns else value.split(","):
            name, equals, size = part.rpartition("=")
            name = name if name in columns else name.strip()
            if name in radii:
                raise InputError(f"--radius {value!r}: {name!r} has two radii")
            try:
                width = half_width(size)
            except InputError:
                raise InputError(
                    f"--radius {value!r}: write NAME=NUMBER, for example --radius income=0.2, or for a date --radius born=1m"
                ) from None
            if equals:
                radii[name] = width
            else:
                plain.append(width)
    if plain and (radii or len(plain) > 1):
        raise InputError("--radius: give NAME=NUMBER for every continuous variable, or one number for all of them")
    return plain[0] if plain else radii or None


def half_width(text: str) -> float:
    """Read a radius: a number, or a number of days, months or years.

    Examples
    --------
    >>> half_width("0.2"), half_width("2m")
    (0.2, 60.875)
    """
    try:
        return float(text)
    except ValueError:
        from synthlab import _checks

        return _checks.check_half_width(text, "--radius")


def limits_of(values: Iterable[str] | None) -> dict[str, str]:
    """Read NAME=NUMBER pairs; the numbers stay texts."""
    limits: dict[str, str] = {}
    for part in [part for value in values or () for part in value.split(",")]:
        name, equals, size = part.partition("=")
        if not equals or not name.strip() or not size.strip():
            raise InputError(f"--limit {part!r}: write NAME=NUMBER, for example --limit best_intruder=1%")
        limits[name.strip()] = size.strip()
    return limits


def rows(text: str | None, n: int) -> list[int] | None:
    """Read row positions of n records and ranges that include both ends: 3,17,200-299."""
    if text is None:
        return None
    rows: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            raise _no_rows(text)
        first, last = _position(low, n), _position(high or low, n)
        if last < first:
            raise _no_rows(text)
        if last >= n:
            raise InputError(f"targets={part.strip()!r}: row positions must lie in [0, {n - 1}]")
        rows += range(first, last + 1)
    return rows


def _no_rows(text: str) -> InputError:
    return InputError(f"targets={text!r}: write row positions and ranges, for example '3,17,200-299'")


def _position(digits: str, n: int) -> int:
    """Return a row position of any length, or n if there is no such row."""
    digits = digits.lstrip("0") or "0"
    return min(int(digits), n) if len(digits) <= len(str(n)) else n
