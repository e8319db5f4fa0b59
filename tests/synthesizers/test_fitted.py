"""What a contributor implements, and what the room of the synthesizers keeps to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.synthesizers import Fitted, Synthesizer

SURVEY = pd.DataFrame({"job": list("aabbcc"), "wage": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, index=[3, 3, 5, 6, 7, 8])


class FittedMarginal(Fitted):
    """Values drawn with replacement, by the one method there has to be."""

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        donors = rng.integers(len(self.confidential), size=len(frame))
        return {c: self.confidential[c].iloc[donors].set_axis(frame.index) for c in self.synthesized}


@dataclass(frozen=True)
class Marginal:
    variable: str

    def fit(self, confidential: pd.DataFrame, *, weights: Any = None, rng: Any = None, **sampler: Any) -> Fitted:
        return FittedMarginal(self, confidential, None, (self.variable,), None)


@pytest.fixture
def fitted() -> Fitted:
    return Marginal("wage").fit(SURVEY)


def test_one_method_makes_a_synthesizer(fitted):
    assert isinstance(Marginal("wage"), Synthesizer)
    release = fitted.generate(m=3, rng=1)
    assert release.synthesized == ("wage",)
    assert release.rows == "aligned"
    assert set(release[0]["wage"]) <= set(SURVEY["wage"])
    pd.testing.assert_frame_equal(release[0], fitted.generate(m=2, rng=1)[0])
    assert str(fitted) == "Marginal(variable='wage') fitted to 6 records (no parameters)"
    assert fitted.diagnostics().ok
    assert fitted.summary().empty


def test_it_works_wherever_a_synthesizer_does(fitted):
    model = sl.Sequential([Marginal("wage"), sl.CART(["job"], ["wage"], min_leaf=1)])
    assert model.fit(SURVEY.reset_index(drop=True), rng=1).generate(m=2, rng=1).synthesized == ("wage", "job")
    pooled = fitted.pooled([fitted, fitted])
    assert len(pooled.draw(SURVEY, 2, np.random.default_rng(1))["wage"]) == 6
    survey = SURVEY.reset_index(drop=True)
    scenario = sl.ReleasedInformation(released="everything", models=Marginal("wage").fit(survey))
    release = fitted.generate(m=2, rng=1)
    risk = sl.intruder_risk(
        survey,
        [frame.reset_index(drop=True) for frame in release],
        sl.Intruder(known=["job"], synthesized=["wage"]),
        scenario=scenario,
        draws=5,
        rng=1,
    )
    assert risk.n == 6


REFUSED = {
    "log_likelihood": lambda f: f.log_likelihood(),
    "log_density": lambda f: f.log_density(SURVEY),
    "pseudo_log_likelihood": lambda f: f.pseudo_log_likelihood(),
    "keep_draws": lambda f: f.keep_draws([0]),
    "probability_of": lambda f: f.probability_of(SURVEY, SURVEY, 0),
    "predictive_probability": lambda f: f.predictive_probability(0, np.zeros(1), np.ones(1), np.arange(2)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_does_not_have_is_refused_by_name(name, fitted):
    with pytest.raises(InputError, match="Marginal"):
        REFUSED[name](fitted)


def test_closed_probabilities_are_there_where_they_are_implemented(fitted):
    class Closed(FittedMarginal):
        def probability_of(self, frame, values, draw):
            return np.ones((len(frame), len(values)))

    assert not fitted.has_probabilities
    assert Closed(Marginal("wage"), SURVEY, None, ("wage",), None).has_probabilities


SPECIFICATIONS = [
    lambda v: sl.CART(v),
    lambda v: sl.Resample(v),
    lambda v: sl.DirichletMultinomial(v),
    lambda v: sl.DPMPM(v),
]


@pytest.mark.parametrize("make", SPECIFICATIONS)
def test_a_specification_made_from_a_list_is_one_made_from_a_tuple(make):
    one = make(["job", "wage"])
    assert one.variables == ("job", "wage")
    assert one == make(("job", "wage"))
    assert hash(one) == hash(make(("job", "wage")))
