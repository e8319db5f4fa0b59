"""Reading of data frames from RDS and RData files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab._system import optional_dependencies
from synthlab._warnings import library_warnings
from synthlab.exceptions import InputError
from synthlab.io.expansion import Expansion
from synthlab.io.format_detection import Place, choose
from synthlab.io.labelled_values import Stated
from synthlab.io.read_options import Rules


@dataclass(frozen=True, slots=True)
class _Frame:
    columns: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Labelled:
    values: Any
    labels: dict[Any, str]


def read(data: bytes, rules: Rules, at: Place) -> tuple[dict[str, Stated], str]:
    """Return the columns of the only data frame, or of the one named `table`."""
    rdata = optional_dependencies.load("files", "rdata", "a file in R's own format")
    one = data.startswith((b"X\n", b"A\n"))
    with library_warnings("ignore"):  # the library warns about classes that it returns as plain numbers
        found = rdata.conversion.convert(
            rdata.parser.parse_data(
                data, extension=".rds" if one else ".rda", altrep_constructor_dict=_compact(rdata.parser, len(data), at)
            ),
            _classes(rdata.conversion),
        )
    if one:
        if not isinstance(found, _Frame):
            raise InputError(f"{at.cannot}: it contains {_what(found)}, not a data frame")
        return _columns(found, at), "RDS"
    frames = {name: value for name, value in found.items() if isinstance(value, _Frame)}
    chosen = choose(frames, rules.table, "data frame", at)
    return _columns(frames[chosen], at), f"RData, data frame {chosen!r}"


def _compact(parser: Any, size: int, at: Place) -> dict[bytes, Any]:
    """Return memory-limited constructors of compactly stored vectors, such as 1:n."""
    expansion = Expansion(at.cannot, size)

    def limited(name: bytes, bytes_per_value: int) -> Any:
        construct = parser.DEFAULT_ALTREP_MAP[name]

        def build(state: Any) -> Any:
            first = state.value[0]
            expansion.add(bytes_per_value * (len(first.value) if name == b"deferred_string" else int(first)))
            return construct(state)

        return build

    # rdata creates an object for every text.
    sizes = {b"compact_intseq": 8, b"compact_realseq": 8, b"deferred_string": 1_000}
    return {**parser.DEFAULT_ALTREP_MAP, **{name: limited(name, count) for name, count in sizes.items()}}


def _what(found: object) -> str:
    return f"a {type(found).__name__}"


def _classes(conversion: Any) -> dict[str, Any]:
    """Return conversions of R's classes: data frames, dates, codes with labels."""

    def frame(columns: Any, attributes: Any) -> Any:
        return _Frame(dict(columns))

    def labelled(values: Any, attributes: Any) -> Any:
        names = getattr(attributes.get("labels"), "coords", {})  # the labels are the names of a vector
        if not len(names):
            return values
        words = next(iter(names.values())).values
        known = {
            code: str(word)
            for code, word in zip(attributes["labels"].values.tolist(), words, strict=True)
            if code == code
        }
        gone = set(np.asarray(attributes.get("na_values", [])).tolist())
        if "na_range" in attributes:
            low, high = np.asarray(attributes["na_range"]).tolist()
            gone |= {code for code in {*np.asarray(values).tolist(), *known} if low <= code <= high}
        series = _series(values)
        return _Labelled(
            series.mask(series.isin(gone)) if gone else series, {c: w for c, w in known.items() if c not in gone}
        )

    def dates(values: Any, attributes: Any) -> Any:
        return pd.to_datetime(pd.Series(_numbers(values)), unit="D")

    def times(values: Any, attributes: Any) -> Any:
        return pd.to_datetime(pd.Series(_numbers(values)), unit="s")

    def long(values: Any, attributes: Any) -> Any:
        whole = np.asarray(values, dtype=np.float64).view(np.int64).tolist()
        return pd.Series([None if value == -(2**63) else value for value in whole], dtype=object)

    return {
        **conversion.DEFAULT_CLASS_MAP,
        **dict.fromkeys(("data.frame", "tbl_df", "data.table", "grouped_df"), frame),
        **dict.fromkeys(("haven_labelled", "haven_labelled_spss"), labelled),
        "Date": dates,
        "POSIXct": times,
        "integer64": long,
    }


def _numbers(values: Any) -> Any:
    return np.ma.asarray(values, dtype=float).filled(np.nan)


def _columns(frame: _Frame, at: Place) -> dict[str, Stated]:
    if not frame.columns:
        raise InputError(f"{at.cannot}: its data frame has no columns")
    return {str(name): _column(value, at.column(str(name))) for name, value in frame.columns.items()}


def _column(value: Any, where: str) -> Stated:
    if isinstance(value, _Labelled):
        return Stated(value.values, value.labels)
    if isinstance(value, list | dict | _Frame) or getattr(value, "ndim", 1) != 1:
        raise InputError(f"{where} contains several values per record; split it into several columns in R")
    return Stated(_series(value))


def _series(value: Any) -> pd.Series:
    """Return an R vector as a series with NA as missing."""
    if isinstance(value, pd.Series | pd.Categorical):
        return pd.Series(value)
    return pd.Series(value.tolist(), dtype=None if value.dtype.kind == "f" else object)
