"""Near copies against a double loop, and what the share is for a copy and for an independent sample."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import DtypeMismatchError, InputError


def bounds_by_loops(own: pd.DataFrame, released: pd.DataFrame, ranked: list[str]) -> tuple[float, float]:
    """Return the smallest and the largest share: of several closest records any may be the closest."""
    ranks = [frame.rank(pct=True).fillna(0.5) for frame in (own[ranked], released[ranked])]
    others = [c for c in own if c not in ranked]

    def distance(i: int, row: pd.Series, numbers: pd.Series) -> float:
        differ = sum(not (row[c] == own[c].iloc[i] or (pd.isna(row[c]) and pd.isna(own[c].iloc[i]))) for c in others)
        return differ + float((ranks[0].iloc[i] - numbers).abs().sum())

    low = high = 0.0
    for place in range(len(released)):
        near = [distance(i, released.iloc[place], ranks[1].iloc[place]) for i in range(len(own))]
        points = []
        for i in np.flatnonzero(np.array(near) < min(near) + 1e-6):
            apart = min(distance(j, own.iloc[i], ranks[0].iloc[i]) for j in range(len(own)) if j != i)
            points.append(0.5 if abs(apart - near[i]) < 1e-6 else float(apart > near[i]))
        low, high = low + min(points), high + max(points)
    return low / len(released), high / len(released)


@pytest.mark.parametrize("examples", [6, pytest.param(25, marks=pytest.mark.full)])
def test_the_share_agrees_with_a_double_loop(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(st.integers(0, 10**6), st.integers(14, 20), st.integers(1, 12), st.booleans())
    def compare(seed: int, n: int, records: int, holes: bool) -> None:
        draw = np.random.default_rng(seed)

        def people(size: int) -> pd.DataFrame:
            frame = pd.DataFrame(
                {
                    "job": draw.choice(list("abc"), size),
                    "kids": draw.integers(0, 4, size),
                    "pay": draw.permutation(size) * 1.5,
                }
            )
            return frame.mask(draw.random(frame.shape) < 0.05 * holes)

        own, released = people(n), people(records)
        ranked = ["pay"] if own["pay"].nunique() > 12 else []
        low, high = bounds_by_loops(own, released, ranked)
        found = sl.near_copies(own, released)
        assert low - 1e-9 <= found.share[0] <= high + 1e-9
        assert found.compared == records
        assert sl.near_copies(own, released, categorical=["pay"]).share[0] == pytest.approx(
            np.mean(bounds_by_loops(own, released, [])), abs=(np.diff(bounds_by_loops(own, released, []))[0] + 1e-9)
        )

    compare()


def test_copies_reach_one_and_independent_samples_the_share_of_mutual_neighbors() -> None:
    draw = np.random.default_rng(1)
    people, others = (pd.DataFrame(draw.normal(size=(900, 2)), columns=list("ab")) for _ in range(2))
    noisy = people * 100 + draw.normal(0, 0.2, people.shape)
    result = sl.near_copies(people, [others, noisy.sample(frac=1, random_state=1)])
    # Two points of a plane that are sampled at random are each other's nearest neighbors with this probability.
    assert result.share[0] == pytest.approx(6 * np.pi / (8 * np.pi + 3 * np.sqrt(3)), abs=0.05)
    assert result.share[1] > 0.95


def test_large_files_are_compared_in_a_sample() -> None:
    draw = np.random.default_rng(2)
    people = pd.DataFrame(draw.normal(size=(3000, 3)), columns=list("abc"))
    result = sl.near_copies(people, people.sample(frac=1, random_state=1))
    assert (result.compared, result.records) == (1000, 3000)
    assert result.share[0] == 1.0


def test_bad_input_is_named() -> None:
    people = pd.DataFrame({"a": [1.0, 2, 3], "b": list("xyz")})
    with pytest.raises(InputError, match="synthetic: has no column in common"):
        sl.near_copies(people, pd.DataFrame({"z": [1]}))
    with pytest.raises(InputError, match="variables: near copies require at least 2 variables"):
        sl.near_copies(people, people, variables=["a"])
    with pytest.raises(InputError, match="categorical: 'c' not in confidential"):
        sl.near_copies(people, people, categorical=["c"])
    with pytest.raises(InputError, match="confidential: near copies require at least 3 records"):
        sl.near_copies(people[:2], people)
    with pytest.raises(DtypeMismatchError, match="'b'"):
        sl.near_copies(people, people.assign(b=[1, 2, 3]))
