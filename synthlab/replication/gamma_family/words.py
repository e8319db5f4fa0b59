"""The sentences of the page of the gamma family replication, with the numbers of the run."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab.replication.gamma_family.numbers import Numbers, standardized
from synthlab.replication.gamma_family.settings import RIVAL, SHOWN


def agreement(tau: pd.DataFrame) -> str:
    """Say how many measured metrics lie where they were expected."""
    z = standardized(tau)
    return f"{np.mean(np.abs(z) < 1.959964):.1%} of {z.size} measured values lie inside the 95 % binomial band around them."


def overlap(settings: pd.DataFrame) -> str:
    """Say how much of the loss of overlap is the pseudocount's."""
    numbers = Numbers(settings)
    pairs = []
    for label in numbers.labels("no pseudocount"):
        padded = label.removesuffix(", no pseudocount")
        medians = [numbers.of(name, "overlap_q50") for name in (padded, label)]
        pairs.append(f"{padded} {medians[0]:.2f} with and {medians[1]:.2f} without it")
    if not pairs:
        return "The settings without a pseudocount are left out of the quick run."
    return (
        "Noise is not the main reason for a low overlap, the pseudocount is: it adds 0.01 records for each of the empty "
        "cells, and small margins have many of them. Median overlap: " + "; ".join(pairs) + "."
    )


def reference(table: pd.DataFrame) -> str:
    """Say how far the recorded metrics are from those of synthlab."""
    return (
        f"{len(table)} numbers of tau1 to tau4, recorded from R's gamlss.dist for the published cells of size 0 to 10: the "
        f"largest relative difference from those computed here is {table['relative_difference'].max():.1e}."
    )


def zeros(settings: pd.DataFrame) -> str:
    """Say what the pseudocount does, and what a Bernoulli draw does in its place."""
    numbers = Numbers(settings)
    risk = numbers.of(SHOWN, "tau4_1")
    text = (
        f"Under {SHOWN} the pseudocount of 0.01 raises {numbers.of(SHOWN, 'zeros_raised'):.2g} of the zeros. Their mean stays "
        f"0.01, so those few become large (up to {numbers.of(SHOWN, 'largest_from_zero'):,.0f} here): the mechanism does not "
        f"merely fail, it puts crowds into empty cells. The NBI raises {numbers.of(RIVAL, 'zeros_raised'):.2g}."
    )
    parts = [
        f"{label.rpartition(', ')[2]}: tau4(1) {numbers.of(label, 'tau4_1'):.3f}, tau3(1) {numbers.of(label, 'tau3_1'):.3f}"
        for label in numbers.labels("GAF + ones")
    ]
    return (
        f"{text} With a Bernoulli draw in place of the pseudocount the synthetic ones are mixed with made-up ones. tau4(1) "
        f"was {risk:.3f} and tau3(1) {numbers.of(SHOWN, 'tau3_1'):.3f}; now, {'; '.join(parts)}."
    )


def beyond(settings: pd.DataFrame) -> str:
    """Say where Laplace noise and log-linear means are on the map."""
    numbers = Numbers(settings)
    epsilon, raised, total, median = (
        numbers.group("Laplace", column) for column in ("epsilon_total", "zeros_raised", "total", "overlap_q50")
    )
    text = (
        "Laplace noise is the same for every count. A person more or less changes one cell by one, so a table costs epsilon, "
        f"and all of a setting together {_span(epsilon, 'g')}. It turns {_span(raised, '.0%')} of the zeros into non-zeros. These "
        "hide the ones, so tau4(1) is low; and because counts are cut off at zero they all add: the total becomes "
        f"{_span(total, ',.0f')} records, and the median interval overlap is {median.max():.2f} at most. The map shows neither."
    )
    risk = numbers.group("two-way means", "tau4_1")
    if not risk.size:
        return f"{text} The all-two-way means are left out of the quick run."
    return (
        f"{text} Around the means of the all-two-way model tau4(1) is {_span(risk, '.3f')}: a model that is not saturated "
        "protects by itself, at the price of its misfit."
    )


def _span(values: np.ndarray, form: str) -> str:
    low, high = format(float(values.min()), form), format(float(values.max()), form)
    return low if low == high else f"{low} to {high}"
