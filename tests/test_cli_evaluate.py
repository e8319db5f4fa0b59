"""`synthlab evaluate`: several intruders, limits and exit codes, control samples, tables, and a configuration file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from synthlab import cli
from synthlab.cli.config import KEYS
from tests.test_cli import Run, configured, run

__all__ = ["run"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    draw = np.random.default_rng(1)
    people = pd.DataFrame(
        {"sex": draw.choice(list("fm"), 90), "town": draw.integers(0, 30, 90), "pay": draw.normal(9, 1, 90).round(3)}
    )
    people.to_csv(tmp_path / "people.csv", index=False)
    people.assign(pay=draw.normal(9, 1, 90).round(3)).to_csv(tmp_path / "honest.csv", index=False)
    people.assign(pay=people["pay"] * 1.01).sample(frac=1, random_state=1).to_csv(tmp_path / "moved.csv", index=False)
    people.assign(pay=draw.normal(9, 1, 90).round(3)).to_csv(tmp_path / "control.csv", index=False)
    (tmp_path / "two.toml").write_text(
        '[intruders.little]\nknown=["sex"]\nsynthesized=["pay"]\nradius=0.001\n'
        '[intruders.much]\nknown=["sex","town"]\nsynthesized=["pay"]\nradius=0.001\n'
    )
    (tmp_path / "study.toml").write_text(
        'confidential="people.csv"\nsynthetic="honest.csv"\nknown="sex"\nsynthesized=["pay"]\nrows="aligned"\njson="out.json"\n'
        "[radius]\npay=0.001\n[limits]\nexact_copies=0\n"
    )
    return tmp_path


ASK = ("--known", "sex,town", "--synthesized", "pay", "--radius", "pay=0.001")


def test_limits_decide_the_exit_code(run: Run, folder: Path) -> None:
    files = folder / "people.csv", folder / "honest.csv"
    code, out, err = run("evaluate", *files, *ASK, "--limit", "exact_copies=0,best_intruder=100%")
    assert code == 0
    assert "error" not in err
    assert "held" in out
    overview = configured(folder, overview="t.csv")
    code, out, err = run("evaluate", *files, *ASK, "--limit", "best_intruder=1%", *overview)
    assert code == 3
    assert out.startswith("NOTHING FOUND. ")
    assert "broken" in out
    assert pd.read_csv(folder / "t.csv")["measure"][0] == "best_intruder"


def test_several_intruders_come_from_a_file(run: Run, folder: Path) -> None:
    files = folder / "people.csv", folder / "honest.csv"
    code, out, _ = run("evaluate", *files, "--config", folder / "two.toml")
    assert code == 0
    assert "2 intruders, the worst first" in out
    code, _, err = run("evaluate", *files, "--config", folder / "two.toml", "--known", "sex")
    assert code == 2
    assert err.startswith("error: intruders: the TOML file defines the intruders; omit known")


def test_a_control_sample_shows_that_a_near_copy_is_near(run: Run, folder: Path) -> None:
    code, out, err = run(
        "evaluate", folder / "people.csv", folder / "moved.csv", *ASK, "--control", folder / "control.csv"
    )
    assert code == 0
    assert "error" not in err
    assert out.startswith("CHECK. In the release, ")
    assert "Distance to the closest record" not in out
    code, out, _ = run("evaluate", folder / "people.csv", folder / "honest.csv", *ASK)
    assert "not measured: Distance to the closest record" in out


def test_a_file_holds_the_whole_command_and_what_is_typed_comes_first(run: Run, folder: Path) -> None:
    code, out, err = run("evaluate", "--config", folder / "study.toml")
    assert code == 0, err
    assert (folder / "out.json").is_file()
    assert "The intruder knows sex and the true pay" in out
    code, out, _ = run("evaluate", "--config", folder / "study.toml", "--known", "sex,town")
    assert code == 0
    assert "The intruder knows sex, town and the true pay" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('categoricals="red"', "unknown key 'categoricals'; did you mean 'categorical'?"),
        ("radius-kind='absolute'", "unknown key 'radius-kind'; did you mean 'radius_kind'?"),
        ("limit=1", "unknown key 'limit'; did you mean 'limits'?"),
        ("zzz=1", "unknown key 'zzz'; did you mean '"),
        ("show_values='yes'", "show_values must be true or false"),
        ("categorical=3", "categorical must be a text or a list of texts"),
        ("categorical=[3]", "categorical: '3' not in confidential"),
        ("intruders.x=3  # without known", "[intruders.x]=3: must be a mapping of a table with known and synthesized"),
        ("intruders='two.toml'", "intruders must be a table"),
        ("targets=3", "targets must be a text such as"),
        ("overview='t.pdf'", "t.pdf': must end in .csv or .md or .xlsx"),
        ("overview=''", "overview: must be a path"),
        ("json=''", "json: must be a path"),
        ("boundary='ajar'", "boundary='ajar': must be one of"),
        ("predict='wealth'", "predict: 'wealth' not in confidential"),
        ('colour="red', "is not TOML in UTF-8"),
        ("seed='many'", "Invalid value for '--seed'"),
        ("[limits]\nluck=1", "unknown name 'luck'"),
        ("[limits]\npmse='much'", "cannot be read"),
        ("[intruders.x]\nknown=['sex']", "[intruders.x]: lacks synthesized"),
        ("known=['wealth']", "'wealth' not in confidential"),
    ],
)
def test_a_configuration_that_cannot_be_read_says_what_is_wrong(
    run: Run, folder: Path, text: str, message: str
) -> None:
    plain = 'confidential="people.csv"\nsynthetic=["honest.csv"]\nsynthesized=["pay"]\nradius=0.1\n'
    (folder / "bad.toml").write_text((plain if "intruders" not in text else plain.split("synthesized")[0]) + text)
    code, _, err = run("evaluate", "--config", folder / "bad.toml", *(() if "known" in text else ("--known", "sex")))
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_message_about_a_file_does_not_show_its_values(run: Run, folder: Path) -> None:
    (folder / "bad.toml").write_text('secret_key="VALUE"\nshow_values="VALUE"\n')
    code, out, err = run("evaluate", *(folder / "people.csv", folder / "honest.csv"), "--config", folder / "bad.toml")
    assert code == 2
    assert "'secret_key'" in err
    assert "VALUE" not in out + err


def test_of_several_files_the_last_has_priority_and_paths_are_relative_to_their_file(run: Run, folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "more.toml").write_text('json="last.json"\nknown=["sex", "town"]\noverview="t.md"\n')
    code, out, err = run("evaluate", "--config", folder / "study.toml", "--config", folder / "deep" / "more.toml")
    assert code == 0, err
    assert "The intruder knows sex, town and the true pay" in out
    assert not (folder / "out.json").exists()
    assert (folder / "deep" / "last.json").is_file()
    assert (folder / "deep" / "t.md").read_text().startswith("| measure |")


def test_every_key_of_a_file_has_a_default_that_the_file_may_state() -> None:
    for keys in KEYS.values():
        assert len({key.name for key in keys}) == len(keys)
        for key in keys:
            if key.default not in (None, ()):
                assert key.read(key.default, Path("x.toml")) == key.default


def test_without_a_question_the_command_says_what_is_missing(run: Run, folder: Path) -> None:
    code, _, err = run("evaluate", folder / "people.csv", folder / "honest.csv", "--synthesized", "pay")
    assert code == 2
    assert "Missing option '--known', or --config FILE with tables [intruders.NAME]" in err
    code, _, err = run("evaluate", "--known", "sex")
    assert code == 2
    assert "Missing argument 'confidential'" in err


def test_a_dossier_goes_with_the_report(run: Run, folder: Path) -> None:
    files = folder / "people.csv", folder / "honest.csv"
    (folder / "d.toml").write_text('[dossier]\npurpose="teaching"\nepsilon=2')
    code, _, err = run("evaluate", *files, *ASK, "--config", folder / "d.toml")
    assert code == 2
    assert "dossier: is part of the report" in err
    code, _, _ = run("evaluate", *files, *ASK, "--config", folder / "d.toml", "--report", folder / "r.html")
    assert code == 0
    assert "<dd>teaching</dd>" in (folder / "r.html").read_text()
    whole = (folder / "study.toml").read_text() + '[dossier]\npurpose="in a study"\n'
    (folder / "study.toml").write_text('report="s.html"\n' + whole)
    code, _, err = run("evaluate", "--config", folder / "study.toml")
    assert code == 0, err
    assert "<dd>in a study</dd>" in (folder / "s.html").read_text()


def commands(group: Any, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the words of every command there is."""
    found = getattr(group, "commands", None)
    if found is None:
        return [words]
    return [one for name, command in found.items() for one in commands(command, (*words, name))]


@pytest.mark.parametrize("words", commands(typer.main.get_command(cli.app)), ids=" ".join)
def test_the_help_of_every_command_has_an_example(run: Run, words: tuple[str, ...]) -> None:
    code, out, _ = run(*words, "--help")
    assert code == 0
    assert out.count(f"synthlab {' '.join(words)}") >= 2, "one in the usage, one an example"
