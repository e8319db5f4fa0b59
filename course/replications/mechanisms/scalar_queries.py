"""Four questions about a bounded variable, asked of the file by OpenDP: mean, median, 90 % quantile, most frequent cell."""

from __future__ import annotations

from typing import Any

import numpy as np

from replications.ce2017 import BOUNDS
from replications.mechanisms.data import Case, dollars
from synthlab._typing import FloatArray
from synthlab.dp._opendp import library

STEP = 1_000  # dollars between the candidates of a quantile
QUESTIONS = {"mean": None, "median": 0.5, "90 % quantile": 0.9, "most frequent cell": None}


def asked(one: Case, epsilon: float, times: int) -> dict[str, float]:
    """Return the errors of the answers, as `measure` has them of synthetic data; each answer costs epsilon.

    The neighbours have one record more or less. Incomes are whole dollars within the declared bounds; of the mean, sum and
    number cost half each.
    """
    income = np.rint(dollars(one.frame["value"].to_numpy(dtype=np.float64))).astype(np.int64)
    opendp, low, high = library("the study of mechanisms"), *map(int, BOUNDS)
    told = income.tolist()
    truth = {"mean": income.mean(), "median": np.median(income), "90 % quantile": np.quantile(income, 0.9)}
    found: dict[str, float] = {}
    mean = _mean(opendp, low, high, epsilon)
    found["mean"] = _error([mean(told) for _ in range(times)], truth["mean"])
    for name in ("median", "90 % quantile"):
        quantile = _quantile(opendp, low, high, QUESTIONS[name] or 0.5, epsilon)
        found[name] = _error([quantile(told) for _ in range(times)], truth[name])
    counts = one.counts(one.frame)
    mode = _mode(opendp, one.n_cells, epsilon)
    chosen = [mode(counts.astype(np.int64).tolist()) for _ in range(times)]
    found["most frequent cell"] = float(np.mean(np.array(chosen) != counts.argmax()))
    return found


def _space(opendp: Any) -> Any:
    return opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.symmetric_distance()


def _mean(opendp: Any, low: int, high: int, epsilon: float) -> Any:
    def sums(scale: float) -> Any:
        return _space(opendp) >> opendp.t.then_clamp((low, high)) >> opendp.t.then_sum() >> opendp.m.then_laplace(scale)

    def sizes(scale: float) -> Any:
        return _space(opendp) >> opendp.t.then_count(TO="i64") >> opendp.m.then_laplace(scale)

    both = [opendp.binary_search_chain(make, d_in=1, d_out=epsilon / 2) for make in (sums, sizes)]
    return lambda values: min(max(both[0](values) / max(both[1](values), 1), low), high)


def _quantile(opendp: Any, low: int, high: int, q: float, epsilon: float) -> Any:
    candidates = list(range(low, high + 1, STEP))

    def make(scale: float) -> Any:
        return opendp.m.make_private_quantile(
            *_space(opendp), opendp.max_divergence(), candidates=candidates, alpha=q, scale=scale
        )

    return opendp.binary_search_chain(make, d_in=1, d_out=epsilon)


def _mode(opendp: Any, cells: int, epsilon: float) -> Any:
    """Return the choice of the largest count; one record more or less moves the counts one way, and one of them, by 1."""
    space = (
        opendp.vector_domain(opendp.atom_domain(T="i64"), size=cells),
        opendp.linf_distance(T="i64", monotonic=True),
    )

    def make(scale: float) -> Any:
        return opendp.m.make_noisy_max(*space, opendp.max_divergence(), scale=scale)

    return opendp.binary_search_chain(make, d_in=1, d_out=epsilon)


def _error(answers: list[float], truth: float) -> float:
    made: FloatArray = np.array(answers, dtype=np.float64)
    return float(np.sqrt(np.mean(np.square(made - truth))) / abs(truth))
