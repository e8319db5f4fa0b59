"""Measures of identification under each meaning of a missing value, against double loops over the records."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import MissingValueError, SynthlabWarning

RULES = ("category", "never")
DAYS = pd.date_range("2020-01-01", periods=2)
DTYPES = {
    "k": (["a", "b"], ["str", "object", "category"]),
    "s": (["u", "v"], ["str", "object", "category"]),
    "w": ([False, True], ["boolean", "object", "category"]),
    "d": (list(DAYS), ["datetime64[ns]", "object"]),
    "y": ([-4, 0, 3, 4, 8], ["float64", "Int64", "Float64"]),
    "z": ([0, 1, 2, 4], ["float64", "Int64"]),
}
KNOWN, SYNTHESIZED = (["k"], ["k", "d"], []), (["s"], ["y"], ["w", "y"], ["y", "z"], ["s", "y", "z"])


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        yield


@st.composite
def problems(draw: Any, *, synthesized: Any = SYNTHESIZED, m: int = 2, **options: Any) -> tuple[Any, Any, sl.Intruder]:
    """Draw people, m releases and an intruder; every column has missing values, in one of the forms that pandas has."""
    n, rng = draw(st.integers(1, 12)), np.random.default_rng(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.1, 0.3, 0.6]))
    dtypes = {name: draw(st.sampled_from(kinds)) for name, (_, kinds) in DTYPES.items()}

    def column(name: str, old: pd.Series | None = None) -> pd.Series:
        values = [DTYPES[name][0][place] for place in rng.integers(0, len(DTYPES[name][0]), n)]
        new = [None if gone else value for value, gone in zip(values, rng.random(n) < share, strict=True)]
        if old is not None:
            new = [a if keep else b for a, b, keep in zip(old.tolist(), new, rng.random(n) < 0.5, strict=True)]
        return pd.Series([None if pd.isna(value) else value for value in new], dtype=object).astype(dtypes[name])

    people = pd.DataFrame({name: column(name) for name in DTYPES})
    known, changed = draw(st.sampled_from(KNOWN)), draw(st.sampled_from(synthesized))
    releases = [people.assign(**{name: column(name, people[name]) for name in changed}) for _ in range(m)]
    size = draw(st.sampled_from([0, 0.5, 1, 4]))
    given = {
        "radius_kind": draw(st.sampled_from(["relative", "absolute"])),
        "boundary": draw(st.sampled_from(["closed", "open"])),
        "norm": draw(st.sampled_from(["box", "euclidean"])),
        "missing": draw(st.sampled_from(RULES)),
        **options,
    }
    radius = {name: size for name in changed if name in "yz"} or None
    return people, releases, sl.Intruder(known=known, synthesized=changed, radius=radius, **given)


def equal(one: Any, other: Any, missing: str) -> bool:
    if pd.isna(one) or pd.isna(other):
        return bool(missing == "category" and pd.isna(one) and pd.isna(other))
    return bool(one == other)


def matches(target: Any, record: Any, intruder: sl.Intruder) -> bool:
    """Return whether a released record matches a target: two dictionaries of values."""
    radii = dict(intruder.radius or {})
    if not all(equal(target[c], record[c], intruder.missing) for c in intruder.used if c not in radii):
        return False
    seen = []
    for c in radii:
        if pd.isna(target[c]) or pd.isna(record[c]):
            if not equal(target[c], record[c], intruder.missing):
                return False
        else:
            seen.append(c)
    closed, ball = intruder.boundary == "closed", 0.0
    for c in seen:
        y, x = float(target[c]), float(record[c])
        half = radii[c] * abs(y) if intruder.radius_kind == "relative" else radii[c]
        if intruder.norm == "euclidean" and len(seen) > 1:
            if half == 0 and (y != x or not closed):
                return False
            ball += (abs(x - y) / half) ** 2 if half else 0.0
        elif not (y - half <= x <= y + half if closed else y - half < x < y + half):
            return False
    return ball <= 1 if closed or not seen or not ball else ball < 1


def table(people: pd.DataFrame, other: pd.DataFrame, intruder: sl.Intruder) -> np.ndarray:
    """Return whether record h of `other` matches target i, (n, n), by two loops."""
    here, there = people.to_dict("records"), other.to_dict("records")
    return np.array([[matches(a, b, intruder) for b in there] for a in here], dtype=bool)


def known_table(people: pd.DataFrame, other: pd.DataFrame, intruder: sl.Intruder) -> np.ndarray:
    here, there = people.to_dict("records"), other.to_dict("records")
    return np.array(
        [[all(equal(a[c], b[c], intruder.missing) for c in intruder.known) for b in there] for a in here], dtype=bool
    )


def can_match(people: pd.DataFrame, intruder: sl.Intruder) -> np.ndarray:
    return np.array([intruder.missing == "category" or not row.isna().any() for _, row in people[intruder.used].iterrows()])


@settings(max_examples=150)
@given(problems())
def test_match_counts_are_those_of_two_loops(problem):
    people, releases, intruder = problem
    risk = sl.identification_risk(people, releases, intruder)
    for number, other in enumerate([people, *releases]):
        inside = table(people, other, intruder)
        found, column = (risk.baseline, 0) if number == 0 else (risk, number - 1)
        assert found.match_count[:, column].tolist() == inside.sum(axis=1).tolist()
        assert found.contains_true[:, column].tolist() == inside.diagonal().tolist()


def ir(people: pd.DataFrame, other: pd.DataFrame, intruder: sl.Intruder, found: np.ndarray, certain: bool) -> np.ndarray:
    pattern, inside = known_table(people, other, intruder), table(people, other, intruder)
    alone = known_table(people, people, intruder).sum(axis=1) == 1
    size = pattern.sum(axis=1)
    share = np.array([(row & ~near).sum() / max(row.sum(), 1) for row, near in zip(pattern, inside, strict=True)])
    return np.where(alone & certain, 1.0, found * share * (size > 0))


@settings(max_examples=150)
@given(problems(), st.sampled_from(["formula", "certain"]))
def test_identification_probabilities_are_those_of_two_loops(problem, singletons):
    people, releases, intruder = problem
    result = sl.identification_probability(people, releases, intruder, singletons=singletons)
    certain = singletons == "certain"
    expected = ir(people, people, intruder, can_match(people, intruder), certain)
    np.testing.assert_array_equal(result.confidential, expected)
    for column, other in enumerate(releases):
        own = table(people, other, intruder).diagonal()
        np.testing.assert_array_equal(result.per_dataset[:, column], ir(people, other, intruder, own, certain))
        sizes = known_table(people, other, intruder).sum(axis=1)
        np.testing.assert_array_equal(result.pattern_size[:, column], sizes)


@settings(max_examples=150)
@given(problems(m=1), st.sampled_from([1, 2, 3, 5]), st.sampled_from(["formula", "certain"]))
def test_risk_weights_are_those_of_all_groups(problem, order, singletons):
    people, _, intruder = problem
    pattern, inside = known_table(people, people, intruder), table(people, people, intruder)
    found, expected = can_match(people, intruder), []
    for i in range(len(people)):
        members = np.flatnonzero(pattern[i])
        groups = list(combinations(members[members != i], min(order, max(members.size, 1)) - 1))
        outside = [(~inside[[i, *group]][:, members]).all(axis=0).mean() for group in groups] if members.size else [0.0]
        risk = float(np.mean(outside)) if found[i] else 0.0
        expected.append(1 - (1.0 if members.size == 1 and singletons == "certain" else risk))
    result = sl.risk_weights(people, intruder, order=order, singletons=singletons)
    np.testing.assert_allclose(result.weights, expected, atol=1e-12)
    assert result.pattern_size.tolist() == pattern.sum(axis=1).tolist()
    if order == 1 and singletons == "formula":
        ir_c = sl.identification_probability(people, people, intruder).confidential
        np.testing.assert_array_equal(result.weights, 1 - ir_c)
