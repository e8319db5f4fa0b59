"""Given values of the first variables, for which a fit generates the other variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import DtypeMismatchError, InputError, MissingValueError
from synthlab.io.missing_kinds import KINDS, without_kinds


def fit_after(fitted: Any, given: object) -> tuple[Any, pd.DataFrame]:
    """Return the fit of the variables that are not given, and the checked given values.

    Parameters
    ----------
    fitted : Fitted
        The fit of all variables.
    given : DataFrame or Dataset
        The unchanged variables, and the first variables in the order of synthesis.

    Raises
    ------
    InputError
        If `given` has other columns, a value that the models cannot use, or every variable; or if a remaining variable
        is drawn with the help of its confidential value.
    """
    frame = _checks.check_frame(given, "given")
    _check_given_columns(fitted, list(frame.columns))
    frame = frame[[c for c in fitted.confidential.columns if c in frame.columns]].copy()
    _checks.check_same_kind(fitted.confidential, [frame], list(frame.columns), "given")
    for column in frame.columns:
        frame[column] = _checked(frame[column], fitted.confidential[column], column in fitted.synthesized)
    rest = fitted._after(frame)
    if rest.uses_own_values:
        raise InputError(
            f"given: {type(fitted.specification).__name__} uses the confidential values of a record to draw "
            f"{_checks.named(rest.synthesized)}, so it cannot draw records for given values; omit given"
        )
    own: dict[Any, Any] = {key: value for key, value in frame.attrs.items() if key == KINDS}
    frame.attrs = {**without_kinds(fitted.confidential.attrs), **own}
    return rest, frame


def _check_given_columns(fitted: Any, columns: Sequence[str]) -> None:
    """Raise unless the columns are the unchanged variables and the first variables in the order of synthesis."""
    derived = fitted._derived
    kept = [c for c in fitted.confidential.columns if c not in fitted.synthesized]
    order = [v for v in fitted.synthesized if v not in derived]
    allowed = (f"the unchanged variables ({_checks.shorten(kept, 12)}) and " if kept else "") + (
        f"the first variables in the order of synthesis ({_checks.shorten(order, 12)})"
    )
    unknown = [c for c in columns if c not in fitted.confidential.columns]
    if unknown:
        raise InputError(f"given: {_checks.shorten(unknown)} not among the variables of the fit; give {allowed}")
    absent = [c for c in kept if c not in columns]
    if absent:
        raise InputError(f"given: lacks the unchanged variables {_checks.shorten(absent)}; give {allowed}")
    for total in (c for c in columns if c in derived):
        sources = [c for c in derived[total] if c not in columns]
        if sources:
            raise InputError(
                f"given: {total!r} is computed from {_checks.shorten(derived[total])}; also give "
                f"{_checks.shorten(sources)}, or omit {total!r}"
            )
    held = [v for v in order if v in columns]
    if held != order[: len(held)]:
        place = next(i for i, v in enumerate(order) if v not in columns)
        later = [v for v in held if v in order[place:]]
        raise InputError(
            f"given: has {_checks.shorten(later)}, but lacks {order[place]!r}, which is synthesized earlier; give {allowed}"
        )
    if len(held) == len(order):
        raise InputError("given: has every synthesized variable, so that no variable remains; omit the last variables")


def _checked(values: pd.Series, confidential: pd.Series, synthesized: bool) -> pd.Series:
    """Return the given values of a variable, with the dtype of its categories, or raise.

    The levels of an unchanged text variable are not checked, because it can be an identifier. The models that use the
    variable check them.
    """
    name, here = confidential.name, len(confidential) > 0
    lost = int(values.isna().sum())
    if lost and here and not confidential.isna().any():
        raise MissingValueError(
            f"given: column {name!r} has {lost} missing values, but the confidential data have none; give a value in "
            "every row"
        )
    categorical = isinstance(confidential.dtype, pd.CategoricalDtype)
    if categorical or (synthesized and _checks.kind_of(confidential) in ("text", "bool")):
        levels: Any = confidential.dropna().unique() if here else getattr(confidential.dtype, "categories", None)
        odd = (values.notna() & ~values.isin(levels)).to_numpy(dtype=bool) if levels is not None else np.zeros(1, bool)
        if odd.any():
            raise InputError(
                f"given: column {name!r} has levels that do not occur in the confidential data: "
                f"{_checks.first_of(odd, 'rows')}; give other levels"
            )
        return values.astype(confidential.dtype) if categorical else values
    if pd.api.types.is_numeric_dtype(confidential.dtype) and not pd.api.types.is_numeric_dtype(values.dtype):
        try:
            values = values.astype(np.float64 if lost else confidential.dtype)
        except (TypeError, ValueError, OverflowError):  # the text of the error would show a value
            raise DtypeMismatchError(f"given: column {name!r} must have a numeric dtype, not {values.dtype}") from None
    _checks.check_no_infinity(values.to_frame(name), str(name), "given")
    return values
