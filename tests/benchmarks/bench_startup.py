"""What starting costs: importing the package, and the help of the command line, beside Python itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of

STARTED = {
    "import synthlab": ["-c", "import synthlab"],
    "synthlab --help": ["-m", "synthlab.cli", "--help"],
    "synthlab evaluate --help": ["-m", "synthlab.cli", "evaluate", "--help"],
    "import synthlab and pandas": ["-c", "import synthlab, pandas"],
    "a first match risk": [
        "-c",
        "import pandas as pd, synthlab as sl; f = pd.DataFrame({'a': [1, 2], 'b': [1, 1]});"
        "sl.identification_risk(f, f, sl.Intruder(known=['b'], synthesized=['a']))",
    ],
}


def seconds_of(words: list[str]) -> float:
    command = [sys.executable, *words]
    return best_of(lambda: subprocess.run(command, check=True, capture_output=True), repeats=5)[0]


def run() -> Iterator[Row]:
    nothing = seconds_of(["-c", "pass"])
    for what, words in STARTED.items():
        yield Row(what, 1, seconds_of(words), "python -c pass", nothing, "elapsed, a process of its own")
