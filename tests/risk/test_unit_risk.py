"""The risk of whole units equals a double loop over all pairs of units and all assignments of their members."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError, NoBetterThanBaselineWarning, NoUniqueMatchWarning
from synthlab.risk import unit_risk

pytestmark = [
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning"),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoUniqueMatchWarning"),
]
RADIUS = 0.25


def survey(units: int, seed: int, amounts: int, largest: int = 4) -> pd.DataFrame:
    """Return a file of units with 1 to `largest` members in random order."""
    rng = np.random.default_rng(seed)
    hhid = np.repeat(rng.permutation(units) * 7, rng.integers(1, largest + 1, units))
    columns = {"hhid": hhid, "sex": rng.choice(["f", "m"], hhid.size), "job": rng.integers(0, 2, hhid.size)}
    frame = pd.DataFrame(columns | {f"y{j}": rng.integers(1, 8, hhid.size) for j in range(amounts)})
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


def release(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return the file with new jobs and amounts, and with new numbers of the units."""
    rng = np.random.default_rng(seed)
    changed = {c: rng.integers(1, 8, len(frame)) for c in frame.columns if c.startswith("y")}
    same = rng.random(len(frame)) < 0.6
    new = frame.assign(**{c: np.where(same, frame[c], v) for c, v in changed.items()})
    return new.assign(job=np.where(same, frame["job"], 1 - frame["job"]), hhid=-frame["hhid"])


def intruder(frame: pd.DataFrame) -> sl.Intruder:
    amounts = [c for c in frame.columns if c.startswith("y")]
    return sl.Intruder(
        known=["sex"], synthesized=["job", *amounts], radius=dict.fromkeys(amounts, RADIUS) or None, unit="hhid"
    )


def double_loop(frame: pd.DataFrame, released: pd.DataFrame, aligned: bool) -> dict[str, list[int]]:
    """Count matches of units and of persons by looking at all pairs of units and all assignments."""

    def fits(i: int, j: int) -> bool:
        here, there = frame.loc[i], released.loc[j]
        equal = here["sex"] == there["sex"] and here["job"] == there["job"]
        return equal and all(abs(there[c] - here[c]) <= RADIUS * here[c] for c in frame.columns if c.startswith("y"))

    groups = [list(g.index) for _, g in frame.groupby("hhid", sort=False)]
    others = [list(g.index) for _, g in released.groupby("hhid", sort=False)]
    answer: dict[str, list[int]] = {"units": [], "own": [], "persons": [0] * len(frame), "own_person": [0] * len(frame)}
    for group in groups:
        count = own = 0
        for other in others:
            if len(other) != len(group):
                continue
            pairs = [p for p in itertools.permutations(other) if all(map(fits, group, p))]
            if not pairs:
                continue
            count += 1
            mine = aligned and set(other) == set(group)
            own |= mine
            for place, i in enumerate(group):
                records = {p[place] for p in pairs}
                answer["persons"][i] += len(records)
                answer["own_person"][i] |= mine and i in records
        answer["units"].append(count)
        answer["own"].append(int(own))
    return answer


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), amounts=st.integers(0, 2), aligned=st.booleans())
def test_equals_the_double_loop(seed: int, amounts: int, aligned: bool) -> None:
    frame = survey(9, seed, amounts)
    released = release(frame if aligned else survey(8, seed + 1, amounts), seed)
    risk = unit_risk(frame, released, intruder(frame))
    answer = double_loop(frame, released, aligned)
    assert risk.units.match_count[:, 0].tolist() == answer["units"]
    assert risk.persons.match_count[:, 0].tolist() == answer["persons"]
    assert risk.corresponds is aligned
    if aligned:
        assert risk.units.contains_true[:, 0].astype(int).tolist() == answer["own"]
        assert risk.persons.contains_true[:, 0].astype(int).tolist() == answer["own_person"]


def test_rates_and_baselines_follow_from_the_counts() -> None:
    frame = survey(12, 3, 1)
    released = [release(frame, seed) for seed in (1, 2)]
    risk = unit_risk(frame, released, intruder(frame))
    sizes = frame.groupby("hhid", sort=False).size()
    # With the sizes alone, an intruder picks one unit of each size correctly.
    assert risk.size_only.tolist() == pytest.approx([sizes.nunique()] * 2)
    kinds = frame.groupby("hhid", sort=False)["sex"].agg(lambda s: "".join(sorted(s)))
    assert risk.known_only.tolist() == pytest.approx([kinds.nunique()] * 2)
    for dataset, one in enumerate(released):
        answer = double_loop(frame, one, aligned=True)
        c, true = np.array(answer["units"]), np.array(answer["own"])
        assert risk.units.expected_match_risk[dataset] == pytest.approx((true / np.maximum(c, 1)).sum())
        assert risk.units.true_match_rate[dataset] == pytest.approx(((c == 1) & (true == 1)).mean())
        assert risk.units.n_unique[dataset] == (c == 1).sum()
    assert risk.baseline is not None
    assert risk.baseline.units.expected_match_risk[0] >= risk.units.expected_match_risk.max()


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_baselines_are_the_risk_of_an_intruder_who_knows_nothing_else(seed: int, aligned: bool) -> None:
    frame = survey(14, seed, 0).assign(z=0)
    released = release(frame if aligned else survey(11, seed + 20, 0).assign(z=0), seed)
    # In some rows, the known variable differs from that of the confidential record.
    released.loc[released.index[:2], "sex"] = released["sex"].to_numpy()[1::-1]
    name = "expected_match_risk" if aligned else "match_risk_bound"
    for known, prefix in ((["sex"], "known_only"), ([], "size_only")):
        # `z` is constant, so it adds nothing to the known variables.
        other = unit_risk(
            frame, released, sl.Intruder(known=known, synthesized=["z"], unit="hhid"), corresponds=aligned
        )
        risk = unit_risk(frame, released, intruder(frame), corresponds=aligned)
        assert getattr(risk, prefix) == pytest.approx(getattr(other.units, name))
        assert getattr(risk, f"person_{prefix}") == pytest.approx(getattr(other.persons, name))
        assert risk.summary().loc[:, prefix].dropna().tolist() == pytest.approx(
            [getattr(risk, prefix)[0], getattr(risk, f"person_{prefix}")[0]]
        )


def test_a_copy_has_the_risk_of_the_confidential_file_whatever_its_order() -> None:
    frame = survey(30, 5, 2)
    copy = frame.assign(hhid=frame["hhid"] + 1)
    risk = unit_risk(frame, copy, intruder(frame))
    assert risk.baseline is not None
    assert risk.to_frame().iloc[0].equals(risk.baseline.to_frame().iloc[0])
    shuffled = copy.sample(frac=1, random_state=1, ignore_index=True)
    moved = unit_risk(frame, shuffled, intruder(frame))
    assert not moved.corresponds
    # The bound of a shuffled copy is at least the risk of the copy, and every unit has a match.
    assert moved.units.match_risk_bound[0] >= risk.units.expected_match_risk[0]
    assert moved.units.n_matched[0] == 30
    assert math.isnan(moved.units.expected_match_risk[0])
    assert "at most" in moved.sentence()


def test_units_of_one_member_are_as_without_units() -> None:
    frame = survey(60, 8, 1, largest=1)
    released = release(frame, 4)
    someone = intruder(frame)
    ours, records = unit_risk(frame, released, someone), sl.identification_risk(frame, released, someone)
    assert ours.units.match_count.tolist() == ours.persons.match_count.tolist()
    by_row = records.match_count[np.argsort(pd.factorize(frame["hhid"])[0], kind="stable")]
    assert ours.units.match_count.tolist() == by_row.tolist()
    assert ours.units.expected_match_risk == pytest.approx(records.expected_match_risk)
    assert ours.known_only == pytest.approx(records.known_only)


@pytest.mark.parametrize("missing", ["category", "never"])
def test_missing_values(missing: str) -> None:
    frame = pd.DataFrame({"hhid": [1, 1, 2, 2], "sex": list("fmfm"), "y": [10.0, np.nan, 10, 30]})
    someone = sl.Intruder(known=["sex"], synthesized=["y"], radius=0.1, missing=missing, unit="hhid")  # type: ignore[arg-type]
    risk = unit_risk(frame, frame, someone)
    assert risk.units.match_count[:, 0].tolist() == [int(missing == "category"), 1]


def test_members_beyond_the_limit_and_wrong_columns_are_refused() -> None:
    frame = pd.DataFrame({"hhid": [1] * 51 + [2], "sex": ["f"] * 52, "y": range(1, 53)})
    someone = sl.Intruder(known=["sex"], synthesized=["y"], radius=0.1, unit="hhid")
    with pytest.raises(InputError, match="max_members"):
        unit_risk(frame, frame, someone)
    assert unit_risk(frame, frame, someone, max_members=51).units.n_matched.tolist() == [2]
    with pytest.raises(InputError, match="unit"):
        unit_risk(frame, frame, replace(someone, unit="sex"))
    with pytest.raises(InputError, match="unit"):
        unit_risk(frame, frame.drop(columns="hhid"), someone)


def test_warnings() -> None:
    frame = survey(20, 2, 1)
    constant = frame.assign(job=0, y0=1)
    with pytest.warns(NoBetterThanBaselineWarning):
        unit_risk(constant, constant, intruder(constant))
    pairs = pd.DataFrame({"hhid": [1, 1, 2, 2], "sex": ["f"] * 4, "job": [0] * 4})
    with pytest.warns(NoUniqueMatchWarning):
        unit_risk(pairs, pairs, intruder(pairs))


def test_identification_risk_adds_the_risk_of_units() -> None:
    frame = survey(20, 4, 1)
    released, someone = release(frame, 2), intruder(frame)
    risk = sl.identification_risk(frame, released, someone)
    alone = unit_risk(frame, released, someone)
    assert risk.units is not None
    pd.testing.assert_frame_equal(risk.units.to_frame(), alone.to_frame())
    records = sl.identification_risk(frame, released, replace(someone, unit=None))
    assert records.units is None
    assert risk.match_count.tolist() == records.match_count.tolist()
    assert alone.sentence() in str(risk)
    with pytest.raises(InputError, match="unit"):
        unit_risk(frame, released, replace(someone, unit=None))
    with pytest.raises(InputError, match="unit"):
        unit_risk(frame, released, replace(someone, unit="sex", known=["sex"]))


def test_an_evaluation_states_the_risk_of_units() -> None:
    frame = survey(150, 6, 1)
    someone = intruder(frame)
    aligned = sl.evaluate(frame, [release(frame, seed) for seed in (1, 2)], someone)
    own = unit_risk(frame, [release(frame, seed) for seed in (1, 2)], someone)
    row = aligned.summary().loc["unit_match_risk"]
    assert row["synthetic"] == pytest.approx(own.units.expected_match_risk.mean())
    person = aligned.summary().loc["person_match_risk"]
    assert person["synthetic"] == pytest.approx(own.persons.expected_match_risk.mean())
    assert person[["known_only", "random_guess"]].tolist() == pytest.approx(
        [own.person_known_only.mean(), own.person_size_only.mean()]
    )
    other = sl.evaluate(frame, survey(150, 7, 1), someone)
    assert "unit_match_risk_bound" in other.summary().index
    assert "unit_match_risk" not in other.summary().index
    assert "unit_risk" not in sl.evaluate(frame, release(frame, 1), replace(someone, unit=None)).results
