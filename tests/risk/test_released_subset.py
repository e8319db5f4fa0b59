"""Releases of n' of the n collected records, against counts by hand and loops over all pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import InputError, RowAlignmentError, SynthlabWarning
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.risk import OneOf, ReleasedInformation, identification_risk, intruder_risk

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
SIX = pd.DataFrame({"number": range(11, 17), "region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 32]})
RELEASED = SIX.assign(income=[22, 18, 41, 25, 16, 33])
NEAR = Intruder(known=["region"], synthesized=["income"], radius={"income": 0.2})


def test_six_people_of_whom_four_are_released():
    """Lecture 8 without Ada and Dan: Ben's only match is his own record (18), Eve has none within 24 to 36 but Finn's."""
    risk = identification_risk(SIX, RELEASED.iloc[[1, 2, 4, 5]], NEAR, rows=[1, 2, 4, 5])
    assert risk.match_count[:, 0].tolist() == [0, 1, 1, 1, 1, 1]
    assert risk.contains_true[:, 0].tolist() == [False, True, True, False, False, True]
    assert risk.released.tolist() == [False, True, True, False, True, True]
    assert risk.not_released().iloc[0].tolist() == [1, 1, 0]
    # N = 4 and s = 4 released targets: three are found, one unique match is false.
    assert (risk.expected_match_risk[0], risk.true_match_rate[0], risk.false_match_rate[0]) == (3.0, 0.75, 0.25)
    assert (risk.n, risk.random_guess, risk.known_only[0]) == (4, 1.0, 2.0)
    assert risk.baseline.expected_match_risk[0] == 3.0  # Ben and Cleo alone, Eve and Finn share two matches


def test_the_posterior_of_targets_who_need_not_be_released():
    """N_t is 2 for everyone, so that a record that matches has 1/2, and "not released" the rest."""
    who = replace(NEAR, in_file=False, population=np.full(6, 2.0))
    risk = intruder_risk(SIX, RELEASED.iloc[[1, 2, 4, 5]], who, rows=[1, 2, 4, 5])
    expected = np.zeros((6, 5))
    expected[:, 4] = [1.0, 0.5, 0.5, 0.5, 0.5, 0.5]
    expected[[1, 2, 3, 4, 5], [0, 1, 2, 3, 3]] = 0.5
    np.testing.assert_allclose(risk.match_probabilities().toarray(), expected, atol=1e-15)
    assert risk.true_probability.tolist() == [0, 0.5, 0.5, 0, 0, 0.5]
    assert (risk.expected_match_risk, risk.true_match_risk, risk.n) == (3.0, 3, 4)
    known = intruder_risk(SIX, RELEASED.iloc[[1, 2, 4, 5]], NEAR, rows=[1, 2, 4, 5])
    assert known.targets.tolist() == [1, 2, 4, 5]
    assert known.outside_probability.tolist() == [0, 0, 0, 0]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    missing=st.sampled_from(["raise", "category", "never"]),
    norm=st.sampled_from(["box", "euclidean"]),
    near=st.booleans(),
)
def test_every_rule_of_matching_against_a_loop(seed, missing, norm, near):
    rng = np.random.default_rng(seed)
    n, m = 14, 2
    frame = pd.DataFrame({"a": rng.choice(list("xy"), n), "b": rng.normal(size=n).round(1), "c": rng.normal(size=n)})
    if not near:
        frame = frame.assign(b=rng.choice(list("pqr"), n), c=rng.choice(list("uv"), n))
    if missing != "raise":
        frame.loc[rng.choice(n, 3, replace=False), "b"] = np.nan
    rows = rng.permutation(n)[: rng.integers(2, n)]
    copies = [frame.iloc[rows].assign(b=frame["b"].to_numpy()[rng.permutation(n)[: rows.size]]) for _ in range(m)]
    radius = {"b": 0.65, "c": 0.8} if near else None
    who = Intruder(
        known=["a"], synthesized=["b", "c"], radius=radius, radius_kind="absolute", norm=norm, missing=missing
    )
    risk = identification_risk(frame, copies, who, rows=rows)
    for number, copy in enumerate(copies):
        agree = np.array([[_agrees(frame.iloc[i], copy.iloc[h], who) for h in range(rows.size)] for i in range(n)])
        own = np.array([agree[i, list(rows).index(i)] if i in rows else False for i in range(n)])
        np.testing.assert_array_equal(risk.match_count[:, number], agree.sum(axis=1))
        np.testing.assert_array_equal(risk.contains_true[:, number], own)
    released = np.isin(np.arange(n), rows)
    unique = (risk.match_count == 1) & released[:, None]
    np.testing.assert_array_equal(risk.n_unique, unique.sum(axis=0))
    np.testing.assert_allclose(risk.true_match_rate, (unique & risk.contains_true).sum(axis=0) / rows.size)
    outcomes = risk.not_released()
    assert (outcomes.sum(axis=1) == n - rows.size).all()


def _agrees(target, record, who):
    if target["a"] != record["a"]:
        return False
    gaps = []
    for column in ("b", "c"):
        here, there = target[column], record[column]
        if pd.isna(here) or pd.isna(there):
            if who.missing == "never" or pd.isna(here) != pd.isna(there):
                return False
            continue
        if not who.radii:
            if here != there:
                return False
            continue
        gaps.append(abs(there - here) / who.radii[column])
    limit = sum(g**2 for g in gaps) if who.norm == "euclidean" and len(gaps) > 1 else max(gaps, default=0.0)
    return limit <= 1


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), in_file=st.booleans())
def test_the_posterior_against_a_loop(seed, in_file):
    rng = np.random.default_rng(seed)
    n = 10
    frame = pd.DataFrame({"a": rng.choice(list("xy"), n), "b": rng.choice(list("pqr"), n)})
    rows = rng.permutation(n)[:6]
    copies = [frame.iloc[rows].assign(b=rng.choice(list("pqr"), 6)) for _ in range(3)]
    weights = rng.uniform(1, 3, n)
    who = Intruder(known=["a"], synthesized=["b"], in_file=in_file, **({} if in_file else {"weights": weights}))
    risk = intruder_risk(frame, copies, who, rows=rows)
    assert risk.targets.tolist() == (sorted(rows) if in_file else list(range(n)))
    for i in risk.targets:
        expected = np.zeros(7)
        for copy in copies:
            same = (copy["a"] == frame["a"][i]).to_numpy()
            agree = same & (copy["b"] == frame["b"][i]).to_numpy()
            if in_file:
                use = agree if agree.any() else same
                expected[:6] += use / use.sum() / 3
            elif agree.any():
                size = max(weights[rows][agree].sum(), agree.sum())
                expected[:6] += agree / size / 3
                expected[6] += (1 - agree.sum() / size) / 3
            else:
                expected[6] += 1 / 3
        np.testing.assert_allclose(risk.probabilities(int(i)), expected, atol=1e-12)


def test_a_key_or_a_mask_or_all_positions_in_another_order_give_the_same_risk():
    rows = [4, 1, 5]
    parts = [RELEASED.iloc[rows], RELEASED.iloc[rows].assign(income=[31, 10, 9])]
    shuffled = [parts[0], parts[1].iloc[[2, 0, 1]]]
    for call in (identification_risk, intruder_risk):
        by_position, by_key = call(SIX, parts, NEAR, rows=rows), call(SIX, shuffled, NEAR, rows="number")
        assert by_position.expected_match_risk == pytest.approx(by_key.expected_match_risk)
        np.testing.assert_array_equal(by_position.match_count, by_key.match_count)
        mask = np.isin(np.arange(6), rows)
        by_mask = call(SIX, [RELEASED[mask]], NEAR, rows=mask)
        np.testing.assert_array_equal(by_mask.match_count, call(SIX, parts[0], NEAR, rows=rows).match_count)
        back = call(SIX, RELEASED.iloc[::-1], NEAR, rows=np.arange(6)[::-1])
        np.testing.assert_array_equal(back.match_count, call(SIX, RELEASED, NEAR).match_count)
        np.testing.assert_array_equal(back.contains_true, call(SIX, RELEASED, NEAR).contains_true)
    published = Release(parts).shuffled()
    assert identification_risk(SIX, published, NEAR, rows="number").n == 3


def test_selection_refers_to_all_records():
    sets = [{x} for x in SIX["income"].tolist()]
    told = ReleasedInformation(selection={"income": OneOf(sets)})
    someone = Intruder(known=["region"], synthesized=["income"])
    risk = intruder_risk(SIX, RELEASED.iloc[[3, 0]], someone, rows=[3, 0], scenario=told, rng=1)
    assert risk.true_match_risk == 2  # the only admissible value of each record is its true value


def test_what_is_refused():
    part = RELEASED.iloc[[1, 2]]
    for call in (identification_risk, intruder_risk):
        cases = {
            "rows: selects 3 records": ([0, 1, 2], part, RowAlignmentError),
            "rows: names a record twice": ([1, 1], part, InputError),
            r"must lie in \[0, 5\]": ([1, 6], part, InputError),
            "key has repeated": ("region", part, InputError),
            "not in confidential": ("number", part.assign(number=[12, 99]), RowAlignmentError),
            "not in confidential, which has": ("nothing", part, InputError),
            "different records": ("number", [part, RELEASED.iloc[[1, 3]]], RowAlignmentError),
            "were shuffled": ([1, 2], Release(part).shuffled(), RowAlignmentError),
            "positions as `rows`": (None, part, RowAlignmentError),
        }
        for message, (rows, synthetic, error) in cases.items():
            with pytest.raises(error, match=message):
                call(SIX, synthetic, NEAR, rows=rows)
    with pytest.raises(InputError, match="no record of the targets is released"):
        identification_risk(SIX, part, replace(NEAR, targets=[0, 5]), rows=[1, 2])
    with pytest.raises(InputError, match="in_file=False"):
        intruder_risk(SIX, part, replace(NEAR, targets=[0, 1]), rows=[1, 2])


def test_a_changed_known_variable_is_reported_for_the_released_rows():
    with pytest.warns(SynthlabWarning, match="known variable 'region' differs"):
        identification_risk(SIX, RELEASED.iloc[[0, 3]].assign(region=["N", "N"]), NEAR, rows=[0, 3])
