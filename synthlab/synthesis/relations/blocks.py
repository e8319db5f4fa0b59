"""Blocks of columns that are drawn together: one-hot columns as one category, parts of a total as shares."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.synthesis.relations.patterns import FEWEST, indicator
from synthlab.synthesis.relations.relation import Relation
from synthlab.synthesis.relations.values import NUMBER, Values


@dataclass(frozen=True, slots=True, eq=False)
class CategoryBlock:
    """One-hot columns, drawn as one category whose levels are the names of the columns.

    Parameters
    ----------
    relation : Relation
        The relation "one hot".
    """

    relation: Relation

    @property
    def status(self) -> str:
        """Way in which the relation is preserved."""
        return "drawn as one category"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the block."""
        return self.relation.columns

    @property
    def drawn(self) -> tuple[str, ...]:
        """The columns with a model: the first one, which holds the category."""
        return self.columns[:1]

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns outside the block from which it is computed: none."""
        return ()

    def encoded(self, values: Values) -> dict[str, pd.Series]:
        """Return the category of each confidential record; the most frequent one if no column or several are 1."""
        table = np.stack([_zero_or_one(values, c) for c in self.columns], axis=1)
        lost = np.isnan(table).any(axis=1)
        place = np.argmax(table == 1, axis=1)
        usual = int(np.bincount(place[~lost], minlength=len(self.columns)).argmax())
        place = np.where(np.nansum(table, axis=1) == 1, place, usual)
        return {
            self.columns[0]: pd.Series(pd.Categorical.from_codes(np.where(lost, -1, place), pd.Index(self.columns)))
        }

    def decoded(
        self, drawn: pd.DataFrame, confidential: pd.DataFrame, values: Values, numbers: Mapping[str, FloatArray]
    ) -> dict[str, pd.Series]:
        """Return the columns of the block, with values of the confidential columns."""
        category = drawn[self.columns[0]].astype(object)
        lost = category.isna().to_numpy(dtype=bool)
        found = {}
        for column in self.columns:
            own = _zero_or_one(values, column)
            rows = [int(np.argmax(part)) for part in (own == 0, own == 1, np.isnan(own))]
            kind = np.where(lost, 2, (category == column).to_numpy(dtype=bool).astype(int))
            found[column] = confidential[column].iloc[np.array(rows)[kind]].set_axis(drawn.index)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class SharesBlock:
    """Parts of a total, drawn as shares.

    Each part but the last is drawn as its share of the total minus the parts before it. The last part is the rest.

    Parameters
    ----------
    relation : Relation
        The sum.
    columns : tuple of str
        The parts, at least 3, in the order of the file.
    total : str or None
        The column of the total; None if the total is constant.
    constant : float
        The constant total.
    step : float
        The number of which all parts and totals are multiples; 0 if there is none.
    """

    relation: Relation
    columns: tuple[str, ...]
    total: str | None
    constant: float = 0.0
    step: float = 0.0

    @property
    def status(self) -> str:
        """Way in which the relation is preserved."""
        return "drawn as shares"

    @classmethod
    def of(cls, relation: Relation, values: Values) -> SharesBlock | None:
        """Return the block of a relation; None if it is not a sum of at least 3 nonnegative parts of a total.

        The parts must be missing in the same records as the total.
        """
        names = relation.columns
        if relation.form != "linear" or relation.down or any(values.scale[c] != NUMBER for c in names):
            return None
        if any(np.nanmin(values.numbers[c]) < 0 for c in names) or relation.result not in names:
            return None
        lost = [np.isnan(values.numbers[c]) for c in names]
        if any((one != lost[0]).any() for one in lost):
            return None
        sums = [r for r in relation.solved() if r.constant == 0 and all(t == 1 for _, t in r.terms)]
        places = list(values.frame.columns)
        steps = [values.step(c) for c in names]
        step = min(steps) if min(steps) > 0 else 0.0
        if step and any(abs(s / step - round(s / step)) > 1e-9 for s in steps):
            return None
        if sums and len(sums[0].terms) >= FEWEST:
            return cls(relation, tuple(sorted(sums[0].sources, key=places.index)), sums[0].result, 0.0, step)
        constant = relation.constant
        even = all(t == -1 for _, t in relation.terms) and constant > 0 and not lost[0].any()
        if even and len(names) >= FEWEST:
            return cls(relation, tuple(sorted(names, key=places.index)), None, constant, step)
        return None

    @property
    def drawn(self) -> tuple[str, ...]:
        """The columns with a model: all parts but the last, which hold the shares."""
        return self.columns[:-1]

    @property
    def sources(self) -> tuple[str, ...]:
        """The total, unless it is constant."""
        return () if self.total is None else (self.total,)

    def encoded(self, values: Values) -> dict[str, pd.Series]:
        """Return the shares of each confidential record.

        An undefined share, of 0 or of a missing total, has no effect. It is replaced by shares of other records, so that
        the distribution of the shares does not change.
        """
        rest = self._totals(values.numbers, len(values.frame)).copy()
        found = {}
        for column in self.drawn:
            part = values.numbers[column]
            known = rest > 0
            shares = np.zeros(len(rest))
            shares[known] = np.clip(part[known] / rest[known], 0, 1)
            if known.any():
                shares[~known] = np.resize(shares[known], int((~known).sum()))
            found[column] = pd.Series(shares)
            rest = self._rounded(rest - part)
        return found

    def decoded(
        self, drawn: pd.DataFrame, confidential: pd.DataFrame, values: Values, numbers: Mapping[str, FloatArray]
    ) -> dict[str, FloatArray]:
        """Return the numbers of the parts; missing where the total is missing."""
        rest = self._totals(numbers, len(drawn)).copy()
        found = {}
        for column in self.drawn:
            shares = np.clip(drawn[column].to_numpy(dtype=np.float64), 0, 1)
            found[column] = np.minimum(self._rounded(shares * rest), rest)
            rest = self._rounded(rest - found[column])
        found[self.columns[-1]] = rest
        return found

    def _totals(self, numbers: Mapping[str, FloatArray], size: int) -> FloatArray:
        return np.full(size, self.constant) if self.total is None else numbers[self.total]

    def _rounded(self, numbers: FloatArray) -> FloatArray:
        if not self.step:
            return numbers
        decimals = max(0, int(np.ceil(-np.log10(self.step))) + 3)
        return np.asarray(np.round(np.rint(numbers / self.step) * self.step, decimals), dtype=np.float64)


Block = CategoryBlock | SharesBlock


def block_of(relation: Relation, values: Values, plain: Collection[str]) -> Block | None:
    """Return the block of columns that a relation describes, if its columns can be encoded; otherwise None."""
    if relation.form == "one hot":
        found: Block | None = CategoryBlock(relation)
    elif relation.form == "linear":
        found = SharesBlock.of(relation, values)
    else:
        return None
    return found if found is not None and {*found.columns} <= {*plain} else None


def _zero_or_one(values: Values, column: str) -> FloatArray:
    numbers = indicator(values.frame[column])
    return np.zeros(len(values.frame)) if numbers is None else numbers
