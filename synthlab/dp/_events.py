"""Events that tell the outputs on two databases apart, and how often they happen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab._checks import dimensions
from synthlab._typing import FloatArray
from synthlab.dp._records import attempt
from synthlab.exceptions import InputError

FEW = 60
THRESHOLDS = 200


@dataclass(frozen=True, slots=True)
class Event:
    """The output equals a value, or is at most, or at least a threshold."""

    relation: str
    value: Any

    def count(self, outputs: Any) -> int:
        """Return in how many outputs the event happened."""
        if self.relation == "=":
            return sum(output == self.value for output in outputs)
        return int((outputs <= self.value).sum() if self.relation == "<=" else (outputs >= self.value).sum())

    @property
    def words(self) -> str:
        """Say what the event is."""
        shown = f"{self.value:.4g}" if isinstance(self.value, float) else repr(self.value)
        return f"output {self.relation} {shown}"


def run(mechanism: Any, database: Any, runs: int, rng: np.random.Generator) -> Any:
    """Return the outputs: an array where all are numbers, else a list of hashable values."""
    made = [mechanism(database, rng) for _ in range(runs)]
    numbers = all(dimensions(x) == 0 and isinstance(x, int | float | np.number | np.ndarray) for x in made)
    if numbers and not any(isinstance(x, bool) for x in made):
        array = np.array([attempt(float, x, np.nan) for x in made])
        if not np.isfinite(array).all():
            raise InputError("mechanism: returned a number that is not finite")
        return array
    try:
        hash(tuple(made))
    except TypeError:
        raise InputError(
            f"mechanism: returned {type(made[0]).__name__}; it must return one finite number, or a hashable value"
        ) from None
    return made


def telling_event(first: Any, other: Any, level: float) -> tuple[Event, bool]:
    """Find the event with the largest lower bound of the log ratio, and whether it is likelier in `other`.

    Tried are the commonest single outputs and, for numbers, half-lines.
    """
    here, there = Counter(list(first)), Counter(list(other))
    events = [Event("=", value) for value, _ in (here + there).most_common(FEW)]
    hits = [[counter[event.value] for event in events] for counter in (here, there)]
    if isinstance(first, np.ndarray) and isinstance(other, np.ndarray):
        at = np.unique(np.quantile(np.concatenate([first, other]), np.linspace(0, 1, THRESHOLDS)))
        events += [Event(relation, float(t)) for relation in ("<=", ">=") for t in at]
        for counts, outputs in zip(hits, (np.sort(first), np.sort(other)), strict=True):
            counts += outputs.searchsorted(at, side="right").tolist()
            counts += (len(outputs) - outputs.searchsorted(at, side="left")).tolist()
    low, high = clopper_pearson(np.array(hits), len(first), level)
    with np.errstate(divide="ignore"):
        scores = np.stack([np.log(low[0]) - np.log(high[1]), np.log(low[1]) - np.log(high[0])])
    direction, best = np.unravel_index(int(np.argmax(scores)), scores.shape)
    return events[int(best)], bool(direction)


def clopper_pearson(hits: Any, runs: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Return Clopper-Pearson bounds; the lower one of one share and the upper one of another hold together."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(hits, runs, alpha=1.0 - level, method="beta")
    return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
