"""Membership: against exact answers of a conjugate model, and where the draws do not tell."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import gammaln

import synthlab as sl
from synthlab.exceptions import InputError, LowEffectiveSampleSizeWarning

PEOPLE = pd.DataFrame({"ill": ["yes"] * 6 + ["no"] * 30})


@pytest.fixture(scope="module")
def fitted():
    return sl.DirichletMultinomial(["ill"]).fit(PEOPLE, rng=1, draws=40_000)


def log_evidence(released: np.ndarray, counts: np.ndarray) -> float:
    """Return the log probability of a sequence of released answers, the parameters integrated out (prior 1, 1)."""
    after = counts + 1.0
    return float(
        gammaln(after.sum())
        - gammaln(after.sum() + released.sum())
        + (gammaln(after + released) - gammaln(after)).sum()
    )


def test_ratios_are_those_of_the_exact_posterior(fitted) -> None:
    release = fitted.generate(m=2, rng=3)
    found = sl.membership_risk(PEOPLE, release, fitted, targets=[0, 35])
    for place, (answer, count) in enumerate((("yes", 6), ("no", 30))):
        predictive = (count - 1 + 1) / (36 - 1 + 2)  # of the record, given the others
        theta = np.exp(fitted.log_density(pd.DataFrame({"ill": [answer]})))[:, 0]
        assert found.parameters[place] == pytest.approx(np.abs(np.log(theta / predictive)).max(), abs=0.05)
        assert found.gain[place] == pytest.approx(np.log(theta / predictive).mean(), abs=0.02)
        for dataset, frame in enumerate(release):
            released = np.array([(frame["ill"] == a).sum() for a in ("yes", "no")])
            without = np.array([6, 30]) - [answer == "yes", answer == "no"]
            exact = log_evidence(released, np.array([6, 30])) - log_evidence(released, without)
            assert found.release[place, dataset] == pytest.approx(exact, abs=0.03)
    assert found.epsilon == found.parameters.max()
    assert f"epsilon is at least {found.epsilon:.3g} for a draw of the parameters" in found.title
    assert "A low ratio does not reassure" in found.title
    assert found.summary().loc["release", "defined"] == 1


def test_the_parameters_tell_more_than_the_release(fitted) -> None:
    found = sl.membership_risk(PEOPLE, fitted.generate(m=3, rng=3), fitted)
    assert found.summary().loc["parameters", "max"] > found.summary().loc["release", "max"]
    assert (found.gain > -0.02).all()  # a divergence is not negative


def test_where_few_draws_speak_for_a_dataset_no_number_is_given() -> None:
    draw = np.random.default_rng(1)
    many = pd.DataFrame({"a": draw.integers(0, 40, 300).astype(str)})
    fitted = sl.DirichletMultinomial(["a"]).fit(many, rng=1, draws=500)
    with pytest.warns(LowEffectiveSampleSizeWarning, match="and for 1 of 1 datasets"):
        found = sl.membership_risk(many, fitted.generate(m=1, rng=1), fitted, targets=[0, 1, 2])
    assert np.isnan(found.release).all()
    assert found.effective_draws[0] < 100
    assert found.summary().loc["release", "defined"] == 0


def test_draws_with_a_heavy_tail_give_no_bound() -> None:
    people = pd.DataFrame({"x": [0.0, 0.1, -0.1, 0.2, 40.0] * 2})
    people.loc[9, "x"] = 0.3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = sl.NormalRegression("x ~ 1").fit(people, rng=1, draws=400, chains=2)
        found = sl.membership_risk(people, fitted.generate(m=1, rng=1), fitted)
    assert found.pareto_k[4] >= 0.7
    assert np.isnan(found.parameters[4])
    assert np.isnan(found.epsilon)
    assert "is unknown" in found.title


def test_a_fit_of_other_records_is_refused(fitted) -> None:
    with pytest.raises(InputError, match="is not the one fitted was fitted to"):
        sl.membership_risk(PEOPLE.iloc[::-1].reset_index(drop=True), PEOPLE, fitted)
    with pytest.raises(InputError, match="fitted: int has no"):
        sl.membership_risk(PEOPLE, PEOPLE, 7)


def test_the_advantage_is_the_distance_of_the_posteriors(fitted) -> None:
    people = PEOPLE.set_axis([f"person {i}" for i in range(36)])
    found = sl.membership_risk(people, fitted.generate(m=1, rng=3), fitted, targets=[35, 0])
    theta = (np.arange(200_000) + 0.5) / 200_000
    for place, without in enumerate(((6, 29), (5, 30))):
        densities = [stats.beta.pdf(theta, a + 1, b + 1) for a, b in ((6, 30), without)]
        assert found.advantage[place] == pytest.approx(np.abs(densities[0] - densities[1]).mean() / 2, abs=0.01)
    assert found.labels == ("person 35", "person 0")
    assert found.worst == "person 0"
    assert found.to_frame()["label"].tolist() == list(found.labels)
    curve = found.roc()
    assert (curve["true_positives"] - curve["false_positives"]).max() == pytest.approx(found.advantage[1], abs=0.01)
    assert curve.iloc[[0, -1], 1:].to_numpy().ravel() == pytest.approx([0, 0, 1, 1])
    weights = 1 / np.exp(fitted.log_density(people.iloc[[35, 0]]))
    np.testing.assert_allclose(found.ess, weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0), rtol=1e-9)


def test_smoothed_weights_say_the_same_where_they_are_not_needed(fitted) -> None:
    release = fitted.generate(m=1, rng=3)
    plain, smooth = (sl.membership_risk(PEOPLE, release, fitted, targets=[0, 35], smooth=s) for s in (False, True))
    np.testing.assert_allclose(smooth.parameters, plain.parameters, atol=1e-3)
    np.testing.assert_allclose(smooth.release, plain.release, atol=1e-2)
    assert (smooth.ess != plain.ess).all()


def test_of_a_clipped_fit_the_clipped_contributions_count() -> None:
    """Unclipped, the person far out would seem to break an epsilon that holds."""
    people = pd.DataFrame({"x": [*np.linspace(-1, 1, 40), 6.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = sl.NormalRegression("x ~ 1").fit_clipped(people, bound=1.0, rng=1, draws=400, tune=400, chains=2)
        found = sl.membership_risk(people, fitted.generate(m=1, rng=1), fitted)
    assert np.ptp(fitted.log_likelihood()[:, 40]) > 2
    assert found.epsilon <= 2.0


def test_without_draws_that_tell_there_is_no_worst_and_no_curve() -> None:
    people = pd.DataFrame({"x": [0.0, 0.1, -0.1, 0.2, 40.0, 0.3]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = sl.NormalRegression("x ~ 1").fit(people, rng=3, draws=400, chains=2)
        found = sl.membership_risk(people, fitted.generate(m=1, rng=1), fitted, targets=[4])
    assert found.worst is None
    assert found.roc().empty
    assert np.isnan(found.advantage).all()
    with pytest.raises(InputError, match="the draws do not determine the ratio of any record"):
        found.plot()
