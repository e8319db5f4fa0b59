"""Print the verdict on releases with a known answer, and how often honest releases get STOP or CHECK.

The results are kept in build/verdict: a run with the same code continues an interrupted one. The exit code is 1 if a case
gets a wrong verdict or a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from tests.verdict import honest
from tests.verdict.cases import LEVELS, NUMBERED, Case, all_cases
from tests.verdict.measured import measured

ROOT = Path(__file__).resolve().parents[2]
STOPPED, CHECKED = 0.01, 0.10  # goals: largest shares of honest releases
COPIES, Z = 10, 3.0  # whole copies that must get STOP


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.verdict", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names or kinds of cases, by default all")
    parser.add_argument("--honest", type=int, default=NUMBERED, help="honest releases of each kind of synthesizer")
    parser.add_argument("--half", choices=["A", "B"], help="only the cases that set thresholds (A) or report (B)")
    parser.add_argument("--synthpop", help="folder with recorded releases of R's synthpop (s_*.csv made from c_*.csv)")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--others", action="store_true", help="also run SDMetrics and anonymeter")
    parser.add_argument("--again", action="store_true", help="ignore the results of an interrupted run")
    asked = parser.parse_args(arguments)
    if asked.synthpop:
        os.environ[honest.SYNTHPOP] = asked.synthpop
    cases = [
        case
        for case in all_cases(asked.honest).values()
        if asked.half in (None, case.half)
        and (not asked.names or any(part in (case.name, case.kind) or part in case.name for part in asked.names))
    ]
    lines = results(cases, asked.jobs, asked.others, asked.again)
    return report([(case, lines[case.name]) for case in cases], asked.others)


def results(cases: list[Case], jobs: int, others: bool, again: bool) -> dict[str, dict[str, Any]]:
    """Return the result of each case by its name; those that are written already are not computed again."""
    kept = ROOT / "build" / "verdict" / f"{version()}{'-others' if others else ''}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    if again:
        kept.unlink(missing_ok=True)
    written = [json.loads(one) for one in kept.read_text().splitlines()] if kept.exists() else []
    found = {one["name"]: one for one in written}
    missing = [case for case in cases if case.name not in found]
    print(f"{len(cases)} cases, {len(cases) - len(missing)} of them already in {kept}", flush=True)
    with ProcessPoolExecutor(jobs) as pool, kept.open("a") as file:
        tasks = {pool.submit(_measured, case.name, others): case for case in missing}
        for done, task in enumerate(as_completed(tasks), 1):
            case, line = tasks[task], task.result()
            found[case.name] = line
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(f"[{done}/{len(missing)}] {_sentence(case, line)} ({line['seconds']:.1f} s)", flush=True)
    return found


def _measured(name: str, others: bool) -> dict[str, Any]:
    return measured(all_cases(10**3)[name], others)


def version() -> str:
    """Return a name for the code of the package and of the cases."""
    files = [*sorted((ROOT / "synthlab").rglob("*.py")), *sorted((ROOT / "tests" / "verdict").glob("*.py"))]
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def report(pairs: list[tuple[Case, dict[str, Any]]], others: bool) -> int:
    """Print all cases, the rates on honest releases, and the goals; return 1 if one is missed."""
    print("\nEach case: half, name, expected and actual verdict, worst finding")
    for case, line in sorted(pairs, key=lambda pair: (pair[0].kind, pair[0].name)):
        print(f"{case.half} {_sentence(case, line)}")
    leaks = [(case, line) for case, line in pairs if not case.honest]
    wrong = [case.name for case, line in leaks if not case.is_right(line["verdict"])]
    print(f"\n{len(leaks)} leaks, {len(wrong)} with too mild a verdict: {', '.join(wrong) or 'none'}.")
    goals = [not wrong, rates([(case, line) for case, line in pairs if case.honest])]
    copied = [(case, line) for case, line in pairs if line.get("copies", 0) >= COPIES and line.get("z", 0) >= Z]
    passed = [case.name for case, line in copied if line["verdict"] != "STOP"]
    goals.append(not passed)
    print(
        f"{len(copied)} releases with whole copies of 10 people beyond chance (z >= 3); without STOP: {_list(passed)}."
    )
    if others:
        goals.append(_noticed_by_others(pairs))
    else:
        print("SDMetrics and anonymeter were not run (--others).")
    return int(not all(goals))


def rates(pairs: list[tuple[Case, dict[str, Any]]]) -> bool:
    """Print how often honest releases get each verdict; return whether half B and both halves together reach the goals."""
    if not pairs:
        return True
    table = pd.DataFrame(
        [
            {"kind": case.kind, "half": case.half, "verdict": "true CHECK" if line["genuine"] else line["verdict"]}
            for case, line in pairs
        ]
    )
    words = ["STOP", "CHECK", "true CHECK", LEVELS[0], "ERROR"]
    counts = table.pivot_table(index=["kind", "half"], columns="verdict", aggfunc="size", fill_value=0)
    print("\nHonest releases, by kind and half")
    print(counts.reindex(columns=words, fill_value=0).to_string())
    reached = True
    for half in ("A", "B", "AB"):
        some = table[table["half"].isin(list(half))]["verdict"]
        if len(some) == 0:
            continue
        share = {word: (some == word).mean() for word in words}
        good = share["STOP"] <= STOPPED and share["CHECK"] <= CHECKED and not share["ERROR"]
        reached &= good or half == "A"
        print(
            f"{'Both halves' if half == 'AB' else f'Half {half}'}: {len(some)} honest releases, STOP {share['STOP']:.1%} "
            f"(at most {STOPPED:.0%}), CHECK {share['CHECK']:.1%} (at most {CHECKED:.0%}), true CHECK "
            f"{share['true CHECK']:.1%}, errors {share['ERROR']:.1%}"
        )
    return reached


def _noticed_by_others(pairs: list[tuple[Case, dict[str, Any]]]) -> bool:
    """Print what SDMetrics and anonymeter find; return whether every leak that one of them finds gets at least CHECK."""
    tools = {(tool, found == "not installed") for _, line in pairs for tool, found in line["others"].items()}
    for tool, is_absent in sorted(tools):
        if is_absent:
            print(f"{tool} is not installed: it is not known which leaks it finds.")
    if all(is_absent for _, is_absent in tools):
        return True
    warned = [(case, line) for case, line in pairs if any("*" in found for found in line["others"].values())]
    for case, line in warned:
        print(
            f"{case.name}: {line['verdict']}; {'; '.join(f'{tool} {found}' for tool, found in line['others'].items())}"
        )
    missed = [case.name for case, line in warned if not case.honest and line["verdict"] == LEVELS[0]]
    print(f"Leaks of which another tool warns (*), but not synthlab: {_list(missed)}.")
    return not missed


def _sentence(case: Case, line: dict[str, Any]) -> str:
    genuine = "true " if line["genuine"] else ""
    mark = "" if case.is_right(line["verdict"], line["genuine"]) else " WRONG"
    return f"{case.name}: {case.expected} -> {genuine}{line['verdict']}{mark}. {line['sentence']}"


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
