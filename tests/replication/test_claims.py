"""One rule for the verdict on every claim, tested at its thresholds."""

from __future__ import annotations

from synthlab.replication.claims import COLUMNS, Claim, count, judge, lines, verdict
from tests.loops import every


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
    claim = Claim("Table 1", "small", lambda one: one < held, lambda runs: f"{len(runs)} runs", "for a reason")
    (row,) = judge("a paper", "a study", [claim], range(of)).to_dict("records")
    assert tuple(row) == COLUMNS
    assert (row["share"], row["repetitions"], row["verdict"]) == (held / of, of, expected)
    assert row["evidence"] == f"{of} runs"
    assert row["reason"] == ("" if expected == "holds" else "for a reason")
    assert verdict(held / of) == expected


def test_what_cannot_be_tested_is_no_verdict_on_the_claim() -> None:
    claim = Claim(
        "Table 1", "small", lambda one: True, lambda runs: "numbers", "why", untestable="the model does not fit"
    )
    (row,) = judge("a paper", "a study", [claim], [1, 2]).to_dict("records")
    assert (row["verdict"], row["reason"], row["share"]) == ("cannot test", "the model does not fit", 1.0)


def test_a_study_that_was_run_once_says_so() -> None:
    assert count(1.0, 1) == "one run"
    assert count(0.7, 10) == "7 of 10 repetitions"
    claim = Claim("Table 1", "small", lambda one: one < 7, lambda runs: "numbers", "why")
    assert lines(judge("p", "once", [claim], [0])) == "  [holds] Table 1; once: small\n      one run; numbers"
    assert lines(judge("p", "often", [claim], range(10))) == (
        "  [in part] Table 1; often: small\n      7 of 10 repetitions; numbers\n      why"
    )
