"""The rows about R's synthpop: each fault is in R's answers, and the ACS sample is the real one where it is available."""

from __future__ import annotations

import pytest

from synthlab.crosscheck import cases, synthpop, synthpop_faults as faults
from synthlab.r import reference


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_every_fault_is_in_the_recorded_answers():
    (case,) = (case for case in cases.CASES if case.rows is faults.faults)
    checks = list(case.checks([reference("synthpop", live=False)]))
    assert all(check.passes for check in checks)
    assert {check.verdict for check in checks if check.reason} == {"differs as stated"}
    assert {(check.case, check.what) for check in checks if check.reason} >= set(faults.TRUE)


@pytest.mark.parametrize("available", [True, False])
def test_the_real_sample_is_compared_where_it_is_available(monkeypatch, tmp_path, available):
    names = ["acs_confidential.csv", *(f"acs_synthetic_{version}.csv" for version in ("lecture", "2", "3"))]
    for name in names if available else names[1:]:
        (tmp_path / name).touch()
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path))
    case = next(case for case in cases.CASES if case.options == {"name": "acs DIS"} and len(case.answers) == 2)
    asked = ["synthpop_acs", "synthpop_acs_pairs"] if available else ["synthpop", "synthpop_pairs"]
    answers = [case.ask(name, False) for name in case.answers]
    assert all(
        answer.table.equals(reference(name, live=False).table) for answer, name in zip(answers, asked, strict=True)
    )
    assert synthpop.label("acs", "acs DIS") == f"acs DIS{', real' if available else ''}, m = 3"
