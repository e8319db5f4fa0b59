"""Codes that a file declares missing: kept by reading, synthesis and writing, and never counted as numbers."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import FormatLimitWarning, InputError, MissingKindWarning
from synthlab.io.missing_kinds import KINDS, kinds_of
from tests.loops import every

pyreadstat = pytest.importorskip("pyreadstat")
FORMATS = ("csv", "sav", "dta", "parquet")
LABELS = {
    "health": {1.0: "good", 2.0: "bad", -8.0: "don't know", -9.0: "no answer"},
    "income": {-7.0: "refused", -6.0: "unknown"},
    "rooms": {99.0: "many"},
    "children": {-1.0: "not asked"},
    "owner": {0.0: "False", 1.0: "True", 7.0: "unclear"},
}
DECLARED = {
    "health": [-8, -9],
    "income": [{"lo": -99, "hi": -1}],
    "children": [-1, -2],
    "owner": [7],
    "town": ["X"],
}
TAGS = {
    "health": {-8.0: "a", -9.0: "b"},
    "income": {-7.0: "c", -6.0: "z", -5.0: "m", -4.0: "d"},
    "children": {-1.0: "a", -2.0: "b"},
    "owner": {7.0: "u"},
}


def table(n: int = 400, seed: int = 1) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    income = np.round(draw.lognormal(8, 1, n))
    income[draw.random(n) < 0.3] = -7
    income[: n // 10] = draw.choice([-6.0, -5, -4], n // 10)
    income[-3:] = np.nan
    return pd.DataFrame(
        {
            "age": draw.integers(18, 80, n).astype(float),
            "health": draw.choice([1.0, 2, -8, -9], n, p=[0.5, 0.3, 0.15, 0.05]),
            "income": draw.permutation(income),
            "rooms": draw.choice([1.0, 2, 3, 99], n),
            "children": draw.choice([-1.0, -2], n),
            "owner": draw.choice([0.0, 1, 7], n),
            "town": draw.choice(["A", "B", "X"], n),
        }
    )


def survey(folder: Path, kind: str = "sav", seed: int = 1) -> Path:
    """Write a survey as another program would."""
    file = folder / f"survey_{seed}.{kind}"
    frame = table(seed=seed)
    if kind == "sav":
        pyreadstat.write_sav(frame, file, variable_value_labels=LABELS, missing_ranges=DECLARED)
        return file
    for column, tags in TAGS.items():
        frame[column] = [tags.get(value, value) for value in frame[column]]
    labels = {
        c: {TAGS.get(c, {}).get(code, int(code)): text for code, text in one.items()} for c, one in LABELS.items()
    }
    letters = {column: sorted(tags.values()) for column, tags in TAGS.items()}
    pyreadstat.write_dta(frame, file, version=15, variable_value_labels=labels, missing_user_values=letters)
    return file


def read(path: Path) -> pd.DataFrame:
    return sl.read(path, na={"rooms": []})


def counts(frame: pd.DataFrame) -> dict[str, dict[object, int]]:
    return {
        column: {code: int(one.where(code).sum()) for code in one.codes} for column, one in kinds_of(frame)[0].items()
    }


@every("kind", ["sav", "dta"])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
def test_declared_codes_are_missing_and_keep_their_kind(kind: str, tmp_path: Path) -> None:
    frame, given = read(survey(tmp_path, kind)), table()
    for column, tags in TAGS.items():
        codes = {f".{tag}": code for code, tag in tags.items()} if kind == "dta" else {int(c): c for c in tags}
        assert counts(frame)[column] == {code: int((given[column] == value).sum()) for code, value in codes.items()}
        assert frame[column].isna().equals(given[column].isin(list(tags)) | given[column].isna())
    assert frame["health"].cat.categories.tolist() == ["good", "bad"]
    assert frame["owner"].dtype == "boolean"
    assert frame["rooms"].max() == 99  # a label alone does not make a code missing
    assert ("town" in counts(frame)) == (kind == "sav")
    assert frame["income"].mean() == given["income"][given["income"] > 0].mean()


@every("source", ["sav", "dta"])
@every("kind", FORMATS)
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
def test_a_release_keeps_the_kinds_or_a_warning_names_the_loss(source: str, kind: str, tmp_path: Path) -> None:
    frame = read(survey(tmp_path, source))
    release = sl.Release([frame, frame.iloc[::-1]]).shuffled()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        folder = release.save(tmp_path / f"{source}_{kind}", format=kind)
    said = " ".join(str(one.message) for one in caught)
    assert {one.category for one in caught} <= {FormatLimitWarning}
    lost = {"town"} if (source, kind) == ("sav", "dta") else {"owner"} if kind == "parquet" else set()
    assert ("merged" in said) == bool(lost & set(counts(frame)))
    assert all(repr(column) in said for column in lost)
    loaded = sl.Release.load(folder)
    for one, other in zip(loaded, release, strict=True):
        pd.testing.assert_frame_equal(one, other)
        assert {c: n for c, n in counts(other).items() if c not in lost} == counts(one)
        for column in counts(one):
            assert kinds_of(one)[0][column].equals(kinds_of(other)[0][column])
    if kind != "csv":  # another program sees as many kinds in every dataset, with the same codes
        again = [sl.read(folder / f"synthetic_00{i}.{kind}") for i in (1, 2)]
        assert counts(again[0]) == counts(again[1])
        for column, one in counts(again[0]).items():
            assert sorted(one.values()) == sorted(counts(frame)[column].values())


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
def test_other_programs_see_codes_and_labels(tmp_path: Path) -> None:
    file = sl.write(read(survey(tmp_path)), tmp_path / "again.sav")
    made, about = pyreadstat.read_sav(file, user_missing=True)
    given, stated = pyreadstat.read_sav(survey(tmp_path), user_missing=True)
    pd.testing.assert_frame_equal(made, given)
    assert about.missing_ranges == stated.missing_ranges
    assert about.variable_value_labels == stated.variable_value_labels
    file = sl.write(read(survey(tmp_path, "dta")), tmp_path / "again.dta")
    made, about = pyreadstat.read_dta(file, user_missing=True)
    given, stated = pyreadstat.read_dta(survey(tmp_path, "dta"), user_missing=True)
    pd.testing.assert_frame_equal(made.astype(object), given.astype(object))
    assert about.variable_value_labels == stated.variable_value_labels
    assert {c: sorted(v) for c, v in about.missing_user_values.items()} == stated.missing_user_values


@every("kind", ["sav", "dta"])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")
def test_kinds_are_synthesized_with_their_shares(kind: str, tmp_path: Path) -> None:
    frame = read(survey(tmp_path, kind))
    with warnings.catch_warnings():
        warnings.simplefilter("error", MissingKindWarning)
        release = sl.synthesize(frame, m=3, rng=1)
        folder = release.save(tmp_path / kind, format=kind, allow_short_seed=True)
    for column, kinds in counts(frame).items():
        for code, count in kinds.items():
            share = count / len(frame)
            found = np.mean([counts(one)[column].get(code, 0) for one in release]) / len(frame)
            assert abs(found - share) < 4 * np.sqrt(share * (1 - share) / len(frame)), (column, code)
    for one in release:
        pd.testing.assert_series_equal(one.dtypes, frame.dtypes)
        assert one["income"].min() > 0
        assert one["children"].isna().all()  # a column of codes only
        assert set(one["rooms"]) <= {1, 2, 3, 99}
    known = sl.Intruder(known=["age"], synthesized=["health"], missing="category")
    assert sl.evaluate(frame, folder, known).verdict in ("CHECK", "NOTHING FOUND", "STOP")


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
def test_kinds_follow_the_rows(tmp_path: Path) -> None:
    frame = read(survey(tmp_path))
    old = frame[frame["age"] > 50]
    given = table()[frame["age"] > 50]
    assert counts(old)["health"] == {-9: int((given["health"] == -9).sum()), -8: int((given["health"] == -8).sum())}
    assert counts(frame.sample(frac=1, random_state=1)) == counts(frame)
    assert counts(frame.set_axis([f"p{i}" for i in range(len(frame))])) == counts(frame)
    assert counts(frame.drop(columns="income")) == {c: n for c, n in counts(frame).items() if c != "income"}
    assert json.loads(json.dumps(frame.attrs[KINDS])) == frame.attrs[KINDS]


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")
def test_a_warning_says_that_kinds_are_merged(tmp_path: Path) -> None:
    frame = read(survey(tmp_path))
    changed = frame[frame["age"] > 50].reset_index(drop=True)
    with pytest.warns(MissingKindWarning, match="'income'"):
        release = sl.synthesize(changed[["age", "income"]], m=1, rng=1)
    assert counts(release[0]) == {}
    with pytest.warns(MissingKindWarning, match="'income'"):
        sl.write(changed, tmp_path / "changed.sav")
    with pytest.warns(MissingKindWarning, match="'income'"):
        release = sl.CART(["income"], predictors=["age"]).fit(frame, rng=1).generate(m=1, rng=1)
    # Nothing shows whether the rows of a column without values are still the same.
    assert counts(release[0]) == {c: n for c, n in counts(frame).items() if c not in ("income", "children")}
    assert "income" not in release[0].attrs[KINDS]["columns"]  # the confidential kinds are not passed on


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")
def test_a_model_without_a_level_for_codes_merges_them(tmp_path: Path) -> None:
    frame = read(survey(tmp_path))[["age", "health", "owner"]]
    with pytest.warns(MissingKindWarning, match="'owner'") as caught:
        release = sl.synthesize(frame, m=1, rng=1, models={"owner": "logistic"})
    assert len([one for one in caught if one.category is MissingKindWarning]) == 1
    assert set(counts(release[0])) == {"health"}


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
def test_a_label_that_no_synthetic_record_has_is_not_published(tmp_path: Path) -> None:
    frame = read(survey(tmp_path))
    few = frame[~kinds_of(frame)[0]["health"].where(-9)]
    folder = sl.Release([few]).save(tmp_path / "release", keep_order=True, format="sav")
    assert "no answer" not in (folder / "release.json").read_text()
    assert "no answer" not in str(pyreadstat.read_sav(folder / "synthetic_001.sav")[1].variable_value_labels)
    assert b"no answer" not in (folder / "synthetic_001.sav").read_bytes()


@every("source", ["sav", "dta"])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_codes_in_csv_files_are_missing_for_a_reader_of_the_survey(source: str, tmp_path: Path) -> None:
    frame = read(survey(tmp_path, source))
    back = sl.read(sl.write(frame, tmp_path / "survey.csv"), like=frame)
    for column in frame:
        assert back[column].isna().equals(frame[column].isna()), column
        assert back[column].dropna().tolist() == frame[column].dropna().tolist()


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_a_number_is_not_drawn_into_the_declared_codes(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": [1.0, 2] * 100, "score": np.r_[np.arange(100) / 50, [-8.0] * 20, np.arange(80) / 40]})
    pyreadstat.write_sav(frame, tmp_path / "s.sav", missing_ranges={"score": [{"lo": -10, "hi": -0.0001}]})
    release = sl.synthesize(sl.read(tmp_path / "s.sav"), m=5, rng=1, models={"score": "normal"})
    release.save(tmp_path / "release", format="sav", allow_short_seed=True)
    assert min(one["score"].min() for one in release) >= 0
    assert all(set(counts(one)["score"]) == {-8} for one in release)


def test_codes_do_not_hide_an_identifier(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    number = draw.permutation(np.arange(10_000.0, 10_300))
    number[::10] = -9
    frame = pd.DataFrame({"case_id": number, "sex": draw.choice([1.0, 2], 300)})
    pyreadstat.write_sav(frame, tmp_path / "s.sav", missing_ranges={"case_id": [-9]})
    with pytest.raises(InputError, match="case_id"):
        sl.synthesize(sl.read(tmp_path / "s.sav"), m=1, rng=1)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
def test_a_fit_without_records_has_no_kinds(tmp_path: Path) -> None:
    frame = read(survey(tmp_path))[["age", "rooms", "income"]]
    fitted = sl.NormalRegression("rooms ~ age").fit(frame, rng=1)
    again = sl.load_fit(fitted.save(tmp_path / "fit.zip", data=False))
    assert KINDS in fitted.confidential.attrs
    assert KINDS not in again.confidential.attrs
