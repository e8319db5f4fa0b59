"""``python -m tests.hostile``: sweep, print the table of outcomes, and write every call to ``build/hostile``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import asdict, fields
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

import numpy as np
import pandas as pd

from tests.hostile.bases import Case
from tests.hostile.listed import reason_for
from tests.hostile.surface import CASES
from tests.hostile.sweep import OUTCOMES, Row, run, tasks


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the choice of calls with --share")
    parser.add_argument("--share", type=float, default=1.0, help="share of the calls that is made")
    parser.add_argument("--only", nargs="*", default=[], help="beginnings of the names of the cases")
    parser.add_argument("--quick", action="store_true", help="leave out the cases whose calls are slow")
    parser.add_argument("--seconds", type=int, default=25, help="a call may take")
    parser.add_argument("--out", type=Path, default=Path("build/hostile"), help="folder of the tables")
    options = parser.parse_args(arguments)
    chosen = [c for c in CASES if not options.only or c.name.startswith(tuple(options.only))]
    rows, timing = sweep([c for c in chosen if not (options.quick and c.few)], options)
    if not rows:
        print("no call was chosen")
        return 2
    faults = report(rows, options.out)
    timing.to_csv(options.out / "seconds.csv", index=False)
    return 1 if faults else 0


def sweep(cases: list[Case], options: argparse.Namespace) -> tuple[list[Row], pd.DataFrame]:
    """Make the calls, and take the time of each case."""
    options.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(options.seed)
    rows, times = [], []
    for case in cases:
        start, every = time.monotonic(), tasks(case)
        picked = [task for task, draw in zip(every, rng.random(len(every)), strict=True) if draw < options.share]
        new = list(run(case, picked, options.seconds)) if picked else []
        rows += new
        times.append({"case": case.name, "calls": len(new), "seconds": round(time.monotonic() - start, 1)})
        write(rows, options.out)  # after every case: a sweep that is stopped leaves what it found
        bad = sum(row.fault and reason_for(row) is None for row in new)
        print(
            f"{case.name}: {len(new)} calls, {times[-1]['seconds']:g} s{f', {bad} faults' if bad else ''}", flush=True
        )
    return rows, pd.DataFrame(times)


def write(rows: list[Row], folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Write every call, and the faults that have no reason, and return both tables."""
    table = pd.DataFrame([asdict(row) for row in rows], columns=[f.name for f in fields(Row)])
    table["fault"] = [row.fault for row in rows]
    table["reason"] = [entry.reason if row.fault and (entry := reason_for(row)) else "" for row in rows]
    faults = table[table["fault"] & (table["reason"] == "")]
    table.to_csv(folder / "calls.csv", index=False)
    faults.to_csv(folder / "faults.csv", index=False)
    return table, faults


def report(rows: list[Row], folder: Path) -> int:
    """Print the outcomes, and return the number of faults that have no reason."""
    table, faults = write(rows, folder)
    counts = table["outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0)
    silent = table[(table["outcome"] == "returned") & (table["what"] != "")]
    print(f"\n{len(table):,} calls of {table['case'].nunique()} cases")
    print(counts.to_string(header=False))
    if len(silent):
        print("\nof those that returned, silently wrong")
        print(silent["what"].value_counts().to_string(header=False))
    kept = table[table["reason"] != ""]
    print(f"\nfaults let pass with a reason: {len(kept)}; faults: {len(faults)}")
    if len(faults):
        print(
            faults[["case", "parameter", "value", "outcome", "what", "text"]]
            .head(60)
            .to_string(index=False, max_colwidth=70)
        )
    return len(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
