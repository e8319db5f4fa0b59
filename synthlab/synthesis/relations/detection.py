"""Detection of the relations that hold in a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.synthesis import _variable_types
from synthlab.synthesis.relations.date_parts import CALENDAR_UNITS, DAY_LENGTHS, UNITS, elapsed, parts_of
from synthlab.synthesis.relations.equivalent_forms import solutions
from synthlab.synthesis.relations.nesting import CODED, agrees, codes_of, levels_of, nested_pairs
from synthlab.synthesis.relations.patterns import indicator, levels_without, one_hot_blocks
from synthlab.synthesis.relations.relation import CLOSE, LOGARITHMS, ORDERS, Form, Relation, is_of_numbers, share_of
from synthlab.synthesis.relations.selection import is_enforced, without_implied
from synthlab.synthesis.relations.values import NUMBER, Values

FEWEST = 50  # smallest number of records with all values of a relation
BROKEN = 0.05  # smallest share of records in which random pairing breaks a relation
BROKEN_NEARLY = 0.2  # the same for a relation with exceptions, which can occur by chance in correlated columns
NEARLY = 0.995  # smallest share of records in which a reported relation holds
SLACK = 0.01  # a candidate is checked in all records if its share in a sample is not smaller by more than this
BY_CHANCE = 1e-3  # largest expected number of relations that hold in all records by chance
CONSTANTS = (1.0, 12.0, 100.0, 10_000.0)
FACTORS = (*CONSTANTS, *(1 / k for k in CONSTANTS[1:]))
FIRST = 2  # records in which most candidates fail
TRIED = 24  # records in which a candidate is tried first
MISSES = 2  # records of these in which a candidate can fail
LOOKED_AT = 2000  # records of a sample, in which candidates are checked first
NEIGHBORS = 40  # columns on each side that are combined if there are more than WIDE
WIDE = 120
SPREAD = 2  # smallest standard deviation of a rounded result, in units of its last decimal
FEW = 10  # columns with at most so many values are in order only if there are many ties
EXPECTED = 3  # expected number of records on the wrong side, from the numbers of ties and of smallest differences
SKIPPING = 60  # largest number of levels for which another column is missing
LEVELS = 1000  # largest number of levels of a code
STRAIGHT = 0.9  # squared rank correlation of columns that can be in different units
DISTINCT = 10  # smallest number of distinct values of two columns in different units
FEW_NUMBERS = 200  # largest number of levels of a code that is a number


@dataclass(frozen=True, slots=True)
class Found:
    """Relations of a file.

    Attributes
    ----------
    exact : tuple of Relation
        Relations that hold in all records and are enforced; see `is_enforced`.
    nearly : tuple of Relation
        Relations that hold in nearly all records.
    proposed : tuple of (Relation, int)
        Other relations that hold in all records, with the number of records that have all their values.
    """

    exact: tuple[Relation, ...] = ()
    nearly: tuple[Relation, ...] = ()
    proposed: tuple[tuple[Relation, int], ...] = ()

    def without_numbers_of(self, columns: Collection[str]) -> Found:
        """Return the relations except orders and equations of columns whose numbers are codes."""

        def is_kept(relation: Relation) -> bool:
            is_numeric = relation.is_equation or relation.form in ORDERS
            return not is_numeric or {*relation.columns}.isdisjoint(columns)

        exact, nearly = (tuple(filter(is_kept, listed)) for listed in (self.exact, self.nearly))
        return Found(exact, nearly, tuple(one for one in self.proposed if is_kept(one[0])))


@dataclass(slots=True, eq=False)
class _Search:
    """State of a search: the values, the random numbers and the relations found."""

    values: Values
    sample: Values
    rng: np.random.Generator
    exact: list[Relation] = field(default_factory=list)
    nearly: list[Relation] = field(default_factory=list)
    seen: set[frozenset[str]] = field(default_factory=set)

    def add(self, relation: Relation) -> None:
        """Keep a candidate if it holds and random pairing breaks it."""
        key = frozenset(relation.columns)
        if key in self.seen or not is_of_numbers(relation, self.values.scale):
            return
        if not self._holds(relation, self.sample, NEARLY - SLACK):
            return
        broken = self._broken_by_chance(relation)
        if broken < BROKEN or not self._holds(relation, self.values, NEARLY):
            return
        both, holds = relation.holds(self.values)
        tests = 10.0 * len(self.values.role) ** min(len(relation.columns), 3)
        repeats = both.sum() - relation.distinct_keys(self.values)
        if relation.distinct_keys(self.values) and repeats < FEWEST:
            return
        by_chance = repeats * np.log1p(-min(broken, 1 - 1e-12)) + np.log(tests)
        if by_chance > np.log(BY_CHANCE) or not self._is_informative(relation, np.flatnonzero(both)):
            return
        if holds[both].all():
            self.exact.append(relation)
        elif broken >= BROKEN_NEARLY:
            self.nearly.append(relation)
        self.seen.add(key)

    def add_pattern(self, relation: Relation) -> None:
        """Keep a pattern of several columns if enough records have it."""
        both, holds = relation.holds(self.values)
        key = frozenset({*relation.columns, relation.form} if relation.form == "missing" else relation.columns)
        if both.sum() >= FEWEST and key not in self.seen and holds[both].mean() >= NEARLY:
            (self.exact if holds[both].all() else self.nearly).append(relation)
            self.seen.add(key)

    def _holds(self, relation: Relation, values: Values, share: float) -> bool:
        both, holds = relation.holds(values)
        return bool(both.sum() >= FEWEST and holds[both].mean() >= share)

    def _broken_by_chance(self, relation: Relation) -> float:
        """Return the share of the sampled records in which random pairing breaks a relation."""
        both, _ = relation.holds(self.sample)
        rows = np.flatnonzero(both)
        if relation.is_mapped(self.values):
            shares = self.sample.frame[relation.result].iloc[rows].value_counts(normalize=True).to_numpy()
            return float(1 - np.square(shares).sum())
        result = self.sample.numbers[relation.result].copy()
        result[rows] = result[self.rng.permutation(rows)]
        return float(1 - relation.holds(self.sample, result)[1][rows].mean())

    def _is_informative(self, relation: Relation, rows: IntArray) -> bool:
        """Return whether rounding, or few distinct values, do not suffice for a relation."""
        if relation.is_mapped(self.values):
            return True
        result = self.values.numbers[relation.result][rows]
        exact = relation.exact(self.values.numbers, self.values.scales)[rows]
        gap = np.abs(exact - result)
        if relation.is_equation or relation.form == "date part":
            rounds = gap.max() > CLOSE * np.abs(exact).max() + 1e-9
            return bool(not rounds or result.std() >= SPREAD * _unit(self.values, relation.result))
        if max(np.unique(result).size, np.unique(exact).size) > FEW:
            return True
        # With few values, ties must be so frequent that records on the wrong side would be expected without the order.
        found, count = np.unique(gap, return_counts=True)
        return bool(found[0] == 0 and count[0] ** 2 >= EXPECTED * count[1:2].sum())


def detect(values: Values, rng: np.random.Generator) -> Found:
    """Return the relations between the columns of a file.

    A relation holds in at least 50 records that have all its values, and random pairing of the columns breaks it in at
    least 5% of them. It is "exact" if it holds in all of them, and "nearly" if it holds in 99.5% or more.
    """
    if len(values.frame) < FEWEST:
        return Found()
    rows = rng.permutation(len(values.frame))
    search = _Search(values, values.sample(rows, LOOKED_AT, FEWEST), rng)
    for relation in _date_parts(search.sample):
        search.add(relation)
    of_dates = {c: r.sources[0] for r in search.exact for c in r.columns}
    for relation in _one_hot(values):
        search.add_pattern(relation)
    for relation in _of_two(values, rows):
        search.add(relation)
    same = {c for r in search.exact if r.form == "linear" for c in r.terms[0][:1] if len(r.terms) == 1}
    for relation in _sums(values, rows):
        search.add(relation)
    for relation in _of_three(values, rows, same):
        search.add(relation)
    equations = [solutions(relation, values, NEARLY)[0] for relation in search.exact]
    tied = {frozenset(pair) for r in (*search.exact, *search.nearly) for pair in combinations(r.columns, 2)}
    for relation in (*_nested(values, rows), *_codes(values)):
        of_one_date = len({of_dates.get(c, c) for c in relation.columns}) == 1
        if frozenset(relation.columns) not in tied and not of_one_date:
            search.add(relation)
    for relation in _skips(values):
        search.add_pattern(relation)
    found = len(search.exact), len(search.nearly)
    # A new value of a code can have any result; an order can hold beside it.
    search.seen -= {frozenset(relation.columns) for relation in search.exact if relation.form == "nested"}
    for relation in _orders(values, rows):
        search.add(relation)
    exact, nearly = (
        [*listed[:count], *without_implied(listed[count:], equations, values)]
        for listed, count in zip((search.exact, search.nearly), found, strict=True)
    )
    enforced = [r for r in exact if is_enforced(r, values)]
    first, second = (tuple(solutions(r, values, NEARLY)[0] for r in listed) for listed in (enforced, nearly))
    proposed = tuple((r, int(r.holds(values)[0].sum())) for r in exact if r not in enforced)
    return Found(first, second, proposed)


def _tried(values: Values, result: str, rows: IntArray) -> IntArray:
    """Return records in which a result is present and not 0, the largest first."""
    numbers = values.numbers[result][rows]
    there = rows[~np.isnan(numbers) & (numbers != 0)][:TRIED]
    order = np.argsort(-np.abs(values.numbers[result][there]), kind="stable")
    return np.asarray(there[order], dtype=np.int64)


def _unit(values: Values, result: str) -> float:
    """Return the unit of the last decimal of a column; 0 if it has many decimals."""
    decimals = values.decimals(result)
    return 0.0 if decimals is None else 10.0**-decimals


def _rounding(values: Values, result: str) -> float:
    """Return the unit to which a result can be rounded; 0 if it varies too little for a rounded result."""
    unit = _unit(values, result)
    return unit if np.nanstd(values.numbers[result]) >= SPREAD * unit else 0.0


def _passes(exact: FloatArray, given: FloatArray, unit: float, misses: int = MISSES) -> BoolArray:
    """Return which candidates, one per row, hold in nearly all tried records.

    Differences below the unit of the result can be due to rounding, to the nearest number or down.
    """
    with np.errstate(invalid="ignore"):
        gap = exact - given
        error = CLOSE * np.abs(given) + 1e-9
        wrong = (gap < -unit / 2 - error) | (gap > unit + error)
        complete = np.isfinite(gap.sum())
    if complete:  # quick if nothing is missing or undefined
        return np.asarray(wrong.sum(axis=1) <= misses)
    known = np.isfinite(gap)
    return np.asarray((known.sum(axis=1) >= given.size // 3) & ((wrong & known).sum(axis=1) <= misses))


def _of_two(values: Values, rows: IntArray) -> Iterator[Relation]:
    """Yield candidates with one source: constants, multiples, powers and logarithms."""
    names = list(values.numbers)
    for result in names:
        tried = _tried(values, result, rows)
        others = [c for c in names if c != result]
        if tried.size < TRIED // 3 or not others:
            continue
        unit = _rounding(values, result)
        given = values.numbers[result][tried]
        table = np.stack([values.numbers[c][tried] for c in others])
        earlier = np.array([names.index(c) < names.index(result) for c in others])
        with np.errstate(all="ignore"):
            for sign in (1.0, -1.0):
                shift = _medians(given - sign * table) if earlier.any() else np.float64(0.0)
                exact = sign * table + shift
                ok = _passes(exact, given, unit) & earlier
                yield from (
                    Relation(result, "linear", ((others[i], sign),), float(np.ravel(shift)[i]))
                    for i in np.flatnonzero(ok)
                )
            numeric = np.array([values.scale[c] == NUMBER for c in others]) & (values.scale[result] == NUMBER)
            if not numeric.any():
                continue
            for log in LOGARITHMS:
                form: Form = log  # type: ignore[assignment]
                exact = getattr(np, log)(table)
                ok = _passes(exact, given, unit) & numeric
                yield from _both(Relation(result, form, ((others[i], 1.0),)) for i in np.flatnonzero(ok))
            for power in (1.0, 2.0, 0.5, -1.0):
                raised = np.power(table, power)
                for factor in FACTORS:
                    exact = factor * raised
                    ok = _passes(exact, given, unit) & numeric
                    for i in np.flatnonzero(ok):
                        if power == 1:
                            yield from _both([Relation(result, "linear", ((others[i], factor),))])
                        else:
                            yield from _both([Relation(result, "product", ((others[i], power),), factor)])
    yield from _other_units(values, rows)


def _other_units(values: Values, rows: IntArray) -> Iterator[Relation]:
    """Yield candidates that are one source in another unit, such as ounces and pounds, the simplest and exact ones first.

    The slope is the median of those of pairs of records, rounded to as few digits as possible.
    """
    numbers = {c: v[rows[:LOOKED_AT]] for c, v in values.numbers.items() if values.scale[c] == NUMBER}
    numbers = {c: v for c, v in numbers.items() if np.unique(v[np.isfinite(v)]).size >= DISTINCT}
    if len(numbers) < 2:
        return
    table = pd.DataFrame(numbers)
    related = table.rank().corr(min_periods=FEWEST).to_numpy() ** 2 > STRAIGHT
    found: list[tuple[bool, int, int, Relation]] = []
    for i, j in zip(*np.nonzero(related & ~np.eye(len(numbers), dtype=bool)), strict=True):
        pair = table.iloc[:, [i, j]].dropna().sort_values(table.columns[i], kind="stable").to_numpy()
        x, y = pair.T
        half = len(x) // 2
        run, rise = x[half : 2 * half] - x[:half], y[half : 2 * half] - y[:half]
        unit = _rounding(values, table.columns[j])
        unit = unit if unit < 1 else 0.0  # a whole number can be a group of values
        slope = float(np.median(rise[run > 0] / run[run > 0]))
        misses = int((1 - NEARLY) * len(x))
        if not slope or not _passes((slope * x + np.median(y - slope * x))[None], y, 2 * unit, misses)[0]:
            continue
        error = CLOSE * np.abs(y) + 1e-9
        for form, rounding in product(_simple_forms(slope, x, y), dict.fromkeys((0.0, unit / 2))):
            rank, factor, constant = form
            if (np.abs(factor * x + constant - y) > rounding + error).sum() <= misses:
                relation = Relation(table.columns[j], "linear", ((table.columns[i], factor),), constant)
                found.append((rounding > 0, rank, len(found), relation))
                break
    yield from (relation for *_, relation in sorted(found, key=lambda one: one[:-1]))


def _simple_forms(slope: float, x: FloatArray, y: FloatArray) -> Iterator[tuple[int, float, float]]:
    """Yield numbers of digits, slopes and constants of a line: rounded, or such that those of its inverse are rounded."""
    for digits in range(1, 13):
        factor = float(f"{slope:.{digits}g}")
        yield 2 * digits, factor, 0.0
        yield 2 * digits, factor, float(f"{np.median(y - factor * x):.{digits}g}")
        inverse = float(f"{1 / slope:.{digits}g}")
        yield 2 * digits + 1, 1 / inverse, 0.0
        yield 2 * digits + 1, 1 / inverse, -float(f"{np.median(x - inverse * y):.{digits}g}") / inverse


def _medians(gaps: FloatArray) -> FloatArray:
    """Return the median of each row without missing values, shape (rows, 1); NaN if all values are missing."""
    medians = np.full((len(gaps), 1), np.nan)
    known = ~np.isnan(gaps).all(axis=1)
    medians[known, 0] = np.nanmedian(gaps[known], axis=1)
    return medians


def _both(relations: Iterable[Relation]) -> Iterator[Relation]:
    """Yield each relation, then the relation with the result rounded down."""
    for relation in relations:
        yield relation
        yield Relation(relation.result, relation.form, relation.terms, relation.constant, down=True)


def _sums(values: Values, rows: IntArray) -> Iterator[Relation]:
    """Yield exact linear relations with multipliers 1, 12, 100 or 10,000.

    They are linear dependencies of the columns, found in file order and in reverse order in at most 2,000 records.
    """
    columns = _often_complete(values, rows)
    for order in (columns, columns[::-1]):
        yield from _dependencies(values, order, rows)
    yield from _runs(values, rows)


def _often_complete(values: Values, rows: IntArray) -> list[str]:
    """Return as many columns as have enough records without missing values."""
    lost = {c: np.isnan(v[rows[:LOOKED_AT]]) for c, v in values.numbers.items()}
    chosen: list[str] = []
    complete = np.ones(min(len(rows), LOOKED_AT), dtype=bool)
    for column in sorted(lost, key=lambda c: int(lost[c].sum())):
        both = complete & ~lost[column]
        if both.sum() >= max(FEWEST, len(chosen) + 30):
            chosen.append(column)
            complete = both
    return [c for c in values.numbers if c in chosen]


def _dependencies(values: Values, columns: list[str], rows: IntArray) -> Iterator[Relation]:
    if len(columns) < 3:
        return
    table = np.stack([values.numbers[c][rows[:LOOKED_AT]] for c in columns], axis=1)
    table = table[~np.isnan(table).any(axis=1)]
    mean = table.mean(axis=0)
    centered = table - mean
    size = np.sqrt(np.square(centered).sum(axis=0))
    free: list[int] = []
    basis = np.zeros((len(table), 0))
    for place, column in enumerate(columns):
        if size[place] == 0:
            continue
        own = centered[:, place] / size[place]
        rest = own - basis @ (basis.T @ own)
        rest -= basis @ (basis.T @ rest)
        length = float(np.sqrt(np.square(rest).sum()))
        if length > 1e-8:
            free.append(place)
            basis = np.column_stack([basis, rest / length])
            continue
        scaled = np.linalg.lstsq(centered[:, free] / size[free], own, rcond=None)[0]
        times = scaled * size[place] / size[free]
        used = np.abs(scaled) > 1e-6
        nearest = _nearest(times)
        if used.sum() < 2 or (np.abs(times - nearest) > 1e-5 * np.abs(nearest))[used].any():
            continue
        terms = tuple((columns[free[i]], float(nearest[i])) for i in np.flatnonzero(used))
        shift = mean[place] - sum(t * mean[columns.index(c)] for c, t in terms)
        decimals = max((values.decimals(c) or 0 for c in (column, *(c for c, _ in terms))), default=0)
        yield Relation(column, "linear", terms, float(np.round(shift, decimals)) + 0.0)


def _nearest(times: FloatArray) -> FloatArray:
    """Return the nearest allowed multipliers, by ratio."""
    allowed = np.array(FACTORS)
    with np.errstate(divide="ignore"):
        place = np.abs(np.log(np.abs(times))[:, None] - np.log(allowed)).argmin(axis=1)
    return np.asarray(np.sign(times) * allowed[place], dtype=np.float64)


def _runs(values: Values, rows: IntArray) -> Iterator[Relation]:
    """Yield sums of at least 3 consecutive columns."""
    names = [c for c in values.numbers if values.scale[c] == NUMBER]
    for result in names:
        tried = _tried(values, result, rows)
        others = [c for c in names if c != result]
        if tried.size < TRIED // 3 or len(others) < 3:
            continue
        table = np.stack([np.zeros(tried.size), *(values.numbers[c][tried] for c in others)])
        lost, total = np.cumsum(np.isnan(table), axis=0), np.cumsum(np.nan_to_num(table), axis=0)
        unit, given = _rounding(values, result), values.numbers[result][tried]
        first, last = np.triu_indices(len(total), 3)
        for part, misses in ((slice(0, FIRST), 0), (slice(None), MISSES)):
            exact = total[last, part] - total[first, part]
            exact[lost[last, part] > lost[first, part]] = np.nan
            passed = _passes(exact, given[part], unit, misses)
            first, last = first[passed], last[passed]
        for i, j in zip(first, last, strict=True):
            yield Relation(result, "linear", tuple((c, 1.0) for c in others[i:j]))


def _of_three(values: Values, rows: IntArray, same: set[str]) -> Iterator[Relation]:
    """Yield candidates with two sources: sums, differences, products and ratios."""
    names = [c for c in values.numbers if c not in same]
    for place, result in enumerate(names):
        tried = _tried(values, result, rows)
        near = names if len(names) <= WIDE else names[max(0, place - NEIGHBORS) : place + NEIGHBORS + 1]
        others = [c for c in near if c != result]
        if tried.size < TRIED // 3 or len(others) < 2:
            continue
        unit, given = _rounding(values, result), values.numbers[result][tried]
        table = np.stack([values.numbers[c][tried] for c in others])
        one, two = np.triu_indices(len(others), 1)
        for times in (1.0, -1.0):
            for first, second in ((one, two), (two, one))[: 1 if times > 0 else 2]:
                for part, misses in ((slice(0, FIRST), 0), (slice(None), MISSES)):
                    exact = table[first, part] + times * table[second, part]
                    passed = _passes(exact, given[part], unit, misses)
                    first, second = first[passed], second[passed]
                for i, j in zip(first, second, strict=True):
                    yield from _both([Relation(result, "linear", ((others[i], 1.0), (others[j], times)))])
        if values.scale[result] == NUMBER:
            yield from _durations(values, result, others, tried)
            plain = np.array([values.scale[c] == NUMBER for c in others])
            one, two = (side[plain[one] & plain[two]] for side in (one, two))
            for first, second, power in (
                (one, two, 1.0),
                (one, two, -1.0),
                (two, one, -1.0),
                (one, two, -2.0),
                (two, one, -2.0),
            ):
                for a, b, factor in _products(table, given, unit, first, second, power):
                    terms = ((others[a], 1.0), (others[b], power))
                    yield from _both([Relation(result, "product", terms, factor)])


def _durations(values: Values, result: str, others: list[str], tried: IntArray) -> Iterator[Relation]:
    """Yield times between two dates in a unit other than that of the dates, the most frequent one first."""
    found: list[Relation] = []
    unit, given = _rounding(values, result), values.numbers[result][tried]
    for group in sorted({values.scale[c] for c in others if values.is_date(c)}):
        dates = [c for c in others if values.scale[c] == group]
        table = np.stack([values.numbers[c][tried] for c in dates])
        last, first = (pairs.ravel() for pairs in np.indices((len(dates), len(dates))))
        scale = values.scales[dates[0]]
        for name in UNITS:
            if DAY_LENGTHS.get(name) == scale.length:
                continue  # a difference
            days = scale.days(table)
            exact = elapsed(days[first], days[last], name)
            for i in np.flatnonzero(_passes(exact, given, unit) & (last != first)):
                terms = ((dates[first[i]], 1.0), (dates[last[i]], 1.0))
                nearest, down = (Relation(result, "elapsed", terms, down=d, part=name) for d in (False, True))
                found += [down] if name in CALENDAR_UNITS else [nearest, down]
    yield from sorted(found, key=lambda relation: -share_of(relation, values))


def _products(
    table: FloatArray, given: FloatArray, unit: float, first: IntArray, second: IntArray, power: float
) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of columns whose product, times a constant, is the result.

    The first record in which the product is defined gives the constant.
    """
    order = np.sort(np.array(FACTORS))
    middle = np.sqrt(order[1:] * order[:-1])
    with np.errstate(all="ignore"):
        raised = table if power == 1 else table**power
        made = table[first, 0] * raised[second, 0]
        for row in range(1, min(TRIED // 2, given.size)):
            lost = np.flatnonzero(~np.isfinite(made))
            if lost.size == 0:
                break
            made[lost] = table[first[lost], row] * raised[second[lost], row] * given[0] / given[row]
        factor = order[np.searchsorted(middle, np.abs(given[0] / made))]
        some = np.flatnonzero(np.abs(factor * made - given[0]) <= np.maximum(unit, CLOSE * np.abs(given[0])) * 4 + 1e-9)
        exact = factor[some, None] * table[first[some]] * raised[second[some]]
    for i in some[_passes(exact, given, unit)]:
        yield int(first[i]), int(second[i]), float(factor[i])


def _date_parts(sample: Values) -> Iterator[Relation]:
    """Yield parts of dates that determine a column in some records."""
    coded: list[Relation] = []
    levels = {c: levels_of(sample, c) for c in sample.frame.columns if sample.role[c] in CODED}
    for date in filter(sample.is_date, sample.numbers):
        for part, values in parts_of(sample.scales[date].days(sample.numbers[date])):
            keys = codes_of(pd.Series(values))
            for result, own in levels.items():
                both, holds = agrees(keys, own)
                if both.sum() < FEWEST or not holds[both].mean() >= NEARLY - SLACK:
                    continue
                terms = ((date, 1.0),)
                if sample.scale.get(result) != NUMBER:
                    yield Relation(result, "date part", terms, part=part)
                    continue
                shift = float(np.median(sample.numbers[result][both] - values[both]))
                yield Relation(result, "date part", terms, shift, part=part)
                coded.append(Relation(result, "date code", terms, part=part))
    yield from coded


def _nested(values: Values, rows: IntArray) -> Iterator[Relation]:
    """Yield pairs of columns in which each value of one column occurs with only one value of the other."""
    for one, other, both in nested_pairs(values, rows[:LOOKED_AT]):
        if not both:
            yield Relation(other, "nested", ((one, 1.0),))
        elif values.role[one] != _variable_types.NUMBER:
            yield Relation(other, "codes", ((one, 1.0),))


def _codes(values: Values) -> Iterator[Relation]:
    """Yield pairs of columns with similar counts of levels; numbers have few levels."""
    counts: dict[str, IntArray] = {}
    for column in values.frame.columns:
        role = values.role[column]
        if role in CODED:
            most = LEVELS if role != _variable_types.NUMBER else FEW_NUMBERS
            count = values.frame[column].value_counts().to_numpy(dtype=np.int64)
            if 2 <= (count > 0).sum() <= min(most, len(values.frame) / 2):
                counts[column] = np.pad(np.sort(count[count > 0])[::-1], (0, LEVELS))[:LEVELS].astype(np.int64)
    lost = {c: int(values.frame[c].isna().sum()) for c in counts}
    some = {c: pd.factorize(values.frame[c].iloc[: 4 * TRIED])[0] for c in counts}
    for one, other in combinations(counts, 2):
        pairs = np.unique(some[one] * LEVELS + some[other]).size
        if pairs > max(np.unique(some[one]).size, np.unique(some[other]).size) + 2 * MISSES:
            continue
        apart = int(np.abs(counts[one] - counts[other]).sum())
        if apart <= 4 * (1 - NEARLY) * len(values.frame) + abs(lost[one] - lost[other]):
            # The category is the source, because numbers can be smoothed.
            swap = values.role[one] == _variable_types.NUMBER and values.role[other] != _variable_types.NUMBER
            first, second = (other, one) if swap else (one, other)
            yield Relation(second, "codes", ((first, 1.0),))


def _one_hot(values: Values) -> Iterator[Relation]:
    """Yield sets of columns of which exactly one is 1."""
    found = {c: indicator(values.frame[c]) for c in values.frame.columns}
    columns = {c: numbers for c, numbers in found.items() if numbers is not None and np.nanmin(numbers) == 0}
    for first, *rest in one_hot_blocks(columns, NEARLY):
        yield Relation(first, "one hot", tuple((c, 1.0) for c in rest))


def _skips(values: Values) -> Iterator[Relation]:
    """Yield columns that are missing for some values of a column with few values."""
    frame = values.frame
    lost = frame.isna()
    columns = [c for c in frame.columns if lost[c].any()]
    for source in frame.columns:
        if columns and values.role[source] in CODED and frame[source].nunique() <= SKIPPING:
            empty = levels_without(frame[source], lost[columns])
            yield from (Relation(c, "missing", ((source, 1.0),)) for c in columns if c != source and len(empty[c]))


def _orders(values: Values, rows: IntArray) -> Iterator[Relation]:
    """Yield pairs of columns of one scale that are in order in nearly all tried records."""
    some = rows[: 4 * TRIED]
    for scale in dict.fromkeys(values.scale.values()):
        names = [c for c in values.numbers if values.scale[c] == scale]
        table = np.stack([values.numbers[c][some] for c in names])
        low, high = (np.array([f(values.numbers[c]) for c in names]) for f in (np.nanmin, np.nanmax))
        for place, lower in enumerate(names):
            with np.errstate(invalid="ignore"):
                wrong = (table < table[place]).sum(axis=1)
            apart = high[place] <= low  # random pairing does not break the order
            for i in np.flatnonzero((wrong <= 2 * MISSES) & ~apart):
                if i != place:
                    yield Relation(names[i], "at least", ((lower, 1.0),))
