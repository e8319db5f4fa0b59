"""Identification probability (IR) in files larger than memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray, PathOrStr
from synthlab.intruder import Intruder, check_intruder
from synthlab.risk.identification import identification_probability as _in_memory
from synthlab.scale._engine import Tally, Work, working
from synthlab.scale._files import quoted, read_sql
from synthlab.scale._records import Counted, ask, counted

QUANTILES = {"25 %": 0.25, "median": 0.5, "75 %": 0.75, "90 %": 0.9, "max": 1.0}
COLUMNS = ["mean", *QUANTILES]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdentificationProbabilityResult(Result):
    """Distribution of the identification probabilities over the records of a file.

    Attributes
    ----------
    per_dataset : pandas.DataFrame
        Mean, quartiles, 90% quantile and maximum of IR over the records; one row per dataset 1..m.
    of_records : pandas.DataFrame
        The same statistics for the confidential data (baseline) and for the mean over the datasets of each record.
    singletons : int
        Number of records that are alone in their pattern in the confidential data.
    n : int
        Number of records.
    intruder : Intruder
        Intruder, who defines when two records match.
    output : pathlib.Path
        Folder of Parquet files with one row per record: its id, `record`, `confidential`, and `dataset_1`,
        `pattern_size_1`, `contains_true_1`, ... for each dataset.
    """

    per_dataset: pd.DataFrame
    of_records: pd.DataFrame
    singletons: int
    n: int
    intruder: Intruder
    output: Path

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return len(self.per_dataset)

    @property
    def title(self) -> str:
        """Number of records and datasets, and description of the intruder."""
        return f"Identification probability (IR) of {self.n:,} records, m = {self.m}\n{self.intruder.describe()}"

    def to_frame(self) -> pd.DataFrame:
        """Return the distribution of IR over the records, one row per dataset 1..m."""
        return self.per_dataset.copy()

    def summary(self) -> pd.DataFrame:
        """Return the distribution of IR: confidential and synthetic (mean over datasets)."""
        return self.of_records.copy()


def identification_probability(
    confidential: Any,
    synthetic: Any,
    intruder: Intruder,
    *,
    id: str,
    output: PathOrStr,
    singletons: Literal["formula", "certain"] = "formula",
    partition_rows: int | None = None,
) -> IdentificationProbabilityResult:
    """Compute the identification probability (IR) in files larger than memory.

    The probabilities equal those of `synthlab.identification_probability`. For ids, files and partitions, see
    `synthlab.scale.identification_risk`.

    Parameters
    ----------
    confidential : path or dask DataFrame
        Confidential data.
    synthetic : path, dask DataFrame, or a list of them
        The m synthetic datasets, with the same ids.
    intruder : Intruder
        As in `synthlab.identification_probability`.
    id : str
        Column of record ids; each file must contain the same ids, each exactly once.
    output : path
        New folder for Parquet files with the probabilities of every record.
    singletons : {"formula", "certain"}
        As in `synthlab.identification_probability`.
    partition_rows : int, optional
        Maximum number of records of all files per partition; by default limited by the memory.

    Returns
    -------
    IdentificationProbabilityResult

    Raises
    ------
    InputError, RowAlignmentError, DtypeMismatchError, MissingValueError
        As in `synthlab.scale.identification_risk`. A known variable must not have a radius.

    Warns
    -----
    SingletonPatternWarning
        If records are alone in their pattern and ``singletons="formula"``.

    Examples
    --------
    >>> import tempfile, pandas as pd, synthlab as sl
    >>> people = pd.DataFrame({"person": range(4), "region": list("NNNN"), "income": [100.0, 105.0, 110.0, 400.0]})
    >>> folder = tempfile.mkdtemp()
    >>> people.to_parquet(f"{folder}/people.parquet")
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
    >>> files = [f"{folder}/people.parquet"] * 2
    >>> ir = sl.scale.identification_probability(*files, someone, id="person", output=f"{folder}/ir")
    >>> pd.read_parquet(ir.output)["record"].tolist()
    [0.25, 0.25, 0.25, 0.75]
    """
    _checks.check_choice(singletons, "singletons", ("formula", "certain"))
    check_intruder(intruder, "identification_probability", ("boundary", "missing"))
    finish = partial(_finish, certain=singletons == "certain")
    options = ("identification_probability", confidential, synthetic, output, partition_rows, intruder, id, singletons)
    with working(*options) as (work, everything):
        question = ask(work, everything, intruder, id, False)
        told = counted(work, everything, question, finish)
        n, m = everything[0].rows, question.m
        sums = np.sum([one["sums"] for one in told if one["records"]], axis=0)
        names = ["confidential", "record", *(f"dataset_{number}" for number in range(1, m + 1))]
        described = pd.DataFrame(
            [[total / n, *work.each(_quantiles, [name], n)[0]] for total, name in zip(sums, names, strict=True)],
            columns=COLUMNS,
        )
    alone = sum(one.get("alone", 0) for one in told)
    if singletons == "formula":
        _in_memory.warn_of_singletons(alone, n, intruder)
    return IdentificationProbabilityResult(
        per_dataset=described.iloc[2:].set_axis(pd.RangeIndex(1, m + 1, name="dataset"), axis=0),
        of_records=described.iloc[:2].set_axis(["confidential", "synthetic"], axis=0),
        singletons=alone,
        n=n,
        intruder=question.intruder,
        output=_checks.check_path(output, "output"),
    )


def _finish(counts: Counted, certain: bool) -> tuple[pd.DataFrame, Tally]:
    singleton = counts.size[:, 0] == 1
    sure = singleton if certain else np.zeros_like(singleton)
    contains = counts.own.copy()
    contains[:, 0] = counts.can_match
    share = _in_memory._share_outside(counts.count, contains, counts.size, sure)
    each = np.ascontiguousarray(share[:, 1:])
    table = {"record": each.mean(axis=1), "confidential": share[:, 0]}
    for j in range(1, share.shape[1]):
        table |= {
            f"dataset_{j}": share[:, j],
            f"pattern_size_{j}": counts.size[:, j],
            f"contains_true_{j}": counts.own[:, j],
        }
    columns = [share[:, 0], table["record"], *share[:, 1:].T]
    return pd.DataFrame(table), {
        "sums": [np.ascontiguousarray(column).sum() for column in columns],
        "alone": int(singleton.sum()),
    }


def _quantiles(work: Work, column: str, n: int) -> FloatArray:
    """Return quantiles of a column of the output files, equal to `numpy.quantile`."""
    places = [(n - 1) * q for q in QUANTILES.values()]
    wanted = sorted({min(int(place) + step, n - 1) for place in places for step in (0, 1)})
    files = read_sql(sorted((work.folder / "records").glob("*.parquet")))
    ranks = ", ".join(f"min(v) FILTER (upto > {rank})" for rank in wanted)
    with work.connection() as connection:
        times = f"SELECT {quoted(column)} AS v, count(*) AS c FROM {files} GROUP BY v"
        found = connection.execute(f"SELECT {ranks} FROM (SELECT v, sum(c) OVER (ORDER BY v) AS upto FROM ({times}))")
        value = dict(zip(wanted, found.fetchall()[0], strict=True))
    ends = [(value[int(p)], value[min(int(p) + 1, n - 1)], p - int(p)) for p in places]
    return np.array([np.quantile([a, b], share) for a, b, share in ends])
