"""Distance to the closest record: against a double loop, and what chance gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError


def by_loops(confidential: pd.DataFrame, synthetic: pd.DataFrame, control: pd.DataFrame) -> tuple[float, float]:
    """Return the share, and its standard error by the formula of a random choice of labels, pair by pair."""
    width = confidential["x"].max() - confidential["x"].min() or 1.0
    pool = pd.concat([confidential, control], ignore_index=True)
    share, weight = 0.0, np.zeros(len(pool))
    for z in synthetic.itertuples():
        distance = np.array([(p.k != z.k) + abs(p.x - z.x) / width for p in pool.itertuples()])
        nearest = np.flatnonzero(distance <= distance.min() + 1e-9)
        share += (nearest < len(confidential)).mean() / len(synthetic)
        weight[nearest] += 1 / nearest.size / len(synthetic)
    n, c = len(confidential), len(control)
    spread = ((weight - weight.mean()) ** 2).sum()
    return share, float(np.sqrt(n * c / ((n + c) * (n + c - 1)) * spread))


def frame(draw: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame({"k": draw.choice(list("ab"), n), "x": draw.integers(0, 6, n).astype(float)})


@given(st.integers(0, 10_000), st.integers(3, 9), st.integers(3, 9), st.integers(1, 9))
def test_share_and_error_are_those_of_a_double_loop(seed: int, n: int, c: int, size: int) -> None:
    draw = np.random.default_rng(seed)
    confidential, control, synthetic = (
        frame(draw, n),
        frame(draw, c).assign(x=lambda f: f["x"] + 0.5),
        frame(draw, size),
    )
    found = sl.closest_record(confidential, synthetic, control)
    share, error = by_loops(confidential, synthetic, control)
    assert found.share[0] == pytest.approx(share, abs=1e-9)
    assert found.standard_error[0] == pytest.approx(error, abs=1e-9)
    assert found.expected == pytest.approx(n / (n + c))


def test_an_honest_draw_lies_where_chance_puts_it_and_a_near_copy_does_not() -> None:
    draw = np.random.default_rng(1)
    z, near = [], []
    for _ in range(60):
        three = [pd.DataFrame(draw.normal(size=(80, 2)), columns=list("xy")) for _ in range(3)]
        confidential, honest, control = three
        z.append(sl.closest_record(confidential, honest, control).z[0])
        near.append(sl.closest_record(confidential, confidential * 1.01, control).z[0])
    assert abs(np.mean(z)) < 3 / np.sqrt(60)
    assert 0.7 < np.std(z) < 1.3
    assert min(near) > 3


def test_a_part_of_the_file_itself_is_no_control() -> None:
    people = pd.DataFrame({"x": np.arange(40.0)})
    with pytest.raises(InputError, match="control: 20 of its 20 records are among the confidential ones"):
        sl.closest_record(people, people, people.iloc[::2])
    for among, refused in ((4, False), (10, False), (11, True)):  # without twins in the file: more than half
        some = pd.concat([people.iloc[:among], people.iloc[among:20] + 0.25])
        if refused:
            with pytest.raises(InputError, match=f"control: {among} of its 20 records"):
                sl.closest_record(people, people, some)
        else:
            assert sl.closest_record(people, people, some).controls == 20


def test_values_that_nobody_has_are_far_and_missing_ones_are_values() -> None:
    people = pd.DataFrame({"k": ["a", None, "b"], "x": [0.0, np.nan, 10.0]})
    control = pd.DataFrame({"k": ["a", "c", None], "x": [4.0, np.nan, 10.0]})
    found = sl.closest_record(people, pd.DataFrame({"k": [None], "x": [np.nan]}), control)
    assert found.share.tolist() == [1.0]
    assert found.distance.tolist() == [0.0]
    with pytest.raises(InputError, match="infinite"):
        sl.closest_record(people, people.assign(x=[0.0, np.inf, 1.0]), control)


def test_wide_text_is_refused_before_memory_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    from synthlab._system import size_limits

    monkeypatch.setattr(size_limits, "DESIGN_CELLS", 100)
    people = pd.DataFrame({"k": [f"a{i}" for i in range(12)]})
    with pytest.raises(InputError, match="variables: with 'k' the files have more than 100 cells"):
        sl.closest_record(people, people, people + "x")
