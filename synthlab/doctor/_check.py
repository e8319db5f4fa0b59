"""One thing looked for, and the ways to look for it that end in time."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from synthlab.exceptions import SynthlabError

State: TypeAlias = Literal["ok", "missing", "other version", "broken"]
SECONDS = 60.0  # for a process that is asked
SYSTEM = sys.platform


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked for.

    Attributes
    ----------
    name : str
        The thing looked for.
    state : {"ok", "missing", "other version", "broken"}
        The finding.
    found : str
        Version or place; empty if missing.
    cost : str
        The parts that do not work without it; empty if all is well.
    mend : str
        The command that fixes it; empty if all is well.
    required : bool
        Whether the package cannot do its main work without it.
    """

    name: str
    state: State
    found: str = ""
    cost: str = ""
    mend: str = ""
    required: bool = False


def by_system(linux: str, mac: str, windows: str) -> str:
    """Return the command for this operating system; that for Debian and Ubuntu where it is none of the three."""
    return {"darwin": mac, "win32": windows}.get(SYSTEM, linux)


def ask(code: str, seconds: float | None = None) -> tuple[str, str]:
    """Run Python code in a process of its own; return what it printed and what went wrong, one of them empty.

    Parameters
    ----------
    code : str
    seconds : float, optional
        The time it may take; by default `SECONDS`.
    """
    seconds = SECONDS if seconds is None else seconds
    command = [sys.executable, "-c", code]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer in {seconds:.0f} s"
    except OSError as error:
        return "", str(error)
    if done.returncode:
        lines = done.stderr.split("\n")
        return "", next((line.strip() for line in reversed(lines) if line.strip()), f"exit code {done.returncode}")
    return done.stdout.strip(), ""


def within(
    seconds: float, groups: Mapping[str, Callable[[], list[Check]]], required: Collection[str] = ()
) -> list[Check]:
    """Run groups of checks beside each other, and return what they found, in their order.

    A group that fails, or that does not end in time, is a check of its own that says so; the others are not lost.

    Parameters
    ----------
    seconds : float
        The time all of them may take together.
    groups : mapping of {str: callable}
        Functions without arguments that return checks.
    required : collection of str
        The groups without which nothing is known about what the package cannot work without.

    Examples
    --------
    >>> from synthlab.doctor import Check, within
    >>> found = within(60.0, {"good": lambda: [Check("good", "ok")], "bad": lambda: [Check("bad", 1 / 0)]})
    >>> [check.state for check in found]
    ['ok', 'broken']
    """
    found: dict[str, list[Check]] = {}

    def failed(name: str, said: str) -> Check:
        cost = f"nothing is known about it ({said})"
        return Check(name, "broken", "", cost, "synthlab doctor --json", required=name in required)

    def run(name: str, look: Callable[[], list[Check]]) -> None:
        try:
            found[name] = look()
        except SynthlabError as error:
            found[name] = [failed(name, str(error))]
        except Exception as error:  # noqa: BLE001 - a check that fails is a finding; its text may hold anything
            found[name] = [failed(name, type(error).__name__)]

    threads = {name: threading.Thread(target=run, args=(name, look), daemon=True) for name, look in groups.items()}
    for thread in threads.values():
        thread.start()
    waited = threading.Event()
    timer = threading.Timer(seconds, waited.set)
    timer.daemon = True
    timer.start()
    for thread in threads.values():
        while thread.is_alive() and not waited.is_set():
            thread.join(0.05)
    timer.cancel()
    return [check for name in groups for check in found.get(name, [failed(name, f"no answer in {seconds:.0f} s")])]
