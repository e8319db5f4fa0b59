"""Upper bounds of integer arguments, and of what is built in memory at once.

A number beyond its bound is refused before any work, as it would run for days or end in a lack of memory. The bounds are
wide: a sensible study does not meet them.
"""

from __future__ import annotations

# By the name of the argument, in every function.
COUNTS: dict[str, int] = {
    "m": 10_000,  # datasets of a release, each held in memory
    "draws": 1_000_000,  # posterior draws of a chain, or simulated datasets
    "tune": 1_000_000,  # draws that a chain drops
    "chains": 1_000,
    "thin": 10_000,  # iterations a draw
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
WHOLE = 2**53  # every other int: each up to here is a float as well

RECORDS = 10_000_000  # of a simulated dataset
KNOTS = 100  # degrees of freedom of a spline, or degree of a polynomial, in a formula
TERMS = 5_000  # of a formula when its products are multiplied out
DESIGN_COLUMNS = 10_000  # of a formula, the levels of its categories counted
DESIGN_CELLS = 200_000_000  # records times columns: 1.6 gigabytes
COMBINATIONS = 1_000_000  # settings of a search
