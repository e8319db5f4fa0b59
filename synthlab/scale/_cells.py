"""Measures that compare values and not rows: equal records are counted, divided by their known values, and summed.

DuckDB reduces each file to its distinct combinations of values, with the number of their records. All combinations with the same
known values are in one partition, where the function in memory computes the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import IntArray
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.matching.kernel import block_codes
from synthlab.risk.identification import replicated_uniques
from synthlab.scale import _facts, _files
from synthlab.scale._engine import Tally, Work
from synthlab.scale._facts import tidied
from synthlab.scale._files import Piece, Source, cast, quoted, read_sql
from synthlab.scale._records import to_series

PARTS = 1_000  # maximum number of partitions


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Distinct rows of the confidential data and of each dataset in one partition, with the number of their records."""

    frames: list[pd.DataFrame]
    counts: list[IntArray]


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns that are compared: the keys of the partitions, all columns, their SQL types, and the id ("" without output)."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    types: Mapping[str, str]
    id: str


Measure = Callable[[Cells], tuple[Tally, Mapping[str, Any]]]  # tally, and the output for each confidential row


def headers(everything: Sequence[Source]) -> list[pd.DataFrame]:
    """Return an empty frame for each file."""
    return [pd.DataFrame(columns=list(one.types)) for one in everything]


def check_output(id: object, output: object) -> None:
    """Raise unless both or neither of the arguments are given."""
    if (id is None) != (output is None):
        raise InputError("id, output: give both (to write one row per record) or neither")


def check_keys(
    everything: Sequence[Source], intruder: Intruder, function: str, refused: Mapping[str, str] | None = None
) -> list[str]:
    """Return the known variables, all of which must be compared by value."""
    own, *others = headers(everything)
    return replicated_uniques.check_keys(own, others, intruder, function, refused)


def columns_of(
    work: Work,
    everything: Sequence[Source],
    keys: Sequence[str],
    target: str | None,
    id: object,
    missing: str,
    finite: Sequence[str] = (),
    exact: Sequence[str] = (),
) -> Columns:
    """Check the files and return the columns that are compared."""
    own, label = everything[0], ""
    if id is not None:
        label = _checks.check_column(headers(everything)[0], id, "id", where="confidential")
    names = tuple(dict.fromkeys([*keys, *([target] if target else [])]))
    types = _files.common_types(everything, names)
    _facts.check_files(work, everything, types, missing, finite, exact)
    if label and label not in types:
        types = {**types, label: _files.common_types([own], [label])[label]}
    if len({one.rows for one in everything[1:]}) > 1:
        raise InputError("synthetic: the datasets must have the same number of records")
    return Columns(tuple(keys), names, types, label)


def tabulated(work: Work, everything: Sequence[Source], columns: Columns, measure: Measure) -> list[Tally]:
    """Return the tallies of all partitions; with an id, write the output of each record."""
    parts = max(1, min(PARTS, -(-sum(one.rows for one in everything) * 3 // (2 * work.rows))))
    pieces = [
        (f"{number}-{at}", number, piece)
        for number, one in enumerate(everything)
        for at, piece in enumerate(one.pieces)
    ]
    work.each(_reduce, pieces, columns, parts)
    return work.each(_measure, list(range(parts)), columns, len(everything), measure)


def _reduce(work: Work, item: tuple[str, int, Piece], columns: Columns, parts: int) -> None:
    name, number, piece = item
    keys = [tidied(cast(one, columns.types[one]), columns.types[one]) for one in columns.keys]
    place = f"hash({', '.join(keys)}) % {parts} AS part"
    cells = ", ".join(f"{cast(one, columns.types[one])} AS c{at}" for at, one in enumerate(columns.names))
    with work.connection() as connection:
        table = _files.relation(connection, piece)
        query = f"SELECT {cells}, {place}, count(*) AS count FROM {table} GROUP BY ALL"
        work.split(connection, query, f"cells{number}", name)
        if columns.id and number == 0:
            label = cast(columns.id, columns.types[columns.id])
            work.split(connection, f"SELECT {label} AS id, {cells}, {place} FROM {table}", "people", name)


def _measure(work: Work, part: int, columns: Columns, files: int, measure: Measure) -> Tally:
    def compute() -> Tally:
        names = [f"c{at}" for at in range(len(columns.names))]
        frames, counts = [], []
        with work.connection() as connection:
            for number in range(files):
                paths = work.files_of(f"cells{number}", part)
                listed = ", ".join(names)
                query = f"SELECT {listed}, sum(count)::BIGINT AS count FROM {read_sql(paths)} GROUP BY ALL"
                if not paths:
                    query = f"SELECT {', '.join(f'NULL::{columns.types[one]} AS c{at}' for at, one in enumerate(columns.names))}, 0::BIGINT AS count LIMIT 0"
                table = connection.sql(query).to_arrow_table()
                frames.append(_frame(table, columns))
                counts.append(table.column("count").to_numpy().astype(np.int64))
                if len(frames[-1]) > work.rows * 4:
                    raise InputError(
                        f"partition_rows: {len(frames[-1]):,} combinations of values have the same known values, which is too many "
                        "for one partition; give workers more memory, or the intruder more known variables"
                    )
        tally, output = measure(Cells(frames, counts))
        if columns.id and len(frames[0]):
            _write(work, part, columns, frames[0], pd.DataFrame(dict(output)))
        return {**tally, "records": [int(one.sum()) for one in counts]}

    return work.once(f"part-{part}", compute)


def _frame(table: Any, columns: Columns) -> pd.DataFrame:
    series = {name: to_series(table.column(f"c{at}")) for at, name in enumerate(columns.names)}
    return pd.DataFrame(series, index=pd.RangeIndex(table.num_rows))


def _write(work: Work, part: int, columns: Columns, cells: pd.DataFrame, output: pd.DataFrame) -> None:
    """Write the output of each record of a partition, some records at a time."""
    import pyarrow.dataset as ds

    if columns.id in output.columns:
        raise InputError(f"id={columns.id!r}: is the name of an output column; rename the id column")
    paths = [str(path) for path in work.files_of("people", part)]
    for number, batch in enumerate(ds.dataset(paths).to_batches(batch_size=work.rows)):
        import pyarrow as pa

        table = pa.Table.from_batches([batch]).sort_by("id")
        known, asked = block_codes([cells, _frame(table, columns)], list(columns.names), "category")
        order = np.argsort(known)
        records = output.iloc[order[np.searchsorted(known[order], asked)]].reset_index(drop=True)
        records.insert(0, columns.id, to_series(table.column("id")))
        work.write(records, f"part-{part:05d}-{number:04d}.parquet")


def margin_of(work: Work, everything: Sequence[Source], target: str, sql: str) -> tuple[pd.Series, IntArray]:
    """Return the values of a variable in all files, and the number of their records in each file, (values, 1 + m)."""
    pieces = [(number, piece) for number, one in enumerate(everything) for piece in one.pieces]
    found = work.each(_values_of, pieces, target, sql)
    values = [to_series(table.column("v")) for table in found]
    counts = np.zeros((sum(map(len, values)), len(everything)), dtype=np.int64)
    begin = 0
    for (number, _), table in zip(pieces, found, strict=True):
        counts[begin : begin + len(table), number] = table.column("count").to_numpy()
        begin += len(table)
    return pd.Series(pd.concat(values, ignore_index=True), name=target), counts


def _values_of(work: Work, item: tuple[int, Piece], target: str, sql: str) -> Any:
    with work.connection() as connection:
        table = _files.relation(connection, item[1])
        query = f"SELECT {cast(target, sql)} AS v, count(*) AS count FROM {table} GROUP BY ALL"
        most = connection.execute(f"SELECT approx_count_distinct({quoted(target)}) FROM {table}").fetchall()[0][0]
        if most > 4 * work.rows:
            raise InputError(
                f"target={target!r}: has about {most:,} distinct numbers, which do not fit into the memory of a worker; round the "
                "target in all files, or give workers more memory"
            )
        return connection.sql(query).to_arrow_table()


def of_datasets(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns; arrays of shape (rows, m) become m columns numbered 1..m."""
    named: dict[str, Any] = {}
    for name, values in columns.items():
        if np.ndim(values) == 1:
            named[name] = values
        else:
            named |= {f"{name}_{number}": one for number, one in enumerate(np.asarray(values).T, start=1)}
    return named
