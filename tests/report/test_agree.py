"""`synthlab evaluate` does not contradict what `synthlab synthesize` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import KnownVariableChangedWarning
from tests.test_cli import Run, configured, run

__all__ = ["run"]
N = 300
pytestmark = pytest.mark.usefixtures("fixed_key")
ASK = ("--known", "canton,sex,age", "--synthesized", "income,ill", "--radius", "income=0.2")


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    age = rng.integers(18, 90, N)
    frame = pd.DataFrame(
        {
            "name": [f"person {number}" for number in rng.permutation(9 * N)[:N]],
            "canton": rng.choice(["ZH", "BE", "VD", "TI"], N),
            "sex": rng.choice(["f", "m"], N),
            "age": age,
            "income": np.exp(rng.normal(7 + 0.01 * age, 0.5)).round(1),
            "ill": rng.choice(["yes", "no"], N, p=[0.2, 0.8]),
            "weight": rng.gamma(4, 25, N).round(3),
        }
    )
    frame.to_csv(tmp_path / "own.csv", index=False)
    return tmp_path


def made(run: Run, folder: Path, *options: Any) -> dict[str, Any]:
    code, _, err = run(
        "synthesize", folder / "own.csv", "--m", "2", "--seed", "1", "--out", folder / "release", *options
    )
    assert code == 0, err
    return json.loads((folder / "release" / "release.json").read_text())


def evaluated(run: Run, folder: Path, *options: Any) -> tuple[dict[str, Any], str]:
    numbers = folder / "numbers.json"
    code, out, err = run("evaluate", folder / "own.csv", folder / "release", *ASK, "--json", numbers, *options)
    assert code == 0, out
    return json.loads(numbers.read_text()), out + err


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("in_order", [False, True])
def test_roles_and_findings_agree_with_the_plan(run: Run, survey: Path, in_order: bool, private: bool) -> None:
    key = survey / "private.json"
    options = ("--identifiers", "new", "--weights", "weight", "--keep", "weight", "--private", key)
    release = made(run, survey, *options, *(configured(survey, keep_order=True) if in_order else ()))
    found, text = evaluated(run, survey, *(("--private", key) if private else ()))

    roles = found["columns"]["roles"]
    identifiers = {v["variable"] for v in release["provenance"]["plan"]["variables"] if v["role"] == "identifier"}
    assert identifiers == {"name"} == {column for column, role in roles.items() if role == "identifier"}
    assert {c for c, role in roles.items() if role == "synthesized"} == set(release["synthesized"]) - identifiers
    assert found["columns"]["unchanged"] == ["weight"]
    assert "weight" in {column for one in found["findings"] for column in one["columns"]}
    assert found["rows"] == ("aligned" if in_order or private else "refuted")

    # The known variables are synthetic, and are described as synthetic.
    assert "RowOrderWarning" not in text
    assert "KnownVariableChangedWarning" not in text
    asked = found["answers"][[one["question"].startswith("Can an intruder") for one in found["answers"]].index(True)]
    assert "canton, sex and age (synthetic in this release)" in asked["question"]
    assert "without the synthetic values" not in asked["by_chance"]


def test_known_variables_that_were_kept_are_not_described_as_synthetic(run: Run, survey: Path) -> None:
    made(run, survey, "--identifiers", "drop", "--keep", "canton,sex,age", *configured(survey, keep_order=True))
    found, text = evaluated(run, survey)
    assert "synthetic in this release" not in text
    assert "without the synthetic values" in json.dumps(found["answers"])
    assert {"canton", "sex", "age"} <= set(found["columns"]["unchanged"])


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SingletonPatternWarning")
def test_a_known_variable_that_was_changed_without_being_declared_is_reported(survey: Path) -> None:
    own = pd.read_csv(survey / "own.csv").drop(columns="name")
    made = own.assign(age=own["age"].to_numpy()[::-1], income=own["income"].to_numpy()[::-1])
    made.loc[:2, "canton"] = [next(c for c in ("ZH", "BE") if c != here) for here in own.loc[:2, "canton"]]
    someone = sl.Intruder(known=["canton", "sex", "age"], synthesized=["income"], radius=0.2)
    release = sl.Release([made], ["age", "income"], rows="aligned")
    with pytest.warns(KnownVariableChangedWarning, match="known variable 'canton' differs from confidential in 3 of"):
        result = sl.evaluate(own, release, someone)
    changed = [text for name, text in result.warnings if name == "KnownVariableChangedWarning"]
    assert len(changed) == 1
