"""One release, measured: every measure of the registry is asked, and what does not apply says why."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal

from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames, PathOrStr, RngLike
from synthlab.exceptions import SynthlabWarning
from synthlab.intruder import Intruder
from synthlab.report.measures import MEASURES, by_row
from synthlab.report.question import Question, ask
from synthlab.report.result import EvaluationResult


def evaluate(
    confidential: FrameLike,
    synthetic: FrameOrFrames | PathOrStr | Sequence[PathOrStr],
    intruder: Intruder,
    *,
    rows: Literal["aligned"] | None = None,
    singletons: Literal["formula", "certain"] = "formula",
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    model: Literal["logistic", "cart"] = "logistic",
    rng: RngLike = None,
) -> EvaluationResult:
    """Measure the identification risk and the global utility of a release.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets. Match risk and IR compare row i with record i: they are given only where rows may correspond, see `rows`.
    intruder : Intruder
        The knowledge, and when records match: as `identification_risk`. IR is about all records and takes the box or
        ball as given, without `convention`, `missing` and `targets`.
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
    rng : int, Generator or None
        Used by the tree alone.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        As `identification_risk`, `ecdf_utility` and `pmse`; a name in `categorical` is no column of `confidential`.
    RowAlignmentError
        ``rows="aligned"`` for a release that was shuffled, or has another number of rows.

    Warns
    -----
    TermsLeftOutWarning
        Unseen by the classifier of pMSE: products of variables in a wide file, a variable with too many levels.
    SynthlabWarning
        The warnings of the measures; the result and its report keep them too.

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
    question = ask(
        confidential,
        synthetic,
        intruder,
        rows=rows,
        singletons=singletons,
        variables=variables,
        categorical=categorical,
        model=model,
        rng=rng,
        by_row=by_row(),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results, not_measured = _measure(question)
    for w in caught:  # the filters of the caller decide
        warnings.warn(w.message, w.category, stacklevel=2)
    kept = [(w.category.__name__, str(w.message)) for w in caught if issubclass(w.category, SynthlabWarning)]
    return EvaluationResult(question, results, not_measured, tuple(dict.fromkeys(kept)))


def _measure(question: Question) -> tuple[dict[str, Result], dict[str, tuple[str, ...]]]:
    """Return the result of every measure that applies, and what could not be measured."""
    results: dict[str, Result] = {}
    not_measured: dict[str, tuple[str, ...]] = {}
    for name, measure in MEASURES.items():
        if measure.by_row and not question.rows.by_row:
            not_measured[name] = (question.rows.text,)
            continue
        reasons = measure.left_out(question)
        reason = measure.applies(question)
        if reason is None:
            results[name] = measure.compute(question)
        else:
            reasons = [*reasons, reason]
        if reasons:
            not_measured[name] = tuple(reasons)
    return results, not_measured
