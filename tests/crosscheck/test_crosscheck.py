"""The table of cross-checks: it passes, and each of its rows fails when our answer, or our code, is wrong."""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from synthlab import datasets
from synthlab._warnings import quiet
from synthlab.counts._fitting import fit_glm
from synthlab.crosscheck import (
    GROUPS,
    TOLERANCES,
    Check,
    CrosscheckResult,
    Tolerance,
    compare,
    crosscheck,
    match_risk,
    models,
)
from synthlab.crosscheck._check import make_check
from synthlab.exceptions import InputError, RUnavailableError, SynthlabWarning
from synthlab.intruder import Intruder
from synthlab.r import Reference, identification_risk, probe, reference, reference_results
from synthlab.synthesizers._multinomial import posterior_mode
from synthlab.utility import _regression
from tests.loops import every

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def result() -> CrosscheckResult:
    return crosscheck(live=False)


def answer(live: bool = False) -> Reference:
    return Reference(pd.DataFrame({"value": [1.0]}), live, "Recorded: nowhere.")


def check(ours, theirs, quantity: str = "share", **options) -> Check:
    return make_check("weights", "what", "case", ours, theirs, quantity, answer(), **options)


def test_every_row_passes(result):
    assert [c.to_dict() for c in result.rows if not c.passes] == []
    assert result.passes
    assert set(result.checks) == set(GROUPS)
    assert all(len(rows) for rows in result.checks.values())


def test_every_group_and_quantity_is_there(result):
    assert {c.group for c in result.rows} == set(GROUPS)
    assert {c.quantity for c in result.rows} == set(TOLERANCES)
    whats = " ".join(c.what for c in result.rows)
    for word in (
        "expected match risk", "false match rate", "dGAF", "pGAF", "qGAF", "rGAF", "dNBI", "pNBI", "qNBI", "rNBI", "dPIG",
        "pPIG", "qPIG", "rPIG", "dDEL", "pDEL", "qDEL", "rDEL",
        "dSICHEL", "pSICHEL", "qSICHEL", "rSICHEL", "pLOGNO", "pIG", "pWEI", "rPO", "dPO", "pPO", "qPO", "weight 1", "weight 2", "weight 3", "IR of the release", "pmse",
        "combining rule partial", "combining rule full", "overlap", "multinom", "polr", "glm.nb", "loglm", "lm: estimate",
        "svymean", "svytotal", "svyquantile", "svyglm: std_error", "mean of the pseudo posterior",
    ):  # fmt: skip
        assert word in whats, word


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
    coarse |= {"share of draws": 0.02, "first order": 1e-3}
    for row in result.rows:
        some = np.isfinite(row.ours) & (row.ours != 0)
        if not some.any():
            continue
        step = coarse.get(row.quantity, 1e-7 * np.abs(row.ours[some]).max())
        step = 1.0 if row.quantity == "count" else step
        assert not replace(row, ours=row.ours + step).passes, (row.group, row.what, row.case)


def test_rows_that_differ_by_convention_say_why(result):
    stated = [row for row in result.rows if row.verdict == "differs as stated"]
    assert len(stated) >= 10
    assert all(len(row.reason) > 20 for row in stated)
    assert {row.case for row in stated} >= {"a zero", "a negative value", "nobody matches", "end of the interval"}


def test_the_point_that_only_the_ball_leaves_out_is_in_the_box(result):
    rows = {row.what: row for row in result.rows if row.case == "euclideanDist"}
    corner = rows["c of 108, 50.8"]
    assert (corner.ours[0], corner.theirs[0], corner.verdict) == (0.0, 1.0, "differs as stated")
    assert rows['c of 108, 50.8, norm="box"'].ours[0] == 1.0
    assert "(8/10)^2 + (.8/1)^2 = 1.28" in corner.reason
    ball = (8 / 10) ** 2 + (0.8 / 1) ** 2
    assert ball == pytest.approx(1.28)


def test_some_intervals_do_not_meet(result):
    rows = {row.what: row for row in result.checks["utility"] if "a year of age" in row.case}
    assert rows["overlap of R's intervals"].theirs.min() < -1
    assert rows["overlap of R's intervals, clipped"].theirs.min() == 0
    assert rows["overlap, one dataset"].theirs.min() < -1


def test_the_readme_says_how_many_they_are(result, root):
    frame = result.to_frame()
    said = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    assert f"{len(frame)} results ({frame['values'].sum():,} numbers)" in said


def test_every_tolerance_has_its_reason():
    for name, tolerance in TOLERANCES.items():
        assert len(tolerance.reason) > 20, name
        assert tolerance.relative >= 0 <= tolerance.absolute
    assert TOLERANCES["count"] == Tolerance(0.0, 0.0, TOLERANCES["count"].reason)


def test_the_numbers_in_the_reasons_are_those_of_the_code(root):
    def reason_of(quantity: str) -> str:
        return TOLERANCES[quantity].reason

    gamma = reference("gamlss_dist_GAF", live=False).table
    shape = (gamma["mu"] ** (2 - gamma["nu"]) / gamma["sigma"] ** 2).max()
    assert f"up to {shape:,.0f}: they are up to {shape * np.log(shape):.0e}".replace("e+0", "e") in reason_of(
        "density of a large shape"
    )
    for quantity in ("posterior", "posterior probability"):
        assert f"{2 * models.DRAWS:,} draws" in reason_of(quantity)
    chains = reference("dpmpm", live=False).table
    assert f"by {(chains['chain_1'] - chains['chain_2']).abs().max():.4f}" in reason_of("two samplers")
    for quantity, by_r, by_us in (
        ("maximum likelihood", "the deviance below 1e-15", ("synthlab below 1e-13", "the coefficients below 1e-10")),
        ("proportional fitting", "to 1e-12 itself", ("to 1e-12 of the 10,000 people, which is 1e-8",)),
    ):
        for words in (by_r, *by_us):
            assert words in reason_of(quantity)
    assert "half @ half < 1e-8" in inspect.getsource(posterior_mode)
    assert "within 1e-4 posterior standard deviations" in reason_of("posterior mode")
    scripts = [(root / "data" / "reference" / name).read_text(encoding="utf-8") for name in ("models.R", "utility.R")]
    assert all("exact <- glm.control(epsilon = 1e-15, maxit = 200)" in script for script in scripts)
    assert "loglm(count ~ (SEX + RACE + MAR)^2, data = cells, eps = 1e-12," in scripts[0]
    assert "rtol=1e-13" in inspect.getsource(fit_glm)
    assert "rtol=1e-10" in inspect.getsource(_regression)
    assert "tolerance=1e-12" in inspect.getsource(models)
    assert len(datasets.load("acs", version="simulated").frame) == 10_000


def test_what_is_compared_of_the_records_is_what_the_row_says(result):
    rows = [row for row in result.checks["match-risk"] if row.what == "c, T, K, F: seven sums over the records"]
    cases = [7 * len(case.versions or "1") for case in match_risk.CASES.values()]
    assert [row.ours.size for row in rows] == cases + [7 * 3] * len(match_risk.OPTIONS)


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


def test_numbers_of_your_own_beside_r():
    kept = reference("weights", live=False)
    rows = {"what": "weight 4", "case": "nb-mixture"}
    mine = kept.value(**rows).copy()
    assert compare(mine, kept, rows, "share").verdict == "agrees"
    mine[3] += 0.5
    wrong = compare(mine, kept, rows, "share", what="mine")
    assert str(wrong).startswith("mine: FAILS; 24 numbers, 1 further off than allowed; worst: synthlab")
    with pytest.raises(InputError, match="ours: has 23 numbers, but R has 24"):
        compare(mine[1:], kept, rows, "share")
    with pytest.raises(InputError, match="quantity='guess'"):
        compare(mine, kept, rows, "guess")


def test_the_figure_has_a_mark_for_every_row(result):
    ax = result.plot()
    assert sum(len(line.get_xdata()) for line in ax.lines) == len(result.rows)


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
    assert text.count("synthlab") >= len(GROUPS)
    assert "match-risk: Match risk, compared with IdentificationRiskCalculation" in text
    assert "Recorded: R version" in text
    assert text.splitlines()[-1] == result.last_line()
    assert result.last_line().endswith(f"0 skipped; 0 live, {len(result.rows)} recorded")
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["passes"] is True
    assert len(document["rows"]) == len(result.rows) == len(result.to_frame())
    assert set(document["rows"][0]) >= {
        "group",
        "what",
        "case",
        "ours",
        "r",
        "difference",
        "allowed",
        "from",
        "quantity",
    }
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
    from synthlab.crosscheck import _answers, _run
    from synthlab.r import RStatus

    monkeypatch.setattr(_run, "probe", lambda: RStatus("R version 4.2.2", "3.6.5", path="/usr/bin/R"))
    monkeypatch.setattr(_run, "package_state", lambda name: "missing" if name == "gamlss.dist" else "7.3")
    monkeypatch.setattr(_answers, "reference", lambda name, live: reference(name, live=False))
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
    case = match_risk.CASES[name]
    data = datasets.load(case.data, version="simulated")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore", SynthlabWarning)
        ours = case.compute()
        theirs = identification_risk(
            data.frame,
            [data.synthetic_version(v) for v in case.versions] or data.frame,
            Intruder(
                known=case.known,
                synthesized=case.synthesized,
                radius=dict(case.radius) or None,
                radius_kind=case.radius_kind,
            ),
        )
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
    from synthlab.crosscheck import _answers, _run, match_risk
    from synthlab.r import RStatus

    def without_package(name, live):
        if live and name == "match_risk":
            raise RUnavailableError("the R package IdentificationRiskCalculation is not installed")
        return replace(reference(name, live=False), live=bool(live))

    def few(answers):
        with quiet():
            yield from match_risk.case_checks(answers["match_risk"], "acs-lecture")

    monkeypatch.setattr(_run, "probe", lambda: RStatus("R version 4.2.2", "3.6.5", path="/usr/bin/R"))
    monkeypatch.setattr(_answers, "reference", lambda name, live: without_package(name, live))
    monkeypatch.setattr(_run, "package_state", lambda name: "missing")
    short = {**GROUPS, "match-risk": replace(GROUPS["match-risk"], checks=few)}
    monkeypatch.setattr(_run, "GROUPS", short)
    seen = []
    result = crosscheck(["match-risk", "weights"], live=True, report=seen.append)
    assert [row.verdict for row in result.checks["match-risk"]] == ["skipped"] * 5
    assert {row.verdict for row in result.checks["weights"]} == {"agrees"}
    assert seen == result.rows
    assert result.passes
    assert not result.is_complete
    assert "Skipped: the R package IdentificationRiskCalculation is not installed" in str(result)
    assert "10 agrees, 0 differs as stated, 0 FAILS, 5 skipped; 10 live, 0 recorded" in result.last_line()
    assert crosscheck(["weights"], live=True).is_complete


def test_an_error_in_one_group_keeps_the_rows_of_the_others(monkeypatch):
    from synthlab.crosscheck import _run

    def broken(answers):
        yield from list(GROUPS["weights"].checks(answers))[:2]
        raise ValueError("broken")

    monkeypatch.setattr(_run, "GROUPS", {**GROUPS, "utility": replace(GROUPS["weights"], checks=broken)})
    result = crosscheck(["utility", "weights"], live=False)
    assert [len(rows) for rows in result.checks.values()] == [2, 10]
    assert result.stopped == {"utility": "ValueError: broken"}
    assert not result.passes
    assert result.last_line().endswith("stopped: utility")
