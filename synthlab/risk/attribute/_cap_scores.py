"""From two frames to CAP scores: the checks of `cap`, the codes of its keys, and each variant's score and weight."""

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
    """Check the variables, and return all data as codes, when a value is right, and the intruder with the radius used.

    The confidential data come first, as targets, and last, as if released: with ``missing="never"`` a missing key has
    another code there, so that it does not equal itself.
    """
    names = _checks.check_columns(frame, as_given(intruder, intruder.known), "known", where="confidential")
    _checks.check_column(frame, target, "target", where="confidential")
    if target in names:
        raise InputError(f"target={target!r}: is known to the intruder, who guesses what is not known")
    if target not in intruder.synthesized:
        raise InputError(
            f"target={target!r}: is not among the synthesized variables of the intruder, one of which is guessed"
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
        # Negative codes are those of missing values that equal nothing.
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
    """Say when a value of the target counts as the right one."""
    if not width:
        return f"{target} is equal"
    span = _checks.radius_words(width[target], target, intruder.radius_kind)
    return f"{target} is within {span} ({intruder.boundary} interval)"


def radius_of(frame: pd.DataFrame, intruder: Intruder, target: str) -> Radius:
    """Return the radius of the keys and the target; a single radius is for the measured ones."""
    if isinstance(intruder.radius, Mapping):
        return {c: r for c, r in intruder.radii.items() if c == target or c in intruder.known}
    others = len(intruder.synthesized) > 1 and not _checks.looks_continuous(frame[target])
    return None if others else intruder.radius


def numbers(series: pd.Series, missing: str) -> FloatArray:
    """Return the values; a missing one that is a category becomes the one infinite value."""
    values = _checks.exact_float(series)
    return np.where(np.isnan(values), np.inf, values) if missing == "category" else values


def interval(values: FloatArray, size: float, radius_kind: str) -> tuple[FloatArray, FloatArray]:
    """Return the ends around each value; NaN around NaN, which holds nothing."""
    category = np.isinf(values)
    centre = np.where(category, 0.0, values)
    with np.errstate(over="ignore"):  # an end beyond the largest float is infinite
        half = _checks.half_width(size, centre, radius_kind)
        lower, upper = centre - half, centre + half
    # Open or closed, the interval of the infinite value holds it alone: NaN sorts behind infinity.
    return np.where(category, np.finfo(float).max, lower), np.where(category, np.nan, upper)


def score(
    targets: Values, release: Values, variant: str, absent: str, threshold: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return each target's score and its weight in the mean, and whether its key is absent from the release."""
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
    """Return the share of the disclosive records of the class that is right, where there are any."""
    chosen = _equivalence_classes.disclosive(release, threshold)
    scores, none = _equivalence_classes.class_scores(targets, chosen)
    weight = (~none).astype(np.float64)
    if variant == "tcap_released":
        weight = _equivalence_classes.class_size(targets.codes, chosen) / _equivalence_classes.class_size(
            targets.codes, targets
        )
    return scores, weight, _equivalence_classes.class_size(targets.codes, release) == 0
