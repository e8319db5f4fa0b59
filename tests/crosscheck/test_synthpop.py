"""The rows about R's synthpop: every one that states a fault differs, and the ACS sample is the real one where it is at hand."""

from __future__ import annotations

import pytest

from synthlab.crosscheck import _synthpop_data as data, _synthpop_faults as faults
from synthlab.r import reference


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_every_fault_is_in_the_recorded_answers():
    rows = list(faults.checks(reference("synthpop", live=False)))
    assert all(row.passes for row in rows)
    assert {row.verdict for row in rows if row.reason} == {"differs as stated"}
    assert {(row.case, row.what) for row in rows if row.reason} >= set(faults.TRUE)


@pytest.mark.parametrize("at_hand", [True, False])
def test_the_real_sample_is_asked_about_where_it_is_at_hand(monkeypatch, tmp_path, at_hand):
    names = ["acs_confidential.csv", *(f"acs_synthetic_{label}.csv" for label in data.VERSIONS)]
    for name in names if at_hand else names[1:]:
        (tmp_path / name).touch()
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path))
    asked = data.names_of_answers()
    assert asked == (*data.ANSWERS, "synthpop_missing", *(data.REAL if at_hand else ()))
    answers = {name: reference(name, live=False) for name in asked}
    assert data.answer_for("acs", answers) is answers["synthpop_acs" if at_hand else "synthpop"]
    assert data.label("acs", "acs DIS", answers) == f"acs DIS{', real' if at_hand else ''}, m = 3"
