"""Coverage of 95 % intervals from synthetic data."""

from synthlab.replication.coverage.counting import repeated_intervals
from synthlab.replication.coverage.nested import recorded_nested, simulate_nested
from synthlab.replication.coverage.study import (
    STUDY,
    CoverageResult,
    recorded,
    run,
    simulate_coverage,
    summary,
)

__all__ = [
    "STUDY",
    "CoverageResult",
    "recorded",
    "recorded_nested",
    "repeated_intervals",
    "run",
    "simulate_coverage",
    "simulate_nested",
    "summary",
]
