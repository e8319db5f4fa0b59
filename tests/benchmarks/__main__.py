"""Run the benchmarks of this folder and print one table, and below it how time grows.

``bench_NAME.py`` holds the benchmark NAME: a function ``run() -> Iterable[Row]``. Another one is another file; nothing
else has to know of it. Each runs in a process of its own, so that neither what was compiled before nor the memory of
another benchmark counts.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import traceback
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks.apart import in_own_process
from tests.benchmarks.rows import Growth, Row, growths

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "course"))  # for the package `replications`, also in the new processes
LONG = ("replicate",)  # takes many minutes and runs only by name
PLOT = Path("build/bench/growth.png")
OTHER = "python -m tests.benchmarks.coverage simulates the coverage of intervals instead."


def main(arguments: list[str]) -> int:
    names = sorted(p.stem.removeprefix("bench_") for p in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description="Speed, as ratios in one run.", epilog=OTHER
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"benchmarks, by default all but {', '.join(LONG)}: {', '.join(names)}"
    )
    chosen = parser.parse_args(arguments).names or [name for name in names if name not in LONG]
    if unknown := [name for name in chosen if name not in names]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(names)}")
    console = Console(width=170)
    rows: list[Row] = []
    failed = []
    for name in chosen:
        console.print(f"running {name} ...")
        done = in_own_process(name)
        if fault := done.exception():
            console.print("".join(traceback.format_exception(fault)), markup=False)
            failed.append(name)
        else:
            rows += done.result()
            console.print(*[f"  {row.what}: {row.seconds:.3f} s" for row in done.result()], sep="\n", highlight=False)
    console.print(table_of(rows))
    if found := growths(rows):
        console.print(table_of_growth(found))
        console.print(f"plot: {plot(found)}")
    if failed:
        console.print(f"FAILED: {', '.join(failed)}")
    return len(failed)


def table_of(rows: list[Row]) -> Table:
    table = Table(
        title=f"synthlab: Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    for column in ("work", "n", "synthlab (s)", "compared with", "its time (s)", "ratio", "note"):
        table.add_column(column, justify="right" if "(s)" in column or column in ("n", "ratio") else "left")
    for row in rows:
        table.add_row(
            row.what if row.size is None else f"{row.what}, {row.grows} = {row.size:,g}",
            f"{row.n:,}",
            f"{row.seconds:.3f}",
            row.peer,
            "" if row.peer_seconds is None else f"{row.peer_seconds:.3f}",
            "" if row.ratio is None else f"{row.ratio:,.1f} x",
            row.note,
        )
    return table


def table_of_growth(found: list[Growth]) -> Table:
    table = Table(title="time as a power of one number; least squares on the logarithms, interval of 95%")
    for column in ("work", "in", "sizes", "seconds", "exponent", "interval"):
        table.add_column(column, justify="right" if column == "exponent" else "left")
    for each in found:
        table.add_row(
            each.what,
            each.grows,
            f"{len(each.sizes)}, {each.sizes[0]:,g} to {each.sizes[-1]:,g}",
            f"{each.seconds[0]:.3g} to {each.seconds[-1]:.3g}",
            f"{each.exponent:.2f}",
            f"{each.low:.2f} to {each.high:.2f}",
        )
    return table


def plot(found: list[Growth], path: Path = PLOT) -> Path:
    """Draw time against each number, both on logarithmic axes, one panel a number."""
    from matplotlib.figure import Figure

    numbers = list(dict.fromkeys(each.grows for each in found))
    across = min(3, len(numbers))
    down = -(-len(numbers) // across)
    figure = Figure(figsize=(5 * across, 5.5 * down), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes, number in zip(panels, numbers, strict=False):
        those = [each for each in found if each.grows == number]
        for each in those:
            axes.loglog(each.sizes, each.seconds, "o-", label=f"{each.what}: {each.exponent:.2f}")
        low, high = axes.get_ylim()
        middle = (low * high) ** 0.5
        axes.set_ylim(min(low, middle / 10), max(high, middle * 10))  # two decades, lest noise look like growth
        sizes = sorted({size for each in those for size in each.sizes})
        if len(those) == 1:
            axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
            axes.minorticks_off()
        axes.set_xlabel(number)
        axes.set_ylabel("seconds")
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.15))
    for axes in panels[len(numbers) :]:
        axes.remove()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
