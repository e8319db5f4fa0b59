"""Steps shared by all queries: charge the budget, read the records, build the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, RngLike
from synthlab.dp._records import records_of
from synthlab.dp.budget import Budget
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.result import PrivateResult
from synthlab.exceptions import InputError


def begin(level: object, rng: RngLike) -> np.random.Generator:
    """Check `level` and `rng`, so that nothing can fail after the charge; return the generator."""
    _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    return _rng.as_generator(rng)


def charge(
    budget: Budget | None,
    epsilon: float,
    what: str,
    *,
    adjacency: str,
    rng: RngLike = None,
    sources: Sequence[np.random.Generator] = (),
) -> None:
    """Charge the budget of a query, if there is one, before the records are read.

    `sources` are the generators that will draw the noise. Raise `InputError` if an earlier query with this budget
    started from the same state, because the difference of two answers with the same noise is exact. An integer seed
    must not be reused at all, even by tables, which draw different noise from spawned streams.
    """
    _checks.check_text(what, "query")
    if budget is None:
        return
    if not isinstance(budget, Budget):
        raise InputError(f"budget: must be a Budget, got {type(budget).__name__}")
    if budget.adjacency != adjacency:
        raise InputError(
            f"adjacency={adjacency!r}: the budget is for adjacency={budget.adjacency!r}; use the same adjacency"
        )
    of_seed = [_rng.as_generator(rng)] if isinstance(rng, int | np.integer) else []
    budget._spend_with_noise(epsilon, what, [*sources, *of_seed])


def in_part(budget: Budget | None) -> bool:
    """Return whether the budget is for a part of the records, whose number is not public."""
    return isinstance(budget, Budget) and budget.rows is not None


def records(confidential: Any, budget: Budget | None) -> Any:
    """Return the values of the records to which the budget applies."""
    return records_of(confidential, () if budget is None else budget._masks())


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
    """Return the noisy numbers with the intervals that follow from the noise."""
    margin = mechanism.margin(level)
    interval = np.stack([noisy - margin, noisy + margin], axis=1)
    noisy, interval = _checks.read_only(noisy), _checks.read_only(interval)
    return PrivateResult(query, labels, noisy, interval, level, mechanism.epsilon, adjacency, {what: mechanism}, kind)
