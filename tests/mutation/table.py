"""The table of a run: what was killed in each room and file, and every survivor with its verdict."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

VERDICTS = ("equivalent", "trivial", "hole")
Row = Mapping[str, Any]


def wilson(killed: int, tried: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the 95 % interval of a share.

    >>> low, high = wilson(127, 154)
    >>> round(low, 3), round(high, 3)
    (0.757, 0.877)
    """
    share, extra = killed / tried, z * z / tried
    half = z * math.sqrt(share * (1 - share) / tried + extra / (4 * tried))
    return (share + extra / 2 - half) / (1 + extra), (share + extra / 2 + half) / (1 + extra)


def read_verdicts(path: Path) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return (verdict, why) by (file, where, change)."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
    for entry in entries:
        if entry["verdict"] not in VERDICTS:
            raise ValueError(f"{path.name}: {entry['change']!r} has a verdict that is none of {VERDICTS}")
    return {(e["file"], e["where"], e["change"]): (e["verdict"], e["why"]) for e in entries}


def page(rows: Sequence[Row], verdicts: Mapping[tuple[str, str, str], tuple[str, str]], head: Iterable[str]) -> str:
    """Return the run as Markdown."""
    rooms: dict[str, list[Row]] = {}
    for row in rows:
        rooms.setdefault(row["room"], []).append(row)
    lines = ["# Mutation testing", "", *head, "", "## By room", "", *_heading("room")]
    lines += [_counts(room, of, verdicts) for room, of in rooms.items()]
    lines += [_counts("**all**", rows, verdicts), "", "## By file", "", *_heading("file")]
    for file in dict.fromkeys(row["file"] for row in rows):
        lines.append(_counts(file, [row for row in rows if row["file"] == file], verdicts))
    lines += ["", "## Survivors", "", "| file:line | in | change | verdict | why |", "|---|---|---|---|---|"]
    for row in rows:
        if row["result"] == "survived":
            verdict, why = verdicts.get(_key(row), ("?", "no verdict yet"))
            change = "`` " + row["change"].replace("|", "\\|") + " ``"
            lines.append(f"| {row['file']}:{row['first']} | {row['where']} | {change} | {verdict} | {why} |")
    late = [f"- {r['file']}:{r['first']} `{r['change']}`" for r in rows if r["result"] == "time"]
    return "\n".join([*lines, *(["", "## Killed by the time limit", "", *late] if late else []), ""])


def _heading(first: str) -> list[str]:
    named = (first, "mutants", "killed", "of these by time", "equivalent", "trivial", "hole or no verdict")
    return ["| " + " | ".join([*named, "killed of the others", "95 % interval"]) + " |", "|---" * 9 + "|"]


def _counts(name: str, rows: Sequence[Row], verdicts: Mapping[tuple[str, str, str], tuple[str, str]]) -> str:
    late = sum(row["result"] == "time" for row in rows)
    alive = [verdicts.get(_key(row), ("?", ""))[0] for row in rows if row["result"] == "survived"]
    equivalent, trivial = alive.count("equivalent"), alive.count("trivial")
    killed, tried = len(rows) - len(alive), len(rows) - equivalent
    shares = ("-", "-")
    if tried:
        low, high = wilson(killed, tried)
        shares = (f"{100 * killed / tried:.1f} %", f"{100 * low:.1f} to {100 * high:.1f} %")
    counts = (len(rows), killed, late, equivalent, trivial, len(alive) - equivalent - trivial)
    return "| " + " | ".join([name, *map(str, counts), *shares]) + " |"


def _key(row: Row) -> tuple[str, str, str]:
    return row["file"], row["where"], row["change"]
