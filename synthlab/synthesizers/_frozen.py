"""Fields of frozen dataclasses that are converted as they are checked."""

from __future__ import annotations


def set_fields(frozen: object, **values: object) -> None:
    """Replace fields of a frozen dataclass, in its `__post_init__`, by what their checks returned."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)
