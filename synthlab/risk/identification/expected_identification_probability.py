"""Expected identification probability: what IR tends to as the number of datasets grows, without the noise.

An average over m = 20 datasets of an indicator is noisy: two releases of one synthesizer differ by more
than 0.25 for many records. Where the synthesizer knows its predictive distribution there is no need to
draw: given the parameters, synthetic values are independent, and the expectation is a product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray, FrameLike
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.match_inputs import check_fitted_to, prepare

if TYPE_CHECKING:
    from synthlab.synthesizers._plug_in_normal import PlugInNormal
    from synthlab.synthesizers.base import Fitted

CHUNK = 4_000_000  # pairs of records looked at together


def expected_identification_probability(
    confidential: FrameLike,
    fitted: Fitted | PlugInNormal,
    intruder: Intruder,
    *,
    draws: int = 100,
    progress: bool = False,
) -> FloatArray:
    r"""Return the expectation of IR over the releases a fitted synthesizer would generate.

    With :math:`p_{hi} = \Pr(y_h^* \in B(y_i, r) \mid \theta)`, the synthetic values being independent given
    the parameters,

    .. math:: E(IR_i \mid \theta) = p_{ii} \, \frac{1}{|M_{p,i}|} \sum_{h \in M_{p,i},\, h \ne i} (1 - p_{hi}),

    averaged over posterior draws spread over the chains.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The records `fitted` was fitted to, in the same order.
    fitted : Fitted
        With ``predictive_probability(draw, lower, upper, rows)``, as a fitted `FiniteMixture` has, or `plug_in_normal`.
    intruder : Intruder
        The known variables make the patterns; the ball is of the one synthesized variable, which has a radius. Whether its
        ends belong to it (`boundary`) is the same for a continuous predictive distribution. Missing values (`missing`) mean
        what they mean in `identification_probability`, in the synthetic values too.
    draws : int
        Number of posterior draws to average over, at most those there are. The error left is that of the
        posterior, not of the synthetic values: small already with 50.
    progress : bool
        Show a progress bar on standard error if it takes more than a second.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        In [0, 1].

    Raises
    ------
    InputError
        If the synthesizer does not give predictive probabilities, or synthesizes something else, or there is more
        than one synthesized variable.
    MissingValueError
        Missing values with ``missing="raise"``.

    Notes
    -----
    Cost: draws x the sum of the squared sizes of the patterns.

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
            f"synthesized={synthesized!r}: must be the one variable with a radius that fitted synthesizes, "
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
