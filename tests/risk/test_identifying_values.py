"""Released values of texts, times and identifiers, next to the number that chance explains."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.risk.copies.design_columns import design_columns

N = 300
START = pd.Timestamp("2024-03-01")


def texts(draw: np.random.Generator, n: int) -> pd.Series:
    words = np.array(
        [
            "I",
            "my",
            "job",
            "boss",
            "was",
            "unhappy",
            "illness",
            "moved",
            "town",
            "lost",
            "son",
            "debt",
            "court",
            "since",
            "winter",
        ]
    )
    return pd.Series([" ".join(draw.choice(words, 9)) + "." for _ in range(n)])


def accounts(draw: np.random.Generator, n: int) -> pd.Series:
    parts = draw.integers(1000, 9999, (n, 3))
    return pd.Series([f"DE{draw.integers(10, 99)} {a} {b} {c}" for a, b, c in parts])


def stamps(draw: np.random.Generator, n: int) -> pd.Series:
    return START + pd.Series(pd.to_timedelta(draw.integers(0, 90 * 86400, n), "s"))


def stamps_as_text(draw: np.random.Generator, n: int) -> pd.Series:
    return stamps(draw, n).dt.strftime("%d.%m.%Y %H:%M:%S")


def phones(draw: np.random.Generator, n: int) -> pd.Series:
    return pd.Series(draw.choice(10**9, n, replace=False) + 4 * 10**9)


def phones_as_text(draw: np.random.Generator, n: int) -> pd.Series:
    return phones(draw, n).astype(str)


def hashes(draw: np.random.Generator, n: int) -> pd.Series:
    return pd.Series(draw.integers(0, 2**63 - 1, n))


def clocks(draw: np.random.Generator, n: int) -> pd.Series:
    return stamps(draw, n).dt.strftime("%H:%M:%S")


KINDS: dict[str, Callable[[np.random.Generator, int], pd.Series]] = {
    "text": texts,
    "text ": accounts,
    "date and time": stamps,
    "date and time ": stamps_as_text,
    "number": phones,
    "number ": phones_as_text,
    "number  ": hashes,
    "time": clocks,
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), real=st.sampled_from([0, 20, N]), m=st.sampled_from([1, 3]))
def test_values_of_people_are_reported_and_newly_drawn_values_are_not(kind: str, seed: int, real: int, m: int) -> None:
    draw = np.random.default_rng(seed)
    own = pd.DataFrame({"x": KINDS[kind](draw, N)})
    mixed = [KINDS[kind](draw, N) for _ in range(m)]
    mixed[-1].iloc[:real] = own["x"].iloc[:real].to_numpy()
    frames = [pd.DataFrame({"x": one.sample(frac=1, random_state=seed).to_numpy()}) for one in mixed]
    row = sl.identifying_values(own, frames).table.loc["x"]
    assert row["kind"] == kind.strip()
    assert row["level"] == ("STOP" if real else None)
    assert row["values"] >= own["x"].iloc[:real].nunique()
    assert row["values"] - row["chance"] <= real + 10


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), upper=st.booleans(), mark=st.sampled_from(["", " ", "-", "_", "/", "  .  "]))
def test_order_of_rows_and_spelling_change_nothing(seed: int, upper: bool, mark: str) -> None:
    draw = np.random.default_rng(seed)
    own = pd.DataFrame({"account": accounts(draw, N), "phone": phones(draw, N)})
    release = own.iloc[draw.permutation(N)[:150]].reset_index(drop=True)
    plain = sl.identifying_values(own, release).table
    spelled = release["account"].str.replace(" ", mark)
    other = release.assign(account=spelled.str.upper() if upper else spelled.str.lower())
    mixed = own.sample(frac=1, random_state=seed), other.sample(frac=1, random_state=seed)
    pd.testing.assert_frame_equal(plain, sl.identifying_values(*mixed).table)
    assert plain["values"].tolist() == [150, 150]


@pytest.mark.parametrize(("n", "records", "m"), [(1000, 1000, 1), (1000, 5000, 1), (2000, 200, 1), (400, 400, 10)])
def test_names_that_recur_are_explained(n: int, records: int, m: int) -> None:
    draw = np.random.default_rng(7)
    share = 0.05 * draw.dirichlet(np.ones(20 * n)) + 0.95 / (20 * n)
    names = np.array([f"n{i}x" for i in range(20 * n)])
    scores = []
    for _ in range(12):
        files = [pd.DataFrame({"name": draw.choice(names, size, p=share)}) for size in (n, *[records] * m)]
        result = sl.identifying_values(files[0], files[1:])
        if len(result.table):
            scores.append(result.table.loc["name", "z"])
            assert result.level is None
    assert len(scores) > 6
    assert abs(np.mean(scores)) < 2.5  # the share expected by chance is not biased


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), low=st.sampled_from([10**5, 10**6]), dense=st.sampled_from([3, 30, 900]))
def test_new_numbers_in_the_same_range_are_explained(seed: int, low: int, dense: int) -> None:
    draw = np.random.default_rng(seed)
    size = min(dense * N, 8 * low)
    own, new = (pd.DataFrame({"id": draw.choice(size, N, replace=False) + low}) for _ in range(2))
    assert sl.identifying_values(own, new, identifiers=["id"]).level is None
    assert sl.identifying_values(own, own[::-1], identifiers=["id"]).level == "STOP"


def test_amounts_are_never_identifiers() -> None:
    draw = np.random.default_rng(1)
    own = pd.DataFrame({"income": np.exp(draw.normal(10, 1.5, N)).round(0), "height": draw.normal(170, 10, N)})
    again = own.sample(frac=1, replace=True, random_state=1)
    result = sl.identifying_values(own, again)
    assert result.table["kind"].tolist() == ["amount", "amount"]
    assert result.level == "CHECK"
    assert set(result.table["level"]) == {"CHECK"}
    new = pd.DataFrame({"income": np.exp(draw.normal(10, 1.5, N)).round(0), "height": draw.normal(170, 10, N)})
    assert sl.identifying_values(own, new).level is None
    pay = own.assign(income=draw.choice(899_999, N, replace=False) + 100_000)  # digits of an identifier
    assert sl.identifying_values(pay, pay).table.loc["income", "level"] == "STOP"
    assert sl.identifying_values(pay, pay, amounts=["income"]).table.loc["income", "level"] == "CHECK"


@pytest.mark.parametrize(
    "form",
    ["object", "category", lambda s: s.map(lambda v: Decimal(int(v))), lambda s: s.map(lambda v: int(v) + 10**25)],
)
def test_numbers_of_any_type_are_found(form: Any) -> None:
    numbers = pd.Series(np.random.default_rng(1).choice(10**9, 2 * N, replace=False) + 10**9)
    numbers = numbers.astype(form) if isinstance(form, str) else form(numbers)
    own, new = (pd.DataFrame({"x": part.reset_index(drop=True)}) for part in (numbers[:N], numbers[N:]))
    for release, found in ((own[::-1], N), (new, 0)):
        row = sl.identifying_values(own, release).table.loc["x"]
        assert (row["kind"], row["values"], row["level"]) == ("number", found, "STOP" if found else None)


def test_a_few_values_in_each_dataset_are_added() -> None:
    draw = np.random.default_rng(2)
    own = pd.DataFrame({"x": accounts(draw, N)})
    frames = [pd.DataFrame({"x": accounts(draw, N)}) for _ in range(5)]
    for place, one in enumerate(frames):
        one.loc[:3, "x"] = own["x"].iloc[4 * place : 4 * place + 4].to_numpy()
    row = sl.identifying_values(own, frames).table.loc["x"]
    assert (row["dataset"], row["values"], row["level"]) == (0, 20, "STOP")


def test_days_few_values_and_design_columns_are_left_out() -> None:
    draw = np.random.default_rng(3)
    own = pd.DataFrame(
        {
            "day": START.normalize() + pd.to_timedelta(draw.permutation(9000)[:N], "D"),
            "code": [int(f"{1950 + i // 12}{1 + i % 12:02d}11") for i in range(N)],
            "town": draw.choice([f"t{i}x" for i in range(50)], N),
            "id": np.arange(1, N + 1),
            "key": [f"R{i:03d}" for i in draw.permutation(N)],
            "wave": 1,
            "empty": np.nan,
        }
    )
    assert sl.identifying_values(own, own[::-1]).table.empty
    named = own.assign(stratum=accounts(draw, N))
    assert sl.identifying_values(named, named).table.index.tolist() == ["stratum"]
    assert sl.identifying_values(named, named, design=["stratum"]).table.empty


def test_a_number_of_a_unit_counts_once_and_a_counter_not_at_all() -> None:
    draw = np.random.default_rng(4)
    sizes = draw.integers(1, 5, 200)
    unit = np.repeat(np.arange(200), sizes)
    numbers = draw.permutation(90_000)[:200] + 10_000
    own = pd.DataFrame({"hh": numbers[unit], "address": accounts(draw, 200).to_numpy()[unit]})
    assert sl.identifying_values(own, own).table.empty  # the values of records are not distinct
    result = sl.identifying_values(own, own.sample(frac=1, random_state=1), entity=unit)
    assert result.table["people"].tolist() == result.table["values"].tolist() == [200, 200]
    counted = own.assign(hh=unit + 1)
    assert sl.identifying_values(counted, counted, entity=unit).table.index.tolist() == ["address"]
    new = own.assign(hh=(draw.permutation(90_000)[:200] + 10_000)[unit], address=accounts(draw, 200).to_numpy()[unit])
    assert sl.identifying_values(own, new, entity=unit).level is None
    with pytest.raises(InputError, match="entity: .* 3 values"):
        sl.identifying_values(own, own, entity=[1, 2, 3])


def test_people_of_the_holdout_sample_are_counted_apart() -> None:
    draw = np.random.default_rng(5)
    own, other, new = (pd.DataFrame({"x": accounts(draw, N)}) for _ in range(3))
    release = pd.concat([new[:200], other[:100]])
    result = sl.identifying_values(own, release, control=other)
    assert result.table.loc["x", "level"] is None
    assert result.level == "STOP"
    assert result.control is not None
    assert result.control.table.loc["x", "values"] == 100
    for control in (own, release, own.rename(columns={"x": "y"})):  # no people beyond those that are counted already
        held = sl.identifying_values(own, own, control=control).control
        assert held is not None
        assert held.level is None


@pytest.mark.parametrize(
    ("own", "release"),
    [
        (pd.DataFrame({"x": list("abcde")}), pd.DataFrame({"x": list("abcde")})),
        (pd.DataFrame({"x": [np.nan] * 20}), pd.DataFrame({"x": [np.nan] * 20})),
        (pd.DataFrame({"x": ["a"] * 20}), pd.DataFrame({"x": ["a"] * 20})),
        (pd.DataFrame({"x": accounts(np.random.default_rng(6), 20)}), pd.DataFrame({"x": [None] * 5}, dtype=object)),
    ],
)
def test_files_without_values_to_find(own: pd.DataFrame, release: pd.DataFrame) -> None:
    result = sl.identifying_values(own, release)
    assert result.level is None
    assert str(result)


def test_design_columns_in_any_order_of_the_rows() -> None:
    draw = np.random.default_rng(8)
    hh = np.repeat(draw.permutation(900)[:150], draw.integers(1, 5, 150))
    people = pd.DataFrame({"hh": hh, "age": draw.integers(0, 90, hh.size), "rare": 1 + (draw.random(hh.size) < 0.03)})
    people["person"] = people.groupby("hh").cumcount() + 1
    panel = pd.DataFrame(itertools.product(range(1, 5), range(80)), columns=["wave", "pid"])
    for seed in range(3):
        assert design_columns(people.sample(frac=1, random_state=seed)) == ("person",)
        assert design_columns(panel.sample(frac=1, random_state=seed)) == ("wave", "pid")
    assert design_columns(people[["person", "age", "rare"]]) == (
        "person",
    )  # in the order of the rows, without the unit
    assert design_columns(people.assign(k="2024"), ["age"]) == ("age", "person", "k")
