"""Total epsilon of several releases of the same confidential data."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.release import Release


def total_epsilon(releases: Iterable[Release]) -> float:
    """Return the total epsilon of several releases of the same confidential data.

    The total is the sum of the epsilons in the provenance of the releases.

    Parameters
    ----------
    releases : iterable of Release
        Releases from mechanisms that account for epsilon, such as `PseudoPosteriorMechanism`.

    Returns
    -------
    float
        Total epsilon for leave-one-out neighbors. Its guarantee is that of the weakest release.

    Raises
    ------
    InputError
        If there are no releases, a release has no accounting or more datasets than its accounting covers, the releases
        define neighbors differently, or the sum exceeds the largest float.

    Notes
    -----
    By sequential composition, the epsilons of the releases add up, even if a release depends on earlier ones. A release without
    accounting adds an unknown amount, so that the total is unknown. Each fit and each release must have independent
    random numbers: the draws of two fits with the same seed are dependent, and the total can exceed the sum.

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
    neighbors: set[str] = set()
    for place, release in enumerate(_checks.check_list(releases, "releases", "a list of releases")):
        if not isinstance(release, Release):
            raise InputError(f"releases[{place}]: must be a Release, got {type(release).__name__}")
        spent: Any = release.provenance.get("epsilon_total")
        known = isinstance(spent, int | float) and not isinstance(spent, bool) and np.isfinite(spent) and spent >= 0
        if not known or "adjacency" not in release.provenance:
            raise InputError(
                f"releases[{place}]: its accounting is unknown, and so is the total epsilon; use releases of a mechanism that "
                "states epsilon_total and adjacency in the provenance"
            )
        stated = release.provenance.get("m")
        if isinstance(stated, int) and release.m > stated:
            raise InputError(
                f"releases[{place}]: has {release.m} datasets, but its accounting is for {stated}; pass the releases one by one, "
                "each with its own provenance"
            )
        found.append(float(spent))
        neighbors.add(str(release.provenance["adjacency"]))
    if not found:
        raise InputError("releases: must contain at least one release")
    if len(neighbors) > 1:
        raise InputError("releases: define neighbors differently, so their epsilons cannot be added; use one adjacency")
    total = _sum(found)
    if not np.isfinite(total):
        raise InputError("releases: the sum of their epsilons exceeds the largest float")
    return total


def _sum(values: list[float]) -> float:
    try:
        return fsum(values)
    except OverflowError:
        return np.inf
