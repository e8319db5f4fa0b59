"""``python -m tests.mutation --n 20 --seed 1 synthlab/weights``: plant small faults and count those that a test notices.

Each mutant is one change in a temporary copy of the repository. The test files of its folder that execute the changed line
run until one fails, those that mention the changed function or module first. All files run for a line that is executed on
import, or only in compiled code or other processes. Tests that fail without a fault are left out. The tests are those of `make test`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from coverage import CoverageData
from scipy.stats import binomtest

from tests.mutation.mutants import Mutant, draw

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [
    f"synthlab/{name}"
    for name in (
        "risk",
        "weights",
        "utility",
        "counts",
        "dp",
        "synthesizers",
        "synthesis",
        "report",
        "r",
        "io",
        "scale",
    )
]
SHARED = ["tests/recorded/test_returned.py"]  # calls everything that is public
LEVEL = ("--level", "test")  # the tests of make test
COPIED = ("synthlab", "tests", "conftest.py", "pyproject.toml")


def tests_of(folder: str) -> list[str]:
    """Return the test files of a folder or module of the package: by its name, and those that call everything."""
    name = Path(folder).relative_to("synthlab").with_suffix("").parts[0].strip("_")
    found = [*(ROOT / "tests" / name).rglob("test_*.py"), *(ROOT / "tests").glob(f"test_{name}*.py")]
    return [str(path.relative_to(ROOT)) for path in sorted(found)] + SHARED


def ordered(mutant: Mutant, tests: list[str]) -> list[str]:
    """Return the tests, those first that mention the changed function most often, then the module."""
    words = [re.compile(rf"\b{re.escape(word)}\b") for word in (mutant.function, mutant.file.stem) if word]

    def mentions(test: str) -> list[int]:
        text = (ROOT / test).read_text(encoding="utf-8")
        return [-len(word.findall(text)) for word in words]

    return sorted(tests, key=mentions)


def executing(mutant: Mutant, tests: list[str], contexts: dict[int, list[str]]) -> list[str]:
    """Return the test files that execute the line of a mutant, or the last line above it that any file executes."""
    line = next((line for line in range(mutant.line, 0, -1) if line in contexts), 0)
    found = contexts.get(line, [""])
    return tests if "" in found else [test for test in tests if test.partition("::")[0] in found]


def run(
    copied: Path, tests: list[str], seconds: float, *options: str, cache: Path, measured: str = ""
) -> tuple[int | None, str]:
    """Return the exit code of pytest in the copy (None after the time limit) and what it printed.

    The coverage of the files that match `measured` by test files is written to ``.coverage``.
    """
    environment = {
        **os.environ, "PYTHONPATH": str(copied), "NUMBA_CACHE_DIR": str(cache), "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg",
    }  # fmt: skip
    command = [sys.executable, "-m"]
    if measured:
        command += ["coverage", "run", "--data-file=.coverage", f"--include={measured}", "-m"]
        options += ("-p", "tests.mutation.contexts")
    command += ["pytest", "-q", "-n0", "-p", "no:cacheprovider", "--tb=no", *options, *tests]
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, cwd=copied, env=environment, stdout=out, stderr=out, start_new_session=True)
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            code = None
        out.seek(0)
        return code, out.read()


def outcomes(folder: str, options: argparse.Namespace, copied: Path) -> list[tuple[Mutant, str]]:
    """Try the mutants of a folder, and return what came of each."""
    tests, warm = options.tests or tests_of(folder), copied.parent / "numba"
    code, printed = run(
        copied, tests, 3600, *LEVEL, cache=warm, measured=folder if folder.endswith(".py") else f"{folder}/*"
    )
    failing = re.findall(r"^(?:FAILED|ERROR) (\S+)", printed, re.MULTILINE)
    skipped = [word for test in failing for word in ("--deselect", test)]
    if code not in (0, 1):
        raise SystemExit(f"{folder}: the tests did not run without a fault (exit code {code}):\n{printed[-2000:]}")
    print(f"{folder}: {len(tests)} files of tests; exit code {code}; left out because they fail: {failing}", flush=True)
    found, covered = [], CoverageData(str(copied / ".coverage"))
    covered.read()
    for number, mutant in enumerate(draw(ROOT / folder, options.n, options.seed), 1):
        place, began = copied / mutant.file.relative_to(ROOT), time.monotonic()
        cache = copied.parent / f"numba-{number}" if "@compiled" in mutant.source else warm
        chosen = executing(mutant, tests, covered.contexts_by_lineno(str(place)))
        place.write_text(mutant.source, encoding="utf-8")
        code, printed = run(copied, ordered(mutant, chosen), options.seconds, "-x", *LEVEL, *skipped, cache=cache)
        shutil.copy2(mutant.file, place)
        found.append((mutant, {0: "survived", None: "time limit"}.get(code, "killed")))
        by = re.search(r"^(?:FAILED|ERROR) (\S+)", printed, re.MULTILINE)
        print(
            f"{found[-1][1]:10} {time.monotonic() - began:4.0f} s  {described(mutant)}  {by[1] if by else ''}",
            flush=True,
        )
    return found


def described(mutant: Mutant) -> str:
    before, after = (" ".join(text.split())[:80] for text in (mutant.before, mutant.after))
    return f"{mutant.file.relative_to(ROOT)}:{mutant.line} {mutant.function}: {before} -> {after}"


def row(name: str, results: list[str]) -> str:
    """Return a row of the table; a mutant whose tests exceed the time limit counts as alive."""
    killed = results.count("killed")
    low, high = binomtest(killed, len(results)).proportion_ci(method="wilson")
    share = f"{killed / len(results):7.1%}  {low:.1%} to {high:.1%}"
    return f"{name:36} {len(results):7} {killed:7} {len(results) - killed:9} {share}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("folders", nargs="*", default=FOLDERS, help="folders or modules of the package (all of them)")
    parser.add_argument("--n", type=int, default=20, help="mutants per folder (20)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw of mutants (1)")
    parser.add_argument("--seconds", type=float, default=900, help="time limit of the tests of one mutant (900)")
    parser.add_argument("--tests", nargs="+", metavar="FILE", help="test files to run (those of the folder)")
    options = parser.parse_args(arguments)
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        copied = Path(temporary) / "repository"
        copied.mkdir()
        for path in ROOT.iterdir():
            if path.name not in COPIED and path.name not in (".git", "build"):
                (copied / path.name).symlink_to(path)
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copied / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(ROOT / name, copied / name)
        for folder in options.folders:
            found[folder] = outcomes(folder.rstrip("/"), options, copied)
    print(f"\n{'folder':36} mutants  killed  survived  killed   95% interval (Wilson)")
    for folder, results in found.items():
        print(row(folder, [outcome for _, outcome in results]))
    if len(found) > 1:
        print(row("all", [outcome for results in found.values() for _, outcome in results]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
