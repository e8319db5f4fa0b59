"""Release: m frames, what is synthesized, saving and loading."""

from __future__ import annotations

import pandas as pd
import pytest

from synthlab.exceptions import DtypeMismatchError, InputError, RowAlignmentError
from synthlab.release import Release, as_release, read_csv
from synthlab.risk import identification_risk
from synthlab.utility import ecdf_utility


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


def test_saved_and_loaded_frames_are_equal(frames, tmp_path):
    release = Release(frames, synthesized=["income"], provenance={"seed": 1, "of": {"kind": "simulated"}})
    folder = release.save(tmp_path / "out")
    again = Release.load(folder)
    assert again.synthesized == ("income",)
    assert dict(again.provenance) == dict(release.provenance)
    for one, other in zip(release, again, strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert as_release(folder).m == 2
    with pytest.raises(InputError, match="holds a release already"):
        release.save(folder)
    with pytest.raises(InputError, match="holds no release.json"):
        Release.load(tmp_path)


def test_bad_frames(frames):
    with pytest.raises(InputError, match="m = 0"):
        Release([])
    with pytest.raises(InputError, match="dataset 2 has 2 rows, dataset 1 has 3"):
        Release([frames[0], frames[1].iloc[:2]])
    with pytest.raises(InputError, match="differ in columns: 'flag'"):
        Release([frames[0], frames[1].drop(columns="flag")])
    with pytest.raises(
        DtypeMismatchError,
        match=r"'income' holds number .* in synthetic dataset 1 and text .* in synthetic dataset 2: nothing could match; align them$",
    ):
        Release([frames[0], frames[1].assign(income="x")])
    with pytest.raises(InputError, match="synthesized: 'wage' not in"):
        Release(frames, synthesized=["wage"])
    with pytest.raises(InputError, match="column names must be unique"):
        Release([pd.DataFrame([[1, 2]], columns=["a", "a"])])


def test_csv_with_a_byte_order_mark_and_unreadable_files(tmp_path):
    (tmp_path / "bom.csv").write_bytes("﻿age,income\n1,2\n".encode())
    assert list(read_csv(tmp_path / "bom.csv", "confidential").columns) == ["age", "income"]
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x01" * 50)
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n1,2,3,4\n")
    (tmp_path / "empty.csv").write_text("")
    for name, message in [
        ("binary.csv", "cannot read"),
        ("ragged.csv", "cannot read"),
        ("empty.csv", "cannot read"),
        ("none.csv", "no file"),
    ]:
        with pytest.raises(InputError, match=f"confidential: {message}"):
            read_csv(tmp_path / name, "confidential")


def test_shuffled_keeps_the_records_and_hides_their_order(frames, tmp_path):
    release = Release(frames, synthesized=["income"], provenance={"seed": 1})
    many = Release([pd.concat([f] * 50, ignore_index=True) for f in frames], ["income"], {"seed": 1})
    published = many.shuffled(rng=3)
    assert published.synthesized == ("income",)
    assert dict(published.provenance) == {"seed": 1, "rows": "shuffled"}
    names = list(frames[0].columns)
    for before, after in zip(many, published, strict=True):
        assert after.index.equals(pd.RangeIndex(150))
        assert not after["flag"].equals(before["flag"])
        assert after.dtypes.equals(before.dtypes)
        left, right = (f.sort_values(names, ignore_index=True) for f in (before, after))
        pd.testing.assert_frame_equal(left, right)
    # Every dataset has an order of its own, from a stream of its own.
    assert not published[0]["flag"].equals(published[1]["flag"])
    pd.testing.assert_frame_equal(Release([many[0]]).shuffled(rng=3)[0], published[0])
    assert Release.load(published.save(tmp_path / "out")).provenance["rows"] == "shuffled"
    assert "rows" not in release.provenance


def test_a_shuffled_release_is_not_measured_row_by_row(tmp_path):
    frame = pd.DataFrame({"region": list("NNSS"), "income": [10.0, 20.0, 30.0, 40.0]})
    folder = Release(frame, ["income"]).shuffled(rng=1).save(tmp_path / "out")
    for release in (Release.load(folder), folder, str(folder)):
        with pytest.raises(RowAlignmentError, match="before `shuffled`"):
            identification_risk(frame, release, known=["region"], synthesized=["income"], radius={"income": 0.1})
    # Measures of the whole file do not mind.
    assert ecdf_utility(frame, Release.load(folder), variables=["income"]).ecdf_max.max() == 0.0
