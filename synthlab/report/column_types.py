"""Choice of a common type for each column of all files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, FrameOrFrames, PathOrStr
from synthlab.exceptions import DtypeMismatchError
from synthlab.intruder import Intruder
from synthlab.io.labelled_values import texts_of
from synthlab.release import Release, as_release
from synthlab.release.release import read_frames

How = Literal["dates", "numbers", "texts"]
INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u2060\ufeff]"
)  # soft hyphens, zero-width characters, direction marks, a byte order mark
MONEY = r"(?:(?:US)?[$€£¥₹₩₽₺]|USD|EUR|GBP|CHF|JPY)?"
WRITTEN = re.compile(
    rf"(-?)\s?({MONEY})\s?(-?)((?:\d(?:[\d.,' ]*\d)?[.,]?|[.,]\d+)(?:[eE][+-]?\d+)?)\s?(%?)\s?({MONEY})"
)
DIGITS = {
    mark: re.compile(rf"(?:\d{{1,3}}(?:([{other}' ])\d{{3}})(?:\1\d{{3}})*|\d+)?(?:[{mark}]\d*)?(?:[eE][+-]?\d+)?")
    for mark, other in ((".", ","), (",", "."))
}


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """The files after each column was given one type.

    Attributes
    ----------
    confidential : pandas.DataFrame
        The confidential data.
    release : Release
        The release.
    control : pandas.DataFrame or None
        The holdout sample.
    changed : dict {column: {"dates", "numbers", "texts"}}
        Columns whose texts were read as dates or numbers, or written as in the confidential data.
    unlike : tuple of str
        Columns of both files that cannot be compared: their values have different types or no category in common.
    """

    confidential: pd.DataFrame
    release: Release
    control: pd.DataFrame | None
    changed: Mapping[str, How]
    unlike: tuple[str, ...]


def resolve_types(
    frame: pd.DataFrame,
    release: Release,
    control: pd.DataFrame | None = None,
    *,
    measured: Collection[str] = (),
    untouched: Collection[str] = (),
) -> Resolved:
    """Give each column the same type in all files.

    ISO dates stored as text become dates. Numbers stored as text, such as "12.5%", "1,000" or "$5", become numbers if
    another file has numbers, or if the column has a radius (`measured`). If a released text differs from a confidential
    text only in blanks, case or encoding, it is replaced by the confidential text. Columns in `untouched` that have the
    same type in all files keep it.

    Examples
    --------
    >>> people = pd.DataFrame({"town": ["Bonn", "Köln"], "pay": [1200.0, 900.0]})
    >>> release = Release(pd.DataFrame({"town": ["KÖLN ", "Bonn"], "pay": ["$1,200", "$950.50"]}))
    >>> found = resolve_types(people, release)
    >>> found.release[0]["town"].tolist(), found.release[0]["pay"].tolist(), found.changed
    (['Köln', 'Bonn'], [1200.0, 950.5], {'town': 'texts', 'pay': 'numbers'})
    """
    files = [*release.frames, *([] if control is None else [control])]
    own: dict[str, pd.Series] = {}
    others: list[dict[str, pd.Series]] = [{} for _ in files]
    changed: dict[str, How] = {}
    unlike = []
    for column in [str(c) for c in frame.columns if c in release[0].columns]:
        here = [place for place, one in enumerate(files) if column in one.columns]
        series = [frame[column], *(files[place][column] for place in here)]
        found = _resolved(series, column in measured, column in untouched)
        if found is not None:
            how, resolved = found
            changed[column] = how
            own[column] = resolved[0]
            for place, one in zip(here, resolved[1:], strict=True):
                others[place][column] = one
            series = resolved
        if not _are_comparable(series[: 1 + release.m]):
            unlike.append(column)
    files = [_assigned(one, new) for one, new in zip(files, others, strict=True)]
    return Resolved(
        _assigned(frame, own),
        replace(release, frames=tuple(files[: release.m])),
        None if control is None else files[-1],
        changed,
        tuple(unlike),
    )


def release_of(
    synthetic: FrameOrFrames | PathOrStr | Sequence[PathOrStr], frame: pd.DataFrame, *, name: str = "synthetic"
) -> Release:
    """Return the release like `as_release`, but allow types unlike those of `frame`.

    If the types of a column differ between datasets and cannot be reconciled, the column becomes text in all datasets.
    """
    one: Any = _checks.frame_of(synthetic, name)
    if isinstance(one, str | Path) and not Path(one).is_dir():
        one = [one]
    if isinstance(one, Release | pd.DataFrame | str | Path) or not isinstance(one, Sequence) or not one:
        return as_release(synthetic, name=name, like=frame)
    if all(isinstance(part, str | Path) for part in one):
        paths = [_checks.check_path(part, f"{name}[{place}]") for place, part in enumerate(one)]
        return Release(
            with_one_type(read_frames(paths, frame, or_own_type=True), frame), None, {"files": [p.name for p in paths]}
        )
    checked = [_checks.check_frame(part, f"synthetic dataset {i} of {len(one)}") for i, part in enumerate(one, start=1)]
    return Release(with_one_type(checked, frame))


def with_one_type(frames: Sequence[pd.DataFrame], own: pd.DataFrame) -> list[pd.DataFrame]:
    """Give each column one type in all datasets.

    The type is the confidential type if possible, otherwise text.
    """
    new: list[dict[str, pd.Series]] = [{} for _ in frames]
    for column in frames[0].columns:
        if not all(column in one.columns for one in frames):
            continue  # the datasets differ in columns, which `Release` reports
        series = [one[column] for one in frames]
        if _are_comparable(series):
            continue
        found = _resolved([own[column] if column in own.columns else series[0], *series], False, False)
        same = [texts_of(one) for one in series] if found is None else found[1][1:]
        for place, one in enumerate(same):
            new[place][str(column)] = one.set_axis(frames[place].index)
    return [_assigned(one, columns) for one, columns in zip(frames, new, strict=True)]


def without_unlike(intruder: Intruder, frame: pd.DataFrame, unlike: Collection[str], name: str = "") -> Intruder:
    """Return the intruder without variables that cannot be compared.

    Raises
    ------
    DtypeMismatchError
        If no synthesized variable remains.
    """
    lost = [c for c in intruder.used if c in unlike]
    if not lost:
        return intruder
    known, synthesized = ([c for c in some if c not in lost] for some in (intruder.known, intruder.synthesized))
    if not synthesized:
        whose = f" of intruder {name!r}" if name else ""
        raise DtypeMismatchError(
            f"synthesized{whose}: {_checks.shorten(intruder.synthesized)}: has another type in the release than in the confidential "
            "data, and no other synthesized variable can be compared; give the columns the same types in both files"
        )
    radius: Any = intruder.radius
    if radius is not None:
        if not isinstance(radius, Mapping):
            radius = _checks.check_radius(
                radius, confidential=frame, known=intruder.known, synthesized=intruder.synthesized
            )
        radius = {c: one for c, one in radius.items() if c not in lost} or None
    return replace(intruder, known=known, synthesized=synthesized, radius=radius)


def _assigned(frame: pd.DataFrame, columns: Mapping[str, pd.Series]) -> pd.DataFrame:
    return frame.assign(**columns) if columns else frame


def _are_comparable(series: Sequence[pd.Series]) -> bool:
    """Return whether all columns have one type and share a category with the first."""
    kinds = {_checks.comparable_kind(one) for one in series} - {"nothing"}
    if len(kinds) > 1:
        return False
    if kinds == {"text"} and _checks.is_date(series[0]):
        return all(_checks.is_date(one) for one in series[1:] if one.notna().any())
    if not isinstance(series[0].dtype, pd.CategoricalDtype):
        return True
    known = set(series[0].cat.categories)
    values = set().union(*(one.dropna().unique() for one in series[1:]))
    return not values or not known or bool(known & values)


def _resolved(series: Sequence[pd.Series], measured: bool, untouched: bool) -> tuple[How, list[pd.Series]] | None:
    """Return the conversion and the converted columns; None if there is none."""
    kinds = {_checks.comparable_kind(one) for one in series} - {"nothing"}
    if "text" not in kinds and len(kinds) < 2:
        return None
    if not (untouched and len(kinds) == 1) and (dates := _as_dates(series)) is not None:
        return "dates", dates
    if kinds <= {"number", "text", "mixture"} and ("number" in kinds or (measured and not untouched)):
        numbers = _as_numbers(series)
        return None if numbers is None else ("numbers", numbers)
    if kinds == {"text"}:
        spelled = [_spelled_as(series[0], one) for one in series[1:]]
        if any(one is not None for one in spelled):
            both = zip(spelled, series[1:], strict=True)
            return "texts", [series[0], *(one if new is None else new for new, one in both)]
    return None


def _as_dates(series: Sequence[pd.Series]) -> list[pd.Series] | None:
    """Convert columns of dates to datetimes, or return None.

    The result is None if a column has other values, or if only some columns have a time zone.
    """
    found, zoned = [], set()
    for one in series:
        plain = one.astype(object) if isinstance(one.dtype, pd.CategoricalDtype) else one
        instants = _checks.as_instants(plain)
        if instants is None and plain.notna().any():
            return None
        if instants is None:
            instants = np.full(len(plain), np.datetime64("NaT", "us"))
        else:
            zoned.add(_checks.has_zone(plain))
        found.append(pd.Series(instants.astype("datetime64[us]"), index=one.index, name=one.name))
    return found if len(zoned) == 1 else None


def _as_numbers(series: Sequence[pd.Series]) -> list[pd.Series] | None:
    """Convert columns of numbers and of numbers stored as text to numbers.

    Return None if a text is not a number, or if two texts of the first column stand for the same number.
    """
    given = [_checks.as_float(one) for one in series if _checks.kind_of(one) == "number" and one.dtype != object]
    reference = np.unique(np.concatenate(given)) if given else np.empty(0)
    found = []
    for one in series:
        if _checks.kind_of(one) in ("number", "nothing"):
            found.append(one if one.notna().any() else pd.Series(np.nan, index=one.index, name=one.name))
            continue
        codes, texts = pd.factorize(one.astype(object))
        values = _read_numbers([str(text) for text in texts], reference)
        if values is None or (not found and np.unique(values).size < values.size):
            return None  # confidential texts such as 01 and 1 are codes
        found.append(pd.Series(np.append(values, np.nan)[codes], index=one.index, name=one.name))
    return found


def _read_numbers(texts: Sequence[str], reference: FloatArray) -> FloatArray | None:
    """Read texts as numbers, in the notation with most values in `reference`."""
    parts = [_parts(text) for text in texts]
    if any(part is None for part in parts) or len({part[2] for part in parts if part}) > 1:
        return None
    readings: list[FloatArray] = []
    for mark in DIGITS:
        if all(part and DIGITS[mark].fullmatch(part[1]) for part in parts):
            plain = [part[0] + re.sub(f"[{'.' if mark == ',' else ','}' ]", "", part[1]) for part in parts if part]
            plain = [text.replace(",", ".") for text in plain]
            powers = (
                ("", "e-2")
                if parts and parts[0] and parts[0][2] and not any("e" in t.lower() for t in plain)
                else ("",)
            )
            readings += [np.array([float(text + power) for text in plain], dtype=np.float64) for power in powers]
    return max(readings, key=lambda one: float(np.isin(one, reference).sum()), default=None)


def _parts(text: str) -> tuple[str, str, str] | None:
    """Return sign, digits and percent sign of a number written as text, or None."""
    plain = " ".join(unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).replace("\u2212", "-").split())
    brackets = re.fullmatch(r"\((.*)\)", plain)  # a negative amount, as accountants write it
    found = WRITTEN.fullmatch(brackets[1].strip() if brackets else plain)
    if found is None:
        return None
    before, money, after, digits, percent, unit = found.groups()
    if (money and unit) or (before and after) or (brackets and (before or after)):
        return None
    return "-" if before or after or brackets else "", digits, percent


def _spelled_as(own: pd.Series, other: pd.Series) -> pd.Series | None:
    """Replace texts that differ from texts of `own` only in blanks, case or encoding.

    The result is None if there are no such texts.
    """
    counts = own.value_counts()
    known = set(counts.index[counts.to_numpy() > 0])
    strange = [text for text in other.dropna().unique() if text not in known]
    if not strange:
        return None
    spellings: dict[str, str] = {}
    for text in counts.index:  # the most frequent spelling first
        if text in known:
            spellings.setdefault(_comparable(text), text)
    new = {text: spellings[key] for text in strange if (key := _comparable(text)) in spellings}
    if not new:
        return None
    plain = other.astype(object)
    return plain.map(lambda text: new.get(text, text), na_action="ignore").astype(
        "category" if isinstance(other.dtype, pd.CategoricalDtype) else other.dtype
    )


def _comparable(text: str) -> str:
    """Return a text without differences in blanks, case or encoding."""
    for encoding in ("cp1252", "latin-1"):  # UTF-8 that was read as if it had this encoding
        try:
            text = text.encode(encoding).decode("utf-8")
            break
        except UnicodeError:
            continue
    return " ".join(unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold().split())
