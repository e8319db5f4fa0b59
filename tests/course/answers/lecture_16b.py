"""Answers to the exercise of lecture 16b."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy import optimize, sparse

from tests.course.answers import right, wrong


@right("16b.same_household")
def every_order_of_the_rows(ours, theirs, radius):
    if len(ours) != len(theirs):
        return False
    return any((np.abs(ours - theirs[list(order)]) <= radius).all() for order in permutations(range(len(ours))))


@right("16b.same_household")
def assignment_with_the_fewest_misfits(ours, theirs, radius):
    if len(ours) != len(theirs):
        return 0
    misfit = (np.abs(ours[:, None] - theirs) > radius).any(axis=2)
    return 1 * (misfit[optimize.linear_sum_assignment(misfit)].sum() == 0)


@right("16b.same_household")
def first_member_with_each_partner(ours, theirs, radius):
    if len(ours) != len(theirs):
        return False
    if len(ours) == 0:
        return True
    return any(
        all(abs(a - b) <= r for a, b, r in zip(ours[0], one, radius, strict=True))
        and first_member_with_each_partner(ours[1:], np.delete(theirs, place, axis=0), radius)
        for place, one in enumerate(theirs)
    )


@right("16b.same_household")
def maximum_bipartite_matching(ours, theirs, radius):
    fits = sparse.csr_matrix((np.abs(ours[:, None] - theirs) <= radius).all(axis=2))
    pairs = sparse.csgraph.maximum_bipartite_matching(fits, perm_type="column")
    return len(ours) == len(theirs) and (pairs >= 0).all()


@wrong("16b.same_household")
def same_size(ours, theirs, radius):
    return len(ours) == len(theirs)


@wrong("16b.same_household")
def equal_means(ours, theirs, radius):
    return (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) <= radius).all()


@wrong("16b.same_household")
def each_column_sorted_by_itself(ours, theirs, radius):
    return len(ours) == len(theirs) and (np.abs(np.sort(ours, axis=0) - np.sort(theirs, axis=0)) <= radius).all()


@wrong("16b.same_household")
def number_of_assignments(ours, theirs, radius):
    if len(ours) != len(theirs):
        return 0
    return sum((np.abs(ours - theirs[list(order)]) <= radius).all() for order in permutations(range(len(ours))))


@wrong("16b.same_household")
def all_pairs_fit(ours, theirs, radius):
    return (np.abs(ours[:, None] - theirs) <= radius).all()
