"""The cost of several releases together, by OpenDP: the sum, and the less that zero-concentrated privacy allows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from typing import Any, ClassVar

import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab.dp._opendp import library
from synthlab.dp.adjacency import WORDS, Adjacency, check_adjacency
from synthlab.dp.budget import Budget
from synthlab.dp.result import PrivateChoiceResult, PrivateResult
from synthlab.dp.table_result import PrivateTableResult
from synthlab.exceptions import InputError

MOST_LOSSES = 10_000


@dataclass(frozen=True, slots=True)
class Loss:
    """The cost of one release: epsilon, with a delta where it is not 0, or rho.

    Parameters
    ----------
    epsilon : float > 0, optional
        Of differential privacy. Either this or `rho` is given.
    delta : float in [0, 1), default 0
        With epsilon.
    rho : float > 0, optional
        Of zero-concentrated differential privacy: Gaussian noise.
    what : str
        For the account.
    adjacency : {"add-remove", "replace"}
        What a neighbour is.

    Raises
    ------
    InputError
        If a number is out of its range, or neither or both of epsilon and rho are given.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.Loss(0.5, 1e-6).delta
    1e-06
    """

    epsilon: float | None = None
    delta: float = 0.0
    rho: float | None = None
    what: str = "release"
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.rho is None):
            raise InputError("epsilon, rho: give one of the two; a release whose loss is unknown has no account")
        name = "rho" if self.epsilon is None else "epsilon"
        object.__setattr__(self, name, _checks.check_number(getattr(self, name), name, low=0.0, open_low=True))
        delta = _checks.check_number(self.delta, "delta", low=0.0, high=1.0, open_high=True)
        if delta and self.rho is not None:
            raise InputError("delta: goes with epsilon, not with rho")
        object.__setattr__(self, "delta", delta)
        _checks.check_text(self.what, "what")
        check_adjacency(self.adjacency)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Composition(Result):
    """The cost of several releases together.

    Attributes
    ----------
    losses : tuple of Loss
        One a release.
    totals : DataFrame
        One row a way of adding up, ``way``, ``epsilon``, ``delta``. Each holds; take the smallest that serves.
    adjacency : {"add-remove", "replace"}
        What a neighbour is.
    """

    losses: tuple[Loss, ...]
    totals: pd.DataFrame
    adjacency: Adjacency

    _table: ClassVar[str] = "to_frame"

    @property
    def title(self) -> str:
        """The number of releases, and for whom."""
        return f"{len(self.losses):,} releases together, each with randomness of its own, for {WORDS[self.adjacency]}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a way of adding up."""
        return self.totals.copy()


def compose(releases: Any, *, delta: float = 1e-6) -> Composition:
    """Return what several releases about the same people cost together.

    Parameters
    ----------
    releases : Budget, or sequence of Budget, Loss and results of private queries
        What was released. Whatever else it is, its loss is not known, and no total is given.
    delta : float in (0, 1), default 1e-6
        The delta that the second way may spend, all in all.

    Returns
    -------
    Composition
        Two ways. ``basic``: epsilons and deltas add up; the rhos count with their epsilons at equal shares of half of delta.
        ``advanced``: every loss as zero-concentrated, where rho = epsilon^2 / 2, the rhos added up, and turned into an
        epsilon at delta: the better of the two for many small losses; left out where the releases' own deltas reach it.

    Raises
    ------
    InputError
        If there is no release, one does not say what it cost, adjacencies differ, `delta` is out of its range, or the
        sum is beyond the largest float.
    ExtraUnavailableError
        If OpenDP is not installed.

    Notes
    -----
    All sums and conversions are OpenDP's, which rounds them upwards. Advanced composition is that of Bun and Steinke; it is
    sharper than the first, of Dwork, Rothblum and Vadhan (2010). The losses must have been set in advance, or one after the
    other by a `Budget`; and the noise of each release must be its own: of two answers with noise from one seed the difference is
    exact, whatever the sum says.

    References
    ----------
    Bun, M. and Steinke, T. (2016). Concentrated differential privacy: simplifications, extensions, and lower bounds. Theory of
    Cryptography, 635-658.

    Examples
    --------
    >>> from synthlab import dp
    >>> hundred = [dp.Loss(0.1)] * 100
    >>> dp.compose(hundred, delta=1e-6).to_frame()["epsilon"].round(2).tolist()
    [10.0, 5.22]
    """
    losses = _losses(releases)
    delta = _checks.check_number(delta, "delta", low=0.0, high=1.0, open_low=True, open_high=True)
    adjacencies = {loss.adjacency for loss in losses}
    if len(adjacencies) > 1:
        raise InputError("releases: some are for add-remove and some for replace; losses of the two do not add up")
    opendp = library("compose")
    spent, basic = _together(opendp, losses, delta)
    rows = [("basic", *basic)]
    if spent < delta:
        rows.append(("advanced", _concentrated(opendp, losses, delta), delta))
    if spent >= 1.0:
        raise InputError("releases: their deltas add up to 1 or more, which promises nothing")
    if not isfinite(rows[0][1]):
        raise InputError("releases: together they cost more than the largest float")
    return Composition(losses, pd.DataFrame(rows, columns=["way", "epsilon", "delta"]), adjacencies.pop())


def _losses(releases: Any) -> tuple[Loss, ...]:
    known = (Budget, Loss, PrivateResult, PrivateChoiceResult, PrivateTableResult)
    what = "a Budget, or a list of what was released"
    listed = [releases] if isinstance(releases, known) else _checks.check_list(releases, "releases", what)
    found: list[Loss] = []
    for number, one in enumerate(listed, start=1):
        if not isinstance(one, known):
            raise InputError(
                f"releases: the loss of number {number}, {type(one).__name__}, is not known, and so is no total; give a "
                "Loss(epsilon, delta) where it was proved"
            )
        found += [one] if isinstance(one, Loss) else _of(one)
    if not found:
        raise InputError("releases: is empty, or nothing was spent; there is nothing to add up")
    if len(found) > MOST_LOSSES:
        raise InputError(f"releases: {len(found):,} losses; at most {MOST_LOSSES:,}")
    return tuple(found)


def _of(one: Any) -> list[Loss]:
    if isinstance(one, Budget):
        lines = one.summary()
        spent = [(w, e) for w, e in zip(lines["what"], lines["epsilon"], strict=True) if e > 0]
        return [Loss(epsilon, what=what, adjacency=one.adjacency) for what, epsilon in spent]
    if isinstance(one, PrivateTableResult):
        return [Loss(one.epsilon_per_table, what="table", adjacency=one.adjacency)] * one.m  # type: ignore[arg-type]
    return [Loss(one.epsilon, what=one.query, adjacency=one.adjacency)]


def _release(opendp: Any, measure: Any, loss: Any) -> Any:
    """Return a mechanism that gives nothing away and is charged this loss: what the library adds up."""
    return opendp.m.make_user_measurement(
        opendp.atom_domain(T=bool),
        opendp.discrete_distance(),
        measure,
        lambda _: 0,
        lambda _: loss,
        TO="ExtrinsicObject",
    )


def _attempt(opendp: Any, map_of: Any) -> Any:
    try:
        return map_of()
    except (opendp.OpenDPException, OverflowError):  # a square or a sum beyond the largest float
        return None


def _together(opendp: Any, losses: tuple[Loss, ...], delta: float) -> tuple[float, tuple[float, float]]:
    """Return the sum of the releases' own deltas, and epsilon and delta of all by basic composition."""
    measure = opendp.approximate(opendp.max_divergence())
    rhos = [loss.rho for loss in losses if loss.rho is not None]
    share = delta / (2 * len(rhos)) if rhos else 0.0
    parts = [(loss.epsilon, loss.delta) for loss in losses if loss.rho is None]
    own = float(sum(d for _, d in parts))
    parts += [(_epsilon_of(opendp, rho, share), share) for rho in rhos]
    composed = opendp.c.make_composition([_release(opendp, measure, part) for part in parts])
    total = _attempt(opendp, lambda: composed.map(1))
    return own, (inf, delta) if total is None else (float(total[0]), float(total[1]))


def _epsilon_of(opendp: Any, rho: float, delta: float) -> float:
    release = _release(opendp, opendp.zero_concentrated_divergence(), rho)
    found = _attempt(opendp, lambda: opendp.c.make_zCDP_to_approxDP(release).map(1).epsilon(delta))
    return inf if found is None else float(found)


def _concentrated(opendp: Any, losses: tuple[Loss, ...], delta: float) -> float:
    """Return epsilon at delta by zero-concentrated composition; infinite where a square is beyond the largest float."""
    pure, measure = opendp.max_divergence(), opendp.approximate(opendp.zero_concentrated_divergence())
    parts = []
    for loss in losses:
        rho = loss.rho
        if rho is None:
            concentrated = opendp.c.make_pureDP_to_zCDP(_release(opendp, pure, loss.epsilon))
            rho = _attempt(opendp, partial(concentrated.map, 1))
        if rho is None or not isfinite(rho):
            return inf
        parts.append(_release(opendp, measure, (rho, loss.delta)))
    total = opendp.c.make_composition(parts)

    def epsilon() -> float:
        profile, own = opendp.c.make_zCDP_to_approxDP(total).map(1)
        return float(profile.epsilon(delta - own))

    found = _attempt(opendp, epsilon)
    return inf if found is None else found
