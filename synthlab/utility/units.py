"""Utility per unit: sizes, composition, pairs of members, correlation within units, transitions and survival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.release import as_release
from synthlab.units import UnitStructure, unit_codes, unit_structure
from synthlab.units.structure import MEMBERS

FEWEST = 100  # pairs of members, or of waves, from which a correlation is compared
LEVELS = 12  # largest number of levels of a variable by which the composition of units is compared
KINDS_OF_MEMBERS = 4  # levels of the relation whose pairs are compared
Kind = Literal["size", "composition", "pairs", "correlation", "transitions", "survival"]
KINDS: tuple[Kind, ...] = ("size", "composition", "pairs", "correlation", "transitions", "survival")
COLUMNS = ("kind", "quantity", "confidential", "release", "distance", "between", "by_chance")
Quantity = float | pd.Series  # a number, or the shares of a distribution
Values = Mapping[str, Any]  # the values of each variable: floats, or codes of categories with -1 for a missing value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitUtilityResult(Result):
    """Distances between the units of a release and of the confidential data.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per quantity. The columns:

        - kind: "size", "composition", "pairs", "correlation", "transitions" or "survival".
        - quantity: the quantity in words.
        - confidential, release: the number in the confidential data and its mean over the datasets; NaN for a
          distribution.
        - distance: the distance between a dataset and the confidential data, the mean over the datasets. For a
          distribution, it is half the sum of the absolute differences of the shares; otherwise, the absolute difference.
        - between: the same distance between two datasets of the release, each and the next; NaN for one dataset.
        - by_chance: the expected distance of a distribution between two samples of units as large as the file and a
          dataset; NaN for other quantities.
    per_dataset : numpy.ndarray, shape (quantities, m)
        The distance of each dataset.
    units : int
        Confidential units.
    """

    _table: ClassVar[str] = "table"

    table: pd.DataFrame = field(repr=False)
    per_dataset: FloatArray = field(repr=False)
    units: int

    @property
    def title(self) -> str:
        """The quantity with the largest distance, in a sentence."""
        if self.table["distance"].isna().all():
            return f"No quantity of the {self.units:,} units can be compared."
        row = self.table.iloc[int(np.nanargmax(self.table["distance"].to_numpy(dtype=np.float64)))]
        between = "" if np.isnan(row["between"]) else f"; {row['between']:.2f} between two synthetic datasets"
        return (
            f"{len(self.table)} quantities of {self.units:,} units are compared. The largest distance is "
            f"{row['distance']:.2f} ({row['quantity']}){between}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table

    def worst(self, kind: Kind) -> pd.Series | None:
        """Return the row of a kind with the largest distance; None if there is none.

        Parameters
        ----------
        kind : str
            "size", "composition", "pairs", "correlation", "transitions" or "survival".

        Raises
        ------
        InputError
            If `kind` is another value.
        """
        _checks.check_choice(kind, "kind", KINDS)
        rows = self.table[(self.table["kind"] == kind) & self.table["distance"].notna()]
        return None if rows.empty else rows.iloc[int(rows["distance"].to_numpy().argmax())]


@explains_arguments
def unit_utility(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    unit: ColumnNames,
    unit_order: ColumnNames | None = None,
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    max_members: int = MEMBERS,
) -> UnitUtilityResult:
    r"""Compare the units of a release, such as households, with the units of the confidential data.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected, one row per member.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets of any number of units.
    unit : str or sequence of str
        The columns that identify a unit.
    unit_order : str or sequence of str, optional
        The order of the members, or the wave of a panel, as in `unit_structure`.
    variables : sequence of str, optional
        The variables of the members that are compared. Default: all columns that both files have.
    categorical : sequence of str
        Columns whose numbers are category codes.
    max_members : int, default 50
        Largest allowed number of members of a unit, or of waves.

    Returns
    -------
    UnitUtilityResult

    Raises
    ------
    InputError
        If a column is missing from a file, or as in `unit_structure`.
    DtypeMismatchError
        If a column holds numbers in one file and text in the other.

    Warns
    -----
    MissingUnitWarning
        Records have no unit number; each of them is a unit of its own.

    Notes
    -----
    The quantities are: the distribution of the number of members; for each variable with at most 12 levels, the
    distribution of the composition (how many members of a unit have each level); the correlation of each number, and the
    association (Cramer's V) of each category, between two kinds of members, such as head and partner or head and child;
    and the correlation within units. In a panel, the pairs are replaced by the transitions between consecutive waves (the
    joint distribution of a category, and the correlation of a number), and by the share of the units of the first wave
    that are present in each later wave.

    The correlation within units is the intraclass correlation of a one-way analysis of variance for numbers (Donner 1986),
    and for categories :math:`(P_o - P_e) / (1 - P_e)`, where :math:`P_o` is the share of pairs of members of a unit that
    agree and :math:`P_e` the share of pairs of records that do. A correlation of fewer than 100 pairs is NaN.

    References
    ----------
    Donner, A. (1986). A review of inference procedures for the intraclass correlation coefficient in the one-way random
    effects model. International Statistical Review 54(1), 67-82.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> hhid = np.repeat(np.arange(400), 2)
    >>> homes = pd.DataFrame({"hhid": hhid, "age": 40 + rng.normal(0, 9, 400)[hhid] + rng.normal(0, 2, 800)})
    >>> shuffled = homes.assign(age=rng.permutation(homes["age"]))
    >>> worst = sl.unit_utility(homes, shuffled, unit="hhid").worst("correlation")
    >>> worst["quantity"], round(float(worst["distance"]), 2)
    ('age within units', 0.92)
    """
    frame = _checks.check_frame(confidential, "confidential")
    files = as_release(synthetic, name="synthetic", like=frame)
    structure = unit_structure(frame, unit, unit_order, rules=False, max_members=max_members)
    if variables is None:
        variables = [c for c in frame.columns if c in files[0].columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    codes = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    every = dict.fromkeys([*names, *structure.unit, *structure.order])
    _checks.check_columns(files[0], list(every), "variables", where="synthetic")
    _checks.check_same_kind(frame, files.frames, names)
    return compare_units(frame, files.frames, structure, names, codes)


def compare_units(
    frame: pd.DataFrame,
    files: Sequence[pd.DataFrame],
    structure: UnitStructure,
    variables: Sequence[str],
    categorical: Sequence[str],
) -> UnitUtilityResult:
    """Return the distances, for units whose structure is known."""
    left_out = {
        *structure.unit,
        structure.number_variable,
        structure.wave,
        structure.size_variable,
        *structure.variables,
    }
    names = [c for c in variables if c not in left_out]
    numbers = [c for c in names if c not in categorical and _is_number(frame[c])]
    levels = {c: _levels([one[c] for one in (frame, *files)]) for c in names if c not in numbers}
    own, *others = (_quantities(one, structure, names, levels) for one in (frame, *files))
    rows, per_dataset = [], []
    for (kind, name), value in own.items():
        made = [one.get((kind, name), np.nan) for one in others]
        apart = [_distance(value, one) for one in made]
        between = [_distance(*pair) for pair in zip(made, [*made[1:], made[0]], strict=True)] if len(made) > 1 else []
        plain = isinstance(value, float)
        chance = np.nan if plain else _mean([_by_chance(value, one, structure.units) for one in made])
        released = _mean([one for one in made if isinstance(one, float)]) if plain else np.nan
        rows.append((kind, name, value if plain else np.nan, released, _mean(apart), _mean(between), chance))
        per_dataset.append(apart)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    distances = _checks.read_only(np.array(per_dataset).reshape(len(rows), len(others)))
    return UnitUtilityResult(table, distances, structure.units)


def _quantities(
    frame: pd.DataFrame, structure: UnitStructure, names: Sequence[str], levels: Mapping[str, pd.Index]
) -> dict[tuple[Kind, str], Quantity]:
    """Return the quantities of one file. Variables without levels are numbers."""
    code = unit_codes(frame, list(structure.unit))
    values: dict[str, Any] = {
        c: levels[c].get_indexer(_texts(frame[c])) if c in levels else _checks.measurements(frame[c]) for c in names
    }
    found: dict[tuple[Kind, str], Quantity] = {("size", "number of members"): _shares(np.bincount(code))}
    for c in names:
        if c in levels and 1 < levels[c].size <= LEVELS:
            found["composition", f"composition by {c}"] = _composition(values[c], code, levels[c].size)
        found["correlation", f"{c} within units"] = (_kappa if c in levels else _intraclass)(values[c], code)
    if structure.wave is not None:
        wave = pd.Index(structure.waves).get_indexer(pd.Index(frame[structure.wave])).astype(np.int64)
        return found | _over_waves(wave, code, len(structure.waves), values, levels)
    for pair, (first, second) in _pairs(frame, code, structure).items():
        for c in names:
            if c != structure.relation.variable:
                association = _cramer if c in levels else _correlation
                found["pairs", f"{c}, {pair}"] = association(values[c][first], values[c][second])
    return found


def _pairs(frame: pd.DataFrame, code: IntArray, structure: UnitStructure) -> dict[str, tuple[IntArray, IntArray]]:
    """Return pairs of records of one unit by the kinds of the two members.

    With a relation, the kinds are its levels. Otherwise the pairs are the first and the second member.
    """
    relation = structure.relation
    if relation.variable is None or relation.variable not in frame.columns:
        place = structure.positions(frame, code)
        kinds, both = ["first", "second member"], [(0, 1)]
    else:
        kinds = [str(kind) for kind in relation.levels[:KINDS_OF_MEMBERS]]
        place = pd.Index(kinds).get_indexer(_texts(frame[relation.variable]))
        both = list(combinations_with_replacement(range(len(kinds)), 2))
    found = {}
    for a, b in both:
        one, two = (np.flatnonzero(place == kind) for kind in (a, b))
        joined = pd.DataFrame({"unit": code[one], "one": one}).merge(pd.DataFrame({"unit": code[two], "two": two}))
        if a == b:
            joined = joined[joined["one"] != joined["two"]]  # both orders, because members of a kind have no order
        if len(joined) >= FEWEST:
            found[f"{kinds[a]} and {kinds[b]}"] = joined["one"].to_numpy(), joined["two"].to_numpy()
    return found


def _over_waves(
    wave: IntArray, code: IntArray, waves: int, values: Values, levels: Mapping[str, pd.Index]
) -> dict[tuple[Kind, str], Quantity]:
    """Return the transitions between consecutive waves, and the shares of units that are present in later waves."""
    row = np.full((int(code.max()) + 1, waves), -1)
    row[code[wave >= 0], wave[wave >= 0]] = np.flatnonzero(wave >= 0)
    there = (row[:, :-1] >= 0) & (row[:, 1:] >= 0)
    before, after = row[:, :-1][there], row[:, 1:][there]
    found: dict[tuple[Kind, str], Quantity] = {}
    for c, own in values.items():
        name = f"{c} in two consecutive waves"
        if c not in levels:
            found["transitions", name] = _correlation(own[before], own[after])
        elif levels[c].size <= LEVELS and before.size:
            found["transitions", name] = _shares(own[before] * (levels[c].size + 1) + own[after])
    begun = row[:, 0] >= 0
    for place in range(1, waves):
        present = float((row[begun, place] >= 0).mean()) if begun.any() else np.nan
        found["survival", f"present in wave {place + 1}, of the units of wave 1"] = present
    return found


def _shares(values: IntArray) -> pd.Series:
    return pd.Series(values).value_counts(normalize=True)


def _composition(values: IntArray, code: IntArray, levels: int) -> pd.Series:
    """Return the shares of the units with each number of members of each level."""
    counts = np.zeros((int(code.max()) + 1, levels + 1), dtype=np.int64)
    np.add.at(counts, (code, values), 1)  # the last column counts missing values, whose code is -1
    return pd.DataFrame(counts).value_counts(normalize=True)


def _distance(own: Quantity, other: Quantity) -> float:
    if isinstance(own, pd.Series) and isinstance(other, pd.Series):
        return float(own.subtract(other, fill_value=0.0).abs().sum() / 2)
    return np.nan if isinstance(own, pd.Series) or isinstance(other, pd.Series) else abs(own - other)


def _by_chance(own: Quantity, other: Quantity, units: int) -> float:
    """Return the expected distance of two samples of `units` units from the mean of two distributions."""
    if not (isinstance(own, pd.Series) and isinstance(other, pd.Series)):
        return np.nan
    share = own.add(other, fill_value=0.0).to_numpy() / 2
    return float(np.minimum(np.sqrt(share * (1 - share) / (np.pi * units)), share).sum())


def _mean(values: Sequence[float]) -> float:
    present = [value for value in values if not np.isnan(value)]
    return float(np.mean(present)) if present else np.nan


def _correlation(first: FloatArray, second: FloatArray) -> float:
    both = ~(np.isnan(first) | np.isnan(second))
    if both.sum() < FEWEST or np.ptp(first[both]) == 0 or np.ptp(second[both]) == 0:
        return np.nan
    return float(np.corrcoef(first[both], second[both])[0, 1])


def _cramer(first: IntArray, second: IntArray) -> float:
    """Return Cramer's V of two categories; missing values are left out."""
    both = (first >= 0) & (second >= 0)
    if both.sum() < FEWEST:
        return np.nan
    table = pd.crosstab(first[both], second[both]).to_numpy(dtype=np.float64)
    if min(table.shape) < 2:
        return np.nan
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    return float(np.sqrt(statistic / table.sum() / (min(table.shape) - 1)))


def _intraclass(values: FloatArray, code: IntArray) -> float:
    """Return the intraclass correlation of a one-way analysis of variance."""
    there = ~np.isnan(values)
    values, group = values[there], pd.factorize(code[there])[0]
    size = np.bincount(group).astype(np.float64)
    groups, total = size.size, float(size.sum())
    if total - groups < FEWEST or groups < 2:
        return np.nan
    mean = np.bincount(group, weights=values) / size
    within = float(((values - mean[group]) ** 2).sum()) / (total - groups)
    between = float((size * (mean - values.mean()) ** 2).sum()) / (groups - 1)
    average = (total - float((size**2).sum()) / total) / (groups - 1)
    spread = between + (average - 1) * within
    return (between - within) / spread if spread > 0 else np.nan


def _kappa(values: IntArray, code: IntArray) -> float:
    """Return how much more often two members of a unit agree than two records, as a share of what is possible."""
    there = values >= 0
    values, group = values[there].astype(np.int64), pd.factorize(code[there])[0].astype(np.int64)
    size = np.bincount(group).astype(np.float64)
    pairs = float((size * (size - 1)).sum())
    if pairs < 2 * FEWEST:
        return np.nan
    chance = float(((np.bincount(values) / values.size) ** 2).sum())
    cells = np.unique(group * (int(values.max()) + 1) + values, return_counts=True)[1].astype(np.float64)
    return (float((cells * (cells - 1)).sum()) / pairs - chance) / (1 - chance) if chance < 1 else np.nan


def _is_number(series: pd.Series) -> bool:
    return _checks.is_measured(series) and not pd.api.types.is_bool_dtype(series.dtype) and series.nunique() > 2


def _texts(series: pd.Series) -> pd.Index:
    texts: pd.Index = pd.Index(series.astype(object).map(str, na_action="ignore"))
    return texts


def _levels(columns: Sequence[pd.Series]) -> pd.Index:
    """Return the levels of a category in all files, as sorted texts."""
    levels: pd.Index = pd.Index(sorted({text for one in columns for text in _texts(one).dropna()}), dtype=object)
    return levels
