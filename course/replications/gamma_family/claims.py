"""Tests of the statements of the paper on the gamma family."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from replications.claims import Check, judge
from replications.gamma_family.numbers import Found, Pairs, standardized
from replications.gamma_family.settings import (
    FLAT,
    PAPER,
    RIVAL,
    SHOWN,
    TEXT_RIVAL,
)
from replications.paper_tables import read_claims
from synthlab._typing import FloatArray


def check_claims(settings: pd.DataFrame, tau: pd.DataFrame, reference: pd.DataFrame, n_total: int) -> pd.DataFrame:
    """Return the verdict on each statement from one run."""
    study = "the archive's table" if "n" in settings else "simulated table"
    return judge(PAPER, study, read_claims("gamma_family"), CLAIMS, [Found(settings, tau, reference, n_total)])


def check(test: Callable[[Found], Any], evidence: Callable[[Found], str]) -> Check[Found]:
    """Return the test of a statement, with evidence from the single run."""
    return Check(test, lambda runs: evidence(runs[0]))


def _closer(numbers: Found) -> dict[int, list[float]]:
    """Return how often a count comes back within a tenth of itself under the GAF and the NBI shown, by count."""
    return {k: [numbers.of(label, f"within_tenth_{k}") for label in (SHOWN, RIVAL)] for k in (10, 20, 50)}


def _closer_words(numbers: Found) -> str:
    parts = (f"{k}: {gaf:.0%} against {nbi:.0%}" for k, (gaf, nbi) in _closer(numbers).items())
    return "within a tenth of the original, GAF(2, -0.5) against NBI(2), counts of " + "; ".join(parts)


def _like_risk_words(numbers: Found) -> str:
    gaf, caption, text = (numbers.of(label, "tau3_1_expected") for label in (SHOWN, RIVAL, TEXT_RIVAL))
    return f"tau3(1): GAF {gaf:.3f}; NBI {caption:.3f} at sigma = 2 (the caption), {text:.3f} at sigma = 0.5 (the text)"


def _zeros_words(numbers: Found) -> str:
    share, raised, expected, largest = (
        numbers.of(SHOWN, column)
        for column in ("ones_from_zeros", "zeros_raised", "zeros_raised_expected", "largest_from_zero")
    )
    return (
        f"{share:.2g} of the synthetic ones come from zeros; {raised:.2g} of the zeros become non-zero "
        f"(a priori {expected:.2g}), and those that do become large: the largest is {largest:,.0f}"
    )


def _ranges(numbers: Found) -> list[float]:
    """Return by how much the median overlap varies over the settings of either family."""
    return [float(np.ptp(numbers.group(group, "overlap_q50"))) for group in ("GAF", "NBI")]


def _ranges_words(numbers: Found) -> str:
    gaf, nbi = _ranges(numbers)
    bare = numbers.labels("no pseudocount")
    medians = ", ".join(f"{numbers.of(label, 'overlap_q50'):.2f} {label.partition(', no')[0]}" for label in bare)
    why = f"; without the pseudocount the medians are {medians}" if bare else ""
    return f"the medians range over {gaf:.3f} (GAF) and {nbi:.3f} (NBI); little is read as less than 0.1{why}"


def _overlap_words(numbers: Found) -> str:
    gaf, nbi = (numbers.group(group, "overlap_q50") for group in ("GAF", "NBI"))
    return (
        f"{_beaten(numbers.pairs('overlap_q50'))} with the NBI of the same sigma; medians {gaf.min():.2f} to {gaf.max():.2f} (GAF), "
        f"{nbi.min():.2f} to {nbi.max():.2f} (NBI)"
    )


def _beaten(pairs: Pairs) -> str:
    return f"in {sum(gaf > nbi for gaf, nbi in pairs)} of {len(pairs)} comparisons"


def _map_utility(column: str) -> Check[Found]:
    def words(numbers: Found) -> str:
        pairs = numbers.pairs(column)
        lower, worst = sum(gaf < nbi for gaf, nbi in pairs), max(gaf / nbi for gaf, nbi in pairs)
        return f"lower mean squared error in {lower} of {len(pairs)} comparisons; at worst {worst:.2g} of the NBI's"

    return check(lambda numbers: all(gaf < nbi for gaf, nbi in numbers.pairs(column)), words)


def _a_priori(numbers: Found) -> tuple[float, float, int]:
    """Return the share of the metrics inside their 95 % error, the largest deviation, and the number of metrics."""
    z = np.abs(standardized(numbers.tau))
    return float((z < 1.959964).mean()), float(z.max()), z.size


def _known(numbers: Found) -> bool:
    inside, largest, _ = _a_priori(numbers)
    return 0.90 <= inside <= 0.99 and largest < 5  # the metrics of one setting are correlated: judged with room


def _known_words(numbers: Found) -> str:
    inside, largest, size = _a_priori(numbers)
    return (
        f"{inside:.1%} of {size} measured metrics lie within their 95 % binomial error; the largest deviation is "
        f"{largest:.1f} standard errors"
    )


def _loss(numbers: Found, empty: bool) -> FloatArray:
    """Return L1 over the exact expected loss of the GAF settings, of the occupied cells or of all."""
    exact = numbers.group("GAF", "loss_occupied_expected")
    return numbers.group("GAF", "loss_paper") / (exact + numbers.group("GAF", "loss_empty_expected") * empty)


def _approximates(ratio: FloatArray) -> bool:
    return bool((np.abs(ratio - 1) < 0.5).all())


def _loss_words(numbers: Found) -> str:
    ratio = _loss(numbers, empty=False)
    return f"it is {ratio.min():.2f} to {ratio.max():.2f} of the exact loss of the occupied cells"


def _empty_words(numbers: Found) -> str:
    share = numbers.group("GAF", "loss_empty_expected") / numbers.group("GAF", "loss_occupied_expected")
    return (
        f"it leaves out the empty cells, whose loss under the pseudocount is {share.min():.0f} to {share.max():.0f} times as large as that "
        "of the occupied ones"
    )


def _bias(numbers: Found) -> tuple[FloatArray, FloatArray]:
    """Return what rounding does to the expected grand total of the GAF settings, and it in standard deviations."""
    bias = numbers.group("GAF", "total_bare") - numbers.n_total
    return bias, np.abs(bias / numbers.group("GAF", "total_bare_sd"))


def _bias_words(numbers: Found) -> str:
    bias, z = _bias(numbers)
    worst = int(z.argmax())
    padded = float((numbers.group("GAF", "total_expected") - numbers.group("GAF", "total_bare")).mean())
    return (
        f"rounding moves the expected grand total (n = {numbers.n_total:,}) by {bias.min():+,.0f} to {bias.max():+,.0f}: little of n, but up "
        f"to {z.max():.0f} of its own standard deviations ({numbers.labels('GAF')[worst]}: {bias[worst]:+,.0f}); the pseudocounts add about "
        f"{padded:,.0f}"
    )


CLAIMS: Mapping[str, Check[Found]] = {
    "similar_risk": check(
        lambda numbers: abs(numbers.of(RIVAL, "tau3_1_expected") - numbers.of(SHOWN, "tau3_1_expected")) < 0.05,
        _like_risk_words,
    ),
    "closer_counts": check(lambda numbers: all(gaf > nbi for gaf, nbi in _closer(numbers).values()), _closer_words),
    "nu_noise": check(
        lambda numbers: (
            np.isclose(numbers.of(SHOWN, "tau3_1_expected"), numbers.of(FLAT, "tau3_1_expected"))
            and numbers.of(SHOWN, "rmse_50") < numbers.of(FLAT, "rmse_50")
        ),
        lambda numbers: (
            "tau3(1) is equal (1 to any power is 1); root mean square error at 50: "
            f"{numbers.of(FLAT, 'rmse_50'):.2f} against {numbers.of(SHOWN, 'rmse_50'):.2f}"
        ),
    ),
    "zeros_fail": check(lambda numbers: numbers.of(SHOWN, "ones_from_zeros") < 1e-3, _zeros_words),
    "nbi_zeros": check(
        lambda numbers: 0.005 < numbers.of(RIVAL, "zeros_raised") < 0.02,
        lambda numbers: f"{numbers.of(RIVAL, 'zeros_raised'):.4f}",
    ),
    "overlap_higher": check(
        lambda numbers: all(gaf > nbi for gaf, nbi in numbers.pairs("overlap_q50")), _overlap_words
    ),
    "overlap_settings": check(lambda numbers: max(_ranges(numbers)) < 0.1, _ranges_words),
    "gaf_risk": check(
        lambda numbers: all(gaf > nbi for gaf, nbi in numbers.pairs("tau4_1")),
        lambda numbers: f"{_beaten(numbers.pairs('tau4_1'))} with the NBI of the same sigma",
    ),
    "gaf_utility_occupied": _map_utility("mse_occupied"),
    "gaf_utility_all": _map_utility("mse"),
    "tau_known": check(_known, _known_words),
    "tau_in_r": check(
        lambda numbers: numbers.reference["relative_difference"].max() < 1e-9,
        lambda numbers: (
            f"largest relative difference of {len(numbers.reference)} numbers: {numbers.reference['relative_difference'].max():.1e}"
        ),
    ),
    "loss_occupied": check(lambda numbers: _approximates(_loss(numbers, empty=False)), _loss_words),
    "loss_all": check(lambda numbers: _approximates(_loss(numbers, empty=True)), _empty_words),
    "totals_unbiased": check(lambda numbers: _bias(numbers)[1].max() < 0.5, _bias_words),
}
