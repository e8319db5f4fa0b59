import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError, MissingValueError, TruncationWarning
from synthlab.synthesizers import DPMPM
from synthlab.synthesizers._gibbs_sticks import draw_concentration, exchange_labels
from tests.loops import every

N = 2000
VARIABLES = ["work", "school", "home"]


@pytest.fixture(scope="module")
def survey():
    """Two well separated classes of people, so that the truth is a product mixture."""
    rng = np.random.default_rng(3)
    one = rng.random(N) < 0.6
    p_work = np.where(one[:, None], [0.8, 0.15, 0.05], [0.1, 0.2, 0.7])
    work = (p_work.cumsum(axis=1) < rng.random(N)[:, None]).sum(axis=1)
    frame = pd.DataFrame({"work": np.array(["full", "part", "none"])[work]})
    frame["school"] = rng.random(N) < np.where(one, 0.85, 0.1)
    frame["home"] = pd.Categorical(np.where(rng.random(N) < np.where(one, 0.75, 0.2), "own", "rent"))
    frame["age"] = rng.integers(18, 80, N)
    return frame


@pytest.fixture(scope="module")
def fitted(survey):
    return DPMPM(VARIABLES, ["work"], classes=30).fit(survey, rng=1, tune=1000)


def test_recovers_two_way_tables(fitted, survey):
    for one, other in (("work", "school"), ("work", "home"), ("school", "home")):
        expected = pd.crosstab(survey[one], survey[other], normalize="all")
        table = fitted.two_way(one, other)
        assert table.index.tolist() == expected.index.tolist()
        np.testing.assert_allclose(table.to_numpy().sum(), 1.0)
        np.testing.assert_allclose(table, expected, atol=0.012)


def test_synthetic_data_keep_the_two_way_tables(fitted, survey):
    release = fitted.generate(m=20, rng=1)
    assert release.synthesized == ("work",)
    pd.testing.assert_frame_equal(release[0].drop(columns="work"), survey.drop(columns="work"))
    for other in ("school", "home"):
        synthetic = np.mean([pd.crosstab(f["work"], f[other], normalize="all") for f in release], axis=0)
        np.testing.assert_allclose(synthetic, pd.crosstab(survey["work"], survey[other], normalize="all"), atol=0.015)


def test_full_synthesis(survey):
    fitted = DPMPM(VARIABLES, classes=30).fit(survey, rng=1, tune=1000)
    release = fitted.generate(m=20, rng=1)
    assert release.synthesized == tuple(VARIABLES)
    assert release[0].dtypes.equals(survey.dtypes)
    synthetic = np.mean([pd.crosstab(f["school"], f["home"], normalize="all") for f in release], axis=0)
    np.testing.assert_allclose(synthetic, pd.crosstab(survey["school"], survey["home"], normalize="all"), atol=0.015)
    # rows are not about the same person: agreement is that of chance
    agree = np.mean([(f["work"] == survey["work"]).mean() for f in release])
    np.testing.assert_allclose(agree, (survey["work"].value_counts(normalize=True) ** 2).sum(), atol=0.02)


def test_membership_given_the_record_keeps_more_of_it(fitted, survey):
    record = DPMPM(VARIABLES, ["work"], classes=30, membership="record").fit(survey, rng=1, tune=1000)
    assert not record.records_independent
    np.testing.assert_array_equal(record.kept.pi, fitted.kept.pi)
    same = [np.mean([(f["work"] == survey["work"]).mean() for f in x.generate(20, rng=1)]) for x in (record, fitted)]
    assert same[0] > same[1] + 0.01
    with pytest.raises(InputError, match="draws the classes of the confidential records"):
        record.draw(survey.head(5), 0, np.random.default_rng(1))


def test_log_likelihood_is_that_of_the_mixture(fitted, survey):
    s = 1234
    pi, psi = fitted.parameters(s)
    np.testing.assert_allclose(pi.sum(), 1.0)
    rows = np.column_stack([fitted.first[j] + v.codes(survey) for j, v in enumerate(fitted.levels)])
    expected = np.log(np.sum(pi * np.prod(psi[rows], axis=1), axis=1))
    result = fitted.log_likelihood()
    assert result.shape == (2000, N)
    np.testing.assert_allclose(result[s], expected, rtol=1e-9)


def test_equals_a_posterior_computed_by_brute_force():
    """Five records of two binary variables, two classes: all 32 allocations summed, V_1 ~ Beta(1, alpha) by quadrature."""
    x = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [0, 1]])
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.5])
    from itertools import product
    from math import gamma, lgamma

    alphas = (np.arange(4000) + 0.5) / 100
    prior = alphas ** (2.0 - 1) * np.exp(-1.0 * alphas)
    total, both_zero = 0.0, 0.0
    for z in product([0, 1], repeat=5):
        z = np.array(z)
        mass = np.array([(z == k).sum() for k in (0, 1)])
        value = (
            np.array([gamma(1 + mass[0]) * gamma(a + mass[1]) / gamma(1 + a + mass.sum()) * a for a in alphas]) @ prior
        )
        log_p, predictive = 0.0, np.ones(2)
        for k in (0, 1):
            for j in (0, 1):
                n = np.array([weights[(z == k) & (x[:, j] == level)].sum() for level in (0, 1)])
                log_p += sum(lgamma(1 + v) for v in n) - lgamma(2 + n.sum())
                predictive[k] *= (1 + n[0]) / (2 + n.sum())
        share = np.array([(1 + mass[0]) / (1 + a + mass.sum()) for a in alphas])
        density = (
            np.array([gamma(1 + mass[0]) * gamma(a + mass[1]) / gamma(1 + a + mass.sum()) * a for a in alphas]) * prior
        )
        first = (density @ share) / density.sum()
        total += value * np.exp(log_p)
        both_zero += value * np.exp(log_p) * (first * predictive[0] + (1 - first) * predictive[1])
    frame = pd.DataFrame(x, columns=["u", "v"])
    model = DPMPM(["u", "v"], classes=2, a=2.0, b=1.0, thin=4)
    with pytest.warns(TruncationWarning):
        fitted = model.fit(frame, weights=weights, rng=1, draws=15_000)
    np.testing.assert_allclose(fitted.two_way("u", "v").loc[0, 0], both_zero / total, atol=0.004)


def test_label_moves_and_alpha_leave_their_target_alone():
    """Without data the chain must return the prior: alpha ~ Gamma(a, b)."""
    rng = np.random.default_rng(1)
    mass = np.zeros(6)
    alpha, draws = 1.0, np.empty(20_000)
    for i in range(draws.size):
        alpha = draw_concentration(alpha, mass[None], 2.0, 4.0, rng)
        draws[i] = alpha
    np.testing.assert_allclose(draws.mean(), 0.5, atol=0.02)
    np.testing.assert_allclose(draws.std(), np.sqrt(2) / 4, atol=0.02)
    # Two classes of 5 and 1: the probability of either order is 1/(alpha + M_{>=2}) up to a factor.
    mass[:2] = 5.0, 1.0
    first = np.empty(40_000)
    for i in range(first.size):
        exchange_labels(mass, 1.5, rng)
        first[i] = mass[:3] @ [1, 2, 3] == 7.0  # order 5, 1, 0
    orders = {}
    for i in range(5):
        for j in range(5):
            if i != j:
                m = np.zeros(6)
                m[i], m[j] = 5.0, 1.0
                tail = m[::-1].cumsum()[::-1]
                orders[i, j] = np.exp(-np.log(1.5 + tail[1:5]).sum())
    np.testing.assert_allclose(first.mean(), orders[0, 1] / sum(orders.values()), atol=0.02)


def test_weights_of_one_change_nothing_and_weight_zero_drops(survey):
    model = DPMPM(VARIABLES, classes=30, thin=3)
    plain = model.fit(survey, rng=2, tune=1500)
    ones = model.fit(survey, weights=np.ones(N), rng=2, tune=1500)
    np.testing.assert_array_equal(plain.kept.psi, ones.kept.psi)
    kept = survey["work"] != "none"
    zero = model.fit(survey, weights=kept.astype(float), rng=2, tune=1500)
    expected = pd.crosstab(survey["school"][kept], survey["home"][kept], normalize="all")
    np.testing.assert_allclose(zero.two_way("school", "home"), expected, atol=0.015)
    assert zero.two_way("work", "home").loc["none"].sum() < 0.01


def test_weights_shift_the_tables(survey, fitted):
    weights = np.where(survey["home"] == "own", 1.0, 0.1)
    weighted = DPMPM(VARIABLES, classes=30).fit(survey, weights=weights, rng=2, tune=1000)
    target, plain = np.average(survey["home"] == "own", weights=weights), (survey["home"] == "own").mean()
    found = weighted.two_way("home", "work").loc["own"].sum()
    assert plain + 0.5 * (target - plain) < found <= target + 0.02


def test_occupied_classes_are_traced(fitted):
    assert fitted.occupied.shape == (2, 1000)
    assert 2 <= fitted.occupied.mean() < 8
    assert list(fitted.posterior) == ["alpha", "occupied", "mean_log_likelihood"]


def test_truncation_that_binds_is_named(survey):
    with pytest.warns(TruncationWarning, match="all 2 classes were occupied in 100.0% of the kept draws"):
        DPMPM(VARIABLES, classes=2).fit(survey, rng=1)


@every(
    ("arguments", "error", "message"),
    [
        ({"variables": 3}, InputError, "variables=3: must be a list"),
        ({"variables": []}, InputError, r"variables=\[\]"),
        ({"variables": None}, InputError, "variables=None: must be a list of column names"),
        ({"variables": [["work"]]}, InputError, "1 of 1 entries, the first at position 0, are not text"),
        ({"variables": ["work", "wage"]}, InputError, "'wage' not in confidential"),
        ({"variables": ["work", "work"]}, InputError, "names a column twice"),
        ({"variables": ["work"], "synthesized": ["home"]}, InputError, "synthesized: 'home' not among"),
        ({"variables": ["work"], "classes": 1}, InputError, "classes=1"),
        ({"variables": ["work"], "membership": "all"}, InputError, "membership='all'"),
        ({"variables": ["work"], "thin": 0}, InputError, "thin=0"),
        ({"variables": ["work"], "a": 0.0}, InputError, "a=0.0"),
        ({"variables": ["gap"]}, MissingValueError, "'gap' has"),
        ({"variables": ["income"]}, InputError, "'income' has 2,000 distinct values"),
    ],
)
def test_bad_input(survey, arguments, error, message):
    frame = survey.assign(gap=survey["work"].where(survey["school"]), income=np.arange(N) / 7)
    with pytest.raises(error, match=message):
        DPMPM(**arguments).fit(frame, missing="raise")
