"""Identifying values: released texts, times and identifiers that occur in the confidential data."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.io.date_formats import are_periods, clock_format, dates_of_numbers, recognize
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release
from synthlab.risk.copies.design_columns import counts_from_start, design_columns

Kind = Literal["text", "time", "date and time", "number", "amount"]

VALUES, SCORE = 10, 3.0  # excess of released values, and its z, from which they are reported
DISTINCT = 0.95  # distinct values per person from which the values of a column are identifying
DIGITS = 6  # equal number of digits from which whole numbers are identifiers
DENSITY = 1e-4  # distinct values per possible value below which whole numbers are identifiers
FULL = 0.9  # share of the range from which unit numbers are a sequence
UNEVEN = 0.25  # Kolmogorov-Smirnov distance to evenly spread numbers from which numbers of such a density are amounts
STEPS = 5  # largest distance, in steps of the grid, at which released numbers miss a confidential number by chance
DECIMALS = 6  # largest number of decimal places of numbers on a grid
LARGEST = 2.0**50  # number of steps from which no number is hit by chance
MICROSECOND = np.timedelta64(1, "us")
SEPARATORS = re.compile(r"[\W_]+")
WHOLE = re.compile(r"\s*(?:0|[1-9]\d*)\s*")
DECIMAL = re.compile(r"\s*[+-]?(?:0|[1-9]\d*)(?:\.\d+)?\s*")
COLUMNS = ("kind", "dataset", "released", "values", "chance", "z", "people", "level")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdentifyingValuesResult(Result):
    """Released values that occur in the confidential data, for each column with identifying values.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per column, indexed by its name. The columns:

        - kind: "text", "time" (of day), "date and time", "number" (an identifier) or "amount".
        - dataset: the dataset that the numbers describe, the one with the largest z; 0 means all datasets together.
        - released: distinct released values.
        - values: distinct released values that occur in the confidential data. For an amount, values that two people have
          are not counted.
        - chance: the number of such values that is expected by chance.
        - z: (values - chance) in standard errors.
        - people: distinct confidential values that are looked for; nearly the number of people with a value.
        - level: "STOP", "CHECK" (amounts), or None if chance explains the values.
    n : int
        Confidential records.
    m : int
        Synthetic datasets.
    control : IdentifyingValuesResult or None
        The same for the people of the holdout sample, without the values that the confidential data contain.
    """

    _table: ClassVar[str] = "table"

    table: pd.DataFrame = field(repr=False)
    n: int
    m: int
    control: IdentifyingValuesResult | None = None

    @property
    def level(self) -> Literal["STOP", "CHECK"] | None:
        """The worst level of a column, also among those of the holdout sample."""
        levels = {*self.table["level"], *(() if self.control is None else self.control.table["level"])}
        return "STOP" if "STOP" in levels else "CHECK" if "CHECK" in levels else None

    @property
    def title(self) -> str:
        """Sentence that states how many columns release confidential values."""
        found = self.table[self.table["level"].notna()]
        if found.empty:
            return (
                f"{len(self.table)} {'column has' if len(self.table) == 1 else 'columns have'} identifying values; chance explains the "
                "released values that occur in the confidential data."
            )
        column, row = str(found.index[0]), found.iloc[0]
        more = f" {len(found) - 1} more {'column releases' if len(found) == 2 else 'columns release'} such values." * (
            len(found) > 1
        )
        return (
            f"{row['values']:,} of {row['people']:,} confidential values of {column} are released; by chance "
            f"{row['chance']:,.0f}.{more}"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table


@explains_arguments
def identifying_values(
    confidential: FrameLike,
    release: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    identifiers: ColumnNames = (),
    amounts: ColumnNames = (),
    design: ColumnNames = (),
    control: FrameLike | None = None,
    entity: Any = None,
) -> IdentifyingValuesResult:
    """Count released values that occur in the confidential data and can identify a person.

    Texts, times of day, dates with a time of day, and numbers that are identifiers are compared if at least 95% of the
    values of a column are distinct. Texts are compared without case, blanks and punctuation. The order of the rows is
    irrelevant. Numbers that are not identifiers are amounts: their values are often reused by models of trees, which
    discloses an amount of a person but does not show that a record was copied.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    release : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, of any number of rows.
    variables : sequence of str, optional
        The columns that are examined. Default: all columns that `confidential` and `release` have in common.
    identifiers : sequence of str
        Columns whose numbers are identifiers in any form. Other numbers are identifiers if they are whole and either all
        have the same number of digits, at least 6, or are spread evenly and fewer than 1 in 10,000 possible values in
        their range occur.
    amounts : sequence of str
        Columns whose numbers are amounts in any form.
    design : sequence of str
        Declared design columns, such as wave, stratum and quota. They are omitted, and so are constants and columns that
        count the records, or the members of groups, from 0 or 1.
    control : pandas.DataFrame or Dataset, optional
        Holdout sample of people who were not used for synthesis. Their values are also looked for.
    entity : array_like of shape (n,), optional
        The unit of each record, such as a household. A value that several records of a unit have is counted once. A
        column with one value per unit, and different values for different units, is examined in any form unless it
        counts the units from 0 or 1. Default: each record is a unit.

    Returns
    -------
    IdentifyingValuesResult

    Raises
    ------
    InputError
        If a column is missing from a file, the files have no column in common, or `entity` does not have one entry per
        record.
    DtypeMismatchError
        If a column holds numbers in one file and text in the other.

    Notes
    -----
    The number of released values expected by chance is the larger of two numbers. The first is the number of distinct
    released values, times the share of people whose value another person also has; this estimates how often the value
    of a new person occurs in the file (Good 1953). The second, for numbers and times, is a tenth of the pairs of a
    released and a confidential value that differ by 1 to 5 steps of the grid, so that new numbers in the same range are
    not reported. For whole unit numbers, it is the share of the numbers in their range that occur, times the number of
    distinct released values; a sequence without gaps is not expected by chance. z is (values - chance) / sqrt(values + chance max(1, 2 N/n)), where N is the number of distinct
    released values. The level is STOP, or CHECK for amounts, if at least 10 values exceed chance with z >= 3.

    References
    ----------
    Good, I. J. (1953). The population frequencies of species and the estimation of population parameters. Biometrika
    40(3-4), 237-264.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"email": [f"p{i * 7919 % 1000:03d}@mail.example" for i in range(50)], "age": range(20, 70)})
    >>> release = people.sample(frac=1, random_state=1).assign(email=lambda f: f["email"].str.upper())
    >>> print(sl.identifying_values(people, release).title)
    50 of 50 confidential values of email are released; by chance 0.
    """
    frame = _checks.check_frame(confidential, "confidential")
    files = as_release(release, name="release", like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in files[0].columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(files[0], names, "variables", where="release")
    _checks.check_same_kind(frame, files.frames, names)
    named = {
        what: _checks.check_columns(frame, columns, what, where="confidential", allow_empty=True)
        for what, columns in (("identifiers", identifiers), ("amounts", amounts), ("design", design))
    }
    others = None if control is None else _checks.check_frame(control, "control")
    if others is not None:
        _checks.check_same_kind(frame, [others], [c for c in names if c in others.columns], "control")
    units = _checks.check_entity(entity, len(frame))
    rows: dict[str, dict[str, Any]] = {}
    control_rows: dict[str, dict[str, Any]] = {}
    candidates = [c for c in names if _may_identify(frame[c], units)]
    set_apart = design_columns(frame, named["design"]) if candidates else ()
    for name in candidates:
        is_unit = _is_unit(frame[name], units)
        if (name in set_apart and not is_unit) or _is_counter(frame, files.frames, name):
            continue
        also = [others[name]] if others is not None and name in others.columns else []
        series = [frame[name], *(one[name] for one in files), *also]
        column = _read(series, name in named["amounts"], name in named["identifiers"] or is_unit)
        if is_unit and column is not None:
            column = replace(column, places=None, density=_density(frame[name]))
        if column is None:
            continue
        own, *rest = column.codes
        released, held = rest[: files.m], rest[files.m :]
        people = _people_per_value(own, units, column.size)
        if not is_unit and int((people > 0).sum()) < DISTINCT * people.sum():
            continue
        rows[name] = _row(column, people, released)
        for codes in held:
            theirs = np.bincount(codes[codes >= 0], minlength=column.size)
            control_rows[name] = _row(column, np.where(people > 0, 0, theirs), released)
    return IdentifyingValuesResult(
        _table(rows),
        n=len(frame),
        m=files.m,
        control=None if others is None else IdentifyingValuesResult(_table(control_rows), n=len(others), m=files.m),
    )


def identifying_kind(series: pd.Series) -> Kind | None:
    """Return the kind of a column whose values are different for nearly all people, or None."""
    column = _read([series], amount=False, identifier=False) if _may_identify(series, None) else None
    return None if column is None else column.kind


def _table(rows: dict[str, dict[str, Any]]) -> pd.DataFrame:
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(COLUMNS)).rename_axis("column")
    table["level"] = table["level"].astype(object).where(table["level"].notna(), None)
    return table


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """A column in the confidential file, in each dataset and, if present, in the holdout sample.

    codes : the codes of the values in each file, -1 for a missing value. places : place of each code on the grid of the
    numbers; None if they have no grid. density : for unit numbers, the share of the whole numbers in their range that occur.
    """

    kind: Kind
    codes: list[IntArray]
    size: int
    places: FloatArray | None
    density: float = 0.0


def _row(column: _Column, people: IntArray, released: Sequence[IntArray]) -> dict[str, Any]:
    """Return the counts of the dataset with the largest z, or of all datasets together."""
    distinct = [np.unique(codes[codes >= 0]) for codes in released]
    sets = dict(enumerate(distinct, start=1))
    if len(sets) > 1:
        sets[0] = np.unique(np.concatenate(distinct))
    counts = {number: _count(column, people, values) for number, values in sets.items()}
    dataset, (values, chance, z) = max(counts.items(), key=lambda one: (one[1][2], one[1][0]))
    level = ("CHECK" if column.kind == "amount" else "STOP") if values - chance >= VALUES and z >= SCORE else None
    searched = int(((people == 1) if column.kind == "amount" else (people > 0)).sum())
    return dict(
        zip(
            COLUMNS,
            (column.kind, dataset, sets[dataset].size, values, chance, z, searched, level),
            strict=True,
        )
    )


def _count(column: _Column, people: IntArray, released: IntArray) -> tuple[int, float, float]:
    """Return the number of released values that people have, the number by chance, and z."""
    searched = people == 1 if column.kind == "amount" else people > 0
    found, total = int(searched[released].sum()), max(int(people.sum()), 1)
    # A new person has a value that k people have with a probability that the values of k + 1 people estimate.
    shared = 2 * int((people == 2).sum()) if column.kind == "amount" else total - int((people == 1).sum())
    by_range = column.density * released.size
    chance = max(
        shared / total * released.size, by_range, _near_misses(column.places, searched, released) / (2 * STEPS)
    )
    spread = found + chance * max(1.0, 2 * released.size / total)  # shared values count twice or more
    return found, float(chance), float((found - chance) / np.sqrt(spread)) if spread else 0.0


def _near_misses(places: FloatArray | None, searched: np.ndarray[Any, Any], released: IntArray) -> int:
    """Return the number of pairs of a released and a searched number that are 1 to 5 steps apart."""
    if places is None:
        return 0
    own, other = np.sort(places[searched]), places[released]
    other = other[np.isfinite(other)]
    within = np.searchsorted(own, other + STEPS, "right") - np.searchsorted(own, other - STEPS, "left")
    equal = np.searchsorted(own, other, "right") - np.searchsorted(own, other, "left")
    return int((within - equal).sum())


def _density(units: pd.Series) -> float:
    """Return the share of the whole numbers in the range of unit numbers that occur; 0 for other values.

    It is the share of new random numbers that occur by chance. Numbers that fill their range are not random, and 0.
    """
    numbers = _checks.plain_numbers(units)
    if _checks.kind_of(numbers) != "number" or _checks.holds_loose_numbers(numbers):
        return 0.0
    values = np.unique(_checks.as_float(numbers.dropna()))
    share = values.size / (values[-1] - values[0] + 1)
    return float(share) if share < FULL and (values == np.rint(values)).all() else 0.0


def _may_identify(series: pd.Series, units: IntArray | None) -> bool:
    """Return whether enough values are distinct before differences of spelling are removed."""
    if units is not None:
        codes = pd.factorize(series)[0].astype(np.int64)
        people = _people_per_value(codes, units, int(codes.max(initial=-1)) + 1)
        return bool(people.sum() >= VALUES and people.size >= DISTINCT * people.sum())
    present = int(series.notna().sum())
    return present >= VALUES and series.nunique() >= DISTINCT * present


def _is_unit(series: pd.Series, units: IntArray | None) -> bool:
    """Return whether a column has one value per unit, and different values for different units."""
    if units is None or int(units.max()) + 1 == units.size:
        return False
    codes = pd.factorize(series)[0].astype(np.int64)
    number = int(units.max()) + 1
    pairs = np.unique(units * (int(codes.max(initial=-1)) + 2) + codes).size
    return bool(codes.min() >= 0 and pairs == number == int(codes.max()) + 1)


def _is_counter(frame: pd.DataFrame, released: Sequence[pd.DataFrame], column: str) -> bool:
    """Return whether the distinct values count in the confidential file or in every dataset."""
    return counts_from_start(frame[column]) or all(counts_from_start(one[column]) for one in released)


def _people_per_value(codes: IntArray, units: IntArray | None, size: int) -> IntArray:
    """Return how many people, or units, have each value."""
    present = codes >= 0
    if units is None:
        return np.bincount(codes[present], minlength=size)
    pairs = np.unique(units[present] * np.int64(max(size, 1)) + codes[present])
    return np.bincount(pairs % max(size, 1), minlength=size)


def _read(series: Sequence[pd.Series], amount: bool, identifier: bool) -> _Column | None:
    """Return the values of a column that can identify, or None if its values have another kind."""
    plain = [_checks.plain_numbers(_without_categories(one)) for one in series]
    kind = _checks.kind_of(plain[0])
    if kind == "text":
        return _read_texts(plain, amount, identifier)
    if _checks.is_date(plain[0]):
        return _read_amounts(plain) if kind == _checks.TIME_SPAN else _read_instants(plain)
    if kind == "number" and any(_checks.holds_loose_numbers(one) for one in plain):  # numbers that fit no dtype
        return _read_texts([one.map(str, na_action="ignore").astype(object) for one in plain], amount, identifier)
    if kind == "number":
        return _read_numbers(plain, amount, identifier)
    return _coded("time", [one.map(str, na_action="ignore") for one in plain]) if kind == "time" else None


def _read_texts(series: Sequence[pd.Series], amount: bool, identifier: bool) -> _Column | None:
    texts = [str(text) for text in series[0].dropna().unique()]
    if all(map(DECIMAL.fullmatch, texts)):
        numbers = [pd.Series(pd.to_numeric(one.astype(object), errors="coerce"), dtype=float) for one in series]
        read = _read_numbers(numbers, amount, identifier)
        if read is None or read.kind == "amount" or not all(map(WHOLE.fullmatch, texts)):
            return read
        return _coded(read.kind, [_plain_texts(one) for one in series], whole=True)
    if recognize(texts).dates is not None:
        return _read_instants([_as_dates(one) for one in series])
    if are_periods(texts):
        return None
    return _coded("time" if clock_format(texts) else "text", [_plain_texts(one) for one in series])


def _as_dates(series: pd.Series) -> pd.Series:
    """Return texts as dates in UTC; texts that are not dates are missing."""
    codes, texts = pd.factorize(series.astype(object))
    found = recognize([str(text) for text in texts])
    if found.format is None:
        return pd.Series(pd.NaT, index=series.index, dtype="datetime64[us]")
    dates = found.format.read(pd.Series([str(text).strip() for text in texts], dtype=object))
    plain = dates if dates.dt.tz is None else dates.dt.tz_convert("UTC").dt.tz_localize(None)
    return pd.Series(np.append(plain.to_numpy(dtype="datetime64[us]"), np.datetime64("NaT"))[codes], index=series.index)


def _read_instants(series: Sequence[Any]) -> _Column | None:
    """Return dates with a time of day, or None for days."""
    found = [_checks.as_instants(one) for one in series]
    instants = [
        np.full(len(one), np.datetime64("NaT"), "datetime64[us]") if at is None else at.astype("datetime64[us]")
        for one, at in zip(series, found, strict=True)
    ]
    own = instants[0][~np.isnat(instants[0])]
    if not (own != own.astype("datetime64[D]")).any():
        return None
    return _coded("date and time", [pd.Series(one) for one in instants])


def _read_amounts(series: Sequence[pd.Series]) -> _Column:
    return _coded("amount", [pd.Series(_checks.measurements(one)) for one in series])


def _read_numbers(series: Sequence[pd.Series], amount: bool, identifier: bool) -> _Column | None:
    values = np.unique(_checks.as_float(series[0].dropna()))
    values = values[np.isfinite(values)]
    whole = bool((values == np.rint(values)).all())
    if whole and values.size and dates_of_numbers(pd.Series(values)) is not None:
        return None
    if identifier or (not amount and whole and _are_identifiers(values)):
        return _coded("number", series)
    return _coded("amount", series)


def _are_identifiers(values: FloatArray) -> bool:
    """Return whether sorted distinct whole numbers are identifiers by their digits or by their density."""
    if values.size < 2:
        return False
    digits = np.floor(np.log10(np.maximum(values[[0, -1]], 1))) + 1
    if digits[0] == digits[1] >= DIGITS:
        return True
    even = np.arange(values.size) / (values.size - 1)
    if np.abs((values - values[0]) / (values[-1] - values[0]) - even).max() >= UNEVEN:
        return False  # populations, wealth
    places = _places(values)
    return places is None or bool(values.size / (np.ptp(places) + 1) < DENSITY)


def _coded(kind: Kind, series: Sequence[pd.Series], whole: bool = False) -> _Column:
    """Return one code per value, with the same coding in all files."""
    frames = [one.to_frame("x").reset_index(drop=True) for one in series]
    codes = [
        np.where(one.isna().to_numpy(dtype=bool), -1, code)
        for one, code in zip(series, block_codes(frames, ["x"], "category"), strict=True)
    ]
    joint = np.concatenate(codes)
    first = np.unique(joint, return_index=True)
    size = int(joint.max(initial=-1)) + 1
    if kind in ("text", "time"):
        return _Column(kind, codes, size, None)
    values = np.concatenate([_as_numbers(one, whole) for one in series])
    numbers = np.full(size, np.nan)
    numbers[first[0][first[0] >= 0]] = values[first[1][first[0] >= 0]]
    return _Column(kind, codes, size, _places(numbers, np.unique(codes[0][codes[0] >= 0])))


def _as_numbers(series: pd.Series, whole: bool) -> FloatArray:
    if whole:
        return pd.to_numeric(series, errors="coerce").to_numpy(dtype=np.float64)
    if series.dtype.kind == "M":
        return np.where(series.isna(), np.nan, (series.to_numpy() - np.datetime64(0, "us")) / MICROSECOND)
    return _checks.as_float(series)


def _places(numbers: FloatArray, own: IntArray | slice = slice(None)) -> FloatArray | None:
    """Return numbers in steps of the grid of the confidential numbers, or None if there is no grid."""
    values = _checks.without_rounding_errors(numbers[own])
    values = values[np.isfinite(values)]
    if not values.size or np.abs(values).max() > _checks.LARGEST_EXACT:  # floats do not distinguish the numbers
        return None
    for places in range(DECIMALS + 1):
        scaled = (values - values.min()) * 10.0**places
        if scaled.max() >= LARGEST:
            return None
        if (np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(scaled, 1e3)).all():
            step = max(int(np.gcd.reduce(np.rint(scaled).astype(np.int64))), 1)
            return np.asarray(np.round((numbers - values.min()) * 10.0**places / step, 3))
    return None


def _without_categories(series: pd.Series) -> pd.Series:
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = _checks.categories_of(series)
        return series.astype(values.dtype if values.dtype.kind in "fM" else object)
    return series


def _plain_texts(series: pd.Series) -> pd.Series:
    """Return texts without case, blanks and punctuation."""
    codes, texts = pd.factorize(series.astype(object))
    plain = [_plain_text(str(text)) for text in texts]
    return pd.Series(np.array([*plain, None], dtype=object)[codes], index=series.index)


def _plain_text(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return SEPARATORS.sub("", folded) or folded.strip()
