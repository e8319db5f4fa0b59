"""Whatever is asked for has an upper bound, which is refused before any work."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
import synthlab.counts as slc
from synthlab import _checks, dp
from synthlab._formulas.formula import parse_formula
from synthlab._formulas.formula_size import count_terms
from synthlab._system import size_limits
from synthlab.exceptions import InputError
from synthlab.weights import ScalarWeightMechanism
from tests.loops import every

HUGE = (10**8, 2**63, 10**30)
PEOPLE = pd.DataFrame({"sex": list("fmfmfm"), "age": [20.0, 31, 42, 53, 64, 35], "income": [1.0, 2, 4, 3, 5, 6]})
OTHERS = [PEOPLE.assign(income=PEOPLE["income"] + 0.5), PEOPLE]
TABLE = slc.Table.from_counts([0, 1, 10], {"age": [5, 6, 7]})
SOMEONE = sl.Intruder(known=["sex"], synthesized=["age"], radius=0.1)
SHARES = sl.DirichletMultinomial(["sex"])

DEMANDS = {
    "m": [
        lambda v: sl.Resample(["sex"]).fit(PEOPLE).generate(v),
        lambda v: sl.CART(["sex"], min_leaf=1).fit(PEOPLE).generate(v),
        lambda v: slc.synthesize_table(TABLE, slc.Poisson(), m=v),
        lambda v: dp.private_table(PEOPLE[["sex"]], levels={"sex": ["f", "m"]}, n_synthetic=2, epsilon=9.0, m=v),
    ],
    "draws": [lambda v: SHARES.fit(PEOPLE, draws=v), lambda v: sl.intruder_risk(PEOPLE, PEOPLE, SOMEONE, draws=v)],
    "tune": [lambda v: sl.DPMPM(["sex", "age"], ["sex"]).fit(PEOPLE.astype(str), tune=v)],
    "chains": [lambda v: sl.NormalRegression("income ~ age").fit(PEOPLE, chains=v)],
    "thin": [lambda v: sl.DPMPM(["sex"], thin=v)],
    "classes": [lambda v: sl.FiniteMixture("income ~ age", classes=v), lambda v: sl.DPMPM(["sex"], classes=v)],
    "clusters": [lambda v: sl.cluster_utility(PEOPLE, OTHERS, clusters=v)],
    "starts": [lambda v: sl.cluster_utility(PEOPLE, OTHERS, clusters=2, starts=v)],
    "resamples": [lambda v: sl.bootstrap_statistic(PEOPLE, OTHERS, variable="income", resamples=v)],
    "permutations": [lambda v: sl.pmse(PEOPLE, OTHERS, permutations=v)],
    "runs": [lambda v: dp.audit_epsilon(lambda rows, rng: 0.0, [1], [], epsilon=1.0, runs=v)],
    "bins": [lambda v: sl.table_utility(PEOPLE, OTHERS, bins=v)],
    "probabilities": [lambda v: sl.barycenter(PEOPLE, OTHERS, variable="income", probabilities=v)],
    "grid": [
        lambda v: sl.attribute_risk(
            PEOPLE, OTHERS, fitted=SHARES.fit(PEOPLE, draws=5), radius={"income": 0.1}, grid=v + 1 - v % 2
        )
    ],
    "size": [lambda v: slc.Poisson(3.0).rvs(size=v)],
    "largest": [lambda v: TABLE.size_summary(largest=v)],
    "max_fits": [
        lambda v: ScalarWeightMechanism(synthesizer=SHARES, lipschitz_bound=1.0, quantile=1.0, max_fits=v),
    ],
    "max_iterations": [lambda v: slc.fit_log_linear(TABLE, "age", max_iterations=v)],
    "max_tries": [lambda v: sl.Sequential([sl.Resample(["sex"])], max_tries=v)],
    "lags": [lambda v: sl.synthesizers.autocorrelation([1.0, 2.0, 1.0], lags=v)],
}


@every("name", DEMANDS)
@every("value", HUGE)
def test_a_number_beyond_its_bound_is_refused_at_once(name, value):
    for ask in DEMANDS[name]:
        begun = time.process_time()
        with pytest.raises(InputError, match=rf"\b{name}\b"):
            ask(value)
        assert time.process_time() - begun < 5.0


def test_every_bound_is_asked_for_by_a_demand():
    assert set(DEMANDS) == set(size_limits.COUNTS)


@every(("name", "bound"), size_limits.COUNTS.items())
def test_the_bound_itself_is_allowed_and_the_next_number_is_not(name, bound):
    assert _checks.check_count(bound, name) == bound
    with pytest.raises(InputError, match=f"{name}={bound + 1}: must be an int >= 1 and <= {bound}"):
        _checks.check_count(bound + 1, name)
    assert _checks.check_count(bound + 1, name, maximum=bound + 1) == bound + 1  # a bound of the caller's own


def test_other_whole_numbers_go_as_far_as_floats_hold_them():
    assert _checks.check_count(2**53, "order") == 2**53
    with pytest.raises(InputError, match="order"):
        _checks.check_count(2**53 + 1, "order")
    with pytest.raises(InputError, match="level: must be a finite number"):
        _checks.check_number(10**400, "level")


def test_a_simulated_dataset_has_a_bound_of_records():
    with pytest.raises(InputError, match="n=100000000: must be an int >= 1 and <= 10000000"):
        sl.datasets.load("nb_mixture", version="simulated", n=10**8)


def test_settings_that_multiply_are_counted_before_they_are_listed():
    settings = {f"s{i}": range(100) for i in range(5)}
    with pytest.raises(InputError, match="settings: has more than 1,000,000 combinations"):
        sl.policy_frontier(lambda **s: (0.0, 0.0), settings, limit=1.0)


COLUMNS = [f"a{i}" for i in range(15)]


@pytest.mark.parametrize(
    ("right", "message"),
    [
        ("*".join(COLUMNS), "expands to about 32,767 terms"),
        ("(" + "+".join(COLUMNS) + ")**4*(" + "+".join(COLUMNS) + ")**3", "expands to about .* terms"),
        ("bs(a0, df=10000000)", r"bs\(...\) can have at most 100 degrees"),
        ("bs(a0, 10000000)", r"bs\(...\) can have at most 100 degrees"),
        ("poly(a0, degree=100000)", r"poly\(...\) can have at most 100 degrees"),
        (f"cr(a0, knots={list(range(101))})", r"cr\(...\) can have at most 100 degrees"),
    ],
)
def test_a_formula_too_large_is_refused_before_it_is_multiplied_out(right, message):
    begun = time.process_time()
    tracemalloc.start()
    with pytest.raises(InputError, match=message):
        parse_formula(f"y ~ {right}", ["y", *COLUMNS], [])
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - begun < 5.0
    assert used < 50e6


def test_where_the_knots_and_the_ends_of_a_spline_lie_has_no_bound():
    parsed = parse_formula("y ~ bs(a0, knots=[500, 900], lower_bound=0, upper_bound=1000)", ["y", "a0"], [])
    assert len(parsed.terms) == 2


@every(
    "right",
    ["a0*a1*a2", "(a0+a1+a2)**3", "a0+a1:a2", "a0/a1", "(a0+a1):(a2+a3)", "bs(a0,df=4)*a1", "a0*a1**2", "-a0+a1*a2"],
)
def test_terms_are_counted_as_the_parser_multiplies_them_out(right):
    from formulaic import Formula

    tokens = [("name" if t[0].isalpha() else "operator", t) for t in _words(right)]
    terms = [term for term in Formula(right) if str(term) != "1"]
    assert len(terms) <= count_terms(tokens) <= 2 * len(terms)


def _words(text):
    import re

    return re.findall(r"\*\*|\w+|[^\w\s]", text)


def test_the_columns_of_a_design_are_counted_before_they_are_made():
    many = pd.DataFrame({"y": np.arange(6000.0), "a": np.arange(6000).astype(str), "b": np.arange(6000).astype(str)})
    with pytest.raises(InputError, match="would make about 36,000,001 columns for 6,000 records"):
        sl.NormalRegression("y ~ a:b").fit(many)
    with pytest.raises(InputError, match="formula='y ~ a:b'"):
        sl.analysis_utility(many, [many, many], formula="y ~ a:b")
