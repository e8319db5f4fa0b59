"""Pieces of a long run: made once, read back as they were, never half written."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.lab.replication.checkpoints import Pieces, check_seed, write_table


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
        pieces.make("DP (0.6, -0.1)", compute)
    assert len(calls) == 1
    table, arrays = pieces.read("DP (0.6, -0.1)")
    pd.testing.assert_frame_equal(table, piece()[0])
    np.testing.assert_array_equal(arrays["weights"], [0.25, 1.0])


def test_an_interrupted_piece_is_not_there(tmp_path):
    pieces = Pieces(tmp_path, {"seed": 1})
    (tmp_path / "b.part.npz").write_bytes(b"half")
    pieces.make("a", piece)

    def fails():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pieces.make("c", fails)
    assert pieces.names("") == ["a"]


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
    recorded = root / "data" / "replication" / "dp" / "sensitivities.csv.gz"
    write_table(pd.read_csv(recorded), tmp_path / recorded.name, 8)
    assert (tmp_path / recorded.name).read_bytes() == recorded.read_bytes()
