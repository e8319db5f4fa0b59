"""Conversion of ``svydesign`` objects of R's survey package, and back.

Reading an object does not need the package survey; creating one does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._design_covariance import LONELY
from synthlab._typing import FloatArray
from synthlab.design import PARTS, SurveyDesign
from synthlab.exceptions import InputError
from synthlab.r.convert import from_r, to_r, vector_from_r, vector_to_r
from synthlab.r.session import require
from synthlab.r.sexp import ask, classes_of, described, element, names_of, slot, values_of

# Names of the rules in options(survey.lonely.psu) of R.
SAME_RULE = {"remove": "certainty"}
# Names are passed as values, so that no R code is built from them.
_MAKE = """
function(data, ids, strata, weights, fpc) {
  given <- list(ids = ids, strata = strata, weights = weights, fpc = fpc)
  written <- lapply(names(given), function(part)
    if (is.character(given[[part]])) eval(call("~", as.name(given[[part]]))) else as.name(part))
  names(written) <- names(given)
  written <- written[!vapply(given, is.null, NA)]
  if (is.null(ids)) written$ids <- ~1
  do.call(survey::svydesign, c(written, list(data = quote(data))))
}
"""


def from_svydesign(svydesign: Any, *, lonely: str | None = None) -> tuple[pd.DataFrame, SurveyDesign]:
    """Convert a ``svydesign`` object of R to a frame and a `SurveyDesign`.

    Parameters
    ----------
    svydesign : rpy2.rinterface.ListSexpVector
        Return value of ``svydesign``. The design must have one stage of sampling, or several stages without a finite
        population correction, in which case only the first stage affects variances.
    lonely : {"fail", "certainty", "adjust"}, optional
        Rule for a stratum with one primary sampling unit; see `SurveyDesign`. By default, the rule of
        ``options("survey.lonely.psu")`` in R, where "remove" corresponds to "certainty".

    Returns
    -------
    frame : pandas.DataFrame
        Variables of the design, converted by `from_r`.
    design : SurveyDesign
        Design. A field is a column name if the object names a column with the same values, and otherwise an array. Weights
        that are all 1, a single stratum, clusters of one record, and a missing finite population correction are None.

    Raises
    ------
    InputError
        If `svydesign` is not such an object, a column has no counterpart, or `SurveyDesign` does not support the design:
        calibration or post-stratification, replicate weights, sampling with unequal probabilities (``pps``), two phases,
        several stages with a finite population correction, or a domain (``subset``).
    RUnavailableError
        If R or rpy2 is missing. The package survey is not required.

    Examples
    --------
    >>> import synthlab.r
    >>> from synthlab.r.session import UNUSABLE, package_state
    >>> if synthlab.r.probe().usable and package_state("survey") not in UNUSABLE:
    ...     r = synthlab.r.require("survey").r
    ...     _ = r('data(api, package = "survey")')
    ...     made = r("survey::svydesign(~dnum, weights = ~pw, fpc = ~fpc, data = apiclus1)")
    ...     frame, design = synthlab.r.from_svydesign(made)
    ...     assert (design.clusters, design.weights, design.fpc) == ("dnum", "pw", "fpc")
    """
    require()
    _check_kind(svydesign)
    frame = from_r(element(svydesign, "variables"))
    n = len(frame)
    probabilities = np.array(element(svydesign, "prob"), dtype=np.float64)
    if len(probabilities) != n or not np.isfinite(1 / probabilities).all() or not (1 / probabilities > 0).all():
        raise InputError("svydesign: has records of weight 0 or infinity, as a domain has; pass the whole design")
    fpc = element(svydesign, "fpc")
    sizes = element(fpc, "popsize")
    ids, strata = element(svydesign, "cluster"), element(svydesign, "strata")
    if len(ids) > 1 and sizes is not None:
        raise InputError(
            "svydesign: has several stages with a finite population correction; a SurveyDesign describes only the first "
            "stage, so variances would be too small"
        )
    cluster = vector_from_r(ids[0], "svydesign: the clusters")
    stratum = vector_from_r(strata[0], "svydesign: the strata")
    _check_whole(cluster, stratum, element(fpc, "sampsize"))
    weights = pd.Series(1 / probabilities)
    found = {
        "weights": None if (weights == 1).all() else (weights, _name_of_weights(svydesign)),
        "strata": (stratum, _name(strata)) if any(values_of(element(svydesign, "has.strata"))) else None,
        "clusters": None if cluster.is_unique else (cluster, _name(ids)),
        "fpc": None if sizes is None else (pd.Series(_first_column(sizes)), _name(sizes)),
    }
    parts = {part: None if value is None else _part(frame, *value) for part, value in found.items()}
    return frame, SurveyDesign(**parts, lonely=_rule() if lonely is None else lonely)


def _check_kind(value: Any) -> None:
    classes = classes_of(value)
    if "survey.design2" not in classes:
        raise InputError(
            f"svydesign: must be a survey design created by svydesign() of R's survey, not {described(value)}"
        )
    if element(value, "postStrata") is not None:
        raise InputError(
            "svydesign: is calibrated or post-stratified, which SurveyDesign does not support; pass the original design"
        )
    if any(v is not False and v is not None for v in values_of(element(value, "pps")) or [False]) or "pps" in classes:
        raise InputError(
            "svydesign: uses sampling with unequal probabilities (pps), which SurveyDesign does not support"
        )


def _check_whole(cluster: pd.Series, stratum: pd.Series, sampled: Any) -> None:
    """Raise if the object is a domain, with fewer primary sampling units than drawn."""
    drawn = _first_column(sampled)
    there = cluster.groupby(stratum.astype(object).to_numpy()).transform("nunique").to_numpy()
    if len(drawn) != len(cluster) or (there != drawn).any():
        raise InputError(
            "svydesign: has fewer primary sampling units than were drawn, as a domain (subset) has; pass the whole design"
        )


def _first_column(matrix: Any) -> FloatArray:
    """Return the first column of a matrix; R stores matrices by column."""
    values = values_of(matrix)
    rows = (slot(matrix, "dim") or [len(values)])[0]
    return np.array(values[:rows], dtype=np.float64)


def _name_of_weights(svydesign: Any) -> str:
    """Return the variable name of ``weights = ~name`` in the call of the object."""
    found = [str(name) for name in ask("function(x) all.vars(x$call$weights)", svydesign)]
    return found[0] if len(found) == 1 else ""


def _name(columns: Any) -> str:
    names = names_of(columns)
    return names[0] if names else ""


def _part(frame: pd.DataFrame, values: pd.Series, name: str) -> Any:
    """Return the name of the column that contains the values, or else the values."""
    if name in frame.columns and not frame[name].isna().any():
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column.dtype) and pd.api.types.is_numeric_dtype(values.dtype):
            same = np.allclose(column.to_numpy(np.float64), values.to_numpy(np.float64), rtol=1e-14, atol=0)
        else:
            same = column.astype(str).tolist() == values.astype(str).tolist()
        if same:
            return name
    return values.astype(object).to_numpy() if isinstance(values.dtype, pd.CategoricalDtype) else values.to_numpy()


def _rule() -> str:
    """Return the rule of R for a stratum with one primary sampling unit."""
    stated = values_of(ask("function() getOption('survey.lonely.psu', 'fail')"))
    rule = SAME_RULE.get(str(stated[0]), str(stated[0]))
    if rule not in LONELY:
        raise InputError(
            f"lonely: R's options(survey.lonely.psu = {rule!r}) has no counterpart; set lonely to one of {', '.join(LONELY)}"
        )
    return rule


def to_svydesign(confidential: object, design: SurveyDesign) -> Any:
    """Convert a frame and its design to a ``svydesign`` object of R's survey package.

    Parameters
    ----------
    confidential : DataFrame or Dataset, n rows
        Data; the columns must be supported by `to_r`.
    design : SurveyDesign
        Design. The object in R does not contain `lonely`; set ``options(survey.lonely.psu = ...)`` in R.

    Returns
    -------
    rpy2.rinterface.ListSexpVector
        Design object; fields that are columns are given by name.

    Raises
    ------
    InputError
        If data and design do not fit together (see `SurveyDesign.read`), or a column has no counterpart in R.
    RUnavailableError
        If R, rpy2 or the package survey is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> import synthlab.r
    >>> frame = pd.DataFrame({"income": [900.0, 1200.0, 700.0], "weight": [10.0, 20.0, 30.0]})
    >>> from synthlab.r.session import UNUSABLE, package_state
    >>> if synthlab.r.probe().usable and package_state("survey") not in UNUSABLE:
    ...     made = synthlab.r.to_svydesign(frame, sl.SurveyDesign(weights="weight"))
    ...     mean = synthlab.r.require("survey").r("function(d) survey::svymean(~income, d)")(made)
    ...     assert round(mean[0]) == 900
    """
    frame = _checks.check_frame(confidential, "confidential")
    if not isinstance(design, SurveyDesign):
        raise InputError(
            f"design={_checks.shown(design)}: must be a SurveyDesign, such as SurveyDesign(weights='weight')"
        )
    sampled = design.read(frame)
    robjects = require("survey")
    parts = {part: getattr(design, part) for part in PARTS}
    if parts["weights"] is None:
        parts["weights"] = sampled.weights
    given = [_given(parts[part], robjects) for part in ("clusters", "strata", "weights", "fpc")]
    return ask(_MAKE, to_r(frame), *given)


def _given(part: Any, robjects: Any) -> Any:
    """Return a field for R: a name, or a data frame of one column.

    R would interpret a text vector as names.
    """
    if part is None:
        return robjects.NULL
    if isinstance(part, str):
        return robjects.StrVector([part])
    series = pd.Series(part).infer_objects()
    return vector_to_r(series) if series.dtype.kind == "f" else to_r(pd.DataFrame({"part": series}))
