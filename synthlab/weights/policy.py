"""Frontier of risk and utility loss over settings such as scale, shift, radius or order.

An agency sets a risk limit, for example that no record has IR above 0.5. Many settings satisfy it, with different losses of
utility, and both numbers are noisy. The result is therefore a frontier of settings instead of one setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._system import size_limits
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PolicyFrontier(Result):
    """Risk and loss of all settings.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per setting: its values, ``risk``, ``loss``, ``allowed`` (whether the risk is at most the limit) and
        ``on_frontier`` (whether no other setting is at least as good in both numbers and better in one).
    settings : tuple of str
        The columns of the settings.
    limit : float
        The largest allowed risk.
    risk_name, loss_name : str
        The names of risk and loss.
    """

    _figure: ClassVar[str] = "weights.plot_policy_frontier"

    table: pd.DataFrame
    settings: tuple[str, ...]
    limit: float
    risk_name: str
    loss_name: str

    @property
    def best(self) -> int | None:
        """Row of the allowed setting with the smallest loss; None if no setting is allowed."""
        allowed = self.table[self.table["allowed"]]
        return None if allowed.empty else int(allowed.sort_values(["loss", "risk"], kind="stable").index[0])

    @property
    def chosen(self) -> dict[str, Any] | None:
        """Setting of `best`, as keyword arguments of `risk_weights`; None if none is allowed."""
        if self.best is None:
            return None
        row = self.table.loc[self.best]
        return {name: _plain(row[name]) for name in self.settings}

    def to_frame(self) -> pd.DataFrame:
        """Return one row per setting."""
        return self.table.copy()

    def summary(self) -> pd.DataFrame:
        """Return the frontier, sorted by increasing risk."""
        return self.table[self.table["on_frontier"]].sort_values("risk").reset_index(drop=True)

    @property
    def title(self) -> str:
        """Sentence that states the best allowed setting."""
        tried = f"{len(self.table):,} settings, {int(self.table['allowed'].sum()):,} with {self.risk_name} <= {self.limit:g}"
        if self.best is None:
            return f"{tried}: the least risk reached is {self.table['risk'].min():.3g}; no setting meets the policy."
        row = self.table.loc[self.best]
        words = ", ".join(
            f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}"
            for name, value in (self.chosen or {}).items()
        )
        return f"{tried}; least loss among them at {words}: {self.loss_name} {row['loss']:.4g}, {self.risk_name} {row['risk']:.4g}."


@explains_arguments
def policy_frontier(
    evaluate: Callable[..., tuple[float, float]],
    settings: Mapping[str, Iterable[float]],
    *,
    limit: float,
    risk_name: str = "maximum IR",
    loss_name: str = "ECDF distance U_m",
    progress: bool = False,
) -> PolicyFrontier:
    """Evaluate all combinations of settings, and find the smallest loss within a risk limit.

    Parameters
    ----------
    evaluate : callable
        Function ``evaluate(**setting)`` that refits, generates, measures and returns (risk, loss): two finite numbers, smaller
        is better. The risk can be, for example, the maximum or a quantile of IR. Use the same seed for all settings, so that
        the results differ only because of the settings.
    settings : mapping {name: values}
        The settings to try, for example ``{"scale": [1.0, 0.8, 0.6], "shift": [0.0, 0.1]}`` or ``{"radius": [...]}``.
    limit : float
        The largest allowed risk.
    risk_name, loss_name : str
        The names of risk and loss in tables and figures.
    progress : bool
        Whether to show a progress bar on standard error after one second. Default False.

    Returns
    -------
    PolicyFrontier

    Raises
    ------
    InputError
        If there are no settings, `evaluate` is not a function, or `evaluate` does not return two finite numbers.

    Notes
    -----
    The maximum of IR over the records is a maximum of noisy values and decreases with m. Use the m of the planned release,
    and check the chosen setting with another seed.

    Examples
    --------
    >>> import synthlab as sl
    >>> def evaluate(scale, shift):
    ...     return 0.7 * scale + 0.2 * shift, 1.0 - scale + 0.1 * shift
    >>> found = sl.policy_frontier(evaluate, {"scale": [1.0, 0.75, 0.5], "shift": [0.0, 0.1]}, limit=0.55)
    >>> found.chosen
    {'scale': 0.75, 'shift': 0.0}
    """
    from tqdm import tqdm

    limit = _checks.check_number(limit, "limit")
    _checks.check_choice(progress, "progress", (True, False))
    for name, words in (("risk_name", risk_name), ("loss_name", loss_name)):
        _checks.check_text(words, name)
    if not isinstance(settings, Mapping) or not settings:
        raise InputError('settings: must be a mapping of names to values, for example {"scale": [1.0, 0.8]}')
    odd = [name for name in settings if not isinstance(name, str)]
    if odd:
        raise InputError(f"settings: {_checks.named(odd)} is not text; use the names of arguments of evaluate")
    _checks.check_callable(evaluate, "evaluate", "a function evaluate(**setting) that returns (risk, loss)")
    values = {
        name: _checks.check_list(tried, f"settings[{name!r}]", "a list of values to try")
        for name, tried in settings.items()
    }
    empty = [name for name, tried in values.items() if not tried]
    reserved = [name for name in values if name in ("risk", "loss", "allowed", "on_frontier")]
    if empty or reserved:
        raise InputError(f"settings: {_checks.named(empty or reserved)} has no values, or a reserved name; change it")
    if prod(map(len, values.values())) > size_limits.COMBINATIONS:
        raise InputError(f"settings: has more than {size_limits.COMBINATIONS:,} combinations; use fewer values")
    rows = []
    combinations = list(product(*values.values()))
    for combination in tqdm(combinations, desc="settings", delay=1.0, disable=not progress):
        setting = dict(zip(values, combination, strict=True))
        rows.append({**setting, **_evaluated(evaluate, setting)})
    table = pd.DataFrame(rows)
    table["allowed"] = table["risk"] <= limit
    risk, loss = table["risk"].to_numpy(), table["loss"].to_numpy()
    no_worse = (risk[None, :] <= risk[:, None]) & (loss[None, :] <= loss[:, None])
    better = (risk[None, :] < risk[:, None]) | (loss[None, :] < loss[:, None])
    table["on_frontier"] = ~np.asarray((no_worse & better).any(axis=1))
    return PolicyFrontier(table, tuple(values), limit, risk_name, loss_name)


def _evaluated(evaluate: Callable[..., tuple[float, float]], setting: Mapping[str, Any]) -> dict[str, float]:
    at = " at " + ", ".join(f"{name}={_checks.shown(value)}" for name, value in setting.items())
    try:
        answer = evaluate(**setting)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # raised inside the function
        raise InputError(f"evaluate: cannot be called with {', '.join(setting)}") from None
    try:
        risk, loss = (float(_checks.check_array(value, "evaluate")) for value in answer)
    except (TypeError, ValueError):
        raise InputError(
            f"evaluate: must return (risk, loss), two numbers, got {_checks.described(answer)}{at}"
        ) from None
    if not (np.isfinite(risk) and np.isfinite(loss)):
        raise InputError(f"evaluate: returned a risk or a loss that is not finite{at}; both must be finite")
    return {"risk": risk, "loss": loss}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
