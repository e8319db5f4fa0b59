"""Tests of the statements of the paper on the pseudo posterior mechanism."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from replications.claims import Check
from replications.dp.settings import CITED, LONGER, MAIN, ORDERS, PUBLISHED, SHIFTED, STATISTICS

TEXT = {"mean": "the mean", "90 % quantile": "the 90 % quantile"}
BOUND, MEDIAN, FORMULA = "lipschitz_bound", "median sensitivity", "bound of the formula's weight"
FAR = "90 % quantile, distance"
NAMES = {
    "Unweighted": "Unweighted",
    **{name: f"Countweighted of order {order}" for name, order in ORDERS.items()},
    "DP": "DPweighted",
    "EM": "EMweighted",
}
Look: TypeAlias = Callable[..., float]  # the number of a mechanism, measure and setting, in one repetition
Number: TypeAlias = Callable[[Look], float]


def of(mechanism: str, measure: str, setting: tuple[float, float] = MAIN) -> Number:
    """Return what looks a number up."""
    return lambda look: look(mechanism, measure, setting)


def mean(runs: Sequence[Look], number: Number) -> str:
    """Write the mean of the repetitions."""
    found = float(np.mean([number(look) for look in runs]))
    return f"{found:,.0f}" if abs(found) >= 1000 else f"{found:.3g}"


def each(runs: Sequence[Look], measure: str, *mechanisms: str) -> str:
    """Write the means of some mechanisms."""
    return ", ".join(f"{NAMES[m]} {mean(runs, of(m, measure))}" for m in mechanisms)


def _better(look: Look) -> int:
    """Return at how many of the five settings DPweighted is nearer to the data."""
    return sum(look("DP", FAR, s) < look("EM", FAR, s) for s in PUBLISHED)


def _worse(mechanism: str) -> Number:
    first, *_, last = PUBLISHED
    return lambda look: look(mechanism, FAR, last) - look(mechanism, FAR, first)


def _ratio(look: Look) -> float:
    first, *_, last = PUBLISHED
    return look("DP", BOUND, last) / look("DP", BOUND, first)


def _shifted(look: Look) -> list[float]:
    """Return the five bounds under the other reading; without a shift the readings are one."""
    return [look(SHIFTED if s[1] else "DP", BOUND, s) for s in PUBLISHED]


def _falls(bounds: Sequence[float]) -> bool:
    return all(later < earlier for earlier, later in itertools.pairwise(bounds))


def _settings(runs: Sequence[Look], mechanism: str, measure: str) -> str:
    return ", ".join(mean(runs, of(mechanism, measure, s)) for s in PUBLISHED)


def _distances(runs: Sequence[Look], statistic: str, *mechanisms: str) -> str:
    return f"distance: {each(runs, f'{statistic}, distance', *mechanisms)}"


def _spread(runs: Sequence[Look], statistic: str) -> str:
    return mean(runs, of("Unweighted", f"{statistic}, confidential sd"))


def _nearer(statistic: str) -> Check[Look]:
    measure = f"{statistic}, distance"
    return Check(
        lambda look: look("DP", measure) < look("EM", measure),
        lambda runs: (
            f"distance of the barycenter from the data's distribution: {each(runs, measure, 'DP', 'EM')} "
            f"(standard error of the data {_spread(runs, statistic)}); bounds {each(runs, BOUND, 'DP', 'EM')}"
        ),
    )


def _as_well(statistic: str) -> Check[Look]:
    far, spread = f"{statistic}, distance", f"{statistic}, confidential sd"
    return Check(
        lambda look: look("DP", far) < look("Unweighted", far) + 0.5 * look("Unweighted", spread),
        lambda runs: f"{_distances(runs, statistic, 'DP', 'Unweighted')} (standard error {_spread(runs, statistic)})",
    )


_FIRST, *_, _LAST = PUBLISHED.values()
CLAIMS: Mapping[str, Check[Look]] = {
    "unweighted_highest": Check(
        lambda look: look("Unweighted", BOUND) > max(look(m, BOUND) for m in (CITED, "DP", "EM")),
        lambda runs: each(runs, BOUND, *NAMES),
    ),
    "weights_lower": Check(
        lambda look: look("DP", BOUND) < 0.5 * look("Unweighted", BOUND),
        lambda runs: each(runs, BOUND, "DP", "Unweighted"),
    ),
    "count_weights": Check(
        lambda look: look("DP", BOUND) < look(CITED, BOUND) < 1.5 * look("DP", BOUND),
        lambda runs: f"{each(runs, BOUND, *ORDERS, 'DP')}; mean weights {each(runs, 'weight, mean', CITED, 'DP')}",
    ),
    "dropped_draws": Check(
        lambda look: look(LONGER, f"{BOUND}, all draws") < 1.1 * look(LONGER, BOUND),
        lambda runs: (
            f"DPweighted {mean(runs, of(LONGER, BOUND))} with, {mean(runs, of(LONGER, f'{BOUND}, all draws'))} without, chains of four "
            f"times the draws; {mean(runs, of('DP', BOUND))} and {mean(runs, of('DP', f'{BOUND}, all draws'))} with the others"
        ),
    ),
    "scalar_formula": Check(
        lambda look: abs(look("EM", FORMULA) / look("DP", BOUND) - 1) < 0.05,
        lambda runs: f"bound wanted {mean(runs, of('DP', BOUND))}, achieved {mean(runs, of('EM', FORMULA))}",
    ),
    "median_sensitivity": Check(
        lambda look: look("EM", MEDIAN) < look("DP", MEDIAN),
        lambda runs: f"median record: {each(runs, MEDIAN, 'DP', 'EM')}",
    ),
    "nearer_mean": _nearer("mean"),
    "nearer_quantile": _nearer("90 % quantile"),
    "nearer_distribution": Check(
        lambda look: look("DP", "U_m") < look("EM", "U_m"),
        lambda runs: f"U_m: {each(runs, 'U_m', 'DP', 'EM', 'Unweighted')}",
    ),
    "mean_as_well": _as_well("mean"),
    "quantile_as_well": _as_well("90 % quantile"),
    "count_quantile": Check(
        lambda look: look(CITED, FAR) > look("DP", FAR), lambda runs: _distances(runs, "90 % quantile", *ORDERS, "DP")
    ),
    "order_scaled": Check(
        lambda look: _falls([look("DP", BOUND, s) for s in PUBLISHED]),
        lambda runs: f"{_settings(runs, 'DP', BOUND)} (paper {', '.join(f'{p:.2f}' for p in PUBLISHED.values())})",
    ),
    "order_shifted": Check(
        lambda look: _falls(_shifted(look)),
        lambda runs: (
            f"{', '.join(f'{b:.3g}' for b in np.mean([_shifted(look) for look in runs], axis=0))}; the authors' later code scales first"
        ),
    ),
    "bound_halves": Check(
        lambda look: 0.4 < _ratio(look) < 0.7, lambda runs: f"ratio {mean(runs, _ratio)} (paper {_LAST / _FIRST:.2f})"
    ),
    "quantile_every_setting": Check(
        lambda look: _better(look) == len(PUBLISHED),
        lambda runs: (
            f"better at {mean(runs, _better)} of 5; distances DPweighted {_settings(runs, 'DP', FAR)}, EMweighted "
            f"{_settings(runs, 'EM', FAR)}; bounds {_settings(runs, 'DP', BOUND)} and {_settings(runs, 'EM', BOUND)}"
        ),
    ),
    "quantile_deteriorates": Check(
        lambda look: _worse("DP")(look) < _worse("EM")(look),
        lambda runs: f"the distance grows by {mean(runs, _worse('DP'))} and by {mean(runs, _worse('EM'))}",
    ),
}
# Statistics that the unweighted model must reproduce before a statement can be tested.
NEEDED: Mapping[str, tuple[str, ...]] = {
    "nearer_mean": ("mean",),
    "nearer_quantile": ("90 % quantile",),
    "nearer_distribution": tuple(STATISTICS),
    "mean_as_well": ("mean",),
    "quantile_as_well": ("90 % quantile",),
    "count_quantile": ("90 % quantile",),
    "quantile_every_setting": ("90 % quantile",),
    "quantile_deteriorates": ("90 % quantile",),
}
