"""Results as plain Python values and as files."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from synthlab import _checks, _format
from synthlab._files import write_text
from synthlab._manifest import public
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.report import words
from synthlab.report.evaluated import Evaluated
from synthlab.report.measures import MEASURES, all_rows, measured


class _Saved(Protocol):
    def to_dict(self, *args: Any, **options: Any) -> dict[str, Any]: ...
    def to_html(self, *args: Any, **options: Any) -> str: ...


SOFTWARE = ("synthlab", "numpy", "scipy", "pandas")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that made the numbers."""
    return {"python": platform.python_version(), **{name: version(name) for name in SOFTWARE}}


def evaluation_to_dict(result: Evaluated, *, publish: bool = False) -> dict[str, Any]:
    """Return every number of an evaluation as plain values; no confidential value is among them.

    For publication without single records, and without any number of 1 to 9 people, which a warning or a reason may tell.
    """
    _checks.check_choice(publish, "publish", (True, False))
    question, intruder = result.question, result.intruder
    summary = {
        row.name: row.published() if publish else row.values
        for row in all_rows(result.results, question)
        if row.summarised
    }
    document = {
        "for": "publication" if publish else "internal use",
        "headline": words.headline(result, publish=publish),
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
        "intruder": {
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


def save(result: _Saved, path: PathOrStr, **options: Any) -> Path:
    """Write an evaluation as an HTML page or as JSON, by the ending of the name."""
    target = _checks.check_path(path, "path")
    ending = check_ending(target, ".html", ".htm", ".json")
    if ending == ".json" and options.keys() - {"publish"}:
        raise InputError(f"path={str(path)!r}: {', '.join(options)} are for an HTML page")
    text = (
        json.dumps(result.to_dict(**options), indent=2, ensure_ascii=False) + "\n"
        if ending == ".json"
        else result.to_html(**options)
    )
    return write_text(target, text)


def check_ending(path: Path, *endings: str) -> str:
    """Return the ending of the file name if it is one of `endings`."""
    ending = path.suffix.lower()
    if ending not in endings:
        raise InputError(f"path={str(path)!r}: must end in {' or '.join(endings)}")
    return ending
