"""The normal distribution round group means, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.synthesizers import plug_in_normal

PEOPLE = pd.DataFrame({"job": list("aabb"), "wage": [10.0, 16.0, 30.0, 30.0]})


def test_means_and_standard_deviation_by_hand():
    fitted = plug_in_normal(PEOPLE, "wage", given="job", weights=[1.0, 0.5, 1.0, 0.0])
    # 10 and 8 over 1.5; squares 4, 16 and 0 with weights 1, 0.5 and 1 over 2.5
    np.testing.assert_allclose(fitted.mean, [12, 12, 30, 30])
    assert fitted.sd == pytest.approx(np.sqrt(12 / 2.5))
    assert not fitted.mean.flags.writeable


def test_the_probability_is_that_of_an_interval():
    fitted = plug_in_normal(PEOPLE, "wage", given="job")
    assert fitted.sd == pytest.approx(np.sqrt(18 / 4))
    found = fitted.predictive_probability(0, np.array([10.0, -np.inf]), np.array([16.0, 30.0]), np.array([0, 3]))
    ends = norm.cdf(3 / fitted.sd) - norm.cdf(-3 / fitted.sd)
    np.testing.assert_allclose(found, [[ends, 1.0], [0.0, 0.5]], atol=1e-9)


def test_the_expected_identification_probability_by_hand():
    fitted = plug_in_normal(PEOPLE, "wage", given="job")
    risk = sl.expected_identification_probability(
        PEOPLE, fitted, sl.Intruder(known=[], synthesized=["wage"], radius=0.2)
    )
    first = norm.cdf(12, 13, fitted.sd) - norm.cdf(8, 13, fitted.sd)
    other = norm.cdf(12, [13, 30, 30], fitted.sd) - norm.cdf(8, [13, 30, 30], fitted.sd)
    assert risk[0] == pytest.approx(first * (1 - other).sum() / 4)
    inside = norm.cdf(19.2, [13, 30, 30], fitted.sd) - norm.cdf(12.8, [13, 30, 30], fitted.sd)
    assert risk[1] == pytest.approx(inside[0] * (1 - inside).sum() / 4)


def test_a_missing_group_is_a_group():
    people = PEOPLE.assign(job=["a", "a", None, None])
    np.testing.assert_allclose(plug_in_normal(people, "wage", given="job").mean, [13, 13, 30, 30])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": [1, 1, 0, 0]}, "the 'job' of row 2 have weight 0"),
        ({"weights": [1, 0, 1, 1]}, "all records of weight > 0 equal"),
        ({"weights": [1, 1]}, "weights"),
        ({"given": "town"}, "town"),
        ({"variable": "job", "given": "wage"}, "must hold finite numbers"),
    ],
)
def test_what_is_refused(changes, message):
    arguments = {"variable": "wage", "given": "job"} | changes
    with pytest.raises(InputError, match=message):
        plug_in_normal(PEOPLE, **arguments)


def test_a_variance_that_overflows_is_an_error():
    with pytest.raises(InputError, match="variable='wage': its variance overflows"):
        plug_in_normal(PEOPLE.assign(wage=PEOPLE["wage"] * 1e200), "wage", given="job")


def test_a_mean_is_not_shown_as_it_may_be_a_value():
    assert "30" not in repr(plug_in_normal(PEOPLE, "wage", given="job"))
