"""Comparisons of mechanisms in the lectures: both sides are computed again under the same accounting."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import synthlab as sl
from replications import dp
from synthlab import weights as w
from synthlab.exceptions import FewDegreesOfFreedomWarning
from synthlab.teaching.homework import class_sample

KEPT = 0.95  # share of the draws that can be released
DRAWS = 2000


@pytest.fixture(scope="module")
def counts():
    """The counts of lecture 13: how many records have each value, the grid and its log probabilities."""
    y = sl.datasets.load("nb_mixture", version="paper").frame["outcome"].to_numpy()
    values, where, many = np.unique(y, return_inverse=True, return_counts=True)
    mu, phi = (axis.ravel() for axis in np.meshgrid(np.linspace(92, 112, 61), np.geomspace(6, 45, 61)))
    p = (phi / (phi + mu))[:, None]
    log = stats.nbinom.logpmf(values, phi[:, None], p)
    return {
        "values": values,
        "where": where,
        "many": many,
        "log": log,
        "cdf": stats.nbinom.cdf(values, phi[:, None], p),
    }


def loss(terms, many):
    """Return the largest log ratio at each point of the grid when one record leaves (one column per value)."""
    total = terms @ many
    largest = np.zeros(len(terms))
    for value in range(len(many)):
        without = total - terms[:, value]
        ratio = (total - special.logsumexp(total)) - (without - special.logsumexp(without))
        largest = np.maximum(largest, abs(ratio))
    return largest


def quantile_of_new_counts(terms, counts):
    return counts["values"][np.argmax(special.softmax(terms @ counts["many"]) @ counts["cdf"] >= 0.9)]


def record_weights(counts, rng):
    """Return the weight of each value, the Lipschitz bound and the points of the grid that are kept."""
    log, where, many = counts["log"], counts["where"], counts["many"]
    drawn = rng.choice(len(log), DRAWS, p=special.softmax(log @ many))
    alpha = w.lipschitz_weights(log[drawn][:, where], n=len(where), quantile=KEPT).weights
    of_value = np.zeros(len(many))
    of_value[where] = alpha
    drawn = rng.choice(len(log), DRAWS, p=special.softmax((log * of_value) @ many))
    spent = w.achieved_epsilon(log[drawn][:, where], alpha, quantile=KEPT)
    return of_value, spent, drawn[spent.kept]


def test_record_weights_and_the_clip_are_charged_by_the_same_rule(counts):
    log, many = counts["log"], counts["many"]
    assert log.max() < 0  # one sign, so Delta can be proved for both mechanisms
    of_value, spent, kept = record_weights(counts, np.random.default_rng(13))
    provable = spent.lipschitz_bound
    clip = np.clip(log, -provable, 0)
    assert provable == pytest.approx(5.7, abs=0.05)
    assert spent.epsilon_per_draw == pytest.approx(2 * provable)
    assert quantile_of_new_counts(log * of_value, counts) == pytest.approx(139, abs=1)
    assert quantile_of_new_counts(clip, counts) == pytest.approx(122, abs=1)
    record, strict = loss(log * of_value, many), loss(clip, many)
    assert record[kept].max() == pytest.approx(0.56, abs=0.12)
    assert record.max() > provable  # the bound does not cover points that were not drawn
    assert strict.max() < 1.4 < provable


def divergence(terms, many):
    """Return the largest Kullback-Leibler divergence when one record leaves."""
    with_it = special.log_softmax(terms @ many)
    ratios = [with_it - special.log_softmax(terms @ many - terms[:, value]) for value in range(len(many))]
    return max(float(np.exp(with_it) @ ratio) for ratio in ratios)


def test_the_divergence_of_theorem_1_is_far_below_the_same_bound(counts):
    log, many = counts["log"], counts["many"]
    of_value, spent, kept = record_weights(counts, np.random.default_rng(13))
    bound, one = spent.lipschitz_bound, 0.36  # one weight for all records with the same bound as record weights
    drawn = np.random.default_rng(1).choice(len(log), DRAWS, p=special.softmax(one * log @ many))
    scalar = w.achieved_epsilon(one * log[drawn][:, counts["where"]], np.ones(len(counts["where"])), quantile=KEPT)
    assert scalar.lipschitz_bound == pytest.approx(bound, abs=0.2)
    assert divergence(log * of_value, many) == pytest.approx(0.01, abs=0.005)
    assert divergence(one * log, many) == pytest.approx(0.04, abs=0.01)
    assert loss(log * of_value, many)[kept].max() < bound


def test_a_cut_at_a_quantile_of_the_data_reveals_who_is_in_the_file(counts):
    log, many, values = counts["log"], counts["many"], counts["values"]

    def released(present):
        p = special.softmax(log @ present)
        worst = abs(log[:, present > 0]).max(axis=1)
        order = np.argsort(worst)
        inside = worst <= worst[order][np.searchsorted(p[order].cumsum(), KEPT)]
        return np.where(inside, p, 0) / p[inside].sum()

    with_it, without = released(many), released(many - (values == values.max()))
    assert without[with_it == 0].sum() == pytest.approx(0.079, abs=0.001)
    assert with_it[without == 0].sum() == pytest.approx(0.006, abs=0.001)


def test_the_package_charges_half_of_the_interval_for_clipped_counts(counts):
    model = sl.NegativeBinomial("outcome ~ 1")
    frame = sl.datasets.load("nb_mixture", version="paper").frame.head(50)
    strict = w.PseudoPosteriorMechanism(synthesizer=model, clip=11.4).fit(frame, rng=1)
    assert strict.accounting.epsilon_per_draw == pytest.approx(5.7)


def test_figure_5_holds_on_the_mixture_that_fits():
    runs = dp.recorded().runs
    runs = runs[runs["mechanism"].isin(["DP", "EM"])]
    wide = runs.pivot_table("90 % quantile, distance", ["study", "scale", "shift", "run"], "mechanism").dropna()
    closer = (wide["DP"] < wide["EM"]).groupby(level=["study", "scale", "shift"]).sum()
    assert closer["income, fitted"].to_dict() == {
        (0.5, -0.1): 10,
        (0.5, 0.0): 10,
        (0.6, -0.1): 10,
        (0.6, 0.0): 10,
        (0.7, 0.0): 10,
        (1.0, 0.0): 6,
    }
    means = runs.groupby(["study", "scale", "shift", "mechanism"])[
        ["lipschitz_bound", "90 % quantile, distance"]
    ].mean()
    one = means.loc["income, one regression"].drop((1.0, 0.0))["90 % quantile, distance"].unstack()
    assert (one["EM"] < one["DP"]).all()
    fitted = means.loc["income, fitted"].drop((1.0, 0.0))["lipschitz_bound"].unstack()
    np.testing.assert_allclose(fitted["DP"], fitted["EM"], rtol=0.02)  # the bounds are equal at these settings


def test_no_newcomer_of_homework_6_changes_the_posterior_by_more_than_4():
    arrests = class_sample("youths", 1500, 1)["numarr"].dropna().astype(int)
    many = np.bincount(arrests, minlength=98)[1:]
    mu, phi = (axis.ravel() for axis in np.meshgrid(np.linspace(5, 13, 41), np.geomspace(0.6, 3, 41)))
    log = stats.nbinom.logpmf(np.arange(1, 98), phi[:, None], (phi / (phi + mu))[:, None])
    for weights in (np.minimum(0.2, 4 / abs(log).max(axis=0)), np.minimum(1, 4 / abs(log).max(axis=0))):
        before = special.log_softmax(log @ (weights * many))
        change = [abs(special.log_softmax(log @ (weights * (many + one))) - before).max() for one in np.eye(97)]
        assert (weights * abs(log).max(axis=0)).max() == pytest.approx(4)
        assert max(change) < 4
    assert log.max() < 0


@pytest.mark.parametrize(("epsilon", "right"), [(1.0, 0.61), (4.0, 0.82)])
def test_both_guesses_of_lecture_12_are_about_a_replaced_record(epsilon, right):
    rng = np.random.default_rng(1)
    scale = 2 / epsilon  # a replaced record changes two counts of a histogram by 1
    assert scale == pytest.approx(sl.dp.histogram_sensitivity(adjacency="replace") / epsilon)
    noise = rng.laplace(0, scale, 400_000)
    assert np.mean(1 + noise[::2] > 0.5) == pytest.approx(1 - np.exp(-epsilon / 4) / 2, abs=0.005)
    assert 1 - np.exp(-epsilon / 4) / 2 == pytest.approx(right, abs=0.005)
    synthetic, cells, n = 500, 25, 5571
    a = synthetic / np.expm1(epsilon)
    one, none = (stats.betabinom.pmf(range(synthetic + 1), synthetic, k + a, n - k + (cells - 1) * a) for k in (1, 0))
    table = 1 / 2 + abs(one - none).sum() / 4
    assert table < right  # both sides keep n, so both are calibrated to the same neighbors
    worst = (synthetic + a) / a
    assert np.log(worst) == pytest.approx(epsilon)


def test_the_two_rules_of_lecture_16_combine_the_same_files():
    rng = np.random.default_rng(1)
    n, m = 400, 20
    share = rng.beta(1 + 123, 1 + 277, m)  # a posterior of 400 records, one draw for each file
    q = rng.binomial(n, share) / n
    v = q * (1 - q) / n
    b = q.var(ddof=1)
    partial = sl.combine_partial(q, v)
    with pytest.warns(FewDegreesOfFreedomWarning):
        full = sl.combine_full(q, v)
    assert partial.total_variance.item() == pytest.approx(v.mean() + b / m)
    assert full.total_variance.item() == pytest.approx((1 + 1 / m) * b - v.mean())
    assert partial.total_variance.item() == pytest.approx(v.mean(), rel=0.2)  # the variance of the survey's share
    assert full.df.item() < partial.df.item() / 100
