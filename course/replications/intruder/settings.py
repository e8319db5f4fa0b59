"""Settings of the two regressions: those whose Table 1 is shown, each with the reason for trying it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from replications.intruder.data import make_predictors
from replications.intruder.early_stopped_multinomial import ITERATIONS
from replications.intruder.models import YouthModel

PRECISION = 5.0  # of the prior of the coefficients in the main run
WEAK = 0.1  # the weakest prior under which drawn coefficients were tried
PROTOTYPE = 1.0  # the precision of a prototype of this study that was written independently


@dataclass(frozen=True, slots=True)
class Setting:
    """A way to fit the regressions.

    Attributes
    ----------
    words, reason : str
        What it is, and why it is tried.
    precision : float
        Of the prior of the coefficients, at the mode; 0: none.
    covariance_precision : float, optional
        Of the prior in the covariance; 0: none, and a generalised inverse. By default as at the mode.
    iterations : int, optional
        After which the fit is stopped; by default never.
    few : bool
        Whether columns that cause multicollinearity are left out.
    plain : bool
        Whether the indicators of the facility are 0 and 1, not standardised.
    program : str
        What fits: "synthlab" or "nnet", R's.
    """

    words: str
    reason: str = ""
    precision: float = PRECISION
    covariance_precision: float | None = None
    iterations: int | None = None
    few: bool = False
    plain: bool = False
    program: str = "synthlab"

    def model(self, frame: pd.DataFrame) -> YouthModel:
        """Return the specification that agency and intruder share."""
        predictors = make_predictors(frame, few=self.few, plain=self.plain)
        return YouthModel(
            predictors, self.precision, self.covariance_precision, self.iterations, program=self.program
        )  # fmt: skip


MAIN = "ridge"
FIT = (
    "fewer columns"  # of the published comparison: without the variables that cause multicollinearity, as in the paper
)
SETTINGS = {
    MAIN: Setting(
        f"prior of precision {PRECISION:g}",
        "it predicts the facility of youths outside the fit nearly best",
    ),
    "near ML": Setting(
        f"mode under precision {WEAK:g}, covariance under {PRECISION:g}",
        "the paper uses maximum-likelihood estimates; without a prior there is no covariance, so the covariance has another prior",
        precision=WEAK,
        covariance_precision=PRECISION,
    ),
    "stopped": Setting(
        f"no prior, stopped after {ITERATIONS} iterations, covariance under {PRECISION:g}",
        "the likelihood has no maximum, so the optimizer of the paper must have stopped early; "
        "nnet::multinom (Venables and Ripley 2002), R's multinomial regression, stops after 100 iterations",
        precision=0.0,
        covariance_precision=PRECISION,
        iterations=ITERATIONS,
    ),
    FIT: Setting(
        "as 'stopped', with the columns that vary within at least three quarters of the facilities",
        "the paper omits variables that cause multicollinearity; a variable with a constant value in a facility is "
        "collinear with the indicator of the facility",
        precision=0.0,
        covariance_precision=PRECISION,
        iterations=ITERATIONS,
        few=True,
    ),
    "nnet": Setting(
        f"no prior, stopped after {ITERATIONS} iterations, covariance as nnet's vcov gives it",
        "R's program uses a generalized inverse of the information without a prior as covariance; our fit equals R's up to "
        "rounding, and two repetitions were run in R",
        precision=0.0,
        covariance_precision=0.0,
        iterations=ITERATIONS,
    ),
}
LIVE = "nnet, R"  # the same by R itself, in the first repetitions
PLAIN = "precision 1, indicators 0 and 1"


def prior_name(precision: float) -> str:
    """Return the name of the setting with this precision throughout."""
    return f"precision {precision:g}"


def variants(precisions: list[float]) -> dict[str, Setting]:
    """Return the settings of which rows of Table 1 at m = 3 are looked at: other priors, and other indicators."""
    found = {prior_name(p): Setting(f"prior of precision {p:g}", precision=p) for p in precisions}
    return {**found, PLAIN: Setting(PLAIN, precision=PROTOTYPE, plain=True)}
