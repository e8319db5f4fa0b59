"""Run every ``bench_*.py`` of this folder and print one table.

A benchmark module has a function ``run() -> list[dict]`` whose rows hold: what, n, ours_s (seconds),
other (what it is compared with), other_s (seconds or None), note.
"""

from __future__ import annotations

import importlib
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    console = Console(width=150)
    modules = sorted(p.stem for p in HERE.glob("bench_*.py"))
    chosen = [m for m in modules if not names or m.removeprefix("bench_") in names]
    if not chosen:
        console.print(f"no benchmark named {names}; there are {[m.removeprefix('bench_') for m in modules]}")
        return 2
    table = Table(title=f"synthlab benchmarks: Python {platform.python_version()}, {platform.machine()}")
    for column in ("what", "n", "synthlab (s)", "compared with", "its time (s)", "ratio", "note"):
        table.add_column(column, justify="right" if "(s)" in column or column in ("n", "ratio") else "left")
    for name in chosen:
        console.print(f"running {name} ...")
        for row in importlib.import_module(f"tests.benchmarks.{name}").run():
            other = row.get("other_s")
            table.add_row(
                row["what"],
                f"{row['n']:,}",
                f"{row['ours_s']:.3f}",
                row.get("other") or "",
                "" if other is None else f"{other:.3f}",
                "" if other is None else f"{other / row['ours_s']:,.1f} x",
                row.get("note", ""),
            )
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
