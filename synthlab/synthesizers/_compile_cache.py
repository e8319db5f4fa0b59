"""Disk cache for the compiled code of samplers.

Numba takes ten seconds or more to compile a density in every new process. Numba caches functions of modules, but not
the callbacks that nutpie creates for a model, because these are closures. Here a callback is identified by the graph of
its model, and code that another process has compiled is loaded. The result is identical to the last bit. If several
processes need a model at the same time, one compiles it and the others wait for it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import Compiler, CompileResult

MADE_BY = ("llvmlite", "numba", "numpy", "nutpie", "pymc", "pytensor")
UNREADABLE = (OSError, EOFError, pickle.UnpicklingError)
PATIENCE = 120.0  # seconds after which a waiting process compiles the model itself


def kept_on_disk(model: Any, say: Callable[[], None]) -> Any:
    """Return the ``numba.cfunc`` pipeline class that caches callbacks of a model.

    Parameters
    ----------
    model : pymc.Model
        The model. Its graph, including all types, identifies the code; values of ``pm.Data`` are not part of it.
    say : callable
        Called before a callback is compiled.
    """
    name = name_of(model)
    file = IndexDataCacheFile(str(folder()), name, tuple(version(package) for package in MADE_BY))

    def kept(key: tuple[Any, ...]) -> Any:
        try:
            return file.load(key)
        except UNREADABLE:  # for example, a truncated file
            with suppress(OSError):
                file.flush()
            return None

    class Kept(Compiler):  # type: ignore[misc]
        def compile_extra(self, func: Callable[..., Any]) -> Any:
            target = self.state.targetctx
            key = (func.__name__, target.codegen().magic_tuple())  # includes the type of processor
            if (code := kept(key)) is not None:
                return CompileResult._rebuild(target, *code)
            with one_at_a_time(name):
                if (code := kept(key)) is not None:  # another process has compiled it in the meantime
                    return CompileResult._rebuild(target, *code)
                say()
                result = super().compile_extra(func)
                if not result.library.has_dynamic_globals:  # addresses are valid only in this process
                    with suppress(OSError):  # a folder without write permission
                        file.save(key, result._reduce())
                return result

    return Kept


def name_of(model: Any) -> str:
    """Return a hash of the graph of a model: operations, types and exact constants."""
    from pytensor import dprint
    from pytensor.graph.basic import Constant
    from pytensor.graph.traversal import ancestors

    outputs = [model.logp(), *model.unobserved_value_vars]
    known = sha256(dprint(outputs, print_type=True, file="str").encode())
    for variable in ancestors(outputs):
        if isinstance(variable, Constant):  # the text of a long constant is abbreviated
            known.update(pickle.dumps(variable.data))
    return f"synthlab_by_name_{known.hexdigest()}"


@contextmanager
def functions_by_name() -> Iterator[None]:
    """Make compiled code call SciPy's special functions by name.

    The addresses that PyTensor 2 writes are valid in only one process. The same functions are called, so the results are
    equal. A name is registered in the process when a model first needs it. PyTensor 3 calls the functions by name itself.
    """
    from llvmlite.binding import add_symbol
    from numba.core.types import ExternalFunction
    from pytensor.link.numba.dispatch import scalar

    by_address = scalar.wrap_cython_function

    def by_name(function: Any, *types: Any) -> Any:
        found = by_address(function, *types)
        if not hasattr(found, "__wrapper_address__"):
            return found
        name = f"synthlab_{function.__module__}_{function.__name__}_{found.signature()}".replace(".", "_")
        add_symbol(name, found.__wrapper_address__())
        named = ExternalFunction(name, found.signature())
        for asked in ("has_pyx_skip_dispatch", "numpy_arg_dtypes", "numpy_output_dtype"):
            setattr(named, asked, getattr(found, asked))
        return named

    scalar.wrap_cython_function = by_name
    try:
        yield
    finally:
        scalar.wrap_cython_function = by_address


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Lock a name for one process at a time.

    Without write permission, or after `PATIENCE` seconds, processes continue without the lock.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder() / f"{name}.lock")
    with suppress(OSError, Timeout):
        lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        lock.release()


def folder() -> Path:
    """Return the folder in which PyTensor stores compiled code."""
    from pytensor.link.numba.cache import NUMBA_CACHE_PATH

    return Path(NUMBA_CACHE_PATH)
