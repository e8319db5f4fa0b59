"""Lower bound of epsilon from outputs for two neighboring databases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks, _rng
from synthlab._epsilon_from_events import Evidence, evidence, lower_bound
from synthlab._result import Result
from synthlab._typing import FloatArray, RngLike
from synthlab.dp.adjacency import WORDS, Adjacency, check_adjacency
from synthlab.exceptions import InputError

MOST_RUNS = 10_000_000
FEWEST_RUNS = 20
NO_PROOF = "only one pair of {} and one kind of event were tried, so a bound near 0 proves nothing"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditResult(Result):
    """Lower bound of the privacy loss of a mechanism, for one pair of neighboring databases.

    Attributes
    ----------
    claimed : float or None
        Claimed epsilon.
    event : str
        Event that best distinguishes the two databases.
    swapped : bool
        Whether the event is more likely under the neighbor than under the database.
    hits : tuple of int
        Number of runs with the event, in the second half of the runs: first under the database with the higher
        probability, then under the other one.
    runs : int
        Number of runs on each database in the second half.
    bounds : tuple of two pairs of float
        Clopper-Pearson bounds of the two probabilities; each end has level (1 + level) / 2. `epsilon_lower` uses the
        lower end of the first and the upper end of the second interval, which hold jointly with probability at least
        `level`.
    level : float
        Confidence level.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases.
    delta : float
        Claimed delta.
    """

    _table: ClassVar[str] = ""

    _figure: ClassVar[str] = "dp_account.plot_audit"

    claimed: float | None
    event: str
    swapped: bool
    hits: tuple[int, int]
    runs: int
    bounds: tuple[tuple[float, float], tuple[float, float]]
    level: float
    adjacency: str
    delta: float = 0.0

    @property
    def epsilon_lower(self) -> float:
        """Lower bound of epsilon with confidence `level`; 0 if no difference is found.

        The bound is ``log((p - delta) / q)``, where p is the lower bound of the higher probability of the event, and q
        the upper bound of the lower probability.
        """
        return lower_bound(self.bounds[0][0], self.bounds[1][1], self.delta)

    @property
    def epsilon_observed(self) -> float:
        """Log ratio of the observed shares of the event.

        It is infinite if the event occurred under only one database, and NaN if it did not occur.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.log(self.hits[0]) - np.log(self.hits[1]))

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.claimed is not None and self.epsilon_lower > self.claimed

    def to_frame(self) -> pd.DataFrame:
        """Return claim, bound, event and numbers of occurrences as one row."""
        return pd.DataFrame(
            {
                "claimed": [np.nan if self.claimed is None else self.claimed],
                "delta": [self.delta],
                "epsilon_lower": [self.epsilon_lower],
                "epsilon_observed": [self.epsilon_observed],
                "violated": [self.violated],
                "event": [self.event],
                "hits": [self.hits[0]],
                "hits_other": [self.hits[1]],
                "runs": [self.runs],
            }
        )

    @property
    def title(self) -> str:
        """Finding of the audit and its limitations."""
        likelier, other = ("neighbor", "database") if self.swapped else ("database", "neighbor")
        delta = f" and delta {self.delta:.4g}" if self.delta else ""
        found = (
            f"{self.event}: {self.hits[0]:,} of {self.runs:,} runs on the {likelier}, {self.hits[1]:,} on the {other}; "
            f"epsilon is at least {self.epsilon_lower:.3f} ({100 * self.level:.6g}% confidence"
        )
        words = WORDS[self.adjacency]
        if self.claimed is None:
            return f"{found}{delta.replace(' and', ', at')}). This is not an upper bound: {NO_PROOF.format(words)}."
        found = f"{found}), claimed is {self.claimed:.4g}{delta}."
        if self.violated:
            return f"{found} The claim is refuted, for {words}."
        return f"{found} The claim is not refuted, which does not prove it: {NO_PROOF.format(words)}."


def audited(found: Evidence, claimed: float | None, level: float, adjacency: str, delta: float) -> AuditResult:
    """Return the evidence and the claim as an `AuditResult`."""
    return AuditResult(
        claimed, found.event, found.swapped, found.hits, found.runs, found.bounds, level, adjacency, delta
    )


def epsilon_lower_bound(
    outputs: npt.ArrayLike,
    outputs_without: npt.ArrayLike,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    adjacency: Adjacency = "add-remove",
    level: float = 0.99,
    rng: RngLike = None,
) -> AuditResult:
    r"""Bound epsilon from below by outputs for two neighboring databases.

    Use this function for runs made elsewhere, such as vectorized runs or refits scored by an attack. `audit_epsilon`
    runs the mechanism itself.

    Parameters
    ----------
    outputs, outputs_without : array_like of float, shape (runs,)
        One number per run on a database and on its neighbor: the output, the code of a category, or the score of an
        attack. The runs must be independent. Both arrays must have the same length, at least 20.
    epsilon : float > 0, optional
        Claimed epsilon; by default there is no claim.
    delta : float in [0, 1)
        Delta that belongs to epsilon.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases, for the description of the result.
    level : float in (0, 1)
        Confidence level: the bound exceeds the true epsilon with probability at most 1 - level. The largest of t bounds
        has level ``1 - t (1 - level)``.
    rng : int, Generator or None
        Seed or generator for the split into halves. One half is used to find an event, such as "output >= 3", and the
        other half to count it.

    Returns
    -------
    AuditResult
        With p and q the probabilities of the event under the two databases, and Clopper-Pearson bounds,

        .. math:: \epsilon \ge \log \frac{p_{low} - \delta}{q_{high}}.

    Raises
    ------
    InputError
        The outputs are not finite numbers, there are too few, their numbers differ, or an argument is out of range.

    Notes
    -----
    A bound near 0 is not evidence of privacy: other events, scores and pairs of databases might give a larger bound. A
    bound above the claim refutes the claim for the tested databases. The bound is valid only if the outputs are
    independent draws of the mechanism.

    References
    ----------
    Jagielski, M., Ullman, J. and Oprea, A. (2020). Auditing differentially private machine learning: how private is
    private SGD? NeurIPS 33, section 3 (for delta: Nasr, M., Hayes, J., Steinke, T. et al. (2023). Tight auditing of
    differentially private machine learning. USENIX Security 32). Kairouz, P., Oh, S. and Viswanath, P. (2015). The
    composition theorem for differential privacy. ICML 32, theorem 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab import dp
    >>> noise = np.random.default_rng(1).laplace(0, 0.5, size=(2, 4000))
    >>> audit = dp.epsilon_lower_bound(noise[0] + 2, noise[1] + 1, epsilon=1.0, rng=1)
    >>> print(audit.violated, round(audit.epsilon_lower, 2))
    True 1.55
    """
    claimed = None if epsilon is None else _checks.check_number(epsilon, "epsilon", low=0.0, open_low=True)
    loose = _checks.check_number(delta, "delta", low=0.0, high=1.0, open_high=True)
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    pair = _runs(outputs, "outputs"), _runs(outputs_without, "outputs_without")
    if pair[0].size != pair[1].size:
        raise InputError(
            f"outputs, outputs_without: must have the same length, got {pair[0].size:,} and {pair[1].size:,}"
        )
    first, other = (stream.permutation(values) for values, stream in zip(pair, _rng.spawn(rng, 2), strict=True))
    half = first.size // 2
    found = evidence(first[:half], other[:half], first[half : 2 * half], other[half : 2 * half], level, loose)
    return audited(found, claimed, level, check_adjacency(adjacency), loose)


def _runs(values: npt.ArrayLike, name: str) -> FloatArray:
    array = _checks.check_vector(values, name)
    if not FEWEST_RUNS <= array.size <= 2 * MOST_RUNS:
        raise InputError(f"{name}: has {array.size:,} runs; must have {FEWEST_RUNS} to {2 * MOST_RUNS:,}")
    return array
