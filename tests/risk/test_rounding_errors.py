"""Numbers that differ only by the rounding error of a computation are equal in every count of copies."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import synthlab as sl
from synthlab import _checks
from synthlab.matching.kernel import block_codes
from synthlab.report import evaluate
from synthlab.synthesis.relations.relation import parse
from synthlab.synthesis.relations.values import Values

CENTS = st.integers(-(10**7), 10**7).filter(bool)


@given(st.lists(st.tuples(CENTS, CENTS, st.integers(1, 4)), min_size=1))
def test_sums_and_products_become_the_decimal_numbers_that_they_stand_for(parts: list[tuple[int, int, int]]) -> None:
    scaled = [(Decimal(a).scaleb(-d), Decimal(b).scaleb(-d)) for a, b, d in parts if a * b > 0]
    right = np.array([float(a + b) for a, b in scaled] + [float(a / 4) for a, _ in scaled])
    computed = np.array([float(a) + float(b) for a, b in scaled] + [float(a) * 0.25 for a, _ in scaled])
    np.testing.assert_array_equal(_checks.without_rounding_errors(computed), right)
    np.testing.assert_array_equal(_checks.without_rounding_errors(right), right)


@given(st.integers(10**15, 10**16 - 2), st.integers(0, 8))
def test_identifiers_of_16_digits_remain_different(number: int, place: int) -> None:
    near = [number - 1, number, number + 1]
    for values in (near, [one * 1000 for one in near]):
        assert len(set(block_codes([pd.DataFrame({"x": values})], ["x"])[0])) == 3
    if number % 10**6 > 10 and number % 10**6 < 10**6 - 10:  # a number such as 5.000000000000001 can be an error
        floats = [float(f"{one}e-{place}") for one in near]
        assert len(set(block_codes([pd.DataFrame({"x": floats})], ["x"])[0])) == len(set(floats))


def test_random_numbers_remain_different() -> None:
    values = np.random.default_rng(1).normal(size=100_000)
    short = _checks.without_rounding_errors(values)
    assert np.unique(short).size == np.unique(values).size
    assert np.abs(short - values).max() <= 4 * np.spacing(np.abs(values)).max()


RNG = np.random.default_rng(1)
DECIMALS = RNG.integers(1, 500, (300, 2)) / 10
SUMS = DECIMALS.sum(axis=1)  # 1.1 + 2.2 and the like
WRITTEN = SUMS.round(1)


@pytest.fixture
def files() -> tuple[pd.DataFrame, pd.DataFrame]:
    own = pd.DataFrame({"total": SUMS, "region": RNG.choice(["a", "b"], 300), "age": RNG.integers(18, 90, 300)})
    return own, own.assign(total=WRITTEN)


def test_the_totals_differ_by_rounding_errors_only() -> None:
    assert (SUMS != WRITTEN).mean() > 0.1
    np.testing.assert_allclose(SUMS, WRITTEN, rtol=1e-15)


def numbers(own: pd.DataFrame, other: pd.DataFrame) -> dict[str, Any]:
    """Return every count of copies of one release."""
    who = sl.Intruder(known=["total", "region"], synthesized=["age"])
    found = {
        "exact": sl.exact_copies(own, other).to_frame(),
        "copied": sl.copied_people(own, other).table,
        "uniques": sl.replicated_uniques(own, other, who).summary(),
        "near": sl.near_copies(own, other, categorical=["total"]).table["z"],
        "ranked": sl.near_copies(own, other).table["z"],
    }
    result = evaluate(
        own, other, sl.Intruder(known=["region"], synthesized=["total"], radius={"total": 0}), rows="aligned"
    )
    found["agreement"] = result["agreement"].to_frame()
    found["verdict"] = [str(result.verdict)]
    return found


@pytest.mark.filterwarnings("ignore")
def test_every_count_of_copies_is_that_of_an_unchanged_file(files: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    own, other = files
    same, found = numbers(other, other), numbers(own, other)
    assert same.keys() == found.keys()
    for name, value in same.items():
        pd.testing.assert_frame_equal(pd.DataFrame(value), pd.DataFrame(found[name]), obj=name)
    assert found["exact"]["exact_copies"].tolist() == [300]


def test_counts_in_files_larger_than_memory_are_equal(files: Any, tmp_path: Path) -> None:
    pytest.importorskip("dask")
    paths = [tmp_path / "own.parquet", tmp_path / "other.parquet"]
    for frame, path in zip(files, paths, strict=True):
        frame.to_parquet(path)
    found = sl.scale.exact_copies(*paths, partition_rows=50)
    assert found.copies.tolist() == [300]
    assert found.unique_copies.tolist() == sl.exact_copies(*files).unique_copies.tolist()


def test_relations_hold_despite_rounding_errors(files: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    frame = pd.DataFrame({"computed": SUMS, "written": WRITTEN})
    roles = dict.fromkeys(frame, "number")
    values = Values.of(frame, roles, {})
    for text in ("computed <= written", "written <= computed", "computed <-> written"):
        relation = parse(text)
        assert relation is not None
        there, holds = relation.holds(values)
        assert there.all()
        assert holds.all(), text
    assert values.decimals("computed") == 1
