"""The variable a query is about, and the result with Laplace noise: what all queries share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, RngLike
from synthlab.dp.budget import Budget
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.result import PrivateResult
from synthlab.exceptions import DtypeMismatchError, InputError, MissingValueError


def column_of(confidential: Any) -> pd.Series:
    """Return one value a record, none of them missing."""
    if isinstance(confidential, pd.Series):
        series = confidential
    elif isinstance(confidential, str) or not isinstance(confidential, Sequence | np.ndarray | pd.Index):
        raise InputError(f"confidential: must be one value a record, got {type(confidential).__name__}")
    elif np.ndim(confidential) != 1:
        raise InputError(f"confidential: must be one value a record, got shape {np.shape(confidential)}")
    else:
        series = pd.Series(confidential)
    if len(series) == 0:
        raise InputError("confidential: holds no record")
    _checks.check_values(series, "confidential")
    missing = int(series.isna().sum())
    if missing:
        raise MissingValueError(f"confidential: {missing} missing values; say what they mean before they are counted")
    return series


def declared(categories: Any, name: str, series: pd.Series) -> tuple[Any, ...]:
    """Return the declared categories, distinct and of the kind of the values."""
    if isinstance(categories, str) or not isinstance(categories, Sequence | np.ndarray | pd.Index | range):
        raise InputError(f"{name}={categories!r}: must be a sequence of every value that may occur")
    if np.ndim(categories) != 1:
        raise InputError(f"{name}: must be a sequence of values, got shape {np.shape(categories)}")
    # Through an index, an array of datetime64 becomes Timestamps, not whole numbers.
    names = tuple(pd.Index(categories).tolist() if isinstance(categories, np.ndarray | pd.Index) else categories)
    _checks.check_values(pd.Series(names, dtype=object), name)
    if not names or len(set(names)) < len(names):
        raise InputError(f"{name}: must be at least one value, and none of them twice")
    here, there = _checks.kind_of(pd.Series(names, dtype=object)), _checks.kind_of(series)
    if "nothing" not in (here, there) and here != there:
        raise DtypeMismatchError(f"{name}: are {here} values, the column holds {there} values; nothing could be equal")
    return names


def begin(level: object, rng: RngLike) -> np.random.Generator:
    """Check what is left to check, so that nothing can fail between the charge and the answer."""
    _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    return _rng.as_generator(rng)


def laplace_result(
    query: str,
    labels: tuple[Any, ...],
    noisy: FloatArray,
    mechanism: LaplaceMechanism,
    what: str,
    level: float,
    adjacency: str,
    kind: str | None,
) -> PrivateResult:
    """Return the noisy numbers with the interval that follows from the noise."""
    margin = mechanism.margin(level)
    interval = np.stack([noisy - margin, noisy + margin], axis=1)
    noisy, interval = _checks.read_only(noisy), _checks.read_only(interval)
    return PrivateResult(query, labels, noisy, interval, level, mechanism.epsilon, adjacency, {what: mechanism}, kind)


def charge(budget: Budget | None, epsilon: float, what: str, *, adjacency: str, n: int) -> None:
    """Charge the budget of a query about n records, if there is one; the last thing before the noise is drawn."""
    if budget is None:
        return
    if not isinstance(budget, Budget):
        raise InputError(f"budget: must be a Budget, got {type(budget).__name__}")
    if budget.adjacency != adjacency:
        raise InputError(f"adjacency={adjacency!r}: the budget is for adjacency={budget.adjacency!r}")
    if budget.rows is not None and int(budget.rows.sum()) != n:
        raise InputError(
            f"budget: is for a part of {int(budget.rows.sum()):,} records, the query is about {n:,}; "
            "give the query the records budget.rows alone"
        )
    budget.spend(epsilon, what)
