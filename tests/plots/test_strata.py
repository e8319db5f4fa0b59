"""The figure of a stratified sample: both shares and the weight of each group, and what is said."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd
import pytest

mpl.use("agg")

from synthlab.exceptions import InputError
from synthlab.teaching.figures.strata import show_strata

PEOPLE, RECORDS = pd.Series(["a"] * 30 + ["b"] * 10), pd.Series(["b", "a", "b", "b"])


def test_shares_and_weights_are_those_of_the_groups_by_name():
    shown = show_strata(PEOPLE, RECORDS, label="kind")
    ax = shown.figure.axes[0]
    assert [bar.get_height() for bar in ax.patches] == [75.0, 25.0, 25.0, 75.0]
    assert {"weight 30.00", "weight 3.33"} <= {text.get_text() for text in ax.texts}
    assert "a: 75% and 25%, weight 30.00. b: 25% and 75%, weight 3.33." in shown.description


@pytest.mark.parametrize(
    ("population", "survey", "message"),
    [
        (PEOPLE, pd.Series(["a"]), "must occur in both"),
        (PEOPLE, pd.Series(["b"] * 11 + ["a"]), "more records than"),
        (PEOPLE, pd.Series([], dtype=object), "survey: must be a Series"),
        (["a", "b"], RECORDS, "population: must be a Series"),
    ],
)
def test_groups_that_do_not_fit(population, survey, message):
    with pytest.raises(InputError, match=message):
        show_strata(population, survey, label="kind")
