"""From two frames to the tables a linkage program takes: the checks of `linkage_risk`, and its columns as numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._matching import block_codes
from synthlab._typing import ColumnNames, IntArray
from synthlab.exceptions import InputError
from synthlab.risk._splink import pairs_within_blocks

MAX_PAIRS = 20_000_000


def check_variables(
    frame: pd.DataFrame,
    frames: Sequence[pd.DataFrame],
    blocking: ColumnNames,
    compared: ColumnNames,
    radius: Mapping[str, float | Sequence[float]] | None,
) -> dict[str, tuple[float, ...]]:
    """Check the variables of both files, and return the radii of each numeric one."""
    names = _checks.check_columns(frame, blocking, "blocking", where="confidential", allow_empty=True)
    used = [*names, *_checks.check_columns(frame, compared, "compared", where="confidential")]
    if radius is not None and not isinstance(radius, Mapping):
        raise InputError(
            f"radius={_checks.shown(radius)}: must be a mapping, for example {{{next(iter(compared))!r}: [0.1, 0.5]}}"
        )
    both = [c for c in names if c in set(compared)]
    if both:
        raise InputError(f"blocking and compared overlap in {_checks.named(both)}: within a block it is always equal")
    for number, other in enumerate(frames, start=1):
        _checks.check_columns(other, used, "blocking and compared", where=f"synthetic dataset {number}")
    _checks.check_rows_aligned(frame, frames)
    _checks.check_same_kind(frame, frames, used)
    given: dict[str, tuple[Any, ...]] = {c: tuple(np.atleast_1d(r).tolist()) for c, r in (radius or {}).items()}
    for column, values in given.items():
        if not values or any(b <= a for a, b in pairwise(values)):
            raise InputError(
                f"radius[{column!r}]={_checks.shown(values)}: must be increasing half-widths, the closest first"
            )
    _checks.check_radius({c: v[0] for c, v in given.items()}, confidential=frame, known=[], synthesized=list(compared))
    for position, one in enumerate([frame, *frames]):
        where = f"synthetic dataset {position}" if position else "confidential"
        _checks.check_finite_or_missing(one, names, where=where, numeric=[], missing="raise")
        _checks.check_finite_or_missing(one, list(given), where=where, numeric=list(given), missing="never")
        pairs = pairs_within_blocks(*(pd.Series(b) for b in block_codes([frame, one], names)))
        if pairs == 0:
            raise InputError(f"blocking={names!r}: no pair of records shares a block with {where}")
        if pairs > MAX_PAIRS:
            raise InputError(
                f"blocking={names!r}: leaves {pairs:,} pairs within blocks; more than {MAX_PAIRS:,} is too many"
            )
    return {c: tuple(_checks.check_numbers(v, f"radius[{c!r}]", low=0.0)) for c, v in given.items()}


def tables_of(
    frame: pd.DataFrame,
    other: pd.DataFrame,
    compared: list[str],
    near: Collection[str],
    block: IntArray,
    other_block: IntArray,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both files with columns v0, v1, ...: numbers where the column is `near`, else codes; missing values as NaN."""
    tables = []
    codes = {c: block_codes([frame, other], [c], "category") for c in compared}
    for position, (one, blocks) in enumerate(((frame, block), (other, other_block))):
        columns: dict[str, Any] = {"unique_id": np.arange(len(one)), "block": blocks, "person": np.arange(len(one))}
        for j, column in enumerate(compared):
            if column in near:
                values = _checks.exact_float(one[column])
            else:
                values = codes[column][position].astype(np.float64)
            columns[f"v{j}"] = np.where(_checks.missing_mask(one[column]), np.nan, values)
        tables.append(pd.DataFrame(columns))
    return tables[0], tables[1]
