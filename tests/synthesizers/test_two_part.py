import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers import TwoPart
from tests.loops import every


@pytest.fixture(scope="module")
def survey():
    return sl.datasets.load("affairs").frame


@pytest.fixture(scope="module")
def fitted(survey):
    return TwoPart("affairs ~ rate_marriage + age", bounds=(None, 60.0)).fit(survey, rng=1)


def test_zeros_and_amounts_of_a_real_variable(fitted, survey):
    release = fitted.generate(m=10, rng=2)
    zero = np.mean([(frame["affairs"] == 0).mean() for frame in release])
    np.testing.assert_allclose(zero, (survey["affairs"] == 0).mean(), atol=0.015)
    positive = np.concatenate([f["affairs"][f["affairs"] != 0] for f in release])
    assert positive.min() > 0
    assert positive.max() <= 60
    expected = np.log(survey["affairs"][survey["affairs"] > 0])
    np.testing.assert_allclose(np.log(positive).mean(), expected.mean(), atol=0.05)
    np.testing.assert_allclose(np.log(positive).std(), expected.std(), rtol=0.05)
    assert release[0]["affairs"].dtype == survey["affairs"].dtype
    assert list(release[0].columns) == list(survey.columns)


def test_zeros_follow_the_predictors(fitted, survey):
    shares = np.mean(
        [(f["affairs"] > 0).groupby(survey["rate_marriage"]).mean() for f in fitted.generate(20, rng=3)], axis=0
    )
    expected = (survey["affairs"] > 0).groupby(survey["rate_marriage"]).mean()
    np.testing.assert_allclose(shares[2:], expected[2:], atol=0.05)


def test_log_likelihood_joins_the_parts(fitted, survey):
    result = fitted.log_likelihood()
    positive = survey["affairs"].to_numpy() > 0
    whether, amount = fitted.any_part.log_likelihood(), fitted.amount_part.log_likelihood()
    np.testing.assert_allclose(result[5, ~positive], whether[5, ~positive])
    np.testing.assert_allclose(result[5, positive], whether[5, positive] + amount[5])


def test_weights_reach_both_parts(survey):
    small = survey.iloc[::10].reset_index(drop=True)
    weights = np.arange(len(small)) % 3.0
    stacked = pd.concat([small[weights >= 1], small[weights == 2]], ignore_index=True)
    model = TwoPart("affairs ~ rate_marriage + age")
    one, two = model.fit(small, weights=weights, rng=5), model.fit(stacked, rng=5)
    np.testing.assert_allclose(one.summary()["mean"], two.summary()["mean"], rtol=2e-3, atol=2e-3)


def test_other_predictors_of_the_amount(survey):
    fitted = TwoPart("affairs ~ age", amount="affairs ~ rate_marriage").fit(survey, rng=1)
    assert fitted.any_part.design.names == ("age",)
    assert fitted.amount_part.design.names == ("rate_marriage",)
    assert "amount slopes[rate_marriage]" in fitted.summary().index


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(affairs=-f["affairs"]), "has 2053 negative, 4313 zero and 0 positive"),
        (lambda f: f[f["affairs"] > 0], "0 zero"),
        (lambda f: f[f["affairs"] == 0], "0 positive"),
    ],
)
def test_needs_zeros_and_positive_values(survey, change, message):
    with pytest.raises(InputError, match=message):
        TwoPart("affairs ~ age").fit(change(survey))


def test_bad_input(survey):
    with pytest.raises(InputError, match="unknown variable 'wage'"):
        TwoPart("wage ~ age").fit(survey)
    with pytest.raises(InputError, match="its response must be 'affairs'"):
        TwoPart("affairs ~ age", amount="age ~ rate_marriage").fit(survey)
    with pytest.raises(MissingValueError, match="'affairs' has"):
        TwoPart("affairs ~ age").fit(
            survey.assign(affairs=survey["affairs"].where(survey["affairs"] < 1)), missing="raise"
        )
    with pytest.raises(InputError, match="all records with 'affairs' > 0 have weight 0"):
        TwoPart("affairs ~ age").fit(survey, weights=(survey["affairs"] == 0).astype(float))
    with pytest.raises(InputError, match="transform='cube'"):
        TwoPart("affairs ~ age", transform="cube")


N = 160
FEW = {"draws": 40, "tune": 60, "chains": 1, "rng": 1}
EVERY_EIGHTH = np.arange(N) % 8 == 0
PATTERNS = {
    "response": (EVERY_EIGHTH, None),
    "predictor": (None, EVERY_EIGHTH),
    "both, together": (EVERY_EIGHTH, EVERY_EIGHTH),
    "both, apart": (EVERY_EIGHTH, np.arange(N) % 8 == 3),
    "predictor but one": (None, np.arange(N) != 5),
}
CODES = {"no code": (), "a code": (999,), "two codes": (999, 998)}


def amounts(codes: tuple[int, ...], lost: np.ndarray | None) -> pd.Series:
    rng = np.random.default_rng(3)
    values = pd.Series(np.where(rng.random(N) < 0.4, 0.0, np.exp(rng.normal(2, 0.5, N)).round()))
    for place, code in enumerate(codes):
        values[np.arange(N) % 7 == place] = code
    return values if lost is None else values.mask(pd.Series(lost))


def predictor(kind: str, lost: np.ndarray | None) -> pd.Series:
    numbers = np.random.default_rng(4).normal(2, 1, N)
    letters = pd.Series(np.array(list("abc"))[np.digitize(numbers, [1.5, 2.5])])
    made = {
        "number": pd.Series(numbers),
        "Int64": pd.Series((3 * numbers).round(), dtype="Int64"),
        "text": letters.astype(object),
        "ordered": letters.astype(pd.CategoricalDtype(list("abcd"), ordered=True)),
        "boolean": pd.Series(numbers > 2, dtype="boolean"),
    }[kind]
    return made if lost is None else made.mask(pd.Series(lost))


KINDS = ["number", "Int64", "text", "ordered", "boolean"]
ALL = [(kind, pattern, codes) for kind in KINDS for pattern in PATTERNS for codes in CODES]
# Every kind, every pattern and every number of codes, but not all of them together.
SOME = [(kind, pattern, [*CODES][i % 3]) for i, (kind, pattern) in enumerate(zip(KINDS, PATTERNS, strict=True))]


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cases", [SOME, pytest.param(ALL, marks=pytest.mark.full)], ids=["some", "all"])
def test_kinds_of_missing_cells_keep_their_shares_in_every_pattern(cases):
    @every(("kind", "pattern", "codes"), cases)
    def compare(kind, pattern, codes):
        of_response, of_predictor = PATTERNS[pattern]
        frame = pd.DataFrame({"y": amounts(CODES[codes], of_response), "x": predictor(kind, of_predictor)})
        fitted = TwoPart("y ~ x").fit(frame, missing_codes={"y": CODES[codes]} if CODES[codes] else None, **FEW)
        release = fitted.generate(m=4, rng=2)
        told = {
            "missing": lambda y: y.isna(),
            "zero": lambda y: y == 0,
            **{c: (lambda y, c=c: y == c) for c in CODES[codes]},
        }
        for name, marked in told.items():
            wanted = marked(frame["y"]).mean()
            found = np.mean([marked(made["y"]).mean() for made in release])
            assert abs(found - wanted) < 5 * np.sqrt(wanted * (1 - wanted) / N * 1.25) + 1e-9, name
        for made in release:
            there = made["y"].dropna()
            assert (there >= 0).all()
            pd.testing.assert_series_equal(made["x"], frame["x"])
        log_likelihood = fitted.log_likelihood()
        assert np.isfinite(log_likelihood).all()
        np.testing.assert_allclose(fitted.log_density(frame), log_likelihood, rtol=1e-9)

    compare()


@pytest.mark.parametrize(
    ("response", "predictor_", "error", "message"),
    [
        (np.ones(N, dtype=bool), None, MissingValueError, "'y' has 160 missing values and no others"),
        (None, np.ones(N, dtype=bool), MissingValueError, "'x' has 160 missing values and no others"),
        (
            np.arange(N) != 5,
            None,
            InputError,
            "records in which 'y' is not missing: .* needs zeros and positive values",
        ),
        ("zeros", None, InputError, "records in which 'y' is not missing: .* 0 zero and .* positive"),
        ("amounts", None, InputError, "records in which 'y' is not missing: .* zero and 0 positive"),
    ],
)
def test_what_is_missing_throughout_a_part_is_named(response, predictor_, error, message):
    y = amounts((), None)
    lost = {"zeros": y == 0, "amounts": y > 0}[response] if isinstance(response, str) else response
    frame = pd.DataFrame({"y": amounts((), lost), "x": predictor("number", predictor_)})
    with pytest.raises(error, match=message):
        TwoPart("y ~ x").fit(frame, **FEW)
