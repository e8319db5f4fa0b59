"""Tests of the statements of section 3 about Table 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
import pandas as pd

from replications.claims import Check, judge, mean, times
from replications.intruder.attacks import MEASURES, PAPER, PRINTED, SIZES
from replications.paper_tables import read_claims

Look: TypeAlias = Callable[[str, str, int], float]  # measure, row and m, in one repetition
Test: TypeAlias = Callable[[Look], bool]
BOTH = ("expected", "true")
FIXED, DRAWN = "everything, fixed", "everything, drawn"


def check_claims(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the verdict on each statement."""
    return judge(
        PAPER, "Table 1", read_claims("intruder"), CLAIMS, [_look(one) for _, one in runs.groupby("repetition")]
    )


def _look(one: pd.DataFrame) -> Look:
    numbers = one.set_index(["row", "m"])[[*MEASURES, "uniques"]].to_dict()
    return lambda measure, row, m: numbers[measure][row, m]


def _means(runs: Sequence[Look], measure: str, row: str) -> str:
    return ", ".join(f"{mean(runs, measure, row, m):.1f}" for m in SIZES)


def _over_m(look: Look, measure: str, row: str) -> float:
    return float(np.mean([look(measure, row, m) for m in SIZES]))


def _information(look: Look) -> bool:
    for measure in BOTH:
        most = look(measure, FIXED, 0)
        if any(look(measure, "probability", m) >= most for m in SIZES):
            return False
        if not _over_m(look, measure, "probability") < _over_m(look, measure, "models, fixed") < most:
            return False
    return True


def _falls(row: str) -> Test:
    """Return whether the perceived risk falls from m = 2 to 3 and from 3 to 10."""
    return lambda look: look("perceived", row, 2) > look("perceived", row, 3) > look("perceived", row, 10)


def _falls_words(runs: Sequence[Look], row: str) -> str:
    lower = times(runs, lambda look: look("perceived", row, 10) < look("perceived", row, 2))
    return f"means {_means(runs, 'perceived', row)}; lower at 10 than at 2 in {lower}"


def _beats(measures: Sequence[str]) -> Test:
    """Return whether the probability-based approach has more matches than the mode-based one for all m."""
    return lambda look: all(
        look(measure, "probability", m) > look(measure, "mode", m) for measure, m in product(measures, SIZES)
    )


def _beats_words(runs: Sequence[Look]) -> str:
    parts = [f"{_means(runs, name, 'probability')} against {_means(runs, name, 'mode')}" for name in BOTH]
    alone = times(runs, _beats(("expected",)))
    return f"expected {parts[0]} (expected matches alone: in {alone}); true {parts[1]}"


def _models(look: Look) -> list[bool]:
    """Return whether fixed parameters give at least as many expected matches as drawn ones, with the models released."""
    return [look("expected", "models, fixed", m) >= look("expected", "models, drawn", m) for m in SIZES]


def _everything(look: Look) -> bool:
    return look("expected", FIXED, 0) >= look("expected", DRAWN, 0)


def _fixed_words(runs: Sequence[Look]) -> str:
    fixed, drawn = (_means(runs, "expected", f"models, {how}") for how in ("fixed", "drawn"))
    return (
        f"fixed gives at least as many expected matches in {np.mean([_models(look) for look in runs]):.0%} of the comparisons with the "
        f"models released ({fixed} against {drawn}) and in {times(runs, _everything) / len(runs):.0%} with everything released "
        f"({mean(runs, 'expected', FIXED, 0):.1f} against {mean(runs, 'expected', DRAWN, 0):.1f})"
    )


def _rises(look: Look) -> bool:
    two, three, ten = (look("expected", "models, fixed", m) for m in SIZES)
    return two < three < ten


def _rises_words(runs: Sequence[Look]) -> str:
    later = times(runs, lambda look: look("expected", "models, fixed", 2) < look("expected", "models, fixed", 10))
    return (
        f"expected matches rise from 2 to 3 to 10 in the other {times(runs, _rises)}, from 2 to 10 in {later}; means "
        f"{_means(runs, 'expected', 'models, fixed')}"
    )


def _uniques(look: Look) -> bool:
    found = look("uniques", FIXED, 0)
    return 2 * found < look("true", FIXED, 0) and found > _over_m(look, "uniques", "probability")


def _uniques_words(runs: Sequence[Look]) -> str:
    nothing = np.mean([_over_m(look, "uniques", "probability") for look in runs])
    return (
        f"{mean(runs, 'uniques', FIXED, 0):.1f} of {mean(runs, 'true', FIXED, 0):.1f} true matches with everything released, "
        f"{nothing:.1f} with nothing (paper: {PRINTED['uniques_matched']['printed']} of 48)"
    )


CLAIMS: Mapping[str, Check[Look]] = {
    "information": Check(
        _information,
        lambda runs: (
            f"expected matches for m = 2, 3, 10: {_means(runs, 'expected', 'probability')} with nothing, "
            f"{_means(runs, 'expected', 'models, fixed')} with the models, {mean(runs, 'expected', FIXED, 0):.1f} with everything (a "
            "repetition counts when the mean over m rises, and everything beats nothing at every m)"
        ),
    ),
    "probability_falls": Check(
        _falls("probability"), lambda runs: f"m = 2, 3, 10: {_falls_words(runs, 'probability')}"
    ),
    "mode_unchanged": Check(
        lambda look: not _falls("mode")(look),
        lambda runs: (
            f"it falls from 2 to 3 to 10 in the other {times(runs, _falls('mode'))}; {_falls_words(runs, 'mode')}"
        ),
    ),
    "probability_beats_mode": Check(_beats(BOTH), _beats_words),
    "fixed_or_drawn": Check(lambda look: np.mean([*_models(look), _everything(look)]) > 0.5, _fixed_words),
    "more_datasets": Check(
        lambda look: all(look(name, "probability", 2) < look(name, "probability", 10) for name in BOTH),
        lambda runs: (
            f"means for m = 2, 3, 10: expected {_means(runs, 'expected', 'probability')}; true "
            f"{_means(runs, 'true', 'probability')} (counted from 2 to 10)"
        ),
    ),
    "effect_of_m": Check(lambda look: not _rises(look), _rises_words),
    "uniques": Check(_uniques, _uniques_words),
}
