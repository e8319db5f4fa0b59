"""Result of `membership_attack`: error rates of a test, and lower bounds of epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._epsilon_from_events import clopper_pearson, evidence
from synthlab._result import Result
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import UndefinedStatisticWarning

NEIGHBOR = {"replace": "another takes its place", "add-remove": "it is left out"}
SEEN = {"release": "the release", "parameters": "a draw of the parameters"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MembershipAttackResult(Result):
    """Result of an attack on the membership of records.

    Attributes
    ----------
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the records.
    labels : tuple
        Their labels in the index of the confidential data.
    statistic : tuple of str
        The statistic with the best discrimination in the first half of the fits, for each record.
    inside, outside : numpy.ndarray of float, shape (targets, fits)
        Scores in the second half of the fits, with and without the record. Larger scores indicate that the record is in
        the data.
    auc : numpy.ndarray of float, shape (targets,)
        Area under the ROC curve: the probability that a score with the record exceeds a score without it. 0.5 means that
        the fits cannot be distinguished.
    auc_interval : numpy.ndarray of float, shape (targets, 2)
        Newcombe's interval of `auc`, with confidence `level`.
    advantage : numpy.ndarray of float, shape (targets,)
        True minus false positive rate, at the threshold that was best in the first half.
    advantage_interval : numpy.ndarray of float, shape (targets, 2)
        Interval of `advantage` with confidence `level`, from the Clopper-Pearson intervals of both rates.
    true_positives : numpy.ndarray of float, shape (targets,)
        Largest true positive rate at a false positive rate of at most `false_positives`.
    epsilon_lower : numpy.ndarray of float, shape (targets,)
        Lower bounds of epsilon for the given `delta`. The bounds of all records hold simultaneously with confidence `level`.
    false_positives : float
        Largest false positive rate for `true_positives`.
    sees : {"release", "parameters"}
        What the intruder sees of each fit.
    adjacency : {"replace", "add-remove"}
        Adjacency of the data with and without the record.
    delta, level : float
        The delta of the bounds of epsilon, and the confidence.
    m : int
        Number of datasets, or of posterior draws, per fit.
    """

    _figure: ClassVar[str] = "membership.plot_membership_attack"
    targets: IntArray
    labels: tuple[Any, ...]
    statistic: tuple[str, ...]
    inside: FloatArray
    outside: FloatArray
    auc: FloatArray
    auc_interval: FloatArray
    advantage: FloatArray
    advantage_interval: FloatArray
    true_positives: FloatArray
    epsilon_lower: FloatArray
    false_positives: float
    sees: str
    adjacency: str
    delta: float
    level: float
    m: int

    @property
    def fits(self) -> int:
        """Number of test fits (the second half) with, and without, each record."""
        return int(self.inside.shape[1])

    @property
    def worst(self) -> Any:
        """Label of the record with the largest area under the curve."""
        return self.labels[int(self.auc.argmax())]

    @property
    def epsilon(self) -> float:
        """Largest lower bound of epsilon over the records, with confidence `level`."""
        return float(self.epsilon_lower.max())

    def roc(self, target: int = 0) -> pd.DataFrame:
        """Return the ROC curve of a target.

        Parameters
        ----------
        target : int
            Index of the target in `targets`, from 0 (default).

        Returns
        -------
        pandas.DataFrame
            One row per threshold: threshold, false_positives, true_positives.

        Raises
        ------
        InputError
            If the index is out of range.
        """
        place = _checks.check_count(target, "target", minimum=0, maximum=self.targets.size - 1)
        false, true, threshold = curve(self.inside[place], self.outside[place])
        return pd.DataFrame({"threshold": threshold, "false_positives": false, "true_positives": true})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per record: label, statistic, error rates, lower bound of epsilon."""
        columns = {
            "statistic": list(self.statistic),
            "auc": self.auc,
            "auc_low": self.auc_interval[:, 0],
            "auc_high": self.auc_interval[:, 1],
            "advantage": self.advantage,
            "advantage_low": self.advantage_interval[:, 0],
            "advantage_high": self.advantage_interval[:, 1],
            f"tpr at fpr {self.false_positives:g}": self.true_positives,
            "epsilon_lower": self.epsilon_lower,
        }
        return pd.DataFrame(columns, index=pd.Index(list(self.labels), name="record", tupleize_cols=False))

    def summary(self) -> pd.DataFrame:
        """Return `to_frame` by row position, because labels can be names of people."""
        return self.to_frame().set_axis(pd.Index(self.targets, name="row"), axis=0)

    @property
    def title(self) -> str:
        """Result for the record with the largest AUC, and its limits."""
        at = int(self.auc.argmax())
        low, high = self.auc_interval[at]
        delta = f" at delta {self.delta:.4g}" if self.delta else ""
        among = f"; largest AUC of {self.targets.size} records:" if self.targets.size > 1 else ", of"
        return (
            f"Membership attack by an intruder who sees {SEEN[self.sees]} (m = {self.m}), {self.fits:,} fits tested in each world"
            f"{among} row {self.targets[at]}: AUC {self.auc[at]:.3f} ({100 * self.level:.6g}% interval {low:.3f} to {high:.3f}); "
            f"epsilon is at least {self.epsilon:.3g}{delta} ({100 * self.level:.6g}% confidence) where {NEIGHBOR[self.adjacency]}.\n"
            "An AUC near 0.5 and a bound near 0 do not reassure: one attack was tried, on these records of this file. A large AUC "
            "shows that the record can be detected in the file, not what its values are, and nothing about other records."
        )


def curve(inside: FloatArray, outside: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return false and true positive rates and thresholds, from the largest threshold down."""
    from sklearn.metrics import roc_curve

    truth = np.repeat([1, 0], [inside.size, outside.size])
    false, true, threshold = roc_curve(truth, np.concatenate([inside, outside]), drop_intermediate=False)
    return false, true, threshold


def area(inside: FloatArray, outside: FloatArray) -> float:
    """Return the area under the ROC curve; ties count half."""
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(inside, outside).statistic) / (inside.size * outside.size)


def area_interval(auc: float, runs: int, level: float) -> tuple[float, float]:
    """Return Newcombe's interval (2006, method 5) of an AUC from two samples of equal size.

    The interval contains the areas whose distance to the observed area is at most z times their own standard error (Hanley
    and McNeil). It has positive length even if the observed area is 1.
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    z = float(norm.isf((1.0 - level) / 2))

    def excess(theta: float) -> float:
        spread = theta * (1 - theta) * (1 + (runs - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta)))
        return (theta - auc) ** 2 - z * z * spread / runs**2

    at = min(max(auc, 1e-12), 1.0 - 1e-12)  # the excess is negative at this area
    low = float(brentq(excess, 0.0, at)) if auc > 0.0 else 0.0
    high = float(brentq(excess, at, 1.0)) if auc < 1.0 else 1.0
    return low, high


def judge(
    chosen: tuple[FloatArray, FloatArray],
    tested: tuple[FloatArray, FloatArray],
    statistics: tuple[str, ...],
    *,
    level: float,
    joint: float,
    delta: float,
    false_positives: float,
) -> dict[str, Any]:
    """Choose statistic, direction, threshold and event on one half; test them on the other.

    Each pair contains the scores with and without the record, shape (fits, statistics).
    """
    areas = np.array([area(*(half[:, k] for half in chosen)) for k in range(len(statistics))])
    best = int(np.abs(areas - 0.5).argmax())
    sign = -1.0 if areas[best] < 0.5 else 1.0
    (first, other), (inside, outside) = ([sign * half[:, best] for half in pair] for pair in (chosen, tested))
    false, true, thresholds = curve(first, other)
    threshold = thresholds[int((true - false).argmax())]
    runs = inside.size
    hits = np.array([(inside >= threshold).sum(), (outside >= threshold).sum()])
    low, high = clopper_pearson(hits, runs, (1.0 + level) / 2)
    auc = area(inside, outside)
    false, true, _ = curve(inside, outside)
    return {
        "statistic": statistics[best],
        "inside": inside,
        "outside": outside,
        "auc": auc,
        "auc_interval": area_interval(auc, runs, level),
        "advantage": (hits[0] - hits[1]) / runs,
        "advantage_interval": (low[0] - high[1], high[0] - low[1]),
        "true_positives": true[false <= false_positives].max() if false_positives * runs >= 1 else np.nan,
        "epsilon_lower": evidence(first, other, inside, outside, joint, delta).epsilon_lower(delta),
    }


def warn_of_few(runs: int, false_positives: float) -> None:
    """Warn if there are too few test fits to observe the false positive rate."""
    if false_positives * runs < 1:
        warn(
            f"{runs:,} test fits with and without the record are too few for a false positive rate of {false_positives:g}: the true "
            f"positive rate is NaN; use at least {2 * int(np.ceil(1 / false_positives)):,} fits",
            UndefinedStatisticWarning,
            stacklevel=3,
        )
