"""Expected identification probability: the limit of IR as the number of datasets grows.

The mean of an indicator over m = 20 datasets is noisy: two releases of one synthesizer differ by more than 0.25 for many
records. If the predictive distribution of the synthesizer is known, drawing datasets is not necessary: given the
parameters, the synthetic values are independent, and the expectation is a product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import FloatArray, FrameLike
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.match_inputs import check_fitted_to, prepare

if TYPE_CHECKING:
    from synthlab.synthesizers._plug_in_normal import PlugInNormal
    from synthlab.synthesizers.base import Fitted

CHUNK = 4_000_000  # pairs of records in memory at a time


@explains_arguments
def expected_identification_probability(
    confidential: FrameLike,
    fitted: Fitted | PlugInNormal,
    intruder: Intruder,
    *,
    draws: int = 100,
    progress: bool = False,
) -> FloatArray:
    r"""Return the expected value of IR over the releases of a fitted synthesizer.

    Let :math:`p_{hi} = \Pr(y_h^* \in B(y_i, r) \mid \theta)`. The synthetic values are independent given the parameters,
    so that

    .. math:: E(IR_i \mid \theta) = p_{ii} \, \frac{1}{|M_{p,i}|} \sum_{h \in M_{p,i},\, h \ne i} (1 - p_{hi}),

    which is averaged over posterior draws evenly spaced over the chains.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The records `fitted` was fitted to, in the same order.
    fitted : Fitted
        A fit with ``predictive_probability(draw, lower, upper, rows)``, such as a fitted `FiniteMixture` or `plug_in_normal`.
    intruder : Intruder
        The intruder. The known variables define the patterns; the one synthesized variable, which has a radius, defines the
        ball. The `boundary` does not matter for a continuous predictive distribution. `missing` has the meaning that it has
        in `identification_probability`, for synthetic values too.
    draws : int
        Maximum number of posterior draws to average over; default 100. The only remaining error is the Monte Carlo error of
        the posterior draws, which is small even with 50 draws.
    progress : bool
        Whether to show a progress bar on standard error after one second. Default False.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        Expected IR of each record, in [0, 1].

    Raises
    ------
    InputError
        If the fit has no predictive probabilities, or if the intruder's synthesized variables are not the single variable
        that the fit synthesizes.
    MissingValueError
        Missing values with ``missing="raise"``.

    Notes
    -----
    Cost: draws times the sum of the squared pattern sizes.

    References
    ----------
    Hu, J., Savitsky, T. D. and Williams, M. R. (2021). Risk-efficient Bayesian data synthesis for
    privacy protection. Journal of Survey Statistics and Methodology, equation 1 (its expectation).

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> survey = pd.DataFrame({"x": rng.normal(size=200), "y": rng.lognormal(3, 0.5, 200)})
    >>> fitted = sl.FiniteMixture("y ~ x", classes=1, transform="log").fit(survey, rng=1, draws=500, tune=100)
    >>> someone = sl.Intruder(known=[], synthesized=["y"], radius={"y": 0.2})
    >>> exact = sl.expected_identification_probability(survey, fitted, someone)
    >>> drawn = sl.identification_probability(survey, fitted.generate(m=200, rng=1), someone)
    >>> bool(abs(exact.mean() - drawn.record.mean()) < 0.01)
    True
    """
    check_intruder(intruder, "expected_identification_probability", ("boundary", "missing"), norms=("box",))
    draws = _checks.check_count(draws, "draws")
    _checks.check_choice(progress, "progress", (True, False))
    frame = _checks.check_frame(confidential, "confidential")
    if getattr(fitted, "predictive_probability", None) is None:
        raise InputError(
            f"fitted: {type(fitted).__name__} has no predictive_probability; estimate IR from a release with a large m instead"
        )
    prepared = prepare(frame, frame, intruder, continuous_known=False)
    synthesized = list(prepared.intruder.synthesized)
    if synthesized != list(fitted.synthesized) or len(prepared.intruder.radii) != 1:
        raise InputError(
            f"synthesized={synthesized!r}: must be the one variable with a radius that `fitted` synthesizes, "
            f"{list(fitted.synthesized)!r}"
        )
    column = synthesized[0]
    check_fitted_to(frame[[column]], fitted, "fitted")
    balls, intervals = prepared.balls(), prepared.intervals([column])
    lower, upper = intervals.lower[:, 0], intervals.upper[:, 0]
    return np.where(balls.can_match, _average(fitted, balls.pattern, lower, upper, draws, progress), 0.0)


def _average(
    fitted: Any, pattern: FloatArray | Any, lower: FloatArray, upper: FloatArray, draws: int, progress: bool
) -> FloatArray:
    from tqdm import tqdm

    total = fitted.n_draws
    chosen = np.unique(np.linspace(0, total - 1, min(draws, total)).round().astype(int))
    groups = [np.flatnonzero(pattern == code) for code in np.unique(pattern[pattern >= 0])]
    expected = np.zeros(lower.size)
    for draw in tqdm(chosen, desc="expected IR", unit="draw", delay=1.0, disable=not progress):
        for rows in groups:
            step = max(1, CHUNK // rows.size)
            for start in range(0, rows.size, step):
                targets = rows[start : start + step]
                inside = fitted.predictive_probability(int(draw), lower[targets], upper[targets], rows)
                own = inside[np.arange(start, start + targets.size), np.arange(targets.size)]
                others = rows.size - 1 - (inside.sum(axis=0) - own)
                expected[targets] += own * others / rows.size
    return np.clip(expected / chosen.size, 0.0, 1.0)
