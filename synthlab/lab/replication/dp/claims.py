"""What the paper says of its mechanism, and whether it holds here, with the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, FloatArray
from synthlab.lab.replication.dp.settings import MAIN, PUBLISHED, STATISTICS
from synthlab.lab.replication.dp.tables import STUDIES

MOST, FEW = 0.9, 0.1  # the shares of the repetitions in which a statement must hold to hold, and not to
TEXT = {"mean": "the mean", "90 % quantile": "the 90 % quantile"}
Look = Callable[..., FloatArray]


@dataclass(slots=True)
class Claims:
    """A list of statements with verdicts; each is looked at in the repetitions of one study."""

    look: Look
    study: str
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, where: str, claim: str, holds: BoolArray | Any, evidence: str) -> None:
        """Add a statement: whether it holds in each repetition (one, for incomes), and the numbers."""
        found = np.atleast_1d(np.asarray(holds, dtype=bool))
        share = float(found.mean())
        verdict = "yes" if share >= MOST else "no" if share <= FEW else "partly"
        if found.size > 1:
            evidence += f"; in {int(found.sum())} of {found.size} repetitions"
        head = {"where": where, "study": self.study, "claim": claim, "holds": verdict, "evidence": evidence}
        self.rows.append(head)


def check_claims(numbers: pd.DataFrame, repetitions: pd.DataFrame) -> pd.DataFrame:
    """Return one row a statement and study: where it stands, whether it holds, and the evidence."""
    paper = repetitions[repetitions["kind"] == "paper"].set_index(["mechanism", "scale", "shift"])

    def of_counts(mechanism: str, measure: str, setting: tuple[float, float] = MAIN) -> FloatArray:
        return paper[measure].xs((mechanism, *setting)).to_numpy(dtype=np.float64)

    found: list[dict[str, Any]] = []
    looks: Mapping[str, Look] = {study: _look_at(numbers, study) for study in STUDIES if study != "counts"}
    looks = {**looks, "counts": of_counts}
    for study, look in looks.items():
        claims = Claims(look, study)
        _bounds(claims)
        _equal_bound(claims)
        _whole(claims)
        _others(claims)
        _settings(claims)
        found.extend(claims.rows)
    return pd.DataFrame(found)


def _look_at(numbers: pd.DataFrame, study: str) -> Look:
    """Return a function that looks a number up, of a study that was run once."""
    rows = numbers[numbers["study"] == study]
    keys = rows[["mechanism", "scale", "shift", "measure"]].itertuples(index=False, name=None)
    values = dict(zip(keys, rows["value"].to_numpy(), strict=True))

    def look(mechanism: str, measure: str, setting: tuple[float, float] = MAIN) -> FloatArray:
        return np.array([values[(mechanism, *setting, measure)]])

    return look


def _bounds(claims: Claims) -> None:
    look = claims.look
    names = ("Unweighted", "Countweighted", "DP", "EM")
    unweighted, count, dp, em = (look(name, "lipschitz_bound") for name in names)
    labels = ("Unweighted", "Countweighted", "DPweighted", "EMweighted")
    levels = ", ".join(f"{n} {_mean(v)}" for n, v in zip(labels, (unweighted, count, dp, em), strict=True))
    claims.add(
        "Figure 2",
        "the unweighted synthesizer has the highest Lipschitz bound",
        unweighted > np.maximum(np.maximum(dp, em), count),
        levels,
    )
    claims.add(
        "Figure 2",
        "record weights lower the bound dramatically (to less than half)",
        dp < 0.5 * unweighted,
        f"DPweighted {_mean(dp)}, Unweighted {_mean(unweighted)}",
    )
    claims.add(
        "Figure 2",
        "the bound of Countweighted is only slightly above that of DPweighted (within a half)",
        (dp < count) & (count < 1.5 * dp),
        f"Countweighted {_mean(count)}, DPweighted {_mean(dp)}",
    )
    whole = look("DP", "lipschitz_bound, all draws")
    claims.add(
        "3.1",
        "dropping the draws above the quantile changes the bound little (less than a tenth)",
        whole < 1.1 * dp,
        f"DPweighted {_mean(dp)} with, {_mean(whole)} without",
    )
    formula = look("EM", "bound of the formula's weight")
    claims.add(
        "4.2",
        "the scalar weight epsilon / (2 Delta) reaches its target (within a twentieth)",
        np.abs(formula / dp - 1) < 0.05,
        f"bound wanted {_mean(dp)}, achieved {_mean(formula)}",
    )


def _equal_bound(claims: Claims) -> None:
    look = claims.look
    dp, em = look("DP", "median sensitivity"), look("EM", "median sensitivity")
    claims.add(
        "Figure 2",
        "at an equal bound EMweighted has the lower sensitivity for most records",
        em < dp,
        f"median record: DPweighted {_mean(dp)}, EMweighted {_mean(em)}",
    )
    for figure, name in zip(("Figure 3", "Figure 4"), STATISTICS, strict=True):
        dp, em = look("DP", f"{name}, distance"), look("EM", f"{name}, distance")
        spread = look("Unweighted", f"{name}, confidential sd")
        claims.add(
            figure,
            f"at an equal bound DPweighted preserves {TEXT[name]} better than EMweighted",
            dp < em,
            f"distance of the barycenter from the data's distribution: DPweighted {_mean(dp)}, EMweighted {_mean(em)} "
            f"(standard error of the data {_mean(spread)})",
        )


def _whole(claims: Claims) -> None:
    dp, em = (claims.look(m, "U_m") for m in ("DP", "EM"))
    claims.add(
        "Abstract",
        "at an equal bound DPweighted preserves the distribution better than EMweighted (ECDF distance U_m)",
        dp < em,
        f"U_m: DPweighted {_mean(dp)}, EMweighted {_mean(em)}, Unweighted {_mean(claims.look('Unweighted', 'U_m'))}",
    )


def _others(claims: Claims) -> None:
    look = claims.look
    for name in STATISTICS:
        dp, plain = look("DP", f"{name}, distance"), look("Unweighted", f"{name}, distance")
        spread = look("Unweighted", f"{name}, confidential sd")
        claims.add(
            "4.2",
            f"DPweighted preserves {TEXT[name]} as well as Unweighted (to half a standard error of the data)",
            dp < plain + 0.5 * spread,
            f"distance: DPweighted {_mean(dp)}, Unweighted {_mean(plain)} (standard error {_mean(spread)})",
        )
    dp, count = (look(m, "90 % quantile, distance") for m in ("DP", "Countweighted"))
    claims.add(
        "Figure 4",
        "Countweighted preserves the 90 % quantile worse than DPweighted",
        count > dp,
        f"distance: Countweighted {_mean(count)}, DPweighted {_mean(dp)}",
    )


def _settings(claims: Claims) -> None:
    look = claims.look
    bounds = np.array([look("DP", "lipschitz_bound", s) for s in PUBLISHED])
    levels = ", ".join(_mean(b) for b in bounds)
    claims.add(
        "Table 2",
        "the bound falls over the five (scale, shift) in the order published",
        (np.diff(bounds, axis=0) < 0).all(axis=0),
        f"{levels} (paper {', '.join(f'{p:.2f}' for p in PUBLISHED.values())})",
    )
    ratio = bounds[-1] / bounds[0]
    published = list(PUBLISHED.values())
    claims.add(
        "Table 2",
        "the bound about halves from the first setting to the last (0.4 to 0.7)",
        (ratio > 0.4) & (ratio < 0.7),
        f"ratio {_mean(ratio)} (paper {published[-1] / published[0]:.2f})",
    )
    name = "90 % quantile, distance"
    dp, em = (np.array([look(m, name, s) for s in PUBLISHED]) for m in ("DP", "EM"))
    better = (dp < em).sum(axis=0)
    claims.add(
        "Figure 5",
        "at every one of the five settings DPweighted preserves the 90 % quantile better than EMweighted",
        better == len(PUBLISHED),
        f"better at {_mean(better)} of 5; distances DPweighted {', '.join(_mean(d) for d in dp)}, EMweighted "
        f"{', '.join(_mean(d) for d in em)}",
    )
    worse_dp, worse_em = dp[-1] - dp[0], em[-1] - em[0]
    claims.add(
        "Figure 5",
        "over the five settings the 90 % quantile deteriorates less under DPweighted than under EMweighted",
        worse_dp < worse_em,
        f"the distance grows by {_mean(worse_dp)} and by {_mean(worse_em)}",
    )


def _mean(values: FloatArray) -> str:
    """Write the mean of the repetitions."""
    number = float(np.mean(values))
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"
