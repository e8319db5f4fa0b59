from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, strategies as st

from synthlab.exceptions import ConvergenceWarning
from synthlab.synthesizers._mixture import MixtureDiagnostics
from synthlab.synthesizers._posterior import Diagnostics, Posterior, diagnose, nested_order


@given(st.integers(1, 700), st.integers(0, 10_000))
def test_nested_order_uses_every_draw_once(n, shift):
    assert sorted(nested_order(n, shift).tolist()) == list(range(n))


@given(st.integers(2, 11))
def test_nested_order_is_spread_over_the_chain(bits):
    order = nested_order(2**bits)
    for k in range(1, bits + 1):
        gaps = np.diff(np.sort(order[: 2**k]))
        assert (gaps == 2 ** (bits - k)).all()


def test_nested_order_is_turned_by_the_shift():
    np.testing.assert_array_equal(nested_order(1000, 7), (nested_order(1000) + 7) % 1000)


@pytest.fixture
def good():
    rng = np.random.default_rng(5)
    return Posterior({"a": rng.normal(size=(2, 800)), "b": rng.normal(size=(2, 800, 2))}, {"b": ("x", "y")})


def test_posterior_joins_the_chains(good):
    assert good["b"].shape == (1600, 2)
    np.testing.assert_array_equal(good["a"][800:], good.by_chain["a"][1])
    assert good.n_draws == 1600
    assert list(good.summary().index) == ["a", "b[x]", "b[y]"]
    np.testing.assert_allclose(good.summary().loc["b[y]", "mean"], good["b"][:, 1].mean())
    with pytest.raises(ValueError, match="read-only"):
        good["a"][0] = 1.0


def test_good_chains_are_ok(good):
    result = diagnose(good)
    assert result.ok
    assert result.parameters == ("a", "b[x]", "b[y]")
    assert result.to_frame().shape == (3, 3)
    assert "no sign of trouble" in str(result)
    assert result._repr_html_().startswith("<p>Diagnostics")
    result.warn()


def test_chains_that_disagree_are_named(good):
    apart = np.array(good.by_chain["a"]) + np.array([[0.0], [3.0]])
    result = diagnose(Posterior({"a": apart, "b": good.by_chain["b"]}))
    assert not result.ok
    with pytest.warns(ConvergenceWarning, match="R-hat of a is "):
        result.warn()


def test_a_sticky_chain_has_a_small_sample_size():
    steps = np.random.default_rng(1).normal(size=(2, 500)).cumsum(axis=1) / 5
    with pytest.warns(ConvergenceWarning, match="effective sample size of walk is"):
        diagnose(Posterior({"walk": steps})).warn()


def test_traced_parameters_are_shown_without_a_warning(good):
    steps = np.random.default_rng(1).normal(size=(2, 800)).cumsum(axis=1)
    values = {"a": good.by_chain["a"], "clusters": steps}
    assert not diagnose(Posterior(values)).ok
    result = diagnose(Posterior(values, traced=("clusters",)))
    assert result.ok
    assert result.to_frame().loc["clusters", "rhat"] > 1.05
    assert not diagnose(Posterior({"a": steps, "clusters": steps}, traced=("clusters",))).ok


def test_divergences_are_bad(good):
    result = diagnose(Posterior(dict(good.by_chain), divergences=3))
    with pytest.warns(ConvergenceWarning, match="3 divergent transitions of 1600"):
        result.warn()


def test_independent_draws_have_nothing_to_converge():
    result = diagnose(Posterior({"a": np.arange(10.0).reshape(2, 5)}, method="exact"))
    assert result.ok
    assert np.isnan(result.rhat).all()
    assert np.isnan(result.summary()["max_rhat"]).all()


def test_one_chain_is_split():
    drifting = np.linspace(0, 1, 400)[None] + np.random.default_rng(2).normal(0, 0.01, (1, 400))
    assert diagnose(Posterior({"a": drifting})).rhat[0] > 1.5


def test_combined_diagnostics(good):
    both = Diagnostics.combine({"y": diagnose(good), "z": diagnose(Posterior({"t": np.ones((2, 5))}, method="exact"))})
    assert both.parameters == ("y: a", "y: b[x]", "y: b[y]")
    assert both.method == "nuts, exact"


@pytest.mark.parametrize("of", [Diagnostics, MixtureDiagnostics])
def test_chains_that_never_moved_are_bad(of):
    still = diagnose(Posterior({"a": np.ones((1, 30)), "b": np.zeros((1, 30, 2))}, divergences=30))
    result = of(**{f.name: getattr(still, f.name) for f in fields(Diagnostics)})
    assert result.problems == ("nothing moved in 30 draws", "30 divergent transitions of 30")
    with pytest.warns(ConvergenceWarning, match="nothing moved in 30 draws"):
        result.warn()


@pytest.mark.parametrize(("method", "draws"), [("exact", 30), ("laplace", 30), ("nuts", 1)])
def test_independent_draws_and_a_single_draw_need_not_move(method, draws):
    assert diagnose(Posterior({"a": np.ones((1, draws))}, method=method)).ok
