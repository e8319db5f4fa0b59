"""Compilation of functions with Numba, with a cache on disk.

The cache is in the folder of the environment variable NUMBA_CACHE_DIR if it is set.
"""

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
    """Compiled function for calls from Python or from other compiled functions.

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
                "written; delete this folder, or set NUMBA_CACHE_DIR to another folder, and restart Python"
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
    """Return the Numba type of a compiled function, so that others can call it."""
    return typeof_impl(function.dispatcher, context)


def compiled(function: _Function) -> _Function:
    """Compile a function at its first call, without the GIL, with a disk cache."""
    return cast(_Function, Compiled(function))
