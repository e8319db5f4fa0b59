"""Check of the files in one pass: missing and infinite values, large numbers, ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError, MissingValueError
from synthlab.intruder import Intruder
from synthlab.scale import _files
from synthlab.scale._engine import Work
from synthlab.scale._files import Piece, Source, cast, kind_of, quoted

DISTINCT = 101  # distinct values of a column that decide whether it looks continuous


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a file: missing values, and sums of hashes of the ids, and of ids with known variables.

    Two files with equal sums contain the same ids (and known values), except with a probability of about 1e-19.
    """

    missing: Mapping[str, int]
    ids: int
    known: int
    distinct: int


def check_files(
    work: Work,
    everything: Sequence[Source],
    types: Mapping[str, str],
    missing: str,
    finite: Sequence[str] = (),
    exact: Sequence[str] = (),
    id: str = "",
    known: Sequence[str] = (),
) -> list[Facts]:
    """Return the facts of each file; raise if values are missing, infinite or not exact.

    `finite` are the columns that must be finite, `exact` those that become floats, `known` those compared by value.
    """
    pieces = [(number, piece) for number, one in enumerate(everything) for piece in one.pieces]
    own = [dict(one.types) for one in everything]
    found = work.each(_facts_of, pieces, own, dict(types), list(finite), id, list(known))
    told = []
    for number, one in enumerate(everything):
        parts = [part for (at, _), part in zip(pieces, found, strict=True) if at == number]
        total = {name: sum(part[name] for part in parts) for name in parts[0] if name[0] != "e"}
        ends = {name: max(abs(part[name] or 0) for part in parts) for name in parts[0] if name[0] == "e"}
        for at, column in enumerate(types):
            _check_column(one, column, at, total, ends, types[column], missing, column in exact, column == id)
        counts = {column: int(total[f"m{at}"]) for at, column in enumerate(types)}
        told.append(Facts(counts, *(int(total[name]) for name in ("ids", "known", "distinct"))))
    return told


def _check_column(
    one: Source, column: str, at: int, total: Any, ends: Any, sql: str, missing: str, exact: bool, label: bool
) -> None:
    lost, infinite = int(total[f"m{at}"]), int(total[f"i{at}"])
    if lost and label:
        raise InputError(f"{one.name}: column {column!r} of ids has {lost:,} missing values")
    if lost and missing == "raise":
        raise MissingValueError(
            f"{one.name}: column {column!r} has {lost:,} missing values; {_checks.MEANING_OF_MISSING}"
        )
    if infinite:
        raise InputError(f"{one.name}: column {column!r} has {infinite} infinite values; values must be finite")
    if ends.get(f"e{at}", 0) <= _checks.LARGEST_EXACT:
        return
    if exact:
        raise InputError(
            f"column {column!r} holds whole numbers beyond 2**53, which floats cannot represent exactly, so an interval around "
            "them is not exact; subtract a constant from them in all data, or compare them by value, without a radius"
        )
    if sql == "DOUBLE":
        raise InputError(
            f"{one.name}: column {column!r} holds whole numbers beyond 2**53, which are not exact in the dtype of the column in "
            "another file; use the same dtype in all files"
        )


def _facts_of(
    work: Work,
    item: tuple[int, Piece],
    own: Sequence[Mapping[str, str]],
    types: Mapping[str, str],
    finite: Sequence[str],
    id: str,
    known: Sequence[str],
) -> dict[str, Any]:
    number, piece = item
    wanted = {}
    for at, (column, sql) in enumerate(types.items()):
        value = cast(column, sql)
        wanted[f"m{at}"] = f"count(*) - count({value})"
        is_float = column in finite and own[number][column] == "DOUBLE"
        wanted[f"i{at}"] = f"count_if(isinf({quoted(column)}))" if is_float else "0"
        if own[number][column] in _files.WHOLE[3::4]:
            # Without abs, because the smallest integer has no absolute value.
            wanted[f"e{at}"] = f"greatest(max({quoted(column)})::HUGEINT, -min({quoted(column)}::HUGEINT))"
    keys = [tidied(cast(column, types[column]), types[column]) for column in known]
    label = cast(id, types[id]) if id else ""
    wanted["ids"] = f"coalesce(sum(hash({label})::HUGEINT), 0)" if id else "0"
    wanted["known"] = f"coalesce(sum(hash({', '.join([label, *keys])})::HUGEINT), 0)" if id else "0"
    wanted["distinct"] = f"approx_count_distinct({label})" if id else "0"
    with work.connection() as connection:
        query = ", ".join(f"{value} AS {name}" for name, value in wanted.items())
        found = connection.execute(f"SELECT {query} FROM {_files.relation(connection, piece)}").fetchall()[0]
    return {name: 0 if value is None else int(value) for name, value in zip(wanted, found, strict=True)}


def tidied(value: str, sql: str) -> str:
    """Return the SQL of a value as it is compared: floats without rounding errors."""
    return f"tidy({value})" if sql == "DOUBLE" else value


def samples(work: Work, source: Source, types: Mapping[str, str], columns: Sequence[str]) -> pd.DataFrame:
    """Return columns of one length from whose values one sees whether they look continuous."""
    found = work.each(_sample, source.pieces, {column: types[column] for column in columns})
    parts = {column: [part[column] for part in found] for column in columns}
    values = {column: _several(pd.concat(some, ignore_index=True)) for column, some in parts.items()}
    longest = max((len(one) for one in values.values()), default=1) or 1
    frame = {
        column: one.iloc[np.resize(np.arange(len(one)), longest)].reset_index(drop=True)
        if len(one)
        else pd.Series([None] * longest, dtype=one.dtype)
        for column, one in values.items()
    }
    return pd.DataFrame(frame, index=pd.RangeIndex(longest))


def _several(values: pd.Series) -> pd.Series:
    """Return up to `DISTINCT` + 1 distinct values, the first with a fraction if there is one."""
    distinct = values.drop_duplicates()
    return distinct.iloc[: DISTINCT + 1] if len(distinct) > DISTINCT + 1 else distinct


def _sample(work: Work, piece: Piece, types: Mapping[str, str]) -> dict[str, pd.Series]:
    found = {}
    with work.connection() as connection:
        where = _files.relation(connection, piece)
        for column, sql in types.items():
            value = cast(column, sql)
            some = f"SELECT DISTINCT {value} AS v FROM {where} WHERE {value} IS NOT NULL"
            days = f"epoch_us({value}::TIMESTAMP) / 86400e6" if kind_of(sql) == "date" else value
            broken = f"{some} AND {days} <> floor({days}) LIMIT 1"
            limit = DISTINCT if kind_of(sql) in ("number", "date", _checks.ZONED) else 1
            many = f"{some} LIMIT {limit}"
            query = f"({broken}) UNION ALL ({many})" if kind_of(sql) in ("number", "date") else many
            # Whole numbers stay whole: the column has no missing values here.
            found[column] = connection.sql(query).to_arrow_table().column(0).to_pandas()
            if sql == "BOOLEAN":
                found[column] = found[column].astype("boolean")
            elif sql == "VARCHAR":
                found[column] = found[column].astype("str")
    return found


def radii_of(intruder: Intruder, sample: pd.DataFrame, continuous_known: bool) -> dict[str, float]:
    """Return the radius of each variable, from a sample of the confidential values."""
    named = intruder.radius if isinstance(intruder.radius, Mapping) else {}
    for column in intruder.synthesized if intruder.radius is None or named else ():
        if column not in named and _checks.looks_continuous(sample[column]):
            example = '"1m"' if _checks.is_date(sample[column]) else "0.1"
            raise InputError(
                f"synthesized variable {column!r} looks continuous and has no radius; exact equality is almost surely not "
                f"wanted; give radius={{{column!r}: {example}}}, or radius={{{column!r}: 0}} if you want equality"
            )
    return _checks.check_radius(
        intruder.radii if isinstance(intruder.radius, Mapping) else intruder.radius,
        confidential=sample,
        known=intruder.known,
        synthesized=intruder.synthesized,
        continuous_known=continuous_known,
    )
