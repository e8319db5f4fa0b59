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


def other_tools(name: str) -> dict[str, str]:
    """Return what SDMetrics and anonymeter find on a case, where they are installed."""
    made = CASES[name].made()
    own, release = made["confidential"], made["synthetic"]
    frame = release if isinstance(release, pd.DataFrame) else list(release)[-1]
    found: dict[str, str] = {}
    try:
        from sdmetrics.single_table import NewRowSynthesis

        metadata = {
            "columns": {
                c: {"sdtype": "numerical" if pd.api.types.is_numeric_dtype(own[c]) else "categorical"} for c in own
            }
        }
        found["SDMetrics"] = f"{NewRowSynthesis.compute(own, frame[list(own)], metadata):.2f}"
    except ImportError:
        found["SDMetrics"] = "not installed"
    except Exception as error:  # noqa: BLE001 - whatever another tool raises is its answer
        found["SDMetrics"] = type(error).__name__
    try:
        from anonymeter.evaluators import SinglingOutEvaluator

        risk = SinglingOutEvaluator(own, frame, n_attacks=100).evaluate(mode="univariate").risk()
        found["anonymeter"] = f"{risk.value:.2f}"
    except ImportError:
        found["anonymeter"] = "not installed"
    except Exception as error:  # noqa: BLE001 - whatever another tool raises is its answer
        found["anonymeter"] = type(error).__name__
    return found


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
    missed = 0
    with ProcessPoolExecutor(asked.jobs) as pool:
        for name, verdict, sentence, seconds in pool.map(judged, names):
            one = CASES[name]
            right = (
                verdict != "STOP"
                if one.honest
                else LEVELS.index(verdict) >= LEVELS.index(one.least if one.least != "UNSEEN" else LEVELS[0])
            )
            missed += not right
            print(f"{name}: {verdict}{'' if right else ' (MISSED)'}. {sentence}", flush=True)
            others = list(other_tools(name).values()) if asked.others else []
            table.add_row(
                name, one.half, one.least, verdict, "" if right else "MISSED", sentence, f"{seconds:.1f}", *others
            )
        Console(width=220).print(table)
        honest = [name for name in names if CASES[name].honest]
        print(f"{len(names)} cases, {missed} missed; {len(honest)} of them honest.")
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
