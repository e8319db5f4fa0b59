"""Tests of the statements of the paper about incomes, in every release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from replications.claims import Check
from replications.risk_weighted.count_claims import MEAN, RISE
from replications.risk_weighted.income_runs import Incomes, average
from replications.risk_weighted.measures import TENS

OFTEN = 0.9  # share from which records count as left as they are, or as protected
NEAR_0 = 0.05  # one hit in 20 datasets
HIGHEST, NECK, BELOW, ABOVE = (
    "maximum expected IR",
    "IR, 25 % quantile",
    "IR below 0.25, share",
    "IR above 0.5, records",
)
TEN = "M nuts 10"


def _mole(runs: Sequence[Incomes], case: str, column: str) -> float:
    return float(np.mean([run.mole(case, column) for run in runs]))


def _below(run: Incomes) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the risky records below the cut, and the subset whose radius ends below it."""
    records = run.records
    cut = records["topcoded"].max()
    below = records[(records["income"] < cut) & (records["D"] > OFTEN)]
    return below, below[below["income"] + 0.2 * below["income"].abs() < cut]


def _below_words(runs: Sequence[Incomes]) -> str:
    below, clear = _below(runs[0])
    return (
        f"of {len(below):,} records below the cut with IR > 0.9 in the data {(below['T'] > 0.9).mean():.1%} still have it; so have "
        f"{(clear['T'] == clear['D']).mean():.0%} of the {len(clear):,} whose ball ends below the cut"
    )


ONCE: Mapping[str, Check[Incomes]] = {
    "topcoding_below": Check(lambda run: (_below(run)[0]["T"] > OFTEN).mean() > OFTEN, _below_words),
    "topcoding_largest": Check(
        lambda run: sum(ir < NEAR_0 for ir in run.tens("T", "largest")) >= OFTEN * TENS,
        lambda runs: f"IR below {NEAR_0} for {sum(ir < NEAR_0 for ir in runs[0].tens('T', 'largest'))} of {TENS}",
    ),
}


def _averages(measure: str, form: str, *cases: str) -> Callable[[Sequence[Incomes]], str]:
    """Return a function that formats the mean of a number for several cases."""
    return lambda runs: ", ".join(f"{case} {average(runs, case, measure):{form}}" for case in cases)


def _between(measure: str, test: Callable[[float, float, float], bool]) -> Callable[[Incomes], bool]:
    return lambda run: test(*run.three(measure))


def _against(measure: str, paper: str) -> Callable[[Sequence[Incomes]], str]:
    def words(runs: Sequence[Incomes]) -> str:
        s, m, p = (average(runs, case, measure) for case in ("S", "M", "P"))
        return f"{p:.4f} against {m:.4f} (paper {paper}); Synthesizer {s:.4f}"

    return words


def _neck_words(runs: Sequence[Incomes]) -> str:
    run = runs[0]
    exact = [np.quantile(run.records[f"expected {case} {run.allocation}"], 0.25) for case in ("S", "M", "P")]
    return (
        f"lower quartile of IR: {_averages(NECK, '.3f', 'S', 'M', 'P')(runs)}; of the expected IR: "
        + ", ".join(f"{v:.3f}" for v in exact)
        + f"; mean of the expected IR: {run.expected('S'):.4f}, {run.expected('M'):.4f}, {run.expected('P'):.4f}"
    )


def _falling_words(runs: Sequence[Incomes]) -> str:
    parts = [_mole(runs, case, "below y = x, share") for case in ("M", "P")]
    return f"{parts[0]:.1%} (Pairwise {parts[1]:.1%}); between two unweighted releases {_mole(runs, 'M', 'below y = x by noise, share'):.1%}"


def _near_words(runs: Sequence[Incomes]) -> str:
    means = [np.mean([run.tens(case, "riskiest") for run in runs]) for case in ("M", "S")]
    return f"mean IR of the ten riskiest {means[0]:.4f}; Synthesizer {means[1]:.4f}"


def _tail_words(runs: Sequence[Incomes]) -> str:
    tail = [runs[0].mole(case, HIGHEST) for case in ("P", "M")]
    return f"maximum expected IR {tail[0]:.3f} against {tail[1]:.3f}; of the releases (noise) {_averages('IR, max', '.3f', 'P', 'M', 'S')(runs)}"


def _mean_words(runs: Sequence[Incomes]) -> str:
    others = [
        f"; {m} {average(runs, m, 'mean'):,.0f} against {average(runs, s, 'mean'):,.0f}"
        for s, m in (("S log", "M log"), ("S raw", "M raw"), ("S nuts", "M nuts"))
        if {(m, "mean"), (s, "mean")} <= set(runs[0].numbers)
    ]
    if (TEN, "mean") in runs[0].numbers:
        low, high, largest = (average(runs, TEN, name) for name in ("mean, low", "mean, high", "largest income"))
        others.append(
            f"; {TEN} {average(runs, TEN, 'mean'):,.0f} (interval {low:,.0f} to {high:,.0f}; largest synthetic income {largest:,.0f})"
        )
    return f"{_averages('mean', ',.0f', 'M', 'S')(runs)}; data {runs[0].of('D', 'mean'):,.0f}" + "".join(others)


def _moles_words(runs: Sequence[Incomes]) -> str:
    rises, noise, z = (_mole(runs, "M", column) for column in ("rises", "by noise", "z"))
    return f"{rises:.0f} rise, {noise:.0f} by noise (z {z:.1f}); largest expected rise {runs[0].mole('M', RISE):.3f}"


def _weaker_words(runs: Sequence[Incomes]) -> str:
    rise, many = ([runs[0].mole(case, column) for case in ("P", "M")] for column in (RISE, "expected rises above 0.05"))
    return f"largest expected rise {rise[0]:.3f} against {rise[1]:.3f}; expected rises above 0.05: {many[0]:.0f} against {many[1]:.0f}"


def _higher(run: Incomes, column: str) -> list[float]:
    return [run.mole(case, column) for case in ("P", "3-way", "4-way")]


def _higher_words(runs: Sequence[Incomes]) -> str:
    parts = [", ".join(f"{v:.3f}" for v in _higher(runs[0], column)) for column in (HIGHEST, RISE)]
    return f"maximum expected IR {parts[0]}; largest expected rise {parts[1]}"


HIGHER: Mapping[str, Check[Incomes]] = {
    "higher_orders": Check(lambda run: min(_higher(run, HIGHEST)[1:]) > 0.9 * _higher(run, HIGHEST)[0], _higher_words),
}

CLAIMS: Mapping[str, Check[Incomes]] = {
    "income_synthesizer": Check(
        lambda run: run.of("S", MEAN) < run.of("D", MEAN) / 2, _averages(MEAN, ".3f", "S", "D")
    ),
    "income_marginal_neck": Check(_between(NECK, lambda s, m, p: m < s), _neck_words),
    "majority_below": Check(lambda run: run.mole("M", "below y = x, share") > 0.5, _falling_words),
    "mass_below": Check(_between(BELOW, lambda s, m, p: m > s and p > s), _averages(BELOW, ".3f", "S", "M", "P")),
    "ten_riskiest": Check(lambda run: np.mean(run.tens("M", "riskiest")) < NEAR_0, _near_words),
    "equal_mean": Check(_between(MEAN, lambda s, m, p: abs(m - p) < 0.005), _averages(MEAN, ".4f", "M", "P", "S")),
    "pairwise_iqr": Check(_between("IR, IQR", lambda s, m, p: p < m), _against("IR, IQR", "0.1385, 0.1534")),
    "pairwise_tail": Check(lambda run: run.mole("P", HIGHEST) < run.mole("M", HIGHEST), _tail_words),
    "marginal_maximum": Check(lambda run: run.of("M", ABOVE) > 0, _averages(ABOVE, ".1f", "M", "S", "P")),
    "above_half": Check(_between(ABOVE, lambda s, m, p: p < m), _averages(ABOVE, ".1f", "P", "M")),
    "utility_twice": Check(_between("U_m", lambda s, m, p: p < 0.6 * m), _against("U_m", "0.0356, 0.0755")),
    "mean_income": Check(_between("mean", lambda s, m, p: m > s), _mean_words),
    "quantile_90": Check(
        _between("90 % quantile", lambda s, m, p: m < p < s), _averages("90 % quantile", ",.0f", "M", "P", "S")
    ),
    "earner": Check(
        _between("earner", lambda s, m, p: abs(m) < abs(p) < abs(s)), _averages("earner", ",.0f", "M", "P", "S")
    ),
    "rises_exist": Check(lambda run: run.mole("M", "rises") > 0, _moles_words),
    "rises_beyond_noise": Check(lambda run: run.mole("M", "z") > 3, _moles_words),
    "pairwise_moles": Check(lambda run: run.mole("P", RISE) < run.mole("M", RISE), _weaker_words),
}
