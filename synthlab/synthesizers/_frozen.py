"""Assignment of validated values to fields of frozen dataclasses."""

from __future__ import annotations


def set_fields(frozen: object, **values: object) -> None:
    """Set fields of a frozen dataclass in its `__post_init__`."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)
