"""Results as plain Python values and as files."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    from synthlab.report.evaluation import EvaluationResult

SOFTWARE = ("synthlab", "numpy", "scipy", "pandas")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that made the numbers."""
    return {"python": platform.python_version(), **{name: version(name) for name in SOFTWARE}}


def to_plain(value: Any) -> Any:
    """Turn arrays, NumPy scalars and mappings into what JSON knows; NaN and infinities become None."""
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    return str(value)


def evaluation_to_dict(result: EvaluationResult) -> dict[str, Any]:
    """Return every number of an evaluation as plain values; no confidential value is among them."""
    rule = result.risk.rule
    risk: dict[str, Any] = {
        "targets": result.risk.targets.size,
        "per_dataset": result.risk.to_frame().to_dict("list"),
        "known_only": result.risk.known_only,
        "random_guess": result.risk.random_guess,
        "most_exposed": result.risk.most_exposed(10).to_dict("records"),
    }
    if result.risk.baseline is not None:
        risk["confidential"] = result.risk.baseline.to_frame().iloc[0].to_dict()
    document = {
        "data": {"kind": result.data_kind, "records": result.n},
        "release": {
            "m": result.m,
            "records": result.release.n,
            "synthesized": result.release.synthesized,
            "provenance": dict(result.release.provenance),
        },
        "rule": {
            "sentence": rule.describe(),
            **{name: getattr(rule, name) for name in ("known", "synthesized", "radius", "radius_kind")},
            **{name: getattr(rule, name) for name in ("boundary", "convention", "norm", "missing")},
        },
        "summary": {name: row.to_dict() for name, row in result.summary().iterrows()},
        "identification_risk": risk,
        "identification_probability": _probability(result),
        "ecdf": None if result.ecdf is None else result.ecdf.to_frame().to_dict("records"),
        "pmse": {"sentence": result.propensity.describe(), "per_dataset": result.propensity.to_frame().to_dict("list")},
        "warnings": [{"name": name, "text": text} for name, text in result.warnings],
        "not_measured": result.not_measured,
        "software": versions(),
    }
    plain: dict[str, Any] = to_plain(document)
    return plain


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
    if ending == ".json" and options:
        raise InputError(f"path={str(path)!r}: {', '.join(options)} are for an HTML page")
    text = (
        json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n"
        if ending == ".json"
        else result.to_html(**options)
    )
    write_text(target, text)
    return target


def check_ending(path: Path, *endings: str) -> str:
    """Return the ending of the file name if it is one of `endings`."""
    ending = path.suffix.lower()
    if ending not in endings:
        raise InputError(f"path={str(path)!r}: must end in {' or '.join(endings)}")
    return ending


def check_writable(path: Path) -> None:
    """Raise before the work what `write_text` would raise after it; nothing is made and nothing changed."""
    try:
        if path.exists():
            path.open("ab").close()
        else:
            TemporaryFile(dir=next(folder for folder in path.absolute().parents if folder.exists())).close()
    except OSError as error:
        raise _unwritable(path, error) from None


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8, with its folder, or raise an `InputError` that names it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(f"path={str(path)!r}: cannot write: {error.strerror or error}")
