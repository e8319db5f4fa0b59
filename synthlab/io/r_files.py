"""Reading of data frames from RDS and RData files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._system import optional_dependencies
from synthlab._warnings import library_warnings
from synthlab.exceptions import InputError
from synthlab.io.expansion import Expansion
from synthlab.io.format_detection import Place, choose
from synthlab.io.labelled_values import Stated
from synthlab.io.r_vectors import LABELLED, Vector, check_columns, label_codes, no_counterpart, stated
from synthlab.io.read_options import Rules

STORAGE = {"LGL": "logical", "INT": "integer", "REAL": "double", "STR": "character"}
NAMES = {
    **STORAGE,
    **{
        "VEC": "list",
        "CPLX": "complex",
        "CLO": "function",
        "ENV": "environment",
        "NILVALUE": "NULL",
        "S4": "S4 object",
    },
}
LATIN1 = 4  # flag of a text in Latin-1


def read(data: bytes, rules: Rules, at: Place) -> tuple[dict[str, Stated], str]:
    """Return the columns of the only data frame, or of the one named `table`."""
    rdata = optional_dependencies.load("files", "rdata", "a file in R's own format")
    one = data.startswith((b"X\n", b"A\n"))
    with library_warnings("ignore"):
        found = rdata.parser.parse_data(
            data, extension=".rds" if one else ".rda", altrep_constructor_dict=_compact(rdata.parser, len(data), at)
        ).object
    if one:
        if not _is_frame(found):
            raise InputError(
                f"{at.cannot}: it contains {_what(found)}, not a data frame; save as.data.frame(x) in R instead"
            )
        return _columns(found, at), "RDS"
    frames = {_text(tag.value): value for tag, value in _pairs(found) if _is_frame(value)}
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


# Only the attributes that determine the values of a column are converted. Others, such as the formula of a groupedData
# frame, can contain any object of R.


def _pairs(pairs: Any) -> Iterator[tuple[Any, Any]]:
    """Iterate over the tags and values of a pairlist of R."""
    while pairs is not None and pairs.info.type.name == "LIST":
        tag = pairs.tag if pairs.tag.info.type.name == "SYM" else pairs.tag.referenced_object
        yield tag, pairs.value[0]
        pairs = pairs.value[1]


def _attributes(value: Any) -> dict[str, Any]:
    return {_text(tag.value): one for tag, one in _pairs(value.attributes)}


def _text(char: Any) -> str:
    data, flags = char.value, char.info.gp
    if not flags & LATIN1:
        try:
            return str(data.decode())
        except UnicodeDecodeError:
            pass  # files of old versions of R do not state the encoding
    return str(data.decode("latin-1"))


def _texts(value: Any) -> list[str | None]:
    return [None if char.value is None else _text(char) for char in value.value]


def _classes(value: Any) -> tuple[str, ...]:
    named = _attributes(value).get("class")
    return () if named is None else tuple(map(str, _texts(named)))


def _is_frame(value: Any) -> bool:
    return value.info.type.name == "VEC" and "data.frame" in _classes(value)


def _what(found: Any) -> str:
    classes, kind = _classes(found), found.info.type.name
    return f"an object of class {_checks.shorten(classes)}" if classes else f"a {NAMES.get(kind, kind)} vector of R"


def _columns(frame: Any, at: Place) -> dict[str, Stated]:
    if not frame.value:
        raise InputError(f"{at.cannot}: its data frame has no columns")
    names = _texts(_attributes(frame)["names"])
    if None in names:
        raise InputError(f"{at}: a column name is missing (NA); set it with names(x) in R")
    check_columns(list(map(str, names)), str(at))
    return {str(name): _column(value, at.column(str(name))) for name, value in zip(names, frame.value, strict=True)}


def _column(value: Any, where: str) -> Stated:
    kind, attributes = value.info.type.name, _attributes(value)
    classes = _classes(value)
    dim = attributes.get("dim")
    if kind == "VEC" and (not classes or "data.frame" in classes or "AsIs" in classes):
        raise InputError(f"{where} contains several values per record; split it into several columns in R")
    if dim is not None and len(dim.value) > 1:
        raise InputError(f"{where} is a matrix or an array; split it into several columns in R")
    if kind not in STORAGE:
        raise no_counterpart(where, classes or (NAMES.get(kind, kind),), kind == "VEC")
    storage, values, absent = _stored(value)
    texts = {name: one for name, one in attributes.items() if one.info.type.name == "STR"}
    more: dict[str, Any] = {}
    if LABELLED.intersection(classes):
        more = {
            "labels": _labels(attributes.get("labels")),
            "user_missing": _plain(attributes.get("na_values")),
            "missing_range": _plain(attributes.get("na_range")),
        }
    return stated(
        Vector(
            storage,
            values,
            absent,
            classes,
            tuple(_texts(texts["levels"])) if "levels" in texts else None,
            zone=_first(texts.get("tzone")),
            units=_first(texts.get("units")),
            **more,
        ),
        where,
    )


def _stored(value: Any) -> tuple[str, Any, Any]:
    """Return the storage, the values and the mask of missing values of a vector."""
    storage = STORAGE[value.info.type.name]
    if storage == "character":
        texts = _texts(value)
        return (
            storage,
            ["" if text is None else text for text in texts],
            np.array([text is None for text in texts], bool),
        )
    if storage == "double":
        doubles = np.asarray(value.value, dtype=np.float64)
        return storage, doubles, np.isnan(doubles)
    return storage, np.ma.getdata(value.value).astype(np.int64), np.ma.getmaskarray(value.value)


def _plain(value: Any) -> tuple[Any, ...]:
    return () if value is None else tuple(np.asarray(_stored(value)[1]).tolist())


def _first(value: Any) -> str:
    return "" if value is None else next(iter(_texts(value)), "") or ""


def _labels(value: Any) -> dict[Any, str]:
    """Return the label of each code."""
    if value is None or value.info.type.name not in STORAGE:
        return {}
    return label_codes(*_stored(value), _texts(_attributes(value)["names"]))
