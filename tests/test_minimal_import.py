"""Without the extras: data are compared and the result is printed; figures and pages name the extra that they need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BLOCK = """
import sys
from importlib.abc import MetaPathFinder

class Block(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Block())
import numpy as np
import pandas as pd
import synthlab as sl
from synthlab.exceptions import ExtraUnavailableError

rng = np.random.default_rng(1)
survey = pd.DataFrame({"region": rng.choice(list("NS"), 60), "age": rng.integers(20, 30, 60), "income": rng.normal(9, 1, 60)})
release = survey.assign(income=rng.permutation(survey["income"]))
someone = sl.Intruder(known=["region", "age"], synthesized=["income"], radius={"income": 0.1})

def refused(call):
    try:
        call()
    except ExtraUnavailableError as error:
        return str(error)
    raise AssertionError("no error")
"""
ANOTHER = ("requests", "platformdirs", "pooch")  # only datasets that are fetched need a download


def printed(blocked: tuple[str, ...], code: str, folder: Path) -> list[str]:
    """Return the lines that a new process prints in which these libraries cannot be imported."""
    done = subprocess.run(
        [sys.executable, "-c", f"BLOCKED = {blocked!r}\n{BLOCK}{code}"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.full
def test_the_library_measures_without_command_line_figures_and_pages(tmp_path):
    blocked = ("matplotlib", "cycler", "jinja2", "markupsafe", "typer", "click", "rich", *ANOTHER)
    code = """
risk = sl.identification_risk(survey, release, someone)
print(risk.expected_match_risk.shape, 'match risk' in str(risk))
found = sl.evaluate(survey, release, someone, rows="aligned", rng=1)
found.save("found.json")
print(len(found.summary()) > 5, found.headline.splitlines()[0] in str(found))
print(refused(risk.plot))
print(refused(lambda: found.save("page.html")))
print(refused(found.to_html))
print(sorted(set(BLOCKED) & {name.partition(".")[0] for name in sys.modules}))
"""
    first, second, figure, saved, page, loaded = printed(blocked, code, tmp_path)
    assert first == "(1,) True"
    assert second == "True True"
    assert figure.startswith(
        "a figure needs matplotlib, which is not installed; it is in the extra synthlab-sdc[plots]: "
    )
    assert page.startswith(
        "the HTML report needs jinja2, which is not installed; it is in the extra synthlab-sdc[report]"
    )
    assert saved == page
    assert "python -m pip install " in figure
    assert "python -m pip install " in page
    assert loaded == "[]"
    assert [path.name for path in tmp_path.iterdir()] == ["found.json"]


@pytest.mark.full
def test_the_command_compares_two_files_without_figures_and_pages(tmp_path):
    code = """
from synthlab import cli
survey.to_csv("a.csv", index=False)
release.to_csv("b.csv", index=False)
asked = ["evaluate", "a.csv", "b.csv", "--known", "region,age", "--synthesized", "income",
         "--radius", "income=0.1", "--rows", "aligned"]
for more in ([], ["--report", "page.html"]):
    try:
        cli.main([*asked, *more])
    except SystemExit as end:
        print("exit code", end.code)
"""
    lines = printed(("matplotlib", "cycler", "jinja2", "markupsafe", *ANOTHER), code, tmp_path)
    codes = [line for line in lines if line.startswith("exit code")]
    assert codes[0] in ("exit code 0", "exit code 4")  # 4: the verdict is STOP
    assert codes[1] == "exit code 2"
    assert any("Can an intruder" in line for line in lines)
    assert not (tmp_path / "page.html").exists()
