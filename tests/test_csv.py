"""CSV files as they come: nothing is cut off or filled up in silence."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import threading

import pandas as pd
import pytest

from synthlab.exceptions import IncompleteLastLineWarning, InputError
from synthlab.io import read_file
from synthlab.release import Release, as_release


def test_csv_with_a_byte_order_mark_and_unreadable_files(tmp_path):
    (tmp_path / "bom.csv").write_bytes("\ufeffage,income\n1,2\n".encode())
    assert list(read_file(tmp_path / "bom.csv", "confidential").columns) == ["age", "income"]
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x01" * 50)
    (tmp_path / "quote.csv").write_text('a,b\n1,"2\n')
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n" * 50)[:-9])
    for name, message in [
        ("binary.csv", "cannot read"),
        ("quote.csv", "cannot read"),
        ("empty.csv", "cannot read"),
        ("cut.csv.gz", "cannot read"),
        (".", "cannot read"),
        ("none.csv", "no file"),
        ("a\0b", "must be a path"),
    ]:
        with pytest.raises(InputError, match=f"confidential: {message}"):
            read_file(tmp_path / name, "confidential")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a,b,c\n1,2,3\n4,5", 3, "2 values for 3 columns"),
        ("a,b,c\n1,2,3\n4", 3, "1 values for 3 columns"),
        ("a,b,c\n1,2,3\n4,5\n", 3, "2 values for 3 columns"),
        ("a,b,c\n1,2\n3,4,5\n", 2, "2 values for 3 columns"),
        ("a,b\n1,2\n1,2,3,4\n", 3, "4 values for 2 columns"),
        ("a,b\n1,2,3\n1,2,3\n", 2, "3 values for 2 columns"),  # pandas makes an index of the first column
        ('a,b,c\n"x\ny",2,3\n\n"u\nv",5\n', 5, "2 values for 3 columns"),
        ('a,b\n1,2\n""\n', 3, "1 values for 2 columns"),
        ("a,b,c\r\n1,2,3\r\n4,5", 3, "2 values for 3 columns"),
    ],
)
def test_a_record_that_is_too_short_or_too_long_is_named_by_its_line_and_not_shown(text, line, said, tmp_path):
    file = tmp_path / "98765.csv"
    file.write_bytes(text.replace("4", "secret").encode())
    for read in (lambda: read_file(file, "confidential"), lambda: Release.from_files([file]), lambda: as_release(file)):
        with pytest.raises(InputError, match=f"98765.csv', line {line}: {said}; was the file cut off") as caught:
            read()
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("cut", range(30))
def test_a_cut_is_noticed_wherever_it_is(cut, tmp_path):
    data = b'a,b,c\n11,"x, y",33\n44,"z",66\n'
    (tmp_path / "cut.csv").write_bytes(data[:cut])
    if cut in (19, 29):
        assert len(read_file(tmp_path / "cut.csv", "synthetic")) == (1 if cut < 20 else 2)
    elif cut in (16, 17, 18, 26, 27, 28):
        with pytest.warns(IncompleteLastLineWarning, match="synthetic: .*column 'c'"):
            assert len(read_file(tmp_path / "cut.csv", "synthetic")) == (1 if cut < 20 else 2)
    else:
        with pytest.raises(InputError, match="synthetic"):
            read_file(tmp_path / "cut.csv", "synthetic")


@pytest.mark.parametrize(
    "text",
    ["a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "\n\na,b\n1,2\n\n3,4\n\n", "a,b\n1,2\n   \n3,4\n", "a,b\r1,2\r3,4\r"],
)  # fmt: skip
def test_files_that_are_whole_are_read(text, tmp_path):
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert read_file(tmp_path / "a.csv", "synthetic").to_numpy().tolist() == [[1, 2], [3, 4]]


def test_values_may_be_missing_and_cells_long(tmp_path):
    (tmp_path / "a.csv").write_text(f'a,b\n,2\n1,\n"{"x" * 140_000}",\n')
    frame = read_file(tmp_path / "a.csv", "synthetic")
    assert frame["b"].isna().tolist() == [False, True, True]
    assert len(frame["a"][2]) == 140_000
    (tmp_path / "one.csv").write_text('a\n1\n""\n2\n')
    assert read_file(tmp_path / "one.csv", "synthetic")["a"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_packed_files_are_unpacked_and_looked_at_alike(ending, pack, tmp_path):
    (tmp_path / f"a.csv{ending}").write_bytes(pack(b"a,b\n1,2\n"))
    (tmp_path / f"b.csv{ending}").write_bytes(pack(b"a,b\n1"))
    assert read_file(tmp_path / f"a.csv{ending}", "synthetic")["b"].tolist() == [2]
    with pytest.raises(InputError, match="line 2: 1 values for 2 columns"):
        read_file(tmp_path / f"b.csv{ending}", "synthetic")


def test_a_pipe_can_be_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("a,b\n1,2\n",))
    writer.start()
    assert read_file(pipe, "synthetic")["b"].tolist() == [2]
    writer.join()


def test_two_threads_read_long_cells_at_once(tmp_path):
    frame = pd.DataFrame({"a": ["x" * 200_000] * 20})
    folder = Release(frame).save(tmp_path / "out", keep_order=True)
    failed: list[BaseException] = []

    def load() -> None:
        try:
            assert Release.load(folder)[0].equals(frame)
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
