"""Matching by a double loop: boxes and balls, ends, missing values, targets; and every number of its results."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import (
    ColumnTypeWarning,
    InputError,
    NoBetterThanBaselineWarning,
    NoUniqueMatchWarning,
    SingletonPatternWarning,
)
from synthlab.risk.identification.identification_probability import _share_outside

TRUE = pd.DataFrame(
    {
        "k": list("aaabbbbccd"),
        "x": [1.0, 2.0, 4.0, -4.0, 2.0, 2.0, 3.0, 0.0, 8.0, 5.0],
        "y": [4.0, 4.0, 8.0, 8.0, 1.0, 2.0, 4.0, 4.0, 0.0, 4.0],
    }
)
RELEASED = [
    TRUE.assign(
        x=[1.25, 2.0, 3.0, -3.0, 2.0, 1.5, 3.0, 0.0, 6.0, 9.0], y=[4.0, 5.0, 8.0, 6.0, 1.25, 2.0, 5.0, 3.0, 0.0, 9.0]
    ),
    TRUE.assign(
        x=[2.0, 1.0, 5.0, -5.0, 2.5, 2.0, 2.25, 1.0, 10.0, 5.0], y=[5.0, 3.0, 6.0, 10.0, 1.0, 2.5, 4.0, 4.0, 0.0, 4.0]
    ),
]


def _hit(true: Any, other: Any, columns: list[str], options: dict[str, Any]) -> bool:
    if true["k"] != other["k"]:
        return False
    shares = []
    for c in columns:
        t, z = true[c], other[c]
        if pd.isna(t) or pd.isna(z):
            if options["missing"] == "category" and pd.isna(t) and pd.isna(z):
                continue
            return False
        width = 0.25 * abs(t) if options["radius_kind"] == "relative" else 1.0
        if width == 0:
            if abs(z - t) > 0 or options["boundary"] == "open":
                return False
            continue
        shares.append(abs(z - t) / width)
    closed = options["boundary"] == "closed"
    if options["norm"] == "euclidean" and len(shares) > 1:
        total = sum(s * s for s in shares)
        return total <= 1 if closed else total < 1
    return all(s <= 1 if closed else s < 1 for s in shares)


OPTIONS = [
    {"radius_kind": kind, "boundary": boundary, "norm": norm}
    for kind, boundary, norm in itertools.product(("relative", "absolute"), ("closed", "open"), ("box", "euclidean"))
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("columns", [["x"], ["x", "y"]])
@pytest.mark.parametrize("missing", ["raise", "never", "category"])
def test_matches_by_a_double_loop(options: dict[str, Any], columns: list[str], missing: Any) -> None:
    true, frames = TRUE.copy(), [f.copy() for f in RELEASED]
    if missing != "raise":
        for frame, rows in ((true, [1, 5]), (frames[0], [1, 2, 4]), (frames[1], [5, 6])):
            frame.loc[rows, "x"] = np.nan
            frame.loc[rows[:1], "y"] = np.nan
    options = {**options, "missing": missing}
    radius = dict.fromkeys(columns, 0.25 if options["radius_kind"] == "relative" else 1.0)
    targets = [0, 1, 3, 5, 6, 8, 9]
    someone = sl.Intruder(known=["k"], synthesized=columns, radius=radius, targets=targets, **options)
    risk = sl.identification_risk(true, frames, someone)
    for j, frame in enumerate([*frames, true]):
        part, column = (risk, j) if j < 2 else (risk.baseline, 0)
        hits = [[_hit(true.iloc[i], frame.iloc[h], columns, options) for h in range(10)] for i in targets]
        assert part.match_count[:, column].tolist() == [sum(row) for row in hits], (j, options)
        assert part.contains_true[:, column].tolist() == [row[i] for row, i in zip(hits, targets, strict=True)]


def _risk(**options: Any) -> Any:
    someone = sl.Intruder(known=["k"], synthesized=["x"], radius={"x": 0.25}, **options)
    return sl.identification_risk(TRUE, RELEASED, someone)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("targets", [None, [8, 0, 6, 9]])
def test_every_number_of_an_identification_risk(targets: Any) -> None:
    risk = _risk(targets=targets)
    rows = list(range(10)) if targets is None else risk.targets.tolist()
    count, own = risk.match_count, risk.contains_true
    c = [[int(v) for v in row] for row in count]
    unique = [[own[i, j] and c[i][j] == 1 for j in (0, 1)] for i in range(len(rows))]
    wrong = [[not own[i, j] and c[i][j] == 1 for j in (0, 1)] for i in range(len(rows))]
    share = [[float(own[i, j]) / max(c[i][j], 1) for j in (0, 1)] for i in range(len(rows))]
    assert (risk.unique_true.tolist(), risk.unique_false.tolist(), risk.record_match_risk.tolist()) == (
        unique,
        wrong,
        share,
    )
    s = [sum(row[j] == 1 for row in c) for j in (0, 1)]
    assert risk.n_unique.tolist() == s
    assert risk.expected_match_risk.tolist() == pytest.approx([sum(r[j] for r in share) for j in (0, 1)])
    assert risk.true_match_rate.tolist() == [sum(r[j] for r in unique) / len(rows) for j in (0, 1)]
    false = [sum(r[j] for r in wrong) / s[j] if s[j] else np.nan for j in (0, 1)]
    assert risk.false_match_rate.tolist() == pytest.approx(false, nan_ok=True)
    alone = sum(1 / (TRUE["k"] == TRUE["k"][i]).sum() for i in rows)
    assert risk.known_only.tolist() == pytest.approx([alone, alone])
    assert risk.random_guess == len(rows) / 10
    records = risk.records_to_frame()
    assert records.index.tolist() == [(j + 1, i) for j in (0, 1) for i in rows]
    for name in ("match_count", "contains_true", "unique_true", "unique_false", "record_match_risk"):
        assert records[name].tolist() == [getattr(risk, name)[i, j] for j in (0, 1) for i in range(len(rows))]
    table, frame = risk.summary(), risk.to_frame()
    for name, words in (
        ("expected_match_risk", "expected match risk"),
        ("true_match_rate", "true match rate"),
        ("false_match_rate", "false match rate"),
        ("n_unique", "unique matches"),
    ):
        a, b = (float(v) for v in getattr(risk, name))
        assert frame[name].tolist() == pytest.approx([a, b], nan_ok=True)
        known = [v for v in (a, b) if not np.isnan(v)]
        assert table.loc[words, ["mean", "min", "max"]].tolist() == pytest.approx(
            [np.mean(known), min(known), max(known)]
        )
        if len(known) == 2:
            assert table.loc[words, "se"] == pytest.approx(abs(a - b) / 2)
        assert table.loc[words, "confidential"] == pytest.approx(float(getattr(risk.baseline, name)[0]), nan_ok=True)
    assert table.loc["expected match risk", ["known_only", "random_guess"]].tolist() == pytest.approx(
        [alone, len(rows) / 10]
    )
    assert table[["known_only", "random_guess"]].iloc[1:].isna().all(axis=None)
    assert "confidential" not in risk.baseline.summary()
    top = risk.most_exposed(3)
    order = sorted(range(len(rows)), key=lambda i: (-sum(share[i]), rows[i]))[:3]
    assert top["record"].tolist() == [rows[i] for i in order]
    assert top["match_risk"].tolist() == pytest.approx([sum(share[i]) / 2 for i in order])
    assert top["mean_match_count"].tolist() == pytest.approx([sum(c[i]) / 2 for i in order])
    own_share = risk.baseline.record_match_risk[:, 0]
    assert top["match_risk_confidential"].tolist() == [own_share[i] for i in order]
    assert len(risk.most_exposed()) == len(rows)
    assert "match_risk_confidential" not in risk.baseline.most_exposed(1)
    with pytest.raises(InputError, match="k"):
        risk.most_exposed(0)
    assert risk.title.startswith(
        f"Identification risk by matching: {len(rows)} targets, 10 records, m = 2\nThe intruder knows k"
    )


def test_warnings_of_matching_at_their_edges() -> None:
    people = pd.DataFrame({"k": list("aabb"), "v": list("xxyy")})
    someone = sl.Intruder(known=["k"], synthesized=["v"])
    with (
        pytest.warns(NoBetterThanBaselineWarning, match=r"finds 2\.00 of 4 targets on average, no more than the 2\.00"),
        pytest.warns(NoUniqueMatchWarning, match="in 2 of 2 datasets"),
    ):
        sl.identification_risk(people, [people, people], someone)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.identification_risk(people.assign(v=list("xyxy")), people.assign(v=list("xyxy")), someone)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SingletonPatternWarning")
@pytest.mark.parametrize("singletons", ["formula", "certain"])
@pytest.mark.parametrize("options", OPTIONS)
def test_identification_probabilities_by_a_double_loop(singletons: Any, options: dict[str, Any]) -> None:
    columns = ["x", "y"]
    radius = dict.fromkeys(columns, 0.25 if options["radius_kind"] == "relative" else 1.0)
    someone = sl.Intruder(known=["k"], synthesized=columns, radius=radius, **options)
    found = sl.identification_probability(TRUE, RELEASED, someone, singletons=singletons)
    options = {**options, "missing": "raise"}
    for j, frame in enumerate([*RELEASED, TRUE]):
        for i in range(10):
            hits = [_hit(TRUE.iloc[i], frame.iloc[h], columns, options) for h in range(10)]
            size = int((frame["k"] == TRUE["k"][i]).sum())
            found_own = hits[i] if j < 2 else True
            exact = found_own * (size - sum(hits)) / size
            if singletons == "certain" and i == 9:
                exact = 1.0
            ours = found.per_dataset[i, j] if j < 2 else found.confidential[i]
            assert ours == pytest.approx(exact)
            if j < 2:
                assert (found.pattern_size[i, j], found.contains_true[i, j]) == (size, hits[i])
    assert found.singleton.tolist() == [False] * 9 + [True]
    assert found.record.tolist() == pytest.approx(found.per_dataset.mean(axis=1).tolist())
    for row, values in zip(found.to_frame().to_numpy(), found.per_dataset.T, strict=True):
        assert row.tolist() == pytest.approx(
            [values.mean(), *np.quantile(values, [0.25, 0.5, 0.75, 0.9]), values.max()]
        )
    assert found.to_frame().columns.tolist() == ["mean", "25 %", "median", "75 %", "90 %", "max"]
    for name, values in (("confidential", found.confidential), ("synthetic", found.record)):
        plain = [values.mean(), *np.quantile(values, [0.25, 0.5, 0.75, 0.9]), values.max()]
        assert found.summary().loc[name].tolist() == pytest.approx(plain)


def test_patterns_of_nobody_and_of_one() -> None:
    share = _share_outside(np.array([[0, 1]]), np.array([[True, True]]), np.array([[0, 4]]), np.array([False]))
    assert share.tolist() == [[0.0, 0.75]]
    someone = sl.Intruder(known=["k"], synthesized=["x"], radius={"x": 0.25})
    with pytest.warns(SingletonPatternWarning, match="1 of 10 records are alone in their pattern of k"):
        sl.identification_probability(TRUE, RELEASED, someone)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.identification_probability(TRUE, RELEASED, someone, singletons="certain")


def test_numbers_stored_as_text_are_reported_and_other_texts_are_not():
    rng = np.random.default_rng(1)
    amounts = [f"{value:.1f}%" for value in rng.integers(0, 900, 100) / 10]
    towns = [f"town {value}" for value in rng.integers(0, 60, 100)]
    for texts, reported in ((amounts, True), (towns, False), (["5%", "10%"] * 50, False)):
        frame = pd.DataFrame({"sex": ["f", "m"] * 50, "share": texts})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sl.identification_risk(frame, [frame], sl.Intruder(known=["sex"], synthesized=["share"]))
        assert any(one.category is ColumnTypeWarning for one in caught) == reported
