"""The result of membership by likelihood ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab._result import Result
from synthlab._typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MembershipResult(Result):
    """Log likelihood ratios of what an intruder sees, with a person's record in the data against without it.

    Attributes
    ----------
    parameters : numpy.ndarray of float, shape (targets,)
        The largest absolute log ratio over the posterior draws, for an intruder who sees a draw of the parameters; NaN where the
        draws do not tell.
    gain : numpy.ndarray of float, shape (targets,)
        The mean log ratio over the draws: how much such an intruder learns on average.
    advantage : numpy.ndarray of float, shape (targets,)
        True minus false positive rate of the best test by a draw of the parameters: the distance in total variation of the
        posteriors with and without the record, from 0 to 1; NaN where the draws do not tell.
    release : numpy.ndarray of float, shape (targets, m)
        The log ratio for an intruder who sees a dataset; NaN where too few draws speak for it.
    pareto_k : numpy.ndarray of float, shape (targets,)
        Tail index of the weights that take the record out of the posterior; reliable below 0.7.
    effective_draws : numpy.ndarray of float, shape (m,)
        Draws that speak for each dataset, the fewest over the targets; at least 100 are asked for.
    ess : numpy.ndarray of float, shape (targets,)
        Effective number of the draws without the record, of the weights that take it out.
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the people.
    labels : tuple
        Their labels in the index of the confidential data.
    draws : int
        Posterior draws.
    log_ratio : numpy.ndarray of float, shape (draws,)
        The log ratios of the draws for the person with the largest one, `worst`; empty where there is none.
    """

    _figure: ClassVar[str] = "membership.plot_membership"
    _table: ClassVar[str] = "summary"

    parameters: FloatArray
    gain: FloatArray
    advantage: FloatArray
    release: FloatArray
    pareto_k: FloatArray
    effective_draws: FloatArray
    ess: FloatArray
    targets: IntArray
    labels: tuple[Any, ...]
    draws: int
    log_ratio: FloatArray

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.release.shape[1])

    @property
    def epsilon(self) -> float:
        """The largest log ratio of the parameters over the people: no smaller epsilon holds for a draw of them; NaN if unknown."""
        return float(self.parameters.max()) if not np.isnan(self.parameters).any() else float("nan")

    @property
    def worst(self) -> Any:
        """The label of the person with the largest log ratio of the parameters among those told of; None without any."""
        return None if np.isnan(self.parameters).all() else self.labels[int(np.nanargmax(self.parameters))]

    def roc(self) -> pd.DataFrame:
        """Return the ROC curve of the best test for the person `worst`, who sees a draw of the parameters.

        Returns
        -------
        pandas.DataFrame
            One row a threshold of the log ratio: threshold, false_positives, true_positives; empty without such a person.
        """
        ratio = np.sort(self.log_ratio)[::-1]
        gone = np.cumsum(np.exp(-ratio))
        start = [0.0] * min(ratio.size, 1)
        true = np.concatenate([start, np.arange(1, ratio.size + 1) / max(ratio.size, 1)])
        false = np.concatenate([start, gone / gone[-1:]])
        threshold = np.concatenate([[np.inf] * len(start), ratio])
        return pd.DataFrame({"threshold": threshold, "false_positives": false, "true_positives": true})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per target: record, label, parameters, gain, advantage, the release's mean absolute log ratio, pareto_k, ess."""
        columns = {
            "record": self.targets,
            "label": pd.Series(list(self.labels), dtype=object),
            "parameters": self.parameters,
            "gain": self.gain,
            "advantage": self.advantage,
            "release": np.abs(self.release).mean(axis=1),
            "pareto_k": self.pareto_k,
            "ess": self.ess,
        }
        return pd.DataFrame(columns)

    def summary(self) -> pd.DataFrame:
        """Return, for what the intruder sees, the mean, 90 % quantile and largest absolute log ratio over those defined."""
        seen = {"parameters": self.parameters, "release": np.abs(self.release).ravel()}
        rows = {}
        for name, values in seen.items():
            there = values[~np.isnan(values)]
            found = [there.mean(), np.quantile(there, 0.9), there.max()] if there.size else [np.nan] * 3
            rows[name] = [*found, there.size / max(values.size, 1)]
        columns = ["mean", "90 %", "max", "defined"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("intruder sees")

    @property
    def title(self) -> str:
        """Say what the ratios are, and what follows for epsilon."""
        bound = (
            "is not known, as the draws do not tell for some people"
            if np.isnan(self.epsilon)
            else f"is at least {self.epsilon:.3g} for a draw of the parameters"
        )
        return (
            f"Membership of {self.targets.size:,} people by log likelihood ratios (0: nothing is learned), {self.draws:,} posterior "
            f"draws, m = {self.m}; epsilon {bound}.\nA low ratio does not reassure: it is of these people, this file and these draws, and of "
            "being in the data. An epsilon is for every person and every file."
        )
