"""attribute_risk: against models whose leave-one-out posterior is known in closed form, and at the edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import gammaln, logsumexp

import synthlab as sl
from synthlab.exceptions import InputError, LowEffectiveSampleSizeWarning, NoBetterThanBaselineWarning
from synthlab.risk import attribute_risk, guess_posterior

calm = pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")


@dataclass
class KnownVariance:
    """y ~ N(mu, sigma), sigma known, mu ~ N(0, tau): any object with these names is a fit."""

    confidential: pd.DataFrame
    sigma: float
    tau: float
    n_draws: int = 40_000
    synthesized: tuple[str, ...] = ("y",)

    def posterior(self, y):
        precision = len(y) / self.sigma**2 + 1 / self.tau**2
        return y.sum() / self.sigma**2 / precision, 1 / precision

    def log_density(self, frame, *, as_drawn=False):
        mean, variance = self.posterior(self.confidential["y"].to_numpy())
        mu = np.random.default_rng(7).normal(mean, np.sqrt(variance), self.n_draws)
        return stats.norm.logpdf(frame["y"].to_numpy()[None, :], mu[:, None], self.sigma)

    def exact(self, i, guesses, datasets):
        """log p(Z | g, y_-i): the mean of a dataset is normal around mu, and mu given g and the others is normal."""
        values = np.zeros(len(guesses))
        for k, g in enumerate(guesses):
            y = self.confidential["y"].to_numpy().copy()
            y[i] = g
            mean, variance = self.posterior(y)
            for z in datasets:
                values[k] += stats.norm.logpdf(z["y"].mean(), mean, np.sqrt(variance + self.sigma**2 / len(z)))
        return values


@calm
@pytest.mark.parametrize("datasets", ["together", "apart"])
def test_normal_with_known_variance(datasets):
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"y": [*rng.normal(10, 2, 11), 25.0]})
    fitted = KnownVariance(people, 2.0, 50.0)
    release = [people.assign(y=rng.normal(people["y"].mean() + shift, 2, 12)) for shift in (0.6, -0.3)]
    risk = attribute_risk(people, release, fitted=fitted, radius={"y": 0.5}, grid=5, targets=[0, 11], datasets=datasets)
    for place, i in enumerate((0, 11)):
        guesses = risk.guesses[place]["y"].to_numpy()
        np.testing.assert_allclose(guesses, people["y"][i] * np.array([0.5, 0.75, 1, 1.25, 1.5]))
        parts = [release] if datasets == "together" else [[z] for z in release]
        logs = [fitted.exact(i, guesses, part) for part in parts]
        exact = np.mean([np.exp(one - logsumexp(one)) for one in logs], axis=0)
        np.testing.assert_allclose(risk.guesses[place]["posterior"], exact, atol=0.01)
    assert risk.baseline == pytest.approx(1 / 5)


@calm
def test_predictive_prior_of_the_normal_model():
    people = pd.DataFrame({"y": [1.0, 2.0, 3.0, 6.0]})
    fitted = KnownVariance(people, 1.5, 50.0)
    risk = attribute_risk(people, people, fitted=fitted, radius=0.5, grid=3, targets=[3], prior="predictive")
    mean, variance = fitted.posterior(np.array([1.0, 2.0, 3.0]))
    density = stats.norm.pdf([3.0, 6.0, 9.0], mean, np.sqrt(variance + 1.5**2))
    np.testing.assert_allclose(risk.guesses[0]["prior"], density / density.sum(), atol=0.01)


def dirichlet_multinomial(counts, alpha):
    """Log probability of a sequence with these counts, up to what does not depend on alpha."""
    return gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum()) + (gammaln(alpha + counts) - gammaln(alpha)).sum()


PEOPLE = pd.DataFrame({"a": list("xxxxyyyyyy"), "b": list("pppqpqqqqq")})


@calm
@pytest.mark.parametrize("weights", [None, [0.5, 1, 1, 1, 0.2, 1, 1, 1, 1, 1]])
def test_dirichlet_multinomial(weights):
    fitted = sl.DirichletMultinomial(["b"], pseudocount=0.5).fit(PEOPLE, rng=1, weights=weights, draws=20_000)
    release = fitted.generate(m=2, rng=3)
    risk = attribute_risk(PEOPLE, release, fitted=fitted, targets=[0, 4])
    w = np.ones(10) if weights is None else np.array(weights)
    q = (PEOPLE["b"] == "q").to_numpy()
    for place, i in enumerate((0, 4)):
        logs = []
        for guess in (False, True):
            now = q.copy()
            now[i] = guess
            alpha = 0.5 + np.array([w[~now].sum(), w[now].sum()])
            counts = [z["b"].value_counts().reindex(["p", "q"], fill_value=0).to_numpy() for z in release]
            logs.append(sum(dirichlet_multinomial(c, alpha) for c in counts))
        np.testing.assert_allclose(risk.guesses[place]["posterior"], np.exp(logs - logsumexp(logs)), atol=0.01)
    assert risk.ess.shape == (2, 2)
    assert risk.scores.attack.shape == (2, 1)


@calm
def test_several_variables_jointly():
    models = [
        sl.DirichletMultinomial(["a"], pseudocount=0.5),
        sl.DirichletMultinomial(["b"], given=["a"], pseudocount=0.5),
    ]
    fitted = sl.Sequential(models).fit(PEOPLE, rng=1, draws=20_000)
    released = pd.DataFrame({"a": list("xxxxxxyyyy"), "b": list("pppppqqqqq")})
    risk = attribute_risk(PEOPLE, released, fitted=fitted, targets=[3], prior="predictive")
    guesses = risk.guesses[0]
    assert list(zip(guesses["a"], guesses["b"], strict=True)) == [("x", "p"), ("x", "q"), ("y", "p"), ("y", "q")]
    others, logs, prior = PEOPLE.drop(index=3), [], []
    table = pd.crosstab(others["a"], others["b"]).to_numpy()
    z = pd.crosstab(released["a"], released["b"]).to_numpy()
    for a in (0, 1):
        for b in (0, 1):
            now = table.copy()
            now[a, b] += 1
            value = dirichlet_multinomial(z.sum(axis=1), 0.5 + now.sum(axis=1))
            logs.append(value + sum(dirichlet_multinomial(z[k], 0.5 + now[k]) for k in (0, 1)))
            prior.append((table.sum(axis=1)[a] + 0.5) / 10 * (table[a, b] + 0.5) / (table.sum(axis=1)[a] + 1))
    np.testing.assert_allclose(guesses["prior"], prior, atol=0.01)
    posterior = np.exp(np.log(prior) + logs)
    np.testing.assert_allclose(guesses["posterior"], posterior / posterior.sum(), atol=0.01)
    assert guesses["true"].tolist() == [False, True, False, False]


def test_by_hand():
    # Two draws of Pr(yes): 0.2 and 0.8. The record says no, one released record says yes.
    yes = np.array([0.2, 0.8])
    posterior, prior, ess = guess_posterior(
        np.log(1 - yes), np.log(np.column_stack([1 - yes, yes])), np.log(yes)[:, None], np.zeros(2)
    )
    likelihood = np.array([(0.2 + 0.8) / 2, (0.2 * 0.25 + 0.8 * 4) / 4.25])
    np.testing.assert_allclose(posterior[:, 0], likelihood / likelihood.sum())
    assert prior.tolist() == [0.5, 0.5]
    # q for yes is 0.05 and 3.2.
    assert ess[0] == pytest.approx(3.25**2 / (0.05**2 + 3.2**2))


def test_an_excluded_guess_stays_excluded():
    draws = np.log(np.array([[0.3, 0.7], [0.6, 0.4]]))
    posterior, prior, _ = guess_posterior(draws[:, 0], draws, np.zeros((2, 1)), np.array([0.0, -np.inf]))
    assert posterior[:, 0].tolist() == prior.tolist() == [1.0, 0.0]
    with pytest.raises(InputError, match="must be 2 log probabilities"):
        guess_posterior(draws[:, 0], draws, np.zeros((2, 1)), np.zeros(3))
    with pytest.raises(InputError, match="prior: .* none plus infinity"):
        guess_posterior(draws[:, 0], draws, np.zeros((2, 1)), np.array([0.0, np.inf]))
    with pytest.raises(InputError, match=r"must be \(S,\), \(S, G\), \(S, m\)"):
        guess_posterior(draws[:, 0], draws, np.zeros((3, 1)))
    with pytest.raises(InputError, match="is NaN"):
        guess_posterior(draws[:, 0], draws, np.full((2, 1), np.nan))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"guesses": 1.0}, r"shapes \(2,\), \(\), \(2, 1\) must be"),
        ({"release": 1.0}, r"must be \(S,\), \(S, G\), \(S, m\)"),
        ({"release": np.empty((2, 0))}, "with no dimension 0"),
        ({"own": "no"}, "own='no': must be log densities, which are numbers"),
        ({"guesses": [["a"], ["b"]]}, "guesses: must be log densities"),
        ({"prior": "flat"}, "prior='flat': must be 1 log probabilities"),
    ],
)
def test_what_is_no_log_density(change, message):
    arguments = {"own": np.zeros(2), "guesses": np.zeros((2, 1)), "release": np.zeros((2, 1)), **change}
    with pytest.raises(InputError, match=message):
        guess_posterior(**arguments)


def test_tables_and_rank():
    fitted = KnownVariance(pd.DataFrame({"y": [1.0, 2.0, 3.0, 30.0]}), 1.0, 50.0)
    released = fitted.confidential.assign(y=[8.9, 9.0, 9.1, 9.0])
    risk = attribute_risk(fitted.confidential, released, fitted=fitted, radius={"y": 0.4}, grid=3, targets=[3])
    table = risk.records_to_frame()
    # The mean of the release is that of the data with the true 30; with 18 it would be 6, with 42 it would be 12.
    assert table.loc[3, "rank"] == 1
    assert table.loc[3, "guesses"] == 3
    assert table.loc[3, "before"] == pytest.approx(1 / 3)
    assert risk.attack == pytest.approx(table.loc[3, "after"])
    assert risk.attack > 0.6
    assert risk.summary().loc["truth ranks first", "mean"] == 1
    assert "to an intruder who knows every other record" in str(risk)


def test_warnings():
    people = pd.DataFrame({"y": [1.0, 2.0, 3.0]})
    few = KnownVariance(people, 1.0, 50.0, n_draws=20)
    with pytest.warns(
        LowEffectiveSampleSizeWarning, match="1 of 1 targets have fewer than 50 effective draws out of 20"
    ):
        attribute_risk(people, people, fitted=few, radius=0.5, targets=[2], grid=3)
    far = people.assign(y=[-5.0, -5.0, -5.0])
    with pytest.warns(NoBetterThanBaselineWarning, match="the posterior of the true values is right"):
        attribute_risk(people, far, fitted=KnownVariance(people, 4.0, 50.0), radius=0.5, targets=[2], grid=3)


@calm
def test_whole_numbers_are_guessed_whole():
    people = pd.DataFrame({"y": [3, 10, 5, 8]})
    fitted = KnownVariance(people, 3.0, 50.0)
    risk = attribute_risk(people, people, fitted=fitted, radius={"y": 2}, radius_kind="absolute", targets=[0], grid=11)
    assert risk.guesses[0]["y"].tolist() == [1, 2, 3, 4, 5]


@calm
def test_a_grid_that_rounds_to_one_whole_number_is_a_point():
    people = pd.DataFrame({"y": [3, 10, 0, 8]})
    fitted = KnownVariance(people, 3.0, 50.0)
    # 3 +- 0.3 and 0 +- 0 hold one whole number each, 10 +- 1 and 8 +- 0.8 three.
    match = r"radius\['y'\]=0.1: the grid of whole numbers is a point for 2 targets, the first in row 0"
    with pytest.raises(InputError, match=match):
        attribute_risk(people, people, fitted=fitted, radius={"y": 0.1})
    with pytest.raises(InputError, match="for 4 targets"):
        attribute_risk(people, people, fitted=fitted, radius={"y": 0.4}, radius_kind="absolute")
    risk = attribute_risk(people, people, fitted=fitted, radius={"y": 0.1}, targets=[1, 3])
    assert [g["y"].tolist() for g in risk.guesses] == [[9, 10, 11], [7, 8, 9]]
    # The same values as measurements have a grid; round 0 they have none.
    same = people.astype(float)
    near = attribute_risk(same, same, fitted=KnownVariance(same, 3.0, 50.0), radius={"y": 0.1}, targets=[0], grid=3)
    np.testing.assert_allclose(near.guesses[0]["y"], [2.7, 3.0, 3.3])
    with pytest.raises(InputError, match=r"radius\['y'\]=0.1: the grid is a point for 1 targets, the first in row 2"):
        attribute_risk(same, same, fitted=KnownVariance(same, 3.0, 50.0), radius={"y": 0.1})


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"grid": 4}, "grid=4: must be odd"),
        ({"radius": None}, "no radius"),
        ({"radius": 0.0}, "the grid is a point for 3 targets, the first in row 0"),
        ({"prior": "flat"}, "prior='flat'"),
        ({"datasets": "both"}, "datasets='both'"),
        ({"fitted": object()}, "object has no log_density"),
    ],
)
def test_errors(change, match):
    people = pd.DataFrame({"y": [1.25, 2.0, 3.0]})
    many = pd.DataFrame({"y": np.linspace(1.1, 9.7, 40)})
    frame = many if change.get("radius", 1) is None else people
    arguments = {"fitted": KnownVariance(frame, 1.0, 50.0), "radius": 0.5, **change}
    with pytest.raises(InputError, match=match):
        attribute_risk(frame, frame, **arguments)


def test_other_data_than_those_of_the_fit():
    people = pd.DataFrame({"y": [1.25, 2.0, 3.0]})
    with pytest.raises(InputError, match="its column 'y' is not the one"):
        attribute_risk(people.assign(y=1.0), people, fitted=KnownVariance(people, 1.0, 50.0), radius=0.5)
    with pytest.raises(InputError, match="Resample has no likelihood"):
        attribute_risk(people, people, fitted=sl.Resample(["y"]).fit(people, rng=1), radius=0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"own": np.full(5, np.inf)}, "own: 5 of 5 log densities are infinite or NaN"),
        ({"own": np.array([0.0, -np.inf, 0, 0, 0])}, "own: 1 of 5 log densities are infinite"),
        ({"own": np.ma.masked_array(np.zeros(5), mask=True)}, "own: 5 values are masked"),
        ({"guesses": np.full((5, 2), -np.inf)}, "guesses: every guess has density 0"),
        ({"guesses": np.full((5, 2), np.inf)}, "plus infinity"),
        ({"release": np.full((5, 1), -np.inf)}, "release: dataset 1 has density 0"),
        ({"guesses": np.tile([0.0, -np.inf], (5, 1)), "prior": np.array([-np.inf, 0.0])}, "prior: leaves no guess"),
    ],
)
def test_log_densities_that_say_nothing_are_refused(change, message):
    plain = {"own": np.zeros(5), "guesses": np.zeros((5, 2)), "release": np.zeros((5, 1)), "prior": None}
    with pytest.raises(InputError, match=message):
        guess_posterior(**plain | change)


def test_a_guess_under_which_the_release_is_impossible_has_probability_0():
    guesses, release = np.log([[0.5, 1e-300], [0.5, 1.0]]), np.array([[0.0], [-np.inf]])
    guesses[0, 1] = -np.inf
    posterior, prior, ess = guess_posterior(np.zeros(2), guesses, release)
    assert posterior[:, 0].tolist() == [1.0, 0.0]
    assert prior.tolist() == pytest.approx([0.5, 0.5])
    assert ess.tolist() == [0.0]
