"""Lecture 14b: tau metrics from the numbers of cells of each size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from synthlab._typing import FloatArray, IntArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import label_values

EIGHT = (np.array([0, 1, 2, 30]), np.array([2, 4, 1, 1]))  # the eight cells of the lecture
LARGER = (np.array([0, 1, 2, 3, 12]), np.array([900, 50, 20, 10, 5]))


def _cells(function: Callable[..., Any]) -> dict[str, Any]:
    return {
        f"k = {k}, {title}": label_values(
            function(k, sizes.copy(), cells.copy(), _poisson), ("tau1", "tau2", "tau3", "tau4")
        )
        for title, (sizes, cells) in (("the eight cells", EIGHT), ("985 cells", LARGER))
        for k in (1, 2)
    }


def _poisson(k: Any, mu: Any) -> FloatArray:
    return np.asarray(stats.poisson.pmf(k, mu), dtype=np.float64)


def tau(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    """Return tau1(k) to tau4(k) from the cell sizes; empty cells stay empty."""
    share = cells / cells.sum()
    full = sizes > 0
    tau1 = (share[full] * pmf(k, sizes[full])).sum()
    tau2 = share[sizes == k].sum()
    tau3 = pmf(k, k)
    return tau1, tau2, tau3, tau2 * tau3 / tau1


def _occupied_only(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    return tau(k, sizes[sizes > 0], cells[sizes > 0], pmf)


def _every_size_alike(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    _, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    tau1 = np.mean(pmf(k, sizes[sizes > 0]))
    return tau1, tau2, tau3, tau2 * tau3 / tau1


def _swapped(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    return tau(k, sizes, cells, lambda y, mu: pmf(mu, y))


def _of_the_agency(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    tau1, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    return tau1, tau2, tau3, tau2 * tau3


def _upside_down(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    tau1, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    return tau1, tau2, tau3, tau1 * tau3 / tau2


def _number_of_cells(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    tau1, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    tau1 = tau1 * cells.sum()
    return tau1, tau2, tau3, tau2 * tau3 / tau1


def _kept_twice(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    tau1, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    return tau1, tau2, tau3, tau3


EXERCISES = (
    Exercise(
        "14b.tau",
        answers=_cells,
        right=tau,
        slips={
            "Compute the shares of all cells, including empty cells.": _occupied_only,
            "Weight each probability by the share of cells of this size.": _every_size_alike,
            "The arguments are swapped: pmf(k, mu) is the probability of k if the mean is mu.": _swapped,
            "tau4 is a share of the synthetic cells of size k; divide by tau1.": _of_the_agency,
            "tau4 = tau2 tau3 / tau1: you divided by tau2 and multiplied by tau1.": _upside_down,
            "tau1 is a share: use the shares of the cells, not their numbers.": _number_of_cells,
            "tau4 is not tau3: it is a share of the synthetic cells of size k.": _kept_twice,
        },
    ),
)
