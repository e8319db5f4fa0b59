r"""Risk weights of any order in closed form: 1 (marginal), 2 (pairwise), or k (groups of k).

Hu, Savitsky and Williams (2021), sections 2.2 and 3.1. The average over all groups of k records that contain record i
has C(N - 1, k - 1) terms. It has a closed form: if g_h of the N balls of the pattern do not contain record h, then h is
outside all balls of C(g_h - 1, k - 1) of the groups that contain i. Therefore the cost does not depend on the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
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
    """Record weights computed from the risk of records, or of groups of records.

    Attributes
    ----------
    weights : numpy.ndarray of float, shape (n,)
        alpha, in [0, 1]; the `weights` argument of a synthesizer.
    intruder : Intruder
        The intruder for whom the risk is computed.
    order, scale, shift, singletons
        The arguments.
    pattern_size : numpy.ndarray of int, shape (n,)
        The number of records with the known values of each record, including the record.
    data_kind : {"real", "simulated"} or None
        Kind of data that the confidential frame declares.
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
        """Return one row per record: size of its pattern, and weight."""
        index = pd.RangeIndex(self.weights.size, name="record")
        return pd.DataFrame({"pattern_size": self.pattern_size, "weight": self.weights}, index=index)

    def summary(self) -> pd.DataFrame:
        """Return one row per quantity."""
        rows = {
            **self._described(),
            "records alone in their pattern": float((self.pattern_size == 1).sum()),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """Description of the weights and the intruder."""
        kind = {1: "marginal", 2: "pairwise"}.get(self.order, f"order {self.order}")
        return f"Risk weights ({kind}) of {self.weights.size:,} records\n{self.intruder.describe()}"


@explains_arguments
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
    r"""Compute record weights alpha from the identification risk of the records.

    Equations: Hu, Savitsky & Williams (2), (3), (6), (7), (8), (9)

    Let :math:`M_p` be the pattern of records with i's known values, and :math:`B_i = B(y_i, r)` the ball around record i.

    - order 1, marginal: :math:`\alpha_i = 1 - IR_i^c`, where :math:`IR_i^c` is the share of the pattern outside
      :math:`B_i` (equations 2 and 3);
    - order 2, pairwise: :math:`IR_{ij}` is the share outside both :math:`B_i` and :math:`B_j`, and
      :math:`\alpha_i = 1 - \sum_{j \ne i} IR_{ij} / (|M_p| - 1)` (equations 6 to 9);
    - order k: :math:`1 - \alpha_i` is the mean, over all groups J of k - 1 other records, of the share outside :math:`B_i`
      and outside the balls of all members of J:

    .. math:: \alpha_i = 1 - \frac{1}{|M_p|} \sum_{h \in M_p,\, y_h \notin B_i}
       \binom{g_h - 1}{k - 1} \Big/ \binom{|M_p| - 1}{k - 1},
       \qquad g_h = \#\{j \in M_p : y_h \notin B_j\}.

    Weights increase with the order, because records count toward the risk only if they are outside all balls of a group.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    intruder : Intruder
        The intruder. The known variables, compared by value, define the patterns; without known variables, all n records form
        one pattern. The synthesized variables define the ball: values within the radius, or equal values for a variable
        without a radius. The options `boundary`, `missing` and `norm` ("box" or "euclidean") apply.
    order : int >= 1
        Group size k; default 1.
    scale, shift : float
        c >= 0 and g of ``clip(c * alpha + g, 0, 1)``, see `scale_and_shift`. Defaults 1 and 0.
    singletons : {"formula", "certain"}
        Risk of a record that is alone in its pattern. "formula" (default) gives alpha = 1 and no protection, although the
        record is the most exposed. (With open balls of radius 0 the record is not in its own ball, and alpha = 0.)
        "certain" sets the risk to 1, so that alpha = 0 (before `scale` and `shift`).
    progress : bool
        Whether to show a progress bar on standard error after one second, with several continuous variables. Default False.

    Returns
    -------
    RiskWeights
        The weights alpha, in [0, 1]. Pass the result as `weights` to a synthesizer; ``numpy.asarray`` returns the array.

    Raises
    ------
    InputError
        If an argument has a wrong type or value.
    MissingValueError
        Missing values with ``missing="raise"``.

    Warns
    -----
    SingletonPatternWarning
        If records are alone in their pattern and ``singletons="formula"``.
    SmallPatternWarning
        If a pattern has 2 to k records and therefore no group or one group of k records. With closed balls every record is in
        its own ball, so that no record is outside all balls of the group and alpha is 1. A pattern of fewer than k
        records uses its size as the order.

    Notes
    -----
    `Intruder` defines the meanings of a missing value. With ``missing="category"``, records with the same missing known
    variables form a pattern, and the ball around a missing synthesized value contains only missing values. With
    ``missing="never"`` a record with a missing value matches no record, so that its IR is 0 and its weight is 1 (before
    `scale` and `shift`). Its ball is empty, also if the record is a member of a group. If its known values are complete, the
    record counts in its pattern, outside every ball. Otherwise its pattern is empty (`pattern_size` is 0).

    The cost does not depend on the order. It is O(n log n) with one or two continuous variables, with or without variables
    compared by value, and O(n log^(d - 1) n) with d continuous variables. If it is smaller, and for the Euclidean norm, the
    cost is O(n log n + number of candidates). The candidates of record i are the records of its pattern within the interval
    of the most selective variable, at most n times the size of a pattern in total. Binomial ratios are computed downwards
    from 1 by ``C(g - 2, k - 1) / C(g - 1, k - 1) = (g - k) / (g - 1)``, which avoids overflow.

    The R code of the authors loops over all groups (O(n^(k+1)) in a pattern), divides by n (their study has one
    pattern), and uses ``r * y`` without the absolute value.

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
    for rows, values, intervals in balls.parts if order > 1 else ():  # with order 1, every share is 1
        covering[rows] = _ball_counts.balls_round_each(balls.cell[rows], values, intervals, progress)
    share = _ball_counts.group_share(size - covering, np.maximum(size, 1), order)
    for rows, values, intervals in balls.parts:
        inside[rows] = _ball_counts.sum_in_each_ball(balls.cell[rows], values, intervals, share[rows], progress)
    total = np.bincount(pattern_of, weights=share)[pattern_of]
    return np.where(balls.can_match, np.clip((total - inside) / np.maximum(size, 1), 0.0, 1.0), 0.0), size


def warn_of(exposed: int, small: int, n: int, order: int, intruder: Intruder) -> None:
    """Warn of unprotected records that are alone in their pattern, and of too small patterns."""
    known = ", ".join(intruder.known) or "nothing"
    if exposed:
        warn(
            f"{exposed:,} of {n:,} records are alone in their pattern of {known}: the formula gives them "
            'weight 1, no protection, although they are the most exposed; use singletons="certain" to set their weight to 0',
            SingletonPatternWarning,
        )
    if small:
        warn(
            f"order={order}: {small:,} of {n:,} records are in a pattern of {known} with at most {order} records, "
            "so their weights carry no information about their risk; lower `order`, or make the known variables coarser",
            SmallPatternWarning,
        )
