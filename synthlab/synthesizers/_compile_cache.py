"""Machine code of samplers, kept on disk: Numba takes ten seconds and more to compile a density, in every new process.

Numba keeps the functions of modules by itself, but not the callbacks that nutpie makes of a model: these are closures. Here a
callback is known by the graph of its model, and the code that another process has compiled is loaded, the same to the last bit.
Of several processes that need a model at once, one compiles it, and the others wait for what it makes.
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
PATIENCE = 120.0  # seconds after which a process that waits for another one compiles by itself


def kept_on_disk(model: Any, say: Callable[[], None]) -> Any:
    """Return the ``pipeline_class`` with which ``numba.cfunc`` compiles the callbacks of a model once on a machine.

    Parameters
    ----------
    model : pymc.Model
        Its graph, with all types, stands for the code; values of ``pm.Data`` are no part of it.
    say : callable
        Called before a callback is compiled.
    """
    name = name_of(model)
    file = IndexDataCacheFile(str(folder()), name, tuple(version(package) for package in MADE_BY))

    def kept(key: tuple[Any, ...]) -> Any:
        try:
            return file.load(key)
        except UNREADABLE:  # a file that was cut off, say
            with suppress(OSError):
                file.flush()
            return None

    class Kept(Compiler):  # type: ignore[misc]
        def compile_extra(self, func: Callable[..., Any]) -> Any:
            target = self.state.targetctx
            key = (func.__name__, target.codegen().magic_tuple())  # the processor is a part of it
            if (code := kept(key)) is not None:
                return CompileResult._rebuild(target, *code)
            with one_at_a_time(name):
                if (code := kept(key)) is not None:  # another process has compiled it meanwhile
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
    return f"synthlab_by_name_{known.hexdigest()}"


@contextmanager
def functions_by_name() -> Iterator[None]:
    """Let machine code call SciPy's special functions by a name: an address, as PyTensor writes it, is that of one process.

    What is called is the same, and so is what is computed. A name is known to the process from when a model asks for it.
    """
    from llvmlite.binding import add_symbol
    from numba.core.types import ExternalFunction
    from pytensor.link.numba.dispatch import scalar

    by_address = scalar.wrap_cython_function

    def by_name(function: Any, *types: Any) -> Any:
        found = by_address(function, *types)
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
    """Let one process in for each name; all of them where the folder is closed, or one stays too long."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder() / f"{name}.lock")
    with suppress(OSError, Timeout):
        lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        lock.release()


def folder() -> Path:
    """Return where PyTensor keeps what Numba compiled."""
    from pytensor.link.numba.cache import NUMBA_CACHE_PATH

    return Path(NUMBA_CACHE_PATH)
