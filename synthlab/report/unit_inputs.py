"""Units of an evaluation: declared by the caller, by an intruder, or by the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from synthlab import _checks
from synthlab._typing import ColumnNames
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.release.manifest import UNITS
from synthlab.report.column_types import Resolved
from synthlab.risk.copies.unit_rows import FileUnits, units_of_files
from synthlab.units.structure import MEMBERS


def declared_units(
    resolved: Resolved,
    intruders: Iterable[Intruder],
    unit: ColumnNames | None,
    unit_order: ColumnNames | None,
    max_members: int | None,
) -> tuple[FileUnits | None, str]:
    """Return the units of the files, and the reason why declared units cannot be compared ("": none).

    Units are taken from the arguments, otherwise from the intruders, otherwise from the release. If `max_members` is None,
    the limit that the release states is used.

    Raises
    ------
    InputError
        If the arguments and the intruders contradict each other, or as in `units_of_files` for units that the caller or
        an intruder declares.
    """
    frame, release = resolved.confidential, resolved.release
    most = None if max_members is None else _checks.check_count(max_members, "max_members", 2)
    if unit_order is not None and unit is None and not any(one.unit for one in intruders):
        raise InputError("unit_order: orders the members of units; also set unit")
    given = {name: _given(value, name) for name, value in (("unit", unit), ("unit_order", unit_order))}
    for one in intruders:
        for name in given:
            own = getattr(one, name)
            if own is not None and given[name] not in (None, tuple(own)):
                raise InputError(
                    f"{name}: the intruder has {own!r} and evaluate or another intruder {given[name]!r}; use one"
                )
            given[name] = given[name] if own is None else tuple(own)
    if given["unit"] is not None:
        return units_of_files(frame, release.frames, given["unit"], given["unit_order"], most or MEMBERS), ""
    facts = release.provenance.get(UNITS)
    if not isinstance(facts, Mapping):
        return None, ""
    stated = [facts.get(name) for name in ("unit", "order")]
    columns, order = ([c for c in one if isinstance(c, str)] if isinstance(one, list | tuple) else [] for one in stated)
    if not columns:
        return None, ""
    lost = [c for c in (*columns, *order) if c not in frame.columns or c not in release[0].columns]
    if lost:
        return None, f"the release declares units, but {_checks.named(lost)} is not in both files."
    try:
        largest = facts.get("max_members")
        most = most or (largest if isinstance(largest, int) else MEMBERS)
        return units_of_files(frame, release.frames, columns, order or None, most), ""
    except InputError as error:
        return None, f"{error}."


def _given(value: ColumnNames | None, name: str) -> tuple[str, ...] | None:
    return None if value is None else tuple(_checks.check_names(value, name, allow_empty=False))
