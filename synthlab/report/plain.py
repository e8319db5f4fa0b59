"""Results as plain Python values and as files."""

from __future__ import annotations

import io
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from synthlab import _about, _checks, _extras, _format
from synthlab._files import write_bytes, write_text
from synthlab._manifest import public
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.report import words
from synthlab.report.evaluated import Evaluated
from synthlab.report.measures import MEASURES, all_rows, measured
from synthlab.report.policy import verdicts
from synthlab.report.verdict import finding_to_dict, verdict_on


class _Saved(Protocol):
    def summary(self) -> pd.DataFrame: ...
    def published(self) -> pd.DataFrame: ...
    def to_dict(self, *args: Any, **options: Any) -> dict[str, Any]: ...
    def to_html(self, *args: Any, **options: Any) -> str: ...


FORMAT = 2  # of the JSON file; see evaluation.schema.json beside this file
TABLES = (".csv", ".md", ".xlsx")
SOFTWARE = ("numpy", "scipy", "pandas")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that made the numbers."""
    return {
        "python": platform.python_version(),
        "synthlab": version(_about.DISTRIBUTION),
        **{name: version(name) for name in SOFTWARE},
    }


def evaluation_to_dict(result: Evaluated, *, publish: bool = False) -> dict[str, Any]:
    """Return every number of an evaluation as plain values; no confidential value is among them.

    For publication without single records, and without any number of 1 to 9 people, which a warning or a reason may tell.
    """
    _checks.check_choice(publish, "publish", (True, False))
    question, intruder = result.question, result.intruder
    summary = _summary(result, publish)
    found = verdict_on(result, publish=publish)
    document = {
        "format": FORMAT,
        "for": "publication" if publish else "internal use",
        "verdict": found.word,
        "worst": None if found.worst is None else finding_to_dict(found.worst, publish, result.n),
        "findings": [finding_to_dict(one, publish, result.n) for one in found.findings],
        "headline": words.headline(result, publish=publish),
        "limits": [
            {
                "number": one.limit.name,
                "limit": one.limit.value,
                "share": one.share or one.limit.share,
                "value": one.value,
                "intruder": one.intruder,
                "verdict": one.state,
            }
            for one in verdicts(result.limits, result.intruders, publish=publish)
        ],
        "too_good": words.too_good(result),
        "rows": result.rows.state,
        "rows_by": result.rows.by,
        "rows_sentence": None if publish else result.rows.text,
        "best_intruder": summary.get("best_intruder", {}).get("synthetic"),
        "data": {"kind": result.data_kind, "records": result.n},
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
                "summary": _summary(one, publish),
            }
            for name, one in (result.intruders.items() if result.others else ())
        ],
        "intruder": {
            "name": result.name or None,
            "sentence": intruder.describe(),
            **{name: getattr(intruder, name) for name in ("known", "synthesized", "radius", "radius_kind")},
            **{name: getattr(intruder, name) for name in ("boundary", "convention", "norm", "missing")},
        },
        "summary": summary,
        **dict.fromkeys(MEASURES),
        **{m.name: m.to_dict(one, question, publish=publish) for m, one in measured(result.results)},
        "warnings": [{"name": name} if publish else {"name": name, "text": text} for name, text in result.warnings],
        "not_measured": words.reasons(result, publish=publish),
        "software": versions(),
    }
    plain: dict[str, Any] = _format.plain(document)
    return plain


def _summary(result: Evaluated, publish: bool) -> dict[str, Any]:
    rows = all_rows(result.results, result.question)
    return {row.name: row.published() if publish else row.values for row in rows if row.summarised}


def save(result: _Saved, path: PathOrStr, **options: Any) -> Path:
    """Write an evaluation as an HTML page, as JSON, or its summary as a table, by the ending of the name.

    Only the owner can read a file that is not for publication (mode 0600).
    """
    target = _checks.check_path(path, "path")
    ending = check_ending(target, ".html", ".htm", ".json", *TABLES)
    if ending not in (".html", ".htm") and options.keys() - {"publish"}:
        raise InputError(f"path={str(path)!r}: {', '.join(options)} are for an HTML page")
    internal = not options.get("publish")
    if ending in TABLES:
        table = result.published() if options.get("publish") else result.summary()
        return write_bytes(target, table_to_bytes(table, ending), private=internal)
    text = (
        json.dumps(result.to_dict(**options), indent=2, ensure_ascii=False) + "\n"
        if ending == ".json"
        else result.to_html(**options)
    )
    return write_text(target, text, private=internal)


def table_to_bytes(table: pd.DataFrame, ending: str) -> bytes:
    """Return a table as CSV, as Markdown, or as an Excel file."""
    if ending == ".csv":
        return table.to_csv(lineterminator="\n").encode()
    if ending == ".xlsx":
        _extras.load("files", "openpyxl", "An Excel file")
        file = io.BytesIO()
        table.to_excel(file, sheet_name="synthlab")
        return file.getvalue()
    head = [str(table.index.name or ""), *map(str, table.columns)]
    cells = [[str(row[0]), *(_cell(value) for value in row[1:])] for row in table.itertuples()]
    rows = [head, ["---", *["---:"] * len(table.columns)], *cells]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows).encode()


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else _format.number(float(value))


def check_ending(path: Path, *endings: str, name: str = "path") -> str:
    """Return the ending of the file name if it is one of `endings`; `name` is what the message calls the path."""
    ending = path.suffix.lower()
    if ending not in endings:
        raise InputError(f"{name}={str(path)!r}: must end in {' or '.join(endings)}")
    return ending
