"""Rules of units, compared with a loop over the units."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.units import (
    AtMostOne,
    Constant,
    Difference,
    Different,
    ExactlyOne,
    SizeOf,
    UnitRules,
    unit_codes,
)


def random_file(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = 60
    frame = pd.DataFrame(
        {
            "hhid": rng.integers(0, 15, n),
            "relation": rng.choice(["head", "spouse", "child", None], n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 60, n)),
            "sex": pd.Categorical(np.where(rng.random(n) < 0.1, None, rng.choice(["f", "m"], n))),
            "hhsize": rng.integers(2, 6, n).astype(float),
        }
    )
    frame["region"] = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), frame["hhid"] % 3)
    return frame


def differ_by(unit: pd.DataFrame, least: float) -> bool:
    older, younger = (unit.loc[unit["relation"].eq(kind), "age"] for kind in ("head", "child"))
    return not any(a - b < least for a in older for b in younger)


def have_different_sex(unit: pd.DataFrame) -> bool:
    pairs = [unit.loc[unit["relation"].eq(kind), "sex"].dropna() for kind in ("head", "spouse")]
    return not set(pairs[0]) & set(pairs[1])


RULES = {
    ExactlyOne("relation", "head"): lambda u: u["relation"].eq("head").sum() == 1,
    AtMostOne("relation", "spouse"): lambda u: u["relation"].eq("spouse").sum() <= 1,
    Difference("age", older="head", younger="child", at_least=12): lambda u: differ_by(u, 12),
    Different("sex", "head", "spouse"): have_different_sex,
    SizeOf("hhsize"): lambda u: u["hhsize"].eq(len(u)).all(),
    Constant("region"): lambda u: u["region"].nunique(dropna=False) == 1,
}


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_a_rule_holds_where_a_loop_over_the_units_finds_it(rule, seed):
    frame = random_file(seed)
    expected = [bool(RULES[rule](unit)) for _, unit in frame.groupby("hhid", sort=False)]
    found = rule.holds(frame, "hhid")
    assert found.tolist() == expected
    assert not all(expected) or isinstance(rule, Different)
    assert not (~found & ~rule.applies_in(frame, unit_codes(frame, "hhid"), len(found))).any() or isinstance(
        rule, ExactlyOne | AtMostOne | SizeOf
    )


@pytest.mark.parametrize("seed", range(3))
def test_rules_hold_together_if_each_holds(seed):
    frame = random_file(seed)
    rules = UnitRules([*RULES])
    each = np.logical_and.reduce([rule.holds(frame, "hhid") for rule in rules])
    assert rules.holds(frame, "hhid").tolist() == each.tolist()
    counts = {str(rule): int((~rule.holds(frame, "hhid")).sum()) for rule in rules}
    assert rules.broken(frame, "hhid") == {rule: count for rule, count in counts.items() if count}


def test_units_are_numbered_by_first_record_and_missing_numbers_are_units_of_their_own():
    frame = pd.DataFrame({"area": [2, 1, 2, 1, None], "hh": ["b", "b", "b", "a", "a"]})
    assert unit_codes(frame, ["area", "hh"]).tolist() == [0, 1, 0, 2, 3]
    assert unit_codes(frame, "hh").tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: ExactlyOne("relation", None),
        lambda: AtMostOne(3, "spouse"),
        lambda: Difference("age", "head", "head", 12),
        lambda: Difference("age", "head", "child", float("nan")),
        lambda: Different("sex", "head", "spouse", relation="sex"),
        lambda: UnitRules(["head"]),
        lambda: SizeOf("hhsize").holds(pd.DataFrame({"hhid": [1]}), "hhid"),
        lambda: Difference("relation", "head", "child", 12, "sex").holds(random_file(0), "hhid"),
    ],
)
def test_wrong_arguments_are_refused(make):
    with pytest.raises(InputError):
        make()
