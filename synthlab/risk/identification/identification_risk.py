"""Matching-based identification risk.

The intruder knows some variables of a person (released unchanged) and the true values of the synthesized variables, and
searches the release for records that agree. See Hu's lecture 8, Reiter and Mitra (2009, section 2), and Hornby and Hu
(2021).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
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
from synthlab.matching.match_inputs import prepare
from synthlab.matching.released_rows import Rows
from synthlab.risk.identification.unit_risk import UnitRiskResult, unit_risk

MEASURES = {
    "expected_match_risk": "expected match risk",
    "true_match_rate": "true match rate",
    "false_match_rate": "false match rate",
    "n_unique": "unique matches",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdentificationRiskResult(Result):
    """Record-level and file-level identification risk of a release.

    Attributes
    ----------
    match_count : numpy.ndarray of int, shape (targets, m)
        c_i: the number of released records that match target i in dataset l.
    contains_true : numpy.ndarray of bool, shape (targets, m)
        T_i: whether the target's own record is one of these matches (False if c_i = 0).
    unique_true, unique_false : numpy.ndarray of bool, shape (targets, m)
        K_i: there is exactly one match and it is correct. F_i: there is exactly one match and it is wrong.
    record_match_risk : numpy.ndarray of float, shape (targets, m)
        T_i / c_i, the probability of picking the right record; 0 when c_i = 0.
    n_unique : numpy.ndarray of int, shape (m,)
        s: the number of released targets with exactly one match.
    expected_match_risk : numpy.ndarray of float, shape (m,)
        Sum of T_i / c_i, in [0, N].
    true_match_rate : numpy.ndarray of float, shape (m,)
        Sum of K_i / N, where N is the number of released targets.
    false_match_rate : numpy.ndarray of float, shape (m,)
        Sum of F_i / s over the released targets; NaN if s = 0.
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the targets.
    released : numpy.ndarray of bool, shape (targets,)
        Whether the record of the target is released. If all records are released, all targets are.
    n : int
        Number of released records.
    random_guess : float
        Expected number of correct guesses of an intruder who picks records at random: N / n.
    known_only : numpy.ndarray of float, shape (m,)
        Expected number of correct guesses of an intruder who uses only the known variables that are compared by value. A
        target is not found if one of these values was changed in its own record.
    baseline : IdentificationRiskResult or None
        The measures for the confidential data released unchanged (m = 1).
    intruder : Intruder
        The intruder, which defines when two records match; ``intruder.describe()`` states the rule in a sentence.
    data_kind : {"real", "simulated"} or None
        Kind of data that the confidential frame declares.
    units : UnitRiskResult or None
        The risk of whole units, if the intruder has a `unit`; see `unit_risk`.
    """

    _figure: ClassVar[str] = "risk.plot_record_risk"

    match_count: IntArray
    contains_true: BoolArray
    targets: IntArray
    released: BoolArray
    n: int
    known_only: FloatArray
    baseline: IdentificationRiskResult | None
    intruder: Intruder
    data_kind: str | None = None
    units: UnitRiskResult | None = None

    @property
    def title(self) -> str:
        """Number of targets, records and datasets, and description of the intruder."""
        head = f"Identification risk by matching: {self.targets.size:,} targets, {self.n:,} records, m = {self.m}"
        if not self.released.all():
            head += f"\n{count((~self.released).sum())} targets are not released; the measures refer to the released targets."
        units = "" if self.units is None else f"\n{self.units.sentence()}"
        return f"{head}\n{self.intruder.describe()}{units}"

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.match_count.shape[1])

    @property
    def unique_true(self) -> BoolArray:
        """K_i, whether the only match is correct, shape (targets, m)."""
        return _checks.read_only((self.match_count == 1) & self.contains_true)

    @property
    def unique_false(self) -> BoolArray:
        """F_i, whether the only match is wrong, shape (targets, m)."""
        return _checks.read_only((self.match_count == 1) & ~self.contains_true)

    @property
    def record_match_risk(self) -> FloatArray:
        """T_i / c_i, shape (targets, m); 0 if no record matches."""
        return _checks.read_only(self.contains_true / np.maximum(self.match_count, 1))

    @property
    def n_unique(self) -> IntArray:
        """Number of released targets with exactly one match, shape (m,)."""
        return _checks.read_only((self.match_count == 1)[self.released].sum(axis=0))

    @property
    def expected_match_risk(self) -> FloatArray:
        """Sum of T_i / c_i, shape (m,)."""
        return _checks.read_only(self.record_match_risk.sum(axis=0))

    @property
    def true_match_rate(self) -> FloatArray:
        """Sum of K_i / N, shape (m,)."""
        return _checks.read_only(self.unique_true.sum(axis=0) / self.released.sum())

    @property
    def false_match_rate(self) -> FloatArray:
        """Sum of F_i / s, shape (m,); NaN if s = 0."""
        unique = self.n_unique
        wrong = self.unique_false[self.released].sum(axis=0)
        return _checks.read_only(np.divide(wrong, unique, out=np.full(self.m, np.nan), where=unique > 0))

    @property
    def random_guess(self) -> float:
        """Expected number of correct guesses if records are picked at random: N / n."""
        return int(self.released.sum()) / self.n

    def not_released(self) -> pd.DataFrame:
        """Return the outcomes of the targets whose record is not released, one row per dataset.

        An intruder who searches for such a target cannot be right. ``no_match`` counts the targets for whom the intruder
        correctly finds no record, ``unique_match`` the targets with exactly one match, which is false, and
        ``several_matches`` the other targets.
        """
        matches = self.match_count[~self.released]
        index = pd.RangeIndex(1, self.m + 1, name="dataset")
        outcomes = {"no_match": matches == 0, "unique_match": matches == 1, "several_matches": matches > 1}
        return pd.DataFrame({name: outcome.sum(axis=0) for name, outcome in outcomes.items()}, index=index)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m with the four file-level measures."""
        index = pd.RangeIndex(1, self.m + 1, name="dataset")
        return pd.DataFrame({name: getattr(self, name) for name in MEASURES}, index=index)

    def records_to_frame(self) -> pd.DataFrame:
        """Return the record-level measures, one row per dataset and target."""
        columns = ["match_count", "contains_true", "unique_true", "unique_false", "record_match_risk"]
        index = pd.MultiIndex.from_product([range(1, self.m + 1), self.targets], names=["dataset", "record"])
        return pd.DataFrame({c: getattr(self, c).T.reshape(-1) for c in columns}, index=index)

    def summary(self) -> pd.DataFrame:
        """Return the means of the measures over the datasets, with spread and baselines.

        The columns are ``mean``, ``min`` and ``max`` over the datasets; ``se``, the Monte Carlo standard error of the mean
        (NaN for m = 1); ``confidential``, the value for the confidential data released unchanged; and ``known_only`` and
        ``random_guess`` for the expected match risk. A false match rate is averaged over the datasets in which it is defined.
        """
        frame = self.to_frame().astype(float)
        spread = frame.std(ddof=1) / np.sqrt(frame.notna().sum())
        table = pd.DataFrame({"mean": frame.mean(), "min": frame.min(), "max": frame.max(), "se": spread})
        if self.baseline is not None:
            table["confidential"] = self.baseline.to_frame().astype(float).iloc[0]
        table["known_only"] = pd.Series({"expected_match_risk": float(self.known_only.mean())})
        table["random_guess"] = pd.Series({"expected_match_risk": self.random_guess})
        table.index = pd.Index([MEASURES[name] for name in table.index], name="measure")
        return table

    def most_exposed(self, k: int = 10) -> pd.DataFrame:
        """Return the row positions and risks of the k targets with the highest match risk."""
        k = _checks.check_count(k, "k")
        mean = self.record_match_risk.mean(axis=1)
        top = np.lexsort((self.targets, -mean))[:k]
        table = {
            "record": self.targets[top],
            "match_risk": mean[top],
            "mean_match_count": self.match_count[top].mean(axis=1),
        }
        if self.baseline is not None:
            table["match_risk_confidential"] = self.baseline.record_match_risk[top, 0]
        return pd.DataFrame(table)


@explains_arguments
def identification_risk(
    confidential: FrameLike, synthetic: FrameOrFrames, intruder: Intruder, *, rows: Rows = None
) -> IdentificationRiskResult:
    r"""Compute the match-based identification risk of a partially synthetic release.

    Equations: Hu, lecture 8 (2), (3), (4), (counts)

    For target i and synthetic dataset l, the matches are the records of dataset l that agree with i's confidential record on
    all known variables and all synthesized variables (equal, or within the radius). Let :math:`c_i` be the number of
    matches, and :math:`T_i = 1` if i's own record is a match. The measures are

    .. math::

       \text{expected match risk} &= \sum_i T_i / c_i, \\
       \text{true match rate} &= \sum_i 1\{c_i T_i = 1\} / N, \\
       \text{false match rate} &= \sum_i 1\{c_i (1 - T_i) = 1\} / s,

    where N is the number of targets and s the number of targets with :math:`c_i = 1`. With m > 1 each
    is computed per dataset; ``summary()`` averages.

    The agency might release only n' of the n collected records (lecture 8, "Notation and setup"; Reiter 2005). N and the sums
    then refer to the targets whose record is released. A target whose record is not released has :math:`T_i = 0`, and
    ``not_released()`` counts how many of them have no match, one false match, or several.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets of n rows, or of n' rows with `rows`; row i belongs to the person in row i of `confidential`.
    intruder : Intruder
        The intruder, which defines the known variables and when two records match. The norm must be the box or the Euclidean
        norm; partial knowledge is not supported. With `bands`, a record matches if its band contains the target's value.
    rows : array of row positions, boolean mask of shape (n,), or str, optional
        Released records, if only n' of the n records are released. Positions: row i of each dataset describes the confidential
        record at position ``rows[i]``. Mask: the marked records are released in their order. Text: a column with unique values
        in `confidential` and in every dataset, whose values link the rows. Default: row i describes record i.

    Returns
    -------
    IdentificationRiskResult

    Raises
    ------
    InputError
        If a variable is unknown, a continuous synthesized variable has no radius, a radius is given for a variable that is
        not numeric or has whole numbers beyond 2**53 (floats cannot distinguish these), a value is infinite, or an option of
        the intruder applies only to `intruder_risk`.
    RowAlignmentError
        Row counts or indices of the frames differ, or `rows` does not fit the datasets.
    DtypeMismatchError
        A column holds numbers in one frame and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``.

    Warns
    -----
    NoUniqueMatchWarning
        If no target has exactly one match in a dataset; the false match rate of the dataset is NaN.
    KnownVariableChangedWarning
        If a known variable differs between the two frames.
    NoBetterThanBaselineWarning
        If matching on the synthesized variables does not find more people than the known variables alone.

    Notes
    -----
    "Compared by value" means that the values are exactly equal, independent of their dtypes: 2 equals 2.0 and 0 equals -0.0,
    but neither 2**53 + 1 nor ``Decimal("0.1")`` equals the nearest float (``Decimal("0.5")`` equals 0.5).

    Cost: O(n log n) per dataset with at most two continuous variables and O(n log^(k - 1) n) with k continuous variables. If
    it is smaller, the cost is the sum over the targets of the number of records within their most selective interval. The
    Euclidean norm always has this cost. Datasets are matched in parallel; ``joblib.parallel_config`` sets the number of
    cores (default: all cores).

    Symbols of the paper: c_i ``match_count``, T_i ``contains_true``, K_i ``unique_true``, F_i ``unique_false``, s ``n_unique``.
    In the code of the lecture, a missing pair of braces sets T_i = 1 if c_i = 0. Here T_i = 0, as defined. The three
    summaries are identical.

    References
    ----------
    Hu, J. Statistical data privacy, lecture 8: methods for risk evaluation part 1, equations (2) to (4).
    Reiter, J. P. (2005). Estimating risks of identification disclosure in microdata. Journal of the American Statistical
    Association 100, 1103-1113.
    Reiter, J. P. and Mitra, R. (2009). Estimating risks of identification disclosure in partially
    synthetic data. Journal of Privacy and Confidentiality 1(1), 99-110.
    Hornby, R. and Hu, J. (2021). Identification risks evaluation of partially synthetic data with the
    IdentificationRiskCalculation R package. Transactions on Data Privacy 14(1), 37-52.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> confidential = pd.DataFrame({"region": ["N", "N", "N", "S", "S", "S"], "income": [10, 20, 40, 15, 30, 30]})
    >>> synthetic = confidential.assign(income=[11, 21, 41, 30, 16, 31])
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.2})
    >>> risk = sl.identification_risk(confidential, synthetic, someone)
    >>> risk.match_count[:, 0].tolist()
    [1, 1, 1, 1, 2, 2]
    >>> risk.contains_true[:, 0].tolist()
    [True, True, True, False, False, True]
    >>> float(risk.expected_match_risk[0])
    3.5
    >>> round(float(risk.known_only[0]), 6)
    2.0

    If only the last five records are released, the first person cannot be found:

    >>> fewer = sl.identification_risk(confidential, synthetic.iloc[1:], someone, rows=[1, 2, 3, 4, 5])
    >>> fewer.not_released().iloc[0].to_dict(), float(fewer.expected_match_risk[0])
    ({'no_match': 1, 'unique_match': 0, 'several_matches': 0}, 2.5)
    """
    check_intruder(intruder, "identification_risk", ("boundary", "missing", "convention", "targets", "bands", "unit"))
    prepared = prepare(confidential, synthetic, intruder, rows=rows)
    released = prepared.released()
    if not released.any():
        raise InputError(
            "targets: no record of the targets is released, so the measures are undefined; add released targets"
        )
    result = partial(
        IdentificationRiskResult,
        targets=_checks.read_only(prepared.targets),
        released=_checks.read_only(released),
        n=len(prepared.confidential) if prepared.rows is None else prepared.rows.size,
        intruder=prepared.intruder,
        data_kind=_checks.data_kind(prepared.confidential),
    )
    alone = _known_only(*prepared.match_known())
    (own_count, own_contains), (matches, contains) = prepared.match()
    baseline = result(
        match_count=_checks.read_only(own_count),
        contains_true=_checks.read_only(own_contains),
        known_only=alone[:1],
        baseline=None,
    )
    risk = result(
        match_count=_checks.read_only(matches),
        contains_true=_checks.read_only(contains),
        known_only=alone[1:],
        baseline=baseline,
        units=None if intruder.unit is None else _risk_of_units(confidential, synthetic, intruder, rows),
    )
    warn_of(risk, int(released.sum()), "target")
    return risk


def _risk_of_units(confidential: FrameLike, synthetic: FrameOrFrames, intruder: Intruder, rows: Rows) -> UnitRiskResult:
    """Return the risk of all units; the targets are units, not records."""
    if rows is not None:
        raise InputError(
            "rows: cannot be combined with the unit of the intruder; use unit_risk for a part of the units"
        )
    if intruder.convention is not None:
        raise InputError('convention="irc": has no rule for units; omit unit or convention')
    return unit_risk(confidential, synthetic, replace(intruder, targets=None))


def _known_only(count: IntArray, own: BoolArray) -> FloatArray:
    """Return the expected number of correct guesses in each dataset, shape (m,)."""
    share = np.ascontiguousarray((own / np.maximum(count, 1)).T)
    # Sum one dataset at a time, so that the last bit of the sum does not depend on m.
    return _checks.read_only(share.sum(axis=1))


def warn_of(risk: Any, n: int, who: str) -> None:
    """Warn if no record has a unique match, or if matching does not beat the known variables."""
    empty = int((risk.n_unique == 0).sum())
    if empty:
        warn(
            f"no {who} has exactly one match in {empty} of {risk.m} datasets: the false match rate of these datasets is "
            "undefined (0/0) and returned as NaN",
            NoUniqueMatchWarning,
        )
    found, guessed = float(risk.expected_match_risk.mean()), float(risk.known_only.mean())
    if found <= guessed * (1 + 1e-12):
        warn(
            f"matching finds {found:.2f} of {n:,} {who}s on average, no more than the {guessed:.2f} that the known variables "
            "alone would: here the synthesized variables do not help this intruder",
            NoBetterThanBaselineWarning,
        )
