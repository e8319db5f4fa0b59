"""Choice of the columns that are computed, and their computation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError
from synthlab.synthesis.dates import Decode
from synthlab.synthesis.relations.blocks import Block, block_of
from synthlab.synthesis.relations.detection import NEARLY
from synthlab.synthesis.relations.equivalent_forms import solutions
from synthlab.synthesis.relations.relation import DATE_PARTS, ORDERS, PATTERNS, Relation, is_of_numbers, parse, share_of
from synthlab.synthesis.relations.values import NUMBER, Values
from synthlab.synthesizers._missing import Codes, without_codes
from synthlab.synthesizers._totals import total_of
from synthlab.synthesizers.constraints import SumOf


@dataclass(frozen=True, slots=True, eq=False)
class Preserved:
    """Relations that a synthesis preserves by construction.

    Attributes
    ----------
    values : Values
        The confidential data.
    equations : dict
        The relation (an equation or codes) by which each result is computed.
    orders : dict
        The orders of each result.
    modeled : frozenset of str
        Results of equations with a model of their own, which decides which values are missing.
    differences : frozenset of str
        Results of orders that are modeled as the difference from their bound.
    within : dict
        The column within which a nested code is drawn: a district is drawn from the districts of its province.
    totals : dict
        Declared totals.
    blocks : tuple of Block
        Columns that are drawn together.
    steps : tuple of str
        The results and totals in the order of computation.
    """

    values: Values = field(repr=False)
    equations: dict[str, Relation] = field(default_factory=dict)
    orders: dict[str, list[Relation]] = field(default_factory=dict)
    modeled: frozenset[str] = frozenset()
    differences: frozenset[str] = frozenset()
    totals: dict[str, SumOf] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    steps: tuple[str, ...] = ()
    within: dict[str, str] = field(default_factory=dict)

    @property
    def computed(self) -> tuple[str, ...]:
        """The results without a model."""
        alone = [c for c in self.equations if c not in self.modeled]
        return (*alone, *(c for block in self.blocks for c in block.columns if c not in block.drawn))

    @property
    def encoded_apart(self) -> set[str]:
        """The columns of blocks, whose encoded values are categories and shares."""
        return {c for block in self.blocks for c in block.columns}

    def sources(self, column: str) -> tuple[str, ...]:
        """Return the columns from which a column without a model is computed."""
        for block in self.blocks:
            if column in block.columns:
                return (*block.drawn, *block.sources)
        return self.equations[column].sources

    @property
    def codes(self) -> set[str]:
        """The sources of one-to-one codes."""
        return {r.sources[0] for r in self.equations.values() if r.form == "codes"}

    def origins(self, column: str) -> set[str]:
        """Return the columns with a model, or kept, from which a column is computed."""
        if column not in self.computed:
            return {column}
        return {c for source in self.sources(column) for c in self.origins(source)}

    def depends(self, column: str) -> set[str]:
        """Return the encoded columns that determine the released values of a column."""
        found = set() if column in self.computed else {column}
        block = next((b for b in self.blocks if column in b.columns), None)
        sources = [c for rule in self.orders.get(column, ()) for c in rule.sources]
        if block is not None:
            found |= {*block.drawn}
            sources += block.sources
        elif column in self.equations:
            sources += self.equations[column].sources
        if column in self.totals:
            sources += self.totals[column].parts
        return found | {c for source in sources for c in self.depends(source)}

    def status(self, relation: Relation) -> str | None:
        """Return how a relation is preserved; None if it is not a part of the computation."""
        for block in self.blocks:
            if block.relation == relation:
                return f"{relation}: {block.status}"
        for mine in self.equations.values():
            if set(mine.columns) == set(relation.columns):
                return f"{mine}: computed"
        if relation.form == "one hot" and {*relation.columns} <= {*self.equations}:
            return f"{relation}: computed"
        if relation.form == "nested" and self.within.get(relation.sources[0]) == relation.result:
            return f"{relation}: by construction"
        if any(set(mine.columns) == set(relation.columns) for rules in self.orders.values() for mine in rules):
            return f"{relation}: by construction"
        return None

    def encoded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return encoded columns without computed ones, and with differences from bounds."""
        made: dict[str, pd.Series] = {}
        for block in self.blocks:
            made |= {c: series.set_axis(frame.index) for c, series in block.encoded(self.values).items()}
        for column in self.differences:
            bound, _ = self.bound(column, self.values.numbers)
            gap = (self.values.numbers[column] - bound) * self._sign(column)
            decimals = self._decimals(column)
            made[column] = pd.Series(gap if decimals is None else np.round(gap, decimals), index=frame.index)
        return frame.assign(**made).drop(columns=list(self.computed))

    def bound(self, column: str, numbers: Mapping[str, FloatArray]) -> tuple[FloatArray, BoolArray]:
        """Return the bound of each value of a result, and where it is known.

        Where it is not known, a constant that does not depend on the record replaces it.
        """
        sign = self._sign(column)
        sources = [rule.sources[0] for rule in self.orders[column]]
        table = np.stack([sign * numbers[c] for c in sources])
        known = np.asarray(~np.isnan(table).all(axis=0), dtype=bool)
        constant = min(float(np.nanmin(sign * self.values.numbers[c])) for c in sources)
        return sign * np.where(known, np.where(np.isnan(table), -np.inf, table).max(axis=0), constant), known

    def _sign(self, column: str) -> float:
        return 1.0 if self.orders[column][0].form == "at least" else -1.0

    def _decimals(self, column: str) -> int | None:
        """Return the decimals of a difference: the most of the result and its bounds."""
        found = [self.values.decimals(c) for c in (column, *(r.sources[0] for r in self.orders[column]))]
        return None if None in found else max(d for d in found if d is not None)


@dataclass(slots=True, eq=False)
class Computation:
    """Computation of the results in one synthetic dataset.

    Parameters
    ----------
    preserved : Preserved
        The relations.
    confidential : pandas.DataFrame
        The confidential data.
    encoded : pandas.DataFrame
        The encoded confidential data, before `Preserved.encoded`.
    back : mapping
        The decoding function of each column.
    codes : mapping
        Numbers that mean missing, by column.
    """

    preserved: Preserved
    confidential: pd.DataFrame
    encoded: pd.DataFrame
    back: Mapping[str, Decode]
    codes: Codes

    def complete(self, drawn: pd.DataFrame, decoded: pd.DataFrame) -> pd.DataFrame:
        """Return the decoded columns with all results, in the order of the file."""
        numbers: dict[str, FloatArray] = {}
        result = decoded.copy()
        for column in self.preserved.steps:
            if column in self.preserved.totals:
                rule = self.preserved.totals[column]
                parts = without_codes(result[list(rule.parts)], self.codes)
                result[column] = total_of(rule, parts, self.confidential[column])
                continue
            block = next((b for b in self.preserved.blocks if column in b.columns), None)
            if block is not None:
                if column == block.columns[0]:
                    self._add_block(block, numbers, drawn, result)
                continue
            rules = [self.preserved.equations.get(column), *self.preserved.orders.get(column, ())]
            for source in (c for rule in rules if rule is not None for c in rule.sources):
                if source not in numbers and source in self.preserved.values.numbers:
                    numbers[source] = self._numbers(source, drawn, result)
            relation = self.preserved.equations.get(column)
            if relation is None:
                result[column], numbers[column] = self._restored(column, numbers, drawn, result)
            elif relation.is_mapped(self.preserved.values):
                result[column] = self._translated(relation, numbers, result)
                if column in self.preserved.values.numbers:
                    numbers[column] = self._numbers(column, drawn, result)
            else:
                result[column], numbers[column] = self._computed(relation, numbers, drawn, result)
        return result[[c for c in self.confidential.columns if c in result.columns]]

    def _add_block(
        self, block: Block, numbers: dict[str, FloatArray], drawn: pd.DataFrame, result: pd.DataFrame
    ) -> None:
        """Add the columns of a block to the result."""
        for source in block.sources:
            numbers.setdefault(source, self._numbers(source, drawn, result))
        for column, values in block.decoded(drawn, self.confidential, self.preserved.values, numbers).items():
            if isinstance(values, pd.Series):
                result[column] = values
            else:
                result[column], numbers[column] = self._typed(column, values, result.index), values

    def _numbers(self, column: str, drawn: pd.DataFrame, result: pd.DataFrame) -> FloatArray:
        """Return a column that needs no computation as numbers; missing values are NaN."""
        if self.preserved.values.scale[column] == NUMBER:
            return _checks.as_float(without_codes(result[[column]], self.codes)[column])
        first, step = self._scale(column)
        return np.asarray(first + step * np.rint(_checks.as_float(drawn[column])), dtype=np.float64)

    def _scale(self, column: str) -> tuple[float, float]:
        """Return the number of the encoded 0, and of one encoded unit."""
        own, common = _checks.as_float(self.encoded[column]), self.preserved.values.numbers[column]
        low, high = int(np.nanargmin(own)), int(np.nanargmax(own))
        step = (common[high] - common[low]) / (own[high] - own[low])
        return float(common[low] - step * own[low]), float(step)

    def _typed(self, column: str, numbers: FloatArray, index: pd.Index) -> pd.Series:
        """Return numbers as values of a column."""
        like = self.confidential[column]
        if self.preserved.values.scale[column] != NUMBER:
            first, step = self._scale(column)
            numbers = (numbers - first) / step
        elif self.codes.get(column):
            numbers = np.where(np.isnan(numbers), self._mark(column), numbers)
        elif isinstance(like.dtype, np.dtype) and like.dtype.kind in "iu" and np.isnan(numbers).any():
            numbers = np.where(np.isnan(numbers), np.median(self.preserved.values.numbers[column]), numbers)
        return self.back[column](pd.Series(numbers, index=index, name=column))

    def _mark(self, column: str) -> float:
        """Return the code that means missing in the confidential data, or NaN."""
        own = _checks.as_float(self.confidential[column])
        used = [code for code in self.codes[column] if (own == code).any()]
        return used[0] if used and not np.isnan(own).any() else np.nan

    def _computed(
        self, relation: Relation, numbers: Mapping[str, FloatArray], drawn: pd.DataFrame, result: pd.DataFrame
    ) -> tuple[pd.Series, FloatArray]:
        column, values = relation.result, self.preserved.values
        found = relation.rounded(values, numbers)
        if column not in self.preserved.modeled:
            series = self._typed(column, found, result.index)
            return series, found
        own = self._numbers(column, drawn, result)
        replaced = ~np.isnan(own) & ~np.isnan(found)
        series = result[column].copy()
        series[replaced] = self._typed(column, found, result.index)[replaced].array
        return series, np.where(replaced, found, own)

    def _translated(self, relation: Relation, numbers: Mapping[str, FloatArray], result: pd.DataFrame) -> pd.Series:
        """Return the code that belongs to the code, or to the part of the date, of the source in each record."""
        source, column = relation.sources[0], relation.result
        values = self.preserved.values
        keys, asked = values.frame[source], without_codes(result[[source]], self.codes)[source]
        if relation.form in DATE_PARTS:
            keys, asked = (pd.Series(relation.keys(one, values.scales)) for one in (values.numbers, numbers))
        pairs = pd.DataFrame({"key": keys, "code": values.frame[column], "record": np.arange(len(keys))}).dropna()
        known = pairs.groupby("key", observed=True, sort=False)["record"].first()
        if pd.api.types.is_numeric_dtype(keys.dtype) and not pd.api.types.is_bool_dtype(keys.dtype):
            # A number that is not in the file, such as a smoothed one, has the code of the nearest number.
            known = known.set_axis(_checks.as_float(pd.Series(known.index))).sort_index()
            asked = pd.Series(_checks.as_float(asked))
            rows = known.reindex(asked.dropna().unique(), method="nearest").reindex(asked).to_numpy(dtype=np.float64)
        else:
            rows = known.reindex(asked).to_numpy(dtype=np.float64)
        there = ~np.isnan(rows)
        like = self.confidential[column].reset_index(drop=True)
        lost = like.isna().to_numpy(dtype=bool)
        if column in self.preserved.modeled:
            series = result[column].copy()
            there &= without_codes(result[[column]], self.codes)[column].notna().to_numpy(dtype=bool)
        else:
            place = int(np.argmax(lost)) if lost.any() else 0
            series = like.iloc[np.full(len(result), place)].set_axis(result.index)
        series[there] = like.iloc[rows[there].astype(np.int64)].array
        return series

    def _restored(
        self, column: str, numbers: Mapping[str, FloatArray], drawn: pd.DataFrame, result: pd.DataFrame
    ) -> tuple[pd.Series, FloatArray]:
        """Return the result of orders: its bound plus a difference, or mirrored at its bound."""
        values = self.preserved.values
        sign = self.preserved._sign(column)
        bound, known = self.preserved.bound(column, numbers)
        if column in self.preserved.differences:
            gap = _checks.as_float(drawn[column])
            own = bound + sign * np.where(known, np.maximum(gap, 0.0), gap)
            changed = ~np.isnan(own)
        else:
            own = self._numbers(column, drawn, result)
            with np.errstate(invalid="ignore"):
                changed = known & (sign * (own - bound) < 0)
            own = np.where(changed, 2 * bound - own, own)
        end = float((np.nanmax if sign > 0 else np.nanmin)(values.numbers[column]))
        with np.errstate(invalid="ignore"):
            own = np.where(changed & (sign * (own - end) > 0), 2 * end - own, own)  # stay in the range of the file
            own = np.where(changed & known & (sign * (own - bound) < 0), bound, own)
        own = np.where(changed, self._towards(column, own, sign), own)
        series = result[column].copy()
        series[changed] = self._typed(column, own, result.index)[changed].array
        return series, own

    def _towards(self, column: str, numbers: FloatArray, sign: float) -> FloatArray:
        """Round to a multiple of the unit of a column, away from the bound."""
        if self.preserved.values.scale[column] != NUMBER:
            first, step = self._scale(column)
        else:
            first, step = 0.0, self.preserved.values.step(column)
        if not step:
            return numbers
        whole = np.round((numbers - first) / step, 6)
        return np.asarray(first + step * (np.ceil(whole) if sign > 0 else np.floor(whole)), dtype=np.float64)


def choose(
    relations: Sequence[Relation],
    values: Values,
    free: Collection[str],
    movable: Collection[str],
    plain: Collection[str],
    totals: Sequence[SumOf],
    codes: Codes,
    declared: bool,
    drawn: Collection[str],
    predictive: Callable[[str], bool] = lambda column: True,
) -> Preserved:
    """Return the relations that can be preserved, with the columns that are computed.

    Parameters
    ----------
    relations : sequence of Relation
        Relations that hold in the confidential data.
    values : Values
        The confidential data.
    free, movable, plain : collection of str
        The columns that can be computed, whose drawn values can be changed, and that can be modeled as differences.
    totals : sequence of SumOf
        Declared totals.
    codes : mapping
        Numbers that mean missing, by column. A result with several of them has a model.
    declared : bool
        Whether the relations were declared; then one that cannot be preserved is an error, and its result is computed.
    drawn : collection of str
        The columns that are synthesized. A column is not computed from unchanged columns only, unless this was declared,
        because it would have its confidential values.
    predictive : callable
        Whether a column can be a predictor of others. The result of a nested code with too many levels for a predictor
        keeps its model, and the code is drawn within it.
    """
    within: dict[str, str] = {}
    graph: dict[str, set[str]] = {rule.total: set(rule.parts) for rule in totals}
    equations: dict[str, Relation] = {}
    orders: dict[str, list[Relation]] = {}
    blocks: list[Block] = []
    blocked: set[str] = set()
    mapped = {(r.sources[0], r.result) for r in relations if r.form in ("codes", "nested")}
    for relation in relations:
        block = block_of(relation, values, plain)
        if block is None or blocked & {*block.columns} or _is_mapped_from_one(block, mapped, free, drawn):
            continue
        linked = {**graph, **{c: graph.get(c, set()) | {*block.sources} for c in block.columns}}
        if not _has_cycle(linked):
            graph = linked
            blocks.append(block)
            blocked |= {*block.columns}
    in_blocks = {block.relation for block in blocks}
    relations = [r for r in relations if r not in in_blocks and r.form not in ("one hot", "missing")]
    solved = {r: [r] if declared and r.form not in ORDERS else solutions(r, values) for r in relations}

    def priority(relation: Relation) -> tuple[bool, bool, int, int]:
        # Of nested codes, those with fewer levels come first; the group with the most levels comes first.
        levels = [values.frame[c].nunique() for c in relation.columns] if relation.form == "nested" else [0, 0]
        kinds = (relation.form in ORDERS, relation.form in ("codes", "nested"))
        return (*kinds, len(solved[relation]) * (not any(levels)) + levels[1], -levels[0])

    for relation in sorted(relations, key=priority):
        source = relation.sources[0]
        group = relation.result
        apart = {*equations, *within, *orders, *blocked}
        if relation.form == "nested" and source in movable and source not in apart and group not in blocked:
            inside = predictive(group) and group not in equations and not predictive(source)
            if inside or group not in free:
                within[source] = group
                continue
        for one in solved[relation]:
            order = one.form in ORDERS
            column = one.result
            if column in equations or column in blocked or column not in (movable if order else free):
                continue
            if column in within or (not order and column in within.values()):
                continue
            if not order and not declared and not {*one.sources} & {*drawn}:
                continue
            if order and any(other.form != one.form for other in orders.get(column, ())):
                continue
            linked = {**graph, column: graph.get(column, set()) | set(one.sources)}
            if _has_cycle(linked):
                continue
            graph = linked
            if order:
                orders.setdefault(column, []).append(one)
            else:
                equations[column] = one
            break
        else:
            if declared and not blocked & {*relation.columns}:
                raise _impossible(relation, equations, free, movable)
    made = Preserved(values, equations, orders, totals={rule.total: rule for rule in totals}, blocks=tuple(blocks))
    steps = [c for c in TopologicalSorter(graph).static_order() if c in graph]
    modeled = frozenset(c for c, r in equations.items() if len(codes.get(c, ())) > 1 or not _tells_missing(r, values))
    differences = frozenset(c for c in orders if c in plain and _is_closer(made, c))
    return Preserved(values, equations, orders, modeled, differences, made.totals, made.blocks, tuple(steps), within)


def declared_relations(texts: object, frame: pd.DataFrame, values: Values) -> tuple[Relation, ...]:
    """Return declared relations, or raise if one is invalid or does not hold."""
    allowed = "a list of texts such as 'c = a + b'"
    listed = _checks.check_list([texts] if isinstance(texts, str) else texts, "relations", allowed)
    found = [relation for relation in map(parse, listed) if relation is not None]
    for relation in found:
        unknown = [c for c in relation.columns if c not in frame.columns]
        if unknown:
            raise InputError(f"relations: '{relation}': {_checks.named(unknown)} not in confidential")
        apart = [c for c in relation.columns if c not in values.role or c not in values.frame.columns]
        if apart:
            raise InputError(
                f"relations: '{relation}': {_checks.named(apart)} is constant, empty, or an identifier; remove the relation"
            )
        needed = relation.sources if relation.is_mapped(values) else relation.columns
        odd = [c for c in needed if c not in values.numbers and relation.form not in PATTERNS]
        if odd or not is_of_numbers(relation, values.scale):
            what = f"{_checks.named(odd)} has no numbers or dates" if odd else "it mixes numbers and dates"
            raise InputError(f"relations: '{relation}': {what}; remove the relation")
        if not share_of(relation, values) >= NEARLY:
            raise InputError(
                f"relations: '{relation}' holds in fewer than {NEARLY:.1%} of the confidential records; correct the "
                "relation or the records, or remove it"
            )
    for place, relation in enumerate(found):
        twice = [r for r in found[:place] if r.result == relation.result and not {r.form, relation.form} & {*ORDERS}]
        if twice:
            raise InputError(f"relations: '{twice[0]}' and '{relation}' compute the same column; remove one")
    return tuple(found)


def _is_mapped_from_one(
    block: Block, mapped: Collection[tuple[str, str]], free: Collection[str], drawn: Collection[str]
) -> bool:
    """Return whether all columns of a block are codes that another column determines, so they are computed from it."""
    sources = [{one for one, result in mapped if result == column} for column in block.columns]
    common = set.intersection(*sources) & {*drawn} - {*block.columns}
    return bool(common) and {*block.columns} <= {*free}


def _has_cycle(graph: dict[str, set[str]]) -> bool:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return True
    return False


def _tells_missing(relation: Relation, values: Values) -> bool:
    """Return whether a result is missing exactly where it cannot be computed."""
    lost = values.frame[relation.result].isna().to_numpy(dtype=bool)
    if relation.is_mapped(values):
        return bool((lost == values.frame[relation.sources[0]].isna().to_numpy(dtype=bool)).all())
    return bool((lost == np.isnan(relation.exact(values.numbers, values.scales))).all())


def _is_closer(made: Preserved, column: str) -> bool:
    """Return whether differences from the bound vary less than the values themselves."""
    own = made.values.numbers[column]
    gap = np.round(own - made.bound(column, made.values.numbers)[0], 9)
    there = ~np.isnan(own)
    fewer = np.unique(gap[there]).size <= np.unique(own[there]).size
    return bool(fewer and gap[there].std() < own[there].std())


def _impossible(
    relation: Relation, equations: Mapping[str, Relation], free: Collection[str], movable: Collection[str]
) -> InputError:
    column = relation.result
    if column not in (movable if relation.form in ORDERS else free):
        return InputError(
            f"relations: '{relation}': {column!r} cannot be computed, because it is kept, has a model in models, or is "
            "part of a constraint; remove the relation"
        )
    others = [str(one) for one in equations.values() if set(one.columns) & set(relation.columns)]
    return InputError(
        f"relations: '{relation}' contradicts or repeats {_checks.named(others) if others else 'another relation'}; "
        "remove one of them"
    )
