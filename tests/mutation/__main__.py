"""Plant small faults in the rooms whose numbers matter, and see which ones no test notices.

The faults of a file are put in an order drawn by the seed, and the first few are tried, each in a forked process with
the tests that meet its line, the quick ones first. No file of the package is changed. What is done is kept in
build/mutation; the verdicts on survivors are in tests/mutation/verdicts.toml; `--record` keeps the table in
tests/mutation.md.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # a fork with threads in it may hang
    os.environ[variable] = "1"
os.environ["MPLBACKEND"] = "agg"

from tests.mutation import child, mutants, table, touched  # noqa: E402 - the libraries read the environment on import

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutation"
ROOMS = ("risk", "weights", "utility", "counts", "dp")
SINGLE = {
    "shared matching": (
        "synthlab/_boxes.py",
        "synthlab/_codes.py",
        "synthlab/_halving.py",
        "synthlab/_matching.py",
        "synthlab/_pairs.py",
    ),
    "release": ("synthlab/release.py", "synthlab/_folder.py"),
    "replication": ("synthlab/lab/replication/checkpoints.py",),
}
TESTS = {
    "release": (
        *("tests/test_release.py", "tests/test_release_input.py", "tests/test_release_rows.py", "tests/test_csv.py"),
        *("tests/test_release_folder.py", "tests/test_release_private.py", "tests/test_release_damage.py"),
    ),
    "replication": (
        "tests/lab/replication/test_checkpoints.py",
        "tests/lab/replication/test_checkpoints_of_objects.py",
    ),
}


def files_by_room() -> dict[str, list[str]]:
    """Return the files of each room that are mutated."""
    rooms = {room: _python(f"synthlab/{room}") for room in ROOMS}
    return {room: list(files) for room, files in SINGLE.items()} | rooms


def test_files(rooms: Iterable[str]) -> list[str]:
    """Return the tests of the rooms and the modules with examples; what the rooms share is tested in all of them."""
    rooms = list(rooms)
    folders = [room for room in ROOMS if room in rooms or "shared matching" in rooms]
    named = [file for room in folders for file in _python(f"tests/{room}") if Path(file).name.startswith("test_")]
    modules = [file for room, files in files_by_room().items() if room in {*rooms, *folders} for file in files]
    named += [file for room in rooms for file in TESTS.get(room, ())]
    # Results are drawn in the first; the others ask everything, see what results print, and what is refused.
    named += [file for file in _python("tests/plots") if Path(file).name.startswith("test_")]
    named += ["tests/recorded/test_returned.py", "tests/recorded/test_refused.py"]
    return [*named, *(file for file in modules if ">>> " in (ROOT / file).read_text(encoding="utf-8"))]


def _python(folder: str) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).glob("*.py"))


class Runner:
    """Tries mutants one after the other, and appends what came out to a file of results."""

    def __init__(self, seen: touched.Touched, results: Path, limit: float, name: str) -> None:
        self.seen, self.results, self.limit = seen, results, limit
        self.log = BUILD / f"{name}.log"
        self.sound: set[str] = set()

    def try_all(self, chosen: Iterable[mutants.Mutant]) -> None:
        for mutant in chosen:
            began = time.monotonic()
            result, by, asked = self._try(mutant)
            row = {**asdict(mutant), "stamp": stamp(mutant.file), "result": result, "by": by, "asked": asked}
            with self.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**row, "seconds": round(time.monotonic() - began, 1)}) + "\n")
            print(f"{result:9} {mutant.file}:{mutant.first} {mutant.where}: {mutant.change}  {by or asked}", flush=True)

    def _try(self, mutant: mutants.Mutant) -> tuple[str, str | None, int]:
        """Return what came out, the test that killed, and how many tests were asked."""
        tree = mutants.planted(ROOT, mutant)
        while True:
            order = [name for name in self.seen.order(mutant, self.limit) if name not in self.seen.failing]
            if not order:
                return "survived", None, 0
            cpu = 30.0 + 4.0 * sum(self.seen.seconds[name] for name in order)
            outcome = child.run(ROOT, order, log=self.log, cpu=cpu, file=mutant.file, tree=tree)
            if outcome.code is None:
                return "time", None, len(order)
            if outcome.code == 0:
                return "survived", None, len(order)
            if outcome.failed in ("import", None):
                return "killed", "import", len(order)
            if self._is_sound(outcome.failed, order):
                return "killed", outcome.failed, len(order)

    def _is_sound(self, failed: str, order: list[str]) -> bool:
        """Say whether the test that killed passes without the fault; if not, it is asked no more."""
        if failed not in self.sound:
            before = order[: order.index(failed) + 1] if failed in order else order
            if child.run(ROOT, before, log=self.log, cpu=600).code == 0:
                self.sound.add(failed)
            else:
                self.seen.failing.add(failed)
        return failed in self.sound


def stamp(file: str) -> str:
    return hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]


def read_results(path: Path) -> dict[tuple[str, int, int, str], dict[str, Any]]:
    """Return the last result of each mutant of the files as they are."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return {identity(row): row for row in rows if stamp(row["file"]) == row["stamp"]}


def identity(row: dict[str, Any]) -> tuple[str, int, int, str]:
    return row["file"], row["site"], row["variant"], row["change"]


def main(arguments: list[str] | None = None) -> int:
    options = _read(arguments)
    BUILD.mkdir(parents=True, exist_ok=True)
    results = BUILD / f"seed-{options.seed}.jsonl"
    rooms = files_by_room()
    room_of = {file: room for room, files in rooms.items() for file in files}
    files = [file for file in room_of if not options.files or any(name in file for name in options.files)]
    chosen = [m for file in files for m in mutants.sample(ROOT, file, seed=options.seed, size=options.each)]
    if not (options.resume or options.survivors or options.table):
        results.unlink(missing_ok=True)
    done = read_results(results)
    if not options.table:
        waiting = [m for m in chosen if (row := done.get(identity(asdict(m)))) is None or _again(row, options)]
        child.warm()
        seen = touched.Touched(ROOT, BUILD / "touched", test_files({room_of[file] for file in files}))
        print(f"{len(waiting)} mutants of {len(files)} files; {len(seen.seconds)} tests", flush=True)
        print(f"not asked, for they fail alone: {sorted(seen.failing)}", flush=True)
        _try_in(options.jobs, waiting, seen, results, options.time_limit)
        done = read_results(results)
    rows = [{**done[i], "room": room_of[m.file]} for m in chosen if (i := identity(asdict(m))) in done]
    text = table.page(
        rows,
        table.read_verdicts(Path(__file__).with_name("verdicts.toml")),
        _head(options, len(files), len(rows), len(chosen)),
    )
    kept = ROOT / "tests" / "mutation.md" if options.record else BUILD / "table.md"
    kept.write_text(text, encoding="utf-8")
    print(next(line for line in text.splitlines() if line.startswith("| **all**")), f"\n{kept.relative_to(ROOT)}")
    return 0


def _again(row: dict[str, Any], options: argparse.Namespace) -> bool:
    return bool(options.survivors and row["result"] == "survived")


def _try_in(jobs: int, waiting: list[mutants.Mutant], seen: touched.Touched, results: Path, limit: float) -> None:
    """Share the mutants out to so many forked processes."""
    children = []
    for number in range(jobs):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                Runner(seen, results, limit, f"job-{number}").try_all(waiting[number::jobs])
                code = 0
            finally:
                os._exit(code)
        children.append(pid)
    if any(os.waitpid(pid, 0)[1] for pid in children):
        raise SystemExit("a process of the run ended before its mutants did; go on with --resume")


def _head(options: argparse.Namespace, files: int, tried: int, chosen: int) -> Iterator[str]:
    commit = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    )
    yield f"{datetime.date.today()}, commit {commit.stdout.strip()}, seed {options.seed}: {options.each} mutants a file, "
    yield f"{files} files, {tried} of the {chosen} tried, tests of {options.time_limit:g} seconds a mutant at most. Made by `make mutate`; the verdicts "
    yield "are written by hand in `tests/mutation/verdicts.toml`."


def _read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutation", description=__doc__.split("\n\n")[0] if __doc__ else ""
    )
    parser.add_argument("--seed", type=int, default=1, help="draws which mutants are tried (1)")
    parser.add_argument("--files", nargs="+", metavar="TEXT", help="only files whose path has one of these in it")
    parser.add_argument("--each", type=int, default=8, help="mutants a file (8)")
    parser.add_argument(
        "--time-limit", type=float, default=40.0, metavar="SECONDS", help="of tests for one mutant (40)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was interrupted")
    parser.add_argument("--survivors", action="store_true", help="like --resume, and try the survivors again")
    parser.add_argument("--table", action="store_true", help="only write the table of what is done")
    parser.add_argument("--record", action="store_true", help="write the table to tests/mutation.md")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
