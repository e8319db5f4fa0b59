"""File format of saved fits: a ZIP archive with JSON and arrays, without pickled objects.

``manifest.json`` holds the format and its version, the version of synthlab, the names of all classes, the fields of the fit,
and its own SHA-256 checksum. Arrays are ``<checksum>.npy``; lists of objects are ``<checksum>.json``. Reading creates only
the dataclasses and named tuples of `MODULES`, with fields of the annotated types, and runs no code of the file: formulas
are validated as in a call. The size of the content is checked before memory is allocated.
"""

from __future__ import annotations

import datetime
import decimal
import hashlib
import importlib
import io
import json
import lzma
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._formulas.formula import Formula, parse_formula
from synthlab._system.atomic_write import write_bytes
from synthlab._system.versions import DISTRIBUTION
from synthlab.exceptions import ChecksumError, ExtraUnavailableError, InputError
from synthlab.io.expansion import CODED, PACKED, Expansion
from synthlab.synthesizers._design import DesignMatrix
from synthlab.synthesizers._field_types import FieldTypes, field_names
from synthlab.synthesizers._trees import Tree
from synthlab.synthesizers.registry import DECLARATIONS

FORMAT, VERSION = "synthlab fit", 1
MANIFEST = "manifest.json"
# Modules whose dataclasses and named tuples can be saved.
MODULES = (
    "synthlab.design",
    *(f"synthlab.units.{name}" for name in ("detection", "rules", "structure")),
    *(f"synthlab.synthesizers.{declaration.module}" for declaration in DECLARATIONS),
    *(
        f"synthlab.synthesizers.{name}"
        for name in (
            "_clipped_likelihood", "_design", "_fitted_nested", "_fitted_sequential", "_gibbs_dpmpm", "_gibbs_nested", "_levels",
            "_fitted_units", "_missing", "_missing_response", "_nested_data", "_posterior", "_rounding", "_smoothing",
            "_structural_zeros", "_totals", "_trees", "_unit_layout", "_unit_models", "_unit_zeros", "constraints", "nested_dpmpm",
            "regression", "sequential_units",
        )
    ),
    *(f"synthlab.synthesis.relations.{name}" for name in ("conditions", "relation", "values")),
    *(
        f"synthlab.weights.{name}"
        for name in ("clipped", "epsilon", "lipschitz", "matched_bound", "pseudo_posterior", "scalar_mechanism")
    ),
)  # fmt: skip
# Values that occur in columns of objects: their parts, and the value of parts.
SCALARS: dict[type, tuple[Callable[[Any], list[Any]], Callable[..., Any]]] = {
    pd.Timestamp: (
        lambda v: [int(v.asm8.astype(np.int64)), v.unit, None if v.tz is None else str(v.tz)],
        lambda v, unit, tz: (
            pd.Timestamp(np.datetime64(v, unit)).tz_localize("UTC").tz_convert(tz)
            if tz
            else pd.Timestamp(np.datetime64(v, unit))
        ),
    ),
    pd.Timedelta: (
        lambda v: [int(v.asm8.astype(np.int64)), v.unit],
        lambda v, unit: pd.Timedelta(np.timedelta64(v, unit)),
    ),
    datetime.datetime: (lambda v: [v.isoformat()], datetime.datetime.fromisoformat),
    datetime.date: (lambda v: [v.isoformat()], datetime.date.fromisoformat),
    datetime.time: (lambda v: [v.isoformat()], datetime.time.fromisoformat),
    decimal.Decimal: (lambda v: [str(v)], decimal.Decimal),
    pd.Period: (lambda v: [v.ordinal, v.freqstr], lambda ordinal, freq: pd.Period(ordinal=ordinal, freq=freq)),
    pd.Interval: (lambda v: [v.left, v.right, v.closed], pd.Interval),
    type(pd.NA): (lambda v: [], lambda: pd.NA),
    type(pd.NaT): (lambda v: [], lambda: pd.NaT),
}
NAMES = {kind.__name__: kind for kind in SCALARS}
MASKED = (pd.arrays.BooleanArray, pd.arrays.IntegerArray, pd.arrays.FloatingArray)
KINDS = {"b": MASKED[0], "i": MASKED[1], "u": MASKED[1], "f": MASKED[2]}
FORMULA = "formula"
NUMERIC = "biufcmMSU"  # kinds of arrays that a member can have
JSON_VALUE = 64  # bytes that a value of a JSON list takes at least
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
NOT_A_FIT = "is not a saved fit; give a file that the method `save` of a fit wrote"


class Writer:
    """Encoder of values as JSON, with the arrays and lists of objects as separate members."""

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}
        self.classes: set[str] = set()
        self._seen: dict[int, tuple[int, Any]] = {}  # the object is held so that its id remains its own

    def encode(self, value: Any, where: str) -> Any:
        """Return a value as JSON; `where` names it in messages."""
        if value is None or isinstance(value, bool | str) or type(value) in (int, float):
            return value
        if type(value) is list:
            return [self.encode(item, f"{where}[{i}]") for i, item in enumerate(value)]
        if type(value) in SCALARS:
            return {type(value).__name__: [self.encode(part, where) for part in SCALARS[type(value)][0](value)]}
        if id(value) in self._seen:
            return {"same": self._seen[id(value)][0]}
        found = self._encoded(value, where)
        self._seen[id(value)] = (len(self._seen), value)
        return found

    def _encoded(self, value: Any, where: str) -> dict[str, Any]:
        if isinstance(value, pd.DataFrame):
            axes = [self.encode(axis, where) for axis in (value.columns, value.index)]
            columns = [self.encode(value[c].array, f"{where}[{c!r}]") for c in value.columns]
            return {"frame": [*axes, columns, self.encode(value.attrs, f"{where}.attrs")]}
        if isinstance(value, pd.RangeIndex):
            return {"range": [value.start, value.stop, value.step, self.encode(value.name, where)]}
        if isinstance(value, pd.MultiIndex):
            levels = [self.encode(value.get_level_values(i), where) for i in range(value.nlevels)]
            return {"levels": [levels, [self.encode(name, where) for name in value.names]]}
        if isinstance(value, pd.Index):
            freq = getattr(value, "freqstr", None) if isinstance(value, pd.DatetimeIndex) else None
            return {"index": [self.encode(value.array, where), self.encode(value.name, where), freq]}
        if isinstance(value, pd.Categorical):
            return {"category": [self.encode(value.codes, where), self.encode(value.dtype, where)]}
        if isinstance(value, pd.CategoricalDtype):
            return {"levels_dtype": [self.encode(value.categories, where), value.ordered]}
        if isinstance(value, pd.StringDtype):
            return {"text_dtype": [value.storage, value.na_value is pd.NA]}
        if isinstance(value, np.dtype | pd.api.extensions.ExtensionDtype):
            return {"dtype": str(value)}
        if isinstance(value, pd.api.extensions.ExtensionArray):
            if isinstance(value.dtype, np.dtype) or type(value) is pd.arrays.NumpyExtensionArray:
                return self._encoded(value.to_numpy(), where)
            if isinstance(value, MASKED):
                dtype: Any = value.dtype
                known = value.to_numpy(dtype.numpy_dtype, na_value=0)
                return {"masked": [self.encode(known, where), self.encode(np.asarray(value.isna()), where)]}
            return {"extension": [self._objects(value.astype(object), where), self.encode(value.dtype, where)]}
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return {"number": [str(value.dtype), value.item()]}
        if isinstance(value, np.ndarray | np.generic):
            if value.dtype.kind == "O":
                return {"objects": [self._objects(value.ravel(), where), list(value.shape)]}
            stream = io.BytesIO()
            np.save(stream, value, allow_pickle=False)
            form = "scalar" if isinstance(value, np.generic) else "array" if value.flags.writeable else "fixed"
            return {form: self._member(stream.getvalue(), "npy")}
        if isinstance(value, tuple | set | frozenset) and field_names(type(value)) is None:
            return {type(value).__name__: [self.encode(item, where) for item in value]}
        if isinstance(value, dict | _checks.ReadOnlyMapping):
            pairs = [[self.encode(k, where), self.encode(v, f"{where}[{k!r}]")] for k, v in value.items()]
            return {"dict" if isinstance(value, dict) else "mapping": pairs}
        if isinstance(value, Formula):
            categories = [value.column_of(a) for a in value.aliases if a.startswith("_category")]
            return {FORMULA: [value.text, [value.response, *value.columns], categories]}
        kind: type = type(value)
        names = field_names(kind)
        if kind.__module__ not in MODULES or names is None:
            raise InputError(
                f"save: {where} is a {kind.__name__}, which cannot be saved; only classes of synthlab, columns and "
                "arrays can. Fit again after loading the data, or use cloudpickle for files that you trust"
            )
        name = f"{kind.__module__}.{kind.__qualname__}"
        self.classes.add(name)
        given = {name: getattr(value, name) for name in names}
        if isinstance(value, DesignMatrix):  # the specification of formulaic is made anew from the formula
            given["spec"] = value.spec.transform_state
        return {"object": [name, {k: self.encode(v, f"{where}.{k}") for k, v in given.items()}]}

    def _objects(self, values: Any, where: str) -> str:
        return self._member(json.dumps([self.encode(value, where) for value in values.tolist()]).encode(), "json")

    def _member(self, content: bytes, ending: str) -> str:
        name = f"{hashlib.sha256(content).hexdigest()}.{ending}"
        self.members[name] = content
        return name


class Reader:
    """Decoder of values that `Writer` encoded."""

    def __init__(self, members: Mapping[str, bytes], values: Expansion, types: FieldTypes) -> None:
        self._members = members
        self._types = types
        self._values = values  # bytes of the decoded JSON
        self._seen: list[Any] = []

    def decode(self, node: Any) -> Any:
        """Return the value of a JSON node."""
        if isinstance(node, list):
            return [self.decode(item) for item in node]
        if not isinstance(node, dict):
            return node
        ((kind, content),) = node.items()
        if kind in NAMES:
            return SCALARS[NAMES[kind]][1](*map(self.decode, content))
        if kind == "same":
            return self._seen[content]
        value = self._decoded(kind, content)
        self._seen.append(value)
        return value

    def _decoded(self, kind: str, content: Any) -> Any:
        if kind in ("array", "fixed", "scalar"):
            array = _array(self._members[content])
            return array[()] if kind == "scalar" else _checks.read_only(array) if kind == "fixed" else array
        if kind == "object":
            return self._object(*content)
        if kind in ("dict", "mapping"):
            pairs = {self.decode(key): self.decode(value) for key, value in content}
            return pairs if kind == "dict" else _checks.ReadOnlyMapping(pairs)
        if kind in ("extension", "objects"):
            values = self._objects(content[0])
            if kind == "extension":
                return pd.array(values, dtype=self.decode(content[1]))
            array = np.empty(len(values), dtype=object)
            array[:] = values
            return array.reshape(content[1])
        if kind == "dtype":
            return pd.api.types.pandas_dtype(self.decode(content))
        parts = [self.decode(part) for part in _listed(content)]
        if kind == "frame":
            columns, index, arrays, attrs = parts
            series = {i: pd.Series(values, index, values.dtype, copy=False) for i, values in enumerate(_listed(arrays))}
            frame = pd.DataFrame(series, index=index)
            frame.columns, frame.attrs = columns, attrs
            return frame
        if kind == "index":
            index = pd.Index(parts[0], dtype=parts[0].dtype, name=parts[1])
            return index if parts[2] is None else pd.DatetimeIndex(index, freq=parts[2])
        makers: dict[str, Callable[..., Any]] = {
            "range": lambda start, stop, step, name: pd.RangeIndex(start, stop, step, name=name),
            "masked": lambda known, lost: KINDS[known.dtype.kind](known, lost),
            "number": lambda dtype, number: np.dtype(dtype).type(number),
            "levels": lambda levels, names: pd.MultiIndex.from_arrays(_listed(levels), names=_listed(names)),
            "category": lambda codes, dtype: pd.Categorical.from_codes(codes, dtype=dtype),
            "levels_dtype": lambda levels, ordered: pd.CategoricalDtype(levels, ordered=ordered),
            "text_dtype": lambda storage, na: pd.StringDtype(storage, na_value=pd.NA if na else np.nan),
            FORMULA: lambda text, columns, levels: parse_formula(text, _listed(columns), _listed(levels)),
        }
        if kind in makers:
            return makers[kind](*parts)
        return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](parts)

    def _object(self, name: str, fields: dict[str, Any]) -> Any:
        kind = _class_of(name)
        values = {field: self.decode(value) for field, value in fields.items()}
        if kind is DesignMatrix and isinstance(values["formula"], Formula) and isinstance(values["spec"], dict):
            values["spec"] = _specification(values["formula"], values["spec"])
        if wrong := self._types.wrong(kind, values):
            raise TypeError(f"{name}: {wrong}")
        if issubclass(kind, tuple):
            return kind(**values)
        made: Any = object.__new__(kind)
        for field, value in values.items():
            object.__setattr__(made, field, value)
        if isinstance(made, Tree) and not made.is_consistent():
            raise ValueError(name)
        return made

    def _objects(self, name: str) -> list[Any]:
        return _listed(self.decode(_json(self._members[name], self._values)))


def _listed(value: Any) -> list[Any]:
    """Return a list, or raise if a value is anything else, such as a range, which takes no room in the file."""
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} in place of a list")
    return value


def write_fit(path: Path, fitted: Any, *, data: bool) -> Path:
    """Write a fit into a file that only its owner can read."""
    writer = Writer()
    tree = writer.encode(fitted, "fit")
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "synthlab": version_of(DISTRIBUTION),
        "data": data,
        "classes": sorted(writer.classes),
        "members": sorted(writer.members),
        "fit": tree,
    }
    manifest["sha256"] = _checksum(manifest)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {MANIFEST: json.dumps(manifest).encode(), **writer.members}.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, compresslevel=1)
    return write_bytes(path, stream.getvalue(), private=True)


def read_fit(path: Path, types: FieldTypes) -> Any:
    """Return the object that `write_fit` wrote, or raise if the file is not as it was written."""
    where = f"path={str(path)!r}"
    members, values = _members(path, where)
    try:
        manifest = _json(members.pop(MANIFEST), values)
        version, expected = manifest["version"], manifest.pop("sha256")
        if manifest["format"] != FORMAT:
            raise KeyError(FORMAT)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where}: {NOT_A_FIT}") from None
    if type(version) is not int or version != VERSION:
        raise InputError(
            f"{where}: has format version {_checks.shown(version)}, but this version of synthlab reads version {VERSION}; "
            f"load it with synthlab {_checks.shown(manifest.get('synthlab'))}, or fit and save again"
        )
    wrong = [name for name, content in members.items() if hashlib.sha256(content).hexdigest() != name.partition(".")[0]]
    if wrong or _checksum(manifest) != expected or sorted(members) != manifest.get("members"):
        raise ChecksumError(
            f"{where}: was edited or is damaged, because {wrong[0] if wrong else MANIFEST} does not have the SHA-256 or the "
            "members that `save` recorded; copy or save the fit again"
        )
    if "fit" not in manifest:
        raise InputError(f"{where}: {NOT_A_FIT}")
    try:
        for name in manifest["classes"]:
            _class_of(name)
        return Reader(members, values, types).decode(manifest["fit"])
    except (InputError, ExtraUnavailableError):
        raise
    except Exception:  # noqa: BLE001 - pandas and NumPy raise errors of many types for forged content
        raise InputError(
            f"{where}: was saved by synthlab {_checks.shown(manifest.get('synthlab'))}, whose fits differ from those of this "
            f"version ({version_of(DISTRIBUTION)}), or was forged; fit and save again"
        ) from None


def _members(path: Path, where: str) -> tuple[dict[str, bytes], Expansion]:
    """Return the members of the archive, and the limit of the memory for values that JSON contains."""
    try:
        size = path.stat().st_size
        content, values = Expansion(where, size, PACKED), Expansion(where, size, CODED)
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            for entry in entries:
                content.add(entry.file_size)  # no more than this is unpacked
            return {entry.filename: archive.read(entry) for entry in entries}, values
    except OSError as error:
        raise InputError(f"{where}: cannot be read: {error.strerror or 'it is damaged'}") from None
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise ChecksumError(f"{where}: is not a complete saved fit ({error}); copy or save the fit again") from None


def _json(content: bytes, values: Expansion) -> Any:
    values.add(JSON_VALUE * content.count(b","))
    return json.loads(content)


def _array(content: bytes) -> np.ndarray[Any, Any]:
    """Return the array of a member, whose header must agree with its size."""
    stream = io.BytesIO(content)
    read_header = HEADERS[np.lib.format.read_magic(stream)]
    shape, _, dtype = read_header(stream)
    if (
        dtype.kind not in NUMERIC
        or dtype.itemsize == 0
        or any(side < 0 for side in shape)
        or math.prod(shape) * dtype.itemsize != len(content) - stream.tell()
    ):
        raise ValueError(f"an array of shape {shape} and type {dtype} in {len(content)} bytes")
    stream.seek(0)
    array: np.ndarray[Any, Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array


def _checksum(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _class_of(name: str) -> type:
    """Return a dataclass or named tuple of `MODULES` by its full name."""
    module, _, own = str(name).rpartition(".")
    kind = getattr(importlib.import_module(module), own, None) if module in MODULES else None
    if not (isinstance(kind, type) and field_names(kind) is not None and kind.__module__ == module):
        raise InputError(f"path: the file has an object of the class {_checks.shown(name)}, which cannot be loaded")
    return kind


def _specification(formula: Formula, state: dict[str, Any]) -> Any:
    """Return the specification of a design, which computes knots and centers from `state`, not from data."""
    from formulaic import ModelSpec

    return ModelSpec(formula.right, materializer="pandas", na_action="ignore", output="numpy", transform_state=state)
