"""`synthlab evaluate`: exit codes, and one verdict in the terminal, the page, the JSON file and `compare`."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import report
from synthlab.exceptions import SynthlabWarning
from tests.test_cli import Run, run

__all__ = ["run"]
N = 200
ASK = ("--synthesized", "job,pay", "--radius", "pay=0.1", "--known")
SCHEMA = json.loads((Path(report.__file__).parent / "evaluation.schema.json").read_text())


def people(seed: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": draw.choice(list("fm"), N),
            "town": draw.integers(0, 12, N),
            "job": draw.choice(list("abcd"), N),
            "pay": draw.normal(9, 1, N).round(3),
        }
    )


OWN = people(1)
FILES = {
    "own": OWN,
    "copy": OWN.sample(frac=1, random_state=1),
    "honest": people(2),
    "undeclared": OWN.assign(job=people(3)["job"], pay=people(3)["pay"]),
    # 195 of 200 people are copied, so that 5 are not.
    "most": pd.concat([OWN[:195], people(4)[195:]]).sample(frac=1, random_state=2),
    # 190 of 200 confidential records are unique, and all are copied.
    "twins": pd.concat([OWN[:190], OWN[180:190]]).sample(frac=1, random_state=3),
}


def knows(release: str) -> str:
    """Return the variables that the intruder knows; the release of undeclared columns has another unchanged one."""
    return "sex" if release == "undeclared" else "sex,town"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, frame in FILES.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("release", "options", "code", "verdict"),
    [
        ("copy", "", 4, "STOP"),
        ("copy", "--strict", 4, "STOP"),
        ("copy", "--limit exact_copies=0", 4, "STOP"),
        ("honest", "", 0, "NOTHING FOUND"),
        ("honest", "--strict", 0, "NOTHING FOUND"),
        ("honest", "--limit copied_people=0,pmse_ratio=5,worst_pair_ratio=9", 0, "NOTHING FOUND"),
        ("honest", "--limit worst_pair_ratio=0.1", 3, "NOTHING FOUND"),
        (
            "honest",
            "--limit best_intruder=100%",
            3,
            "NOTHING FOUND",
        ),  # not measured, because the rows do not correspond
        ("undeclared", "", 0, "CHECK"),
        ("undeclared", "--strict", 5, "CHECK"),
        ("undeclared", "--strict --limit copied_people=0,pmse_ratio=0", 3, "CHECK"),
        ("most", "--limit copied_people=190", 4, "STOP"),
    ],
)
def test_the_exit_code_follows_the_verdict_and_the_limits(
    run: Run, folder: Path, release: str, options: str, code: int, verdict: str
) -> None:
    found, out, err = run(
        "evaluate", folder / "own.csv", folder / f"{release}.csv", *ASK, knows(release), *options.split()
    )
    assert "error" not in err
    assert (found, out.partition(".")[0]) == (code, verdict)


def test_a_pmse_that_is_too_good_breaks_its_limit_and_a_number_is_compared_unrounded(run: Run, folder: Path) -> None:
    normal = np.random.default_rng(5).normal(size=(N, 3))
    frame = pd.DataFrame(normal, columns=list("abc"))
    frame.to_csv(folder / "a.csv", index=False)
    (frame + 1e-6).sample(frac=1, random_state=1).to_csv(folder / "b.csv", index=False)
    options = "--known a --synthesized b,c --radius 0.1 --radius-kind absolute --limit pmse=1,pmse_ratio=9"
    code, out, _ = run("evaluate", folder / "a.csv", folder / "b.csv", *options.split())
    assert code in (3, 4)
    assert out.count("broken") >= 2
    code, out, _ = run(
        "evaluate", folder / "own.csv", folder / "most.csv", *ASK, "sex,town", "--limit", "copied_people=97.4999%"
    )
    (line,) = [
        line for line in out.splitlines() if "copied_people" in line and "broken" in line and "limit" not in line
    ]
    assert len(set(re.findall(r"0\.97\d*", line))) == 2, line  # the number and its limit do not look equal


@pytest.mark.parametrize("publish", [False, True])
@pytest.mark.parametrize("release", ["copy", "honest", "undeclared", "most", "twins"])
def test_the_verdict_is_the_same_everywhere(run: Run, folder: Path, release: str, publish: bool) -> None:
    page, numbers = folder / "r.html", folder / "r.json"
    files = ("--report", page, "--json", numbers, *(("--publish",) if publish else ()))
    _, out, _ = run("evaluate", folder / "own.csv", folder / f"{release}.csv", *ASK, knows(release), *files)
    written = json.loads(numbers.read_text())
    jsonschema.validate(written, SCHEMA)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        known = knows(release).split(",")
        who = sl.Intruder(known=known, synthesized=["job", "pay"], radius={"pay": 0.1})
        both = sl.compare(OWN, {release: sl.Release([FILES[release]], ["job", "pay"])}, who)
    result = both.evaluations[release]
    assert (written["format"], written["verdict"]) == (2, result.verdict)
    assert out.startswith(f"{result.verdict}. ")
    assert both.summary().loc[release, "verdict"] == result.verdict
    assert written["worst"] == (written["findings"][0] if written["findings"] else None)
    for kept, finding in zip(written["findings"], result.findings, strict=True):
        assert [kept[key] for key in ("level", "measure", "dataset")] == [
            finding.level,
            finding.measure,
            finding.dataset,
        ]
        assert kept["columns"] == list(finding.columns)
    text = re.sub(r"\s+", " ", re.sub(r"<style.*?</style>|<[^>]+>", " ", page.read_text(), flags=re.DOTALL))
    assert result.verdict in text
    if written["worst"]:
        assert written["worst"]["sentence"] in text
        assert publish or result.worst.sentence in out.replace("\n", " ")
    if publish:
        said = [written["headline"], *(one["sentence"] for one in written["findings"])]
        counts = [
            float(n.replace(",", "")) for one in said for n in re.findall(r"(\d[\d,]*) (?:of [\d,]+ )?people", one)
        ]
        counts += [one[key] for one in written["findings"] for key in ("people", "of") if one[key] is not None]
        assert [n for n in counts if 0 < n < 10 or 0 < N - n < 10] == []
        if release == "most":
            assert any("all but fewer than 10" in one for one in said)
            assert written["worst"]["people"] is None
