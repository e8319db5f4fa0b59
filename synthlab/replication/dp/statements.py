"""The paper's claims about its mechanism: what is asked of a run, the numbers, and why it may not hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from synthlab.replication.claims import Claim
from synthlab.replication.dp.settings import CITED, LONGER, MAIN, ORDERS, PUBLISHED, SHIFTED, STATISTICS

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

TAILS = (
    "record weights turn down the records in the tails, one weight for all keeps the unweighted model, which fits: what is left for record weights "
    "is to move it away"
)
DOWN = "record weights turn down the records in the tails: where the model fits without weights, what is left for them is to move it away"
MERGED = (
    "on a mixture both mechanisms move the fit, each its own way: record weights turn down the tails, one weight for all makes it one regression, see the "
    "table of one weight for all; which of the two errors is the smaller depends on the setting and the run"
)
LINE = (
    "with sensitivities mapped to [0, 1], c x + g at (0.6, -0.1) gives no record more weight than at (0.5, 0), so the order cannot be the paper's but by "
    "noise; the other reading, c (x + g), is the next statement"
)
NOISE = "the largest of all draws grows with the number of draws, that of 95 % of them does not"
REFIT = "the formula takes Delta from the unweighted posterior; that of the weighted one is another"
COMPONENT = (
    "the weight is on the density of a record's own component: what the record adds through the sizes of the components keeps its full weight, so the "
    "bound does not follow the weights down"
)
MIDDLE = (
    "what a record adds to the bound is about its weight times its sensitivity, c (x + g) (1 - x): at most 0.1215 at (0.6, -0.1) and 0.125 at (0.5, 0), so the two "
    "bounds are within a few percent of one another, and the records near x = 1/2 say which is the larger"
)
ISOLATED = (
    "weights of pairs are small for nearly every record where few share its known variables, as their mean says, and not only for those that set the "
    "bound or lie in the tail"
)


@dataclass(frozen=True, slots=True, eq=False)
class Statement(Claim[Look]):
    """A claim, with the statistics that the model must get right without weights for it to be tested."""

    statistics: tuple[str, ...] = ()
    reason_of_mixture: str = ""


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


def _nearer(figure: str, statistic: str) -> Statement:
    measure = f"{statistic}, distance"
    return Statement(
        figure,
        f"at an equal bound DPweighted preserves {TEXT[statistic]} better than EMweighted",
        lambda look: look("DP", measure) < look("EM", measure),
        lambda runs: (
            f"distance of the barycenter from the data's distribution: {each(runs, measure, 'DP', 'EM')} "
            f"(standard error of the data {_spread(runs, statistic)}); bounds {each(runs, BOUND, 'DP', 'EM')}"
        ),
        TAILS,
        statistics=(statistic,),
        reason_of_mixture=MERGED,
    )


def _as_well(statistic: str) -> Statement:
    far, spread = f"{statistic}, distance", f"{statistic}, confidential sd"
    return Statement(
        "4.2",
        f"DPweighted preserves {TEXT[statistic]} as well as Unweighted (to half a standard error of the data)",
        lambda look: look("DP", far) < look("Unweighted", far) + 0.5 * look("Unweighted", spread),
        lambda runs: f"{_distances(runs, statistic, 'DP', 'Unweighted')} (standard error {_spread(runs, statistic)})",
        DOWN,
        statistics=(statistic,),
    )


_FIRST, *_, _LAST = PUBLISHED.values()
CLAIMS: tuple[Statement, ...] = (
    Statement(
        "Figure 2",
        "the unweighted synthesizer has the highest Lipschitz bound",
        lambda look: look("Unweighted", BOUND) > max(look(m, BOUND) for m in (CITED, "DP", "EM")),
        lambda runs: each(runs, BOUND, *NAMES),
    ),
    Statement(
        "Figure 2",
        "record weights lower the bound dramatically (to less than half)",
        lambda look: look("DP", BOUND) < 0.5 * look("Unweighted", BOUND),
        lambda runs: each(runs, BOUND, "DP", "Unweighted"),
        COMPONENT,
    ),
    Statement(
        "Figure 2",
        "the bound of Countweighted, of pairs as the paper cites it, is only slightly above that of DPweighted (within a half)",
        lambda look: look("DP", BOUND) < look(CITED, BOUND) < 1.5 * look("DP", BOUND),
        lambda runs: f"{each(runs, BOUND, *ORDERS, 'DP')}; mean weights {each(runs, 'weight, mean', CITED, 'DP')}",
        ISOLATED,
    ),
    Statement(
        "3.1",
        "dropping the draws above the quantile changes the bound little (less than a tenth)",
        lambda look: look(LONGER, f"{BOUND}, all draws") < 1.1 * look(LONGER, BOUND),
        lambda runs: (
            f"DPweighted {mean(runs, of(LONGER, BOUND))} with, {mean(runs, of(LONGER, f'{BOUND}, all draws'))} without, chains of four "
            f"times the draws; {mean(runs, of('DP', BOUND))} and {mean(runs, of('DP', f'{BOUND}, all draws'))} with the others"
        ),
        NOISE,
    ),
    Statement(
        "4.2",
        "the scalar weight epsilon / (2 Delta) reaches its target (within a twentieth)",
        lambda look: abs(look("EM", FORMULA) / look("DP", BOUND) - 1) < 0.05,
        lambda runs: f"bound wanted {mean(runs, of('DP', BOUND))}, achieved {mean(runs, of('EM', FORMULA))}",
        REFIT,
    ),
    Statement(
        "Figure 2",
        "at an equal bound EMweighted has the lower sensitivity for most records",
        lambda look: look("EM", MEDIAN) < look("DP", MEDIAN),
        lambda runs: f"median record: {each(runs, MEDIAN, 'DP', 'EM')}",
    ),
    *(_nearer(figure, statistic) for figure, statistic in zip(("Figure 3", "Figure 4"), STATISTICS, strict=True)),
    Statement(
        "Abstract",
        "at an equal bound DPweighted preserves the distribution better than EMweighted (ECDF distance U_m)",
        lambda look: look("DP", "U_m") < look("EM", "U_m"),
        lambda runs: f"U_m: {each(runs, 'U_m', 'DP', 'EM', 'Unweighted')}",
        TAILS,
        statistics=tuple(STATISTICS),
        reason_of_mixture=MERGED,
    ),
    *(_as_well(statistic) for statistic in STATISTICS),
    Statement(
        "Figure 4",
        "Countweighted, of pairs, preserves the 90 % quantile worse than DPweighted",
        lambda look: look(CITED, FAR) > look("DP", FAR),
        lambda runs: _distances(runs, "90 % quantile", *ORDERS, "DP"),
        ISOLATED,
        statistics=("90 % quantile",),
    ),
    Statement(
        "Table 2",
        "the bound falls over the five (scale, shift) in the order published, weights c x + g",
        lambda look: _falls([look("DP", BOUND, s) for s in PUBLISHED]),
        lambda runs: f"{_settings(runs, 'DP', BOUND)} (paper {', '.join(f'{p:.2f}' for p in PUBLISHED.values())})",
        LINE,
    ),
    Statement(
        "Table 2",
        "the bound falls over the five (scale, shift) in the order published, weights c (x + g)",
        lambda look: _falls(_shifted(look)),
        lambda runs: (
            f"{', '.join(f'{b:.3g}' for b in np.mean([_shifted(look) for look in runs], axis=0))}; the authors' later code scales first"
        ),
        MIDDLE,
    ),
    Statement(
        "Table 2",
        "the bound about halves from the first setting to the last (0.4 to 0.7)",
        lambda look: 0.4 < _ratio(look) < 0.7,
        lambda runs: f"ratio {mean(runs, _ratio)} (paper {_LAST / _FIRST:.2f})",
    ),
    Statement(
        "Figure 5",
        "at every one of the five settings DPweighted preserves the 90 % quantile better than EMweighted",
        lambda look: _better(look) == len(PUBLISHED),
        lambda runs: (
            f"better at {mean(runs, _better)} of 5; distances DPweighted {_settings(runs, 'DP', FAR)}, EMweighted "
            f"{_settings(runs, 'EM', FAR)}; bounds {_settings(runs, 'DP', BOUND)} and {_settings(runs, 'EM', BOUND)}"
        ),
        TAILS,
        statistics=("90 % quantile",),
        reason_of_mixture=MERGED,
    ),
    Statement(
        "Figure 5",
        "over the five settings the 90 % quantile deteriorates less under DPweighted than under EMweighted",
        lambda look: _worse("DP")(look) < _worse("EM")(look),
        lambda runs: f"the distance grows by {mean(runs, _worse('DP'))} and by {mean(runs, _worse('EM'))}",
        TAILS,
        statistics=("90 % quantile",),
        reason_of_mixture=MERGED,
    ),
)
