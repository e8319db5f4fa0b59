"""Selection of the detected relations that are enforced without being declared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from synthlab._typing import FloatArray
from synthlab.synthesis.relations.relation import ORDERS, PATTERNS, Relation
from synthlab.synthesis.relations.values import NUMBER, Values

DISTINCT = 10  # smallest number of distinct results of an arithmetic relation
CENTRAL = 5, 95  # percentiles between which the ranges of two columns in order are compared
OVERLAP = 0.5  # smallest part of the shorter range that both ranges contain


def is_enforced(relation: Relation, values: Values) -> bool:
    """Return whether a relation that holds in all records is enforced without being declared.

    These are relations and functions of dates; codes, one-hot columns and patterns of missing values; arithmetic relations with
    at least 10 distinct results, or with one source, which determines the result like a code; and orders of two columns
    whose ranges from the 5th to the 95th percentile overlap by at least half of the shorter one. Other relations can
    hold by chance, or because the columns have different sizes.
    """
    if relation.form in PATTERNS or any(values.scale.get(c) != NUMBER for c in relation.columns):
        return True
    if relation.form in ORDERS:
        return _overlap(*(values.numbers[c] for c in relation.columns))
    both, _ = relation.holds(values)
    return len(relation.sources) == 1 or np.unique(values.numbers[relation.result][both]).size >= DISTINCT


def _overlap(one: FloatArray, other: FloatArray) -> bool:
    """Return whether the central ranges of two columns overlap by at least half of the shorter one."""
    (low, high), (below, above) = (np.nanpercentile(numbers, CENTRAL) for numbers in (one, other))
    shared = min(high, above) - max(low, below)
    return bool(shared >= OVERLAP * min(high - low, above - below))


def follows(order: Relation, equation: Relation, values: Values) -> bool:
    """Return whether an order of two columns holds wherever an equation holds.

    This is so if the equation has only these two columns; if it is a sum whose other terms are at least 0; or if one
    column is a multiple of the other by factors of at least 1. The ranges of these terms and factors are those of the
    file, which a release preserves.
    """
    upper, lower = order.columns if order.form == "at least" else order.columns[::-1]
    if not equation.is_equation or not {upper, lower} <= set(equation.columns):
        return False
    if len(equation.columns) == 2:
        return True
    if equation.form == "product" and equation.result in (upper, lower):
        (source,) = {upper, lower} - {equation.result}
        times = dict(equation.terms)
        others = [values.numbers[c] for c in times if c != source]
        if times.pop(source) != 1 or equation.constant <= 0 or any(np.nanmin(v) <= 0 for v in others):
            return False
        raised = [v**t for v, t in zip(others, times.values(), strict=True)]
        low, high = (equation.constant * float(np.prod([f(v) for v in raised])) for f in (np.nanmin, np.nanmax))
        return bool(np.nanmin(values.numbers[source]) >= 0 and (low >= 1 if equation.result == upper else high <= 1))
    for solved in equation.solved():
        times = dict(solved.terms)
        if solved.result != upper or times.get(lower) != 1:
            continue
        rest = [t * values.numbers[c] for c, t in solved.terms if c != lower]
        return solved.form == "linear" and solved.constant + sum(float(np.nanmin(v)) for v in rest) >= 0
    return False


def without_implied(orders: Sequence[Relation], equations: Iterable[Relation], values: Values) -> list[Relation]:
    """Return the orders that do not follow from an equation, or from two other orders.

    An order follows from two others only if the column between them is never missing where both ends have values.
    """
    equations = list(equations)
    kept = [r for r in orders if not any(follows(r, one, values) for one in equations)]
    above: dict[str, set[str]] = {}
    for relation in kept:
        above.setdefault(relation.sources[0], set()).add(relation.result)
    known = {c: ~np.isnan(values.numbers[c]) for r in kept for c in r.columns}

    def between(relation: Relation, middle: str) -> bool:
        low, high = relation.sources[0], relation.result
        linked = middle != high and high in above.get(middle, ())
        return linked and bool(known[middle][known[low] & known[high]].all())

    return [r for r in kept if not any(between(r, middle) for middle in above[r.sources[0]])]
