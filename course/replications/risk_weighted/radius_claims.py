"""Tests of the statements of the paper about quantiles of IR and extreme radii."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replications.claims import Check, mean, times
from replications.risk_weighted.count_claims import EXPECTED, MEAN, RISE, Look, Test
from replications.risk_weighted.counts import RADII

NECK, EXPECTED_NECK = "IR, 25 % quantile", "expected IR, 25 % quantile"
ABOUT, MANY, SHARE = "expected IR about the mean", "noticeable expected rises", "expected rises, share of IR"
SMALL, LARGE = 0.05, 0.70


def _lower(measure: str) -> Test:
    return lambda look: all(look(measure, "M", r) < look(measure, "S", r) for r in RADII)


def fall(look: Look, r: float) -> float:
    """Return the relative decrease of the mean expected IR under the weights."""
    return 1 - look(EXPECTED, "M", r) / look(EXPECTED, "S", r)


def _falls(runs: Sequence[Look], *radii: float) -> str:
    parts = [f"{sum(fall(look, r) for look in runs) / len(runs):.1%} at r = {r:.0%}" for r in radii]
    return "mean expected IR falls by " + ", ".join(parts)


def _neck_words(runs: Sequence[Look]) -> str:
    pairs = [
        f"{mean(runs, EXPECTED_NECK, 'M', r):.3f} against {mean(runs, EXPECTED_NECK, 'S', r):.3f} at {r:.0%}"
        for r in RADII
    ]
    return (
        f"judged by the expected IR, which has no noise: lower quartile {', '.join(pairs)}; of IR of a release lower at every r in "
        f"{times(runs, _lower(NECK))} of {len(runs)}; {_falls(runs, *RADII)}"
    )


def _about_words(runs: Sequence[Look]) -> str:
    before, after = mean(runs, ABOUT, "S", 0.15), mean(runs, ABOUT, "M", 0.15)
    return f"expected IR of records within 15 % of the mean {after:.3f} against {before:.3f}"


def _moles_words(runs: Sequence[Look]) -> str:
    many, largest, other = (mean(runs, what, who, 0.15) for what, who in ((MANY, "M"), (RISE, "M"), (RISE, "P")))
    return f"expected IR of {many:.0f} records rises by more than 0.02, at most by {largest:.3f} (Pairwise {other:.3f})"


def _worse_words(runs: Sequence[Look]) -> str:
    shares = [f"{mean(runs, SHARE, 'M', r):.1%} at {r:.0%}" for r in (SMALL, 0.15, 0.30, LARGE)]
    return f"the rises of expected IR add up to {', '.join(shares)} of the Synthesizer's IR"


def _level_words(runs: Sequence[Look]) -> str:
    levels = [f"{mean(runs, EXPECTED, 'M', r):.3f} at {r:.0%}" for r in (LARGE, 0.30, 0.15, SMALL)]
    return f"{_falls(runs, LARGE, 0.30)}; the mean itself is {', '.join(levels)}"


CLAIMS: Mapping[str, Check[Look]] = {
    "synthesizer_lowers": Check(
        lambda look: all(look(MEAN, "S", r) < look(MEAN, "D", r) for r in RADII),
        lambda runs: (
            "mean IR "
            + ", ".join(
                f"{mean(runs, MEAN, 'S', r):.3f} against {mean(runs, MEAN, 'D', r):.3f} at {r:.0%}" for r in RADII
            )
        ),
    ),
    "marginal_neck": Check(_lower(EXPECTED_NECK), _neck_words),
    "marginal_mean": Check(lambda look: look(ABOUT, "M", 0.15) > look(ABOUT, "S", 0.15), _about_words),
    "moles_counts": Check(lambda look: look(MANY, "M", 0.15) > 0, _moles_words),
    "radius_5_moles": Check(lambda look: look(SHARE, "M", SMALL) > look(SHARE, "M", 0.15), _worse_words),
    "radius_5_protection": Check(
        lambda look: fall(look, SMALL) < fall(look, 0.15), lambda runs: _falls(runs, SMALL, 0.15)
    ),
    "radius_70_protection": Check(lambda look: fall(look, LARGE) > fall(look, 0.30), _level_words),
    "low_radius_risk": Check(
        lambda look: look(EXPECTED, "M", 0.15) > look(EXPECTED, "M", 0.30),
        lambda runs: "mean expected IR " + ", ".join(f"{mean(runs, EXPECTED, 'M', r):.3f} at {r:.0%}" for r in RADII),
    ),
}
