"""Synthesize survey files as they are, by `synthesize` and by R's synthpop with default arguments, and measure both.

    python data/whole_files/record.py FOLDER [NAME ...] [--limit SECONDS]

FOLDER gets the files, which are not part of this repository (they come with R packages, or with `synthlab.datasets`), and the
synthetic ones. The measures go to whole_files.csv beside this script: numbers alone. Seconds are those of the CPU; synthpop is
stopped when it has used as many as the limit, and the table says at which variable it was.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning

HERE = Path(__file__).resolve().parent
TABLE = HERE / "whole_files.csv"
M, SEED = 3, 1
MISSING = "category"
LIMIT = 900  # seconds of CPU


@dataclass(frozen=True)
class File:
    """A file, what an intruder knows of it and wants to know, and where it is from."""

    source: str
    known: Sequence[str]
    target: str


FILES = {
    "survey": File("MASS::survey", ["Sex", "Age", "Exer", "W.Hnd"], "Smoke"),
    "Chile": File("carData::Chile", ["region", "sex", "age", "education"], "vote"),
    "SD2011": File("synthpop::SD2011", ["sex", "age", "region", "placesize"], "trust"),
    "affairs": File("affairs", ["age", "yrs_married", "children", "educ"], "rate_marriage"),
    "anes96": File("anes96", ["age", "educ", "income"], "vote"),
    "acs": File("acs", ["SEX", "RACE", "MAR", "LANX"], "SCH"),
}


def bring(name: str, folder: Path) -> Path:
    """Write a file into the folder, and return its path."""
    path, source = folder / f"{name}.csv", FILES[name].source
    if "::" in source:
        code = 'write.csv(eval(parse(text = commandArgs(TRUE)[1])), commandArgs(TRUE)[2], row.names = FALSE, na = "")'
        subprocess.run(["Rscript", "-e", code, source, str(path)], check=True)
    else:
        sl.datasets.load(source).frame.to_csv(path, index=False)
    return path


def by_synthpop(path: Path, folder: Path, limit: int) -> tuple[list[Path], dict[str, object]]:
    """Return the datasets of synthpop, none where it was stopped, with its version and the seconds it took."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["Rscript", str(HERE / "syn.R"), str(path), str(M), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    version, *visited = done.stdout.split()
    row: dict[str, object] = {"program": f"synthpop {version}"}
    if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
        return [], {**row, "cpu_seconds": limit, "note": f"stopped at the limit, at {visited[-1]}"}
    done.check_returncode()
    paths = [folder / f"synthpop_{number}.csv" for number in range(1, M + 1)]
    return paths, {**row, "cpu_seconds": float((folder / "synthpop.txt").read_text())}


def measures(frame: pd.DataFrame, release: sl.Release, file: File) -> dict[str, float]:
    """Return what utility and risk say of a release."""
    intruder = sl.Intruder(known=file.known, synthesized=[file.target], missing=MISSING)
    pairs = sl.table_utility(frame, release, missing=MISSING).summary()
    two = pairs[[" x " in str(name) for name in pairs.index]]
    uniques = sl.replicated_uniques(frame, release, intruder).summary()
    disclosed = sl.attribute_disclosure(frame, release, intruder, target=file.target).summary()
    return {
        "pmse_ratio": float(np.mean(sl.pmse(frame, release, missing=MISSING).ratio)),
        "pairs_total_variation": float(two["total_variation"].mean()),
        "pairs_expected": float(two["expected_total_variation"].mean()),
        "rep_u": float(uniques["repU"].mean()),
        "disco": float(disclosed["DiSCO"].mean()),
        "unique_copies": float(np.mean(sl.exact_copies(frame, release).unique_copies)),
    }


def record(name: str, folder: Path, limit: int) -> list[dict[str, object]]:
    """Return the rows of one file."""
    file, path = FILES[name], bring(name, folder)
    frame = sl.read(path)
    first = {"file": name, "source": file.source, "n": len(frame), "variables": frame.shape[1], "m": M}
    sl.synthesize(frame.head(50), m=1, rng=SEED, identifiers="drop")  # what is imported once is no part of the time
    start = time.process_time()
    release = sl.synthesize(frame, m=M, rng=SEED, identifiers="drop")
    mine = {"program": f"synthlab {sl.__version__}", "cpu_seconds": time.process_time() - start}
    paths, theirs = by_synthpop(path, folder / name, limit)
    rows = [{**first, **mine, **measures(frame, release, file), "note": ""}]
    other = measures(frame, sl.Release.from_files(paths, like=frame), file) if paths else {}
    return [*rows, {**dict.fromkeys(rows[0]), **first, **theirs, **other}]


def main(arguments: list[str]) -> None:
    """Record the named files, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=int, default=LIMIT, help="seconds of CPU that synthpop may take")
    options = parser.parse_args(arguments)
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", SynthlabWarning)
    for name in options.names or FILES:
        rows = pd.DataFrame(record(name, folder, options.limit))
        known = pd.read_csv(TABLE) if TABLE.exists() else rows.head(0)
        table = pd.concat([known[known["file"] != name], rows]) if len(known) else rows
        table = table.set_index("file").loc[[n for n in FILES if n in set(table["file"])]].reset_index()
        table.to_csv(TABLE, index=False, float_format="%.6g", lineterminator="\n")
        print(rows.T.to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
