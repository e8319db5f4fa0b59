"""Tasks on this machine or on a cluster, their memory, and the folder of unfinished work."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.atomic_write import OWNER
from synthlab._system.optional_dependencies import load, version
from synthlab._warnings import warn
from synthlab.exceptions import FitsInMemoryWarning, InputError, SynthlabError
from synthlab.scale._files import PIECE, WHAT, Source, files_below, listed, parquet_source, path_in_sql

BASE = 512 * 2**20  # memory of a worker for libraries
SHARE = 0.5  # share of the remaining memory for the records of a partition and the copies made while counting
SMALLEST = 64 * 2**20
LARGEST = 2 * 2**30  # memory that this process uses at most, although the machine might have more
IN_MEMORY = 250  # bytes per record and file of a function in memory
FEW = 100_000  # number of records below which it does not matter which function is used
GROUP = 1_000_000  # records per row group of an output file
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
Tally = dict[str, Any]


class FullDiskError(InputError):
    """A file could not be written."""


@dataclass(frozen=True, slots=True)
class Work:
    """Folder of unfinished work, which all machines must be able to read and write."""

    folder: Path
    cluster: bool
    memory: int
    rows: int

    def each(self, function: Callable[..., Any], items: Sequence[Any], *more: Any) -> list[Any]:
        """Apply a function to each item, on the workers or here; raise the first error."""
        task = Task(function, self)
        if not self.cluster:
            return [_found(task(item, *more)) for item in items]
        dask = load("scale", "dask", WHAT)
        shared = [dask.delayed(one, traverse=False) for one in more]
        run = dask.delayed(task, pure=False, traverse=False)
        try:
            return [_found(one) for one in dask.compute(*[run(item, *shared) for item in items])]
        except load("scale", "distributed", WHAT).scheduler.KilledWorker:
            raise SynthlabError(
                f"{WHAT}: workers were killed repeatedly, probably for lack of memory; give them more memory and call the "
                f"function again: finished partitions are kept in {str(self.folder)!r}"
            ) from None

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """Yield a connection to DuckDB, whose memory is limited and which continues on disk."""
        duckdb = load("scale", "duckdb", WHAT)
        spill = self.folder / f".spill-{uuid.uuid4().hex}"
        options = {
            "memory_limit": f"{max(self.memory // 2**20, 128)}MiB",
            "threads": 1 if self.cluster else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1,
            "preserve_insertion_order": False,
            "temp_directory": str(spill),
        }
        with duckdb.connect(config=options) as connection:
            connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
            kinds = {"type": "arrow", "null_handling": "special"}
            connection.create_function("tidy", _tidy, ["DOUBLE"], "DOUBLE", **kinds)
            try:
                yield connection
            finally:
                shutil.rmtree(spill, ignore_errors=True)

    def split(self, connection: Any, sql: str, stage: str, name: str) -> None:
        """Write the records of a query with one folder for each value of `part`."""
        final, unfinished = self.folder / stage / name, self.folder / stage / f".{name}-{uuid.uuid4().hex}"
        if final.exists():
            return
        final.parent.mkdir(mode=0o700, exist_ok=True)
        connection.execute(f"COPY ({sql}) TO {path_in_sql(unfinished)} (FORMAT parquet, PARTITION_BY (part))")
        unfinished.mkdir(exist_ok=True)
        self.place(unfinished, final)

    def place(self, unfinished: Path, final: Path) -> None:
        """Rename a folder; if the same task already finished, remove the folder."""
        try:
            unfinished.rename(final)
        except OSError:
            shutil.rmtree(unfinished, ignore_errors=True)
            if not final.exists():
                raise

    def files_of(self, stage: str, part: int) -> list[Path]:
        """Return the files of one partition."""
        return sorted((self.folder / stage).glob(f"[!.]*/part={part}/*.parquet"))

    def once(self, name: str, compute: Callable[[], Tally]) -> Tally:
        """Return the tally of a partition, which an interrupted run might have saved."""
        path = self.folder / "tallies" / f"{name}.json"
        if path.exists():
            return dict(json.loads(path.read_text(encoding="utf-8")))
        found: Tally = json.loads(json.dumps(compute(), default=_plain))
        path.parent.mkdir(mode=0o700, exist_ok=True)
        unfinished = path.with_name(f".{uuid.uuid4().hex}")
        unfinished.write_text(json.dumps(found), encoding="utf-8")
        os.replace(unfinished, path)
        return found

    def write(self, frame: pd.DataFrame, name: str) -> None:
        """Write an output file that only its owner can read, and then put it in place."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path, unfinished = self.folder / "records" / name, self.folder / f".{name}-{uuid.uuid4().hex}"
        table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        try:
            unfinished.touch(mode=OWNER, exist_ok=False)
            pq.write_table(table, unfinished, compression="zstd", row_group_size=GROUP)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Failed:
    """Error of a task, returned as a value so that Dask does not log its records."""

    error: SynthlabError


def _found(result: Any) -> Any:
    if isinstance(result, Failed):
        raise result.error
    return result


@dataclass(frozen=True, slots=True)
class Task:
    """Function of one item that returns its error, in a message without values of the data."""

    function: Callable[..., Any]
    work: Work

    @property
    def __name__(self) -> str:
        """Name of the task in Dask."""
        return self.function.__name__

    def __call__(self, item: Any, *more: Any) -> Any:
        import duckdb

        try:
            return self.function(self.work, item, *more)
        except SynthlabError as error:
            return Failed(error)
        except duckdb.OutOfMemoryException as error:
            if "disk" in str(error).lower():  # the temporary folder cannot grow
                return Failed(self._full(OSError(errno.ENOSPC, "")))
            return Failed(InputError(f"workers: have too little memory for {self.__name__}; give them more memory"))
        except (OSError, duckdb.IOException) as error:
            return Failed(self._full(error))
        except Exception as error:  # noqa: BLE001
            return Failed(SynthlabError(f"{WHAT}: {self.__name__} failed with {type(error).__name__}"))

    def _full(self, error: Exception) -> SynthlabError:
        number = error.errno if isinstance(error, OSError) else None
        written = number in FULL or (
            number is None and any(word in str(error) for word in ("No space", "write", "Write"))
        )
        if not written:
            return SynthlabError(f"{WHAT}: {self.__name__} failed with {type(error).__name__}")
        reason = os.strerror(number or errno.ENOSPC)
        return FullDiskError(
            f"{str(self.work.folder)!r}: partitions cannot be written: {reason}; free space on this disk"
        )


def _tidy(values: Any) -> Any:
    """Round numbers as the functions in memory do, so that equal values have equal hashes."""
    import pyarrow as pa

    numbers = values.to_numpy(zero_copy_only=False) if isinstance(values, pa.Array) else values.to_numpy()
    return pa.array(_checks.without_rounding_errors(np.asarray(numbers, dtype=np.float64)) + 0.0, from_pandas=True)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def client() -> Any:
    """Return the active Dask client, or None if there is none."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    scheduler = sys.modules["dask"].config.get("scheduler", None)
    if isinstance(scheduler, str) and scheduler not in ("distributed", "dask.distributed"):
        return None
    with suppress(ValueError):
        return distributed.default_client()
    return None


def memory() -> int:
    """Return the memory of this process, or per thread of the smallest worker, in bytes."""
    asked = client()
    if asked is None:
        load("scale", "distributed", WHAT)
        from distributed.system import MEMORY_LIMIT

        return int(MEMORY_LIMIT)
    workers = asked.scheduler_info(n_workers=-1)["workers"].values()
    if not workers:
        raise InputError(
            f"{WHAT}: the cluster of the Dask client has no workers yet; wait for them with client.wait_for_workers(1)"
        )
    return int(min((worker["memory_limit"] or 2**40) // worker["nthreads"] for worker in workers))


def room(bytes_a_record: float) -> int:
    """Return the maximum number of records per partition, including working copies."""
    each = memory()
    left = (each - BASE) * SHARE
    if left < SMALLEST:
        least = (BASE + SMALLEST / SHARE) / 2**30
        raise InputError(
            f"workers: the smallest worker has {each / 2**30:.2f} GiB per thread, but {least:.2f} GiB are required; give "
            "workers more memory (memory_limit), or fewer threads (threads_per_worker=1)"
        )
    return max(1, int(min(left, LARGEST) / bytes_a_record))


@contextmanager
def working(
    function: str, confidential: object, synthetic: object, output: object, partition_rows: object, *question: Any
) -> Iterator[tuple[Work, list[Source]]]:
    """Yield the folder of unfinished work and all files; move the output into place at the end.

    The folder stays if the work is interrupted. A call with the same question about unchanged files continues from there.
    """
    load("scale", "duckdb", WHAT)
    rows = None if partition_rows is None else _checks.check_count(partition_rows, "partition_rows")
    items = listed(confidential, "confidential") + ([] if synthetic is None else listed(synthetic, "synthetic"))
    files = {where: files_below(item, where) for where, item in items if isinstance(item, Path)}
    cluster = client() is not None or len(files) < len(items)
    memory_, fit = memory(), room(400) if rows is None else rows
    path = None if output is None else _checks.check_path(output, "output")
    if path is not None and path.exists():
        raise InputError(f"output={str(path)!r}: already exists; choose another folder")
    stamps = [[str(f), f.stat().st_size, f.stat().st_mtime_ns] for found in files.values() for f in found]
    frames = [str(getattr(item, "_name", "")) for _, item in items if not isinstance(item, Path)]
    versions = [version(name) for name in ("synthlab-sdc", "duckdb", "pandas")]
    identity = [function, stamps, frames, list(map(repr, question)), fit, cluster, versions]
    stamp = hashlib.sha256(json.dumps(identity).encode()).hexdigest()
    folder = _unfinished(path, cluster, next(iter(files.values()), [Path.cwd() / "file"])[0], stamp)
    work = Work(folder, cluster, min(memory_ // 4, LARGEST), fit)
    try:
        everything = [
            parquet_source(_as_parquet(work, item, files.get(where), number), where, not cluster)
            for number, (where, item) in enumerate(items)
        ]
        _tell_if_small(everything, function)
        yield work, everything
        if path is not None:
            (folder / "records").rename(path)
    except BaseException as error:
        # Interrupted work is continued later, work that cannot succeed is removed.
        if isinstance(error, InputError | OSError) or (path is None and not cluster):
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and error.errno in FULL:
            raise FullDiskError(
                f"{str(folder)!r}: cannot be written: {error.strerror}; free space on this disk"
            ) from None
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _unfinished(output: Path | None, cluster: bool, beside: Path, stamp: str) -> Path:
    """Return the folder of an earlier run of the same question, or a new one."""
    if output is not None:
        folder = output.with_name(output.name + ".unfinished")
    elif not cluster:
        return Path(tempfile.mkdtemp(prefix="synthlab-scale-"))
    else:
        chosen = load("scale", "dask", WHAT).config.get("temporary-directory", None)
        folder = Path(chosen or beside.parent).absolute() / f".synthlab-{stamp[:16]}.unfinished"
    note = folder / "question"
    if folder.exists() and not note.is_file():
        raise InputError(
            f"{str(folder)!r}: exists, but contains no unfinished work of synthlab; move it or choose another output"
        )
    try:
        if not (note.is_file() and note.read_text(encoding="utf-8") == stamp):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700, parents=True)  # accessible to the owner only
            (folder / "records").mkdir(mode=0o700)
            note.write_text(stamp, encoding="utf-8")
    except OSError as error:
        raise InputError(f"output={str(output or folder)!r}: cannot be written: {error.strerror}") from None
    return folder


def _as_parquet(work: Work, item: Any, files: list[Path] | None, number: int) -> list[Path]:
    """Return the Parquet files of an argument; CSV files and dask DataFrames are written first."""
    if files is not None and files[0].suffix.lower() != ".csv":
        return files
    folder = work.folder / f"file{number}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if files is None:
        parts = item.to_delayed()
        meta = item._meta
        return work.each(_write_frame, list(enumerate(parts)), meta, str(folder))
    return work.each(_write_csv, [(list(map(str, files)), folder / "0.parquet")])


def _write_csv(work: Work, item: tuple[list[str], Path]) -> Path:
    paths, final = item
    names = ", ".join(map(path_in_sql, paths))
    unfinished = final.with_name(f".{uuid.uuid4().hex}")
    if not final.exists():
        with work.connection() as connection:
            # The types are detected from all records.
            query = f"SELECT * FROM read_csv([{names}], header = true, sample_size = -1, union_by_name = false)"
            connection.execute(f"COPY ({query}) TO {path_in_sql(unfinished)} (FORMAT parquet)")
        os.replace(unfinished, final)
    return final


def _write_frame(work: Work, item: tuple[int, Any], meta: pd.DataFrame, folder: str) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number, part = item
    final = Path(folder, f"{number:06d}.parquet")
    unfinished = final.with_name(f".{uuid.uuid4().hex}")
    fields = [(name, _arrow_type(meta[name])) for name in meta.columns]
    try:
        pq.write_table(
            pa.Table.from_pandas(part, pa.schema(fields), preserve_index=False), unfinished, row_group_size=PIECE
        )
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise InputError(
            "a column of the dask DataFrame holds values of several types; convert it to one type"
        ) from None
    os.replace(unfinished, final)
    return final


def _arrow_type(series: pd.Series) -> Any:
    import pyarrow as pa

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = np.dtype(object) if dtype.categories is None else dtype.categories.dtype
    kind = (
        pa.string()
        if pd.api.types.is_object_dtype(dtype)
        else pa.array(pd.Series([], dtype=dtype), from_pandas=True).type
    )
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _tell_if_small(everything: Sequence[Source], function: str) -> None:
    n = sum(one.rows for one in everything)
    if n >= FEW and n * IN_MEMORY < memory() / 2:
        warn(
            f"the {len(everything)} files with {n:,} records fit in memory: synthlab.{function} gives the same result with less "
            "work; synthlab.scale is for larger files",
            FitsInMemoryWarning,
        )
