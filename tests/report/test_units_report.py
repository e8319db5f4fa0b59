"""`evaluate` with units: the verdict, what is counted by record, where units are declared, and the published files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import ComputedByRecordWarning, InputError
from synthlab.report.content import Content
from tests.risk.test_copied_units import renumbered, with_copies
from tests.site.test_how_to import run as run_page
from tests.snippets import read
from tests.test_cli import Run, run
from tests.units.survey import households, panel

__all__ = ["run"]

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
NAMES = ["relation", "region", "sex"]
HOME: dict[str, Any] = {"unit": "hhid", "unit_order": ["relation", "age"]}
SOMEONE = sl.Intruder(known=NAMES, synthesized=["age", "educ", "income"], radius={"income": 0.1})
WAVES = sl.Intruder(known=["sex"], synthesized=["job", "income"], radius={"income": 0.1}, unit="pid", unit_order="year")


@pytest.fixture(scope="module")
def honest() -> sl.report.EvaluationResult:
    own, made = households(100, 1), renumbered(households(100, 2), "hhid")
    return sl.evaluate(own, made, SOMEONE, **HOME)


@pytest.fixture(scope="module")
def leak() -> sl.report.EvaluationResult:
    own = households(100, 1)
    return sl.evaluate(own, with_copies(own, households(100, 2), 30, "hhid"), SOMEONE, **HOME)


def test_another_sample_has_no_finding_and_states_which_copies_of_units_would_be_found(honest: Any) -> None:
    assert honest.verdict == "NOTHING FOUND"
    assert "units would have been found" in Content(honest).headline
    assert {"copied_people", "copied_units", "near_copies", "near_units", "unit_utility"} <= set(honest.results)


def test_copied_households_give_stop_with_their_number(leak: Any) -> None:
    assert leak.verdict == "STOP"
    (found,) = (one for one in leak.findings if one.measure == "copied_units")
    assert found.level == "STOP"
    assert found.people >= 30
    assert found.of in (100, leak.results["copied_units"].worst.n)
    assert "hhid" not in found.columns
    shown, total = Content(leak).dots
    assert 0 < shown < total


def test_measures_by_record_are_named(honest: Any) -> None:
    lines = [text for text in Content(honest).reasons() if "by record" in text]
    assert lines
    assert not any("Copied" in text for text in lines)


def test_true_household_numbers_give_stop() -> None:
    result = sl.evaluate(households(100, 1), households(100, 2), SOMEONE, unit="hhid")
    assert result.verdict == "STOP"
    assert [one.columns for one in result.findings if one.measure == "identifying_values"] == [("hhid",)]


@pytest.mark.parametrize(("copies", "verdict"), [(0, "NOTHING FOUND"), (114, "STOP")])
def test_a_panel_is_counted_in_histories_and_not_in_records(copies: int, verdict: str) -> None:
    own = panel(120, 1)
    result = sl.evaluate(own, with_copies(own, panel(120, 2), copies, "pid"), WAVES)
    assert result.verdict == verdict
    assert {"copied_people", "near_copies"} <= set(result.not_measured) - set(result.results)
    assert all(one.of != result.n for one in result.findings)


@pytest.mark.full
def test_kept_composition_compares_only_synthesized_columns() -> None:
    own = households(250, 1)
    rng = np.random.default_rng(1)
    made = own.assign(
        income=rng.permutation(own["income"]), educ=rng.permutation(own["educ"]), age=rng.permutation(own["age"])
    )
    codes = pd.factorize(own["hhid"])[0]
    made["hhid"] = rng.permutation(codes.max() + 1)[codes] + 1
    copied = own["hhid"].isin(own["hhid"].unique()[:50])
    leak = made.mask(copied, own.assign(hhid=made["hhid"]))
    for one, level in ((made, None), (leak, "STOP")):
        release = sl.Release(one.astype(own.dtypes), ["age", "educ", "income"], rows="aligned")
        result = sl.evaluate(own, release, SOMEONE, unit="hhid")
        assert result.results["copied_units"].level == level
        assert set(result.results["copied_units"].counts["columns", "several"].variables) == {"age", "educ", "income"}


@pytest.mark.full
def test_units_are_declared_by_the_caller_the_intruder_or_the_release() -> None:
    own, made = households(120, 1), renumbered(households(120, 2), "hhid")
    declared = sl.Release(made, provenance={"units": {"unit": ["hhid"], "order": ["relation", "age"]}})
    intruder = sl.Intruder(known=NAMES, synthesized=["age"], **HOME)
    plain = sl.Intruder(known=NAMES, synthesized=["age"])
    tables = [
        result.results["copied_units"].to_frame()
        for result in (
            sl.evaluate(own, made, plain, **HOME),
            sl.evaluate(own, made, intruder),
            sl.evaluate(own, declared, plain),
        )
    ]
    pd.testing.assert_frame_equal(tables[0], tables[1])
    pd.testing.assert_frame_equal(tables[0], tables[2])
    assert "copied_units" not in sl.evaluate(own, made, plain).results
    lost = sl.evaluate(own.rename(columns={"hhid": "home"}), declared, plain)
    assert any("hhid" in text for text in lost.not_measured["copied_units"])
    with pytest.raises(InputError, match="unit"):
        sl.evaluate(own, made, intruder, unit="region")
    with pytest.raises(InputError, match="unit_order"):
        sl.evaluate(own, made, plain, unit_order="age")
    with pytest.raises(InputError, match="unit_order"):
        sl.Intruder(known=[], synthesized=["age"], unit_order="age")
    assert sl.identification_risk(own, own, intruder).units is not None
    with pytest.warns(ComputedByRecordWarning):
        sl.replicated_uniques(own, made, intruder)


@pytest.mark.full
def test_a_home_of_51_members_is_refused_unless_it_is_allowed(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    size = np.array([51] + [3] * 80)
    own = pd.DataFrame({"home": np.repeat(np.arange(len(size)), size) + 1000})
    own = own.assign(age=rng.integers(0, 90, len(own)), sex=rng.choice(["f", "m"], len(own)))
    someone = sl.Intruder(known=["sex"], synthesized=["age"])
    calls: list[Any] = [
        lambda **more: sl.synthesize(own, unit="home", rng=1, **more),
        lambda **more: sl.evaluate(own, own, someone, unit="home", **more),
        lambda **more: sl.copied_units(own, own, unit="home", **more),
        lambda **more: sl.near_units(own, own, unit="home", **more),
        lambda **more: sl.unit_utility(own, own, unit="home", **more),
    ]
    for call in calls:
        with pytest.raises(InputError, match="1 of 81 units .* 50 .*max_members"):
            call()
    release, leak, copies, near, utility = (call(max_members=51) for call in calls)
    assert leak.verdict == copies.level == near.level == "STOP"
    assert leak.results["unit_risk"].size.max() == 51
    assert utility.table["distance"].max() == 0
    assert sl.evaluate(own, release, someone).results["copied_units"].n == 81  # the release states its limit
    own.to_csv(tmp_path / "own.csv", index=False)
    ask = ("evaluate", tmp_path / "own.csv", tmp_path / "own.csv", "--known", "sex", "--synthesized", "age", "--unit")
    assert run(*ask, "home")[0] == 2
    (tmp_path / "study.toml").write_text("max_members = 51\n")
    assert run(*ask, "home", "--config", tmp_path / "study.toml")[0] == 4


@pytest.mark.full
def test_the_published_page_and_the_numbers_name_units_and_no_small_counts(leak: Any) -> None:
    document = leak.to_dict(publish=True)
    assert document["units"] == {"unit": ["hhid"], "unit_order": ["relation", "age"], "panel": False}
    assert document["copied_units"] == {"unit": ["hhid"]}
    assert document["verdict"] == "STOP"
    assert leak.to_dict()["copied_units"]["counts"]
    json.dumps(leak.to_dict(), allow_nan=False)


@pytest.mark.full
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page(read("course/pages/sign_a_release.md")) == 4


@pytest.mark.full
def test_the_command_takes_units_from_options_and_from_a_file(run: Run, tmp_path: Path) -> None:
    own = households(120, 1)
    own.to_csv(tmp_path / "own.csv", index=False)
    with_copies(own, households(120, 2), 40, "hhid").to_csv(tmp_path / "leak.csv", index=False)
    ask = ("evaluate", tmp_path / "own.csv", tmp_path / "leak.csv", "--known", "sex", "--synthesized", "age")
    code, out, _ = run(*ask, "--unit", "hhid", "--unit-order", "relation,age", "--json", tmp_path / "one.json")
    assert code == 4
    (tmp_path / "study.toml").write_text('unit = "hhid"\nunit_order = ["relation", "age"]\n')
    assert run(*ask, "--config", tmp_path / "study.toml", "--json", tmp_path / "two.json")[0] == 4
    first, second = (json.loads((tmp_path / name).read_text()) for name in ("one.json", "two.json"))
    assert first["units"]["unit"] == ["hhid"]
    assert first["copied_units"] == second["copied_units"]
    assert "units" in out
