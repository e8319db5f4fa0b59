"""Input checks of `linkage_risk`, and numeric tables for the linkage program."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import IntArray
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, resolved
from synthlab.intruder.validation import levels as levels_of
from synthlab.matching.kernel import block_codes
from synthlab.matching.match_inputs import check_variables, warn_if_moved
from synthlab.risk.linkage._splink import pairs_within_blocks

MAX_PAIRS = 20_000_000


def check_linkage(
    frame: pd.DataFrame, frames: Sequence[pd.DataFrame], intruder: Intruder
) -> tuple[Intruder, list[str], list[str], dict[str, tuple[float, ...]]]:
    """Check the variables of all files.

    Return the intruder, the blocking variables, the compared variables, and the half-widths of numeric variables.
    """
    known, synthesized = check_variables(frame, frames, intruder)
    levels = intruder.radius
    first = {c: levels_of(r)[0] for c, r in levels.items()} if isinstance(levels, Mapping) else levels
    narrowest = _checks.check_radius(first, confidential=frame, known=known, synthesized=synthesized)
    given = levels if isinstance(levels, Mapping) else narrowest
    radii = {c: tuple(type(value)(one) for one in levels_of(given[c])) for c, value in narrowest.items()}
    names = [c for c in known if c not in radii]
    compared = [c for c in intruder.used if c not in names]
    _checks.check_rows_aligned(frame, frames)
    _checks.check_same_kind(frame, frames, intruder.used)
    for position, one in enumerate([frame, *frames]):
        where = f"synthetic dataset {position}" if position else "confidential"
        _checks.check_finite_or_missing(one, intruder.used, where=where, numeric=list(radii), missing=intruder.missing)
        pairs = pairs_within_blocks(*(pd.Series(b) for b in block_codes([frame, one], names, intruder.missing)))
        if pairs == 0:
            raise InputError(
                f"known: no confidential record has the same values of {names!r} as a record of {where}; block on fewer variables"
            )
        if pairs > MAX_PAIRS:
            raise InputError(
                f"known: {names!r} leave {pairs:,} pairs within blocks, more than {MAX_PAIRS:,}; block on more variables"
            )
    warn_if_moved(frame, frames, names)
    told = {c: v if len(v) > 1 else v[0] for c, v in radii.items()}
    return resolved(intruder, told), names, compared, radii


def tables_of(
    frame: pd.DataFrame,
    other: pd.DataFrame,
    compared: list[str],
    near: Collection[str],
    block: IntArray,
    other_block: IntArray,
    missing: str,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both files with columns v0, v1, ...: numbers if the column is in `near`, otherwise codes.

    A missing value is NaN. With ``missing="category"`` a missing category has its own code. Records with a negative block
    code have a missing blocking value that matches no record; they are dropped.
    """
    tables = []
    codes = {c: block_codes([frame, other], [c], "category") for c in compared}
    for position, (one, blocks) in enumerate(((frame, block), (other, other_block))):
        columns: dict[str, Any] = {"unique_id": np.arange(len(one)), "block": blocks, "person": np.arange(len(one))}
        for j, column in enumerate(compared):
            if column in near:
                values = _checks.exact_float(one[column])
            else:
                values = codes[column][position].astype(np.float64)
            lost = _checks.missing_mask(one[column]) & (column in near or missing != "category")
            columns[f"v{j}"] = np.where(lost, np.nan, values)
        tables.append(pd.DataFrame(columns)[blocks >= 0])
    return tables[0], tables[1]
