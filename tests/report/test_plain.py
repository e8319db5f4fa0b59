"""Numbers as plain values, and files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from synthlab._format import plain, table_text
from synthlab._system.atomic_write import check_writable
from synthlab.exceptions import InputError


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_plain_values_are_what_json_knows(value: object) -> None:
    text = json.dumps(plain(value), allow_nan=False)
    assert json.loads(text) == plain(value)


def test_arrays_and_undefined_numbers() -> None:
    value = {1: np.array([[1.5, np.nan], [np.inf, -2.0]]), "t": (np.int64(3), np.bool_(True)), "p": Path("a")}
    assert plain(value) == {"1": [[1.5, None], [None, -2.0]], "t": [3, True], "p": "a"}


def test_the_dictionary_holds_the_numbers_of_the_result(result) -> None:
    numbers = result.to_dict()
    assert numbers["release"]["m"] == 3
    assert numbers["data"] == {"kind": "simulated", "records": 120}
    assert numbers["identification_risk"]["per_dataset"]["expected_match_risk"] == pytest.approx(
        result["identification_risk"].expected_match_risk.tolist()
    )
    assert (
        numbers["identification_risk"]["confidential"]["n_unique"] == result["identification_risk"].baseline.n_unique[0]
    )
    assert numbers["identification_probability"]["synthetic"]["mean"] == pytest.approx(
        result["identification_probability"].record.mean()
    )
    assert numbers["pmse"]["per_dataset"]["ratio"] == pytest.approx(result["pmse"].ratio.tolist())
    assert numbers["intruder"]["radius"] == {"income": 0.2}
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers


def test_no_confidential_value_is_among_the_numbers(result, people) -> None:
    text = json.dumps(result.to_dict())
    assert not any(str(value) in text for column in ("region", "income") for value in people[column])


def test_files_are_written_with_their_folder(result, tmp_path: Path) -> None:
    page = result.save(tmp_path / "new" / "folder" / "report.html", title="Räume")
    numbers = result.save(tmp_path / "report.JSON")
    assert "<title>Räume</title>" in page.read_text(encoding="utf-8")
    assert json.loads(numbers.read_text(encoding="utf-8")) == result.to_dict()


def test_files_that_cannot_be_written_are_named(result, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"path='.*report\.pdf': must end in \.html or"):
        result.save(tmp_path / "report.pdf")
    with pytest.raises(InputError, match="cannot write"):
        result.save(tmp_path / "file" / "report.html")
    with pytest.raises(InputError, match="title apply only to an HTML page"):
        result.save(tmp_path / "report.json", title="x")


def test_whether_a_file_can_be_written_is_found_out_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    check_writable(tmp_path / "new" / "folder" / "x.html")
    check_writable(tmp_path / "file")
    for bad in (
        tmp_path / "file" / "x.html",
        tmp_path / "file" / "deep" / "x.html",
        tmp_path,
        Path("/proc/none/x.html"),
    ):
        with pytest.raises(InputError, match=f"path='{bad}': cannot write"):
            check_writable(bad)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_table_looks_the_same_whatever_the_last_digits_are() -> None:
    """Of two machines one computes 1, the other a little less."""
    exact, rounded = pd.DataFrame({"overlap": [1.0, 1.0]}), pd.DataFrame({"overlap": [1.0 - 4e-16, 1.0 + 4e-16]})
    assert table_text(exact) == table_text(rounded)
    assert table_text(pd.DataFrame({"overlap": [1.0, 0.25]})).split() == ["overlap", "1.0000", "0.2500"]
