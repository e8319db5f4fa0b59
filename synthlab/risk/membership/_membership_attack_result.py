"""The result of an attack on membership: error rates of a test, and what they say of epsilon."""

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

NEIGHBOUR = {"replace": "another takes its place", "add-remove": "it is left out"}
SEEN = {"release": "the release", "parameters": "a draw of the parameters"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MembershipAttackResult(Result):
    """An attack on the membership of records, by fits with and without each of them.

    Attributes
    ----------
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the records.
    labels : tuple
        Their labels in the index of the confidential data.
    statistic : tuple of str
        The statistic that told most of each in the first half of the fits.
    inside, outside : numpy.ndarray of float, shape (targets, fits)
        Its scores in the second half, with and without the record; larger ones speak for the record's being there.
    auc : numpy.ndarray of float, shape (targets,)
        Area under the ROC curve of these: the chance that a score with the record is above one without; 0.5: nothing is told.
    auc_interval : numpy.ndarray of float, shape (targets, 2)
        Newcombe's interval of it, of confidence `level`.
    advantage : numpy.ndarray of float, shape (targets,)
        True minus false positive rate at the threshold that was best in the first half.
    advantage_interval : numpy.ndarray of float, shape (targets, 2)
        From the intervals of Clopper and Pearson of both rates, of confidence `level`.
    true_positives : numpy.ndarray of float, shape (targets,)
        The largest true positive rate at a false positive rate of `false_positives` at most.
    epsilon_lower : numpy.ndarray of float, shape (targets,)
        The epsilon of what is seen is at least this, beside `delta`; all of them hold together with confidence `level`.
    false_positives : float
        The false positive rate asked about.
    sees : {"release", "parameters"}
        What the intruder sees of a fit.
    adjacency : {"replace", "add-remove"}
        What the world without the record is, and of which neighbours epsilon is bounded.
    delta, level : float
        The delta that goes with epsilon, and the confidence.
    m : int
        Datasets, or draws of the parameters, of a fit.
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
        """Fits of each world that the numbers rest on: those that chose nothing."""
        return int(self.inside.shape[1])

    @property
    def worst(self) -> Any:
        """The label of the record with the largest area under the curve."""
        return self.labels[int(self.auc.argmax())]

    @property
    def epsilon(self) -> float:
        """The largest lower bound of epsilon over the records; it holds with confidence `level`."""
        return float(self.epsilon_lower.max())

    def roc(self, target: int = 0) -> pd.DataFrame:
        """Return the ROC curve of one of the targets.

        Parameters
        ----------
        target : int
            Its place among `targets`, from 0.

        Returns
        -------
        pandas.DataFrame
            One row a threshold: threshold, false_positives, true_positives.

        Raises
        ------
        InputError
            If there is no such target.
        """
        place = _checks.check_count(target, "target", minimum=0, maximum=self.targets.size - 1)
        false, true, threshold = curve(self.inside[place], self.outside[place])
        return pd.DataFrame({"threshold": threshold, "false_positives": false, "true_positives": true})

    def to_frame(self) -> pd.DataFrame:
        """Return one row a record: its label, the statistic, the error rates, and the lower bound of epsilon."""
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
        """Return the same by row position: a label, which may be a name, is shown where it is asked for alone."""
        return self.to_frame().set_axis(pd.Index(self.targets, name="row"), axis=0)

    @property
    def title(self) -> str:
        """The finding for the record that is told best, and what it does not say."""
        at = int(self.auc.argmax())
        low, high = self.auc_interval[at]
        delta = f" at delta {self.delta:.4g}" if self.delta else ""
        among = f"; told best of {self.targets.size} is" if self.targets.size > 1 else ", of"
        return (
            f"Membership attack by an intruder who sees {SEEN[self.sees]} (m = {self.m}), {self.fits:,} fits tested in each world"
            f"{among} row {self.targets[at]}: AUC {self.auc[at]:.3f} ({100 * self.level:.6g}% interval {low:.3f} to {high:.3f}); "
            f"epsilon is at least {self.epsilon:.3g}{delta} ({100 * self.level:.6g}% confidence) where {NEIGHBOUR[self.adjacency]}.\n"
            "An AUC near 0.5 and a bound near 0 do not reassure: one attack was tried, on these records of this file. A large one "
            "says that the record is seen to be in the file, not what its values are, and nothing of other records."
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
    """Return Newcombe's interval (2006, method 5) of an area from as many scores of either kind.

    The areas whose distance to the observed one is no more than z of the standard errors of Hanley and McNeil they would
    have themselves: it is no point where the area is 1.
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    z = float(norm.isf((1.0 - level) / 2))

    def excess(theta: float) -> float:
        spread = theta * (1 - theta) * (1 + (runs - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta)))
        return (theta - auc) ** 2 - z * z * spread / runs**2

    at = min(max(auc, 1e-12), 1.0 - 1e-12)  # there the excess is below 0
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
    """Choose statistic, direction, threshold and event by one half of the fits, and return what the other says.

    Each pair holds the scores with and without the record, shape (fits, statistics).
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
    """Warn where so few fits were tested that no such false positive rate is seen."""
    if false_positives * runs < 1:
        warn(
            f"{runs:,} fits were tested in each world, which show no false positive rate of {false_positives:g}: the true positive "
            f"rate at it is NaN; it takes {int(np.ceil(1 / false_positives)):,}",
            UndefinedStatisticWarning,
            stacklevel=3,
        )
