"""Handling of Ctrl-C and SIGTERM.

The program ends with one line on stderr and without incomplete files.
"""

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
    """Exception raised by a signal.

    A plain KeyboardInterrupt would make Python replace the exit code.
    """


def run(program: Callable[[], int]) -> int:
    """Run a program and return its exit code, or 128 + the signal if it is stopped.

    If the program is stopped, a line on stderr names the written files.
    """
    heard: list[int] = []
    said_of_threads = threading.excepthook

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        heard.append(number)
        threading.excepthook = lambda _: None  # errors in threads of libraries only result from stopping
        raise Stopped

    # Ignored signals, as for background jobs of a shell, stay ignored; only the main thread can set handlers.
    listens = threading.current_thread() is threading.main_thread()
    earlier = {s: signal.getsignal(s) for s in SIGNALS if listens and signal.getsignal(s) not in (signal.SIG_IGN, None)}
    with atomic_write.noted() as written:
        try:
            for number in earlier:
                signal.signal(number, stop)
            return program()
        except BaseException as error:
            # Other errors after a signal, for example about a dead kernel, only result from stopping.
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
    """Report that the program was stopped; return the exit code."""
    if not written:
        done = "nothing was written"
    elif len(written) <= 3:
        done = f"written before: {', '.join(map(str, written))}"
    else:
        done = f"{len(written)} files were written before, the last one is {written[-1]}"
    sys.stderr.write(f"error: stopped; {done}\n")
    return 128 + number
