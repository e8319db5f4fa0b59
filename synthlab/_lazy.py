"""Public names that are loaded on first use; a wrong name is answered with the right one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import lazy_loader

from synthlab._calls import explained_class, proposal


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package with a stub."""
    load, listed, names = lazy_loader.attach_stub(package, file)

    def get(name: str) -> Any:
        if name in names:
            return explained_class(load(name))
        # `from synthlab import cli` asks for the attribute first, and imports the module after this error.
        if name.isidentifier() and find_spec(f"{package}.{name}") is not None:
            raise AttributeError(name)
        rooms = [one for one in names if not name.startswith("_") and find_spec(f"{package}.{one}") is not None]
        inside = [one for one in rooms if name in getattr(getattr(sys.modules[package], one), "__all__", ())]
        meant = f"; did you mean {f'{inside[0]}.{name}'!r}?" if inside else proposal(name, names)
        raise AttributeError(f"module {package!r} has no attribute {name!r}{meant}")

    return get, listed, names
