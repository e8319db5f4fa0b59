"""The report: one HTML page that needs nothing but itself.

It may be shown to people who must not see the confidential data, so it names records by their row
number and compares distributions by shares; confidential values appear only when asked for.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.report import words
from synthlab.report.plain import versions

if TYPE_CHECKING:
    from jinja2 import Template
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from synthlab.release import Release
    from synthlab.report.evaluation import EvaluationResult

EXPOSED = 10
FIGURES = 6
POINTS = 101
KINDS = {
    "real": "Real data: the records are about people who answered a survey.",
    "simulated": "Simulated data: the records were made by a program and are about nobody.",
    None: "Neither the data nor the release say whether the records are real or simulated.",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as a data URI, its caption, and what it shows in words."""

    source: str
    caption: str
    description: str
    square: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text: column heads and rows, of which the first cell is the head of the row."""

    columns: list[str]
    rows: list[list[str]]


def render(result: EvaluationResult, *, title: str, show_values: bool, date: str | None) -> str:
    """Return the page."""
    check_heading(title, date)
    show_values = bool(_checks.check_choice(show_values, "show_values", (True, False)))
    return _template().render(
        title=title,
        date=date,
        kind=result.data_kind or "unknown",
        kind_sentence=KINDS[result.data_kind],
        facts=_facts(result),
        rule=result.risk.rule.describe(),
        targets=result.risk.targets.size,
        records=result.n,
        risk=words.risk_lines(result),
        utility=words.utility_lines(result),
        averages=f". Release: averages over its {result.m} datasets" if result.m > 1 else "",
        violins=_violins(result),
        exposed=_exposed(result, show_values),
        certain=int((result.risk.record_match_risk.mean(axis=1) == 1).sum()),
        show_values=show_values,
        pictures=_utility_pictures(result, show_values),
        not_drawn=_measured(result)[FIGURES:],
        warnings=result.warnings,
        not_measured=words.not_measured(result),
        versions=versions(),
    )


def check_heading(title: object, date: object) -> None:
    """Raise unless a page can have this title and this date."""
    if not isinstance(title, str) or not title.strip():
        raise InputError(f"title={_checks.shown(title)}: must be a text with at least one letter")
    if date is not None and not isinstance(date, str):
        raise InputError(f"date={_checks.shown(date)}: must be a text, for example '2026-11-21', or None")


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("synthlab.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2")


def _facts(result: EvaluationResult) -> list[tuple[str, str]]:
    """Say what was released and how it was made."""
    release, rule = result.release, result.risk.rule
    stated = release.synthesized
    facts = [
        ("Synthetic datasets", f"m = {release.m}"),
        ("Records in each", f"{release.n:,}, one for each of the {result.n:,} confidential records"),
        ("Variables in each", f"{release[0].shape[1]}"),
        (
            "Synthesized",
            ", ".join(stated)
            if stated
            else f"{', '.join(rule.synthesized)} (as named for this report; the release does not say)",
        ),
    ]
    made = [(_heading(str(key)), _text(value)) for key, value in release.provenance.items() if _is_told(key, release)]
    return facts + (made or [("How it was made", "the release does not say")])


def _is_told(key: str, release: Release) -> bool:
    """Whether a note on how the release was made is for readers and not told already."""
    repeated = key == "formula" and str(release.provenance[key]) in str(release.provenance.get("synthesizer"))
    return key not in ("kind", "m", "draws_used") and release.provenance[key] is not None and not repeated


def _heading(key: str) -> str:
    return key[:1].upper() + key[1:].replace("_", " ")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {item}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _exposed(result: EvaluationResult, show_values: bool) -> Table:
    """List the most exposed records by row number; with `show_values`, also who they are."""
    table = result.risk.most_exposed(EXPOSED)
    columns = ["Row", "Match risk", "Records that fit"]
    cells = [table["record"].map("{:d}".format), table["match_risk"].map("{:.3f}".format)]
    cells.append(table["mean_match_count"].map("{:.4g}".format))
    if "match_risk_confidential" in table:
        columns.append("Match risk, released as is")
        cells.append(table["match_risk_confidential"].map("{:.3f}".format))
    if show_values:
        people = result.confidential.iloc[table["record"]]
        for name in result.risk.rule.used:
            columns.append(str(name))
            cells.append(people[name].astype(str))
    return Table(columns, [list(row) for row in zip(*cells, strict=True)])


def _violins(result: EvaluationResult) -> list[Picture]:
    """Draw match risk and IR, confidential against synthetic."""
    from synthlab.plots import risk as plots

    own = result.risk.baseline
    mean = result.risk.record_match_risk.mean(axis=1)
    text = f"The release: mean {mean.mean():.3f}, largest {mean.max():.3f}; {words.percent((mean == 0).mean())} at 0."
    if own is not None:
        risks = own.record_match_risk[:, 0]
        text = f"Confidential data: mean {risks.mean():.3f}; {words.percent((risks == 1).mean())} of the people at 1. {text}"
    pictures = [
        _draw(
            lambda ax: plots.plot_record_risk(result.risk, ax, data=result.data_kind),
            (6.4, 4.2),
            "How the match risk is spread over the people.",
            f"Two violins of the match risk of {mean.size:,} people. {text}",
        )
    ]
    probability = result.probability
    if probability is not None:
        table = probability.summary()
        said = [
            f"{str(name).capitalize()} data: median {row['median']:.3f}, largest {row['max']:.3f}"
            for name, row in table.iterrows()
        ]
        pictures.append(
            _draw(
                lambda ax: plots.plot_identification_probability(probability, ax, data=result.data_kind),
                (6.4, 4.2),
                "How the identification probability IR is spread over the people.",
                f"Two violins of the identification probability of {result.n:,} people. {'. '.join(said)}.",
            )
        )
    return pictures


def _measured(result: EvaluationResult) -> list[str]:
    return [] if result.ecdf is None else list(result.ecdf.variables)


def _utility_pictures(result: EvaluationResult, show_values: bool) -> list[Picture]:
    """Draw the distributions of the numeric variables, and pMSE against its null."""
    from synthlab.plots import utility as plots

    pictures = []
    gaps = [] if result.ecdf is None else result.ecdf.ecdf_max.tolist()
    for name, gap in zip(_measured(result)[:FIGURES], map(words.at_most, gaps), strict=False):
        if show_values:
            pictures.append(
                _draw(
                    lambda ax, name=name: plots.plot_ecdf(
                        result.confidential, result.release, variable=name, ax=ax, data=result.data_kind
                    ),
                    (6.4, 4.2),
                    f"Distribution of {name}.",
                    f"Empirical distribution functions of {name}, confidential and synthetic; they differ by {gap}.",
                )
            )
        else:
            pictures.append(
                _draw(
                    lambda ax, name=name: plots.plot_shares(
                        *_shares(result, name), variable=name, ax=ax, data=result.data_kind
                    ),
                    (5.5, 5.2),
                    f"Distribution of {name}, by shares: on the dotted diagonal both datasets agree.",
                    f"Share of the confidential records of {name} below a limit against that of the synthetic ones; the "
                    f"line leaves the diagonal by {gap}.",
                )
            )
    low, high = float(result.propensity.pmse.min()), float(result.propensity.pmse.max())
    null = float(result.propensity.null_mean.mean())
    pictures.append(
        _draw(
            lambda ax: plots.plot_propensity(result.propensity, ax, data=result.data_kind),
            (6.4, 4.2),
            "pMSE of each synthetic dataset; grey: a correct synthesizer that keeps its fitted parameters, give or take two "
            "standard deviations.",
            f"pMSE of {result.m} synthetic datasets lies between {low:.2g} and {high:.2g}; a correct synthesizer that keeps "
            f"its fitted parameters gives {null:.2g} on average, one that draws them anew for each dataset about "
            f"{2 * null:.2g}.",
        )
    )
    return pictures


def _shares(result: EvaluationResult, name: str) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return the shares of synthetic and of confidential records at or below about 100 synthetic values."""
    own = _sorted(result.confidential[name])
    synthetic: list[FloatArray] = []
    confidential: list[FloatArray] = []
    for frame in result.release:
        values = _sorted(frame[name])
        at = np.unique(np.quantile(values, np.linspace(0.0, 1.0, POINTS), method="inverted_cdf"))
        for found, source in ((synthetic, values), (confidential, own)):
            found.append(np.concatenate([[0.0], np.searchsorted(source, at, side="right") / source.size, [1.0]]))
    return synthetic, confidential


def _sorted(series: pd.Series) -> FloatArray:
    values = _checks.as_float(series)
    return np.sort(values[~np.isnan(values)])


def _draw(draw: Any, figsize: tuple[float, float], caption: str, description: str) -> Picture:
    """Draw on a figure of its own and keep it as a data URI, so that ids of two figures cannot clash."""
    from synthlab.plots import style

    with style.context():
        ax: Axes = style.off_screen(figsize)
        draw(ax)
        image = style.svg(cast("Figure", ax.figure))
    source = f"data:image/svg+xml;base64,{b64encode(image.encode()).decode()}"
    return Picture(source, caption, description, square=figsize[0] < 1.2 * figsize[1])
