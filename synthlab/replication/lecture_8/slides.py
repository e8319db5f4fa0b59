"""The attacks of the lecture and the numbers on its slides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    recorded : str or None
        The case in the recorded answers of the R package, if it is there.
    dataset, version : str
        Where the data are.
    known : tuple of str
        What the intruder knows besides.
    radius : mapping {variable: share}
        How near a synthetic number has to be to the true one.
    on_slides : bool
        Whether the slides print the numbers, and not the earlier course.
    """

    label: str | None
    synthesized: tuple[str, ...]
    published: Mapping[str, str]
    recorded: str | None = None
    dataset: str = "acs"
    version: str = "slides"
    known: tuple[str, ...] = KNOWN
    radius: Mapping[str, float] | None = None
    on_slides: bool = True


def _printed(*numbers: str) -> Mapping[str, str]:
    return dict(zip(MEASURES, numbers, strict=True))


_CE: dict[str, Any] = {"dataset": "ce_lecture", "known": ("UrbanRural", "Race"), "radius": {"Expenditure": 0.2}}

CASES = {
    "as is": Case(
        None, ("DIS", "HICOV"), _printed("173", "0.003", "0", "30"), "acs-confidential-slide", version="real"
    ),
    "synthetic": Case(
        "lecture",
        ("LANX", "WAOB", "DIS", "HICOV"),
        _printed("41.37", "0.0005", "0.974", "195"),
        "acs-synthetic-lecture",
        version="real",
        on_slides=False,
    ),
    "DIS and HICOV synthesized": Case("slides", ("DIS", "HICOV"), _printed("64.78361", "0.0007", "0.72", "25")),
    "CE, synthetic": Case("slides", ("Expenditure",), _printed("10.5975", "0.0003896357", "0.9230769", "26"), **_CE),
    "CE, as is": Case(None, ("Expenditure",), _printed("101.41", "0.0045", "0", "23"), **_CE),
}
