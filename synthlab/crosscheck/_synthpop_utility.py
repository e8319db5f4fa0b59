"""Tables and pMSE compared with the R package synthpop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from synthlab.crosscheck._check import Check, make_check
from synthlab.crosscheck._synthpop_data import GROUP, Frames, answer_for, categories, label, load
from synthlab.matching.numeric_groups import group_numbers
from synthlab.r import Reference
from synthlab.utility import pmse, table_utility

TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "youths": ("youths", ("gender", "crimtype", "alcuse")),
    "youths 1500": ("youths", ("gender", "crimtype", "alcuse")),
    "ce": ("ce", ("Age", "Tenure", "Income")),
    "acs": ("acs", ("LANX", "WAOB", "DIS")),
}
MODELS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "affairs": (
        ("age", "yrs_married", "children", "religious", "educ", "occupation", "rate_marriage", "affairs"),
        ("occupation",),
    ),
    "youths": (("gender", "race", "alcuse", "agefirst"), ("gender", "race", "alcuse")),
    "acs": (("MAR", "LANX", "WAOB", "DIS", "HICOV"), ("MAR", "LANX", "WAOB", "DIS", "HICOV")),
}
PERMUTATIONS = 500


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of ``utility.tab`` and ``utility.gen``."""
    for case, (data, variables) in TABLES.items():
        yield from _tables(answers, case, data, variables)
    for data, (variables, factors) in MODELS.items():
        yield from _logistic(answers, data, variables, factors)
    yield from _trees(answers)


def _table_frames(answers: Mapping[str, Reference], case: str, data: str, variables: tuple[str, ...]) -> Frames:
    frames = [frame[list(variables)] for frame in load(data, answers)]
    if case == "youths 1500":
        frames = [frames[0], *(frame.head(1500) for frame in frames[1:])]
    if data == "ce":  # numbers in five groups, the default of utility.tab
        first, release = group_numbers(frames[0], frames[1:], groups={"Age": 5, "Income": 5})
        frames = [first, *release]
    return categories(frames, variables)


def _tables(answers: Mapping[str, Reference], case: str, data: str, variables: tuple[str, ...]) -> Iterator[Check]:
    frames, answer = _table_frames(answers, case, data, variables), answer_for(data, answers)
    said = f"{label(data, case, answers)}, {' x '.join(variables)}"

    def theirs(what: str) -> Any:
        return answer.value(what=f"table {what}", case=case)

    distance = table_utility(frames[0], frames[1:], margins=[variables], missing="category").total_variation[0]
    measures = {"MabsDD": 2.0, "SPECKS": 1.0}
    if len(frames[0]) == len(
        frames[1]
    ):  # PO50 uses the share of synthetic records as threshold, which is then one half
        measures["PO50"] = 50.0
    for what, factor in measures.items():
        times = f"{factor:g} x " if factor != 1 else ""
        yield make_check(
            GROUP, f"{what}, {times}total variation", said, factor * distance, theirs(what), "share", answer
        )
    saturated = pmse(frames[0], frames[1:], order=len(variables), null_parameters="all", missing="category")
    for what, ours in (("pMSE", saturated.pmse), ("S_pMSE", saturated.ratio)):
        yield make_check(GROUP, f"{what} of a table", said, ours, theirs(what), "maximum likelihood", answer)
    yield make_check(GROUP, "df of a table", said, saturated.n_parameters - 1, theirs("df"), "count", answer)


def _logistic(
    answers: Mapping[str, Reference], data: str, variables: tuple[str, ...], factors: tuple[str, ...]
) -> Iterator[Check]:
    frames, answer = [frame[list(variables)] for frame in load(data, answers)], answer_for(data, answers)
    for order in (0, 1):
        result = pmse(
            frames[0],
            frames[1:],
            categorical=factors,
            order=order + 1,
            null_parameters="all",
            missing="category",
        )
        what = f"logit maxorder {order}"
        theirs = np.array([answer.value(what=what, case=f"{data}: {dataset}") for dataset in (1, 2, 3)])
        said = label(data, data, answers)
        for name, ours, column, quantity in (
            ("pMSE", result.pmse, 0, "unfinished likelihood"),
            ("S_pMSE", result.ratio, 1, "unfinished likelihood"),
            ("df", result.n_parameters - 1, 2, "count"),
        ):
            yield make_check(GROUP, f"{name}, {what}", said, ours, theirs[:, column], quantity, answer)


def _trees(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield trees that are equal in rpart and scikit-learn: one split, or a few cells."""
    answer = answers["synthpop"]

    def grown(frames: Frames, smallest: int, permutations: int = 2, seed: int = 1) -> Any:
        return pmse(frames[0], frames[1], model="cart", min_leaf=smallest, permutations=permutations, rng=seed)

    def row(what: str, case: str, ours: Any, quantity: str, **more: Any) -> Check:
        theirs = answer.value(what=f"cart {what}", case=case)
        return make_check(GROUP, f"cart, {what}", case, ours, theirs, quantity, answer, **more)

    ce = [frame[["Age", "Expenditure"]] for frame in load("ce", answers)[:2]]
    yield row("pMSE", "one split", grown(ce, 2 * len(ce[0]) // 3).pmse, "formula")
    cells = grown(categories(load("youths", answers)[:2], ["gender", "everviol"]), 5, PERMUTATIONS)
    yield row("pMSE", "four cells", cells.pmse, "formula")
    yield row("S_pMSE", "four cells", cells.ratio, "permutation null")
    two = [pd.DataFrame({"x": np.repeat(["1", "2"], sizes)}) for sizes in ((60, 140), (40, 60))]
    reason = (
        "rpart's cp counts misclassifications, so it prunes a split that leaves the larger file in the majority on both "
        "sides, and pMSE is 0; here a tree grows until its leaves are small"
    )
    exact = (100 * (0.4 - 1 / 3) ** 2 + 200 * (0.3 - 1 / 3) ** 2) / 300
    yield row("pMSE", "no fewer errors", grown(two, 5).pmse, "formula", stated=exact, reason=reason)
