"""What a private query gives back: numbers that may leave the agency, and nothing that may not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.neighbours import WORDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivateResult:
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
        """Return whole numbers >= 0, for counts: post-processing, which looks at the noisy numbers alone and costs nothing.

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

    def summary(self) -> pd.DataFrame:
        """Return the frame of `to_frame`."""
        return self.to_frame()

    def describe(self) -> str:
        """Say what was asked, what was added, and what it cost."""
        noise = "; ".join(f"{name}: {mechanism}" for name, mechanism in self.mechanisms.items())
        return f"{self.query}: epsilon {self.epsilon:.4g} for {WORDS[self.adjacency]}. {noise}."

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the noisy numbers with their intervals; `confidential=` puts the true ones beside them."""
        from synthlab.plots import dp

        return dp.plot_private(self, ax=ax, **options)

    def __str__(self) -> str:
        return f"{self.describe()}\n\n{self.to_frame().to_string(float_format='{:,.4g}'.format)}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.describe())}</p>" + self.to_frame().to_html(float_format="{:,.4g}".format)


@dataclass(frozen=True, slots=True, eq=False)
class PrivateChoiceResult:
    """What the exponential mechanism chose; the probabilities it chose by are confidential and not in here.

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

    query: str
    value: Any
    epsilon: float
    adjacency: str
    mechanism: ExponentialMechanism

    def to_frame(self) -> pd.DataFrame:
        """Return the choice in one row."""
        row = {"query": self.query, "value": self.value, "epsilon": self.epsilon, "adjacency": self.adjacency}
        return pd.DataFrame([row])

    def summary(self) -> pd.DataFrame:
        """Return the choice in one row."""
        return self.to_frame()

    def __str__(self) -> str:
        shown = f"{self.value:,.6g}" if isinstance(self.value, float) else repr(self.value)
        return f"{self.query}: {shown}, epsilon {self.epsilon:.4g} for {WORDS[self.adjacency]}. {self.mechanism}."

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"
