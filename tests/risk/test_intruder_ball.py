"""The intruder's distances: what they are of, at what scale, and what they refuse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.risk import Interval, ReleasedInformation, intruder_risk


def test_a_radius_is_for_what_is_not_known_in_part():
    true = pd.DataFrame({"income": [10.0, 20.0], "age": [30.0, 40.0]})
    release = true.assign(income=[10.5, 21.5], age=[99.0, 99.0])
    knowledge = {"age": Interval(0.0, 100.0)}
    risk = intruder_risk(
        true,
        release,
        Intruder(
            known=[],
            synthesized=["income", "age"],
            radius={"income": 1.0},
            radius_kind="absolute",
            knowledge=knowledge,
        ),
    )
    # Record 1 is within 1 of the income of target 1; nobody is within 1 of that of target 2.
    assert [risk.probabilities(i).tolist() for i in (0, 1)] == [[1, 0, 0], [0.5, 0.5, 0]]
    bare = intruder_risk(
        true,
        release,
        Intruder(known=[], synthesized=["income", "age"], radius=1.0, radius_kind="absolute", knowledge=knowledge),
    )
    assert bare.probabilities(0).tolist() == [1, 0, 0]


def test_no_distance_is_left_where_everything_measured_is_known_in_part():
    true = pd.DataFrame({"age": [30.5, 40.5]})
    knowledge = {"age": Interval(25.0, 45.0)}
    someone = Intruder(known=[], synthesized=["age"], radius=1.0, radius_kind="absolute", knowledge=knowledge)
    risk = intruder_risk(true, true.assign(age=[44.0, 99.0]), someone)
    assert risk.probabilities(0).tolist() == [1, 0, 0]


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_a_mahalanobis_distance_does_not_depend_on_the_unit(unit):
    true = pd.DataFrame({"x": [0.0, 4.0, 1.0, 3.0], "y": [0.0, 1.0, 3.0, 2.0]}) * unit
    radius = {"x": 0.5, "y": 0.5}
    someone = Intruder(known=[], synthesized=["x", "y"], radius=radius, radius_kind="absolute", norm="mahalanobis")
    assert intruder_risk(true, true, someone).unique_true.tolist() == [True] * 4
    bend = np.array([0.0, 0.0, 1e-7, 0.0]) * unit
    for line in (true.assign(y=true["x"] / 4), true.assign(y=true["x"] / 4 + bend)):
        with pytest.raises(InputError, match="covariance of 'x', 'y' in the synthetic data is singular"):
            intruder_risk(line, line, someone)


@pytest.mark.parametrize(
    "change",
    [
        {"radius": {"x": 1.0, "y": 2.0}, "radius_kind": "absolute"},
        {"radius": {"x": 1.0, "y": 1.0}, "radius_kind": "relative"},
    ],
)
def test_a_mahalanobis_distance_has_one_radius_without_unit(change):
    true = pd.DataFrame({"x": [0.0, 4.0, 1.0], "y": [0.0, 1.0, 3.0]})
    with pytest.raises(InputError, match='norm="mahalanobis": requires one number'):
        intruder_risk(true, true, Intruder(known=[], synthesized=["x", "y"], norm="mahalanobis", **change))


@dataclass
class Closed:
    """A released model with closed probabilities of its variables."""

    synthesized: tuple[str, ...] = ("x",)
    n_draws: int = 1
    has_probabilities: bool = True
    records_independent: bool = True

    def pooled(self, others=(), *, draws=None, rng=None):
        return self

    def draw(self, frame, draw, rng):
        raise NotImplementedError

    def probability_of(self, frame, values, draw):
        return np.full((len(frame), len(values)), 0.5)


@pytest.mark.parametrize(("options", "knowledge"), [({"radius": {"x": 1.0}}, None), ({}, {"x": Interval(0.0, 9.0)})])
def test_the_exact_limit_is_for_values_and_not_for_distances(options, knowledge):
    true = pd.DataFrame({"x": [1.5, 2.5]})
    scenario = ReleasedInformation(released="everything", models=Closed())
    someone = Intruder(known=[], synthesized=["x"], knowledge=knowledge, radius_kind="absolute", **options)
    with pytest.raises(InputError, match='draws="exact": every synthesized variable must be compared by value'):
        intruder_risk(true, true, someone, scenario=scenario, draws="exact")


@pytest.mark.parametrize("threshold", [-0.1, 1.0, 1.2, np.nan])
def test_a_threshold_is_from_0_to_below_1(threshold):
    true = pd.DataFrame({"x": ["a", "b"]})
    with pytest.raises(InputError, match="threshold"):
        intruder_risk(true, true, Intruder(known=[], synthesized=["x"])).perceived_match_risk(threshold)


def test_a_known_variable_has_no_radius():
    true = pd.DataFrame({"age": [30.5, 40.5], "x": ["a", "b"]})
    with pytest.raises(InputError, match="radius: 'age' is a known variable"):
        intruder_risk(
            true, true, Intruder(known=["age"], synthesized=["x"], radius={"age": 1.0}, radius_kind="absolute")
        )
