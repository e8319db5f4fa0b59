"""Population risk compared with the R package sdcMicro."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab.crosscheck._check import Row
from synthlab.design import SurveyDesign
from synthlab.r import Reference
from synthlab.risk import population_counts

KEYS = ["SEX", "RACE", "MAR", "LANX"]
MODELS = {"main": "SEX + RACE + MAR + LANX", "pair": "SEX*MAR + RACE + LANX"}
PEOPLE, EQUAL, LARGEST = 400, 20.0, 4
SAMPLE_MEANS = (
    "sdcMicro's modRisk uses the fitted counts of the sample, pi lambda, instead of the counts of the population, lambda, in "
    "exp(-(1 - pi) lambda): if one person in 20 is sampled, the count is 20 times too small, and the risk too large"
)


def _people() -> pd.DataFrame:
    return datasets.load("acs", version="simulated").frame.head(PEOPLE)[KEYS]


def weighted_counts(answer: Reference) -> Iterator[Row]:
    """Yield the rows of counts and risks from survey weights."""
    number = np.arange(1, PEOPLE + 1)
    for case, weights in (("differing", 2.0 + 7 * number % 29), ("equal", np.full(PEOPLE, EQUAL))):
        found = population_counts(_people(), KEYS, SurveyDesign(weights=weights))
        few = found.sample <= LARGEST
        for function, what, ours in (
            ("freqCalc", "people in the sample", found.sample),
            ("freqCalc", "people in the population", found.population),
            ("indivRisk", "individual risk", found.match[few]),
        ):
            theirs = answer.value(what=what, case=case)
            yield Row(f"{function}: {what}", f"weights: {case}", ours, theirs, "series")


def log_linear(answer: Reference, case: str) -> Iterator[Row]:
    """Yield the rows of one of the `MODELS`."""
    people, model = _people(), MODELS[case]
    found = population_counts(people, KEYS, SurveyDesign(weights=np.full(PEOPLE, EQUAL)), model=model)
    # The expected count of a cell from N_t = n + (1 - pi) lambda, for comparison with R's fitted sample count.
    share = 1 / EQUAL
    expected = (found.population - found.sample) / (1 - share)
    in_r = _of_records(people, answer.value(what="fitted means", case=case))
    where = f"log-linear model {model}"
    yield Row("modRisk: fitted counts", where, share * expected, in_r, "glm by default")
    rest = (1 - share) * in_r[found.unique]
    theirs, right = (
        {"population uniques": np.exp(-mean).sum(), "correct matches": (-np.expm1(-mean) / mean).sum()}
        for mean in (rest, rest / share)
    )
    for what, ours in (("population uniques", found.population_uniques), ("correct matches", found.correct_matches)):
        stated = right[what] - theirs[what]
        said = answer.value(what=what, case=case)
        yield Row(f"modRisk: {what}", where, ours, said, "glm by default", stated, SAMPLE_MEANS)


def _of_records(people: pd.DataFrame, means: Any) -> Any:
    """Return the mean of the cell of each record, from the means of all cells."""
    codes = [np.unique(people[key], return_inverse=True)[1] for key in KEYS]
    return means[np.ravel_multi_index(codes, tuple(int(code.max()) + 1 for code in codes))]
