"""One release, measured: every measure of the registry is asked, and what does not apply says why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from tqdm import tqdm

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames, PathOrStr, RngLike
from synthlab._warnings import collected, quiet, warn
from synthlab.design import SurveyDesign, check_unsynthesized
from synthlab.exceptions import (
    InputError,
    KnownVariableChangedWarning,
    MissingValueError,
    ReleasedUnchangedWarning,
    SynthlabError,
    SynthlabWarning,
)
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.match_inputs import check_variables, determines, same_values, warn_if_known_changed
from synthlab.report.column_types import Resolved, release_of, resolve_types, without_unlike
from synthlab.report.evaluation_inputs import Question, ask
from synthlab.report.limits import check_limits
from synthlab.report.measures import MEASURES, by_row
from synthlab.report.result import EvaluationResult

USED = ("boundary", "missing", "convention", "targets")  # options of an intruder


def evaluate(
    confidential: FrameLike,
    synthetic: FrameOrFrames | PathOrStr | Sequence[PathOrStr],
    intruder: Intruder | Mapping[str, Intruder],
    *,
    rows: Literal["aligned"] | None = None,
    singletons: Literal["formula", "certain"] = "formula",
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    model: Literal["logistic", "cart"] = "logistic",
    control: FrameLike | None = None,
    predict: str | None = None,
    fitted: Any = None,
    design: SurveyDesign | None = None,
    limits: Mapping[str, float | str] | None = None,
    rng: RngLike = None,
    progress: bool = False,
) -> EvaluationResult:
    """Measure the disclosure risk and the global utility of a release.

    Each number of risk stands beside what releasing the data unchanged, and what an intruder without the release, would give;
    measures that need the order of the rows are given only where rows may correspond, and the others always.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets. Match risk and IR compare row i with record i: they are given only where rows may correspond, see `rows`.
    intruder : Intruder or mapping {name: Intruder}
        The knowledge, and when records match: as `identification_risk`. IR is about all records and takes the box or
        ball as given, without `convention` and `targets`. With several intruders the result is that of the worst,
        and holds the others in `intruders`.
    rows : {"aligned", None}
        "aligned": row i of each dataset is about record i, and measures by row are given whatever the known variables say
        (a doubt is printed with them). None: a `Release` that says so itself is taken at its word, unless its known
        variables differ in more than 5 % of the rows or in half as many as in a random order. A release that says nothing
        is measured by row if its known variables agree, which is no proof, and the result says so; if they do not agree, or
        cannot show anything, measures by row are not given.
    singletons : {"formula", "certain"}
        As `identification_probability`.
    variables : sequence of str, optional
        Variables whose distributions the utility measures compare. Default: known and synthesized ones.
    categorical : sequence of str
        Columns of `confidential` stored as numbers that are categories.
    model : {"logistic", "cart"}
        Classifier of the propensity score: logistic regression with two-way products (main effects alone
        when there would be more than 200 columns, or one for every ten records; a warning names what is left out), or a
        tree.
    control : pandas.DataFrame or Dataset, optional
        People of the same population whom the synthesizer did not see: with them the distance to the closest record is
        measured, see `closest_record`.
    predict : str, optional
        A variable to predict from the others by models trained on the release, see `prediction_utility`.
    fitted : fitted synthesizer, optional
        The one that made the release, with posterior draws: membership is measured, see `membership_risk`.
    design : SurveyDesign, optional
        The survey design of the confidential data, with weights that say how many people a record stands for: the people
        unique in the data are held against the population, see `population_counts`.
    limits : mapping {str: number or text}, optional
        The largest value of numbers of the summary, such as ``{"best_intruder": "1%", "pmse_ratio": 3}``; a limit below 1 on a
        number of people is a share of them. Copies and replicated uniques are those of the worst dataset, other numbers are
        means over the datasets, of the worst of the
        intruders; a number that is not measured or not defined does not keep to its limit. See `verdicts` of the result.
    rng : int, Generator or None
        Used by the tree of ``model="cart"`` and by `predict`.
    progress : bool
        Show on standard error what is being measured.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        As `identification_risk`, `ecdf_utility` and `pmse`; a name in `categorical` is no column of `confidential`; there is no
        intruder; a limit is on no number of a report, or cannot be read.
    DtypeMismatchError
        All synthesized variables of an intruder have other types in the release than in the confidential data.
    RowAlignmentError
        ``rows="aligned"`` for a release that was shuffled, or has another number of rows.

    Warns
    -----
    DesignVariableWarning
        A variable of the design is synthesized.
    ReleasedUnchangedWarning
        A variable that the intruder is not taken to know is released unchanged, and tells a synthesized one; or a variable
        of the design that is said to be synthesized is released unchanged.
    TermsLeftOutWarning
        Unseen by the classifier of pMSE: products of variables in a wide file, a variable with too many levels.
    SynthlabWarning
        The warnings of the measures; the result and its report keep them too.

    Notes
    -----
    Types are resolved before anything is compared. ISO dates stored as text are read as dates. Numbers stored as text, such as
    "12.5%", "1,000" or "$5", are read as numbers if the other file has numbers, or if the column has a radius. Texts that differ only
    in blanks, case or encoding are compared without this difference. A column whose types still differ is excluded from all measures.
    The findings name the columns. A measure that fails does not prevent the results of the other measures.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> confidential = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> synthetic = confidential.assign(income=[11, 33, 41, 16, 30, 31])
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius=0.2)
    >>> result = sl.evaluate(confidential, synthetic, someone, variables=["income"])
    >>> float(result.summary().loc["expected_match_risk", "confidential"])
    5.0
    """
    intruders = _named(intruder)
    _checks.check_choice(progress, "progress", (True, False))
    allowed = check_limits(limits)
    resolved = _resolved(confidential, synthetic, intruders.values(), control, categorical, fitted)
    intruders = {
        name: without_unlike(one, resolved.confidential, resolved.unlike, name) for name, one in intruders.items()
    }
    questions = {
        name: ask(
            resolved,
            one,
            everyone=list(intruders.values()),
            by_row=by_row(),
            rows=rows,
            singletons=singletons,
            variables=variables,
            categorical=categorical,
            model=model,
            predict=predict,
            fitted=fitted,
            design=design,
            rng=rng,
        )
        for name, one in intruders.items()
    }
    changed = list(dict.fromkeys(c for one in questions.values() for c in one.changed))
    found: list[EvaluationResult] = []
    for name, question in questions.items():
        with collected() as caught:
            if not found:
                _check_design(question, changed)
            one = _evaluate(question, found[0] if found else None, name if len(questions) > 1 else "", progress)
        for w in caught:  # the filters of the caller decide
            warn(str(w.message), cast("type[SynthlabWarning]", w.category), stacklevel=2)
        texts = [(w.category.__name__, str(w.message)) for w in caught]
        shared = found[0].warnings if found else ()
        found.append(replace(one, warnings=tuple(dict.fromkeys([*shared, *texts]))))
    worst, *others = sorted(found, key=_exposed, reverse=True)
    return replace(worst, others=tuple(others), limits=allowed)


def _named(intruder: Intruder | Mapping[str, Intruder]) -> dict[str, Intruder]:
    """Return the intruders by name."""
    if not isinstance(intruder, Mapping):
        return {"": check_intruder(intruder, "evaluate", USED)}
    if not intruder:
        raise InputError('intruder: is empty; name at least one, for example {"neighbour": sl.Intruder(...)}')
    for name in intruder:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"intruder: {_checks.shown(name)} cannot name one; use a text")
        check_intruder(intruder[name], "evaluate", USED)
    return dict(intruder)


def _resolved(
    confidential: FrameLike, synthetic: Any, intruders: Iterable[Intruder], control: Any, categorical: Any, fitted: Any
) -> Resolved:
    """Return the files, checked, with one type for each column."""
    frame = _checks.check_frame(confidential, "confidential")
    release = release_of(synthetic, frame)
    measured: set[str] = set()
    for one in intruders:
        check_variables(frame, release.frames, one)
        measured |= set(one.radius) if isinstance(one.radius, Mapping) else set()
    return resolve_types(
        frame,
        release,
        None if control is None else _checks.check_frame(control, "control"),
        measured=measured,
        untouched={*_checks.check_names(categorical, "categorical"), *getattr(fitted, "confidential", ())},
    )


def _check_design(question: Question, changed: Sequence[str]) -> None:
    """Warn where a variable of the design is said to be synthesized; it may be what it was."""
    design, frame, release = question.design, question.confidential, question.release
    if design is None:
        return
    mine = [c for c in design.columns if c in changed and c in frame.columns]
    same = [c for c in mine if release.n == len(frame) and any(same_values(frame[c], one[c]) for one in release)]
    if same:
        warn(
            f"design: {_checks.named(same)} is said to be synthesized, and has its confidential values row by row: whoever knows "
            "the design of a person, or has another release of the survey, finds the person by it",
            ReleasedUnchangedWarning,
            stacklevel=3,
        )
    check_unsynthesized(design, [c for c in mine if c not in same])


def _warn_if_determined(question: Question) -> None:
    """Warn where a variable that the intruder is not taken to see tells a synthesized one, and is released unchanged."""
    frame, released, someone = question.confidential, question.release[0], question.intruder
    others = (
        [c for c in frame.columns if c in released.columns and c not in someone.used] if question.rows.by_row else []
    )
    others = [c for c in others if same_values(frame[c], released[c])]
    for column in someone.synthesized:
        telling = [c for c in others if determines(frame[c], frame[column])]
        if telling:
            warn(
                f"{_checks.named(telling)} is released unchanged and tells {column!r} of every record: whoever sees the release reads "
                f"it there, and no number here says so, as the intruder is not taken to know it; name it in known",
                ReleasedUnchangedWarning,
                stacklevel=3,
            )


def _exposed(result: EvaluationResult) -> tuple[float, ...]:
    """Return what orders intruders, the worst last: the numbers that measures name for it, in the order of the report."""
    summary = result.summary()["synthetic"].to_dict()
    numbers = [summary.get(measure.exposes, math.nan) for measure in MEASURES.values() if measure.exposes]
    return tuple(-1.0 if math.isnan(number) else number for number in numbers)


def _evaluate(question: Question, shared: EvaluationResult | None, name: str, progress: bool) -> EvaluationResult:
    """Return the evaluation for one intruder; measures that do not depend on the intruder are taken from `shared`."""
    _warn_if_determined(question)
    with quiet(KnownVariableChangedWarning):  # the warning below omits known variables that are synthetic
        results, not_measured, failed = _measure(question, shared, name, progress)
    if question.rows.by_row:
        unchanged = [c for c in question.intruder.known if c not in question.changed]
        warn_if_known_changed(question.confidential, question.release.frames, unchanged)
    return EvaluationResult(question, results, not_measured, (), name, failed=failed)


def _measure(
    question: Question, shared: EvaluationResult | None, name: str, progress: bool
) -> tuple[dict[str, Result], dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return the result of every measure that applies, what could not be measured, and which measures failed."""
    results: dict[str, Result] = {}
    not_measured: dict[str, tuple[str, ...]] = {}
    failed: list[str] = []
    bar = tqdm(MEASURES.items(), desc=name or "evaluation", unit="measure", leave=False, disable=not progress)
    for key, measure in bar:
        bar.set_postfix_str(measure.title)  # written before the work, which may take minutes
        if shared is not None and not measure.asks_intruder:
            results |= {key: shared.results[key]} if key in shared.results else {}
            not_measured |= {key: shared.not_measured[key]} if key in shared.not_measured else {}
            failed += [key] if key in shared.failed else []
            continue
        if measure.by_row and not question.rows.by_row:
            not_measured[key] = (question.rows.text,)
            continue
        measure.check(question)
        reasons: list[str] = []
        try:
            reasons += measure.left_out(question)
            if (reason := measure.applies(question)) is None:
                results[key] = measure.compute(question)
            else:
                reasons.append(reason)
        except MissingValueError:
            raise  # the caller must state the meaning of missing values
        except Exception as error:  # noqa: BLE001 - the results of the other measures must be written
            failed.append(key)
            reasons.append(_why_failed(error))
        if reasons:
            not_measured[key] = tuple(reasons)
    return results, not_measured, tuple(failed)


def _why_failed(error: Exception) -> str:
    """Return the reason why a measure failed; the text of an error of another library may contain values."""
    if isinstance(error, MemoryError):
        return "there is not enough memory; name fewer variables."
    return f"{error}." if isinstance(error, SynthlabError) else f"it could not be computed ({type(error).__name__})."
