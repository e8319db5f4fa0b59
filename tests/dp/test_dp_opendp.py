"""What OpenDP draws and adds up: against the formulas, and what floating-point noise leaves open."""

from __future__ import annotations

import sys
from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import Release, dp
from synthlab.exceptions import BudgetExceededError, ExtraUnavailableError, InputError
from tests.loops import every

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
PEOPLE = pd.DataFrame({"tenure": ["owns"] * 60 + ["rents"] * 40})


def below_the_grid(released: np.ndarray) -> np.ndarray:
    """Numbers between 0 and 1/4 that are no multiple of 2^-53: what 1 plus a float cannot be."""
    inside = released[(released > 0) & (released < 0.25)]
    return inside[np.mod(inside * 2.0**53, 1.0) != 0]


def test_floats_of_numpy_tell_answers_apart():
    """Mironov 2012: 1 + noise lies on the grid of the floats near 1, 0 + noise on a finer one. OpenDP leaves no such trace."""
    mechanism = dp.LaplaceMechanism(epsilon=1.0)
    answers = {a: np.full(20_000, float(a)) for a in (0, 1)}
    by_numpy = {a: below_the_grid(mechanism.add_noise(v, rng=1)) for a, v in answers.items()}
    assert by_numpy[0].size > 100
    assert by_numpy[1].size == 0
    exact = {a: below_the_grid(mechanism.add_noise(v, sampler="opendp")) for a, v in answers.items()}
    assert min(exact[0].size, exact[1].size) > 100


def test_exact_laplace_noise_is_laplace_noise():
    mechanism = dp.LaplaceMechanism(epsilon=0.5, sensitivity=2.0)
    noise = mechanism.add_noise(np.full((40, 100), 3.0), sampler="opendp") - 3.0
    assert noise.shape == (40, 100)
    assert stats.kstest(noise.ravel(), stats.laplace(scale=4.0).cdf).pvalue > 1e-4


def test_geometric_noise_is_whole_and_keeps_epsilon():
    mechanism = dp.GeometricMechanism(epsilon=0.5)
    noise = mechanism.add_noise(np.full(20_000, 7)) - 7
    assert noise.dtype == np.int64
    z = np.arange(-8, 9)
    expected = np.exp(-0.5 * np.abs(z)) * (1 - exp(-0.5)) / (1 + exp(-0.5))
    found = np.array([(noise == v).mean() for v in z])
    assert (np.abs(found - expected) < 5 * np.sqrt(expected / noise.size)).all()
    assert mechanism.add_noise([np.nan, np.inf, "a"]).shape == (3,)


@pytest.mark.parametrize("answer", [2**31, -(2**40), 2**53, 10**30, 1e308])
def test_geometric_noise_is_drawn_for_every_answer_up_to_two_to_the_53(answer):
    """Of an answer beyond 32 bits an error of the library would show the answer without noise."""
    noisy = dp.GeometricMechanism(epsilon=1.0).add_noise(answer)
    assert abs(int(noisy) - np.clip(answer, -(2**53), 2**53)) < 100


def test_geometric_noise_of_a_large_scale_is_not_cut_at_32_bits():
    noise = dp.GeometricMechanism(epsilon=1e-12).add_noise(np.zeros(50))
    assert np.abs(noise).max() > 2**31


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_gaussian_noise_keeps_epsilon_and_delta(epsilon, delta):
    """By the exact delta of normal noise (Balle and Wang 2018): kept, and not with much to spare."""
    mechanism = dp.GaussianMechanism(epsilon, delta, sensitivity=3.0)
    ratio = 3.0 / mechanism.scale
    normal = stats.norm.cdf
    exact = normal(ratio / 2 - epsilon / ratio) - exp(epsilon) * normal(-ratio / 2 - epsilon / ratio)
    assert delta / 50 < exact <= delta
    assert mechanism.loss.rho == pytest.approx(ratio**2 / 2, rel=1e-12)
    assert dp.compose([mechanism.loss], delta=delta).to_frame()["epsilon"][1] == pytest.approx(epsilon, rel=1e-6)


def test_gaussian_noise_has_its_scale():
    mechanism = dp.GaussianMechanism(1.0, 1e-6)
    noise = mechanism.add_noise(np.zeros(4_000))
    assert stats.kstest(noise, stats.norm(scale=mechanism.scale).cdf).pvalue > 1e-4


def test_private_queries_draw_by_opendp():
    answer = dp.private_count([True] * 50, epsilon=2.0, sampler="opendp")
    assert abs(answer.value - 50) < 30
    tenure = PEOPLE["tenure"]
    cells = dp.private_histogram(tenure, categories=["owns", "rents"], epsilon=2.0, sampler="opendp")
    assert np.abs(cells.estimate - [60, 40]).max() < 30
    budget = dp.Budget(1.0)
    with pytest.raises(InputError, match="^rng"):
        dp.private_count([True], epsilon=0.5, sampler="opendp", rng=1, budget=budget)
    with pytest.raises(InputError, match="^sampler"):
        dp.private_count([True], epsilon=0.5, sampler="numpi", budget=budget)
    assert budget.spent == 0


def test_randomized_response_keeps_epsilon_and_is_unbiased():
    asked = np.array(["a", "b", "c"])[np.repeat([0, 1, 2], [600, 300, 100])]
    told = dp.randomized_response(asked, categories=["a", "b", "c"], epsilon=1.0)
    assert log(told.kept / ((1 - told.kept) / 2)) == pytest.approx(1.0, abs=1e-12)
    assert told.kept / ((1 - told.kept) / 2) <= exp(1.0) * (1 + 1e-15)
    frame = told.to_frame()
    assert frame["share"].sum() == pytest.approx(1.0)
    assert (np.abs(frame["share"] - [0.6, 0.3, 0.1]) < 5 * frame["std_error"]).all()
    same = np.mean(np.array(told.answers) == asked)
    assert abs(same - told.kept) < 5 * sqrt(0.25 / 1000)


def test_randomized_response_takes_whatever_a_record_holds():
    told = dp.randomized_response(["a", None, 3.5, "zz"], categories=["a", "b"], epsilon=1.0)
    assert set(told.answers) <= {"a", "b"}
    other = dp.randomized_response(["a", None], categories=["a"], other="rest", epsilon=1.0)
    assert set(other.answers) <= {"a", "rest"}
    empty = dp.randomized_response([], categories=["a", "b"], epsilon=1.0)
    assert empty.codes.size == 0
    assert empty.to_frame()["share"].isna().all()


def test_randomized_response_is_charged_under_replace():
    budget = dp.Budget(1.0, adjacency="replace")
    dp.randomized_response(["a"], categories=["a", "b"], epsilon=0.7, budget=budget)
    assert budget.spent == 0.7
    with pytest.raises(BudgetExceededError):
        dp.randomized_response(["a"], categories=["a", "b"], epsilon=0.7, budget=budget)
    with pytest.raises(InputError, match="^adjacency"):
        dp.randomized_response(["a"], categories=["a", "b"], epsilon=0.7, budget=dp.Budget(1.0))


@every("bad", [0, -1.0, np.inf, np.nan, 1e-300, 700.0, "1", None, True])
def test_epsilon_of_a_response_is_checked(bad):
    with pytest.raises(InputError, match="^epsilon"):
        dp.randomized_response(["a"], categories=["a", "b"], epsilon=bad)


@pytest.mark.parametrize("bad", [[], ["a"], ["a", "a"]])
def test_domain_of_a_response_has_two_values(bad):
    with pytest.raises(InputError, match="^categories"):
        dp.randomized_response(["a"], categories=bad, epsilon=1.0)


def test_composition_by_the_formulas():
    losses = [dp.Loss(0.1)] * 100
    frame = dp.compose(losses, delta=1e-6).to_frame().set_index("way")
    assert frame.loc["basic", "epsilon"] == pytest.approx(10.0, rel=1e-12)
    assert frame.loc["basic", "epsilon"] >= 10.0
    assert frame.loc["basic", "delta"] == 0
    rho = 100 * 0.1**2 / 2
    assert frame.loc["advanced", "epsilon"] <= rho + 2 * sqrt(rho * log(1e6))
    first = sqrt(2 * 100 * log(1e6)) * 0.1 + 100 * 0.1 * (exp(0.1) - 1)  # Dwork, Rothblum and Vadhan
    assert frame.loc["advanced", "epsilon"] < first
    assert frame.loc["advanced", "delta"] == 1e-6


def test_the_advanced_epsilon_is_above_the_exact_one_of_normal_noise():
    rho, delta = 0.3, 1e-5
    found = dp.compose([dp.Loss(rho=rho / 3)] * 3, delta=delta).to_frame().set_index("way").loc["advanced", "epsilon"]
    ratio = sqrt(2 * rho)

    def exact(epsilon: float) -> float:
        return stats.norm.cdf(ratio / 2 - epsilon / ratio) - exp(epsilon) * stats.norm.cdf(-ratio / 2 - epsilon / ratio)

    assert delta / 50 < exact(found) <= delta


def test_composition_reads_accounts_and_answers():
    budget = dp.Budget(2.0)
    budget.spend(0.25, "a")
    parts = budget.parallel({"n": [True, False], "s": [False, True]})
    parts["n"].spend(0.5)
    parts["s"].spend(0.3)
    table = dp.private_table(PEOPLE, levels={"tenure": ["owns", "rents"]}, n_synthetic=10, epsilon=1.0, m=3, rng=1)
    count = dp.private_count([True], epsilon=0.125, rng=1)
    total = dp.compose([budget, table, count, dp.Loss(0.5, 1e-8)])
    assert len(total.losses) == 2 + 3 + 1 + 1
    basic = total.to_frame().iloc[0]
    assert basic["epsilon"] == pytest.approx(0.25 + 0.5 + 3.0 + 0.125 + 0.5, rel=1e-12)
    assert basic["delta"] == pytest.approx(1e-8, rel=1e-12)
    assert dp.compose(budget).to_frame()["epsilon"][0] == pytest.approx(0.75)


def test_deltas_that_reach_the_wanted_one_leave_the_sum():
    assert dp.compose([dp.Loss(0.1, 1e-4)], delta=1e-6).to_frame()["way"].tolist() == ["basic"]


@every(
    ("releases", "words"),
    [
        (lambda: [Release([PEOPLE], ("tenure",))], "number 1, Release, is not known"),
        (lambda: [dp.Loss(1.0), 0.5], "number 2, float, is not known"),
        (lambda: [], "is empty"),
        (lambda: dp.Budget(1.0), "is empty"),
        (lambda: "everything", "must be a Budget"),
        (lambda: 3, "must be a Budget"),
        (lambda: [dp.Loss(1.0), dp.Loss(1.0, adjacency="replace")], "must all have the same adjacency"),
        (lambda: [dp.Loss(1.7e308)] * 2, "exceeds the largest float"),
        (lambda: [dp.Loss(rho=1.7e308)] * 2, "exceeds the largest float"),
        (lambda: [dp.Loss(1.0, 0.6)] * 2, "no privacy guarantee"),
    ],
)
def test_what_has_no_account_has_no_total(releases, words):
    with pytest.raises(InputError, match="^releases") as refused:
        dp.compose(releases())
    assert words in str(refused.value)


def test_squares_beyond_the_largest_float_are_infinite():
    frame = dp.compose([dp.Loss(1e200)]).to_frame()
    assert frame["epsilon"].tolist() == [1e200, np.inf]


def test_budgets_that_overflow_refuse_and_stay():
    budget = dp.Budget(1.7e308, adjacency="replace")
    budget.spend(1e308)
    with pytest.raises(BudgetExceededError):
        budget.spend(1e308)
    parts = budget.parallel({"n": [True, False], "s": [False, True]})
    parts["n"].spend(5e307)
    with pytest.raises(BudgetExceededError):
        parts["s"].spend(5e307)
    assert np.isfinite(budget.spent)


@every("bad", [0, 1, -0.1, np.inf, np.nan, "x", None, True])
def test_delta_is_between_zero_and_one(bad):
    with pytest.raises(InputError, match="^delta"):
        dp.compose([dp.Loss(1.0)], delta=bad)
    with pytest.raises(InputError, match="^delta"):
        dp.GaussianMechanism(1.0, bad)


@pytest.mark.parametrize("bad", [0, -1.0, np.inf, np.nan, "1", True])
def test_losses_are_positive_numbers(bad):
    for make in (lambda: dp.Loss(bad), lambda: dp.GeometricMechanism(bad), lambda: dp.GaussianMechanism(bad, 1e-6)):
        with pytest.raises(InputError, match="^epsilon"):
            make()
    with pytest.raises(InputError, match="^rho"):
        dp.Loss(rho=bad)


def test_a_loss_is_one_thing():
    with pytest.raises(InputError, match="give exactly one of them"):
        dp.Loss()
    with pytest.raises(InputError, match="give exactly one of them"):
        dp.Loss(1.0, rho=1.0)
    with pytest.raises(InputError, match="^delta"):
        dp.Loss(delta=0.1, rho=1.0)
    with pytest.raises(InputError, match="^delta"):
        dp.Loss(1.0, 1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.GeometricMechanism(1e-20),
        lambda: dp.GaussianMechanism(1e-9, 1e-6),
        lambda: dp.GaussianMechanism(1.0, 1e-200),
    ],
)
def test_scales_beyond_floats_are_refused(make):
    with pytest.raises(InputError, match="the scale of the noise must be|too small"):
        make()


def test_without_the_library_the_message_says_what_needs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp", None)
    budget = dp.Budget(1.0)
    with pytest.raises(ExtraUnavailableError, match="^compose needs opendp"):
        dp.compose([dp.Loss(1.0)])
    with pytest.raises(ExtraUnavailableError, match="opendp"):
        dp.private_count([True], epsilon=0.5, sampler="opendp", budget=budget)
    with pytest.raises(ExtraUnavailableError, match="^randomized_response needs opendp"):
        dp.randomized_response(["a"], categories=["a", "b"], epsilon=0.5)
    assert budget.spent == 0
