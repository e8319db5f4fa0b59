"""Compile functions with Numba and keep the machine code in Numba's cache (the folder NUMBA_CACHE_DIR, if it is set)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.extending import typeof_impl

from synthlab.exceptions import SynthlabError

_Function = TypeVar("_Function", bound=Callable[..., Any])
OPTIONS: dict[str, Any] = {"nogil": True}


class Compiled:
    """A compiled function, called from Python or from another compiled function.

    Attributes
    ----------
    dispatcher : numba dispatcher
        The function as Numba compiles it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        try:
            self.dispatcher = numba.njit(cache=True, **OPTIONS)(function)
        except RuntimeError:  # no folder for the cache can be written to
            self.dispatcher = numba.njit(**OPTIONS)(function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; raise `SynthlabError` if the cache on disk is damaged."""
        try:
            return self.dispatcher(*arguments)
        except Exception as error:
            if not _raised_by_cache(error):
                raise
            raise SynthlabError(
                f"the machine code that Numba keeps in {self.dispatcher.stats.cache_path!r} is damaged or cannot be "
                "written; delete that folder, or set NUMBA_CACHE_DIR to another one, and start Python again"
            ) from None


def _raised_by_cache(error: BaseException) -> bool:
    """Return whether an error was raised while Numba read or wrote its cache."""
    traceback = error.__traceback__
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename).parts[-2:] == ("core", "caching.py"):
            return True
        traceback = traceback.tb_next
    return False


@typeof_impl.register(Compiled)  # type: ignore[untyped-decorator]
def _typeof(function: Compiled, context: Any) -> Any:
    """Let compiled functions call each other."""
    return typeof_impl(function.dispatcher, context)


def compiled(function: _Function) -> _Function:
    """Compile a function at its first call, without the interpreter's lock, and keep the machine code on disk."""
    return cast(_Function, Compiled(function))
