r"""Epsilon of a weighted fit, for one draw and for m datasets.

Savitsky, Williams and Hu. If no record can change the log pseudo-likelihood by more than Delta, one draw of the
parameters is 2 Delta differentially private. A dataset generated from this draw alone has the same epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._system import size_limits
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError
from synthlab.weights._chunked_log_likelihood import LogLikelihood, reduce_blocks

ADJACENCY = "leave one out: two databases that differ in the presence of one record"
CAVEATS = (
    "The guarantee is local and asymptotic: the bound is the largest value over these records and these draws, and the paper "
    "only shows that it approaches a bound for all databases as n grows. Neighboring databases differ by one omitted record. "
    "Variables that are not synthesized are released unchanged and are not protected. Epsilon does not include the cost of "
    "computing the weights from the confidential data. The bound depends on the unit of a continuous variable. A release under "
    "differential privacy also needs a cryptographic random number generator."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EpsilonResult(Result):
    """Privacy accounting of a (pseudo) posterior; local to these data, otherwise asymptotic.

    Attributes
    ----------
    sensitivity : numpy.ndarray of float, shape (n,)
        ``weight_i * max_s |log p(y_i | theta_s)|`` of each record over the kept draws.
    draw_sensitivity : numpy.ndarray of float, shape (draws,)
        ``max_i weight_i * |log p(y_i | theta_s)|`` of each draw.
    kept : numpy.ndarray of bool, shape (draws,)
        Draws that a release can use; the other draws are outside the truncated parameter space.
    quantile : float
        Share of kept draws, see `lipschitz_weights`.
    m : int
        Number of datasets, each from its own draw.
    """

    _figure: ClassVar[str] = "lipschitz.plot_sensitivities"
    _per_record: ClassVar[tuple[str, ...]] = ("sensitivity",)

    sensitivity: FloatArray
    draw_sensitivity: FloatArray
    kept: BoolArray
    quantile: float
    m: int

    @property
    def lipschitz_bound(self) -> float:
        """Largest sensitivity of a record (Delta_alpha)."""
        return float(self.sensitivity.max())

    @property
    def epsilon_per_draw(self) -> float:
        """Epsilon of one draw and the dataset generated from it: 2 Delta_alpha."""
        return 2.0 * self.lipschitz_bound

    @property
    def epsilon_total(self) -> float:
        """Epsilon of m datasets from m draws: m times `epsilon_per_draw`."""
        return self.m * self.epsilon_per_draw

    @property
    def n_kept(self) -> int:
        """Number of draws that a release can use."""
        return int(self.kept.sum())

    @property
    def adjacency(self) -> str:
        """Definition of neighboring databases."""
        return ADJACENCY

    @property
    def guarantee(self) -> str:
        """Description of the limits of the guarantee."""
        return CAVEATS

    def for_datasets(self, m: int) -> Self:
        """Return the accounting of m datasets."""
        total = replace(self, m=_checks.check_count(m, "m", maximum=size_limits.WHOLE))
        return total._checked()

    def _checked(self) -> Self:
        if not np.isfinite(self.epsilon_total):
            raise InputError(f"m={self.m}: the epsilon of m datasets exceeds the largest float; use a smaller m")
        return self

    def summary(self) -> pd.DataFrame:
        """Return one row per quantity."""
        rows = {
            "lipschitz_bound": self.lipschitz_bound,
            "epsilon_per_draw": self.epsilon_per_draw,
            "m": float(self.m),
            "epsilon_total": self.epsilon_total,
            "median sensitivity of a record": float(np.median(self.sensitivity)),
            "draws kept": float(self.n_kept),
            "draws": float(self.kept.size),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """Sentences that state epsilon and the limits of the guarantee."""
        plural = "dataset" if self.m == 1 else "datasets"
        return (
            f"Lipschitz bound {self.lipschitz_bound:.4g}: epsilon is {self.epsilon_per_draw:.4g} for one draw and the dataset "
            f"generated from it, and {self.epsilon_total:.4g} for m = {self.m} {plural}. A release can use {self.n_kept:,} of "
            f"{self.kept.size:,} draws. {self.guarantee}"
        )


@explains_arguments
def achieved_epsilon(
    log_likelihood: LogLikelihood,
    weights: object = None,
    *,
    n: int | None = None,
    quantile: float,
    m: int = 1,
    progress: bool = False,
) -> EpsilonResult:
    r"""Return the epsilon of one draw and of m datasets from a weighted posterior.

    Equations: Savitsky, Williams & Hu (assumption 1), (definition 3), (theorem 2), (lemma 1)

    Over the kept draws of the WEIGHTED posterior,

    .. math:: \Delta_\alpha = \max_{s, i} \alpha_i |\log p(y_i \mid \theta_s)|, \qquad \epsilon = 2 \Delta_\alpha

    (the paper's theorem 2 and lemma 1; alpha: `weights`, Delta_alpha: `lipschitz_bound`, epsilon: `epsilon_per_draw`).

    Parameters
    ----------
    log_likelihood : array_like of shape (draws, n), list of blocks, or callable
        UNWEIGHTED log-likelihood of each record under the draws of the weighted posterior, as the `log_likelihood`
        of a fit returns it; in blocks of records as for `lipschitz_weights`.
    weights : array_like of shape (n,), optional
        The record weights of the fit. Default: 1 for all records. Pass weights only if they multiplied the log-likelihood in
        the fit. Otherwise (for example, if they multiplied the density of a record's own component), pass the
        `pseudo_log_likelihood()` of the fit and no weights.
    n : int, optional
        Number of records, ``len(confidential)``; required without `weights`. It detects a transposed matrix, whose epsilon
        would not protect the records.
    quantile : float in (0, 1]
        Share of kept draws: the draws whose largest weighted value is at most this quantile of these values.
    m : int
        Number of datasets, each from its own draw; default 1.
    progress : bool
        Whether to show a progress bar (one step per block) on standard error after one second. Default False.

    Returns
    -------
    EpsilonResult

    Raises
    ------
    InputError
        If neither `weights` nor `n` is given, shapes do not agree, a value is NaN or plus infinity, or a record with a
        positive weight has probability 0 under a kept draw.

    Notes
    -----
    The guarantee is local to these data and asymptotic beyond them. The adjacency is leave one out. The printed result
    states these limits. A record of weight 0 does not contribute to epsilon.

    References
    ----------
    Savitsky, T. D., Williams, M. R. and Hu, J. Bayesian pseudo posterior mechanism under differential privacy,
    sections 2.2 and 3.1.

    Examples
    --------
    >>> from synthlab.weights import achieved_epsilon
    >>> spent = achieved_epsilon([[-1.0, -3.0], [-2.0, -4.0]], [1.0, 0.25], quantile=1.0, m=10)
    >>> spent.lipschitz_bound, spent.epsilon_per_draw, spent.epsilon_total
    (2.0, 4.0, 40.0)
    """
    quantile = _checks.check_number(quantile, "quantile", low=0.0, high=1.0, open_low=True)
    m = _checks.check_count(m, "m", maximum=size_limits.WHOLE)
    alpha = None if weights is None else _checks.check_vector(weights, "weights")
    if alpha is None and n is None:
        raise InputError(
            "n: required without weights, for example n=len(confidential), to identify the axis of the records in log_likelihood"
        )
    records = len(alpha) if n is None and alpha is not None else _checks.check_count(n, "n")
    if alpha is not None and len(alpha) != records:
        raise InputError(f"n={records}: must equal the number of weights, {len(alpha)}")
    alpha = None if alpha is None else _checks.check_weights(alpha, records)
    found = reduce_blocks(log_likelihood, records, quantile, alpha, progress=progress)
    return EpsilonResult(found.by_record, found.by_draw, found.kept, quantile, m)._checked()


@explains_arguments
def exponential_mechanism_weight(target_epsilon: float, lipschitz_bound: float) -> float:
    r"""Return the scalar weight of an exponential mechanism with a given epsilon per draw.

    Equations: Savitsky, Williams & Hu (definition 1), (29)

    With the log-likelihood as utility and the prior as base measure, the exponential mechanism is the posterior whose
    likelihood is raised to the power :math:`\alpha = \epsilon / (2 \Delta)` (section 3.2 of the paper). Delta is the
    `lipschitz_bound` of the unweighted posterior.

    Parameters
    ----------
    target_epsilon : float > 0
        Epsilon of one draw.
    lipschitz_bound : float > 0
        Delta of the unweighted posterior, ``lipschitz_weights(...).lipschitz_bound``.

    Returns
    -------
    float
        Weight in (0, 1]; 1 if the epsilon of the unweighted posterior does not exceed the target.

    Raises
    ------
    InputError
        If either is not a positive number.

    Notes
    -----
    A refit with this weight has a wider posterior, so that the Lipschitz bound it ACHIEVES differs from the target.
    `match_lipschitz_bound` finds the weight that achieves the target.

    Examples
    --------
    >>> from synthlab.weights import exponential_mechanism_weight
    >>> exponential_mechanism_weight(8.0, 16.0), exponential_mechanism_weight(80.0, 16.0)
    (0.25, 1.0)
    """
    epsilon = _checks.check_number(target_epsilon, "target_epsilon", low=0.0, open_low=True)
    bound = _checks.check_number(lipschitz_bound, "lipschitz_bound", low=0.0, open_low=True)
    return min(1.0, epsilon / (2.0 * bound))
