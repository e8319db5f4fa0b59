"""Identification risk by matching, of files larger than memory."""

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
from synthlab.scale._count import Counted, Tally
from synthlab.scale._exact_sums import exact_sum
from synthlab.scale._run import counted, new_folder

ARRAYS = ("expected_match_risk", "true_match_rate", "false_match_rate", "n_unique", "known_only")
IN_MEMORY: Any = InMemoryResult  # its tables need no more than the measures of a file


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdentificationRiskResult(Result):
    """File-level identification risk of a release; the records are in Parquet files.

    Attributes
    ----------
    expected_match_risk, true_match_rate, false_match_rate : numpy.ndarray of float, shape (m,)
        As in memory; a sum over the records is the exact one, rounded once.
    n_unique : numpy.ndarray of int, shape (m,)
        Records with exactly one match.
    known_only : numpy.ndarray of float, shape (m,)
        Expected correct guesses from the known variables compared by value alone.
    random_guess : float
        Expected correct guesses of an intruder who picks a record blindly: 1.
    baseline : IdentificationRiskResult or None
        The same measures for the confidential data released as they are.
    n : int
        Records.
    intruder : Intruder
        When two records match.
    output : pathlib.Path
        The folder of Parquet files with a row a record: its id, `match_count_1`, `contains_true_1`, ... of the datasets, and
        `match_count_confidential`, `contains_true_confidential` of the confidential data against themselves.
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
        """Records, datasets, and what the intruder knows."""
        return f"Identification risk by matching: {self.n:,} records, m = {self.m}\n{self.intruder.describe()}"

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.n_unique.size

    @property
    def random_guess(self) -> float:
        """Expected correct guesses of an intruder who picks blindly."""
        return 1.0

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m with the four file-level measures."""
        return pd.DataFrame(IN_MEMORY.to_frame(self))

    def summary(self) -> pd.DataFrame:
        """Return the measures averaged over the m datasets, with their spread and the baselines, as in memory."""
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
    r"""Expected match risk, true and false match rate of a release in files larger than memory.

    The measures, and the counts of every record, are those of `synthlab.identification_risk`; records are told apart by an id
    in place of the order of rows. Dask computes them: in this process, or on the workers of the active
    ``dask.distributed.Client``, where files are shuffled from worker to worker and a worker that is lost is replaced.

    Parameters
    ----------
    confidential : path or dask DataFrame
        The data as collected: a Parquet file, a folder of them, or a dask DataFrame.
    synthetic : path, dask DataFrame, or a list of them
        m datasets with the same ids.
    intruder : Intruder
        As in memory, without `targets`.
    id : str
        The column with the id of each record, whole numbers or text: in each file every id once, and the same ids in all.
    output : path
        A new folder for the Parquet files with the counts of every record. On several machines all must reach it.
    partition_rows : int, optional
        The most records of all files together in a partition. By default as many as the memory of the workers takes.

    Returns
    -------
    IdentificationRiskResult

    Raises
    ------
    InputError, RowAlignmentError, DtypeMismatchError, MissingValueError
        As in memory; ids that are missing, repeated or not the same; a folder that is there; workers too small, or a block of
        records that cannot be cut: the message says what to change.

    Warns
    -----
    NoUniqueMatchWarning, KnownVariableChangedWarning, NoBetterThanBaselineWarning
        As in memory.

    Notes
    -----
    Both files are shuffled twice: by id, to compare each record with its own released one, and by the known variables compared by
    value. A block of equal known values too large for a worker is cut along a continuous variable; a part
    then gets the released records within the reach of its targets, with one variable only those near the ends of their intervals, and of
    those in between the number. Partitions are sized by the memory of the workers.

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
    with new_folder(output) as folders:
        answer = counted(confidential, synthetic, intruder, id, partition_rows, folders, _finish)
    unique, wrong = answer.total("unique"), answer.total("wrong")
    sums = [np.array([float(one) for one in answer.total(name)]) for name in ("risk", "known")]
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = [(unique - wrong) / answer.n, np.where(unique > 0, wrong / unique, np.nan)]
    shared: Any = {"n": answer.n, "intruder": answer.question.intruder, "output": _checks.check_path(output, "output")}

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
    risk, known = own / np.maximum(count, 1), counts.known / np.maximum(counts.size, 1)
    tally = {
        "unique": (count == 1).sum(axis=0),
        "wrong": ((count == 1) & ~own).sum(axis=0),
        "risk": np.array([exact_sum(column) for column in risk.T], dtype=object),
        "known": np.array([exact_sum(column) for column in known.T], dtype=object),
    }
    return records, tally
