"""The command that synthesizes a file: what it prints, what it saves, and how it says no."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import InputError
from synthlab.synthesis.rules import rules_of
from tests.test_cli import configured

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        out = capsys.readouterr()
        return int(stopped.value.code or 0), out.out, out.err

    return call


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    works = rng.random(200) < 0.5
    wage, rent = np.where(works, rng.integers(10, 30, 200), 0), rng.integers(0, 5, 200)
    frame = pd.DataFrame({"person": np.arange(200), "works": np.where(works, "yes", "no"), "wage": wage, "rent": rent})
    frame = frame.assign(income=wage + rent, since="2024-0" + pd.Series(rng.integers(1, 9, 200).astype(str)) + "-15")
    frame.loc[::7, "rent"], frame.loc[::7, "income"] = -8, frame["wage"]
    frame["weeks"] = pd.Series(rng.integers(0, 9, 200)).where(np.arange(200) % 5 > 0)
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path / "survey.csv"


@pytest.mark.usefixtures("fixed_key")
def test_a_file_becomes_a_release_with_its_plan(run: Run, file: Path) -> None:
    rules = file.with_name("rules.toml")
    rules.write_text(
        'identifiers = "drop"\n[[constraints.zero_unless]]\ncolumn = "wage"\nother = "works"\nvalues = ["yes"]\n'
        '[[constraints.bounds]]\ncolumn = "weeks"\nlow = 0\n[models]\nworks = "sample"\n[missing_codes]\nrent = -8\n'
    )
    folder, private = file.with_name("release"), file.with_name("private.json")
    options = ["--m", 2, "--seed", 1, "--config", rules, "--private", private]
    code, out, err = run("synthesize", file, "--out", folder, *options)
    assert code == 0
    assert "read survey.csv: CSV, delimiter comma, UTF-8; 200 records, 7 columns\n" in err
    assert "UndeclaredCodeWarning" not in err
    release = sl.Release.load(folder, private=private)
    assert release.private["seed"] >> 128 == 1
    assert (release.rows, sl.Release.load(folder).rows) == ("unknown", "shuffled")
    plan = sl.Plan.of(folder)
    assert out == f"{plan}\nrelease: {folder}, rows shuffled\nprivate: {private}\n"
    table = plan.summary()
    assert table.loc["works", "model"] == "sample"
    assert table.loc["person", "model"] == "dropped"
    assert table.loc["since", "role"] == "date"
    assert table.loc["rent", "missing"] == "own tree"
    for made in release:
        assert (made["wage"][made["works"] == "no"] == 0).all()
        assert made["since"].dt.strftime("%Y-%m-%d").str.fullmatch(r"2024-0\d-\d\d").all()
    assert run("evaluate", file, folder, "--known", "works", "--synthesized", "wage", "--missing", "category")[0] == 0


def test_check_prints_a_plan_and_a_command_that_works(run: Run, file: Path) -> None:
    frame = pd.read_csv(file)
    pd.concat([frame.assign(wave=w) for w in (1, 2)]).sort_values(["person", "wave"]).to_csv(file, index=False)
    before = sorted(file.parent.iterdir())
    code, out, _ = run("synthesize", "--check", file, "--m", 1, "--na", "rent=-8")
    assert code == 0
    assert sorted(file.parent.iterdir()) == before
    assert "income = wage + rent" in out
    assert "rent (58)" in out
    assert "weeks (80)" in out
    assert "identifiers: person" in out
    assert "--unit person" in out
    command = shlex.split(out[out.index("command: ") :])[1:]
    folder = file.with_name("release")
    assert command == [
        "synthlab",
        "synthesize",
        str(file),
        "--m",
        "1",
        "--na",
        "rent=-8",
        "--identifiers",
        "new",
        "--out",
        "release",
    ]
    assert run(*command[1:-1], folder)[0] == 0
    made = sl.Plan.of(folder)
    checked = sl.plan_synthesis(sl.read(file, na={"rent": [-8]}), identifiers="new")
    pd.testing.assert_frame_equal(made.summary(), checked.summary())
    assert run("synthesize", file)[0] == 2
    code, out, _ = run("synthesize", "--check", file, "--unit", "person", "--unit-order", "wave", "--out", "there")
    assert code == 0
    assert "Add --unit" not in out
    assert "--identifiers" not in out.splitlines()[-1]


def test_relations_are_listed_declared_or_turned_off(run: Run, file: Path) -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"first": draw.integers(1, 50, 200), "second": draw.integers(0, 90, 200)})
    frame.assign(total=frame["first"] + frame["second"]).to_csv(file, index=False)
    for number, (line, listed) in enumerate(
        {
            "": ["total = first + second: computed"],
            "relations = 'detect'": ["total = first + second: computed"],
            "relations = ['second = total - first']": ["second = total - first: computed"],
            "relations = false": [],
        }.items()
    ):
        config, folder = file.with_name("relations.toml"), file.with_name(f"release_{number}")
        config.write_text(line)
        code, out, err = run("synthesize", file, "--out", folder, "--m", 1, "--config", config)
        assert code == 0, err
        assert list(sl.Plan.of(folder).relations) == listed
        assert all(relation in out for relation in listed)
    config.write_text("relations = ['total = first * second']")
    code, _, err = run("synthesize", file, "--out", file.with_name("none"), "--config", config)
    assert code == 2
    assert "relations: 'total = first * second' holds in fewer than 99.5%" in err
    assert "relations is a key of the TOML file" in err


def models(file: Path, model: str) -> list[str]:
    """Return the option that reads a file with a model for the wage."""
    config = file.with_name("models.toml")
    config.write_text(f'[models]\nwage = "{model}"\n')
    return ["--config", str(config)]


def test_what_cannot_be_done_is_said_in_options_and_leaves_nothing(run: Run, file: Path) -> None:
    folder = file.with_name("release")
    code, _, err = run("synthesize", file, "--out", folder)
    assert code == 2
    assert "error: --identifiers refuse: 1 column looks like an identifier ('person'" in err
    code, _, err = run("synthesize", file, "--out", folder, "--identifiers", "drop", *models(file, "norm"))
    assert code == 2
    assert "wage: must be" in err or "'norm': must be a synthesizer" in err
    code, _, err = run("synthesize", file, "--out", folder, *configured(file.parent, modles={}))
    assert code == 2
    assert "unknown key 'modles'; did you mean 'models'?" in err
    assert not folder.exists()
    sl.Release(pd.read_csv(file)).save(folder, keep_order=True)
    code, _, err = run("synthesize", file, "--out", folder)
    assert code == 2
    assert err.startswith("error: --out ")
    assert "already contains a release" in err


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rules_of({"limits": []}), r"rules: \[\[limits\]\] is not a constraint"),
        (
            lambda: rules_of({"bounds": [{"columns": "age"}]}),
            r"\[\[bounds\]\] takes column, low, high, public, and no others",
        ),
        (lambda: rules_of({"bounds": [1]}), r"\[\[bounds\]\] must be a table"),
    ],
)
def test_what_is_typed_wrong_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_what_is_typed_is_read() -> None:
    assert rules_of({"sum_of": {"total": "c", "parts": ["a", "b"]}}) == [sl.SumOf("c", ["a", "b"])]


@pytest.fixture
def sampled(tmp_path: Path) -> Path:
    """Rich people were drawn ten times as often as poor ones, of whom there are ten times as many."""
    rng = np.random.default_rng(3)
    rich = np.arange(600) % 2 == 0
    frame = pd.DataFrame({"pay": np.where(rich, 90, 10) + rng.integers(-9, 9, 600), "w": np.where(rich, 10.5, 105.0)})
    frame["region"] = np.repeat(["north", "south"], 300)
    frame["school"] = [f"school {number}" for number in np.maximum(np.arange(600), 120) * 7]
    frame["schools"] = np.where(frame["region"] == "north", 500, 900)
    frame.to_csv(tmp_path / "sample.csv", index=False)
    return tmp_path / "sample.csv"


def test_survey_weights_make_a_release_of_the_population(run: Run, sampled: Path) -> None:
    confidential = pd.read_csv(sampled)
    truth = float(np.average(confidential["pay"], weights=confidential["w"]))
    means = {}
    for name, options in {
        "sample": [],
        "left out": ["--weights", "w"],
        "kept": ["--weights", "w", "--keep", "w"],
    }.items():
        folder = sampled.with_name(name)
        call = ("synthesize", sampled, "--out", folder, "--m", 4, "--seed", 1, "--identifiers", "drop", *options)
        code, out, err = run(*call)
        assert code == 0, err
        release = sl.Release.load(folder)
        kept = name == "kept"
        means[name] = np.mean([np.average(made["pay"], weights=made["w"] if kept else None) for made in release])
        assert ("weighted by w" in out) == (name != "sample")
        assert out.startswith(str(sl.Plan.of(folder)))
        assert ("analyses of the release need w" in out) == kept
        assert ("every record counts once" in out) == (name == "left out")
        assert ("w" in release[0]) == (name != "left out")
    assert means["left out"] == pytest.approx(truth, abs=3)
    assert means["kept"] == pytest.approx(truth, abs=3)
    assert means["sample"] > truth + 20


def test_a_whole_design_is_read_from_columns_also_from_one_that_is_dropped(run: Run, sampled: Path) -> None:
    folder = sampled.with_name("release")
    private = sampled.with_name("private.json")
    options = ["--identifiers", "drop", "--keep", "w,region,schools", "--m", 1, "--private", private]
    design = ["--weights", "w"]
    design += configured(sampled.parent, keep_order=True, strata="region", clusters="school", fpc="schools")
    code, out, err = run("synthesize", sampled, "--out", folder, *options, *design)
    assert code == 0, err
    assert "strata: region; clusters (primary sampling units): school; finite population correction: schools" in out
    assert "variable of the design" not in err
    made = sl.Release.load(folder, private=private)
    key = made.private["seed"]
    said = sl.SurveyDesign(weights="w", strata="region", clusters="school", fpc="schools")
    frame = pd.read_csv(sampled)
    same = sl.synthesize(frame, m=1, rng=key, identifiers="drop", keep=["w", "region", "schools"], design=said)
    pd.testing.assert_frame_equal(made[0], same[0])
    assert made.provenance["estimates"] == same.provenance["estimates"]
    by_array = sl.SurveyDesign(weights=frame["w"], strata="region", clusters="school", fpc="schools")
    pd.testing.assert_frame_equal(
        sl.synthesize(frame, m=1, rng=key, identifiers="drop", keep=["w", "region", "schools"], design=by_array)[0],
        same[0],
    )
    with pytest.warns(sl.exceptions.DesignVariableWarning, match="'school' is a variable of the design"):
        sl.synthesize(frame, m=1, rng=1, identifiers="new", keep=["w", "region", "schools"], design=said)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--weights", "region"], "error: --weights: column 'weights' is str, not numeric"),
        (["--weights", "weight"], "error: --weights: 'weight' not in confidential"),
        (
            {"clusters": "region", "strata": "school"},
            "error: clusters: 2 of 2 clusters are in more than one stratum",
        ),
        ({"fpc": "pay"}, "error: fpc: must be"),
    ],
)
def test_a_design_that_cannot_be_is_named_in_options(run: Run, sampled: Path, options: Any, message: str) -> None:
    folder = sampled.with_name("release")
    options = configured(sampled.parent, **options) if isinstance(options, dict) else options
    code, _, err = run("synthesize", sampled, "--out", folder, "--identifiers", "drop", *options)
    assert code == 2
    assert message in err
    assert not folder.exists()


def test_a_design_without_weights_is_no_model_of_a_population(run: Run, sampled: Path) -> None:
    folder = sampled.with_name("release")
    options = ["--identifiers", "drop", *configured(sampled.parent, strata="region"), "--keep", "region", "--m", 1]
    code, out, err = run("synthesize", sampled, "--out", folder, *options)
    assert code == 0, err
    assert "Records are not weighted; strata: region" in out
    assert "population, by survey weights" not in out


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("in_order", [False, True])
def test_the_private_file_repeats_the_release_and_the_seed_does_not(run: Run, sampled: Path, in_order: bool) -> None:
    order = configured(sampled.parent, keep_order=True) if in_order else []
    private = sampled.with_name("private.json")
    options = ["--identifiers", "drop", "--keep", "w", "--m", 2]
    first, second, third = (sampled.with_name(name) for name in ("first", "second", "third"))
    assert run("synthesize", sampled, "--out", first, *options, "--seed", 7, "--private", private, *order)[0] == 0
    assert run("synthesize", sampled, "--out", second, *options, "--repeat", private)[0] == 0
    assert run("synthesize", sampled, "--out", third, *options, "--seed", 7, *order)[0] == 0
    assert _bytes(first) == _bytes(second)
    assert _bytes(first)["synthetic_001.csv"] != _bytes(third)["synthetic_001.csv"]
    assert private.stat().st_mode & 0o777 == 0o600
    code, _, err = run(
        "synthesize", sampled, "--out", sampled.with_name("other"), "--identifiers", "drop", "--repeat", private
    )
    assert (code, "differs from the release" in err) == (2, True)
    assert not sampled.with_name("other").exists()
    ours = sl.Release.load(first, private=private)
    assert ours.rows == "aligned"
    key = ours.private["seed"]
    same = sl.synthesize(pd.read_csv(sampled), m=2, rng=key, identifiers="drop", keep=["w"])
    for one, other in zip(ours, same, strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.usefixtures("fixed_key")
def test_evaluate_brings_shuffled_rows_back_into_order(run: Run, sampled: Path) -> None:
    private, folder, json = (sampled.with_name(name) for name in ("private.json", "release", "out.json"))
    options = ["--identifiers", "drop", "--keep", "w,region", "--m", 1]
    assert run("synthesize", sampled, "--out", folder, *options, "--private", private)[0] == 0
    call = [
        "evaluate",
        sampled,
        folder,
        "--known",
        "region,w",
        "--synthesized",
        "pay",
        "--radius",
        "0.1",
        "--json",
        json,
    ]
    assert run(*call, "--private", private)[0] == 0
    assert "expected_match_risk" in json.read_text()
    json.unlink()
    assert run(*call)[0] == 0
    assert "expected_match_risk" not in json.read_text()
    code, _, err = run("evaluate", sampled, sampled, *call[3:], "--private", private)
    assert (code, err.startswith("error: --private: applies to the folder")) == (2, True)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--out", ""], "--out"),
        (["--out", "x" * 300], "--out"),
        (["--out", "sample.csv"], "--out"),
        (["--out", "sample.csv/x"], "--out"),
        (["--private", ""], "--private"),
        (["--private", "sample.csv"], "--private"),
        (["--private", "release/private.json"], "--private"),
        (["--private", "nowhere/private.json"], "--private"),
        (["--private", "y" * 300], "--private"),
        (["--repeat", "sample.csv"], "--repeat"),
        (["--repeat", "none.json"], "--repeat"),
        (["--repeat", "sample.csv", "--seed", "1"], "--repeat"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    run: Run, sampled: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], named: str
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the synthesis began")

    monkeypatch.chdir(sampled.parent)
    monkeypatch.setattr("synthlab.synthesis.synthesize", work)
    places = [] if "--out" in options else ["--out", "release"]
    code, _, err = run("synthesize", "sample.csv", *places, *options)
    assert code == 2
    assert err.startswith(("error: " + named, f"error: Invalid value for '{named}'"))
    assert [path.name for path in sampled.parent.iterdir()] == ["sample.csv"]


@pytest.mark.parametrize("declared", [True, False])
def test_a_code_that_the_configuration_declares_is_not_reported(declared: bool, run: Run, tmp_path: Path) -> None:
    rows = [f"{'fm'[i % 2]},{-9 if i % 20 == 0 else 100 + i * 7 % 61}" for i in range(300)]
    survey, options = tmp_path / "codes.csv", tmp_path / "options.toml"
    survey.write_text("\n".join(["sex,income", *rows]) + "\n")
    options.write_text("[missing_codes]\nincome = [-9]\n" if declared else "")
    code, _, err = run("synthesize", survey, "--m", 1, "--seed", 1, "--out", tmp_path / "release", "--config", options)
    assert code == 0
    assert ("UndeclaredCodeWarning" in err) is not declared


def test_a_release_records_how_its_file_was_read_and_its_weights(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"age": rng.integers(20, 40, 150), "pay": rng.integers(10, 60, 150)})
    weights = rng.choice([1.5, 4.0], 150)
    file = tmp_path / "survey.csv"
    people.assign(pay=people["pay"].where(people.index > 30, -9), w=weights).to_csv(file, index=False, sep=";")
    folder, numbers = tmp_path / "release", tmp_path / "numbers.json"
    semicolon = configured(tmp_path, delimiter=";")
    code, _, err = run("synthesize", file, "--out", folder, "--m", 1, "--na", "-9", "--weights", "w", *semicolon)
    assert code == 0, err
    facts = sl.Release.load(folder).provenance
    assert facts["reading"] == {"na": ["-9"], "delimiter": ";", "suffix": ".csv"}
    assert facts["weights"] == "w"
    asked = ("evaluate", file, folder, "--known", "age", "--synthesized", "pay", "--radius", 0.1, "--seed", 1)
    asked = (*asked, "--missing", "category")
    code, _, err = run(*asked, "--json", numbers)
    assert "read as the release states: na=['-9'], delimiter=';'" in err
    explicit = tmp_path / "explicit.json"
    again, _, _ = run(*asked, "--json", explicit, "--na", "-9", "--weights", "w", *semicolon)
    assert code == again
    assert numbers.read_text() == explicit.read_text()
    assert "population_uniques" in numbers.read_text()
    _, _, err = run(
        *asked, "--json", explicit, "--na", "-9"
    )  # the delimiter of the release, and the codes of the command
    assert "read as the release states: delimiter=';'" in err
    assert numbers.read_text() == explicit.read_text()
    release = sl.Release.load(folder)
    odd = sl.Release(release.frames, release.synthesized, {**facts, "reading": {"na": -9, "suffix": ".csv"}})
    odd.save(tmp_path / "odd")
    code, _, err = run(*asked[:2], tmp_path / "odd", *asked[3:])
    assert code == 2
    assert "must have lists of text" in err
    sl.Release.load(folder)[0].to_csv(tmp_path / "synthetic.csv", index=False)  # one file states nothing
    code, _, err = run(*asked[:2], tmp_path / "synthetic.csv", *asked[3:], *semicolon)
    assert "read as the release states" not in err
