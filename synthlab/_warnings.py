"""Issue, collect and silence warnings, also while several threads run.

`warnings.catch_warnings` changes the filters of the whole process. Two threads that use it at the same time lose
warnings and leave other filters behind (Python before 3.14). Therefore this is the only module of the package that
imports `warnings`. The package's own warnings are collected and silenced by a context variable, which each thread has
for itself. The filters are changed only for warnings of other libraries, by one thread at a time.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, TypeAlias, cast

from synthlab.exceptions import SynthlabWarning

WarningMessage = warnings.WarningMessage
Receiver: TypeAlias = tuple[type[Warning], ...] | list[WarningMessage]  # categories to drop, or a list that collects

_receivers: ContextVar[tuple[Receiver, ...]] = ContextVar("receivers", default=())  # the innermost is the last
_filters = threading.RLock()  # held while the filters of the process are changed, and while a warning is issued


def warn(message: str, category: type[Warning], stacklevel: int = 1) -> None:
    """Issue a warning of the package, or collect or drop it where the caller has asked for that.

    Parameters
    ----------
    message : str
    category : type of Warning
        A subclass of `SynthlabWarning`.
    stacklevel : int, default 1
        The number of frames up to the line that the warning names; 1 is the line that calls `warn`.
    """
    receiver = _receiver(category)
    if receiver is None:
        with _filters:
            warnings.warn(message, category, stacklevel=stacklevel + 1)
    elif isinstance(receiver, list):
        filename, line = _line(stacklevel + 1)
        receiver.append(WarningMessage(category(message), category, filename, line))


def issue_again(given: Iterable[WarningMessage], registry: dict[Any, int] | None = None) -> None:
    """Issue collected warnings at the lines they name; a registry lets a filter show repeated ones once."""
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


def _line(depth: int) -> tuple[str, int]:
    """Return the file and the line of a frame, counted from the caller of this function, which is 1."""
    try:
        frame = sys._getframe(depth)
    except ValueError:  # the caller is the outermost frame
        return "sys", 1
    return frame.f_code.co_filename, frame.f_lineno


@contextmanager
def _receiving(receiver: Receiver) -> Iterator[None]:
    token = _receivers.set((*_receivers.get(), receiver))
    try:
        yield
    finally:
        _receivers.reset(token)


@contextmanager
def collected() -> Iterator[list[WarningMessage]]:
    """Collect the warnings of the package in a list, whatever the filters are, instead of issuing them."""
    given: list[WarningMessage] = []
    with _receiving(given):
        yield given


@contextmanager
def quiet(*kinds: type[SynthlabWarning]) -> Iterator[None]:
    """Drop warnings of the package, by default all, because the result contains or measures what they say."""
    with _receiving(kinds or (SynthlabWarning,)):
        yield


@contextmanager
def library_warnings(
    action: Literal["ignore", "error"], category: type[Warning] = Warning, *messages: str
) -> Iterator[None]:
    """Ignore warnings of other libraries, or raise them as errors, while no other thread changes the filters.

    Keep the block short: other threads that issue a warning wait for its end. The block must not wait for other threads.

    Parameters
    ----------
    action : {"ignore", "error"}
    category : type of Warning, default Warning
    *messages : str
        Regular expressions, one of which the beginning of the message matches; by default any message.
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

    The main thread of a worker process works on one task at a time, so warnings of other libraries are recorded as well.
    A worker that is a thread collects the warnings of the package, and the filters of its process apply to others.
    """
    if threading.current_thread() is not threading.main_thread():
        with collected() as given:
            yield given
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
