"""Demonstration: a real survey is synthesized, and the release is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pandas as pd

from synthlab import _checks, _rng, datasets
from synthlab._typing import RngLike
from synthlab._warnings import quiet
from synthlab.exceptions import ExtraUnavailableError, SynthlabWarning
from synthlab.intruder import Intruder
from synthlab.report.evaluation import evaluate
from synthlab.report.result import EvaluationResult
from synthlab.synthesis import synthesize
from synthlab.synthesizers import TwoPart
from synthlab.weights import risk_weights

FORMULA = (
    "affairs ~ rate_marriage + age + yrs_married + children + religious + educ + C(occupation) + C(occupation_husb)"
)
RADIUS = {"affairs": 0.2}
# Without a bound, the long tail of the log-normal model produces values that are impossible for a respondent.
BOUNDS = (None, 60.0)
# Each dataset uses its own posterior draw, so m cannot exceed their number.
DRAWS, CHAINS = 1000, 2
TITLE = "Who can be found in a survey on extramarital affairs?"


def demonstrate(m: int = 20, rng: RngLike = 1, tell: Callable[[str], None] | None = None) -> EvaluationResult:
    """Synthesize and evaluate the affairs variable of Fair's survey of 6,366 women.

    Two women in three answered 0. One regression models whether there was any affair, another models the amount.
    The intruder knows what an acquaintance would know, and the true answer within 20%.

    Parameters
    ----------
    m : int
        Number of synthetic datasets, at most the number of posterior draws, 2,000.
    rng : int, Generator or None
        The same seed gives the same release on the same machine.
    tell : callable, optional
        Function that is called with a line of text before each step.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        If m is not an integer from 1 to 2,000.
    """
    m = _checks.check_count(m, "m", maximum=DRAWS * CHAINS)
    say = tell or (lambda text: None)
    survey = datasets.load("affairs")
    say(f"data: {survey.title} ({survey.kind})")
    say("fitting the two-part model: any affair, and how much (the first fit compiles it)")
    fitted = TwoPart(FORMULA, bounds=BOUNDS).fit(survey, rng=_rng.spawn(rng, 1)[0], draws=DRAWS, chains=CHAINS)
    say(f"drawing m = {m} synthetic datasets, measuring risk and utility")
    release = fitted.generate(m, rng=rng)
    acquaintance = Intruder(known=survey.roles["known"], synthesized=survey.roles["sensitive"], radius=RADIUS)
    return evaluate(survey, release, acquaintance, singletons="certain")


def fill_caches() -> None:
    """Compile what an evaluation, a synthesis and the demo need, so that later processes load it from the caches on disk.

    The compiled code depends on the types of the arguments only, so small files suffice. Without PyMC, its samplers are omitted.
    """
    draw = np.random.default_rng(1)
    amounts = pd.DataFrame(draw.lognormal(10, 1, (600, 3)).round(2), columns=["income", "rent", "savings"])
    everyone = amounts.assign(region=draw.choice(list("abcd"), 600), age=draw.integers(18, 90, 600))
    people, others = everyone.head(300), everyone.tail(300).reset_index(drop=True)
    with quiet(SynthlabWarning):
        release = synthesize(people, m=2, rng=1)
        for count in (1, 2, 3):
            someone = Intruder(known=["region"], synthesized=["income", "rent", "savings"][:count], radius=0.2)
            for order in (1, 2):
                risk_weights(people, someone, order=order)
            evaluate(people, release, someone, control=others)
        with suppress(ExtraUnavailableError):
            demonstrate(m=2)
