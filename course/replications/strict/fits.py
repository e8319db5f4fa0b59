"""The mechanisms of the study on one file: unweighted, weighted, re-weighted, clipped, and clipped with weights.

All are sampled by the same random walk under the same prior, so that what differs is the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from replications.ce2017 import BOUNDS
from synthlab import _rng, datasets
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.synthesizers import NegativeBinomial, NormalRegression
from synthlab.utility import ecdf_utility
from synthlab.weights import PseudoPosteriorMechanism, achieved_epsilon, lipschitz_weights, reweighted

QUANTILE = 0.95
SHARE = 0.95  # k of the re-weighting
M = 20
SCALES = (1.0, 0.7, 0.5)
MEAN, SIZE, RECORDS = 100.0, 10.0, 1000  # of the counts that one negative binomial made
INCOMES = 1000  # consumer units of a repetition
TENS = 10_000.0  # dollars, the unit of income in asinh
PLAIN, WEIGHTED, AGAIN = "unweighted", "weighted", "re-weighted"
CLIPPED, BOTH = "clipped", "clipped, weights of the file"


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A file and its synthesizer.

    Attributes
    ----------
    name, variable : str
    frame : pandas.DataFrame
        With the variable as it is modelled.
    model : Synthesizer
    units : mapping or None
        Declared, as if before the data were seen.
    widths : float
        Width of the interval of contributions in units of the Lipschitz bound: 2 for densities, 1 for probabilities, whose
        logarithms are at most 0. For all mechanisms, epsilon is this width (leave-one-out).
    back : callable
        From modelled values to the unit that is shown.
    """

    name: str
    variable: str
    frame: pd.DataFrame
    model: Any
    units: Mapping[str, tuple[float, float]] | None
    widths: float
    back: Callable[[FloatArray], FloatArray]


def case(name: str, rng: np.random.Generator) -> Case:
    """Return the file of a repetition: drawn anew."""
    if name == "income":
        frame = datasets.load("ce2017").frame
        rows = rng.choice(len(frame), INCOMES, replace=False)
        values = np.arcsinh(frame["income"].to_numpy(dtype=np.float64)[np.sort(rows)] / TENS)
        low, high = np.arcsinh(np.array(BOUNDS) / TENS)
        model = NormalRegression("value ~ 1", bounds=(float(low), float(high)))
        return Case(name, "value", pd.DataFrame({"value": values}), model, {"value": (2.0, 1.0)}, 2.0, _dollars)
    if name == "counts, two kinds":
        counts = datasets.load("nb_mixture", version="simulated", rng=rng).frame["outcome"].to_numpy()
    else:
        counts = rng.negative_binomial(SIZE, SIZE / (SIZE + MEAN), RECORDS)
    frame = pd.DataFrame({"value": counts})
    return Case(name, "value", frame, NegativeBinomial("value ~ 1"), None, 1.0, np.asarray)


CASES = ("counts, two kinds", "counts, one kind", "income")


def _dollars(values: FloatArray) -> FloatArray:
    return np.asarray(TENS * np.sinh(values), dtype=np.float64)


def repeat(
    name: str, seed: np.random.SeedSequence, sampler: Mapping[str, Any], scales: Sequence[float] = SCALES
) -> pd.DataFrame:
    """Fit, release and measure every mechanism on a new file; one row per mechanism and scale.

    The measures are NaN if the clipped posterior would be the prior, so that nothing is released.
    """
    first, second, third = seed.spawn(3)
    one = case(name, _rng.as_generator(first))
    n = len(one.frame)
    walk = _rng.integer_seed(_rng.as_generator(second))  # the same in every fit, so that mechanisms share its noise
    rows: list[dict[str, Any]] = []

    def fitted(weights: FloatArray | None) -> Any:
        return one.model.fit_clipped(
            one.frame, bound=None, weights=weights, units=one.units, rng=np.random.default_rng(walk), **sampler
        )

    def add(mechanism: str, scale: float, fit: Any, bound: float, epsilon: float, clipped: float, strict: bool) -> None:
        weight = 1.0 if fit.weights is None else float(fit.weights.mean())
        head = {"case": name, "mechanism": mechanism, "scale": scale, "bound": bound, "epsilon": epsilon}
        state = {"mean weight": weight, "share clipped": clipped, "strict": float(strict)}
        rows.append({**head, **state, **measure(one, fit, _rng.as_generator(third))})

    def accounted(mechanism: str, scale: float, weights: FloatArray | None) -> Any:
        fit = fitted(weights)
        spent = achieved_epsilon(fit.pseudo_log_likelihood(), n=n, quantile=QUANTILE)
        epsilon = one.widths * spent.lipschitz_bound
        add(mechanism, scale, fit.keep_draws(spent.kept), spent.lipschitz_bound, epsilon, 0.0, False)
        return fit, spent

    with quiet():
        plain = accounted(PLAIN, 0.0, None)[0].pseudo_log_likelihood()
        for scale in scales:
            alpha = np.asarray(lipschitz_weights(plain, n=n, quantile=QUANTILE, scale=scale).weights)
            spent = accounted(WEIGHTED, scale, alpha)[1]
            accounted(AGAIN, scale, reweighted(alpha, spent.sensitivity, share=SHARE))
            for mechanism, weight in ((CLIPPED, None), (BOTH, "lipschitz")):
                clipped = PseudoPosteriorMechanism(
                    synthesizer=one.model,
                    scale=scale,
                    quantile=QUANTILE,
                    clip=2.0 * spent.lipschitz_bound,
                    record_weight=weight,
                    units=one.units,
                )
                try:
                    found = clipped.fit(one.frame, rng=np.random.default_rng(walk), **sampler)
                except InputError as error:
                    if "every record is clipped" not in str(error):  # otherwise the posterior would be the prior
                        raise
                    state = {
                        "mechanism": mechanism,
                        "scale": scale,
                        "strict": float(weight is None),
                        "share clipped": 1.0,
                    }
                    bound = spent.lipschitz_bound
                    rows.append({"case": name, **state, "bound": bound, "epsilon": one.widths * bound})
                    continue
                cost: Any = found.accounting
                share = float(cost.clipped.mean())
                add(mechanism, scale, found.fitted, cost.lipschitz_bound, cost.epsilon_per_draw, share, cost.strict)
    return pd.DataFrame(rows)


def measure(one: Case, fit: Any, rng: np.random.Generator) -> dict[str, float]:
    """Return how far m datasets are from the file: U_m, the errors of mean and 90 % quantile, and their spread."""
    confidential = one.back(one.frame[one.variable].to_numpy(dtype=np.float64))
    values = [one.back(np.asarray(f[one.variable], dtype=np.float64)) for f in fit.generate(M, rng)]
    release = Release([pd.DataFrame({one.variable: v}) for v in values], [one.variable])
    file = pd.DataFrame({one.variable: confidential})
    found = {"U_m": float(ecdf_utility(file, release, variables=[one.variable]).ecdf_max.mean())}
    for name, statistic in (("mean", np.mean), ("90 % quantile", lambda v: np.quantile(v, 0.9))):
        truth, made = float(statistic(confidential)), np.array([statistic(v) for v in values])
        found[f"{name}, error"] = float(made.mean() - truth) / truth
        found[f"{name}, one dataset"] = float(np.sqrt(np.mean((made - truth) ** 2))) / truth
    return found
