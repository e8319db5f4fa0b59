"""Total privacy loss of several releases, by basic and advanced composition of OpenDP."""

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
    """Privacy loss of one release: epsilon and delta, or rho.

    Parameters
    ----------
    epsilon : float > 0, optional
        Epsilon of differential privacy. Give either `epsilon` or `rho`.
    delta : float in [0, 1), default 0
        Delta that belongs to `epsilon`.
    rho : float > 0, optional
        Rho of zero-concentrated differential privacy, for example of Gaussian noise.
    what : str
        Description of the release.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases.

    Raises
    ------
    InputError
        A number is out of range, or neither or both of epsilon and rho are given.

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
            raise InputError("epsilon, rho: give exactly one of them")
        name = "rho" if self.epsilon is None else "epsilon"
        object.__setattr__(self, name, _checks.check_number(getattr(self, name), name, low=0.0, open_low=True))
        delta = _checks.check_number(self.delta, "delta", low=0.0, high=1.0, open_high=True)
        if delta and self.rho is not None:
            raise InputError("delta: applies only to epsilon; omit it for rho")
        object.__setattr__(self, "delta", delta)
        _checks.check_text(self.what, "what")
        check_adjacency(self.adjacency)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Composition(Result):
    """Total privacy loss of several releases.

    Attributes
    ----------
    losses : tuple of Loss
        Loss of each release.
    totals : DataFrame
        One row per method of composition, with the columns ``way``, ``epsilon`` and ``delta``. Every row is valid; use
        the smallest.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases.
    """

    losses: tuple[Loss, ...]
    totals: pd.DataFrame
    adjacency: Adjacency

    _table: ClassVar[str] = "to_frame"

    @property
    def title(self) -> str:
        """Number of releases and definition of neighboring databases."""
        return f"{len(self.losses):,} releases together, each with its own randomness, for {WORDS[self.adjacency]}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per method of composition."""
        return self.totals.copy()


def compose(releases: Any, *, delta: float = 1e-6) -> Composition:
    """Return the total privacy loss of several releases about the same people.

    Parameters
    ----------
    releases : Budget, or sequence of Budget, Loss and results of private queries
        The releases. The loss of any other object is unknown, so it raises an error.
    delta : float in (0, 1), default 1e-6
        Total delta of advanced composition.

    Returns
    -------
    Composition
        Totals of two methods. ``basic`` adds epsilons and deltas; each rho is converted to an epsilon, with an equal
        share of delta / 2. ``advanced`` converts every loss to zero-concentrated privacy (rho = epsilon^2 / 2), adds
        the rhos, and converts the sum to an epsilon at delta. It is smaller for many small losses, and omitted if the
        deltas of the releases add up to at least `delta`.

    Raises
    ------
    InputError
        There is no release, the loss of a release is unknown, the adjacencies differ, `delta` is out of range, or the
        sum exceeds the largest float.
    ExtraUnavailableError
        OpenDP is not installed.

    Notes
    -----
    OpenDP computes all sums and conversions and rounds them upwards. Advanced composition is that of Bun and Steinke,
    which is sharper than that of Dwork, Rothblum and Vadhan (2010). The losses must be chosen in advance, or
    sequentially with a `Budget`. Each release must have independent noise: if two answers have noise from the same
    seed, their difference is exact, and the total is not valid.

    References
    ----------
    Bun, M. and Steinke, T. (2016). Concentrated differential privacy: simplifications, extensions, and lower bounds.
    Theory of Cryptography, 635-658.

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
        raise InputError("releases: must all have the same adjacency; some are for add-remove and some for replace")
    opendp = library("compose")
    spent, basic = _together(opendp, losses, delta)
    rows = [("basic", *basic)]
    if spent < delta:
        rows.append(("advanced", _concentrated(opendp, losses, delta), delta))
    if spent >= 1.0:
        raise InputError("releases: their deltas add up to 1 or more, so there is no privacy guarantee")
    if not isfinite(rows[0][1]):
        raise InputError("releases: their total epsilon exceeds the largest float")
    return Composition(losses, pd.DataFrame(rows, columns=["way", "epsilon", "delta"]), adjacencies.pop())


def _losses(releases: Any) -> tuple[Loss, ...]:
    known = (Budget, Loss, PrivateResult, PrivateChoiceResult, PrivateTableResult)
    what = "a Budget, or a list of releases"
    listed = [releases] if isinstance(releases, known) else _checks.check_list(releases, "releases", what)
    found: list[Loss] = []
    for number, one in enumerate(listed, start=1):
        if not isinstance(one, known):
            raise InputError(
                f"releases: the loss of number {number}, {type(one).__name__}, is not known; give a Loss(epsilon, delta) "
                "if its guarantee is proved"
            )
        found += [one] if isinstance(one, Loss) else _of(one)
    if not found:
        raise InputError("releases: is empty, or nothing was spent; give at least one release with a loss")
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
    """Return an OpenDP measurement with constant output and the given loss, for composition."""
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
    except (opendp.OpenDPException, OverflowError):  # a square or a sum exceeds the largest float
        return None


def _together(opendp: Any, losses: tuple[Loss, ...], delta: float) -> tuple[float, tuple[float, float]]:
    """Return the sum of the deltas of the releases, and epsilon and delta of basic composition."""
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
    """Return epsilon at delta by zero-concentrated composition; infinite if a square overflows."""
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
