"""Constraints and rules of units read from a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.synthesizers.constraints import AllowedCombinations, Bounds, Constraint, SumOf, ZeroUnless
from synthlab.units import AtMostOne, Constant, Difference, Different, ExactlyOne, SizeOf, UnitRule, UnitRules

KINDS: dict[str, Callable[..., Constraint]] = {
    "bounds": Bounds,
    "zero_unless": ZeroUnless,
    "allowed_combinations": AllowedCombinations,
    "sum_of": SumOf,
}
UNIT_KINDS: dict[str, Callable[..., UnitRule]] = {
    "exactly_one": ExactlyOne,
    "at_most_one": AtMostOne,
    "difference": Difference,
    "different": Different,
    "size_of": SizeOf,
    "constant": Constant,
}


def rules_of(tables: Mapping[str, Any], where: str = "rules") -> list[Constraint]:
    """Return the constraints described by TOML tables.

    For example, a table ``[[bounds]]`` has the keys column, low and high.
    """
    return _read(tables, KINDS, where, "a constraint")


def unit_rules_of(value: object, where: str = "unit_rules") -> UnitRules | Literal["detect", False]:
    """Return the rules of units described by TOML tables, or "detect" or False.

    For example, a table ``[[unit_rules.exactly_one]]`` has the keys variable and level.
    """
    if isinstance(value, Mapping):
        return UnitRules(_read(value, UNIT_KINDS, where, "a rule of units"))
    choice: Literal["detect", False] = _checks.check_choice(value, where, ("detect", False))
    return choice


def _read(tables: Mapping[str, Any], kinds: Mapping[str, Callable[..., Any]], where: str, what: str) -> list[Any]:
    found = []
    for kind, listed in tables.items():
        if kind not in kinds:
            names = ", ".join(f"[[{k}]]" for k in kinds)
            raise InputError(f"{where}: [[{kind}]] is not {what}; use one of {names}")
        for table in listed if isinstance(listed, list) else [listed]:
            if not isinstance(table, Mapping):
                raise InputError(f"{where}: [[{kind}]] must be a table, got {_checks.described(table)}")
            try:
                found.append(kinds[kind](**table))
            except TypeError:
                names = ", ".join(kinds[kind].__dataclass_fields__)  # type: ignore[attr-defined]
                raise InputError(f"{where}: [[{kind}]] takes {names}, and no others") from None
    return found
