"""Lecture 5: draws from a logistic regression, and from the leaves of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_integers, generator_use

Draws = Mapping[str, FloatArray]
DATASETS, PEOPLE, KEPT = 1_500, 1_200, 3_000


def draw_logistic(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    """Return m synthetic columns of 0 and 1, shape (m, len(x))."""
    rows = rng.choice(len(posterior["intercept"]), size=m, replace=False)
    log_odds = posterior["intercept"][rows, None] + posterior["slopes"][rows] @ np.asarray(x).T
    p = 1.0 / (1.0 + np.exp(-log_odds))
    return (rng.random(p.shape) < p).astype(int)


def _posterior(seed: int) -> dict[str, FloatArray]:
    """Return draws in which the intercept and both slopes vary together."""
    sign = np.random.default_rng(seed).choice([-1.0, 1.0], size=KEPT)
    sign[0], sign[-1] = 1.0, -1.0
    slopes = np.column_stack([1.5 + 0.5 * sign, -0.8 - 0.9 * sign])
    return {"intercept": -0.5 + 1.2 * sign, "slopes": slopes}


def _answers_logistic(function: Any) -> dict[str, Any]:
    posterior, x = _posterior(1), np.tile([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], (PEOPLE // 4, 1))
    given = function(x, posterior, DATASETS, np.random.default_rng(2))
    if given is None or given is ...:
        return {"the result": given}
    made = np.asarray(given)
    size = {
        "number of datasets (rows)": made.shape[0] if made.ndim > 1 else 1,
        "number of people (columns)": made.shape[-1] if made.ndim else 1,
    }
    if made.shape != (DATASETS, len(x)):
        return size
    made = made.astype(float)
    groups = {f"predictors {a:g} and {b:g}": made[:, (x == (a, b)).all(axis=1)] for a, b in x[:4]}
    zero = groups["predictors 0 and 0"]
    other = np.asarray(
        function(np.array([[2.0, 1.0]] * 1_000), _posterior(3), 400, np.random.default_rng(4)), dtype=float
    )
    few = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    return {
        **size,
        **generator_use(lambda rng: function(few, posterior, 5, rng)),
        "share of values that are 0 or 1": np.isin(made, (0.0, 1.0)).mean(),
        **{f"share of 1, {name}": group.mean() for name, group in groups.items()},
        "share of 1 in a second call, predictors 2 and 1": other.mean(),
        **{
            f"standard deviation between the shares of datasets, {name}": group.mean(axis=1).std()
            for name, group in groups.items()
        },
        "standard deviation between people with the same predictors, in one dataset": zero.std(axis=1).mean(),
        "standard deviation between people with the same predictors, averaged over datasets": zero.mean(axis=0).std(),
    }


def draw_from_leaf(leaf: IntArray, y: Any, new_leaf: IntArray, rng: np.random.Generator) -> Any:
    """Return the value of a random confidential record of each new record's leaf."""
    leaf, y = np.asarray(leaf), np.asarray(y)
    return np.array([rng.choice(y[leaf == number]) for number in new_leaf])


LEAF = np.repeat([3, 5, 8], [10, 20, 4])
ANSWERS = np.concatenate([np.repeat([0, 1], [8, 2]), np.repeat([0, 1], [5, 15]), np.zeros(4, dtype=int)])
NEW = np.random.default_rng(4).permutation(np.repeat([3, 5, 8], [60, 40, 8]))
REPEATS = 150


def _answers_leaf(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    given = [function(LEAF.copy(), ANSWERS.copy(), NEW.copy(), rng) for _ in range(REPEATS)]
    if given[0] is None or given[0] is ...:
        return {"the result": given[0]}
    made = [np.asarray(one) for one in given]
    if any(one.shape != NEW.shape for one in made):
        return {"number of answers": made[0].size}
    values = np.array(made, dtype=float)
    other = [function(np.array([1, 0, 1, 0]), np.array([0, 1, 1, 1]), np.array([1, 0, 0]), rng) for _ in range(2_000)]
    return {
        **generator_use(lambda rng: function(LEAF.copy(), ANSWERS.copy(), NEW.copy(), rng)),
        "number of answers": NEW.size,
        **{
            f"share of 1 for new record {k + 1}, four records in two leaves": np.mean([one[k] for one in other])
            for k in range(3)
        },
        **{f"share of 1 in leaf {leaf}": values[:, leaf == NEW].mean() for leaf in (3, 5, 8)},
        "standard deviation between the shares of several calls, leaf 3": values[:, NEW == 3].mean(axis=1).std(),
        "standard deviation between the records of one call, leaf 3": values[:, NEW == 3].std(axis=1).mean(),
    }


EXERCISES = (
    Exercise(
        "05.draw_logistic",
        form=as_integers,
        answers=_answers_logistic,
        right=draw_logistic,
        slips={
            "This is the more probable value of each person; draw the value with its probability.": {
                "rng.random(p.shape)": "0.5"
            },
            "This uses the log odds as a probability; convert them with 1 / (1 + exp(-log odds)).": {
                "1.0 / (1.0 + np.exp(-log_odds))": "log_odds"
            },
            "0 and 1 are swapped: the formula gives the probability of a 1.": {"np.exp(-log_odds)": "np.exp(log_odds)"},
            "All datasets have the same posterior draw; use a different one for each dataset.": {
                'rng.choice(len(posterior["intercept"]), size=m, replace=False)': "np.zeros(m, dtype=int)"
            },
            "One posterior draw is used for all datasets; each dataset needs a different one.": {
                'rng.choice(len(posterior["intercept"]), size=m, replace=False)': "np.full(m, -1)"
            },
            "All datasets have the posterior means as parameters; use one posterior draw for each dataset.": {
                '["intercept"][rows, None]': '["intercept"].mean()',
                '["slopes"][rows]': '["slopes"].mean(axis=0, keepdims=True).repeat(m, axis=0)',
            },
            "These are probabilities; draw a 0 or a 1 with this probability for each person.": {
                "(rng.random(p.shape) < p).astype(int)": "p"
            },
            "exp(log odds) is the odds; the probability is odds / (1 + odds).": {
                "1.0 / (1.0 + np.exp(-log_odds))": "np.exp(log_odds)"
            },
            "The intercept is missing from the log odds.": {'posterior["intercept"][rows, None] + ': ""},
            "All datasets have the same uniform numbers; draw new ones for each dataset.": {
                "rng.random(p.shape)": "rng.random(len(x))"
            },
            "Each dataset must be a row: the shape is (m, n).": {".astype(int)": ".astype(int).T"},
            "All people in a dataset have the same uniform number; draw one for each person.": {
                "rng.random(p.shape)": "rng.random((m, 1))"
            },
            "The people of a dataset are independent, as if each had a different posterior draw, or the mean probability "
            "of all draws; use one draw for each dataset.": {
                "size=m, replace=False": "size=(m, len(x))",
                "[rows, None]": "[rows]",
                'posterior["slopes"][rows] @ np.asarray(x).T': '(posterior["slopes"][rows] * np.asarray(x)).sum(axis=2)',
            },
        },
        tolerance=0.03,
    ),
    Exercise(
        "05.draw_from_leaf",
        answers=_answers_leaf,
        right=draw_from_leaf,
        slips={
            "This is the most frequent answer in the leaf; draw one of its records at random.": {
                "rng.choice(y[leaf == number])": "np.bincount(y[leaf == number]).argmax()"
            },
            "This draws from all records; draw only from records of the same leaf.": {"y[leaf == number]": "y"},
            "All records of a leaf get the same answer; draw a new answer for each record.": {
                "rng.choice(y[leaf == number])": "drawn[number]",
                "    return": "    drawn = {number: rng.choice(y[leaf == number]) for number in np.unique(new_leaf)}\n    return",
            },
            "The answers are right for each leaf, but not in the order of `new_leaf`.": {
                "in new_leaf": "in np.sort(new_leaf)"
            },
            "`new_leaf` contains numbers of leaves, not positions in `y`.": {
                "rng.choice(y[leaf == number])": "y[number]"
            },
            "This is the share in the leaf; draw the answer of one of its records.": {"rng.choice": "np.mean"},
            "All people get the answer of the first record of their leaf; draw a record at random.": {
                "rng.choice(y[leaf == number])": "y[leaf == number][0]"
            },
            "This draws from the distinct answers; draw from the records, so that answers keep their shares.": {
                "y[leaf == number]": "np.unique(y[leaf == number])"
            },
        },
        tolerance=0.03,
    ),
)
