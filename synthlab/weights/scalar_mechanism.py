"""Exponential mechanism as one weight for all records, with a target Lipschitz bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from synthlab import _checks, _rng
from synthlab._typing import FrameLike, RngLike
from synthlab.weights.epsilon import achieved_epsilon, exponential_mechanism_weight
from synthlab.weights.lipschitz import lipschitz_weights
from synthlab.weights.matched_bound import match_lipschitz_bound
from synthlab.weights.pseudo_posterior import FittedMechanism, check_synthesizer, first_fit, fit_synthesizer, truncate

if TYPE_CHECKING:
    from synthlab.synthesizers.base import Fitted, Synthesizer


@dataclass(frozen=True, kw_only=True)
class ScalarWeightMechanism(_checks.Unfitted):
    r"""Private synthesizer with one weight for all records.

    Equations: Savitsky, Williams & Hu (definition 1), (29)

    With the log-likelihood as utility and the prior as base measure, the exponential mechanism is the posterior whose
    likelihood is raised to the power :math:`\alpha = \epsilon / (2 \Delta)`. The posterior with this weight is wider than the
    unweighted posterior that gave Delta, and its bound exceeds the target. By default, the weight is adjusted until the refit
    has the target bound. This allows a fair comparison with `PseudoPosteriorMechanism`.

    Parameters
    ----------
    synthesizer : Synthesizer
        The specification of a model with a log-likelihood.
    lipschitz_bound : float > 0
        Target value of Delta_alpha; the epsilon of a draw is twice this value.
    quantile : float in (0, 1]
        Share of kept draws.
    tolerance : float > 0
        Maximum relative distance from `lipschitz_bound`; default 0.01.
    max_fits : int
        Maximum number of refits; default 12. With 1, the first weight is used.
    start : float in (0, 1], optional
        First weight. Default: ``lipschitz_bound / Delta``.

    Raises
    ------
    InputError
        If `synthesizer` has no `fit`, or another argument is out of its range.

    Notes
    -----
    The guarantee has the same limits as for `PseudoPosteriorMechanism` without `clip`.

    Examples
    --------
    >>> import synthlab as sl
    >>> from synthlab.weights import ScalarWeightMechanism
    >>> survey = sl.datasets.load("affairs").frame
    >>> synthesizer = sl.DirichletMultinomial(["rate_marriage"], given=["religious"])
    >>> fitted = ScalarWeightMechanism(synthesizer=synthesizer, lipschitz_bound=2.0, quantile=0.95).fit(survey, rng=1)
    >>> fitted.matched.matched, abs(fitted.accounting.lipschitz_bound - 2.0) <= 0.02
    (True, True)
    """

    synthesizer: Synthesizer
    lipschitz_bound: float
    quantile: float
    tolerance: float = 0.01
    max_fits: int = 12
    start: float | None = None

    _made: ClassVar[type] = FittedMechanism

    def __post_init__(self) -> None:
        check_synthesizer(self.synthesizer)
        _checks.check_number(self.lipschitz_bound, "lipschitz_bound", low=0.0, open_low=True)
        _checks.check_number(self.quantile, "quantile", low=0.0, high=1.0, open_low=True)
        _checks.check_number(self.tolerance, "tolerance", low=0.0, open_low=True)
        _checks.check_count(self.max_fits, "max_fits")
        if self.start is not None:
            _checks.check_number(self.start, "start", low=0.0, high=1.0, open_low=True)

    def fit(
        self, confidential: FrameLike, *, rng: RngLike = None, unweighted: Fitted | None = None, **sampler: Any
    ) -> FittedMechanism:
        """Fit without weights, then adjust one weight until the refit has the target bound.

        Parameters
        ----------
        confidential : pandas.DataFrame or Dataset
            The data as collected.
        rng : int, Generator or None
            Seed or generator. All refits have the same seed, so that their bounds differ only because of the weight. Omit it
            for a release, as in `PseudoPosteriorMechanism.fit`.
        unweighted : Fitted, optional
            A fit of the same synthesizer to the same data without weights.
        **sampler
            Options of the synthesizer's `fit`.

        Returns
        -------
        FittedMechanism
            The fit; `matched` contains all weights that were tried.

        Raises
        ------
        InputError
            As in `PseudoPosteriorMechanism.fit`.

        Warns
        -----
        ConvergenceWarning
            If no refit is within the tolerance of the target bound.
        """
        first, second = _rng.spawn(rng, 2)
        frame = _checks.check_frame(confidential, "confidential")
        unweighted = first_fit(self.synthesizer, frame, unweighted, first, sampler)
        one: dict[str, Any] = {"mapping": "maximum", "scale": 0.0, "shift": 1.0}
        found = lipschitz_weights(
            unweighted.log_likelihood(), n=unweighted.n_observations, quantile=self.quantile, **one
        )
        seed = _rng.integer_seed(second)
        n = found.weights.size
        nearest: tuple[float, Any] = (np.inf, None)

        def bound_of(weight: float) -> float:
            nonlocal nearest
            refit = fit_synthesizer(self.synthesizer, frame, np.full(n, weight), seed, sampler)
            values = refit.pseudo_log_likelihood()
            bound = achieved_epsilon(values, n=n, quantile=self.quantile).lipschitz_bound
            distance = float(abs(np.log(bound / self.lipschitz_bound)))
            nearest = min(nearest, (distance, refit), key=lambda pair: pair[0])
            return bound

        formula = exponential_mechanism_weight(
            min(2.0 * self.lipschitz_bound, np.finfo(np.float64).max), found.lipschitz_bound
        )
        start = formula if self.start is None else self.start
        matched = match_lipschitz_bound(
            bound_of, self.lipschitz_bound, start=start, tolerance=self.tolerance, max_fits=self.max_fits
        )
        weights = replace(found, weights=_checks.read_only(np.full(n, matched.weight)), shift=matched.weight)
        return truncate(self, nearest[1], self.quantile, weights, matched)
