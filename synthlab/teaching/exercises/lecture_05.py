"""Lecture 5: draws from a logistic regression, and from the leaves of a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.teaching.checking import Exercise

Draws = Mapping[str, FloatArray]
DATASETS, PEOPLE, KEPT = 1_500, 1_200, 3_000


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


def _with_parameters(choose: Callable[[FloatArray], FloatArray]) -> Callable[..., Any]:
    def draw(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
        p = _inverse(_log_odds(x, {k: choose(v)[None] for k, v in posterior.items()}, np.zeros(m, dtype=int)))
        return (rng.random(p.shape) < p).astype(int)

    return draw


_mean_of_draws = _with_parameters(lambda values: values.mean(axis=0))
_one_draw = _with_parameters(lambda values: values[0])
_another_draw = _with_parameters(lambda values: values[-1])


def _probability(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return _inverse(_log_odds(x, posterior, _rows(posterior, m, rng)))


def _odds(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    odds = np.exp(_log_odds(x, posterior, _rows(posterior, m, rng)))
    return (rng.random(odds.shape) < odds).astype(int)


def _no_intercept(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return draw_logistic(x, {**posterior, "intercept": np.zeros(len(posterior["intercept"]))}, m, rng)


def _same_uniforms(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    p = _inverse(_log_odds(x, posterior, _rows(posterior, m, rng)))
    return (rng.random(len(x)) < p).astype(int)


def _turned(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    return draw_logistic(x, posterior, m, rng).T


def _one_uniform(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    p = _inverse(_log_odds(x, posterior, _rows(posterior, m, rng)))
    return (rng.random((m, 1)) < p).astype(int)


def _a_draw_a_person(x: FloatArray, posterior: Draws, m: int, rng: np.random.Generator) -> Any:
    rows = rng.integers(len(posterior["intercept"]), size=(m, len(x)))
    p = _inverse(posterior["intercept"][rows] + (posterior["slopes"][rows] * np.asarray(x)).sum(axis=2))
    return (rng.random(p.shape) < p).astype(int)


def _answers_logistic(function: Any) -> dict[str, Any]:
    sign = np.random.default_rng(1).choice([-1.0, 1.0], size=KEPT)
    sign[0], sign[-1] = 1.0, -1.0
    posterior = {"intercept": -0.5 + 1.2 * sign, "slopes": np.tile([2.0, 0.1], (KEPT, 1))}
    x = np.tile([[0.0, 0.0], [1.0, 1.0]], (PEOPLE // 2, 1))
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
    zero = made[:, x[:, 0] == 0]
    return {
        **size,
        "share of values that are 0 or 1": np.isin(made, (0.0, 1.0)).mean(),
        "share of 1 where the predictors are 0": zero.mean(),
        "share of 1 where the predictors are 1": made[:, x[:, 0] == 1].mean(),
        "standard deviation between the shares of datasets": made.mean(axis=1).std(),
        "standard deviation between people with the same predictors, in one dataset": zero.std(axis=1).mean(),
        "standard deviation between people with the same predictors, averaged over datasets": zero.mean(axis=0).std(),
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


def _from_all_records(leaf: IntArray, y: Any, new_leaf: IntArray, rng: np.random.Generator) -> Any:
    return rng.choice(np.asarray(y), size=len(new_leaf))


def _leaf_after_leaf(leaf: IntArray, y: Any, new_leaf: IntArray, rng: np.random.Generator) -> Any:
    return np.concatenate([rng.choice(y[leaf == one], int((new_leaf == one).sum())) for one in np.unique(new_leaf)])


def _share_of_leaf(leaf: IntArray, y: Any, new_leaf: IntArray, rng: np.random.Generator) -> Any:
    return np.array([np.mean(y[leaf == one]) for one in new_leaf])


def _leaf_as_position(leaf: IntArray, y: Any, new_leaf: IntArray, rng: np.random.Generator) -> Any:
    return np.asarray(y)[np.asarray(new_leaf)]


def _any_level(values: Any, size: int, rng: np.random.Generator) -> Any:
    return rng.choice(np.unique(values), size=size)


_one_answer = _of_each(lambda values, size, rng: rng.choice(values))
_first_answer = _of_each(lambda values, size, rng: values[0])
_frequent_answer = _of_each(_most_frequent)
_distinct_answer = _of_each(_any_level)

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
    return {
        "number of answers": NEW.size,
        **{f"share of 1 in leaf {leaf}": values[:, leaf == NEW].mean() for leaf in (3, 5, 8)},
        "standard deviation between the shares of several calls, leaf 3": values[:, NEW == 3].mean(axis=1).std(),
        "standard deviation between the records of one call, leaf 3": values[:, NEW == 3].std(axis=1).mean(),
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
            "All datasets have the same posterior draw; use a different one for each dataset.": _one_draw,
            "One posterior draw is used for all datasets; each dataset needs a different one.": _another_draw,
            "All datasets have the posterior means as parameters; use one posterior draw for each dataset.": _mean_of_draws,
            "These are probabilities; draw a 0 or a 1 with this probability for each person.": _probability,
            "exp(log odds) is the odds; the probability is odds / (1 + odds).": _odds,
            "The intercept is missing from the log odds.": _no_intercept,
            "All datasets have the same uniform numbers; draw new ones for each dataset.": _same_uniforms,
            "Each dataset must be a row: the shape is (m, n).": _turned,
            "All people in a dataset have the same uniform number; draw one for each person.": _one_uniform,
            "The people of a dataset are independent, as if each had a different posterior draw, or the mean probability "
            "of all draws; use one draw for each dataset.": _a_draw_a_person,
        },
        tolerance=0.03,
    ),
    Exercise(
        "05.draw_from_leaf",
        answers=_answers_leaf,
        right=draw_from_leaf,
        slips={
            "This is the most frequent answer in the leaf; draw one of its records at random.": _frequent_answer,
            "This draws from all records; draw only from records of the same leaf.": _from_all_records,
            "All records of a leaf get the same answer; draw a new answer for each record.": _one_answer,
            "The answers are right for each leaf, but not in the order of `new_leaf`.": _leaf_after_leaf,
            "`new_leaf` contains numbers of leaves, not positions in `y`.": _leaf_as_position,
            "This is the share in the leaf; draw the answer of one of its records.": _share_of_leaf,
            "All people get the answer of the first record of their leaf; draw a record at random.": _first_answer,
            "This draws from the distinct answers; draw from the records, so that answers keep their shares.": _distinct_answer,
        },
        tolerance=0.03,
    ),
)
