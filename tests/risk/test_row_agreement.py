"""Agreement by row, exact amounts, equal counts by chance, and datasets that are copies of each other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from synthlab.risk.copies.row_agreement import (
    chance_of_counts,
    copied_datasets,
    is_design,
    jointly_in_another_order,
    row_agreement,
    same_in_another_order,
)

N = 400


def draws(seed: int, n: int = N) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    return pd.DataFrame({"job": draw.choice(list("abcd"), n), "income": draw.lognormal(8, 0.6, n).round()})


def codes(own: pd.DataFrame, other: pd.DataFrame) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    joint = {c: pd.factorize(np.concatenate([own[c], other[c]]))[0].astype(np.int64) for c in own}
    return {c: (one[: len(own)], one[len(own) :]) for c, one in joint.items()}


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_independent_datasets_agree_as_often_with_each_other(m: int, seed: int) -> None:
    own, *frames = (draws(1000 * seed + k) for k in range(m + 1))
    result = row_agreement(own, frames, ["job", "income"])
    assert [one.columns for one in result.agreed] == [("job",), ("income",), ("job", "income")]
    assert "STOP" not in {one.level for one in result.agreed}
    assert result.level is None


def test_the_shares_and_z_are_those_of_a_loop() -> None:
    own, *frames = (draws(k, 60) for k in range(4))
    d = []
    for i in range(60):
        same = sum(one.loc[i, "job"] == own.loc[i, "job"] for one in frames)
        pairs = sum(frames[k].loc[i, "job"] == frames[(k + 1) % 3].loc[i, "job"] for k in range(3))
        d.append(same - pairs)
    one = row_agreement(own, frames, ["job"]).agreed[0]
    assert one.people == sum(d)
    assert one.z == pytest.approx(sum(d) / np.sqrt(sum(x**2 for x in d)))
    assert one.points == pytest.approx(100 * np.mean(d) / 3)


@pytest.mark.parametrize(("m", "level"), [(2, "STOP"), (20, "CHECK")])
def test_one_unchanged_dataset_is_found(m: int, level: str) -> None:
    own = draws(0)
    result = row_agreement(own, [own, *(draws(k) for k in range(1, m))], ["job", "income"])
    both = result.agreed[-1]
    assert both.level == level
    assert both.points == pytest.approx(100 / m, abs=1)
    assert result.level == level


def test_other_rows_unchanged_in_each_dataset_are_found() -> None:
    own = draws(0)
    frames = []
    for k in range(4):
        frame = draws(k + 1)
        frame.iloc[k::20] = own.iloc[k::20]
        frames.append(frame)
    assert row_agreement(own, frames, ["income"]).level == "CHECK"


@pytest.mark.parametrize("step", [1, 100])
def test_exact_amounts_of_single_people_are_counted(step: int) -> None:
    draw = np.random.default_rng(1)
    own = pd.DataFrame({"income": draw.permutation(np.arange(1, N + 1)) * 37 * step})
    drawn = own.assign(income=draw.permutation(own["income"]))
    assert row_agreement(own, [drawn], ["income"]).level is None
    copied = drawn.copy()
    copied.loc[:29, "income"] = own["income"][:30]
    (found,) = row_agreement(own, [copied], ["income"]).amounts
    assert found.level == "CHECK"
    assert found.people == pytest.approx(30, abs=4)
    assert found.chance == pytest.approx(1, abs=0.5)
    # Values near the own amount are as frequent as the own amount: a model that follows it closely, not a copy.
    own = pd.DataFrame({"income": 50_000 + draw.permutation(np.arange(1, N + 1)) * step})
    near = own.assign(income=own["income"] + draw.integers(-5, 6, N) * step)
    (found,) = row_agreement(own, [near], ["income"]).amounts
    assert found.level is None


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=2, max_size=8))
def test_the_chance_of_equal_counts_is_a_multinomial_probability(counts: list[int]) -> None:
    values = np.repeat(np.arange(len(counts)), counts)
    expected = stats.multinomial.pmf(counts, sum(counts), np.array(counts) / sum(counts))
    assert chance_of_counts(values) == pytest.approx(expected)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_permuted_rare_items_are_not_the_same_records(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shares = np.linspace(0.003, 0.03, 20)
    own = pd.DataFrame({f"q{j}": draw.random(600) < share for j, share in enumerate(shares)})
    other = own.apply(lambda column: draw.permutation(column))
    pairs = codes(own, other)
    assert jointly_in_another_order(pairs) == []
    assert same_in_another_order(pairs) == []


def test_the_same_records_in_another_order_are_found() -> None:
    own = draws(0).assign(sex=np.arange(N) % 2, other=draws(5)["income"])
    mixed = own.sample(frac=1, random_state=1).reset_index(drop=True)
    mixed = mixed.assign(other=draws(6)["income"])
    assert set(jointly_in_another_order(codes(own, mixed))) == {"income", "job", "sex"}
    assert same_in_another_order(codes(own, mixed)) == ["income"]


def test_columns_with_counts_by_design_are_no_evidence() -> None:
    panel = pd.DataFrame({"person": np.repeat(np.arange(80), 5), "wave": np.tile(np.arange(5), 80), "row": range(400)})
    found = codes(panel, panel)
    assert [c for c in panel if is_design(panel[c], found[c][0])] == ["person", "wave", "row"]
    own = draws(0)
    assert not [c for c in own if is_design(own[c], codes(own, own)[c][0])]


def test_copied_datasets_need_20_joint_values() -> None:
    first, second = draws(1), draws(2)
    mixed = first.sample(frac=1, random_state=1)
    assert copied_datasets([first, second, mixed, first], ["job", "income"]) == [(1, 3), (1, 4)]
    assert copied_datasets([first, mixed], ["job"]) == []
    assert copied_datasets([first], ["income"]) == []
    assert copied_datasets([first, first], []) == []
