"""Lecture 9: the correct attribution probability (CAP) and its baselines."""

from __future__ import annotations

from typing import Any

import pandas as pd

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_numbers, labeled

Answers = tuple[float, float, float]


def cap(people: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> tuple[float, float, float]:
    """Return the mean CAP and the baselines: margin draw and best constant."""
    share = released.groupby(keys, observed=True)[target].value_counts(normalize=True)
    score = share.reindex(pd.MultiIndex.from_frame(people[[*keys, target]])).fillna(0)
    margin = people[target].value_counts(normalize=True)
    return float(score.mean()), float((margin**2).sum()), float(margin.max())


def _has_class(people: pd.DataFrame, released: pd.DataFrame, keys: list[str]) -> Any:
    """Return whether the keys of each person occur in a released record."""
    return pd.MultiIndex.from_frame(people[keys]).isin(pd.MultiIndex.from_frame(released[keys]))


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
SEVEN = pd.DataFrame({"age": [1, 1, 1, 2, 2, 3, 3], "answer": list("abbacbb")})
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
        form=as_numbers,
        answers=_answers,
        right=cap,
        slips={
            "A person whose keys occur in no record scores 0 and remains in the mean.": {
                "score.mean()": "score[_has_class(people, released, keys)].mean()"
            },
            "A person whose answer does not occur in the class scores 0 and remains in the mean.": {".fillna(0)": ""},
            "A person whose keys occur in no record scores 0, not the share of the answer in the margin.": {
                "score.mean()": "score.where(_has_class(people, released, keys), people[target].map(margin).to_numpy()).mean()"
            },
            "This is the sum of the scores; return the mean over all people.": {"score.mean()": "score.sum()"},
            "This is the most frequent answer of the class; CAP is the share of the true answer in the class.": (
                _most_frequent_answer
            ),
            "Divide by the number of records with the keys, not by the number of all records.": {
                "released.groupby(keys, observed=True)[target].value_counts(normalize=True)": "released.groupby([*keys, target], observed=True).size() / len(released)"
            },
            "The baselines are for an intruder without the release; use the margin of the confidential data.": (
                {"margin = people": "margin = released"}
            ),
            "The baselines use shares of the answers, not counts; set normalize=True.": {
                "people[target].value_counts(normalize=True)": "people[target].value_counts()"
            },
            "A draw from the margin uses the frequencies of the answers, not equal probabilities.": {
                "(margin**2).sum()": "1 / people[target].nunique()"
            },
            "Return the draw first, then the best constant; here they are swapped.": {
                "float((margin**2).sum()), float(margin.max())": "float(margin.max()), float((margin**2).sum())"
            },
        },
    ),
)
