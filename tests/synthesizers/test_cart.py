import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers import CART
from tests.loops import every

N = 1500


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(18, 80, N), "region": rng.choice(["a", "b", "c"], N)})
    frame["job"] = np.where(rng.random(N) < frame["age"] / 100, "office", "field")
    frame["income"] = 100 + 10 * frame["age"] + 300 * (frame["job"] == "office") + rng.normal(0, 50, N)
    frame.index = frame.index * 2 + 1
    return frame


MODEL = CART(["job", "income"], predictors=["age", "region"])


@pytest.fixture(scope="module")
def fitted(survey):
    return MODEL.fit(survey, rng=1)


def test_keeps_what_the_predictors_say(fitted, survey):
    release = fitted.generate(m=10, rng=1)
    assert release.synthesized == ("job", "income")
    assert release[0].dtypes.equals(survey.dtypes)
    pd.testing.assert_frame_equal(release[0][["age", "region"]], survey[["age", "region"]])
    young = survey["age"] < 40
    for part in (young, ~young):
        share = np.mean([(f["job"][part] == "office").mean() for f in release])
        np.testing.assert_allclose(share, (survey["job"][part] == "office").mean(), atol=0.04)
    gaps = [f["income"][f["job"] == "office"].mean() - f["income"][f["job"] == "field"].mean() for f in release]
    expected = survey.groupby("job")["income"].mean()
    np.testing.assert_allclose(np.mean(gaps), expected["office"] - expected["field"], rtol=0.05)


def test_values_come_from_the_leaf(fitted, survey):
    frame = fitted.generate(1, rng=2)[0]
    assert set(frame["income"]) <= set(survey["income"])
    tree = fitted.trees[1]
    sizes = np.diff(tree.start)
    assert sizes.min() >= 5
    assert sizes.sum() == N
    assert sorted(tree.records.tolist()) == list(range(N))


def test_donors_are_drawn_evenly_or_by_weight():
    frame = pd.DataFrame({"y": [1.0, 2.0, 3.0, 4.0]})
    fitted = CART(["y"]).fit(frame, weights=[1.0, 0.0, 2.0, 1.0], rng=1)
    values = np.concatenate([f["y"] for f in fitted.generate(1500, rng=1)])
    shares = [(values == v).mean() for v in frame["y"]]
    np.testing.assert_allclose(shares, [0.25, 0.0, 0.5, 0.25], atol=0.03)


def test_smoothing_makes_new_values_within_the_range(survey):
    values = CART(["income"], ["age"], smoothing="normal").fit(survey, rng=1).generate(1, rng=1)[0]["income"]
    assert len(set(values) & set(survey["income"])) < 0.1 * N
    assert survey["income"].min() <= values.min()
    assert values.max() <= survey["income"].max()
    np.testing.assert_allclose(values.mean(), survey["income"].mean(), rtol=0.03)


def test_smoothing_leaves_a_leaf_of_equal_values_alone():
    frame = pd.DataFrame({"x": [0] * 50 + [1] * 50, "y": [0.0] * 50 + [7.0] * 50})
    values = CART(["y"], ["x"], smoothing="normal").fit(frame, rng=1).generate(1, rng=1)[0]["y"]
    np.testing.assert_array_equal(values, frame["y"])


def test_weight_zero_is_a_record_left_out(survey):
    weights = (survey["region"] != "c").astype(float)
    kept = survey["income"][survey["region"] != "c"]
    frame = MODEL.fit(survey, weights=weights, rng=1).generate(1, rng=1)[0]
    assert set(frame["income"]) <= set(kept)


def test_bootstrap_grows_other_trees(survey):
    model = CART(["income"], ["age", "job"], bootstrap=True)
    release = model.fit(survey, rng=1).generate(3, rng=1)
    again = model.fit(survey, rng=1).generate(2, rng=1)
    pd.testing.assert_frame_equal(release[1], again[1])
    assert not release[0].equals(release[1])
    np.testing.assert_allclose(release[0]["income"].mean(), survey["income"].mean(), rtol=0.05)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"variables": 3}, InputError, "variables=3: must be a list"),
        ({"variables": []}, InputError, "must name at least one"),
        ({"variables": ["wage"]}, InputError, "'wage' not in confidential"),
        ({"variables": ["income"], "predictors": ["income"]}, InputError, "overlap in 'income'"),
        ({"variables": ["income"], "min_leaf": 0}, InputError, "min_leaf=0"),
        ({"variables": ["income"], "smoothing": "kernel"}, InputError, "smoothing='kernel'"),
        ({"variables": ["income"], "predictors": ["gap"]}, MissingValueError, "'gap' has"),
    ],
)
def test_bad_input(survey, arguments, error, message):
    with pytest.raises(error, match=message):
        CART(**arguments).fit(survey.assign(gap=survey["age"].where(survey["age"] > 30)), missing="raise")


def test_unseen_level(fitted, survey):
    with pytest.raises(
        InputError, match="'region' has levels not seen when the model was fitted: .* rows, the first at position"
    ):
        fitted.draw(survey.assign(region="z"), 0, np.random.default_rng(1))


def test_numbers_too_large_for_a_tree_are_named(survey):
    column = survey.select_dtypes("number").columns[0]
    other = next(c for c in survey if c != column)
    large = survey.assign(**{column: survey[column] * 1e300})
    for model in (CART([column], [other]), CART([other], [column])):
        with pytest.raises(InputError, match=f"confidential: column '{column}' has values beyond 3.4e"):
            model.fit(large, rng=1)


@every("dtype", ["bool", "boolean", "bool[pyarrow]", "object"])
@every("smoothing", ["normal", "rare", None])
def test_bools_stay_bools_whatever_smooths_numbers(survey, dtype, smoothing):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    frame = survey.assign(rich=(survey["income"] > survey["income"].median()).astype(dtype))
    made = CART(["rich"], ["age"], smoothing=smoothing).fit(frame, rng=1).generate(1, rng=1)[0]["rich"]
    assert made.dtype == frame["rich"].dtype
    assert set(made) == {False, True}
