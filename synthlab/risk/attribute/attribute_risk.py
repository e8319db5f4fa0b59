"""Attribute disclosure risk of a record if the intruder knows all other records.

References: Reiter, Wang and Zhang (2014); Hu (2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from tqdm import tqdm

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import FloatArray, FrameLike, FrameOrFrames, IntArray, Radius, RadiusKind
from synthlab._warnings import warn
from synthlab.exceptions import InputError, LowEffectiveSampleSizeWarning
from synthlab.release import as_release
from synthlab.risk._attack_result import AttackResult, Scores, scores_of
from synthlab.risk.attribute._posterior import check_fitted, log_release, posteriors
from synthlab.risk.posterior._candidate_values import check_grid, levels_of

if TYPE_CHECKING:
    from synthlab.synthesizers.base import Fitted

MIN_ESS = 50.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributeRiskResult(AttackResult):
    """Posterior over guesses for the synthesized values of the targets.

    Attributes
    ----------
    scores : Scores
        ``scores.attack`` is the posterior probability of the true values and ``scores.baseline`` their prior probability.
        Each has shape (targets, m), or (targets, 1) if all datasets are used together.
    guesses : tuple of pandas.DataFrame
        For each target, a table of G guesses: the synthesized variables, ``prior``, ``posterior`` (mean over the columns
        of `scores`), and ``true``.
    rank : numpy.ndarray of float, shape (targets, m)
        Rank of the truth among the guesses: 1 for the most probable guess; ties are averaged. The shape is (targets, 1) if
        all datasets are used together.
    ess : numpy.ndarray of float, shape (targets, m)
        Effective number of posterior draws behind the target's posterior, for each dataset.
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the targets.
    synthesized : tuple of str
        The variables guessed.
    draws : int
        Number of posterior draws.
    datasets, prior : str
        The arguments.
    data_kind : {"real", "simulated"} or None
        Kind of data that the confidential frame declares.
    """

    _figure: ClassVar[str] = "attribute.plot_truth"

    scores: Scores
    guesses: tuple[pd.DataFrame, ...]
    rank: FloatArray
    ess: FloatArray
    targets: IntArray
    synthesized: tuple[str, ...]
    draws: int
    datasets: str
    prior: str
    data_kind: str | None

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.ess.shape[1])

    def records_to_frame(self) -> pd.DataFrame:
        """Return one row per target.

        The columns are the number of guesses, the probability of the truth before and after the release, the mean rank of
        the truth, and the smallest ESS over the datasets.
        """
        return pd.DataFrame(
            {
                "guesses": [len(g) for g in self.guesses],
                "before": self.scores.baseline.mean(axis=1),
                "after": self.scores.attack.mean(axis=1),
                "rank": self.rank.mean(axis=1),
                "ess": self.ess.min(axis=1),
            },
            index=pd.Index(self.targets, name="record"),
        )

    def summary(self) -> pd.DataFrame:
        """Return attack, baseline and excess, and the share of targets with rank 1."""
        table = self.scores.summary()
        first = (self.rank == 1).mean(axis=0)
        table.loc["truth ranks first"] = [first.mean(), np.nan, np.nan, first.min(), first.max()]
        return table

    @property
    def title(self) -> str:
        """Description of the intruder's knowledge, the guesses and the draws."""
        used = "all together" if self.datasets == "together" else "each by itself"
        return (
            f"Attribute disclosure of {', '.join(self.synthesized)} for {len(self.targets):,} targets, to an intruder "
            f"who knows every other record and the synthesizer; m = {self.m}, {used}; {self.prior} prior; "
            f"{self.draws:,} draws, effective {self.ess.min():,.0f} at least; success is the probability given to the truth"
        )


@explains_arguments
def attribute_risk(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    fitted: Fitted,
    radius: Radius = None,
    radius_kind: RadiusKind = "relative",
    grid: int = 11,
    targets: Any = None,
    prior: Literal["uniform", "predictive"] = "uniform",
    datasets: Literal["together", "apart"] = "together",
    level: float = 0.95,
    progress: bool = False,
) -> AttributeRiskResult:
    r"""Compute the posterior probability of the true values, given all other records.

    The intruder has the release Z, the model, its prior, and all records except record i. Of record i, only the
    synthesized values are unknown. For guesses :math:`g`

    .. math:: p(g \mid Z, y_{-i}) \propto p(g) \prod_l \int p(Z^{(l)} \mid \theta)\, p(\theta \mid g, y_{-i})\, d\theta,

    The integral is computed by importance sampling from the draws of the fit (`guess_posterior`); the model is not refitted.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The records `fitted` was fitted to, in the same order.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets made by `fitted`.
    fitted : Fitted
        A fit of a model with a density: it has ``synthesized``, ``weights``, ``confidential`` and
        ``log_density(frame, as_drawn=)``. Several synthesized variables are guessed jointly.
    radius : mapping {variable: number > 0} or number, optional
        Half-width of the grid around the true value of a numeric variable. For other variables, the guesses are the values
        that occur in the data.
    radius_kind : {"relative", "absolute"}
        "relative": ``radius * abs(y)``; "absolute": `radius` in the units of the variable.
    grid : int
        Number of grid points of each numeric variable: an odd number >= 3, default 11. A variable with whole numbers has at
        most as many points as there are whole numbers in the interval.
    targets : array of row positions or boolean mask, optional
        The records that are attacked. Default: all records.
    prior : {"uniform", "predictive"}
        The intruder's probabilities of the guesses before the release: equal probabilities (default), or the predictive
        probabilities of the model given the other records. They are the baseline.
    datasets : {"together", "apart"}
        "together" (default) gives one posterior given all m datasets; "apart" gives the mean of the m posteriors given one
        dataset each.
    level : float in (0, 1)
        Level of the intervals; default 0.95.
    progress : bool
        Whether to show a progress bar on standard error after one second. Default False.

    Returns
    -------
    AttributeRiskResult

    Raises
    ------
    InputError
        If `fitted` has no density or was fitted to other data, a numeric variable has no radius, `grid` is even or too
        large, or the grid is a single point (a relative radius around 0, or a radius that reaches no other whole number).

    Warns
    -----
    LowEffectiveSampleSizeWarning
        If a target has fewer than 50 effective draws. Its posterior is noise; refit with more draws. For models with many
        parameters, p(Z | theta) varies so much over the draws that no number of draws is enough.
    NoBetterThanBaselineWarning
        If the release does not increase the mean probability of the truth.

    Notes
    -----
    The grid is centered at the truth, as in the R package AttributeRiskCalculation. Compare the probability of the truth
    with its baseline (1/G for a uniform prior); the intruder does not know the center of the grid. In a weighted fit, the
    likelihood of the record is raised to the power of its weight, which is treated as known.

    Symbols: :math:`Y_i^s` the guesses, :math:`y_{-i}` all other records, :math:`\Theta^{(h)}` the draws.

    Cost: draws x (m n + targets x guesses) log densities.

    References
    ----------
    Hu, J. (2019). Bayesian estimation of attribute and identification disclosure risks in synthetic data.
    Transactions on Data Privacy 12(1), 61-89.
    Hornby, R. and Hu, J. (2021). Bayesian estimation of attribute disclosure risks in synthetic data with the
    AttributeRiskCalculation R package. arXiv preprint.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.risk import attribute_risk
    >>> people = pd.DataFrame({"ill": ["yes"] * 2 + ["no"] * 8})
    >>> fitted = sl.DirichletMultinomial(["ill"]).fit(people, rng=1)
    >>> risk = attribute_risk(people, fitted.generate(m=1, rng=2), fitted=fitted, targets=[0, 9], prior="predictive")
    >>> risk.guesses[0].columns.tolist()
    ['ill', 'prior', 'posterior', 'true']
    >>> # Before the release: 8 of the 9 others and the uniform prior make (8 + 1) / (9 + 2) of no.
    >>> bool(abs(risk.guesses[0]["prior"][0] - 9 / 11) < 0.02)
    True
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    _checks.check_choice(radius_kind, "radius_kind", ("relative", "absolute"))
    _checks.check_choice(prior, "prior", ("uniform", "predictive"))
    _checks.check_choice(datasets, "datasets", ("together", "apart"))
    _checks.check_choice(progress, "progress", (True, False))
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    if _checks.check_count(grid, "grid", minimum=3) % 2 == 0:
        raise InputError(f"grid={grid}: must be odd, so that the true value is one of the points")
    rows = _checks.check_targets(targets, len(frame))
    names = check_fitted(frame, release, fitted)
    _checks.check_columns(frame, names, "fitted", where="confidential")
    radii = _checks.check_radius(radius, confidential=frame, known=[], synthesized=names)
    if dates := [c for c, r in radii.items() if isinstance(r, _checks.Days)]:
        raise InputError(
            f"radius[{dates[0]!r}]: {dates[0]!r} holds dates, but the radius applies to numbers; fit the model to a number, such "
            "as days since 1970"
        )
    check_grid(frame, rows, radii, radius_kind)
    drawn = log_release(fitted, release)
    relative, uniform, apart = radius_kind == "relative", prior == "uniform", datasets == "apart"
    stream = posteriors(fitted, frame, rows, levels_of(frame, names), radii, relative, grid, drawn, uniform, apart)
    bar = tqdm(stream, total=len(rows), desc="attribute risk", unit="record", delay=1.0, disable=not progress)
    found = list(bar)
    scores = scores_of(
        np.stack([one.after[one.truth] for one in found]),
        np.array([[one.before[one.truth]] for one in found]),
        level,
    )
    ess = np.stack([one.ess for one in found])
    _warn_if_low(ess, drawn.shape[0])
    scores.warn_if_useless("the posterior of the true values")
    return AttributeRiskResult(
        scores=scores,
        guesses=tuple(one.table(names) for one in found),
        rank=_checks.read_only(np.stack([one.rank() for one in found])),
        ess=_checks.read_only(ess),
        targets=_checks.read_only(rows),
        synthesized=names,
        draws=drawn.shape[0],
        datasets=datasets,
        prior=prior,
        data_kind=_checks.data_kind(frame),
    )


def _warn_if_low(ess: FloatArray, draws: int) -> None:
    low = ess.min(axis=1) < MIN_ESS
    if low.any():
        warn(
            f"{int(low.sum()):,} of {low.size:,} targets have fewer than {MIN_ESS:g} effective draws out of {draws:,} (smallest: "
            f"{ess.min():.1f}); their posteriors are noise. Fit with more draws, or fit a model with fewer parameters",
            LowEffectiveSampleSizeWarning,
        )
