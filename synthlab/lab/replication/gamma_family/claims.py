"""What the gamma family paper says in words, and whether it holds on the simulated table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.lab.replication.gamma_family.settings import FLAT, NUS, RIVAL, SHOWN, SIGMAS, TEXT_RIVAL, label_of


class Numbers:
    """The numbers of the settings, by label (or group) and column."""

    def __init__(self, settings: pd.DataFrame) -> None:
        self._rows = {str(row["setting"]): row for row in settings.to_dict("records")}

    def of(self, label: str, column: str) -> float:
        """Return one number."""
        return float(self._rows[label][column])

    def group(self, group: str, column: str) -> FloatArray:
        """Return the numbers of a group."""
        return np.array([self.of(label, column) for label in self.labels(group)], dtype=np.float64)

    def labels(self, group: str) -> list[str]:
        """Return the settings of a group."""
        return [label for label, row in self._rows.items() if row["group"] == group]

    def pairs(self, column: str) -> list[tuple[float, float]]:
        """Return the number of every GAF setting beside that of the NBI with the same sigma."""
        return [
            (self.of(label_of("GAF", sigma, nu), column), self.of(label_of("NBI", sigma), column))
            for sigma in SIGMAS
            for nu in NUS
        ]


def check_claims(settings: pd.DataFrame, tau: pd.DataFrame, reference: pd.DataFrame, n_total: int) -> pd.DataFrame:
    """Return one row a claim: where it stands, what it says, whether it holds here, and the numbers."""
    numbers = Numbers(settings)
    return pd.DataFrame(
        [
            _like_risk(numbers),
            _closer(numbers),
            _nu_is_for_large(numbers),
            _no_zero_becomes_one(numbers),
            _one_in_a_hundred(numbers),
            _median_overlap(numbers),
            _little_effect(numbers),
            _map_risk(numbers),
            _map_utility(numbers, "mse_occupied", "occupied cells, as in the paper's L1"),
            _map_utility(numbers, "mse", "all cells"),
            _a_priori(tau),
            _reference(reference),
            _loss(numbers),
            _unbiased(numbers, n_total),
        ]
    )


def _row(where: str, claim: str, holds: bool | str, numbers: str) -> dict[str, Any]:
    verdict = holds if isinstance(holds, str) else ("holds" if holds else "does not hold")
    return {"where": where, "claim": claim, "verdict": verdict, "numbers": numbers}


def _like_risk(numbers: Numbers) -> dict[str, Any]:
    gaf, caption, text = (numbers.of(label, "tau3_1_expected") for label in (SHOWN, RIVAL, TEXT_RIVAL))
    return _row(
        "4.3, Figure 4",
        "the risk of a unique staying unique is roughly similar for GAF(2, -0.5) and the NBI",
        abs(caption - gaf) < 0.05,
        f"tau3(1): GAF {gaf:.3f}; NBI {caption:.3f} at sigma = 2 (the caption), {text:.3f} at sigma = 0.5 (the text)",
    )


def _closer(numbers: Numbers) -> dict[str, Any]:
    shares = {k: [numbers.of(label, f"within_tenth_{k}") for label in (SHOWN, RIVAL)] for k in (10, 20, 50)}
    parts = (f"{k}: {gaf:.0%} against {nbi:.0%}" for k, (gaf, nbi) in shares.items())
    return _row(
        "4.3, Figure 4",
        "for larger counts the GAF gives synthetic counts much closer to the original",
        all(gaf > nbi for gaf, nbi in shares.values()),
        "within a tenth of the original, GAF(2, -0.5) against NBI(2), counts of " + "; ".join(parts),
    )


def _nu_is_for_large(numbers: Numbers) -> dict[str, Any]:
    (kept_flat, kept), (far_flat, far) = (
        [numbers.of(label, column) for label in (FLAT, SHOWN)] for column in ("tau3_1_expected", "rmse_50")
    )
    return _row(
        "4.3, Figure 3",
        "nu = -0.5 against nu = 0: similar noise for small counts, less for large ones",
        bool(np.isclose(kept, kept_flat)) and far < far_flat,
        f"tau3(1) is equal (1 to any power is 1); root mean square error at 50: {far_flat:.2f} against {far:.2f}",
    )


def _no_zero_becomes_one(numbers: Numbers) -> dict[str, Any]:
    share, raised, expected, largest = (
        numbers.of(SHOWN, column)
        for column in ("ones_from_zeros", "zeros_raised", "zeros_raised_expected", "largest_from_zero")
    )
    return _row(
        "4.3, Figure 5",
        "no synthetic counts of one originate from zeros under GAF(2, -0.5): the pseudocount fails",
        share < 1e-3,
        f"{share:.2g} of the synthetic ones come from zeros; {raised:.2g} of the zeros become non-zero "
        f"(a priori {expected:.2g}), and those that do become large: the largest is {largest:,.0f}",
    )


def _one_in_a_hundred(numbers: Numbers) -> dict[str, Any]:
    share = numbers.of(RIVAL, "zeros_raised")
    return _row(
        "4.3",
        "under the NBI a pseudocount of 0.01 turns roughly 1 in 100 zeros into non-zeros",
        0.005 < share < 0.02,
        f"{share:.4f}",
    )


def _median_overlap(numbers: Numbers) -> dict[str, Any]:
    pairs = numbers.pairs("overlap_q50")
    higher = sum(gaf > nbi for gaf, nbi in pairs)
    gaf, nbi = (numbers.group(group, "overlap_q50") for group in ("GAF", "NBI"))
    return _row(
        "4.4, Figure 6",
        "the median interval overlap is higher for the GAF than for the NBI",
        higher == len(pairs),
        f"in {higher} of {len(pairs)} comparisons with the NBI of the same sigma; medians {gaf.min():.2f} to {gaf.max():.2f} (GAF), "
        f"{nbi.min():.2f} to {nbi.max():.2f} (NBI)",
    )


def _little_effect(numbers: Numbers) -> dict[str, Any]:
    gaf, nbi = (float(np.ptp(numbers.group(group, "overlap_q50"))) for group in ("GAF", "NBI"))
    bare = numbers.labels("no pseudocount")
    why = ""
    if bare:
        medians = ", ".join(f"{numbers.of(label, 'overlap_q50'):.2f} {label.partition(', no')[0]}" for label in bare)
        why = f". What moves them is what the pseudocount adds to sparse margins; without it the medians are {medians}"
    return _row(
        "4.4, Figure 6",
        "altering the tuning parameters has little effect on the median overlap",
        max(gaf, nbi) < 0.1,
        f"the medians range over {gaf:.3f} (GAF) and {nbi:.3f} (NBI); little is read as less than 0.1{why}",
    )


def _map_risk(numbers: Numbers) -> dict[str, Any]:
    pairs = numbers.pairs("tau4_1")
    higher = sum(gaf > nbi for gaf, nbi in pairs)
    return _row(
        "4.5, Figure 7",
        "the GAF has the higher risk tau4(1) ...",
        higher == len(pairs),
        f"in {higher} of {len(pairs)} comparisons with the NBI of the same sigma",
    )


def _map_utility(numbers: Numbers, column: str, which: str) -> dict[str, Any]:
    pairs = numbers.pairs(column)
    lower = sum(gaf < nbi for gaf, nbi in pairs)
    worst = max(gaf / nbi for gaf, nbi in pairs)
    return _row(
        "4.5, Figure 7",
        f"... and the higher utility ({which})",
        lower == len(pairs),
        f"lower mean squared error in {lower} of {len(pairs)} comparisons; at worst {worst:.2g} of the NBI's",
    )


def standardized(tau: pd.DataFrame) -> FloatArray:
    """Return every difference of a measured and an a priori metric in binomial standard errors."""
    z = tau[["tau1_z", "tau3_z", "tau4_z"]].to_numpy(dtype=np.float64).ravel()
    return z[np.isfinite(z)]


def _a_priori(tau: pd.DataFrame) -> dict[str, Any]:
    z = np.abs(standardized(tau))
    inside = float((z < 1.959964).mean())
    # The metrics of one setting are correlated, so the share inside is judged with room.
    return _row(
        "3.4.1",
        "the tau metrics are known before any table is drawn",
        0.90 <= inside <= 0.99 and bool(z.max() < 5),
        f"{inside:.1%} of {z.size} measured metrics lie within their 95 % binomial error; the largest deviation is "
        f"{z.max():.1f} standard errors",
    )


def _reference(reference: pd.DataFrame) -> dict[str, Any]:
    worst = float(reference["relative_difference"].max())
    return _row(
        "3.4.1, Table 2",
        "tau1 to tau4 from the published cells of size 0 to 10, computed in R and here, agree",
        worst < 1e-9,
        f"largest relative difference of {len(reference)} numbers: {worst:.1e}",
    )


def _loss(numbers: Numbers) -> dict[str, Any]:
    exact = numbers.group("GAF", "loss_occupied_expected")
    ratio = numbers.group("GAF", "loss_paper") / exact
    share = numbers.group("GAF", "loss_empty_expected") / exact
    return _row(
        "3.4.2",
        "L1, the sum of sigma^2 f^nu / m over the occupied cells, approximates the expected squared loss",
        "in part",
        f"it is {ratio.min():.2f} to {ratio.max():.2f} of the exact loss of the occupied cells, but leaves out the empty ones, whose "
        f"loss under the pseudocount is {share.min():.0f} to {share.max():.0f} times as large",
    )


def _unbiased(numbers: Numbers, n_total: int) -> dict[str, Any]:
    without = numbers.group("GAF", "total_bare")
    bias = without - n_total
    z = np.abs(bias / numbers.group("GAF", "total_bare_sd"))
    worst = int(z.argmax())
    padded = float((numbers.group("GAF", "total_expected") - without).mean())
    return _row(
        "3.4.3",
        "all marginal counts are unbiased; the error of rounding is largely negligible",
        bool(z.max() < 0.5),
        f"rounding moves the expected grand total (n = {n_total:,}) by {bias.min():+,.0f} to {bias.max():+,.0f}: little of n, but up to "
        f"{z.max():.0f} of its own standard deviations ({numbers.labels('GAF')[worst]}: {bias[worst]:+,.0f}); the pseudocounts add about "
        f"{padded:,.0f}",
    )
