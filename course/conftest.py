"""Print what each notebook took, when pytest runs the notebooks; fail when one outgrows a small machine or hangs.

The peak is the largest resident memory of the notebook's kernel, read from the kernel's own process
after each cell. The free Binder service gives a reader 2 GB.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

# The student versions of the homework have empty answers; nbval runs their masters.
collect_ignore_glob = ["homework/*.ipynb"]
COURSE = Path(__file__).resolve().parent
PEAK = "notebook_peak_mb"
LIMIT_MB = 2_000
GOAL_SECONDS = 120
CELL_SECONDS = 300


def pytest_configure(config):
    """Let no cell take longer than CELL_SECONDS: a kernel that died never answers, and nbval waits for 2,000 s.

    A shorter --nbval-cell-timeout is left as it is. Without nbval there is no such option, and no cell.
    """
    if hasattr(config.option, "nbval_cell_timeout"):
        config.option.nbval_cell_timeout = min(config.option.nbval_cell_timeout, CELL_SECONDS)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Attach the peak memory of the kernel to the report of every notebook cell."""
    if call.when == "call" and item.path.suffix == ".ipynb":
        peak = _peak_mb(item.parent)
        if peak is not None:
            item.user_properties.append((PEAK, peak))
    yield


def pytest_terminal_summary(terminalreporter):
    """Print one line a notebook: cells, seconds, peak memory."""
    rows = _collect(terminalreporter)
    if not rows:
        return
    terminalreporter.section("notebooks: time and peak memory")
    for name, (cells, seconds, peak) in sorted(rows.items()):
        memory = f"{peak:6,.0f} MB" if peak else "memory not known"
        slow = "  (over the goal of 2 minutes)" if seconds > GOAL_SECONDS else ""
        large = f"  OVER THE LIMIT of {LIMIT_MB:,} MB" if peak > LIMIT_MB else ""
        terminalreporter.write_line(f"{seconds:6.1f} s  {memory}  {cells:3d} cells  {name}{slow}{large}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """Fail the run when a notebook needs more memory than a reader may have."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    too_large = reporter and any(peak > LIMIT_MB for *_, peak in _collect(reporter).values())
    if too_large and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _collect(reporter):
    rows: dict[str, tuple[int, float, float]] = defaultdict(lambda: (0, 0.0, 0.0))
    for report in (r for reports in reporter.stats.values() for r in reports if hasattr(r, "nodeid")):
        name, _, cell = report.nodeid.partition("::")
        if not name.endswith(".ipynb") or not cell or report.when != "call":
            continue
        cells, seconds, peak = rows[name]
        here = max((value for key, value in report.user_properties if key == PEAK), default=0.0)
        rows[name] = (cells + 1, seconds + report.duration, max(peak, here))
    return rows


def _peak_mb(notebook) -> float | None:
    """Return the peak resident memory of a notebook's kernel in MB; None where the system does not tell."""
    manager = getattr(getattr(notebook, "kernel", None), "km", None)
    pid = getattr(getattr(manager, "provisioner", None), "pid", None)
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return None
    line = next((line for line in status.splitlines() if line.startswith("VmHWM:")), None)
    return None if line is None else int(line.split()[1]) / 1024
