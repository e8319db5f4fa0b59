"""The R package IdentificationRiskCalculation, called with our arguments and returning our result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._pairs import prepare
from synthlab._typing import ColumnNames, FloatArray, FrameOrFrames, Radius, RadiusKind
from synthlab.r.convert import to_r
from synthlab.r.session import require
from synthlab.risk import IdentificationRiskResult

PACKAGE = "IdentificationRiskCalculation"
EVERYBODY = "everybody"


def identification_risk(
    confidential: pd.DataFrame,
    synthetic: FrameOrFrames,
    *,
    known: ColumnNames,
    synthesized: ColumnNames,
    radius: Radius = None,
    radius_kind: RadiusKind = "relative",
) -> IdentificationRiskResult:
    """Matching-based identification risk, computed by R.

    The same arguments and the same result as `synthlab.identification_risk` with
    ``convention="irc"``, so that the two can be laid side by side.

    Parameters
    ----------
    confidential, synthetic, known, synthesized, radius, radius_kind
        As in `synthlab.identification_risk`.

    Returns
    -------
    IdentificationRiskResult
        c, T (False where c = 0: R reports 1 there), and with them K, F and the three summaries.

    Raises
    ------
    RUnavailableError
        R, rpy2 or the package is missing; the message says how to mend it.
    InputError
        As `synthlab.identification_risk`. Missing values are refused: the package lets a missing
        measurement match everything.

    Warns
    -----
    KnownVariableChangedWarning
        A known variable differs between the two frames.

    Notes
    -----
    The package needs a known variable: it counts from 1 to their number, which for none runs 1, 0. With ``known=[]`` it is
    given one that is the same for everybody, which says nothing.
    Variables without a radius are passed as factors over the union of the levels of all datasets
    (the package itself takes the levels of the confidential and the first synthetic data). Radii
    are passed in the order of the columns of the data, as the package wants them.
    """
    robjects = require(PACKAGE)
    prepared = prepare(
        confidential,
        synthetic,
        known=known,
        synthesized=synthesized,
        radius=radius,
        radius_kind=radius_kind,
        boundary="open",
        convention="irc",
        norm="box",
        missing="raise",
        targets=None,
    )
    rule, frame, others = prepared.rule, prepared.confidential, prepared.frames
    used = [c for c in frame.columns if c in rule.used]
    # In R the columns are called by their place: any name goes, and none is met twice.
    places = {column: f"v{number}" for number, column in enumerate(used)}
    encoded = _encode([frame, *others], places, list(rule.radius))
    if not rule.known:
        encoded = [one.assign(**{EVERYBODY: pd.Categorical(["0"] * len(one))}) for one in encoded]
    first, *rest = encoded
    from rpy2.robjects.packages import importr

    package = importr(PACKAGE)
    datasets = robjects.vectors.ListVector.from_length(len(rest))
    for i, other in enumerate(rest):
        datasets[i] = to_r(other)
    arguments: dict[str, Any] = {
        "origdata": to_r(first),
        "syndata": datasets,
        "known": robjects.StrVector([places[c] for c in rule.known] or [EVERYBODY]),
        "syn": robjects.StrVector([places[c] for c in rule.synthesized]),
    }
    if rule.radius:
        ordered = [rule.radius[c] for c in used if c in rule.radius]
        answer = package.IdentificationRisk(
            **arguments, r=robjects.FloatVector(ordered), percentage=radius_kind == "relative"
        )
    else:
        answer = package.IdentificationRiskCategorical(**arguments)
    count = _matrix(answer.rx2("c_vector"), len(frame)).astype(np.int64)
    contains = _matrix(answer.rx2("T_vector"), len(frame)).astype(bool) & (count > 0)
    return IdentificationRiskResult(
        match_count=_checks.read_only(count),
        contains_true=_checks.read_only(contains),
        targets=_checks.read_only(np.arange(len(frame))),
        n=len(frame),
        known_only=_checks.read_only(np.full(len(rest), np.nan)),
        baseline=None,
        rule=rule,
    )


def _matrix(vector: Any, rows: int) -> FloatArray:
    """Return an R matrix, stored by columns, as a NumPy array."""
    return np.fromiter(vector, dtype=np.float64).reshape((rows, -1), order="F")


def _encode(frames: Sequence[pd.DataFrame], places: Mapping[str, str], continuous: Sequence[str]) -> list[pd.DataFrame]:
    """Make every variable without a radius a factor with one set of levels for all frames; name all by their places."""
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
