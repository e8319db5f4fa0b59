"""Lecture 14b: tau metrics from the numbers of cells of each size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_numbers, label_values

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
    if not np.all(np.asarray(mu) > 0):  # like the package: no distribution has the mean 0
        raise InputError("mu: must be in (0, inf); leave out the empty cells")
    return np.asarray(stats.poisson.pmf(k, mu), dtype=np.float64)


def tau(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    """Return tau1(k) to tau4(k) from the cell sizes; empty cells stay empty."""
    share = cells / cells.sum()
    full = sizes > 0
    tau1 = (share[full] * pmf(k, sizes[full])).sum()
    tau2 = share[sizes == k].sum()
    tau3 = pmf(k, k)
    return tau1, tau2, tau3, tau2 * tau3 / tau1


EXERCISES = (
    Exercise(
        "14b.tau",
        form=as_numbers,
        answers=_cells,
        right=tau,
        slips={
            "Compute the shares of all cells, including empty cells.": {
                "cells / cells.sum()": "cells / cells[sizes > 0].sum()"
            },
            "Weight each probability by the share of cells of this size.": {
                "(share[full] * pmf(k, sizes[full])).sum()": "pmf(k, sizes[full]).mean()"
            },
            "The arguments are swapped: pmf(k, mu) is the probability of k if the mean is mu.": {
                "pmf(k, sizes[full])": "pmf(sizes[full], k)"
            },
            "tau4 is a share of the synthetic cells of size k; divide by tau1.": {" / tau1": ""},
            "tau4 = tau2 tau3 / tau1: you divided by tau2 and multiplied by tau1.": {
                "tau2 * tau3 / tau1": "tau1 * tau3 / tau2"
            },
            "tau1 is a share: use the shares of the cells, not their numbers.": {"share[full]": "cells[full]"},
            "tau4 is not tau3: it is a share of the synthetic cells of size k.": {"tau2 * tau3 / tau1": "tau3"},
        },
    ),
)
