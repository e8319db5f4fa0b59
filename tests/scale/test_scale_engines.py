"""Memory, DuckDB and Dask give the same numbers for every measure.

SYNTHLAB_SCALE_N sets the number of records.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from tests.clusters import start_cluster

distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra scale brings it")

N = int(float(os.environ.get("SYNTHLAB_SCALE_N", "20_000")))
NEAR = sl.Intruder(known=["region", "age"], synthesized=["income", "ill"], radius={"income": 0.2})
EQUAL = sl.Intruder(known=["region", "age"], synthesized=["ill", "income"], radius={"income": 0.1})
KEYS = sl.Intruder(known=["region", "age"], synthesized=["ill"])


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> tuple[list[pd.DataFrame], list[Path]]:
    """Return people and two releases, in the order of the ids, and their files in another order.

    Ages are whole in one file and floats with rounding errors in the others, and a few of them changed.
    """
    rng, folder = np.random.default_rng(1), tmp_path_factory.mktemp("files")
    people = pd.DataFrame(
        {
            "id": np.arange(N),
            "region": rng.choice(["north", "south", "east", "west"], N, p=[0.7, 0.1, 0.1, 0.1]),
            "age": rng.integers(18, 90, N),
            "income": np.round(rng.lognormal(10, 0.8, N), -1),
            "ill": rng.choice(["no", "a", "b"], N, p=[0.8, 0.15, 0.05]),
        }
    )
    frames, paths = [people], []
    for _ in range(2):
        age = np.where(rng.random(N) < 0.01, 30, people["age"]).astype(float)
        income = np.round(people["income"] * rng.lognormal(0, 0.3, N), -1)
        ill = np.where(rng.random(N) < 0.3, rng.permutation(people["ill"]), people["ill"])
        frames.append(people.assign(age=age, income=income, ill=ill))
    for number, frame in enumerate(frames):
        shuffled = frame.sample(frac=1, random_state=number)
        paths.append(folder / f"file{number}")
        paths[-1].mkdir()
        for j, rows in enumerate(np.array_split(np.arange(N), 3)):
            shuffled.iloc[rows].to_parquet(paths[-1] / f"{j}.parquet", index=False)
    return frames, paths


def answers(module: Any, files: list[Any], folder: Path | None = None) -> dict[str, pd.DataFrame]:
    """Return the tables of all measures."""
    own, others = files[0], files[1:]
    options = dict[str, Any]() if folder is None else {"partition_rows": max(N // 3, 3_000)}

    def of(name: str) -> dict[str, Any]:
        return options if folder is None else {**options, "id": "id", "output": folder / name}

    def frames(name: str, *arguments: Any, **more: Any) -> list[pd.DataFrame]:
        result = getattr(module, name)(*arguments, **more)
        return [result.summary(), result.to_frame()] if name != "risk_weights" else [result.summary()]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        calls = {
            "identification_risk": ([own, others, NEAR], {}),
            "identification_probability": ([own, others, NEAR], {}),
            "risk_weights": ([own, NEAR], {}),
            "exact_copies": ([own, others], {"variables": ["region", "age", "income"]}),
            "replicated_uniques": ([own, others, KEYS], {}),
            "attribute_disclosure": ([own, others, KEYS], {"target": "ill"}),
            "cap": ([own, others, EQUAL], {"target": "income", "absent": "marginal"}),
        }
        return {
            f"{name} {at}": table.astype(float)
            for name, (arguments, more) in calls.items()
            for at, table in enumerate(frames(name, *arguments, **more, **of(name)))
        }


@pytest.mark.full
def test_all_measures_are_equal(files, tmp_path):
    frames, paths = files
    wanted = answers(sl, frames)
    for engine in ("duckdb", "dask"):
        (tmp_path / engine).mkdir()
        if engine == "duckdb":
            found = answers(sl.scale, paths, tmp_path / engine)
        else:
            with (
                start_cluster(n_workers=2, memory_limit="2GiB", dashboard_address=":0") as one,
                distributed.Client(one),
            ):
                found = answers(sl.scale, paths, tmp_path / engine)
        for name, table in wanted.items():
            # Standard errors, and intervals of CAP, are differences of nearly equal sums.
            loose = table.columns.isin(["se", "low", "high"])
            for columns, rtol in ((table.columns[~loose], 1e-12), (table.columns[loose], 1e-8)):
                pd.testing.assert_frame_equal(
                    found[name][columns], table[columns], rtol=rtol, atol=0, check_names=False, obj=f"{engine} {name}"
                )
        for output in (tmp_path / engine).iterdir():
            assert sorted(pd.read_parquet(output, columns=["id"])["id"]) == list(range(N))
