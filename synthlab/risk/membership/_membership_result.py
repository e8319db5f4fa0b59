"""Result of `membership_risk`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab._result import Result
from synthlab._typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MembershipResult(Result):
    """Log likelihood ratios of the data with and without a person's record.

    Attributes
    ----------
    parameters : numpy.ndarray of float, shape (targets,)
        The largest absolute log ratio over the posterior draws, for an intruder who sees a draw of the parameters. NaN if
        the estimate is unreliable (`pareto_k` of 0.7 or more).
    gain : numpy.ndarray of float, shape (targets,)
        The mean log ratio over the draws: the average information gain of this intruder.
    advantage : numpy.ndarray of float, shape (targets,)
        True minus false positive rate of the best test based on a draw of the parameters, in [0, 1]. It is the total
        variation distance of the posteriors with and without the record. NaN if the estimate is unreliable.
    release : numpy.ndarray of float, shape (targets, m)
        The log ratio for an intruder who sees a dataset. NaN if the estimate is unreliable.
    pareto_k : numpy.ndarray of float, shape (targets,)
        Pareto tail index of the weights that remove the record from the posterior; estimates are reliable below 0.7.
    effective_draws : numpy.ndarray of float, shape (m,)
        Effective number of draws for each dataset, the minimum over the targets; at least 100 are required.
    ess : numpy.ndarray of float, shape (targets,)
        Effective number of draws after reweighting that removes the record.
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the people.
    labels : tuple
        Their labels in the index of the confidential data.
    draws : int
        Number of posterior draws.
    log_ratio : numpy.ndarray of float, shape (draws,)
        Log ratios of the draws for the person `worst`; empty if `worst` is None.
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
        """Lower bound of epsilon for a draw of the parameters: the largest log ratio.

        NaN if the log ratio of a person is NaN.
        """
        return float(self.parameters.max()) if not np.isnan(self.parameters).any() else float("nan")

    @property
    def worst(self) -> Any:
        """Label of the person with the largest log ratio of the parameters; None if all are NaN."""
        return None if np.isnan(self.parameters).all() else self.labels[int(np.nanargmax(self.parameters))]

    def roc(self) -> pd.DataFrame:
        """Return the ROC curve of the best test of the membership of `worst`.

        The test is based on a draw of the parameters.

        Returns
        -------
        pandas.DataFrame
            One row per threshold of the log ratio: threshold, false_positives, true_positives. Empty if `worst` is None.
        """
        ratio = np.sort(self.log_ratio)[::-1]
        gone = np.cumsum(np.exp(-ratio))
        start = [0.0] * min(ratio.size, 1)
        true = np.concatenate([start, np.arange(1, ratio.size + 1) / max(ratio.size, 1)])
        false = np.concatenate([start, gone / gone[-1:]])
        threshold = np.concatenate([[np.inf] * len(start), ratio])
        return pd.DataFrame({"threshold": threshold, "false_positives": false, "true_positives": true})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per target.

        The columns are record, label, parameters, gain, advantage, release (the mean absolute log ratio over the datasets),
        pareto_k and ess.
        """
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
        """Return mean, 90% quantile and maximum of the defined absolute log ratios."""
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
        """Description of the ratios and the bound of epsilon."""
        bound = (
            "is unknown, because the ratio of some people cannot be estimated"
            if np.isnan(self.epsilon)
            else f"is at least {self.epsilon:.3g} for a draw of the parameters"
        )
        return (
            f"Membership of {self.targets.size:,} people by log likelihood ratios (0: nothing is learned), {self.draws:,} posterior "
            f"draws, m = {self.m}; epsilon {bound}.\nA low ratio does not reassure: it refers to these people, this file, these draws, "
            "and to membership only. An epsilon refers to every person and every file."
        )
