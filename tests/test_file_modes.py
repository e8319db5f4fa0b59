"""Files that hold individual records of the confidential data can be read by their owner alone."""

from __future__ import annotations

import inspect
import os
import stat
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import SynthlabWarning
from tests.test_cli import configured

PEOPLE = pd.DataFrame(
    {"person": range(12), "region": list("NNNSSSNNNSSS"), "income": [10.0, 20, 40, 15, 30, 30, 12, 22, 41, 16, 31, 30]}
)
RELEASED = PEOPLE.assign(income=PEOPLE["income"].to_numpy()[::-1])
SOMEONE = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
BY_VALUE = sl.Intruder(known=["region"], synthesized=["income"])


@pytest.fixture(autouse=True)
def open_to_all() -> Iterator[None]:
    """Have new files readable by everybody unless the package says otherwise."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def opened(folder: Path) -> dict[str, str]:
    """Return the files and folders that others than the owner can read or write, with their modes."""
    modes = {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert modes
    return {name: oct(mode) for name, mode in modes.items() if mode & 0o077}


def evaluated() -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(PEOPLE, RELEASED, SOMEONE, rows="aligned")


ENDINGS = (".html", ".htm", ".json", ".csv", ".md", ".xlsx")


def test_internal_reports(tmp_path: Path) -> None:
    result = evaluated()
    for ending in ENDINGS:
        result.save(tmp_path / f"report{ending}")
    assert opened(tmp_path) == {}


def test_reports_for_publication_have_the_usual_mode(tmp_path: Path) -> None:
    result = evaluated()
    for ending in ENDINGS:
        result.save(tmp_path / f"report{ending}", publish=True)
    assert set(opened(tmp_path).values()) == {"0o644"}
    assert len(opened(tmp_path)) == len(ENDINGS)


def test_an_internal_report_over_a_public_one(tmp_path: Path) -> None:
    result, modes = evaluated(), []
    for publish in (True, False, True):
        result.save(tmp_path / "report.html", publish=publish)
        modes.append(stat.S_IMODE((tmp_path / "report.html").stat().st_mode))
    assert modes == [0o644, 0o600, 0o600]  # an earlier file keeps its mode


def test_internal_reports_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, out = tmp_path / "files", tmp_path / "out"
    files.mkdir()
    PEOPLE.to_csv(files / "people.csv", index=False)
    RELEASED.to_csv(files / "released.csv", index=False)
    options = ["--known", "region", "--synthesized", "income", "--radius", "income=0.1", "--rows", "aligned"]
    written = [
        "--report",
        out / "a" / "r.html",
        "--json",
        out / "r.json",
        *configured(files, overview=str(out / "r.csv")),
    ]
    with pytest.raises(SystemExit):
        cli.main([str(a) for a in ["evaluate", files / "people.csv", files / "released.csv", *options, *written]])
    assert (out / "a" / "r.html").exists(), capsys.readouterr().err
    assert opened(out).keys() == {"a"}


RECORDS = {
    name: call
    for name in dir(sl.scale)
    if inspect.isfunction(call := getattr(sl.scale, name)) and "output" in inspect.signature(call).parameters
}


def test_there_are_functions_that_write_records() -> None:
    assert len(RECORDS) >= 5


@pytest.mark.parametrize("name", RECORDS)
def test_records_of_files_larger_than_memory(name: str, tmp_path: Path) -> None:
    pytest.importorskip("dask.dataframe")
    call: Callable[..., object] = RECORDS[name]
    files = tmp_path / "files"
    files.mkdir()
    PEOPLE.to_parquet(files / "people.parquet")
    RELEASED.to_parquet(files / "released.parquet")
    names = inspect.signature(call).parameters
    values = {
        "confidential": files / "people.parquet",
        "synthetic": files / "released.parquet",
        "intruder": SOMEONE if "target" not in names and name != "replicated_uniques" else BY_VALUE,
        "variables": ["region", "income"],
        "target": "income",
        "id": "person",
        "output": tmp_path / "out" / "records",
        "partition_rows": 5,
    }
    (tmp_path / "out").mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        call(**{key: value for key, value in values.items() if key in names})
    assert list((tmp_path / "out").rglob("*.parquet"))
    assert opened(tmp_path / "out") == {}
