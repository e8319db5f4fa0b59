"""Folder of a saved release: one file per dataset, and a manifest.

Values that must not be published are written to a separate file outside the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.io import FileFormat, column_labels, csv_text, write_files
from synthlab.io.date_formats import FORMATS
from synthlab.io.labelled_values import Stated
from synthlab.io.missing_kinds import THERE, MissingKinds, attach, kinds_of, renumbered
from synthlab.io.notation import NOTATIONS, Notation
from synthlab.io.read_files import read_columns
from synthlab.io.written_codes import Written
from synthlab.release import _column_serialization, manifest as _manifest
from synthlab.release.manifest import MANIFEST, MEND

CODES = "missing_codes"  # in the description of a column: pairs of a code and what the file contains
PRIVATE = [
    "Not for publication: this file can be used to reproduce the datasets from the confidential data, and to restore the "
    "order of shuffled rows.",
    "It belongs to the folder whose release.json has the digest in this file.",
]


def write(
    folder: PathOrStr,
    frames: Sequence[pd.DataFrame],
    synthesized: Sequence[str] | None,
    provenance: Mapping[str, Any],
    rows: str,
    private: Mapping[str, Any],
    keep_private: PathOrStr | None,
    *,
    format: FileFormat = "csv",
    allow_short_seed: bool = False,
    expected_digest: str | None = None,
) -> Path:
    """Write m datasets and their manifest; arguments and errors as in `Release.save`.

    With `expected_digest`, an error is raised if the manifest has another digest.
    """
    path = _path(folder, "folder")
    _checks.check_choice(allow_short_seed, "allow_short_seed", (True, False))
    write_files.check_format(format, frames[0].columns)
    unsafe = list(_manifest.unsafe_seeds(private))
    if unsafe and not allow_short_seed:
        raise InputError(
            f"{', '.join(unsafe)}: is below 2**96, can be guessed, or is not known. Such a seed can be found by trial and reveals "
            "confidential values; create the release without rng=, or save it with allow_short_seed=True if the confidential data are public"
        )
    private_file = None if keep_private is None else _path(keep_private, "keep_private")
    told = _manifest.plain(provenance, "provenance")
    _manifest.check_public(told)
    columns, stated = list(frames[0].columns), None if synthesized is None else list(synthesized)
    manifest: dict[str, Any] = {
        "format": _manifest.FORMAT,
        "contents": _manifest.contents(
            len(frames), len(frames[0]), columns, stated, rows, format, _manifest.new_identifiers(told)
        ),
        "m": len(frames),
        "n": len(frames[0]),
        "synthesized": stated,
        "rows": rows,
        "provenance": told,
        "files": [f"synthetic_{number:03d}.{format}" for number in range(1, len(frames) + 1)],
        "columns": {},
        "differing": {},
        "sha256": {},
        **({"short_seed": True} if unsafe else {}),
    }
    kept = {} if private_file is None else _manifest.plain(private, "private")
    notes = write_files.Notes()
    written: list[Path] = []
    new_folder = not os.path.lexists(path)
    try:
        check_free(path)
        path.mkdir(parents=True, exist_ok=True)
        if private_file is not None:
            _check_outside(private_file, path)
        published = _manifest.with_public_levels(frames, told)
        labels = column_labels.of_values(column_labels.labels_of(frames[0]), published)
        if labels:
            manifest["labels"] = labels
        written_codes = write_files.codes_in_files(published, format, labels, notes)
        for number, (name, frame) in enumerate(zip(manifest["files"], published, strict=True), start=1):
            dataset = f"synthetic dataset {number}"
            table, described = _as_text(frame, dataset, format, written_codes)
            if format == "csv":
                data = csv_text.table_to_bytes(table)
            else:
                # Values of several types, which are described as JSON, are written as text.
                texts = {str(c): table[c] for c in columns if described[c].get("as") == "json"}
                data, stored = write_files.file_bytes(
                    renumbered(frame).assign(**texts), format, labels, notes, written_codes
                )
                described = {c: {**described[c], "stored": stored[c]} for c in described}
            if number == 1:
                manifest["columns"] = described
            elif described != manifest["columns"]:
                manifest["differing"][name] = {c: d for c, d in described.items() if d != manifest["columns"][c]}
            manifest["sha256"][name] = hashlib.sha256(data).hexdigest()
            _create(path / name, data, written)
            _check_readable(path / name, table, described, dataset, kinds_of(frame)[0])
        manifest["digest"] = _manifest.digest(manifest)
        if expected_digest not in (None, manifest["digest"]):
            raise InputError(
                "the release differs from the release to be reproduced; use the same confidential file, the same options and the "
                "same version of synthlab"
            )
        if private_file is not None:
            document = {"contents": PRIVATE, "digest": manifest["digest"], "private": kept}
            _create(private_file, json.dumps(document, indent=2).encode("ascii") + b"\n", written, mode=0o600)
        # The manifest is written last: a folder without one is not a release.
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        _create(path / MANIFEST, text.encode("utf-8"), written)
    except BaseException as error:
        for file_name in written:
            file_name.unlink(missing_ok=True)
        if new_folder:
            with contextlib.suppress(OSError):
                path.rmdir()
        if isinstance(error, OSError | UnicodeEncodeError):
            said = getattr(error, "strerror", None) or error
            where = getattr(error, "filename", None) or path
            name, asked = ("keep_private", private_file) if str(where) == str(private_file) else ("folder", path)
            raise InputError(f"{name}={str(asked)!r}: cannot write {str(where)!r}: {said}") from None
        raise
    notes.warn(format)
    return path


def _check_readable(
    file: Path,
    table: pd.DataFrame,
    described: Mapping[str, _column_serialization.Description],
    where: str,
    kinds: Mapping[str, MissingKinds],
) -> None:
    """Raise an error if a written file is not read back unchanged."""
    if file.suffix == ".csv":
        back = csv_text.bytes_to_table(csv_text.read_bytes(file), str(file))
        if list(back) != list(table) or not np.array_equal(back.to_numpy(), table.to_numpy()):
            raise InputError(f"{where}: its text cannot be written as CSV and read back unchanged")
        return
    back, again = _typed_table(csv_text.read_bytes(file), file, described)
    odd = [
        column
        for column in map(str, table)
        if not back[column].equals(table[column])
        or (CODES in described[column] and not kinds[column].equals(again.get(column)))
    ]
    if odd:
        raise InputError(
            f"{where}: column {odd[0]!r} cannot be written with format={file.suffix[1:]!r} and read back unchanged: the format does "
            'not keep empty text, blanks at the end, or fractions of a millisecond; change the values, or use format="csv"'
        )


def _typed_table(
    data: bytes, file: Path, described: Mapping[str, _column_serialization.Description]
) -> tuple[pd.DataFrame, dict[str, MissingKinds]]:
    """Return the values of an SPSS, Stata or Parquet file as text, as `to_text` writes them, and the kinds of missing values."""
    columns = read_columns(data, file)
    if sorted(columns) != sorted(described):
        raise InputError(
            f"{file}: has the columns {_checks.shorten(columns, 12)}, but {MANIFEST} states "
            f"{_checks.shorten(described, 12)}; {MEND}"
        )
    table = pd.DataFrame(
        {
            c: _column_serialization.stored_to_text(columns[c].values, described[c], f"{file}: column {c!r}")
            for c in columns
        }
    )
    kinds = {c: _own_codes(columns[c], described[c]) for c in columns}
    return table, {c: one for c, one in kinds.items() if one is not None}


def _own_codes(column: Stated, description: _column_serialization.Description) -> MissingKinds | None:
    """Return the kinds of missing values of a column of a file, with the codes of the confidential data."""
    codes = {_code_in_file(one): code for code, one in description.get(CODES, [])}
    if column.kinds is None or not codes:
        return None
    given = [None, None, *(codes.get(_code_in_file(code)) for code in column.kinds.codes)]
    return MissingKinds.of([given[cell] for cell in column.kinds.cells], column.kinds.cells != THERE)


def _code_in_file(code: Any) -> str:
    return code if isinstance(code, str) else repr(float(code))


def read(folder: PathOrStr, private: PathOrStr | None = None) -> dict[str, Any]:
    """Return the arguments of the `Release` in a folder; errors as in `Release.load`."""
    path = _path(folder, "folder")
    manifest = _manifest.read(path)
    kept = manifest["private"] if private is None else _read_private(_path(private, "private"), manifest, path)
    old = manifest["format"] == 1
    frames = []
    for name in manifest["files"]:
        table, kinds = _read_table(path / name, manifest)
        described = {**manifest["columns"], **manifest["differing"].get(name, {})}
        values = {}
        for column in table.columns:
            where = f"{path / name}: column {column!r}"
            try:
                description = _of_old(table[column], described[column], where) if old else described[column]
                values[column] = _column_serialization.from_text(table[column], description, where)
            except (InputError, *_column_serialization.FAULTS) as error:
                said = (
                    error if isinstance(error, InputError) else f"{where}: does not match its description in {MANIFEST}"
                )
                why = "a folder of format 1 contains only the dtypes of dataset 1: " if old else ""
                instead = ", or read its files with Release.from_files, which infers types" if old else ""
                raise InputError(f"{said}; {why}{MEND}{instead}") from None
        frames.append(pd.DataFrame(values))
        if manifest["labels"]:
            frames[-1].attrs[column_labels.LABELS] = manifest["labels"]
        attach(frames[-1], kinds)
    told = {part: manifest[part] for part in ("synthesized", "provenance", "rows")}
    return {"frames": frames, **told, "private": kept}


def _path(value: object, name: str) -> Path:
    if isinstance(value, str) and not value:
        raise InputError(f"{name}='': must be the path of a {'folder' if name == 'folder' else 'file'}")
    try:
        path = Path(value)  # type: ignore[arg-type]
        os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        raise InputError(
            f"{name}={value!r}: must be the path of a {'folder' if name == 'folder' else 'file'}"
        ) from None
    if "\0" in str(path):
        raise InputError(f"{name}={value!r}: a path must not contain the character NUL")
    return path


def check_places(folder: PathOrStr, keep_private: PathOrStr | None) -> None:
    """Raise an error before the computation if `write` would fail; nothing is created."""
    path = _path(folder, "folder")
    _check_place(path, "folder")
    check_free(path)
    if keep_private is not None:
        file = _path(keep_private, "keep_private")
        _check_place(file, "keep_private")
        _check_outside(file, path)
        if os.path.lexists(file):
            raise InputError(f"keep_private={str(file)!r}: already exists; choose another file")
        if not file.parent.is_dir():
            raise InputError(
                f"keep_private={str(file)!r}: the folder {str(file.parent)!r} does not exist; create it first"
            )


def _check_place(path: Path, name: str) -> None:
    """Raise an error if a path is too long, leads through a file, or is not writable."""
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputError(f"{name}={str(path)!r}: cannot be written: {error.strerror}") from None
    places = (path, *path.parents) if name == "folder" else path.parents
    above = next(place for place in places if os.path.lexists(place))
    if not above.is_dir():
        raise InputError(f"{name}={str(path)!r}: cannot be written: {str(above)!r} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"{name}={str(path)!r}: cannot be written: no permission to write into {str(above)!r}")


def check_free(folder: PathOrStr) -> None:
    """Raise an error if a folder contains a release or files of an incomplete release."""
    path = _path(folder, "folder")
    if os.path.lexists(path / MANIFEST):
        raise InputError(f"folder={str(path)!r}: already contains a release; choose another folder")
    left = sorted(file.name for file in path.glob("synthetic_*") if _manifest.FILE.fullmatch(file.name))
    if left:
        raise InputError(
            f"folder={str(path)!r}: contains {_checks.shorten(left)} but no {MANIFEST}: another process is saving there, or a save "
            "was interrupted; delete these files, or choose another folder"
        )


def _check_outside(file: Path, folder: Path) -> None:
    """Raise an error if a file is inside a folder, also through links."""
    try:
        same = folder.resolve()
        inside = any(
            above == same or (above.exists() and same.exists() and above.samefile(same))
            for above in file.resolve().parents
        )
    except RuntimeError:  # links in a circle
        raise InputError(f"keep_private={str(file)!r}: must be the path of a file") from None
    if inside:
        raise InputError(
            f"keep_private={str(file)!r}: is in the folder {str(folder)!r}, which might be published; choose a file outside"
        )


def _create(file: Path, data: bytes, written: list[Path], mode: int = 0o666) -> None:
    """Write a new file; links are not followed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(file, flags, mode)
    written.append(file)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)


def _as_text(
    frame: pd.DataFrame, where: str, format: FileFormat, written: Written
) -> tuple[pd.DataFrame, dict[str, _column_serialization.Description]]:
    texts, descriptions = {}, {}
    # Other formats than CSV have types for dates, numbers and bools.
    forms = {**frame.attrs.get(NOTATIONS, {}), **frame.attrs.get(FORMATS, {})} if format == "csv" else {}
    usual = Notation() if format == "csv" else None
    kinds = kinds_of(frame)[0]
    for column in frame.columns:
        texts[column], descriptions[column] = _column_serialization.to_text(
            frame[column], f"{where}: column {column!r}", forms.get(column, usual)
        )
        if codes := written.get(column):
            # A Parquet file contains the codes of the confidential data beside the codes that it uses.
            descriptions[column][CODES] = [[c, c if format == "parquet" else one] for c, one in codes.items()]
            if format == "csv" and column in kinds:
                for code in kinds[column].codes:
                    texts[column][kinds[column].where(code)] = codes[code]
    return pd.DataFrame(texts, dtype=object), descriptions


def _read_table(file: Path, manifest: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, MissingKinds]]:
    try:
        data = csv_text.read_bytes(file)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}; {MEND}") from None
    if manifest["format"] >= 3 and hashlib.sha256(data).hexdigest() != manifest["sha256"][file.name]:
        raise InputError(f"{file}: {_manifest.CHANGED}")
    try:
        if file.suffix != ".csv":
            table, kinds = _typed_table(data, file, {**manifest["columns"], **manifest["differing"].get(file.name, {})})
        else:
            table = csv_text.bytes_to_table(data, str(file), "utf-8" if manifest["format"] >= 3 else "utf-8-sig")
            table, kinds = _without_codes(table, {**manifest["columns"], **manifest["differing"].get(file.name, {})})
    except InputError as error:
        raise InputError(f"{error}; {MEND}") from None
    if sorted(table.columns) != sorted(manifest["columns"]) or len(table) != manifest["n"]:
        raise InputError(
            f"{file}: has {len(table)} records and the columns {_checks.shorten(table.columns, 12)}, but {MANIFEST} "
            f"states {manifest['n']} records and {_checks.shorten(manifest['columns'], 12)}; {MEND}"
        )
    return table, kinds


def _without_codes(
    table: pd.DataFrame, described: Mapping[str, _column_serialization.Description]
) -> tuple[pd.DataFrame, dict[str, MissingKinds]]:
    """Return the cells of a CSV file with missing values instead of their codes, and the kinds of missing values."""
    kinds = {}
    for column in table.columns:
        description = described.get(column, {})
        codes = {text: code for code, text in description.get(CODES, [])} if isinstance(description, dict) else {}
        if codes:
            marker = description.get("missing", _column_serialization.JSON_NULL)
            given = [codes.get(text) for text in table[column]]
            coded = np.array([code is not None for code in given])
            table[column] = table[column].mask(coded, marker)
            kinds[column] = MissingKinds.of(given, (table[column] == marker).to_numpy(dtype=bool))
    return table, {column: one for column, one in kinds.items() if one is not None}


def read_private(file: PathOrStr, name: str) -> tuple[str, dict[str, Any]]:
    """Return the digest and the private part of a file written with ``keep_private=``."""
    path = _path(file, name)
    document = _manifest.read_json(path, f"{name}: ")
    parts = (document.get("digest"), document.get("private")) if isinstance(document, dict) else ()
    if [type(part) for part in parts] != [str, dict]:
        raise InputError(f"{name}={str(path)!r}: was not written by Release.save with keep_private=")
    return document["digest"], document["private"]


def _read_private(file: Path, manifest: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    digest, private = read_private(file, "private")
    if manifest["format"] < 3 or digest != manifest["digest"]:
        raise InputError(f"private={str(file)!r}: belongs to another release than the one in {str(folder)!r}")
    return private


def _of_old(texts: pd.Series, dtype: Any, where: str) -> _column_serialization.Description:
    """Return the description of a column of format 1.

    In format 1, missing values are empty.
    """
    if isinstance(dtype, dict):
        categories = pd.Series(pd.Index(dtype.get("categories", [])).astype(dtype.get("of", "object")))
        labels, of = _column_serialization.to_text(categories, where)
        described = {"categories": labels.tolist(), "ordered": bool(dtype.get("ordered")), "of": of}
        return {"dtype": "category", "missing": "", **described}
    if dtype == "object":
        present = texts[texts != ""]
        unclear = pd.to_numeric(present, errors="coerce").notna() | present.isin(_column_serialization.TRUTH)
        if unclear.all() and len(present):
            raise InputError(f"{where}: format 1 does not state whether numbers and bools are text")
        return {"dtype": "object", "missing": "", "none": False}
    return {"dtype": dtype, "missing": ""}
