"""Fitted sequential synthesis: draws of several variables under constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._design_covariance import Sampled
from synthlab._typing import BoolArray, FloatArray, IntArray, RngLike
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._missing import Codes, without_codes
from synthlab.synthesizers._posterior import Diagnostics
from synthlab.synthesizers.base import Fitted
from synthlab.synthesizers.constraints import (
    Constraint,
    SumOf,
    ZeroUnless,
    columns_of,
    is_about,
)
from synthlab.synthesizers.dpmpm import DPMPM

# Returns which records accept the values of the variables that were drawn last, given the records with these values.
Accepts = Callable[[pd.DataFrame, Sequence[str]], BoolArray]
REDRAWS = 20  # largest number of times that values which are not accepted are drawn again


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedSequential(Fitted):
    """A fitted `Sequential`; `parts` are the fitted models in order."""

    parts: tuple[Fitted, ...] = field(repr=False)
    built_in: tuple[ZeroUnless | None, ...] = field(repr=False)
    constraints: tuple[Constraint, ...] = field(repr=False)
    codes: Codes = field(repr=False, default_factory=dict)

    @property
    def n_draws(self) -> int | None:
        """Smallest number of posterior draws of the parts."""
        numbers = [part.n_draws for part in self.parts if part.n_draws is not None]
        return min(numbers) if numbers else None

    @property
    def parameter_status(self) -> str:
        """Status of the parts, or "mixed" if they differ or records have weights; totals have no parameters."""
        if self.weights is not None:
            return "mixed"
        parts = [part for part in self.parts if not isinstance(part.specification, SumOf)]
        found = {part.parameter_status for part in parts}
        return found.pop() if len(found) == 1 else "mixed"

    @property
    def records_independent(self) -> bool:
        """True if every part can draw a record without other records."""
        return all(part.records_independent for part in self.parts)

    @property
    def uses_own_values(self) -> bool:
        """True if a part draws a record with the help of its confidential values."""
        return any(part.uses_own_values for part in self.parts)

    @property
    def needs_records(self) -> bool:
        """True if a part cannot draw without the confidential records."""
        return any(part.needs_records for part in self.parts)

    @property
    def has_probabilities(self) -> bool:
        """True if every part has probabilities and no constraint affects them."""
        kept = all(self._within_a_part(c) for c in self.constraints)
        return kept and all(part.has_probabilities for part in self.parts)

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the product of the conditional probabilities of the parts, shape (n, g)."""
        if not self.has_probabilities:
            return Fitted.probability_of(self, frame, values, draw)
        result = np.ones((len(frame), len(values)))
        before: list[str] = []
        for part in self.parts:
            groups = [np.arange(len(values))]
            if before:
                number = values.groupby(before, observed=True, sort=False, dropna=False).ngroup().to_numpy()
                groups = [np.flatnonzero(number == g) for g in range(number.max(initial=-1) + 1)]
            for rows in groups:
                if not result[:, rows].any():  # earlier values that the model cannot produce
                    continue
                asked, current = values.iloc[rows], frame.copy()
                for column in before:
                    current[column] = asked[column].iloc[[0] * len(frame)].array
                result[:, rows] *= part.probability_of(current, asked, draw)
            before += part.synthesized
        return result

    def _keeps(self, column: str) -> bool:
        return any(part._keeps(column) for part in self.parts if column in part.synthesized)

    def pooled(self, others: Sequence[Any] = (), *, draws: int | None = None, rng: RngLike = None) -> FittedSequential:
        """Combine each part with the fits of the same model to the other datasets."""
        streams = _rng.spawn(rng, len(self.parts))
        parts = [
            part.pooled([other.parts[position] for other in others], draws=draws, rng=stream)
            for position, (part, stream) in enumerate(zip(self.parts, streams, strict=True))
        ]
        return replace(self, parts=tuple(parts))

    def draw(
        self, frame: pd.DataFrame, draw: int, rng: np.random.Generator, accepts: Accepts | None = None
    ) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame` that satisfy the constraints.

        Values of a model that `accepts` rejects are drawn again from the same model, at most 20 times.
        """
        values = self._draw_once(frame, draw, rng, accepts)
        broken = self._broken(frame, values)
        for _ in range(self.specification.max_tries):
            rows = np.flatnonzero(broken)
            if rows.size == 0:
                return values
            again = self._draw_once(frame.iloc[rows] if self.records_independent else frame, draw, rng, accepts)
            for column, new in again.items():
                drawn = new if self.records_independent else new.iloc[rows]
                values[column] = with_values(values[column], rows, drawn)
            broken = self._broken(frame, values)
        rest = int(broken.sum())
        if rest == 0:
            return values
        complete = frame.assign(**{}).copy()
        for column, series in values.items():
            complete[column] = series
        complete = without_codes(complete, self.codes)
        guilty = [repr(c) for c in self.constraints if not c.holds(complete).all()]
        raise FitError(
            f"{rest} of {len(frame)} records still break {', '.join(guilty)} after "
            f"{self.specification.max_tries} tries: the models hardly ever satisfy it; use models that do (with bounds, "
            "or with the other variable as a predictor)"
        )

    def _after(self, given: pd.DataFrame) -> FittedSequential:
        known = without_codes(given, self.codes)
        for rule in self.constraints:
            if is_about(rule, list(given.columns)) and (broken := ~np.asarray(rule.holds(known), dtype=bool)).any():
                raise InputError(
                    f"given: {_checks.first_of(broken, 'rows')}, break {rule!r}; correct or omit these rows"
                )
        pairs = [
            (part._after(given), rule)
            for part, rule in zip(self.parts, self.built_in, strict=True)
            if not set(part.synthesized) <= set(given.columns)
        ]
        parts, rules = zip(*pairs, strict=True)
        rest = tuple(v for part in parts for v in part.synthesized)
        return replace(self, synthesized=rest, parts=parts, built_in=rules)

    @property
    def _derived(self) -> dict[str, tuple[str, ...]]:
        totals = [part.specification for part in self.parts if isinstance(part.specification, SumOf)]
        return {rule.total: tuple(rule.parts) for rule in totals}

    def _draw_once(
        self, frame: pd.DataFrame, draw: int, rng: np.random.Generator, accepts: Accepts | None = None
    ) -> dict[str, pd.Series]:
        current = frame.copy()
        result: dict[str, pd.Series] = {}
        for part, rule in zip(self.parts, self.built_in, strict=True):
            new = _draw_part(part, rule, current, draw, rng)
            for column, values in new.items():
                current[column] = values
            for _ in range(REDRAWS):
                if accepts is None:
                    break
                rows = np.flatnonzero(~accepts(current, part.synthesized))
                if rows.size == 0:
                    break
                for column, values in _draw_part(part, rule, current.iloc[rows], draw, rng).items():
                    new[column] = current[column] = with_values(new[column], rows, values)
            result |= new
        return result

    def _broken(self, frame: pd.DataFrame, values: dict[str, pd.Series]) -> BoolArray:
        if not self.constraints:
            return np.zeros(len(frame), dtype=bool)
        complete = frame.copy()
        for column, series in values.items():
            complete[column] = series
        complete = without_codes(complete, self.codes)
        kept = [np.asarray(c.holds(complete), dtype=bool) for c in self.constraints]
        return ~np.asarray(np.logical_and.reduce(kept), dtype=bool)

    def log_likelihood(self) -> FloatArray:
        """Return the sum of the parts' log-likelihoods, unweighted, shape (draws, n).

        It does not include constraints that are satisfied by rejection.
        """
        total = self._sum_of_parts([part.log_likelihood() for part in self.parts])
        for rule in self.built_in:
            if rule is not None:
                total[:, ~rule.holds(without_codes(self.confidential, self.codes))] = -np.inf
        return total

    def log_density(self, frame: pd.DataFrame, *, as_drawn: bool = False) -> FloatArray:
        """Return the log density of the values in a frame under every draw."""
        try:
            return Fitted.log_density(self, frame, as_drawn=as_drawn)
        except InputError:  # a later model can lack a level that an earlier model cannot produce
            impossible = self._impossible(frame)
            if not impossible.any():
                raise
        possible = frame.copy()
        for column in self.synthesized:
            values = possible[column].astype(object)  # the dtype can differ from that of the confidential values
            values[impossible] = self.confidential[column].iloc[0]
            possible[column] = values.infer_objects()
        result = Fitted.log_density(self, possible, as_drawn=as_drawn)
        result[:, impossible] = -np.inf
        return result

    def _impossible(self, frame: pd.DataFrame) -> BoolArray:
        """Return which records have a value that a model cannot produce.

        Later models do not get these records.
        """
        found = np.zeros(len(frame), dtype=bool)
        for part, rule in zip(self.parts, self.built_in, strict=True):
            applies = ~found if rule is None else ~found & np.asarray(rule.applies(frame))
            rows = np.flatnonzero(applies)
            if rows.size:
                found[rows] = (part.log_density(frame.iloc[rows]) == -np.inf).all(axis=0)
        return found

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return the sum of the contributions to the log pseudo posteriors of the parts."""
        return self._sum_of_parts([part.pseudo_log_likelihood() for part in self.parts])

    def _within_a_part(self, constraint: Constraint) -> bool:
        """Return whether a `DPMPM` satisfies the constraint and no other part changes it."""
        for part in self.parts:
            if isinstance(part.specification, DPMPM) and hands_over(constraint, part.specification, self.codes):
                others = [v for other in self.parts if other is not part for v in other.synthesized]
                return not set(columns_of(constraint) or ()) & set(others)
        return False

    def _sum_of_parts(self, parts: list[FloatArray]) -> FloatArray:
        total: Any = 0.0
        for one, rule in zip((part[: self.n_draws] for part in parts), self.built_in, strict=True):
            if rule is not None:
                full = np.zeros((one.shape[0], len(self.confidential)))
                full[:, rule.applies(self.confidential)] = one
                one = full
            total = total + one
        return np.asarray(total, dtype=np.float64)

    def with_data(self, frame: pd.DataFrame) -> FittedSequential:
        """Return the fit with other, unweighted records in place of the confidential ones."""
        rows = [slice(None) if rule is None else rule.applies(frame) for rule in self.built_in]
        parts = tuple(part.with_data(frame.loc[r]) for part, r in zip(self.parts, rows, strict=True))
        return replace(self, confidential=frame, weights=None, parts=parts)

    def _log_mass(self) -> FloatArray | float:
        rejected = [repr(c) for c in self.constraints if c not in self.built_in and not self._within_a_part(c)]
        if rejected:
            raise InputError(
                f"constraints: {', '.join(rejected)} is satisfied by rejection, so the density of synthetic "
                "values is not known"
            )
        shapes = ((p.n_draws or 1, len(p.confidential)) for p in self.parts)
        return self._sum_of_parts([np.broadcast_to(p._log_mass(), s) for p, s in zip(self.parts, shapes, strict=True)])

    @property
    def has_coefficients(self) -> bool:
        """True if some part has coefficients."""
        return any(part.has_coefficients for part in self.parts)

    def _adjusted(self, sampled: Sampled, rows: IntArray) -> FittedSequential:
        if not self.has_coefficients:
            return Fitted._adjusted(self, sampled, rows)
        moved = [
            part._adjusted(sampled, rows if rule is None else rows[rule.applies(self.confidential)])
            if part.has_coefficients
            else part
            for part, rule in zip(self.parts, self.built_in, strict=True)
        ]
        return replace(self, parts=tuple(moved))

    def _with_draws(self, rows: IntArray) -> FittedSequential:
        return replace(self, parts=tuple(p if p.n_draws is None else p.keep_draws(rows) for p in self.parts))

    def summary(self) -> pd.DataFrame:
        """Return the posterior summaries of all parts in one table."""
        return pd.concat({", ".join(part.synthesized): part.summary() for part in self.parts})

    def _diagnose(self) -> Diagnostics:
        return Diagnostics.combine({", ".join(part.synthesized): part._diagnose() for part in self.parts})


def hands_over(constraint: Constraint, model: DPMPM, codes: Codes | None) -> bool:
    """Return whether the model itself satisfies a constraint.

    The columns must not have missing codes, which the model treats as ordinary levels.
    """
    return is_about(constraint, model.variables) and not set(columns_of(constraint) or ()) & set(codes or {})


def with_values(series: pd.Series, rows: IntArray, values: pd.Series) -> pd.Series:
    """Return a column with other values in some rows.

    All draws of a column have the same dtype, except integers that do not fit into it.
    """
    result = series.astype(values.dtype) if values.dtype != series.dtype else series.copy()
    result.iloc[rows] = values.array
    return result


def _draw_part(
    part: Fitted, rule: ZeroUnless | None, frame: pd.DataFrame, draw: int, rng: np.random.Generator
) -> dict[str, pd.Series]:
    if rule is None:
        return part.draw(frame, draw, rng)
    return _draw_where(part, rule.applies(frame), frame, draw, rng)


def _draw_where(
    part: Fitted, where: BoolArray, frame: pd.DataFrame, draw: int, rng: np.random.Generator
) -> dict[str, pd.Series]:
    """Draw for the records that satisfy a condition, and set the others to 0."""
    drawn = part.draw(frame.loc[where], draw, rng)
    result = {}
    for column, values in drawn.items():
        full = pd.Series(0, index=pd.RangeIndex(len(frame)), name=column).astype(values.dtype)
        full.iloc[np.flatnonzero(where)] = values.array
        result[column] = full.set_axis(frame.index)
    return result
