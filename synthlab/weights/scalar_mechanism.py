"""The exponential mechanism as one weight for all records, at a wanted Lipschitz bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
class ScalarWeightMechanism:
    r"""Any synthesizer with a likelihood, made private by one weight for all records.

    With the log-likelihood as utility and the prior as base measure the exponential mechanism is the posterior with the
    likelihood to the power :math:`\alpha = \epsilon / (2 \Delta)`. A posterior with that weight is wider than the one
    Delta was taken from and achieves a larger bound than wanted, so by default the weight is changed until the
    bound of the refit is the wanted one: the fair opponent of `PseudoPosteriorMechanism`.

    Parameters
    ----------
    synthesizer : Synthesizer
        The specification of a model with a log-likelihood.
    lipschitz_bound : float > 0
        The wanted Delta_alpha; epsilon of a draw is twice that.
    quantile : float in (0, 1]
        Share of the draws kept.
    tolerance : float > 0
        Relative distance from `lipschitz_bound` that is near enough.
    max_fits : int
        Most refits; 1: the first weight, whatever it achieves.
    start : float in (0, 1], optional
        First weight tried; by default that of the formula, ``lipschitz_bound / Delta``.

    Raises
    ------
    InputError
        If `synthesizer` has no `fit`, or another argument is out of its range.

    Notes
    -----
    The same words of caution as for `PseudoPosteriorMechanism`.

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
        """Fit without weights, then with one weight for all until the bound is the wanted one.

        Parameters
        ----------
        confidential : pandas.DataFrame or Dataset
        rng : int, Generator or None
            Every refit has the same seed, so that the bound moves with the weight and not with the noise of the draws. Omit it
            for a release, as in `PseudoPosteriorMechanism.fit`.
        unweighted : Fitted, optional
            A fit of the same synthesizer to the same data without weights.
        **sampler
            Options of the synthesizer's `fit`.

        Returns
        -------
        FittedMechanism
            `matched` holds every weight tried.

        Raises
        ------
        InputError
            As `PseudoPosteriorMechanism.fit`.

        Warns
        -----
        ConvergenceWarning
            If no refit comes near enough to the wanted bound.
        """
        first, second = _rng.spawn(rng, 2)
        frame = _checks.check_frame(confidential, "confidential")
        unweighted = first_fit(self.synthesizer, frame, unweighted, first, sampler)
        one: dict[str, Any] = {"mapping": "maximum", "scale": 0.0, "shift": 1.0}
        found = lipschitz_weights(unweighted.log_likelihood(), n=len(frame), quantile=self.quantile, **one)
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
