"""Identification risk by matching in files larger than memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray, IntArray, PathOrStr
from synthlab.intruder import Intruder, check_intruder
from synthlab.risk.identification.identification_risk import IdentificationRiskResult as InMemoryResult, warn_of
from synthlab.scale._engine import Tally, working
from synthlab.scale._records import Counted, ask, counted

ARRAYS = ("expected_match_risk", "true_match_rate", "false_match_rate", "n_unique", "known_only")
IN_MEMORY: Any = InMemoryResult  # its tables use only the file-level measures


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdentificationRiskResult(Result):
    """File-level identification risk of a release; the records are in Parquet files.

    Attributes
    ----------
    expected_match_risk, true_match_rate, false_match_rate : numpy.ndarray of float, shape (m,)
        As in `synthlab.identification_risk`.
    n_unique : numpy.ndarray of int, shape (m,)
        Records with exactly one match.
    known_only : numpy.ndarray of float, shape (m,)
        Expected correct guesses that use only the known variables that are compared by value.
    random_guess : float
        Expected correct guesses of an intruder who picks a record at random: 1.
    baseline : IdentificationRiskResult or None
        The same measures for the confidential data released unchanged.
    n : int
        Number of records.
    intruder : Intruder
        Intruder, who defines when two records match.
    output : pathlib.Path
        Folder of Parquet files with one row per record: its id; `match_count_1`, `contains_true_1`, ... for each dataset;
        and `match_count_confidential`, `contains_true_confidential` for the confidential data against themselves.
    """

    expected_match_risk: FloatArray
    true_match_rate: FloatArray
    false_match_rate: FloatArray
    n_unique: IntArray
    known_only: FloatArray
    baseline: IdentificationRiskResult | None
    n: int
    intruder: Intruder
    output: Path

    @property
    def title(self) -> str:
        """Number of records and datasets, and description of the intruder."""
        return f"Identification risk by matching: {self.n:,} records, m = {self.m}\n{self.intruder.describe()}"

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.n_unique.size

    @property
    def random_guess(self) -> float:
        """Expected correct guesses of an intruder who picks at random."""
        return 1.0

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m with the four file-level measures."""
        return pd.DataFrame(IN_MEMORY.to_frame(self))

    def summary(self) -> pd.DataFrame:
        """Return the averages over m datasets, their spread and baselines, as in memory."""
        return pd.DataFrame(IN_MEMORY.summary(self))


def identification_risk(
    confidential: Any,
    synthetic: Any,
    intruder: Intruder,
    *,
    id: str,
    output: PathOrStr,
    partition_rows: int | None = None,
) -> IdentificationRiskResult:
    r"""Compute the identification risk of a release in files larger than memory.

    The measures and the counts per record equal those of `synthlab.identification_risk`, but records are identified by an
    id instead of the order of rows. DuckDB divides the files on this machine, or the workers of the active
    ``dask.distributed.Client`` divide them. An interrupted call continues with the finished partitions when it is repeated.

    Parameters
    ----------
    confidential : path or dask DataFrame
        Confidential data: a Parquet or CSV file, a folder of such files, or a dask DataFrame.
    synthetic : path, dask DataFrame, or a list of them
        The m synthetic datasets, with the same ids.
    intruder : Intruder
        Intruder without `targets`.
    id : str
        Column of record ids (whole numbers or text). Each file must contain the same ids, each exactly once.
    output : path
        New folder for Parquet files with the counts of every record. All machines must be able to write to it.
    partition_rows : int, optional
        Maximum number of records of all files per partition; by default limited by the memory.

    Returns
    -------
    IdentificationRiskResult

    Raises
    ------
    InputError, RowAlignmentError, DtypeMismatchError, MissingValueError
        As in `synthlab.identification_risk`. Also if ids are missing, repeated or differ between files, if the folder
        exists, if memory or disk space is too small, or if a block of records cannot be split.

    Warns
    -----
    NoUniqueMatchWarning, KnownVariableChangedWarning, NoBetterThanBaselineWarning
        As in `synthlab.identification_risk`.
    FitsInMemoryWarning
        If the files fit in memory, where `synthlab.identification_risk` needs less work.

    Notes
    -----
    The files are joined by id and divided by a hash of the known variables that are compared by value. The partitions are counted
    by the functions in memory, and the results are added. A partition that is too large is cut along its first continuous variable.
    Each slice gets the released records that its targets can match. With one continuous variable, it gets only the records near the
    ends of the intervals, and the number of records in between. The memory determines the size of the partitions. Until the
    folder `output` is complete, the folder ``OUTPUT.unfinished`` contains the work, which only its owner can read.

    Examples
    --------
    >>> import tempfile, pandas as pd, synthlab as sl
    >>> people = pd.DataFrame({"person": range(6), "region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> released = people.assign(income=[11, 21, 41, 30, 16, 31]).sample(frac=1, random_state=1)
    >>> folder = tempfile.mkdtemp()
    >>> people.to_parquet(f"{folder}/people.parquet")
    >>> released.to_parquet(f"{folder}/released.parquet")
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.2})
    >>> risk = sl.scale.identification_risk(
    ...     f"{folder}/people.parquet", f"{folder}/released.parquet", someone, id="person", output=f"{folder}/risk"
    ... )
    >>> float(risk.expected_match_risk[0])
    3.5
    >>> pd.read_parquet(risk.output).sort_values("person")["match_count_1"].tolist()
    [1, 1, 1, 1, 2, 2]
    """
    check_intruder(intruder, "identification_risk", ("boundary", "missing", "convention"))
    options = ("identification_risk", confidential, synthetic, output, partition_rows, intruder, id)
    with working(*options) as (work, everything):
        question = ask(work, everything, intruder, id, True)
        told = counted(work, everything, question, _finish)
        n = everything[0].rows
    unique, wrong, *sums = (
        np.sum([one[name] for one in told if one["records"]], axis=0) for name in ("unique", "wrong", "risk", "known")
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = [(unique - wrong) / n, np.where(unique > 0, wrong / unique, np.nan)]
    shared: Any = {"n": n, "intruder": question.intruder, "output": _checks.check_path(output, "output")}

    def result(some: slice, baseline: IdentificationRiskResult | None) -> IdentificationRiskResult:
        arrays = [_checks.read_only(np.array(array[some])) for array in (sums[0], *rates, unique, sums[1])]
        named: Any = dict(zip(ARRAYS, arrays, strict=True))
        return IdentificationRiskResult(**named, baseline=baseline, **shared)

    risk = result(slice(1, None), result(slice(0, 1), None))
    warn_of(risk, risk.n, "record")
    return risk


def _finish(counts: Counted) -> tuple[pd.DataFrame, Tally]:
    count, own = counts.count, counts.own
    names = ["confidential", *map(str, range(1, count.shape[1]))]
    order = [*range(1, len(names)), 0]
    records = pd.DataFrame(
        {
            f"{what}_{names[j]}": array[:, j]
            for j in order
            for what, array in (("match_count", count), ("contains_true", own))
        }
    )
    # One contiguous column at a time: the rounding error of a sum over rows grows with their number.
    risk, known = (
        np.ascontiguousarray((match / np.maximum(matches, 1)).T)
        for match, matches in ((own, count), (counts.known, counts.size))
    )
    tally = {
        "unique": (count == 1).sum(axis=0),
        "wrong": ((count == 1) & ~own).sum(axis=0),
        "risk": risk.sum(axis=1),
        "known": known.sum(axis=1),
    }
    return records, tally
