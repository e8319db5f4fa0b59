"""Correct attribution probability (CAP) of a target variable, given key variables.

References: Elliot (2014); Taub, Elliot, Pampaka and Smith (2018); Taub and Elliot (2019); Baillargeon and Charest (2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import BoolArray, FrameLike, FrameOrFrames, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.intruder import Intruder, check_intruder
from synthlab.release import as_release
from synthlab.risk._attack_result import AttackResult, Scores, scores_of
from synthlab.risk.attribute import _cap_scores
from synthlab.risk.attribute._equivalence_classes import best_constant, marginal_scores

Variant = Literal["cap", "dcap", "tcap", "tcap_released"]
Absent = Literal["zero", "drop", "marginal", "nearest"]
OWN_ABSENT: dict[str, Absent] = {"cap": "zero", "dcap": "drop", "tcap": "drop", "tcap_released": "drop"}
DENOMINATORS = {
    "cap": "all targets",
    "dcap": "all targets",
    "tcap": "targets whose key has disclosive released records",
    "tcap_released": "disclosive released records whose key a target has",
}
ABSENT_WORDS = {
    "zero": "an absent key scores 0",
    "drop": "targets with an absent key are left out",
    "marginal": "an absent key is guessed from the margin of the release",
    "nearest": "an absent key is answered by the nearest keys",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CapResult(AttackResult):
    """Correct attribution probability of a release.

    Attributes
    ----------
    scores : Scores
        ``scores.attack``, ``.baseline`` and ``.weight``, each (targets, m).
    absent : numpy.ndarray of bool, shape (targets, m)
        Whether no synthetic record of the dataset has the target's key.
    counted : numpy.ndarray of bool, shape (targets, m)
        Whether the target is in the denominator.
    confidential : float
        CAP if the confidential data are released unchanged.
    best_constant : float
        The largest share of the targets for whom one constant answer is correct. An intruder who knows the distribution but
        not the release can reach this share. It is not below the baseline, which draws from the distribution.
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the targets.
    intruder : Intruder
        The intruder; ``intruder.known`` are the keys.
    target : str
        The variable guessed.
    variant, absent_rule : str
        The variant, and the rule for absent keys.
    near : str
        Description of the values that count as correct.
    data_kind : {"real", "simulated"} or None
        Kind of data that the confidential frame declares.
    """

    _figure: ClassVar[str] = "attribute.plot_attack"

    scores: Scores
    absent: BoolArray
    confidential: float
    best_constant: float
    targets: IntArray
    intruder: Intruder
    target: str
    variant: str
    absent_rule: str
    near: str
    data_kind: str | None

    @property
    def counted(self) -> BoolArray:
        """The targets in the denominator, shape (targets, m)."""
        return _checks.read_only(self.scores.weight > 0)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per dataset 1..m: attack, baseline, targets counted, targets with an absent key."""
        return self.scores.to_frame().assign(counted=self.counted.sum(axis=0), absent=self.absent.sum(axis=0))

    def summary(self) -> pd.DataFrame:
        """Return attack, baseline and excess with intervals, the best constant answer, and the confidential data."""
        table = self.scores.summary()
        table.loc["best constant"] = [self.best_constant, np.nan, np.nan, np.nan, np.nan]
        table.loc["confidential"] = [self.confidential, np.nan, np.nan, np.nan, np.nan]
        return table

    @property
    def title(self) -> str:
        """The variable guessed, the keys it is guessed from, and which targets count."""
        return (
            f"{self.variant.upper()}: {self.target} guessed from {', '.join(self.intruder.known)}, right when {self.near}; "
            f"denominator: {DENOMINATORS[self.variant]}; {ABSENT_WORDS[self.absent_rule]}; m = {self.m}"
        )


@explains_arguments
def cap(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    *,
    target: str,
    variant: Variant = "cap",
    absent: Absent | None = None,
    threshold: float = 1.0,
    level: float = 0.95,
) -> CapResult:
    r"""Compute the correct attribution probability (CAP) of a target variable.

    The intruder knows the keys of person i, and draws a record at random from the synthetic records with these keys:

    .. math:: CAP_i^{(l)} = \frac{\#\{h : K_h^{*(l)} = K_i,\; t_h^{*(l)} \in B(t_i, r)\}}{\#\{h : K_h^{*(l)} = K_i\}}.

    The baseline guesses from the margin of the confidential data, :math:`\#\{h : t_h \in B(t_i, r)\} / n`. A rational intruder
    without the release gives the same answer for all targets, the one that is correct most often: `best_constant`.
    Attack and baseline are means over the same targets in each dataset, and then over the m datasets.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected; its records are the targets.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets. They can be about other persons and have another number of rows than `confidential`.
    intruder : Intruder
        The intruder. `known` are the keys (at least one), compared by value; they can be synthesized. `radius` is the
        half-width of the interval of correct values around the true value of a numeric target. With ``missing="never"`` a
        missing key or target equals no value, not even itself. It is then never correct, neither in the attack nor in the
        baseline, and a record with a missing target is not disclosive. `targets` are the persons attacked.
    target : str
        The sensitive variable; one of ``intruder.synthesized``.
    variant : {"cap", "dcap", "tcap", "tcap_released"}
        The targets that the mean includes. "cap" (default): all targets; an absent key scores 0. "dcap": the targets whose
        key occurs in the release. "tcap": the targets whose key has disclosive released records; the score is the share
        of these records that is correct. "tcap_released": like "tcap", but each target is weighted by the number of
        disclosive released records divided by the number of targets in its class. This is the mean over the disclosive
        released records of Taub and Elliot.
    absent : {None, "zero", "drop", "marginal", "nearest"}
        Rule for keys that no synthetic record has. None (default): the rule of the variant. "zero": the intruder is wrong.
        "drop": the target is excluded from the denominator. "marginal": the intruder guesses from the margin of the
        release. "nearest": the intruder guesses from the synthetic records that differ in the fewest keys. TCAP allows
        only "drop".
    threshold : float in (0, 1]
        For TCAP only: a released record is disclosive if at least this share of its class has its value (the
        within-equivalence-class attribution probability, WEAP). Default 1.
    level : float in (0, 1)
        Level of the intervals; default 0.95.

    Returns
    -------
    CapResult

    Raises
    ------
    InputError
        If a variable is unknown, the target is a known variable or not a synthesized variable, a target that looks
        continuous has no radius, `absent` does not apply to TCAP, or a number is out of its range.
    DtypeMismatchError
        A column holds numbers in one frame and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``.

    Warns
    -----
    NoBetterThanBaselineWarning
        If guessing with the keys is on average not better than guessing from the margin.
    UndefinedStatisticWarning
        If the denominator of a dataset contains no target. The dataset is excluded from the mean, which is NaN if all
        datasets are excluded.

    Notes
    -----
    R's synthpop 1.9-3 (``disclosure``) calls "cap" DCAP, its baseline baseCAPd and ``confidential`` CAPd, in percent. CAPs is
    ``confidential`` of `cap` with the release in place of the confidential data. Its TCAP has another denominator, see
    `attribute_disclosure`.

    Papers and programs use the names CAP and DCAP for either treatment of absent keys. `describe` of the result states the
    denominator.

    A high CAP is not a disclosure by itself: if the keys predict the target well in the population, they do so in any useful
    release. ``confidential`` is the CAP of releasing the data unchanged. If m and the classes are small, the CAP of a
    good synthesizer is far below it.

    Cost: O(n log n) per dataset; "nearest" adds the number of absent patterns times the number of released patterns.

    References
    ----------
    Elliot, M. (2014). Final report on the disclosure risk associated with the synthetic data produced by the
    SYLLS team. University of Manchester.
    Taub, J., Elliot, M., Pampaka, M. and Smith, D. (2018). Differential correct attribution probability for
    synthetic data: an exploration. Privacy in Statistical Databases, 122-137.
    Taub, J. and Elliot, M. (2019). The synthetic data challenge. UNECE/Eurostat Work Session on SDC.
    Baillargeon, M. and Charest, A.-S. (2020). A closer look at the CAP risk measure for synthetic datasets.
    Privacy in Statistical Databases.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNSSS"), "ill": ["yes", "yes", "no", "no", "no", "no"]})
    >>> released = people.assign(ill=["yes", "yes", "yes", "no", "no", "yes"])
    >>> someone = sl.Intruder(known=["region"], synthesized=["ill"])
    >>> risk = sl.cap(people, released, someone, target="ill")
    >>> risk.scores.attack[:, 0].round(3).tolist()
    [1.0, 1.0, 0.0, 0.667, 0.667, 0.667]
    >>> round(risk.attack, 4), round(risk.baseline, 4), round(risk.confidential, 4)
    (0.6667, 0.5556, 0.7778)
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    check_intruder(intruder, "cap", ("boundary", "missing", "targets"), norms=("box",))
    _checks.check_choice(variant, "variant", tuple(OWN_ABSENT))
    rule = OWN_ABSENT[variant] if absent is None else _checks.check_choice(absent, "absent", tuple(ABSENT_WORDS))
    if variant.startswith("tcap") and rule != "drop":
        raise InputError(f"absent={absent!r}: {variant} excludes absent keys by definition; use 'drop' or None")
    threshold = _checks.check_number(threshold, "threshold", low=0.0, high=1.0, open_low=True)
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    rows = _checks.check_targets(intruder.targets, len(frame))
    (own, *others, released), near, intruder = _cap_scores.prepare(frame, release.frames, intruder, target)
    attacked = own.take(rows)
    parts = [_cap_scores.score(attacked, other, variant, rule, threshold) for other in others]
    attack, weight, empty = (np.column_stack([part[j] for part in parts]) for j in range(3))
    scores = scores_of(attack, marginal_scores(attacked, released)[:, None], level, weight)
    own_score, own_weight, _ = _cap_scores.score(attacked, released, variant, rule, threshold)
    reference = scores_of(own_score[:, None], own_score[:, None], level, own_weight[:, None])
    _warn_if_undefined(scores, variant)
    scores.warn_if_useless(f"{variant.upper()} of {target!r}")
    return CapResult(
        scores=scores,
        absent=_checks.read_only(np.asarray(empty, dtype=bool)),
        confidential=reference.mean(reference.attack),
        best_constant=best_constant(attacked),
        targets=_checks.read_only(rows),
        intruder=intruder,
        target=target,
        variant=variant,
        absent_rule=rule,
        near=near,
        data_kind=_checks.data_kind(frame),
    )


def _warn_if_undefined(scores: Scores, variant: str) -> None:
    nobody = int((scores.weight.sum(axis=0) == 0).sum())
    if nobody:
        warn(
            f"no target is in the denominator of {variant.upper()} in {nobody} of {scores.weight.shape[1]} datasets: their "
            "value is NaN, and the mean excludes them",
            UndefinedStatisticWarning,
        )
