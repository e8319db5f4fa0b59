"""Record linkage of the ACS sample with the records in the order of the slides and in random orders."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replications.hu_course import record_linkage
from replications.hu_course.data import KEYS, Samples
from replications.hu_course.deterministic import COMPARED
from synthlab import _rng

SLIDES, RANDOM = "order of the slides", "random order"


def true_links(samples: Samples, repetitions: int, rng: int) -> pd.DataFrame:
    """Return the number of true links of both files, one row per order, repetition and file.

    In a random order, only the records of the linked file are rearranged. The values of the records and all match weights
    stay the same.
    """
    n, rows = len(samples.acs), []
    orders = [(SLIDES, np.arange(n)), *((RANDOM, one.permutation(n)) for one in _rng.spawn(rng, repetitions))]
    for name, released in (("synthetic", samples.acs_synthetic), ("confidential", samples.acs)):
        blocks = record_linkage.pairs_within_blocks(released, samples.acs, KEYS, COMPARED)
        weights = record_linkage.match_weights(blocks)
        for number, (order, permutation) in enumerate(orders):
            moved = record_linkage.pairs_within_blocks(released.iloc[permutation], samples.acs, KEYS, COMPARED)
            linked = record_linkage.link_greedily(moved, weights, n)
            rows.append((order, number, name, int((linked == permutation).sum())))
    return pd.DataFrame(rows, columns=["order", "repetition", "file", "true_links"])
