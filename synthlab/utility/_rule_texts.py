"""Formula, assumptions and reference of each combining rule."""

from __future__ import annotations

from typing import NamedTuple


class RuleText(NamedTuple):
    """Formula, assumptions and reference of a combining rule."""

    formula: str
    assumptions: str
    reference: str


_RAAB = (
    "Raab, G. M., Nowok, B. and Dibben, C. (2016). Practical data synthesis for large samples. Journal of Privacy and "
    "Confidentiality 7(3), 67-97."
)
_REITER = (
    "Reiter, J. P. (2003). Inference for partially synthetic, public use microdata sets. Survey Methodology 29(2), "
    "181-188."
)
_COMMON = "The confidential data are a large simple random sample, and the synthesizer fits them."
_COMPLETE = f"Every variable is synthetic. {_COMMON}"
_NORMAL = "normal interval, also for m = 1"

# By kind of synthesis, and for full synthesis by how the parameters were drawn; None is the rule of 2003.
RULES: dict[tuple[str, str | None], RuleText] = {
    ("partial", None): RuleText(
        "T = v_bar + b/m, t interval with (m - 1) (1 + v_bar/(b/m))^2 degrees of freedom",
        f"Some variables, or all variables of as many records, are synthetic. {_COMMON} The parameters are drawn anew for "
        "each dataset, or fixed at their estimates.",
        _REITER,
    ),
    ("full", "fixed"): RuleText(
        f"T = v_bar (n_syn/n + 1/m), {_NORMAL}",
        f"{_COMPLETE} All datasets come from the same estimated parameters.",
        _RAAB,
    ),
    ("full", "drawn"): RuleText(
        f"T = v_bar (n_syn/n + (1 + n_syn/n)/m), {_NORMAL}",
        f"{_COMPLETE} All parameters are drawn anew for each dataset, and no record has a risk weight.",
        _RAAB,
    ),
    ("full", "mixed"): RuleText(
        "T = (n_syn/n) v_bar + b/m, t interval with (m - 1) (1 + (n_syn/n) v_bar/(b/m))^2 degrees of freedom",
        f"{_COMPLETE} Some parameters are drawn anew for each dataset, or records have weights in the fit. The weights do "
        "not bias the estimates.",
        _RAAB,
    ),
    ("full", None): RuleText(
        "T = (1 + 1/m) b - v_bar, or (n_syn/n) v_bar if this is negative; t interval with (m - 1) (1 - v_bar/((1 + 1/m) b))^2 "
        "degrees of freedom",
        f"{_COMPLETE} All parameters are drawn anew for each dataset, and the datasets are many or large.",
        "Raghunathan, T. E., Reiter, J. P. and Rubin, D. B. (2003). Multiple imputation for statistical disclosure "
        "limitation. Journal of Official Statistics 19(1), 1-16.",
    ),
    ("nested", None): RuleText(
        "T = (1 + 1/M) b_M - w_M/r + u_M, t interval",
        "The missing values are imputed M times, and each completed dataset is synthesized r times by one partial synthesis. "
        "The confidential data are a large sample, and the models fit them.",
        "Reiter, J. P. (2004). Simultaneous use of multiple imputation for missing data and disclosure limitation. Survey "
        "Methodology 30(2), 235-242.",
    ),
    ("pseudo-population", None): RuleText(
        "T = (1 + 1/M) b_M - w_M/r - 2 (1 - f) v_bar, or T = (1 + 1/M) b_M - c v_bar if r = 1, t interval",
        "Every variable is synthesized from M pseudo-populations of the survey design, and each dataset is analyzed like a "
        "simple random sample.",
        "Mathur, S., Si, Y. and Reiter, J. P. (2024). Fully synthetic data for complex surveys. Survey Methodology 50(2), "
        "347-373.",
    ),
    ("none", None): RuleText(
        "no combining rule", "None: the combined variance and interval are not estimated.", "none"
    ),
}
