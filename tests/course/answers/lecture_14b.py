"""Answers to the exercise of lecture 14b."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


def four(k, sizes, cells, pmf):
    share, full = cells / cells.sum(), sizes > 0
    tau1, tau2, tau3 = (share[full] * pmf(k, sizes[full])).sum(), share[sizes == k].sum(), pmf(k, k)
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@right("14b.tau")
def sums(k, sizes, cells, pmf):
    return four(k, sizes, cells, pmf)


@right("14b.tau")
def array_of_four(k, sizes, cells, pmf):
    return np.array(four(k, sizes, cells, pmf))


@right("14b.tau")
def loop_over_sizes(k, sizes, cells, pmf):
    total = sum(cells)
    tau1 = sum(c * pmf(k, j) for j, c in zip(sizes, cells, strict=True) if j > 0) / total
    tau2 = sum(c for j, c in zip(sizes, cells, strict=True) if j == k) / total
    return [tau1, tau2, pmf(k, k), tau2 * pmf(k, k) / tau1]


@wrong("14b.tau")
def empty_cells_in_tau1(k, sizes, cells, pmf):
    _, tau2, tau3, _ = four(k, sizes, cells, pmf)
    tau1 = (cells / cells.sum() * pmf(k, np.maximum(sizes, 0.5))).sum()
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@wrong("14b.tau")
def tau2_as_an_array(k, sizes, cells, pmf):
    tau1, _, tau3, _ = four(k, sizes, cells, pmf)
    tau2 = (cells / cells.sum())[sizes == k]
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@wrong("14b.tau")
def tau2_of_the_occupied_cells(k, sizes, cells, pmf):
    tau1, _, tau3, _ = four(k, sizes, cells, pmf)
    tau2 = cells[sizes == k].sum() / cells[sizes > 0].sum()
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@wrong("14b.tau")
def three_values(k, sizes, cells, pmf):
    return four(k, sizes, cells, pmf)[:3]
