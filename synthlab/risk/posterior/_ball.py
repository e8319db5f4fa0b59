"""Balls around the numeric values of a target: box, Euclidean or Mahalanobis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.matching.match_inputs import warn_if_radius_is_wide
from synthlab.release import Release
from synthlab.risk.posterior._targets import Ball


def make_ball(
    frame: pd.DataFrame, release: Release, known: list[str], synthesized: list[str], intruder: Intruder
) -> Ball | None:
    """Return the ball of the numeric synthesized variables; None if all are compared by value."""
    partly = [c for c in (*(intruder.knowledge or {}), *(intruder.bands or {})) if c in synthesized]
    near = [c for c in synthesized if c not in partly]
    if not near:
        return None
    radius = intruder.radii if isinstance(intruder.radius, Mapping) else intruder.radius
    radii = _checks.check_radius(radius, confidential=frame, known=known, synthesized=near, continuous_known=False)
    if not radii:
        return None
    warn_if_radius_is_wide(replace(intruder, radius=radii))
    columns = tuple(radii)
    dates = [c for c in columns if isinstance(radii[c], _checks.Days)]
    if dates and intruder.norm == "mahalanobis":
        raise InputError(
            f'norm="mahalanobis": does not apply to {dates[0]!r}, a date with a radius in days; use norm="box" or "euclidean"'
        )
    half = np.column_stack(
        [_checks.half_width(radii[c], _checks.exact_float(frame[c]), intruder.radius_kind) for c in columns]
    )
    if intruder.norm != "mahalanobis":
        return Ball(radii, half, np.eye(len(columns)), box=intruder.norm == "box")
    stacked = np.vstack([np.column_stack([_checks.exact_float(f[c]) for c in columns]) for f in release])
    complete = stacked[~np.isnan(stacked).any(axis=1)]
    if len(complete) < 2:
        raise InputError(
            f'norm="mahalanobis": fewer than 2 synthetic records have values of all of {_checks.shorten(columns)}, so the '
            'covariance is undefined; use norm="box" or "euclidean"'
        )
    return Ball(radii, half, _whiten(np.atleast_2d(np.cov(complete, rowvar=False)), columns))


def _whiten(covariance: FloatArray, columns: tuple[str, ...]) -> FloatArray:
    values, vectors = np.linalg.eigh(covariance)
    if not values.min() > 1e-12 * values.max():
        raise InputError(
            f'norm="mahalanobis": the covariance of {_checks.shorten(columns)} in the synthetic data is singular; use norm="box" '
            'or "euclidean"'
        )
    return np.asarray(vectors / np.sqrt(values), dtype=np.float64)
