"""Two populations, and the informative designs by which surveys are drawn from them.

Large y are likelier to be in the sample, and the more so the larger x is: the sample has another mean and another slope than
the population.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab.design import SurveyDesign

DESIGNS = ("weights", "strata, clusters and weights")
PEOPLE, SAMPLE = 20_000, 400
INTERCEPT, SLOPE, NOISE = 8.8, 0.6, 0.7
STRATA, CLUSTERS, DRAWN = 10, 40, 6  # clusters in a stratum of the population, and of them in the sample
BETWEEN = 0.3  # standard deviation of a cluster's effect, and of a stratum's
PULL, TWIST = 0.3, 0.25  # on the log of the chance to be drawn: of y, and of x times y, in standard deviations


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """A population, the way a survey is drawn from it, and its true values.

    Attributes
    ----------
    name : str
        The word of the tables.
    frame : pandas.DataFrame
        x and y of everybody, and the stratum and cluster where there are any.
    design : SurveyDesign
        The design of its surveys.
    draw : callable
        Of a generator: a survey, with its weights.
    truth : dict {estimand: float}
        Mean of y, and least-squares slope of y on x, over everybody.
    """

    name: str
    frame: pd.DataFrame
    design: SurveyDesign
    draw: Callable[[np.random.Generator], pd.DataFrame]
    truth: dict[str, float]


def populations(seed: int) -> list[Population]:
    """Return the population of each design."""
    first, second = _rng.spawn(seed, 2)
    return [_people(first), _clustered(second)]


def _people(rng: np.random.Generator) -> Population:
    """Return people who are drawn one by one, with unequal chances."""
    x = rng.standard_normal(PEOPLE)
    y = INTERCEPT + SLOPE * x + NOISE * rng.standard_normal(PEOPLE)
    frame = pd.DataFrame({"x": x, "y": y})
    size = _pull(x, y) * np.exp(0.3 * rng.standard_normal(PEOPLE))
    chance = np.minimum(SAMPLE * size / size.sum(), 1.0)

    def draw(generator: np.random.Generator) -> pd.DataFrame:
        taken = generator.random(PEOPLE) < chance
        survey: pd.DataFrame = frame[taken]
        return survey.assign(weight=1 / chance[taken]).reset_index(drop=True)

    return Population(DESIGNS[0], frame, SurveyDesign(weights="weight"), draw, _truth(x, y))


def _clustered(rng: np.random.Generator) -> Population:
    """Return people in clusters in strata: clusters are drawn at random, people in them with unequal chances."""
    size = PEOPLE // (STRATA * CLUSTERS)
    cluster = np.repeat(np.arange(STRATA * CLUSTERS), size)
    stratum = cluster // CLUSTERS
    shift = BETWEEN * rng.standard_normal(STRATA)[stratum] + BETWEEN * rng.standard_normal(STRATA * CLUSTERS)[cluster]
    x = rng.standard_normal(PEOPLE) + 0.5 * BETWEEN * rng.standard_normal(STRATA * CLUSTERS)[cluster]
    y = INTERCEPT + SLOPE * x + shift + NOISE * rng.standard_normal(PEOPLE)
    frame = pd.DataFrame({"x": x, "y": y, "stratum": stratum, "cluster": cluster, "clusters": CLUSTERS})
    pull = _pull(x, y)
    chance = np.minimum(SAMPLE / (STRATA * DRAWN * size) * pull / pull.mean(), 1.0)

    def draw(generator: np.random.Generator) -> pd.DataFrame:
        ranks = generator.random((STRATA, CLUSTERS)).argsort(axis=1).argsort(axis=1).reshape(-1)
        taken = (ranks[cluster] < DRAWN) & (generator.random(PEOPLE) < chance)
        survey: pd.DataFrame = frame[taken]
        return survey.assign(weight=CLUSTERS / DRAWN / chance[taken]).reset_index(drop=True)

    design = SurveyDesign(weights="weight", strata="stratum", clusters="cluster", fpc="clusters", lonely="certainty")
    return Population(DESIGNS[1], frame, design, draw, _truth(x, y))


def _pull(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return chances to be drawn, up to a factor."""
    return np.asarray(np.exp(PULL * _standard(y) + TWIST * _standard(x) * _standard(y)), dtype=np.float64)


def _standard(values: FloatArray) -> FloatArray:
    return np.asarray((values - values.mean()) / values.std(), dtype=np.float64)


def _truth(x: FloatArray, y: FloatArray) -> dict[str, float]:
    return {"mean of y": float(y.mean()), "slope of y on x": float(np.cov(x, y)[0, 1] / x.var(ddof=1))}
