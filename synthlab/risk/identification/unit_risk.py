"""Matching-based identification risk of whole units, such as households, and of one person within a unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._format import count
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, NoBetterThanBaselineWarning, NoUniqueMatchWarning
from synthlab.intruder import Intruder, check_intruder
from synthlab.intruder.bands import in_bands
from synthlab.matching.factorize import block_codes
from synthlab.matching.match_inputs import Prepared, disagreement, disproves_order, exact_floats, resolve
from synthlab.matching.unit_matching import Members, UnitMatches, match_units, signatures
from synthlab.release import as_release
from synthlab.units.codes import unit_codes

LARGEST = 50  # default of the largest number of members
MEASURES = {
    "expected_match_risk": "expected match risk",
    "true_match_rate": "true match rate",
    "false_match_rate": "false match rate",
    "n_unique": "unique matches",
}
BOUNDS = {"match_risk_bound": "expected match risk, at most", "n_matched": "with at least one match"}


@dataclass(frozen=True, slots=True, eq=False)
class MatchOutcomes:
    """Outcomes of matching targets, which are units or persons.

    Attributes
    ----------
    match_count : numpy.ndarray of int, shape (targets, m)
        c_i: number of released units (or persons) that match target i in dataset l.
    contains_true : numpy.ndarray of bool, shape (targets, m)
        T_i: whether the target's own unit (or record) is one of the matches; False if the units do not correspond.
    corresponds : bool
        Whether the released units correspond to the confidential units row by row. Otherwise, T_i is not defined, and the
        measures that need it are NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.risk import MatchOutcomes
    >>> outcomes = MatchOutcomes(np.array([[1], [2], [0]]), np.array([[True], [True], [False]]), True)
    >>> outcomes.expected_match_risk.tolist(), outcomes.n_unique.tolist()
    ([1.5], [1])
    """

    match_count: IntArray
    contains_true: BoolArray
    corresponds: bool

    @property
    def expected_match_risk(self) -> FloatArray:
        """Sum of T_i / c_i, shape (m,); NaN if the units do not correspond."""
        return self._defined((self.contains_true / np.maximum(self.match_count, 1)).sum(axis=0))

    @property
    def match_risk_bound(self) -> FloatArray:
        """Sum of 1 / c_i over the targets with a match, shape (m,): the largest possible expected match risk."""
        share = np.divide(1.0, self.match_count, out=np.zeros(self.match_count.shape), where=self.match_count > 0)
        return _checks.read_only(share.sum(axis=0))

    @property
    def true_match_rate(self) -> FloatArray:
        """Share of the targets with exactly one match, which is correct, shape (m,)."""
        return self._defined(((self.match_count == 1) & self.contains_true).mean(axis=0))

    @property
    def false_match_rate(self) -> FloatArray:
        """Share of the single matches that are wrong, shape (m,); NaN without single matches."""
        unique = self.match_count == 1
        wrong = (unique & ~self.contains_true).sum(axis=0)
        return self._defined(
            np.divide(wrong, unique.sum(axis=0), out=np.full(wrong.shape, np.nan), where=unique.any(axis=0))
        )

    @property
    def n_unique(self) -> IntArray:
        """Number of targets with exactly one match, shape (m,)."""
        return _checks.read_only((self.match_count == 1).sum(axis=0))

    @property
    def n_matched(self) -> IntArray:
        """Number of targets with at least one match, shape (m,)."""
        return _checks.read_only((self.match_count > 0).sum(axis=0))

    def _defined(self, values: FloatArray) -> FloatArray:
        return _checks.read_only(values if self.corresponds else np.full(values.shape, np.nan))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitRiskResult(Result):
    """Identification risk of whole units, and of one person within a unit whose other members are known.

    Attributes
    ----------
    units : MatchOutcomes
        Outcomes of the units. A released unit matches a unit of the same size if the members can be assigned one to one such
        that all known variables are equal and all synthesized values are equal or within the radius.
    persons : MatchOutcomes
        Outcomes of the records. A released record matches a person if it can be assigned to the person in a matching unit.
    size : numpy.ndarray of int, shape (units,)
        Number of members of each confidential unit.
    released : numpy.ndarray of int, shape (m,)
        Number of units of each dataset.
    known_only : numpy.ndarray of float, shape (m,)
        Expected number of correct guesses of an intruder who uses only the sizes and the known variables compared by value.
    size_only : numpy.ndarray of float, shape (m,)
        The same for an intruder who uses only the sizes.
    person_known_only, person_size_only : numpy.ndarray of float, shape (m,)
        `known_only` and `size_only` for one person within a unit whose other members are known. If the units do not correspond,
        all four baselines are upper bounds, as ``units.match_risk_bound``.
    baseline : UnitRiskResult or None
        The measures for the confidential data released unchanged (m = 1).
    unit : tuple of str
        The columns that identify a unit.
    intruder : Intruder
        The intruder, who knows all members of a unit.
    data_kind : {"real", "simulated"} or None
        Kind of data that the confidential frame declares.
    """

    units: MatchOutcomes
    persons: MatchOutcomes
    size: IntArray
    released: IntArray
    known_only: FloatArray
    size_only: FloatArray
    person_known_only: FloatArray
    person_size_only: FloatArray
    baseline: UnitRiskResult | None
    unit: tuple[str, ...]
    intruder: Intruder
    data_kind: str | None = None

    _levels: ClassVar[tuple[str, ...]] = ("units", "persons")

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.units.match_count.shape[1])

    @property
    def corresponds(self) -> bool:
        """Whether released and confidential units correspond row by row, as in a release with kept compositions."""
        return self.units.corresponds

    @property
    def title(self) -> str:
        """Number of units, persons and datasets, and description of the intruder."""
        units, persons = len(self.size), len(self.persons.match_count)
        head = f"Identification risk of units by matching: {units:,} units of {persons:,} persons, m = {self.m}"
        if not self.corresponds:
            head += (
                "\nThe released units do not correspond to the confidential units, so only upper bounds of the expected match "
                "risk are defined."
            )
        return f"{head}\nThe intruder knows all members of a unit. {self.intruder.describe()}"

    def sentence(self) -> str:
        """Return the numbers of units and of persons that an intruder finds, in two sentences."""
        name = "expected_match_risk" if self.corresponds else "match_risk_bound"
        most = "" if self.corresponds else "at most "

        def found(values: FloatArray) -> str:
            return f"{most}{count(float(values.mean()))}"

        return (
            f"An intruder who knows all members of a unit would be right for {found(getattr(self.units, name))} of "
            f"{len(self.size):,} units; with the known variables alone, for {found(self.known_only)}, and with the sizes "
            f"alone, for {found(self.size_only)}. For one person whose other members are known, the intruder would be right "
            f"for {found(getattr(self.persons, name))} of {len(self.persons.match_count):,} persons; with the known variables "
            f"alone, for {found(self.person_known_only)}, and with the sizes alone, for {found(self.person_size_only)}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m with the measures of units and of persons (``person_`` first)."""
        names = MEASURES if self.corresponds else BOUNDS
        columns = {
            prefix + name: getattr(getattr(self, level), name)
            for level, prefix in zip(self._levels, ("", "person_"), strict=True)
            for name in names
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(1, self.m + 1, name="dataset"))

    def units_to_frame(self) -> pd.DataFrame:
        """Return size, match count and T_i of each unit, one row per dataset and unit."""
        index = pd.MultiIndex.from_product([range(1, self.m + 1), range(len(self.size))], names=["dataset", "unit"])
        columns: dict[str, Any] = {
            "size": np.tile(self.size, self.m),
            "match_count": self.units.match_count.T.reshape(-1),
        }
        if self.corresponds:
            columns["contains_true"] = self.units.contains_true.T.reshape(-1)
        return pd.DataFrame(columns, index=index)

    def summary(self) -> pd.DataFrame:
        """Return the means of the measures over the datasets, with spread and baselines.

        The columns are ``mean``, ``min``, ``max``, ``se`` (Monte Carlo standard error of the mean), ``confidential`` (the
        confidential data released unchanged), and ``known_only`` and ``size_only`` for the expected match risk.
        """
        frame = self.to_frame().astype(float)
        spread = frame.std(ddof=1) / np.sqrt(frame.notna().sum())
        table = pd.DataFrame({"mean": frame.mean(), "min": frame.min(), "max": frame.max(), "se": spread})
        if self.baseline is not None:
            base = self.baseline
            table["confidential"] = [
                float(
                    getattr(base.persons if name.startswith("person_") else base.units, name.removeprefix("person_"))[0]
                )
                for name in table.index
            ]
        main = "expected_match_risk" if self.corresponds else "match_risk_bound"
        for name in ("known_only", "size_only"):
            own = {prefix + main: float(getattr(self, prefix + name).mean()) for prefix in ("", "person_")}
            table[name] = pd.Series(own)
        labels = MEASURES | BOUNDS
        table.index = pd.Index(
            [
                f"{'persons' if name.startswith('person_') else 'units'}: {labels[name.removeprefix('person_')]}"
                for name in table.index
            ],
            name="measure",
        )
        return table


@explains_arguments
def unit_risk(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    *,
    max_members: int = LARGEST,
    corresponds: bool | None = None,
) -> UnitRiskResult:
    r"""Compute the match-based identification risk of units, such as households.

    A released unit matches a target unit if it has the same number of members, and its members can be assigned one to one to
    the members of the target such that all known variables are equal and all synthesized values are equal or within the
    radius (bipartite matching). c, T, K and F are defined as in `identification_risk`, with units as targets.

    T is defined only if the units correspond: every dataset has the rows of the confidential file, the same rows belong
    together, and the known variables do not disprove the order of rows. Otherwise, :math:`\sum_i 1 / c_i` over the units with
    a match is an upper bound of the expected match risk.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets with the columns of the unit, and any number of units.
    intruder : Intruder
        The intruder, who knows the known variables and the true synthesized values of all members. `unit` names the columns
        that identify a unit in every frame; the numbers need not agree between the files. The norm must be the box.
    max_members : int, default 50
        Largest allowed number of members of a unit.
    corresponds : bool, optional
        False if row i of the release does not describe record i. Default: detected, as described above.

    Returns
    -------
    UnitRiskResult

    Raises
    ------
    InputError
        If the intruder has no `unit`, or knows it; if a unit has more than `max_members` members; if a column is unknown; or if
        an option of the intruder is not supported.
    DtypeMismatchError, MissingValueError
        As in `identification_risk`.

    Warns
    -----
    NoUniqueMatchWarning
        If the units correspond and no unit has exactly one match in a dataset.
    NoBetterThanBaselineWarning
        If the synthesized values do not find more units than the known variables alone.

    Notes
    -----
    Cost: units are blocked on the values compared by value and searched by their smallest first continuous value; each
    candidate takes at most O(s\ :sup:`3`) for s members.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"hhid": [1, 1, 2, 2, 3, 3], "sex": list("fmfmfm"), "income": [10, 20, 40, 50, 10, 90]})
    >>> released = people.assign(income=[11, 21, 10, 50, 11, 88])
    >>> someone = sl.Intruder(known=["sex"], synthesized=["income"], radius={"income": 0.2}, unit="hhid")
    >>> risk = sl.unit_risk(people, released, someone)
    >>> risk.units.match_count[:, 0].tolist(), risk.units.contains_true[:, 0].tolist()
    ([1, 0, 1], [True, False, True])
    >>> float(risk.units.expected_match_risk[0]), float(risk.known_only[0])
    (2.0, 1.0)
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic)
    check_intruder(intruder, "unit_risk", ("boundary", "missing", "bands", "unit"), norms=("box",))
    if intruder.unit is None:
        raise InputError('intruder: unit_risk needs its unit, for example sl.Intruder(..., unit="hhid")')
    columns = tuple(_checks.check_columns(frame, intruder.unit, "unit", where="confidential"))
    if set(columns) & set(intruder.used):
        raise InputError("unit: the intruder cannot know the numbers of units; remove them from known and synthesized")
    frame = in_bands(frame, release.frames, intruder.bands)
    intruder = resolve(frame, release, intruder)
    for where, one in _named(frame, release.frames):
        _checks.check_columns(one, list(columns), "unit", where=where)
        numeric = [c for c in intruder.used if pd.api.types.is_float_dtype(one[c].dtype)]
        _checks.check_finite_or_missing(one, intruder.used, where=where, numeric=numeric, missing=intruder.missing)
    units = [unit_codes(one, columns) for _, one in _named(frame, release.frames)]
    most = _checks.check_count(max_members, "max_members", 1)
    for (where, _), code in zip(_named(frame, release.frames), units, strict=True):
        large = int((np.bincount(code) > most).sum())
        if large:
            raise InputError(
                f"unit: {large:,} units of {where} have more than {most} members; check the columns of unit, or "
                "call unit_risk with a larger max_members"
            )
    own, *others = units
    files = [frame, frame, *release.frames]
    codes = _codes(files, intruder.by_value, intruder)
    known = block_codes(files, [c for c in intruder.known if c not in intruder.radii], intruder.missing)
    everyone = Prepared(intruder, frame, (), np.arange(len(frame)))
    names = list(intruder.radii)
    intervals = everyone.intervals(names) if names else None
    aligned = (
        corresponds is not False
        and all(np.array_equal(own, other) for other in others)  # units are numbered in the order of their first rows
        and not _moved(frame, release.frames, tuple(intruder.known))
    )
    if corresponds and not aligned:
        raise InputError(
            "corresponds=True: the rows of a dataset do not describe the same units as the confidential rows; pass False"
        )
    yes = np.ones(int(own.max()) + 1, dtype=bool) if aligned else None
    target = Members.of(own, codes[0])
    sizes_only = np.zeros(len(own), dtype=np.int64)

    def outcomes(number: int, code: IntArray, true: BoolArray | None) -> tuple[UnitMatches, list[float]]:
        """Return the matches of one file, and the numbers of units and persons found by known variables and by sizes."""
        values = exact_floats(files[number], names)
        if intruder.missing == "never":
            values = np.where(np.isnan(values), np.inf, values)  # no interval includes infinity
        found = match_units(target, Members.of(code, codes[number]), intervals, values, true)
        alone = [
            guess
            for mine, theirs in ((known[0], known[number]), (sizes_only, np.zeros(len(code), dtype=np.int64)))
            for guess in _guesses(Members.of(own, mine), Members.of(code, theirs), true is not None)
        ]
        return found, alone

    def result(
        found: list[tuple[UnitMatches, list[float]]], base: UnitRiskResult | None, true: bool, n: list[int]
    ) -> UnitRiskResult:
        matches = [one for one, _ in found]
        known_only, person_known_only, size_only, person_size_only = np.array([alone for _, alone in found]).T
        return UnitRiskResult(
            _outcomes([one.units for one in matches], [one.own_unit for one in matches], true),
            _outcomes([one.persons for one in matches], [one.own_person for one in matches], true),
            size=_checks.read_only(target.size),
            released=_checks.read_only(np.array(n)),
            known_only=_checks.read_only(known_only),
            size_only=_checks.read_only(size_only),
            person_known_only=_checks.read_only(person_known_only),
            person_size_only=_checks.read_only(person_size_only),
            baseline=base,
            unit=columns,
            intruder=intruder,
            data_kind=_checks.data_kind(frame),
        )

    all_true = np.ones(int(own.max()) + 1, dtype=bool)
    baseline = result([outcomes(1, own, all_true)], None, True, [len(target.size)])
    found = [outcomes(number, code, yes) for number, code in enumerate(others, start=2)]
    risk = result(found, baseline, aligned, [int(code.max()) + 1 for code in others])
    _warn(risk)
    return risk


def _named(frame: pd.DataFrame, frames: tuple[pd.DataFrame, ...]) -> list[tuple[str, pd.DataFrame]]:
    return [("confidential", frame), *((f"synthetic dataset {i}", one) for i, one in enumerate(frames, start=1))]


def _codes(files: list[pd.DataFrame], columns: list[str], intruder: Intruder) -> list[IntArray]:
    """Return block codes of the variables compared by value, which also state the missing continuous values."""
    codes = block_codes(files, columns, intruder.missing)
    radii = list(intruder.radii)
    if intruder.missing != "category" or not radii:
        return codes
    bits = 1 << np.arange(len(radii))
    stated = [
        np.column_stack([code, np.isnan(exact_floats(one, radii)) @ bits])
        for code, one in zip(codes, files, strict=True)
    ]
    joint = np.unique(np.concatenate(stated), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.split(joint, np.cumsum([len(one) for one in files])[:-1])


def _moved(frame: pd.DataFrame, frames: tuple[pd.DataFrame, ...], known: tuple[str, ...]) -> bool:
    """Return whether the known variables disprove that row i of the release describes record i."""
    if not known:
        return False
    differing, by_chance, _ = disagreement(frame, frames, list(known))
    return disproves_order(differing, by_chance, len(frame))


def _outcomes(counts: list[IntArray], true: list[BoolArray], corresponds: bool) -> MatchOutcomes:
    return MatchOutcomes(
        _checks.read_only(np.column_stack(counts)), _checks.read_only(np.column_stack(true)), corresponds
    )


def _guesses(targets: Members, released: Members, corresponds: bool) -> tuple[float, float]:
    """Return the expected numbers of units and persons guessed correctly by the codes, or upper bounds of these numbers."""
    key, other = signatures(targets, released)
    matches = np.bincount(other, minlength=int(key.max()) + 1)[key]
    share = ((key == other) if corresponds else (matches > 0)) / np.maximum(matches, 1)
    # In each matching unit, a person can be every member with the same code.
    unit = targets.unit[targets.rows]
    _, member, alike = np.unique(np.column_stack([unit, targets.code]), axis=0, return_inverse=True, return_counts=True)
    person = share[unit] / alike[member.reshape(-1)]
    if corresponds:
        theirs = np.empty_like(released.code)
        theirs[released.rows] = released.code
        person = np.where(theirs[targets.rows] == targets.code, person, 0.0)
    return float(share.sum()), float(person.sum())


def _warn(risk: UnitRiskResult) -> None:
    if risk.corresponds and (empty := int((risk.units.n_unique == 0).sum())):
        warn(
            f"no unit has exactly one match in {empty} of {risk.m} datasets: the false match rate of these datasets is undefined "
            "(0/0) and returned as NaN",
            NoUniqueMatchWarning,
        )
    found = risk.units.expected_match_risk if risk.corresponds else risk.units.match_risk_bound
    if float(found.mean()) <= float(risk.known_only.mean()) * (1 + 1e-12):
        warn(
            f"matching finds {'' if risk.corresponds else 'at most '}{found.mean():.2f} of {len(risk.size):,} units on average, no more "
            f"than the {risk.known_only.mean():.2f} that the known variables alone would: here the synthesized values do not help "
            "this intruder",
            NoBetterThanBaselineWarning,
        )
