"""Rules of a synthesis as they stand in a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.synthesis.naming import NAMES
from synthlab.synthesizers.constraints import AllowedCombinations, Bounds, Constraint, SumOf, ZeroUnless

KINDS: dict[str, Callable[..., Constraint]] = {
    "bounds": Bounds,
    "zero_unless": ZeroUnless,
    "allowed_combinations": AllowedCombinations,
    "sum_of": SumOf,
}


def rules_of(tables: Mapping[str, Any], where: str = "rules") -> list[Constraint]:
    """Return the constraints that tables describe, such as ``[[bounds]]`` with column, low and high."""
    found = []
    for kind, listed in tables.items():
        if kind not in KINDS:
            raise InputError(f"{where}: [[{kind}]] is no rule; such are {', '.join(f'[[{k}]]' for k in KINDS)}")
        for table in listed if isinstance(listed, list) else [listed]:
            if not isinstance(table, Mapping):
                raise InputError(f"{where}: [[{kind}]] must be a table, got {_checks.described(table)}")
            try:
                found.append(KINDS[kind](**table))
            except TypeError:
                names = ", ".join(KINDS[kind].__dataclass_fields__)  # type: ignore[attr-defined]
                raise InputError(f"{where}: [[{kind}]] takes {names}, and no others") from None
    return found


def models_of(values: Sequence[str] | None, columns: Sequence[str]) -> dict[str, str]:
    """Read NAME=MODEL pairs; a name may hold equals signs."""
    found: dict[str, str] = {}
    for value in values or ():
        name, equals, model = value.rpartition("=")
        name = name if name in columns else name.strip()
        if not equals or not name:
            raise InputError(f"--model {value!r}: write NAME=MODEL, the model one of {', '.join(NAMES)}")
        if name in found:
            raise InputError(f"--model {value!r}: {name!r} has two models")
        found[name] = model.strip()
    return found


def codes_of(values: Sequence[str] | None, columns: Sequence[str]) -> dict[str, list[float]] | None:
    """Read NAME=NUMBER pairs, several numbers with a bar between them; a name may hold equals signs."""
    found: dict[str, list[float]] = {}
    for value in values or ():
        name, equals, codes = value.rpartition("=")
        name = name if name in columns else name.strip()
        try:
            found.setdefault(name, []).extend(float(code) for code in codes.split("|"))
        except ValueError:
            equals = ""
        if not equals or not name:
            raise InputError(f"--missing-code {value!r}: write NAME=NUMBER, or NAME=-8|-9")
    return found or None
