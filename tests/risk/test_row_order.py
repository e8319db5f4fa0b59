"""Measures by row say when the known variables disprove the order of the rows."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import KnownVariableChangedWarning, RowOrderWarning

DRAW = np.random.default_rng(1)
PEOPLE = pd.DataFrame(
    {"town": DRAW.integers(0, 20, 80), "sex": DRAW.choice(list("fm"), 80), "job": DRAW.choice(list("abc"), 80)}
)
SOMEONE = sl.Intruder(known=["town", "sex"], synthesized=["job"])
CALLS = {
    "identification_risk": lambda other: sl.identification_risk(PEOPLE, other, SOMEONE),
    "identification_probability": lambda other: sl.identification_probability(PEOPLE, other, SOMEONE),
    "intruder_risk": lambda other: sl.intruder_risk(PEOPLE, other, SOMEONE),
    "linkage_risk": lambda other: sl.linkage_risk(PEOPLE, other, SOMEONE, rng=1),
}


def named(call, other) -> list[type]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(other)
    return [w.category for w in caught if issubclass(w.category, KnownVariableChangedWarning)]


@pytest.mark.parametrize("name", CALLS)
def test_a_shuffled_copy_is_named_once_and_an_aligned_file_is_not(name: str) -> None:
    shuffled = PEOPLE.sample(frac=1, random_state=1).reset_index(drop=True)
    assert named(CALLS[name], shuffled) == [RowOrderWarning]
    assert named(CALLS[name], PEOPLE.assign(job=PEOPLE["job"].to_numpy()[::-1])) == []


def test_a_few_changed_records_are_no_other_order() -> None:
    few = PEOPLE.assign(town=PEOPLE["town"].where(PEOPLE.index > 2, 99))
    assert named(CALLS["identification_risk"], few) == [KnownVariableChangedWarning]
    # A second file with errors is what linkage is for.
    assert named(CALLS["linkage_risk"], few) == []


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_the_warning_says_what_is_wrong_and_what_needs_no_order() -> None:
    text = r"the known variables \(town, sex\) differ from confidential in \d+ of 80 rows: .* cap need no order of rows"
    with pytest.warns(RowOrderWarning, match=text):
        CALLS["identification_risk"](PEOPLE.iloc[::-1].reset_index(drop=True))
