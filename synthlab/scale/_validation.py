"""Validation of the inputs in one pass over the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError, MissingValueError
from synthlab.intruder import Intruder, resolved
from synthlab.matching.match_inputs import check_variables, exact_floats
from synthlab.scale import _cluster, _hashing
from synthlab.scale._source import TEXT, Source, common_dtypes

DISTINCT = 101  # distinct numbers per column that are kept to decide whether it looks continuous


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Columns of the files and their roles, under internal names.

    Attributes
    ----------
    intruder, inner : Intruder
        The intruder of the caller with its radii, and the same intruder under the internal names `k0`, ... (known, compared
        by value), `s0`, ... (synthesized, compared by value) and `y0`, ... (compared within a radius).
    id : str
        Column of record ids; "" if ids are not used.
    columns : dict {inner name: column}
    dtypes : dict {inner name: dtype}
        Dtypes of the columns compared by value, and of `id`.
    """

    intruder: Intruder
    inner: Intruder
    id: str
    columns: Mapping[str, str]
    dtypes: Mapping[str, Any]

    @property
    def known(self) -> list[str]:
        """Internal names of the known variables compared by value."""
        return [c for c in self.columns if c[0] == "k"]

    @property
    def by_value(self) -> list[str]:
        """Internal names of all variables compared by value."""
        return [c for c in self.columns if c[0] in "ks"]

    @property
    def near(self) -> list[str]:
        """Internal names of the variables compared within a radius."""
        return [c for c in self.columns if c[0] == "y"]

    def meta(self, *, with_id: bool) -> pd.DataFrame:
        """Return an empty frame with the columns of `shaped`."""
        dtypes = {**({"id": self.dtypes["id"]} if with_id else {}), **{c: self.dtypes[c] for c in self.by_value}}
        dtypes |= dict.fromkeys(self.near, np.dtype("float64"))
        return pd.DataFrame({c: pd.Series([], dtype=d) for c, d in dtypes.items()})

    def wanted(self, *, with_id: bool) -> list[str]:
        """Return the columns to read."""
        return list(dict.fromkeys([*([self.id] if with_id else []), *self.columns.values()]))

    def shaped(self, part: pd.DataFrame, *, with_id: bool) -> pd.DataFrame:
        """Return the records of a piece with internal names and dtypes."""
        renamed = pd.DataFrame({inner: part[column] for inner, column in self.columns.items()}, index=part.index)
        found = _hashing.typed(renamed, {c: self.dtypes[c] for c in self.by_value})
        if with_id:
            found.insert(0, "id", part[self.id].astype(self.dtypes["id"]))
        found[self.near] = exact_floats(renamed, self.near)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts about a file, collected in one pass."""

    rows: int
    missing: Mapping[str, int]
    infinite: Mapping[str, int]
    ends: Mapping[str, tuple[int, int]]
    distinct: Mapping[str, Any]
    text: int
    buckets: IntArray


def read_facts(
    part: pd.DataFrame,
    used: Sequence[str],
    id_column: str,
    by_value: Mapping[str, Any],
    never: bool,
    looked_at: Sequence[str],
) -> Facts:
    """Return the facts of a piece.

    `by_value` contains the columns that define a block, with the dtypes that all files share. Some distinct numbers of the
    columns `looked_at` are kept.
    """
    numeric = [
        c
        for c in used
        if pd.api.types.is_numeric_dtype(part[c].dtype) and not pd.api.types.is_bool_dtype(part[c].dtype)
    ]
    whole = [c for c in numeric if _checks.is_whole(part[c].dtype) and part[c].notna().any()]
    dates = [c for c in used if pd.api.types.is_datetime64_any_dtype(part[c].dtype)]
    texts = [c for c in part.columns if part[c].dtype == TEXT]
    block = _hashing.typed(part, by_value)
    numbers = _hashing.hashes(block, list(by_value))
    if never and by_value:
        gone = _hashing.lost(block, list(by_value))
        numbers[gone] = _hashing.hashes(part[gone], [id_column]) if id_column else np.uint64(0)
    return Facts(
        rows=len(part),
        missing={c: int(part[c].isna().sum()) for c in part.columns},
        infinite={c: int(np.isinf(_checks.as_float(part[c])).sum()) for c in numeric if c not in whole},
        ends={c: (int(part[c].min()), int(part[c].max())) for c in whole},
        distinct={c: _distinct(_checks.measurements(part[c])) for c in [*numeric, *dates] if c in looked_at},
        text=sum(int(part[c].memory_usage(index=False, deep=True)) for c in texts),
        buckets=np.bincount(_hashing.buckets(numbers), minlength=_hashing.BUCKETS),
    )


def _distinct(values: FloatArray) -> FloatArray:
    """Return up to `DISTINCT` numbers, including one with a fraction if there is any."""
    found = np.unique(values[np.isfinite(values)])
    if found.size <= DISTINCT:
        return found
    broken = found[found != np.floor(found)]
    return np.concatenate([broken[:1], found[: DISTINCT - broken[:1].size]])


def added(parts: Sequence[Facts]) -> Facts:
    """Combine the facts of the pieces into the facts of a file."""
    first = parts[0]
    ends = {}
    for column in dict.fromkeys(c for part in parts for c in part.ends):
        some = [part.ends[column] for part in parts if column in part.ends]
        ends[column] = (min(low for low, _ in some), max(high for _, high in some))
    return Facts(
        rows=sum(part.rows for part in parts),
        missing={c: sum(part.missing[c] for part in parts) for c in first.missing},
        infinite={c: sum(part.infinite.get(c, 0) for part in parts) for p in parts for c in p.infinite},
        ends=ends,
        distinct={c: _distinct(np.concatenate([p.distinct[c] for p in parts])) for c in first.distinct},
        text=sum(part.text for part in parts),
        buckets=np.sum([part.buckets for part in parts], axis=0),
    )


def ask(
    confidential: Source, synthetic: Sequence[Source], intruder: Intruder, id_column: str, *, continuous_known: bool
) -> tuple[Question, list[Facts]]:
    """Validate the files and return the question and the facts of each file."""
    everything = [confidential, *synthetic]
    headers = [pd.DataFrame(columns=list(one.dtypes)) for one in everything]
    check_variables(headers[0], headers[1:], intruder)
    for one, header in zip(everything, headers, strict=True):
        if id_column:
            _checks.check_column(header, id_column, "id", where=one.name)
    if id_column and id_column in intruder.used:
        raise InputError(
            f"id={id_column!r}: is a variable that the intruder compares; use a separate column for the ids"
        )
    dtypes = common_dtypes(everything, [*intruder.used, *([id_column] if id_column else [])])
    if id_column and not (_checks.is_whole(dtypes[id_column]) or dtypes[id_column] == TEXT):
        raise InputError(f"id={id_column!r}: must contain whole numbers or text")
    named = set(intruder.radius) if isinstance(intruder.radius, Mapping) else set()
    by_value = {c: dtypes[c] for c in intruder.known if c not in named}
    facts = []
    for one in everything:
        columns = list(dict.fromkeys([*([id_column] if id_column else []), *intruder.used]))
        looked_at = [c for c in intruder.synthesized if c not in named] if one is confidential else []
        settings = (intruder.used, id_column, by_value, intruder.missing == "never", looked_at)
        found = _cluster.each_part(read_facts, one.records(columns), *settings)
        facts.append(added(found))
        _check_facts(facts[-1], one.name, intruder, id_column)
    radii = _radii(intruder, confidential, facts, continuous_known)
    _check_dtypes(dtypes, everything, facts, radii)
    roles: dict[str, str] = {}
    for letter, some in (("k", by_value), ("s", [c for c in intruder.synthesized if c not in radii]), ("y", radii)):
        roles |= {f"{letter}{number}": column for number, column in enumerate(some)}
    inner_of = {column: inner for inner, column in roles.items()}
    met = resolved(intruder, radii)
    inner = replace(
        met,
        known=tuple(inner_of[c] for c in intruder.known),
        synthesized=tuple(inner_of[c] for c in intruder.synthesized),
        radius={inner_of[c]: r for c, r in radii.items()},
    )
    kept = {inner: dtypes[column] for inner, column in roles.items() if inner[0] != "y"}
    if id_column:
        kept["id"] = (
            np.dtype("int64")
            if dtypes[id_column] != TEXT and "u" not in str(dtypes[id_column]).lower()
            else dtypes[id_column]
        )
    return Question(met, inner, id_column, roles, kept), facts


def _check_facts(facts: Facts, where: str, intruder: Intruder, id_column: str) -> None:
    if not facts.rows:
        raise InputError(f"{where}: contains no records")
    if id_column and facts.missing[id_column]:
        raise InputError(f"{where}: column {id_column!r} of ids has {facts.missing[id_column]:,} missing values")
    for column in intruder.used:
        if intruder.missing == "raise" and facts.missing[column]:
            raise MissingValueError(
                f"{where}: column {column!r} has {facts.missing[column]} missing values; {_checks.MEANING_OF_MISSING}"
            )
        if facts.infinite.get(column):
            raise InputError(
                f"{where}: column {column!r} has {facts.infinite[column]} infinite values; values must be finite"
            )


def _radii(
    intruder: Intruder, confidential: Source, facts: Sequence[Facts], continuous_known: bool
) -> dict[str, float]:
    seen = facts[0].distinct
    longest = max((len(values) for values in seen.values()), default=1) or 1
    sample = {}
    for column in intruder.used:
        values, dtype = seen.get(column, np.empty(0)), confidential.dtypes[column]
        if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
            sample[column] = pd.Series(np.resize(values, longest) if len(values) else np.zeros(longest))
        elif pd.api.types.is_datetime64_any_dtype(dtype):
            sample[column] = _checks.from_days(np.resize(values, longest) if len(values) else np.full(longest, np.nan))
        else:
            sample[column] = pd.Series(
                pd.array([pd.NA] * longest, dtype="boolean" if pd.api.types.is_bool_dtype(dtype) else dtype)
            )
    frame = pd.DataFrame(sample)
    if intruder.radius is None or isinstance(intruder.radius, Mapping):
        for column in intruder.synthesized:
            if column not in (intruder.radius or {}) and _checks.looks_continuous(frame[column]):
                example = '"1m"' if _checks.is_date(frame[column]) else "0.1"
                raise InputError(
                    f"synthesized variable {column!r} looks continuous and has no radius; exact equality is almost surely not "
                    f"wanted; give radius={{{column!r}: {example}}}, or radius={{{column!r}: 0}} if you want equality"
                )
    return _checks.check_radius(
        intruder.radii if isinstance(intruder.radius, Mapping) else intruder.radius,
        confidential=frame,
        known=intruder.known,
        synthesized=intruder.synthesized,
        continuous_known=continuous_known,
    )


def _check_dtypes(
    dtypes: Mapping[str, Any], everything: Sequence[Source], facts: Sequence[Facts], radii: Mapping[str, float]
) -> None:
    """Raise if the common dtype would round numbers beyond 2**53."""
    for column, dtype in dtypes.items():
        for one, told in zip(everything, facts, strict=True):
            if column not in told.ends:
                continue
            ends = pd.Series(
                told.ends[column], name=column, dtype="object" if max(told.ends[column]) >= 2**63 else "int64"
            )
            large = max(map(abs, told.ends[column])) > _checks.LARGEST_EXACT
            if column in radii and large:
                _checks.exact_float(ends.astype("uint64") if ends.dtype == object else ends)
            if large and not _checks.is_whole(dtype) and _checks.is_whole(one.dtypes[column]):
                raise InputError(rounded(one.name, column))


def rounded(where: str, column: str) -> str:
    """Return the message for a column without a common dtype."""
    return (
        f"{where}: column {column!r} holds whole numbers beyond 2**53, which are not exact in the dtype of the column in "
        "another file; use the same dtype in all files"
    )
