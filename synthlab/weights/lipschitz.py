r"""Record weights from sensitivities: the pseudo posterior mechanism of Savitsky, Williams and Hu.

A record whose log-likelihood has a large absolute value under a draw of the parameters can strongly influence the
posterior. The weight of a record decreases with this sensitivity, whereas a scalar weight is the same for all records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError
from synthlab.weights._chunked_log_likelihood import LogLikelihood, reduce_blocks
from synthlab.weights._scale_and_shift import scale_and_shift
from synthlab.weights._weights import Weights

MAPPINGS = ("range", "maximum")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LipschitzWeights(Weights):
    """Record weights from sensitivities under the unweighted posterior.

    Attributes
    ----------
    weights : numpy.ndarray of float, shape (n,)
        alpha, in [0, 1]; the `weights` argument of a synthesizer.
    sensitivity : numpy.ndarray of float, shape (n,)
        f, the largest absolute log-likelihood of each record over the kept draws.
    draw_sensitivity : numpy.ndarray of float, shape (draws,)
        The largest absolute log-likelihood of each draw over the records.
    kept : numpy.ndarray of bool, shape (draws,)
        Draws inside the truncated parameter space; a release of the unweighted posterior can use only these.
    quantile, scale, shift : float
        The arguments.
    mapping : {"range", "maximum"}
        The mapping.
    """

    _figure: ClassVar[str] = "lipschitz.plot_lipschitz_weights"

    weights: FloatArray
    sensitivity: FloatArray
    draw_sensitivity: FloatArray
    kept: BoolArray
    quantile: float
    scale: float
    shift: float
    mapping: str

    @property
    def lipschitz_bound(self) -> float:
        """Delta of the UNWEIGHTED posterior over the kept draws, which the weights reduce."""
        return float(self.sensitivity.max())

    @property
    def n_kept(self) -> int:
        """Number of kept draws."""
        return int(self.kept.sum())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per record: sensitivity and weight."""
        index = pd.RangeIndex(self.weights.size, name="record")
        return pd.DataFrame({"sensitivity": self.sensitivity, "weight": self.weights}, index=index)

    def summary(self) -> pd.DataFrame:
        """Return one row per quantity."""
        rows = {
            **self._described(),
            "median sensitivity": float(np.median(self.sensitivity)),
            "unweighted lipschitz_bound": self.lipschitz_bound,
            "draws kept": float(self.n_kept),
            "draws": float(self.kept.size),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """Description of the weights and their computation."""
        return (
            f"Weights of {self.weights.size:,} records from their largest absolute log-likelihood over {self.n_kept:,} of "
            f"{self.kept.size:,} draws: mean {self.weights.mean():.3f}, {int((self.weights == 0).sum()):,} are 0. The weights "
            "do not determine the epsilon of a release: refit with them, and compute achieved_epsilon of the refit."
        )


@explains_arguments
def lipschitz_weights(
    log_likelihood: LogLikelihood,
    *,
    n: int,
    quantile: float = 0.95,
    scale: float = 1.0,
    shift: float = 0.0,
    mapping: Literal["range", "maximum"] = "range",
    progress: bool = False,
) -> LipschitzWeights:
    r"""Compute record weights that decrease with the sensitivity of the records.

    Equations: Savitsky, Williams & Hu (26)

    The weights are computed from the log-likelihood of each record i under each draw s of the UNWEIGHTED posterior:

    1. :math:`A_{si} = |\log p(y_i \mid \theta_s)|`. The absolute value is used because log densities can be positive.
    2. :math:`\Delta_s = \max_i A_{si}`. Draws above a high quantile of the :math:`\Delta_s` are dropped, which truncates
       the parameter space.
    3. :math:`f_i = \max_s A_{si}` over the kept draws, mapped to :math:`\tilde f_i` in [0, 1].
    4. :math:`\alpha_i = clip(c (1 - \tilde f_i) + g, 0, 1)`.

    Parameters
    ----------
    log_likelihood : array_like of shape (draws, n), list of blocks, or callable
        Unweighted log-likelihoods. A matrix (or memory map) is read in blocks of records. A list contains blocks of shape
        (draws, records of the block). A function without arguments returns a new iterable of blocks and is called twice.
        Only one block and the n sensitivities are in memory at a time.
    n : int
        Number of records, ``len(confidential)``. It detects a transposed matrix, whose bound would not hold for the records.
    quantile : float in (0, 1]
        Share of kept draws. Of S draws, the ``floor(quantile (S - 1)) + 1`` draws with the smallest maximum are kept, and
        ties of the largest of these; 1 keeps all draws. The default is 0.95; the paper asks for a high quantile without
        giving a number.
    scale, shift : float
        c >= 0 and g; defaults 1 and 0. A c below 1 reduces all weights proportionally. A negative g reduces all weights by
        the same amount and gives the most exposed records weight 0.
    mapping : {"range", "maximum"}
        Linear map of the sensitivities to [0, 1], which the paper does not specify. "range" (default):
        ``(f - min f) / (max f - min f)``; the least sensitive record has weight c + g. "maximum": ``f / max f``, which
        reduces all weights.
    progress : bool
        Whether to show a progress bar (one step per block) on standard error after one second. Default False.

    Returns
    -------
    LipschitzWeights

    Raises
    ------
    InputError
        If the number of records is not n, a value is NaN or plus infinity, a record has probability 0 (minus infinity) under
        a kept draw, all records have the same sensitivity and ``mapping="range"`` (which is then 0/0), all weights are 0, or
        `log_likelihood` can be read only once.

    Notes
    -----
    A single draw is allowed and is kept. If all log-likelihoods are 0, "maximum" maps all sensitivities to 0. The weights
    depend on the confidential data and on the unit of a continuous variable: a log density per thousand dollars exceeds the
    log density per dollar by log 1000.

    The weights themselves give no guarantee. Refit with the weights, and compute the epsilon of the refit with
    `achieved_epsilon`. `PseudoPosteriorMechanism` performs both steps.

    References
    ----------
    Savitsky, T. D., Williams, M. R. and Hu, J. Bayesian pseudo posterior mechanism under differential privacy,
    section 3.1.

    Examples
    --------
    >>> from synthlab.weights import lipschitz_weights
    >>> found = lipschitz_weights([[-1.0, -2.0, -4.0], [-1.5, -3.0, -5.0], [-1.0, -2.0, -50.0]], n=3, quantile=0.5)
    >>> found.kept.tolist(), found.sensitivity.tolist()
    ([True, True, False], [1.5, 3.0, 5.0])
    >>> found.weights.round(3).tolist(), found.lipschitz_bound
    ([1.0, 0.571, 0.0], 5.0)
    """
    quantile = _checks.check_number(quantile, "quantile", low=0.0, high=1.0, open_low=True)
    _checks.check_choice(mapping, "mapping", MAPPINGS)
    scale = _checks.check_number(scale, "scale", low=0.0)
    shift = _checks.check_number(shift, "shift")
    found = reduce_blocks(log_likelihood, _checks.check_count(n, "n"), quantile, progress=progress)
    weights = scale_and_shift(1.0 - _mapped(found.by_record, mapping), scale=scale, shift=shift)
    if not weights.any():
        raise InputError(
            f"scale={scale:g}, shift={shift:g}: every weight is 0, so no record would inform the model; raise scale or shift"
        )
    return LipschitzWeights(
        _checks.read_only(weights),
        found.by_record,
        found.by_draw,
        found.kept,
        quantile,
        scale,
        shift,
        mapping,
    )


def _mapped(sensitivity: FloatArray, mapping: str) -> FloatArray:
    """Map sensitivities linearly to [0, 1]; the most sensitive record has value 1."""
    largest = sensitivity.max()
    if mapping == "maximum":
        return sensitivity / largest if largest > 0 else np.zeros_like(sensitivity)
    low = sensitivity.min()
    if low == largest:
        raise InputError(
            f'mapping="range": all {sensitivity.size:,} records have the same sensitivity, so none stands out and '
            'the map is 0/0; use mapping="maximum" with a shift > 0, or one weight for all (exponential_mechanism_weight)'
        )
    return np.asarray((sensitivity - low) / (largest - low))
