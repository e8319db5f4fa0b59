"""Pipeline of the measures: validate, align, plan, shuffle and count."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.optional_dependencies import load
from synthlab._typing import IntArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, KnownVariableChangedWarning, SynthlabError
from synthlab.intruder import Intruder
from synthlab.scale import _cluster, _shuffle
from synthlab.scale._align import aligned
from synthlab.scale._count import Finish, Tally, count_places
from synthlab.scale._partitioning import Plan, cut_large, first_plan
from synthlab.scale._source import TEXT, Source, sources
from synthlab.scale._validation import Facts, Question, ask

COPIES = 4  # number of copies of the columns of a partition while it is counted
WORK, WORK_A_VARIABLE = 160, 64  # bytes per record for codes, orders and intervals
PIECE = 1_000_000  # maximum number of records read at a time


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Tallies of all places, with `n` records and `m` datasets."""

    question: Question
    n: int
    m: int
    tallies: Sequence[Tally]

    def total(self, name: str) -> Any:
        """Return the sum of a tally."""
        return sum(one[name] for one in self.tallies)


@contextmanager
def new_folder(output: object) -> Iterator[tuple[Path, Path]]:
    """Create a folder that appears when complete; yield it and a temporary folder."""
    path = _checks.check_path(output, "output")
    if path.exists():
        raise InputError(f"output={str(path)!r}: already exists; choose another folder")
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700, parents=True)  # accessible to the owner only
        (unfinished / "records").mkdir(mode=0o700)
    except OSError as error:
        raise InputError(f"output={str(path)!r}: cannot be written: {error.strerror}") from None
    try:
        yield unfinished / "records", unfinished
        (unfinished / "records").rename(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def opened(confidential: object, synthetic: object | None, partition_rows: int | None) -> tuple[Source, list[Source]]:
    """Return the confidential file and the datasets in pieces that fit into a worker."""
    fit = _cluster.room(WORK + WORK_A_VARIABLE) if partition_rows is None else partition_rows
    piece = max(1, min(PIECE, fit // 2))
    own = sources(confidential, "confidential", piece)
    if len(own) != 1:
        raise InputError(f"confidential: must be one file, got {len(own)}")
    return own[0], [] if synthetic is None else sources(synthetic, "synthetic", piece)


def rows_that_fit(
    everything: Sequence[Source], facts: Sequence[Facts], used: Sequence[str], near: int, given: int | None
) -> int:
    """Return the records per partition: as requested, or by the memory of the workers."""
    if given is not None:
        return given
    raw = max(
        sum(64 if one.dtypes[c] == TEXT else 8 for c in used) + 2 * told.text / told.rows
        for one, told in zip(everything, facts, strict=True)
    )
    each = COPIES * raw + WORK + WORK_A_VARIABLE * near
    fit = _cluster.room(each)
    largest = max((size for one in everything for size in one.rows), default=0)
    if largest > fit:
        raise InputError(
            f"workers: can hold {fit:,} records of these columns, but a row group of the Parquet files has {largest:,}; "
            "give workers more memory, or write the files with smaller row groups"
        )
    return fit


def counted(
    confidential: object,
    synthetic: object | None,
    intruder: Intruder,
    id: str,
    partition_rows: int | None,
    folders: tuple[Path, Path],
    finish: Finish,
    *,
    continuous_known: bool = True,
    whole: str = "",
) -> Answer:
    """Count for every record, write the output of `finish`, and return tallies.

    `whole` names the argument that makes the measure require whole blocks, if any.
    """
    rows = None if partition_rows is None else _checks.check_count(partition_rows, "partition_rows")
    id = _checks.check_name(id, "id")
    own, others = opened(confidential, synthetic, rows)
    question, facts = ask(own, others, intruder, id, continuous_known=continuous_known)
    everything, used = [own, *others], [id, *intruder.used]
    fit = rows_that_fit(everything, facts, used, len(question.near), rows)
    total = sum(told.rows for told in facts)
    plan = first_plan(facts, fit)
    if plan.large and whole:
        raise InputError(
            f"{whole}: requires all records of a pattern in one partition, but some patterns have more than the {fit:,} "
            "records of a partition; use order=1, give workers more memory, or give the intruder more known variables"
        )
    targets, changed = aligned(own, others, question, fit, total, folders[1])
    _warn_if_changed(question, changed, facts[0].rows)
    if plan.large:
        plan = cut_large(plan, targets, question, facts, fit)
    tallies = _counted(targets, others, question, plan.numbered(), folders[0], finish)
    answer = Answer(question, facts[0].rows, len(others), tallies)
    if answer.total("records") != answer.n:
        raise SynthlabError(
            f"{_cluster.WHAT}: {answer.total('records'):,} of {answer.n:,} records were counted; check whether the files changed during the computation"
        )
    return answer


def _counted(
    targets: Any, others: Sequence[Source], question: Question, plan: Plan, folder: Path, finish: Finish
) -> list[Tally]:
    dask, dd = (load("scale", name, _cluster.WHAT) for name in ("dask", "dask.dataframe"))
    meta = targets._meta.copy()
    meta.insert(0, "place", plan.names[:0])
    routed = targets.map_partitions(_shuffle.to_targets, question, plan, meta=meta, enforce_metadata=False)
    shaped, empty = question.meta(with_id=False), _shuffle.released_meta(question)
    released = [(0, targets)] if plan.large else []
    for dataset, one in enumerate(others, start=1):
        frame = one.records(question.wanted(with_id=False))
        released.append(
            (dataset, frame.map_partitions(question.shaped, with_id=False, meta=shaped, enforce_metadata=False))
        )
    parts = [
        frame.map_partitions(_shuffle.to_released, question, plan, dataset, meta=empty, enforce_metadata=False)
        for dataset, frame in released
    ]
    shared = [dask.delayed(one, traverse=False) for one in (question, plan, len(others), finish, str(folder))]
    here = _cluster.shuffled(routed, plan.places).to_delayed()
    there = _cluster.shuffled(dd.concat(parts), plan.places).to_delayed() if parts else [empty] * len(here)
    count = dask.delayed(_cluster.Quiet(count_places), pure=False)
    found = _cluster.run([count(a, b, *shared) for a, b in zip(here, there, strict=True)])
    return [tally for part in found for tally in part]


def _warn_if_changed(question: Question, changed: IntArray, n: int) -> None:
    for number, row in enumerate(np.atleast_2d(changed), start=1):
        for name, moved in zip(question.known, row, strict=False):
            if moved:
                warn(
                    f"known variable {question.columns[name]!r} differs from confidential in {int(moved):,} of {n:,} records of "
                    f"synthetic dataset {number}: known means released unchanged; if it was synthesized, name it in synthesized",
                    KnownVariableChangedWarning,
                    stacklevel=4,
                )


def records(folder: Path, columns: Sequence[str]) -> Any:
    """Return float columns of the output files as a dask DataFrame."""
    dd = load("scale", "dask.dataframe", _cluster.WHAT)
    meta = pd.DataFrame({c: np.empty(0) for c in columns})
    return dd.from_map(
        _read, sorted(map(str, folder.glob("*.parquet"))), chosen=list(columns), meta=meta, enforce_metadata=False
    )


def _read(path: str, chosen: Sequence[str]) -> pd.DataFrame:
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=list(chosen), partitioning=None)
    return pd.DataFrame({name: table.column(name).to_numpy() for name in chosen})
