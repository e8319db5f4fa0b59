"""Exact copies and replicated uniques in files larger than memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames, IntArray, Missing, PathOrStr
from synthlab.intruder import Intruder, check_intruder
from synthlab.risk.copies.exact_copies import ExactCopiesResult
from synthlab.risk.identification.replicated_uniques import REFUSED, ReplicatedUniquesResult
from synthlab.scale import _cells
from synthlab.scale._cells import Cells
from synthlab.scale._count import Tally


def exact_copies(
    confidential: Any,
    synthetic: Any,
    *,
    variables: ColumnNames | None = None,
    missing: Missing = "category",
    id: str | None = None,
    output: PathOrStr | None = None,
    partition_rows: int | None = None,
) -> ExactCopiesResult:
    """Count exact copies of confidential records in files larger than memory.

    A released record is an exact copy if it equals a confidential record in every compared variable. The result equals that
    of `synthlab.exact_copies`. The order of records does not matter, so ids are not required.

    Parameters
    ----------
    confidential : path or dask DataFrame
        Confidential data: a Parquet file, a folder of Parquet files, or a dask DataFrame.
    synthetic : path, dask DataFrame, or a list of them
        The m synthetic datasets, all with the same number of records.
    variables : sequence of str, optional
        As in `synthlab.exact_copies`.
    missing : {"category", "never", "raise"}
        As in `synthlab.exact_copies`.
    id, output : str and path, optional
        Column with the record ids of the confidential data, which is not compared, and a new folder for Parquet files.
        The files have one row per confidential record: its id, the number of equal confidential records, including itself
        (`confidential`), and the number of equal released records (`copies_1`, ...).
    partition_rows : int, optional
        Approximate maximum number of records read at a time; by default limited by the memory of the workers.

    Returns
    -------
    ExactCopiesResult

    Raises
    ------
    InputError, MissingValueError
        As in `synthlab.exact_copies`.

    Examples
    --------
    >>> import tempfile, pandas as pd, synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 20, 15, 30, 30]})
    >>> folder = tempfile.mkdtemp()
    >>> people.to_parquet(f"{folder}/people.parquet")
    >>> found = sl.scale.exact_copies(f"{folder}/people.parquet", f"{folder}/people.parquet")
    >>> found.copies.tolist(), found.unique_copies.tolist(), found.duplicates
    ([6], [2], 4)
    """
    everything, fit = _cells.opened(confidential, synthetic, partition_rows)
    frames = _cells.headers(everything)
    if variables is None:
        variables = [c for c in frames[0].columns if c in frames[1].columns and c != id]
    names = _checks.check_columns(frames[0], variables, "variables", where="confidential")
    for frame in frames[1:]:
        _checks.check_columns(frame, names, "variables", where="the synthetic data")
    _cells.check_missing(everything, names, _checks.check_meaning(missing, "exact_copies"))
    never = missing == "never"
    finish, of_cell = partial(_copied, never=never), partial(_copies_of_each, never=never)
    with _cells.labels(id, output, everything) as asked:
        sizes, told = _cells.tabulated(everything, names, None, fit, finish, asked, of_cell)
    copies, unique, duplicates = (
        np.sum([one[what] for one in told], axis=0) for what in ("copies", "unique", "duplicates")
    )
    return ExactCopiesResult(
        copies=_checks.read_only(copies[1:]),
        unique_copies=_checks.read_only(unique[1:]),
        records=sizes[1],
        n=sizes[0],
        duplicates=int(duplicates[0]),
        variables=tuple(names),
    )


def _equal(cells: Cells, never: bool) -> IntArray:
    """Return the equal records per cell, (cells, 1 + m); 0 if nothing can match."""
    return np.where(cells.lost[:, None], 0, cells.count) if never else cells.count


def _copied(cells: Cells, never: bool) -> Tally:
    times = _equal(cells, never)[:, 0]
    kinds = {"copies": times > 0, "unique": times == 1, "duplicates": times > 1}
    return {name: _cells.marked(cells, where) for name, where in kinds.items()}


def _copies_of_each(cells: Cells, never: bool) -> pd.DataFrame:
    count = _equal(cells, never)
    return _cells.of_datasets({"confidential": count[:, 0], "copies": count[:, 1:]})


def replicated_uniques(
    confidential: Any,
    synthetic: Any,
    intruder: Intruder,
    *,
    id: str | None = None,
    output: PathOrStr | None = None,
    partition_rows: int | None = None,
) -> ReplicatedUniquesResult:
    """Count replicated uniques in files larger than memory.

    A replicated unique is a person with unique known values whose values are also unique in the release. The result equals
    that of `synthlab.replicated_uniques`. The order of records does not matter, so ids are not required.

    Parameters
    ----------
    confidential : path or dask DataFrame
        Confidential data.
    synthetic : path, dask DataFrame, or a list of them
        The m synthetic datasets, all with the same number of records.
    intruder : Intruder
        As in `synthlab.replicated_uniques`.
    id, output : str and path, optional
        Column with the record ids of the confidential data, which is not compared, and a new folder for Parquet files.
        The files have one row per confidential record: its id, whether it is `unique`, and if so, whether its values occur
        in the release (`found_1`, ...) and occur there exactly once (`replicated_1`, ...).
    partition_rows : int, optional
        Approximate maximum number of records read at a time; by default limited by the memory of the workers.

    Returns
    -------
    ReplicatedUniquesResult

    Raises
    ------
    InputError, DtypeMismatchError, MissingValueError
        As in `synthlab.replicated_uniques`.

    Examples
    --------
    >>> import tempfile, pandas as pd, synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNSSE"), "age": [20, 30, 20, 20, 40], "income": [1, 2, 3, 4, 5]})
    >>> folder = tempfile.mkdtemp()
    >>> people.to_parquet(f"{folder}/people.parquet")
    >>> people.assign(age=[20, 31, 20, 20, 40]).to_parquet(f"{folder}/released.parquet")
    >>> someone = sl.Intruder(known=["region", "age"], synthesized=["income"])
    >>> print(sl.scale.replicated_uniques(f"{folder}/people.parquet", f"{folder}/released.parquet", someone).title)
    3 of 5 people are unique in region, age; 2 of them are unique with the same values in the release
    """
    check_intruder(intruder, "replicated_uniques", ("missing",))
    everything, fit = _cells.opened(confidential, synthetic, partition_rows)
    known = _cells.check_keys(everything, intruder, "replicated_uniques", REFUSED)
    _cells.check_missing(everything, known, intruder.missing)
    with _cells.labels(id, output, everything) as asked:
        sizes, told = _cells.tabulated(everything, known, None, fit, _uniques, asked, _unique_of_each)
    unique, found, replicated = (
        np.sum([one[what] for one in told], axis=0) for what in ("unique", "found", "replicated")
    )
    return ReplicatedUniquesResult(
        unique=int(unique[0]),
        found=_checks.read_only(found[1:]),
        replicated=_checks.read_only(replicated[1:]),
        synthetic_unique=_checks.read_only(unique[1:]),
        n=sizes[0],
        records=sizes[1],
        intruder=intruder,
    )


def _uniques(cells: Cells) -> Tally:
    alone = cells.count[:, [0]] == 1
    return {
        "unique": (cells.count == 1).sum(axis=0),
        "found": (alone & (cells.count > 0)).sum(axis=0),
        "replicated": (alone & (cells.count == 1)).sum(axis=0),
    }


def _unique_of_each(cells: Cells) -> pd.DataFrame:
    alone, others = cells.count[:, 0] == 1, cells.count[:, 1:]
    found, replicated = alone[:, None] & (others > 0), alone[:, None] & (others == 1)
    return _cells.of_datasets({"unique": alone, "found": found, "replicated": replicated})
