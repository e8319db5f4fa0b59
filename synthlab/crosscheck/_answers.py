"""Answers of R for the checks: live if required and possible, otherwise recorded."""

from __future__ import annotations

from dataclasses import replace

from synthlab.exceptions import RUnavailableError
from synthlab.r import Reference, reference


def available(name: str, *, live: bool | None) -> Reference:
    """Return an answer as `synthlab.r.reference` does; if a required live answer is missing, the recorded one, marked."""
    try:
        return reference(name, live=live)
    except RUnavailableError as error:
        return replace(reference(name, live=False), skipped=str(error))
