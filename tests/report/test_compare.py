"""Several releases side by side: each row is what the release alone would give."""

from __future__ import annotations

import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, RowAlignmentError

SCRIPT = "<script>alert(1)</script>"
INTRUDER = sl.Intruder(known=["region", SCRIPT], synthesized=["income"], radius={"income": 0.2})


@pytest.fixture(scope="module")
def both(people: pd.DataFrame, release: sl.Release) -> sl.report.ComparisonResult:
    one = release[0].assign(income=release[0]["income"] * 1.1)
    return sl.compare(people, {"noise": release, "one <b>": one}, INTRUDER)


def test_a_row_is_what_the_release_alone_gives(both, people: pd.DataFrame, release: sl.Release) -> None:
    table, alone = both.summary(), sl.evaluate(people, release, INTRUDER).summary()
    assert table.index.tolist() == ["confidential", "noise", "one <b>"]
    assert table["m"].tolist() == [1, 3, 1]
    for measure in alone.index:
        assert table.loc["noise", measure] == pytest.approx(alone.loc[measure, "synthetic"])
        assert table.loc["confidential", measure] == pytest.approx(alone.loc[measure, "confidential"])
    assert table["known_only"].to_numpy() == pytest.approx(alone.loc["expected_match_risk", "known_only"])
    assert both.data_kind == "simulated"


def test_the_long_table_has_a_row_a_release_and_dataset(both) -> None:
    table = both.to_frame()
    assert table[["release", "dataset"]].values.tolist() == [["noise", 1], ["noise", 2], ["noise", 3], ["one <b>", 1]]
    assert table["expected_match_risk"][:3].to_numpy() == pytest.approx(
        both.evaluations["noise"]["identification_risk"].expected_match_risk
    )
    assert set(both.to_dict()) == {"noise", "one <b>"}


def test_it_shows_itself(both) -> None:
    assert "known_only" in str(both)
    html = both._repr_html_()
    assert "one &lt;b&gt;" in html
    assert "<script>" not in html
    assert both.plot().get_xlabel()


@pytest.mark.parametrize("releases", [{}, [], None, "release"])
def test_there_must_be_a_mapping_of_releases(releases: object, people: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="releases: must be a mapping"):
        sl.compare(people, releases, INTRUDER)


@pytest.mark.parametrize("name", ["confidential", "", "  ", 3, None])
def test_a_release_needs_a_name_of_its_own(name: object, people: pd.DataFrame, release: sl.Release) -> None:
    with pytest.raises(InputError, match="cannot name a release"):
        sl.compare(people, {name: release}, INTRUDER)


def test_an_error_says_which_release_it_is_about(people: pd.DataFrame, release: sl.Release) -> None:
    with pytest.raises(RowAlignmentError, match="has 119 rows") as caught:
        sl.compare(people, {"good": release, "short": people[1:]}, INTRUDER, rows="aligned")
    assert caught.value.__notes__ == ["while measuring release 'short'"]


@pytest.mark.parametrize("what", [None, 3, [1, 2]])
def test_what_is_no_release_is_named_by_its_name(people: pd.DataFrame, release: sl.Release, what) -> None:
    with pytest.raises(InputError, match=r"^(releases\['bad'\]: must be|synthetic dataset 1)"):
        sl.compare(people, {"good": release, "bad": what}, INTRUDER)
