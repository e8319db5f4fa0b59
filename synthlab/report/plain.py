"""Results as plain Python values and as files."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthlab import _checks, _format
from synthlab._files import write_text
from synthlab._manifest import public
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    from synthlab.report.evaluation import EvaluationResult

SOFTWARE = ("synthlab", "numpy", "scipy", "pandas")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that made the numbers."""
    return {"python": platform.python_version(), **{name: version(name) for name in SOFTWARE}}


def evaluation_to_dict(result: EvaluationResult, *, publish: bool = False) -> dict[str, Any]:
    """Return every number of an evaluation as plain values; no confidential value is among them."""
    from synthlab.report.words import headline

    _checks.check_choice(publish, "publish", (True, False))
    intruder, copies = result.intruder, result.copies
    document = {
        "for": "publication" if publish else "internal use",
        "headline": headline(result, publish=publish),
        "rows": result.rows.state,
        "rows_by": result.rows.by,
        "rows_sentence": result.rows.text,
        "best_intruder": result.best_intruder,
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
        "summary": {name: row.to_dict() for name, row in result.summary().iterrows()},
        "exact_copies": {
            "sentence": copies.title,
            "per_dataset": copies.to_frame().to_dict("list"),
            "confidential_duplicates": copies.duplicates,
            "variables": copies.variables,
        },
        "identification_risk": _match_risk(result),
        "identification_probability": _probability(result),
        "ecdf": None if result.ecdf is None else result.ecdf.to_frame().to_dict("records"),
        "pmse": _propensity(result),
        "warnings": [{"name": name, "text": text} for name, text in result.warnings],
        "not_measured": result.not_measured,
        "software": versions(),
    }
    plain: dict[str, Any] = _format.plain(_for_publication(document, result) if publish else document)
    return plain


# Numbers of people in a document, by where they stand; a share tells the number too.
PEOPLE = ("best_intruder", "expected_match_risk", "n_unique", "exact_copies", "unique_copies")
SHARES = ("true_match_rate", "false_match_rate")


def _for_publication(document: dict[str, Any], result: EvaluationResult) -> dict[str, Any]:
    """Return the document without single records, and without any number of 1 to 9 people."""
    document = dict(document)
    for part in ("identification_risk", "identification_probability"):
        document[part] = None  # what they say for everybody stands in the summary
    people = 1 if result.risk is None else result.risk.targets.size
    unique = document["summary"].get("n_unique", {})
    document["summary"] = {
        name: {which: _hidden(name, value, people, unique.get(which, 0.0)) for which, value in row.items()}
        for name, row in document["summary"].items()
    }
    best = document["best_intruder"]
    document["best_intruder"] = None if best is None else _hidden("best_intruder", best)
    document["exact_copies"] = {"variables": document["exact_copies"]["variables"]}
    # A warning may count records.
    document["warnings"] = [{"name": one["name"]} for one in document["warnings"]]
    document["rows_sentence"] = None
    document["not_measured"] = [text.partition(":")[0] for text in document["not_measured"]]
    return document


def _hidden(measure: str, value: float, people: float = 0.0, unique: float = 0.0) -> float | str:
    """Return a number, unless it tells a number of 1 to 9 people."""
    if measure in PEOPLE:
        told = [value]
    elif measure in SHARES:
        of = people if measure == "true_match_rate" else unique
        told = [value * of, (1 - value) * of]
    else:
        return value
    return "fewer than 10 records" if any(0 < round(one, 9) < 10 for one in told) else value


def _match_risk(result: EvaluationResult) -> dict[str, Any] | None:
    if result.risk is None:
        return None
    risk: dict[str, Any] = {
        "targets": result.risk.targets.size,
        "per_dataset": result.risk.to_frame().to_dict("list"),
        "known_only": result.risk.known_only,
        "random_guess": result.risk.random_guess,
        "most_exposed": result.risk.most_exposed(10).to_dict("records"),
    }
    if result.risk.baseline is not None:
        risk["confidential"] = result.risk.baseline.to_frame().iloc[0].to_dict()
    return risk


def _propensity(result: EvaluationResult) -> dict[str, Any] | None:
    if result.propensity is None:
        return None
    one = result.propensity
    return {
        "sentence": one.title,
        "terms": one.terms,
        "left_out": one.left_out,
        "per_dataset": one.to_frame().to_dict("list"),
    }


def _probability(result: EvaluationResult) -> dict[str, Any] | None:
    if result.probability is None:
        return None
    table = result.probability.summary()
    return {
        "per_dataset": result.probability.to_frame().to_dict("list"),
        "confidential": table.loc["confidential"].to_dict(),
        "synthetic": table.loc["synthetic"].to_dict(),
        "singletons": int(result.probability.singleton.sum()),
    }


def save(result: EvaluationResult, path: PathOrStr, **options: Any) -> Path:
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
