"""What the sweep leaves out, and what it lets pass, each with its reason."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from synthlab.synthesizers.registry import SYNTHESIZERS
from tests.hostile.sweep import Row

RESULT = "a result, made by the function that returns it"
PROTOCOL = "says what a class must offer; the classes are swept"
INSIDE = "called by synthesizers and measures with what they have checked"

NOT_SWEPT: dict[str, str] = {
    **dict.fromkeys(("Margin", "FittedFiniteMixture", "PlugInNormal", "Dataset", "MatchOutcomes"), RESULT),
    **dict.fromkeys(("CountFamily", "Synthesizer", "Synthesizer.fit"), PROTOCOL),
    **dict.fromkeys(
        [
            "FittedFiniteMixture.components",
            *(
                f"{kind}.{m}"
                for kind in ("FittedFiniteMixture", "Fitted")
                for m in ("with_data", "draw", "predictive_probability", "probability_of")
            ),
            "PlugInNormal.predictive_probability",
            "UnitRules.holds_in",
        ],
        INSIDE,
    ),
    **dict.fromkeys(
        ("Fitted", *(f"Fitted.{m}" for m in ("generate", "keep_draws", "log_density", "pooled", "save"))), PROTOCOL
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
LONG = "the message repeats the text it was given, which is no fault of the argument"
STAYS = "what is missing stays missing, or is drawn"
ARRAY = "a number or an array of numbers"
SEVERAL = ("[[]1, 2]", "Series")
DIGITS = "Python writes out no whole number of more than 4,300 digits"

ALLOWED: list[Allowed] = [
    Allowed("*", "*", "*long text", "a long message", LONG),
    Allowed("*", "*", "10[*][*]5000", "ValueError", DIGITS),
    Allowed("bootstrap_statistic*", "statistic", "*", "TypeError", OWN),
    Allowed("bootstrap_statistic (function)", "variable", "None", "TypeError", OWN),
    Allowed("bootstrap_statistic*", "statistic", "lambda of anything", "taken for what it is not", OWN),
    Allowed("policy_frontier", "settings", "values are *", "TypeError", OWN),
    Allowed("match_lipschitz_bound", "bound_of", "lambda", "TypeError", OWN),
    Allowed("PseudoPosteriorMechanism*", "record_weight", "lambda", "TypeError", OWN),
    Allowed("largest_change", "query", "*", "TypeError", OWN),
    Allowed("audit_epsilon", "mechanism", "*", "TypeError", OWN),
    Allowed(
        "audit_epsilon", "mechanism", "returns *", "undefined without a warning", "NaN where no run gave the event"
    ),
    Allowed("epsilon_lower_bound", "epsilon", "None", "undefined without a warning", "no epsilon was claimed"),
    Allowed("analysis_utility (function)", "*", "*", "*Error", OWN),
    Allowed("Discretized", "W", "*", "*Error", OWN),
    Allowed("analysis_utility (function)", "confidential", "huge", "RuntimeWarning of a library", OWN),
    Allowed("barycenter*", "*", "*huge", "RuntimeWarning of a library", "sums beyond the largest float are infinite"),
    Allowed(
        "whack_a_mole", "null", "None", "undefined without a warning", "what needs a null is NaN where none was given"
    ),
    Allowed(
        "LinkageResult.by_threshold",
        "thresholds",
        "None",
        "undefined without a warning",
        "of the thresholds of the result the last ones may have no link, as the column of links says",
    ),
    Allowed("Release", "frames", "*", "undefined without a warning", "what is missing in a dataset is missing in it"),
    Allowed("read", "na", "*", "undefined without a warning", "what was said to mean missing is missing"),
    Allowed("group_numbers", "*", "*", "undefined without a warning", "what is missing stays missing, in no group"),
    Allowed(
        "SumOf", "frame", "*", "undefined without a warning", "the sum of parts of which one is missing is missing"
    ),
    *(
        Allowed(case, "release", "*text*", "InputError", "a text is a file, which the message names")
        for case in (
            "copied_people",
            "copied_units",
            "identifying_values",
            "learned_attack",
            "near_copies",
            "near_units",
            "planted_copies",
            "unit_utility",
        )
    ),
    Allowed("synthesize", "smooth", "[[]*", "taken for what it is not", "no variable is smoothed"),
    Allowed("Resample", "confidential", "*", "undefined without a warning", STAYS),
    *(
        Allowed(case, "confidential", what, "undefined without a warning", STAYS)
        for case in SYNTHESIZERS
        if case != "Resample"
        for what in ("a missing text", "a missing number", "* with NA")
    ),
    *(
        Allowed(
            "PseudoPosteriorMechanism",
            "confidential",
            what,
            "undefined without a warning",
            "a column that no model has is kept as it is, and in one that a model has a gap is a category",
        )
        for what in ("a missing text", "a missing number", "* with NA")
    ),
    *(
        Allowed(case, "*", "masked*", "a mask is not looked at", "what is masked is missing: an error has no noise")
        for case in (
            *("private_*", "quantile_probabilities", "ExponentialMechanism*", "randomized_response"),
            "*Mechanism.add_noise",
        )
    ),
    *(
        Allowed(case, "other", "*", "taken for what it is not", "a category is any value that can be looked up")
        for case in ("private_*", "randomized_response")
    ),
    *(
        Allowed(case, "*", value, "taken for what it is not", ARRAY)
        for cases, values in (
            (("PIG", "Delaporte", "Sichel", "GeneralizedPoisson", "LaplaceCount"), ("array", "frame")),
            (
                ("GAF", "NBI", "Poisson", "Discretized", "GammaFamily", "LaplaceMechanism.density"),
                ("*array", "frame", *SEVERAL),
            ),
            (("LaplaceMechanism.log_ratio",), ("*array", "*frame", *SEVERAL, "range", "()", "[[]]")),
        )
        for case in cases
        for value in values
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
