"""From the pieces of the two studies to tables: published beside ours, and the paper's statements checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.replication._hsw_published import INCOME, PARTS, TABLE_5, TABLE_6
from synthlab.weights import whack_a_mole

RISKS = (
    "IR, mean", "IR, IQR", "IR, max", "weight, mean", "posterior mu", "posterior phi", "expected IR, mean",
    "rises", "rises by noise", "largest expected rise", "noticeable expected rises", "U_m", "U_a",
)  # fmt: skip
THRESHOLD, LEVEL = 0.25, 0.5
SMALLEST = 0.01  # the smallest relative change of a mean IR that counts as one
OFTEN = 0.9  # share from which records count as left as they are


def study_numbers(repeated: pd.DataFrame, drawn: pd.DataFrame) -> pd.DataFrame:
    """Put tables 5 and 6 beside the repetitions on the paper's values and beside new samples."""
    rows = []
    for (name, r), published in TABLE_5.items():
        label = "Synthesizer" if name == "S" else f"Marginal, r = {r:.0%}"
        for measure, value in zip(("U_m", "U_a"), published, strict=True):
            rows.append(
                {"table": "5", "row": label, "quantity": measure, "key": (name, r, 20, measure), "published": value}
            )
    for (name, m), both in TABLE_6.items():
        for statistic, values in zip(("mean", "median"), both, strict=True):
            for part, value in zip(PARTS, values, strict=True):
                label = {"D": "Data", "S": f"Synthesizer, L = {m}", "M": f"Marginal, L = {m}"}[name]
                key = (name, 0.0, m, statistic + part)
                rows.append({"table": "6", "row": label, "quantity": statistic + part, "key": key, "published": value})
    table = pd.DataFrame(rows)
    ours, new = (_by_key(t) for t in (repeated, drawn))
    for column, source in (("", ours), ("samples_", new)):
        found = [source.get(key, np.array([np.nan])) for key in table["key"]]
        table[column + "ours" if not column else "samples_mean"] = [v.mean() for v in found]
        table[f"{column}low"] = [np.quantile(v, 0.025) for v in found]
        table[f"{column}high"] = [np.quantile(v, 0.975) for v in found]
    half = [_half_digit(v, q) for v, q in zip(table["published"], table["quantity"], strict=True)]
    table["inside"] = (table["published"] >= table["low"] - half) & (table["published"] <= table["high"] + half)
    table["repetitions"] = repeated.index.get_level_values("run").nunique()
    return table.drop(columns="key")


def _half_digit(value: float, quantity: str) -> float:
    """Return half a unit of the last digit printed."""
    return 0.00005 if quantity in ("U_m", "U_a") else 0.005


def _by_key(table: pd.DataFrame) -> dict[tuple[str, float, int, str], FloatArray]:
    keys = ["synthesizer", "r", "L", "measure"]
    found: dict[tuple[str, float, int, str], FloatArray] = {}
    for key, values in table.groupby(keys)["value"]:
        name, r, m, measure = cast("tuple[str, float, int, str]", key)
        found[name, float(r), int(m), measure] = values.to_numpy()
    return found


def study_risk(repeated: pd.DataFrame, drawn: pd.DataFrame) -> pd.DataFrame:
    """Summarise risk, weights and utility by synthesizer and r: the paper's values, and new samples."""
    out = []
    for data, table in (("paper", repeated), ("samples", drawn)):
        chosen = table[table["measure"].isin(RISKS)]
        groups = chosen.groupby(["synthesizer", "r", "measure"])["value"]
        summary = groups.agg(mean="mean", low=lambda v: v.quantile(0.025), high=lambda v: v.quantile(0.975))
        out.append(summary.reset_index().assign(data=data))
    return pd.concat(out, ignore_index=True)[["data", "synthesizer", "r", "measure", "mean", "low", "high"]]


def income_numbers(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row a case, allocation and measure, with the published number where there is one."""
    table = pd.concat(tables.values(), ignore_index=True).rename(columns={"value": "ours"})
    order = ["D", "T", "S", "M", "P", "3-way", "4-way", "M abs", "M formula", "M certain", "S nuts", "M nuts", "P nuts"]
    table["published"] = [
        INCOME.get((str(c), str(m)), np.nan) for c, m in zip(table["case"], table["measure"], strict=True)
    ]
    place = table["case"].map({name: number for number, name in enumerate(order)})
    return table.assign(place=place).sort_values("place", kind="stable").drop(columns="place").reset_index(drop=True)


def income_moles(arrays: Mapping[str, Mapping[str, FloatArray]]) -> pd.DataFrame:
    """Count rises from the unweighted to every weighted synthesizer, by allocation."""
    rows = []
    for case, found in arrays.items():
        if case in ("baseline", "S", "M formula", "M certain") or case.endswith("nuts"):
            continue
        for allocation in ("predictive", "record"):
            plain = arrays["S"]
            moles = whack_a_mole(
                plain[f"IR {allocation}"],
                found[f"IR {allocation}"],
                THRESHOLD,
                limit=LEVEL,
                null=plain[f"IR again {allocation}"],
                expected_before=plain.get(f"expected IR {allocation}"),
                expected_after=found.get(f"expected IR {allocation}"),
            )
            expected = moles.expected_rise
            rows.append(
                {
                    "case": case,
                    "allocation": allocation,
                    "rises": moles.n_risen,
                    "by noise": moles.n_risen_by_noise,
                    "beyond noise": moles.n_beyond_noise,
                    "z": moles.excess_z,
                    "expected rises above 0.05": np.nan if expected is None else int((expected > 0.05).sum()),
                    "largest expected rise": np.nan if expected is None else float(expected.max()),
                    "maximum IR before": float(moles.before.max()),
                    "maximum IR after": float(moles.after.max()),
                    "above 0.5 before": int((moles.before > LEVEL).sum()),
                    "above 0.5 after": int((moles.after > LEVEL).sum()),
                    "maximum expected IR": np.nan
                    if expected is None
                    else float(found[f"expected IR {allocation}"].max()),
                }
            )
    order = {name: number for number, name in enumerate(("M", "P", "3-way", "4-way", "M abs"))}
    table = pd.DataFrame(rows)
    return (
        table.assign(place=table["case"].map(order))
        .sort_values("place", kind="stable")
        .drop(columns="place")
        .reset_index(drop=True)
    )


def income_records(arrays: Mapping[str, Mapping[str, FloatArray]]) -> pd.DataFrame:
    """Return one row a record: income, weights, IR and expected IR by synthesizer."""
    base = arrays["baseline"]
    columns: dict[str, Any] = {
        "income": base["income"],
        "topcoded": base["topcoded"],
        "D": base["IR D"],
        "T": base["IR T"],
    }
    for case in ("S", "M", "P", "3-way", "4-way"):
        if case not in arrays:
            continue
        found = arrays[case]
        columns |= {f"{case} {a}": found[f"IR {a}"] for a in ("predictive", "record")}
        columns |= {f"expected {case} {a}": found[f"expected IR {a}"] for a in ("predictive", "record")}
        if case == "S":
            columns |= {f"S again {a}": found[f"IR again {a}"] for a in ("predictive", "record")}
        else:
            columns[f"weight {case}"] = found["weight"]
    return pd.DataFrame(columns)


def claims(repeated: pd.DataFrame, numbers: pd.DataFrame, moles: pd.DataFrame, records: pd.DataFrame) -> pd.DataFrame:
    """Check what the paper says in words."""
    rows: list[dict[str, str]] = []

    def add(study: str, claim: str, holds: bool, evidence: str) -> None:
        rows.append({"study": study, "claim": claim, "holds": "yes" if holds else "no", "evidence": evidence})

    wide = repeated[repeated["measure"] == "U_m"].pivot_table(index="run", columns=["synthesizer", "r"], values="value")
    order = [0.30, 0.15, 0.25, 0.20]  # from best to worst in table 5
    ranked = wide["M"][order].to_numpy()
    same = (np.diff(ranked, axis=1) > 0).all(axis=1)
    best = pd.Series(np.take(order, ranked.argmin(axis=1))).value_counts(normalize=True)
    add(
        "simulation",
        "table 5 orders r: 30 % has the best utility (U_m), then 15 %, 25 %, 20 %",
        bool(same.mean() > 0.5),
        f"this order in {same.sum()} of {same.size} repetitions (1 of 24 by chance); best is "
        + ", ".join(f"{r:.0%} in {share:.0%}" for r, share in best.items())
        + " of them",
    )
    mean = repeated.groupby(["synthesizer", "r", "measure"])["value"].mean()
    drop = {r: 1 - mean["M", r, "IR, mean"] / mean["S", r, "IR, mean"] for r in (0.30, 0.25, 0.20, 0.15)}
    add(
        "simulation",
        "Marginal shifts the risks down for every r",
        all(v > 0 for v in drop.values()),
        "mean IR falls by " + ", ".join(f"{v:.1%} at r = {r:.0%}" for r, v in drop.items()),
    )
    rises = {
        n: (mean[n, 0.15, "rises"], mean[n, 0.15, "rises by noise"], mean[n, 0.15, "largest expected rise"])
        for n in ("M", "P")
    }
    add(
        "simulation",
        "whack-a-mole at r = 15 %: records whose IR rises by 0.25 under Marginal",
        bool(rises["M"][0] > rises["M"][1] + 3),
        f"{rises['M'][0]:.1f} rise, {rises['M'][1]:.1f} between two unweighted releases; the largest rise of the expected IR is "
        f"{rises['M'][2]:.3f} (Pairwise {rises['P'][2]:.3f})",
    )
    add(
        "simulation",
        "Pairwise rises less than Marginal (largest rise of expected IR, r = 15 %)",
        bool(rises["P"][2] < rises["M"][2]),
        f"{rises['P'][2]:.4f} against {rises['M'][2]:.4f}",
    )
    cut = records["topcoded"].max()
    below = records[(records["income"] < cut) & (records["D"] > 0.9)]
    clear = below[below["income"] + 0.2 * below["income"].abs() < cut]
    add(
        "income",
        "topcoding leaves the high risks below the cut as they are",
        bool((below["T"] > 0.9).mean() > OFTEN),
        f"of {len(below):,} records below the cut with IR > 0.9 in the data {(below['T'] > 0.9).mean():.1%} still have it; so have "
        f"{(clear['T'] == clear['D']).mean():.0%} of the {len(clear):,} whose ball ends below the cut",
    )
    names = numbers[["case", "allocation", "measure"]].itertuples(index=False, name=None)
    look: dict[Any, float] = dict(zip(names, numbers["ours"], strict=True))
    for a in ("predictive", "record"):
        _income_claims(add, look, moles[moles["allocation"] == a].set_index("case"), records, a)
    return pd.DataFrame(rows)


def _income_claims(
    add: Any, look: Mapping[tuple[str, str, str], float], moles: pd.DataFrame, records: pd.DataFrame, a: str
) -> None:
    def pair(measure: str, cases: tuple[str, ...] = ("S", "M", "P")) -> list[float]:
        return [look[c, a, measure] for c in cases]

    study = f"income, {a}"
    s, m, p = pair("IR, mean")
    again = records[f"S again {a}"]
    # The IR of one release is noisy; the expected IR is that of any number of them.
    expected = {case: float(records[f"expected {case} {a}"].mean()) for case in ("S", "M", "P")}
    chains = [look.get((case, a, "IR, mean"), np.nan) for case in ("S nuts", "M nuts", "P nuts")]
    for case, name, mine, other in (("M", "Marginal", m, chains[1]), ("P", "Pairwise", p, chains[2])):
        add(
            study,
            f"{name} lowers mean IR below the Synthesizer",
            expected[case] < (1 - SMALLEST) * expected["S"],
            f"expected {expected[case]:.4f} against {expected['S']:.4f} (below {SMALLEST:.0%} is no fall); one release each {mine:.4f} "
            f"against {s:.4f}, and {again.mean():.4f} in a second unweighted one; mixture weighting {other:.4f} against "
            f"{chains[0]:.4f}; data {look['D', '', 'IR, mean']:.3f}",
        )
    add(
        study, "mean IR is essentially the same under Marginal and Pairwise", abs(m - p) < 0.005, f"{m:.4f} and {p:.4f}"
    )
    s, m, p = pair("IR, IQR")
    add(
        study,
        "Pairwise compresses IR: smaller IQR than Marginal",
        p < m,
        f"{p:.4f} against {m:.4f} (paper 0.1385, 0.1534); Synthesizer {s:.4f}",
    )
    s, m, p = pair("IR, max")
    tail = moles["maximum expected IR"]
    add(
        study,
        "Pairwise has a shorter tail: smaller maximum IR than Marginal",
        bool(tail["P"] < tail["M"]),
        f"maximum expected IR {tail['P']:.3f} against {tail['M']:.3f}; one release each (noise) {p:.3f} against {m:.3f}, Synthesizer "
        f"{s:.3f} and once more {again.max():.3f}",
    )
    s, m, p = pair("U_m")
    add(
        study,
        "Pairwise is about twice as good as Marginal in U_m",
        p < 0.6 * m,
        f"{p:.4f} against {m:.4f} (paper 0.0356, 0.0755); Synthesizer {s:.4f}",
    )
    s, m, p = pair("mean")
    add(
        study,
        "the mean income rises under Marginal",
        m > s,
        f"{m:,.0f} against {s:,.0f}; data {look['D', '', 'mean']:,.0f}",
    )
    s, m, p = pair("90 % quantile")
    add(
        study,
        "the 90 % quantile falls under Marginal, less under Pairwise",
        m < p < s,
        f"{m:,.0f}, {p:,.0f}; Synthesizer {s:,.0f}",
    )
    s, m, p = pair("earner")
    add(
        study,
        "the coefficient of earner shrinks under Marginal, less under Pairwise",
        abs(m) < abs(p) < abs(s),
        f"{m:,.0f}, {p:,.0f}; Synthesizer {s:,.0f}",
    )
    one, two = moles.loc["M"], moles.loc["P"]
    add(
        study,
        "whack-a-mole: records rise by 0.25 under Marginal, beyond noise",
        bool(one["z"] > 3),
        f"{one['rises']:.0f} rise, {one['by noise']:.0f} by noise (z {one['z']:.1f}); largest expected rise {one['largest expected rise']:.3f}",
    )
    add(
        study,
        "whack-a-mole is weaker under Pairwise than under Marginal (expected IR)",
        bool(two["largest expected rise"] < one["largest expected rise"]),
        f"largest expected rise {two['largest expected rise']:.3f} against {one['largest expected rise']:.3f}; expected rises above 0.05: "
        f"{two['expected rises above 0.05']:.0f} against {one['expected rises above 0.05']:.0f}",
    )
    if ("3-way", a, "IR, IQR") in look:
        highest, rise = (
            moles[column].reindex(["P", "3-way", "4-way"]).to_numpy(dtype=np.float64)
            for column in ("maximum expected IR", "largest expected rise")
        )
        add(
            study,
            "3-way and 4-way weights improve little on Pairwise (maximum expected IR)",
            bool(highest[1:].min() > 0.9 * highest[0]),
            f"maximum expected IR {highest[0]:.3f}, {highest[1]:.3f}, {highest[2]:.3f}; largest expected rise {rise[0]:.3f}, {rise[1]:.3f}, "
            f"{rise[2]:.3f}",
        )
