"""Plugin of pytest that records in the coverage data which test file runs a line."""

from __future__ import annotations

import coverage


def pytest_runtest_logstart(nodeid: str) -> None:
    measured = coverage.Coverage.current()
    if measured is None:
        raise RuntimeError("start pytest with `coverage run -m pytest`")
    measured.switch_context(nodeid.partition("::")[0])
