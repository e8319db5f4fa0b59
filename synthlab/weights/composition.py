"""The epsilon of several releases of the same people together."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.release import Release


def total_epsilon(releases: Iterable[Release]) -> float:
    """Return what releases of the same confidential file cost together: the sum, each as its provenance states it.

    Parameters
    ----------
    releases : iterable of Release
        Made by mechanisms that account for what they release, such as `PseudoPosteriorMechanism`.

    Returns
    -------
    float
        For leave-one-out neighbours. It holds as strictly as the least strict of them.

    Raises
    ------
    InputError
        If there is none, the accounting of one of them is unknown or is for fewer datasets than it holds, their neighbours differ,
        or the sum is beyond the largest float: no number below infinity is then known.

    Notes
    -----
    Sequential composition: releases with epsilon_1, epsilon_2, ... cost their sum, whatever is made of the earlier ones. A release
    without accounting adds an unknown amount, which no sum may leave out. Each fit and each release must have randomness of its
    own: of two fits with one seed the draws move together, and together they tell more than the sum.

    Examples
    --------
    >>> import synthlab as sl
    >>> from synthlab.weights import PseudoPosteriorMechanism, total_epsilon
    >>> survey = sl.datasets.load("affairs").frame
    >>> model = sl.DirichletMultinomial(["rate_marriage"])
    >>> fitted = PseudoPosteriorMechanism(synthesizer=model, scale=0.5, quantile=0.95).fit(survey, rng=1)
    >>> once, twice = (fitted.generate(m=m, rng=1) for m in (1, 2))
    >>> bool(total_epsilon([once, twice]) == 3 * fitted.accounting.epsilon_per_draw)
    True
    """
    found: list[float] = []
    neighbours: set[str] = set()
    for place, release in enumerate(_checks.check_list(releases, "releases", "a list of releases")):
        if not isinstance(release, Release):
            raise InputError(f"releases[{place}]: must be a Release, got {type(release).__name__}")
        spent: Any = release.provenance.get("epsilon_total")
        known = isinstance(spent, int | float) and not isinstance(spent, bool) and np.isfinite(spent) and spent >= 0
        if not known or "adjacency" not in release.provenance:
            raise InputError(
                f"releases[{place}]: its accounting is unknown, so no epsilon is known for all of them together; a mechanism that "
                "accounts states epsilon_total and adjacency in the provenance"
            )
        stated = release.provenance.get("m")
        if isinstance(stated, int) and release.m > stated:
            raise InputError(
                f"releases[{place}]: holds {release.m} datasets, and its accounting is for {stated}; give the releases one by one, "
                "each with its own provenance"
            )
        found.append(float(spent))
        neighbours.add(str(release.provenance["adjacency"]))
    if not found:
        raise InputError("releases: must hold at least one release")
    if len(neighbours) > 1:
        raise InputError("releases: are accounted for under different neighbours, and such numbers do not add up")
    total = _sum(found)
    if not np.isfinite(total):
        raise InputError("releases: their epsilons add up to more than the largest float")
    return total


def _sum(values: list[float]) -> float:
    try:
        return fsum(values)
    except OverflowError:
        return np.inf
