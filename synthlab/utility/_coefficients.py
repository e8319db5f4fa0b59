"""Extract coefficients, standard errors and intervals from fitted models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning


def run(analysis: Callable[[pd.DataFrame], Any], frame: pd.DataFrame) -> Any:
    """Call the caller's analysis."""
    return _checks.check_callable(analysis, "analysis", "a function of a DataFrame")(frame)


def name_of(analysis: Callable[[pd.DataFrame], Any]) -> str:
    """Return the name of the caller's analysis."""
    name = str(getattr(analysis, "__name__", "the analysis"))
    return "the analysis" if name == "<lambda>" else name


def given_fits(confidential: Any, synthetic: Any) -> list[Any]:
    """Return the fitted models that the caller gave instead of data, confidential first."""
    if isinstance(confidential, pd.DataFrame):
        raise InputError("formula, analysis: give one of them, or fitted models in place of the data")
    several = list(synthetic) if isinstance(synthetic, Sequence) else [synthetic]
    if not several:
        raise InputError("synthetic: m = 0 fitted models; at least one is needed")
    return [confidential, *several]


def ratio_of(sizes: Sequence[Any]) -> float | None:
    """Return synthetic size / confidential size, whose size is first in `sizes`; None if it is not known."""
    ours, *theirs = sizes
    if None in sizes or len(set(theirs)) > 1:
        return None
    return float(theirs[0]) / float(ours)


def coefficients(fit: Any, level: float, number: int) -> pd.DataFrame:
    """Return estimate, standard error and interval of every coefficient of a fitted model."""
    from scipy import stats

    where = "confidential" if number == 0 else f"synthetic dataset {number}"
    if isinstance(fit, Mapping):
        try:
            table = pd.DataFrame.from_dict(dict(fit), orient="index", columns=["estimate", "std_error"]).astype(float)
        except (TypeError, ValueError):
            raise InputError(f"{where}: the mapping must give (estimate, standard error) for each name") from None
        half = stats.norm.ppf((1 + level) / 2) * table["std_error"]
        return table.assign(lower=table["estimate"] - half, upper=table["estimate"] + half)
    if not all(hasattr(fit, name) for name in ("params", "bse", "conf_int")) or np.ndim(fit.params) != 1:
        raise InputError(
            f"{where}: {type(fit).__name__} is neither a statsmodels result with one vector of coefficients "
            "(params, bse, conf_int) nor a mapping from name to (estimate, standard error)"
        )
    given = getattr(fit.params, "index", None)
    names = list(given) if given is not None else list(fit.model.exog_names)
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise InputError(
            f"{where}: the names of the coefficients {_checks.without_levels(twice)} are not unique; rename the columns"
        )
    ends = np.asarray(fit.conf_int(alpha=1 - level))
    columns = {
        "estimate": np.asarray(fit.params),
        "std_error": np.asarray(fit.bse),
        "lower": ends[:, 0],
        "upper": ends[:, 1],
    }
    return pd.DataFrame(columns, index=pd.Index(names))


def align(tables: list[pd.DataFrame], *, aliases_allowed: bool) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Return the coefficients of all fits in one order.

    A coefficient that a fit lacks is NaN, or raises an error without `aliases_allowed`.
    """
    names = list(dict.fromkeys(name for table in tables for name in table.index))
    lacking = [n for n in names if any(n not in t.index for t in tables)]
    if lacking and not aliases_allowed:
        raise InputError(f"the fits have different coefficients: {_checks.without_levels(lacking)} not in all of them")
    if lacking:
        message = (
            f"{_checks.without_levels(lacking)}: the level does not occur in every dataset; its combined estimate and "
            "overlap are NaN"
        )
        warn(message, UndefinedStatisticWarning)
    aligned = [table.reindex(names) for table in tables]
    return aligned[0], aligned[1:]
