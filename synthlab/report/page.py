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
from synthlab._manifest import public
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
    from synthlab.risk import IdentificationRiskResult

EXPOSED = 10
FIGURES = 6
POINTS = 101
# No group of fewer records is drawn or told in what is for publication.
SMALLEST_GROUP = 10
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


def render(result: EvaluationResult, *, title: str, show_values: bool, publish: bool, date: str | None) -> str:
    """Return the page."""
    check_heading(title, date)
    show_values = bool(_checks.check_choice(show_values, "show_values", (True, False)))
    publish = bool(_checks.check_choice(publish, "publish", (True, False)))
    if publish and show_values:
        raise InputError("show_values=True: a page for publication (publish=True) shows no confidential value")
    people = words.fewer_than_10 if publish else words.count
    risk = result.risk
    return _template().render(
        title=title,
        date=date,
        kind=result.data_kind or "unknown",
        kind_sentence=KINDS[result.data_kind],
        facts=_facts(result),
        headline=words.headline(result, publish=publish),
        alarm=risk is None or bool((result.copies.copies == result.copies.records).all()),
        publish=publish,
        intruder=result.intruder.describe(),
        targets=None if risk is None else risk.targets.size,
        records=result.n,
        risk=words.risk_lines(result, people),
        utility=words.utility_lines(result),
        averages=f". Release: averages over its {result.m} datasets" if result.m > 1 else "",
        violins=_violins(result, publish),
        exposed=None if publish or risk is None else _exposed(risk, result.confidential, show_values),
        certain=0 if risk is None else int((risk.record_match_risk.mean(axis=1) == 1).sum()),
        show_values=show_values,
        pictures=_utility_pictures(result, show_values, publish),
        not_drawn=_measured(result)[FIGURES:],
        warnings=[(name, "" if publish else text) for name, text in result.warnings],
        not_measured=words.not_measured(result, publish),
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
    release, intruder = result.release, result.intruder
    stated = release.synthesized
    facts = [
        ("Synthetic datasets", f"m = {release.m}"),
        ("Records in each", f"{release.n:,}{_correspond(result)}"),
        ("Variables in each", f"{release[0].shape[1]}"),
        (
            "Synthesized",
            ", ".join(stated)
            if stated
            else f"{', '.join(intruder.synthesized)} (as named for this report; the release does not say)",
        ),
    ]
    told = public(release.provenance)
    made = [(_heading(str(key)), _text(value)) for key, value in told.items() if _is_told(key, release)]
    return facts + (made or [("How it was made", "the release does not say")])


def _correspond(result: EvaluationResult) -> str:
    """Say whether the rows of a dataset are those of the confidential data."""
    return {
        "aligned": f", one for each of the {result.n:,} confidential records",
        "compatible": f", taken to be one for each of the {result.n:,} confidential records",
        "refuted": f", which do not correspond to the {result.n:,} confidential records row by row",
        "unknown": f"; the confidential records are {result.n:,}, and whether rows correspond is not known",
    }[result.rows.state]


def _is_told(key: str, release: Release) -> bool:
    """Whether a note on how the release was made is for readers and not told already."""
    repeated = key == "formula" and str(release.provenance[key]) in str(release.provenance.get("synthesizer"))
    return key not in ("kind", "m") and release.provenance[key] is not None and not repeated


def _heading(key: str) -> str:
    return key[:1].upper() + key[1:].replace("_", " ")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {item}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _exposed(risk: IdentificationRiskResult, confidential: pd.DataFrame, show_values: bool) -> Table:
    """List the most exposed records by row number; with `show_values`, also who they are."""
    table = risk.most_exposed(EXPOSED)
    columns = ["Row", "Match risk", "Records that fit"]
    cells = [table["record"].map("{:d}".format), table["match_risk"].map("{:.3f}".format)]
    cells.append(table["mean_match_count"].map("{:.4g}".format))
    if "match_risk_confidential" in table:
        columns.append("Match risk, released as is")
        cells.append(table["match_risk_confidential"].map("{:.3f}".format))
    if show_values:
        people = confidential.iloc[table["record"]]
        for name in risk.intruder.used:
            columns.append(str(name))
            cells.append(people[name].astype(str))
    return Table(columns, [list(row) for row in zip(*cells, strict=True)])


def _violins(result: EvaluationResult, publish: bool) -> list[Picture]:
    """Draw match risk and IR, confidential against synthetic; for publication on the means of groups of records."""
    from synthlab.plots import risk as plots

    risk, probability = result.risk, result.probability
    if risk is None or (publish and risk.targets.size < SMALLEST_GROUP):
        return []
    options: dict[str, Any] = {"data": result.data_kind, "grouped": publish}
    own, mean = risk.baseline, risk.record_match_risk.mean(axis=1)
    text = f"The release: mean {mean.mean():.3f}"
    if not publish:
        text += f", largest {mean.max():.3f}; {words.percent((mean == 0).mean())} at 0"
    if own is not None:
        risks = own.record_match_risk[:, 0]
        at_1 = "" if publish else f"; {words.percent((risks == 1).mean())} of the people at 1"
        text = f"Confidential data: mean {risks.mean():.3f}{at_1}. {text}"
    how = " Drawn on the means of groups of at least 10 people." if publish else ""
    pictures = [
        _draw(
            lambda ax: plots.plot_record_risk(risk, ax, **options),
            (6.4, 4.2),
            f"How the match risk is spread over the people.{how}",
            f"Two violins of the match risk of {mean.size:,} people. {text}.",
        )
    ]
    if probability is not None:
        table = probability.summary()
        said = [
            f"{str(name).capitalize()} data: median {row['median']:.3f}"
            + ("" if publish else f", largest {row['max']:.3f}")
            for name, row in table.iterrows()
        ]
        pictures.append(
            _draw(
                lambda ax: plots.plot_identification_probability(probability, ax, **options),
                (6.4, 4.2),
                f"How the identification probability IR is spread over the people.{how}",
                f"Two violins of the identification probability of {result.n:,} people. {'. '.join(said)}.",
            )
        )
    return pictures


def _measured(result: EvaluationResult) -> list[str]:
    return [] if result.ecdf is None else list(result.ecdf.variables)


def _utility_pictures(result: EvaluationResult, show_values: bool, publish: bool) -> list[Picture]:
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
                        *_shares(result, name, publish), variable=name, ax=ax, data=result.data_kind
                    ),
                    (5.5, 5.2),
                    f"Distribution of {name}, by shares: on the dotted diagonal both datasets agree.",
                    f"Share of the confidential records of {name} below a limit against that of the synthetic ones; the "
                    f"line leaves the diagonal by {gap}.",
                )
            )
    if result.propensity is None:
        return pictures
    low, high = float(result.propensity.pmse.min()), float(result.propensity.pmse.max())
    null = float(result.propensity.null_mean.mean())
    propensity = result.propensity
    pictures.append(
        _draw(
            lambda ax: plots.plot_propensity(propensity, ax, data=result.data_kind),
            (6.4, 4.2),
            "pMSE of each synthetic dataset; grey: a correct synthesizer that keeps its fitted parameters, give or take two "
            "standard deviations.",
            f"pMSE of {result.m} synthetic datasets lies between {low:.2g} and {high:.2g}; a correct synthesizer that keeps "
            f"its fitted parameters gives {null:.2g} on average, one that draws them anew for each dataset about "
            f"{2 * null:.2g}.",
        )
    )
    return pictures


def _shares(result: EvaluationResult, name: str, publish: bool) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return the shares of synthetic and of confidential records at or below about 100 synthetic values.

    For publication there are at most 100 of them, and between two of them, and beyond them, lie no records of a file or at
    least 10.
    """
    own = _sorted(result.confidential[name])
    synthetic: list[FloatArray] = []
    confidential: list[FloatArray] = []
    for frame in result.release:
        values = _sorted(frame[name])
        at = np.unique(np.quantile(values, np.linspace(0.0, 1.0, POINTS), method="inverted_cdf"))
        at = _in_groups(at[:-1], values, own) if publish else at
        for found, source in ((synthetic, values), (confidential, own)):
            found.append(np.concatenate([[0.0], np.searchsorted(source, at, side="right") / source.size, [1.0]]))
    return synthetic, confidential


def _in_groups(limits: FloatArray, *sources: FloatArray) -> FloatArray:
    """Return the limits between which each sorted source has no record or at least `SMALLEST_GROUP`, ends included."""
    below = np.stack([np.searchsorted(source, limits, side="right") for source in sources])
    total = np.array([source.size for source in sources])
    kept: list[int] = []
    last = np.zeros(len(sources), dtype=np.int64)
    for place in range(limits.size):
        for group in (below[:, place] - last, total - below[:, place]):
            if ((group > 0) & (group < SMALLEST_GROUP)).any():
                break
        else:
            kept.append(place)
            last = below[:, place]
    return limits[kept]


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
