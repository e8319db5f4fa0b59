"""ROC curves of membership attacks and of the best possible test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import GRID, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab._typing import FloatArray
    from synthlab.plots.style import Source
    from synthlab.risk import MembershipResult


@_decorators.figure("result")
def plot_membership(
    result: MembershipResult,
    ax: Axes | None = None,
    *,
    data: Source = None,
    epsilon: float | None = None,
    delta: float = 0.0,
) -> Axes:
    """Draw the ROC curve of the best membership test for the most exposed record.

    The test uses one draw of the parameters.

    Parameters
    ----------
    result : MembershipResult
        Result in which the draws depend on at least one record.
    epsilon : float > 0, optional
        Claimed privacy loss. The region that no attack can reach if the claim holds is gray.
    delta : float in [0, 1)
        Delta of the claim.

    Raises
    ------
    InputError
        If the draws depend on no record, or `epsilon` or `delta` is out of range.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"ill": ["yes"] * 2 + ["no"] * 38})
    >>> fitted = sl.DirichletMultinomial(["ill"]).fit(people, rng=1)
    >>> sl.membership_risk(people, fitted.generate(m=1, rng=2), fitted).plot().get_xlabel()
    'false positive rate: share of absent people called present'
    """
    if result.worst is None:
        raise InputError("result: the draws do not determine the ratio of any record")
    table = result.roc()
    place = int(np.nanargmax(result.parameters))
    label = f"row {result.targets[place]}: advantage {result.advantage[place]:.2f}"
    points = table["false_positives"].to_numpy(), table["true_positives"].to_numpy()
    return _curves({label: points}, ax, epsilon, delta)


def _curves(
    curves: Mapping[str, tuple[FloatArray, FloatArray]], ax: Axes | None, epsilon: float | None, delta: float
) -> Axes:
    ax = style.axes(ax, (7.0, 6.4))
    if epsilon is not None:
        _checks.check_number(epsilon, "epsilon", low=0.0, high=700.0, open_low=True)
        _checks.check_number(delta, "delta", low=0.0, high=1.0, open_high=True)
        x = np.linspace(0.0, 1.0, 401)
        # Above both lines of Kairouz, Oh and Viswanath: one for each of the two hypotheses.
        limit = np.minimum(np.exp(epsilon) * x + delta, 1.0 - np.exp(-epsilon) * (1.0 - delta - x))
        words = f"beyond epsilon {epsilon:g}" + (f", delta {delta:g}" if delta else "")
        ax.fill_between(x, np.clip(limit, 0.0, 1.0), 1.0, color=GRID, linewidth=0, label=words)
    ax.plot([0, 1], [0, 1], color=INK, linewidth=1.2, linestyle=":", label="chance")
    for label, (false, true), look in _decorators.each(curves):
        ax.plot(false, true, label=style.literal(label), **_decorators.no_marker(look))
    ax.set_aspect("equal")
    return style.finish(
        ax,
        xlabel="false positive rate: share of absent people called present",
        ylabel="true positive rate: share of present people called present",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
        legend={"loc": "lower right"},
    )
