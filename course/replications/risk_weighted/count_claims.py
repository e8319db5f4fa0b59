"""Tests of the statements of the paper about counts, in every repetition."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import pandas as pd

from replications.claims import Check, mean
from replications.risk_weighted.counts import RADII, TABLE_6_RADIUS, M

ORDER = (0.30, 0.15, 0.25, 0.20)  # from best to worst in table 5
MEAN, EXPECTED, RISE = "IR, mean", "expected IR, mean", "largest expected rise"
STATISTICS = ("mean", "median")
Look: TypeAlias = Callable[[str, str, float], float]  # measure, synthesizer and r, in one repetition
Test: TypeAlias = Callable[[Look], bool]


def look_at(table: pd.DataFrame) -> list[Look]:
    """Return one function per repetition that looks up a number."""
    found: defaultdict[int, dict[tuple[str, str, float], float]] = defaultdict(dict)
    rows = table.loc[table["L"].isin([0, M]), ["run", "measure", "synthesizer", "r", "value"]]
    for run, *key, value in rows.itertuples(index=False):
        found[run][key[0], key[1], key[2]] = value
    return [_look(found[run]) for run in sorted(found)]


def _look(numbers: Mapping[tuple[str, str, float], float]) -> Look:
    return lambda measure, synthesizer, r: numbers[measure, synthesizer, r]


def _ranked(look: Look) -> bool:
    found = [look("U_m", "M", r) for r in ORDER]
    return all(better < worse for better, worse in itertools.pairwise(found))


def _ranked_words(runs: Sequence[Look]) -> str:
    best = pd.Series([min(ORDER, key=lambda r: look("U_m", "M", r)) for look in runs]).value_counts(normalize=True)
    return "1 of 24 by chance; best is " + ", ".join(f"{r:.0%} in {s:.0%}" for r, s in best.items()) + " of them"


def _spread(look: Look) -> tuple[float, float]:
    """Return the range of U_m over the four radii, and the distance of their mean from the Synthesizer."""
    found = [look("U_m", "M", r) for r in RADII]
    return max(found) - min(found), sum(found) / len(found) - look("U_m", "S", 0.0)


def _spread_words(runs: Sequence[Look]) -> str:
    spread, distance = (sum(values) / len(runs) for values in zip(*map(_spread, runs), strict=True))
    return f"U_m differs by {spread:.3f} between the radii, by {distance:.3f} between Marginal and Synthesizer"


def estimate(look: Look, synthesizer: str, r: float, statistic: str) -> float:
    """Return a point estimate of figure 7; the intervals of one radius are those of table 6."""
    name = "M" if r == TABLE_6_RADIUS else f"M {r:.2f}"
    return look(statistic, name if synthesizer == "M" else synthesizer, 0.0)


def off(look: Look, synthesizer: str, r: float, statistic: str) -> float:
    """Return the distance of an estimate of figure 7 from the confidential estimate."""
    return abs(estimate(look, synthesizer, r, statistic) - estimate(look, "D", r, statistic))


def _off_words(runs: Sequence[Look]) -> str:
    parts = []
    for s in STATISTICS:
        far = [f"{sum(off(look, 'M', r, s) for look in runs) / len(runs):.2f} at {r:.0%}" for r in RADII]
        parts.append(
            f"{s} off by {sum(off(look, 'S', 0.0, s) for look in runs) / len(runs):.2f} (Synthesizer), {', '.join(far)}"
        )
    return "; ".join(parts)


CLAIMS: Mapping[str, Check[Look]] = {
    "radius_order": Check(_ranked, _ranked_words),
    "radius_close": Check(lambda look: _spread(look)[0] < _spread(look)[1] / 2, _spread_words),
    "synthesizer_utility": Check(
        lambda look: all(off(look, "S", 0.0, s) < off(look, "M", r, s) for s in STATISTICS for r in RADII), _off_words
    ),
    "marginal_utility": Check(
        lambda look: all(off(look, "M", 0.15, s) < off(look, "M", 0.30, s) for s in STATISTICS), _off_words
    ),
    "pairwise_rises": Check(
        lambda look: look(RISE, "P", 0.15) < look(RISE, "M", 0.15),
        lambda runs: f"{mean(runs, RISE, 'P', 0.15):.4f} against {mean(runs, RISE, 'M', 0.15):.4f}",
    ),
}
