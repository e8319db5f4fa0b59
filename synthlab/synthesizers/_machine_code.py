"""Machine code of samplers, kept on disk: Numba takes ten seconds and more to compile a density, in every new process.

Numba keeps the functions of modules by itself, but not the callbacks that nutpie makes of a model: these are closures. Here a
callback is known by the graph of its model, and the code that another process has compiled is loaded, the same to the last bit.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import Compiler, CompileResult

MADE_BY = ("llvmlite", "numba", "numpy", "nutpie", "pymc", "pytensor")
UNREADABLE = (OSError, EOFError, pickle.UnpicklingError)


def kept_on_disk(model: Any, say: Callable[[], None]) -> Any:
    """Return the ``pipeline_class`` with which ``numba.cfunc`` compiles the callbacks of a model once on a machine.

    Parameters
    ----------
    model : pymc.Model
        Its graph, with all types, stands for the code; values of ``pm.Data`` are no part of it.
    say : callable
        Called before a callback is compiled.
    """
    file = IndexDataCacheFile(str(folder()), name_of(model), tuple(version(package) for package in MADE_BY))

    class Kept(Compiler):  # type: ignore[misc]
        def compile_extra(self, func: Callable[..., Any]) -> Any:
            target = self.state.targetctx
            key = (func.__name__, target.codegen().magic_tuple())  # the processor is a part of it
            try:
                code = file.load(key)
            except UNREADABLE:  # a file that was cut off, say
                code = None
                with suppress(OSError):
                    file.flush()
            if code is not None:
                return CompileResult._rebuild(target, *code)
            say()
            result = super().compile_extra(func)
            if not result.library.has_dynamic_globals:  # addresses that are those of this process
                with suppress(OSError):  # a folder that is closed
                    file.save(key, result._reduce())
            return result

    return Kept


def name_of(model: Any) -> str:
    """Return a name for the graph of a model: its operations and types, and its constants to the last bit."""
    from pytensor import dprint
    from pytensor.graph.basic import Constant
    from pytensor.graph.traversal import ancestors

    outputs = [model.logp(), *model.unobserved_value_vars]
    known = sha256(dprint(outputs, print_type=True, file="str").encode())
    for variable in ancestors(outputs):
        if isinstance(variable, Constant):  # of a long one the text has but the ends
            known.update(pickle.dumps(variable.data))
    return f"synthlab_{known.hexdigest()}"


def folder() -> Path:
    """Return where PyTensor keeps what Numba compiled."""
    from pytensor.link.numba.cache import NUMBA_CACHE_PATH

    return Path(NUMBA_CACHE_PATH)
