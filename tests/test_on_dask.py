"""A cluster of Dask takes the work by joblib's own setting, and gives the same numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from replications.checkpoints import Job, Piece, Pieces
from synthlab._system.parallel import parallel_map, workers
from synthlab._warnings import warn
from synthlab.exceptions import ConvergenceWarning, InputError
from tests.clusters import start_cluster

distributed = pytest.importorskip("distributed", reason="pip install synthlab-sdc[scale]")
pytestmark = [
    pytest.mark.full,  # a cluster
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[Any]:
    """Start two workers of one thread each."""
    with start_cluster(n_workers=2, dashboard_address=":0") as one, distributed.Client(one) as client:
        yield client


def draw(stream: np.random.Generator) -> tuple[int, list[float], int]:
    return os.getpid(), stream.normal(size=3).tolist(), workers()


def test_the_cluster_works_and_the_numbers_are_the_same() -> None:
    here = parallel_map(draw, np.random.default_rng(1).spawn(6), prefer="processes", n_jobs=1)
    with joblib.parallel_config(backend="dask"):
        assert workers(prefer="processes") == 2
        there = parallel_map(draw, np.random.default_rng(1).spawn(6), prefer="processes")
        assert workers(prefer="threads") == joblib.cpu_count()
    assert [numbers for _, numbers, _ in there] == [numbers for _, numbers, _ in here]
    assert os.getpid() not in {pid for pid, _, _ in there}
    assert {inside for _, _, inside in there} == {1}


def fail(item: int) -> int:
    warn(f"chain {item}", ConvergenceWarning)
    if item > 1:
        raise InputError(f"item {item}: too large")
    return item


def test_errors_and_warnings_arrive_as_they_are() -> None:
    with (
        joblib.parallel_config(backend="dask"),
        pytest.warns(ConvergenceWarning, match="chain"),
        pytest.raises(InputError, match="^item 2: too large$"),
    ):
        parallel_map(fail, range(4), prefer="processes")


def test_a_release_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    people = pd.DataFrame({"ill": ["yes", "no"] * 20, "urban": ["a", "a", "b", "b"] * 10})
    fitted = sl.DirichletMultinomial(["ill", "urban"]).fit(people, rng=1)
    here = fitted.generate(m=5, rng=2)
    with joblib.parallel_config(backend="dask"):
        there = fitted.generate(m=5, rng=2)
    for one, other in zip(here, there, strict=True):
        pd.testing.assert_frame_equal(one, other)


def piece(seed: int) -> Piece:
    return pd.DataFrame({"y": np.random.default_rng(seed).normal(size=3)}), {"pid": np.array([1.0])}


def test_pieces_of_a_study_are_the_same_bytes_and_go_on(tmp_path: Path) -> None:
    def jobs(number: int) -> list[Job]:
        return [Job(f"piece {n}", f"piece_{n}", partial(piece, n)) for n in range(number)]

    Pieces(tmp_path / "here", {"seed": 1}).finish(jobs(5))
    with joblib.parallel_config(backend="dask"):
        Pieces(tmp_path / "there", {"seed": 1}).finish(jobs(2))
        Pieces(tmp_path / "there", {"seed": 1}).finish(jobs(5))
    found = [{p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("here", "there")]
    assert found[0] == found[1]
