"""Detection of the structure of a file of units."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError, MissingUnitWarning
from synthlab.units import AtMostOne, Constant, Difference, ExactlyOne, SizeOf, UnitRules, unit_structure
from tests.units.survey import households, panel


def test_a_household_file_is_understood():
    frame = households().assign(line=lambda f: f.groupby("hhid").cumcount() + 1)
    found = unit_structure(frame, "hhid")
    assert (found.variables, found.size_variable, found.number_variable) == (("region",), "hhsize", "line")
    assert (found.relation.variable, found.relation.levels[:2], found.relation.age) == (
        "relation",
        ("head", "partner"),
        "age",
    )
    assert not found.is_panel
    assert {ExactlyOne("relation", "head"), AtMostOne("relation", "partner"), SizeOf("hhsize")} <= {*found.rules}
    assert Constant("region") in found.rules
    assert found.rules.holds(frame, "hhid").all()
    assert found.check_units(frame) == {}
    assert found.reported == ()


def test_a_detected_difference_is_rounded_down():
    frame = households()
    pairs = frame.merge(frame, on="hhid").query("relation_x == 'head' and relation_y == 'child'")
    gap = (pairs["age_x"] - pairs["age_y"]).min()
    (rule,) = [r for r in unit_structure(frame, "hhid").rules if isinstance(r, Difference) and r.older == "head"]
    assert rule.at_least == max(d for d in (0, 12, 14, 16, 18) if d <= gap)


def test_members_are_ordered_by_relation_and_age():
    frame = households()
    found = unit_structure(frame, "hhid")
    inside = frame.iloc[found.rows]
    order = inside["relation"].map({"head": 0, "partner": 1, "child": 2})
    for _, unit in inside.assign(place=order).groupby("hhid", sort=False):
        assert list(zip(unit["place"], -unit["age"], strict=True)) == sorted(
            zip(unit["place"], -unit["age"], strict=True)
        )
    assert (found.code[found.rows] == np.sort(found.code)).all()
    assert found.position[found.rows].tolist() == inside.groupby("hhid", sort=False).cumcount().tolist()
    plain = frame.drop(columns=["relation", "age"])
    assert unit_structure(plain, "hhid").order == ()
    assert unit_structure(plain, "hhid").position.tolist() == plain.groupby("hhid").cumcount().tolist()
    by_income = unit_structure(frame, "hhid", ["income", "sex"])
    inside = frame.iloc[by_income.rows]
    assert inside.groupby("hhid")["income"].apply(lambda s: s.is_monotonic_increasing).all()


def test_a_rule_with_a_few_exceptions_is_reported_but_not_enforced():
    frame = households(600)
    heads = frame.index[frame["relation"].eq("head") & frame["hhsize"].gt(1)][:2]
    frame.loc[heads, "relation"] = "child"
    found = unit_structure(frame, "hhid")
    assert ExactlyOne("relation", "head") in found.reported
    assert ExactlyOne("relation", "head") not in found.rules
    frame.loc[frame.index[frame["relation"].eq("head") & frame["hhsize"].gt(1)][:20], "relation"] = "child"
    assert unit_structure(frame, "hhid").relation.variable is None


def test_few_units_show_no_rules():
    found = unit_structure(households(40), "hhid")
    assert len(found.rules) == 0
    assert found.variables == ()
    assert unit_structure(households(40), "hhid", unit_variables=["region"]).variables == ("region",)


def test_a_coincidence_is_not_a_constant():
    frame = households().assign(rare=0)
    frame.loc[frame.index[frame["hhsize"].eq(1)][:3], "rare"] = 1
    assert "rare" not in unit_structure(frame, "hhid").variables


def test_a_panel_is_recognized_by_its_waves():
    frame = panel()
    found = unit_structure(frame, "pid", "year")
    assert (found.is_panel, found.wave, found.waves, found.variables) == (
        True,
        "year",
        (2015, 2017, 2019, 2021),
        ("sex",),
    )
    assert found.time.tolist() == [2015, 2017, 2019, 2021]
    assert (np.array(found.waves)[found.wave_number] == frame["year"]).all()
    assert frame.iloc[found.rows].groupby("pid")["year"].apply(lambda s: s.is_monotonic_increasing).all()
    assert not unit_structure(frame, "pid").is_panel
    dates = frame.assign(year=pd.to_datetime(frame["year"].astype(str) + "-07-01"))
    assert np.diff(unit_structure(dates, "pid", "year").time).tolist() == [731, 730, 731]
    assert found.check_units(pd.concat([frame, frame.head(2)])) == {"one record per unit and wave": 2}


def test_the_number_of_a_member_or_its_age_is_no_wave():
    frame = households().assign(line=lambda f: f.groupby("hhid").cumcount() + 1)
    assert not unit_structure(frame, "hhid", "line").is_panel
    assert not unit_structure(frame.drop(columns="relation"), "hhid", "age").is_panel
    assert not unit_structure(frame.drop(columns="relation"), "hhid", "sex").is_panel


def test_declared_rules_replace_detected_ones():
    frame = households()
    declared = UnitRules([ExactlyOne("relation", "head"), Constant("hhsize")])
    found = unit_structure(frame, "hhid", rules=declared)
    assert {*declared} <= {*found.rules}
    assert found.size_variable is None
    assert not any(isinstance(rule, AtMostOne) for rule in found.rules)
    assert {type(rule) for rule in unit_structure(frame, "hhid", rules=False).rules} == {Constant}
    with pytest.raises(InputError, match="unit_rules: .* of 400 units break"):
        unit_structure(frame, "hhid", rules=UnitRules([AtMostOne("relation", "child")]))


def test_units_of_one_member_have_only_unit_variables():
    frame = households().query("relation == 'head'").drop(columns="hhsize")
    found = unit_structure(frame, "hhid")
    assert {*found.variables} == {*frame.columns} - {"hhid"}
    assert len(found.rules) == 0


def test_bad_input_is_refused_with_the_number_of_units():
    frame = households()
    with pytest.raises(InputError, match="1 unit of"):
        unit_structure(frame.assign(hhid=1), "hhid", max_members=5000)
    large = int((frame.groupby("hhid").size() > 3).sum())
    with pytest.raises(InputError, match=f"{large} of 400 units .* max_members"):
        unit_structure(frame, "hhid", max_members=3)
    several = int((frame.groupby("hhid")["relation"].nunique() > 1).sum())
    with pytest.raises(InputError, match=f"'relation' varies within {several} of 400 units"):
        unit_structure(frame, "hhid", unit_variables=["region", "relation"])
    with pytest.raises(InputError, match="identifies the units"):
        unit_structure(frame, "hhid", unit_variables=["hhid"])
    waves = panel()
    with pytest.raises(InputError, match="3 of 400 units have two records with the same 'year'"):
        unit_structure(pd.concat([waves, waves.drop_duplicates("pid").head(3)]), "pid", "year")
    with pytest.raises(InputError, match="1 of 400 units have records without a value of 'year'"):
        unit_structure(waves.assign(year=waves["year"].where(waves.index > 0)), "pid", "year")
    long = pd.DataFrame({"pid": np.repeat(np.arange(600), 60), "day": np.tile(np.arange(60), 600), "x": 1})
    with pytest.raises(InputError, match="600 of 600 units"):
        unit_structure(long, "pid", "day")
    late = long[(long["day"] - long["pid"] % 31).between(0, 29)]
    with pytest.raises(InputError, match="60 waves.*max_members"):
        unit_structure(late, "pid", "day")
    assert unit_structure(late, "pid", "day", max_members=60).is_panel
    with pytest.raises(InputError, match="unit: 'household'"):
        unit_structure(frame, "household")


def test_a_missing_unit_number_is_a_unit_with_a_warning():
    frame = households()
    frame["hhid"] = frame["hhid"].astype("Int64").where(frame.index > 2)
    with pytest.warns(MissingUnitWarning, match="3 records"):
        found = unit_structure(frame, "hhid")
    assert (found.size[found.code[:3]] == 1).all()
