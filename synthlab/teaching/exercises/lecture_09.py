"""Lecture 9: the correct attribution probability (CAP) and its baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import labeled

Answers = tuple[float, float, float]


def cap(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    """Return the mean CAP and the baselines: margin draw and best constant."""
    score, margin = _scores(people, released, keys, target), _shares(people, target)
    return float(score.fillna(0).mean()), float((margin**2).sum()), float(margin.max())


def _scores(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> pd.Series:
    """Return the share of each person's answer in the class; NaN if it does not occur."""
    share = released.groupby(keys, observed=True)[target].value_counts(normalize=True)
    return share.reindex(pd.MultiIndex.from_frame(people[[*keys, target]]))


def _shares(people: pd.DataFrame, target: str) -> pd.Series:
    return people[target].value_counts(normalize=True)


def _absent_left_out(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    has_class = pd.MultiIndex.from_frame(people[keys]).isin(pd.MultiIndex.from_frame(released[keys]))
    score = _scores(people, released, keys, target).fillna(0).to_numpy()[has_class]
    return float(score.mean()), *cap(people, released, keys, target)[1:]


def _missing_left_out(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    return float(_scores(people, released, keys, target).mean()), *cap(people, released, keys, target)[1:]


def _share_of_all(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    columns = [*keys, target]
    share = released.groupby(columns, observed=True).size() / len(released)
    score = share.reindex(pd.MultiIndex.from_frame(people[columns])).fillna(0)
    return float(score.mean()), *cap(people, released, keys, target)[1:]


def _margin_of_release(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    margin = _shares(released, target)
    return cap(people, released, keys, target)[0], float((margin**2).sum()), float(margin.max())


def _even_draw(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    score, _, constant = cap(people, released, keys, target)
    return score, 1 / people[target].nunique(), constant


def _turned(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    score, draw, constant = cap(people, released, keys, target)
    return score, constant, draw


def _absent_from_margin(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    has_class = pd.MultiIndex.from_frame(people[keys]).isin(pd.MultiIndex.from_frame(released[keys]))
    score = _scores(people, released, keys, target).fillna(0).to_numpy()
    by_margin = people[target].map(_shares(people, target)).to_numpy(float)
    return float(np.where(has_class, score, by_margin).mean()), *cap(people, released, keys, target)[1:]


def _summed(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    score, draw, constant = cap(people, released, keys, target)
    return score * len(people), draw, constant


def _counted_margin(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    margin = people[target].value_counts()
    return cap(people, released, keys, target)[0], float((margin**2).sum()), float(margin.max())


def _most_frequent_answer(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> Answers:
    most = released.groupby(keys, observed=True)[target].agg(lambda answers: answers.mode()[0])
    said = most.reindex(pd.MultiIndex.from_frame(people[keys]) if len(keys) > 1 else people[keys[0]])
    right = said.to_numpy() == people[target].to_numpy()
    return float(right.mean()), *cap(people, released, keys, target)[1:]


SIX = pd.DataFrame({"region": list("NNNSSS"), "sex": list("fmfmfm"), "ill": ["yes", "no", "yes", "no", "no", "yes"]})
SIX_RELEASED = pd.DataFrame(
    {"region": list("NNNNSS"), "sex": list("ffmmmm"), "ill": ["yes", "yes", "no", "yes", "no", "yes"]}
)
# Unequal margins; an absent key (age 3); an answer that does not occur in the class (age 2, answer c).
SEVEN = pd.DataFrame({"age": [1, 1, 1, 2, 2, 3, 3], "answer": list("aabacbb")})
SEVEN_RELEASED = pd.DataFrame({"age": [1, 1, 1, 1, 2, 2], "answer": list("abbcaa")})

LABELS = ("mean CAP", "random draw without the release", "best constant")


def _answers(function: Any) -> dict[str, Any]:
    return {
        **labeled("six people", function(SIX, SIX_RELEASED, ["region", "sex"], "ill"), LABELS),
        **labeled("seven people with three answers", function(SEVEN, SEVEN_RELEASED, ["age"], "answer"), LABELS),
    }


EXERCISES = (
    Exercise(
        "09.cap",
        answers=_answers,
        right=cap,
        slips={
            "A person whose keys occur in no record scores 0 and remains in the mean.": _absent_left_out,
            "A person whose answer does not occur in the class scores 0 and remains in the mean.": _missing_left_out,
            "A person whose keys occur in no record scores 0, not the share of the answer in the margin.": _absent_from_margin,
            "This is the sum of the scores; return the mean over all people.": _summed,
            "This is the most frequent answer of the class; CAP is the share of the true answer in the class.": (
                _most_frequent_answer
            ),
            "Divide by the number of records with the keys, not by the number of all records.": _share_of_all,
            "The baselines are for an intruder without the release; use the margin of the confidential data.": (
                _margin_of_release
            ),
            "The baselines use shares of the answers, not counts; set normalize=True.": _counted_margin,
            "A draw from the margin uses the frequencies of the answers, not equal probabilities.": _even_draw,
            "Return the draw first, then the best constant; here they are swapped.": _turned,
        },
    ),
)
