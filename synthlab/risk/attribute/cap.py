"""Correct attribution probability: the intruder reads a value off the synthetic records with the same keys.

Elliot (2014); Taub, Elliot, Pampaka and Smith (2018); Taub and Elliot (2019); Baillargeon and Charest (2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
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
        Whether the target's key occurs in no synthetic record.
    counted : numpy.ndarray of bool, shape (targets, m)
        Whether the target is in the denominator.
    confidential : float
        The same measure on the confidential data against themselves: what releasing them would give.
    best_constant : float
        The largest share of the targets for whom one answer, the same for all, is right: what an intruder without the release
        reaches who knows the distribution, and more than the baseline, who draws from it.
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the targets.
    intruder : Intruder
        The intruder; ``intruder.known`` are the keys.
    target : str
        The variable guessed.
    variant, absent_rule : str
        As asked for.
    near : str
        When a value counts as the right one.
    data_kind : {"real", "simulated"} or None
        The kind that the confidential frame declares.
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
    r"""Correct attribution probability of a target variable, given the variables an intruder knows, the keys.

    The intruder takes the synthetic records with the keys of person i and believes one of them, at random:

    .. math:: CAP_i^{(l)} = \frac{\#\{h : K_h^{*(l)} = K_i,\; t_h^{*(l)} \in B(t_i, r)\}}{\#\{h : K_h^{*(l)} = K_i\}}.

    The baseline guesses from the margin of the confidential data, :math:`\#\{h : t_h \in B(t_i, r)\} / n`. A rational intruder
    without the release gives the answer that is right most often, the same to everybody: `best_constant`.
    Attack and baseline are means over the same targets, in each dataset, then over the m datasets.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected; its records are the targets.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets. Rows need not be about the same persons, nor be as many.
    intruder : Intruder
        `known` are the keys, at least one, compared by value, released unchanged or not. `radius` is the half-width of
        the interval around the true value of a numeric target that is right. With ``missing="never"`` a missing key
        or target equals nothing, not even itself: then it is never the right one, in no baseline and in no reference, and
        no record without a target is disclosive. `targets` are the persons attacked.
    target : str
        The variable the intruder wants to know, one of the synthesized.
    variant : {"cap", "dcap", "tcap", "tcap_released"}
        Whom the mean is over. "cap": every target, an absent key scoring 0. "dcap": the targets whose key occurs
        in the release. "tcap": the targets whose key has disclosive released records; each scores the share of
        these that is right. "tcap_released": the same, each target weighted by disclosive released records over
        targets in its class, which is the mean over the disclosive released records of Taub and Elliot.
    absent : {None, "zero", "drop", "marginal", "nearest"}
        A key that no synthetic record has. None: the variant's own. "zero": the intruder is wrong. "drop": the
        target is left out of the denominator. "marginal": the intruder guesses from the margin of the
        release. "nearest": from the synthetic records that differ in the fewest keys. Only "drop" for TCAP.
    threshold : float in (0, 1]
        TCAP: a released record is disclosive when at least this share of its class has its value (the
        within-equivalence-class attribution probability, WEAP).
    level : float in (0, 1)
        Level of the intervals.

    Returns
    -------
    CapResult

    Raises
    ------
    InputError
        Unknown variables; a target that is known, or not among the synthesized; a target that looks continuous without a
        radius; `absent` that TCAP does not have; a number out of its range.
    DtypeMismatchError
        A column holds numbers in one frame and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``.

    Warns
    -----
    NoBetterThanBaselineWarning
        The keys help no more than the margin does.
    UndefinedStatisticWarning
        In some dataset no target counts; that dataset is left out of the mean (NaN when it holds for all).

    Notes
    -----
    R's synthpop 1.9-3 (``disclosure``) calls "cap" DCAP, its baseline baseCAPd and ``confidential`` CAPd, in percent. CAPs is
    ``confidential`` of the release in its own place. What it calls TCAP has another denominator, see `attribute_disclosure`.

    The names are used loosely: papers and programs call either treatment of absent keys CAP or DCAP. `describe` of
    the result states the denominator.
    A high CAP is no disclosure by itself: where the keys tell much about the target in the population, they do so in
    any useful release. ``confidential`` is what releasing the data unchanged would give; with m small and
    classes small CAP of a good synthesizer lies far below it.

    Cost: O(n log n) a dataset; "nearest" adds absent patterns times released patterns.

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
        raise InputError(f"absent={absent!r}: {variant} leaves absent keys out by definition; use 'drop' or None")
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
            f"no target is in the denominator of {variant.upper()} in {nobody} of {scores.weight.shape[1]} datasets: it is "
            "0/0 there, reported as NaN, and left out of the mean",
            UndefinedStatisticWarning,
            stacklevel=3,
        )
