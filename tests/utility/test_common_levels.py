"""Levels of a category over several datasets."""

from __future__ import annotations

import pandas as pd

from synthlab.utility._regression import _common_levels


class OneCategory:
    """A formula with one category."""

    text = "y ~ g"
    aliases = ("_category_0", "x")

    def column_of(self, alias):
        return {"_category_0": "g"}[alias]


def test_the_first_dataset_declares_the_order_of_the_levels():
    first = pd.DataFrame({"g": pd.Categorical(["a", "b"] * 2, categories=["b", "z", "a"])})
    second = pd.DataFrame({"g": pd.Categorical(["d", "a", "c", "a"], categories=["c", "a", "d"])})
    assert _common_levels(OneCategory(), [first, second])["_category_0"].tolist() == ["b", "a", "c", "d"]
