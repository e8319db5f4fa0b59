"""The datasets of the replication, and the synthesizer of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.intruder import Intruder
from synthlab.lab.replication.ce2017 import BOUNDS, SOMEONE as INCOME_INTRUDER
from synthlab.lab.replication.dp.settings import COMPONENT_WORK, WORK, Case
from synthlab.synthesizers import FiniteMixture, NegativeBinomial

COUNT_INTRUDER = Intruder(known=[], synthesized=["outcome"], radius={"outcome": 0.2})
DOLLARS = 10_000.0  # the unit of income in asinh


def count_study(frame: pd.DataFrame, size: Mapping[str, Any]) -> Case:
    """Return the study of counts: one negative binomial, the synthesizer of Hu, Savitsky and Williams."""
    return Case(
        name="counts",
        frame=frame,
        confidential=frame,
        modelled="outcome",
        column="outcome",
        back=np.asarray,
        synthesizer=NegativeBinomial("outcome ~ 1"),
        sampler=size["counts"],
        intruder=COUNT_INTRUDER,
        tolerance=size["tolerance"],
        max_fits=size["max_fits"],
        again=size["again"],
    )


def income_studies(frame: pd.DataFrame, size: Mapping[str, Any]) -> list[tuple[Case, Any]]:
    """Return the studies of income, each with its work.

    What is modelled is a transform of income, in a column of its own, so that the log-likelihood is of the transform, as the
    paper's is of log(income), and the bound is in its unit. "income": two components, the weight on the density of the
    mixture; cube root of income in thousands, on whose scale two components mix. "income, one regression": one component,
    for which there is but one way to weight; asinh of income in tens of thousands, nearly a logarithm. "income, component":
    ten components, the weight on the density of the record's own; asinh of income in dollars, the paper's logarithm but for
    losses, zeros and ones, which lie far out there and get a component of their own.
    """
    return [
        (_income_study("income, one regression", frame, size, 1, "component", _asinh, _sinh), WORK),
        (_income_study("income, component", frame, size, 10, "component", np.arcsinh, np.sinh), COMPONENT_WORK),
        (_income_study("income", frame, size, 2, "mixture", _cube_root, _cube), WORK),
    ]


def _income_study(
    name: str, frame: pd.DataFrame, size: Mapping[str, Any], components: int, weighting: str, forward: Any, back: Any
) -> Case:
    predictors = [c for c in frame.columns if c != "income"]
    modelled = frame[predictors].assign(modelled=forward(frame["income"].to_numpy(dtype=np.float64)))
    low, high = (float(v) for v in forward(np.array(BOUNDS)))
    formula = f"modelled ~ {' + '.join(predictors)}"
    return Case(
        name=name,
        frame=modelled,
        confidential=frame,
        modelled="modelled",
        column="income",
        back=back,
        synthesizer=FiniteMixture(formula, classes=components, weighting=weighting, bounds=(low, high)),
        sampler=size["nuts" if weighting == "mixture" else "gibbs"],
        intruder=INCOME_INTRUDER,
        tolerance=size["tolerance"],
        max_fits=size["max_fits"],
        again=size["again"],
    )


def _cube_root(income: FloatArray) -> FloatArray:
    return np.cbrt(income / 1000.0)


def _cube(root: FloatArray) -> FloatArray:
    return np.asarray(1000.0 * root**3)


def _asinh(income: FloatArray) -> FloatArray:
    return np.arcsinh(income / DOLLARS)


def _sinh(values: FloatArray) -> FloatArray:
    return np.asarray(DOLLARS * np.sinh(values))
