"""Compile functions with Numba and keep the machine code on disk; damaged files of this cache are replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache

_Function = TypeVar("_Function", bound=Callable[..., Any])


class ReplacedIfDamaged(FunctionCache):  # type: ignore[misc]
    """Cache of one function. Numba itself does not handle a truncated or damaged file."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for a signature, or None if there is none or the files are damaged."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - a damaged pickle can raise any error, and the function can always be compiled
            try:
                self.flush()
            except OSError:  # the folder is read-only
                self.disable()
            return None


def compiled(function: _Function) -> _Function:
    """Compile a function when it is first called, without the interpreter's lock, and keep the machine code on disk."""
    dispatcher: Any = numba.njit(cache=True, nogil=True)(function)
    if dispatcher is not function:  # NUMBA_DISABLE_JIT=1 returns the function
        dispatcher._cache = ReplacedIfDamaged(function)
    return cast(_Function, dispatcher)
