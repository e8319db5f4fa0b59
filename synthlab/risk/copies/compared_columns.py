"""Columns whose copies are counted: all of them, or the synthesized columns of a partially synthetic release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames, IntArray
from synthlab.matching.kernel import block_codes
from synthlab.matching.match_inputs import can_disprove_order
from synthlab.release import as_release
from synthlab.risk.copies.design_columns import design_columns

JOINT_VALUES = 20  # distinct joint values from which equal counts in both files are not attributed to chance


@dataclass(frozen=True, slots=True)
class ComparedColumns:
    """Columns that are compared, and the columns of which the release keeps the confidential values.

    Attributes
    ----------
    compared : tuple of str
        Columns whose copies are counted. Empty if the release is the confidential file.
    kept : tuple of str
        Columns with the confidential values of all records in every dataset, row by row or jointly in another order.
        Columns that are declared synthetic, constants and design columns are never kept columns.
    design : tuple of str
        Constants, declared design columns, and numbers that count the rows or the members of groups.
    partial : bool
        Whether the release is partially synthetic: it has at least one kept column.
    unchanged_file : bool
        Whether every column except constants and design columns is kept, so that the release is the confidential file.
    """

    compared: tuple[str, ...]
    kept: tuple[str, ...]
    design: tuple[str, ...]
    partial: bool
    unchanged_file: bool


def compared_columns(
    confidential: FrameLike,
    release: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    synthesized: ColumnNames = (),
    by_row: bool = False,
    design: ColumnNames = (),
    categorical: ColumnNames = (),
) -> ComparedColumns:
    """Return the columns whose copies are counted.

    In a partially synthetic release, every person is close to its own record because the release keeps some columns by
    design. Only the other columns are compared.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    release : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets.
    variables : sequence of str, optional
        The columns among which to choose. Default: all columns that both files have.
    synthesized : sequence of str
        Columns that are declared synthetic. They are compared even if they are unchanged.
    by_row : bool
        Whether row i of the release may describe record i. Columns that are equal row by row are then kept columns. If
        there are none, or without this order, a set of columns is kept if its joint values are equally frequent in both
        files and at least 20 of them are distinct.
    design : sequence of str
        Declared design columns, such as wave, stratum and quota.
    categorical : sequence of str
        Columns whose numbers are category codes and do not count anything.

    Returns
    -------
    ComparedColumns

    Raises
    ------
    InputError
        If a column of `variables` is missing from a file, or the files have no column in common.
    DtypeMismatchError
        If a column holds numbers in one file and text in the other.
    """
    frame = _checks.check_frame(confidential, "confidential")
    files = as_release(release, name="release", like=frame)
    if variables is None:
        variables = [c for c in frame.columns if c in files[0].columns]
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    _checks.check_columns(files[0], names, "variables", where="release")
    _checks.check_same_kind(frame, files.frames, names)
    codes = {c: block_codes([frame[[c]], *(one[[c]] for one in files)], [c], "category") for c in names}
    counted = design_columns(frame[names], [c for c in names if c in design])
    set_apart = [c for c in counted if c in design or c not in categorical or np.ptp(codes[c][0]) == 0]
    candidates = [c for c in names if c not in set_apart and c not in synthesized]
    kept = [c for c in candidates if _same_rows(codes[c]) and _varies(codes[c][0])] if by_row else []
    if not kept:
        kept = _jointly_kept({c: codes[c] for c in candidates})
    if not kept:
        return ComparedColumns(tuple(names), (), tuple(set_apart), partial=False, unchanged_file=False)
    here = _joint([codes[c] for c in kept])
    given = [c for c in set_apart if c not in synthesized and _same_counts(_joint([here, codes[c]]))]
    compared = tuple(c for c in names if c not in kept and c not in given)
    return ComparedColumns(
        compared,
        tuple(kept),
        tuple(set_apart),
        partial=True,
        unchanged_file=set(compared) <= set(set_apart) - set(synthesized),
    )


def _same_rows(codes: Sequence[IntArray]) -> bool:
    return all(np.array_equal(codes[0], one) for one in codes[1:])


def _varies(codes: IntArray) -> bool:
    """Return whether two files in different orders would differ in more rows than chance can remove."""
    counts = np.bincount(codes).astype(np.float64)
    return can_disprove_order(codes.size - float((counts**2).sum()) / codes.size)


def _same_counts(codes: Sequence[IntArray]) -> bool:
    """Return whether each value is equally frequent in all files, which may differ in their number of records."""
    levels = 1 + max(int(one.max(initial=0)) for one in codes)
    own, *others = (np.bincount(one, minlength=levels) for one in codes)
    return all(
        np.array_equal(own * one.size, other * codes[0].size) for one, other in zip(codes[1:], others, strict=True)
    )


def _joint(parts: Sequence[Sequence[IntArray]]) -> list[IntArray]:
    """Return one code per combination of codes, with the same coding in all files."""
    ends = np.cumsum([one.size for one in parts[0]])[:-1]
    codes, *others = (np.concatenate(one).astype(np.int64) for one in parts)
    for other in others:
        codes = pd.factorize(codes * np.int64(int(other.max(initial=0)) + 1) + other)[0].astype(np.int64)
    return np.split(codes, ends)


def _jointly_kept(codes: dict[str, list[IntArray]]) -> list[str]:
    """Return the largest set of columns with equally frequent joint values in all files.

    Columns are added in decreasing order of their number of distinct values. A column that is only a permutation of the
    confidential one would keep out all others, so that the search starts again with the columns it left.
    """
    distinct = {c: np.unique(one[0]).size for c, one in codes.items() if _same_counts(one)}
    left = sorted(distinct, key=lambda c: -distinct[c])
    best: list[str] = []
    while len(left) > len(best):
        kept, together = [left[0]], codes[left[0]]
        for column in left[1:]:
            tried = _joint([together, codes[column]])
            if _same_counts(tried):
                kept, together = [*kept, column], tried
        if len(kept) > len(best) and np.unique(together[0]).size >= JOINT_VALUES:
            best = kept
        left = [c for c in left if c not in kept]
    return [c for c in codes if c in best]
