"""Levels, and pairs of levels, that account for most disclosed records."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, IntArray

ONE_WAY = ("level", "records", "share_of_records", "disclosed", "disclosed_level", "share_of_disclosed", "flagged")
TWO_WAY = ("key", "key_level", "level", "disclosed", "records", "key_records", "share_of_key", "flagged")

Level = tuple[object, int, float, int, int, float]
Pair = tuple[object, object, object, int, int, int, float]


def one_way(values: pd.Series, levels: IntArray, disclosed: BoolArray, kept: BoolArray) -> Level:
    """Return the level with the most disclosed records, with its counts and shares.

    `values` are the values of the target and `levels` their codes in the order of first appearance. Among equally frequent
    levels, the first is returned.
    """
    counts = np.bincount(levels[disclosed])
    if not counts.size:
        return None, 0, np.nan, 0, 0, np.nan
    most = int(np.argmax(counts))
    of_level = int((levels[kept] == most).sum())
    told, total = int(counts[most]), int(counts.sum())
    return values.iloc[int(np.argmax(levels == most))], of_level, of_level / int(kept.sum()), total, told, told / total


def two_way(
    keys: pd.DataFrame, values: pd.Series, levels: IntArray, cells: IntArray, disclosed: BoolArray, more_than: int
) -> list[Pair]:
    """Return record counts for each pair of a key level and a level of the target.

    The counts are of disclosed records, of all records with the pair, and of all records with the key level. Disclosed
    records are counted only if more than `more_than` of them have the same keys and the same value of the target.
    """
    large = disclosed & (np.bincount(cells[disclosed], minlength=cells.max() + 1)[cells] > more_than)
    told_levels = pd.factorize(values, use_na_sentinel=False)[1]
    found: list[Pair] = []
    for key in keys:
        codes, key_levels = pd.factorize(keys[key], use_na_sentinel=False)
        pairs, at = np.unique(np.column_stack([codes, levels]), axis=0, return_inverse=True)
        told, sizes, totals = np.bincount(at, large), np.bincount(at), np.bincount(codes)
        for j in np.flatnonzero(told):
            code, level = pairs[j]
            size, total = int(sizes[j]), int(totals[code])
            found.append((key, key_levels[code], told_levels[level], int(told[j]), size, total, size / total))
    return sorted(found, key=lambda row: -row[3])
