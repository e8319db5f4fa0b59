"""The pseudo posterior mechanism: from a synthesizer to a release whose cost is accounted for.

It lives with the weights because it is made of them. The synthesizer is an object that comes from outside and is asked
for what every synthesizer offers: `fit`, `log_likelihood`, `generate`; only its types are imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._pairs import check_fitted_to
from synthlab._result import Result
from synthlab._typing import FloatArray, FrameLike, RngLike
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.weights.epsilon import ADJACENCY, CAVEATS, EpsilonResult, achieved_epsilon
from synthlab.weights.equal_bound import MatchedWeight
from synthlab.weights.lipschitz import MAPPINGS, LipschitzWeights, lipschitz_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.synthesizers._posterior import Diagnostics
    from synthlab.synthesizers.base import Fitted, Synthesizer


@dataclass(frozen=True, kw_only=True)
class PseudoPosteriorMechanism:
    r"""Any synthesizer with a likelihood, made private by record weights (Savitsky, Williams and Hu).

    `fit` takes the two steps of the paper: fit without weights, take weights from the Lipschitz bounds of the records
    (`lipschitz_weights`), fit with these weights, drop the draws above the quantile, and account for what is left
    (`achieved_epsilon`). What can be generated comes from the kept draws alone.

    Parameters
    ----------
    synthesizer : Synthesizer
        The specification of a model with a log-likelihood, such as ``FiniteMixture(...)``.
    scale, shift : float
        c >= 0 and g of the weights.
    quantile : float in (0, 1]
        Share of the draws kept, in both fits; the paper says a high quantile, not which.
    mapping : {"range", "maximum"}
        The map of sensitivities to numbers in [0, 1], see `lipschitz_weights`.

    Notes
    -----
    What the guarantee does not say: it is local to these data and only asymptotically global; neighbours differ by leaving
    one record out; variables that are not synthesized are released unchanged; epsilon is for one draw, m datasets cost
    m times that; the weights, and units a synthesizer standardises by, are computed from the confidential data and not
    paid for; pseudo-random numbers are not a release mechanism.

    A mixture is better weighted on its whole density (``FiniteMixture(..., weighting="mixture")``). With the weight on the
    density of the record's own component, the record keeps its full say in the sizes of the components, and the
    bound, which counts what a record really adds (`pseudo_log_likelihood`), may hardly fall with the weights.

    Raises
    ------
    InputError
        If `synthesizer` has no `fit`, or another argument is out of its range.

    Examples
    --------
    >>> import synthlab as sl
    >>> from synthlab.weights import PseudoPosteriorMechanism
    >>> survey = sl.datasets.load("affairs").frame
    >>> synthesizer = sl.DirichletMultinomial(["rate_marriage"], given=["religious"])
    >>> mechanism = PseudoPosteriorMechanism(synthesizer=synthesizer, scale=0.5, quantile=0.95)
    >>> fitted = mechanism.fit(survey, rng=1)
    >>> fitted.weights.lipschitz_bound > 5 * fitted.accounting.lipschitz_bound
    True
    >>> release = fitted.generate(m=3, rng=2)
    >>> release.provenance["epsilon_total"] == 6 * fitted.accounting.lipschitz_bound
    True
    """

    synthesizer: Synthesizer
    scale: float = 1.0
    shift: float = 0.0
    quantile: float
    mapping: str = "range"

    def __post_init__(self) -> None:
        check_synthesizer(self.synthesizer)
        _checks.check_number(self.scale, "scale", low=0.0)
        _checks.check_number(self.shift, "shift")
        _checks.check_number(self.quantile, "quantile", low=0.0, high=1.0, open_low=True)
        _checks.check_choice(self.mapping, "mapping", MAPPINGS)

    def fit(
        self, confidential: FrameLike, *, rng: RngLike = None, unweighted: Fitted | None = None, **sampler: Any
    ) -> FittedMechanism:
        """Fit without weights, find the weights, fit with them, and keep the draws of the truncated space.

        Parameters
        ----------
        confidential : pandas.DataFrame or Dataset
        rng : int, Generator or None
            One stream a fit; the same seed gives the same draws.
        unweighted : Fitted, optional
            A fit of the same synthesizer to the same data without weights; it is then not fitted again, which
            saves half the time where several `scale` and `shift` are compared.
        **sampler
            Options of the synthesizer's `fit`.

        Returns
        -------
        FittedMechanism

        Raises
        ------
        InputError
            If the synthesizer has no likelihood, draws a record with the help of its own confidential value, or `unweighted`
            has weights, is of another synthesizer or of other records; and as `lipschitz_weights` and the synthesizer's `fit`.
        """
        first, second = _rng.spawn(rng, 2)
        frame = _checks.check_frame(confidential, "confidential")
        unweighted = first_fit(self.synthesizer, frame, unweighted, first, sampler)
        options: dict[str, Any] = {"scale": self.scale, "shift": self.shift, "mapping": self.mapping}
        weights = lipschitz_weights(unweighted.log_likelihood(), n=len(frame), quantile=self.quantile, **options)
        refit = fit_synthesizer(self.synthesizer, frame, weights.weights, second, sampler)
        return truncate(self, refit, self.quantile, weights)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedMechanism(Result):
    """A weighted fit without the draws that must not be used, and what it costs to draw from it.

    Attributes
    ----------
    mechanism : PseudoPosteriorMechanism or ScalarWeightMechanism
        The synthesizer fitted.
    fitted : Fitted
        The weighted fit with the kept draws alone: the dropped ones are not in it, so nothing can be generated from them.
    accounting : EpsilonResult
        Of one dataset; ``accounting.for_datasets(m)`` of m.
    weights : LipschitzWeights
        The weights, with the sensitivities and the bound of the unweighted fit.
    chains : Diagnostics
        Of the whole chains of the weighted fit.
    matched : MatchedWeight or None
        The search for a scalar weight.
    """

    mechanism: Any
    fitted: Fitted
    accounting: EpsilonResult
    weights: LipschitzWeights
    chains: Diagnostics = field(repr=False)
    matched: MatchedWeight | None = None

    @property
    def synthesized(self) -> tuple[str, ...]:
        """The variables that get synthetic values."""
        return tuple(self.fitted.synthesized)

    @property
    def record_weights(self) -> FloatArray:
        """The weights of the fit, shape (n,)."""
        return np.asarray(self.fitted.weights)

    @property
    def tried(self) -> pd.DataFrame:
        """The scalar weights tried and the bounds they achieved, one row a refit; empty without a search."""
        columns = ["weight", "lipschitz_bound"]
        return pd.DataFrame(columns=columns, dtype=float) if self.matched is None else self.matched.to_frame()

    def generate(self, m: int, rng: RngLike = None) -> Release:
        """Generate m synthetic datasets, each from a kept draw of its own.

        Parameters
        ----------
        m : int
            Number of datasets; each costs ``accounting.epsilon_per_draw``.
        rng : int, Generator or None
            As for the synthesizer.

        Returns
        -------
        Release
            Its provenance holds the accounting of these m datasets.

        Raises
        ------
        InputError
            If m is not a whole number >= 1, or above the number of kept draws.
        """
        release = self.fitted.generate(m, rng)
        spent = self.accounting.for_datasets(release.m)
        provenance = {
            **release.provenance,
            "mechanism": repr(self.mechanism),
            "lipschitz_bound": spent.lipschitz_bound,
            "epsilon_per_draw": spent.epsilon_per_draw,
            "epsilon_total": spent.epsilon_total,
            "adjacency": ADJACENCY,
            "guarantee": CAVEATS,
            "draws_kept": spent.n_kept,
        }
        return replace(release, provenance=provenance)

    def log_likelihood(self) -> FloatArray:
        """Return the unweighted log-likelihood under the kept draws, shape (kept draws, n)."""
        return np.asarray(self.fitted.log_likelihood())

    def diagnostics(self) -> Diagnostics:
        """Return the diagnostics of the whole chains of the weighted fit; a warning by name when they are bad."""
        self.chains.warn()
        return self.chains

    def to_frame(self) -> pd.DataFrame:
        """Return one row a record: unweighted sensitivity, weight, weighted sensitivity."""
        index = pd.RangeIndex(self.record_weights.size, name="record")
        columns = {
            "unweighted_sensitivity": self.weights.sensitivity,
            "weight": self.record_weights,
            "sensitivity": self.accounting.sensitivity,
        }
        return pd.DataFrame(columns, index=index)

    def summary(self) -> pd.DataFrame:
        """Return the whole accounting, one row a quantity."""
        first = self.weights.summary().loc[["unweighted lipschitz_bound"]]
        weights = self.record_weights
        rows = {"mean weight": weights.mean(), "records of weight 0": float((weights == 0).sum())}
        middle = pd.DataFrame({"value": rows}).rename_axis("quantity")
        return pd.concat([first, middle, self.accounting.summary()])

    @property
    def title(self) -> str:
        """The cost of a draw, and what the number does not say."""
        before = self.weights.lipschitz_bound
        return f"{self.mechanism!r}. Unweighted Lipschitz bound {before:.4g}. {self.accounting.title}"

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the sensitivities of the records before and after weighting."""
        from synthlab.plots import lipschitz

        before = EpsilonResult(
            self.weights.sensitivity, self.weights.draw_sensitivity, self.weights.kept, self.weights.quantile, 1
        )
        return lipschitz.plot_sensitivities({"unweighted": before, "weighted": self.accounting}, ax=ax, **options)


def check_synthesizer(synthesizer: Any) -> None:
    """Raise unless the object is a specification that can be fitted."""
    if isinstance(synthesizer, type) or not callable(getattr(synthesizer, "fit", None)):
        raise InputError(
            f"synthesizer={_checks.shown(synthesizer)}: must be the specification of a synthesizer, an object with fit"
        )


def fit_synthesizer(
    synthesizer: Synthesizer, confidential: pd.DataFrame, weights: Any, rng: RngLike, sampler: Mapping[str, Any]
) -> Fitted:
    """Fit, and raise unless a dataset made from a draw depends on the confidential values through the draw alone."""
    if "weights" in sampler:
        raise InputError("weights: the mechanism computes the record weights itself")
    fitted = synthesizer.fit(confidential, weights=weights, rng=rng, **sampler)
    if not fitted.records_independent:
        raise InputError(
            f"synthesizer={synthesizer!r}: draws a record with the help of its own confidential value, so a release would not "
            "be a function of the parameters alone and no epsilon would hold; take "
            'allocation="predictive" (FiniteMixture) or membership="released" (DPMPM)'
        )
    return fitted


def first_fit(
    synthesizer: Synthesizer,
    confidential: pd.DataFrame,
    unweighted: Fitted | None,
    rng: RngLike,
    sampler: Mapping[str, Any],
) -> Fitted:
    """Return the fit without weights: the one given, when it is of this synthesizer and these records."""
    if unweighted is None:
        return fit_synthesizer(synthesizer, confidential, None, rng, sampler)
    if getattr(unweighted, "weights", None) is not None:
        raise InputError("unweighted: was fitted with weights; give a fit without")
    if getattr(unweighted, "specification", None) != synthesizer:
        raise InputError(
            f"unweighted: is a fit of {getattr(unweighted, 'specification', type(unweighted).__name__)!r}, not of {synthesizer!r}"
        )
    check_fitted_to(_checks.check_frame(confidential, "confidential"), unweighted, "unweighted")
    return unweighted


def truncate(
    mechanism: Any, refit: Fitted, quantile: float, weights: LipschitzWeights, matched: MatchedWeight | None = None
) -> FittedMechanism:
    """Account for a weighted fit, and drop the draws outside the truncated parameter space."""
    # What a record adds to the pseudo posterior is not always its weight times its log-likelihood: the fit knows.
    accounting = achieved_epsilon(refit.pseudo_log_likelihood(), n=weights.weights.size, quantile=quantile)
    # The fit has warned already if its chains are bad.
    return FittedMechanism(
        mechanism, refit.keep_draws(accounting.kept), accounting, weights, refit._diagnose(), matched
    )
