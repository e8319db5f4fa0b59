"""Tables and sentences of results, number by number."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import synthlab as sl
from synthlab._result import Result
from synthlab.exceptions import InputError, RowAlignmentError
from synthlab.risk import OneOf, attribute_risk
from synthlab.utility._coefficients import coefficients
from tests.hostile.surface import public_callables
from tests.risk.test_attribute import KnownVariance


def test_the_rank_of_a_record_is_its_mean_over_the_datasets():
    fitted = KnownVariance(pd.DataFrame({"y": [1.0, 2.0, 3.0]}), 1.0, 50.0)
    released = [fitted.confidential.assign(y=[1.9, 2.0, 2.1]), fitted.confidential.assign(y=[1.0, 2.0, 2.5])]
    risk = attribute_risk(fitted.confidential, released, fitted=fitted, radius={"y": 0.4}, grid=3, datasets="apart")
    assert risk.rank.shape == (3, 2)
    assert len({tuple(ranks) for ranks in risk.rank.T.tolist()}) == 2
    assert risk.records_to_frame()["rank"].tolist() == [sum(ranks) / 2 for ranks in risk.rank.tolist()]


def test_the_summary_of_ir_has_the_median():
    people = pd.DataFrame({"region": ["N"] * 5, "income": [10.0, 10.4, 30.0, 70.0, 71.0]})
    ir = sl.identification_probability(
        people, people, sl.Intruder(known=["region"], synthesized=["income"], radius=0.1)
    )
    # Two of five lie near three of them, one near itself: the share outside is 3/5 four times, 4/5 once.
    assert ir.confidential.tolist() == pytest.approx([0.6, 0.6, 0.8, 0.6, 0.6])
    row = ir.summary().loc["confidential"]
    assert (row["median"], row["max"], row["75 %"]) == pytest.approx((0.6, 0.8, 0.6))
    skewed = people.assign(income=[10.0, 10.4, 10.2, 70.0, 200.0])
    other = sl.identification_probability(
        skewed, skewed, sl.Intruder(known=["region"], synthesized=["income"], radius=0.1)
    )
    quartiles = other.summary().loc["confidential", ["25 %", "median", "75 %"]].tolist()
    assert quartiles == pytest.approx([0.4, 0.4, 0.8])


def test_every_result_has_a_table():
    # `summary` and `to_frame` of the base class call each other.
    kinds = [kind for kind in public_callables().values() if isinstance(kind, type) and issubclass(kind, Result)]
    assert len(kinds) > 20
    without = [kind for kind in kinds if not (kind._per_dataset or kind._per_record)]
    assert [kind for kind in without if (kind.summary, kind.to_frame) == (Result.summary, Result.to_frame)] == []


def test_the_truth_is_a_list_of_single_values():
    with pytest.raises(InputError, match="each a number, text or a date"):
        OneOf({"a": {"a"}}).of([["a"]])


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_a_level_lies_between_0_and_1(level):
    frame = pd.DataFrame({"x": np.arange(6.0), "y": [1.0, 3, 2, 5, 4, 7]})
    with pytest.raises(InputError, match=r"level=.*\(0, 1\)"):
        sl.analysis_utility(frame, [frame], formula="y ~ x", level=level)


def test_coefficients_of_arrays_have_the_names_of_the_model():
    x = sm.add_constant(np.arange(6.0))
    table = coefficients(sm.OLS(np.array([1.0, 3, 2, 5, 4, 7]), x).fit(), 0.95, 0)
    assert table.index.tolist() == ["const", "x1"]


def test_an_intruder_is_told_that_rows_are_in_another_order():
    people = pd.DataFrame({"sex": list("ffmm"), "job": list("abab")}, index=[3, 1, 2, 0])
    with pytest.raises(RowAlignmentError, match="same labels in another order"):
        sl.intruder_risk(people, people.sort_index(), sl.Intruder(known=["sex"], synthesized=["job"]))


@pytest.mark.parametrize(
    ("released", "said"), [("models", "The form of the models is"), ("everything", "The models and")]
)
def test_a_scenario_says_what_is_released(released, said):
    scenario = sl.ReleasedInformation(released=released, models={"job": sl.DirichletMultinomial(["job"])})
    assert scenario.describe().startswith(said)
