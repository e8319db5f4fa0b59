"""The paper's claims about counts, tested in every repetition of the simulation study."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pandas as pd

from synthlab.lab.replication.claims import Claim, mean, times
from synthlab.lab.replication.risk_weighted.counts import RADII, M

ORDER = (0.30, 0.15, 0.25, 0.20)  # from best to worst in table 5
MEAN, EXPECTED, RISE = "IR, mean", "expected IR, mean", "largest expected rise"
SCARCE = "IR from 20 datasets is noisy: about as many records rise between two unweighted releases"
Look: TypeAlias = Callable[[str, str, float], float]  # measure, synthesizer and r, in one repetition
Test: TypeAlias = Callable[[Look], bool]


def look_at(one: pd.DataFrame) -> Look:
    """Return what looks up a number of one repetition."""
    numbers = one[one["L"] == M].set_index(["measure", "synthesizer", "r"])["value"].to_dict()
    return lambda measure, synthesizer, r: numbers[measure, synthesizer, r]


def _ranked(look: Look) -> bool:
    found = [look("U_m", "M", r) for r in ORDER]
    return all(better < worse for better, worse in itertools.pairwise(found))


def _ranked_words(runs: Sequence[Look]) -> str:
    best = pd.Series([min(ORDER, key=lambda r: look("U_m", "M", r)) for look in runs]).value_counts(normalize=True)
    return "1 of 24 by chance; best is " + ", ".join(f"{r:.0%} in {s:.0%}" for r, s in best.items()) + " of them"


def _falls(measure: str) -> Test:
    return lambda look: all(look(measure, "M", r) < look(measure, "S", r) for r in RADII)


def _falls_words(runs: Sequence[Look]) -> str:
    drops = {r: 1 - mean(runs, MEAN, "M", r) / mean(runs, MEAN, "S", r) for r in RADII}
    parts = ", ".join(f"{v:.1%} at r = {r:.0%}" for r, v in drops.items())
    return f"judged by the expected IR, which has no noise; mean IR falls by {parts}, at every r in {times(runs, _falls(MEAN))} of {len(runs)}"


def _rises_words(runs: Sequence[Look]) -> str:
    rises, noise, largest = (mean(runs, what, "M", 0.15) for what in ("rises", "rises by noise", RISE))
    return (
        f"{rises:.1f} rise, {noise:.1f} between two unweighted releases; the largest rise of the expected IR is {largest:.3f} "
        f"(Pairwise {mean(runs, RISE, 'P', 0.15):.3f})"
    )


CLAIMS: tuple[Claim[Look], ...] = (
    Claim(
        "Table 5",
        "table 5 orders r: 30 % has the best utility (U_m), then 15 %, 25 %, 20 %",
        _ranked,
        _ranked_words,
        "the differences are within Monte-Carlo error",
    ),
    Claim(
        "2.4.2, Figure 5a",
        "Marginal shifts the risks down for every r",
        _falls(EXPECTED),
        _falls_words,
        "not at r = 15 %, where the paper sees an upshift of moderate risks as well",
    ),
    Claim(
        "2.4.2, Figure 5b",
        "whack-a-mole at r = 15 %: records whose IR rises by 0.25 under Marginal",
        lambda look: look("rises", "M", 0.15) > look("rises by noise", "M", 0.15) + 3,
        _rises_words,
        SCARCE,
    ),
    Claim(
        "3.1",
        "Pairwise rises less than Marginal (largest rise of expected IR, r = 15 %)",
        lambda look: look(RISE, "P", 0.15) < look(RISE, "M", 0.15),
        lambda runs: f"{mean(runs, RISE, 'P', 0.15):.4f} against {mean(runs, RISE, 'M', 0.15):.4f}",
    ),
)
