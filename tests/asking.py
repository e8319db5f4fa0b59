"""A question as one flat dictionary of options, for tests that change one of them at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import synthlab as sl

WHO = {field.name for field in fields(sl.Intruder) if field.init}
TOLD = {field.name for field in fields(sl.ReleasedInformation)}


def ask(function: Callable[..., Any], *data: Any, **options: Any) -> Any:
    """Call a measure with the options sorted into the intruder, the scenario and its own arguments."""
    who = {name: options.pop(name) for name in WHO & set(options)}
    told = {name: options.pop(name) for name in TOLD & set(options)}
    if told:
        options["scenario"] = sl.ReleasedInformation(**told)
    return function(*data, sl.Intruder(**who), **options)
