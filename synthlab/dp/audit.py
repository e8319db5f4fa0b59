"""Audit the claimed epsilon of a mechanism by running it on two neighboring toy databases.

If a mechanism has the privacy loss (epsilon, delta), then for neighboring databases D and D' and every event E

    Pr(M(D) in E) <= exp(epsilon) Pr(M(D') in E) + delta.

The mechanism is run many times on both databases. The first half of the runs is used to find the event with the largest
bound. The second half gives independent bounds of the two probabilities (Clopper and Pearson), and therefore a lower
bound of epsilon (Ding, Wang, Wang, Zhang and Kifer 2018; Jagielski, Ullman and Oprea 2020). A bound above the claim
refutes the claim. A bound below the claim proves nothing, because only one pair of databases and one kind of event were
tried.

An audit uses its databases without noise and shows the outputs. It is not private; use toy data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from synthlab import _checks, _rng
from synthlab._epsilon_from_events import evidence
from synthlab._system import parallel
from synthlab._typing import RngLike
from synthlab.dp._mechanism_runs import run
from synthlab.dp.adjacency import WORDS, Adjacency, are_neighbors
from synthlab.dp.lower_bound import MOST_RUNS, AuditResult, audited
from synthlab.exceptions import InputError


def audit_epsilon(
    mechanism: Callable[[Any, np.random.Generator], Any],
    database: Any,
    neighbor: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    adjacency: Adjacency = "add-remove",
    runs: int = 10_000,
    level: float = 0.99,
    rng: RngLike = None,
) -> AuditResult:
    """Run a mechanism on two neighboring databases, and bound its privacy loss from below.

    The audit is not private. Use toy databases, or databases that everyone who sees the result is allowed to know.

    Parameters
    ----------
    mechanism : callable
        Function ``mechanism(database, rng)`` that returns one number or one hashable value, such as a word. If a
        mechanism has several outputs, return the most informative one.
    database, neighbor : DataFrame or sequence
        Toy databases that differ by one person. Choose a pair for which the mechanism has a large privacy loss.
    epsilon : float > 0
        Claimed epsilon.
    delta : float in [0, 1)
        Claimed delta.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. The two databases must be neighbors.
    runs : int from 100 to 10 million
        Number of runs on each database. Half of them are used to find an event, and half to test it.
    level : float in (0, 1)
        Confidence level: a correct claim is refuted with probability at most 1 - level.
    rng : int, Generator or None
        Seed or generator.

    Returns
    -------
    AuditResult

    Raises
    ------
    InputError
        The databases are not neighbors, the mechanism returns a value that is neither a finite number nor hashable, or
        an argument is out of range.

    Notes
    -----
    With N runs in the second half, no bound exceeds about log(N / 5), so the test of a large epsilon requires many
    runs.

    The audit finds these faults, each planted in a mechanism of this package by ``tests/dp/test_planted_faults.py``:
    censor bound doubled; clip forgotten on one sign; weights from the largest bound of the file; noise scale halved;
    sensitivity of add-remove used for replace; seed used twice; second release on the same budget; delta ignored;
    bounds from the largest value of the file; prior fitted to the file; levels read off the file; exact n under
    add-remove; negative noise drawn again; factor 2 of the exponential mechanism left out. Faults that show only for a
    different pair of databases, or a different event, are not found.

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
    loose = _checks.check_number(delta, "delta", low=0.0, high=1.0, open_high=True)
    if not are_neighbors(database, neighbor, adjacency=adjacency):
        raise InputError(f"neighbor: database and neighbor are not {WORDS[adjacency]}")
    streams = _rng.spawn(rng, 4)
    first, other, test, test_other = parallel.parallel_map(
        partial(_run, mechanism, half),
        zip((database, neighbor, database, neighbor), streams, strict=True),
        prefer="processes",
        probe=True,
    )
    return audited(evidence(first, other, test, test_other, level, loose), claimed, level, adjacency, loose)


def _run(mechanism: Any, runs: int, data_and_rng: tuple[Any, np.random.Generator]) -> Any:
    return run(mechanism, data_and_rng[0], runs, data_and_rng[1])
