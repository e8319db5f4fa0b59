"""Pseudo posterior mechanism: weighted synthesis with privacy accounting.

The module uses only the common interface of synthesizers (`fit`, `log_likelihood`, `generate`) and imports only their types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._description import describe
from synthlab._result import Result
from synthlab._typing import FloatArray, FrameLike, PathOrStr, RngLike
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
class PseudoPosteriorMechanism(_checks.Unfitted):
    r"""Private synthesizer with record weights (Savitsky, Williams and Hu).

    `fit` follows the paper: fit without weights, compute weights from the Lipschitz bounds of the records
    (`lipschitz_weights`), fit with these weights, drop the draws above the quantile, and compute the epsilon of the remaining
    draws (`achieved_epsilon`). Datasets are generated only from the kept draws.

    Parameters
    ----------
    synthesizer : Synthesizer
        The specification of a model with a log-likelihood, such as ``FiniteMixture(...)``.
    scale, shift : float
        c >= 0 and g of the weights; defaults 1 and 0.
    quantile : float in (0, 1], optional
        Share of kept draws, in both fits. The paper asks for a high quantile without giving a number. Required if weights are
        computed from the bounds.
    mapping : {"range", "maximum"}
        Map of the sensitivities to [0, 1], see `lipschitz_weights`. Default "range".
    reweight : float in (0, 1], optional
        k of a third fit, whose weights raise every record toward the bound (`reweighted`). Not allowed with `clip`.
    clip : float > 0, optional
        epsilon. The contribution of each record to the log pseudo posterior is clipped to [-epsilon/2, epsilon/2].
    record_weight : callable or "lipschitz", optional
        The weights with `clip`; default 1 for all records. A function of one record (a Series) returns a number in [0, 1]. It
        is called twice per record and must return the same number. "lipschitz" uses the weights of the mechanism
        without `clip`.
    units : mapping of str to (center, scale), optional
        With `clip`, the public units of numeric predictors and of a numeric response (after its transform). The prior and
        the clipped density refer to these units. Default (0, 1) for each variable. They must not be computed from the file.

    Notes
    -----
    **Strict or local.** With `clip` a record changes the log posterior by at most the width of its clipped contributions.
    The guarantee therefore holds for all databases and every n if only the contributions depend on the records. This requires
    that the weights are 1 or functions of the record alone with constants fixed in advance, and that the draws are exact. The
    error of a Markov chain adds an unknown amount. Weights from the bounds use the minimum and the maximum of the file, and
    the guarantee is then local, as without `clip`. `ClippedEpsilon` states which guarantee holds and why.

    Let M = epsilon/2. For leave-one-out neighbors, the log ratio of the posteriors is at most the width of the interval of
    contributions; for neighbors by replacement, it is at most twice the width. The bounds are 2M and 4M for densities,
    whose logarithms have both signs, and M and 2M for probabilities, whose logarithms are at most 0. Therefore `clip` is
    the leave-one-out epsilon of a density, and the replacement epsilon of a probability. The epsilon of m exact draws is m
    times as large.

    Only the abstract of the paper on censoring (Hu, Williams and Savitsky) was available. The widths, the case of
    probabilities, neighbors by replacement and the conditions are derived here. The abstract calls the guarantee with embedded
    record weights strict; this holds for weights fixed in advance, but not for weights from the file.

    Limits of the guarantee without `clip`: it is local to these data and only asymptotically global. Neighbors differ by
    one record that is left out. Variables that are not synthesized are released unchanged. Epsilon refers to one draw; m
    datasets have m times this epsilon. The weights, and the units for standardization, are computed from the confidential
    data, and epsilon does not cover this computation. Pseudo-random numbers are not a release mechanism.

    For a mixture, weight the whole density (``FiniteMixture(..., weighting="mixture")``). If only the density of the
    record's own component is weighted, the record keeps its full influence on the sizes of the components. The bound, which
    measures the actual contribution of a record (`pseudo_log_likelihood`), might then hardly decrease with the weights.

    Raises
    ------
    InputError
        If `synthesizer` has no `fit` or does not support `clip`, or another argument is out of its range.

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

    A guarantee that holds for all databases:

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
                "quantile=None: required if weights are computed from the bounds; with clip alone, omit it"
            )

    def __repr__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        words = {name: getattr(value, "__name__", repr(value)) for name, value in given.items() if value is not None}
        return f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in words.items())})"

    def fit(
        self, confidential: FrameLike, *, rng: RngLike = None, unweighted: Fitted | None = None, **sampler: Any
    ) -> FittedMechanism:
        """Compute weights from an unweighted fit, refit with them, and drop draws above the quantile.

        Parameters
        ----------
        confidential : pandas.DataFrame or Dataset
            The data as collected.
        rng : int, Generator or None
            Seed or generator, with one stream per fit. Omit it for a release: the guarantee assumes that the seed of the fit
            cannot be found, and `Release.save` checks only the seed of `generate`.
        unweighted : Fitted, optional
            A fit of the same synthesizer to the same data without weights, which is then not repeated. This saves half of the
            time when several values of `scale` and `shift` are compared.
        **sampler
            Options of the synthesizer's `fit`.

        Returns
        -------
        FittedMechanism

        Raises
        ------
        InputError
            If the synthesizer has no likelihood or draws records given their own confidential values, or `unweighted` has
            weights or is a fit of another synthesizer or other records; and as in `lipschitz_weights` and the synthesizer's
            `fit`.
        """
        first, second, third = _rng.spawn(rng, 3)
        frame = _checks.check_frame(confidential, "confidential")
        if self.clip is not None:
            return self._fit_clipped(frame, unweighted, first, second, sampler)
        unweighted = first_fit(self.synthesizer, frame, unweighted, first, sampler)
        weights = self._lipschitz(unweighted.log_likelihood(), unweighted.n_observations)
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
        """Fit with clipped contributions; all draws satisfy the bound and are kept."""
        if unweighted is not None:
            raise InputError("unweighted: does not apply with clip, because the first fit also uses `units`; omit it")
        if "weights" in sampler:
            raise InputError("weights: the mechanism computes the record weights itself; use record_weight")
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
    """Weighted fit, restricted to the kept draws, with its privacy accounting.

    Attributes
    ----------
    mechanism : PseudoPosteriorMechanism or ScalarWeightMechanism
        The mechanism that was fitted.
    fitted : Fitted
        The weighted fit with only the kept draws, so that datasets cannot be generated from the dropped draws.
    accounting : EpsilonResult or ClippedEpsilon
        Accounting of one dataset; use ``accounting.for_datasets(m)`` for m datasets.
    weights : LipschitzWeights or None
        The weights, with the sensitivities and the bound of the unweighted fit. None with `clip` and without Lipschitz weights.
    chains : Diagnostics
        Diagnostics of the complete chains of the weighted fit.
    matched : MatchedWeight or None
        Result of the search for a scalar weight.
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
        """Synthesized variables."""
        return tuple(self.fitted.synthesized)

    @property
    def record_weights(self) -> FloatArray:
        """Weights of the fit, shape (n,)."""
        return np.asarray(self.fitted.weights)

    @property
    def tried(self) -> pd.DataFrame:
        """Scalar weights and achieved bounds, one row per refit; empty without a search."""
        columns = ["weight", "lipschitz_bound"]
        return pd.DataFrame(columns=columns, dtype=float) if self.matched is None else self.matched.to_frame()

    def generate(self, m: int, rng: RngLike = None, n: int | None = None) -> Release:
        """Generate m synthetic datasets, each from its own kept draw.

        Parameters
        ----------
        m : int
            Number of datasets; the epsilon of each is ``accounting.epsilon_per_draw``.
        rng : int, Generator or None
            Seed or generator, as in the synthesizer's `generate`.
        n : int, optional
            Number of records, as in the synthesizer's `generate`. Choose it without looking at the confidential data.

        Returns
        -------
        Release
            The release; its provenance contains the accounting of the m datasets.

        Raises
        ------
        InputError
            If m is not a whole number >= 1, or exceeds the number of kept draws, or n cannot be used.
        """
        release = self.fitted.generate(m, rng, n)
        spent = self.accounting.for_datasets(release.m)
        provenance: dict[str, Any] = {
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
        return replace(release, provenance=provenance | dict(release.provenance))

    def save(self, path: PathOrStr) -> Path:
        """Save the fitted mechanism to a file, which `synthlab.load_fit` reads.

        **The file contains confidential data**: the records, their weights and sensitivities, and the draws. Only its owner
        can read it (mode 0600). Its format is that of `Fitted.save`. Datasets from the loaded mechanism add to the epsilon
        of those that were generated before; `total_epsilon` adds the epsilons of releases.

        Parameters
        ----------
        path : path
            The file, for example "mechanism.zip"; an existing file is replaced.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        InputError
            If the file cannot be written, or a value, such as a function as `record_weight`, cannot be saved.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import synthlab as sl
        >>> from synthlab.weights import PseudoPosteriorMechanism
        >>> survey = sl.datasets.load("affairs").frame
        >>> synthesizer = sl.DirichletMultinomial(["rate_marriage"], given=["religious"])
        >>> fitted = PseudoPosteriorMechanism(synthesizer=synthesizer, quantile=0.95).fit(survey, rng=1)
        >>> with TemporaryDirectory() as folder:
        ...     again = sl.load_fit(fitted.save(Path(folder) / "mechanism.zip"))
        >>> again.accounting.epsilon_per_draw == fitted.accounting.epsilon_per_draw
        True
        """
        return self.fitted._save(path, self, data=True)

    def log_likelihood(self) -> FloatArray:
        """Return the unweighted log-likelihood under the kept draws, shape (kept draws, n)."""
        return np.asarray(self.fitted.log_likelihood())

    def diagnostics(self) -> Diagnostics:
        """Return the diagnostics of the weighted fit's chains; warn if they are bad."""
        self.chains.warn()
        return self.chains

    def to_frame(self) -> pd.DataFrame:
        """Return one row per record: unweighted sensitivity, weight, weighted sensitivity."""
        index = pd.RangeIndex(self.record_weights.size, name="record")
        columns = {"weight": self.record_weights, "sensitivity": self.accounting.sensitivity}
        if self.weights is not None:
            columns = {"unweighted_sensitivity": self.weights.sensitivity, **columns}
        return pd.DataFrame(columns, index=index)

    def summary(self) -> pd.DataFrame:
        """Return the accounting, one row per quantity."""
        first = [] if self.weights is None else [self.weights.summary().loc[["unweighted lipschitz_bound"]]]
        weights = self.record_weights
        rows = {"mean weight": weights.mean(), "records of weight 0": float((weights == 0).sum())}
        middle = pd.DataFrame({"value": rows}).rename_axis("quantity")
        return pd.concat([*first, middle, self.accounting.summary()])

    @property
    def title(self) -> str:
        """Sentences that state the mechanism, epsilon and the limits of the guarantee."""
        before = "" if self.weights is None else f" Unweighted Lipschitz bound {self.weights.lipschitz_bound:.4g}."
        return f"{self.mechanism!r}.{before} {self.accounting.title}"


PseudoPosteriorMechanism._made = FittedMechanism


def check_synthesizer(synthesizer: Any) -> None:
    """Raise an error unless the object is a synthesizer specification."""
    if isinstance(synthesizer, type) or not callable(getattr(synthesizer, "fit", None)):
        raise InputError(
            f"synthesizer={_checks.shown(synthesizer)}: must be the specification of a synthesizer, an object with a fit method"
        )


def fit_synthesizer(
    synthesizer: Synthesizer, confidential: pd.DataFrame, weights: Any, rng: RngLike, sampler: Mapping[str, Any]
) -> Fitted:
    """Fit, and raise an error if datasets depend on confidential values other than by the draw."""
    if "weights" in sampler:
        raise InputError("weights: the mechanism computes the record weights itself")
    fitted = synthesizer.fit(confidential, weights=weights, rng=rng, **sampler)
    if not fitted.records_independent:
        raise InputError(
            f"synthesizer={synthesizer!r}: draws records given their own confidential values, so a release would not "
            "depend on the parameters alone, and no epsilon would hold; use "
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
    """Return the unweighted fit: the given fit after validation, or a new fit."""
    if unweighted is None:
        return fit_synthesizer(synthesizer, confidential, None, rng, sampler)
    if getattr(unweighted, "weights", None) is not None:
        raise InputError("unweighted: was fitted with weights; pass a fit without weights")
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
    """Return the accounting of a weighted fit without the draws above the quantile."""
    # The contribution of a record is not always its weight times its log-likelihood, so the fit computes it.
    kept = 1.0 if quantile is None else quantile
    accounting = achieved_epsilon(refit.pseudo_log_likelihood(), n=weights.weights.size, quantile=kept)
    # `_diagnose` does not warn; the fit already warned if its chains are bad.
    return FittedMechanism(
        mechanism, refit.keep_draws(accounting.kept), accounting, weights, refit._diagnose(), matched
    )
