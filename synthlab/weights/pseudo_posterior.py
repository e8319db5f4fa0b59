"""The pseudo posterior mechanism: from a synthesizer to a release whose cost is accounted for.

It lives with the weights because it is made of them. The synthesizer is an object that comes from outside and is asked
for what every synthesizer offers: `fit`, `log_likelihood`, `generate`; only its types are imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._description import describe
from synthlab._result import Result
from synthlab._typing import FloatArray, FrameLike, RngLike
from synthlab.exceptions import InputError
from synthlab.matching.match_inputs import check_fitted_to
from synthlab.release import Release
from synthlab.weights.clipped import ClippedEpsilon, check_clip, clipped_epsilon, record_weights, why_weights
from synthlab.weights.epsilon import EpsilonResult, achieved_epsilon
from synthlab.weights.lipschitz import MAPPINGS, LipschitzWeights, lipschitz_weights
from synthlab.weights.matched_bound import MatchedWeight
from synthlab.weights.reweighting import reweighted

if TYPE_CHECKING:
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
    quantile : float in (0, 1], optional
        Share of the draws kept, in both fits; the paper says a high quantile, not which. Must be given where weights are
        computed from the bounds, which `clip` alone does not.
    mapping : {"range", "maximum"}
        The map of sensitivities to numbers in [0, 1], see `lipschitz_weights`.
    reweight : float in (0, 1], optional
        k: a third fit, with weights by which every record uses what the bound allows (`reweighted`). Not with `clip`.
    clip : float > 0, optional
        epsilon: what each record adds to the log of the pseudo posterior is clipped to [-epsilon/2, epsilon/2].
    record_weight : callable or "lipschitz", optional
        With `clip`, the weights. None: 1 for everybody. A function of one record, a Series with its values, that returns
        a number in [0, 1]: it is called with one record at a time, twice, and must answer the same. "lipschitz": those of the mechanism without `clip`.
    units : mapping of str to (center, scale), optional
        With `clip`, the public units of numeric predictors and of a measured response (after its transform), in which the
        prior is stated and the density is clipped; (0, 1) where there is none. Never those of the file.

    Notes
    -----
    **Strict or local.** With `clip` a record can move the log of the posterior by the width of its clipped contributions and
    no more, so the guarantee holds for all databases and every n, if nothing but the contributions depends on the records: the
    weights are 1 or functions of the record alone with constants fixed in advance, and the draws are exact. What a chain misses
    comes on top, and is not known. Weights from the bounds take a minimum and a maximum over the file, and the guarantee is then
    local again, as without `clip`. The accounting says which holds and why (`ClippedEpsilon`).

    With M = epsilon/2 the log ratio of the posteriors of two neighbours is below the width of the interval for leave-one-out
    neighbours, and twice that where a record is replaced: 2M and 4M for densities, whose logarithms have both signs, M and 2M
    for probabilities, whose logarithms are never above 0. So `clip` is the epsilon of leave-one-out for a density, and
    that of replacement for a probability. m exact draws cost m times that.

    Of the paper on censoring (Hu, Williams and Savitsky) the abstract was at hand; the widths, the case of probabilities, the
    neighbours by replacement and the conditions are derived here. The abstract calls the guarantee with embedded record weights
    strict; that holds for weights fixed in advance, and not for weights from the file.

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
        If `synthesizer` has no `fit`, cannot be clipped where `clip` is given, or another argument is out of its range.

    References
    ----------
    Savitsky, T. D., Williams, M. R. and Hu, J. Bayesian pseudo posterior mechanism under differential privacy.
    Hu, J., Williams, M. R. and Savitsky, T. D. (2022). Mechanisms for global differential privacy under Bayesian data
    synthesis. arXiv:2205.05003.

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

    The same for certain, whatever the database:

    >>> strict = PseudoPosteriorMechanism(synthesizer=sl.LogisticRegression("affair ~ 1"), clip=2.0)
    >>> answers = survey.assign(affair=survey["affairs"] > 0)
    >>> spent = strict.fit(answers, rng=1).accounting
    >>> spent.strict, spent.epsilon_per_draw, spent.epsilon_replace
    (True, 1.0, 2.0)
    """

    synthesizer: Synthesizer
    scale: float = 1.0
    shift: float = 0.0
    quantile: float | None = None
    mapping: str = "range"
    reweight: float | None = None
    clip: float | None = None
    record_weight: Callable[[pd.Series], float] | str | None = None
    units: Mapping[str, tuple[float, float]] | None = None

    def __post_init__(self) -> None:
        check_synthesizer(self.synthesizer)
        _checks.check_number(self.scale, "scale", low=0.0)
        _checks.check_number(self.shift, "shift")
        _checks.check_choice(self.mapping, "mapping", MAPPINGS)
        if self.reweight is not None:
            _checks.check_number(self.reweight, "reweight", low=0.0, high=1.0, open_low=True)
        check_clip(self.synthesizer, self.clip, self.record_weight, self.units, self.reweight)
        if self.quantile is not None:
            _checks.check_number(self.quantile, "quantile", low=0.0, high=1.0, open_low=True)
        elif self.clip is None or self.record_weight == "lipschitz":
            raise InputError(
                "quantile=None: must be given where weights are computed from the bounds; clip alone needs none"
            )

    def __repr__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        words = {name: getattr(value, "__name__", repr(value)) for name, value in given.items() if value is not None}
        return f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in words.items())})"

    def fit(
        self, confidential: FrameLike, *, rng: RngLike = None, unweighted: Fitted | None = None, **sampler: Any
    ) -> FittedMechanism:
        """Fit without weights, find the weights, fit with them, and keep the draws of the truncated space.

        Parameters
        ----------
        confidential : pandas.DataFrame or Dataset
        rng : int, Generator or None
            One stream for each fit; the same seed gives the same draws. Omit it for a release: the guarantee assumes that the
            seed of the fit cannot be found, and `Release.save` checks the seed of `generate` alone.
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
        first, second, third = _rng.spawn(rng, 3)
        frame = _checks.check_frame(confidential, "confidential")
        if self.clip is not None:
            return self._fit_clipped(frame, unweighted, first, second, sampler)
        unweighted = first_fit(self.synthesizer, frame, unweighted, first, sampler)
        weights = self._lipschitz(unweighted.log_likelihood(), len(frame))
        refit = fit_synthesizer(self.synthesizer, frame, weights.weights, second, sampler)
        found = truncate(self, refit, self.quantile, weights)
        if self.reweight is None:
            return found
        again = reweighted(weights.weights, found.accounting.sensitivity, share=self.reweight)
        refit = fit_synthesizer(self.synthesizer, frame, again, third, sampler)
        return truncate(self, refit, self.quantile, replace(weights, weights=_checks.read_only(again)))

    def _lipschitz(self, log_likelihood: FloatArray, n: int) -> LipschitzWeights:
        """Return the weights from the bounds of the records."""
        quantile = 1.0 if self.quantile is None else self.quantile
        options: dict[str, Any] = {"scale": self.scale, "shift": self.shift, "mapping": self.mapping}
        return lipschitz_weights(log_likelihood, n=n, quantile=quantile, **options)

    def _fit_clipped(
        self,
        frame: pd.DataFrame,
        unweighted: Fitted | None,
        first: np.random.Generator,
        second: np.random.Generator,
        sampler: Mapping[str, Any],
    ) -> FittedMechanism:
        """Fit with clipped contributions, all draws kept: under none of them is a contribution beyond the bound."""
        if unweighted is not None:
            raise InputError("unweighted: with clip the first fit is in the declared units too; leave it out")
        if "weights" in sampler:
            raise InputError("weights: the mechanism computes the record weights itself; give record_weight")
        synthesizer: Any = self.synthesizer
        options = {"units": self.units, **sampler}
        weights: LipschitzWeights | None = None
        if self.record_weight == "lipschitz":
            plain = synthesizer.fit_clipped(frame, bound=None, rng=first, **options)
            weights = self._lipschitz(plain.pseudo_log_likelihood(), len(frame))
        alpha = record_weights(self.record_weight, frame) if weights is None else weights.weights
        bound = 0.5 * float(self.clip or 0.0)
        fitted = synthesizer.fit_clipped(frame, bound=bound, weights=alpha, rng=second, **options)
        accounting = clipped_epsilon(fitted, why_weights(self.record_weight))
        return FittedMechanism(self, fitted, accounting, weights, fitted._diagnose())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedMechanism(Result):
    """A weighted fit without the draws that must not be used, and what it costs to draw from it.

    Attributes
    ----------
    mechanism : PseudoPosteriorMechanism or ScalarWeightMechanism
        The synthesizer fitted.
    fitted : Fitted
        The weighted fit with the kept draws alone: the dropped ones are not in it, so nothing can be generated from them.
    accounting : EpsilonResult or ClippedEpsilon
        Of one dataset; ``accounting.for_datasets(m)`` of m.
    weights : LipschitzWeights or None
        The weights, with the sensitivities and the bound of the unweighted fit; None where there is none, with `clip`.
    chains : Diagnostics
        Of the whole chains of the weighted fit.
    matched : MatchedWeight or None
        The search for a scalar weight.
    """

    _figure: ClassVar[str] = "lipschitz.plot_sensitivities"

    mechanism: Any
    fitted: Fitted
    accounting: EpsilonResult
    weights: LipschitzWeights | None
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
            "mechanism": describe(self.mechanism, self.fitted.confidential),
            "lipschitz_bound": spent.lipschitz_bound,
            "epsilon_per_draw": spent.epsilon_per_draw,
            "epsilon_total": spent.epsilon_total,
            "adjacency": spent.adjacency,
            "guarantee": spent.guarantee,
            "draws_kept": spent.n_kept,
        }
        if isinstance(spent, ClippedEpsilon):
            provenance |= {"strict": spent.strict, "epsilon_total_replace": spent.epsilon_total_replace}
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
        columns = {"weight": self.record_weights, "sensitivity": self.accounting.sensitivity}
        if self.weights is not None:
            columns = {"unweighted_sensitivity": self.weights.sensitivity, **columns}
        return pd.DataFrame(columns, index=index)

    def summary(self) -> pd.DataFrame:
        """Return the whole accounting, one row a quantity."""
        first = [] if self.weights is None else [self.weights.summary().loc[["unweighted lipschitz_bound"]]]
        weights = self.record_weights
        rows = {"mean weight": weights.mean(), "records of weight 0": float((weights == 0).sum())}
        middle = pd.DataFrame({"value": rows}).rename_axis("quantity")
        return pd.concat([*first, middle, self.accounting.summary()])

    @property
    def title(self) -> str:
        """The cost of a draw, and what the number does not say."""
        before = "" if self.weights is None else f" Unweighted Lipschitz bound {self.weights.lipschitz_bound:.4g}."
        return f"{self.mechanism!r}.{before} {self.accounting.title}"


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
    mechanism: Any,
    refit: Fitted,
    quantile: float | None,
    weights: LipschitzWeights,
    matched: MatchedWeight | None = None,
) -> FittedMechanism:
    """Account for a weighted fit, and drop the draws outside the truncated parameter space."""
    # What a record adds to the pseudo posterior is not always its weight times its log-likelihood: the fit knows.
    kept = 1.0 if quantile is None else quantile
    accounting = achieved_epsilon(refit.pseudo_log_likelihood(), n=weights.weights.size, quantile=kept)
    # The fit has warned already if its chains are bad.
    return FittedMechanism(
        mechanism, refit.keep_draws(accounting.kept), accounting, weights, refit._diagnose(), matched
    )
