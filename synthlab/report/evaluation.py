"""Evaluation of one release with every measure that applies to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import pandas as pd
from tqdm import tqdm

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames, PathOrStr, RngLike
from synthlab._warnings import collected, quiet, warn
from synthlab.design import SurveyDesign, check_unsynthesized
from synthlab.exceptions import (
    ComputedByRecordWarning,
    InputError,
    KnownVariableChangedWarning,
    MissingValueError,
    ReleasedUnchangedWarning,
    SynthlabError,
    SynthlabWarning,
)
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.factorize import coded_once
from synthlab.matching.match_inputs import (
    check_variables,
    determines,
    same_values,
    warn_if_known_changed,
    warn_if_radius_is_wide,
)
from synthlab.release.manifest import WEIGHTS
from synthlab.report.column_types import Resolved, release_of, resolve_types, without_unlike
from synthlab.report.evaluation_inputs import Question, ask
from synthlab.report.limits import check_limits
from synthlab.report.measures import MEASURES, by_row
from synthlab.report.result import EvaluationResult
from synthlab.report.unit_inputs import declared_units
from synthlab.risk.copies.identifying_values import identifying_kind

USED = ("boundary", "missing", "convention", "targets", "unit", "unit_order")  # options of an intruder
BY_RECORD = "it is computed by record: each record, not each unit, is a target."


@explains_arguments
def evaluate(
    confidential: FrameLike,
    synthetic: FrameOrFrames | PathOrStr | Sequence[PathOrStr],
    intruder: Intruder | Mapping[str, Intruder],
    *,
    rows: Literal["aligned"] | None = None,
    singletons: Literal["formula", "certain"] = "formula",
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    unit: ColumnNames | None = None,
    unit_order: ColumnNames | None = None,
    max_members: int | None = None,
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

    Each measure of risk is compared with the risk of releasing the data unchanged, and with the risk from an intruder
    who does not use the release. Measures that depend on the order of the rows are computed only if rows may
    correspond.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets. Match risk and IR compare row i with record i and require rows that may correspond, see `rows`.
    intruder : Intruder or mapping {name: Intruder}
        The intruder's knowledge and the definition of a match, as in `identification_risk`. IR covers all records: it
        uses the box or ball and ignores `convention` and `targets`. With several intruders, the result describes the
        worst one; `intruders` of the result contains all of them.
    rows : {"aligned", None}
        "aligned": row i of each dataset describes record i, and measures by row are computed even if the known
        variables differ; the result then states the doubt. None (default): a `Release` that declares its rows aligned
        is trusted, unless its known variables differ in more than 5% of the rows or in half as many as in a random
        order. For a release that does not declare it, measures by row are computed if its known variables agree; the
        result states that this is not proof. If the known variables disagree or carry no information, measures by row
        are not computed.
    singletons : {"formula", "certain"}
        Treatment of people who are alone in their group, as in `identification_probability`.
    variables : sequence of str, optional
        Variables whose distributions the utility measures compare. Default: the known and synthesized variables.
    categorical : sequence of str
        Columns of `confidential` whose numbers are category codes.
    unit : str or sequence of str, optional
        The columns that identify a unit of several records, such as a household or a person in a panel. Copies of units
        are then counted, unit numbers are identifying values, and utility is also measured per unit. In a panel, copies
        of single records are not counted. Default: the unit of the intruder, or the unit that the release declares.
        Measures of identification and attribute disclosure are computed by record.
    unit_order : str or sequence of str, optional
        The columns by which the members of a unit are sorted, such as the wave of a panel; see `copied_units`. Default:
        the order of the intruder or of the release, otherwise all compared columns.
    max_members : int, optional
        Largest allowed number of members of a unit, or of waves. Default: that of the release, otherwise 50.
    model : {"logistic", "cart"}
        Classifier of the propensity score: a logistic regression with two-way products, or a tree. The products are
        omitted, with a warning, if the design would have more than 200 columns or more than one column per ten records.
    control : pandas.DataFrame or Dataset, optional
        Holdout sample: people of the same population who were not used for synthesis. It is required for the distance
        to the closest record, see `closest_record`.
    predict : str, optional
        Variable that models trained on the release predict from the other variables, see `prediction_utility`.
    fitted : fitted synthesizer, optional
        The synthesizer that made the release, with posterior draws. It is required for membership, see
        `membership_risk`.
    design : SurveyDesign, optional
        Survey design of the confidential data, with weights that give the number of people each record represents. It
        is required to estimate which sample uniques are unique in the population, see `population_counts`. Default:
        the weights that the release names, if the confidential data contain them.
    limits : mapping {str: number or text}, optional
        Largest allowed values of numbers of the summary, such as ``{"best_intruder": "1%", "pmse_ratio": 3}``. A limit
        below 1 on a number of people is a share of them. Each limit is compared with the worst of the intruders. Copies
        and replicated uniques are counted in the worst dataset; other numbers are averages over the datasets. A number
        that is not measured or not defined breaks its limit. See `verdicts` of the result.
    rng : int, Generator or None
        Random seed or generator for ``model="cart"`` and `predict`.
    progress : bool
        Whether to show the progress on standard error. Default: False.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        If an argument is invalid, as in `identification_risk`, `ecdf_utility` and `pmse`; if a name in `categorical` is
        not a column of `confidential`; if there is no intruder; if `unit` contradicts an intruder, or as in
        `copied_units`; or if a limit cannot be read or its name is unknown.
    DtypeMismatchError
        If no synthesized variable of an intruder has the same type in both files.
    RowAlignmentError
        If ``rows="aligned"`` is given for a release that was shuffled or has another number of rows.

    Warns
    -----
    MissingUnitWarning
        Records have no unit number; each of them is a unit of its own.
    DesignVariableWarning
        A variable of the design is synthesized.
    ReleasedUnchangedWarning
        A variable that the intruder is not assumed to know is released unchanged and determines a synthesized variable;
        or a variable of the design that is declared synthetic is released unchanged.
    TermsLeftOutWarning
        The classifier of pMSE omits the products of variables in a wide file, or a variable with too many levels.
    SynthlabWarning
        A measure raises a warning. The result and its report contain these warnings.

    Notes
    -----
    Column types are reconciled before the files are compared. ISO dates stored as text are read as dates.
    Numbers stored as text, such as "12.5%", "1,000" or "$5", are read as numbers if the other file has numbers, or if
    the column has a radius. Differences in blanks, case or encoding of texts are ignored. A column whose types still
    differ is excluded from all measures. The findings name these columns. If a measure fails, the other measures are
    still computed.

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
        name: _with_exact_times(
            without_unlike(one, resolved.confidential, resolved.unlike, name), resolved.confidential
        )
        for name, one in intruders.items()
    }
    design = _recorded_design(resolved) if design is None else design
    units, no_units = declared_units(resolved, intruders.values(), unit, unit_order, max_members)
    with coded_once(
        [resolved.confidential, *resolved.release, *([] if resolved.control is None else [resolved.control])]
    ):
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
                units=units,
                no_units=no_units,
            )
            for name, one in intruders.items()
        }
        first = next(iter(questions.values()))
        questions = {name: one.sharing(first) for name, one in questions.items()}
        changed = list(dict.fromkeys(c for one in questions.values() for c in one.changed))
        found: list[EvaluationResult] = []
        for name, question in questions.items():
            with collected() as caught:
                if not found:
                    _check_design(question, changed)
                warn_if_radius_is_wide(question.intruder)
                one = _evaluate(question, found[0] if found else None, name if len(questions) > 1 else "", progress)
            for w in caught:  # the filters of the caller decide
                warn(str(w.message), cast("type[SynthlabWarning]", w.category))
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
        raise InputError('intruder: is empty; name at least one, for example {"neighbor": sl.Intruder(...)}')
    for name in intruder:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"intruder: {_checks.shown(name)} is not a valid name; use a non-empty text")
        check_intruder(intruder[name], "evaluate", USED)
    return dict(intruder)


def _resolved(
    confidential: FrameLike, synthetic: Any, intruders: Iterable[Intruder], control: Any, categorical: Any, fitted: Any
) -> Resolved:
    """Validate the files and give each column the same type in all of them."""
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


def _with_exact_times(intruder: Intruder, frame: pd.DataFrame) -> Intruder:
    """Return the intruder with radius 0 for synthesized times that identify people, such as the time of an interview."""
    given = intruder.radius
    if given is not None and not isinstance(given, Mapping):
        return intruder
    times = {
        c: 0.0 for c in intruder.synthesized if c not in (given or {}) and identifying_kind(frame[c]) == "date and time"
    }
    return replace(intruder, radius={**(given or {}), **times}) if times else intruder


def _recorded_design(resolved: Resolved) -> SurveyDesign | None:
    """Return the design with the weights that the release names, if the confidential data contain them."""
    weights = resolved.release.provenance.get(WEIGHTS)
    return SurveyDesign(weights=weights) if isinstance(weights, str) and weights in resolved.confidential else None


def _check_design(question: Question, changed: Sequence[str]) -> None:
    """Warn if a variable of the design is declared synthetic."""
    design, frame, release = question.design, question.confidential, question.release
    if design is None:
        return
    mine = [c for c in design.columns if c in changed and c in frame.columns]
    same = [c for c in mine if release.n == len(frame) and any(same_values(frame[c], one[c]) for one in release)]
    if same:
        warn(
            f"design: {_checks.named(same)} is declared synthetic but has its confidential values row by row; an intruder who "
            "knows a person's design, or has another release of the survey, can find the person by it; synthesize it or remove "
            "it from synthesized",
            ReleasedUnchangedWarning,
        )
    check_unsynthesized(design, [c for c in mine if c not in same])


def _warn_if_determined(question: Question) -> None:
    """Warn if an unchanged variable that is not used determines a synthesized one."""
    frame, released, someone = question.confidential, question.release[0], question.intruder
    others = (
        [c for c in frame.columns if c in released.columns and c not in someone.used] if question.rows.by_row else []
    )
    others = [c for c in others if same_values(frame[c], released[c])]
    for column in someone.synthesized:
        telling = [c for c in others if determines(frame[c], frame[column])]
        if telling:
            warn(
                f"{_checks.named(telling)} is released unchanged and determines {column!r} in every record, so the release reveals "
                f"{column!r}; no measure shows this because the intruder is not assumed to know it; name it in known",
                ReleasedUnchangedWarning,
            )


def _exposed(result: EvaluationResult) -> tuple[float, ...]:
    """Return the sort key of intruders, the worst last: the numbers in `exposes`."""
    summary = result.summary()["synthetic"].to_dict()
    numbers = [summary.get(measure.exposes, math.nan) for measure in MEASURES.values() if measure.exposes]
    return tuple(-1.0 if math.isnan(number) else number for number in numbers)


def _evaluate(question: Question, shared: EvaluationResult | None, name: str, progress: bool) -> EvaluationResult:
    """Return the evaluation for one intruder.

    Results that do not depend on the intruder are taken from `shared`.
    """
    _warn_if_determined(question)
    # The warning below omits known variables that are synthetic, and the result names the measures by record.
    with quiet(KnownVariableChangedWarning, ComputedByRecordWarning):
        results, not_measured, failed = _measure(question, shared, name, progress)
    if question.rows.by_row:
        unchanged = [c for c in question.intruder.known if c not in question.changed]
        warn_if_known_changed(question.confidential, question.release.frames, unchanged)
    return EvaluationResult(question, results, not_measured, (), name, failed=failed)


def _measure(
    question: Question, shared: EvaluationResult | None, name: str, progress: bool
) -> tuple[dict[str, Result], dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return the results, the reasons for missing results, and the failed measures."""
    results: dict[str, Result] = {}
    not_measured: dict[str, tuple[str, ...]] = {}
    failed: list[str] = []
    bar = tqdm(MEASURES.items(), desc=name or "evaluation", unit="measure", leave=False, disable=not progress)
    for key, measure in bar:
        bar.set_postfix_str(measure.title)  # shown first because the measure can take minutes
        if shared is not None and not measure.asks_intruder:
            results |= {key: shared.results[key]} if key in shared.results else {}
            not_measured |= {key: shared.not_measured[key]} if key in shared.not_measured else {}
            failed += [key] if key in shared.failed else []
            continue
        if measure.per_unit and (question.units is None or question.no_units):
            not_measured |= {key: (question.no_units,)} if question.no_units else {}
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
                reasons += [BY_RECORD] if measure.by_record and question.units is not None else []
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
    """Return the reason why a measure failed.

    The texts of other libraries' errors are omitted because they may contain values.
    """
    if isinstance(error, MemoryError):
        return "there is not enough memory; name fewer variables."
    return f"{error}." if isinstance(error, SynthlabError) else f"it could not be computed ({type(error).__name__})."
