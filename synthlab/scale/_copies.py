"""Exact copies and replicated uniques in files larger than memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import ColumnNames, Missing, PathOrStr
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.kernel import block_codes, record_counts
from synthlab.risk.copies.exact_copies import ExactCopiesResult, count_copies
from synthlab.risk.identification.replicated_uniques import REFUSED, ReplicatedUniquesResult, count_uniques
from synthlab.scale import _cells
from synthlab.scale._cells import Cells
from synthlab.scale._engine import Tally, working


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
        Confidential data: a Parquet or CSV file, a folder of such files, or a dask DataFrame.
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
        Approximate maximum number of distinct records of all files per partition; by default limited by the memory.

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
    _checks.check_meaning(missing, "exact_copies")
    _cells.check_output(id, output)
    options = ("exact_copies", confidential, synthetic, output, partition_rows, variables, missing, id)
    with working(*options) as (work, everything):
        own, *others = _cells.headers(everything)
        if variables is None:
            variables = [c for c in own.columns if c in others[0].columns and c != id]
        names = _checks.check_columns(own, variables, "variables", where="confidential")
        for frame in others:
            _checks.check_columns(frame, names, "variables", where="the synthetic data")
        columns = _cells.columns_of(work, everything, names, None, id, missing)
        tallies = _cells.tabulated(work, everything, columns, partial(_copied, names=names, missing=missing))
        n, records = (one.rows for one in everything[:2])
    copies, unique, duplicates = (
        np.sum([one[what] for one in tallies], axis=0) for what in ("copies", "unique", "duplicates")
    )
    return ExactCopiesResult(
        copies=_checks.read_only(copies),
        unique_copies=_checks.read_only(unique),
        records=records,
        n=n,
        duplicates=int(duplicates),
        variables=tuple(names),
    )


def _copied(cells: Cells, names: list[str], missing: str) -> tuple[Tally, dict[str, Any]]:
    codes = [np.maximum(some, -1) for some in block_codes(cells.frames, names, missing)]
    times = record_counts(codes, cells.counts)
    of_each = {"confidential": times[0][codes[0]], "copies": np.column_stack([one[codes[0]] for one in times[1:]])}
    return count_copies(times), _cells.of_datasets(of_each)


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
        Approximate maximum number of distinct records of all files per partition; by default limited by the memory.

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
    _cells.check_output(id, output)
    options = ("replicated_uniques", confidential, synthetic, output, partition_rows, intruder, id)
    with working(*options) as (work, everything):
        known = _cells.check_keys(everything, intruder, "replicated_uniques", REFUSED)
        columns = _cells.columns_of(work, everything, known, None, id, intruder.missing)
        tallies = _cells.tabulated(work, everything, columns, partial(_uniques, names=known))
        n, records = (one.rows for one in everything[:2])
    total = {name: np.sum([one[name] for one in tallies], axis=0) for name in tallies[0] if name != "records"}
    return ReplicatedUniquesResult(
        unique=int(total["unique"]),
        found=_checks.read_only(total["found"]),
        replicated=_checks.read_only(total["replicated"]),
        synthetic_unique=_checks.read_only(total["synthetic_unique"]),
        n=n,
        records=records,
        intruder=intruder,
    )


def _uniques(cells: Cells, names: list[str]) -> tuple[Tally, dict[str, Any]]:
    codes = block_codes(cells.frames, names, "category")
    times = record_counts(codes, cells.counts)
    own, *others = (one[codes[0]] for one in times)
    alone, released = own == 1, np.column_stack(others)
    of_each = {
        "unique": alone,
        "found": alone[:, None] & (released > 0),
        "replicated": alone[:, None] & (released == 1),
    }
    return count_uniques(times), _cells.of_datasets(of_each)
