"""Manifest of a saved release, ``release.json``."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from synthlab import _rng
from synthlab.exceptions import InputError
from synthlab.io import csv_text
from synthlab.io.column_labels import checked

MANIFEST = "release.json"
FORMAT = 3
MEND = "save the release again"
CHANGED = f"it was changed after it was saved; restore the saved folder, or {MEND}"
DEEPEST = 60
GIVEN = "given"  # in the provenance: variables whose values were given to the synthesizer
RECORDS = "records"  # in the provenance: number of records of each dataset
SYNTHESIS = "synthesis"  # in the provenance: kind of synthesis, which determines the combining rule
PARAMETERS = "parameters"  # in the provenance: whether parameters were drawn for each dataset
NEW_IDENTIFIERS = "newly_drawn_identifiers"  # in the provenance: identifiers whose values were replaced by new ones
PUBLIC_LEVELS = "public_levels"  # in the provenance: the columns whose levels were declared public
UNITS = "units"  # in the provenance: the columns that identify units of several records, and facts about the units
WEIGHTS = "weights"  # in the provenance: the column of the confidential data with the survey weights
FILE = re.compile(r"synthetic_[0-9]{3,}\.(csv|sav|dta|parquet)")
# Parts of the manifest besides "format" and "synthesized", by the format that introduced them.
PARTS: dict[int, dict[str, tuple[type, str]]] = {
    1: {
        "files": (list, "a list of file names"),
        "n": (int, "a number of records"),
        "columns": (dict, "a mapping {column: dtype}"),
        "provenance": (dict, "a mapping"),
    },
    2: {"differing": (dict, "a mapping")},
    3: {
        "rows": (str, "aligned, shuffled or unknown"),
        "m": (int, "a number of datasets"),
        "sha256": (dict, "a mapping {file name: digest}"),
    },
}
# Words and names of keys whose values help to reproduce a release or to restore the order of its rows.
SEED_WORDS = {"seed", "seeds", "rng", "prng", "entropy"}
SECRET_WORDS = SEED_WORDS | {"permutation", "permutations"}
SEED_NAMES = {"random_state", "bit_generator"}
SECRET_NAMES = SEED_NAMES | {"spawn_key", "key", "shuffle_key", "shuffle_keys", "row_order"}
ROWS = {
    "aligned": "Rows: row i of each file describes record i of the confidential data, in the order of the confidential file.",
    "shuffled": "Rows: each file has its own random order; row i does not describe record i of the confidential data.",
    "unknown": "Rows: it is not stated whether row i of a file describes record i of the confidential data.",
}


FILES = {
    "csv": "one CSV file in UTF-8 per dataset, with the names of the variables in the first line",
    "sav": "one SPSS file per dataset",
    "dta": "one Stata file per dataset",
    "parquet": "one Parquet file per dataset",
}


def contents(
    m: int,
    n: int,
    columns: list[str],
    synthesized: list[str] | None,
    rows: str,
    format: str = "csv",
    drawn: Sequence[str] = (),
) -> list[str]:
    """Describe the content of the folder in words."""
    if synthesized is None:
        what = "Which variables are synthetic is not stated."
    else:
        kept = [column for column in columns if column not in synthesized]
        what = f"Synthetic: {', '.join(synthesized) or 'no variable'}. " + (
            f"Not synthetic: {', '.join(kept)}." if kept else "There are no other variables."
        )
    return [
        f"Synthetic datasets: {m}, each with {n} records and {len(columns)} variables; {FILES[format]}.",
        what,
        *(
            [f"Newly drawn identifiers, which say nothing about the confidential ones: {', '.join(drawn)}."]
            if drawn
            else []
        ),
        ROWS[rows],
        "Not in this folder: seeds, the numbers of the posterior draws, and the key with which rows were shuffled.",
        "Text is written unchanged. A spreadsheet program can run a cell that begins with = + - or @ as a formula.",
        "The SHA-256 digests detect damage and accidental edits. They do not prove the origin of the files.",
    ]


def secret_names(value: Any, name: str) -> Iterator[str]:
    """Return the names, at any depth, of values that must not be published."""
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, inner in items:
        if isinstance(key, str) and _is_secret(key, inner):
            yield f"{name}[{key!r}]"
        else:
            yield from secret_names(inner, f"{name}[{key!r}]")


def unsafe_seeds(private: Mapping[str, Any], name: str = "private") -> Iterator[str]:
    """Return the names, at any depth, of seeds that are short or not known."""
    for key, value in private.items():
        words = _words(key)
        if not SEED_WORDS.isdisjoint(words) or "_".join(words) in SEED_NAMES:
            if not _rng.is_safe(value):
                yield f"{name}[{key!r}]"
        elif isinstance(value, Mapping):
            yield from unsafe_seeds(value, f"{name}[{key!r}]")


def _words(key: object) -> list[str]:
    return re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", str(key)).lower())


def _is_secret(key: str, value: Any) -> bool:
    words = _words(key)
    if not {"draw", "draws"}.isdisjoint(words):
        # The number of draws is public; the draws that were used are secret.
        return len(words) == 1 or isinstance(value, list | tuple | Mapping)
    return not SECRET_WORDS.isdisjoint(words) or "_".join(words) in SECRET_NAMES


def new_identifiers(provenance: Mapping[str, Any]) -> list[str]:
    """Return the identifiers whose values were newly drawn, which say nothing about the confidential records."""
    found = provenance.get(NEW_IDENTIFIERS)
    return [name for name in found if isinstance(name, str)] if isinstance(found, list | tuple) else []


def check_public(provenance: Mapping[str, Any]) -> None:
    """Raise an error if a provenance contains values that must not be published."""
    secret = list(secret_names(provenance, "provenance"))
    if secret:
        raise InputError(
            f"{', '.join(secret)}: can be used to reproduce the release or to undo `shuffled`, and saved files might be published; "
            "pass it to Release as private=, which `save` writes only to keep_private="
        )


def public(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance without values that must not be published."""
    return {
        key: value for key, value in provenance.items() if next(secret_names({key: value}, "provenance"), None) is None
    }


def with_public_levels(frames: Sequence[pd.DataFrame], provenance: Mapping[str, Any]) -> list[pd.DataFrame]:
    """Return the datasets without levels that must not be published.

    The dtype of a categorical column lists all levels of the confidential data, even a level that only one person and
    no synthetic record has. Only levels that occur in one of the datasets are kept. Columns that are named in
    ``provenance["public_levels"]`` keep all levels.

    Raises
    ------
    InputError
        If ``provenance["public_levels"]`` is not a list of categorical columns.
    """
    declared = provenance.get(PUBLIC_LEVELS, [])
    categorical = [c for c in frames[0] if any(isinstance(f[c].dtype, pd.CategoricalDtype) for f in frames)]
    if not isinstance(declared, list | tuple) or not all(column in categorical for column in declared):
        raise InputError(f"provenance[{PUBLIC_LEVELS!r}]: must be a list of categorical columns of the release")
    published = [frame.copy(deep=False) for frame in frames]
    for column in (c for c in categorical if c not in declared):
        own = [f[column] for f in frames if isinstance(f[column].dtype, pd.CategoricalDtype)]
        occurring = {level for one in own for level in one.cat.remove_unused_categories().cat.categories}
        for frame in published:
            if isinstance(frame[column].dtype, pd.CategoricalDtype):
                levels = frame[column].cat.categories
                # Keep the order of the dtype, which remove_categories would change.
                kept = levels[[level in occurring for level in levels]]
                frame[column] = frame[column].cat.set_categories(kept)
    return published


def plain(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a mapping after conversion to JSON and back."""
    made = {}
    for key, value in values.items():
        try:
            made[key] = json.loads(json.dumps(value))
            if _is_deep(made[key]):
                raise ValueError(f"more than {DEEPEST} lists and mappings within one another")
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"{name}[{key!r}]: cannot be written as JSON: {error}; use text, numbers, bools, None, lists and "
                "mappings"
            ) from None
    return made


def _is_deep(value: Any, levels: int = DEEPEST) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deep(item, levels - 1) for item in inner)


def digest(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a manifest, computed without its own digest.

    The digest is computed from the JSON text with sorted keys, without spaces, in ASCII.
    """
    rest = {key: value for key, value in manifest.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def read_json(file: Path, name: str = "") -> Any:
    """Return the content of a JSON file."""
    try:
        return json.loads(csv_text.read_bytes(file).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        said = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"{name}{file}: cannot be read as JSON: {said}; {MEND}") from None


def read(path: Path) -> dict[str, Any]:
    """Return the validated manifest of a folder; earlier formats are converted."""
    file = path / MANIFEST
    try:
        if not file.exists():
            raise InputError(f"folder={str(path)!r}: contains no {MANIFEST}, so it is not a saved release")
    except OSError as error:
        raise InputError(f"folder={str(path)!r}: cannot be read: {error.strerror}") from None
    manifest = read_json(file)
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if type(found) is not int or not 1 <= found <= FORMAT:
        raise InputError(f"{file}: unknown format; this version reads formats 1 to {FORMAT}; {MEND}")
    if _is_deep(manifest, DEEPEST + 2):
        raise InputError(f"{file}: contains more than {DEEPEST} nested lists and mappings; {MEND}")
    if found >= 3 and manifest.get("digest") != digest(manifest):
        raise InputError(f"{file}: {CHANGED}")
    parts = {part: told for first, brought in PARTS.items() if found >= first for part, told in brought.items()}
    for part, (kind, what) in parts.items():
        if type(manifest.get(part)) is not kind:
            raise InputError(f"{file}: {part}: must be {what}, got {type(manifest.get(part)).__name__}; {MEND}")
    synthesized = manifest.get("synthesized")
    if synthesized is not None and not (isinstance(synthesized, list) and all(isinstance(v, str) for v in synthesized)):
        raise InputError(f"{file}: synthesized: must be a list of column names, or null; {MEND}")
    read = {"format": found, "synthesized": synthesized, **{part: manifest[part] for part in parts}}
    # A release that was saved with allow_short_seed=True still has an unsafe seed after loading.
    private = {"seed": None} if manifest.get("short_seed") else {}
    read |= {"digest": manifest["digest"], "private": private} if found >= 3 else _of_now(read)
    read["labels"] = checked(manifest.get("labels"), read["columns"])
    _check_files(read, file)
    return read


def _check_files(manifest: Mapping[str, Any], file: Path) -> None:
    names = manifest["files"]
    if not names or not all(isinstance(name, str) and FILE.fullmatch(name) for name in names):
        raise InputError(f"{file}: files: must be a non-empty list of names such as synthetic_001.csv; {MEND}")
    if len(set(names)) < len(names):
        raise InputError(f"{file}: files: contains a name twice; {MEND}")
    if len(names) != manifest["m"] or set(manifest["sha256"]) != set(names):
        raise InputError(f"{file}: m, files and sha256 do not name the same files; {MEND}")
    if not all(isinstance(columns, dict) for columns in manifest["differing"].values()):
        raise InputError(f"{file}: differing: must contain a mapping {{column: dtype}} for each file; {MEND}")


def _of_now(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts that format 3 added.

    Earlier formats kept secrets in the provenance.
    """
    provenance = dict(manifest["provenance"])
    rows = provenance.pop("rows", None)
    private = {key: provenance.pop(key) for key in list(provenance) if _is_secret(key, provenance[key])}
    names = [name for name in manifest["files"] if isinstance(name, str)]
    return {
        "rows": "shuffled" if rows == "shuffled" else "unknown",
        "m": len(manifest["files"]),
        "sha256": dict.fromkeys(names),
        "differing": manifest.get("differing", {}),
        "digest": None,
        "provenance": provenance,
        "private": private,
    }
