"""The privacy budget: losses add up, and when it is spent nothing more is answered.

Sequential composition: answers with epsilon_1, epsilon_2, ... about the same people cost their sum together, whatever
is asked and in whatever order. Parallel composition: answers about DISJOINT groups cost, under add-remove, only the
dearest of them, because one person is in one group. Under replace, one person may leave a group and enter another:
one group loses a record, another gains one, and the cost is that of the two dearest together. So each answer must hold
its epsilon for a record that comes or goes, also under replace: how many are in a group is not public knowledge.
Post-processing costs nothing.
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

# Sums of decimal numbers are off by a rounding error: ten times 0.1 must fit into 1.
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Spending:
    """One line of the account: what was asked, and what it cost."""

    what: str
    epsilon: float


class Shared:
    """State shared by a budget and its parts: a lock, the process, and the noise that was used."""

    __slots__ = ("lock", "process", "starts")

    def __init__(self) -> None:
        # A thread that holds the lock can take it again: a query charges the budget while it checks the noise.
        self.lock = RLock()
        self.process = os.getpid()
        self.starts: set[bytes] = set()


class Budget(Result):
    """An account of privacy losses that refuses when the total would be passed.

    A budget is the one object of the package that changes, and it exists once. Threads can share it: a query checks and
    charges it in one step. It cannot be copied or pickled, and a process that was forked from its own cannot spend it,
    because each copy could be spent in full.

    A budget also remembers which noise was used. A query is refused if its `rng` starts where the `rng` of an earlier
    query with the same budget started: an equal seed, an equal `SeedSequence`, or a Generator in an equal state. Only
    the starts are compared. Two generators with the same seed that start at different places can still draw the same
    numbers, so create one Generator and pass it to every query. Threads need one Generator each, made by
    ``Generator.spawn``.

    Parameters
    ----------
    total : float > 0
        Epsilon for everything that is ever released about these people.
    adjacency : {"add-remove", "replace"}
        What a neighbour is. Losses under different adjacencies do not add up; a query with another one is refused.

    Raises
    ------
    InputError
        If the total is not a finite number > 0, or `adjacency` is neither of the two.
    BudgetCopyError
        If the budget is copied or pickled, or if it is spent or split in a process that was forked from its own.

    Examples
    --------
    >>> from synthlab import dp
    >>> budget = dp.Budget(1.0)
    >>> budget.spend(0.6, "how many are married")
    >>> round(budget.remaining, 3)
    0.4
    >>> budget.spend(0.6, "how many are widowed")
    Traceback (most recent call last):
    synthlab.exceptions.BudgetExceededError: how many are widowed: asks for epsilon 0.6, and 0.4 of 1 is left; ...
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
        """Refuse to be copied: `copy` and `pickle` both start here."""
        raise BudgetCopyError(
            "a Budget cannot be copied or pickled, because each copy could be spent in full; pass the Budget itself to "
            "every query, and run the queries in the process that created it (in threads if need be)"
        )

    @property
    def total(self) -> float:
        """Epsilon for everything."""
        return self._total

    @property
    def adjacency(self) -> Adjacency:
        """The definition of a neighbour."""
        return self._adjacency

    @property
    def spent(self) -> float:
        """Epsilon spent so far: the sum of all lines, a parallel block being one line."""
        return fsum(line.epsilon for line in self._ledger)

    @property
    def remaining(self) -> float:
        """Epsilon left; for a part of a parallel block, what the part may still spend. Never below 0."""
        left = self._total - self.spent if self._block is None else self._block._remaining(self)
        return max(0.0, left)

    @property
    def rows(self) -> BoolArray | None:
        """The rows of a part of a parallel block, one bool a row; None for the whole. CONFIDENTIAL."""
        return self._rows

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other threads from changing this budget or its parts, and refuse to do so in another process."""
        # Before the lock is taken: another thread may have held the lock when the process was forked.
        if os.getpid() != self._shared.process:
            raise BudgetCopyError(
                "this Budget was created in another process, whose copy could be spent as well; run all queries in the process "
                "that created the Budget (in threads if need be)"
            )
        with self._shared.lock:
            yield

    def _masks(self) -> list[BoolArray]:
        """Return the rows of the parts that lead from the whole to this account."""
        masks: list[BoolArray] = []
        account: Budget = self
        while account._block is not None and account._rows is not None:
            masks.insert(0, account._rows)
            account = account._block.parent
        return masks

    def _over(self) -> float:
        """Return by how much the total is passed: rounding errors, up to the tolerance."""
        account: Budget = self
        while account._block is not None:
            account = account._block.parent
        return max(0.0, account.spent - account.total)

    def spend(self, epsilon: float, what: str = "query") -> None:
        """Charge the account, or refuse and charge nothing.

        Parameters
        ----------
        epsilon : float > 0
        what : str
            For the account: what was asked.

        Raises
        ------
        InputError
            If epsilon is not a finite number > 0.
        BudgetExceededError
            If more is asked for than is left.
        BudgetCopyError
            If the process was forked from the one that created the budget.
        """
        _checks.check_text(what, "what")
        cost = _checks.check_number(epsilon, "epsilon", low=0.0, open_low=True)
        with self._locked():
            left = self.remaining
            # What the account is over by already, a rounding error at most, is not granted once more.
            if cost > left + TOLERANCE * self._total - self._over():
                raise BudgetExceededError(
                    f"{what}: asks for epsilon {cost:.4g}, and {left:.4g} of {self._total:.4g} is left; "
                    "nothing was answered and nothing was charged"
                )
            self._ledger.append(Spending(what, cost))

    def _spend_with_noise(self, epsilon: float, what: str, sources: Sequence[np.random.Generator]) -> None:
        """Charge the budget for a query whose noise the sources draw; refuse noise that was used before."""
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
        """Split the records into disjoint parts, each with an account of its own that draws on this one.

        Parameters
        ----------
        parts : mapping {name: array_like of bool, shape (n,)}
            Which rows belong to each part, True or 1. Who is in which part must follow from each record alone (a
            region, an age class), never from the other records (the richest tenth). A record that several parts claim
            is in the first of them, and one that is missing in a mask is not in that part: an error would tell, without
            noise, that there is such a record.
        what : str
            For the account.

        Returns
        -------
        dict {name: Budget}
            An account a part. This account is charged, as they spend, with the dearest of them (add-remove) or the two
            dearest together (replace). A query with the account of a part is given the whole column, of which it takes
            the rows of the part, or the values of the part's own records. That they are its own is not checked: their
            number is confidential.

        Raises
        ------
        InputError
            If there is no part, two have the same name, or a mask is not a column.
        BudgetCopyError
            If the process was forked from the one that created the budget.

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
        """Return one row a line: what was asked, in which part of a parallel block, and what it cost."""
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
        """Return one row a line that counts towards the total, a parallel block in one row, and the running sum."""
        lines = list(self._ledger)
        costs = [line.epsilon for line in lines]
        names = [line.what for line in lines]
        return pd.DataFrame({"what": names, "epsilon": costs, "spent": np.cumsum(costs)}).astype({"what": str})

    @property
    def title(self) -> str:
        """The epsilon that is left."""
        where = f" for the part {self._name!r}" if self._block is not None else ""
        return (
            f"Budget{where}: epsilon {self.spent:.4g} spent, {self.remaining:.4g} left of {self._total:.4g}, for "
            f"{WORDS[self._adjacency]}."
        )


class ParallelBlock:
    """One line of an account: disjoint parts, and what they cost together."""

    __slots__ = ("parent", "parts", "what")

    def __init__(self, what: str, parent: Budget) -> None:
        self.what, self.parent = what, parent
        self.parts: dict[str, Budget] = {}

    @property
    def counted(self) -> int:
        """The number of parts that one person's change can touch."""
        return 1 if self.parent.adjacency == "add-remove" else 2

    @property
    def epsilon(self) -> float:
        """The dearest part (add-remove), or the two dearest together (replace)."""
        return fsum(sorted((part.spent for part in self.parts.values()), reverse=True)[: self.counted])

    def _remaining(self, part: Budget) -> float:
        others = sorted((p.spent for p in self.parts.values() if p is not part), reverse=True)
        return self.epsilon + self.parent.remaining - fsum(others[: self.counted - 1]) - part.spent


def _start_of(source: np.random.Generator) -> bytes:
    """Return a digest of the state of a Generator, from which its next random floats follow."""
    state = dict(source.bit_generator.state)
    # The half of a 64-bit number that is kept for the next 32-bit integer does not change the floats.
    for spare in ("has_uint32", "uinteger"):
        state.pop(spare, None)
    return blake2b(repr(_plain(state)).encode(), digest_size=16).digest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return [(key, _plain(value[key])) for key in sorted(value)]
    return value.tobytes() if isinstance(value, np.ndarray) else value


__all__ = ["Budget", "ParallelBlock", "Spending"]
