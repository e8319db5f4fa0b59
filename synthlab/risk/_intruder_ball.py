"""How near a guessed number must be to the target's: half-axes, or a Mahalanobis distance."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, Radius
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.risk._intruder_targets import Ball
from synthlab.risk.scenario import Scenario


def make_ball(
    frame: pd.DataFrame, release: Release, known: list[str], synthesized: list[str], scenario: Scenario,
    radius: Radius, radius_kind: str, distance: str,
) -> Ball | None:  # fmt: skip
    """Return the distance on the numeric synthesized variables; None when all are compared by value."""
    _checks.check_choice(radius_kind, "radius_kind", ("absolute", "relative"))
    _checks.check_choice(distance, "distance", ("euclidean", "mahalanobis"))
    partly = [c for c in scenario.knowledge or {} if c in synthesized]
    near = [c for c in synthesized if c not in partly]
    if not near:
        return None
    radii = _checks.check_radius(radius, confidential=frame, known=known, synthesized=near, continuous_known=False)
    if not radii:
        return None
    columns = tuple(radii)
    half = np.broadcast_to(np.array(list(radii.values())), (len(frame), len(columns))).copy()
    if distance == "euclidean":
        if radius_kind == "relative":
            half *= np.abs(np.column_stack([_checks.exact_float(frame[c]) for c in columns]))
        return Ball(columns, half, np.eye(len(columns)))
    if radius_kind != "absolute" or len(set(radii.values())) > 1:
        raise InputError('distance="mahalanobis": has no unit; give one number as radius, and radius_kind="absolute"')
    stacked = np.vstack([np.column_stack([_checks.exact_float(f[c]) for c in columns]) for f in release])
    return Ball(columns, half, _whiten(np.atleast_2d(np.cov(stacked, rowvar=False)), columns))


def _whiten(covariance: FloatArray, columns: tuple[str, ...]) -> FloatArray:
    values, vectors = np.linalg.eigh(covariance)
    if not values.min() > 1e-12 * values.max():
        raise InputError(
            f'distance="mahalanobis": the covariance of {_checks.shorten(columns)} in the synthetic data is singular'
        )
    return np.asarray(vectors / np.sqrt(values), dtype=np.float64)
