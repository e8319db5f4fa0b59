"""The figures of lectures 5 and 5b: a tree, and latent classes."""

from __future__ import annotations

import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.teaching.figures.classification_tree import plot_tree
from synthlab.teaching.figures.latent_classes import plot_classes

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


@pytest.mark.parametrize(
    ("fitted", "answer", "message"),
    [
        (lambda: tree_of(predictors=()), "yes", "has 1 leaves; 2 to 12 can be drawn"),
        (lambda: tree_of(PEOPLE.assign(sex=range(60))), "yes", "must be categories"),
        (tree_of, "perhaps", "answer="),
    ],
)
def test_what_cannot_be_drawn_is_said(fitted, answer, message):
    with pytest.raises(InputError, match=message):
        plot_tree(fitted(), answer)


def test_the_largest_class_is_first():
    ax = plot_classes([0.2, 0.7, 0.1], [[0.9, 0.2, 0.5], [0.1, 0.8, 0.5]], {"smokes": ["yes", "no"]})
    assert [label.get_text() for label in ax.get_xticklabels()] == ["class 1\n70%", "class 2\n20%", "class 3\n10%"]
    assert [text.get_text() for text in ax.texts[:3]] == ["20", "90", "50"]


@pytest.mark.parametrize(("pi", "psi"), [([1.0], [[1.0]]), ([0.1] * 10, [[0.1] * 10] * 2), ([[1.0]], [[1.0], [0.0]])])
def test_shapes_that_do_not_agree(pi, psi):
    with pytest.raises(InputError, match=r"psi: must have one row for each of 2 levels"):
        plot_classes(pi, psi, {"smokes": ["yes", "no"]})
