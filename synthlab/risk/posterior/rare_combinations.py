"""Rule of the released selection that restricts all simulated records of a dataset jointly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, ColumnNames, IntArray
from synthlab.exceptions import InputError
from synthlab.matching.kernel import block_codes

SWEEPS = 25  # least number of proposals per record in a batch; one batch follows after the rule holds
PROPOSALS = 2_000  # least number of proposals in a batch
MAX_BATCHES = 40  # batches in which the rule must be reached


@dataclass(frozen=True, slots=True, eq=False)
class RareCombinations:
    """Rule that records with rare combinations of values were selected for synthesis.

    An intruder who knows the rule simulates only files in which the combination of every selected record occurs at most
    `at_most` times, so that the values of the selected records restrict one another (Reiter and Mitra 2009, end of section 2.2).

    Parameters
    ----------
    variables : sequence of str
        Variables of the combinations, among the known and synthesized variables of the intruder.
    at_most : int
        How often the true combination of a selected record occurs in the file at most, this record included. 1 (default): all
        selected records are unique. 5: "all combinations of identifiers that appear no more than five times".
    selected : array of row positions or boolean mask of shape (n,), optional
        The records that were selected. The released values of the other records are their true values. Default: all records.
    every : bool
        Whether all records with such a combination were selected. Then a selected record cannot have the combination of an
        unselected record. Default False.

    Raises
    ------
    InputError
        If a value is not allowed.

    Examples
    --------
    >>> import synthlab as sl
    >>> from synthlab.risk import RareCombinations, ReleasedInformation
    >>> rule = RareCombinations(["sex", "town"], at_most=1)
    >>> ReleasedInformation(selection=[{"town": sl.OneOf([{"a"}, {"a", "b"}])}, rule]).rule.at_most
    1
    """

    variables: ColumnNames
    at_most: int = 1
    selected: Any = field(default=None, repr=False)
    every: bool = False

    def __post_init__(self) -> None:
        names = _checks.check_names(self.variables, "variables", allow_empty=False)
        object.__setattr__(self, "variables", names)
        object.__setattr__(self, "at_most", _checks.check_count(self.at_most, "at_most"))
        _checks.check_choice(self.every, "every", (True, False))
        if self.selected is not None:
            object.__setattr__(self, "selected", _checks.positions_array(self.selected, "selected", "record"))

    def mask(self, n: int) -> BoolArray:
        """Return which of n records were selected."""
        if self.selected is None:
            return np.ones(_checks.check_count(n, "n"), dtype=bool)
        mask = np.zeros(n, dtype=bool)
        mask[_checks.check_positions(self.selected, n, "selected", "record")] = True
        return mask


@dataclass(frozen=True, slots=True, eq=False)
class JointSelection:
    """Rule of a selection, and which of the n released records it selects."""

    rule: RareCombinations
    selected: BoolArray

    @classmethod
    def of(
        cls, rule: RareCombinations, confidential: pd.DataFrame, used: Sequence[str], rows: IntArray
    ) -> JointSelection:
        """Return the rule after checking that it is true of the confidential data.

        rows : position of the confidential record that each row of the release describes.
        """
        unknown = [c for c in rule.variables if c not in used]
        if unknown:
            raise InputError(
                f"selection: {_checks.named(unknown)} is neither in known nor in synthesized; use variables of the intruder"
            )
        mask = rule.mask(len(confidential))
        (code,) = block_codes([confidential], list(rule.variables), "category")
        size = np.bincount(code)[code]
        wrong = int((size[mask] > rule.at_most).sum())
        missed = int((size[~mask] <= rule.at_most).sum()) if rule.every else 0
        if wrong or missed:
            what = f"omits {missed} records with combinations that are as rare"
            if wrong:
                what = f"selects {wrong} records with more frequent combinations"
            raise InputError(
                f"selection: RareCombinations(at_most={rule.at_most}) {what}; the rule must be true of the confidential data"
            )
        return cls(rule, mask[rows])

    def holds(self, values: pd.DataFrame) -> bool:
        """Return whether the rule holds for a dataset."""
        code, _, chosen, other = self._cells(values, values.iloc[:0])
        return self._hold(code, chosen, other)

    def _hold(self, code: IntArray, chosen: IntArray, other: IntArray) -> bool:
        cells = np.unique(code[self.selected])
        return not any(_excess(chosen[c], other[c], self.rule.at_most, self.rule.every) for c in cells)

    def _cells(self, whole: pd.DataFrame, proposed: pd.DataFrame) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return the cells of both frames, and how many selected and other records of the first frame each cell has."""
        code, new = block_codes([whole, proposed], list(self.rule.variables), "category")
        size = int(max(code.max(initial=-1), new.max(initial=-1))) + 1
        chosen, other = (np.bincount(code[part], minlength=size) for part in (self.selected, ~self.selected))
        return code, new, chosen, other

    def sample(
        self, released: pd.DataFrame, propose: Callable[[IntArray], pd.DataFrame], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Return a dataset from the distribution of the model, given that the rule holds.

        The selected records are changed in random blocks. A block gets independent values from the model, which are accepted
        unless they break the rule (Metropolis algorithm with independent proposals). Blocks of several records let records
        exchange values. Until the rule holds, changes that do not increase the number of violations are accepted.

        released : a released dataset, with the values of the unselected records; propose : returns a dataset of independent
        values from the model for given rows.
        """
        rows = np.flatnonzero(self.selected)
        if rows.size == 0:
            return released
        sweeps = max(SWEEPS, -(-PROPOSALS // rows.size))
        current = propose(rows)
        for _ in range(MAX_BATCHES):
            whole = _with_rows(released, rows, current)
            proposed = propose(np.tile(rows, sweeps))
            code, new, chosen, other = self._cells(whole, proposed)
            done = self._hold(code, chosen, other)
            order = np.stack([rng.permutation(rows.size) for _ in range(sweeps)])
            last = rng.random(order.shape) < 0.5  # whether a block ends at this place
            accepted = np.full(rows.size, -1, dtype=np.int64)
            new = new.reshape(sweeps, rows.size)
            _change_blocks(code[rows], new, chosen, other, self.rule.at_most, self.rule.every, order, last, accepted)
            both = pd.concat([current, proposed], ignore_index=True)
            current = both.iloc[(accepted + 1) * rows.size + np.arange(rows.size)].reset_index(drop=True)
            if done:
                return _with_rows(released, rows, current)
        raise InputError(
            f"selection: no simulated dataset satisfies the rule after {MAX_BATCHES * sweeps:,} proposals per record; use models that "
            "simulate rare combinations more often"
        )


def _with_rows(released: pd.DataFrame, rows: IntArray, values: pd.DataFrame) -> pd.DataFrame:
    """Return the dataset with new values in some rows."""
    if rows.size == len(released):
        return values
    both = pd.concat([released[list(values)].reset_index(drop=True), values], ignore_index=True)
    at = np.arange(len(released))
    at[rows] = len(released) + np.arange(rows.size)
    return both.iloc[at].reset_index(drop=True)


@compiled
def _excess(chosen: int, other: int, most: int, every: bool) -> int:
    """Return how many selected records of a cell break the rule."""
    if chosen == 0:
        return 0
    if every and other > 0:
        return chosen
    return max(0, chosen + other - most)


@compiled
def _change_blocks(
    now: IntArray, new: IntArray, chosen: IntArray, other: IntArray, most: int, every: bool, order: IntArray,
    last: BoolArray, accepted: IntArray,
) -> None:  # fmt: skip
    """Give blocks of records their proposed values unless this increases the number of violations.

    now : (r,) cells of the records; new : (sweeps, r) proposed cells; chosen, other : selected and other records of each cell;
    accepted : (r,) sweep of the last accepted value.
    """
    r = now.size
    for sweep in range(order.shape[0]):
        start = 0
        for stop in range(1, r + 1):
            if stop < r and not last[sweep, stop - 1]:
                continue
            change = 0
            for place in range(start, stop):  # take the records out of their cells
                cell = now[order[sweep, place]]
                change -= _excess(chosen[cell], other[cell], most, every)
                chosen[cell] -= 1
                change += _excess(chosen[cell], other[cell], most, every)
            for place in range(start, stop):  # put them into the proposed cells
                cell = new[sweep, order[sweep, place]]
                change -= _excess(chosen[cell], other[cell], most, every)
                chosen[cell] += 1
                change += _excess(chosen[cell], other[cell], most, every)
            for place in range(start, stop):
                i = order[sweep, place]
                if change > 0:
                    chosen[new[sweep, i]] -= 1
                    chosen[now[i]] += 1
                else:
                    now[i] = new[sweep, i]
                    accepted[i] = sweep
            start = stop
