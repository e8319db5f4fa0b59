"""Measures by row are given only where rows may correspond; what refutes it stands in the first line."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.cli import main
from synthlab.exceptions import InputError, RowAlignmentError, SynthlabWarning, TermsLeftOutWarning
from tests.asking import ask

KNOWN = ["age", "yrs_married", "children", "educ"]
INTRUDER = {"known": KNOWN, "synthesized": ["affairs"], "radius": {"affairs": 0.2}}
BY_ROW = {"best_intruder", "expected_match_risk", "true_match_rate", "false_match_rate", "n_unique", "mean_ir", "ir_90"}


@pytest.fixture(scope="module")
def affairs() -> pd.DataFrame:
    return sl.datasets.load("affairs").frame[[*KNOWN, "religious", "affairs"]]


@pytest.fixture(scope="module")
def shuffled(affairs: pd.DataFrame) -> pd.DataFrame:
    return affairs.sample(frac=1, random_state=1).reset_index(drop=True)


def measured(confidential: pd.DataFrame, synthetic: object, **options: object) -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return ask(sl.evaluate, confidential, synthetic, **{**INTRUDER, **options})


def test_the_confidential_file_shuffled_is_not_reported_as_safe(affairs, shuffled) -> None:
    result = measured(affairs, shuffled)
    assert (result.rows.state, result.rows.by) == ("refuted", "known variables")
    assert {"exact_copies", "replicated_uniques", "cap", "ecdf", "pmse", "table_utility"} <= set(result.results)
    assert not {"identification_risk", "identification_probability", "chosen_variables"} & set(result.results)
    assert result.best_intruder is None
    assert not BY_ROW & set(result.summary().index)
    assert result["exact_copies"].copies.tolist() == [len(affairs)]
    assert (result.verdict, result.worst.people, result.worst.of) == ("STOP", 6366, 6366)
    for shown in (str(result), result.to_html(), result.to_html(publish=True), result._repr_html_()):
        assert result.worst.sentence in shown
    assert "Match risk" not in result.to_html()
    document = result.to_dict()
    assert (document["rows"], document["rows_by"], document["best_intruder"]) == ("refuted", "known variables", None)
    assert document["identification_risk"] is document["identification_probability"] is None
    assert document["exact_copies"]["per_dataset"]["exact_copies"] == [6366]
    assert document["headline"] == result.headline
    with pytest.raises(
        InputError, match="measure='identification_risk': was not measured. The rows of the release do not"
    ):
        result.plot(measure="identification_risk")


def test_nothing_known_can_refute_nothing(affairs, shuffled) -> None:
    result = measured(
        affairs, shuffled, known=[], synthesized=[*KNOWN, "affairs"], radius=dict.fromkeys(["affairs"], 0)
    )
    assert (result.rows.state, result.rows.by) == ("unknown", "nothing")
    assert "identification_risk" not in result.results
    assert "no variable is known" in result.rows.text
    assert (result.verdict, result.worst.people) == ("STOP", 6366)


def test_a_sorted_copy_agrees_in_every_row_and_is_still_a_copy(affairs) -> None:
    order = affairs.sort_values(KNOWN, kind="stable").reset_index(drop=True)
    mixed = affairs.sample(frac=1, random_state=3).sort_values(KNOWN, kind="stable").reset_index(drop=True)
    assert not mixed.equals(order)
    result = measured(order, mixed)
    assert (result.rows.state, result.rows.by) == ("compatible", "known variables")
    # By row it looks no worse than the known variables alone; the copies say what is true, and say it first.
    known_alone = result["identification_risk"].known_only.mean()
    assert result["identification_risk"].expected_match_risk.mean() < 1.3 * known_alone
    assert (result.verdict, result.worst.people) == ("STOP", 6366)
    assert result["exact_copies"].unique_copies[0] > result.best_intruder


def test_a_fully_synthetic_file_has_no_match_risk(affairs) -> None:
    rng = np.random.default_rng(2)
    drawn = pd.DataFrame({c: rng.choice(affairs[c].to_numpy(), 5000) for c in affairs})
    result = measured(affairs, drawn)
    assert (result.rows.state, result.rows.by) == ("refuted", "number of rows")
    assert result.verdict == "NOTHING FOUND"
    same_size = measured(affairs, pd.DataFrame({c: rng.choice(affairs[c].to_numpy(), 6366) for c in affairs}))
    assert (same_size.rows.state, same_size.rows.by) == ("refuted", "known variables")
    assert 0 < same_size["exact_copies"].copies[0] < 6366


def test_the_word_of_the_caller_gives_numbers_and_keeps_the_doubt(affairs, shuffled) -> None:
    result = measured(affairs, shuffled, rows="aligned")
    assert (result.rows.state, result.rows.by, result.rows.doubt) == ("aligned", "caller", True)
    assert "identification_risk" in result.results
    assert "The caller states that row i describes record i, but the known variables" in result.rows.text
    assert result.verdict == "STOP"
    assert result.to_dict()["rows_by"] == "caller"
    fine = measured(affairs, affairs.assign(affairs=1.0), rows="aligned")
    assert not fine.rows.doubt


def test_a_release_is_taken_at_its_word_unless_its_known_variables_refute_it(affairs, shuffled) -> None:
    changed = affairs.assign(affairs=np.roll(affairs["affairs"], 1))
    told = measured(affairs, sl.Release([changed], ["affairs"], rows="aligned"))
    assert (told.rows.state, told.rows.by) == ("aligned", "release")
    wrong = measured(affairs, sl.Release([shuffled], ["affairs"], rows="aligned"))
    assert (wrong.rows.state, wrong.rows.by) == ("refuted", "known variables")
    # What the release itself synthesized differs, and refutes nothing.
    own = measured(affairs, sl.Release([shuffled], [*KNOWN, "affairs"], rows="aligned"))
    assert (own.rows.state, own.rows.by) == ("aligned", "release")
    published = measured(affairs, sl.Release([changed], ["affairs"], rows="shuffled"))
    assert (published.rows.state, published.rows.by) == ("refuted", "release")
    with pytest.raises(RowAlignmentError, match="were shuffled"):
        measured(affairs, sl.Release([changed], ["affairs"], rows="shuffled"), rows="aligned")
    with pytest.raises(
        RowAlignmentError,
        match="synthetic has 6,364 rows, confidential has 6,365|synthetic has 6,365 rows, confidential has 6,366",
    ):
        measured(affairs, changed[1:], rows="aligned")
    with pytest.raises(InputError, match="rows='sorted'"):
        measured(affairs, changed, rows="sorted")


@pytest.mark.parametrize(("moved", "state"), [(0, "compatible"), (50, "compatible"), (51, "refuted")])
def test_a_few_changed_records_refute_nothing(moved: int, state: str) -> None:
    people = pd.DataFrame({"id": np.random.default_rng(1).permutation(1000), "x": 1.0})
    other = people.assign(id=np.where(np.arange(1000) < moved, -1, people["id"]), x=2.0)
    result = measured(people, other, known=["id"], synthesized=["x"], radius={"x": 0.1}, variables=["x"])
    assert result.rows.state == state


@pytest.mark.parametrize(("moved", "state"), [(9, "compatible"), (10, "refuted")])
def test_half_of_what_chance_would_change_refutes_where_chance_changes_little(moved: int, state: str) -> None:
    # 10 of 1,000 have the disease: in a random order 2 * 10 * 990 / 1000 = 19.8 rows differ, and half of that is 9.9.
    people = pd.DataFrame({"ill": np.arange(1000) < 10, "x": 1.0})
    other = people.assign(ill=people["ill"] ^ (np.arange(1000) >= 1000 - moved), x=2.0)
    result = measured(people, other, known=["ill"], synthesized=["x"], radius={"x": 0.1}, variables=["x"])
    assert result.rows.state == state


def test_a_known_variable_without_variation_shows_nothing() -> None:
    people = pd.DataFrame({"country": ["NL"] * 99 + ["B"], "x": np.arange(100.0)})
    result = measured(
        people, people[::-1].reset_index(drop=True), known=["country"], synthesized=["x"], radius={"x": 0}
    )
    assert (result.rows.state, result.rows.by) == ("unknown", "nothing")
    assert "(country) are the same in nearly all records" in result.rows.text


def test_the_best_intruder_stands_first_and_may_ignore_the_synthetic_values(affairs) -> None:
    rng = np.random.default_rng(4)
    noise = affairs.assign(affairs=rng.permutation(affairs["affairs"].to_numpy()))
    result = measured(affairs, sl.Release([noise], ["affairs"], rows="aligned"))
    summary = result.summary()
    assert summary.index[0] == "best_intruder"
    known = result["identification_risk"].known_only.mean()
    assert result["identification_risk"].expected_match_risk.mean() < known
    assert summary.loc["best_intruder", "synthetic"] == result.best_intruder == known
    assert summary.loc["best_intruder", "confidential"] == summary.loc["expected_match_risk", "confidential"]
    assert result["chosen_variables"].variables == ()
    assert not result["chosen_variables"].adds_to_risk
    assert (result.verdict, result.worst.columns) == (
        "CHECK",
        ("religious",),
    )  # unchanged, and neither known nor synthesized
    near = measured(affairs, sl.Release([affairs.assign(affairs=affairs["affairs"] * 1.01)], rows="aligned"))
    assert near.best_intruder == near["identification_risk"].expected_match_risk.mean()
    assert near["chosen_variables"].variables == ("affairs",)
    assert near["chosen_variables"].adds_to_risk


def test_an_intruder_who_picks_blindly_may_be_the_best_one() -> None:
    people = pd.DataFrame({"a": np.repeat(np.arange(5), 2), "x": np.arange(10.0)})
    other = people.assign(a=(people["a"] + 1) % 5, x=50.0)
    result = measured(people, other, known=["a"], synthesized=["x"], radius={"x": 0.1}, rows="aligned", variables=["x"])
    assert result.best_intruder == 1.0
    assert result["chosen_variables"].expected_match_risk.tolist() == [0.0]


def test_products_that_are_left_out_are_named_everywhere() -> None:
    rng = np.random.default_rng(5)
    wide = pd.DataFrame(rng.normal(size=(4000, 24)), columns=[f"x{i}" for i in range(24)])
    other = wide.assign(x0=rng.permutation(wide["x0"].to_numpy()))
    someone = sl.Intruder(known=["x1"], synthesized=["x0"], radius={"x0": 0.1, "x1": 0})
    with pytest.warns(SynthlabWarning) as caught:
        result = sl.evaluate(wide, other, someone, rows="aligned", variables=list(wide))
    text = "pMSE: the classifier sees the 24 variables one by one; their 276 two-way products would make 300 columns"
    assert any(issubclass(w.category, TermsLeftOutWarning) and text in str(w.message) for w in caught)
    assert any(f"pMSE: {note}".startswith(text) for note in result.not_measured["pmse"])
    assert text in result.to_html()
    assert "TermsLeftOutWarning" in {one["name"] for one in result.to_dict()["warnings"]}
    assert "uses 24 variables one by one, without their products, to estimate" in result.to_html()
    with warnings.catch_warnings():
        warnings.simplefilter("error", TermsLeftOutWarning)
        few = sl.evaluate(wide, other, someone, rows="aligned", variables=["x0", "x1", "x2"])
    assert few["pmse"].order == 2


def test_a_text_with_a_value_a_record_is_left_out_of_pmse_by_name() -> None:
    rng = np.random.default_rng(6)
    stops = pd.DataFrame({"race": rng.choice(list("abc"), 30_000), "date": [f"2017-{i:06d}" for i in range(30_000)]})
    other = stops.assign(race=rng.permutation(stops["race"].to_numpy()))
    with pytest.warns(SynthlabWarning) as caught:
        result = sl.evaluate(stops, other, sl.Intruder(known=["date"], synthesized=["race"]))
    assert any(issubclass(w.category, TermsLeftOutWarning) and "date" in str(w.message) for w in caught)
    assert result["pmse"].variables == ("race",)
    assert any("date" in text for text in result.not_measured["pmse"])
    alone = measured(stops, other, known=["date"], synthesized=["race"], radius=None, variables=["date"])
    assert "pmse" not in alone.results
    assert alone.not_measured["pmse"][-1] == "none of the variables can be used."
    assert "pmse" not in alone.summary().index
    assert alone.to_dict()["pmse"] is None
    assert "classifier" not in alone.to_html()


def test_the_command_line_says_it_in_its_first_line(affairs, shuffled, tmp_path: Path, capsys) -> None:
    affairs.to_csv(tmp_path / "own.csv", index=False)
    shuffled.to_csv(tmp_path / "released.csv", index=False)
    call = ["evaluate", str(tmp_path / "own.csv"), str(tmp_path / "released.csv"), "--known", ",".join(KNOWN)]
    call += ["--synthesized", "affairs", "--radius", "affairs=0.2"]
    with pytest.raises(SystemExit) as stop:
        main(call)
    out = capsys.readouterr().out
    assert stop.value.code == 4
    assert out.startswith("STOP. The release is the confidential file")
    assert "Measures by row (best intruder, match risk" in out
    with pytest.raises(SystemExit):
        main([*call, "--rows", "aligned"])
    assert "Measures by row" not in capsys.readouterr().out


def test_columns_of_unlike_kinds_are_left_out_of_the_copies_by_name(affairs) -> None:
    other = affairs.assign(religious="level " + affairs["religious"].astype(str), affairs=affairs["affairs"] * 1.01)
    result = measured(affairs, other)
    assert "religious" not in result["exact_copies"].variables
    assert result.not_measured["exact_copies"] == ("the two files have different types of values in religious.",)


def test_tables_take_codes_that_are_categories_level_by_level() -> None:
    """Seven codes of a job: as measurements they would be five groups, in which codes are mixed."""
    codes = pd.DataFrame({"region": list("ab") * 70, "job": list(range(1, 8)) * 20})
    release = codes.assign(job=codes["job"].sample(frac=1, random_state=1).to_numpy()).iloc[::-1]
    someone = sl.Intruder(known=["region"], synthesized=["job"])
    told = sl.evaluate(codes, release, someone, categorical=["job"])["table_utility"]
    labels = sl.evaluate(codes.astype({"job": str}), release.astype({"job": str}), someone)["table_utility"]
    assert told.summary().loc["job", "cells"] == 7
    pd.testing.assert_frame_equal(told.summary(), labels.summary())


def numbered(n: int, seed: int, **columns: object) -> pd.DataFrame:
    """Return unrelated people in an order that only the numbers show."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({**columns, "age": rng.integers(18, 80, n), "income": rng.lognormal(10, 1, n).round(2)})


SORTED = np.cumsum(np.random.default_rng(5).integers(1, 9, 300))
NUMBERS: dict[str, tuple[object, object]] = {
    "numbers from 1": (np.arange(1, 301), np.arange(1, 301)),
    "ascending numbers": (SORTED, np.arange(1, 301)),
    "descending numbers": (SORTED[::-1], np.arange(1, 301)),
    "nearly ascending numbers": (np.r_[SORTED[:50], SORTED[51], SORTED[50], SORTED[52:]], np.arange(1, 301)),
    "households": (np.repeat(SORTED[:150], 2), np.arange(300) // 2 + 1),
    "texts": ([f"P{k}" for k in range(1, 301)], [f"P{k}" for k in range(1, 301)]),
    "texts with equal lengths": ([f"P{k:04}" for k in SORTED], [f"P{k:04}" for k in range(1, 301)]),
}


@pytest.mark.parametrize("role", ["known", "synthesized", "neither"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_renumbered_identifiers_are_no_evidence_that_rows_correspond(kind: str, role: str) -> None:
    before, after = NUMBERS[kind]
    own, made = numbered(300, 1, pid=before), numbered(300, 2, pid=after)
    release = sl.Release([made], None if role == "neither" else ["age", "income", *["pid"] * (role == "synthesized")])
    who = {"known": ["pid"] if role == "known" else [], "radius": {"income": 0.1, "age": 0.1}}
    result = measured(own, release, **who, synthesized=["age", "income"])
    assert not result.rows.by_row
    assert not BY_ROW & set(result.summary().index)


@pytest.mark.parametrize("command", [False, True])
def test_newly_drawn_identifiers_give_no_measure_by_row(command: bool, tmp_path: Path, capsys) -> None:
    own = numbered(300, 1, pid=np.arange(1, 301), key=[f"{k:05}" for k in SORTED])
    own.to_csv(tmp_path / "own.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        release = sl.synthesize(own, m=2, identifiers="new")
    assert release.rows == "unknown"
    assert list(release.provenance["newly_drawn_identifiers"]) == ["pid", "key"]
    who = {"known": ["age"], "synthesized": ["income"], "radius": {"income": 0.1}}
    if not command:
        result = measured(own, release, **who)
        assert result.rows.state == "unknown"
        assert not BY_ROW & set(result.summary().index)
        return
    place, private = str(tmp_path / "out"), str(tmp_path / "private.json")
    with pytest.raises(SystemExit):
        main(["synthesize", str(tmp_path / "own.csv"), "--identifiers", "new", "--out", place, "--private", private])
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    assert manifest["provenance"]["newly_drawn_identifiers"] == ["pid", "key"]
    call = ["evaluate", str(tmp_path / "own.csv"), place, "--known", "age", "--synthesized", "income"]
    with pytest.raises(SystemExit):
        main([*call, "--radius", "income=0.1", "--private", private, "--json", str(tmp_path / "result.json")])
    found = json.loads((tmp_path / "result.json").read_text())
    assert (found["rows"], found["identification_risk"]) == ("unknown", None)


def test_numbers_that_are_no_row_numbers_remain_evidence() -> None:
    keys = np.random.default_rng(5).permutation(10_000)[:300]
    own = numbered(300, 1, pid=keys)
    result = measured(own, own.assign(income=1.0), known=["pid"], synthesized=["income"], radius={"income": 0.1})
    assert (result.rows.state, result.rows.by) == ("compatible", "known variables")
