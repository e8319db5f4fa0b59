"""Values that occur in the confidential file alone are published nowhere: not in the manifest, the plan, a page or JSON."""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
import rdata

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import InputError, RareValueWarning, SynthlabWarning

LEVEL = "Zyxomma"  # of one record
LOW, HIGH = 2211.68, 987654.32
# 71.23, 81.23 and 8123 are in no record: they stand for values that a caller takes from the data and computes with.
MARKERS = [LEVEL, "2211.68", "987654.32", "987,654", "987654", "71.23", "81.23", "8123"]
LABELS = ["cold", "flu", LEVEL, "none"]
TRIES = 40  # a level of one record is not drawn in exp(-1) of the releases


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = 150
    disease = rng.choice(["cold", "flu", "none"], n).astype(object)
    disease[7] = LEVEL
    income = np.exp(rng.normal(9.5, 0.4, n)).round(2).clip(2300, 90_000)
    income[7], income[8] = HIGH, LOW
    benefit = np.where(np.isin(disease, ["flu", LEVEL]), rng.integers(1, 9, n), 0)
    frame = pd.DataFrame({"disease": pd.Categorical(disease, categories=LABELS), "benefit": benefit, "income": income})
    return frame.assign(age=rng.integers(20, 80, n))


@dataclass(frozen=True)
class Quoting:
    """A constraint of a caller, whose representation holds confidential values."""

    columns: list[str]
    largest: float

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        return np.ones(len(frame), dtype=bool)


def without_markers(make: Callable[[int], sl.Release]) -> sl.Release:
    """Return a release in which no record has one of the markers."""
    for seed in range(TRIES):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SynthlabWarning)
            release = make(seed)
        values = " ".join(str(v) for frame in release for column in frame for v in frame[column].astype(object))
        if not any(marker in values for marker in MARKERS):
            return release
    raise AssertionError("every release has a marker")


def published(folder: Path, people: pd.DataFrame) -> dict[str, str]:
    """Return all that is written about a saved release for others: manifest, plan, pages with their figures, JSON."""
    release = sl.Release.load(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        known = sl.Intruder(known=["disease"], synthesized=["income", "benefit"], radius={"income": 0.1})
        result = sl.evaluate(people, folder, known)
        unread = [result.to_dict(publish=True), result.to_dict(), result.published().to_dict()]
        pages = [result.to_html(publish=True), result.to_html()]
    figures = [
        base64.b64decode(found).decode()
        for page in pages
        for found in re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", page)
    ]
    # The words of a figure are in comments; digits of coordinates can be those of a marker.
    words = " ".join(re.findall(r"<!--.*?-->|<text.*?</text>", " ".join(figures), flags=re.DOTALL))
    assert "Share" in words or "share" in words
    texts = {"manifest": (folder / "release.json").read_text(), "release": f"{release!r} {release._repr_html_()}"}
    if "plan" in release.provenance:
        texts["plan"] = f"{sl.Plan.of(folder)} {sl.Plan.of(folder).to_dict()}"
    return {**texts, "json": str(unread), "page": " ".join(pages), "figures": words}


def leaks(texts: dict[str, str]) -> list[tuple[str, str]]:
    # A digest or a measure can hold the digits of a marker by chance.
    bare = {name: re.sub(r"[0-9a-f]{64}|\d\.\d{6,}", "", text) for name, text in texts.items()}
    return [(name, marker) for name, text in bare.items() for marker in MARKERS if marker in text]


def rules(people: pd.DataFrame) -> list[Any]:
    return [
        sl.Bounds("income", people["income"].min(), people["income"].max()),
        sl.Bounds("age", 18, 8123),
        sl.ZeroUnless("benefit", "disease", ["flu", LEVEL]),
        sl.AllowedCombinations(["disease", "benefit"]),
        Quoting(["income"], HIGH),
    ]


def test_a_plan_holds_no_value_of_the_confidential_file(people: pd.DataFrame, tmp_path: Path) -> None:
    models = {"age": sl.Topcoding("age", top=8123.0)}
    release = without_markers(
        lambda seed: sl.synthesize(people, m=1, rng=seed, constraints=rules(people), models=models, order=None)
    )
    texts = published(release.save(tmp_path / "release", allow_short_seed=True, keep_order=True), people)
    assert leaks(texts) == []
    assert "<not public>" in texts["plan"]
    assert "<not public>" in texts["manifest"]


def test_other_synthesizers_publish_no_value_either(people: pd.DataFrame, tmp_path: Path) -> None:
    ends = (people["income"].min(), people["income"].max())
    amount = sl.NormalRegression(
        "income ~ bs(age, knots=[30, 71.23], upper_bound=81.23, degree=2) + benefit", bounds=ends
    )
    model = sl.Sequential([sl.CART(["disease", "benefit"]), amount], constraints=rules(people))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)  # few draws suffice: what is published does not depend on them
        fitted = model.fit(people, rng=1, draws=60, tune=60, chains=1)
    release = without_markers(lambda seed: fitted.generate(1, rng=seed))
    texts = published(release.save(tmp_path / "release", allow_short_seed=True, keep_order=True), people)
    assert leaks(texts) == []
    assert "degree=2" in texts["manifest"]


def write_parquet(frame: pd.DataFrame, file: Path) -> None:
    frame.to_parquet(file)


def write_stata(frame: pd.DataFrame, file: Path) -> None:
    frame.to_stata(file, write_index=False)


def write_spss(frame: pd.DataFrame, file: Path) -> None:
    coded = frame.assign(disease=frame["disease"].cat.codes + 1.0)
    pyreadstat.write_sav(coded, str(file), variable_value_labels={"disease": dict(enumerate(LABELS, start=1))})


def write_r(frame: pd.DataFrame, file: Path) -> None:
    rdata.write_rds(file, frame)


WRITERS = {".parquet": write_parquet, ".dta": write_stata, ".sav": write_spss, ".rds": write_r}


@pytest.mark.parametrize("ending", WRITERS)
def test_files_with_labels_leave_no_level_behind(
    ending: str, people: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"survey{ending}"
    WRITERS[ending](people, file)
    read = sl.read(file)
    assert LEVEL in read["disease"].cat.categories
    written = tmp_path / "rules.toml"
    written.write_text(
        f'[[constraints.bounds]]\ncolumn = "income"\nlow = {LOW}\nhigh = {HIGH}\n[[constraints.zero_unless]]\ncolumn = "benefit"\n'
        f'other = "disease"\nvalues = ["flu", "{LEVEL}"]\n[[constraints.bounds]]\ncolumn = "age"\nlow = 18\nhigh = 99\npublic = true\n'
    )

    def call(*more: object) -> Path:
        folder = tmp_path / f"release{len(list(tmp_path.iterdir()))}"
        arguments = ["synthesize", file, "--out", folder, "--m", 1, "--config", written, *more]
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        assert not stopped.value.code, capsys.readouterr().err
        return folder

    folders: list[Path] = []

    def make(seed: int) -> sl.Release:
        folders.append(call("--seed", seed))
        return sl.Release.load(folders[-1])

    release = without_markers(make)
    texts = published(folders[-1], read)
    assert leaks(texts) == []
    assert "Bounds(column='age', low=18, high=99)" in texts["plan"]
    assert set(release[0]["disease"].cat.categories) == set(release[0]["disease"].dropna())
    capsys.readouterr()
    declared = sl.Release.load(call("--seed", 1, "--public-levels", "disease"))
    assert declared[0]["disease"].cat.categories.tolist() == read["disease"].cat.categories.tolist()
    assert "RareValueWarning" in capsys.readouterr().err


def test_a_loaded_release_has_the_levels_of_all_its_datasets(tmp_path: Path) -> None:
    confidential = pd.DataFrame(
        {"grade": pd.Categorical(list("abcd") * 10, categories=list("dcbae"), ordered=True), "age": range(40)}
    )
    frames = [confidential[confidential["grade"] != gone].iloc[:20].reset_index(drop=True) for gone in "ca"]
    frames[1]["grade"] = frames[1]["grade"].where(frames[1]["grade"] != "d", "b")
    frames[0]["grade"] = frames[0]["grade"].where(frames[0]["grade"] != "d", "b")
    loaded = sl.Release.load(sl.Release(frames).save(tmp_path / "release", keep_order=True))
    for frame, original in zip(loaded, frames, strict=True):
        assert frame["grade"].tolist() == original["grade"].tolist()
        assert frame["grade"].cat.categories.tolist() == ["c", "b", "a"]
        assert frame["grade"].cat.ordered
    declared = sl.Release(frames, provenance={"public_levels": ["grade"]}).save(tmp_path / "declared", keep_order=True)
    assert sl.Release.load(declared)[0]["grade"].cat.categories.tolist() == list("dcbae")
    for wrong in ("grade", ["age"], ["town"], 3):
        with pytest.raises(InputError, match="public_levels"):
            sl.Release(frames, provenance={"public_levels": wrong}).save(tmp_path / "wrong", keep_order=True)
        assert not (tmp_path / "wrong").exists()


def test_an_evaluation_of_a_loaded_release_is_that_of_the_release(people: pd.DataFrame, tmp_path: Path) -> None:
    release = without_markers(lambda seed: sl.synthesize(people, m=2, rng=seed))
    folder = release.save(tmp_path / "release", allow_short_seed=True, keep_order=True)
    assert LEVEL not in sl.Release.load(folder)[0]["disease"].cat.categories
    known = sl.Intruder(known=["age"], synthesized=["disease", "income"], radius={"income": 0.1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        pairs = [sl.evaluate(people, one, known, predict="disease", rng=1).summary() for one in (release, folder)]
    pd.testing.assert_frame_equal(pairs[0], pairs[1])


def test_values_declared_public_are_published_unless_one_person_has_them(people: pd.DataFrame) -> None:
    inside, outside = sl.Bounds("income", 0, 10**6, public=True), sl.Bounds("income", LOW, HIGH, public=True)
    with pytest.warns(RareValueWarning, match="2 values of Bounds for 'income' were declared public"):
        rare = sl.synthesize(people, m=1, rng=1, constraints=[outside, sl.Bounds("age", 18, 99, public=True)])
    assert not {"2211.68", "987654.32"} & set(re.findall(r"[\d.]+\d", str(sl.Plan.of(rare).notes)))
    assert "Bounds(column='age', low=18, high=99)" in str(sl.Plan.of(rare).notes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = sl.Plan.of(sl.synthesize(people, m=1, rng=1, constraints=[inside]))
    assert "Bounds(column='income', low=0, high=1000000)" in str(plan.notes)
    assert not [w for w in caught if "declared public" in str(w.message)]
    with pytest.warns(RareValueWarning, match="public_levels: 1 level of 'disease'"):
        sl.synthesize(people, m=1, rng=1, public_levels=["disease"])
    for odd in ("income", "town"):
        with pytest.raises(InputError, match="public_levels"):
            sl.synthesize(people, m=1, rng=1, public_levels=[odd])
