"""Export of an evaluation as an HTML page, as JSON, or as a table."""

from __future__ import annotations

import io
import json
import platform
import re
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from synthlab import _checks, _format
from synthlab._system import optional_dependencies
from synthlab._system.atomic_write import write_bytes, write_text
from synthlab._system.versions import DISTRIBUTION
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.release.manifest import public
from synthlab.report.closeness_figure import closeness
from synthlab.report.content import SCREEN, Content, summary_of
from synthlab.report.dossier import check_dossier, parts
from synthlab.report.measure import Section, Table
from synthlab.report.measures import MEASURES, measured
from synthlab.synthesis.plan import KEY, plan_or_none

if TYPE_CHECKING:
    from jinja2 import Template

    from synthlab.release import Release
    from synthlab.report.evaluation_data import EvaluationData

FORMAT = 2  # of the JSON file; see evaluation.schema.json
PAGES, TABLES = (".html", ".htm"), (".csv", ".md", ".xlsx")
SOFTWARE = ("numpy", "scipy", "pandas")
KINDS = {
    "real": "Real data: the records are about people who answered a survey.",
    "simulated": "Simulated data: the records were made by a program and are about no real person.",
    None: "Neither the data nor the release state whether the records are real or simulated.",
}
SECTIONS: dict[Section, tuple[str, str]] = {
    "risk": ("Risk", "Identification risk of the people in the data"),
    "utility": ("Utility", "Utility of the release for its users"),
}


class _Saved(Protocol):
    def summary(self) -> pd.DataFrame: ...
    def published(self) -> pd.DataFrame: ...
    def to_dict(self, *args: Any, **options: Any) -> dict[str, Any]: ...
    def to_html(self, *args: Any, **options: Any) -> str: ...


def _units(result: EvaluationData) -> dict[str, Any] | None:
    """Return the columns that identify and order units; None without units."""
    units = result.question.units
    if units is None:
        return None
    return {"unit": list(units.structure.unit), "unit_order": list(units.order), "panel": result.question.panel}


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that computed the results."""
    return {
        "python": platform.python_version(),
        "synthlab": version(DISTRIBUTION),
        **{name: version(name) for name in SOFTWARE},
    }


def to_dict(result: EvaluationData, *, publish: bool = False) -> dict[str, Any]:
    """Return the numbers of an evaluation as plain values, without confidential ones.

    For publication, single records and numbers of 1 to 9 people are omitted. So are the texts of warnings and reasons,
    because they may contain such numbers.
    """
    content = Content(result, publish=publish)
    numbers, intruder, verdict = content.numbers, result.intruder, content.verdict
    document = {
        "format": FORMAT,
        "for": "publication" if publish else "internal use",
        "verdict": verdict.word,
        "worst": None if verdict.worst is None else content.finding(verdict.worst),
        "findings": [content.finding(one) for one in verdict.findings],
        "headline": content.headline,
        "answers": [{"section": section, **asdict(one)} for section, found in content.answers.items() for one in found],
        "limits": [
            {
                "number": one.limit.name,
                "limit": one.limit.value,
                "share": one.share or one.limit.share,
                "value": one.value,
                "intruder": one.intruder,
                "verdict": one.state,
            }
            for one in content.limits
        ],
        "too_good": content.too_good,
        "rows": result.rows.state,
        "rows_by": result.rows.by,
        "rows_sentence": None if publish else result.rows.text,
        "best_intruder": content.summary.get("best_intruder", {}).get("synthetic"),
        "data": {"kind": result.data_kind, "records": result.n},
        "units": _units(result),
        "release": {
            "m": result.m,
            "records": result.release.n,
            "synthesized": result.release.synthesized,
            "provenance": public(result.release.provenance),
        },
        "intruders": [
            {
                "name": name,
                "sentence": one.intruder.describe(),
                "summary": summary_of(one, publish=publish),
            }
            for name, one in (numbers.intruders.items() if result.others else ())
        ],
        "intruder": {
            "name": result.name or None,
            "sentence": intruder.describe(),
            **{name: getattr(intruder, name) for name in ("known", "synthesized", "radius", "radius_kind")},
            **{name: getattr(intruder, name) for name in ("boundary", "convention", "norm", "missing")},
        },
        "summary": content.summary,
        **dict.fromkeys(MEASURES),
        **{m.name: m.to_dict(one, numbers.question, publish=publish) for m, one in measured(numbers.results)},
        "warnings": [{"name": name} if publish else {"name": name, "text": text} for name, text in result.warnings],
        "not_measured": content.reasons(),
        "software": versions(),
    }
    plain: dict[str, Any] = _format.plain(document)
    return plain


def render_page(
    result: EvaluationData,
    *,
    title: str,
    show_values: bool,
    publish: bool,
    date: str | None,
    dossier: Mapping[str, Any] | None,
) -> str:
    """Return the evaluation as one self-contained HTML page.

    By default, the page shows no confidential values: it identifies records by row number and compares distributions by
    shares.
    """
    check_libraries()
    check_heading(title, date)
    show_values = bool(_checks.check_choice(show_values, "show_values", (True, False)))
    content = Content(result, publish=publish)
    if publish and show_values:
        raise InputError(
            "show_values=True: a page for publication must not show confidential values; omit show_values or publish"
        )
    return _template().render(
        content=content,
        result=result,
        title=title,
        date=date,
        show_values=show_values,
        kind=KINDS[result.data_kind],
        subject=_subject(result),
        screen=SCREEN,
        closeness=closeness(content),
        dossier=[] if dossier is None else parts(result, check_dossier(dossier, publish=publish), publish=publish),
        facts=_facts(result),
        plan=_plan(result.release),
        targets=result.question.targets.size if result.rows.by_row else None,
        sections=[_section(content, section, show_values) for section in SECTIONS],
        warnings=[(name, "" if publish else text) for name, text in result.warnings],
        versions=versions(),
    )


def save(result: _Saved, path: PathOrStr, **options: Any) -> Path:
    """Write an evaluation as a page, as JSON or as a table, by file extension.

    Only the owner can read a file that is not for publication (mode 0600).
    """
    target = _checks.check_path(path, "path")
    ending = check_ending(target, *PAGES, ".json", *TABLES)
    if ending not in PAGES and options.keys() - {"publish"}:
        raise InputError(f"path={str(path)!r}: {', '.join(options)} apply only to an HTML page; omit them")
    publish = bool(options.get("publish"))
    if ending in TABLES:
        table = result.published() if publish else result.summary()
        return write_bytes(target, _table_to_bytes(table, ending), private=not publish)
    if ending in PAGES:
        return write_text(target, result.to_html(**options), private=not publish)
    text = json.dumps(result.to_dict(**options), indent=2, ensure_ascii=False)
    return write_text(target, f"{text}\n", private=not publish)


def check_ending(path: Path, *endings: str, name: str = "path") -> str:
    """Return the file extension if it is one of `endings`.

    `name` names the argument in the message.
    """
    ending = path.suffix.lower()
    if ending not in endings:
        raise InputError(f"{name}={str(path)!r}: must end in {' or '.join(endings)}")
    return ending


def check_libraries() -> None:
    """Raise `ExtraUnavailableError` unless the extra ``report`` is installed."""
    optional_dependencies.load("report", "jinja2", "the HTML report")
    optional_dependencies.load("report", "matplotlib", "the HTML report")


def check_heading(title: object, date: object) -> None:
    """Raise an error if the title or the date of a page is invalid."""
    if not isinstance(title, str) or not title.strip():
        raise InputError(f"title={_checks.shown(title)}: must be a non-empty text")
    if date is not None and not isinstance(date, str):
        raise InputError(f"date={_checks.shown(date)}: must be a text, for example '2026-11-21', or None")


def _table_to_bytes(table: pd.DataFrame, ending: str) -> bytes:
    """Return a table as the bytes of a CSV, Markdown or Excel file."""
    if ending == ".csv":
        return table.to_csv(lineterminator="\n").encode()
    if ending == ".xlsx":
        optional_dependencies.load("files", "openpyxl", "An Excel file")
        file = io.BytesIO()
        table.to_excel(file, sheet_name="synthlab")
        return file.getvalue()
    texts = table.map(lambda value: value if isinstance(value, str) else _format.number(float(value)))
    head = [str(table.index.name or ""), *map(str, table.columns)]
    rows = [head, ["---", *["---:"] * len(table.columns)], *texts.itertuples()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows).encode()


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup, escape

    environment = Environment(
        loader=PackageLoader("synthlab.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["joined"] = lambda text: str(text).replace(" %", "\u00a0%")  # no line break before the sign
    environment.filters["coded"] = lambda text: Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
    return environment.get_template("report.html.j2")


def _section(content: Content, section: Section, show_values: bool) -> dict[str, Any]:
    """Return the lines, figures and tables of the measures of risk or of utility."""
    result = content.numbers
    heading, caption = SECTIONS[section]
    shown = [
        measure.show(one, result.question, show_values=show_values, publish=content.publish)
        for measure, one in measured(result.results, section)
    ]
    return {
        "id": section,
        "heading": heading,
        "caption": caption + (f". Release: averages over its {result.m} datasets" if result.m > 1 else ""),
        "lines": content.lines(section),
        **{
            name: list(chain.from_iterable(getattr(one, name) for one in shown))
            for name in ("pictures", "tables", "not_drawn")
        },
    }


def _subject(result: EvaluationData) -> str:
    """Describe the files in one line."""
    columns = len(result.question.columns.comparable)
    return f"{result.n:,} people, {columns} {'column' if columns == 1 else 'columns'}, m = {result.m}"


def _facts(result: EvaluationData) -> list[tuple[str, str]]:
    """Return the facts about the release and how it was made."""
    release = result.release
    correspond = {
        "aligned": f", one for each of the {result.n:,} confidential records",
        "compatible": f", assumed to be one for each of the {result.n:,} confidential records",
        "refuted": f", which do not correspond to the {result.n:,} confidential records row by row",
        "unknown": f"; there are {result.n:,} confidential records, and it is not known whether rows correspond",
    }
    named = f"{', '.join(result.intruder.synthesized)} (as named for this report; the release does not state it)"
    facts = [
        ("Synthetic datasets", f"m = {release.m}"),
        ("Records in each", f"{release.n:,}{correspond[result.rows.state]}"),
        ("Variables in each", f"{release[0].shape[1]}"),
        ("Synthesized", ", ".join(release.synthesized) if release.synthesized else named),
    ]
    made = [
        (f"{key[:1].upper()}{key[1:].replace('_', ' ')}", _text(value))
        for key, value in public(release.provenance).items()
        if _is_shown(key, release)
    ]
    return facts + (made or [("Method", "the release does not state it")])


def _is_shown(key: str, release: Release) -> bool:
    """Return whether the page lists this entry of the provenance among the facts."""
    repeated = key == "formula" and str(release.provenance[key]) in str(release.provenance.get("synthesizer"))
    planned = key == KEY and plan_or_none(release) is not None  # shown in a separate table
    return not planned and key not in ("kind", "m") and release.provenance[key] is not None and not repeated


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {item}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _plan(release: Release) -> tuple[list[str], Table] | None:
    """Return the notes and the table of the synthesis plan, or None."""
    plan = plan_or_none(release)
    if plan is None:
        return None
    table = plan.summary().reset_index()
    rows = [[str(cell) for cell in row] for row in table.itertuples(index=False)]
    return list(plan.notes), Table("Plan of the synthesis", "", list(table.columns), rows)
