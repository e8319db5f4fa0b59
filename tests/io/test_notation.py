"""Cells of a release are written as in the file: whole numbers, fixed decimals, words for true and false."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.io.notation import Notation


def cells(path: Path, column: str) -> set[str]:
    return set(pd.read_csv(path, dtype=str, keep_default_na=False)[column]) - {""}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    draw = np.random.default_rng(1)
    n = 400
    frame = pd.DataFrame(
        {
            "whole": pd.array(draw.poisson(20, n), dtype="Int64"),
            "fixed": [f"{value:.2f}" for value in draw.normal(50, 9, n)],
            "short": [f"{value:g}" for value in draw.normal(50, 9, n).round(1)],
            "point": draw.poisson(20, n).astype(float),
            "upper": draw.choice(["TRUE", "FALSE"], n),
            "lower": draw.choice(["true", "false", ""], n),
        }
    )
    frame.loc[draw.random(n) < 0.2, "whole"] = pd.NA
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_file_is_written_as_it_was_read(file: Path, tmp_path: Path) -> None:
    assert sl.write(sl.read(file), tmp_path / "again.csv").read_text() == file.read_text()


@pytest.mark.parametrize("models", [None, {"whole": "normal"}])
def test_a_release_has_the_notation_of_the_file(file: Path, tmp_path: Path, models: dict[str, str] | None) -> None:
    release = sl.synthesize(sl.read(file), m=1, models=models)
    made = release.save(tmp_path / "release") / "synthetic_001.csv"
    assert all(cell.lstrip("-").isdigit() for cell in cells(made, "whole"))
    assert all(len(cell.partition(".")[2]) == 2 for cell in cells(made, "fixed"))
    assert not any(cell.endswith(".0") for cell in cells(made, "short"))
    assert all(cell.endswith(".0") for cell in cells(made, "point"))
    assert cells(made, "upper") == {"TRUE", "FALSE"}
    assert cells(made, "lower") == {"true", "false"}
    loaded = sl.Release.load(tmp_path / "release")[0]
    assert loaded.dtypes.astype(str).tolist() == release[0].dtypes.astype(str).tolist()
    assert sorted(loaded["fixed"]) == sorted(release[0]["fixed"])


def test_whole_numbers_of_a_frame_with_missing_cells_have_no_decimal_point(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [25.0, np.nan, 3.0] * 40, "y": np.linspace(0, 1, 120)})
    made = sl.synthesize(frame, m=1).save(tmp_path / "release") / "synthetic_001.csv"
    assert cells(made, "x") <= {"25", "3"}


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64"])
@pytest.mark.parametrize("notation", [Notation(), Notation(2), Notation(None, True), Notation(None, False)])
def test_numbers_are_read_back_unchanged(dtype: str, notation: Notation) -> None:
    values = (
        pd.Series([0.1, 2.0, -3.25, 1e300, 1e-12, None], dtype=dtype)
        if dtype != "float32"
        else pd.Series([0.1, 2, 7.5], dtype=dtype)
    )
    texts = notation.write(values)
    assert texts is not None
    present = values.notna()
    assert (texts[present].astype(dtype) == values[present]).all()


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1.50", "2.00"], Notation(2, False)),
        (["1.5", "2"], Notation(None, True)),
        (["25.0", "3.0"], Notation(1, False)),
        (["1.5", "2.25"], Notation(None, True)),
        (["1e5", "2.5"], Notation(None, True)),
        ([], Notation(None, True)),
    ],
)
def test_the_notation_of_numbers(texts: list[str], expected: Notation) -> None:
    assert Notation.of_numbers(texts, ".") == expected
