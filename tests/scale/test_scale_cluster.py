"""On two worker processes: the answer of memory, and the same bytes when a worker dies at the worst moments."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import SynthlabError, SynthlabWarning
from synthlab.scale import _records
from synthlab.scale._engine import Work
from tests.clusters import start_cluster, wait_for_workers

dask = pytest.importorskip("dask", reason="dask is not installed: the extra scale brings it")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra scale brings it")

N = 30_000
SOMEONE = sl.Intruder(known=["a", "b"], synthesized=["y"], radius={"y": 0.2})


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> tuple[Path, list[pd.DataFrame]]:
    folder, rng = tmp_path_factory.mktemp("files"), np.random.default_rng(1)
    people = pd.DataFrame(
        {
            "id": rng.permutation(N),
            "a": rng.integers(0, 6, N),
            "b": rng.choice(["north", "south", "east", "west"], N, p=[0.7, 0.1, 0.1, 0.1]),
            "y": np.round(rng.lognormal(10, 0.8, N), -1),
        }
    )
    frames = [
        people,
        people.assign(y=np.round(people["y"] * rng.lognormal(0, 0.3, N), -1)).sample(frac=1, random_state=1),
    ]
    for name, frame in zip(("confidential", "synthetic"), frames, strict=True):
        (folder / name).mkdir()
        for j, rows in enumerate(np.array_split(np.arange(N), 6)):
            frame.iloc[rows].to_parquet(folder / name / f"{j}.parquet")
    return folder, frames


@pytest.fixture(scope="module")
def client(tmp_path_factory) -> Iterator[Any]:
    space = tmp_path_factory.mktemp("space")
    options = {"n_workers": 2, "memory_limit": "2GiB", "dashboard_address": ":0"}
    with (
        dask.config.set({"temporary-directory": str(space)}),
        start_cluster(**options, local_directory=str(space)) as cluster,
        distributed.Client(cluster) as one,
    ):
        one.space = space
        yield one


def ask(folder: Path, output: Path, intruder: sl.Intruder, rows: int | None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.scale.identification_risk(
            folder / "confidential", folder / "synthetic", intruder, id="id", output=output, partition_rows=rows
        )


def run(files: tuple[Path, list[pd.DataFrame]], output: Path) -> tuple[Any, dict[str, bytes]]:
    risk = ask(files[0], output, SOMEONE, 8_000)
    return risk, {path.name: path.read_bytes() for path in sorted(output.iterdir())}


def killed(client: Any, when: Callable[[], bool]) -> threading.Thread:
    """Kill a worker as soon as `when` is true; the thread is alive until then."""
    pid = next(iter(client.run(os.getpid).values()))

    def wait() -> None:
        for _ in range(60_000):
            if when():
                os.kill(pid, signal.SIGKILL)
                return
            time.sleep(0.005)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


@pytest.mark.full
def test_a_killed_worker_changes_no_byte(client, files, tmp_path):
    wanted = sl.identification_risk(
        *(frame.sort_values("id").drop(columns="id").reset_index(drop=True) for frame in files[1]), SOMEONE
    )
    risk, expected = run(files, tmp_path / "undisturbed")
    records = pd.read_parquet(risk.output).sort_values("id")
    np.testing.assert_array_equal(records["match_count_1"], wanted.match_count[:, 0])
    np.testing.assert_array_equal(records["contains_true_1"], wanted.contains_true[:, 0])
    pd.testing.assert_frame_equal(risk.summary(), wanted.summary(), rtol=1e-13)
    assert len(expected) > 5
    assert not (tmp_path / "undisturbed.unfinished").exists()

    moments = {
        name: lambda name=name, folder=folder: any((tmp_path / f"{name}.unfinished" / folder).glob("*"))
        for name, folder in {"while it joins": "parts", "while counts are written": "records"}.items()
    }
    for name, when in moments.items():
        wait_for_workers(client, 2)
        thread = killed(client, _safe(when))
        again, found = run(files, tmp_path / name)
        thread.join(10)
        assert not thread.is_alive(), f"no worker was killed {name}"
        assert found == expected
        assert again.expected_match_risk.tolist() == risk.expected_match_risk.tolist()


def test_a_worker_killed_in_the_midst_of_a_file_leaves_nothing_among_the_records(tmp_path):
    (tmp_path / "records").mkdir()
    script = """
import os, sys, pandas as pd, pyarrow.parquet as pq
from pathlib import Path
from synthlab.scale._engine import Work
def cut_short(table, path, **options):
    open(path, "wb").write(b"PAR1")
    os._exit(9)
pq.write_table = cut_short
Work(Path(sys.argv[1]), True, 2**30, 100).write(pd.DataFrame({"id": [1, 2]}), "part-00000.parquet")
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == 9
    assert [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()] == [b"PAR1"]
    assert list((tmp_path / "records").iterdir()) == []
    Work(tmp_path, True, 2**30, 100).write(pd.DataFrame({"id": [1, 2]}), "part-00000.parquet")
    assert [path.name for path in (tmp_path / "records").iterdir()] == ["part-00000.parquet"]


def test_workers_that_die_again_and_again_are_told_and_the_work_is_kept(client, files, tmp_path, monkeypatch):
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        monkeypatch.setattr(_records, "_count_partition", dies)
        client.cluster.scheduler.allowed_failures = 0
        with pytest.raises(SynthlabError, match="killed repeatedly.*finished partitions are kept"):
            run(files, tmp_path / "risk")
        client.cluster.scheduler.allowed_failures = 3
    assert (tmp_path / "risk.unfinished" / "parts").is_dir()
    monkeypatch.undo()
    wait_for_workers(client, 2)
    risk, _ = run(files, tmp_path / "risk")
    assert risk.n == N
    assert not (tmp_path / "risk.unfinished").exists()


def dies(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _safe(when: Callable[[], bool]) -> Callable[[], bool]:
    """Files come and go while they are looked for."""

    def look() -> bool:
        try:
            return when()
        except OSError:
            return False

    return look


def test_duckdb_counts_the_same(files, tmp_path):
    pytest.importorskip("duckdb", reason="duckdb is not installed: the extra linkage brings it")
    from tests.benchmarks.scale import measures, sql

    with dask.config.set(scheduler="synchronous"):
        for known, rows in ((["a", "b"], None), ([], 20_000)):
            intruder = sl.Intruder(known=known, synthesized=["y"], radius={"y": 0.2})
            output = tmp_path / f"risk{len(known)}"
            risk = ask(files[0], output, intruder, rows)
            found = sql(files[0], output, known)
            (files[0] / "sql.db").unlink()
            assert found["counted"] == found["written"]
            told = measures(found["counted"][0])
            assert risk.expected_match_risk[0] == pytest.approx(told["expected match risk"], rel=1e-14)
            assert risk.n_unique[0] == told["unique and right"] + told["unique and wrong"]
