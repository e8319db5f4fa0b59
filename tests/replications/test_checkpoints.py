"""Pieces of a long run: made once, read back as they were, never half written."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial

import joblib
import numpy as np
import pandas as pd
import psutil
import pytest

from replications.checkpoints import Job, Pieces, check_seed, write_table
from synthlab.exceptions import InputError


def piece():
    table = pd.DataFrame({"measure": ["mean", "90 % quantile"], "value": [1.5, np.nan], "m": [1, 2]})
    return table, {"weights": np.array([0.25, 1.0])}


def test_a_piece_is_computed_once_and_read_back(tmp_path):
    pieces = Pieces(tmp_path / "pieces", {"seed": 1})
    calls = []

    def compute():
        calls.append(1)
        return piece()

    for _ in range(2):
        with joblib.parallel_config(n_jobs=1):
            pieces.finish([Job("a mechanism", "DP (0.6, -0.1)", compute)])
    assert len(calls) == 1
    table, arrays = pieces.read("DP (0.6, -0.1)")
    pd.testing.assert_frame_equal(table, piece()[0])
    np.testing.assert_array_equal(arrays["weights"], [0.25, 1.0])


def test_an_interrupted_piece_is_not_there(tmp_path):
    pieces = Pieces(tmp_path, {"seed": 1})
    (tmp_path / "b.part.npz").write_bytes(b"half")
    pieces.write("a", piece())

    def fails():
        raise KeyboardInterrupt

    with joblib.parallel_config(n_jobs=1), pytest.raises(KeyboardInterrupt):
        pieces.finish([Job("a piece", "c", fails)])
    assert pieces.names("") == ["a"]


def count(seed, *earlier):
    """Return draws, and how many pieces there were before."""
    rows = sum(len(table) for table, _ in earlier)
    return pd.DataFrame({"y": np.random.default_rng(seed).normal(size=3), "before": rows}), {"pid": np.zeros(1)}


def chain():
    """Return jobs of which some need others, and not in the order they can be done."""
    return [
        Job("last", "d", partial(count, 4), ("a", "c")),
        Job("first", "a", partial(count, 1)),
        Job("second", "b", partial(count, 2)),
        Job("third", "c", partial(count, 3), ("b",)),
    ]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_pieces_are_the_same_bytes_whatever_the_number_of_jobs(tmp_path):
    for jobs in (1, 2, 4):
        with joblib.parallel_config(n_jobs=jobs):
            Pieces(tmp_path / f"{jobs}", {"seed": 1}).finish(chain())
    one = Pieces(tmp_path / "1", {"seed": 1})
    assert [one.read(name)[0]["before"].iloc[0] for name in "abcd"] == [0, 0, 3, 6]
    assert contents(tmp_path / "1") == contents(tmp_path / "2") == contents(tmp_path / "4")


def test_a_piece_that_fails_keeps_those_that_are_done(tmp_path):
    def fails():
        time.sleep(1)
        raise InputError("too few records")

    with joblib.parallel_config(n_jobs=2), pytest.raises(InputError, match="^too few records$"):
        Pieces(tmp_path, {"seed": 1}).finish([Job("bad", "bad", fails), *chain()])
    assert {"a", "b"} <= set(Pieces(tmp_path, {"seed": 1}).names(""))


KILLED = """
import os, sys, time
from functools import partial
import joblib, numpy as np, pandas as pd
from replications.checkpoints import Job, Pieces

def slow(seed):
    time.sleep(0.0 if seed < 3 or "again" in sys.argv else 60.0)
    return pd.DataFrame({"y": np.random.default_rng(seed).normal(size=3)}), {}

print("there", flush=True)
with joblib.parallel_config(n_jobs=2):
    Pieces(__import__("pathlib").Path("pieces"), {"seed": 1}).finish(
        [Job(f"piece {n}", f"piece_{n}", partial(slow, n)) for n in range(6)]
    )
"""


def test_a_run_that_is_killed_goes_on_to_the_same_bytes(tmp_path, root):
    """Killed without a chance to clean up: no half piece, and no worker that stays."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "course"), str(root)])}
    command = [sys.executable, "-c", KILLED]
    for _ in range(2):  # a second time if a worker process does not start, as seen once on a busy machine
        program = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 100
        while program.poll() is None and time.monotonic() < end and len(list(tmp_path.glob("pieces/*.npz"))) < 3:
            time.sleep(0.05)
        workers = psutil.Process(program.pid).children(recursive=True)
        program.kill()
        program.wait()
        if list(tmp_path.glob("pieces/*.npz")):
            break
    made = contents(tmp_path / "pieces")
    assert {f"piece_{n}.npz" for n in range(3)} | {"settings.json"} == set(made)
    (tmp_path / "whole").mkdir()
    subprocess.run([*command, "again"], cwd=tmp_path / "whole", env=environment, check=True)
    subprocess.run([*command, "again"], cwd=tmp_path, env=environment, check=True)
    assert contents(tmp_path / "pieces") == contents(tmp_path / "whole" / "pieces")
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert alive == []


def test_a_folder_holds_one_run(tmp_path):
    Pieces(tmp_path / "pieces", {"seed": 1})
    Pieces(tmp_path / "pieces", {"seed": 1})
    with pytest.raises(InputError, match="holds pieces of a run with another seed or size"):
        Pieces(tmp_path / "pieces", {"seed": 2})


def test_seeds():
    assert check_seed(None, 7) == 7
    assert check_seed(np.int64(3), 7) == 3
    for bad in (True, -1, np.random.default_rng(1), 1.5):
        with pytest.raises(InputError, match="must be a whole number >= 0"):
            check_seed(bad, 7)


def test_equal_tables_are_equal_bytes(tmp_path):
    table = pd.DataFrame({"name": ["a"], "value": [1 / 3], "none": [np.nan]})
    for name in ("one.csv.gz", "two.csv.gz", "one.csv"):
        write_table(table, tmp_path / name, 4)
    assert (tmp_path / "one.csv").read_text(encoding="utf-8") == "name,value,none\na,0.3333,\n"
    unpacked = [pd.read_csv(tmp_path / name) for name in ("one.csv.gz", "two.csv.gz")]
    pd.testing.assert_frame_equal(*unpacked)


def test_a_recorded_table_written_again_is_the_recorded_bytes(tmp_path, root):
    recorded = root / "course" / "replications" / "dp" / "sensitivities.csv.gz"
    write_table(pd.read_csv(recorded), tmp_path / recorded.name, 8)
    assert (tmp_path / recorded.name).read_bytes() == recorded.read_bytes()
