"""The folder of a saved release: a CSV file a dataset, and a manifest that says what their columns hold."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from synthlab import _checks, _columns
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError

MANIFEST = "release.json"
FORMAT = 3
MEND = "save the release again"
# What the manifest holds besides "format" and "synthesized", by the format that brought it.
PARTS: dict[int, dict[str, tuple[type, str]]] = {
    1: {
        "files": (list, "a list of file names"),
        "n": (int, "a number of records"),
        "columns": (dict, "a mapping {column: dtype}"),
        "provenance": (dict, "a mapping"),
    },
    2: {"differing": (dict, "a mapping")},
    3: {"rows": (str, "aligned, shuffled or unknown")},
}


def write(
    folder: PathOrStr,
    frames: Sequence[pd.DataFrame],
    synthesized: Sequence[str] | None,
    provenance: Mapping[str, Any],
    rows: str,
) -> Path:
    """Write m datasets and their manifest; arguments and errors as `Release.save`."""
    path = _path(folder)
    names = [f"synthetic_{number:03d}.csv" for number in range(1, len(frames) + 1)]
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "files": names,
        "n": len(frames[0]),
        "columns": {},
        "differing": {},
        "synthesized": None if synthesized is None else list(synthesized),
        "rows": rows,
        "provenance": {key: _plain(value, key) for key, value in provenance.items()},
    }
    written: list[Path] = []
    try:
        if (path / MANIFEST).exists():
            raise InputError(f"folder={str(path)!r}: holds a release already; choose another folder")
        path.mkdir(parents=True, exist_ok=True)
        for number, (name, frame) in enumerate(zip(names, frames, strict=True), start=1):
            table, columns = _as_text(frame, f"synthetic dataset {number}")
            if number == 1:
                manifest["columns"] = columns
            elif columns != manifest["columns"]:
                manifest["differing"][name] = {c: d for c, d in columns.items() if d != manifest["columns"][c]}
            with (path / name).open("x", encoding="utf-8", newline="") as file:
                written.append(path / name)
                _write_csv(table, file)
        # The manifest is written last: a folder without one is not a release.
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        written.append(path / MANIFEST)
        (path / MANIFEST).write_text(text, encoding="utf-8")
    except BaseException as error:
        for file_name in written:
            file_name.unlink(missing_ok=True)
        if isinstance(error, OSError | UnicodeEncodeError):
            said = getattr(error, "strerror", None) or error
            where = getattr(error, "filename", None) or path
            raise InputError(f"folder={str(path)!r}: cannot write {str(where)!r}: {said}") from None
        raise
    return path


def read(folder: PathOrStr) -> tuple[list[pd.DataFrame], Any, dict[str, Any], str]:
    """Return the datasets, what was synthesized, the provenance and what the rows are; errors as `Release.load`."""
    path = _path(folder)
    manifest = _read_manifest(path)
    old = manifest["format"] == 1
    columns = manifest["columns"]
    frames = []
    for name in manifest["files"]:
        table = _read_csv(path / name)
        if sorted(table.columns) != sorted(columns) or len(table) != manifest["n"]:
            raise InputError(
                f"{path / name}: has {len(table)} records and the columns {_checks.shorten(table.columns, 12)}; {MANIFEST} "
                f"says {manifest['n']} records and {_checks.shorten(columns, 12)}: {MEND}"
            )
        described = {**columns, **({} if old else manifest["differing"].get(name, {}))}
        values = {}
        for column in table.columns:
            where = f"{path / name}: column {column!r}"
            try:
                description = _of_old(table[column], described[column], where) if old else described[column]
                values[column] = _columns.from_text(table[column], description, where)
            except (InputError, *_columns.FAULTS) as error:
                why = "a folder of format 1 holds the dtypes of dataset 1 alone: " if old else ""
                instead = ", or read its files with Release.from_csv, which guesses" if old else ""
                raise InputError(f"{error}; {why}{MEND}{instead}") from None
        frames.append(pd.DataFrame(values))
    return frames, manifest.get("synthesized"), manifest["provenance"], manifest["rows"]


def _path(folder: PathOrStr) -> Path:
    try:
        return Path(folder)
    except TypeError:
        raise InputError(f"folder={folder!r}: must be the path of a folder") from None


def _plain(value: Any, key: str) -> Any:
    """Return what JSON makes of one value of the provenance."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"provenance[{key!r}]: cannot be written as JSON: {error}; use text, numbers, truth values, None, lists and "
            "mappings"
        ) from None


def _as_text(frame: pd.DataFrame, where: str) -> tuple[pd.DataFrame, dict[str, _columns.Description]]:
    texts, descriptions = {}, {}
    for column in frame.columns:
        texts[column], descriptions[column] = _columns.to_text(frame[column], f"{where}: column {column!r}")
    return pd.DataFrame(texts), descriptions


def _write_csv(table: pd.DataFrame, file: Any) -> None:
    # Where lines end in \n alone, the csv module sees no reason to quote \r.
    cells = [pd.Series(table.columns, dtype=object), *(table[c] for c in table.columns)]
    returns = any(column.str.contains("\r", regex=False).any() for column in cells)
    table.to_csv(file, index=False, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)


def _read_csv(path: Path) -> pd.DataFrame:
    """Read a CSV file of text: nothing is guessed, nothing is missing."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"release file {str(path)!r}: cannot be read as CSV: {said}; {MEND}") from None
    names = rows.pop(0) if rows else []
    odd = next((number for number, row in enumerate(rows, start=1) if len(row) != len(names)), None)
    if odd is not None:
        raise InputError(
            f"release file {str(path)!r}: record {odd} has {len(rows[odd - 1])} values for {len(names)} columns; {MEND}"
        )
    return pd.DataFrame(rows, columns=pd.Index(names, dtype=object), dtype=object)


def _read_manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    try:
        if not file.is_file():
            raise InputError(f"folder={str(path)!r}: holds no {MANIFEST}, so it is not a saved release")
        manifest = json.loads(file.read_text(encoding="utf-8-sig"))
    except InputError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file}: cannot be read as JSON: {error}; {MEND}") from None
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found not in range(1, FORMAT + 1):
        raise InputError(f"{file}: format {found!r} is none of 1 to {FORMAT}, the ones this version reads; {MEND}")
    for part, (kind, what) in [(p, w) for first, parts in PARTS.items() if found >= first for p, w in parts.items()]:
        if not isinstance(manifest.get(part), kind):
            raise InputError(f"{file}: {part}={manifest.get(part)!r}: must be {what}; {MEND}")
    names = manifest["files"]
    if not names or not all(isinstance(name, str) and name and Path(name).name == name for name in names):
        raise InputError(f"{file}: files={names!r}: must be names of files in this folder, at least one; {MEND}")
    if not all(isinstance(columns, dict) for columns in manifest.get("differing", {}).values()):
        raise InputError(f"{file}: differing: must hold a mapping {{column: dtype}} for each file; {MEND}")
    if found < 3:
        said = manifest["provenance"].pop("rows", "unknown")
        manifest["rows"] = said if said == "shuffled" else "unknown"
    return dict(manifest)


def _of_old(texts: pd.Series, dtype: Any, where: str) -> _columns.Description:
    """Return the description of a column by a manifest of format 1, where a missing value was written as nothing."""
    if isinstance(dtype, dict):
        categories = pd.Series(pd.Index(dtype.get("categories", [])).astype(dtype.get("of", "object")))
        labels, of = _columns.to_text(categories, where)
        described = {"categories": labels.tolist(), "ordered": bool(dtype.get("ordered")), "of": of}
        return {"dtype": "category", "missing": "", **described}
    if dtype == "object":
        present = texts[texts != ""]
        if (pd.to_numeric(present, errors="coerce").notna() | present.isin(_columns.TRUTH)).all() and len(present):
            raise InputError(f"{where}: format 1 does not say whether {present.iloc[0]!r} is text")
        return {"dtype": "object", "missing": "", "none": False}
    return {"dtype": dtype, "missing": ""}
