"""The page on other tools' releases: the files are those of the README, and what the page says follows from them."""

from __future__ import annotations

import gzip
import hashlib
import re
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

import synthlab as sl

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "course" / "pages" / "judging_other_releases.ipynb"
FILES = ROOT / "data" / "foreign"
TOOLS = ("copulas", "python-synthpop", "synthpop", "synthlab")


@pytest.fixture(scope="module")
def page():
    return nbformat.read(PAGE, as_version=4)


@pytest.fixture(scope="module")
def printed(page) -> dict[str, str]:
    """What each code cell printed; the runs of the notebooks compare it with what the files give."""
    codes = [cell for cell in page.cells if cell.cell_type == "code"]
    return {cell.id: "".join(one.get("text", "") for one in cell.outputs) for cell in codes}


@pytest.fixture(scope="module")
def halves() -> tuple[pd.DataFrame, pd.DataFrame]:
    women = sl.datasets.load("affairs").frame
    order = np.random.default_rng(1978).permutation(len(women))
    return women.iloc[order[:3183]], women.iloc[order[3183:]]


def league(printed: dict[str, str]) -> pd.DataFrame:
    """Return the table of the page, one column a release."""
    lines = printed["league"].splitlines()
    rows = {line.split()[0]: [float(cell) for cell in line.split()[1:]] for line in lines[1:]}
    return pd.DataFrame.from_dict(rows, orient="index", columns=lines[0].split()[1:])


def test_the_files_are_those_of_the_readme():
    digests = re.findall(r"^([0-9a-f]{64})  (\S+)$", (FILES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(name for _, name in digests) == sorted(f"{tool}_{i}.csv.gz" for tool in TOOLS for i in (1, 2, 3))
    assert {path.name for path in FILES.iterdir()} == {"README.md", *(name for _, name in digests)}
    for digest, name in digests:
        assert hashlib.sha256((FILES / name).read_bytes()).hexdigest() == digest, name
    assert sum(path.stat().st_size for path in FILES.iterdir()) < 1_000_000


@pytest.mark.parametrize("tool", TOOLS)
def test_a_file_has_the_columns_and_the_length_of_the_half_it_was_made_from(tool, halves):
    for i in (1, 2, 3):
        frame = sl.read(FILES / f"{tool}_{i}.csv.gz")
        assert list(frame) == list(halves[0])
        assert len(frame) == 3183
        assert frame.notna().all(axis=None)


def test_our_own_release_is_what_the_readme_says(halves):
    types = {"occupation": "category", "occupation_husb": "category"}
    given = pd.read_csv(StringIO(halves[0].to_csv(index=False)), dtype=types)
    made = sl.CART(list(given.columns)).fit(given, rng=1978).generate(m=3, rng=1979)
    for i, frame in enumerate(made.frames, start=1):
        recorded = gzip.decompress((FILES / f"synthlab_{i}.csv.gz").read_bytes()).decode()
        assert frame.to_csv(index=False, lineterminator="\n") == recorded


def test_what_the_page_says_of_copies_is_so(printed, halves):
    table, strangers = league(printed), sl.exact_copies(*halves)
    chance = int(strangers.unique_copies[0])
    assert f"of these, who equal one who is unique there: {chance}" in printed["limits"]
    copies = table.loc["unique_copies"]
    assert copies["copulas"] < copies["python-synthpop"] < chance < copies["synthpop"] < copies["synthlab"]
    rows = [[int(number) for number in re.findall(r"\d+", line)] for line in printed["twins"].splitlines()[1:]]
    released, twins, repeated = (dict(zip(TOOLS, row, strict=True)) for row in rows)
    assert set(twins.values()) == {int(halves[0].duplicated(keep=False).sum())}
    assert released["copulas"] + 160 < twins["copulas"]
    assert released["python-synthpop"] < twins["python-synthpop"]
    for tool in ("synthpop", "synthlab"):
        assert released[tool] - twins[tool] > 200  # hundreds without a twin
        assert abs(released[tool] / repeated[tool] - 1) < 0.05


def test_what_the_page_says_of_utility_is_so(printed):
    table = league(printed)
    ratio, pair = table.loc["pmse_ratio"], table.loc["pair_distance"]
    assert ratio["synthlab"] < ratio["synthpop"] < 2 < 3 < ratio["python-synthpop"] < ratio["copulas"]
    assert pair[["python-synthpop", "synthpop", "synthlab"]].max() < 0.1 < pair["copulas"]
    assert "0 of 4 keep all limits" in printed["verdicts"]
    assert re.search(r"copulas: .*affairs", printed["pairs_numbers"])


def test_what_the_page_says_of_intruders_and_models_is_so(printed):
    for block in re.split(r"^(?=\w+: the best)", printed["attributes"], flags=re.MULTILINE)[1:]:
        best, *attacks = (float(share) for share in re.findall(r"([\d.]+)%", block))
        assert len(attacks) == 4
        assert max(attacks) < best
    husband, neighbour = (
        [float(number) for number in re.findall(r"  (?:replicated uniques: )?([\d.]+)", block)]
        for block in printed["several"].split("neighbour guesses")
    )
    assert neighbour[0] < husband[0] < neighbour[0] + 5  # hardly anything
    assert husband[1] > 90
    assert husband[3] > 3 * neighbour[3]  # replicated uniques
    assert "too good: ['synthpop', 'synthlab']" in printed["predict"]


def test_rows_do_not_correspond_in_any_release(printed):
    assert re.findall(r"^(\S+), measured by row: (\w+)", printed["rows"], re.MULTILINE) == [(t, "False") for t in TOOLS]


def test_the_commands_print_what_the_page_shows(page, halves, tmp_path):
    text = next(cell.source for cell in page.cells if cell.id == "cli")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in blocks] == ["toml", "bash", "", "toml", "bash", ""]
    (_, codes), (_, typed), (_, first), (_, config), (_, again), (_, second) = blocks
    for name, frame in zip(("given", "control"), halves, strict=True):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    for path in FILES.glob("synthpop_*.csv.gz"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "codes.toml").write_text(codes, encoding="utf-8")
    (tmp_path / "foreign.toml").write_text(config, encoding="utf-8")
    printed: list[str] = []
    for command, shown in ((typed, first), (again, second)):
        name, *arguments = shlex.split(command.replace("\\\n", " "))
        assert name == "synthlab"
        said = _said(arguments, tmp_path)
        for line in shown.splitlines():
            assert line in said, line
        printed += said.splitlines()
    quoted = re.findall(r"^> (.+)$", text, re.MULTILINE)
    assert len(quoted) == 7
    assert set(quoted) <= set(printed)


def _said(arguments: list[str], folder: Path) -> str:
    """Return what the command prints, lines without blanks at their ends; a limit is broken."""
    code = "import sys; from synthlab.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "HOME": str(folder)},
        check=False,
    )
    assert done.returncode == 3, done.stderr.decode()
    return "\n".join(line.rstrip() for line in done.stdout.decode().splitlines())
