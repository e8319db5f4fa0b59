"""One rule for the verdict on every claim, tested at its thresholds."""

from __future__ import annotations

from pathlib import Path

import pytest

from replications import claims, paper_tables, published
from replications.claims import COLUMNS, LEAST, QUICK, Check, count, judge, lines, verdict
from replications.paper_tables import CLAIMS, read_claims, read_numbers, read_texts
from replications.published import INSIDE, NO_VERDICT, OUTSIDE, Value, compare
from replications.registry import REPLICATIONS, find
from synthlab.exceptions import InputError
from tests.loops import every

TEXTS = {"small": {"where": "Table 1", "statement": "small", "reason": "for a reason"}}


@every(
    ("held", "of", "expected"),
    [
        (1, 1, "holds"),
        (9, 10, "holds"),
        (36, 40, "holds"),
        (899, 1000, "in part"),
        (35, 40, "in part"),
        (101, 1000, "in part"),
        (5, 40, "in part"),
        (1, 10, "does not hold"),
        (4, 40, "does not hold"),
        (0, 1, "does not hold"),
    ],
)
def test_a_claim_is_judged_at_nine_and_at_one_of_ten(held: int, of: int, expected: str) -> None:
    check = Check(lambda one: one < held, lambda runs: f"{len(runs)} runs")
    (row,) = judge("a paper", "a study", TEXTS, {"small": check}, range(of)).to_dict("records")
    assert tuple(row) == COLUMNS
    assert (row["share"], row["repetitions"], row["verdict"]) == (held / of, of, expected)
    assert row["evidence"] == f"{of} runs"
    assert row["reason"] == ("" if expected == "holds" else "for a reason")
    assert verdict(held / of) == expected


ALWAYS = Check(lambda one: True, lambda runs: "numbers")


def test_what_cannot_be_tested_has_its_reason_in_place_of_a_verdict() -> None:
    untestable = {"small": "the model does not fit"}
    found = judge("a paper", "a study", TEXTS, {"small": ALWAYS}, [1, 2], untestable=untestable)
    (row,) = found.to_dict("records")
    assert (row["verdict"], row["reason"], row["share"]) == ("cannot test", "the model does not fit", 1.0)
    assert claims.without_verdicts(found).equals(found)


def test_a_reason_of_the_study_replaces_the_reason_of_the_table() -> None:
    never = Check(lambda one: False, lambda runs: "numbers")
    found = judge("a paper", "a study", TEXTS, {"small": never}, [1], reasons={"small": "another"})
    assert found["reason"].tolist() == ["another"]


def test_a_check_without_a_statement_is_an_error() -> None:
    with pytest.raises(InputError, match="no statement with the key 'large'"):
        judge("a paper", "a study", TEXTS, {"large": ALWAYS}, [1])


def test_the_text_of_claims_names_a_single_run() -> None:
    assert count(1.0, 1) == "one run"
    assert count(0.7, 10) == "7 of 10 repetitions"
    checks = {"small": Check(lambda one: one < 7, lambda runs: "numbers")}
    assert lines(judge("p", "once", TEXTS, checks, [0])) == "  [holds] Table 1; once: small\n      one run; numbers"
    assert lines(judge("p", "often", TEXTS, checks, range(10))) == (
        "  [in part] Table 1; often: small\n      7 of 10 repetitions; numbers\n      for a reason"
    )


@every("repetitions", [1, LEAST - 1, LEAST])
def test_a_quick_run_gives_verdicts_from_ten_repetitions_on(repetitions: int) -> None:
    never = Check(lambda one: False, lambda runs: "numbers")
    found = claims.without_verdicts(judge("p", "s", TEXTS, {"small": never}, range(repetitions)))
    judged = repetitions >= LEAST
    assert found["verdict"].tolist() == ["does not hold" if judged else QUICK]
    assert found["reason"].tolist() == ["for a reason" if judged else ""]
    texts = {
        k: {"where": "T", "quantity": k, "printed": "1.5", "reason": "why"} for k in ("in", "out", "fixed", "none")
    }
    values = {
        "in": Value(1.5, 1.0, 2.0, repetitions),
        "out": Value(1.8, 1.7, 2.0, repetitions),
        "fixed": Value(1.5, 1.5, 1.5, 1),
        "none": Value(1.5, repetitions=repetitions, instead=NO_VERDICT),
    }
    numbers = published.without_verdicts(compare("p", texts, values))
    rest = ["exact", NO_VERDICT]
    assert numbers["status"].tolist() == ([INSIDE, OUTSIDE] if judged else [QUICK, QUICK]) + rest
    assert numbers["reason"].tolist() == ["", "why" if judged else "", "", "why"]


@every("text", ["key,where,statement,reason\na,,,\nb,,,\na,,,\n", "key,where,statement\na,,\n"])
def test_a_table_with_a_duplicate_key_or_without_a_column_is_an_error(text: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder, "paper_claims.csv")
        path.write_text(text, encoding="utf-8")
        expected = "the key 'a' occurs twice" if "reason" in text else "the column 'reason' is missing"
        with pytest.raises(InputError, match=f"paper_claims.csv: {expected}"):
            read_texts(path, CLAIMS)


def test_a_printed_number_with_a_comma_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper_tables, "FOLDER", tmp_path)
    (tmp_path / "study").mkdir()
    rows = 'key,where,quantity,printed,reason\na,,,-1.5e+03,\nb,,,"60,000",\n'
    (tmp_path / "study" / "paper_numbers.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(InputError, match="paper_numbers.csv of study: '60,000' in the row 'b'"):
        read_numbers("study")


@every("name", REPLICATIONS)
def test_every_statement_and_number_of_a_table_is_used(name: str) -> None:
    study = find(name)
    found = study.recorded()
    if len(found.claims):
        assert {text["statement"] for text in read_claims(study.name).values()} == set(found.claims["claim"])
    if len(found.published):
        texts = [t for t in read_numbers(study.name).values() if t["where"] != "earlier course"]
        assert [t["quantity"] for t in texts] == found.published["quantity"].tolist()
