"""One call measures what the single functions measure, and keeps what they warn of."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import (
    InputError,
    MissingValueError,
    NoUniqueMatchWarning,
    SingletonPatternWarning,
    SynthlabWarning,
)
from synthlab.utility import ecdf_utility, pmse
from tests.asking import ask

SCRIPT = "<script>alert(1)</script>"
INTRUDER = sl.Intruder(known=["region", SCRIPT], synthesized=["income"], radius={"income": 0.2})
VARIABLES = ["region", SCRIPT, "income"]


def test_a_categorical_variable_that_is_not_there(people: pd.DataFrame, release: sl.Release) -> None:
    for wrong, message in (
        (["nope"], "categorical: 'nope' not in confidential, which has"),
        (3, "must be a list"),
    ):
        with pytest.raises(InputError, match=message):
            sl.evaluate(people, release, INTRUDER, categorical=wrong)
    # A column that no measure uses may be named.
    assert sl.evaluate(people.assign(q=1), release, INTRUDER, categorical=["q"]).n == len(people)


def test_every_number_is_that_of_the_single_function(people: pd.DataFrame, release: sl.Release, result) -> None:
    table = result.to_frame()
    risk = sl.identification_risk(people, release, INTRUDER)
    ir = sl.identification_probability(people, release, INTRUDER)
    ecdf = ecdf_utility(people, release, variables=["income"])
    score = pmse(people, release, variables=VARIABLES, order=2)
    pd.testing.assert_frame_equal(table[list(risk.to_frame())], risk.to_frame())
    assert table["mean_ir"].to_numpy() == pytest.approx(ir.per_dataset.mean(axis=0))
    assert table["ecdf_max"].to_numpy() == pytest.approx(ecdf.ecdf_max[0])
    assert table["ecdf_mean_square"].to_numpy() == pytest.approx(ecdf.ecdf_mean_square[0])
    assert table["pmse_ratio"].to_numpy() == pytest.approx(score.ratio)
    summary = result.summary()
    assert summary.loc["expected_match_risk"].tolist() == pytest.approx(
        [risk.expected_match_risk.mean(), risk.baseline.expected_match_risk[0], risk.known_only.mean(), 1.0]
    )
    # IR of a person is the mean over the datasets; its quantile is not the mean of the quantiles.
    assert summary.loc["ir_90", "synthetic"] == pytest.approx(np.quantile(ir.record, 0.9))
    assert summary.loc["ir_90", "synthetic"] != pytest.approx(table["ir_90"].mean())
    assert summary.loc["ir_90", "confidential"] == pytest.approx(np.quantile(ir.confidential, 0.9))
    assert summary.loc[["ecdf_max", "pmse"], "confidential"].tolist() == [0.0, 0.0]
    assert (result.m, result.n, result.data_kind) == (3, 120, "simulated")


def test_a_release_that_is_the_confidential_data_is_its_own_baseline(people: pd.DataFrame) -> None:
    with pytest.warns(SynthlabWarning):
        same = sl.evaluate(people, people.copy(), INTRUDER)
    summary = same.summary()
    for measure in summary.index.drop("pmse_ratio"):
        assert summary.loc[measure, "synthetic"] == pytest.approx(summary.loc[measure, "confidential"], abs=1e-9)
    assert np.isnan(summary.loc["pmse_ratio", "synthetic"])
    assert same.to_dict()["summary"]["pmse_ratio"]["synthetic"] is None


def test_warnings_are_kept_and_reach_the_caller(people: pd.DataFrame) -> None:
    far = people.assign(income=people["income"] * 1e6)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = sl.evaluate(people, [far, far], INTRUDER, model="cart")
    assert {name for name, _ in result.warnings} == {w.category.__name__ for w in caught}
    assert "NoUniqueMatchWarning" in {name for name, _ in result.warnings}
    assert all(w.filename == __file__ for w in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", NoUniqueMatchWarning)
        with pytest.raises(NoUniqueMatchWarning):
            sl.evaluate(people, far, INTRUDER, model="cart")


def test_warnings_that_are_not_ours_pass_through_and_stay_out_of_the_report(people, monkeypatch) -> None:
    from synthlab.report.measures import pmse as measure

    def noisy(*args: object, **kwargs: object) -> object:
        warnings.warn("old habit", DeprecationWarning, stacklevel=2)
        return pmse(*args, **kwargs)

    monkeypatch.setattr(measure, "pmse", noisy)
    near = people.assign(income=people["income"] * 1.01)
    with pytest.warns(DeprecationWarning, match="old habit"):
        result = sl.evaluate(people, near, INTRUDER)
    assert "DeprecationWarning" not in {name for name, _ in result.warnings}


def test_a_radius_for_a_known_variable_leaves_the_probability_out(people: pd.DataFrame) -> None:
    near = people.assign(region=people["region"].to_numpy())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        result = sl.evaluate(
            people, near, sl.Intruder(known=["income"], synthesized=["region"], radius={"income": 0.1})
        )
    assert {"identification_risk", "exact_copies", "pmse", "table_utility"} <= set(result.results)
    assert not {"identification_probability", "replicated_uniques", "ecdf"} & set(result.results)
    assert "mean_ir" not in result.summary().index
    assert "'income' has a radius" in result.not_measured["identification_probability"][0]
    assert result.not_measured["ecdf"] == ("no synthesized variable is a measurement.",)
    with pytest.raises(InputError, match="measure='ecdf': was not measured. no synthesized variable is"):
        result["ecdf"]
    with pytest.raises(InputError, match="measure='luck': must be one of .*identification_risk"):
        result["luck"]


@pytest.mark.parametrize("missing", ["category", "never"])
def test_missing_values_are_an_error_until_they_are_given_a_meaning(people, missing: str) -> None:
    holes = people.assign(income=people["income"].where(people.index % 7 > 0))
    near = holes.assign(income=holes["income"] * 1.01)
    with pytest.raises(MissingValueError, match="'income' has 18 missing values"):
        sl.evaluate(holes, near, INTRUDER)
    result = sl.evaluate(holes, near, replace(INTRUDER, missing=missing))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        ir = sl.identification_probability(holes, near, replace(INTRUDER, missing=missing)).summary()
    assert result.summary().loc["mean_ir", ["synthetic", "confidential"]].tolist() == ir["mean"][::-1].tolist()
    tables = sl.table_utility(holes, near, variables=VARIABLES, bins=5, missing=missing)
    pd.testing.assert_frame_equal(result["table_utility"].to_frame(), tables.to_frame())
    assert ("replicated_uniques" in result.not_measured) == (missing == "never")
    assert np.isfinite(result.summary().loc["ecdf_max", "synthetic"])


def test_utility_looks_at_known_and_synthesized_unless_told(people: pd.DataFrame, release: sl.Release) -> None:
    assert sl.evaluate(people, release, INTRUDER)["pmse"].variables == tuple(VARIABLES)
    some = sl.evaluate(people, release, INTRUDER, variables=["income"])
    assert some["pmse"].variables == ("income",)
    assert some["pmse"].order == 1
    with pytest.raises(InputError, match="variables: 'wealth' not in confidential"):
        sl.evaluate(people, release, INTRUDER, variables=["wealth"])


def test_products_are_left_out_of_a_classifier_that_would_be_too_wide() -> None:
    rng = np.random.default_rng(1)
    wide = pd.DataFrame({name: rng.integers(0, 8, 300).astype(str) for name in "abcd"})
    other = wide.assign(d=np.roll(wide["d"], 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        narrow = sl.evaluate(wide, other, sl.Intruder(known=["a"], synthesized=["d"]))
        full = sl.evaluate(wide, other, sl.Intruder(known=["a", "b", "c"], synthesized=["d"]))
    assert (narrow["pmse"].order, full["pmse"].order) == (1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        coded = wide.astype(int)
        numbers = sl.evaluate(
            coded, coded.assign(d=np.roll(coded["d"], 1)), sl.Intruder(known=["a", "b", "c"], synthesized=["d"])
        )
        named = sl.evaluate(
            coded,
            coded.assign(d=np.roll(coded["d"], 1)),
            sl.Intruder(known=["a", "b", "c"], synthesized=["d"]),
            categorical=list("abcd"),
        )
    assert (numbers["pmse"].order, named["pmse"].order) == (2, 1)
    assert "ecdf" in numbers.results
    assert "ecdf" not in named.results


def test_a_tree_can_be_the_classifier_and_its_seed_counts(people: pd.DataFrame, release: sl.Release) -> None:
    one, two, other = (sl.evaluate(people, release, INTRUDER, model="cart", rng=seed) for seed in (1, 1, 2))
    assert one["pmse"].model == "cart"
    assert one["pmse"].null_mean.tolist() == two["pmse"].null_mean.tolist()
    assert one["pmse"].null_mean.tolist() != other["pmse"].null_mean.tolist()


def test_singletons_and_the_r_convention_are_passed_on(people: pd.DataFrame, release: sl.Release) -> None:
    alone = people.assign(region=[f"place {i}" if i < 5 else "town" for i in range(len(people))])
    frames = [alone.assign(income=f["income"].to_numpy()) for f in release]
    with pytest.warns(SingletonPatternWarning):
        by_formula = sl.evaluate(alone, frames, INTRUDER, variables=["income"])
    certain = sl.evaluate(
        alone,
        frames,
        replace(INTRUDER, convention="irc", targets=range(50)),
        singletons="certain",
        variables=["income"],
    )
    assert by_formula["identification_probability"].confidential[:5].tolist() == [0.0] * 5
    assert certain["identification_probability"].confidential[:5].tolist() == [1.0] * 5
    matched = certain["identification_risk"]
    assert (matched.intruder.convention, matched.targets.size) == ("irc", 50)
    assert certain.summary().loc["expected_match_risk", "random_guess"] == pytest.approx(50 / 120)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "oracle"}, "model='oracle'"),
        ({"missing": "maybe"}, "missing='maybe'"),
        ({"singletons": "x"}, "singletons='x'"),
        ({"radius": None}, "'income' has 120 distinct numbers and no radius"),
        ({"known": ["income"]}, "known and synthesized overlap"),
        ({"in_file": False, "weights": [1.0]}, "in_file=False: evaluate does not use it"),
        ({"norm": "mahalanobis", "radius_kind": "absolute"}, "norm='mahalanobis': evaluate takes 'box' or 'euclidean'"),
    ],
)
def test_bad_input_is_named(people: pd.DataFrame, release: sl.Release, change: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask(sl.evaluate, people, release, **{**INTRUDER.to_dict(), **change})


def test_it_shows_itself(result) -> None:
    assert "The intruder knows region" in str(result)
    assert "expected_match_risk" in str(result)
    assert "&lt;script&gt;" in result._repr_html_()
    assert "<script>" not in result._repr_html_()
    assert result.plot().get_title(loc="left")
    assert result.plot(measure="pmse").get_xlabel() != result.plot().get_xlabel()


def test_no_unique_match_is_a_number_that_is_not_defined(people: pd.DataFrame) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = sl.evaluate(people, people.assign(income=1.0), INTRUDER, model="cart")
    assert NoUniqueMatchWarning in {w.category for w in caught}
    assert np.isnan(result.summary().loc["false_match_rate", "synthetic"])
    assert result.to_dict()["identification_risk"]["per_dataset"]["false_match_rate"] == [None]
