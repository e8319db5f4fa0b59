"""Synthesis of whole units: households and panels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import InputError, MissingUnitWarning, RepeatedIdentifierWarning, UnitRuleWarning
from synthlab.synthesis.rules import unit_rules_of
from synthlab.synthesizers.sequential_units import SequentialUnits
from synthlab.units import AtMostOne, Constant, Difference, ExactlyOne, SizeOf, UnitRules, unit_structure
from tests.units.survey import households, panel

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")
FILE = households(500)


@pytest.fixture(scope="module")
def release() -> sl.Release:
    return sl.synthesize(FILE, m=2, rng=1, unit="hhid", min_leaf=5)


@pytest.fixture(scope="module")
def kept() -> sl.Release:
    return sl.synthesize(FILE, m=2, rng=1, unit="hhid", keep=["relation", "age", "region"], min_leaf=5)


@pytest.fixture(scope="module")
def waves() -> sl.Release:
    return sl.synthesize(panel(1000), m=2, rng=1, unit="pid", unit_order="year", min_leaf=10)


def couples(frame: pd.DataFrame) -> float:
    ages = [frame[frame["relation"] == kind].set_index("hhid")["age"] for kind in ("head", "partner")]
    return float(pd.concat(ages, axis=1, join="inner").corr().iloc[0, 1])


def test_synthetic_households_have_the_structure_of_the_file(release):
    rules = unit_structure(FILE, "hhid").rules
    assert len(rules) > 4
    for made in release:
        assert made.dtypes.equals(FILE.dtypes)
        assert rules.holds(made, "hhid").all()
        assert sorted(made["hhid"].unique()) == [*range(1, 501)]
        sizes = [frame.groupby("hhid").size().value_counts(normalize=True).sort_index() for frame in (FILE, made)]
        assert (sizes[0] - sizes[1]).abs().max() < 0.08
        assert couples(made) > 0.9
    assert not release[0].equals(release[1])
    assert release.rows == "unknown"
    assert release.provenance["units"]["unit"] == ["hhid"]
    assert release.provenance["newly_drawn_identifiers"] == ["hhid"]
    assert {*release.synthesized} == {*FILE.columns}


def test_the_plan_states_the_structure(release):
    plan = sl.Plan.of(release)
    text = str(plan)
    assert "identified by hhid" in text
    assert "exactly one member with relation = head" in text
    assert "Unit variables, constant within each unit: region." in text
    assert "drawn again" in text
    assert plan.summary().loc["hhid", "model"] == "numbered anew"
    assert plan.summary().loc["hhsize", "order"] == ""


def test_the_first_datasets_do_not_depend_on_m(release):
    one = sl.synthesize(FILE, m=1, rng=1, unit="hhid", min_leaf=5)
    pd.testing.assert_frame_equal(one[0], release[0])


def test_kept_composition_is_unchanged_and_rows_stay_aligned(kept):
    fixed = ["relation", "age", "region", "hhsize"]
    for made in kept:
        pd.testing.assert_frame_equal(made[fixed], FILE[fixed])
        assert (made["hhid"].groupby(FILE["hhid"]).nunique() == 1).all()
        assert sorted(made["hhid"].unique()) == [*range(1, 501)]
        assert (made["income"][made["age"] < 16] == 0).mean() > 0.95
    assert kept.rows == "aligned"
    assert not kept[0]["hhid"].equals(kept[1]["hhid"])
    assert {*kept.synthesized} == {"hhid", "sex", "educ", "income"}


def test_n_counts_units():
    made = sl.synthesize(FILE, m=2, n=60, rng=2, unit="hhid", min_leaf=5)
    for frame in made:
        assert frame["hhid"].nunique() == 60
        assert unit_structure(FILE, "hhid").rules.holds(frame, "hhid").all()
    with pytest.raises(InputError, match="number of units of the file, 500"):
        sl.synthesize(FILE, n=60, unit="hhid", keep=["relation"])


def test_flat_synthesis_loses_the_structure_and_warns():
    with pytest.warns(RepeatedIdentifierWarning):
        flat = sl.synthesize(FILE, m=1, rng=1, identifiers="new")
    assert flat[0]["hhid"].is_unique


def test_units_of_one_member_are_synthesized_like_records():
    alone = FILE[FILE["relation"] == "head"].drop(columns=["relation", "hhsize"]).reset_index(drop=True)
    made = sl.synthesize(alone, m=1, rng=1, unit="hhid", min_leaf=10)
    flat = sl.synthesize(alone, m=1, rng=1, identifiers="new", min_leaf=10)
    assert len(made[0]) == len(alone)
    assert made[0]["hhid"].is_unique
    predictors = [{v.variable: v.predictors for v in sl.Plan.of(one).variables} for one in (made, flat)]
    assert predictors[0] == predictors[1]


def test_a_panel_keeps_entry_gaps_dropout_and_transitions(waves):
    def described(frame: pd.DataFrame) -> np.ndarray:
        frame = frame.sort_values(["pid", "year"])
        following = frame.groupby("pid")[["year", "job", "income"]].shift(-1)
        early = frame["year"] < 2021
        left = following["year"].isna()[early].groupby(frame["job"]).mean()
        change = pd.crosstab(frame["job"], following["job"], normalize="index")
        late = (frame.groupby("pid")["year"].min() > 2015).mean()
        gaps = (following["year"] - frame["year"] > 2).mean()
        return np.array([*left, change.loc["yes", "yes"], late, gaps * 3, frame["income"].corr(following["income"])])

    truth = described(panel(1000))
    for made in waves:
        assert not made.duplicated(["pid", "year"]).any()
        assert (made.groupby("pid")["sex"].nunique() == 1).all()
        assert made["pid"].nunique() == 1000
        assert np.abs(described(made) - truth).max() < 0.08
    assert len(waves[0]) == len(waves[1])
    assert "late entry, gaps, dropout" in str(sl.Plan.of(waves))


def test_a_kept_variable_of_a_panel_keeps_its_waves():
    frame = panel(200)
    made = sl.synthesize(frame, m=1, rng=1, unit="pid", unit_order="year", keep=["job"])
    pd.testing.assert_frame_equal(made[0][["year", "job"]], frame[["year", "job"]])
    assert made.rows == "aligned"


def test_an_age_follows_the_wave_through_a_relation():
    frame = panel(300)
    born = frame["pid"].map(pd.Series(np.random.default_rng(3).integers(1940, 2000, 3000))).astype(int)
    frame = frame.assign(born=born, age=frame["year"] - born)
    made = sl.synthesize(frame, m=1, rng=1, unit="pid", unit_order="year")
    assert (made[0]["age"] == made[0]["year"] - made[0]["born"]).all()
    assert (made[0].groupby("pid")["born"].nunique() == 1).all()


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.RelationWarning")  # a difference leaves the range of the file
def test_missing_values_relations_dates_bools_and_codes():
    rng = np.random.default_rng(1)
    frame = FILE.assign(
        works=pd.Series(rng.random(len(FILE)) < 0.5).astype("boolean").mask(rng.random(len(FILE)) < 0.1),
        tax=lambda f: f["income"] * 0.25,
        net=lambda f: f["income"] - f["tax"],
        visit=pd.Timestamp("2024-01-01") + pd.to_timedelta(FILE["hhid"] % 90, unit="D"),
        rent=lambda f: (f["hhid"] % 11 * 50).where(f["hhid"] % 5 > 0, -8),
    )
    frame.loc[frame["age"] < 16, ["income", "tax", "net"]] = np.nan
    made = sl.synthesize(frame, m=1, rng=1, unit="hhid", missing_codes={"rent": [-8]})[0]
    assert made.dtypes.equals(frame.dtypes)
    assert np.allclose(made["net"], made["income"] - made["tax"], equal_nan=True)
    assert abs(made["income"].isna().mean() - frame["income"].isna().mean()) < 0.08
    assert (made["income"].notna() == (made["age"] >= 16)).mean() > 0.95
    assert (made.groupby("hhid")[["visit", "rent"]].nunique() == 1).all(axis=None)
    assert made["rent"].eq(-8).any()
    assert made["works"].isna().any()


def test_constraints_models_and_totals_apply_to_members():
    frame = FILE.assign(extra=lambda f: f["age"] % 7 * 10.0, total=lambda f: f["income"] + f["age"] % 7 * 10.0)
    made = sl.synthesize(
        frame, m=1, rng=1, unit="hhid", relations=False, models={"educ": "ordered logistic", "sex": "sample"},
        constraints=[sl.Bounds("income", 0, 5000), sl.SumOf("total", ["income", "extra"]), sl.Bounds("hhsize", 1, 5)],
    )  # fmt: skip
    assert np.allclose(made[0]["total"], made[0]["income"] + made[0]["extra"])
    assert made[0]["income"].between(0, 5000).all()
    table = sl.Plan.of(made).summary()
    assert table.loc[["educ", "sex", "total"], "model"].tolist() == ["ordered logistic", "sample", "sum of parts"]


def test_survey_weights_of_units():
    frame = FILE.assign(weight=np.where(FILE["region"] == "n", 9.0, 1.0))
    made = sl.synthesize(frame, m=1, n=900, rng=1, unit="hhid", design=sl.SurveyDesign(weights="weight"))
    first = frame.drop_duplicates("hhid")
    expected = np.average(first["region"] == "n", weights=first["weight"])
    assert made[0].drop_duplicates("hhid")["region"].eq("n").mean() == pytest.approx(expected, abs=0.06)
    assert "weight" not in made[0]
    assert "which is the same for all its records" in str(sl.Plan.of(made))
    assert "hhid" in made.provenance["estimates"]
    varying = frame.assign(weight=frame["weight"] + frame["age"] / 100)
    made = sl.synthesize(varying, m=1, rng=1, unit="hhid", design=sl.SurveyDesign(weights="weight"))
    assert "the weight of its first member" in str(sl.Plan.of(made))
    with pytest.raises(InputError, match="'weight' varies within"):
        sl.synthesize(varying, unit="hhid", unit_variables=["region", "weight"])


def test_several_columns_identify_a_unit():
    frame = FILE.assign(hh=FILE["hhid"].rank(method="dense").astype(int) % 40, area=FILE["hhid"] % 13)
    frame = frame.drop(columns="hhid")
    made = sl.synthesize(frame, m=1, rng=1, unit=["region", "area", "hh"])
    assert made[0].groupby("hh")["region"].nunique().max() == 1
    assert made[0]["hh"].nunique() == frame.groupby(["region", "area", "hh"]).ngroups
    assert unit_structure(frame, ["region", "area", "hh"]).size_variable in (None, "hhsize")


def test_text_numbers_and_member_numbers_are_made_anew():
    frame = FILE.assign(
        hhid="H" + FILE["hhid"].astype(str), line=FILE.groupby("hhid").cumcount() + 1, pid=range(len(FILE))
    )
    frame["pid"] = frame["pid"] * 7 + 100_001
    made = sl.synthesize(frame, m=1, rng=1, unit="hhid", identifiers="drop")
    assert "pid" not in made[0]
    assert {*made[0]["hhid"]} == {str(k) for k in range(1, 501)}
    assert (made[0].groupby("hhid")["line"].max() == made[0].groupby("hhid").size()).all()
    with pytest.raises(InputError, match="'pid'") as refused:
        sl.synthesize(frame, unit="hhid")
    assert "hhid" not in str(refused.value)
    with pytest.raises(InputError, match="keep: 'hhid'"):
        sl.synthesize(frame, unit="hhid", keep=["hhid"], identifiers="drop")


def test_a_declared_rule_is_kept_and_a_report_names_rules_with_exceptions():
    frame = FILE.copy()
    frame.loc[frame.index[frame["relation"].eq("head") & frame["hhsize"].gt(1)][:2], "relation"] = "child"
    made = sl.synthesize(frame, m=1, rng=1, unit="hhid")
    assert "not enforced: exactly one member with relation = head" in str(sl.Plan.of(made))
    rules = UnitRules([ExactlyOne("relation", "head"), AtMostOne("relation", "partner")])
    made = sl.synthesize(frame, m=1, rng=1, unit="hhid", unit_rules=rules)
    assert rules.holds(made[0], "hhid").all()


def test_a_rule_that_kept_values_break_gives_a_warning():
    frame = FILE.copy()
    frame.loc[frame.index[frame["relation"].eq("head") & frame["hhsize"].gt(1)][:2], "relation"] = "child"
    rules = UnitRules([ExactlyOne("relation", "head")])
    with pytest.warns(UnitRuleWarning, match=r"relation = head \(2 units\)"):
        sl.synthesize(frame, m=1, rng=1, unit="hhid", unit_rules=rules, keep=["relation", "age"])


def test_bad_units_are_refused():
    with pytest.raises(InputError, match="unit: 'household'"):
        sl.synthesize(FILE, unit="household")
    with pytest.raises(InputError, match="1 unit of 'one'"):
        sl.synthesize(FILE.assign(one=1), unit="one", max_members=9999)
    with pytest.raises(InputError, match="max_members"):
        sl.synthesize(FILE, unit="hhid", max_members=2)
    frame = panel(100)
    twice = pd.concat([frame, frame.head(1)], ignore_index=True)
    with pytest.raises(InputError, match="1 of 100 units have two records with the same 'year'"):
        sl.synthesize(twice, unit="pid", unit_order="year")
    both = sl.CART(["sex", "educ"])
    with pytest.raises(InputError, match="single variable"):
        sl.synthesize(FILE, unit="hhid", models={"sex": both, "educ": both})
    lost = FILE.assign(hhid=FILE["hhid"].astype("Int64").mask(FILE.index < 3))
    with pytest.warns(MissingUnitWarning, match="3 records"):
        sl.synthesize(lost, m=1, rng=1, unit="hhid", unit_rules=False)


def test_a_saved_fit_generates_the_same_units_and_for_given_unit_variables(tmp_path):
    fitted = SequentialUnits("hhid", min_leaf=5).fit(FILE, rng=1)
    made = fitted.generate(m=2, rng=2)
    again = sl.load_fit(fitted.save(tmp_path / "fit.zip"))
    pd.testing.assert_frame_equal(again.generate(m=2, rng=2)[1], made[1])
    given = pd.DataFrame({"region": ["n", "w", "n"], "hhsize": [1, 3, 2]})
    filled = fitted.generate(m=2, rng=3, given=given)
    for frame in filled:
        first = frame.drop_duplicates("hhid")
        assert first["region"].tolist() == ["n", "w", "n"]
        assert frame.groupby("hhid").size().tolist() == [1, 3, 2]
    assert "region" not in filled.synthesized
    assert fitted.generate(m=1, rng=3, given=given[["region"]])[0]["hhid"].nunique() == 3
    varies = int((FILE.groupby("hhid")["age"].nunique() > 1).sum())
    with pytest.raises(InputError, match=f"'age' varies within {varies} of 500 units"):
        fitted.generate(m=1, given=pd.DataFrame({"age": [20]}))
    with pytest.raises(InputError, match="not a unit variable"):
        fitted.generate(m=1, given=pd.DataFrame({"rooms": [2]}))


def test_the_command_synthesizes_units(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    FILE.to_csv(tmp_path / "people.csv", index=False)
    rules = tmp_path / "rules.toml"
    rules.write_text('[[unit_rules.exactly_one]]\nvariable = "relation"\nlevel = "head"\n')
    folder = tmp_path / "release"
    options = ["--unit", "hhid", "--unit-variables", "region,hhsize", "--unit-order", "relation,age", "--m", "1"]
    with pytest.raises(SystemExit) as stopped:
        cli.main(["synthesize", str(tmp_path / "people.csv"), "--out", str(folder), *options, "--config", str(rules)])
    assert not stopped.value.code
    assert "exactly one member with relation = head" in capsys.readouterr().out
    made = sl.Release.load(folder)
    assert made.provenance["units"]["unit"] == ["hhid"]
    assert made.provenance["units"]["order"] == ["relation", "age"]
    assert (made[0].groupby("hhid")["region"].nunique() == 1).all()


def test_rules_are_read_from_toml():
    tables = {
        "size_of": {"variable": "hhsize"},
        "constant": [{"variable": "region"}],
        "difference": [{"variable": "age", "older": "head", "younger": "child", "at_least": 12}],
    }
    assert unit_rules_of(tables) == UnitRules(
        [SizeOf("hhsize"), Constant("region"), Difference("age", "head", "child", 12)]
    )
    assert (unit_rules_of("detect"), unit_rules_of(False)) == ("detect", False)
    for wrong in ({"one_head": [{}]}, {"size_of": [{"column": "hhsize"}]}, True, "none"):
        with pytest.raises(InputError):
            unit_rules_of(wrong)


def nested_file() -> pd.DataFrame:
    frame = FILE.drop(columns="income")
    return frame.assign(age=frame["age"] // 5 * 5)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning")
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
def test_one_nested_mixture_of_all_variables():
    file = nested_file()
    model = sl.NestedDPMPM(head="household", household_classes=6, member_classes=4)
    made = sl.synthesize(file, m=2, rng=1, unit="hhid", models=model)
    rules = unit_structure(file, "hhid").rules
    for frame in made:
        assert frame.dtypes.equals(file.dtypes)
        assert rules.holds(frame, "hhid").all()
        assert np.array_equal(np.sort(frame.groupby("hhid").size()), np.sort(file.groupby("hhid").size()))
    plan = sl.Plan.of(made)
    assert all("NestedDPMPM" in v.model for v in plan.variables if v.place is not None)
    assert any("one mixture" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": None}, "unit"),
        ({"keep": ["region"]}, "keep"),
        ({"models": sl.NestedDPMPM("region")}, "unit"),
        ({"models": sl.NestedDPMPM(rules=False)}, "unit_rules"),
    ],
)
def test_errors_of_the_nested_mixture(options, words):
    given = {"unit": "hhid", "models": sl.NestedDPMPM()} | options
    with pytest.raises(InputError, match=words):
        sl.synthesize(nested_file(), m=1, rng=1, **given)
