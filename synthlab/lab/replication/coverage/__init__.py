"""Coverage of 95 % intervals from synthetic data."""

from synthlab.lab.replication.coverage.study import (
    CoverageResult,
    recorded,
    repeated_intervals,
    simulate_coverage,
)

__all__ = ["CoverageResult", "recorded", "repeated_intervals", "simulate_coverage"]
