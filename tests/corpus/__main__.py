"""Synthesize, evaluate and write real files; print what fails or is lost.

The files come from packages of PyPI, which are installed under build/corpus, and from `tests.corpus.made`. Every file is
limited to 1,500 records and 40 columns. For each file the verdict of the evaluation is printed, and what differs: relations
that the release breaks, and columns whose cells change their form. The exit code is 1 if a file raises an exception that is
not an error of the package.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.corpus import files, made
from tests.corpus.checks import Outcome, examine

FILES = 64
WIDTH = 150  # characters of a problem


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of file names, by default all")
    parser.add_argument("--files", type=int, default=FILES, help="number of files")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    asked = parser.parse_args(arguments)
    files.install()
    paths = [*made.write_all(files.FOLDER / "made"), *files.chosen(10**6 if asked.names else asked.files)]
    paths = [path for path in paths if not asked.names or any(name in path.name for name in asked.names)]
    if not paths:
        print(
            "no files: the packages could not be installed, or no file name contains one of the names", file=sys.stderr
        )
        return 2
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(asked.jobs) as pool:
        for outcome in pool.map(examine, paths):
            outcomes.append(outcome)
            _print(outcome)
    failed = [outcome for outcome in outcomes if outcome.traceback]
    for outcome in failed:
        print(f"\n{outcome.file}\n{outcome.traceback}")
    kinds = ("refused", "type of", "form of", "precisions of", "missing values", "multiples", "first days", "differs")
    counts = [
        (kind, sum(problem.startswith(kind) or f" {kind}" in problem for one in outcomes for problem in one.problems))
        for kind in kinds
    ]
    counts += [
        ("broken relations", sum(one.broken for one in outcomes)),
        ("not named", sum(one.unnamed for one in outcomes)),
    ]
    verdicts = Counter(one.verdict.partition(".")[0] or "none" for one in outcomes)
    print(
        f"{len(outcomes)} files, {len(failed)} tracebacks, "
        + ", ".join(f"{count} {kind}" for kind, count in counts)
        + f", {sum(one.seconds for one in outcomes):.0f} seconds; verdicts: "
        + ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    )
    return 1 if failed else 0


def _print(outcome: Outcome) -> None:
    size = f"{outcome.records:5} x {outcome.columns:2}"
    broken = f"  {outcome.broken} broken" if outcome.broken else ""
    print(f"{outcome.file[:34]:34} {size} {outcome.seconds:6.1f} s  {outcome.verdict}{broken}", flush=True)
    for problem in outcome.problems:
        print(f"    {problem[:WIDTH]}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
