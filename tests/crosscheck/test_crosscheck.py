"""The table of cross-checks: it passes, and each of its rows fails when our answer, or our code, is wrong."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from synthlab._warnings import quiet
from synthlab.crosscheck import CASES, GROUPS, TOLERANCES, Case, Check, CrosscheckResult, crosscheck, match_risk
from synthlab.crosscheck._check import Row, make_check
from synthlab.exceptions import InputError, RUnavailableError
from synthlab.r import Reference, identification_risk, probe, reference, reference_results
from tests.loops import every

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def result() -> CrosscheckResult:
    return crosscheck(live=False)


def check(ours, theirs, quantity: str = "share", **options) -> Check:
    answer = Reference(pd.DataFrame(), False, "Recorded: nowhere.")
    return make_check("weights", Row("what", "case", ours, theirs, quantity, **options), answer)


def test_every_row_passes(result):
    assert [c.to_dict() for c in result.rows if not c.passes] == []
    assert result.passes
    assert list(result.checks) == list(GROUPS) == list(dict.fromkeys(check.group for check in result.rows))
    assert {check.quantity for check in result.rows} == set(TOLERANCES)


def test_a_perturbed_answer_fails_every_row(result):
    for row in result.rows:
        for place in {0, row.ours.size // 2, row.ours.size - 1}:
            wrong = row.ours.copy()
            size = np.nanmax(np.abs([row.ours[place], row.theirs[place], row.stated[place]]), initial=0.0)
            step = max(3 * row.allowed[place], 4 * np.spacing(size)) if np.isfinite(size) else 1.0
            wrong[place] = wrong[place] + step if np.isfinite(wrong[place]) else 0.0
            assert not replace(row, ours=wrong).passes, (row.group, row.what, row.case, place)


def test_a_change_that_matters_fails_every_row(result):
    """No tolerance is so wide that a difference somebody would report slips through."""
    coarse = {**dict.fromkeys(["posterior", "posterior probability", "two samplers"], 0.2), "posterior mode": 1e-5}
    coarse |= {"permutation null": 0.3, "unfinished likelihood": 1e-4, "share of missing values": 4.0}
    coarse |= {"households of two samplers": 0.2, "ages of two samplers": 2.0}
    coarse |= {"share of draws": 0.02, "first order": 1e-3}
    for row in result.rows:
        some = np.isfinite(row.ours) & (row.ours != 0)
        if not some.any():
            continue
        step = coarse.get(row.quantity, 1e-7 * np.abs(row.ours[some]).max())
        step = 1.0 if row.quantity == "count" else step
        assert not replace(row, ours=row.ours + step).passes, (row.group, row.what, row.case)


def test_rows_that_differ_by_convention_say_why(result):
    assert all(len(row.reason) > 20 for row in result.rows if row.verdict == "differs as stated")


def test_the_readme_says_how_many_they_are(result, root):
    frame = result.to_frame()
    said = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    assert f"{len(frame)} results ({frame['values'].sum():,} numbers)" in said


@every(
    ("ours", "theirs", "passes"),
    [
        (1.0, 1.0, True),
        (1.0, 1.0 + 5e-13, True),
        (1.0, 1.0 + 5e-12, False),
        (np.nan, np.nan, True),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (np.inf, np.inf, True),
        (np.inf, 1.0, False),
        (1.0, np.inf, False),
        (-np.inf, np.inf, False),
    ],
)
def test_what_agrees(ours, theirs, passes):
    assert check(ours, theirs).passes is passes


def test_the_row_shows_the_number_furthest_out():
    row = check([1.0, 2.0, 3.0], [1.0, 2.5, 3.1]).to_dict()
    assert (row["ours"], row["r"], row["difference"], row["verdict"]) == (2.0, 2.5, -0.5, "FAILS")
    assert check([1.0, 9.0, 3.0], [1.0, 9.0, 3.0]).to_dict()["ours"] == 9.0


@pytest.mark.parametrize(
    ("ours", "theirs", "digits"),
    [
        (1.0, 1.0, 16),
        (1.001, 1.0, 3),
        (5.0, 1.0, 0),
        (np.nan, np.nan, 16),
        (np.nan, 1.0, 0),
        (1.0, np.nan, 0),
        (2.0, 0.0, 0),
    ],
)
def test_digits_that_agree(ours, theirs, digits):
    assert check(ours, theirs).digits == pytest.approx(digits, abs=1e-6)


def test_a_stated_difference_is_demanded_not_merely_allowed():
    assert check(3.0, 1.0, stated=2.0, reason="two more").verdict == "differs as stated"
    assert check(1.0, 1.0, stated=2.0, reason="two more").verdict == "FAILS"


def test_sizes_must_agree():
    with pytest.raises(ValueError, match="2 numbers of synthlab, 1 of R"):
        check([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="0 numbers"):
        check([], [])


# ---- what is printed -------------------------------------------------------------------------


def test_the_table_as_text_and_as_json(result):
    text = str(result)
    assert all(f"{name}: {title}\n  " in text for name, title in GROUPS.items())
    assert "Recorded: R version" in text
    assert text.splitlines()[-1] == result.title
    assert result.title.endswith(f"0 skipped; 0 live, {len(result.rows)} recorded")
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["passes"] is True
    assert len(document["rows"]) == len(result.rows) == len(result.to_frame())
    assert {row["quantity"] for row in document["rows"]} == set(TOLERANCES)
    assert {"group", "what", "case", "ours", "r", "difference", "allowed", "from"} <= set(document["rows"][0])
    assert set(document["tolerances"]) == set(TOLERANCES)
    assert result.summary()["FAILS"].sum() == 0
    assert "<table" in result._repr_html_()


def test_groups_are_chosen_by_name():
    some = crosscheck(["weights"], live=False)
    assert list(some.checks) == ["weights"]
    with pytest.raises(InputError, match="'everything'"):
        crosscheck(["everything"])


def test_without_r_it_says_what_is_missing(monkeypatch):
    from synthlab.crosscheck import _run
    from synthlab.r import RStatus

    nothing = RStatus(None, None, problem="R is not on PATH", remedy="sudo apt-get install r-base-dev")
    monkeypatch.setattr(reference_results, "probe", lambda: nothing)
    monkeypatch.setattr(_run, "probe", lambda: nothing)
    reference_results.run.cache_clear()
    result = crosscheck(["weights"])
    assert result.r == "R is not on PATH; fix it with: sudo apt-get install r-base-dev"
    assert result.r in str(result)
    with pytest.raises(RUnavailableError, match="R is not on PATH; fix it with"):
        crosscheck(["weights"], live=True)


def test_a_missing_package_is_named(monkeypatch):
    from synthlab.crosscheck import _run, cases
    from synthlab.r import RStatus

    monkeypatch.setattr(_run, "probe", lambda: RStatus("R version 4.2.2", "3.6.5", path="/usr/bin/R"))
    monkeypatch.setattr(_run, "package_state", lambda name: "missing" if name == "gamlss.dist" else "7.3")
    monkeypatch.setattr(cases, "reference", lambda name, live: reference(name, live=False))
    result = crosscheck(["weights"])
    assert "the R package gamlss.dist is not installed" in result.r
    assert "MASS" not in result.r


@pytest.mark.r
def test_live_rows_say_so():
    if probe().r is None:
        pytest.skip(probe().problem)
    result = crosscheck(["weights"], live=True)
    assert result.passes
    assert {row.live for row in result.rows} == {True}
    assert result.r == ""


@pytest.mark.r
@pytest.mark.parametrize("name", ["ce-income", "ce-income-fixed-radius", "ce-several"])
def test_every_record_is_as_r_says(name):
    """The table compares sums over the records, in which errors of several records may cancel."""
    if not probe().has("IdentificationRiskCalculation"):
        pytest.skip(probe().problem or "the R package IdentificationRiskCalculation is not installed")
    setting = match_risk.RELEASES[name]
    confidential, *release = setting.frames()
    with quiet(), contextlib.redirect_stdout(io.StringIO()):
        ours, theirs = setting.compute(), identification_risk(confidential, release, setting.intruder())
    for what in ("match_count", "contains_true", "unique_true", "unique_false"):
        np.testing.assert_array_equal(getattr(ours, what), getattr(theirs, what))


@pytest.mark.r
def test_the_bridge_is_crossed():
    if not probe().has("gamlss.dist"):
        pytest.skip(probe().problem or "the R package gamlss.dist is not installed")
    result = crosscheck(["bridge"])
    assert result.passes
    assert any("rpy2" in source for source in result.sources)


def test_a_missing_package_skips_only_its_rows(monkeypatch):
    from synthlab.crosscheck import _run, cases
    from synthlab.r import RStatus

    def without_package(name, live):
        if live and name == "match_risk":
            raise RUnavailableError("the R package IdentificationRiskCalculation is not installed")
        return replace(reference(name, live=False), live=bool(live))

    monkeypatch.setattr(_run, "probe", lambda: RStatus("R version 4.2.2", "3.6.5", path="/usr/bin/R"))
    monkeypatch.setattr(_run, "package_state", lambda name: "missing")
    monkeypatch.setattr(cases, "reference", without_package)
    few = [case for case in CASES if case.group == "weights" or case.options == {"name": "acs-lecture"}]
    monkeypatch.setattr(_run, "CASES", few)
    seen = []
    result = crosscheck(["match-risk", "weights"], live=True, report=seen.append)
    assert [row.verdict for row in result.checks["match-risk"]] == ["skipped"] * 5
    assert {row.verdict for row in result.checks["weights"]} == {"agrees"}
    assert seen == result.rows
    assert result.passes
    assert not result.is_complete
    assert "Skipped: the R package IdentificationRiskCalculation is not installed" in str(result)
    assert "10 agrees, 0 differs as stated, 0 FAILS, 5 skipped; 10 live, 0 recorded" in result.title
    assert crosscheck(["weights"], live=True).is_complete


def test_an_error_in_one_group_keeps_the_rows_of_the_others(monkeypatch):
    from synthlab.crosscheck import _run

    def broken(*answers):
        yield Row("what", "case", 1.0, 1.0, "count")
        raise ValueError("broken")

    cases = [Case("utility", broken, ["utility"]), *(case for case in CASES if case.group == "weights")]
    monkeypatch.setattr(_run, "CASES", cases)
    result = crosscheck(["utility", "weights"], live=False)
    assert [len(rows) for rows in result.checks.values()] == [1, 10]
    assert result.stopped == {"utility": "ValueError: broken"}
    assert not result.passes
    assert result.title.endswith("stopped: utility")
