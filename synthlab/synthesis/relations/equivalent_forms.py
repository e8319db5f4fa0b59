"""Relations solved for each of their columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from synthlab.synthesis import _variable_types
from synthlab.synthesis.relations.relation import ORDERS, Relation, share_of
from synthlab.synthesis.relations.values import Values


def solutions(relation: Relation, values: Values, least: float = 1.0) -> list[Relation]:
    """Return the relation solved for each column where it still holds, the best first.

    It holds in at least the share `least` of the records.

    Results with more decimals come first, then sums of nonnegative columns, then results with a larger spread, then
    later columns of the file.
    """
    places = {c: place for place, c in enumerate(values.frame.columns)}
    listed = [replace(r, terms=tuple(sorted(r.terms, key=lambda term: places[term[0]]))) for r in relation.solved()]
    found = [r for r in listed if r == listed[0] or (_valid(r) and share_of(r, values) >= least)]
    if relation.form in (*ORDERS, "one hot", "missing"):
        return found
    if relation.form == "codes":
        words = [r for r in found if values.role[r.sources[0]] != _variable_types.NUMBER]
        return words + [r for r in found if r not in words]

    def key(one: Relation) -> tuple[float, ...]:
        decimals = values.decimals(one.result)
        numbers = [values.numbers[c] for c in one.columns]
        if one.form == "linear":
            safe = one.constant >= 0 and all(t > 0 for _, t in one.terms) and all(np.nanmin(v) >= 0 for v in numbers)
            spread = [-float(np.round(np.nanstd(numbers[0]) / max(np.nanstd(v) for v in numbers), 2))]
        else:
            safe, spread = all(p >= 1 for _, p in one.terms), []
        return -(7 if decimals is None else decimals), not safe, *spread, -places[one.result]

    return sorted(found, key=key)


def _valid(relation: Relation) -> bool:
    return relation.form != "product" or all(abs(p) in (0.5, 1.0, 2.0) for _, p in relation.terms)
