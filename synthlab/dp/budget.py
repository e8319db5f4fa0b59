"""Privacy budgets: accounts of privacy losses that reject queries beyond a total.

Sequential composition: the total loss of answers with epsilon_1, epsilon_2, ... about the same people is the sum of the
epsilons, for any queries in any order. Parallel composition: for answers about disjoint groups, the total loss under
add-remove is the largest loss of a group, because a person is in only one group. Under replace, a person can move from
one group to another: one group loses a record and another gains one. The total loss is then the sum of the two largest
losses, and each answer must satisfy its epsilon for an added or removed record, because group sizes are not public.
Post-processing has no privacy loss.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from math import fsum
from threading import RLock
from typing import Any, ClassVar, NoReturn

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray
from synthlab.dp._partition import disjoint_parts
from synthlab.dp.adjacency import WORDS, Adjacency, check_adjacency
from synthlab.exceptions import BudgetCopyError, BudgetExceededError, InputError

# Tolerance for rounding errors: ten times 0.1 must fit into a total of 1.
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Spending:
    """Line of an account: description and cost of one query."""

    what: str
    epsilon: float


class Shared:
    """State shared by a budget and its parts: lock, process, and starting points of the noise."""

    __slots__ = ("lock", "process", "starts")

    def __init__(self) -> None:
        # A thread that holds the lock can take it again: a query charges the budget while it checks the noise.
        self.lock = RLock()
        self.process = os.getpid()
        self.starts: set[bytes] = set()


class Budget(Result):
    """Account of privacy losses that rejects queries beyond the total.

    A budget is the only mutable object of the package. Threads can share a budget: a query checks and charges it in one
    step. It cannot be copied or pickled, and a forked process cannot spend it, because each copy could be spent in
    full.

    A budget also remembers which noise was used. A query is rejected if its `rng` starts from the same point as the
    `rng` of an earlier query with this budget: an equal seed, an equal `SeedSequence`, or a Generator in an equal
    state. Only the starting points are compared. Two generators with the same seed and different starting points can
    still draw the same numbers, so create one Generator and pass it to every query. Give each thread its own Generator,
    made by ``Generator.spawn``.

    Parameters
    ----------
    total : float > 0
        Total epsilon of all releases about these people.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. Queries with a different adjacency are rejected, because their losses
        cannot be added.

    Raises
    ------
    InputError
        The total is not a finite number > 0, or `adjacency` is unknown.
    BudgetCopyError
        The budget is copied or pickled, or it is spent or split in a forked process.

    Examples
    --------
    >>> from synthlab import dp
    >>> budget = dp.Budget(1.0)
    >>> budget.spend(0.6, "how many are married")
    >>> round(budget.remaining, 3)
    0.4
    >>> budget.spend(0.6, "how many are widowed")
    Traceback (most recent call last):
    synthlab.exceptions.BudgetExceededError: how many are widowed: requires epsilon 0.6, but only 0.4 of 1 is left; ...
    """

    _figure: ClassVar[str] = "dp_account.plot_budget"

    __slots__ = ("_adjacency", "_block", "_ledger", "_name", "_rows", "_shared", "_total")

    def __init__(self, total: float, *, adjacency: Adjacency = "add-remove") -> None:
        self._total = _checks.check_number(total, "total", low=0.0, open_low=True)
        self._adjacency: Adjacency = check_adjacency(adjacency)
        self._ledger: list[Spending | ParallelBlock] = []
        self._block: ParallelBlock | None = None
        self._name = ""
        self._rows: BoolArray | None = None
        self._shared = Shared()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Raise `BudgetCopyError`; `copy` and `pickle` both call this method."""
        raise BudgetCopyError(
            "a Budget cannot be copied or pickled, because each copy could be spent in full; pass the Budget itself to "
            "every query, and run the queries in the process that created it (in threads if need be)"
        )

    @property
    def total(self) -> float:
        """Total epsilon of all queries."""
        return self._total

    @property
    def adjacency(self) -> Adjacency:
        """Definition of neighboring databases."""
        return self._adjacency

    @property
    def spent(self) -> float:
        """Epsilon spent so far: the sum of all lines; a parallel block is one line."""
        return fsum(line.epsilon for line in self._ledger)

    @property
    def remaining(self) -> float:
        """Epsilon left, at least 0; for a part of a parallel block, the epsilon it can spend."""
        left = self._total - self.spent if self._block is None else self._block._remaining(self)
        return max(0.0, left)

    @property
    def rows(self) -> BoolArray | None:
        """Rows of a part of a parallel block, one bool per row; None for all. CONFIDENTIAL."""
        return self._rows

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock this budget and its parts for other threads; raise `BudgetCopyError` in a different process."""
        # Check before taking the lock, because another thread might have held it when the process was forked.
        if os.getpid() != self._shared.process:
            raise BudgetCopyError(
                "this Budget was created in another process, whose copy could be spent as well; run all queries in the process "
                "that created the Budget (in threads if need be)"
            )
        with self._shared.lock:
            yield

    def _masks(self) -> list[BoolArray]:
        """Return the masks of the nested parts, from the outermost part to this account."""
        masks: list[BoolArray] = []
        account: Budget = self
        while account._block is not None and account._rows is not None:
            masks.insert(0, account._rows)
            account = account._block.parent
        return masks

    def _over(self) -> float:
        """Return the amount by which rounding errors exceed the total."""
        account: Budget = self
        while account._block is not None:
            account = account._block.parent
        return max(0.0, account.spent - account.total)

    def spend(self, epsilon: float, what: str = "query") -> None:
        """Charge the account, or raise an error and charge nothing.

        Parameters
        ----------
        epsilon : float > 0
            Privacy loss to charge.
        what : str
            Description of the query.

        Raises
        ------
        InputError
            Epsilon is not a finite number > 0.
        BudgetExceededError
            Epsilon exceeds the remaining budget.
        BudgetCopyError
            The process was forked from the process that created the budget.
        """
        _checks.check_text(what, "what")
        cost = _checks.check_number(epsilon, "epsilon", low=0.0, open_low=True)
        with self._locked():
            left = self.remaining
            # Rounding errors that already exceed the total are subtracted from the tolerance.
            if cost > left + TOLERANCE * self._total - self._over():
                raise BudgetExceededError(
                    f"{what}: requires epsilon {cost:.4g}, but only {left:.4g} of {self._total:.4g} is left; "
                    "the query was not run and no epsilon was spent"
                )
            self._ledger.append(Spending(what, cost))

    def _spend_with_noise(self, epsilon: float, what: str, sources: Sequence[np.random.Generator]) -> None:
        """Charge the budget for a query; raise `InputError` if its noise was used before."""
        starts = {_start_of(source) for source in sources}
        with self._locked():
            if not starts.isdisjoint(self._shared.starts):
                raise InputError(
                    "rng: an earlier query with this budget started at the same seed or at the same state of a Generator, "
                    "and two answers with the same noise show their exact difference; omit rng, or create one Generator and "
                    "pass it to every query (one Generator per thread, made by Generator.spawn)"
                )
            self.spend(epsilon, what)
            self._shared.starts |= starts

    def parallel(self, parts: Mapping[str, Any], what: str = "parallel") -> dict[str, Budget]:
        """Split the records into disjoint parts, each with its own account.

        Parameters
        ----------
        parts : mapping {name: array_like of bool, shape (n,)}
            Rows of each part, marked by True or 1. The part of a record must depend only on this record (a region, an
            age class), not on other records (the richest tenth). A record that several parts claim belongs to the first
            of them, and a record whose mask is missing does not belong to the part. An error would reveal, without
            noise, that such a record exists.
        what : str
            Description of the split.

        Returns
        -------
        dict {name: Budget}
            One account per part. When they are spent, this account is charged with the largest loss of a part
            (add-remove) or the sum of the two largest losses (replace). Pass the whole column to a query with the
            account of a part, or only the values of the part. The query cannot check that these values belong to the
            part, because their number is confidential.

        Raises
        ------
        InputError
            There is no part, two parts have the same name, or a mask is not a column.
        BudgetCopyError
            The process was forked from the process that created the budget.

        Examples
        --------
        >>> from synthlab import dp
        >>> budget = dp.Budget(1.0)
        >>> part = budget.parallel({"north": [True, True, False], "south": [False, False, True]})
        >>> part["north"].spend(0.7), part["south"].spend(0.5)
        (None, None)
        >>> budget.spent
        0.7
        """
        _checks.check_text(what, "what")
        masks = disjoint_parts(parts, self._masks())
        block = ParallelBlock(what, self)
        for name, rows in masks.items():
            child = Budget(self._total, adjacency=self._adjacency)
            child._block, child._name, child._rows, child._shared = block, name, rows, self._shared
            block.parts[name] = child
        with self._locked():
            self._ledger.append(block)
        return dict(block.parts)

    def to_frame(self) -> pd.DataFrame:
        """Return part, description and epsilon of every query, one row per query."""
        rows: list[tuple[str, str, float]] = []
        for line in list(self._ledger):
            if isinstance(line, Spending):
                rows.append(("", line.what, line.epsilon))
            else:
                rows += [
                    (f"{line.what}: {name}" + (f", {inner}" if inner else ""), what, cost)
                    for name, part in line.parts.items()
                    for inner, what, cost in part.to_frame().itertuples(index=False, name=None)
                ]
        return pd.DataFrame(rows, columns=["part", "what", "epsilon"]).astype(
            {"part": str, "what": str, "epsilon": "float64"}
        )

    def summary(self) -> pd.DataFrame:
        """Return the lines that count towards the total, with the cumulative sum.

        A parallel block is one row.
        """
        lines = list(self._ledger)
        costs = [line.epsilon for line in lines]
        names = [line.what for line in lines]
        return pd.DataFrame({"what": names, "epsilon": costs, "spent": np.cumsum(costs)}).astype({"what": str})

    @property
    def title(self) -> str:
        """Description of the epsilon that is spent and left."""
        where = f" for the part {self._name!r}" if self._block is not None else ""
        return (
            f"Budget{where}: epsilon {self.spent:.4g} spent, {self.remaining:.4g} left of {self._total:.4g}, for "
            f"{WORDS[self._adjacency]}."
        )


class ParallelBlock:
    """Line of an account: disjoint parts and their total cost."""

    __slots__ = ("parent", "parts", "what")

    def __init__(self, what: str, parent: Budget) -> None:
        self.what, self.parent = what, parent
        self.parts: dict[str, Budget] = {}

    @property
    def counted(self) -> int:
        """Number of parts that a change of one person can affect."""
        return 1 if self.parent.adjacency == "add-remove" else 2

    @property
    def epsilon(self) -> float:
        """Largest loss of a part (add-remove), or sum of the two largest losses (replace)."""
        return fsum(sorted((part.spent for part in self.parts.values()), reverse=True)[: self.counted])

    def _remaining(self, part: Budget) -> float:
        others = sorted((p.spent for p in self.parts.values() if p is not part), reverse=True)
        return self.epsilon + self.parent.remaining - fsum(others[: self.counted - 1]) - part.spent


def _start_of(source: np.random.Generator) -> bytes:
    """Return a digest of the state of a Generator, from which its next random floats follow."""
    state = dict(source.bit_generator.state)
    # The spare half of a 64-bit number, kept for the next 32-bit integer, does not affect the floats.
    for spare in ("has_uint32", "uinteger"):
        state.pop(spare, None)
    return blake2b(repr(_plain(state)).encode(), digest_size=16).digest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return [(key, _plain(value[key])) for key in sorted(value)]
    return value.tobytes() if isinstance(value, np.ndarray) else value


__all__ = ["Budget", "ParallelBlock", "Spending"]
