"""The attacks of the lecture and the numbers on its slides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KNOWN = ("SEX", "RACE", "MAR")
MEASURES = ("expected_match_risk", "true_match_rate", "false_match_rate", "n_unique")


@dataclass(frozen=True, slots=True)
class Case:
    """One attack of the lecture: the released data, what is matched on, and what was published.

    Attributes
    ----------
    label : str or None
        The synthetic version of the dataset; None: the confidential data released as they are.
    synthesized : tuple of str
        The variables whose true values the intruder knows.
    published : mapping {measure: number as printed}
        Text, because the digits that are printed say how close a number has to be.
    recorded : str
        The case in the recorded answers of the R package.
    """

    label: str | None
    synthesized: tuple[str, ...]
    published: Mapping[str, str]
    recorded: str


CASES = {
    "as is": Case(
        None,
        ("DIS", "HICOV"),
        dict(zip(MEASURES, ("173", "0.003", "0", "30"), strict=True)),
        "acs-confidential-slide",
    ),
    "synthetic": Case(
        "lecture",
        ("LANX", "WAOB", "DIS", "HICOV"),
        dict(zip(MEASURES, ("41.37", "0.0005", "0.974", "195"), strict=True)),
        "acs-synthetic-lecture",
    ),
}


SLIDES = {
    "as is": CASES["as is"].published.values(),
    "DIS and HICOV synthesized": ("64.78361", "0.0007", "0.72", "25"),
    "CE, synthetic": ("10.5975", "0.0003896357", "0.9230769", "26"),
    "CE, as is": ("101.41", "0.0045", "0", "23"),
}
ABSENT = dict.fromkeys(list(SLIDES)[1:], "the data behind it are not published")
