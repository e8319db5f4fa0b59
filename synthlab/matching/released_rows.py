"""Correspondence of the released rows to the confidential records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FrameOrFrames, IntArray
from synthlab.exceptions import InputError, RowAlignmentError
from synthlab.matching.factorize import block_codes
from synthlab.release import Release
from synthlab.release.release import as_aligned_release, as_release

Rows: TypeAlias = Any  # positions, a boolean mask, the name of a key column, or None


def match_rows(confidential: pd.DataFrame, synthetic: FrameOrFrames, rows: Rows) -> tuple[Release, IntArray | None]:
    """Return the release, and the position of the confidential record that each of its rows describes.

    The positions are None if `rows` is None: row i then describes record i, which the caller checks. The datasets of a release
    with a key column are put into the order of the first dataset.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.matching.released_rows import match_rows
    >>> collected = pd.DataFrame({"number": [11, 12, 13], "age": [30, 41, 52]})
    >>> match_rows(collected, collected.iloc[[2, 0]], "number")[1].tolist()
    [2, 0]
    """
    if rows is None:
        return as_aligned_release(synthetic, like=confidential), None
    if isinstance(rows, str):
        return _by_key(confidential, as_release(synthetic, like=confidential), rows)
    release = as_aligned_release(synthetic, like=confidential)
    where = "row positions of confidential"
    found = _checks.check_positions(rows, len(confidential), "rows", "record", where)
    if found.size != release.n:
        raise RowAlignmentError(
            f"rows: selects {found.size:,} records, but the synthetic datasets have {release.n:,} rows; name the record of each "
            "released row"
        )
    return release, found


def _by_key(confidential: pd.DataFrame, release: Release, key: str) -> tuple[Release, IntArray]:
    _checks.check_columns(confidential, [key], "rows", where="confidential")
    for number, frame in enumerate(release, start=1):
        _checks.check_columns(frame, [key], "rows", where=f"synthetic dataset {number}")
    _checks.check_same_kind(confidential, release.frames, [key])
    own, *others = (pd.Index(codes) for codes in block_codes([confidential, *release], [key], "never"))
    for where, codes in zip(("confidential", *("synthetic",) * release.m), (own, *others), strict=True):
        if codes.has_duplicates or (codes < 0).any():
            raise InputError(f"rows={key!r}: the key has repeated or missing values in {where}; use a unique key")
    found = own.get_indexer(others[0])
    if (found < 0).any():
        raise RowAlignmentError(
            f"rows={key!r}: {int((found < 0).sum()):,} released records have a key that is not in confidential"
        )
    orders = [other.get_indexer(others[0]) for other in others]
    if any((order < 0).any() for order in orders):
        raise RowAlignmentError(f"rows={key!r}: the synthetic datasets contain different records")
    frames = tuple(frame.iloc[order].reset_index(drop=True) for frame, order in zip(release, orders, strict=True))
    return replace(release, frames=frames, rows="aligned"), found.astype(np.int64)
