"""Small examples in which synthpop is known to be wrong, with the correct numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab.crosscheck._check import Row
from synthlab.intruder import Intruder
from synthlab.matching.numeric_groups import group_numbers
from synthlab.r import Reference
from synthlab.risk import attribute_disclosure, cap, replicated_uniques
from synthlab.utility import pmse

POSITION = (
    "R sorts the levels of a table as text if it has to add cells, and matches the cells of the two files by position; 2, 10 "
    "and 30 as text are in the order 10, 2, 30. With 02, 10, 30 the results agree"
)
DECLARED = "R counts a unique as found in the release if its level is declared there, even if no record has this level"
HARMLESS = "R drops the records with a harmless target before it looks for uniques, so that other records become unique"
MISSING = 'R renames missing values to "Missing", and so confuses them with a level of this name'
TWO_GROUPS = "R uses groups of equal width for fewer than three groups, so two groups are not the halves of the records"
FIRST_ALONE = "if any column has whole numbers in one file and fractions in the other, R uses only the first dataset"
WIDTHS = "R pads the numbers of each file to the widest number and compares them as text: ' 57' is not '57'"
LEFT_OUT = "R omits records with a number that is missing only in the release from the fit, but still counts them"


def faults(answer: Reference) -> Iterator[Row]:
    """Yield the rows that differ because of a fault, and rows without the fault."""
    ages = [_people([2, 10, 30, 2, 10], "abcab"), _people([2, 10, 2, 10, 2], "ababa")]
    yield from _rows(answer, "ages as text", ages, UiOiS=DECLARED, DiSCO="", DCAP="", TCAP="")
    yield from _rows(answer, "ages as numbers", ages, DiSCO=POSITION, DCAP=POSITION, TCAP=POSITION)
    numbers = [_people("xxyyz", [2, 2, 10, 10, last]) for last in (100, 10)]
    yield from _rows(answer, "a number to find", numbers, DiSCO=POSITION, DCAP=POSITION, TCAP=POSITION)
    empty = [_people("xyy", "aab"), _people("yyy", "aab")]
    yield from _rows(answer, "an empty level", empty, UiO="", UiOiS=DECLARED, DCAP="")
    four = [_people("xxxxyyyy", "abbbaabb")] * 2
    yield from _rows(answer, "a harmless value", four, harmless=["b"], UiO=HARMLESS, repU=HARMLESS, DiSCO="")
    named = [_people(["Missing", None, "y"], "aba")] * 2
    yield from _rows(answer, "a level called Missing", named, UiO=MISSING, repU=MISSING, DiSCO=MISSING, DCAP=MISSING)
    long = _people([*range(1, 10), 100], "1212121212")
    halves, release = group_numbers(long, long, groups={"k": 2})
    yield from _rows(answer, "two groups", [halves, release[0]], UiO=TWO_GROUPS, DiSCO=TWO_GROUPS)
    yield from _whole_numbers(answer)
    yield from _widths(answer)
    yield from _gaps(answer)


# Correct values, computed by hand, where R gives another result.
TRUE = {
    ("ages as text", "UiOiS"): 0.0, ("ages as numbers", "DiSCO"): 0.8,
    ("ages as numbers", "DCAP"): 0.8, ("ages as numbers", "TCAP"): 1.0,
    ("a number to find", "DiSCO"): 0.8, ("a number to find", "DCAP"): 0.8, ("a number to find", "TCAP"): 0.8,
    ("an empty level", "UiOiS"): 0.0,
    ("a harmless value", "UiO"): 0.0, ("a harmless value", "repU"): 0.0,
    ("a level called Missing", "UiO"): 1.0, ("a level called Missing", "repU"): 1.0,
    ("a level called Missing", "DiSCO"): 1.0, ("a level called Missing", "DCAP"): 1.0,
    ("two groups", "UiO"): 0.0, ("two groups", "DiSCO"): 0.0,
}  # fmt: skip


def _people(k: Sequence[Any], t: Sequence[Any]) -> pd.DataFrame:
    return pd.DataFrame({"k": list(k), "t": list(t)})


def _rows(
    answer: Reference,
    case: str,
    frames: Sequence[pd.DataFrame],
    *,
    keys: Sequence[str] = ("k",),
    harmless: Sequence[object] = (),
    **reasons: str,
) -> Iterator[Row]:
    """Yield one row per measure; with a reason, the difference to R is expected."""
    someone = Intruder(known=keys, synthesized=["t"], missing="category")
    people, released = frames
    ours = replicated_uniques(people, released, someone).to_frame().loc[1].to_dict()
    ours |= attribute_disclosure(people, released, someone, target="t", harmless=harmless).to_frame().loc[1].to_dict()
    ours |= {"TCAP": ours["TCAP_present"], "DCAP": cap(people, released, someone, target="t").attack}
    for what, reason in reasons.items():
        theirs = answer.value(what=what, case=case) / 100
        stated = TRUE[case, what] - theirs if reason else 0.0
        yield Row(what, case, ours[what], theirs, "share", stated, reason)


def _whole_numbers(answer: Reference) -> Iterator[Row]:
    ten = pd.DataFrame({"k": list("xyxyxyxyxy"), "t": list("1212121212"), "z": np.arange(1.0, 11.0)})
    whole = ten.astype({"z": int})
    someone = Intruder(known=["k"], synthesized=["t"])
    ours = attribute_disclosure(ten, [whole, whole], someone, target="t").m
    case, what = "whole numbers beside", "datasets answered for"
    theirs = answer.value(what=what, case=case)
    yield Row(what, case, ours, theirs, "count", stated=1.0, reason=FIRST_ALONE)


def _widths(answer: Reference) -> Iterator[Row]:
    frames = [
        pd.DataFrame({"k": ages, "j": list("mfm"), "t": list("112")})
        for ages in ([57.0, 100.0, 20.0], [57.0, 20.0, 20.0])
    ]
    yield from _rows(answer, "ages of two widths", frames, keys=["k", "j"], UiO="", UiOiS="", repU="", DiSCO="")
    ours = replicated_uniques(frames[0], frames[1], Intruder(known=["k", "j"], synthesized=["t"])).replicated
    theirs = answer.value(what="replicated.uniques", case="ages of two widths: 1")[3]
    what = "replicated.uniques, two keys"
    yield Row(what, "ages of two widths", ours, theirs, "count", stated=2.0, reason=WIDTHS)


def _gaps(answer: Reference) -> Iterator[Row]:
    group = list("1212121212")
    full = pd.DataFrame({"x": np.arange(1.0, 11.0), "group": group})
    gaps = pd.DataFrame({"x": [np.nan, np.nan, 1, 2, 4, 5, 5, 7, 8, 12], "group": group})
    ours = pmse(full, gaps, missing="category").pmse
    case, mended = "missing in the release alone", "missing as 0 and an indicator"
    right, wrong = (answer.value(what="pMSE", case=one) for one in (mended, case))
    yield Row("pMSE", mended, ours, right, "unfinished likelihood")
    yield Row("pMSE", case, ours, wrong, "formula", stated=1 / 36 - wrong, reason=LEFT_OUT)
