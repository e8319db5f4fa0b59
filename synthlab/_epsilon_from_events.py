"""Lower bounds of epsilon from the frequencies of events in two worlds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab._typing import FloatArray

FEW = 60
THRESHOLDS = 200


@dataclass(frozen=True, slots=True)
class Event:
    """Event that an output equals a value, or is at most or at least a threshold."""

    relation: str
    value: Any

    def count(self, outputs: Any) -> int:
        """Return the number of outputs for which the event occurred."""
        if self.relation == "=":
            return sum(output == self.value for output in outputs)
        return int((outputs <= self.value).sum() if self.relation == "<=" else (outputs >= self.value).sum())

    @property
    def words(self) -> str:
        """Description of the event."""
        shown = f"{self.value:.4g}" if isinstance(self.value, float) else repr(self.value)
        return f"output {self.relation} {shown}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Event, and its frequencies in the more and the less likely world.

    The frequencies are from runs that were not used to choose the event. The lower end of the first of `bounds` and the
    upper end of the second hold jointly with probability at least `level`.
    """

    event: str
    swapped: bool
    hits: tuple[int, int]
    runs: int
    bounds: tuple[tuple[float, float], tuple[float, float]]

    def epsilon_lower(self, delta: float) -> float:
        """Return the lower bound of epsilon for a given delta; 0 if no difference is found."""
        return lower_bound(self.bounds[0][0], self.bounds[1][1], delta)


def lower_bound(likelier: float, other: float, delta: float) -> float:
    """Return the smallest epsilon >= 0 with ``likelier <= exp(epsilon) other + delta``."""
    return max(0.0, float(np.log((likelier - delta) / other))) if likelier > delta else 0.0


def evidence(first: Any, other: Any, test: Any, test_other: Any, level: float, delta: float = 0.0) -> Evidence:
    """Choose an event from the outputs `first` and `other`, and count it in the test outputs."""
    event, swapped = telling_event(first, other, level, delta)
    runs = len(test)
    hits = (event.count(test), event.count(test_other))
    hits = hits[::-1] if swapped else hits
    bounds = tuple((float(a), float(b)) for a, b in zip(*clopper_pearson(np.array(hits), runs, level), strict=True))
    return Evidence(event.words, swapped, hits, runs, (bounds[0], bounds[1]))


def telling_event(first: Any, other: Any, level: float, delta: float = 0.0) -> tuple[Event, bool]:
    """Return the event with the largest lower bound of epsilon, and whether it is more likely in `other`.

    The candidates are the most frequent outputs and, for numbers, half-lines.
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
        above = np.log(np.maximum(low - delta, 0.0))
        scores = np.stack([above[0] - np.log(high[1]), above[1] - np.log(high[0])])
    direction, best = np.unravel_index(int(np.argmax(scores)), scores.shape)
    return events[int(best)], bool(direction)


def clopper_pearson(hits: Any, runs: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Return Clopper-Pearson bounds; a lower bound of one share and an upper bound of another hold jointly."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(hits, runs, alpha=1.0 - level, method="beta")
    return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
