"""From (confidential, synthetic) and the caller's words to the arrays the matching kernel takes.

One preparation serves every measure that compares record i with the released records: checks,
block codes of what is compared by value, intervals of what has a radius.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from warnings import warn

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._matching import Intervals, block_codes, match_counts
from synthlab._typing import BoolArray, ColumnNames, FloatArray, FrameOrFrames, IntArray, Radius
from synthlab.exceptions import InputError, KnownVariableChangedWarning
from synthlab.release import Release, as_aligned_release


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """How two records are compared: everything a reader must be told to repeat the numbers."""

    known: tuple[str, ...]
    synthesized: tuple[str, ...]
    radius: dict[str, float]
    radius_kind: str = "relative"
    boundary: str = "closed"
    convention: str | None = None
    norm: str = "box"
    missing: str = "raise"
    data_kind: str | None = None  # "real" or "simulated", where the confidential frame says so

    @property
    def used(self) -> list[str]:
        """All variables that are compared."""
        return [*self.known, *self.synthesized]

    @property
    def by_value(self) -> list[str]:
        """Variables compared by value."""
        return [c for c in self.used if c not in self.radius]

    def describe(self) -> str:
        """Say in one sentence when two records match."""
        known, synthesized = ", ".join(self.known) or "nothing", ", ".join(self.synthesized)
        parts = []
        for column, radius in self.radius.items():
            size = f"{radius:.4g} x |{column}|" if self.radius_kind == "relative" else f"{radius:.4g}"
            parts.append(f"{column} within {size}")
        rule = "; ".join(parts) or "every variable equal"
        kind = f"{self.boundary} intervals" if self.radius and self.norm == "box" else f"{self.boundary} ball"
        kind = f" ({kind})" if self.radius else ""
        irc = " by the convention of the R package IdentificationRiskCalculation" if self.convention else ""
        return f"The intruder knows {known} and the true {synthesized}; a record matches with {rule}{kind}{irc}."


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Checked input, ready for the kernel."""

    rule: Rule
    confidential: pd.DataFrame
    frames: tuple[pd.DataFrame, ...]
    targets: IntArray

    def match(self) -> tuple[IntArray, BoolArray]:
        """Return match counts and own-row matches, both (targets, m), of the released datasets."""
        return self._match(self.frames)

    def match_baseline(self) -> tuple[IntArray, BoolArray]:
        """Return the same, (targets, 1), of the confidential data against themselves."""
        return self._match((self.confidential,))

    def match_known(self) -> tuple[IntArray, BoolArray]:
        """Return match counts and own-row matches on the known variables compared by value, (targets, 1 + m).

        Column 0 is of the confidential data against themselves, the others of the released datasets.
        """
        columns = [c for c in self.rule.known if c not in self.rule.radius]
        # The confidential data stand on both sides: a missing value that never matches does not match its own copy either.
        frames = [self.confidential, self.confidential, *self.frames]
        codes, own, *others = block_codes(frames, columns, self.rule.missing)
        no_values = np.empty((len(codes), 0))
        results = [match_counts(codes, self.targets, own, no_values, None)]
        for other in others:
            # Known variables are released unchanged: nearly always the codes are the same, and so is the answer.
            same = np.array_equal(own, other)
            results.append(results[0] if same else match_counts(codes, self.targets, other, no_values, None))
        return np.column_stack([c for c, _ in results]), np.column_stack([t for _, t in results])

    def balls(self) -> tuple[IntArray, IntArray, FloatArray, Intervals | None]:
        """Return the confidential data as patterns, cells, values and the ball round each record.

        pattern : (n,) codes of the known variables; cell : (n,) codes of all that is compared by value;
        values : (n, v) of the v continuous variables; balls : their intervals, None when v = 0.
        """
        columns = list(self.rule.radius)
        (pattern,) = block_codes([self.confidential], list(self.rule.known), self.rule.missing)
        (cell,) = block_codes([self.confidential], self.rule.by_value, self.rule.missing)
        values = _values(self.confidential, columns)
        return pattern, cell, values, self._intervals(columns) if columns else None

    def _match(self, frames: Sequence[pd.DataFrame]) -> tuple[IntArray, BoolArray]:
        codes, *others = block_codes([self.confidential, *frames], self.rule.by_value, self.rule.missing)
        columns = list(self.rule.radius)
        intervals = self._intervals(columns) if columns else None
        results = []
        for frame, other in zip(frames, others, strict=True):
            values = _values(frame, columns)
            if self.rule.missing == "category" and columns:
                results.append(self._match_missing_as_category(codes, other, values, intervals, columns))
            else:
                results.append(match_counts(codes, self.targets, other, values, intervals))
        return np.column_stack([c for c, _ in results]), np.column_stack([t for _, t in results])

    def _intervals(self, columns: list[str]) -> Intervals:
        centre = _values(self.confidential, columns)[self.targets]
        radius = np.array([self.rule.radius[c] for c in columns])
        with np.errstate(over="ignore"):  # an end beyond the largest float is infinite, and no value lies beyond it
            if self.rule.radius_kind != "relative":
                width = np.broadcast_to(radius, centre.shape)
            # The R package keeps the sign of y and rejects at z >= y + r y and z <= y - r y, in this order of operations.
            elif self.rule.convention == "irc":
                width = radius * centre
            else:
                width = radius * np.abs(centre)
            lower, upper = centre - width, centre + width
        return Intervals(
            lower=lower,
            upper=upper,
            centre=centre,
            half_width=np.ascontiguousarray(width),
            closed=self.rule.boundary == "closed",
            scaled=self.rule.norm == "euclidean" and len(columns) > 1,
        )

    def _match_missing_as_category(
        self, codes: IntArray, other: IntArray, values: FloatArray, intervals: Intervals | None, columns: list[str]
    ) -> tuple[IntArray, BoolArray]:
        """Let a missing measurement match a missing one and nothing else.

        The pattern of missingness joins the block; a target that lacks a variable is compared on
        the others.
        """
        here, there = np.isnan(_values(self.confidential, columns)), np.isnan(values)
        bits = 1 << np.arange(len(columns))
        pairs = np.concatenate([np.column_stack([codes, here @ bits]), np.column_stack([other, there @ bits])])
        joint = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
        codes, other = joint[: len(codes)], joint[len(codes) :]
        count = np.zeros(self.targets.size, dtype=np.int64)
        own = np.zeros(self.targets.size, dtype=bool)
        patterns = here[self.targets]
        for pattern in np.unique(patterns, axis=0):
            rows = (patterns == pattern).all(axis=1)
            seen = ~pattern
            part = None
            if intervals is not None and seen.any():
                lower, upper, centre, width = (
                    np.ascontiguousarray(ends[rows][:, seen])
                    for ends in (intervals.lower, intervals.upper, intervals.centre, intervals.half_width)
                )
                ball = intervals.scaled and int(seen.sum()) > 1
                part = Intervals(lower, upper, centre, width, intervals.closed, ball)
            count[rows], own[rows] = match_counts(
                codes, self.targets[rows], other, np.ascontiguousarray(values[:, seen]), part
            )
        return count, own


def prepare(
    confidential: object,
    synthetic: FrameOrFrames,
    *,
    known: ColumnNames,
    synthesized: ColumnNames,
    radius: Radius,
    radius_kind: str,
    boundary: str,
    convention: str | None,
    norm: str,
    missing: str,
    targets: Any,
    continuous_known: bool = True,
) -> Prepared:
    """Check everything once, by parameter name, and return what the kernel takes."""
    frame = _checks.check_frame(confidential, "confidential")
    release = as_aligned_release(synthetic)
    rule = check_rule(
        frame,
        release,
        known=known,
        synthesized=synthesized,
        radius=radius,
        radius_kind=radius_kind,
        boundary=boundary,
        convention=convention,
        norm=norm,
        missing=missing,
        continuous_known=continuous_known,
    )
    _checks.check_rows_aligned(frame, release.frames)
    for where, one in [
        ("confidential", frame),
        *((f"synthetic dataset {i}", f) for i, f in enumerate(release, start=1)),
    ]:
        _checks.check_finite_or_missing(one, rule.used, where=where, numeric=_numeric(one, rule.used), missing=missing)
        for column in rule.radius:
            _checks.exact_float(one[column])
    if release.frames[0] is not frame:
        warn_if_known_changed(frame, release.frames, rule.known)
    return Prepared(rule, frame, release.frames, _checks.check_targets(targets, len(frame)))


def check_rule(
    frame: pd.DataFrame,
    release: Release,
    *,
    known: ColumnNames,
    synthesized: ColumnNames,
    radius: Radius,
    radius_kind: str,
    boundary: str,
    convention: str | None,
    norm: str,
    missing: str,
    continuous_known: bool = True,
) -> Rule:
    """Check what the intruder knows and when two records match, whatever the order of the rows."""
    _checks.check_choice(radius_kind, "radius_kind", ("relative", "absolute"))
    _checks.check_choice(boundary, "boundary", ("closed", "open"))
    _checks.check_choice(convention, "convention", (None, "irc"))
    _checks.check_choice(norm, "norm", ("box", "euclidean"))
    _checks.check_choice(missing, "missing", ("raise", "category", "never"))
    if convention == "irc":
        if norm != "box":
            raise InputError('norm="euclidean": convention="irc" is the box; the option of the R package is no ball')
        boundary = "open"
    names = _checks.check_columns(frame, known, "known", where="confidential", allow_empty=True)
    changed = _checks.check_columns(frame, synthesized, "synthesized", where="confidential")
    _checks.check_disjoint(names, changed)
    for number, other in enumerate(release.frames, start=1):
        _checks.check_columns(other, [*names, *changed], "known and synthesized", where=f"synthetic dataset {number}")
    radii = _checks.check_radius(
        radius, confidential=frame, known=names, synthesized=changed, continuous_known=continuous_known
    )
    kind = _checks.data_kind(frame)
    rule = Rule(tuple(names), tuple(changed), radii, radius_kind, boundary, convention, norm, missing, kind)
    _checks.check_same_kind(frame, release.frames, rule.used)
    return rule


def _numeric(frame: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    return [c for c in columns if pd.api.types.is_float_dtype(frame[c].dtype)]


def _values(frame: pd.DataFrame, columns: Sequence[str]) -> FloatArray:
    if not columns:
        return np.empty((len(frame), 0))
    return np.column_stack([_checks.exact_float(frame[c]) for c in columns])


def check_fitted_to(confidential: pd.DataFrame, fitted: Any, name: str) -> None:
    """Raise unless a fit was made to these records, in this order: missing equals missing."""
    known = fitted.confidential
    for column in [c for c in known.columns if c in confidential.columns]:
        theirs, ours = block_codes([known, confidential], [column])
        if not np.array_equal(theirs, ours):
            raise InputError(f"confidential: its column {column!r} is not the one {name} was fitted to")


def warn_if_known_changed(frame: pd.DataFrame, frames: Sequence[pd.DataFrame], known: Sequence[str]) -> None:
    """Warn, in the name of the caller's caller's caller, when a variable declared known differs between the frames."""
    for column in known:
        for number, other in enumerate(frames, start=1):
            here, there = block_codes([frame, other], [column])
            moved = int((here != there).sum())
            if moved:
                warn(
                    f"known variable {column!r} differs from confidential in {moved:,} of {len(frame):,} rows of synthetic "
                    f"dataset {number}: known means released unchanged; if it was synthesized, name it in synthesized",
                    KnownVariableChangedWarning,
                    stacklevel=4,
                )
                break
