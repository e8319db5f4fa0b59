"""The R package IdentificationRiskCalculation, called with our arguments and returning our result."""

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
    """Matching-based identification risk, computed by R.

    The same arguments and the same result as `synthlab.identification_risk` with
    ``convention="irc"``, so that the two can be laid side by side.

    Parameters
    ----------
    confidential, synthetic
        As in `synthlab.identification_risk`.
    intruder : Intruder
        Who is taken to have ``convention="irc"``, whether it is said or not; all other options have their defaults.

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
    robjects = require(PACKAGE)
    check_intruder(intruder, "identification_risk of R", ("convention",), norms=("box",))
    prepared = prepare(confidential, synthetic, replace(intruder, convention="irc"))
    met, frame, others = prepared.intruder, prepared.confidential, prepared.frames
    if dates := [c for c, r in met.radii.items() if isinstance(r, _checks.Days)]:
        raise InputError(
            f"radius[{dates[0]!r}]: the R package takes numbers, and {dates[0]!r} holds dates; give days as numbers"
        )
    used = [c for c in frame.columns if c in met.used]
    # In R the columns are called by their place: any name goes, and none is met twice.
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
            **arguments, r=robjects.FloatVector(ordered), percentage=met.radius_kind == "relative"
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
        intruder=met,
        data_kind=_checks.data_kind(frame),
    )


def _matrix(vector: Any, rows: int) -> FloatArray:
    """Return an R matrix, stored by columns, as a NumPy array."""
    return np.fromiter(vector, dtype=np.float64).reshape((rows, -1), order="F")


def _encode(frames: Sequence[Columns], places: Mapping[str, str], continuous: Sequence[str]) -> list[pd.DataFrame]:
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
