"""Lecture 10: the intruder's posterior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import labeled


def posterior(town: object, files: Sequence[npt.ArrayLike]) -> Any:
    """Return the probability that each record is the target's; the true town is known."""
    shares = 0
    for z in map(np.asarray, files):
        agree = z == town
        agree = agree if agree.any() else np.ones(len(z), bool)
        shares = shares + agree / agree.sum() / len(files)
    return shares


def _mode(town: object, files: Sequence[npt.ArrayLike]) -> Any:
    """Match on the most frequent value of each record, the first one in a tie."""
    values = np.array([np.asarray(z) for z in files])
    modes = [max(column.tolist(), key=column.tolist().count) for column in values.T]
    return posterior(town, [np.array(modes)])


FOUR = [list("abbc"), list("aacb")]


RECORDS = ("Ann's record", "Bea's record", "Cleo's record", "Dora's record")


def _answers_posterior(function: Callable[..., Any]) -> dict[str, Any]:
    files = [np.array(towns) for towns in FOUR]
    answers: dict[str, Any] = {}
    for woman, town in zip(("Ann", "Bea", "Cleo", "Dora"), "aabc", strict=True):
        answers |= labeled(f"the target is {woman}", function(town, files), RECORDS)
    three = [*files, np.array(list("abab"))]
    return answers | labeled("Dora, and a third file without a match", function("c", three), RECORDS)


EXERCISES = (
    Exercise(
        "10.posterior",
        answers=_answers_posterior,
        right=posterior,
        slips={
            "A match among many matches carries less information; divide the probability among the matches.": {
                "np.ones(len(z), bool)": "agree",
                " / agree.sum()": "",
            },
            "First divide the probability among the matches of each file, then average over the files.": {
                "np.ones(len(z), bool)": "agree",
                " / agree.sum()": "",
                "return shares": "return shares / shares.sum()",
            },
            "A file without a match still counts; divide the probability among all records.": {
                "np.ones(len(z), bool)": "agree",
                "agree.sum()": "max(agree.sum(), 1)",
            },
            "The probabilities add up to the number of files; divide by this number.": {" / len(files)": ""},
            "This is the largest probability over the files; average over the files.": {
                "shares + agree / agree.sum() / len(files)": "np.maximum(shares, agree / agree.sum())"
            },
            "This matches on the most frequent value of each record; average the probabilities over the files.": _mode,
            "This uses only the first file; average over all files.": {"shares = 0": "files, shares = files[:1], 0"},
        },
    ),
)
