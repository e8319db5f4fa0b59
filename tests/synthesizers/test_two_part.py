import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers import TwoPart


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
