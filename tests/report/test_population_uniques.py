"""Population uniques in a report: where a design is known, for a copy, for a census, and with the weight released."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import DesignVariableWarning, InputError, MissingValueError, SynthlabWarning
from synthlab.report import EvaluationResult

DRAW = np.random.default_rng(3)
N = 120
PEOPLE = pd.DataFrame(
    {
        "town": DRAW.integers(0, 8, N),
        "age": DRAW.integers(20, 35, N),
        "sex": DRAW.choice(list("fm"), N),
        "w": DRAW.integers(5, 90, N),
    }
)
RELEASE = [
    PEOPLE.assign(sex=DRAW.permutation(PEOPLE["sex"]), age=PEOPLE["age"].where(DRAW.random(N) < 0.7, 27))
    for _ in range(2)
]
WHO = sl.Intruder(known=["town", "age"], synthesized=["sex"])
DESIGN = sl.SurveyDesign(weights="w")
UNCHANGED = "ReleasedUnchangedWarning"
ROWS = ["population_uniques", "correct_matches"]


def evaluated(release: object = RELEASE, design: object = DESIGN, who: sl.Intruder = WHO) -> EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(PEOPLE, release, who, design=design)


def test_a_release_keeps_the_uniques_that_it_replicates() -> None:
    result = evaluated()
    found = result["population_uniques"]
    keys = PEOPLE.groupby(["town", "age"])["w"]
    alone = keys.transform("size").eq(1)
    own = PEOPLE[alone].set_index(["town", "age"])["w"]
    expected = []
    for one in RELEASE:
        times = one.groupby(["town", "age"]).size().reindex(own.index, fill_value=0)
        expected.append((1 / own[times == 1]).sum())
    np.testing.assert_allclose(found.population_uniques, expected, rtol=1e-12)
    row = result.summary().loc["population_uniques"]
    assert row["synthetic"] == pytest.approx(np.mean(expected))
    assert row["confidential"] == pytest.approx((1 / own).sum())
    np.testing.assert_array_equal(found.to_frame()["replicated_uniques"], result["replicated_uniques"].replicated)


def test_a_copy_keeps_them_all() -> None:
    summary = evaluated(PEOPLE).summary().loc[ROWS]
    np.testing.assert_allclose(summary["synthetic"], summary["confidential"], rtol=1e-13)
    assert (summary["synthetic"] > 0).all()


def test_in_a_census_every_unique_is_a_population_unique() -> None:
    result = evaluated(design=sl.SurveyDesign(weights=np.ones(N)))
    summary = result.summary()
    for row in ROWS:
        assert summary.loc[row, "synthetic"] == pytest.approx(result["replicated_uniques"].replicated.mean())
        assert summary.loc[row, "confidential"] == pytest.approx(summary.loc["replicated_uniques", "confidential"])
    assert "the file is the population" in result.to_html()


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        (None, "requires survey weights"),
        (sl.SurveyDesign(strata="town"), "requires survey weights"),
        (sl.SurveyDesign(weights=PEOPLE["w"] / PEOPLE["w"].mean()), "like normalized weights"),
    ],
)
def test_it_says_why_it_does_not_apply(design: sl.SurveyDesign | None, reason: str) -> None:
    result = evaluated(design=design)
    assert "population_uniques" not in result.results
    assert reason in result.not_measured["population_uniques"][0]


def test_an_intruder_who_knows_nothing_is_alone_with_nothing() -> None:
    result = evaluated(who=sl.Intruder(known=[], synthesized=["sex"]))
    assert result.not_measured["population_uniques"] == ("the intruder knows no variable.",)


def test_a_weight_released_unchanged_identifies() -> None:
    result = evaluated()
    with_weight = result["population_uniques"].with_weight
    assert with_weight.unique > result["population_uniques"].counts.unique.size
    assert "The survey weight identifies people: with w among the known variables" in result.to_html()
    assert "People unique with w, which is released unchanged" in result.to_html()
    moved = [one.assign(w=one["w"] + 1) for one in RELEASE]
    for release in (moved, [one.drop(columns="w") for one in RELEASE]):
        other = evaluated(release)
        assert other["population_uniques"].with_weight is None
        assert "The survey weight identifies" not in other.to_html()
    shuffled = [one.sample(frac=1, random_state=1).reset_index(drop=True) for one in RELEASE]
    assert evaluated(shuffled)["population_uniques"].with_weight is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w / w.sum(),
        lambda w: w * len(w) / w.sum(),
        lambda w: (w / w.mean()).map(lambda v: float(f"{v:.6g}")),
        lambda w: w.where(w.index != 3, 1),
        lambda w: w.astype(float).where(w.index != 3),
    ],
    ids=["shares", "normalised", "six digits", "one changed", "one missing"],
)
def test_a_weight_in_other_units_identifies_as_well(change) -> None:
    before = evaluated()["population_uniques"].with_weight.replicated
    release = [one.assign(w=change(one["w"])) for one in RELEASE]
    told = sl.Intruder(
        known=["town", "age"], synthesized=["w"], radius={"w": 0.1}
    )  # the weight is said to be synthesized
    for who in (WHO,) if release[0]["w"].isna().any() else (WHO, told):
        result = evaluated(release, who=who)
        found = result["population_uniques"].with_weight.replicated
        assert (np.abs(found - before) <= 1).all()
        assert "The survey weight identifies" in result.to_html()


def test_weights_of_some_of_the_people_identify_them() -> None:
    result = evaluated([one.head(60) for one in RELEASE])["population_uniques"]
    assert (result.with_weight.replicated > result.replicated.sum(axis=1)).all()


def test_weights_that_were_drawn_anew_are_no_weights_of_the_file() -> None:
    drawn = [one.assign(w=np.random.default_rng(k).lognormal(3, 0.5, N)) for k, one in enumerate(RELEASE)]
    for release in (drawn, [one.assign(w=7) for one in RELEASE]):
        assert evaluated(release)["population_uniques"].with_weight is None


def test_a_synthesized_design_variable_is_warned_of_and_the_report_says_so() -> None:
    who = sl.Intruder(known=["town"], synthesized=["w"], radius={"w": 0.1})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = sl.evaluate(PEOPLE, [one.assign(w=one["w"] + 1) for one in RELEASE], who, design=DESIGN)
    assert [w.category for w in caught].count(DesignVariableWarning) == 1
    assert "DesignVariableWarning" in dict(result.warnings)
    copied = evaluated(who=who)
    assert "'w' is declared synthetic but has its confidential values" in dict(copied.warnings)[UNCHANGED]
    assert "DesignVariableWarning" not in dict(copied.warnings)
    assert "is declared synthetic but has its confidential values row by row" in copied.to_html()
    with pytest.warns(DesignVariableWarning, match="the synthetic design of another"):
        sl.evaluate(PEOPLE, RELEASE, WHO, design=sl.SurveyDesign(weights="w", strata="sex"))


def test_a_fit_that_synthesizes_a_design_variable_is_warned_of() -> None:
    with pytest.warns(DesignVariableWarning, match="'town' is a variable of the design and synthesized"):
        sl.DirichletMultinomial(["town"]).fit(PEOPLE, design=sl.SurveyDesign(weights="w", strata="town"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.DirichletMultinomial(["sex"]).fit(PEOPLE, design=sl.SurveyDesign(weights="w", strata="town"))


def test_bad_weights_stop_before_anything_is_measured() -> None:
    with pytest.raises(InputError, match="weights: must be finite numbers above 0; 1 of 120"):
        sl.evaluate(PEOPLE.assign(w=PEOPLE["w"].where(PEOPLE.index > 0, -3)), RELEASE, WHO, design=DESIGN)
    with pytest.raises(MissingValueError, match="weights: 1 of 120"):
        sl.evaluate(PEOPLE.assign(w=PEOPLE["w"].where(PEOPLE.index > 0)), RELEASE, WHO, design=DESIGN)
    with pytest.raises(InputError, match="must be a SurveyDesign"):
        sl.evaluate(PEOPLE, RELEASE, WHO, design="w")  # type: ignore[arg-type]


def test_the_command_line_takes_the_column_of_the_weights(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    RELEASE[0].to_csv(tmp_path / "one.csv", index=False)
    files = str(tmp_path / "people.csv"), str(tmp_path / "one.csv")
    with pytest.raises(SystemExit) as stopped:
        cli.main(
            [
                "evaluate",
                *files,
                "--known",
                "town,age",
                "--synthesized",
                "sex",
                "--weights",
                "w",
                "--json",
                str(tmp_path / "all.json"),
            ]
        )
    assert stopped.value.code == 4  # most ages are unchanged
    assert "population_uniques" in (tmp_path / "all.json").read_text()
