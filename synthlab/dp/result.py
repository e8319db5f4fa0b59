"""Results of private queries, which contain only values that can be released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab.dp.adjacency import WORDS
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.laplace import LaplaceMechanism


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivateResult(Result):
    """Noisy numbers and their intervals, without the true numbers.

    Attributes
    ----------
    query : str
        Description of the query.
    labels : tuple
        Names of the cells of a histogram; one name for a count or a mean.
    estimate : numpy.ndarray of float, shape (k,)
        Noisy numbers.
    interval : numpy.ndarray of float, shape (k, 2)
        Intervals that contain the true answer for these records with probability `level`, separately for each cell.
        They account only for the noise, not for sampling or for clipping to declared bounds.
    level : float
        Level of each interval.
    epsilon : float
        Privacy loss of the query, for all its numbers together.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases.
    mechanisms : mapping {name: LaplaceMechanism}
        Mechanism for each number or group of numbers.
    data_kind : {"real", "simulated"} or None
        Kind of the records; None if the input does not state it.
    """

    _figure: ClassVar[str] = "dp.plot_private"
    _table: ClassVar[str] = "to_frame"

    query: str
    labels: tuple[Any, ...]
    estimate: FloatArray
    interval: FloatArray
    level: float
    epsilon: float
    adjacency: str
    mechanisms: Mapping[str, LaplaceMechanism]
    data_kind: str | None = None

    @property
    def value(self) -> float:
        """The noisy number, or the sum of the cells of a histogram."""
        return float(self.estimate.sum())

    def rounded(self) -> PrivateResult:
        """Return noisy counts rounded to whole numbers >= 0.

        This is post-processing of the noisy numbers and has no privacy loss. The ends of the intervals are rounded
        outwards, so the probability that they contain the true count does not decrease.
        """
        whole = np.maximum(np.rint(self.estimate), 0.0) + 0.0
        ends = np.stack([np.floor(self.interval[:, 0]), np.ceil(self.interval[:, 1])], axis=1)
        ends = np.maximum(ends, 0.0) + 0.0
        return replace(
            self, query=f"{self.query}, rounded", estimate=_checks.read_only(whole), interval=_checks.read_only(ends)
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the estimate and the ends of its interval, one row per number."""
        columns = {"estimate": self.estimate, "lower": self.interval[:, 0], "upper": self.interval[:, 1]}
        return pd.DataFrame(columns, index=pd.Index(list(self.labels), name="cell", tupleize_cols=False))

    @property
    def title(self) -> str:
        """Description of the query, the noise and the privacy loss."""
        noise = "; ".join(f"{name}: {mechanism}" for name, mechanism in self.mechanisms.items())
        return f"{self.query}: epsilon {self.epsilon:.4g} for {WORDS[self.adjacency]}. {noise}."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivateChoiceResult(Result):
    """Choice of the exponential mechanism, without the confidential probabilities.

    Attributes
    ----------
    query : str
        Description of the query.
    value : object
        The choice.
    epsilon : float
        Privacy loss of the choice.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases.
    mechanism : ExponentialMechanism
        Mechanism that made the choice.
    """

    _table: ClassVar[str] = ""

    query: str
    value: Any
    epsilon: float
    adjacency: str
    mechanism: ExponentialMechanism

    @property
    def title(self) -> str:
        """Description of the choice and its privacy loss."""
        shown = f"{self.value:,.6g}" if isinstance(self.value, float) else repr(self.value)
        return f"{self.query}: {shown}, epsilon {self.epsilon:.4g} for {WORDS[self.adjacency]}. {self.mechanism}."

    def to_frame(self) -> pd.DataFrame:
        """Return the choice as one row."""
        row = {"query": self.query, "value": self.value, "epsilon": self.epsilon, "adjacency": self.adjacency}
        return pd.DataFrame([row])
