"""Settings of the two regressions: those whose Table 1 is shown, each with the reason for trying it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from synthlab.replication.intruder.data import make_predictors
from synthlab.replication.intruder.early_stopped_multinomial import ITERATIONS
from synthlab.replication.intruder.models import YouthModel

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
SETTINGS = {
    MAIN: Setting(
        f"prior of precision {PRECISION:g}",
        "the facility of youths left out of the fit is predicted best about there",
    ),
    "near ML": Setting(
        f"mode under precision {WEAK:g}, covariance under {PRECISION:g}",
        "the paper speaks of maximum-likelihood estimates; without a prior there is no covariance, so the two are set apart",
        precision=WEAK,
        covariance_precision=PRECISION,
    ),
    "stopped": Setting(
        f"no prior, stopped after {ITERATIONS} iterations, covariance under {PRECISION:g}",
        "the paper's estimates have to be those of an optimiser that was stopped, since the likelihood has no maximum; "
        "nnet::multinom (Venables and Ripley 2002), R's multinomial regression, stops after 100 iterations",
        precision=0.0,
        covariance_precision=PRECISION,
        iterations=ITERATIONS,
    ),
    "fewer columns": Setting(
        "as before, with the columns that vary within at least three quarters of the facilities",
        "the paper leaves out variables that cause multicollinearity: within a facility where all give the same answer it is "
        "collinear with the facility's indicator",
        precision=0.0,
        covariance_precision=PRECISION,
        iterations=ITERATIONS,
        few=True,
    ),
    "nnet": Setting(
        f"no prior, stopped after {ITERATIONS} iterations, covariance as nnet's vcov gives it",
        "that is R's program as it is: the covariance is a generalised inverse of the information without a prior; the fit here is "
        "R's own to rounding, and some repetitions are R's own, see below",
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
