"""Interface to the R package IdentificationRiskCalculation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import Columns, FloatArray, FrameLike, FrameOrFrames
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.match_inputs import prepare
from synthlab.r.convert import to_r
from synthlab.r.session import functions_of, require
from synthlab.risk import IdentificationRiskResult

PACKAGE = "IdentificationRiskCalculation"
EVERYBODY = "everybody"


def identification_risk(
    confidential: FrameLike, synthetic: FrameOrFrames, intruder: Intruder
) -> IdentificationRiskResult:
    """Compute the matching-based identification risk in R.

    Arguments and result are as in `synthlab.identification_risk` with ``convention="irc"``, so the results can be compared.

    Parameters
    ----------
    confidential, synthetic
        As in `synthlab.identification_risk`.
    intruder : Intruder
        Intruder. ``convention="irc"`` is always used; all other options must have their defaults.

    Returns
    -------
    IdentificationRiskResult
        Result with c and T, and K, F and the three summaries computed from them. T is False if c = 0, where R reports 1.

    Raises
    ------
    RUnavailableError
        If R, rpy2 or the package is missing; the message contains the command that installs it.
    InputError
        As in `synthlab.identification_risk`. Missing values are not accepted, because in the package a missing measurement
        matches every value.

    Warns
    -----
    KnownVariableChangedWarning
        If a known variable differs between the two frames.

    Notes
    -----
    The package fails without a known variable. With ``known=[]``, a constant variable is passed, which does not change the
    result. Variables without a radius are passed as factors with the union of the levels of all datasets; the package itself
    uses only the levels of the confidential and the first synthetic data. Radii are passed in the column order of the data, as
    the package requires.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> import synthlab.r
    >>> survey = pd.DataFrame({"region": list("nnss"), "job": ["yes", "no", "yes", "no"]})
    >>> released = survey.assign(job=["yes", "no", "no", "no"])
    >>> someone = sl.Intruder(known=["region"], synthesized=["job"], convention="irc")
    >>> if synthlab.r.probe().has("IdentificationRiskCalculation"):
    ...     there = synthlab.r.identification_risk(survey, released, someone)
    ...     assert (there.match_count == sl.identification_risk(survey, released, someone).match_count).all()
    """
    return ask(confidential, synthetic, intruder)


def ask(
    confidential: FrameLike, synthetic: FrameOrFrames, intruder: Intruder, *, euclidean: bool = False
) -> IdentificationRiskResult:
    """Return the result of R, optionally with its option euclideanDist, whose matches synthlab does not define."""
    robjects = require(PACKAGE)
    check_intruder(intruder, "identification_risk of R", ("convention",), norms=("box",))
    prepared = prepare(confidential, synthetic, replace(intruder, convention="irc"))
    met, frame, others = prepared.intruder, prepared.confidential, prepared.frames
    if dates := [c for c, r in met.radii.items() if isinstance(r, _checks.Days)]:
        raise InputError(
            f"radius[{dates[0]!r}]: the R package accepts only numbers, but {dates[0]!r} holds dates; convert them to days"
        )
    used = [c for c in frame.columns if c in met.used]
    # In R, columns are named by position, so that all names are allowed and unique.
    places = {column: f"v{number}" for number, column in enumerate(used)}
    encoded = _encode([frame, *others], places, list(met.radii))
    if not met.known:
        encoded = [one.assign(**{EVERYBODY: pd.Categorical(["0"] * len(one))}) for one in encoded]
    first, *rest = encoded
    package = functions_of(PACKAGE)
    datasets = robjects.vectors.ListVector.from_length(len(rest))
    for i, other in enumerate(rest):
        datasets[i] = to_r(other)
    arguments: dict[str, Any] = {
        "origdata": to_r(first),
        "syndata": datasets,
        "known": robjects.StrVector([places[c] for c in met.known] or [EVERYBODY]),
        "syn": robjects.StrVector([places[c] for c in met.synthesized]),
    }
    if met.radii:
        ordered = [met.radii[c] for c in used if c in met.radii]
        answer = package.IdentificationRisk(
            **arguments,
            r=robjects.FloatVector(ordered),
            percentage=met.radius_kind == "relative",
            euclideanDist=euclidean,
        )
    else:
        answer = package.IdentificationRiskCategorical(**arguments)
    count = _matrix(answer.rx2("c_vector"), len(frame)).astype(np.int64)
    contains = _matrix(answer.rx2("T_vector"), len(frame)).astype(bool) & (count > 0)
    return IdentificationRiskResult(
        match_count=_checks.read_only(count),
        contains_true=_checks.read_only(contains),
        targets=_checks.read_only(np.arange(len(frame))),
        released=_checks.read_only(np.ones(len(frame), dtype=bool)),
        n=len(frame),
        known_only=_checks.read_only(np.full(len(rest), np.nan)),
        baseline=None,
        intruder=met,
        data_kind=_checks.data_kind(frame),
    )


def _matrix(vector: Any, rows: int) -> FloatArray:
    """Return an R matrix, which is stored by columns, as a NumPy array."""
    return np.fromiter(vector, dtype=np.float64).reshape((rows, -1), order="F")


def _encode(frames: Sequence[Columns], places: Mapping[str, str], continuous: Sequence[str]) -> list[pd.DataFrame]:
    """Convert variables without a radius to factors; name columns by position."""
    encoded = [pd.DataFrame(index=pd.RangeIndex(len(f))) for f in frames]
    for column, place in places.items():
        if column in continuous:
            for frame, target in zip(frames, encoded, strict=True):
                target[place] = _checks.as_float(frame[column])
            continue
        joined = pd.concat([f[column].astype(object) for f in frames], ignore_index=True)
        codes = pd.factorize(joined)[0]
        for target, part in zip(encoded, np.split(codes, len(frames)), strict=True):
            target[place] = pd.Categorical.from_codes(part, pd.Index([str(i) for i in range(codes.max() + 1)]))
    return encoded
