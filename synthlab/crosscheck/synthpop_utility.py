"""Tables and pMSE compared with the R package synthpop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab.crosscheck._check import Row
from synthlab.crosscheck.synthpop import Frames, label, load
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


def _categories(frames: Frames, variables: Sequence[str]) -> Frames:
    return [frame[list(variables)].astype("category") for frame in frames]


def _table_frames(name: str) -> Frames:
    data, variables = TABLES[name]
    frames = [frame[list(variables)] for frame in load(data)]
    if name == "youths 1500":
        frames = [frames[0], *(frame.head(1500) for frame in frames[1:])]
    if data == "ce":  # numbers in five groups, the default of utility.tab
        first, release = group_numbers(frames[0], frames[1:], groups={"Age": 5, "Income": 5})
        frames = [first, *release]
    return _categories(frames, variables)


def tables(answer: Reference, name: str) -> Iterator[Row]:
    """Yield the rows of ``utility.tab`` for one of the `TABLES`."""
    data, variables = TABLES[name]
    confidential, *release = _table_frames(name)
    case = f"{label(data, name)}, {' x '.join(variables)}"
    distance = table_utility(confidential, release, margins=[variables], missing="category").total_variation[0]
    model = pmse(confidential, release, order=len(variables), null_parameters="all", missing="category")
    rows = [
        ("MabsDD", "MabsDD, 2 x total variation", 2 * distance, "share"),
        ("SPECKS", "SPECKS, total variation", distance, "share"),
        ("PO50", "PO50, 50 x total variation", 50 * distance, "share"),
        ("pMSE", "pMSE of a table", model.pmse, "maximum likelihood"),
        ("S_pMSE", "S_pMSE of a table", model.ratio, "maximum likelihood"),
        ("df", "df of a table", model.n_parameters - 1, "count"),
    ]
    for name_in_r, what, ours, quantity in rows:
        # PO50 uses the share of synthetic records as threshold, which is one half for files of equal size.
        if name_in_r != "PO50" or len(confidential) == len(release[0]):
            yield Row(what, case, ours, answer.value(what=f"table {name_in_r}", case=name), quantity)


def logistic(answer: Reference, data: str) -> Iterator[Row]:
    """Yield the rows of ``utility.gen`` with logistic regression for one of the `MODELS`."""
    variables, factors = MODELS[data]
    confidential, *release = (frame[list(variables)] for frame in load(data))
    for order in (0, 1):
        result = pmse(
            confidential, release, categorical=factors, order=order + 1, null_parameters="all", missing="category"
        )
        what = f"logit maxorder {order}"
        pmse_in_r, ratio, df = np.transpose([answer.value(what=what, case=f"{data}: {number}") for number in (1, 2, 3)])
        case = label(data, data)
        yield Row(f"pMSE, {what}", case, result.pmse, pmse_in_r, "unfinished likelihood")
        yield Row(f"S_pMSE, {what}", case, result.ratio, ratio, "unfinished likelihood")
        yield Row(f"df, {what}", case, result.n_parameters - 1, df, "count")


def trees(answer: Reference) -> Iterator[Row]:
    """Yield the rows of trees that are equal in rpart and scikit-learn: one split, or a few cells."""

    def grown(frames: Frames, smallest: int, permutations: int = 2) -> Any:
        return pmse(frames[0], frames[1], model="cart", min_leaf=smallest, permutations=permutations, rng=1)

    ce = [frame[["Age", "Expenditure"]] for frame in load("ce")[:2]]
    cells = grown(_categories(load("youths")[:2], ["gender", "everviol"]), 5, PERMUTATIONS)
    two = [pd.DataFrame({"x": np.repeat(["1", "2"], sizes)}) for sizes in ((60, 140), (40, 60))]
    reason = (
        "rpart's cp counts misclassifications, so it prunes a split that leaves the larger file in the majority on both "
        "sides, and pMSE is 0; here a tree grows until its leaves are small"
    )
    exact = (100 * (0.4 - 1 / 3) ** 2 + 200 * (0.3 - 1 / 3) ** 2) / 300
    for what, case, ours, quantity, stated in (
        ("pMSE", "one split", grown(ce, 2 * len(ce[0]) // 3).pmse, "formula", 0.0),
        ("pMSE", "four cells", cells.pmse, "formula", 0.0),
        ("S_pMSE", "four cells", cells.ratio, "permutation null", 0.0),
        ("pMSE", "no fewer errors", grown(two, 5).pmse, "formula", exact),
    ):
        theirs = answer.value(what=f"cart {what}", case=case)
        yield Row(f"cart, {what}", case, ours, theirs, quantity, stated, reason if stated else "")
