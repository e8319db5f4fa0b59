r"""Weights from record-level sensitivities: the pseudo posterior mechanism of Savitsky, Williams and Hu.

A record whose log-likelihood reaches far from zero under some draw of the parameters could be noticed in the
posterior. Each record gets a weight that falls with how far it reaches, instead of one weight for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError
from synthlab.weights._chunked_log_likelihood import LogLikelihood, reduce_blocks
from synthlab.weights._scale_and_shift import scale_and_shift
from synthlab.weights._weights import Weights

MAPPINGS = ("range", "maximum")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LipschitzWeights(Weights):
    """Record weights from sensitivities, and the draws of the unweighted posterior that made them.

    Attributes
    ----------
    weights : numpy.ndarray of float, shape (n,)
        alpha, in [0, 1], for the `weights` of the synthesizer.
    sensitivity : numpy.ndarray of float, shape (n,)
        f, the largest absolute log-likelihood of each record over the kept draws.
    draw_sensitivity : numpy.ndarray of float, shape (draws,)
        The largest absolute log-likelihood of each draw over the records.
    kept : numpy.ndarray of bool, shape (draws,)
        Draws inside the truncated parameter space; a release of the unweighted posterior may use these alone.
    quantile, scale, shift : float
        As given.
    mapping : {"range", "maximum"}
        As given.
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
        """Delta of the UNWEIGHTED posterior over the kept draws: what the weights are there to lower."""
        return float(self.sensitivity.max())

    @property
    def n_kept(self) -> int:
        """Number of draws kept."""
        return int(self.kept.sum())

    def to_frame(self) -> pd.DataFrame:
        """Return one row a record: sensitivity and weight."""
        index = pd.RangeIndex(self.weights.size, name="record")
        return pd.DataFrame({"sensitivity": self.sensitivity, "weight": self.weights}, index=index)

    def summary(self) -> pd.DataFrame:
        """Return one row a quantity."""
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
        """The weights, and how they were made."""
        return (
            f"Weights of {self.weights.size:,} records from their largest absolute log-likelihood over {self.n_kept:,} of "
            f"{self.kept.size:,} draws: mean {self.weights.mean():.3f}, {int((self.weights == 0).sum()):,} are 0. They say nothing "
            "yet of what a release costs: refit with them, and take achieved_epsilon of the refit."
        )


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
    r"""Weight each record by how far its log-likelihood stays from its largest value over all records.

    From the log-likelihood of each record i under each draw s of the UNWEIGHTED posterior:

    1. :math:`A_{si} = |\log p(y_i \mid \theta_s)|`. Densities above 1 have positive logarithms; what counts is the
       distance from 0.
    2. :math:`\Delta_s = \max_i A_{si}`; draws above a high quantile of the :math:`\Delta_s` are dropped, which truncates
       the parameter space.
    3. :math:`f_i = \max_s A_{si}` over the kept draws, mapped to :math:`\tilde f_i` in [0, 1].
    4. :math:`\alpha_i = clip(c (1 - \tilde f_i) + g, 0, 1)`.

    Parameters
    ----------
    log_likelihood : array_like of shape (draws, n), list of blocks, or callable
        Unweighted log-likelihoods. A matrix, a memory map too, is read in blocks of records; a list holds the blocks, of
        shape (draws, records of the block) each; a function without arguments returns a new iterable of blocks, and
        is called twice. Beyond one block, memory is for the n sensitivities.
    n : int
        Number of records, ``len(confidential)``. A transposed matrix would take draws for records, and its bound holds
        for no record; so the number is asked for and compared.
    quantile : float in (0, 1]
        Of S draws the ``floor(quantile (S - 1)) + 1`` with the smallest maximum are kept, and those equal to the largest of
        these; 1 keeps all. The default is 0.95; the paper asks for a high quantile and gives no number.
    scale, shift : float
        c >= 0 and g. c is less weight for all in proportion; g < 0 takes the same from all and silences the most
        exposed.
    mapping : {"range", "maximum"}
        The paper says a linear map to [0, 1], not which. "range": ``(f - min f) / (max f - min f)``, so the least sensitive
        record has weight c + g. "maximum": ``f / max f``, which lowers every weight.
    progress : bool
        Show a progress bar on standard error if it takes more than a second, one step a block.

    Returns
    -------
    LipschitzWeights

    Raises
    ------
    InputError
        If there are not n records; if a value is NaN or plus infinity; if a record has probability 0 (minus infinity) under a kept draw; if all records
        have the same sensitivity and ``mapping="range"``, which is then 0/0; if every weight comes out as 0; or if
        `log_likelihood` can be read only once.

    Notes
    -----
    One draw is allowed; it is kept. If every log-likelihood is 0, "maximum" takes every sensitivity as 0. The weights
    depend on the confidential data, and on the unit of a continuous variable: a density per thousand dollars has a
    logarithm higher by log 1000 than one per dollar.

    The weights guarantee nothing: after the refit with them, `achieved_epsilon` says what a draw costs.
    `PseudoPosteriorMechanism` does both steps.

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
    """Map sensitivities linearly to [0, 1]; 1 is the most sensitive record."""
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
