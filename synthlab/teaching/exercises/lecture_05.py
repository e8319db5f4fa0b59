"""Lecture 5: draws from a logistic regression, and from the leaves of a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.teaching.checking import Exercise

Draws = Mapping[str, FloatArray]
DATASETS, KEPT = 2_000, 3_000


def draw_logistic(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    """Return m synthetic columns of 0 and 1, shape (m, len(x))."""
    p = _inverse(_log_odds(x, posterior, _rows(posterior, m, rng)))
    return (rng.random(p.shape) < p).astype(int)


def _rows(posterior: Draws, m: int, rng: np.random.Generator) -> IntArray:
    return rng.choice(len(posterior["intercept"]), size=m, replace=False)


def _log_odds(x: FloatArray, posterior: Draws, rows: IntArray) -> FloatArray:
    return np.asarray(posterior["intercept"][rows, None] + posterior["slopes"][rows] @ np.asarray(x).T, dtype=float)


def _inverse(log_odds: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-log_odds)), dtype=np.float64)


def _threshold(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return (_log_odds(x, posterior, _rows(posterior, m, rng)) > 0).astype(int)


def _no_inverse(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    odds = _log_odds(x, posterior, _rows(posterior, m, rng))
    return (rng.random(odds.shape) < odds).astype(int)


def _turned_sign(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return 1 - draw_logistic(x, posterior, m, rng)


def _one_draw(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    mean = {name: values.mean(axis=0, keepdims=True) for name, values in posterior.items()}
    p = _inverse(_log_odds(x, mean, np.zeros(m, dtype=int)))
    return (rng.random(p.shape) < p).astype(int)


def _one_uniform(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    p = _inverse(_log_odds(x, posterior, _rows(posterior, m, rng)))
    return (rng.random((m, 1)) < p).astype(int)


def _a_draw_a_person(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    rows = rng.integers(len(posterior["intercept"]), size=(m, len(x)))
    p = _inverse(posterior["intercept"][rows] + (posterior["slopes"][rows] * np.asarray(x)).sum(axis=2))
    return (rng.random(p.shape) < p).astype(int)


def _answers_logistic(function: Any) -> dict[str, Any]:
    z = np.random.default_rng(1).standard_normal((2, KEPT))
    posterior = {"intercept": -1.5 + 1.2 * z[0], "slopes": np.column_stack([np.full(KEPT, 2.0), 0.05 * z[1]])}
    x = np.tile([[0.0, 0.0], [1.0, 1.0]], (50, 1))
    given = function(x, posterior, DATASETS, np.random.default_rng(2))
    if given is None or given is ...:
        return {"the result": given}
    made = np.asarray(given)
    if made.shape != (DATASETS, len(x)):
        return {"the shape of the result": made.shape}
    made = made.astype(float)
    return {
        "the shape of the result": made.shape,
        "only 0 and 1": bool(np.isin(made, (0.0, 1.0)).all()),
        "standard deviation between the shares of datasets": made.mean(axis=1).std(),
        "share of 1 where the predictors are 0": made[:, x[:, 0] == 0].mean(),
        "share of 1 where the predictors are 1": made[:, x[:, 0] == 1].mean(),
        "standard deviation within a group of a dataset": made[:, x[:, 0] == 0].std(axis=1).mean(),
    }


def draw_from_leaf(leaf: IntArray, y: Any, new_leaf: IntArray, rng: np.random.Generator) -> Any:
    """Return the value of a random confidential record of each new record's leaf."""
    leaf, y = np.asarray(leaf), np.asarray(y)
    return np.array([rng.choice(y[leaf == one]) for one in new_leaf])


def _of_each(choose: Callable[..., Any]) -> Callable[..., Any]:
    def draw(leaf: IntArray, y: Any, new_leaf: IntArray, rng: np.random.Generator) -> Any:
        leaf, y, new_leaf = np.asarray(leaf), np.asarray(y), np.asarray(new_leaf)
        made = np.empty(len(new_leaf), dtype=y.dtype)
        for one in np.unique(new_leaf):
            made[new_leaf == one] = choose(y[leaf == one], int((new_leaf == one).sum()), rng)
        return made

    return draw


def _most_frequent(values: Any, size: int, rng: np.random.Generator) -> Any:
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[counts.argmax()]


def _from_everybody(leaf: IntArray, y: Any, new_leaf: IntArray, rng: np.random.Generator) -> Any:
    return rng.choice(np.asarray(y), size=len(new_leaf))


def _any_level(values: Any, size: int, rng: np.random.Generator) -> Any:
    return rng.choice(np.unique(values), size=size)


LEAF = np.repeat([3, 5, 8], [10, 20, 4])
ANSWERS = np.concatenate([np.repeat([0, 1], [8, 2]), np.repeat([0, 1], [5, 15]), np.zeros(4, dtype=int)])
NEW = np.repeat([3, 5, 8], [100, 40, 8])
REPEATS = 400


def _answers_leaf(function: Any) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    given = [function(LEAF, ANSWERS, NEW, rng) for _ in range(REPEATS)]
    if given[0] is None or given[0] is ...:
        return {"the result": given[0]}
    made = [np.asarray(one) for one in given]
    if any(one.shape != NEW.shape for one in made):
        return {"the shape of the result": made[0].shape}
    values = np.array(made, dtype=float)
    return {
        "the shape of the result": NEW.shape,
        **{f"share of 1 in leaf {leaf}": values[:, leaf == NEW].mean() for leaf in (3, 5, 8)},
        "standard deviation between draws, leaf 3": values[:, NEW == 3].mean(axis=1).std(),
        "standard deviation between records, leaf 3": values[:, NEW == 3].std(axis=1).mean(),
    }


EXERCISES = (
    Exercise(
        "05.draw_logistic",
        answers=_answers_logistic,
        right=draw_logistic,
        slips={
            "This is the more probable value of each person; draw the value with its probability.": _threshold,
            "This uses the log odds as a probability; convert them with 1 / (1 + exp(-log odds)).": _no_inverse,
            "0 and 1 are swapped: the formula gives the probability of a 1.": _turned_sign,
            "All datasets have the same parameters; use a different posterior draw for each dataset.": _one_draw,
            "All people in a dataset have the same uniform number; draw one for each person.": _one_uniform,
            "Each person has a different posterior draw; use one draw per dataset.": _a_draw_a_person,
        },
        tolerance=0.02,
    ),
    Exercise(
        "05.draw_from_leaf",
        answers=_answers_leaf,
        right=draw_from_leaf,
        slips={
            "This is the most frequent answer in the leaf; draw one of its records at random.": _of_each(
                _most_frequent
            ),
            "This draws from all records; draw only from records of the same leaf.": _from_everybody,
            "All records of a leaf get the same answer; draw a new answer for each record.": _of_each(
                lambda values, size, rng: rng.choice(values)
            ),
            "This draws from the distinct answers; draw from the records, so that answers keep their shares.": _of_each(
                _any_level
            ),
        },
        tolerance=0.03,
    ),
)
