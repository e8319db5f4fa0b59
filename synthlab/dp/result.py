"""The results of private queries: numbers that may leave the agency, and nothing that may not."""

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
    """Noisy numbers with the error that the noise brings; the true ones are not in here.

    Attributes
    ----------
    query : str
        What was asked.
    labels : tuple
        The cells of a histogram; one name for a count or a mean.
    estimate : numpy.ndarray of float, shape (k,)
        The noisy numbers.
    interval : numpy.ndarray of float, shape (k, 2)
        Where the true answer of THIS file lies with probability `level`, each cell on its own. The noise alone: that
        the file is a sample is not in it, nor that values were moved to the declared bounds.
    level : float
        Probability of each interval.
    epsilon : float
        Privacy loss of the query, all its numbers together.
    adjacency : {"add-remove", "replace"}
        What a neighbour is.
    mechanisms : mapping {name: LaplaceMechanism}
        The noise that was added, and to what.
    data_kind : {"real", "simulated"} or None
        What the records are, where the input says so.
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
        """The number, where there is one; the sum of the cells of a histogram."""
        return float(self.estimate.sum())

    def rounded(self) -> PrivateResult:
        """Return integers >= 0, for counts: post-processing, which looks at the noisy numbers alone and costs nothing.

        The ends of an interval move outwards to whole numbers, so it holds the true count as often as before at least.
        """
        whole = np.maximum(np.rint(self.estimate), 0.0) + 0.0
        ends = np.stack([np.floor(self.interval[:, 0]), np.ceil(self.interval[:, 1])], axis=1)
        ends = np.maximum(ends, 0.0) + 0.0
        return replace(
            self, query=f"{self.query}, rounded", estimate=_checks.read_only(whole), interval=_checks.read_only(ends)
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row a number: estimate, lower, upper."""
        columns = {"estimate": self.estimate, "lower": self.interval[:, 0], "upper": self.interval[:, 1]}
        return pd.DataFrame(columns, index=pd.Index(list(self.labels), name="cell", tupleize_cols=False))

    @property
    def title(self) -> str:
        """The query, the noise added, and the cost."""
        noise = "; ".join(f"{name}: {mechanism}" for name, mechanism in self.mechanisms.items())
        return f"{self.query}: epsilon {self.epsilon:.4g} for {WORDS[self.adjacency]}. {noise}."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivateChoiceResult(Result):
    """The choice of the exponential mechanism; the probabilities it chose by are confidential and not in here.

    Attributes
    ----------
    query : str
        What was asked.
    value : object
        The choice.
    epsilon : float
        Privacy loss of the choice.
    adjacency : {"add-remove", "replace"}
        What a neighbour is.
    mechanism : ExponentialMechanism
        How sharply it was chosen.
    """

    _table: ClassVar[str] = ""

    query: str
    value: Any
    epsilon: float
    adjacency: str
    mechanism: ExponentialMechanism

    @property
    def title(self) -> str:
        """The choice and its cost, in a sentence."""
        shown = f"{self.value:,.6g}" if isinstance(self.value, float) else repr(self.value)
        return f"{self.query}: {shown}, epsilon {self.epsilon:.4g} for {WORDS[self.adjacency]}. {self.mechanism}."

    def to_frame(self) -> pd.DataFrame:
        """Return the choice in one row."""
        row = {"query": self.query, "value": self.value, "epsilon": self.epsilon, "adjacency": self.adjacency}
        return pd.DataFrame([row])
