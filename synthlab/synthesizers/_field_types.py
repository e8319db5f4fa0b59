"""Comparison of values with the annotations of the fields of dataclasses and named tuples."""

from __future__ import annotations

import collections.abc
import dataclasses
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

INTEGERS = (int, np.integer)
NUMBERS = (int, float, np.integer, np.floating)


def field_names(kind: type) -> tuple[str, ...] | None:
    """Return the names of the fields of a dataclass or named tuple; None for other types."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    names: tuple[str, ...] | None = getattr(kind, "_fields", None) if issubclass(kind, tuple) else None
    return names


class FieldTypes:
    """Annotated types of the fields of dataclasses and named tuples.

    Parameters
    ----------
    names : mapping
        Classes by their names, which some modules import only for type checkers.
    specification : type or union
        The type of every field named "specification".
    """

    def __init__(self, names: Mapping[str, Any], specification: Any) -> None:
        self._names, self._specification = dict(names), specification
        self._found: dict[type, dict[str, Any]] = {}

    def wrong(self, kind: type, values: Mapping[str, Any]) -> list[str]:
        """Return the fields of a dataclass or named tuple that are absent, unknown, or do not have the annotated type."""
        if kind not in self._found:
            hints = typing.get_type_hints(kind, localns=self._names) | {"specification": self._specification}
            self._found[kind] = {name: hints[name] for name in field_names(kind) or ()}
        types = self._found[kind]
        wrong = [name for name, hint in types.items() if name not in values or not has_type(values[name], hint)]
        return wrong + [name for name in values if name not in types]


def has_type(value: Any, hint: Any) -> bool:
    """Return whether a value has the type of an annotation.

    An array has the type if its numbers are of the same kind (integers, real numbers or booleans). Every real number is
    a float, except a boolean.
    """
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if hint is None or hint is type(None):
        return value is None
    if origin in (typing.Union, types.UnionType):
        return any(has_type(value, one) for one in args)
    if origin is typing.Literal:
        return isinstance(value, str | int) and value in args
    if hint in (int, float):
        return isinstance(value, INTEGERS if hint is int else NUMBERS) and not isinstance(value, bool)
    if origin is None:
        return isinstance(value, hint)
    return _is_container(value, origin, args)


def _is_container(value: Any, origin: Any, args: tuple[Any, ...]) -> bool:
    """Return whether a value is an array, tuple, mapping or collection with entries of the annotated type."""
    if origin is np.ndarray:
        (number,) = typing.get_args(args[1])
        kinds = {np.float64: "fiu", np.int64: "iu", np.bool_: "b"}[number]
        return isinstance(value, np.ndarray) and value.dtype.kind in kinds
    if origin is collections.abc.Callable:
        return callable(value)
    if origin is tuple and args[-1] is not Ellipsis:
        return isinstance(value, tuple) and len(value) == len(args) and all(map(has_type, value, args))
    if issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            has_type(key, args[0]) and has_type(one, args[1]) for key, one in value.items()
        )
    return (
        isinstance(value, origin if origin is tuple else Iterable)
        and not isinstance(value, str)
        and all(has_type(one, args[0]) for one in value)
    )
