"""Formulas come from users: they name columns and call listed functions, and nothing in them runs."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from synthlab._formulas.formula import FUNCTIONS, parse_formula
from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers import (
    FiniteMixture,
    LogisticRegression,
    MultinomialRegression,
    NegativeBinomial,
    NormalRegression,
    PoissonRegression,
    TwoPart,
)
from synthlab.synthesizers._design import make_design
from synthlab.synthesizers._linear import standardise
from tests.loops import every

ODD = "__import__('os').system('touch /tmp/synthlab_was_here')"


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 60
    return pd.DataFrame(
        {
            "y": rng.normal(size=n),
            "x": rng.uniform(1, 5, n),
            "k": rng.integers(0, 3, n),
            "region": rng.choice(["north", "south", 'it\'s "west"'], n),
            "log": rng.normal(size=n),
            "two words": rng.normal(size=n),
            'quo"te': rng.normal(size=n),
            "tick`s": rng.normal(size=n),
            ODD: rng.normal(size=n),
            "a.b": rng.normal(size=n),
            "owns": rng.random(n) < 0.5,
            "grade": pd.Categorical(rng.choice(["lo", "hi"], n), categories=["lo", "hi", "never"], ordered=True),
        }
    )


def test_plain_terms_give_their_columns(frame):
    design = make_design("y ~ x + region + k", frame)
    assert design.names == ("x", "region[T.north]", "region[T.south]", "k")
    np.testing.assert_array_equal(design.matrix[:, 0], frame["x"])
    np.testing.assert_array_equal(design.matrix[:, 2], frame["region"] == "south")


def test_c_makes_levels_of_a_number(frame):
    design = make_design("y ~ C(k) + k:x", frame)
    assert design.names == ("C(k)[T.1]", "C(k)[T.2]", "k:x")
    np.testing.assert_allclose(design.matrix[:, 2], frame["k"] * frame["x"])


@pytest.mark.parametrize("name", ["two words", 'quo"te', "tick`s", ODD, "a.b", "log"])
def test_odd_names_stand_in_backticks(frame, name):
    quoted = "`" + name.replace("`", "``") + "`"
    design = make_design(f"y ~ {quoted} + log(x)", frame)
    assert design.names == (name, "log(x)")
    np.testing.assert_array_equal(design.matrix[:, 0], frame[name])
    np.testing.assert_allclose(design.matrix[:, 1], np.log(frame["x"]))
    assert make_design(f"{quoted} ~ x", frame).formula.response == name


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("log1p(x)", np.log1p),
        ("sqrt(x + 1)", lambda x: np.sqrt(x + 1)),
        ("I(x**2 / 3)", lambda x: x**2 / 3),
        ("exp(-x)", lambda x: np.exp(-x)),
        ("center(x)", lambda x: x - x.mean()),
        ("scale(x)", lambda x: (x - x.mean()) / x.std(ddof=1)),
    ],
)
def test_functions(frame, term, expected):
    np.testing.assert_allclose(make_design(f"y ~ {term}", frame).matrix[:, 0], expected(frame["x"].to_numpy()))


@pytest.mark.parametrize(("term", "columns"), [("poly(x, 3)", 3), ("bs(x, df=5)", 5), ("ns(x, df=4)", 4)])
def test_bases_are_kept_for_other_records(frame, term, columns):
    design = make_design(f"y ~ {term}", frame)
    assert design.matrix.shape[1] == columns
    np.testing.assert_allclose(design.apply(frame.iloc[5:9]), design.matrix[5:9])


def test_categories_and_truth_values(frame):
    design = make_design("y ~ grade + owns", frame)
    assert design.names == ("grade[T.hi]", "owns")
    np.testing.assert_array_equal(design.matrix[:, 1], frame["owns"].astype(float))


def test_no_predictors(frame):
    assert make_design("y ~ 1", frame).matrix.shape == (60, 0)


@every(
    "formula",
    [
        "y ~ __import__('os')",
        "y ~ x.__class__",
        "y ~ (x).__class__",
        "y ~ np.log(x)",
        "y ~ eval('1')",
        "y ~ open('/etc/passwd')",
        "y ~ Q('x')",
        "y ~ {x}",
        "y ~ {__import__('os')}",
        "y ~ C(x, contr.treatment)",
        "y ~ log(x.values)",
        "y ~ log(x)[0]",
        "y ~ log((lambda: x)())",
        "y ~ log(x if x else x)",
        "y ~ log(x, out=x)",
        "y ~ log(*[x])",
        "y ~ log(_state=x)",
        "y ~ bs(x, _state={})",
        "y ~ I(9**9**9**9*x)",
        "y ~ I(x**99999999)",
        "y ~ (x + k)**99",
        "y ~ I([1, 2])",
        "y ~ x; import os",
        "y ~ @x",
        "y ~ .",
        "y ~ x | k",
        "y ~ log",
        "y ~ log()",
        "y ~ x ~ k",
        "y + x ~ k",
        "log(y) ~ x",
        "y x",
        "",
        "~ x",
        "y ~",
        "y ~ x +",
        "y ~ (x",
        "y ~ x k",
        "y ~ y",
        "y ~ log(y)",
        "y ~ x - 1",
        "y ~ 0 + x",
        "y ~ 'x'",
        "y ~ `x",
        "y ~ two words",
        "y ~ C(x + k)",
        "y ~ __FORMULAIC_STATE__",
    ],
)
def test_whatever_else_is_refused(frame, formula):
    columns = frame.drop(columns="log")
    with pytest.raises(InputError, match=r"formula=.*"):
        make_design(formula, columns)


@given(st.text(alphabet="xyk~+-*/:^()[]{}`'\",.=1 0_\\lognp", max_size=25))
def test_any_text_is_read_or_refused(text):
    columns = ["x", "y", "k"]
    try:
        parsed = parse_formula("y ~ " + text, columns, [])
    except InputError:
        return
    left_over = re.sub(r"_(number|category)_\d+_", "", parsed.right)
    assert all(word in FUNCTIONS for word in re.findall(r"[^\W\d]\w*(?=\s*\()", left_over))
    assert "." not in re.sub(r"\d*\.\d*", "", left_over)


def test_unknown_variable_is_named(frame):
    with pytest.raises(InputError, match="unknown variable 'income'"):
        make_design("y ~ x + income", frame)


def test_missing_and_infinite_values(frame):
    with pytest.raises(MissingValueError, match="'x' has 1 missing"):
        make_design("y ~ x", frame.assign(x=frame["x"].where(frame.index != 3)))
    with pytest.raises(InputError, match="'x' has 1 infinite"):
        make_design("y ~ x", frame.assign(x=frame["x"].where(frame.index != 3, np.inf)))
    with pytest.raises(MissingValueError, match="'region' has 1 missing"):
        make_design("y ~ region", frame.assign(region=frame["region"].where(frame.index != 3)))


def test_constant_predictor(frame):
    with pytest.raises(InputError, match="'x' is constant"):
        make_design("y ~ x + k", frame.assign(x=2.0))
    with pytest.raises(InputError, match="'region' is constant"):
        make_design("y ~ region", frame.assign(region="north"))


def test_perfect_collinearity_names_the_columns(frame):
    twice = frame.assign(doubled=2 * frame["x"] + 1 - frame["k"])
    with pytest.raises(InputError, match="perfect collinearity") as error:
        make_design("y ~ x + log + k + doubled", twice)
    named = str(error.value).split(":", 1)[1]
    assert all(repr(name) in named for name in ("x", "k", "doubled"))
    assert "'log'" not in named


def test_more_columns_than_records_is_collinear(frame):
    with pytest.raises(InputError, match="perfect collinearity"):
        make_design("y ~ x + k + `two words` + owns + poly(log, 3)", frame.head(5))


def test_value_outside_a_domain(frame):
    with pytest.raises(InputError, match=r"log\(two words\).* is not finite"):
        make_design("y ~ log(`two words`)", frame)


def test_unseen_level(frame):
    design = make_design("y ~ region + C(k)", frame)
    with pytest.raises(InputError, match=r"'region' has levels not seen .*: 60 of 60 rows"):
        design.apply(frame.assign(region="east"))
    with pytest.raises(InputError, match=r"'k' has levels not seen .*the first at position 0"):
        design.apply(frame.assign(k=7))
    fewer = design.apply(frame[frame["region"] == "south"])
    assert fewer.shape[1] == design.matrix.shape[1]


def test_predictors_of_other_records(frame):
    design = make_design("y ~ x + grade", frame)
    with pytest.raises(InputError, match="'x' .* is absent"):
        design.apply(frame.drop(columns="x"))
    with pytest.raises(InputError, match="'x' is .*; the model was fitted to numbers"):
        design.apply(frame.assign(x=frame["x"].astype(str)))
    with pytest.raises(MissingValueError, match="'x' has 60 missing"):
        design.apply(frame.assign(x=np.nan))


def test_spline_outside_its_range_says_so(frame):
    design = make_design("y ~ bs(x, df=4)", frame)
    with pytest.raises(InputError, match="cannot be computed on data"):
        design.apply(frame.assign(x=frame["x"] + 10))


def test_dates_and_mixtures_are_refused(frame):
    dated = frame.assign(x=pd.date_range("2020", periods=60))
    with pytest.raises(InputError, match="'x' holds date values"):
        make_design("y ~ x", dated)
    with pytest.raises(InputError, match="'x' holds mixture values"):
        make_design("y ~ x", frame.assign(x=pd.Series([1, "a"] * 30, dtype=object)))


def test_a_predictor_far_from_zero_is_not_constant():
    x = np.random.default_rng(1).normal(size=100)
    for centre in (1e9, 1e10, -1e12):
        design = make_design("y ~ x", pd.DataFrame({"x": centre + x, "y": x}))
        assert design.matrix[:, 0].std() == pytest.approx(x.std(), rel=1e-3)
    for formula in ("y ~ I(x - x + 3.3)", "y ~ I(0.1 * k)"):
        with pytest.raises(InputError, match="is constant in confidential; leave it out"):
            make_design(formula, pd.DataFrame({"x": x, "k": x.round(0) * 0 + 1 / 3, "y": x}))
    far = pd.DataFrame({"x": 1e10 + x, "z": 2 * (1e10 + x) + 1, "y": x})
    with pytest.raises(InputError, match="perfect collinearity"):
        make_design("y ~ x + z", far)


@every("model", [
        NormalRegression, LogisticRegression, PoissonRegression, MultinomialRegression, NegativeBinomial, TwoPart,
        lambda formula: FiniteMixture(formula, classes=2), lambda formula: TwoPart("y ~ x", amount=formula),
    ])  # fmt: skip
@every("formula", [5, b"y ~ x", "y", "y ~ ", "~ x", "y + z ~ x", "log(y) ~ x", "y ~ x ~ z"])
def test_what_cannot_be_a_formula_is_refused_when_the_model_is_made(model, formula):
    with pytest.raises(InputError, match="(formula|amount)="):
        model(formula)


def test_a_response_of_truth_values_is_for_another_model(frame):
    for model in (NormalRegression("owns ~ x"), FiniteMixture("owns ~ x", classes=2), PoissonRegression("owns ~ x")):
        with pytest.raises(InputError, match="column 'owns' has bools.*LogisticRegression"):
            model.fit(frame, rng=1)


def test_numbers_in_objects_are_no_predictor():
    frame = pd.DataFrame({"y": np.arange(6.0), "x": pd.Series([1, 2, 3, 5, 8, 13], dtype=object)})
    with pytest.raises(InputError, match="confidential: column 'x' has dtype object and holds numbers"):
        make_design("y ~ x", frame)
    assert make_design("y ~ x", frame.astype(float)).matrix.shape == (6, 1)


@pytest.mark.parametrize("scale", [1e308, 1e200, 1e155, 1e-160, 1e-308, 1e-320])
@pytest.mark.parametrize("kind", ["complete", "missing", "product"])
def test_a_predictor_whose_variance_is_no_float_is_named(frame, scale, kind):
    x = (frame["x"] - 3) / 2 * scale
    extreme = frame.assign(x=x.where(frame["k"] > 0) if kind == "missing" else x)
    codes = {"x": ()} if kind == "missing" else None
    formula = "y ~ x:owns" if kind == "product" else "y ~ k + x"
    with pytest.raises(InputError, match=f"predictor '{formula.split()[-1]}': the variance"):
        make_design(formula, extreme, codes=codes)


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_extreme_predictors_give_the_same_standardized_columns(frame, scale):
    plain, extreme = (
        standardise(make_design("y ~ x", f).matrix, None) for f in (frame, frame.assign(x=frame["x"] * scale))
    )
    np.testing.assert_allclose(extreme.matrix, plain.matrix, atol=1e-12)


@pytest.mark.parametrize("weight", [1e-320, 1e-300, 1e306])
def test_equal_weights_of_any_size_standardize_alike(frame, weight):
    matrix = frame[["x"]].to_numpy() * 1e10
    plain, weighted = (standardise(matrix, w) for w in (None, np.full(len(frame), weight)))
    np.testing.assert_allclose(weighted.matrix, plain.matrix, atol=1e-12)
