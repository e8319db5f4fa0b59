"""Further calls that are recorded: other options, and data at the edges, whose numbers the tests of the rooms work out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
import synthlab.counts as slc
from synthlab import dp, utility
from synthlab.weights import achieved_epsilon, lipschitz_weights, match_lipschitz_bound
from tests.hostile.bases import Case


def _case(name: str, call: Callable[[], Any]) -> Case:
    return Case(name, call, dict)


def _people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "k": list("aaabbbbccd"),
            "v": list("xyxxxyyyxz"),
            "x": [1.0, 2.0, 4.0, -4.0, 2.0, 2.0, 3.0, 0.0, 8.0, 5.0],
            "w": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 9.0],
        }
    )


def _released() -> list[pd.DataFrame]:
    first = _people().assign(v=list("xxyxyyyxxy"), x=[1.25, 2.0, 3.0, -3.0, 2.0, 1.5, 3.0, 0.0, 6.0, 9.0])
    return [first, _people().assign(v=list("xyxyxxxxxx"), x=[2.0, 1.0, 5.0, -5.0, 2.5, 2.0, 2.25, 1.0, 10.0, 5.0])]


def _membership() -> Any:
    fitted = sl.DirichletMultinomial(["k"]).fit(_people(), rng=1, draws=400)
    return sl.membership_risk(_people(), fitted.generate(2, rng=2), fitted, targets=[0, 9])


def _table() -> slc.Table:
    return slc.Table.from_counts(np.reshape([0, 1, 1, 2, 0, 5, 0, 2, 0], (3, 3)), {"A": [1, 2, 3], "B": list("xyz")})


def _budget() -> dp.Budget:
    budget = dp.Budget(10.0, adjacency="replace")
    outer = budget.parallel({"x": [1, 1, 0], "y": [0, 0, 1]}, "one")
    outer["x"].parallel({"u": [1, 0, 0], "v": [0, 1, 0]}, "two")["v"].spend(2.0, "asked")
    outer["y"].spend(0.5, "asked too")
    budget.spend(1.0, "all")
    return budget


LOG = [[-1.0, 2.0, -0.5, 0.0], [-3.0, 0.5, -0.25, -1.0], [-1.5, -7.0, -4.0, -2.0], [0.5, -0.5, -6.0, -0.125]]
ON_X = {"known": ["k"], "synthesized": ["x"], "radius": {"x": 0.25}}
ON_V = sl.Intruder(known=["k"], synthesized=["v"])
ZEROS = {"pseudocount": 0.3, "zeros_to_ones": 0.25, "structural_zeros": [0, 6]}

CASES = (
    _case("identification_risk (open, some targets)", lambda: sl.identification_risk(
        _people(), _released(), sl.Intruder(**ON_X, boundary="open", targets=[8, 0, 6, 9]))),
    _case("identification_probability (certain singletons)", lambda: sl.identification_probability(
        _people(), _released(), sl.Intruder(**ON_X), singletons="certain")),
    _case("cap (tcap_released)", lambda: sl.cap(
        _people(), _released(), ON_V, target="v", variant="tcap_released", threshold=0.5)),
    _case("cap (nearest, numbers)", lambda: sl.cap(
        _people(), _released(), sl.Intruder(**ON_X), target="x", absent="nearest")),
    _case("intruder_risk (no fallback)", lambda: sl.intruder_risk(
        _people()[["k", "v"]], _released(), ON_V, fallback=False, may_decline=True, threshold=0.3)),
    _case("closest_record", lambda: sl.closest_record(
        _people(), _released(), _people().iloc[::2].assign(x=[3.0, 0.5, 7.0, 2.0, 6.0]), variables=["k", "x", "w"])),
    _case("membership_risk", lambda: _membership()),
    _case("prediction_utility", lambda: sl.prediction_utility(
        _people(), _released(), target="v", variables=["k", "w"], folds=2, rng=1)),
    _case("exact_copies (two variables)", lambda: sl.exact_copies(_people(), _released(), variables=["k", "v"])),
    _case("attack_score (open interval)", lambda: sl.risk.attack_score(
        _people(), pd.DataFrame({"record": [0, 2, 7, 9], "x": [1.25, 4.5, 0.0, 5.0]}), target="x", radius=0.25, boundary="open", fewest=4)),
    _case("risk_weights (order 3)", lambda: sl.risk_weights(
        _people(), sl.Intruder(**ON_X), order=3, scale=0.5, shift=0.125, singletons="certain")),
    _case("lipschitz_weights (weights of 0)", lambda: lipschitz_weights(LOG, n=4, quantile=0.5, scale=2.0, shift=-0.5)),
    _case("achieved_epsilon (weights of 0)", lambda: achieved_epsilon(LOG, [1.0, 0.5, 0.0, 2.0], quantile=0.75, m=3)),
    _case("match_lipschitz_bound (out of reach)", lambda: match_lipschitz_bound(lambda w: 10 * w**0.5, 20.0, start=0.5)),
    _case("policy_frontier (nothing allowed)", lambda: sl.policy_frontier(
        lambda a: (a, 1.0 - a), {"a": [0.5, 0.75]}, limit=0.25)),
    _case("whack_a_mole (everything)", lambda: sl.whack_a_mole(
        [0.0, 0.25, 0.5, 1.0], [0.5, 0.5, 0.25, 0.5], null=[0.0, 0.75, 0.5, 0.5],
        expected_before=[0.0, 0.5, 0.25, 0.5], expected_after=[0.5, 0.75, 0.25, 0.0])),
    _case("expected_tau (structural zeros)", lambda: slc.expected_tau(_table(), slc.NBI(sigma=0.4), k=[0, 1, 5], **ZEROS)),
    _case("expected_loss (structural zeros)", lambda: slc.expected_loss(_table(), slc.GAF(sigma=1.5, nu=0.5), m=3, **ZEROS)),
    _case("total_within (noise)", lambda: slc.total_within(_table(), slc.LaplaceCount(epsilon=0.9), 2.5, where={"A": [2, 3]}, pseudocount=0)),
    _case("tau (sizes that nothing has)", lambda: slc.tau(_table(), [_table(), _table()], k=[0, 1, 7])),
    _case("fit_log_linear (structural zeros)", lambda: slc.fit_log_linear(
        _table(), [["A"], ["B"]], structural_zeros=[0, 8], method="ipf")),
    _case("tune (privacy)", lambda: slc.tune(_table(), slc.LaplaceCount(epsilon=1), target=("tau3", 1, 0.3), over="epsilon", pseudocount=0)),
    _case("Budget (parts of parts)", _budget),
    _case("private_mean (replace, missing)", lambda: dp.private_mean(
        [-5.0, 10.0, np.nan, 99.0], low=0, high=20, epsilon=2.0, missing=4.0, adjacency="replace", rng=5)),
    _case("quantile_probabilities (grid)", lambda: dp.quantile_probabilities(
        [3.0, 3.0, -7.0, 99.0, None], 0.8, low=0, high=10, epsilon=1.5, step=2.5, missing=4.0)),
    _case("table_utility (missing, few bins)", lambda: utility.table_utility(
        _people(), _released(), variables=["k", "w", "x"], bins=3, missing="category")),
    _case("ecdf_utility (missing)", lambda: utility.ecdf_utility(_people(), _released(), missing="never")),
    _case("combine_full (adjusted)", lambda: utility.combine_full([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]], [[0.5, 0.25]] * 3, size_ratio=0.5)),
    _case("interval_overlap (disjoint, no length)", lambda: utility.interval_overlap(
        [[0.0, 2.0], [0.0, 2.0], [1.0, 1.0]], [[3.0, 5.0], [1.0, 5.0], [0.0, 2.0]])),
    _case("pmse (order 2)", lambda: utility.pmse(
        pd.concat([_people()] * 4), [pd.concat([f] * 4) for f in _released()], variables=["x", "v"], order=2)),
)  # fmt: skip
