"""One small example of every synthesizer, and its fit, which several files of tests share."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.synthesizers import Fitted

SHORT = {"draws": 12, "tune": 40, "chains": 1}
BRIEF = {"draws": 12, "chains": 1}
# A specification for `SURVEY`, the options of its sampler, and a value of its first variable that it cannot produce.
EXAMPLES: dict[str, tuple[Any, dict[str, int], Any]] = {
    "CART": (sl.CART(["income"], predictors=["age", "region"]), {}, "text"),
    "DPMPM": (sl.DPMPM(["job", "region"], classes=3), SHORT, "z"),
    "DirichletMultinomial": (sl.DirichletMultinomial(["job"], given=["region"]), {}, "z"),
    "FiniteMixture": (sl.FiniteMixture("income ~ age", classes=2, transform="log"), SHORT, -1.0),
    "LogisticRegression": (sl.LogisticRegression("region ~ age"), SHORT, "z"),
    "MultinomialRegression": (sl.MultinomialRegression("job ~ age", method="laplace"), BRIEF, "z"),
    "NegativeBinomial": (sl.NegativeBinomial("children ~ age"), SHORT, 0.5),
    "NormalRegression": (sl.NormalRegression("income ~ age + region", transform="log"), SHORT, -1.0),
    "OrderedLogisticRegression": (sl.OrderedLogisticRegression("children ~ age"), SHORT, 0.5),
    "PoissonRegression": (sl.PoissonRegression("children ~ age"), SHORT, -2.0),
    "Resample": (sl.Resample(["income"]), {}, "text"),
    "Sequential": (sl.Sequential([sl.DirichletMultinomial(["job"]), sl.CART(["income"], predictors=["job"])]), {}, "z"),
    "TopcodeImputation": (sl.TopcodeImputation("income", top=25.0), {}, "text"),
    "Topcoding": (sl.Topcoding("income", top=40.0), {}, "text"),
    "TwoPart": (sl.TwoPart("hours ~ age", transform="log"), SHORT, -1.0),
}


def made() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n = 80
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "region": rng.choice(["north", "south"], n),
            "job": rng.choice(["a", "b", "c"], n),
            "children": rng.poisson(1.5, n),
            "income": rng.lognormal(3.0, 0.5, n),
        }
    )
    frame["hours"] = np.where(rng.random(n) < 0.4, 0.0, rng.lognormal(2.0, 0.5, n))
    return frame


SURVEY = made()
WEIGHTS = np.where(np.arange(len(SURVEY)) % 10 == 0, 0.0, np.linspace(0.2, 1.0, len(SURVEY)))


@cache
def fitted(name: str, *, weighted: bool = False) -> Fitted:
    model, sampler, _ = EXAMPLES[name]
    return model.fit(SURVEY.copy(), weights=WEIGHTS if weighted else None, rng=1, **sampler)
