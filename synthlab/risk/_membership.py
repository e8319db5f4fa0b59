"""Membership: how much more likely is what was released with a person in the data than without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar
from warnings import warn

import numpy as np
import pandas as pd

from synthlab import _checks, _extras
from synthlab._result import Result
from synthlab._typing import FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import LowEffectiveSampleSizeWarning
from synthlab.release import as_release
from synthlab.risk._attribute_posterior import check_fitted, log_release

LARGEST_K = 0.7  # of the generalised Pareto tail of the weights; beyond it their mean is not to be relied on
FEWEST_DRAWS = 100  # effective ones


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MembershipResult(Result):
    """Log likelihood ratios of what an intruder sees, with a person's record in the data against without it.

    Attributes
    ----------
    parameters : numpy.ndarray of float, shape (targets,)
        The largest absolute log ratio over the posterior draws, for an intruder who sees a draw of the parameters; NaN where the
        draws do not tell.
    gain : numpy.ndarray of float, shape (targets,)
        The mean log ratio over the draws: how much such an intruder learns on average.
    release : numpy.ndarray of float, shape (targets, m)
        The log ratio for an intruder who sees a dataset; NaN where too few draws speak for it.
    pareto_k : numpy.ndarray of float, shape (targets,)
        Tail index of the weights that take the record out of the posterior; reliable below 0.7.
    effective_draws : numpy.ndarray of float, shape (m,)
        Draws that speak for each dataset, the fewest over the targets; at least 100 are asked for.
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the people.
    draws : int
        Posterior draws.
    """

    _table: ClassVar[str] = "summary"

    parameters: FloatArray
    gain: FloatArray
    release: FloatArray
    pareto_k: FloatArray
    effective_draws: FloatArray
    targets: IntArray
    draws: int

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.release.shape[1])

    @property
    def epsilon(self) -> float:
        """The largest log ratio of the parameters over the people: no smaller epsilon holds for a draw of them; NaN if unknown."""
        return float(self.parameters.max()) if not np.isnan(self.parameters).any() else float("nan")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per target: record, parameters, gain, the release's mean absolute log ratio, and pareto_k."""
        columns = {
            "record": self.targets,
            "parameters": self.parameters,
            "gain": self.gain,
            "release": np.abs(self.release).mean(axis=1),
            "pareto_k": self.pareto_k,
        }
        return pd.DataFrame(columns)

    def summary(self) -> pd.DataFrame:
        """Return, for what the intruder sees, the mean, 90 % quantile and largest absolute log ratio over those defined."""
        seen = {"parameters": self.parameters, "release": np.abs(self.release).ravel()}
        rows = {}
        for name, values in seen.items():
            there = values[~np.isnan(values)]
            found = [there.mean(), np.quantile(there, 0.9), there.max()] if there.size else [np.nan] * 3
            rows[name] = [*found, there.size / max(values.size, 1)]
        columns = ["mean", "90 %", "max", "defined"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("intruder sees")

    @property
    def title(self) -> str:
        """Say what the ratios are, and what follows for epsilon."""
        bound = (
            "is not known, as the draws do not tell for some people"
            if np.isnan(self.epsilon)
            else f"is at least {self.epsilon:.3g} for a draw of the parameters"
        )
        return (
            f"Membership of {self.targets.size:,} people by log likelihood ratios (0: nothing is learned), {self.draws:,} posterior "
            f"draws, m = {self.m}; epsilon {bound}"
        )


def membership_risk(
    confidential: FrameLike, synthetic: FrameOrFrames, fitted: Any, *, targets: object = None
) -> MembershipResult:
    r"""Tell how much more likely parameters and release are with a person's record in the data than without it.

    With :math:`\theta^{(h)}` the posterior draws and :math:`CPO_i = p(y_i \mid y_{-i})` the conditional predictive
    ordinate, the ratio for an intruder who sees a draw is

    .. math:: \log \frac{p(\theta \mid y)}{p(\theta \mid y_{-i})} = \log p(y_i \mid \theta) - \log CPO_i,

    and for one who sees a dataset z it is :math:`\log p(z \mid y) - \log p(z \mid y_{-i})`, with the record taken out of the
    posterior by reweighting the draws by :math:`1 / p(y_i \mid \theta^{(h)})`.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected, to which `fitted` was fitted.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets, made from `fitted`.
    fitted : fitted synthesizer
        One with posterior draws and a density, such as of `NormalRegression` or `DirichletMultinomial`. A weighted fit counts each
        record by its weight.
    targets : array of row positions or boolean mask, optional
        The people asked about; default all.

    Returns
    -------
    MembershipResult
        A number is given only where it can be relied on: where the Pareto index of the weights is below 0.7, and for a
        dataset where at least 100 effective draws speak for it with and without the record.

    Raises
    ------
    ExtraUnavailableError
        If ArviZ is not installed.
    InputError
        If `fitted` has no density or was fitted to other records, or a dataset lacks rows or variables.

    Warns
    -----
    LowEffectiveSampleSizeWarning
        For some people or datasets the draws do not tell; these are NaN.

    Notes
    -----
    The ratio of the parameters is a lower bound of their epsilon, on these data. Few draws speak for a whole
    dataset as soon as there are many parameters: with some ten of them 2,000 draws leave about 30, and no number is given;
    fitting again without the record is the way then. In partial synthesis the unchanged variables show who is in the file
    anyway; the ratios are about the synthesized values alone.

    References
    ----------
    Savitsky, T. D., Williams, M. R. and Hu, J. (2022). Bayesian pseudo posterior mechanism under asymptotic differential
    privacy. Journal of Machine Learning Research 23(55), 1-37.
    Vehtari, A., Simpson, D., Gelman, A., Yao, Y. and Gabry, J. (2024). Pareto smoothed importance sampling. Journal of Machine
    Learning Research 25(72), 1-58.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"ill": ["yes"] * 2 + ["no"] * 38})
    >>> fitted = sl.DirichletMultinomial(["ill"]).fit(people, rng=1)
    >>> risk = sl.membership_risk(people, fitted.generate(m=1, rng=2), fitted, targets=[0, 39])
    >>> risk.parameters.round(1).tolist()  # one of two, or one of 38: the rare answer gives itself away
    [2.7, 0.3]
    """
    from scipy.special import logsumexp

    frame, release = _checks.check_frame(confidential, "confidential"), as_release(synthetic)
    rows = _checks.check_targets(targets, len(frame))
    check_fitted(frame, release, fitted)
    arviz = _extras.load("bayes", "arviz", "membership_risk")
    weights = getattr(fitted, "weights", None)
    own = np.asarray(fitted.log_density(frame.iloc[rows])) * (1.0 if weights is None else np.asarray(weights)[rows])
    seen = log_release(fitted, release)
    draws = len(own)
    log_cpo = np.log(draws) - logsumexp(-own, axis=0)
    index = np.asarray([_tail(arviz, -column) for column in own.T])
    ratio = np.where(index < LARGEST_K, own - log_cpo, np.nan)
    gone = logsumexp(seen[:, None, :] - own[:, :, None], axis=0) - logsumexp(-own, axis=0)[:, None]
    effective = np.minimum(
        [_effective(column) for column in seen.T],
        [min(_effective(column - one) for one in own.T) for column in seen.T],
    )
    told = (index < LARGEST_K)[:, None] & (effective >= FEWEST_DRAWS)
    with_record = logsumexp(seen, axis=0) - np.log(draws)
    found = np.where(told, with_record - gone, np.nan)
    if not told.all():
        warn(
            f"the {draws:,} draws do not tell for {int((index >= LARGEST_K).sum()):,} of {rows.size:,} people (Pareto index of {LARGEST_K} "
            f"or more), nor for {int((effective < FEWEST_DRAWS).sum()):,} of {release.m} datasets (fewer than {FEWEST_DRAWS} effective "
            "draws); these are NaN",
            LowEffectiveSampleSizeWarning,
            stacklevel=2,
        )
    return MembershipResult(
        parameters=_checks.read_only(np.abs(ratio).max(axis=0)),
        gain=_checks.read_only(ratio.mean(axis=0)),
        release=_checks.read_only(found),
        pareto_k=_checks.read_only(index),
        effective_draws=_checks.read_only(np.asarray(effective, dtype=np.float64)),
        targets=_checks.read_only(rows),
        draws=draws,
    )


def _tail(arviz: Any, log_weights: FloatArray) -> float:
    """Return the Pareto index of weights; those that are all equal have no tail."""
    if np.ptp(log_weights) < 1e-12:
        return -np.inf
    return float(arviz.psislw(log_weights[None, :])[1][0])


def _effective(log_weights: FloatArray) -> float:
    """Return how many equally weighted draws the weights are worth."""
    from scipy.special import logsumexp

    return float(np.exp(2 * logsumexp(log_weights) - logsumexp(2 * log_weights)))
