"""A whole file in one call: types in are types out, rules hold, and what cannot be done is named."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, RareValueWarning, ReleasedUnchangedWarning
from synthlab.synthesis._encoding import Coding
from synthlab.synthesis.dates import coded
from synthlab.synthesis.naming import model_by_name
from synthlab.synthesis.relations import Preserved, Values
from synthlab.synthesizers import Fitted
from synthlab.synthesizers._design import make_design
from synthlab.synthesizers.predictor_selection import MOST
from tests.loops import every

N = 400
ODD = ["class", "my income", 'a"b', "x `y`", "größe 😀", "lambda"]
quiet = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")


@dataclass(frozen=True)
class Noise:
    """A synthesizer of fractions around the mean of its variable, which is quick."""

    formula: str

    def fit(self, confidential: pd.DataFrame, **options: object) -> FittedNoise:
        return FittedNoise(self, confidential, None, (self.formula.split()[0],), None)


class FittedNoise(Fitted):
    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        known = self.confidential[self.synthesized[0]]
        return {self.synthesized[0]: pd.Series(rng.normal(known.mean(), known.std(), len(frame)), index=frame.index)}


@dataclass(frozen=True)
class Copy:
    """A synthesizer that returns the confidential values."""

    formula: str

    def fit(self, confidential: pd.DataFrame, **options: object) -> FittedCopy:
        return FittedCopy(self, confidential, None, (self.formula.split()[0],), None)


class FittedCopy(Fitted):
    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        return {self.synthesized[0]: self.confidential[self.synthesized[0]]}


def survey(n: int = N) -> pd.DataFrame:
    """Return a file with a column of every kind."""
    rng = np.random.default_rng(3)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D")
    works = rng.random(n) < 0.6
    frame = pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["m", "f"], n), categories=["x", "m", "f"], ordered=True),
            "age": rng.integers(18, 90, n).astype("int16"),
            "works": np.where(works, "yes", "no"),
            "wage": np.where(works, rng.lognormal(7, 0.5, n).round(2), 0.0),
            "day": days,
            "second": pd.Series(days.tz_localize("Europe/Vienna"))
            + pd.to_timedelta(rng.integers(0, 80_000, n), unit="s"),
            "written": days.strftime("%Y-%m-%d"),
            "spent": pd.to_timedelta(rng.integers(0, 90, n), unit="min"),
            "ok": rng.random(n) < 0.5,
            "kids": pd.array(rng.integers(0, 4, n), dtype="Int64"),
            "share": pd.array(rng.random(n), dtype="Float32"),
            "sure": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "code": pd.Series(rng.choice(list("abc"), n), dtype=object),
            "size": rng.normal(size=n).astype("float32"),
            "country": "AT",
            "empty": None,
        }
    )
    frame["date"] = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(k)) for k in rng.integers(0, 40, n)]
    return frame


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return survey()


@pytest.fixture(scope="module")
def release(frame: pd.DataFrame) -> sl.Release:
    return sl.synthesize(frame, m=2, rng=1)


def test_types_out_are_types_in(frame: pd.DataFrame, release: sl.Release) -> None:
    for made in release:
        pd.testing.assert_series_equal(made.dtypes, frame.dtypes)
        assert list(made["sex"].cat.categories) == ["x", "m", "f"]
        assert {type(v) for v in made["date"]} == {datetime.date}
        assert (made["second"].dt.tz_localize(None).dt.microsecond == 0).all()
        assert made["written"].str.fullmatch(r"2024-\d\d-\d\d").all()
        assert (made["spent"] % pd.Timedelta(minutes=1) == pd.Timedelta(0)).all()
        assert made.index.equals(pd.RangeIndex(N))


def test_values_stay_within_what_the_file_has(frame: pd.DataFrame, release: sl.Release) -> None:
    for made in release:
        for column in ("age", "wage", "day", "second", "spent", "share", "size"):
            assert frame[column].min() <= made[column].min()
            assert made[column].max() <= frame[column].max()
        np.testing.assert_allclose((made["wage"] == 0).mean(), (frame["wage"] == 0).mean(), atol=0.08)
        np.testing.assert_array_equal(made["wage"], made["wage"].round(2))
        assert not ((made["wage"] > 0) & (made["wage"] < frame["wage"][frame["wage"] > 0].min())).any()
        assert made["kids"].isin(frame["kids"]).all()


def test_the_relation_of_variables_is_kept(frame: pd.DataFrame, release: sl.Release) -> None:
    for made in release:
        gap = made.groupby("works")["wage"].mean()
        expected = frame.groupby("works")["wage"].mean()
        np.testing.assert_allclose(gap["yes"], expected["yes"], rtol=0.15)
        assert gap["no"] < 0.1 * gap["yes"]


def test_without_smoothing_every_number_is_one_of_the_file(frame: pd.DataFrame) -> None:
    with pytest.warns(RareValueWarning, match="'wage' \\(.* values\\)"):
        made = sl.synthesize(frame[["age", "wage"]], m=1, rng=1, smooth=False)[0]
    assert made["wage"].isin(frame["wage"]).all()
    with pytest.warns(RareValueWarning):
        half = sl.synthesize(frame[["age", "wage", "size"]], m=1, rng=1, smooth=["wage"])
    assert not half[0]["wage"].isin(frame["wage"]).all()
    assert half[0]["size"].isin(frame["size"]).all()
    assert sl.Plan.of(half).summary()["numbers"].tolist()[1:] == ["rare ones moved", "as drawn"]


def test_constants_are_kept_and_the_rows_of_a_full_synthesis_are_about_no_person(
    frame: pd.DataFrame, release: sl.Release
) -> None:
    assert set(release.synthesized or ()) == set(frame) - {"country", "empty"}
    assert (release[0]["country"] == "AT").all()
    assert release[0]["empty"].isna().all()
    assert release.rows == "unknown"
    assert release.private["seed"] == 1


@quiet
def test_the_first_datasets_do_not_depend_on_m(frame: pd.DataFrame) -> None:
    few = sl.synthesize(frame[["age", "sex", "wage"]], m=1, rng=5)
    more = sl.synthesize(frame[["age", "sex", "wage"]], m=3, rng=5)
    pd.testing.assert_frame_equal(few[0], more[0])
    assert not more[0].equals(more[1])


@quiet
def test_kept_variables_are_true_and_predict(frame: pd.DataFrame) -> None:
    shifted = frame[["age", "works", "wage"]].set_axis(range(7, N + 7))
    release = sl.synthesize(shifted, m=1, rng=1, keep=["works"])
    pd.testing.assert_series_equal(release[0]["works"], shifted["works"])
    assert release.rows == "aligned"
    assert release.synthesized == ("age", "wage")
    plan = sl.Plan.of(release)
    assert "works" in plan.variables[0].predictors
    assert any("works" in note and "unchanged" in note for note in plan.notes)


@pytest.mark.parametrize(
    "ids",
    [
        np.arange(100, 100 + N),
        np.sort(np.random.default_rng(1).choice(10**5, N, replace=False)),
        np.random.default_rng(1).choice(10**6, N, replace=False) + 10**9,
        [f"person {k}" for k in range(N)],
        pd.Categorical([f"person {k % (N - 9)}" for k in range(N)]),
    ],
)
@quiet
def test_identifiers_are_refused_dropped_or_numbered_anew(frame: pd.DataFrame, ids: object) -> None:
    people = frame[["age", "sex"]].assign(who=ids)
    with pytest.raises(InputError, match="identifiers=\"refuse\": 1 column looks like an identifier .'who'"):
        sl.synthesize(people)
    dropped = sl.synthesize(people, m=1, rng=1, identifiers="drop")
    assert list(dropped[0]) == ["age", "sex"]
    anew = sl.synthesize(people, m=1, rng=1, identifiers="new")
    assert anew[0]["who"].astype(int).tolist() == list(range(1, N + 1))
    assert anew.synthesized == ("age", "sex", "who")
    assert sl.Plan.of(anew).variables[-1].model == "numbered anew"
    with pytest.warns(ReleasedUnchangedWarning, match="identifies .* people by itself"):
        kept = sl.synthesize(people, m=1, rng=1, keep=["who"])
    assert "who" not in sl.Plan.of(kept).variables[0].predictors


@quiet
def test_a_column_that_is_named_with_a_model_is_no_identifier(frame: pd.DataFrame) -> None:
    grams = frame[["sex"]].assign(grams=np.random.default_rng(1).permutation(N) + 900)
    made = sl.synthesize(grams, m=1, rng=1, models={"grams": "tree"})[0]
    assert made["grams"].between(900, 900 + N).all()


@quiet
def test_totals_add_up_whatever_makes_their_parts(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    people = frame[["age", "works"]].assign(a=rng.integers(0, 50, N), b=rng.integers(0, 50, N))
    people.insert(0, "total", people["a"] + people["b"])
    rule = sl.SumOf("total", ["a", "b"])
    for models in (None, {"a": Noise("a ~ 1")}):
        release = sl.synthesize(people, m=2, rng=1, constraints=[rule], models=models, order=["a", "b", "age", "works"])
        for made in release:
            assert made["total"].dtype == people["total"].dtype
            np.testing.assert_array_equal(made["total"], made["a"] + made["b"])
        plan = sl.Plan.of(release)
        assert plan.order == ("a", "b", "age", "works", "total")
        assert "total" in plan.variables[2].predictors
        assert "total" not in plan.variables[1].predictors


@quiet
def test_rules_hold_in_every_record(frame: pd.DataFrame) -> None:
    people = frame[["wage", "works", "sex", "age"]]
    rules = [
        sl.ZeroUnless("wage", "works", ["yes"]),
        sl.Bounds("age", 18, 90),
        sl.AllowedCombinations(["works", "sex"]),
    ]
    for models in (None, {"wage": Noise("wage ~ works")}):
        release = sl.synthesize(people, m=2, rng=1, constraints=rules, models=models)
        assert all((made["wage"][made["works"] == "no"] == 0).all() for made in release)
        assert sl.Plan.of(release).order[:2] == ("works", "wage")


@quiet
def test_a_rule_sees_the_columns_as_they_came(frame: pd.DataFrame) -> None:
    class NotInJanuary:
        """A rule about dates."""

        def holds(self, frame: pd.DataFrame) -> np.ndarray:
            return ((frame["day"].dt.month > 1) | frame["sure"].isin([True])).to_numpy()

    people = frame.loc[(frame["day"].dt.month > 1) | (frame["sure"] == True), ["day", "sure", "age"]]  # noqa: E712
    release = sl.synthesize(people, m=1, rng=1, constraints=[NotInJanuary()])
    assert NotInJanuary().holds(release[0]).all()


@quiet
@pytest.mark.full
def test_models_by_name_and_as_objects(frame: pd.DataFrame) -> None:
    people = frame[["sex", "age", "wage", "ok", "works"]]
    models = {"age": "normal", "wage": Noise("wage ~ 1"), "ok": "multinomial", "works": "sample"}
    release = sl.synthesize(people, m=1, rng=1, models=models)
    table = sl.Plan.of(release).summary()
    assert table["model"].tolist() == ["tree", "normal", "Noise(formula='wage ~ 1')", "multinomial", "sample"]
    assert table["predictors"].tolist() == [0, 1, 0, 3, 0]
    pd.testing.assert_series_equal(release[0].dtypes, people.dtypes)


@quiet
def test_a_synthesizer_of_several_variables_is_named_for_each(frame: pd.DataFrame) -> None:
    people = frame[["works", "age", "code"]]
    both = sl.Resample(["works", "code"])
    models = {"works": both, "code": both}
    release = sl.synthesize(people, m=1, rng=1, models=models, order=["works", "code", "age"])
    assert release.synthesized == ("works", "age", "code")
    with pytest.raises(InputError, match="Resample for 'works' makes 'works', 'code'"):
        sl.synthesize(people.assign(code="b"), models={"works": both})


@quiet
def test_names_of_columns_may_be_anything(frame: pd.DataFrame) -> None:
    people = frame[["age", "works", "wage", "size", "code", "ok"]].set_axis(ODD, axis=1)
    release = sl.synthesize(people, m=1, rng=1)
    assert list(release[0]) == ODD
    for column in ODD:
        model = model_by_name("normal", column, [c for c in ODD if c != column])
        assert set(make_design(model.formula, people).formula.columns) == set(ODD) - {column}
        assert make_design(model_by_name("poisson", column, []).formula, people).names == ()


@pytest.mark.parametrize("columns", [40, pytest.param(200, marks=pytest.mark.full)])
def test_a_wide_file_has_thirty_predictors_a_variable(columns: int) -> None:
    rng = np.random.default_rng(1)
    wide = pd.DataFrame(rng.integers(0, 4, (300, columns)), columns=[f"q{k}" for k in range(columns)])
    last = f"q{columns - 1}"
    wide[last] = wide["q3"]
    release = sl.synthesize(wide, m=1, rng=1)
    plan = sl.Plan.of(release)
    assert max(len(v.predictors) for v in plan.variables) == MOST
    assert "q3" in plan.variables[-1].predictors
    assert (release[0][last] == release[0]["q3"]).all()
    assert any(f"more than {MOST} predictors" in note for note in plan.notes)


def test_a_category_of_many_levels_comes_late_and_predicts_nothing(frame: pd.DataFrame) -> None:
    place = np.random.default_rng(1).integers(0, 80, N)
    people = pd.DataFrame({"town": [f"t{k}" for k in place], "age": frame["kids"].astype(int), "sex": frame["sex"]})
    with pytest.warns(RareValueWarning, match="'town'"):
        plan = sl.Plan.of(sl.synthesize(people, m=1, rng=1))
    assert plan.order == ("age", "sex", "town")
    assert any("more than 60 levels: town" in note for note in plan.notes)


def test_categories_of_more_than_twenty_levels_come_last() -> None:
    wide = pd.DataFrame({name: [f"{name}{i % k}" for i in range(420)] for name, k in (("a", 20), ("b", 22), ("c", 3))})
    plan = sl.Plan.of(sl.synthesize(wide, m=1, rng=1))
    assert [v.variable for v in sorted(plan.variables, key=lambda v: v.place or 0)] == ["a", "c", "b"]


def test_rare_values_are_warned_of_without_naming_them() -> None:
    people = pd.DataFrame({"job": ["smith", "baker"] * 30 + ["astronaut"], "kids": [0, 1, 2] * 20 + [11]})
    with pytest.warns(RareValueWarning, match="'job' .1 values., 'kids' .1 values.") as caught:
        sl.synthesize(people, m=20, rng=1)
    assert "astronaut" not in str(caught[0].message)
    assert "11" not in str(caught[0].message)


def test_a_variable_that_comes_out_as_it_was_is_warned_of() -> None:
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"g": rng.choice(list("abc"), 60), "x": rng.permutation(np.repeat(np.arange(12), 5))})
    with pytest.warns(ReleasedUnchangedWarning, match="models: 'x' has nearly its confidential values"):
        sl.synthesize(people, keep=["g"], models={"x": Copy("x ~ g")}, m=1, rng=1)


@pytest.mark.parametrize("unit", ["D", "h", "min", "s", "ms", "us", "ns"])
def test_dates_are_whole_numbers_of_the_largest_unit_from_zero_on(unit: str) -> None:
    steps = [5, 0, 3, 401]
    dates = pd.Series(pd.Timestamp("2024-01-31") + pd.to_timedelta(steps, unit=unit))
    values, back = coded(pd.concat([dates, pd.Series([pd.NaT])], ignore_index=True))
    assert values[:4].tolist() == steps
    assert np.isnan(values[4])
    assert back(values)[:4].tolist() == dates.tolist()


def test_the_plan_numbers_the_variables_in_the_order_of_synthesis(release: sl.Release) -> None:
    plan = sl.Plan.of(release)
    order = plan.summary()["order"]
    assert order[list(plan.order)].tolist() == [str(place) for place in range(1, len(plan.order) + 1)]
    assert set(order.drop(list(plan.order))) == {""}


def test_the_plan_is_saved_with_the_release_and_read_again(
    frame: pd.DataFrame, release: sl.Release, tmp_path: Path
) -> None:
    saved = sl.Release(
        [f.drop(columns="date") for f in release],
        provenance={**release.provenance, "public_levels": ["sex"]},
        rows=release.rows,
    )
    folder = saved.save(tmp_path / "release", keep_order=True)
    plan = sl.Plan.of(folder)
    assert str(plan) == str(sl.Plan.of(release))
    assert plan.variables[3].predictors == ("sex", "age", "wage")
    pd.testing.assert_frame_equal(sl.Release.load(folder)[0], saved[0])
    with pytest.raises(InputError, match="release: has no plan"):
        sl.Plan.of(sl.Release(frame))
    with pytest.raises(InputError, match="values: must hold variables"):
        sl.Plan.from_dict({"variables": [{"name": "x"}]})


def test_the_release_goes_into_evaluate(frame: pd.DataFrame, release: sl.Release) -> None:
    intruder = sl.Intruder(known=["sex", "works"], synthesized=["code"])
    result = sl.evaluate(frame, release, intruder, variables=["sex", "works", "wage"])
    assert result.rows.state == "unknown"
    assert "exact_copies" in result.results
    assert "identification_risk" not in result.results


@every(
    ("change", "message"),
    [
        ({"models": {"age": "norm"}}, r"models\['age'\]='norm': must be a synthesizer, or one of 'tree'"),
        ({"models": {"height": "tree"}}, "models: 'height' not in confidential"),
        ({"models": {"country": "tree"}}, "models: 'country' is constant"),
        ({"models": {"age": "tree"}, "keep": ["age"]}, "models: 'age' is in keep"),
        ({"order": ["age", "sex"]}, "order: must name every synthesized variable; 'wage' not named"),
        ({"order": ["age", "sex", "wage", "country"]}, "order: names 'country', which is not synthesized"),
        ({"order": ["age", "sex", "wage", "wage"]}, "order: names a column twice"),
        ({"keep": ["age", "sex", "wage"]}, "keep: no variable is left to synthesize"),
        ({"keep": ["height"]}, "keep: 'height' not in confidential"),
        ({"identifiers": "keep"}, "identifiers='keep'"),
        ({"m": 0}, "m=0"),
        ({"constraints": [1]}, "constraints: an? int is not a constraint"),
        ({"constraints": [sl.Bounds("height", 1)]}, "constraints: .* 'height' not in confidential"),
        ({"constraints": [sl.Bounds("age", 40)]}, "confidential records break"),
        ({"constraints": [sl.SumOf("age", ["wage", "age2"])]}, "'age2' not in confidential"),
        ({"constraints": [sl.SumOf("age", ["wage", "age"][:1] + ["one"])], "keep": ["wage"]}, "none of its parts"),
        ({"constraints": [sl.SumOf("age", ["wage", "one"])], "keep": ["age"]}, "remove it from keep and models"),
    ],
)
def test_bad_input_is_named(frame: pd.DataFrame, change: dict, message: str) -> None:
    people = frame[["age", "sex", "wage", "country"]].assign(one=1)
    with pytest.raises(InputError, match=message):
        sl.synthesize(people, **change)


def test_bad_files_are_named(frame: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="confidential: has 1 record"):
        sl.synthesize(frame.head(1))
    with pytest.raises(InputError, match="these names occur twice: 'age'"):
        sl.synthesize(pd.concat([frame[["age"]], frame[["age"]]], axis=1))
    with pytest.raises(InputError, match="'mixed' holds mixture values"):
        sl.synthesize(frame[["age"]].assign(mixed=pd.Series([1, "a"] * (N // 2), dtype=object)))
    with pytest.raises(InputError, match="no variable is left to synthesize"):
        sl.synthesize(frame[["country", "empty"]])
    with pytest.raises(InputError, match="'wage' has 1 infinite"):
        sl.synthesize(frame[["age", "wage"]].assign(wage=frame["wage"].where(frame.index > 0, np.inf)))


def test_missing_values_stay_a_part_of_the_data(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(2)
    gone = rng.random(N) < np.where(frame["works"] == "yes", 0.5, 0.05)
    holes = frame[["works", "kids", "sex", "code", "day", "sure"]].assign(weeks=rng.integers(1, 40, N))
    for column in ("kids", "sex", "code", "day", "sure"):
        holes.loc[gone, column] = None
    holes.loc[gone, "weeks"] = -8
    release = sl.synthesize(holes, m=2, rng=1, missing_codes={"weeks": [-8]})
    for made in release:
        pd.testing.assert_series_equal(made.dtypes, holes.dtypes)
        for column in ("kids", "sex", "code", "day", "sure"):
            share = made[column].isna().groupby(made["works"]).mean()
            np.testing.assert_allclose(share["yes"], gone[frame["works"] == "yes"].mean(), atol=0.12)
            np.testing.assert_allclose(share["no"], gone[frame["works"] == "no"].mean(), atol=0.08)
        np.testing.assert_allclose((made["weeks"] == -8).mean(), gone.mean(), atol=0.08)
        assert made.loc[made["weeks"] != -8, "weeks"].between(1, 39).all()
    table = sl.Plan.of(release).summary()["missing"]
    assert table.to_dict() == {
        "works": "", "kids": "own tree", "sex": "a level", "code": "a level", "day": "own tree", "sure": "a level",
        "weeks": "own tree",
    }  # fmt: skip
    with pytest.raises(sl.exceptions.MissingValueError, match="'kids' has"):
        sl.synthesize(holes, missing="raise")


def test_neither_the_smallest_nor_the_largest_rare_number_is_released() -> None:
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"sex": rng.choice(["m", "f"], 900), "income": (rng.lognormal(8, 1, 900)).round(-1)})
    for made in sl.synthesize(people, m=20, rng=1):
        assert people["income"].min() < made["income"].min()
        assert made["income"].max() < people["income"].max()
        assert (made["income"] % 10 == 0).all()


def test_a_number_that_is_rounded_to_a_code_is_not_taken_for_it() -> None:
    ages = pd.Series([20, 30, 50, 60, 99, 80], name="age")
    coding = Coding.of(
        ages.to_frame(), {"age": "number"}, Preserved(Values.of(ages.to_frame(), {}, {})), {"age": (50, 99)}
    )
    made = coding.decoded(pd.DataFrame({"age": [49.8, 50.0, 98.7, 99.0, 20.2, 80.4]}))
    assert made["age"].tolist() == [30, 50, 80, 99, 20, 80]
    assert made["age"].dtype == ages.dtype


def test_a_column_of_codes_and_gaps_alone_has_nothing_to_model(frame: pd.DataFrame) -> None:
    gaps = frame[["age", "sex"]].assign(weeks=np.where(np.arange(N) % 2, -8.0, np.nan))
    with pytest.raises(sl.exceptions.MissingValueError, match="'weeks' has .* and no others"):
        sl.synthesize(gaps, m=1, rng=1, missing_codes={"weeks": [-8]})
    assert sl.synthesize(gaps, m=1, rng=1)[0]["weeks"].isna().mean() == pytest.approx(0.5, abs=0.15)
    release = sl.synthesize(gaps.assign(weeks=-8), m=1, rng=1, missing_codes={"weeks": [-8]})
    assert (release[0]["weeks"] == -8).all()


def test_gaps_in_the_only_level_there_is_stay(frame: pd.DataFrame) -> None:
    one = frame[["age", "sex"]].assign(told=pd.Series(["yes"] * N, dtype=object).where(np.arange(N) % 3 > 0, None))
    for made in sl.synthesize(one, m=2, rng=1):
        assert set(made["told"].dropna()) == {"yes"}
        assert made["told"].isna().mean() == pytest.approx(1 / 3, abs=0.12)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (lambda w: -w, InputError, "weights: must be finite numbers above 0"),
        (lambda w: 0 * w, InputError, "weights: must be finite numbers above 0"),
        (lambda w: w.where(w.index > 0), sl.exceptions.MissingValueError, "weights: 1 of .* have none"),
    ],
)
def test_weights_of_no_use_are_named(frame: pd.DataFrame, weights: object, error: type, message: str) -> None:
    people = frame[["age", "sex"]].assign(weight=weights(pd.Series(np.ones(N))))
    with pytest.raises(error, match=message):
        sl.synthesize(people, m=1, rng=1, design=sl.SurveyDesign(weights="weight"))


def test_weights_are_left_out_unless_they_are_named(frame: pd.DataFrame) -> None:
    weight = np.random.default_rng(3).choice([0.5, 1.0, 2.0, 4.0], size=N)
    people, design = frame[["age", "sex"]].assign(weight=weight), sl.SurveyDesign(weights="weight")
    plain = sl.synthesize(people, m=1, rng=1, design=design)
    by_array = sl.synthesize(people.drop(columns="weight"), m=1, rng=1, design=sl.SurveyDesign(weights=weight))
    pd.testing.assert_frame_equal(plain[0], by_array[0])
    assert sl.Plan.of(plain).summary().loc["weight", "model"] == "dropped"
    assert "weighted by weight" in plain.provenance["estimates"]
    assert sl.plan_synthesis(people, design=design).summary().loc["weight", "model"] == "dropped"
    kept = sl.synthesize(people, m=1, rng=1, design=design, keep="weight")
    assert kept[0]["weight"].equals(people["weight"])
    with pytest.warns(sl.exceptions.DesignVariableWarning, match="'weight' is a variable of the design"):
        drawn = sl.synthesize(people, m=1, rng=1, design=design, models={"weight": "tree"})
    assert "weight" in drawn.synthesized
    with pytest.warns(sl.exceptions.DesignVariableWarning):
        declared = sl.synthesize(people, m=1, rng=1, design=design, relations=["weight <= age"])
    assert (declared[0]["age"] >= declared[0]["weight"]).all()


def test_constant_weights_synthesize_as_none_do(frame: pd.DataFrame) -> None:
    people = frame[["age", "sex"]].assign(weight=7.0)
    plain = sl.synthesize(people, m=1, rng=1)
    weighted = sl.synthesize(people, m=1, rng=1, design=sl.SurveyDesign(weights="weight"))
    pd.testing.assert_frame_equal(plain[0], weighted[0])
    assert weighted.provenance["estimates"] != plain.provenance.get("estimates")
