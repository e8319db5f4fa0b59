r"""Epsilon of a posterior whose likelihood contributions are clipped, and its validity.

Hu, Williams and Savitsky. The contribution of a record to the log posterior, :math:`\ell_i(\theta)`, is in an interval of width
w. Removing the record changes the log density by :math:`\ell_i(\theta) - \log E[\exp \ell_i]`, the difference of two numbers
in this interval, and therefore by at most w. Replacing the record removes one and adds another, which changes the log density
by at most 2 w. Both bounds are attained in the limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.weights.epsilon import EpsilonResult

LARGEST = float(np.finfo(np.float64).max) / 4.0  # so that twice the leave-one-out epsilon is finite
CHAIN = "for exact draws from the posterior; the error of a Markov chain adds an unknown amount"
REST = (
    "The number of records, the types of the columns and the variables that are not synthesized are released unchanged and are "
    "not protected. Errors and warnings of the fit depend on the records: do not publish them. A release under differential "
    "privacy also needs a cryptographic random number generator."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClippedEpsilon(EpsilonResult):
    """Privacy accounting of a posterior with clipped contributions.

    Attributes
    ----------
    bound : float
        M: contributions are clipped to [-M, M].
    signed : bool
        Whether contributions can have both signs, like log densities. Log probabilities are at most 0.
    reasons : tuple of str
        Reasons why the guarantee is only local; empty if the guarantee is strict.
    clipped : numpy.ndarray of float, shape (n,)
        Share of the draws in which the contribution of the record is clipped. CONFIDENTIAL, like `sensitivity`.
    """

    bound: float
    signed: bool
    reasons: tuple[str, ...]
    clipped: FloatArray

    @property
    def strict(self) -> bool:
        """Whether epsilon holds for all databases and every n, given exact draws."""
        return not self.reasons

    @property
    def lipschitz_bound(self) -> float:
        """M, the largest absolute contribution of a record in any database."""
        return self.bound

    @property
    def epsilon_per_draw(self) -> float:
        """Epsilon of one draw for leave-one-out neighbors: the width of the contributions."""
        return 2.0 * self.bound if self.signed else self.bound

    @property
    def epsilon_replace(self) -> float:
        """Epsilon of one draw for neighbors by replacement: twice `epsilon_per_draw`."""
        return 2.0 * self.epsilon_per_draw

    @property
    def epsilon_total_replace(self) -> float:
        """Epsilon of m datasets from m draws, for neighbors by replacement."""
        return self.m * self.epsilon_replace

    @property
    def guarantee(self) -> str:
        """Description of the guarantee, its reasons and its limits."""
        if self.strict:
            return (
                "Strict: the guarantee holds for all databases and every n, because the contribution of a record is clipped and "
                f"nothing else depends on the records, {CHAIN}. It requires that epsilon, the units and the function of the "
                f"weights were fixed without using the file, which is not checked. {REST}"
            )
        return (
            f"Local: the contribution of a record is clipped, but {'; '.join(self.reasons)}. Epsilon is therefore the privacy "
            f"loss of a record with everything else fixed at its value in this file, {CHAIN}, and does not bound the loss over "
            f"all databases. {REST}"
        )

    def summary(self) -> pd.DataFrame:
        """Return one row per quantity."""
        rows = {
            "strict": float(self.strict),
            "bound": self.bound,
            "epsilon_per_draw": self.epsilon_per_draw,
            "epsilon_per_draw, replacement": self.epsilon_replace,
            "m": float(self.m),
            "epsilon_total": self.epsilon_total,
            "epsilon_total, replacement": self.epsilon_total_replace,
            "share clipped": float(self.clipped.mean()),
            "draws": float(self.kept.size),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """Sentences that state epsilon and the guarantee."""
        plural = "dataset" if self.m == 1 else "datasets"
        return (
            f"Contributions are clipped to {'plus or minus ' if self.signed else 'minus '}{self.bound:.4g}. For one draw and the "
            f"dataset generated from it, epsilon is {self.epsilon_per_draw:.4g} if a record is omitted and "
            f"{self.epsilon_replace:.4g} if one is replaced; for m = {self.m} {plural} it is {self.epsilon_total:.4g} and "
            f"{self.epsilon_total_replace:.4g}. {self.guarantee}"
        )

    def _checked(self) -> ClippedEpsilon:
        if not np.isfinite(self.epsilon_total_replace):
            raise InputError(f"m={self.m}: the epsilon of m datasets exceeds the largest float; use a smaller m")
        return self


def check_clip(synthesizer: Any, clip: object, record_weight: object, units: object, reweight: object) -> None:
    """Check the arguments of a clipped likelihood, and that the synthesizer supports it."""
    if clip is None:
        for name, value in (("record_weight", record_weight), ("units", units)):
            if value is not None:
                raise InputError(
                    f"{name}: requires `clip` (the epsilon of a clipped likelihood); pass both, or omit {name}"
                )
        return
    if _checks.check_number(clip, "clip", low=0.0, high=LARGEST, open_low=True) / 2 <= 0:
        raise InputError(f"clip={_checks.shown(clip)}: is too small, because clip / 2 is 0; use a larger value")
    if reweight is not None:
        raise InputError("reweight: does not apply with clip, because clipped records have a bound already; omit it")
    if not callable(getattr(synthesizer, "fit_clipped", None)):
        raise InputError(
            f"synthesizer={_checks.shown(synthesizer)}: its likelihood cannot be clipped; use a regression with the method "
            "`fit_clipped`, such as PoissonRegression. Gibbs samplers require conjugate conditional distributions, which a "
            "clipped likelihood does not have"
        )
    named = isinstance(record_weight, str) and record_weight == "lipschitz"
    if record_weight is not None and not named and not callable(record_weight):
        raise InputError(
            f"record_weight={_checks.shown(record_weight)}: must be None, a function of one record, or 'lipschitz'"
        )
    if units is not None:
        _checks.check_mapping(units, "units", "names and pairs (center, scale)")


def record_weights(record_weight: Callable[[pd.Series], float] | str | None, frame: pd.DataFrame) -> FloatArray:
    """Return the weight of each record from a function of the record; 1 without a function."""
    if not callable(record_weight):
        return np.ones(len(frame))
    records = [frame.iloc[i].rename(None) for i in range(len(frame))]  # the weight must not depend on the position
    given = [record_weight(record.copy()) for record in records]
    weights = _checks.check_vector(given, "record_weight")
    again = [record_weight(record) for record in reversed(records)]
    if not np.array_equal(_checks.check_vector(again, "record_weight")[::-1], weights):
        raise InputError(
            "record_weight: returned another weight for a record in the second call, in another order; it must depend on the record "
            "alone"
        )
    outside = (weights < 0) | (weights > 1)
    if outside.any():
        raise InputError(
            f"record_weight: must return numbers in [0, 1]; {_checks.first_of(outside, 'records')}, did not"
        )
    return _checks.check_weights(weights, len(frame), "record_weight")


def why_weights(record_weight: object) -> tuple[str, ...]:
    """Return the reason why the weights make the guarantee local, if they do."""
    taken = "the weights depend on the smallest and the largest bound in the file, so they change with every record"
    return (taken,) if record_weight == "lipschitz" else ()


def clipped_epsilon(fitted: Any, reasons: tuple[str, ...]) -> ClippedEpsilon:
    """Return the accounting of a fit with clipped contributions; all draws are kept."""
    how = fitted.clipped
    reached = np.abs(fitted.pseudo_log_likelihood())
    return ClippedEpsilon(
        sensitivity=_checks.read_only(reached.max(axis=0)),
        draw_sensitivity=_checks.read_only(reached.max(axis=1)),
        kept=_checks.read_only(np.ones(len(reached), dtype=bool)),
        quantile=1.0,
        m=1,
        bound=how.bound,
        signed=how.signed,
        reasons=(*reasons, *how.reasons),
        clipped=_checks.read_only((reached >= how.bound).mean(axis=0)),
    )._checked()
