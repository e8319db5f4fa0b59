"""Measures that compare each record with its own released record: join by id, divide, count, write.

The files are joined by id and divided by a hash of the known variables that are compared by value. `Prepared`, which the
functions in memory use, counts the matches in each partition. A partition that is too large is cut along its first
continuous variable: each slice contains some of the targets, and the records near the ends of their intervals. All other
records match either all of these targets that have the same values, or none, so it is enough to count them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, KnownVariableChangedWarning, RowAlignmentError, SynthlabError
from synthlab.intruder import Intruder, resolved
from synthlab.matching.kernel import block_codes
from synthlab.matching.match_inputs import Prepared, check_variables
from synthlab.scale import _facts, _files
from synthlab.scale._engine import Tally, Work
from synthlab.scale._facts import tidied
from synthlab.scale._files import Source, cast, read_sql

PARTS = 2_000  # maximum number of partitions; larger ones are cut
MARGIN = 1e-9  # relative margin around the ends of the intervals, within which records are compared one by one


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Columns of the files and their roles, under internal names.

    Attributes
    ----------
    intruder, inner : Intruder
        The intruder of the caller with its radii, and the same intruder under the internal names `k0`, ... (known, compared
        by value), `s0`, ... (synthesized, compared by value) and `y0`, ... (compared within a radius).
    id : str
        Column of record ids.
    columns : dict {inner name: column}
    types : dict {inner name: SQL type}, with the type of "id"
    m : int
        Number of synthetic datasets.
    moved : tuple of bool, shape (m,)
        Whether a known variable of a record differs in each dataset.
    """

    intruder: Intruder
    inner: Intruder
    id: str
    columns: Mapping[str, str]
    types: Mapping[str, str]
    m: int
    moved: tuple[bool, ...]

    def some(self, letters: str) -> list[str]:
        """Return the internal names that begin with one of the letters."""
        return [name for name in self.columns if name[0] in letters]

    def select(self) -> str:
        """Return the SQL of the id and the columns with their common types and internal names."""
        columns = {"id": self.id, **self.columns}
        return ", ".join(f"{cast(column, self.types[name])} AS {name}" for name, column in columns.items())

    def stored(self, at: int) -> list[str]:
        """Return the columns that are stored for a file: known variables that did not change are stored once."""
        return list(self.columns) if at == 0 or self.moved[at - 1] else self.some("sy")

    def keys(self, table: str) -> list[str]:
        """Return the SQL of the known variables of a table, as they are compared."""
        return [tidied(f"{table}.{name}", self.types[name]) for name in self.some("k")]


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Targets of a partition between two of its records, in the order of value and id.

    first, last : values and ids. missing : whether the value of these targets is missing, or there is no such variable. ends :
    smallest and largest lower end, smallest and largest upper end of the targets' intervals.
    """

    number: int
    first: tuple[Any, Any]
    last: tuple[Any, Any]
    missing: bool
    ends: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Counts for the targets of one partition or slice, in the order of their ids.

    Column 0 is for the confidential data, the other columns for the datasets. count : (n, 1 + m) matching records.
    own : whether the target's own record matches. size : records with the same known values, compared by value.
    known : whether the target's own record is one of these. whole : whether the partition is complete.
    """

    ids: pd.Series
    prepared: Prepared
    whole: bool
    count: IntArray
    own: BoolArray
    size: IntArray
    known: BoolArray

    @property
    def can_match(self) -> BoolArray:
        """Whether each target can match."""
        return self.prepared.can_match()[self.prepared.targets]


Finish = Callable[[Counted], tuple[pd.DataFrame, Tally]]


def ask(work: Work, everything: Sequence[Source], intruder: Intruder, id: object, continuous_known: bool) -> Question:
    """Check the files and return the question."""
    headers = [pd.DataFrame(columns=list(one.types)) for one in everything]
    check_variables(headers[0], headers[1:], intruder)
    label = _checks.check_name(id, "id")
    for one, header in zip(everything, headers, strict=True):
        _checks.check_column(header, label, "id", where=one.name)
    if label in intruder.used:
        raise InputError(f"id={label!r}: is a variable that the intruder compares; use a separate column for the ids")
    types = _files.common_types(everything, [label, *intruder.used])
    if types[label] not in ("BIGINT", "UBIGINT", "VARCHAR"):
        raise InputError(f"id={label!r}: must contain whole numbers or text")
    radii = _facts.radii_of(intruder, _facts.samples(work, everything[0], types, intruder.used), continuous_known)
    by_value = [c for c in intruder.known if c not in radii]
    facts = _facts.check_files(work, everything, types, intruder.missing, intruder.used, list(radii), label, by_value)
    _check_ids(work, everything, label, types[label], [(one.ids, one.distinct) for one in facts])
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
    kinds = {"id": types[label], **{name: types[column] for name, column in roles.items()}}
    kinds |= {name: "DOUBLE" for name in roles if name[0] == "y" and _files.kind_of(kinds[name]) == "number"}
    return Question(
        met, inner, label, roles, kinds, len(everything) - 1, tuple(f.known != facts[0].known for f in facts[1:])
    )


def _check_ids(
    work: Work,
    everything: Sequence[Source],
    name: str,
    sql: str,
    sums: Sequence[tuple[int, int]],
    *,
    sure: bool = False,
) -> None:
    """Raise if ids are repeated or differ between the files; look closely only if sums of hashes differ."""
    few = any(distinct < 0.8 * one.rows for one, (_, distinct) in zip(everything, sums, strict=True))
    if not (sure or few or len({total for total, _ in sums}) > 1 or len(everything) == 1):
        return
    paths = [[path for piece in one.pieces for path in piece.paths] for one in everything]
    repeated, lacking, extra = work.each(_compare_ids, [paths], cast(name, sql))[0]
    for one, count in zip(everything, repeated, strict=True):
        if count:
            raise InputError(
                f"id={name!r}: {count:,} records of {one.name} have the id of another record; ids must be unique"
            )
    for one, fewer, more in zip(everything[1:], lacking, extra, strict=True):
        if fewer or more:
            raise RowAlignmentError(
                f"id={name!r}: {fewer:,} ids of {everything[0].name} are not in {one.name}, and {more:,} ids of {one.name} are "
                "not in the confidential data; both must have the same ids, because each record is compared with its own "
                "released record"
            )


def _compare_ids(work: Work, paths: Sequence[Sequence[str]], value: str) -> tuple[list[int], list[int], list[int]]:
    own, *others = (f"(SELECT {value} AS id FROM {read_sql(list(dict.fromkeys(some)))})" for some in paths)
    with work.connection() as connection:

        def number(query: str) -> int:
            return int(connection.execute(query).fetchall()[0][0])

        repeated = [number(f"SELECT count(*) - count(DISTINCT id) FROM {one}") for one in (own, *others)]
        lacking, extra = (
            [number(f"SELECT count(*) FROM {a} AS a ANTI JOIN {b} AS b USING (id)") for a, b in pairs]
            for pairs in ([(own, other) for other in others], [(other, own) for other in others])
        )
    return repeated, lacking, extra


def counted(
    work: Work, everything: Sequence[Source], question: Question, finish: Finish, whole: str = ""
) -> list[Tally]:
    """Count for every record, write the output of `finish`, and return the tallies.

    `whole` names the argument that makes the measure require whole patterns, if any.
    """
    total = sum(one.rows for one in everything)
    parts = min(PARTS, -(-total * 3 // (2 * work.rows))) if question.some("k") else 1
    _divide(work, everything, question, parts)
    found = work.each(_count_partition, list(range(parts)), question, finish)
    large = [part for part, one in enumerate(found) if "slices" in one]
    if large and whole:
        raise InputError(
            f"{whole}: requires all records of a pattern in one partition, but some patterns have more than the {work.rows:,} "
            "records of a partition; use order=1, give workers more memory, or give the intruder more known variables"
        )
    cuts = [(part, one) for part in large for one in work.each(_slices, [part], question)[0]]
    told = [one for one in found if "slices" not in one] + work.each(_count_slice, cuts, question, finish)
    found, n = sum(one["records"] for one in told), everything[0].rows
    if found != n:
        _check_ids(
            work, everything, question.id, question.types["id"], [(0, one.rows) for one in everything], sure=True
        )
        raise SynthlabError(
            f"{_files.WHAT}: {found:,} of {n:,} records were counted; check whether the files changed during the computation"
        )
    _warn_if_changed(question, np.sum([one["changed"] for one in told], axis=0), n)
    return told


def _divide(work: Work, everything: Sequence[Source], question: Question, parts: int) -> None:
    """Write the joined records into one folder for each partition."""
    if not work.cluster:
        work.each(_join, [[_files.read_sql(one.pieces[0].paths) for one in everything]], question, parts, "all")
        return
    buckets = max(1, -(-sum(one.rows for one in everything) // work.rows))
    pieces = [
        (f"{number}-{at}", number, piece)
        for number, one in enumerate(everything)
        for at, piece in enumerate(one.pieces)
    ]
    work.each(_by_id, pieces, question, buckets)
    work.each(_join_bucket, list(range(buckets)), question, parts)


def _by_id(work: Work, item: tuple[str, int, Any], question: Question, buckets: int) -> None:
    name, number, piece = item
    with work.connection() as connection:
        wanted = f"SELECT {question.select()} FROM {_files.relation(connection, piece)}"
        # The hash is divided, because the records of a bucket have the same remainder and are divided again.
        work.split(connection, f"SELECT *, (hash(id) >> 8) % {buckets} AS part FROM ({wanted})", f"ids{number}", name)


def _join_bucket(work: Work, bucket: int, question: Question, parts: int) -> None:
    files = [work.files_of(f"ids{number}", bucket) for number in range(question.m + 1)]
    if all(files):
        renamed = replace(question, id="id", columns={name: name for name in question.columns})
        _join(work, [read_sql(some) for some in files], renamed, parts, f"bucket-{bucket}")


def _join(work: Work, tables: Sequence[str], question: Question, parts: int, name: str) -> None:
    """Write each record with its released values; a record whose known value changed is in both partitions.

    The partition of its released values contains it, because it can match there, but it is not a target there.
    """
    with work.connection() as connection:
        inner = [f"(SELECT {question.select()} FROM {table})" for table in tables]
        joined = f"{inner[0]} AS t0" + "".join(
            f" JOIN {table} AS t{at} ON t0.id = t{at}.id" for at, table in enumerate(inner[1:], start=1)
        )
        moved = [at for at, one in enumerate(question.moved, start=1) if one]
        wanted = ["t0.id AS id"]
        wanted += [f"t{at}.{one} AS {one}_{at}" for at in range(question.m + 1) for one in question.stored(at)]
        place = [_place(question, f"t{at}", parts) for at in (0, *moved)]
        if moved:
            wanted += [f"unnest(list_distinct([{', '.join(place)}])) AS part", f"part = {place[0]} AS target"]
        else:
            wanted += [f"{place[0]} AS part", "true AS target"]
        work.split(connection, f"SELECT {', '.join(wanted)} FROM {joined}", "parts", name)


def _place(question: Question, table: str, parts: int) -> str:
    """Return the SQL of the partition of a record."""
    keys = question.keys(table)
    if not keys:
        return "0"
    place = f"hash({', '.join(keys)}) % {parts}"
    if question.inner.missing == "never":  # a missing value matches nothing, so these records can be anywhere
        lost = " OR ".join(f"{table}.{name} IS NULL" for name in question.some("k"))
        place = f"CASE WHEN {lost} THEN hash(t0.id) % {parts} ELSE {place} END"
    return f"({place})"


def _count_partition(work: Work, part: int, question: Question, finish: Finish) -> Tally:
    import pyarrow.parquet as pq

    files = work.files_of("parts", part)
    if sum(pq.read_metadata(file).num_rows for file in files) * (1 + question.m) > work.rows:
        return {"slices": part}

    def compute() -> Tally:
        if not files:
            return _nothing(question)
        table = pq.read_table([str(file) for file in files], partitioning=None)
        return _finished(work, table, question, finish, f"part-{part:05d}.parquet", None)

    return work.once(f"part-{part}", compute)


def _nothing(question: Question) -> Tally:
    return {"records": 0, "changed": np.zeros((question.m, len(question.some("k"))), dtype=np.int64)}


def _finished(
    work: Work, table: Any, question: Question, finish: Finish, name: str, crowds: Sequence[Any] | None
) -> Tally:
    ids, targets, frames = _frames(table, question, crowds is None)
    if not targets.size:
        return _nothing(question)
    counts = _count(ids, targets, frames, question, crowds)
    records, tally = finish(counts)
    records.insert(0, question.id, counts.ids)
    work.write(records, name)
    return {**tally, "records": len(records), "changed": _changed(frames, targets, question)}


def _frames(table: Any, question: Question, coded: bool) -> tuple[pd.Series, IntArray, list[pd.DataFrame]]:
    """Return ids, positions of the targets, and one frame per file, in the order of the ids.

    If `coded`, texts are replaced by numbers that are equal where the texts are equal.
    """
    import pyarrow.compute as pc

    table = table.take(pc.sort_indices(table, sort_keys=[("id", "ascending")]))
    columns: list[dict[str, pd.Series]] = [{} for _ in range(question.m + 1)]
    for name in question.columns:
        there = [at for at in range(question.m + 1) if f"{name}_{at}" in table.column_names]
        series = [to_series(one) for one in _coded([table.column(f"{name}_{at}") for at in there], coded)]
        found = dict(zip(there, series, strict=True))
        for at in range(question.m + 1):
            columns[at][name] = found.get(at, found[0])  # the same object if the known variable is unchanged
    targets = np.flatnonzero(table.column("target").to_numpy())
    return to_series(table.column("id")), targets, [pd.DataFrame(one, copy=False) for one in columns]


def _coded(columns: Sequence[Any], coded: bool) -> Sequence[Any]:
    """Return Arrow columns, texts as numbers that are equal where the texts are equal."""
    import pyarrow as pa

    if not coded or not pa.types.is_string(columns[0].type):
        return columns
    together = pa.chunked_array([chunk for one in columns for chunk in one.chunks], pa.string())
    codes = together.dictionary_encode().unify_dictionaries()
    numbers = pa.chunked_array([chunk.indices for chunk in codes.chunks], pa.int32())
    ends = np.cumsum([0, *map(len, columns)])
    return [numbers.slice(a, b - a) for a, b in pairwise(ends)]


def to_series(column: Any) -> pd.Series:
    """Return an Arrow column as a series whose dtype keeps all values."""
    import pyarrow as pa

    if column.null_count and pa.types.is_integer(column.type):
        name = str(column.type).replace("int", "Int").replace("uI", "UI")
        nullable: Any = pd.api.types.pandas_dtype(name)
        return pd.Series(nullable.__from_arrow__(column))
    if column.null_count and pa.types.is_boolean(column.type):
        nullable = pd.BooleanDtype()
        return pd.Series(nullable.__from_arrow__(column))
    if pa.types.is_string(column.type):
        return pd.Series(pd.array(column.cast(pa.large_string()), dtype=pd.StringDtype("pyarrow")))
    return pd.Series(column.to_pandas())


def _count(
    ids: pd.Series, targets: IntArray, frames: list[pd.DataFrame], question: Question, crowds: Sequence[Any] | None
) -> Counted:
    own, *others = frames
    prepared = Prepared(question.inner, own, tuple(others), targets)
    size, known = prepared.match_known()
    if question.m:
        (own_count, own_match), (count, match) = prepared.match()
        count, match = np.column_stack([own_count, count]), np.column_stack([own_match, match])
    elif crowds is None:  # weights of a whole partition need no matches
        count, match = np.zeros(size.shape, dtype=np.int64), np.zeros(size.shape, dtype=bool)
    else:
        count, match = replace(prepared, frames=(own,)).match()[0]
    if crowds is not None:
        inside, patterns = crowds
        size = size + _added(own.iloc[targets], patterns, question.some("k"), question)
        more = _added(own.iloc[targets], inside, question.some("ks"), question)
        if near := question.some("y"):
            intervals = prepared.intervals(near)
            possible = (intervals.lower <= intervals.upper).all(axis=1) | np.isnan(intervals.centre).any(axis=1)
            more[~possible] = 0
        count = count + more
    return Counted(ids.iloc[targets].reset_index(drop=True), prepared, crowds is None, count, match, size, known)


def _added(targets: pd.DataFrame, crowds: Sequence[pd.DataFrame], columns: list[str], question: Question) -> IntArray:
    """Return the number of records of each file that were not compared one by one, (targets, 1 + m)."""
    found = np.zeros((len(targets), len(crowds)), dtype=np.int64)
    for at, crowd in enumerate(crowds):
        if len(crowd):
            here, there = block_codes([targets, crowd], columns, question.inner.missing)
            total = np.zeros(1 + max(int(here.max()), int(there.max()), 0), dtype=np.int64)
            np.add.at(total, there[there >= 0], crowd["count"].to_numpy()[there >= 0])
            found[:, at] = np.where(here >= 0, total[np.maximum(here, 0)], 0)
    return found


def _changed(frames: list[pd.DataFrame], targets: IntArray, question: Question) -> IntArray:
    """Return the number of targets whose known value differs, (m, known variables compared by value)."""
    names = question.some("k")
    changed = np.zeros((question.m, len(names)), dtype=np.int64)
    for j, name in enumerate(names if any(question.moved) else ()):
        own, *others = block_codes([frame.iloc[targets] for frame in frames], [name], "category")
        changed[:, j] = [int((own != other).sum()) for other in others]
    return changed


def _warn_if_changed(question: Question, changed: Any, n: int) -> None:
    for number, row in enumerate(np.atleast_2d(changed), start=1):
        for name, moved in zip(question.some("k"), row, strict=False):
            if moved:
                warn(
                    f"known variable {question.columns[name]!r} differs from confidential in {int(moved):,} of {n:,} records of "
                    f"synthetic dataset {number}: known means released unchanged; if it was synthesized, name it in synthesized",
                    KnownVariableChangedWarning,
                )


def _value(question: Question, name: str, at: int) -> str:
    """Return the SQL of a continuous variable of a file, dates in days."""
    sql, column = question.types[name], f"{name}_{at}"
    if sql == "TIMESTAMP_NS":
        return f"(epoch_ns({column}) / 86400e9)"
    return f"(epoch_us({column}) / 86400e6)" if sql.startswith("TIMESTAMP") else column


def _slices(work: Work, part: int, question: Question) -> list[Slice]:
    """Return the slices of a partition, each with about the same number of targets, and few enough records."""
    near = question.some("y")
    value = _value(question, near[0], 0) if near else "NULL::DOUBLE"
    radius = question.inner.radii[near[0]] if near else 0.0
    relative = question.inner.radius_kind == "relative" and not isinstance(radius, _checks.Days)
    width = f"{_number(radius)} * abs(y)" if relative else _number(radius)
    paths = read_sql(work.files_of("parts", part))
    with work.connection() as connection:
        rows = connection.execute(f"SELECT count(*) FROM {paths}").fetchall()[0][0]
        # A slice contains its targets and, for each file, the records near both ends of their intervals.
        number = max(2, -(-rows * (1 + question.m) * (3 + 2 * question.m) // work.rows))
        before = np.inf
        while True:
            ordered = f"SELECT id, y, {width} AS w, {MARGIN} * (abs(y) + w) AS e FROM (SELECT id, {value} AS y FROM {paths} WHERE target)"
            placed = f"ntile({number}) OVER (PARTITION BY y IS NULL ORDER BY y, id)"
            found = connection.execute(
                "SELECT lost, min(y), max(y), arg_min(id, (coalesce(y, 0), id)), arg_max(id, (coalesce(y, 0), id)), "
                "min(y - w - e), max(y - w + e), min(y + w - e), max(y + w + e) "
                f"FROM (SELECT *, y IS NULL AS lost, {placed} AS slice FROM ({ordered})) GROUP BY lost, slice ORDER BY lost, slice"
            ).fetchall()
            cuts = [Slice(at, (r[1], r[3]), (r[2], r[4]), r[0], r[5:]) for at, r in enumerate(found)]
            filters = [_conditions(question, cut) for cut in cuts]
            sizes = ", ".join(f"count_if(target AND {mine} OR {' OR '.join(close)})" for mine, close, _ in filters)
            read = f"SELECT id, target, {_all_columns(question)} FROM {paths}"
            largest = max(connection.execute(f"SELECT {sizes} FROM ({read})").fetchall()[0]) * (1 + question.m)
            if largest <= work.rows:
                return cuts
            if largest > 0.9 * before or number > rows:
                break
            before, number = largest, 2 * number
    columns = ", ".join(question.columns[name] for name in near) or "the ids"
    raise InputError(
        f"partition_rows: a block of {rows:,} records with the same known values cannot be cut along {columns} into partitions of "
        f"{work.rows:,} records, because one target has more records within its radius; give workers more memory, or the "
        "intruder more known variables or a smaller radius"
    )


def _number(value: float) -> str:
    """Return a float in SQL, without rounding."""
    return f"'{float(value)!r}'::DOUBLE"


def _all_columns(question: Question) -> str:
    """Return the SQL of all columns of all files; known variables that did not change are stored once."""
    return ", ".join(
        f"{name}_{at if name in question.stored(at) else 0} AS {name}_{at}"
        for at in range(question.m + 1)
        for name in question.columns
    )


def _conditions(question: Question, cut: Slice) -> tuple[str, list[str], list[str]]:
    """Return SQL conditions for the records of a slice.

    The first selects its targets. The others, one per file, select the records that must be compared with the targets, and those that
    match all targets with the same values of the variables compared by value.
    """
    near = question.some("y")
    first, last = (
        f"'{one[1]}'" if isinstance(one[1], int) else _files.path_in_sql(one[1]) for one in (cut.first, cut.last)
    )
    values = [_value(question, near[0], at) if near else "NULL" for at in range(question.m + 1)]
    alone, category = len(near) == 1, question.inner.missing == "category"
    if cut.missing:
        mine = f"({values[0]} IS NULL AND id >= {first} AND id <= {last})"
        close = [f"({value} IS NULL)" if len(near) > 1 and category else "false" for value in values]
        between = [f"({value} IS NULL)" if alone and category else "false" if near else "true" for value in values]
        return mine, close, between
    low, last_low, first_high, high = map(_number, cut.ends)
    begin, end = _number(cut.first[0]), _number(cut.last[0])
    own = values[0]
    mine = f"coalesce(({own} > {begin} OR {own} = {begin} AND id >= {first}) AND ({own} < {end} OR {own} = {end} AND id <= {last}), false)"
    if alone and cut.ends[1] < cut.ends[2]:
        close = [f"({v} BETWEEN {low} AND {last_low} OR {v} BETWEEN {first_high} AND {high})" for v in values]
        between = [f"({v} > {last_low} AND {v} < {first_high})" for v in values]
    else:
        close, between = [f"({v} BETWEEN {low} AND {high})" for v in values], ["false"] * len(values)
    return mine, [f"coalesce({one}, false)" for one in close], between


def _count_slice(work: Work, item: tuple[int, Slice], question: Question, finish: Finish) -> Tally:
    part, cut = item

    def compute() -> Tally:
        mine, close, between = _conditions(question, cut)
        read = f"SELECT id, target, {_all_columns(question)} FROM {read_sql(work.files_of('parts', part))}"
        chosen = f"(target AND {mine} OR {' OR '.join(close)})"
        with work.connection() as connection:

            def frame(names: list[str], at: int, where: str) -> pd.DataFrame:
                columns = ", ".join([*(f"{name}_{at} AS {name}" for name in names), "count(*) AS count"])
                query = f"SELECT {columns} FROM ({read}) WHERE NOT {chosen} AND coalesce({where}, false) GROUP BY ALL"
                table = connection.sql(query).to_arrow_table()
                return pd.DataFrame({name: to_series(table.column(name)) for name in table.column_names})

            query = f"SELECT * REPLACE ({mine} AND target AS target) FROM ({read}) WHERE {chosen}"
            table = connection.sql(query).to_arrow_table()
            inside = [frame(question.some("ks"), at, where) for at, where in enumerate(between)]
            patterns = [frame(question.some("k"), at, "true") for at in range(question.m + 1)]
        return _finished(work, table, question, finish, f"part-{part:05d}-{cut.number:04d}.parquet", (inside, patterns))

    return work.once(f"part-{part}-{cut.number}", compute)
