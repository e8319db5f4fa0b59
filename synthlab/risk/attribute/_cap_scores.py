"""Input checks, key codes and scores of the variants of `cap`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, Radius
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, resolved
from synthlab.matching.kernel import block_codes
from synthlab.matching.match_inputs import as_given
from synthlab.risk.attribute import _equivalence_classes
from synthlab.risk.attribute._equivalence_classes import Values


def prepare(
    frame: pd.DataFrame,
    frames: Sequence[pd.DataFrame],
    intruder: Intruder,
    target: str,
) -> tuple[list[Values], str, Intruder]:
    """Check the variables; return the coded data, the match rule, and the intruder.

    The confidential data are first in the list as the targets and last as if they were released. With
    ``missing="never"`` a missing key has different codes in the two, so that it does not equal itself.
    """
    names = _checks.check_columns(frame, as_given(intruder, intruder.known), "known", where="confidential")
    _checks.check_column(frame, target, "target", where="confidential")
    if target in names:
        raise InputError(f"target={target!r}: is a known variable; choose a variable that the intruder does not know")
    if target not in intruder.synthesized:
        raise InputError(
            f"target={target!r}: is not among the synthesized variables of the intruder; choose one of them"
        )
    missing = intruder.missing
    used = [*names, target]
    for number, other in enumerate(frames, start=1):
        _checks.check_columns(other, used, "known and target", where=f"synthetic dataset {number}")
    _checks.check_same_kind(frame, frames, used)
    width = _checks.check_radius(
        radius_of(frame, intruder, target),
        confidential=frame,
        known=names,
        synthesized=[target],
        continuous_known=False,
    )
    for position, one in enumerate([frame, *frames]):
        where = f"synthetic dataset {position}" if position else "confidential"
        floats = [c for c in used if pd.api.types.is_float_dtype(one[c].dtype)]
        _checks.check_finite_or_missing(one, used, where=where, numeric=floats, missing=missing)
    everything = [frame, *frames, frame]
    codes = block_codes(everything, names, missing)
    columns = zip(*(block_codes(everything, [name], missing) for name in names), strict=True)
    closed = intruder.boundary == "closed"
    if not width:
        # A negative code is a missing value that equals no other value.
        labels = [np.where(c < 0, np.nan, c) for c in block_codes(everything, [target], missing)]
        ends = [(label, label) for label in labels]
        closed = True
    else:
        labels = [numbers(one[target], missing) for one in everything]
        ends = [interval(label, width[target], intruder.radius_kind) for label in labels]
    parts = zip(codes, columns, labels, ends, strict=True)
    return (
        [Values(c, np.column_stack(k), v, low, high, closed) for c, k, v, (low, high) in parts],
        near_words(intruder, target, width),
        resolved(intruder, width),
    )


def near_words(intruder: Intruder, target: str, width: Mapping[str, float]) -> str:
    """Describe which values of the target count as correct."""
    if not width:
        return f"{target} is equal"
    span = _checks.radius_words(width[target], target, intruder.radius_kind)
    return f"{target} is within {span} ({intruder.boundary} interval)"


def radius_of(frame: pd.DataFrame, intruder: Intruder, target: str) -> Radius:
    """Return the radius of the keys and the target, without unused variables."""
    if isinstance(intruder.radius, Mapping):
        return {c: r for c, r in intruder.radii.items() if c == target or c in intruder.known}
    others = len(intruder.synthesized) > 1 and not _checks.looks_continuous(frame[target])
    return None if others else intruder.radius


def numbers(series: pd.Series, missing: str) -> FloatArray:
    """Return the values; with ``missing="category"`` missing values become infinity."""
    values = _checks.exact_float(series)
    return np.where(np.isnan(values), np.inf, values) if missing == "category" else values


def interval(values: FloatArray, size: float, radius_kind: str) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the interval around each value; NaN gives an empty interval."""
    category = np.isinf(values)
    centre = np.where(category, 0.0, values)
    with np.errstate(over="ignore"):  # an end beyond the largest float is infinite
        half = _checks.half_width(size, centre, radius_kind)
        lower, upper = centre - half, centre + half
    # The interval of infinity contains only infinity, open or closed, because NaN sorts after infinity.
    return np.where(category, np.finfo(float).max, lower), np.where(category, np.nan, upper)


def score(
    targets: Values, release: Values, variant: str, absent: str, threshold: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the score and weight of each target, and whether its key is absent."""
    if variant.startswith("tcap"):
        return _targeted(targets, release, variant, threshold)
    scores, empty = _equivalence_classes.class_scores(targets, release)
    weight = np.ones(scores.size)
    if absent == "drop":
        weight[empty] = 0.0
    elif absent == "marginal":
        scores[empty] = _equivalence_classes.marginal_scores(targets.take(empty), release)
    elif absent == "nearest":
        scores[empty] = _equivalence_classes.nearest_scores(targets.take(empty), release)
    return scores, weight, empty


def _targeted(
    targets: Values, release: Values, variant: str, threshold: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the TCAP scores and weights, and whether the key of a target is absent."""
    chosen = _equivalence_classes.disclosive(release, threshold)
    scores, none = _equivalence_classes.class_scores(targets, chosen)
    weight = (~none).astype(np.float64)
    if variant == "tcap_released":
        weight = _equivalence_classes.class_size(targets.codes, chosen) / _equivalence_classes.class_size(
            targets.codes, targets
        )
    return scores, weight, _equivalence_classes.class_size(targets.codes, release) == 0
