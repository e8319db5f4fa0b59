"""What the sweep leaves out, and what it lets pass, each with its reason."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from tests.hostile.sweep import Row

RESULT = "a result, made by the function that returns it"
PROTOCOL = "says what a class must offer; the classes are swept"
INSIDE = "called by synthesizers and measures with what they have checked"

NOT_SWEPT: dict[str, str] = {
    **dict.fromkeys(
        (
            *("AttackScoreResult", "AttributeRiskResult", "CapResult", "IdentificationProbabilityResult"),
            *("IdentificationRiskResult", "IntruderRiskResult", "LinkageResult", "EpsilonResult", "FittedMechanism"),
            *("LipschitzWeights", "MatchedWeight", "PolicyFrontier", "WhackAMoleResult", "AnalysisUtilityResult"),
            *("BarycenterResult", "BootstrapResult", "ClusterUtilityResult", "CombinedResult", "EcdfUtilityResult"),
            *("IntervalOverlapResult", "Margin", "PmseResult", "TableUtilityResult", "ExpectedTau", "FrontierResult"),
            *("LogLinearFit", "LossResult", "SquaredLoss", "SynthesizedTables", "TauResult", "TotalWithinResult"),
            *("TuneResult", "AuditResult", "ChoiceProbabilities", "PrivateChoiceResult", "PrivateResult"),
            *("PrivateTableResult", "FittedFiniteMixture", "ComparisonResult", "EvaluationResult", "Dataset"),
        ),
        RESULT,
    ),
    **dict.fromkeys(
        ("CountFamily", "FittedSynthesizer", "FittedSynthesizer.generate", "Synthesizer", "Synthesizer.fit"), PROTOCOL
    ),
    **dict.fromkeys(
        [
            f"FittedFiniteMixture.{m}"
            for m in ("about", "components", "draw", "predictive_probability", "probability_of")
        ],
        INSIDE,
    ),
    "describe": "takes no argument",
    "names": "takes no argument",
}


class Allowed(NamedTuple):
    """Calls that may end as they do; the three patterns are those of `fnmatch`."""

    case: str
    parameter: str
    value: str
    what: str
    reason: str


ALLOWED: list[Allowed] = []


def reason_for(row: Row) -> Allowed | None:
    """Return the entry that lets a row pass, or None."""
    return next(
        (
            entry
            for entry in ALLOWED
            if fnmatchcase(row.case, entry.case)
            and fnmatchcase(row.parameter, entry.parameter)
            and fnmatchcase(row.value, entry.value)
            and fnmatchcase(row.what or row.outcome, entry.what)
        ),
        None,
    )
