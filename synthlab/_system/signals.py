"""Ctrl-C and SIGTERM end a program in one line, with its files whole."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NoReturn

from synthlab._system import atomic_write

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(KeyboardInterrupt):
    """Raised where a signal finds the program; a class of its own, lest Python forget the exit code."""


def run(program: Callable[[], int]) -> int:
    """Run a program and return its exit code; when it is stopped say what was written, and return 128 + the signal."""
    heard: list[int] = []
    said_of_threads = threading.excepthook

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        heard.append(number)
        threading.excepthook = lambda _: None  # what a thread of a library makes of it is of no interest
        raise Stopped

    # A signal that is to be ignored, as in the background of a shell, stays so; only the main thread may listen.
    listens = threading.current_thread() is threading.main_thread()
    earlier = {s: signal.getsignal(s) for s in SIGNALS if listens and signal.getsignal(s) not in (signal.SIG_IGN, None)}
    with atomic_write.noted() as written:
        try:
            for number in earlier:
                signal.signal(number, stop)
            return program()
        except BaseException as error:
            # What a library makes of being stopped, a kernel that died for example, is of no interest.
            if not heard and not isinstance(error, KeyboardInterrupt):
                raise
            for number in earlier:
                signal.signal(number, signal.SIG_IGN)
            return say(written, heard[0] if heard else signal.SIGINT)
        finally:
            threading.excepthook = said_of_threads
            for number, handler in earlier.items():
                signal.signal(number, handler)


def say(written: list[Path], number: int = signal.SIGINT) -> int:
    """Say that the program was stopped and what it has written; return the exit code."""
    if not written:
        done = "nothing was written"
    elif len(written) <= 3:
        done = f"written before: {', '.join(map(str, written))}"
    else:
        done = f"{len(written)} files were written before, the last is {written[-1]}"
    sys.stderr.write(f"error: stopped; {done}\n")
    return 128 + number
