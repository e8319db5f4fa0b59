"""Common interface of fits that draw whole units: releases, numbering and totals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, FloatArray, FrameLike, IntArray, RngLike
from synthlab._warnings import warn
from synthlab.exceptions import FitError, InputError, UnitRuleWarning
from synthlab.io.missing_kinds import without_kinds
from synthlab.release import Release
from synthlab.release.manifest import GIVEN, NEW_IDENTIFIERS, RECORDS, SYNTHESIS, UNITS
from synthlab.synthesizers._missing import Codes, without_codes
from synthlab.synthesizers._unit_layout import Layout
from synthlab.synthesizers.base import Fitted
from synthlab.units import UnitRules
from synthlab.units.codes import new_numbers

UNIT_REDRAWS = 100  # largest number of times that a unit is drawn again
TOTAL_REDRAWS = 1000  # largest number of rounds until the datasets have the same number of records


@dataclass(frozen=True, slots=True, eq=False)
class DrawnUnits:
    """One synthetic dataset of units.

    Attributes
    ----------
    frame : pandas.DataFrame
        The records, sorted by unit and member.
    layout : Layout
    again : int
        Number of units that were drawn again because they broke a rule.
    broken : int
        Number of units that still break a rule.
    """

    frame: pd.DataFrame
    layout: Layout
    again: int
    broken: int


class UnitFit(Fitted):
    """Base class of fits that draw whole units.

    Attributes
    ----------
    sorted_rows : ndarray of int, shape (n,)
        The position of each sorted record in `confidential`.
    unit_columns : tuple of str
        The columns that identify the units.
    size_variable, number_variable, wave_variable : str or None
        The columns with the number of members, the number of the member, and the wave.
    wave, time : ndarray
        Number of the wave of each sorted record, and the time of each wave; empty if the file is not a panel.
    rules : UnitRules
        The rules that every unit satisfies.
    codes : mapping
        Numbers that mean missing, by column.
    """

    __slots__ = ()

    sorted_rows: IntArray
    unit_columns: tuple[str, ...]
    size_variable: str | None
    number_variable: str | None
    wave_variable: str | None
    wave: IntArray
    time: FloatArray
    rules: UnitRules
    codes: Codes

    @property
    @abstractmethod
    def is_aligned(self) -> bool:
        """True if row i of a dataset corresponds to record i."""

    @abstractmethod
    def datasets(
        self, m: int, rng: RngLike = None, n: int | None = None, given: pd.DataFrame | None = None
    ) -> tuple[list[tuple[DrawnUnits, np.random.Generator]], Any]:
        """Return m datasets, each with a generator for its numbering, and the seed."""

    @abstractmethod
    def _checked_given(self, given: FrameLike, n: int | None) -> pd.DataFrame:
        """Return given unit variables, or raise if they are not unit variables."""

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for whole units; units are drawn by `generate`."""
        raise InputError(f"draw: {type(self.specification).__name__} draws whole units; use generate")

    def generate(self, m: int, rng: RngLike = None, n: int | None = None, given: FrameLike | None = None) -> Release:
        """Generate m synthetic datasets of whole units.

        Parameters
        ----------
        m : int
            Number of datasets.
        rng : int, Generator or None
            Seed or generator; see `Fitted.generate`.
        n : int, optional
            Number of units of each dataset. Default: that of the file. Another number requires that no variable is kept.
            All datasets of a release have the same number of records, which is drawn once.
        given : DataFrame or Dataset, k rows, optional
            Values of unit variables, one row per unit. The other unit variables and the members are drawn for these
            values.

        Returns
        -------
        Release
            Units are numbered from 1, in random order if variables are kept, and so are the members of a unit. The
            provenance states the units in ``units``.

        Raises
        ------
        InputError
            If `n` or `given` is used although variables are kept; or if `given` has a column that is not a unit
            variable.
        FitError
            If the datasets cannot get the same number of records.

        Warns
        -----
        UnitRuleWarning
            Units break a rule although they were drawn again 100 times.
        """
        values = None if given is None else self._checked_given(given, n)
        drawn, seed = self.datasets(m, rng, n if values is None else len(values), values)
        frames = [self.assembled(one, stream) for one, stream in drawn]
        warn_of_broken(self.rules, frames, self.unit_columns, self.codes)
        new = [*self.unit_columns, *([self.number_variable] if self.number_variable else [])]
        made = [c for c in self.confidential.columns if c in new or c in self.synthesized]
        facts: dict[str, Any] = {} if values is None else {GIVEN: list(values.columns)}
        synthesis = None if values is not None else "partial" if self.is_aligned else "full"
        provenance = self._provenance(m) | {
            RECORDS: len(frames[0]),
            SYNTHESIS: synthesis,
            NEW_IDENTIFIERS: new,
            UNITS: unit_facts(self.unit_columns, [one for one, _ in drawn]),
            **facts,
        }
        if values is not None:
            made = [c for c in made if c not in values.columns]
        rows = "aligned" if self.is_aligned else "unknown"
        return Release(frames, made, provenance, rows=rows, private={"seed": seed})

    def assembled(self, drawn: DrawnUnits, rng: np.random.Generator) -> pd.DataFrame:
        """Return a dataset with the columns of the confidential data, in the order of the file if columns are kept."""
        data, layout = self.confidential, drawn.layout
        unit = layout.unit
        numbers = rng.permutation(len(layout.size))[unit] + 1 if self.is_aligned else unit + 1
        made: dict[str, pd.Series] = {}
        for column in data.columns:
            if column in self.unit_columns:
                made[column] = new_numbers(data[column], numbers)
            elif column == self.number_variable:
                made[column] = new_numbers(data[column], layout.position + 1)
            elif column == self.wave_variable:
                first = np.array([int(np.argmax(self.wave == w)) for w in range(len(self.time))])
                made[column] = data[column].iloc[self.sorted_rows[first[layout.wave]]].reset_index(drop=True)
            elif column in drawn.frame:
                made[column] = drawn.frame[column].reset_index(drop=True)
            else:
                rows = self.sorted_rows if self.is_aligned else np.arange(len(unit)) % len(data)
                made[column] = data[column].iloc[rows].reset_index(drop=True)
        frame = pd.DataFrame(made)
        if self.is_aligned:
            frame = frame.iloc[np.argsort(self.sorted_rows, kind="stable")].set_axis(data.index)
        frame.attrs = without_kinds(data.attrs)
        return frame


def unit_facts(columns: Sequence[str], drawn: Sequence[DrawnUnits]) -> dict[str, Any]:
    """Return the facts about units that a release states."""
    again = max(one.again / len(one.layout.size) for one in drawn)
    return {"unit": list(columns), "number": len(drawn[0].layout.size), "share_drawn_again": round(again, 4)}


def warn_of_broken(rules: UnitRules, frames: Sequence[pd.DataFrame], unit: Sequence[str], codes: Codes) -> None:
    """Warn if synthetic units break a rule."""
    counts: dict[str, int] = {}
    for frame in frames:
        there = UnitRules([r for r in rules if set(r.columns) <= set(frame.columns)])
        for rule, count in there.broken(without_codes(frame, codes), list(unit)).items():
            counts[rule] = counts.get(rule, 0) + count
    if counts:
        listed = "; ".join(f"{rule} ({count:,} units)" for rule, count in counts.items())
        warn(
            f"unit_rules: synthetic units break rules that the units of the file satisfy: {listed}. Units that break a "
            f"rule are drawn again at most {UNIT_REDRAWS} times; synthesize all variables of the rule with trees, or remove "
            "the rule",
            UnitRuleWarning,
        )


def towards(change: IntArray, lacking: int) -> BoolArray:
    """Return which changes bring the sum closer to the number that is lacking, without exceeding it."""
    helpful = change * np.sign(lacking) > 0
    sums = np.cumsum(np.where(helpful, np.abs(change), 0))
    return np.asarray(helpful & (sums <= abs(lacking)))


def with_total(size: IntArray, total: int, draw: Callable[[int], IntArray], rng: np.random.Generator) -> IntArray:
    """Return sizes with a given sum: random units get another size from the same distribution."""
    size = size.astype(np.int64)
    for _ in range(TOTAL_REDRAWS):
        lacking = total - int(size.sum())
        if lacking == 0:
            return size
        units = rng.permutation(len(size))[: 2 * abs(lacking) + 20]
        new = draw(len(units))
        chosen = towards(new - size[units], lacking)
        size[units[chosen]] = new[chosen]
    raise no_total(total)


def no_total(total: int) -> FitError:
    """Return the error that datasets cannot have the same number of records."""
    return FitError(
        f"n: the datasets could not be drawn with the same number of records, {total:,}; use a larger number of units"
    )
