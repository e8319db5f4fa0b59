"""The attacks of lecture 8."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KNOWN = ("SEX", "RACE", "MAR")
MEASURES = ("expected_match_risk", "true_match_rate", "false_match_rate", "n_unique")


@dataclass(frozen=True, slots=True)
class Case:
    """One attack of the lecture: the released data and the matching variables.

    Attributes
    ----------
    label : str or None
        The synthetic version of the dataset; None for a release of the confidential data.
    synthesized : tuple of str
        The variables whose true values the intruder knows.
    recorded : str
        Name of the case in the recorded results of the R package.
    dataset, version : str
        Dataset and version, see `synthlab.datasets.load`.
    known : tuple of str
        The other variables that the intruder knows.
    radius : mapping {variable: share}
        Largest relative difference between a synthetic and a true number that counts as a match.
    """

    label: str | None
    synthesized: tuple[str, ...]
    recorded: str
    dataset: str = "acs"
    version: str = "slides"
    known: tuple[str, ...] = KNOWN
    radius: Mapping[str, float] | None = None


_CE: dict[str, Any] = {"dataset": "ce_lecture", "known": ("UrbanRural", "Race"), "radius": {"Expenditure": 0.2}}

CASES = {
    "as is": Case(None, ("DIS", "HICOV"), "acs-confidential-slide", version="real"),
    "synthetic": Case("lecture", ("LANX", "WAOB", "DIS", "HICOV"), "acs-synthetic-lecture", version="real"),
    "DIS and HICOV synthesized": Case("slides", ("DIS", "HICOV"), "acs-slides"),
    "CE, synthetic": Case("slides", ("Expenditure",), "ce-slides", **_CE),
    "CE, as is": Case(None, ("Expenditure",), "ce-confidential-slide", **_CE),
}
