"""Match risk of files larger than memory: ``python -m tests.benchmarks.scale --n 100000000``.

Makes two files of n records x 4 columns on disk, chunk by chunk, measures `synthlab.scale.identification_risk` by DuckDB or on
two workers of Dask with 2 GiB (time, peak memory of all processes, scratch on disk), and compares with an exact count by an ASOF
join: the tallies by number of matches, and a fingerprint of all records. The folder is removed at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import shutil
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

CHUNK = 1_000_000
KNOWN = ["c1", "c2", "c3"]
RADIUS = 0.2


def share(k: int, power: float) -> np.ndarray:
    p = 1 / np.arange(1, k + 1) ** power
    return p / p.sum()


def make(folder: Path, n: int) -> None:
    """Write confidential/ and synthetic/, the records of the synthetic chunks in another order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in ("confidential", "synthetic"):
        (folder / name).mkdir(parents=True)
    firsts = range(0, n, CHUNK)
    for seed, first in zip(np.random.SeedSequence(6).spawn(len(firsts)), firsts, strict=True):
        rng, m = np.random.default_rng(seed), min(CHUNK, n - first)
        levels = {"c1": (4, 0.5), "c2": (12, 0.5), "c3": (51, 0.7)}
        known = {c: rng.choice(k, m, p=share(k, power)).astype("int8") for c, (k, power) in levels.items()}
        y = np.round(rng.lognormal(10, 0.8, m), -1)
        released = np.round(y * rng.lognormal(0, 0.3, m), -1)
        own = {"id": np.arange(first, first + m), **known, "y": y}
        order = rng.permutation(m)
        other = {name: values[order] for name, values in {**own, "y": released}.items()}
        for name, columns in (("confidential", own), ("synthetic", other)):
            pq.write_table(pa.table(columns), folder / name / f"part-{first // CHUNK:04d}.parquet", compression="zstd")


class Peak:
    """The largest memory of this process and its children together, and the largest scratch, while a block runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.rss, self.largest, self.disk, self.cpu = folder, 0, 0, 0, dict[int, float]()
        self._before = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        self._start = time.time()
        self._look()
        self._before = sum(self.cpu.values())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._look()
        self.seconds = time.time() - self._start

    @property
    def used(self) -> float:
        """Seconds of CPU time of this process and its children since the block began."""
        return sum(self.cpu.values()) - self._before

    def _watch(self) -> None:
        looked = 0.0
        while not self._stop.wait(0.2):
            self._look()
            if time.time() - looked > 2:
                looked = time.time()
                self.disk = max(self.disk, size_of(self.folder))

    def _look(self) -> None:
        import psutil

        root, now = psutil.Process(), 0
        for process in [root, *root.children(recursive=True)]:
            try:
                used, spent = process.memory_info().rss, process.cpu_times()
            except psutil.Error:
                continue
            now += used
            self.largest = max(self.largest, used)
            self.cpu[process.pid] = spent.user + spent.system
        self.rss = max(self.rss, now)

    def __str__(self) -> str:
        gib = 2**30
        return (
            f"{self.seconds:.0f} s, {self.used:.0f} s of CPU, peak {self.rss / gib:.2f} GiB of all processes "
            f"(largest {self.largest / gib:.2f}), {self.disk / gib:.1f} GiB on disk"
        )


def size_of(folder: Path) -> int:
    """Return the bytes on disk of a folder whose files can disappear meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):  # unlike rglob, os.walk skips folders that disappear
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
    return total


def sql(folder: Path, output: Path, keys: list[str] = KNOWN, radius: float = RADIUS) -> dict[str, Any]:
    """Return what DuckDB counts by itself, and the same read from the files of `output`: tallies and fingerprints."""
    import duckdb

    db = duckdb.connect(str(folder / "sql.db"))
    try:
        db.execute("SET memory_limit='4GB'; SET threads=2; SET preserve_insertion_order=false")
        db.execute(f"SET temp_directory='{folder / 'sql'}'")
        # 0.2 alone is a decimal, with other ends; NaN equals NaN here, and there is none.
        width = f"{radius}::DOUBLE * abs(y)"
        db.execute(
            f"CREATE VIEW t AS SELECT *, y - {width} AS lo, y + {width} AS hi FROM '{folder}/confidential/*.parquet'"
        )
        db.execute(f"CREATE VIEW s AS SELECT * FROM '{folder}/synthetic/*.parquet'")
        listed = "".join(f"{k}, " for k in keys)
        part = f"PARTITION BY {', '.join(keys)} " if keys else ""
        db.execute(
            f"CREATE TABLE f AS SELECT {listed} y, (sum(k) OVER ({part}ORDER BY y))::BIGINT AS upto "
            f"FROM (SELECT {listed} y, count(*) AS k FROM s GROUP BY ALL)"
        )
        on = {name: "".join(f"t.{k} = {name}.{k} AND " for k in keys) for name in "ulo"}
        db.execute(
            "CREATE TABLE counted AS SELECT t.id, coalesce(u.upto, 0) - coalesce(l.upto, 0) AS c, "
            "coalesce(o.y BETWEEN t.lo AND t.hi, false) AS own FROM t "
            f"ASOF LEFT JOIN f u ON {on['u']} t.hi >= u.y ASOF LEFT JOIN f l ON {on['l']} t.lo > l.y "
            f"LEFT JOIN s o ON {on['o']} t.id = o.id"
        )
        db.execute(
            f"CREATE VIEW written AS SELECT id, match_count_1 AS c, contains_true_1 AS own FROM '{output}/*.parquet'"
        )
        found = {}
        for name in ("counted", "written"):
            rows = db.execute(f"SELECT c, own, count(*) FROM {name} GROUP BY ALL ORDER BY ALL").fetchall()
            mark = db.execute(f"SELECT sum(hash(id::BIGINT, c::BIGINT, own)::HUGEINT) FROM {name}").fetchone()
            found[name] = (rows, mark)
        return found
    finally:
        db.close()


def measures(rows: list[tuple[int, bool, int]]) -> dict[str, float]:
    """Return the measures of the file from the numbers of records by matches and own match."""
    return {
        "expected match risk": math.fsum(k / c for c, own, k in rows if own),
        "unique and right": sum(k for c, own, k in rows if c == 1 and own),
        "unique and wrong": sum(k for c, own, k in rows if c == 1 and not own),
        "matches": sum(c * k for c, _, k in rows),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--folder", type=Path, default=None, help="where to work, default a temporary folder")
    parser.add_argument("--engine", choices=["duckdb", "dask"], default="duckdb")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="2GiB", help="of each worker")
    parser.add_argument("--known", nargs="*", default=KNOWN, help="known variables; none: one block, cut into slices")
    parser.add_argument("--kill", type=float, default=None, help="kill a worker after so many seconds")
    parser.add_argument("--no-sql", action="store_true")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="synthlab-scale-", dir=chosen.folder))
    try:
        return measure(folder, chosen)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def workers(chosen: argparse.Namespace) -> Iterator[None]:
    """Start the workers of Dask, if they are asked for, and kill one of them if that is asked for."""
    if chosen.engine == "duckdb":
        yield
        return
    from distributed import Client, LocalCluster

    options = {"n_workers": chosen.workers, "memory_limit": chosen.memory, "dashboard_address": ":0"}
    with LocalCluster(threads_per_worker=1, **options) as cluster, Client(cluster) as client:
        if chosen.kill is not None:
            pid = next(iter(client.run(os.getpid).values()))
            threading.Timer(chosen.kill, os.kill, (pid, 9)).start()
        yield


def measure(folder: Path, chosen: argparse.Namespace) -> int:
    import synthlab as sl

    print(
        f"{chosen.n:,} records x {1 + len(KNOWN)} columns and an id in two files; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    make(folder, chosen.n)
    print(f"made, {size_of(folder) / 2**30:.1f} GiB on disk", flush=True)
    intruder = sl.Intruder(known=chosen.known, synthesized=["y"], radius={"y": RADIUS})
    warnings.simplefilter("ignore", sl.exceptions.SynthlabWarning)
    with Peak(folder) as peak, workers(chosen):
        risk = sl.scale.identification_risk(
            folder / "confidential", folder / "synthetic", intruder, id="id", output=folder / "risk"
        )
    print(f"synthlab.scale by {chosen.engine}: {peak}; load {os.getloadavg()[0]:.1f}")
    print(risk, f"\nsum of match risk {float(risk.expected_match_risk[0])!r}", flush=True)
    if chosen.no_sql:
        return 0
    with Peak(folder) as peak:
        found = sql(folder, folder / "risk", chosen.known)
    print(f"ASOF join: {peak}")
    print(f"its count: {measures(found['counted'][0])}")
    same = found["counted"] == found["written"]
    print(f"tallies and fingerprint of all records equal: {same}")
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
