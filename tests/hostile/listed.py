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
            *(
                "LipschitzWeights",
                "MatchedWeight",
                "PolicyFrontier",
                "RiskWeights",
                "WhackAMoleResult",
                "AnalysisUtilityResult",
            ),
            *("BarycenterResult", "BootstrapResult", "ClusterUtilityResult", "CombinedResult", "EcdfUtilityResult"),
            *("IntervalOverlapResult", "Margin", "PmseResult", "TableUtilityResult", "ExpectedTau", "FrontierResult"),
            *("LogLinearFit", "LossResult", "SquaredLoss", "SynthesizedTables", "TauResult", "TotalWithinResult"),
            *("TuneResult", "AuditResult", "ChoiceProbabilities", "PrivateChoiceResult", "PrivateResult"),
            *(
                "ExactCopiesResult",
                "PrivateTableResult",
                "FittedFiniteMixture",
                "ComparisonResult",
                "EvaluationResult",
                "Dataset",
            ),
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


OWN = "raised by, or the answer of, the function the caller gave"
OPEN = "not mended yet"
LONG = "the message repeats the text it was given, which is no fault of the argument"
DIGITS = "Python writes out no whole number of more than 4,300 digits"

ALLOWED: list[Allowed] = [
    Allowed("*", "*", "*long text", "a long message", LONG),
    Allowed("*", "*", "10[*][*]5000", "ValueError", DIGITS),
    Allowed("bootstrap_statistic*", "statistic", "*", "*Error", OWN),
    Allowed("bootstrap_statistic*", "statistic", "lambda of anything", "taken for what it is not", OWN),
    Allowed("policy_frontier", "*", "*", "TypeError", OWN),
    Allowed("match_lipschitz_bound", "bound_of", "*", "TypeError", OWN),
    Allowed("audit_epsilon", "mechanism", "*", "TypeError", OWN),
    Allowed(
        "audit_epsilon", "mechanism", "returns *", "undefined without a warning", "NaN where no run gave the event"
    ),
    Allowed("analysis_utility (function)", "*", "*", "*Error", OWN),
    Allowed("analysis_utility (function)", "*", "huge", "RuntimeWarning of a library", OWN),
    Allowed("barycenter*", "*", "*", "RuntimeWarning of a library", "sums beyond the largest float are infinite"),
    Allowed("combine_*", "*", "*", "RuntimeWarning of a library", "sums beyond the largest float are infinite"),
    Allowed("Release", "frames", "*", "undefined without a warning", "what is missing in a dataset is missing in it"),
    *(
        Allowed(case, "confidential", "*", "undefined without a warning", "what is missing stays missing, or is drawn")
        for case in ("Resample", "Topcoding", "Sequential")
    ),
    *(
        Allowed(
            case, "confidential", value, "undefined without a warning", "a column that no model has is kept as it is"
        )
        for case in ("PseudoPosteriorMechanism", "ScalarWeightMechanism", "CART", "DirichletMultinomial", "DPMPM")
        for value in ("a missing *", "all missing", "all None", "*NA")
    ),
    *(
        Allowed(case, "*", "masked*", "a mask is not looked at", "what is masked is missing: an error has no noise")
        for case in ("private_*", "quantile_probabilities", "ExponentialMechanism*", "LaplaceMechanism.add_noise")
    ),
    Allowed("*", "confidential", "one odd text", "UnicodeEncodeError", OPEN),
    Allowed("private_*", "other", "*", "taken for what it is not", "a category is any value that can be looked up"),
    *(
        Allowed(case, parameter, value, "taken for what it is not", "a number or an array of numbers")
        for case, parameter in (
            *((family, "*") for family in ("GAF", "NBI", "PIG", "Poisson", "LaplaceCount", "GammaFamily")),
            *((f"LaplaceMechanism.{method}", "*") for method in ("density", "log_ratio")),
        )
        for value in ("*array", "[[]1, 2]", "()", "[[]]", "frame", "*frame", "Series", "Index", "range", "ragged list")
    ),
]


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
