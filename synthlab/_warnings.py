"""Thread-safe functions that issue, collect and silence warnings.

`warnings.catch_warnings` changes the filters of the whole process. If two threads use it at the same time, warnings are
lost and wrong filters remain (Python before 3.14). Therefore only this module of the package imports `warnings`. The
warnings of the package are collected and silenced by a context variable, which is separate for each thread. Filters are
changed only for warnings of other libraries, by one thread at a time.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from synthlab.exceptions import SynthlabWarning

WarningMessage = warnings.WarningMessage
Receiver: TypeAlias = tuple[type[Warning], ...] | list[WarningMessage]  # categories to drop, or a list that collects

_receivers: ContextVar[tuple[Receiver, ...]] = ContextVar("receivers", default=())  # the innermost is the last
# Files of frames that no warning names: the package, decorators, and methods that `dataclass` writes.
_INSIDE = (str(Path(__file__).parent), contextlib.__file__, functools.__file__, "<string>")
_filters = threading.RLock()  # held while the filters of the process are changed, and while a warning is issued


def warn(message: str, category: type[Warning]) -> None:
    """Issue, collect or drop a warning of the package.

    The innermost active context, `collected` or `quiet`, decides. The warning names the line outside the package that
    called it.

    Parameters
    ----------
    message : str
        Text of the warning.
    category : type of Warning
        A subclass of `SynthlabWarning`.
    """
    receiver = _receiver(category)
    if receiver is None:
        with _filters:
            warnings.warn(message, category, stacklevel=_depth())
    elif isinstance(receiver, list):
        frame = sys._getframe(_depth() - 1)
        receiver.append(WarningMessage(category(message), category, frame.f_code.co_filename, frame.f_lineno))


def issue_again(given: Iterable[WarningMessage], registry: dict[Any, int] | None = None) -> None:
    """Issue collected warnings again, at the lines that they name.

    With a registry, filters can show repeated warnings once.
    """
    for one in given:
        receiver = _receiver(one.category)
        if receiver is None:
            with _filters:
                warnings.warn_explicit(
                    cast(Warning, one.message), one.category, one.filename, one.lineno, registry=registry
                )
        elif isinstance(receiver, list):
            receiver.append(one)


def _receiver(category: type[Warning]) -> Receiver | None:
    """Return the innermost receiver of a category."""
    for receiver in reversed(_receivers.get()):
        if isinstance(receiver, list) or issubclass(category, receiver):
            return receiver
    return None


def _depth() -> int:
    """Return the number of frames from the caller up to the first one outside the package, or to the outermost one."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        frame, depth = frame.f_back, depth + 1
    return depth


@contextmanager
def _receiving(receiver: Receiver) -> Iterator[None]:
    token = _receivers.set((*_receivers.get(), receiver))
    try:
        yield
    finally:
        _receivers.reset(token)


@contextmanager
def collected() -> Iterator[list[WarningMessage]]:
    """Collect the warnings of the package in a list instead of issuing them."""
    given: list[WarningMessage] = []
    with _receiving(given):
        yield given


@contextmanager
def quiet(*kinds: type[SynthlabWarning]) -> Iterator[None]:
    """Drop warnings of the package, by default all.

    Use it if the result states the content of the warnings.
    """
    with _receiving(kinds or (SynthlabWarning,)):
        yield


@contextmanager
def library_warnings(
    action: Literal["ignore", "error"], category: type[Warning] = Warning, *messages: str
) -> Iterator[None]:
    """Ignore warnings of other libraries, or raise them as errors.

    Keep the block short, because other threads that issue a warning wait for its end. The block must not wait for other
    threads.

    Parameters
    ----------
    action : {"ignore", "error"}
        Whether to ignore the warnings or to raise them.
    category : type of Warning, default Warning
        Category of the warnings.
    *messages : str
        Regular expressions for the beginning of the message. Default: any message.
    """
    with _filters, warnings.catch_warnings():
        for message in messages or ("",):
            warnings.filterwarnings(action, message, category)
        yield


def not_filtered_out(given: Iterable[WarningMessage]) -> list[WarningMessage]:
    """Return the collected warnings that the filters of the process would show."""
    with _filters, warnings.catch_warnings(record=True) as shown:
        issue_again(given)
    return shown


@contextmanager
def all_recorded() -> Iterator[list[WarningMessage]]:
    """Record every warning of a task in a worker.

    In a worker process, warnings of other libraries are also recorded, because its main thread runs one task at a time.
    In a worker thread, only the warnings of the package are collected; the filters of the process apply to other
    warnings.
    """
    if threading.current_thread() is not threading.main_thread():
        with collected() as given:
            yield given
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
