"""Release: m frames and what is synthesized; rows shuffled for publication."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from synthlab.exceptions import DtypeMismatchError, InputError, RowAlignmentError
from synthlab.intruder import Intruder
from synthlab.release import Release, as_release
from synthlab.risk import identification_risk
from synthlab.utility import ecdf_utility
from tests.loops import every


@pytest.fixture
def frames() -> list[pd.DataFrame]:
    first = pd.DataFrame(
        {
            "name, with comma": ["a", "ü", "c"],
            "grade": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "hi"], ordered=True),
            "code": pd.Categorical([1, 2, 1], categories=[1, 2, 3]),
            "flag": [True, False, True],
            "income": [0.1 + 0.2, 1e-17, 3.0],
        }
    )
    return [first, first.assign(income=[1.0, 2.0, 3.0])]


def test_what_is_accepted(frames, tmp_path):
    assert as_release(frames[0]).m == 1
    release = Release(frames, synthesized=["income"], provenance={"synthesizer": "by hand"})
    assert as_release(release) is release
    assert as_release(tuple(frames)).m == len(release) == 2
    assert "synthesized: income; made by by hand" in str(release)
    assert release.stacked()["dataset"].tolist() == [1, 1, 1, 2, 2, 2]
    paths = []
    for i, frame in enumerate(frames):
        frame.to_csv(tmp_path / f"{i}.csv", index=False)
        paths.append(str(tmp_path / f"{i}.csv"))
    assert as_release(paths).n == as_release(paths[0]).n == 3


def test_bad_frames(frames):
    with pytest.raises(InputError, match="m = 0"):
        Release([])
    with pytest.raises(InputError, match="dataset 2 has 2 rows, dataset 1 has 3"):
        Release([frames[0], frames[1].iloc[:2]])
    with pytest.raises(InputError, match="differ in columns: 'flag'"):
        Release([frames[0], frames[1].drop(columns="flag")])
    with pytest.raises(
        DtypeMismatchError,
        match=r"'income' holds number .* in synthetic dataset 1 and text .* in synthetic dataset 2, so that no values could match; use the same type in both$",
    ):
        Release([frames[0], frames[1].assign(income="x")])
    with pytest.raises(InputError, match="synthesized: 'wage' not in"):
        Release(frames, synthesized=["wage"])
    with pytest.raises(InputError, match="column names must be unique"):
        Release([pd.DataFrame([[1, 2]], columns=["a", "a"])])


def test_shuffled_keeps_the_records_and_hides_their_order(frames, tmp_path):
    many = Release([pd.concat([f] * 50, ignore_index=True) for f in frames], ["income"], {"kind": "simulated"})
    published = many.shuffled("5f" * 16)
    assert published.synthesized == ("income",)
    assert dict(published.provenance) == {"kind": "simulated"}
    assert (many.rows, published.rows) == ("unknown", "shuffled")
    assert "rows shuffled" in str(published)
    assert "rows" not in str(many)
    names = list(frames[0].columns)
    for before, after in zip(many, published, strict=True):
        assert after.index.equals(pd.RangeIndex(150))
        assert not after["flag"].equals(before["flag"])
        assert after.dtypes.equals(before.dtypes)
        left, right = (f.sort_values(names, ignore_index=True) for f in (before, after))
        pd.testing.assert_frame_equal(left, right)
    # Every dataset has an order of its own, whatever the number of datasets.
    assert not published[0]["flag"].equals(published[1]["flag"])
    pd.testing.assert_frame_equal(Release([many[0]]).shuffled("5F" * 16)[0], published[0])
    assert Release.load(published.save(tmp_path / "out", keep_order=True)).rows == "shuffled"


def test_the_order_is_any_of_the_orders_alike():
    frame = pd.DataFrame({"x": [0, 1, 2]})
    seen = Release([frame] * 6000).shuffled("0123456789abcdef" * 2)
    counts = pd.Series([tuple(one["x"]) for one in seen]).value_counts()
    assert len(counts) == 6
    # Binomial(6000, 1/6): mean 1,000, standard deviation 29; the key is fixed.
    assert counts.between(870, 1130).all()


def test_a_fresh_key_is_drawn_and_a_given_one_repeats_the_order():
    release = Release(pd.DataFrame({"x": range(30)}), private={"seed": 4})
    first, second = release.shuffled(), release.shuffled()
    assert not first[0].equals(second[0])
    [key] = first.private["shuffle_keys"]
    assert len(key) == 64
    assert int(key, 16) > 2**128
    assert first.private["seed"] == 4
    assert release.shuffled(key)[0].equals(first[0])
    assert first.shuffled("ab" * 16).private["shuffle_keys"] == [key, "ab" * 16]
    assert dict(release.private) == {"seed": 4}


@every("key", [1, 2024, "", "1", "2024", "ab" * 15 + "c", "xy" * 16, "ab" * 16 + "\n", b"ab" * 16, 1.5])
def test_a_key_that_could_be_found_by_trying_is_refused_and_not_shown(key):
    with pytest.raises(InputError, match="key: must be a text of at least 32 hexadecimal characters") as caught:
        Release(pd.DataFrame({"x": [1, 2]})).shuffled(key)
    assert str(caught.value).endswith(
        f"got str of {len(key)} characters" if isinstance(key, str) else type(key).__name__
    )


def test_keys_that_are_no_list_are_refused_and_not_shown():
    with pytest.raises(InputError, match=r'private\["shuffle_keys"\]: must be a list of keys, got str') as caught:
        Release(pd.DataFrame({"x": [1, 2]}), private={"shuffle_keys": "7777"}).shuffled()
    assert "7777" not in str(caught.value)


def test_a_shuffled_release_is_not_measured_row_by_row(tmp_path):
    frame = pd.DataFrame({"region": list("NNSS"), "income": [10.0, 20.0, 30.0, 40.0]})
    folder = Release(frame, ["income"]).shuffled().save(tmp_path / "out")
    for release in (Release.load(folder), folder, str(folder)):
        with pytest.raises(RowAlignmentError, match="before `shuffled`"):
            identification_risk(
                frame, release, Intruder(known=["region"], synthesized=["income"], radius={"income": 0.1})
            )
    # Measures of the whole file do not mind.
    assert ecdf_utility(frame, Release.load(folder), variables=["income"]).ecdf_max.max() == 0.0


def test_columns_in_another_order_are_brought_to_that_of_the_first(tmp_path):
    first = pd.DataFrame({"x": [1, 2], "y": [3, 4]})
    release = Release([first, first[["y", "x"]], first])
    assert [list(frame) for frame in release] == [["x", "y"]] * 3
    assert release[1].to_numpy().tolist() == [[1, 3], [2, 4]]
    assert release[2] is first


@pytest.mark.parametrize("name", ["provenance", "private"])
@pytest.mark.parametrize("value", [3, "abc", [1], {1: "x"}])
def test_a_provenance_is_a_mapping(frames, name, value):
    with pytest.raises(InputError, match=f"{name}: must be a mapping with text keys.*got {type(value).__name__}"):
        Release(frames, **{name: value})


@pytest.mark.parametrize("paths", ["x.csv", Path("x.csv"), 3, None])
def test_csv_files_come_as_a_list(paths):
    with pytest.raises(InputError, match=r"paths=.*: must be a list of files, one per dataset"):
        Release.from_files(paths)
