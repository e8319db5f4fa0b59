"""The datasets of the replication, and the synthesizer of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from replications.ce2017 import SOMEONE as INCOME_INTRUDER
from replications.dp.models import UNITS, Unit, choose
from replications.dp.settings import COMPONENT_WORK, FITTED, MIXTURE_WORK, WORK, Case
from synthlab.intruder import Intruder
from synthlab.synthesizers import FiniteMixture, NegativeBinomial

COUNT_INTRUDER = Intruder(known=[], synthesized=["outcome"], radius={"outcome": 0.2})


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
    logarithm = Unit(np.arcsinh, np.sinh, lambda y: -0.5 * np.log1p(np.square(y)))
    mixture = _income_study("income", frame, size, 2, "mixture", UNITS["cube root"])
    return [
        (_income_study("income, one regression", frame, size, 1, "component", UNITS["asinh"]), WORK),
        (_income_study("income, component", frame, size, 10, "component", logarithm), COMPONENT_WORK),
        (replace(mixture, tolerance=size["near"], max_fits=size["nuts_fits"], again=False), MIXTURE_WORK),
    ]


def fitting_study(frame: pd.DataFrame, size: Mapping[str, Any], models: pd.DataFrame) -> Case:
    """Return the study of income on the mixture that was chosen; the weight on the density of the record's own component.

    That is the one of the two weightings whose draws can be had for more than two or three components.
    """
    chosen = choose(models)
    one = _income_study(FITTED, frame, size, int(chosen["classes"]), "component", UNITS[str(chosen["scale"])])
    return replace(one, sampler=size["fitted"], tolerance=size["near"], max_fits=size["few"], again=False)


def _income_study(
    name: str, frame: pd.DataFrame, size: Mapping[str, Any], components: int, weighting: str, unit: Unit
) -> Case:
    predictors = [c for c in frame.columns if c != "income"]
    income = frame["income"].to_numpy(dtype=np.float64)
    there = income > 0 if unit.positive else np.ones(len(frame), dtype=bool)
    confidential = frame if there.all() else frame[there].reset_index(drop=True)
    modelled = confidential[predictors].assign(modelled=unit.forward(income[there]))
    formula = f"modelled ~ {' + '.join(predictors)}"
    return Case(
        name=name,
        frame=modelled,
        confidential=confidential,
        modelled="modelled",
        column="income",
        back=unit.back,
        synthesizer=FiniteMixture(formula, classes=components, weighting=weighting, bounds=unit.bounds),
        sampler=size["nuts" if weighting == "mixture" else "gibbs"],
        intruder=INCOME_INTRUDER,
        tolerance=size["tolerance"],
        max_fits=size["max_fits"],
        again=size["again"],
        rest=income[~there],
    )
