"""Constraints of a synthesis read from a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.synthesizers.constraints import AllowedCombinations, Bounds, Constraint, SumOf, ZeroUnless

KINDS: dict[str, Callable[..., Constraint]] = {
    "bounds": Bounds,
    "zero_unless": ZeroUnless,
    "allowed_combinations": AllowedCombinations,
    "sum_of": SumOf,
}


def rules_of(tables: Mapping[str, Any], where: str = "rules") -> list[Constraint]:
    """Return the constraints described by TOML tables.

    For example, a table ``[[bounds]]`` has the keys column, low and high.
    """
    found = []
    for kind, listed in tables.items():
        if kind not in KINDS:
            names = ", ".join(f"[[{k}]]" for k in KINDS)
            raise InputError(f"{where}: [[{kind}]] is not a constraint; use one of {names}")
        for table in listed if isinstance(listed, list) else [listed]:
            if not isinstance(table, Mapping):
                raise InputError(f"{where}: [[{kind}]] must be a table, got {_checks.described(table)}")
            try:
                found.append(KINDS[kind](**table))
            except TypeError:
                names = ", ".join(KINDS[kind].__dataclass_fields__)  # type: ignore[attr-defined]
                raise InputError(f"{where}: [[{kind}]] takes {names}, and no others") from None
    return found
