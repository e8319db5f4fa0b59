"""Validated inputs of the matching kernel, from confidential data, release and intruder.

All measures that compare record i with the released records use this module. It checks the input, computes block codes of
the variables compared by value, and computes intervals of the variables with a radius.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.parallel import parallel_map, workers
from synthlab._typing import BoolArray, ColumnNames, Columns, FloatArray, FrameOrFrames, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import (
    ColumnTypeWarning,
    InputError,
    KnownVariableChangedWarning,
    RowOrderWarning,
    WideRadiusWarning,
)
from synthlab.intruder import Intruder, resolved
from synthlab.intruder.bands import in_bands
from synthlab.matching.factorize import all_equal
from synthlab.matching.kernel import Intervals, SortedEnds, block_codes, ends_in_order, match_counts
from synthlab.matching.released_rows import Rows, match_rows
from synthlab.release import Release

FEW = 0.05  # maximum share of rows that can differ in the known variables if the row order is correct
BY_CHANCE = 1e-6  # probability below which agreement is not attributed to chance
LARGEST_GROUP = 20  # mean number of rows of a group from which its number is not a count of the rows
SAME_ORDER = 0.999  # rank correlation above which two variables have almost the same order
SAME_ORDER_IN_SAMPLE = (
    0.99  # rank correlation in the compared rows below which all rows cannot have almost the same order
)
LOOKED_AT = 5000  # maximum number of compared rows
FEWEST_VALUES = 20  # minimum number of distinct values for a meaningful rank correlation
FEW_VALUES = 200_000  # number of values in all datasets below which starting threads takes longer than matching
Matches: TypeAlias = tuple[IntArray, BoolArray]  # (targets, datasets) match counts, and whether the own row matches


@dataclass(frozen=True, slots=True, eq=False)
class Used:
    """Compared columns of a frame, each looked up once because pandas lookups are slow."""

    columns: Mapping[str, pd.Series]
    n: int

    @classmethod
    def of(cls, frame: pd.DataFrame, columns: Sequence[str]) -> Used:
        """Look up the columns, without `attrs`, which pandas deep-copies in each lookup."""
        if frame.attrs:
            frame = frame.copy(deep=False)
            frame.attrs = {}
        return cls({column: frame[column] for column in columns}, len(frame))

    def __getitem__(self, name: str, /) -> pd.Series:
        return self.columns[name]

    def __len__(self) -> int:
        return self.n


@dataclass(frozen=True, slots=True, eq=False)
class Balls:
    """Balls around each of the n records of a file.

    pattern : (n,) codes of the known variables, negative if a missing value equals no value; cell : (n,) codes of the
    variables compared by value; can_match : (n,) whether the record can match itself or another record. parts : groups of
    records that can match and have the same missing continuous variables. Each part contains the rows, the (rows, v) values of
    the v observed variables, and the intervals around these values (None if v = 0). No ball contains records of two parts.
    """

    pattern: IntArray
    cell: IntArray
    can_match: BoolArray
    parts: Sequence[tuple[IntArray | slice, FloatArray, Intervals | None]]


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Validated input of the matching kernel.

    rows : position of the confidential record that each released row describes; None if row i describes record i. Records that
    are not released match no record.
    """

    intruder: Intruder
    confidential: pd.DataFrame
    frames: tuple[Columns, ...]
    targets: IntArray
    rows: IntArray | None = None
    _found: dict[tuple[str, ...], list[IntArray]] = field(default_factory=dict, init=False)

    def _codes(self, columns: Sequence[str]) -> list[IntArray]:
        """Return block codes of the confidential data, of the same data as a release, and of the datasets.

        The confidential data are included twice, so that with ``missing="never"`` a missing value does not match its own copy.
        """
        if tuple(columns) not in self._found:
            frames = [self.confidential, self.confidential, *self.frames]
            own, copy, *others = block_codes(frames, columns, self.intruder.missing)
            if self.rows is not None:
                nowhere = max(int(codes.max(initial=0)) for codes in (own, *others)) + 1
                copy = self._by_record(copy[self.rows], nowhere)
                others = [self._by_record(codes, nowhere) for codes in others]
            self._found[tuple(columns)] = [own, copy, *others]
        return self._found[tuple(columns)]

    def _by_record(self, values: Any, otherwise: Any) -> Any:
        """Return values of released rows in the order of the records, and `otherwise` for a record that is not released."""
        if self.rows is None:
            return values
        full = np.full((len(self.confidential), *values.shape[1:]), otherwise, dtype=values.dtype)
        full[self.rows] = values
        return full

    def released(self) -> BoolArray:
        """Return which targets are released."""
        return np.isin(self.targets, self.rows) if self.rows is not None else np.ones(self.targets.size, dtype=bool)

    def match(self) -> tuple[Matches, Matches]:
        """Return matches of the confidential data with themselves (1 column) and with the m datasets."""
        frames = [self.confidential, *self.frames]
        codes, *others = self._codes(self.intruder.by_value)
        columns = list(self.intruder.radii)
        own = exact_floats(self.confidential, columns)
        intervals = self._intervals(columns, own) if columns else None
        ends = None if intervals is None else ends_in_order(codes[self.targets], intervals)
        everyone = np.array_equal(self.targets, np.arange(len(codes)))

        def against(some: slice) -> list[Matches]:
            return [match(*both) for both in zip(frames[some], others[some], strict=True)]

        def match(frame: Columns, other: IntArray) -> Matches:
            if frame is not self.confidential:
                return self.match_codes(
                    codes, other, self._by_record(exact_floats(frame, columns), np.nan), intervals, ends
                )
            orders = ends.by_value if ends is not None and other is codes and everyone else None
            return self.match_codes(codes, other, own, intervals, ends, orders)

        # One group of datasets per thread, because matching one dataset can take less time than dispatching it.
        few = len(frames) * len(codes) * max(1, len(columns)) <= FEW_VALUES
        count = 1 if few else workers(len(frames))
        bounds = [len(frames) * number // count for number in range(count + 1)]
        stretches = [slice(*both) for both in pairwise(bounds)]
        found = parallel_map(against, stretches, prefer="threads") if count > 1 else map(against, stretches)
        results = [matches for part in found for matches in part]
        return _stacked(results[:1]), _stacked(results[1:])

    def match_known(self) -> Matches:
        """Return the matches on the known variables compared by value, (targets, 1 + m).

        Column 0 contains the matches of the confidential data with themselves.
        """
        columns = [c for c in self.intruder.known if c not in self.intruder.radii]
        codes, own, *others = self._codes(columns)
        no_values = np.empty((len(codes), 0))
        results = [match_counts(codes, self.targets, own, no_values, None)]
        for other in others:
            # Known variables are usually released unchanged, so that the result of the confidential data can be reused.
            same = own is other or np.array_equal(own, other)
            results.append(results[0] if same else match_counts(codes, self.targets, other, no_values, None))
        return _stacked(results)

    def can_match(self) -> BoolArray:
        """Return which records can match; with missing="never", the records without missing values."""
        if self.intruder.missing != "never":
            return np.ones(len(self.confidential), dtype=bool)
        return _checks.complete_mask(self.confidential, self.intruder.used)

    def balls(self) -> Balls:
        """Return the patterns, cells and balls of all confidential records."""
        (pattern,) = block_codes([self.confidential], list(self.intruder.known), self.intruder.missing)
        (cell,) = block_codes([self.confidential], self.intruder.by_value, self.intruder.missing)
        columns = list(self.intruder.radii)
        values, intervals = exact_floats(self.confidential, columns), self.intervals(columns) if columns else None
        can_match = self.can_match()
        absent = np.isnan(values)
        if can_match.all() and not absent.any():
            return Balls(pattern, cell, can_match, [(slice(None), values, intervals)])
        # A missing value matches only a missing value, so that all records in a ball have the same missing variables.
        kinds, kind = np.unique(absent[can_match], axis=0, return_inverse=True)
        rows = [np.flatnonzero(can_match)[kind.reshape(-1) == number] for number in range(len(kinds))]
        parts = [
            (some, np.ascontiguousarray(values[some][:, ~lacks]), _among(intervals, some, ~lacks))
            for some, lacks in zip(rows, kinds, strict=True)
        ]
        return Balls(pattern, cell, can_match, parts)

    def match_codes(
        self,
        codes: IntArray,
        other: IntArray,
        values: FloatArray,
        intervals: Intervals | None,
        ends: SortedEnds | None = None,
        orders: IntArray | None = None,
    ) -> Matches:
        """Return match counts and own-row matches, each of shape (targets,), for the block codes `other`.

        `ends` and `orders` as in `match_counts`.
        """
        columns = list(self.intruder.radii)
        if self.intruder.missing == "category" and columns:
            return self._match_missing_as_category(codes, other, values, intervals, columns)
        return match_counts(codes, self.targets, other, values, intervals, ends, orders)

    def intervals(self, columns: list[str]) -> Intervals:
        """Return the interval around every target's value, (targets, columns)."""
        return self._intervals(columns, exact_floats(self.confidential, columns))

    def _intervals(self, columns: list[str], values: FloatArray) -> Intervals:
        centre = values[self.targets]
        radii = self.intruder.radii
        kind, irc = self.intruder.radius_kind, self.intruder.convention == "irc"
        with np.errstate(over="ignore"):  # an end that overflows to infinity is correct, because values are finite
            width = np.column_stack([_checks.half_width(radii[c], centre[:, j], kind) for j, c in enumerate(columns)])
            # The R package keeps the sign of y and rejects at z >= y + r y and z <= y - r y, in this order of operations.
            if irc and kind == "relative":
                dates = np.array([isinstance(radii[c], _checks.Days) for c in columns])
                width = np.where(dates, width, np.copysign(width, centre))
            lower, upper = centre - width, centre + width
        return Intervals(
            lower=lower,
            upper=upper,
            centre=centre,
            half_width=np.ascontiguousarray(width),
            closed=self.intruder.boundary == "closed",
            scaled=self.intruder.norm == "euclidean" and len(columns) > 1,
        )

    def _match_missing_as_category(
        self, codes: IntArray, other: IntArray, values: FloatArray, intervals: Intervals | None, columns: list[str]
    ) -> Matches:
        """Match missing measurements only with missing measurements.

        The pattern of missing variables is part of the block, and records are compared on the observed variables.
        """
        here, there = np.isnan(exact_floats(self.confidential, columns)), np.isnan(values)
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
            part = _among(intervals, rows, seen)
            count[rows], own[rows] = match_counts(
                codes, self.targets[rows], other, np.ascontiguousarray(values[:, seen]), part
            )
        return count, own


def _among(intervals: Intervals | None, rows: IntArray | BoolArray, seen: BoolArray) -> Intervals | None:
    """Return the intervals of selected targets in the variables `seen`; None if there are none."""
    if intervals is None or not seen.any():
        return None
    lower, upper, centre, width = (
        np.ascontiguousarray(ends[rows][:, seen])
        for ends in (intervals.lower, intervals.upper, intervals.centre, intervals.half_width)
    )
    return Intervals(lower, upper, centre, width, intervals.closed, intervals.scaled and int(seen.sum()) > 1)


def _stacked(matches: Sequence[Matches]) -> Matches:
    return np.column_stack([count for count, _ in matches]), np.column_stack([own for _, own in matches])


def prepare(
    confidential: object,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    *,
    continuous_known: bool = True,
    warned: bool = False,
    rows: Rows = None,
) -> Prepared:
    """Validate all input and return the input of the kernel; `warned` suppresses warnings."""
    frame = _checks.check_frame(confidential, "confidential")
    release, places = match_rows(frame, synthetic, rows)
    frame = in_bands(frame, release.frames, intruder.bands)
    intruder = resolve(frame, release, intruder, continuous_known=continuous_known)
    if places is None:
        _checks.check_rows_aligned(frame, release.frames)
    own, *frames = (Used.of(one, intruder.used) for one in (frame, *release.frames))
    for where, one in [("confidential", own), *((f"synthetic dataset {i}", f) for i, f in enumerate(frames, start=1))]:
        numeric = [c for c in intruder.used if pd.api.types.is_float_dtype(one[c].dtype)]
        _checks.check_finite_or_missing(one, intruder.used, where=where, numeric=numeric, missing=intruder.missing)
        for column in intruder.radii:
            _checks.exact_float(one[column])
    if not warned:
        warn_if_number_is_text(own, intruder)
        warn_if_radius_is_wide(intruder)
    if release.frames[0] is not frame and not warned:
        shown = own if places is None else Used.of(frame.iloc[places], intruder.used)
        warn_if_known_changed(shown, frames, intruder.known)
    return Prepared(intruder, frame, tuple(frames), _checks.check_targets(intruder.targets, len(frame)), places)


def resolve(frame: pd.DataFrame, release: Release, intruder: Intruder, *, continuous_known: bool = True) -> Intruder:
    """Check the intruder's variables against the data, and return it with resolved radii."""
    names, changed = check_variables(frame, release.frames, intruder)
    radii = _checks.check_radius(
        intruder.radii if isinstance(intruder.radius, Mapping) else intruder.radius,
        confidential=frame,
        known=names,
        synthesized=[c for c in changed if c not in (intruder.bands or {})],
        continuous_known=continuous_known,
    )
    _checks.check_same_kind(frame, release.frames, [*names, *changed])
    return resolved(intruder, radii)


def check_variables(
    frame: pd.DataFrame, frames: Sequence[pd.DataFrame], intruder: Intruder
) -> tuple[list[str], list[str]]:
    """Return the known and synthesized variables after checking that every frame has them."""
    names, changed = (
        _checks.check_columns(frame, as_given(intruder, columns), name, where="confidential", allow_empty=True)
        for name, columns in (("known", intruder.known), ("synthesized", intruder.synthesized))
    )
    for number, other in enumerate(frames, start=1):
        where = f"synthetic dataset {number}"
        _checks.check_columns(other, as_given(intruder, [*names, *changed]), "known and synthesized", where=where)
    return names, changed


def as_given(intruder: Intruder, columns: ColumnNames) -> object:
    """Return names in a form that messages do not show if they might be data values."""
    return columns if intruder._listed else pd.Series(list(columns), dtype=object)


def exact_floats(frame: Columns, columns: Sequence[str]) -> FloatArray:
    """Return the columns as a float array, see `exact_float`."""
    if not columns:
        return np.empty((len(frame), 0))
    return np.column_stack([_checks.exact_float(frame[c]) for c in columns])


def check_fitted_to(confidential: pd.DataFrame, fitted: Any, name: str) -> None:
    """Raise an error unless the model was fitted to these records in this order."""
    known = fitted.confidential
    for column in [c for c in known.columns if c in confidential.columns]:
        theirs, ours = block_codes([known, confidential], [column])
        if not np.array_equal(theirs, ours):
            raise InputError(
                f"confidential: its column {column!r} is not the one {name} was fitted to; pass the same data"
            )


def warn_if_number_is_text(frame: Columns, intruder: Intruder) -> None:
    """Warn (at the fourth stack level) if texts such as "12.5%" are compared by equality."""
    for column in intruder.used:
        if column not in intruder.radii and _checks.kind_of(frame[column]) == "text":
            texts = _checks.distinct_texts(frame[column].dropna().astype(object))
            if len(texts) >= FEWEST_VALUES and _checks.decorated_numbers(texts, ".") is not None:
                warn(
                    f"confidential: column {column!r} contains numbers stored as text, which match only if they are equal; "
                    "convert the column to numbers and give it a radius",
                    ColumnTypeWarning,
                )


def warn_if_radius_is_wide(intruder: Intruder) -> None:
    """Warn (at the fourth stack level) if a relative radius is above 1."""
    for column, radius in intruder.radii.items():
        if intruder.radius_kind == "relative" and radius > 1 and not isinstance(radius, _checks.Days):
            warn(
                f"radius: {column!r} within {_checks.radius_words(radius, column, 'relative')} includes 0 and values of the other sign; "
                "radius_kind='absolute' gives a radius in the units of the variable",
                WideRadiusWarning,
            )


def warn_if_known_changed(frame: Columns, frames: Sequence[Columns], known: Sequence[str]) -> None:
    """Warn (at the fourth stack level) if a known variable differs between the frames."""
    shuffled, differing = _moved(frame, frames, known)
    if shuffled or not differing:
        return
    for column in known:
        here, *others = block_codes([frame, *frames], [column])
        for number, there in enumerate(others, start=1):
            moved = int((here != there).sum())
            if moved:
                warn(
                    f"known variable {column!r} differs from confidential in {moved:,} of {len(frame):,} rows of synthetic "
                    f"dataset {number}: known variables must be released unchanged; if it was synthesized, list it in `synthesized`",
                    KnownVariableChangedWarning,
                )
                break


def warn_if_moved(frame: Columns, frames: Sequence[Columns], known: Sequence[str]) -> bool:
    """Warn, and return True, if the known variables show that the rows are not aligned."""
    return _moved(frame, frames, known)[0]


def _moved(frame: Columns, frames: Sequence[Columns], known: Sequence[str]) -> tuple[bool, int]:
    """Warn if rows are not aligned; return whether they are not, and how many rows differ."""
    if all_equal(frame, frames, known):
        return False, 0
    differing, by_chance, _ = disagreement(frame, frames, known)
    moved = disproves_order(differing, by_chance, len(frame))
    if moved:
        warn(
            f"the known variables ({', '.join(known)}) differ from confidential in {differing:,} of {len(frame):,} rows: row i of the "
            "release is not about record i, so measures that compare rows are not valid. If these variables were synthesized, list "
            "them in `synthesized`. exact_copies, replicated_uniques, attribute_disclosure and cap need no order of rows"
            + _spelling(frame, frames, known),
            RowOrderWarning,
        )
    return moved, differing


def _spelling(frame: Columns, frames: Sequence[Columns], known: Sequence[str]) -> str:
    """Return a sentence on columns whose texts differ from the confidential texts only in blanks or case."""
    found = []
    for column in known:
        own = {value for value in frame[column].unique() if isinstance(value, str)}
        new = {value for one in frames for value in one[column].unique() if isinstance(value, str)} - own
        if new and _checks.text_variants([*own, *new]) - _checks.text_variants([*own]) == len(new):
            found.append(column)
    return f". Texts of {_checks.named(found)} differ only in blanks or case; use the same spelling" if found else ""


def disagreement(frame: Columns, frames: Iterable[Columns], columns: Sequence[str]) -> tuple[int, float, int]:
    """Return the numbers of differing rows, differing rows by chance, and nonunique records.

    The number of differing rows is the maximum over the datasets.
    """
    if not columns:
        return 0, 0.0, len(frame)
    own, *others = block_codes([frame, *frames], list(columns), "category")
    counts = np.bincount(own)
    by_chance = len(own) - float((counts.astype(float) ** 2).sum()) / len(own)
    return max(int((own != other).sum()) for other in others), by_chance, int((counts[own] > 1).sum())


def disproves_order(differing: int, by_chance: float, n: int) -> bool:
    """Return whether too many rows differ for a correct row order."""
    return can_disprove_order(by_chance) and differing > max(1.0, min(FEW * n, by_chance / 2))


def can_disprove_order(by_chance: float) -> bool:
    """Return whether a shuffled file could be distinguished from an aligned file."""
    return by_chance > 2


def follows(own: pd.Series, other: pd.Series) -> bool:
    """Return whether a released variable equals the confidential one in almost all rows.

    Agreement by chance does not count. At most 5,000 rows, evenly spaced over the file, are compared.
    """
    rows = _evenly_spaced(len(own))
    own, other = own.iloc[rows], other.iloc[rows]
    differing, by_chance, _ = disagreement(own.to_frame("x"), [other.to_frame("x")], ["x"])
    if can_disprove_order(by_chance) and not disproves_order(differing, by_chance, len(own)):
        return True
    return _rank_correlation(own, other) > SAME_ORDER


def _evenly_spaced(n: int) -> IntArray:
    return np.unique(np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(np.int64))


def is_sorted(series: pd.Series) -> bool:
    """Return whether a column is sorted, apart from a few rows, such as numbers that were given in the order of the file.

    Texts that end with digits are sorted by these digits. Two sorted files agree in the order of such a column even if they
    describe different records.
    """
    from scipy.stats import rankdata

    numbers = _numbers_in(series)
    here = np.flatnonzero(np.isfinite(numbers))
    if here.size < 2 or np.ptp(numbers[here]) == 0:
        return False
    return abs(float(np.corrcoef(here, rankdata(numbers[here]))[0, 1])) > SAME_ORDER or bool(
        (np.diff(numbers[here]) >= 0).all() or (np.diff(numbers[here]) <= 0).all()
    )


def numbers_rows(series: pd.Series) -> bool:
    """Return whether the values count the rows, or small groups of rows: each is that of the row before, or 1 more.

    A text counts by the digits at its end; a text without digits does not count.
    """
    if not pd.api.types.is_numeric_dtype(series.dtype) and not bool(
        series.astype(object).map(str, na_action="ignore").str.contains(r"\d\s*$", regex=True, na=False).all()
    ):
        return False
    numbers = _numbers_in(series)
    if not np.isfinite(numbers).all() or not np.isin(np.diff(numbers), (0, 1)).all():
        return False
    return bool(np.ptp(numbers) * LARGEST_GROUP >= numbers.size)


def _numbers_in(series: pd.Series) -> FloatArray:
    """Return the values as numbers, texts by the digits at their end or else by their place in the alphabet."""
    if pd.api.types.is_numeric_dtype(series.dtype):
        return _checks.as_float(series)
    texts = series.astype(object).map(str, na_action="ignore")
    numbers = pd.to_numeric(texts.str.extract(r"(\d+)\s*$", expand=False), errors="coerce")
    if bool((numbers.isna() & texts.notna()).any()):
        codes = pd.factorize(texts, sort=True)[0]
        return np.where(codes < 0, np.nan, codes)
    return numbers.to_numpy(dtype=np.float64)


def same_values(own: pd.Series, other: pd.Series) -> bool:
    """Return whether a nonconstant released variable equals the confidential one in all rows."""
    frames = [own.to_frame("x"), other.to_frame("x")]
    if len(own) > LOOKED_AT:
        here, there = block_codes([frame.iloc[_evenly_spaced(len(frame))] for frame in frames], ["x"], "category")
        if not np.array_equal(here, there):
            return False
    here, there = block_codes(frames, ["x"], "category")
    return bool(np.array_equal(here, there) and (here != here[0]).any())


def determines(known: pd.Series, value: pd.Series) -> bool:
    """Return whether one variable determines another in all records, and not by chance.

    This is the case if records with equal values of the first variable have equal values of the second, for more records than
    could agree by chance. It is also the case if both are numbers in the same or in the opposite order. At most 5,000 rows are
    compared first, because most pairs of variables already disagree there.
    """
    if len(known) > LOOKED_AT:
        rows = _evenly_spaced(len(known))
        x, y = known.iloc[rows], value.iloc[rows]
        one, both = (
            block_codes([pd.DataFrame(columns)], list(columns), "category")[0]
            for columns in ({"x": x.array}, {"x": x.array, "y": y.array})
        )
        if one.max() < both.max() and abs(_rank_correlation(x, y)) < SAME_ORDER_IN_SAMPLE:
            return False
    here, there = (block_codes([one.to_frame("x")], ["x"], "category")[0] for one in (known, value))
    here, there = (np.unique(codes, return_inverse=True)[1] for codes in (here, there))
    levels = int(here.max()) + 1
    spared = (len(here) - levels) * -np.log(np.bincount(there).max() / len(there))
    if spared > -np.log(BY_CHANCE) and np.unique(here * (int(there.max()) + 1) + there).size == levels:
        return True
    return abs(_rank_correlation(known, value)) > SAME_ORDER


def _rank_correlation(one: pd.Series, other: pd.Series) -> float:
    """Return the rank correlation of two columns; 0 if they are not numeric or have few values."""
    if not all(
        pd.api.types.is_numeric_dtype(s.dtype) and not pd.api.types.is_bool_dtype(s.dtype) for s in (one, other)
    ):
        return 0.0
    both = pd.DataFrame({"one": _checks.as_float(one), "other": _checks.as_float(other)}).dropna()
    if both.nunique().min() < FEWEST_VALUES:
        return 0.0
    return float(both["one"].corr(both["other"], method="spearman"))
