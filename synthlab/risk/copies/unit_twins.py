"""Units as multisets of members: codes and hashes for counting units that agree on all but a few columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.matching.kernel import block_codes
from synthlab.risk.copies.record_twins import set_hashes, value_hashes, weights_nearby_sets
from synthlab.risk.copies.unit_rows import Members


@dataclass(frozen=True, slots=True, eq=False)
class UnitSets:
    """Units of the confidential file, then those of a dataset, as multisets of members.

    Attributes
    ----------
    keys : numpy.ndarray of uint64, shape (units,)
        Hash of each unit in all columns.
    codes, hashes, starts : numpy.ndarray
        As in `weights_nearby_sets`. The last column of `hashes` is the position of the member, if it is known.
    """

    keys: Any
    codes: IntArray
    hashes: Any
    starts: IntArray

    def weights_nearby(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """Return the sums of the weights of the units that differ from each of `rows` in exactly 0, 1 and 2 columns."""
        return weights_nearby_sets(self.codes, rows, self.hashes, self.starts, weights)


def unit_sets(found: Members, file: int) -> UnitSets:
    """Return the units of the confidential file and of a dataset (file 1..m)."""
    frames = [found.frames[0], found.frames[file]]
    units = np.concatenate([found.unit[0], found.unit[file] + found.sizes(0).size])
    order = np.argsort(units, kind="stable")
    values = [np.concatenate(block_codes(frames, [c], "category")) for c in found.columns]
    position = np.concatenate([found.position[0], found.position[file]])
    values.append(position if found.ordered else np.zeros_like(position))
    hashes = value_hashes(np.stack(values, axis=1)[order].astype(np.int64))
    starts = np.concatenate([[0], np.cumsum(np.bincount(units))])
    codes = np.stack(
        [_numbered(set_hashes(hashes[:, j] + hashes[:, -1], starts)) for j in range(len(values) - 1)], axis=1
    )
    return UnitSets(set_hashes(hashes.sum(axis=1, dtype=np.uint64), starts), codes, hashes, starts)


def _numbered(keys: Any) -> IntArray:
    return np.asarray(np.unique(keys, return_inverse=True)[1].reshape(-1), dtype=np.int64)
