"""A piece is numbers and text: a file that would run code when it is read is refused."""

from __future__ import annotations

import numpy as np
import pytest

from replications.checkpoints import Pieces, check_seed


def test_objects_are_not_read(tmp_path):
    pieces = Pieces(tmp_path / "run", {"seed": 1})
    np.savez_compressed(tmp_path / "run" / "odd.npz", **{"array:x": np.array([{"any": "object"}], dtype=object)})
    with pytest.raises(ValueError, match="allow_pickle=False"):
        pieces.read("odd")


def test_a_run_may_have_seed_0():
    assert check_seed(0, default=7) == 0
    assert check_seed(None, default=7) == 7
