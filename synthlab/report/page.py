"""The report: one HTML page that loads no other file.

The page may be shown to people who must not see the confidential data, so it names records by their row number and compares
distributions by shares. Confidential values appear only on request.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from synthlab import _checks, _extras
from synthlab._format import count, fewer_than_10, listed
from synthlab._manifest import public
from synthlab.exceptions import InputError
from synthlab.report import words
from synthlab.report.dossier import check_dossier, parts
from synthlab.report.evaluated import Evaluated
from synthlab.report.measure import Section
from synthlab.report.measures import measured
from synthlab.report.plain import versions
from synthlab.report.policy import verdicts
from synthlab.report.verdict import lines, verdict_on
from synthlab.synthesis.plan import KEY, plan_or_none

if TYPE_CHECKING:
    from jinja2 import Template

    from synthlab.release import Release

KINDS = {
    "real": "Real data: the records are about people who answered a survey.",
    "simulated": "Simulated data: the records were made by a program and are about no real person.",
    None: "Neither the data nor the release state whether the records are real or simulated.",
}
SECTIONS: dict[Section, tuple[str, str]] = {
    "risk": ("Risk", "Identification risk of the people in the data"),
    "utility": ("Utility", "Utility of the release for its users"),
}


def render(
    result: Evaluated,
    *,
    title: str,
    show_values: bool,
    publish: bool,
    date: str | None,
    dossier: Mapping[str, Any] | None = None,
) -> str:
    """Return the page."""
    check_libraries()
    check_heading(title, date)
    show_values = bool(_checks.check_choice(show_values, "show_values", (True, False)))
    publish = bool(_checks.check_choice(publish, "publish", (True, False)))
    told = None if dossier is None else check_dossier(dossier, publish=publish)
    if publish and show_values:
        raise InputError("show_values=True: a page for publication (publish=True) shows no confidential value")
    found = verdict_on(result, publish=publish)
    return _template().render(
        title=title,
        date=date,
        kind=result.data_kind or "unknown",
        kind_sentence=KINDS[result.data_kind],
        subject=_subject(result),
        facts=_facts(result),
        plan=_plan(result.release),
        verdict=found.word.lower().replace(" ", "-"),
        word=found.word,
        sentence=found.sentence,
        headline=lines(result, publish=publish),
        findings=found.findings,
        overview={
            "columns": words.OVERVIEW,
            "sections": [words.overview(result, section, publish=publish) for section in SECTIONS],
        },
        order=words.ROWS[result.rows.state] if publish else result.rows.text,
        publish=publish,
        dossier=[] if told is None else parts(result, told, publish=publish),
        limits=verdicts(result.limits, result.intruders, publish=publish),
        intruders=words.intruders(result, publish=publish),
        intruder=result.intruder.describe(),
        targets=result.question.targets.size if result.rows.by_row else None,
        records=result.n,
        sections=[_section(result, section, show_values=show_values, publish=publish) for section in SECTIONS],
        show_values=show_values,
        warnings=[(name, "" if publish else text) for name, text in result.warnings],
        checked=words.checked(result),
        not_measured=words.not_measured(result, publish),
        versions=versions(),
    )


def _section(result: Evaluated, section: Section, *, show_values: bool, publish: bool) -> dict[str, Any]:
    """Return lines, figures and tables of the measures of risk or of utility."""
    heading, caption = SECTIONS[section]
    shown = [
        measure.show(one, result.question, show_values=show_values, publish=publish)
        for measure, one in measured(result.results, section)
    ]
    return {
        "id": section,
        "heading": heading,
        "caption": caption + (f". Release: averages over its {result.m} datasets" if result.m > 1 else ""),
        "lines": words.lines(result, section, fewer_than_10 if publish else count),
        "pictures": list(chain.from_iterable(one.pictures for one in shown)),
        "tables": list(chain.from_iterable(one.tables for one in shown)),
        "not_drawn": list(chain.from_iterable(one.not_drawn for one in shown)),
    }


def check_libraries() -> None:
    """Raise `ExtraUnavailableError` unless the libraries of the extra ``report`` are installed."""
    for name in ("jinja2", "matplotlib"):
        _extras.load("report", name, "the HTML report")


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


def _subject(result: Evaluated) -> str:
    """Name the files, in one line."""
    made = listed(list(result.question.columns.synthesized), 6)
    datasets = "1 synthetic dataset" if result.m == 1 else f"{result.m} synthetic datasets"
    return f"{result.n:,} confidential records; {datasets} of {result.release.n:,} records. Synthesized: {made}."


def _facts(result: Evaluated) -> list[tuple[str, str]]:
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


def _plan(release: Release) -> dict[str, Any] | None:
    """Return the plan of a synthesis as a table, where the release has one."""
    plan = plan_or_none(release)
    if plan is None:
        return None
    table = plan.summary().reset_index()
    return {
        "notes": plan.notes,
        "columns": list(table.columns),
        "rows": [[str(cell) for cell in row] for row in table.itertuples(index=False)],
    }


def _correspond(result: Evaluated) -> str:
    """Say whether the rows of a dataset are those of the confidential data."""
    return {
        "aligned": f", one for each of the {result.n:,} confidential records",
        "compatible": f", taken to be one for each of the {result.n:,} confidential records",
        "refuted": f", which do not correspond to the {result.n:,} confidential records row by row",
        "unknown": f"; the confidential records are {result.n:,}, and whether rows correspond is not known",
    }[result.rows.state]


def _is_told(key: str, release: Release) -> bool:
    """Return whether a note on how the release was made is for readers and not told already."""
    repeated = key == "formula" and str(release.provenance[key]) in str(release.provenance.get("synthesizer"))
    if key == KEY and plan_or_none(release) is not None:
        return False  # it has a table of its own
    return key not in ("kind", "m") and release.provenance[key] is not None and not repeated


def _heading(key: str) -> str:
    return key[:1].upper() + key[1:].replace("_", " ")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {item}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
