"""The figure of a stratified sample: both shares and the weight of each group, and what is said."""

from __future__ import annotations

import pandas as pd

from synthlab.teaching.figures.lecture_16 import show_strata

PEOPLE, RECORDS = pd.Series(["a"] * 30 + ["b"] * 10), pd.Series(["b", "a", "b", "b"])


def test_shares_and_weights_are_those_of_the_groups_by_name():
    shown = show_strata(PEOPLE, RECORDS, label="kind")
    ax = shown.figure.axes[0]
    assert [bar.get_height() for bar in ax.patches] == [75.0, 25.0, 25.0, 75.0]
    assert {"weight 30.00", "weight 3.33"} <= {text.get_text() for text in ax.texts}
    assert "a: 75% and 25%, weight 30.00. b: 25% and 75%, weight 3.33." in shown.description
