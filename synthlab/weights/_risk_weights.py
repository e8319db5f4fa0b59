r"""Risk weights of any order in closed form: 1 marginal, 2 pairwise, k any group of k records.

Hu, Savitsky and Williams (2021), sections 2.2 and 3.1. Averaging over all groups of k records that
hold record i looks like a sum of C(N - 1, k - 1) terms. But a group is left outside by record h, or
not, one member at a time: if g_h of the N balls of the pattern leave h out, C(g_h - 1, k - 1) of the
groups around i do. So every order costs what order 1 costs: who is in whose ball.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, FrameLike, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import SingletonPatternWarning, SmallPatternWarning
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.match_inputs import Balls, prepare
from synthlab.weights import _ball_counts
from synthlab.weights._scale_and_shift import scale_and_shift
from synthlab.weights._weights import Weights


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RiskWeights(Weights):
    """Record weights from the risk of each record, or of the groups it belongs to.

    Attributes
    ----------
    weights : numpy.ndarray of float, shape (n,)
        alpha, in [0, 1], for the `weights` of the synthesizer.
    intruder : Intruder
        The intruder the weights are against.
    order, scale, shift, singletons
        As given.
    pattern_size : numpy.ndarray of int, shape (n,)
        The number of records that share the known values of each record, itself included.
    data_kind : {"real", "simulated"} or None
        The kind that the confidential frame declares.
    """

    weights: FloatArray
    intruder: Intruder
    order: int
    scale: float
    shift: float
    singletons: str
    pattern_size: IntArray
    data_kind: str | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row a record: the size of its pattern, and its weight."""
        index = pd.RangeIndex(self.weights.size, name="record")
        return pd.DataFrame({"pattern_size": self.pattern_size, "weight": self.weights}, index=index)

    def summary(self) -> pd.DataFrame:
        """Return one row a quantity."""
        rows = {
            **self._described(),
            "records alone in their pattern": float((self.pattern_size == 1).sum()),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """The weights, and the intruder they are against."""
        kind = {1: "marginal", 2: "pairwise"}.get(self.order, f"order {self.order}")
        return f"Risk weights ({kind}) of {self.weights.size:,} records\n{self.intruder.describe()}"


def risk_weights(
    confidential: FrameLike,
    intruder: Intruder,
    *,
    order: int = 1,
    scale: float = 1.0,
    shift: float = 0.0,
    singletons: Literal["formula", "certain"] = "formula",
    progress: bool = False,
) -> RiskWeights:
    r"""Weight each record by how well it is covered by the records of its pattern (alpha).

    With the pattern :math:`M_p` of the records that share i's known values and the ball
    :math:`B_i = B(y_i, r)`,

    - order 1, marginal: :math:`\alpha_i = 1 - IR_i^c`, with :math:`IR_i^c` the share of the pattern outside
      :math:`B_i` (equations 2 and 3);
    - order 2, pairwise: :math:`IR_{ij}` is the share outside both :math:`B_i` and :math:`B_j`, and
      :math:`\alpha_i = 1 - \sum_{j \ne i} IR_{ij} / (|M_p| - 1)` (equations 6 to 9);
    - order k: the mean over all groups J of k - 1 others, of the share outside :math:`B_i` and outside the ball
      of every member of J:

    .. math:: \alpha_i = 1 - \frac{1}{|M_p|} \sum_{h \in M_p,\, y_h \notin B_i}
       \binom{g_h - 1}{k - 1} \Big/ \binom{|M_p| - 1}{k - 1},
       \qquad g_h = \#\{j \in M_p : y_h \notin B_j\}.

    The higher the order the higher the weights: a record is at risk only where the whole group leaves a gap.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    intruder : Intruder
        The known variables make the patterns, compared by value; none: one pattern of n records. The synthesized ones make
        the ball: within the radius, or equal where there is none. Of its options `boundary`, `missing` and the norms "box" and
        "euclidean" are for the weights.
    order : int >= 1
        k. Above 4 it is there because it costs nothing.
    scale, shift : float
        c >= 0 and g of ``clip(c * alpha + g, 0, 1)``, see `scale_and_shift`.
    singletons : {"formula", "certain"}
        A record alone in its pattern has alpha = 1 by the formula, no protection, though it is the most
        exposed (with open balls of radius 0 it is not in its own ball, and alpha = 0). "certain" says its risk is 1, so alpha = 0 (before `scale` and `shift`).
    progress : bool
        Show a progress bar on standard error when several continuous variables take more than a second.

    Returns
    -------
    RiskWeights
        The weights alpha, in [0, 1], for the `weights` of any synthesizer; ``numpy.asarray`` takes it for them.

    Raises
    ------
    InputError
        An argument is not what it may be; the message names it.
    MissingValueError
        Missing values with ``missing="raise"``.

    Warns
    -----
    SingletonPatternWarning
        Records are alone in their pattern and ``singletons="formula"``.
    SmallPatternWarning
        Records stand in a pattern of 2 to k records, which has no group or only one: with closed balls every
        record is in its own, so no record is outside all k and alpha is 1. A pattern of fewer than k records
        uses the highest order it has, its size.

    Notes
    -----
    `Intruder` defines the meanings of a missing value. With ``missing="category"`` a missing known value makes a pattern, and
    the ball around a missing synthesized value holds the missing values alone. With ``missing="never"`` a record with a
    missing value matches nothing, so its IR is 0 and its weight is 1 (before `scale` and `shift`). Its ball is empty, also
    where the record is a member of a group. If its known values are complete, the record counts in its pattern, outside every
    ball. Otherwise its pattern is empty (`pattern_size` is 0).

    Cost, for any order: O(n log n) with one or two continuous variables, with or without variables compared by value, and
    O(n log^(k - 1) n) with k. Where it is less, and for the Euclidean norm, it is O(n log n + sum of the candidates): the
    candidates of record i are the records of its pattern within the interval of the variable that leaves fewest, at worst
    n times the size of a pattern. Binomial ratios are built downwards from 1 by
    ``C(g - 2, k - 1) / C(g - 1, k - 1) = (g - k) / (g - 1)``, so nothing overflows.

    The authors' R code walks through all groups (O(n^(k+1)) in a pattern), divides by n (their study has one
    pattern), and takes ``r * y`` without the absolute value.

    References
    ----------
    Hu, J., Savitsky, T. D. and Williams, M. R. (2021). Risk-efficient Bayesian data synthesis for
    privacy protection. Journal of Survey Statistics and Methodology, sections 2.2 and 3.1.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNN"), "income": [100.0, 105.0, 110.0, 400.0]})
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
    >>> sl.risk_weights(people, someone).weights.tolist()
    [0.75, 0.75, 0.75, 0.25]
    >>> sl.risk_weights(people, someone, order=2).weights.round(4).tolist()
    [0.8333, 0.8333, 0.8333, 1.0]
    """
    order = _checks.check_count(order, "order")
    _checks.check_choice(progress, "progress", (True, False))
    _checks.check_choice(singletons, "singletons", ("formula", "certain"))
    check_intruder(intruder, "risk_weights", ("boundary", "missing"))
    frame = _checks.check_frame(confidential, "confidential")
    prepared = prepare(frame, frame, intruder, continuous_known=False)
    exposed, size = _expected_risk(prepared.balls(), order, progress)
    alone = size == 1
    if singletons == "certain":
        exposed[alone] = 1.0
    small = int(((size > 1) & (size <= order)).sum())
    warn_of(int((alone & (exposed == 0.0)).sum()), small, size.size, order, prepared.intruder)
    return RiskWeights(
        weights=_checks.read_only(scale_and_shift(1.0 - exposed, scale=scale, shift=shift)),
        intruder=prepared.intruder,
        order=order,
        scale=float(scale),
        shift=float(shift),
        singletons=singletons,
        pattern_size=_checks.read_only(size),
        data_kind=_checks.data_kind(frame),
    )


def _expected_risk(balls: Balls, order: int, progress: bool) -> tuple[FloatArray, IntArray]:
    """Return the risk 1 - alpha of each record, and the size of its pattern."""
    _, pattern_of, sizes = np.unique(balls.pattern, return_inverse=True, return_counts=True)
    size = np.where(balls.pattern < 0, 0, sizes[pattern_of])
    covering, inside = np.zeros_like(size), np.zeros(size.size)
    for rows, values, intervals in balls.parts:
        covering[rows] = _ball_counts.balls_round_each(balls.cell[rows], values, intervals, progress)
    share = _ball_counts.group_share(size - covering, np.maximum(size, 1), order)
    for rows, values, intervals in balls.parts:
        inside[rows] = _ball_counts.sum_in_each_ball(balls.cell[rows], values, intervals, share[rows], progress)
    total = np.bincount(pattern_of, weights=share)[pattern_of]
    return np.where(balls.can_match, np.clip((total - inside) / np.maximum(size, 1), 0.0, 1.0), 0.0), size


def warn_of(exposed: int, small: int, n: int, order: int, intruder: Intruder) -> None:
    """Warn of records alone in their pattern that the formula leaves exposed, and of patterns too small for the order."""
    known = ", ".join(intruder.known) or "nothing"
    if exposed:
        warn(
            f"{exposed:,} of {n:,} records are alone in their pattern of {known}: the formula gives them "
            'weight 1, no protection, though they are the most exposed; singletons="certain" gives 0',
            SingletonPatternWarning,
            stacklevel=3,
        )
    if small:
        warn(
            f"order={order}: {small:,} of {n:,} records are in a pattern of {known} with at most {order} records, "
            "which has no two groups of that order: their weight says nothing of their risk; lower the order, or make "
            "the known variables coarser",
            SmallPatternWarning,
            stacklevel=3,
        )
