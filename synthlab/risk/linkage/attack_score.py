"""Score of an intruder's guesses, computed by the holder of the confidential data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import BoolArray, Boundary, FloatArray, FrameLike, IntArray, Missing, Radius, RadiusKind
from synthlab.exceptions import InputError
from synthlab.matching.kernel import block_codes
from synthlab.risk._attack_result import AttackResult, Scores, scores_of

FEWEST = 20


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttackScoreResult(AttackResult):
    """Score of an intruder's guesses.

    Attributes
    ----------
    scores : Scores
        ``scores.attack`` is 1 for a correct guess, and ``scores.baseline`` is 1 if `best_guess` is correct; shape (guesses, 1).
    records : numpy.ndarray of int, shape (guesses,)
        Row positions of the people with a guess.
    n : int
        Number of confidential records.
    target : str
        The variable guessed.
    best_guess : object
        The constant guess that is correct for the most people: the baseline.
    near : str
        Description of the guesses that count as correct.
    data_kind : {"real", "simulated"} or None
        Kind of data that the confidential frame declares.
    """

    _figure: ClassVar[str] = "attribute.plot_attack"

    scores: Scores
    records: IntArray
    n: int
    target: str
    best_guess: Any
    near: str
    data_kind: str | None

    @property
    def right(self) -> BoolArray:
        """Whether each guess is correct, shape (guesses,); confidential."""
        return _checks.read_only(self.scores.attack[:, 0] == 1)

    @property
    def title(self) -> str:
        """Sentence that states the number of correct guesses and the baseline."""
        return (
            f"{int(self.right.sum()):,} of {self.records.size:,} guesses of {self.target} are right (people in the file: "
            f"{self.n:,}); right when {self.near}; baseline: the constant guess that is right for the most people"
        )


@explains_arguments
def attack_score(
    confidential: FrameLike,
    guesses: pd.DataFrame,
    *,
    target: str,
    record: str = "record",
    radius: Radius = None,
    radius_kind: RadiusKind = "relative",
    boundary: Boundary = "closed",
    missing: Missing = "raise",
    fewest: int = FEWEST,
    level: float = 0.95,
) -> AttackScoreResult:
    """Score the guesses of an intruder by the share of correct guesses.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected. The intruder does not see them.
    guesses : pandas.DataFrame
        One row per person: column `record` is the row position in `confidential` (from 0), and column `target` is the guess.
        Omit a person without a guess, or (except with ``missing="category"``) give a missing guess.
    target : str
        The variable that the intruder guesses.
    record : str
        Name of the column of `guesses` with the row positions; default "record".
    radius : mapping {target: number >= 0 or text} or number, optional
        Half-width of the interval of correct guesses around the true value of a numeric target or a date. For a date it is in
        days, or text as for `Intruder`.
    radius_kind : {"relative", "absolute"}
        "relative": ``radius * abs(y)``; "absolute": `radius` in the units of the target.
    boundary : {"closed", "open"}
        Whether the interval includes its ends. Default "closed".
    missing : {"raise", "category", "never"}
        Meaning of a missing true value. "raise" (default): an error. "category": a category for which only a missing guess
        is correct. "never": it equals no guess, and the person is excluded.
    fewest : int
        Minimum number of guesses, not counting excluded people; default 20. The score of one guess is the answer.
    level : float in (0, 1)
        Level of the intervals; default 0.95.

    Returns
    -------
    AttackScoreResult
        The baseline is the constant guess that is correct for the most people in the confidential data, scored for the people
        in `guesses`.

    Raises
    ------
    InputError
        If a column is missing, a record occurs twice, is not a row of `confidential` or is not a whole number, there are too
        few guesses, or a target that looks continuous has no radius.
    DtypeMismatchError
        If the guesses are text and the target is numeric, or vice versa.
    MissingValueError
        If the true value of a person with a guess is missing and ``missing="raise"``.

    Warns
    -----
    NoBetterThanBaselineWarning
        If the guesses are not correct more often than the best constant guess.

    Notes
    -----
    A score reveals the number of correct guesses. Whoever obtains several scores can compute single answers: two files that
    differ in one guess, or a file of 19 impossible guesses and one real guess, show whether that guess is correct. `fewest`
    does not prevent this. Score one file per intruder, or compute the scores yourself and publish only their order.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.risk import attack_score
    >>> people = pd.DataFrame({"ill": ["yes", "no", "no", "no"]})
    >>> guesses = pd.DataFrame({"record": [0, 1, 3], "ill": ["yes", "no", "no"]})
    >>> score = attack_score(people, guesses, target="ill", fewest=3)
    >>> score.attack, round(score.baseline, 4)
    (1.0, 0.6667)
    """
    frame, table = _checks.check_frame(confidential, "confidential"), _checks.check_frame(guesses, "guesses")
    _checks.check_choice(radius_kind, "radius_kind", ("relative", "absolute"))
    _checks.check_choice(boundary, "boundary", ("closed", "open"))
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    _checks.check_column(frame, target, "target", where="confidential")
    _checks.check_column(table, record, "record", where="guesses")
    _checks.check_columns(table, [record, target], "record and target", where="guesses")
    _checks.check_meaning(missing, "attack_score")
    if missing != "category":
        table = table[table[target].notna()]
    fewest = _checks.check_count(fewest, "fewest")
    rows = _records(table, record, len(frame), fewest)
    if missing == "never":
        table = table[frame[target].iloc[rows].notna().to_numpy()]
        rows = _records(table, record, len(frame), fewest)
    _checks.check_same_kind(frame, [table], [target], name="guesses")
    radii = _checks.check_radius(radius, confidential=frame, known=[], synthesized=[target])
    truth = frame[target].iloc[rows]
    _checks.check_finite_or_missing(truth.to_frame(), [target], where="confidential", numeric=[], missing=missing)
    _checks.check_finite_or_missing(frame, [target], where="confidential", numeric=list(radii), missing="keep")
    if radii:
        size = radii[target]
        closed = boundary == "closed"
        right, best, best_right = _near(frame[target], rows, table[target], size, radius_kind, closed, missing)
        best = _checks.from_days(np.array([best]))[0] if isinstance(size, _checks.Days) else best
        span = _checks.radius_words(size, target, radius_kind)
        near = f"within {span} of the truth ({boundary} interval)"
    else:
        modes = frame[target].mode(dropna=missing != "category").to_frame()
        own, guessed, modal = block_codes([truth.to_frame(), table[[target]], modes], [target])
        best, right, best_right = modes[target].iloc[0], guessed == own, own == modal[0]
        near = "equal to the truth"
    scores = scores_of(right[:, None], best_right[:, None], level)
    scores.warn_if_useless("the attack")
    return AttackScoreResult(
        scores=scores,
        records=_checks.read_only(rows),
        n=len(frame),
        target=target,
        best_guess=best,
        near=near,
        data_kind=_checks.data_kind(frame),
    )


def _records(table: pd.DataFrame, record: str, n: int, fewest: int) -> IntArray:
    """Return the row positions of the people with a guess."""
    if len(table) < fewest:
        raise InputError(
            f"guesses: {len(table)} guesses; at least {fewest} are required, because the score of few guesses reveals answers"
        )
    values = pd.to_numeric(table[record], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    if not (values == np.floor(values)).all():
        raise InputError(f"guesses: column {record!r} must hold row positions, whole numbers from 0 to {n - 1}")
    outside = (values < 0) | (values >= n)
    if outside.any():
        raise InputError(
            f"guesses: column {record!r} must name rows from 0 to {n - 1}; {_checks.first_of(outside)}, do not"
        )
    if np.unique(values).size < values.size:
        raise InputError(f"guesses: column {record!r} names a person twice; keep one guess per person")
    return values.astype(np.int64)


def _near(
    series: pd.Series, rows: IntArray, guessed: pd.Series, size: float, radius_kind: str, closed: bool, missing: str
) -> tuple[BoolArray, float, BoolArray]:
    """Return whether each guess is near the truth, the best constant guess, and its hits."""
    truth = _checks.exact_float(series)
    half = _checks.half_width(size, truth, radius_kind)
    lower, upper = truth - half, truth + half
    best = _in_most(lower[~np.isnan(truth)], upper[~np.isnan(truth)], closed)

    def inside(values: FloatArray | float) -> BoolArray:
        low, high = lower[rows], upper[rows]
        return (values >= low) & (values <= high) if closed else (values > low) & (values < high)

    values, best_right = _checks.exact_float(guessed), inside(best)
    if missing != "category":
        return inside(values), best, best_right
    lost, everybody = np.isnan(truth), lower <= upper
    near = (lower <= best) & (best <= upper) if closed else (lower < best) & (best < upper)
    if int(lost.sum()) > int((near & everybody).sum()):
        best, best_right = float("nan"), lost[rows]
    return inside(values) | (np.isnan(values) & lost[rows]), best, best_right


def _in_most(lower: FloatArray, upper: FloatArray, closed: bool) -> float:
    """Return a value that lies in the largest number of intervals."""
    ends = np.unique(np.concatenate([lower, upper]))
    candidates = ends if closed or ends.size == 1 else (ends[1:] + ends[:-1]) / 2
    begun = np.searchsorted(np.sort(lower), candidates, side="right" if closed else "left")
    over = np.searchsorted(np.sort(upper), candidates, side="left" if closed else "right")
    return float(candidates[np.argmax(begun - over)])
