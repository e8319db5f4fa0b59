"""Is the claimed epsilon true? A test on two neighbouring toy databases that a bad mechanism fails.

If a mechanism has the privacy loss epsilon, then for neighbouring databases D and D' and every event E

    Pr(M(D) in E) <= exp(epsilon) Pr(M(D') in E).

The mechanism is run many times on both. A first half of the runs looks for the event with the largest ratio, a second
half, which has not seen the search, bounds the two probabilities (Clopper and Pearson), and so epsilon from below
(Ding, Wang, Wang, Zhang and Kifer 2018; Jagielski, Ullman and Oprea 2020). A bound above the claim refutes it. A bound
below the claim proves nothing: one pair of databases and one kind of event were tried.

An audit looks at its databases as often as it likes and shows what came out: it is not private, and is for toy data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _parallel, _rng
from synthlab._result import Result
from synthlab._typing import RngLike
from synthlab.dp._events import clopper_pearson, run, telling_event
from synthlab.dp.adjacency import WORDS, Adjacency, are_neighbours
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_RUNS = 10_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditResult(Result):
    """A lower bound for the privacy loss of a mechanism, on one pair of neighbours.

    Attributes
    ----------
    claimed : float
        The epsilon that was claimed.
    event : str
        The event that tells the two databases apart best.
    swapped : bool
        Whether the event is likelier under the neighbour than under the database.
    hits : tuple of int
        How often it happened under the likelier and under the other one, in the second half of the runs.
    runs : int
        Number of runs of each in the second half.
    bounds : tuple of two pairs of float
        Clopper-Pearson bounds of the two probabilities, each end of level (1 + level) / 2. The lower end of the first and
        the upper end of the second, which `epsilon_lower` is made of, hold together with probability `level` at least.
    level : float
        Confidence.
    adjacency : {"add-remove", "replace"}
        What a neighbour is.
    """

    _table: ClassVar[str] = ""

    claimed: float
    event: str
    swapped: bool
    hits: tuple[int, int]
    runs: int
    bounds: tuple[tuple[float, float], tuple[float, float]]
    level: float
    adjacency: str

    @property
    def epsilon_lower(self) -> float:
        """The privacy loss is at least this, with the confidence `level`; 0 when the test sees no difference."""
        low, high = self.bounds[0][0], self.bounds[1][1]
        return max(0.0, float(np.log(low / high))) if low > 0 else 0.0

    @property
    def epsilon_observed(self) -> float:
        """Log ratio of the observed shares; infinite when the event happened under one database alone, NaN under neither."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.log(self.hits[0]) - np.log(self.hits[1]))

    @property
    def violated(self) -> bool:
        """Return whether the claim is refuted."""
        return self.epsilon_lower > self.claimed

    def to_frame(self) -> pd.DataFrame:
        """Return one row: the claim, the bound, the event, and how often it happened."""
        return pd.DataFrame(
            {
                "claimed": [self.claimed],
                "epsilon_lower": [self.epsilon_lower],
                "epsilon_observed": [self.epsilon_observed],
                "violated": [self.violated],
                "event": [self.event],
                "hits": [self.hits[0]],
                "hits_other": [self.hits[1]],
                "runs": [self.runs],
            }
        )

    @property
    def title(self) -> str:
        """The finding of the audit, and what it does not say."""
        likelier, other = ("neighbour", "database") if self.swapped else ("database", "neighbour")
        found = (
            f"{self.event}: {self.hits[0]:,} of {self.runs:,} runs on the {likelier}, {self.hits[1]:,} on the {other}; "
            f"epsilon is at least {self.epsilon_lower:.3f} ({self.level:.0%} confidence), claimed is {self.claimed:.4g}."
        )
        if self.violated:
            return f"{found} The claim is refuted, for {WORDS[self.adjacency]}."
        return f"{found} The claim is not refuted; that is no proof: one pair of {WORDS[self.adjacency]} was tried."

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the lower bound against the claim."""
        from synthlab.plots import dp_account

        return dp_account.plot_audit({"mechanism": self}, ax=ax, **options)


def audit_epsilon(
    mechanism: Callable[[Any, np.random.Generator], Any],
    database: Any,
    neighbour: Any,
    *,
    epsilon: float,
    adjacency: Adjacency = "add-remove",
    runs: int = 10_000,
    level: float = 0.99,
    rng: RngLike = None,
) -> AuditResult:
    """Run a mechanism on two neighbouring databases, and bound its privacy loss from below.

    The audit itself is not private: the databases are toys, or may be known to whoever sees the result.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(database, rng)`` returns a number, or a value that can be compared, a word, say. Of several numbers
        take one, or the one that tells most.
    database, neighbour : DataFrame or sequence
        Toy databases that differ by one person; choose the pair the mechanism is worst on.
    epsilon : float > 0
        The claim.
    adjacency : {"add-remove", "replace"}
        What a neighbour is; the two databases are checked to be neighbours.
    runs : int from 100 to 10 million
        Runs on each database, half of them to find an event and half to test it.
    level : float in (0, 1)
        Confidence: a mechanism that keeps its claim is refuted with probability 1 - level at most.
    rng : int, Generator or None
        Seed or generator.

    Returns
    -------
    AuditResult

    Raises
    ------
    InputError
        If the databases are no neighbours, the mechanism returns something that is neither a finite number nor
        hashable, or an argument is out of its range.

    Notes
    -----
    With N runs in the second half no bound exceeds about log(N / 5): for large epsilon the test needs many runs.

    Examples
    --------
    >>> from synthlab import dp
    >>> def half_the_noise(ages, rng):
    ...     return len(ages) + rng.laplace(0, 0.5)
    >>> print(dp.audit_epsilon(half_the_noise, [30, 41], [30], epsilon=1.0, runs=4000, rng=1).violated)
    True
    """
    if not callable(mechanism):
        raise InputError(f"mechanism: must be callable, mechanism(database, rng), got {type(mechanism).__name__}")
    claimed = _checks.check_number(epsilon, "epsilon", low=0.0, open_low=True)
    half = _checks.check_count(runs, "runs", minimum=100, maximum=MOST_RUNS) // 2
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    if not are_neighbours(database, neighbour, adjacency=adjacency):
        raise InputError(f"neighbour: the two are not {WORDS[adjacency]}")
    streams = _rng.spawn(rng, 4)
    first, other, test, test_other = _parallel.each(
        partial(_run, mechanism, half),
        zip((database, neighbour, database, neighbour), streams, strict=True),
        prefer="processes",
        probe=True,
    )
    event, swapped = telling_event(first, other, level)
    hits = (event.count(test), event.count(test_other))
    hits = hits[::-1] if swapped else hits
    bounds = tuple((float(a), float(b)) for a, b in zip(*clopper_pearson(np.array(hits), half, level), strict=True))
    return AuditResult(claimed, event.words, swapped, hits, half, (bounds[0], bounds[1]), level, adjacency)


def _run(mechanism: Any, runs: int, data_and_rng: tuple[Any, np.random.Generator]) -> Any:
    return run(mechanism, data_and_rng[0], runs, data_and_rng[1])
