"""Coverage of 95 % intervals from synthetic data."""

from replications.coverage.counting import repeated_intervals
from replications.coverage.nested import recorded_nested, simulate_nested
from replications.coverage.study import (
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
