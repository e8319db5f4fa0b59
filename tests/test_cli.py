"""The command line: what it prints, what it writes, and how it says no."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import typer
from hypothesis import given, strategies as st

import synthlab as sl
from synthlab import cli
from synthlab._system import parallel, versions
from synthlab.cli.config import EVALUATE, KEYS
from synthlab.cli.option_messages import in_options
from synthlab.exceptions import NoBetterThanBaselineWarning

Run = Callable[..., tuple[int, str, str]]
ODD = "a,b=c `x` \"y\" __import__('os')"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process; return exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        out = capsys.readouterr()
        return int(stopped.value.code or 0), out.out, out.err

    return call


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a confidential file, two synthetic ones and a few that are not what they should be."""
    path = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(2)
    people = pd.DataFrame(
        {
            "age": rng.integers(20, 24, 60),
            "region": rng.choice(list("NS"), 60),
            "income": (1_000 * 1.1 ** np.arange(60)).round(2),
            ODD: rng.integers(0, 2, 60),
        }
    )
    people.to_csv(path / "confidential.csv", index=False)
    for number in (1, 2):
        drawn = (1_000 * 1.1 ** rng.uniform(0, 59, 60)).round(2)
        people.assign(income=drawn).to_csv(path / f"synthetic{number}.csv", index=False)
    (path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + (path / "confidential.csv").read_bytes())
    (path / "empty.csv").write_text("")
    (path / "heads.csv").write_text("age,region\n")
    (path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff\xfe")
    people.assign(income=people["income"].where(people.index > 3)).to_csv(path / "holes.csv", index=False)
    return path


def configured(folder: Path, **keys: object) -> list[str]:
    """Write a TOML file with these keys and return the option that reads it."""
    file = folder / f"config{len(list(folder.glob('config*.toml')))}.toml"
    file.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in keys.items()))
    return ["--config", str(file)]


def arguments(folder: Path, **change: object) -> list[object]:
    """Return a call of evaluate that works, with options and keys of the file changed; None leaves one out."""
    options = {"known": "age,region", "synthesized": "income", "radius": "income=0.2", **change}
    call: list[object] = ["evaluate", folder / "confidential.csv", folder / "synthetic1.csv", folder / "synthetic2.csv"]
    keys = {key.name: options.pop(key.name) for key in EVALUATE if key.name in options}
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            call += [] if one is None else [f"--{name.replace('_', '-')}", one]
    return call + (configured(folder, **keys) if keys else [])


def test_evaluate_prints_one_table_and_writes_report_and_numbers(run: Run, folder: Path, tmp_path: Path) -> None:
    page, numbers = tmp_path / "out.html", tmp_path / "deep" / "out.json"
    code, out, err = run(*arguments(folder, report=page, json=numbers))
    assert code == 0
    frames = [pd.read_csv(folder / name) for name in ("confidential.csv", "synthetic1.csv", "synthetic2.csv")]
    who = sl.Intruder(known=["age", "region"], synthesized=["income"], radius={"income": 0.2})
    with pytest.warns(NoBetterThanBaselineWarning):
        risk = sl.identification_risk(frames[0], frames[1:], who)
    written = json.loads(numbers.read_text())
    assert written["identification_risk"]["per_dataset"]["expected_match_risk"] == pytest.approx(
        risk.expected_match_risk.tolist()
    )
    assert written["release"]["synthesized"] == ["income"]
    assert written["release"]["provenance"] == {"files": ["synthetic1.csv", "synthetic2.csv"]}
    assert written["data"]["kind"] is None
    assert out.startswith(written["headline"])
    assert out.count(" Question ") == 2  # risk and utility
    assert f"pMSE ratio {written['summary']['pmse_ratio']['synthetic']:.3g}" in out
    assert f"report: {page}" in out
    assert page.read_text().startswith("<!doctype html>")
    assert "60 people, 4 columns, m = 2" in page.read_text()
    assert err.splitlines() == [
        "read confidential.csv: CSV, delimiter comma, UTF-8; 60 records, 4 columns",
        "read synthetic1.csv, synthetic2.csv: CSV, delimiter comma, UTF-8; 60 records, 4 columns",
    ]


def test_warnings_go_to_stderr_by_name(run: Run, folder: Path, tmp_path: Path) -> None:
    code, out, err = run(*arguments(folder, radius="income=3", known="region", json=tmp_path / "a.json"))
    assert code == 0
    assert "\nwarning: NoUniqueMatchWarning: no target has exactly one match" in f"\n{err}"
    assert "\nwarning: WideRadiusWarning: --radius: 'income' within 3 x |income|" in f"\n{err}"
    assert "Traceback" not in err
    assert "Warning" not in out
    assert json.loads((tmp_path / "a.json").read_text())["summary"]["false_match_rate"]["synthetic"] is None


@pytest.mark.parametrize(
    "change",
    [
        {"known": ["age", "region"]},
        {"known": ["age , region"]},
        {"radius": "0.2"},
        {"radius": " income =0.2"},
        {"synthesized": ["income", "income"], "expect": "names a column twice"},
    ],
)
def test_lists_are_comma_separated_or_repeated(run: Run, folder: Path, tmp_path: Path, change: dict) -> None:
    expect = change.pop("expect", None)
    code, _, err = run(*arguments(folder, json=tmp_path / "a.json", **change))
    if expect:
        assert code == 2
        assert expect in err
    else:
        assert code == 0
        run(*arguments(folder, json=tmp_path / "b.json"))
        assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()


def test_a_column_may_have_commas_and_equals_signs_in_its_name(run: Run, folder: Path, tmp_path: Path) -> None:
    code, _, _ = run(*arguments(folder, known=["age,region", ODD], json=tmp_path / "a.json"))
    assert code == 0
    assert json.loads((tmp_path / "a.json").read_text())["intruder"]["known"] == ["age", "region", ODD]
    radius = [f"{ODD}=0.5", "income=0.2"]
    run(*arguments(folder, known=["age,region", ODD], radius=radius, json=tmp_path / "b.json"))
    assert json.loads((tmp_path / "b.json").read_text())["intruder"]["radius"] == {ODD: 0.5, "income": 0.2}


def test_every_option_reaches_the_library(run: Run, folder: Path, tmp_path: Path) -> None:
    code, _, err = run(
        *arguments(
            folder,
            radius_kind="absolute",
            radius="income=500",
            boundary="open",
            norm="euclidean",
            missing="never",
            targets="0,3,10-29",
            singletons="certain",
            variables="income,age",
            categorical="age",
            model="cart",
            seed=4,
            data_kind="simulated",
            json=tmp_path / "a.json",
            report=tmp_path / "a.html",
            title="A <title>",
            date="today",
            show_values=True,
        )
    )
    assert code == 0, err
    numbers = json.loads((tmp_path / "a.json").read_text())
    asked = numbers["intruder"]
    assert [asked[name] for name in ("radius_kind", "boundary", "norm", "missing")] == [
        "absolute",
        "open",
        "euclidean",
        "never",
    ]
    assert numbers["identification_risk"]["targets"] == 22
    assert "classification tree in 2 variables" in numbers["pmse"]["sentence"]
    assert numbers["data"]["kind"] == "simulated"
    page = (tmp_path / "a.html").read_text()
    for words in ("A &lt;title&gt;", " · today · ", "This page contains confidential values", "Simulated data"):
        assert words in page
    code, _, _ = run(*arguments(folder, convention="irc", json=tmp_path / "b.json"))
    assert json.loads((tmp_path / "b.json").read_text())["intruder"]["convention"] == "irc"


def test_a_saved_release_and_a_byte_order_mark_are_read(run: Run, folder: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(folder / "synthetic1.csv")
    sl.Release([frame], ["income"], {"dataset": {"kind": "real"}}).save(tmp_path / "release", keep_order=True)
    call = ["--known", "age,region", "--synthesized", "income", "--radius", "0.2"]
    page = tmp_path / "a.html"
    code, _, err = run("evaluate", folder / "bom.csv", tmp_path / "release", *call, "--report", page)
    assert code == 0
    assert err == "read bom.csv: CSV, delimiter comma, UTF-8 with a byte-order mark; 60 records, 4 columns\n"
    assert " · real data · " in page.read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"known": None}, "Missing option '--known'"),
        ({"synthesized": None}, "Missing option '--synthesized'"),
        ({"known": "wealth"}, "known: 'wealth' not in confidential"),
        ({"radius": None}, "'income' has 60 distinct numbers and no radius"),
        ({"radius": "income"}, "--radius 'income': write NAME=NUMBER"),
        ({"radius": "income=a lot"}, "--radius 'income=a lot': write NAME=NUMBER"),
        ({"radius": "income=0.1,income=0.2"}, "'income' has two radii"),
        ({"radius": ["0.1", "0.2"]}, "--radius: give NAME=NUMBER for every"),
        ({"radius": ["0.1", "income=0.2"]}, "--radius: give NAME=NUMBER for every"),
        ({"radius": "income=-1"}, "--radius income=-1.0: must be a finite number"),
        ({"radius": "income=nan"}, "--radius income=nan: must be a finite number"),
        ({"radius": "region=0.1"}, "'region' is"),
        ({"radius": "wealth=0.1"}, "radius: 'wealth' is neither in known nor in synthesized"),
        ({"boundary": "ajar"}, "boundary='ajar': must be one of 'closed', 'open'"),
        ({"targets": "5-3"}, "targets='5-3': write row positions"),
        ({"targets": "x"}, "targets='x': write row positions"),
        ({"targets": [3, 60]}, "targets='60': row positions must lie in [0, 59]"),
        ({"targets": "3,0-99999999999"}, "targets='0-99999999999': row positions must lie in [0, 59]"),
        ({"targets": "0-" + "9" * 5000}, "9': row positions must lie in [0, 59]"),
        ({"categorical": "q"}, "categorical: 'q' not in confidential"),
        ({"seed": "many"}, "Invalid value for '--seed'"),
        ({"data_kind": "fake"}, "data_kind='fake': must be one of"),
        ({"report": "out.pdf"}, "--report='out.pdf': must end in .html"),
        ({"json": "out.html"}, "--json='out.html': must end in .json"),
        ({"synthesized": "income,age"}, "known and synthesized overlap in 'age'"),
        ({"colour": "red"}, "No such option: --colour"),
        ({"title": " "}, "title=' ': must be a non-empty text"),
    ],
)
def test_bad_options_end_in_one_line_and_exit_code_2(run: Run, folder: Path, change: dict, message: str) -> None:
    code, out, err = run(*arguments(folder, **change))
    assert code == 2
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("nowhere.csv", "synthetic1.csv", "confidential: no file '"),
        ("confidential.csv", "nowhere.csv", "synthetic: no file '"),
        ("empty.csv", "synthetic1.csv", "cannot read '"),
        ("picture.csv", "synthetic1.csv", "cannot read '"),
        ("heads.csv", "synthetic1.csv", "it has a line of 2 column names but no records"),
        ("holes.csv", "synthetic1.csv", "column 'income' has 4 missing values"),
        ("confidential.csv", ".", "contains no release.json"),
        (".", "synthetic1.csv", "cannot read '"),
    ],
)
def test_bad_files_end_in_one_line_and_exit_code_2(
    run: Run, folder: Path, first: str, second: str, message: str
) -> None:
    call = ["--known", "age,region", "--synthesized", "income", "--radius", "0.2"]
    code, out, err = run("evaluate", folder / first, folder / second, *call)
    assert code == 2
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.full
def test_the_summary_counts_claims_and_published_numbers_of_all_replications(run: Run, folder: Path) -> None:
    from replications import registry, summary

    files = {"table": folder / "summary.csv", "list": folder / "all.csv"}
    code, out, err = run("replicate", "--summary", "--out", files["table"], "--csv", files["list"])
    assert (code, err) == (0, "")
    assert "Reiter & Mitra" in out
    assert out.count("in all") == 2
    numbers = re.search(r"in all +(.*)", out)
    assert numbers is not None
    assert numbers[1].split() == ["98", "215", "26", "59", "57", "42", "1", "498"]
    for what, path in files.items():
        assert f"{what}: {path}" in out.replace("\n", "")
    counts, rows = registry.summary()
    assert len(pd.read_csv(files["list"])) == len(rows)
    pd.testing.assert_frame_equal(pd.read_csv(files["table"]), summary.table(counts))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["--csv", "all.csv"], "--csv: requires --summary"),
        (["--summary", "--out", "all.txt"], "must end in .csv"),
        (["dp", "--summary"], "--summary: counts all replications; omit 'dp'"),
        (["--summary", "--csv", "all.txt"], "must end in .csv"),
        (["--summary", "--csv", "confidential.csv/all.csv"], "cannot write: Not a directory"),
    ],
)
def test_what_the_summary_does_not_take(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, call: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = run("replicate", *call)
    assert (code, out) == (2, "")
    assert message in err


def test_more_datasets_than_the_demo_has_draws_is_an_error_before_the_fit(run: Run, tmp_path: Path) -> None:
    code, out, err = run("demo", "--m", 99999, "--out", tmp_path)
    assert (code, out) == (2, "")
    assert err == "error: --m 99999: must be an int >= 1 and <= 2000\n"


def test_a_fault_of_ours_keeps_its_traceback(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import synthlab.report

    def broken(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(synthlab.report, "evaluate", broken)
    with pytest.raises(ZeroDivisionError, match="ours"):
        cli.main([str(argument) for argument in arguments(folder)])


def test_course_open_without_jupyterlab_writes_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jupyterlab", None)
    code, _, error = run("course", "open", tmp_path / "lectures")
    assert code == 2
    assert "synthlab-sdc[course]" in error
    assert list(tmp_path.iterdir()) == []


def test_without_a_command_every_command_is_named(run: Run) -> None:
    code, out, err = run()
    assert (code, err) == (0, "")
    commands = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]
    assert [name for name in commands if not re.search(rf"\b{name}\b", out)] == []
    for name, said in re.findall(r"^  synthlab ([a-z]+) ([a-z-]+)", out, re.MULTILINE):
        assert name in commands
        assert said in getattr(commands[name], "commands", {said}), (name, said)
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert all(name in out for name in commands)
    code, _, err = run("nonsense")
    assert (code, err) == (2, "error: No such command 'nonsense'.\n")


def test_data_list_shows_every_dataset_and_whether_it_is_real(run: Run) -> None:
    code, out, _ = run("data", "list")
    assert code == 0
    for name in sl.datasets.names():
        assert name in out
    assert "simulated" in out
    assert "real" in out


def test_data_show_describes_one(run: Run) -> None:
    code, out, _ = run("data", "show", "affairs")
    assert code == 0
    assert "real: records of people who answered a survey" in out
    assert "rate_marriage" in out
    code, out, _ = run("data", "show", "ce", "--version", "simulated")
    assert "SIMULATED" in out
    code, _, err = run("data", "show", "affair")
    assert code == 2
    assert "did you mean 'affairs'?" in err


def test_data_show_says_how_to_get_what_is_missing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYNTHLAB_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code, _, err = run("data", "show", "acs", "--version", "real")
    assert code == 2
    assert "synthlab data fetch acs" in err
    assert err.count("\n") == 1


def test_data_fetch_asks_the_library(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}

    def fetch(name: str, **options: object) -> list[Path]:
        seen[name] = options
        return [tmp_path / "acs.csv"]

    monkeypatch.setattr(sl.datasets, "fetch", fetch)
    code, out, _ = run("data", "fetch", "acs", "--folder", tmp_path, "--force")
    assert code == 0
    assert out == f"{tmp_path / 'acs.csv'}\n"
    assert seen == {"acs": {"folder": tmp_path, "force": True, "progress": True}}
    monkeypatch.undo()
    code, _, err = run("data", "fetch", "affairs")
    assert code == 2
    assert "has no files to fetch" in err


def test_doctor_fails_when_something_required_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from synthlab import doctor

    good = doctor.Check("numpy", "ok", "2.0", required=True)
    lost = doctor.Check("extra linkage", "missing", "without splink", "pip install splink")
    bad = doctor.Check("pymc", "missing", "", "pip install pymc", required=True)
    monkeypatch.setattr(doctor, "examine", lambda: [good, lost])
    code, out, err = run("doctor")
    assert (code, err) == (0, "")
    assert "extra linkage: missing\n    pip install splink\n" in out
    code, out, err = run("doctor", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["works"], said["version"]) == (True, sl.__version__)
    assert said["checks"][1]["install"] == "pip install splink"
    monkeypatch.setattr(doctor, "examine", lambda: [good, lost, bad])
    for call in (["doctor"], ["doctor", "--json"]):
        code, out, err = run(*call)
        assert (code, err) == (1, "error: required packages are missing or outdated: pymc\n")
    assert json.loads(out)["works"] is False


def test_replicate_runs_on_so_many_cores(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from replications import registry

    asked: list[int] = []
    monkeypatch.setattr(registry, "replicate", lambda *_, **__: asked.append(parallel.workers(prefer="processes")))
    for option in (["--jobs", 3], ["--jobs", 1], []):
        assert run("replicate", "dp", *option)[0] == 0
    assert asked == [3, 1, joblib.cpu_count()]
    for wrong in (0, -1):
        code, _, err = run("replicate", "dp", "--jobs", wrong)
        assert code == 2
        assert f"--jobs {wrong}" in err
    assert len(asked) == 3


def test_replicate_lists_runs_and_writes(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("replicate")
    assert code == 0
    assert "coverage" in out
    out_file = tmp_path / "new" / "coverage.csv"
    code, out, _ = run("replicate", "coverage", "--quick", "--seed", 3, "--out", out_file)
    assert code == 0
    assert out.startswith("Quick run without verdicts on 8 of 8 statements")
    assert "200 repetitions" in out
    assert Path(out.rpartition("notebook: ")[2].strip()).is_file()
    assert len(pd.read_csv(out_file)) > 10
    code, _, err = run("replicate", "converage")
    assert code == 2
    assert "did you mean 'coverage'?" in err
    code, _, err = run("replicate", "coverage", "--out", "coverage.png")
    assert code == 2
    assert "must end in .csv" in err


def test_guesses_are_scored_and_no_answer_is_printed(run: Run, tmp_path: Path) -> None:
    people = pd.DataFrame({"sex": ["f", "m"] * 20, "income": np.arange(100.0, 140.0)})
    guesses = pd.DataFrame({"record": range(30), "income": people["income"][:30] * ([1.05, 2.0] * 15)})
    people.to_csv(tmp_path / "people.csv", index=False)
    guesses.to_csv(tmp_path / "guesses.csv", index=False)
    options = ["--confidential", str(tmp_path / "people.csv"), "--target", "income", "--radius", "0.1"]
    code, out, err = run("attack-score", str(tmp_path / "guesses.csv"), *options)
    assert code == 0
    assert "15 of 30 guesses of income are right" in out
    # One guess of 113 or so is right for everybody up to 125: the baseline.
    assert "NoBetterThanBaselineWarning: the attack is right with probability 0.5" in err
    guesses.assign(income="ten").to_csv(tmp_path / "words.csv", index=False)
    code, _, err = run("attack-score", str(tmp_path / "words.csv"), *options)
    assert code == 2
    assert "column 'income' contains other values (30 of 30 records" in err
    assert "synthetic" not in err
    guesses[:3].to_csv(tmp_path / "few.csv", index=False)
    code, _, err = run("attack-score", str(tmp_path / "few.csv"), *options)
    assert code == 2
    assert "at least 20 are required" in err


def test_the_demo_asks_for_what_it_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    from synthlab.report import demo

    frame = pd.read_csv(folder / "confidential.csv")
    frame.attrs["synthlab"] = {"kind": "simulated"}
    result = sl.evaluate(
        frame,
        pd.read_csv(folder / "synthetic1.csv"),
        sl.Intruder(known=["age", "region"], synthesized=["income"], radius={"income": 0.2}),
    )
    seen = []

    def demonstrate(m: int, rng: int, tell: Callable[[str], None]) -> object:
        seen.append((m, rng))
        tell("working")
        return result

    monkeypatch.setattr(demo, "demonstrate", demonstrate)
    code, out, err = run("demo", "--out", tmp_path / "demo", "--m", 5, "--seed", 9)
    assert code == 0
    assert seen == [(5, 9)]
    assert err.startswith("working\n")
    assert out.count(" Question ") == 2
    assert demo.TITLE in (tmp_path / "demo" / "report.html").read_text()
    assert json.loads((tmp_path / "demo" / "report.json").read_text())["release"]["m"] == 1


def test_version_is_that_of_the_package(run: Run) -> None:
    code, out, err = run("--version")
    assert (code, err) == (0, "")
    assert out.splitlines() == versions.describe(sl.__version__)
    assert out.startswith(f"synthlab {sl.__version__} (distribution {versions.DISTRIBUTION})\ncommit ")


@pytest.mark.parametrize("command", KEYS)
def test_the_help_lists_every_key_of_the_file(run: Run, command: str) -> None:
    _, out, _ = run(command, "--help")
    listed = re.findall(r"^ {4}(\w+) {2,}\S", out.partition("Keys of the TOML file")[2], re.MULTILINE)
    assert listed == [key.name for key in KEYS[command]]
    typed = {str(one.name) for one in cli._all().commands[command].params}
    assert not typed & set(listed)


def test_crosscheck_prints_one_table_and_fails_with_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from synthlab import crosscheck
    from synthlab.crosscheck import crosscheck as real

    asked = []

    def recorded(groups: list[str] | None, *, live: bool | None, report: object) -> crosscheck.CrosscheckResult:
        asked.append(live)
        return real(groups, live=False, report=report)  # type: ignore[arg-type]

    monkeypatch.setattr(crosscheck, "crosscheck", recorded)
    code, out, err = run("crosscheck", "weights")
    assert (code, err) == (0, "")
    assert "10 checks of 2,484 numbers: 10 agrees, 0 differs as stated, 0 FAILS" in out
    code, out, _ = run("crosscheck", "weights", "--json", "--live")
    assert code == 0
    assert len(json.loads(out)["rows"]) == 10
    assert asked == [None, True]
    tight = {name: crosscheck.Tolerance(0.0, -1.0, "nothing is good enough") for name in crosscheck.TOLERANCES}
    monkeypatch.setattr(crosscheck._check, "TOLERANCES", tight)
    code, out, _ = run("crosscheck", "weights")
    assert code == 1
    assert "10 FAILS" in out
    code, _, err = run("crosscheck", "nothing")
    assert code == 2
    assert "'nothing'" in err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--missing", "maybe"], "--missing maybe: must be one of 'raise', 'category', 'never'"),
        (["--radius", "income=-1"], "--radius income=-1.0: must be a finite number"),
        (["--rows", "odd"], "--rows odd: must be one of"),
        (["--limit", "pmse=much"], "--limit pmse: cannot be read"),
        (["--weights", "nothing"], "--weights: 'nothing' not in confidential"),
    ],
)
def test_a_command_speaks_in_options(tmp_path, capsys, more, said):
    files = []
    for name in ("survey", "release"):
        files.append(str(tmp_path / f"{name}.csv"))
        pd.DataFrame({"region": list("NNSS"), "income": [1.0, 2.0, 3.0, 4.0]}).to_csv(files[-1], index=False)
    with pytest.raises(SystemExit) as end:
        cli.main(["evaluate", *files, "--known", "region", "--synthesized", "income", *more])
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_words_that_are_no_arguments_stay():
    said = in_options(
        "known: 'x=1' of known=['a']; rows=None or seed=3 in my.missing='raise'", {"known": "--known", "rows": "--rows"}
    )
    assert said == "--known: 'x=1' of --known a; no --rows or seed=3 in my.missing='raise'"


def test_a_release_is_written_in_the_chosen_format(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    draw = np.random.default_rng(1)
    survey = pd.DataFrame({"sex": draw.choice(["m", "f"], 200), "born": draw.integers(1950, 1990, 200)})
    survey.to_csv(tmp_path / "survey.csv", index=False)
    code, _, err = run("synthesize", tmp_path / "survey.csv", "--m", "2", "--out", tmp_path / "out", "--format", "dta")
    assert code == 0, err
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "release.json",
        "synthetic_001.dta",
        "synthetic_002.dta",
    ]
    code, _, err = run(
        *(
            "evaluate",
            tmp_path / "survey.csv",
            tmp_path / "out",
            "--known",
            "sex",
            "--synthesized",
            "born",
            "--radius",
            "1",
        ),
        *("--radius-kind", "absolute"),
    )
    assert code in (0, 4), err
    survey.rename(columns={"born": "year of birth"}).to_csv(tmp_path / "survey.csv", index=False)
    for options in (["--out", "new", "--format", "dta"], ["--out", "new.sav"], ["--out", "new", "--format", "xyz"]):
        code, _, err = run("synthesize", tmp_path / "survey.csv", *options)
        assert code == 2
        assert "--format" in err or "--out" in err


def test_a_list_with_blanks_around_its_commas_is_one_argument():
    from synthlab.cli import with_lists_joined

    assert with_lists_joined(["a.csv", "--known=sex,", "region", "--m", "2"]) == [
        "a.csv",
        "--known=sex,region",
        "--m",
        "2",
    ]
    assert with_lists_joined(["--known", "sex", ",region", "b.csv"]) == ["--known", "sex,region", "b.csv"]
    assert with_lists_joined(["--known", "sex,", "--m", "2"]) == ["--known", "sex,", "--m", "2"]


VALUES = st.recursive(
    st.text(st.characters(blacklist_categories=["C"]), max_size=8) | st.integers(-99, 99) | st.booleans(),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text("a é.'\"\\", max_size=4), parts, max_size=3),
    max_leaves=6,
)


@given(VALUES)
def test_a_hint_in_python_can_be_pasted_into_the_toml_file(value: Any) -> None:
    said = in_options(f"give it a model: models={value!r}; see the page", {"known": "--known"}, ["models"])
    assert said.startswith("give it a model: ")
    assert said.endswith("; see the page")
    assert tomllib.loads(said[17:-14]) == {"models": value}


@given(st.dictionaries(st.text("ab é'\"\\$", min_size=1), st.integers() | st.text("c 'é\"\\$*"), min_size=1))
def test_a_hint_in_python_can_be_pasted_into_a_shell(value: dict[str, Any]) -> None:
    said = in_options(f"set radius={value!r}", {"radius": "--radius"})
    assert shlex.split(said[4:]) == [one for key, text in value.items() for one in ("--radius", f"{key}={text}")]


@pytest.mark.parametrize(
    ("columns", "hint"),
    [
        ({"ref id": np.arange(300) * 7 % 300}, r"models = .*? }"),
        ({"first day": ["01/02/2024", "03/04/2024", "05/06/2024"] * 100}, r"dates = .*? }"),
        ({"the rent": [-9, *range(100, 123), *range(100, 106)] * 10}, r"--na '.*?'"),
        ({"the rent": ["None", *range(100, 123), *range(100, 106)] * 10}, r"--na None"),
    ],
)
def test_the_hint_of_a_message_works_when_pasted(run: Run, tmp_path: Path, columns: Any, hint: str) -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame(columns | {"x": draw.normal(size=300).round(2)})
    frame.to_csv(tmp_path / "survey.csv", index=False)
    begin = ["synthesize", str(tmp_path / "survey.csv"), "--m", "1", "--out"]
    _, _, before = run(*begin, tmp_path / "one")
    found = re.search(hint, before)
    assert found, before
    if found[0].startswith("--"):
        pasted = shlex.split(found[0])
    else:
        (tmp_path / "own.toml").write_text(found[0], encoding="utf-8")
        pasted = ["--config", str(tmp_path / "own.toml")]
    code, _, after = run(*begin, tmp_path / "two", *pasted)
    assert code == 0, after
    assert not re.search(hint, after)
