"""Fitted sequential synthesis of units: draws of whole units under their rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._system import parallel
from synthlab._typing import BoolArray, FloatArray, FrameLike, IntArray, RngLike
from synthlab._warnings import warn
from synthlab.exceptions import FitError, InputError, UnitRuleWarning
from synthlab.io.missing_kinds import without_kinds
from synthlab.release import Release
from synthlab.release.manifest import GIVEN, NEW_IDENTIFIERS, RECORDS, SYNTHESIS, UNITS
from synthlab.synthesizers._fitted_sequential import with_values
from synthlab.synthesizers._missing import Codes, without_codes
from synthlab.synthesizers._posterior import nested_order
from synthlab.synthesizers._unit_layout import (
    BEFORE,
    GAP,
    PRESENT,
    SIZE,
    Layout,
    Neighbors,
    neighbors,
)
from synthlab.synthesizers._unit_models import FittedLevel, context
from synthlab.synthesizers.base import Fitted
from synthlab.synthesizers.cart import CART
from synthlab.units import Constant, ExactlyOne, SizeOf, UnitRules
from synthlab.units.codes import new_numbers, per_unit

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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedUnits(Fitted):
    """A fitted `SequentialUnits`.

    Attributes
    ----------
    frame : pandas.DataFrame
        The modeled columns of the records, sorted by unit and member.
    sorted_rows : ndarray of int, shape (n,)
        The position of each sorted record in `confidential`.
    size : ndarray of int, shape (units,)
        Number of members of each unit.
    wave : ndarray of int, shape (n,)
        Number of the wave of each sorted record; empty if the file is not a panel.
    time : ndarray of float, shape (waves,)
    unit_weights : ndarray of shape (units,) or None
    variables : tuple of str
        The unit variables.
    kept : tuple of str
        The columns that are released unchanged.
    unit_columns : tuple of str
        The columns that identify the units.
    size_variable, number_variable, wave_variable : str or None
        The columns with the number of members, the number of the member, and the wave.
    units, first, later : FittedLevel or None
        The models of the unit variables, the first members and the later members.
    presence : tuple of FittedLevel
        The models of presence in each wave of a panel.
    rules : UnitRules
        The rules that every unit satisfies.
    counted : dict
        The levels that are counted among earlier members, by variable.
    codes : mapping
        Numbers that mean missing, by column.
    """

    frame: pd.DataFrame = field(repr=False)
    sorted_rows: IntArray = field(repr=False)
    size: IntArray = field(repr=False)
    wave: IntArray = field(repr=False)
    time: FloatArray = field(repr=False)
    unit_weights: FloatArray | None = field(repr=False)
    variables: tuple[str, ...]
    kept: tuple[str, ...]
    unit_columns: tuple[str, ...]
    size_variable: str | None
    number_variable: str | None
    wave_variable: str | None
    units: FittedLevel | None = field(repr=False)
    first: FittedLevel | None = field(repr=False)
    later: FittedLevel | None = field(repr=False)
    presence: tuple[FittedLevel, ...] = field(repr=False)
    rules: UnitRules = field(repr=False)
    counted: dict[str, Any] = field(repr=False)
    codes: Codes = field(repr=False)
    _decode: Any = field(default=None, repr=False, kw_only=True)
    _draw: int = field(default=0, repr=False, kw_only=True)

    @property
    def draws_parameters(self) -> bool:
        """True if a model draws parameters for each dataset."""
        return any(part.draws_parameters for level in self._levels for part in level.models.parts)

    @property
    def parameter_status(self) -> str:
        """Status of the models, or "mixed" if they differ or records have weights."""
        if self.weights is not None:
            return "mixed"
        found = {level.models.parameter_status for level in self._levels}
        return found.pop() if len(found) == 1 else "mixed"

    @property
    def _levels(self) -> list[FittedLevel]:
        return [level for level in (self.units, self.first, self.later, *self.presence) if level is not None]

    @property
    def n_draws(self) -> int | None:
        """Smallest number of posterior draws of the models."""
        numbers = [n for level in self._levels if (n := level.models.n_draws) is not None]
        return min(numbers) if numbers else None

    @property
    def is_aligned(self) -> bool:
        """True if columns are kept, so that row i corresponds to record i."""
        return bool(self.kept)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for whole units; units are drawn by `generate`."""
        raise InputError("draw: SequentialUnits draws whole units; use generate")

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

    def datasets(
        self, m: int, rng: RngLike = None, n: int | None = None, given: pd.DataFrame | None = None
    ) -> tuple[list[tuple[DrawnUnits, np.random.Generator]], Any]:
        """Return m datasets, each with a generator for its numbering, and the seed."""
        m = _checks.check_count(m, "m")
        number = len(self.size) if n is None else _checks.check_count(n, "n")
        if self.is_aligned and number != len(self.size):
            raise InputError(
                f"n={n}: differs from the number of units of the file, {len(self.size):,}, so every released column must be "
                f"synthesized; remove {_checks.named(self.kept)} from keep, or omit n"
            )
        if self.n_draws is not None and m > self.n_draws:
            raise InputError(f"m={m}: there are {self.n_draws} posterior draws; fit with more draws")
        (first, *streams), seed = _rng.spawn_for_release(rng, m + 1)
        p = None if self.unit_weights is None else self.unit_weights / self.unit_weights.sum()
        total = int(first.choice(self.size, size=number, p=p).sum())
        outer = None
        if given is not None:
            outer = self._units_for(given, first)
            total = int(outer[SIZE].sum()) if SIZE in outer else total
        order = np.zeros(m, dtype=np.int64)
        if self.n_draws is not None:
            order = nested_order(self.n_draws, int(first.integers(self.n_draws)))[:m]
        drawn = parallel.parallel_map(
            partial(self._dataset_of_units, number, total, outer),
            zip(order.tolist(), streams, strict=True),
            prefer="processes",
            probe=True,
        )
        return [(one, _rng.spawn(stream, 1)[0]) for one, stream in zip(drawn, streams, strict=True)], seed

    def _dataset_of_units(
        self, number: int, total: int, outer: pd.DataFrame | None, draw_and_rng: tuple[int, np.random.Generator]
    ) -> DrawnUnits:
        draw, rng = draw_and_rng
        return replace(self, _draw=draw)._one_dataset(number, total, outer, rng)

    def _one_dataset(self, number: int, total: int, outer: pd.DataFrame | None, rng: np.random.Generator) -> DrawnUnits:
        if self.is_aligned:
            layout = Layout(self.size, self.wave)
            start = self._with_units(self.frame, layout, self._drawn_units(self.frame.iloc[layout.start], rng))
            return self._under_rules(start, layout, rng)
        if self.time.size:
            return self._panel(number, total, outer, rng)
        p = None if self.unit_weights is None else self.unit_weights / self.unit_weights.sum()
        if outer is None:
            size = _with_total(
                rng.choice(self.size, size=number, p=p), total, lambda k: rng.choice(self.size, size=k, p=p), rng
            )
            outer = self._drawn_units(self._placeholders(Layout(self.size).start, number, size), rng)
        else:
            size = outer[SIZE].to_numpy(dtype=np.int64)
        layout = Layout(size)
        start = self._with_units(
            self._placeholders(np.arange(len(self.frame)), int(size.sum()), size[layout.unit]), layout, outer
        )
        return self._under_rules(start, layout, rng)

    def _placeholders(self, rows: IntArray, number: int, size: IntArray | None = None) -> pd.DataFrame:
        """Return records whose values will be replaced, with the number of members of their unit."""
        frame = self.frame.iloc[rows[np.arange(number) % len(rows)]].reset_index(drop=True)
        if self.size_variable is not None and size is not None:
            frame[self.size_variable] = pd.Series(size).astype(self.frame[self.size_variable].dtype)
        return frame.assign(**{SIZE: size}) if size is not None else frame

    def _drawn_units(self, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        """Return one record per unit with synthetic unit variables."""
        if self.units is None:
            return frame.reset_index(drop=True)
        rows = np.arange(len(frame))
        none = np.full(len(frame), -1)
        frame = frame.reset_index(drop=True)
        numbers = (
            {SIZE: frame[SIZE].to_numpy(dtype=np.float64)} if SIZE in frame else {SIZE: self.size.astype(np.float64)}
        )
        x = context(
            frame.drop(columns=SIZE, errors="ignore"), rows, Neighbors(none, none, none, numbers), self.units.used
        )
        return frame.assign(**self.units.draw(x, self._draw, rng))

    def _with_units(self, frame: pd.DataFrame, layout: Layout, outer: pd.DataFrame) -> pd.DataFrame:
        """Return the records with the variables of their unit."""
        unit = layout.unit
        columns = [c for c in (*self.variables, self.size_variable, SIZE) if c is not None and c in outer]
        made = {c: outer[c].iloc[unit].set_axis(frame.index) for c in columns if c != SIZE}
        return frame.drop(columns=SIZE, errors="ignore").assign(**made)

    def _under_rules(self, frame: pd.DataFrame, layout: Layout, rng: np.random.Generator) -> DrawnUnits:
        """Draw the members of all units, and again those of units that break a rule."""
        frame = self._members(frame, layout, rng)
        broken = ~self._holds(frame, layout)
        again = int(broken.sum())
        free = any(set(r.columns) - {*self.kept} for r in self.rules if not isinstance(r, Constant | SizeOf))
        for _ in range(UNIT_REDRAWS if free and self.first is not None else 0):
            units = np.flatnonzero(broken)
            if units.size == 0:
                break
            rows, part = layout.rows_of(units), layout.part(units)
            drawn = self._members(frame.iloc[rows].reset_index(drop=True), part, rng)
            frame = frame.assign(**{c: with_values(frame[c], rows, drawn[c]) for c in frame.columns})
            broken[units] = ~self._holds(drawn, part)
        return DrawnUnits(frame, layout, again, int(broken.sum()))

    def _holds(self, frame: pd.DataFrame, layout: Layout) -> BoolArray:
        """Return which units satisfy the rules; constants and sizes are right by construction."""
        rules = UnitRules([r for r in self.rules if not isinstance(r, Constant | SizeOf)])
        if not len(rules):
            return np.ones(len(layout.size), dtype=bool)
        plain = self._decode(frame) if self._decode is not None else frame
        return rules.holds_in(without_codes(plain, self.codes), layout.unit, len(layout.size))

    def _members(self, frame: pd.DataFrame, layout: Layout, rng: np.random.Generator) -> pd.DataFrame:
        """Return the records with synthetic variables of the members, one position after the other."""
        position = layout.position
        for place in range(int(layout.size.max()) if self.first is not None else 0):
            level = self.later if place else self.first
            if level is None:
                continue
            near = self._neighbors(frame, layout)
            rows = np.flatnonzero(position == place)
            here = Neighbors(
                near.first[rows],
                near.previous[rows],
                near.following[rows],
                {k: v[rows] for k, v in near.numbers.items()},
            )
            x = context(frame, rows, here, level.used)
            drawn = level.draw(x, self._draw, rng, self._acceptance(frame, layout, place))
            frame = frame.assign(**{c: with_values(frame[c], rows, values) for c, values in drawn.items()})
        return frame

    def _neighbors(self, frame: pd.DataFrame, layout: Layout) -> Neighbors:
        return neighbors(frame, layout, self.counted, self.time, self.kept)

    def _acceptance(self, frame: pd.DataFrame, layout: Layout, place: int) -> Callable[..., BoolArray] | None:
        """Return the function that states which drawn values satisfy the rules with the earlier members."""
        drawn_here = {c for level in (self.first, self.later) if level is not None for c in level.models.synthesized}
        rules = [
            rule
            for rule in self.rules
            if not isinstance(rule, Constant | SizeOf)
            and set(rule.columns) <= set(self.frame.columns)
            and set(rule.columns) & drawn_here
        ]
        if not rules:
            return None
        columns = list(dict.fromkeys(c for rule in rules for c in rule.columns))
        order = [c for c in self.synthesized if c in drawn_here]
        unit, start = layout.unit, layout.start

        def accepts(current: pd.DataFrame, drawn: Sequence[str]) -> BoolArray:
            done = set(order[: max((order.index(c) + 1 for c in drawn if c in order), default=0)])
            used = [r for r in rules if set(r.columns) & set(drawn) and not (set(r.columns) & drawn_here) - done]
            kept = np.ones(len(current), dtype=bool)
            if not used:
                return kept
            rows = current.index.to_numpy()
            earlier = (start[unit[rows]][:, None] + np.arange(place)).ravel()
            near = pd.concat([frame[columns].iloc[earlier], current[columns]], ignore_index=True)
            near = without_codes(near, self.codes)
            code = np.concatenate([np.repeat(np.arange(len(rows)), place), np.arange(len(rows))])
            last = layout.size[unit[rows]] == place + 1
            for rule in used:
                if isinstance(rule, ExactlyOne):
                    count = per_unit(
                        np.asarray((near[rule.variable] == rule.level).fillna(False), dtype=bool), code, len(rows)
                    )
                    kept &= (count == 1) | ((count == 0) & ~last)
                else:
                    kept &= rule.holds_in(near, code, len(rows))
            return kept

        return accepts

    def _panel(self, number: int, total: int, outer: pd.DataFrame | None, rng: np.random.Generator) -> DrawnUnits:
        """Draw a panel: units, their presence in each wave, and their values in the waves in which they are present."""
        if outer is None:
            outer = self._drawn_units(self._placeholders(Layout(self.size).start, number), rng)
        waves = len(self.time)
        cells, present = self._waves(outer, rng)

        def again(units: IntArray) -> tuple[pd.DataFrame, BoolArray]:
            part, here = self._waves(outer.iloc[units].reset_index(drop=True), rng)
            for _ in range(UNIT_REDRAWS):  # a unit that is present in no wave
                gone = np.flatnonzero(~here.any(axis=1))
                if gone.size == 0:
                    break
                more, now = self._waves(outer.iloc[units[gone]].reset_index(drop=True), rng)
                rows = (gone[:, None] * waves + np.arange(waves)).ravel()
                part = part.assign(**{c: with_values(part[c], rows, more[c]) for c in part.columns})
                here[gone] = now
            return part, here

        def replace_units(units: IntArray, part: pd.DataFrame, here: BoolArray, chosen: IntArray) -> None:
            nonlocal cells
            rows = (units[chosen][:, None] * waves + np.arange(waves)).ravel()
            source = (chosen[:, None] * waves + np.arange(waves)).ravel()
            cells = cells.assign(**{c: with_values(cells[c], rows, part[c].iloc[source]) for c in cells.columns})
            present[units[chosen]] = here[chosen]

        gone = np.flatnonzero(~present.any(axis=1))
        if gone.size:
            part, here = again(gone)
            replace_units(gone, part, here, np.arange(gone.size))
        for _ in range(TOTAL_REDRAWS):
            size = present.sum(axis=1)
            lacking = total - int(size.sum())
            if lacking == 0 and (size > 0).all():
                break
            units = rng.permutation(number)[: 2 * abs(lacking) + 20]
            part, here = again(units)
            change = here.sum(axis=1) - size[units]
            change[~here.any(axis=1)] = 0
            replace_units(units, part, here, np.flatnonzero(_towards(change, lacking)))
        else:
            raise _no_total(total)
        there = present.ravel()
        layout = Layout(present.sum(axis=1).astype(np.int64), np.tile(np.arange(waves), number)[there])
        return DrawnUnits(cells[there].reset_index(drop=True), layout, int(gone.size), 0)

    def _waves(self, outer: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, BoolArray]:
        """Return one row per unit and wave, and whether the unit is present in the wave."""
        number, waves = len(outer), len(self.time)
        layout = Layout(np.full(number, waves))
        cells = self._with_units(self._placeholders(np.arange(len(self.frame)), number * waves), layout, outer)
        present = np.zeros((number, waves), dtype=bool)
        last = np.full(number, -1)
        for wave, level in enumerate(self.presence):
            if self.wave_variable is not None and self.wave_variable in cells:
                own = self.frame[self.wave_variable].iloc[[int(np.argmax(self.wave == wave))] * number]
                at = np.arange(number) * waves + wave
                cells = cells.assign(**{self.wave_variable: with_values(cells[self.wave_variable], at, own)})
            rows = np.arange(number) * waves + wave
            near = self._near(rows, last, present, wave)
            drawn = level.draw(context(cells, rows, near, level.used), self._draw, rng)[PRESENT]
            present[:, wave] = drawn.to_numpy(dtype=np.float64) > 0.5
            for later in (False, True):
                one = self.later if later else self.first
                units = np.flatnonzero(present[:, wave] & ((last >= 0) == later))
                if one is None or units.size == 0:
                    continue
                x = context(cells, rows[units], self._near(rows[units], last[units], present[units], wave), one.used)
                new = one.draw(x, self._draw, rng)
                cells = cells.assign(**{c: with_values(cells[c], rows[units], values) for c, values in new.items()})
            last = np.where(present[:, wave], rows, last)
        return cells, present

    def _near(self, rows: IntArray, last: IntArray, present: BoolArray, wave: int) -> Neighbors:
        """Return the last wave in which each unit was present, and its earlier presence."""
        none = np.full(len(rows), -1)
        return Neighbors(none, last, none, presence_numbers(present, wave, self.time))

    def _checked_given(self, given: FrameLike, n: int | None) -> pd.DataFrame:
        """Return given unit variables, or raise if they are not unit variables."""
        frame = _checks.check_frame(given, "given")
        if n is not None:
            raise InputError("n: cannot be combined with given, which has one row per synthetic unit; omit n")
        if self.is_aligned:
            raise InputError("given: cannot be combined with keep, which determines the units; omit given")
        allowed = [c for c in (self.size_variable, *self.variables) if c is not None]
        for column in frame.columns:
            if column in allowed:
                continue
            if column in self.frame.columns:
                varies = int((~Constant(column).holds_in(self.frame, Layout(self.size).unit, len(self.size))).sum())
                raise InputError(
                    f"given: {column!r} varies within {varies:,} of {len(self.size):,} units; give only unit variables "
                    f"({_checks.shorten(allowed, 12)}), one row per unit"
                )
            raise InputError(f"given: {column!r} is not a unit variable; give {_checks.shorten(allowed, 12)}")
        _checks.check_same_kind(self.frame, [frame], list(frame.columns), "given")
        return frame.reset_index(drop=True)

    def _units_for(self, given: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        """Return one record per unit with the given unit variables; trees draw the size and the other unit variables."""
        start = Layout(self.size).start
        known = self.frame.iloc[start].reset_index(drop=True)
        panel = bool(self.time.size)
        own = list(given.columns)
        if self.size_variable is None and not panel:
            known[SIZE] = self.size
        size = [] if panel else [self.size_variable or SIZE]
        rest = [c for c in (*size, *self.variables) if c not in own]
        outer = known.iloc[np.arange(len(given)) % len(known)].reset_index(drop=True)
        outer = outer.assign(**{c: given[c].astype(known[c].dtype) for c in own})
        if rest:
            model = CART(rest, predictors=own, min_leaf=getattr(self.specification, "min_leaf", 5))
            codes = {c: v for c, v in self.codes.items() if c in (*own, *rest)}
            trees = model.fit(known[[*own, *rest]], weights=self.unit_weights, missing_codes=codes or None, rng=rng)
            outer = outer.assign(**trees.draw(outer, 0, rng))
        return outer if panel else outer.assign(**{SIZE: outer[size[0]].astype(np.int64)})

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


def presence_numbers(present: BoolArray, wave: int, time: FloatArray) -> dict[str, FloatArray]:
    """Return the predictors from the presence in earlier waves, shape (units,) each."""
    before = present[:, :wave]
    last = (
        np.where(before.any(axis=1), wave - 1 - np.argmax(before[:, ::-1], axis=1), -1)
        if wave
        else np.full(len(present), -1)
    )
    numbers = {f"present in wave {k + 1}": before[:, k].astype(np.float64) for k in range(wave)}
    return numbers | {
        BEFORE: before.sum(axis=1).astype(np.float64),
        GAP: np.where(last >= 0, time[wave] - time[last], 0.0),
    }


def _towards(change: IntArray, lacking: int) -> BoolArray:
    """Return which changes bring the sum closer to the number that is lacking, without exceeding it."""
    helpful = change * np.sign(lacking) > 0
    sums = np.cumsum(np.where(helpful, np.abs(change), 0))
    return np.asarray(helpful & (sums <= abs(lacking)))


def _with_total(size: IntArray, total: int, draw: Callable[[int], IntArray], rng: np.random.Generator) -> IntArray:
    """Return sizes with a given sum: random units get another size from the same distribution."""
    size = size.astype(np.int64)
    for _ in range(TOTAL_REDRAWS):
        lacking = total - int(size.sum())
        if lacking == 0:
            return size
        units = rng.permutation(len(size))[: 2 * abs(lacking) + 20]
        new = draw(len(units))
        chosen = _towards(new - size[units], lacking)
        size[units[chosen]] = new[chosen]
    raise _no_total(total)


def _no_total(total: int) -> FitError:
    return FitError(
        f"n: the datasets could not be drawn with the same number of records, {total:,}; use a larger number of units"
    )


__all__ = ["DrawnUnits", "FittedUnits", "unit_facts", "warn_of_broken"]
