"""Counts, formulas and settings have upper bounds, which are checked before any work."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import _checks
from synthlab._formulas.formula import parse_formula
from synthlab._formulas.formula_size import count_terms
from synthlab._system import size_limits
from synthlab.exceptions import InputError
from tests.loops import every


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
    tracemalloc.start()
    with pytest.raises(InputError, match=message):
        parse_formula(f"y ~ {right}", ["y", *COLUMNS], [])
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
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
