"""Lipschitz weights of 100,000 records from 5,000 draws, computed in blocks: a matrix of 4 GB that is never there."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np

import synthlab.weights as weights
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of

DRAWS, RECORDS, BLOCK = 5_000, 100_000, 500
# The blocks are those of a normal regression: each is computed when it is asked for.
SCRIPT = """
import json, resource, time
import numpy as np
import synthlab.weights as weights

draws, records, block = {sizes}
rng = np.random.default_rng(1)
y = rng.standard_t(5, records)
mean, sd = rng.normal(0.0, 0.01, draws)[:, None], np.exp(rng.normal(0.0, 0.01, draws))[:, None]

def blocks():
    for start in range(0, records, block):
        yield -np.log(sd) - 0.919 - 0.5 * np.square((y[start : start + block] - mean) / sd)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6

before = peak()
start = time.perf_counter()
found = weights.lipschitz_weights(blocks, n=records, quantile=0.95, progress=False)
middle = time.perf_counter()
for _ in range(2):
    for each in blocks():
        pass
alone = time.perf_counter() - middle
spent = weights.achieved_epsilon(blocks, found.weights, quantile=0.95, progress=False)
print(json.dumps({{"seconds": middle - start, "blocks": alone, "peak": peak(), "before": before, "bound": found.lipschitz_bound,
                   "weighted": spent.lipschitz_bound}}))
"""


def run() -> list[Row]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(sizes=(DRAWS, RECORDS, BLOCK))], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    verdict = "under 1 GB" if found["peak"] < 1.0 else "ABOVE 1 GB"
    rows = [
        Row(
            f"lipschitz_weights, {DRAWS:,} draws in blocks",
            RECORDS,
            found["seconds"],
            "computing the blocks, twice",
            found["blocks"],
            f"peak memory of the process {found['peak']:.2f} GB ({verdict}; {found['before']:.2f} before); the matrix has 4 GB",
        )
    ]
    log = np.random.default_rng(1).normal(-3.0, 1.0, size=(1000, 20_000))
    seconds, answer = best_of(lambda: weights.lipschitz_weights(log, n=20_000, quantile=0.95, progress=False))

    def plain() -> np.ndarray:
        size = np.abs(log)
        largest = size.max(axis=1)
        f = size[largest <= np.quantile(largest, 0.95)].max(axis=0)
        return 1 - (f - f.min()) / (f.max() - f.min())

    other, check = best_of(plain)
    same = "same answer" if np.array_equal(answer.weights, check) else "DIFFERS"
    rows.append(
        Row("lipschitz_weights, 1,000 draws, matrix", 20_000, seconds, "NumPy on the whole matrix", other, same)
    )
    return rows
