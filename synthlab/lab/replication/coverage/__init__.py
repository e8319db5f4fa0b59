"""Coverage of 95 % intervals from synthetic data."""

from synthlab.lab.replication.coverage.counting import repeated_intervals
from synthlab.lab.replication.coverage.study import (
    STUDY,
    CoverageResult,
    page,
    recorded,
    run,
    simulate_coverage,
    summary,
)

__all__ = ["STUDY", "CoverageResult", "page", "recorded", "repeated_intervals", "run", "simulate_coverage", "summary"]
