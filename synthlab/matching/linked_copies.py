"""Shuffled datasets of a release, linked by the values that were not synthesized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames, IntArray
from synthlab.exceptions import RowAlignmentError
from synthlab.matching.factorize import block_codes
from synthlab.release import Release


def link_copies(
    confidential: pd.DataFrame, release: Release, links: ColumnNames, known: Sequence[str]
) -> tuple[Release, IntArray]:
    """Return the datasets with linked rows, and the class of each record.

    The records of a class have the same values of the known variables and of `links`. Row i of every returned dataset is in the
    class of record i. Within a class, the order is the order of each dataset and carries no information.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.matching.linked_copies import link_copies
    >>> from synthlab.release import Release
    >>> collected = pd.DataFrame({"age": [30, 41, 30], "town": list("abc")})
    >>> linked, classes = link_copies(collected, Release(collected.iloc[[1, 2, 0]]), ["age"], [])
    >>> linked[0]["town"].tolist(), classes.tolist()
    (['c', 'b', 'a'], [0, 1, 0])
    """
    names = _checks.check_columns(confidential, links, "links", where="confidential")
    names = list(dict.fromkeys([*known, *names]))
    for number, frame in enumerate(release, start=1):
        _checks.check_columns(frame, names, "links", where=f"synthetic dataset {number}")
    _checks.check_same_kind(confidential, release.frames, names)
    classes, *others = block_codes([confidential, *release], names, "category")
    place = np.argsort(classes, kind="stable")
    frames = []
    for number, (frame, codes) in enumerate(zip(release, others, strict=True), start=1):
        order = np.argsort(codes, kind="stable")
        if not np.array_equal(codes[order], classes[place]):
            raise RowAlignmentError(
                f"links: the values of {_checks.shorten(names)} in synthetic dataset {number} are not those of confidential, so "
                "they cannot link the records; use variables that were not synthesized"
            )
        rows = np.empty(len(frame), dtype=np.int64)
        rows[place] = order
        frames.append(frame.iloc[rows].reset_index(drop=True))
    return replace(release, frames=tuple(frames), rows="aligned"), classes


def random_matching(classes: IntArray, rng: np.random.Generator) -> IntArray:
    """Return an order of the rows that is random within each class; all matchings are equally likely.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.matching.linked_copies import random_matching
    >>> sorted(random_matching(np.array([1, 0, 1]), np.random.default_rng(1))[[0, 2]].tolist())
    [0, 2]
    """
    order = np.empty(classes.size, dtype=np.int64)
    order[np.argsort(classes, kind="stable")] = np.lexsort((rng.random(classes.size), classes))
    return order


def are_unique(classes: IntArray) -> bool:
    """Return whether every class has one record, so that the links are certain."""
    return bool((np.bincount(classes) <= 1).all())
