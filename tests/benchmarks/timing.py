"""Timing and R from the benchmarks."""

from __future__ import annotations

import resource
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable
from typing import Any

from synthlab.exceptions import SynthlabWarning


def best_of(
    action: Callable[[], Any], repeats: int = 3, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """Return the shortest of a few runs in seconds, and the last answer."""
    times = []
    for _ in range(repeats):
        start = clock()
        answer = action()
        times.append(clock() - start)
    return min(times), answer


def peak_memory_gb() -> float:
    """Return the peak resident memory of this process in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def r_seconds(script: str, *arguments: str, package: str | None = None) -> tuple[float | None, str]:
    """Run an R script that prints ``seconds <number>`` last; return the number and, without one, the reason."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return None, "R is not on PATH"
    if package is not None:
        probe = subprocess.run(
            [rscript, "-e", f"quit(status = !requireNamespace('{package}', quietly = TRUE))"], check=False
        )
        if probe.returncode:
            return None, f"the R package {package} is not installed"
    done = subprocess.run([rscript, "-e", script, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, f"R failed: {done.stderr.strip().splitlines()[-1]}"
    return float(done.stdout.rsplit("seconds", 1)[1]), ""


def quietly(action: Callable[[], object]) -> Callable[[], object]:
    """Return the action without warnings: the chains are short here, and timed only."""

    def run_it() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SynthlabWarning)
            return action()

    return run_it
