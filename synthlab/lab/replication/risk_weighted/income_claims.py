"""The paper's claims about incomes, tested in the one run of the income study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab.lab.replication.claims import Claim
from synthlab.lab.replication.risk_weighted.count_claims import MEAN, RISE, SCARCE

SMALLEST = 0.01  # the smallest relative change of a mean IR that counts as one
OFTEN = 0.9  # share from which records count as left as they are
ALLOCATION = "a synthetic record gets its component from the mixture weights here; by record, as the authors draw it, the mean falls"


@dataclass(frozen=True, slots=True, eq=False)
class Incomes:
    """The one run of the income study under one allocation: its numbers, whack-a-mole, and records."""

    allocation: str
    numbers: Mapping[tuple[str, str, str], float]
    moles: pd.DataFrame
    records: pd.DataFrame

    def of(self, case: str, measure: str) -> float:
        """Return one number; NaN if the case was not run."""
        return self.numbers.get((case, self.allocation, measure), np.nan)

    def three(self, measure: str) -> list[float]:
        """Return the number of Synthesizer, Marginal and Pairwise."""
        return [self.of(case, measure) for case in ("S", "M", "P")]

    def data(self, measure: str) -> float:
        """Return the number of the confidential data."""
        return self.numbers["D", "", measure]

    def mole(self, case: str, column: str) -> float:
        """Return a number of whack-a-mole."""
        return float(self.moles[column].to_dict()[case])

    def expected(self, case: str) -> float:
        """Return the mean of the expected IR, which has no noise."""
        return float(self.records[f"expected {case} {self.allocation}"].mean())


def _below(run: Incomes) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the risky records below the cut, and those of them whose ball ends below it."""
    records = run.records
    cut = records["topcoded"].max()
    below = records[(records["income"] < cut) & (records["D"] > 0.9)]
    return below, below[below["income"] + 0.2 * below["income"].abs() < cut]


def _below_words(runs: Sequence[Incomes]) -> str:
    below, clear = _below(runs[0])
    return (
        f"of {len(below):,} records below the cut with IR > 0.9 in the data {(below['T'] > 0.9).mean():.1%} still have it; so have "
        f"{(clear['T'] == clear['D']).mean():.0%} of the {len(clear):,} whose ball ends below the cut"
    )


TOPCODING: Claim[Incomes] = Claim(
    "2.3.1, Figure 2",
    "topcoding leaves the high risks below the cut as they are",
    lambda run: (_below(run)[0]["T"] > 0.9).mean() > OFTEN,
    _below_words,
)


def _lower(case: str, name: str) -> Claim[Incomes]:
    def words(runs: Sequence[Incomes]) -> str:
        run = runs[0]
        again = run.records[f"S again {run.allocation}"].mean()
        return (
            f"expected {run.expected(case):.4f} against {run.expected('S'):.4f} (below {SMALLEST:.0%} is no fall); one release each "
            f"{run.of(case, MEAN):.4f} against {run.of('S', MEAN):.4f}, and {again:.4f} in a second unweighted one; mixture weighting "
            f"{run.of(f'{case} nuts', MEAN):.4f} against {run.of('S nuts', MEAN):.4f}; data {run.data(MEAN):.3f}"
        )

    # The IR of one release is noisy; the expected IR is that of any number of them.
    return Claim(
        "3.2.1, Figure 8" if case == "P" else "2.3.1, Figure 2",
        f"{name} lowers mean IR below the Synthesizer",
        lambda run: run.expected(case) < (1 - SMALLEST) * run.expected("S"),
        words,
        ALLOCATION,
    )


def _numbers(measure: str, form: str) -> Callable[[Sequence[Incomes]], str]:
    """Return what writes the number of Marginal and Pairwise, and of the Synthesizer."""

    def words(runs: Sequence[Incomes]) -> str:
        s, m, p = runs[0].three(measure)
        return f"{m:{form}}, {p:{form}}; Synthesizer {s:{form}}"

    return words


def _between(measure: str, test: Callable[[float, float, float], bool]) -> Callable[[Incomes], bool]:
    return lambda run: test(*run.three(measure))


def _against(measure: str, paper: str) -> Callable[[Sequence[Incomes]], str]:
    def words(runs: Sequence[Incomes]) -> str:
        s, m, p = runs[0].three(measure)
        return f"{p:.4f} against {m:.4f} (paper {paper}); Synthesizer {s:.4f}"

    return words


def _tail_words(runs: Sequence[Incomes]) -> str:
    run = runs[0]
    s, m, p = run.three("IR, max")
    tail = [run.mole(case, "maximum expected IR") for case in ("P", "M")]
    return (
        f"maximum expected IR {tail[0]:.3f} against {tail[1]:.3f}; one release each (noise) {p:.3f} against {m:.3f}, Synthesizer "
        f"{s:.3f} and once more {run.records[f'S again {run.allocation}'].max():.3f}"
    )


def _mean_words(runs: Sequence[Incomes]) -> str:
    s, m, _ = runs[0].three("mean")
    return f"{m:,.0f} against {s:,.0f}; data {runs[0].data('mean'):,.0f}"


def _moles_words(runs: Sequence[Incomes]) -> str:
    rises, noise, z, largest = (runs[0].mole("M", column) for column in ("rises", "by noise", "z", RISE))
    return f"{rises:.0f} rise, {noise:.0f} by noise (z {z:.1f}); largest expected rise {largest:.3f}"


def _weaker_words(runs: Sequence[Incomes]) -> str:
    (rise, many), (other, more) = (
        [runs[0].mole(case, column) for column in (RISE, "expected rises above 0.05")] for case in ("P", "M")
    )
    return f"largest expected rise {rise:.3f} against {other:.3f}; expected rises above 0.05: {many:.0f} against {more:.0f}"


def _higher(run: Incomes, column: str) -> list[float]:
    return [run.mole(case, column) for case in ("P", "3-way", "4-way")]


def _higher_words(runs: Sequence[Incomes]) -> str:
    highest, rise = (_higher(runs[0], column) for column in ("maximum expected IR", RISE))
    parts = [", ".join(f"{v:.3f}" for v in values) for values in (highest, rise)]
    return f"maximum expected IR {parts[0]}; largest expected rise {parts[1]}"


def claims_of(run: Incomes) -> tuple[Claim[Incomes], ...]:
    """Return the claims of the income study; those of higher orders where these were run."""
    return CLAIMS if "3-way" in run.moles.index else CLAIMS[:-1]


CLAIMS: tuple[Claim[Incomes], ...] = (
    _lower("M", "Marginal"),
    _lower("P", "Pairwise"),
    Claim(
        "3.2.1, Figure 8",
        "mean IR is essentially the same under Marginal and Pairwise",
        _between(MEAN, lambda s, m, p: abs(m - p) < 0.005),
        lambda runs: f"{runs[0].of('M', MEAN):.4f} and {runs[0].of('P', MEAN):.4f}",
    ),
    Claim(
        "3.2.1",
        "Pairwise compresses IR: smaller IQR than Marginal",
        _between("IR, IQR", lambda s, m, p: p < m),
        _against("IR, IQR", "0.1385, 0.1534"),
    ),
    Claim(
        "3.2.1, Figure 8",
        "Pairwise has a shorter tail: smaller maximum IR than Marginal",
        lambda run: run.mole("P", "maximum expected IR") < run.mole("M", "maximum expected IR"),
        _tail_words,
    ),
    Claim(
        "Table 7",
        "Pairwise is about twice as good as Marginal in U_m",
        _between("U_m", lambda s, m, p: p < 0.6 * m),
        _against("U_m", "0.0356, 0.0755"),
    ),
    Claim(
        "Table 4",
        "the mean income rises under Marginal",
        _between("mean", lambda s, m, p: m > s),
        _mean_words,
    ),
    Claim(
        "Figure 10c",
        "the 90 % quantile falls under Marginal, less under Pairwise",
        _between("90 % quantile", lambda s, m, p: m < p < s),
        _numbers("90 % quantile", ",.0f"),
    ),
    Claim(
        "Figure 10d",
        "the coefficient of earner shrinks under Marginal, less under Pairwise",
        _between("earner", lambda s, m, p: abs(m) < abs(p) < abs(s)),
        _numbers("earner", ",.0f"),
    ),
    Claim(
        "2.3.2, Figure 3",
        "whack-a-mole: records rise by 0.25 under Marginal, beyond noise",
        lambda run: run.mole("M", "z") > 3,
        _moles_words,
        SCARCE,
    ),
    Claim(
        "3.2.1, Figure 9",
        "whack-a-mole is weaker under Pairwise than under Marginal (expected IR)",
        lambda run: run.mole("P", RISE) < run.mole("M", RISE),
        _weaker_words,
    ),
    Claim(
        "3.2.1",
        "3-way and 4-way weights improve little on Pairwise (maximum expected IR)",
        lambda run: min(_higher(run, "maximum expected IR")[1:]) > 0.9 * _higher(run, "maximum expected IR")[0],
        _higher_words,
    ),
)
