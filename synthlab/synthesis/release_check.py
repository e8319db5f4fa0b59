"""Test of every relation, range, set of values and grid that a plan states, in every dataset of a release."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import IntArray
from synthlab._warnings import warn
from synthlab.exceptions import RelationWarning
from synthlab.synthesis.relations import (
    Condition,
    Found,
    Preserved,
    RelationCondition,
    Values,
    condition_of,
    conditions_of_column,
)
from synthlab.synthesizers._missing import Codes

CONDITIONS = "conditions"  # in the provenance: the conditions of the plan, with the number of records that break them
SHOWN = 8  # relations named in a warning


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseCheck:
    """Number of records of each dataset that break each condition.

    Attributes
    ----------
    conditions : tuple of Condition
        The conditions.
    broken : ndarray of shape (conditions, m), int64
        Number of records that break each condition, per dataset.
    complete : ndarray of shape (conditions, m), int64
        Number of records that have all values of each condition, per dataset.
    """

    conditions: tuple[Condition, ...]
    broken: IntArray
    complete: IntArray

    @property
    def lost(self) -> list[int]:
        """The positions of the conditions that some record breaks."""
        return [int(place) for place in np.flatnonzero(self.broken.any(axis=1))]

    def describe(self, place: int) -> str:
        """Return a condition with the number of records that break it."""
        count, size = int(self.broken[place].sum()), int(self.complete[place].sum())
        record = "record breaks" if count == 1 else "records break"
        return f"{self.conditions[place]} ({count:,} of {size:,} synthetic {record} it)"

    def to_list(self) -> list[dict[str, Any]]:
        """Return each condition, with the number of records that break it in each dataset, for JSON."""
        return [
            {**condition.to_dict(), "records_broken": counts}
            for condition, counts in zip(self.conditions, self.broken.tolist(), strict=True)
        ]


def check_release(conditions: Sequence[Condition], frames: Sequence[pd.DataFrame]) -> ReleaseCheck:
    """Test conditions in every dataset of a release.

    Parameters
    ----------
    conditions : sequence of Condition
        Conditions whose variables are columns of the datasets. Missing values do not break a condition.
    frames : sequence of pandas.DataFrame
        The datasets.

    Returns
    -------
    ReleaseCheck
    """
    shape = len(conditions), len(frames)
    broken, complete = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for i, condition in enumerate(conditions):
        for j, frame in enumerate(frames):
            both, agree = condition.tested(frame)
            broken[i, j], complete[i, j] = (both & ~agree).sum(), both.sum()
    return ReleaseCheck(tuple(conditions), broken, complete)


def conditions_of(found: Found, preserved: Preserved, codes: Codes, columns: Collection[str]) -> tuple[Condition, ...]:
    """Return the conditions of a plan: its relations, and the range or the set of values and the grid of columns.

    Parameters
    ----------
    found : Found
        The relations of the file.
    preserved : Preserved
        The relations that are preserved by construction, and the confidential values.
    codes : mapping
        Numbers that mean missing, by column.
    columns : collection of str
        Columns of numbers or dates whose released values are within the range of the file.
    """
    values = preserved.values
    relations = [RelationCondition.of_relation(r, values, codes) for r in found.exact]
    return (*relations, *(one for c in columns if c in values.numbers for one in conditions_of_column(c, values)))


def stored_conditions(
    provenance: Mapping[str, Any], values: Values, codes: Codes, columns: Collection[str]
) -> list[Condition]:
    """Return the conditions in the provenance of a release, with the values of the confidential data.

    Conditions that cannot be read, or that refer to other columns, are left out.
    """
    listed = provenance.get(CONDITIONS)
    found = []
    for stored in listed if isinstance(listed, list | tuple) else ():
        try:
            if {*stored["variables"]} <= {*columns}:
                found.append(condition_of(stored, values, codes))
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return found


def relation_statuses(
    found: Found,
    check: ReleaseCheck,
    status: Callable[[Any], str | None],
    redrawn: Mapping[Condition, float],
    others: Sequence[int],
) -> tuple[str, ...]:
    """Return each relation with its status, and warn about the conditions that some record breaks.

    Also warn about relations that hold in nearly all confidential records. `others` are the numbers of synthetic records
    that break the proposed relations.
    """
    if found.nearly:
        listed = "; ".join(map(str, found.nearly[:SHOWN]))
        warn(
            f"relations: nearly all confidential records satisfy {listed}{_more(len(found.nearly))}. These relations are "
            "not preserved; correct the other records, or declare the relations with `relations`",
            RelationWarning,
        )
    if lost := check.lost:
        listed = "; ".join(check.describe(place) for place in lost[:SHOWN])
        plural = len(lost) > 1
        warn(
            f"relations: {len(lost)} relation{'s' * plural} between columns of the file {'are' if plural else 'is'} not "
            f"preserved in the release: {listed}{_more(len(lost))}. Synthesize all columns of a relation with trees, or "
            "leave one column out and compute it from the others",
            RelationWarning,
        )
    statuses = []
    for place, condition in enumerate(check.conditions):
        if not isinstance(condition, RelationCondition):
            continue
        if place in lost:
            count = int(check.broken[place].sum())
            statuses.append(f"{condition}: not preserved ({count:,} record{'s' * (count != 1)})")
            continue
        kept, share = status(condition.relation), redrawn.get(condition, 0.0)
        if kept is None or share > 0:
            text = str(condition) if kept is None else kept.rpartition(": ")[0]
            kept = f"{text}: redrawn ({share:.1%} of the records)"
        statuses.append(kept)
    return (*statuses, *proposed_lines(found, others))


def proposed_lines(found: Found, broken: Sequence[int] = ()) -> list[str]:
    """Return each proposed relation with the number of records in which it holds, and of synthetic ones that break it."""
    lines = []
    for place, (relation, count) in enumerate(found.proposed):
        lost = f"; {broken[place]:,} synthetic records break it" if len(broken) and broken[place] else ""
        lines.append(f"{relation}: proposed (holds in all {count:,} records that have its values{lost})")
    return lines


def _more(count: int) -> str:
    return f"; and {count - SHOWN} more" if count > SHOWN else ""


__all__ = [
    "CONDITIONS",
    "ReleaseCheck",
    "check_release",
    "conditions_of",
    "proposed_lines",
    "relation_statuses",
    "stored_conditions",
]
