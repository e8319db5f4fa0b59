"""The figures of lectures 5 and 5b: a tree, and latent classes."""

from __future__ import annotations

import pandas as pd
import pytest

import synthlab as sl
from synthlab.teaching.figures.lecture_05 import plot_tree
from synthlab.teaching.figures.lecture_05b import plot_classes

PEOPLE = pd.DataFrame({
    "sex": ["f", "m"] * 30,
    "region": ["N"] * 30 + ["S"] * 30,
    "smokes": ["no", "yes"] * 15 + ["yes"] * 28 + ["no"] * 2,
})  # fmt: skip


def tree_of(frame=PEOPLE, predictors=("sex", "region"), **options):
    return sl.CART(["smokes"], predictors=list(predictors), **options).fit(frame, rng=1)


def test_a_leaf_shows_its_people_and_their_share():
    texts = [text.get_text() for text in plot_tree(tree_of(), "yes").texts]
    shown = [text for text in texts if "\n" in text]
    assert sum(int(text.partition("\n")[0]) for text in shown) == len(PEOPLE)
    yes = sum(int(text.partition("\n")[0]) * int(text.partition("\n")[2].rstrip(" %")) / 100 for text in shown)
    assert yes == pytest.approx((PEOPLE["smokes"] == "yes").sum(), abs=0.5)
    assert "15\n0%" in shown
    assert {"yes", "no"} < set(texts)


def test_yes_is_on_the_left():
    ax = plot_tree(tree_of(predictors=["sex"]), "yes")
    at = {text.get_text(): text.get_position()[0] for text in ax.texts}
    assert at["yes"] < at["no"]
    question = next(text for text in at if text.endswith("?"))
    smokers = (PEOPLE["smokes"] == "yes")[PEOPLE["sex"] == question[-2]].mean()
    left = next(text for text, x in at.items() if "\n" in text and x == 0)
    assert left == f"30\n{smokers:.0%}"


def test_the_largest_class_is_first():
    ax = plot_classes([0.2, 0.7, 0.1], [[0.9, 0.2, 0.5], [0.1, 0.8, 0.5]], {"smokes": ["yes", "no"]})
    assert [label.get_text() for label in ax.get_xticklabels()] == ["class 1\n70%", "class 2\n20%", "class 3\n10%"]
    assert [text.get_text() for text in ax.texts[:3]] == ["20", "90", "50"]
