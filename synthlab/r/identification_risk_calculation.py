"""The R package IdentificationRiskCalculation, called with our arguments and returning our result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._pairs import Rule
from synthlab._typing import ColumnNames, FloatArray, FrameOrFrames, Radius, RadiusKind
from synthlab.r.convert import to_r
from synthlab.r.session import require
from synthlab.release import as_aligned_release
from synthlab.risk import IdentificationRiskResult

PACKAGE = "IdentificationRiskCalculation"


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

    Notes
    -----
    Variables without a radius are passed as factors over the union of the levels of all datasets
    (the package itself takes the levels of the confidential and the first synthetic data). Radii
    are passed in the order of the columns of the data, as the package wants them.
    """
    robjects = require(PACKAGE)
    frame = _checks.check_frame(confidential, "confidential")
    names = _checks.check_columns(frame, known, "known", where="confidential")
    changed = _checks.check_columns(frame, synthesized, "synthesized", where="confidential")
    _checks.check_disjoint(names, changed)
    _checks.check_choice(radius_kind, "radius_kind", ("relative", "absolute"))
    release = as_aligned_release(synthetic)
    _checks.check_rows_aligned(frame, release.frames)
    used = [c for c in frame.columns if c in {*names, *changed}]
    for where, one in [("confidential", frame), *((f"synthetic dataset {i}", f) for i, f in enumerate(release, 1))]:
        _checks.check_columns(one, used, "known and synthesized", where=where)
        _checks.check_finite_or_missing(one, used, where=where, numeric=[], missing="raise")
    radii = _checks.check_radius(radius, confidential=frame, known=names, synthesized=changed)
    first, *others = _encode([frame, *release.frames], used, list(radii))
    from rpy2.robjects.packages import importr

    package = importr(PACKAGE)
    datasets = robjects.vectors.ListVector.from_length(release.m)
    for i, other in enumerate(others):
        datasets[i] = to_r(other)
    arguments: dict[str, Any] = {
        "origdata": to_r(first),
        "syndata": datasets,
        "known": robjects.StrVector(names),
        "syn": robjects.StrVector(changed),
    }
    if radii:
        ordered = [radii[c] for c in used if c in radii]
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
        known_only=_checks.read_only(np.full(release.m, np.nan)),
        baseline=None,
        rule=Rule(tuple(names), tuple(changed), radii, radius_kind, "open", "irc"),
    )


def _matrix(vector: Any, rows: int) -> FloatArray:
    """Return an R matrix, stored by columns, as a NumPy array."""
    return np.fromiter(vector, dtype=np.float64).reshape((rows, -1), order="F")


def _encode(frames: Sequence[pd.DataFrame], used: Sequence[str], continuous: Sequence[str]) -> list[pd.DataFrame]:
    """Make every variable without a radius a factor with one set of levels for all frames."""
    encoded = [pd.DataFrame(index=pd.RangeIndex(len(f))) for f in frames]
    for column in used:
        if column in continuous:
            for frame, target in zip(frames, encoded, strict=True):
                target[column] = _checks.as_float(frame[column])
            continue
        joined = pd.concat([f[column].astype(object) for f in frames], ignore_index=True)
        codes = pd.factorize(joined)[0]
        for target, part in zip(encoded, np.split(codes, len(frames)), strict=True):
            target[column] = pd.Categorical.from_codes(part, pd.Index([str(i) for i in range(codes.max() + 1)]))
    return encoded
