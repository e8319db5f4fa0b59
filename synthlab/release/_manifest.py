"""The manifest of a saved release, ``release.json``: what it says, what it must not say, and how damage to it shows."""

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

MANIFEST = "release.json"
FORMAT = 3
MEND = "save the release again"
CHANGED = f"it was changed after it was saved; take the folder as it was saved, or {MEND}"
DEEPEST = 60
PUBLIC_LEVELS = "public_levels"  # in the provenance: the columns whose levels were declared public
FILE = re.compile(r"synthetic_[0-9]{3,}\.csv")
# What the manifest holds besides "format" and "synthesized", by the format that brought it.
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
# Words in the names, and whole names, of what helps to make a release again or to bring its rows back to the order of
# the confidential file.
SEED_WORDS = {"seed", "seeds", "rng", "prng", "entropy"}
SECRET_WORDS = SEED_WORDS | {"permutation", "permutations"}
SEED_NAMES = {"random_state", "bit_generator"}
SECRET_NAMES = SEED_NAMES | {"spawn_key", "key", "shuffle_key", "shuffle_keys", "row_order"}
ROWS = {
    "aligned": "Rows: row i of each file is about record i of the confidential data, in the order of the confidential file.",
    "shuffled": "Rows: each file has a random order of its own; row i is not about record i of the confidential data.",
    "unknown": "Rows: it is not stated whether row i of a file is about record i of the confidential data.",
}


def contents(m: int, n: int, columns: list[str], synthesized: list[str] | None, rows: str) -> list[str]:
    """Say in words what the folder holds, for a person who opens it."""
    if synthesized is None:
        what = "Which variables are synthetic is not stated."
    else:
        kept = [column for column in columns if column not in synthesized]
        what = f"Synthetic: {', '.join(synthesized) or 'no variable'}. " + (
            f"Not synthetic: {', '.join(kept)}." if kept else "No other variable is in here."
        )
    return [
        f"Synthetic datasets: {m}, each with {n} records and {len(columns)} variables; one CSV file in UTF-8 a dataset, with "
        "the names of the variables in the first line.",
        what,
        ROWS[rows],
        "Not in this folder: seeds, the numbers of the posterior draws, and the key by which rows were shuffled.",
        "Text is written unchanged. A spreadsheet program may run a cell that begins with = + - or @ as a formula.",
        "The SHA-256 digests show damage and careless edits. They do not prove where the files come from.",
    ]


def secret_names(value: Any, name: str) -> Iterator[str]:
    """Return the names, at any depth, of what must not be published."""
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, inner in items:
        if isinstance(key, str) and _is_secret(key, inner):
            yield f"{name}[{key!r}]"
        else:
            yield from secret_names(inner, f"{name}[{key!r}]")


def unsafe_seeds(private: Mapping[str, Any], name: str = "private") -> Iterator[str]:
    """Return the names, at any depth, of seeds that can be found by trial or are not known."""
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
        # How many draws there are is no secret; which were used is.
        return len(words) == 1 or isinstance(value, list | tuple | Mapping)
    return not SECRET_WORDS.isdisjoint(words) or "_".join(words) in SECRET_NAMES


def check_public(provenance: Mapping[str, Any]) -> None:
    """Raise where a provenance holds what helps to make a release again or to undo a shuffle."""
    secret = list(secret_names(provenance, "provenance"))
    if secret:
        raise InputError(
            f"{', '.join(secret)}: helps to make the release again or to undo `shuffled`, and what is saved may be published; "
            "give it in private= of Release, which save writes to keep_private= alone"
        )


def public(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance without what `check_public` refuses, for a page or a document that may be handed on."""
    return {
        key: value for key, value in provenance.items() if next(secret_names({key: value}, "provenance"), None) is None
    }


def with_public_levels(frames: Sequence[pd.DataFrame], provenance: Mapping[str, Any]) -> list[pd.DataFrame]:
    """Return the datasets without the levels that must not be published.

    The dtype of a categorical column lists all levels of the confidential data, also a level that one person has and no
    synthetic record. Kept are the levels that occur in one of the datasets, and all levels of the columns that
    ``provenance["public_levels"]`` names.

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
                # In the order of the dtype, in which remove_categories would not leave them.
                kept = levels[[level in occurring for level in levels]]
                frame[column] = frame[column].cat.set_categories(kept)
    return published


def plain(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what JSON makes of a mapping."""
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
    """Return the SHA-256 of a manifest without its own: of its JSON with sorted keys, no spaces, and ASCII alone."""
    rest = {key: value for key, value in manifest.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def read_json(file: Path, name: str = "") -> Any:
    """Return what a JSON file holds."""
    try:
        return json.loads(csv_text.read_bytes(file).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        said = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"{name}{file}: cannot be read as JSON: {said}; {MEND}") from None


def read(path: Path) -> dict[str, Any]:
    """Return the manifest of a folder, checked; those of earlier formats with the parts of this one."""
    file = path / MANIFEST
    try:
        if not file.exists():
            raise InputError(f"folder={str(path)!r}: holds no {MANIFEST}, so it is not a saved release")
    except OSError as error:
        raise InputError(f"folder={str(path)!r}: cannot be read: {error.strerror}") from None
    manifest = read_json(file)
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if type(found) is not int or not 1 <= found <= FORMAT:
        raise InputError(f"{file}: its format is none of 1 to {FORMAT}, the ones this version reads; {MEND}")
    if _is_deep(manifest, DEEPEST + 2):
        raise InputError(f"{file}: holds more than {DEEPEST} lists and mappings within one another; {MEND}")
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
    # A release that was saved with allow_short_seed=True still has an unsafe seed after it was loaded.
    private = {"seed": None} if manifest.get("short_seed") else {}
    read |= {"digest": manifest["digest"], "private": private} if found >= 3 else _of_now(read)
    _check_files(read, file)
    return read


def _check_files(manifest: Mapping[str, Any], file: Path) -> None:
    names = manifest["files"]
    if not names or not all(isinstance(name, str) and FILE.fullmatch(name) for name in names):
        raise InputError(f"{file}: files: must be names such as synthetic_001.csv, at least one; {MEND}")
    if len(set(names)) < len(names):
        raise InputError(f"{file}: files: names a file twice; {MEND}")
    if len(names) != manifest["m"] or set(manifest["sha256"]) != set(names):
        raise InputError(f"{file}: m, files and sha256 do not name the same files; {MEND}")
    if not all(isinstance(columns, dict) for columns in manifest["differing"].values()):
        raise InputError(f"{file}: differing: must hold a mapping {{column: dtype}} for each file; {MEND}")


def _of_now(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what format 3 has and 1 or 2 has not; they had what must not be published in the provenance."""
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
