"""Prediction utility: train models on the release and test them on the confidential data (TSTR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._system.parallel import one_thread
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray, RngLike
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.utility._frames import check_usable, is_measured, is_number, labelled, measurements, prepare

MOST_LEVELS = 250  # levels of a predictor; rarer levels are merged, because the trees support only 255
MOST_ANSWERS = 100  # levels of a categorical target; each level requires separate trees
ROUNDS, MOST_TREES = 100, 1000
TREES: dict[str, Any] = {"max_leaf_nodes": 15, "min_samples_leaf": 20, "early_stopping": False}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PredictionUtilityResult(Result):
    """Scores of models trained on the release and tested on the confidential records.

    Attributes
    ----------
    score : numpy.ndarray of float, shape (m,)
        Score of the model trained on each dataset: the share of correct predictions for a category, or R squared for a
        measurement. R squared is negative if the mean predicts better.
    confidential : float
        Score of a model trained on other confidential records, by cross-validation.
    constant : float
        Score of the best constant prediction: the most frequent category, or the mean (score 0).
    n : int
        Number of confidential records used; their target is not missing.
    target : str
        Predicted variable.
    predictors : tuple of str
        Variables used as predictors.
    measured : bool
        Whether the target is a measurement.
    """

    _table: ClassVar[str] = "summary"
    _per_dataset: ClassVar[tuple[str, ...]] = ("score",)

    score: FloatArray
    confidential: float
    constant: float
    n: int
    target: str
    predictors: tuple[str, ...]
    measured: bool

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.score.size

    def summary(self) -> pd.DataFrame:
        """Return the mean score for each kind of training data."""
        rows = {"synthetic": float(self.score.mean()), "confidential": self.confidential, "constant": self.constant}
        return pd.DataFrame({"score": rows}).rename_axis("trained on")

    @property
    def title(self) -> str:
        """Description of the target and the predictors."""
        what = "share of the variance explained" if self.measured else "share of right predictions"
        return (
            f"{self.target} of {self.n:,} people predicted from {len(self.predictors)} variables by boosted trees, {what}; "
            f"trained on the release (m = {self.m}), on other confidential records, or on nothing"
        )


@explains_arguments
def prediction_utility(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    target: str,
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    folds: int = 5,
    missing: str = "category",
    rng: RngLike = None,
) -> PredictionUtilityResult:
    """Compare models trained on the release and on the confidential data.

    All models are tested on the confidential records. Gradient boosted trees of scikit-learn predict `target` from the
    other variables: 100 trees of at most 15 leaves for a measurement, and 100 trees per level for a category, but at
    most about 1,000 trees in total.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The confidential data, on which every model is tested.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets, with any number of rows. One model is trained on each dataset.
    target : str
        Variable to predict. A number, date or time span is a measurement unless it is listed in `categorical`. Records
        with a missing target are left out.
    variables : sequence of str, optional
        Predictors; by default all other variables of the confidential data.
    categorical : sequence of str
        Variables that are stored as numbers but are categories.
    folds : int
        Number of folds of the cross-validation of the model trained on confidential records.
    missing : {"category", "never", "raise"}
        Treatment of missing values: "category" treats a missing predictor as a separate value, "never" leaves out
        records with a missing predictor, and "raise" raises an error. Records with a missing target are left out unless
        "raise" is used.
    rng : int, Generator or None
        Seed or generator for the assignment of records to folds.

    Returns
    -------
    PredictionUtilityResult

    Raises
    ------
    InputError
        A variable is not in both datasets; there are fewer than two records per fold; a dataset has no record with a
        target; or the target is a category with more than 100 levels.
    DtypeMismatchError
        A column holds numbers in one frame and text in the other.

    Warns
    -----
    UndefinedStatisticWarning
        The target is constant, or its variance exceeds the largest float.

    Notes
    -----
    The models are tested on the records from which the release was generated, so a release that copies records scores
    too well. In contrast, the model trained on confidential records never sees the records that it predicts.

    References
    ----------
    Esteban, C., Hyland, S. L. and Ratsch, G. (2017). Real-valued (medical) time series generation with recurrent
    conditional GANs. arXiv:1706.02633 (the test TSTR).

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.utility import prediction_utility
    >>> rng = np.random.default_rng(1)
    >>> people = pd.DataFrame({"age": rng.integers(20, 60, 500)}).assign(income=lambda p: p["age"] * 10.0)
    >>> unrelated = people.assign(income=rng.permutation(people["income"]))
    >>> prediction_utility(people, unrelated, target="income", rng=1).summary().round(2)["score"].to_dict()
    {'synthetic': -0.09, 'confidential': 1.0, 'constant': 0.0}
    """
    frame = _checks.check_frame(confidential, "confidential")
    target = _checks.check_column(frame, target, "target", where="confidential")
    if variables is None:
        variables = [c for c in frame.columns if c != target]
    names = _checks.check_columns(frame, variables, "variables", where="confidential", allow_empty=False)
    if target in names:
        raise InputError("variables: must not contain the target; remove it")
    frame, release, _ = prepare(frame, synthetic, [*names, target], categorical)
    folds = _checks.check_count(folds, "folds", 2)
    _checks.check_meaning(missing, "prediction_utility")
    check_usable(
        frame, release, [*names, target], 'use missing="category" to treat missing as a separate value', missing
    )
    generator = _rng.as_generator(rng)
    measured = is_measured(frame[target]) and target not in categorical
    if (reason := refuses_target(frame, target, categorical)) is not None:
        raise InputError(f"target: {reason}")
    measures = [name for name in [*names, target] if is_number(frame[name]) and name not in categorical]
    for where, one in labelled(frame, release):
        for name in measures:
            _checks.check_no_infinity(one, name, where)
    needed = [*names, target] if missing == "never" else [target]
    frames = [one[_checks.complete_mask(one, needed)] for one in (frame, *release)]
    if len(frames[0]) < 2 * folds:
        raise InputError(
            f"folds={folds}: confidential has {len(frames[0])} records with a target, fewer than two per fold; use fewer folds"
        )
    if empty := [str(number) for number, one in enumerate(frames[1:], 1) if not len(one)]:
        raise InputError(f"synthetic: dataset {empty[0]} has no record with a target")
    coded = [_coded(frames, name, is_measured(frame[name]) and name not in categorical) for name in names]
    kinds = [not (is_measured(frame[name]) and name not in categorical) for name in names]
    designs = [np.column_stack([column[place] for column in coded]) for place in range(len(frames))]
    answers = _answers(frames, target, measured)
    part = generator.permutation(len(frames[0])) % folds
    predicted = np.empty(len(frames[0]))
    for fold in range(folds):
        test = part == fold
        predicted[test] = _predict(designs[0][~test], answers[0][~test], designs[0][test], kinds, measured)
    learned = [_predict(x, y, designs[0], kinds, measured) for x, y in zip(designs[1:], answers[1:], strict=True)]
    return PredictionUtilityResult(
        score=_checks.read_only(np.array([_score(answers[0], one, measured) for one in learned])),
        confidential=_score(answers[0], predicted, measured),
        constant=0.0 if measured else float(np.bincount(answers[0].astype(np.int64)).max() / answers[0].size),
        n=len(frames[0]),
        target=target,
        predictors=tuple(names),
        measured=measured,
    )


def refuses_target(frame: pd.DataFrame, target: str, categorical: ColumnNames) -> str | None:
    """Return why a variable cannot be predicted; None if it can."""
    if is_measured(frame[target]) and target not in categorical:
        return None
    levels = int(frame[target].nunique())
    return (
        f"{target!r} has {levels:,} levels; at most {MOST_ANSWERS} can be predicted" if levels > MOST_ANSWERS else None
    )


def _coded(frames: Sequence[pd.DataFrame], name: str, measured: bool) -> list[FloatArray]:
    """Return a predictor of each frame as numbers, or as level codes in order of decreasing frequency."""
    if measured:
        return [measurements(frame[name]) for frame in frames]
    values = pd.concat([frame[name].astype(object) for frame in frames], ignore_index=True)
    codes: IntArray = pd.factorize(values, use_na_sentinel=False)[0]
    order = np.argsort(-np.bincount(codes[: len(frames[0])], minlength=int(codes.max(initial=0)) + 1), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    ends = np.cumsum([len(frame) for frame in frames])[:-1]
    return np.split(np.minimum(place[codes], MOST_LEVELS).astype(float), ends)


def _answers(frames: Sequence[pd.DataFrame], target: str, measured: bool) -> list[FloatArray]:
    if measured:
        return [measurements(frame[target]) for frame in frames]
    values = pd.concat([frame[target].astype(object) for frame in frames], ignore_index=True)
    ends = np.cumsum([len(frame) for frame in frames])[:-1]
    return np.split(pd.factorize(values)[0].astype(float), ends)


def _predict(x: FloatArray, y: FloatArray, at: FloatArray, categories: list[bool], measured: bool) -> FloatArray:
    """Return the predictions for the records `at` by a model trained on (x, y)."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    levels = np.unique(y).size
    if levels == 1:
        return np.full(len(at), y[0])
    # A category with two levels requires only one tree per round.
    rounds = ROUNDS if measured else min(ROUNDS, max(1, MOST_TREES // levels))
    kind = HistGradientBoostingRegressor if measured else HistGradientBoostingClassifier
    # The model treats a level that did not occur in training as a missing value.
    with one_thread():
        fitted = kind(categorical_features=categories, random_state=0, max_iter=rounds, **TREES).fit(x, y)
        return np.asarray(fitted.predict(at), dtype=float)


def _score(truth: FloatArray, predicted: FloatArray, measured: bool) -> float:
    if not measured:
        return float((truth == predicted).mean())
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(((truth - truth.mean()) ** 2).sum())
        lost = float(((truth - predicted) ** 2).sum())
    if 0 < spread < np.inf and lost < np.inf:
        return 1 - lost / spread
    warn(
        "the share of the variance explained is undefined because the target does not vary or its variance exceeds the "
        "largest float; it is NaN",
        UndefinedStatisticWarning,
    )
    return float("nan")
