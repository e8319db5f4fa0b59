"""Print the verdict on every case and on 200 simulated honest releases; exit with 1 if a goal is missed."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table

import synthlab as sl
from tests.verdict.cases import CASES, LEVELS
from tests.verdict.others import other_tools
from tests.verdict.simulated import simulated

SIMULATED, STOPPED, CHECKED = 200, 0.01, 0.20


def judged(name: str) -> tuple[str, str, str, float]:
    """Return the name, the verdict, its worst finding, and the seconds of CPU time."""
    return name, *_evaluated(CASES[name].made)


def simulation(number: int) -> tuple[str, str, str, float]:
    return str(number), *_evaluated(lambda: simulated(number))


def _evaluated(build: Callable[[], dict[str, Any]]) -> tuple[str, str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = build()
        start = time.process_time()
        result = sl.evaluate(
            arguments.pop("confidential"), arguments.pop("synthetic"), arguments.pop("intruder"), **arguments
        )
    sentence = result.worst.sentence if result.worst else ""
    return result.verdict, sentence, time.process_time() - start


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.verdict", description=__doc__)
    parser.add_argument("names", nargs="*", help="cases, by default all")
    parser.add_argument("--simulated", type=int, default=SIMULATED, help="number of simulated honest releases")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--others", action="store_true", help="also run SDMetrics and anonymeter")
    asked = parser.parse_args(arguments)
    names = asked.names or list(CASES)
    table = Table(
        "case",
        "half",
        "least right",
        "verdict",
        "",
        "worst finding",
        "s",
        *(["SDMetrics", "anonymeter"] if asked.others else []),
    )
    missed, unnoticed, false_alarms = 0, [], dict.fromkeys(("synthlab", "SDMetrics", "anonymeter"), 0)
    with ProcessPoolExecutor(asked.jobs) as pool:
        asked_too = (pool.submit(other_tools, name) for name in names)
        for name, verdict, sentence, seconds in pool.map(judged, names):
            one = CASES[name]
            right = (
                verdict != "STOP"
                if one.honest
                else LEVELS.index(verdict) >= LEVELS.index(one.least if one.least != "UNSEEN" else LEVELS[0])
            )
            missed += not right
            print(f"{name}: {verdict}{'' if right else ' (MISSED)'}. {sentence}", flush=True)
            others = next(asked_too).result() if asked.others else {}
            if verdict == LEVELS[0] and not one.honest and any("*" in found for found in others.values()):
                unnoticed.append(name)
            if one.honest:
                false_alarms["synthlab"] += verdict != LEVELS[0]
                for tool, found in others.items():
                    false_alarms[tool] += "*" in found
            mark = "" if right else "MISSED"
            table.add_row(name, one.half, one.least, verdict, mark, sentence, f"{seconds:.1f}", *others.values())
        Console(width=220).print(table)
        honest = [name for name in names if CASES[name].honest]
        print(f"{len(names)} cases, {missed} missed; {len(honest)} of them honest.")
        if asked.others:
            print(f"Leaks of which another tool warns (*), but not synthlab: {', '.join(unnoticed) or 'none'}.")
            alarms = ", ".join(f"{tool} {number}" for tool, number in false_alarms.items())
            print(f"Warnings on the {len(honest)} honest releases: {alarms}.")
        drawn = list(pool.map(simulation, range(asked.simulated)))
    if drawn:
        verdicts = pd.Series([verdict for _, verdict, _, _ in drawn]).value_counts().to_dict()
        stopped, checked = (verdicts.get(word, 0) / len(drawn) for word in ("STOP", "CHECK"))
        for number, verdict, sentence, _ in drawn:
            if verdict != "NOTHING FOUND":
                print(f"simulated {number}: {verdict}. {sentence}")
        print(
            f"{len(drawn)} simulated honest releases: STOP {stopped:.1%} (goal at most 1%), CHECK {checked:.1%} (goal at most 20%)"
        )
        missed += stopped > STOPPED or checked > CHECKED
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
