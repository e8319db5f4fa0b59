"""The HTML page of the replication: figures with words, tables, no script, no network."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _files
from synthlab.lab.replication.risk_weighted.counts import RADII
from synthlab.lab.replication.risk_weighted.incomes import BOUNDS, KNOWN
from synthlab.weights import whack_a_mole

if TYPE_CHECKING:
    from synthlab.lab.replication.risk_weighted.study import RiskWeightedResult

STYLE = """body{font:17px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
table{border-collapse:collapse;font-size:.85rem;margin:1rem 0;display:block;overflow-x:auto}
th,td{padding:.25rem .6rem;border-bottom:1px solid #ccc;text-align:right}th{text-align:left}
td.text{text-align:left;min-width:7rem}img{max-width:100%}figure{margin:1.5rem 0}figcaption{font-size:.9rem}
.note{border-left:4px solid #bb4411;padding:.3rem 1rem;background:#faf4f1}"""
NAMES = {"D": "Data", "S": "Synthesizer", "M": "Marginal", "P": "Pairwise", "T": "Topcoding"}


def write_page(result: RiskWeightedResult, folder: Path) -> Path:
    """Write ``index.html`` and the figures beside it; return the page."""
    figures = _figures(result)
    for name, (image, _) in figures.items():
        _files.write_bytes(folder / f"{name}.png", image)
    return _files.write_text(folder / "index.html", _page(result, figures))


def _figures(result: RiskWeightedResult) -> dict[str, tuple[bytes, str]]:
    from synthlab.plots import style, weights

    study, income = result.study_records, result.income_records
    found: dict[str, tuple[bytes, str]] = {}

    def keep(name: str, ax: Any, words: str) -> None:
        found[name] = (style.png(ax.figure), words)
        style.figure_with_description(ax, words)  # takes the figure out of pyplot's hands

    alpha = {f"{NAMES.get(k, k)}": study[f"weight {k} 0.20"] for k in ("M", "P", "3-way")}
    keep(
        "figure_4",
        weights.plot_weights(study["outcome"], alpha, label="outcome (a count)", data="simulated"),
        "Figure 4 and the weights at r = 20 %: records in the tails count least; the higher the order the more they count.",
    )
    groups = {f"{k}, r = {r:.0%}": study[f"{k} {r:.2f}"] for r in RADII for k in ("D", "S", "M")}
    keep(
        "figure_5a",
        weights.plot_risk_groups(groups, data="simulated", title="Figure 5a: IR by r"),
        "Figure 5a: IR of the 1,000 records (D data, S synthesizer, M marginal); the line in each violin is the mean. One repetition, L = 20.",
    )
    moles = whack_a_mole(study["S 0.15"], study["M 0.15"], null=study["S again 0.15"])
    keep(
        "figure_5b",
        moles.plot(labels=("Synthesizer", "Marginal"), data="simulated"),
        f"Figure 5b, r = 15 %. {moles.describe()}",
    )
    groups = {f"{r:.0%}": study[f"M {r:.2f}"] for r in RADII}
    keep(
        "figure_6",
        weights.plot_risk_groups(groups, data="simulated", title="Figure 6: Marginal, IR by r"),
        "Figure 6: IR under Marginal for the four radii.",
    )
    for statistic in ("mean", "median"):
        table = _figure_7(result, statistic)
        keep(
            f"figure_7_{statistic}",
            weights.plot_estimates(table, label=f"{statistic} of the outcome", data="simulated"),
            f"Figure 7: {statistic}, averaged over the repetitions, L = 20 (M: r = 20 %); the band is the interval of the data.",
        )
    for allocation in ("predictive", "record"):
        cases = [c for c in ("S", "M", "P") if f"{c} {allocation}" in income]
        groups = (
            {"Data": income["D"]} | {NAMES[c]: income[f"{c} {allocation}"] for c in cases} | {"Topcoding": income["T"]}
        )
        keep(
            f"figure_8_{allocation}",
            weights.plot_risk_groups(groups, data="simulated", title="Figures 2 and 8: IR of the consumer units"),
            f"Figures 2 and 8, allocation by {allocation}: IR of {len(income):,} simulated consumer units; lines are means.",
        )
        for case, figure in (("M", "figures 3 and 9a"), ("P", "figure 9b")):
            moles = whack_a_mole(
                income[f"S {allocation}"],
                income[f"{case} {allocation}"],
                null=income[f"S again {allocation}"],
                expected_before=income[f"expected S {allocation}"],
                expected_after=income[f"expected {case} {allocation}"],
            )
            keep(
                f"figure_9_{case}_{allocation}",
                moles.plot(labels=("Synthesizer", NAMES[case]), data="simulated"),
                f"{figure.capitalize()}, allocation by {allocation}. {moles.describe()}",
            )
    for quantity in ("mean", "median", "90 % quantile", "earner"):
        keep(
            f"figure_10_{quantity.replace(' ', '_').replace('%', 'percent')}",
            weights.plot_estimates(_figure_10(result, quantity), label=_label(quantity), data="simulated"),
            f"Figure 10: {_label(quantity)}, L = 20, estimate and 95 % interval; the band is the interval of the data.",
        )
    return found


def _label(quantity: str) -> str:
    return "coefficient of no earner (dollars)" if quantity == "earner" else f"{quantity} of income (dollars)"


def _figure_7(result: RiskWeightedResult, statistic: str) -> pd.DataFrame:
    table = result.study_numbers
    rows = {}
    for label in ("Data", "Synthesizer, L = 20", "Marginal, L = 20"):
        part = table[(table["row"] == label)].set_index("quantity")["ours"]
        rows[label.split(",")[0]] = [part[statistic], part[f"{statistic}, low"], part[f"{statistic}, high"]]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["estimate", "low", "high"])


def _figure_10(result: RiskWeightedResult, quantity: str) -> pd.DataFrame:
    look = result.income_numbers.set_index(["case", "allocation", "measure"])["ours"].to_dict()
    rows = {"Data": [look["D", "", quantity + part] for part in ("", ", low", ", high")]}
    for allocation in ("predictive", "record"):
        for case in ("S", "M", "P"):
            rows[f"{NAMES[case]}, {allocation}"] = [
                look[case, allocation, quantity + part] for part in ("", ", low", ", high")
            ]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["estimate", "low", "high"])


def _page(result: RiskWeightedResult, figures: dict[str, tuple[bytes, str]]) -> str:
    def show(*names: str) -> str:
        parts = []
        for name in (n for n in figures if n.startswith(names)):
            image, words = figures[name]
            picture = b64encode(image).decode()
            parts.append(
                f'<figure><img alt="{escape(words)}" src="data:image/png;base64,{picture}"><figcaption>{escape(words)}</figcaption></figure>'
            )
        return "".join(parts)

    outside = result.study_numbers[~result.study_numbers["inside"]]
    repetitions = int(result.study_numbers["repetitions"].iloc[0])
    known = ", ".join(KNOWN)
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Risk-weighted synthesis, computed again</title>
<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>
<h1>Risk-Efficient Bayesian Data Synthesis, computed again</h1>
<p>Hu, J., Savitsky, T. D. and Williams, M. R. (2021). {escape(result.describe())}</p>
<p class="note">The income study is on ce2017: SIMULATED consumer units, made to meet what the paper publishes of its sample. Its numbers
show how the methods behave; they are not those of the survey.</p>
<h2>What the paper says, and what happens here</h2>
{_table(result.claims)}
<h2>Simulation study</h2>
<p>The paper's own 1,000 values; each repetition draws new parameters and new synthetic data, {repetitions} repetitions. The posterior of
the negative binomial is computed on a grid, so nothing but Monte-Carlo error is left. A published number is inside when it lies between
the 2.5 % and 97.5 % quantiles of the repetitions, allowing for its last printed digit. With so many numbers about one in twenty lies
outside by chance. The samples columns are new samples of 1,000, where all of the data differ too.</p>
<p>{_outside(outside)}</p>
{_table(result.study_numbers.drop(columns="repetitions"))}
{show("figure_4", "figure_5", "figure_6", "figure_7")}
<h3>Risk by synthesizer and r</h3>
<p>Mean over the repetitions on the paper's values. Rises: records whose IR rises by more than 0.25 from the unweighted release; by noise: the same
between two unweighted releases. The expected IR has no noise; a noticeable rise of it is above 0.02.</p>
{_table(_wide(result.study_risk))}
<h2>Income study (simulated data)</h2>
<p>Finite mixture of normal regressions of asinh(income) on ten categorical predictors (the paper takes the logarithm, which losses do not have),
K = 10, the weight on the density of the record's own component, Gibbs; known {known}; r = 20 % of |y|. Cases named nuts: K = 2, cube root in place of asinh
(with which the second component would be a few dozen losses and zeros), and the weight on the mixture density. Synthetic incomes are truncated to [{BOUNDS[0]:,.0f}, {BOUNDS[1]:,.0f}]: without that, components of a handful of
records (losses, zeros) now and then produce incomes of 10^9 and more on a logarithmic scale, and the mean of a release means nothing.</p>
<p>Allocation says how a synthetic record gets its component: predictive, from the mixture weights; record, from the probabilities given the
record's confidential income, as the authors describe in their paper of 2022. The second keeps more of each record.</p>
{_table(_income(result.income_numbers))}
{show("figure_8", "figure_9")}
<h3>Tables 2 and 3: the ten riskiest and the ten largest records</h3>
<p>IR of each record in the data and in the releases (allocation by record); income rounded to two digits.</p>
{_table(_ten(result.income_records, "D"))}
{_table(_ten(result.income_records, "income"))}
<h3>Whack-a-mole</h3>
{_table(result.income_moles)}
<h3>Utility</h3>
{show("figure_10")}
{_beyond(result.income_numbers)}
</body></html>
"""


def _outside(table: pd.DataFrame) -> str:
    if table.empty:
        return "Every published number is inside."
    items = [
        f"{row.row}, {row.quantity} ({row.published:g}; ours {row.low:.4g} to {row.high:.4g})"
        for row in table.itertuples()
    ]
    return "Outside: " + escape("; ".join(items)) + "."


def _wide(table: pd.DataFrame) -> pd.DataFrame:
    paper = table[table["data"] == "paper"]
    wide = paper.pivot_table(index=["synthesizer", "r"], columns="measure", values="mean", sort=False)
    return wide.reset_index().rename_axis(columns=None)


def _income(table: pd.DataFrame) -> pd.DataFrame:
    measures = [
        "IR, mean", "IR, IQR", "IR, max", "IR above 0.5, records", "U_m", "U_a", "mean", "mean, low", "mean, high", "median",
        "90 % quantile", "earner", "singletons found within the radius, share", "R-hat, max", "divergences", "occupied, mean",
    ]  # fmt: skip
    wide = table.pivot_table(index=["case", "allocation"], columns="measure", values="ours", sort=False)
    return wide[[m for m in measures if m in wide]].reset_index().rename_axis(columns=None)


def _ten(records: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the ten records with the largest value of a column, as tables 2 and 3 of the paper show them."""
    top = records.nlargest(10, by)
    found = {"income": [float(f"{v:.2g}") for v in top["income"]], "Data": top["D"]}
    found |= {NAMES[c]: top[f"{c} record"] for c in ("S", "M", "P")} | {"Topcoding": top["T"]}
    return pd.DataFrame(found)


def _beyond(table: pd.DataFrame) -> str:
    """Return the section on radius and singletons, where these cases were run."""
    chosen = table[table["case"].isin(["M", "M abs", "M formula", "M certain"])]
    if chosen["case"].nunique() < 4:
        return ""
    measures = [
        "weight, mean", "IR, mean", "IR, max", "U_m", "singletons", "singletons found within the radius, share",
        "others found within the radius, share",
    ]  # fmt: skip
    wide = chosen[chosen["allocation"] != ""].pivot_table(
        index=["case", "allocation"], columns="measure", values="ours", sort=False
    )
    wide["weight, mean"] = wide.index.get_level_values("case").map(
        chosen[chosen["measure"] == "weight, mean"].set_index("case")["ours"].to_dict()
    )
    return f"""<h2>Beyond the paper: the radius by quantile, and records alone in their pattern</h2>
<p>M abs: weights from one absolute radius for all, the 10 % quantile of the income gaps between two records of a pattern. M formula and
M certain: weights with education and marital status known as well, so that many records are alone in their pattern; by the formula these get
weight 1, no protection at all, with singletons="certain" weight 0. Found within the radius: how often the synthetic income of such a
record lies within 20 % of its true one. Risk and utility of all cases are measured as in the rest of the study.</p>
{_table(wide[[m for m in measures if m in wide]].reset_index().rename_axis(columns=None))}"""


def _table(table: pd.DataFrame) -> str:
    head = "".join(f"<th scope='col'>{escape(str(c))}</th>" for c in table)
    body = []
    for row in table.itertuples(index=False):
        cells = "".join(
            f'<td class="text">{escape(v)}</td>' if isinstance(v, str) else f"<td>{_number(v)}</td>" for v in row
        )
        body.append(f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _number(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None or not np.isfinite(value):
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:.4g}"
