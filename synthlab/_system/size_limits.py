"""Upper bounds of integer arguments and of objects in memory.

Larger values are rejected because the computation would take days or exceed the memory. Realistic studies stay far
below the bounds.
"""

from __future__ import annotations

# Bounds by name of the argument, in every function.
COUNTS: dict[str, int] = {
    "m": 10_000,  # datasets of a release, each held in memory
    "draws": 1_000_000,  # posterior draws of a chain, or simulated datasets
    "tune": 1_000_000,  # draws that a chain discards
    "chains": 1_000,
    "thin": 10_000,  # iterations per draw
    "classes": 10_000,  # of a mixture
    "clusters": 10_000,
    "resamples": 1_000_000,
    "permutations": 100_000,
    "runs": 10_000_000,  # of a mechanism that is audited
    "starts": 10_000,  # of a search
    "max_fits": 1_000,
    "max_iterations": 1_000_000,
    "max_tries": 1_000_000,
    "grid": 100_001,  # points
    "probabilities": 1_000_001,  # points
    "bins": 10_000,
    "lags": 1_000_000,
    "largest": 1_000_000,  # rows of a table of sizes
    "size": 10_000_000,  # random numbers drawn at once
}
WHOLE = 2**53  # bound of all other ints, which are exact as floats

RECORDS = 10_000_000  # of a simulated dataset
KNOTS = 100  # degrees of freedom of a spline, or degree of a polynomial, in a formula
TERMS = 5_000  # terms of a formula after expansion of products
DESIGN_COLUMNS = 10_000  # columns of a formula, including the levels of its categories
DESIGN_CELLS = 200_000_000  # records times columns: 1.6 gigabytes
COMBINATIONS = 1_000_000  # settings of a search
