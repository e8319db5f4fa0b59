"""The settings of the replication of the pseudo posterior mechanism, and the parts of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from replications.paper_tables import read_numbers
from synthlab._typing import FloatArray
from synthlab.intruder import Intruder

PAPER = "Savitsky, Williams & Hu"
QUANTILE = 0.95
M = 20
MAIN = (1.0, 0.0)  # DPweighted in Figures 2 to 4; the paper's own setting there is not in the text we have
PUBLISHED = {
    (float(row["scale"]), float(row["shift"])): float(row["printed"]) for row in read_numbers("dp").values()
}  # the bounds of Table 2
SETTINGS = (MAIN, *PUBLISHED)
WORK = (
    ("Unweighted", MAIN),
    ("Countweighted", MAIN),
    *(("DP", s) for s in SETTINGS),
    ("DP maximum", MAIN),
    *(("EM", s) for s in SETTINGS),
)
# Count weights by the order of the identification risk they are made of: the paper cites Hu and Savitsky (2019b), who take pairs.
ORDERS = {"Countweighted": 1, "Countweighted 2": 2, "Countweighted 3": 3}
CITED = "Countweighted 2"
FITTED = "income, fitted"  # on the mixture of which `models` says that it fits
RECORD = ", record"  # ends the name of a study whose releases draw the component as the paper does
SHIFTED, LONGER = "DP shift first", "DP longer"
VARIANTS = (
    *((name, MAIN) for name, order in ORDERS.items() if order > 1),
    *((SHIFTED, s) for s in PUBLISHED if s[1]),  # without a shift the two readings are one
    (LONGER, MAIN),
)
RUN_WORK = tuple(one for one in WORK + VARIANTS if one[0] != "DP maximum")
REPEATED = (FITTED, "income, one regression")  # the incomes that are fast enough to be run several times
# On the mixture that does not fit EM is run at the one setting of Figures 2 to 4: a fit takes a minute, and nothing follows from more.
MIXTURE_WORK = tuple(one for one in WORK if one[0] != "EM" or one[1] == MAIN)
# Weights on the density of a record's own component, to see why the mechanism wants them on that of the mixture.
COMPONENT_WORK = (("Unweighted", MAIN), *(("DP", s) for s in (MAIN, (0.7, 0.0), (0.5, -0.1))))
STATISTICS: Mapping[str, Any] = {"mean": "mean", "90 % quantile": 0.9}


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One confidential dataset and how it is synthesized.

    Attributes
    ----------
    name : str
        Short name.
    frame : pandas.DataFrame
        What the synthesizer is fitted to; its column `modelled` gets synthetic values.
    confidential : pandas.DataFrame
        The variable of interest, column `column`, in its own unit, with the known variables.
    modelled, column : str
    back : callable
        From modelled values to the unit of `column`; applied to releases, so it costs nothing.
    synthesizer : Synthesizer
    sampler : mapping
        Options of its fit.
    intruder : Intruder
        Whom the count weights are against.
    tolerance, max_fits : float, int
        How near the equal bound is, and after how many refits to stop.
    again : bool
        Whether a stuck chain is run again, and longer.
    quantile : float
        Share of the draws kept.
    rest : ndarray
        Confidential values that no model is for, and that are released as they are.
    """

    name: str
    frame: pd.DataFrame
    confidential: pd.DataFrame
    modelled: str
    column: str
    back: Callable[[FloatArray], FloatArray]
    synthesizer: Any
    sampler: Mapping[str, Any]
    intruder: Intruder
    tolerance: float
    max_fits: int
    again: bool = True
    quantile: float = QUANTILE
    rest: FloatArray = field(default_factory=lambda: np.zeros(0))


def words(mechanism: str, setting: tuple[float, float]) -> str:
    """Name a piece of work."""
    return f"{mechanism} ({setting[0]:g}, {setting[1]:g})" if mechanism.startswith(("DP", "EM")) else mechanism
