"""Releases and holdout samples that are not as they should be: a clear error, or a verdict."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import DtypeMismatchError, InputError, SynthlabWarning

N = 120
WHO = sl.Intruder(known=["sex", "town"], synthesized=["job", "pay"], radius={"pay": 0.1})


def people(seed: int, n: int = N) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": draw.choice(list("fm"), n),
            "town": draw.integers(0, 9, n),
            "job": draw.choice(list("abcd"), n),
            "pay": draw.normal(9, 1, n).round(2),
        }
    )


OWN, OTHER = people(1), people(2)


def evaluated(synthetic: Any, confidential: pd.DataFrame = OWN, who: sl.Intruder = WHO, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(confidential, synthetic, who, **options)


@pytest.mark.parametrize(
    "synthetic",
    [OTHER.rename(columns={"job": "JOB"}), OTHER.add_prefix("x_"), pd.DataFrame({"nothing": range(N)})],
)
def test_a_variable_that_the_release_does_not_have_is_named(synthetic: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="not in synthetic dataset 1"):
        evaluated(synthetic)


def _outcome(synthetic: pd.DataFrame) -> str:
    """Return the error, or the columns of the findings."""
    try:
        return str([list(one.columns) for one in evaluated(synthetic).findings])
    except DtypeMismatchError as error:
        return str(error)


@pytest.mark.parametrize("change", [{"job": 1}, {"pay": "high"}])
def test_a_variable_of_another_type_is_named_or_reported(change: dict[str, Any]) -> None:
    assert f"'{next(iter(change))}'" in _outcome(OTHER.assign(**change))


@pytest.mark.parametrize("rows", [1, 2, 60, 300])
def test_any_number_of_rows_gets_a_verdict(rows: int) -> None:
    honest, copied = evaluated(people(3, rows)), evaluated(OWN.sample(rows, replace=rows > N, random_state=1))
    assert honest.verdict == "NOTHING FOUND"
    assert not honest.failed
    assert not copied.failed
    assert copied["copied_people"].worst["people"] == OWN.merge(copied.release[0].drop_duplicates()).shape[0]
    assert copied.verdict == "STOP"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_confidential_records_get_a_verdict(n: int) -> None:
    for release in (OTHER, OWN[:n], OWN[:1]):
        result = evaluated(release, OWN[:n])
        assert set(result.failed) <= {"pmse"}  # a logistic regression needs more records than parameters
        assert result.summary().loc["copied_people", "synthetic"] == len(OWN[:n].merge(release.drop_duplicates()))
        assert result.verdict != "NOTHING FOUND" or not result.failed


def test_identifiers_and_constants_alone_get_a_verdict() -> None:
    ids = pd.DataFrame({"a": [f"p{i * i}" for i in range(N)], "b": np.arange(N), "c": [f"r{i}" for i in range(N)]})
    blind = sl.Intruder(known=[], synthesized=["c"])
    result = evaluated(ids.assign(c=ids["c"] + "x"), ids, blind)
    assert (result.verdict, result.worst.people) == ("STOP", N)
    new = ids.assign(a=[f"q{i * i}" for i in range(N)], b=np.arange(N) + 1000, c=ids["c"] + "x")
    assert evaluated(new, ids, blind).verdict == "NOTHING FOUND"
    counted = ids.assign(a=[f"p{i}" for i in range(N)])  # numbers of rows are the same in every file
    assert evaluated(counted.assign(c=ids["c"] + "x"), counted, blind).verdict == "NOTHING FOUND"
    same = pd.DataFrame({"sex": ["f"] * N, "town": 1, "job": "a", "pay": 2.5})
    result = evaluated(same.copy(), same)
    assert (result.verdict, result.failed) == ("NOTHING FOUND", ())
    assert result.summary().loc["copied_people", ["synthetic", "random_guess"]].tolist() == [N, N]


@pytest.mark.parametrize("m", [25, pytest.param(200, marks=pytest.mark.full)])
def test_one_copy_among_many_small_datasets_is_found(m: int) -> None:
    own, place = people(4, 40), 17 * m // 20
    frames = [people(seed, 40) for seed in range(100, 100 + m)]
    honest = evaluated(frames, own)
    assert honest.verdict != "STOP"  # 200 datasets contain 11 of the 40 people whole by chance
    frames[place] = own.sample(frac=1, random_state=1)
    result = evaluated(frames, own)
    assert (result.verdict, result.worst.dataset, result.worst.people) == ("STOP", place + 1, 40)


@pytest.mark.parametrize("rows", [N, 60])
def test_a_holdout_sample_from_the_confidential_file_is_refused(rows: int) -> None:
    with pytest.raises(InputError, match="control: .* among the confidential"):
        evaluated(OTHER, control=OWN.sample(rows, random_state=1))


def test_a_holdout_sample_with_other_columns_is_used_as_far_as_possible() -> None:
    none = evaluated(OTHER, control=pd.DataFrame({"nothing": range(50)}))
    assert "closest_record" not in none.results
    assert "closest_record" in none.not_measured
    assert none.verdict == "NOTHING FOUND"
    some = evaluated(OTHER, control=people(5)[["town", "pay"]].assign(more=1))
    assert some["closest_record"].variables == ("town", "pay")
    other = evaluated(OTHER, control=people(5).assign(pay="high"))
    assert (other.verdict, other.worst.measure, other.failed) == ("CHECK", "closest_record", ("closest_record",))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("missing", "release.json"),
        ("text", "release.json"),
        ("other m", "release"),
        ("a file less", "synthetic"),
        ("a column less", "was changed after it was saved"),
    ],
)
def test_a_release_folder_with_a_damaged_manifest_is_refused(
    edit: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = sl.Release([OTHER, people(6)], ["job", "pay"]).save(tmp_path / "release", keep_order=True)
    OWN.to_csv(tmp_path / "own.csv", index=False)
    manifest = folder / "release.json"
    told = json.loads(manifest.read_text())
    if edit == "missing":
        manifest.unlink()
    elif edit == "text":
        manifest.write_text("{")
    elif edit == "other m":
        manifest.write_text(json.dumps({**told, "m": 7}))
    elif edit == "a column less":
        manifest.write_text(json.dumps({**told, "synthesized": ["pay"]}))
    else:
        next(iter(sorted(folder.glob("*.csv")))).unlink()
    ask = ["--known", "sex,town", "--synthesized", "job,pay", "--radius", "0.1"]
    with pytest.raises(SystemExit) as stopped:
        cli.main(["evaluate", str(tmp_path / "own.csv"), str(folder), *ask])
    out = capsys.readouterr()
    assert stopped.value.code == 2
    assert out.out == ""
    assert message in out.err


def test_a_release_that_declares_fewer_columns_than_the_evaluation_gets_a_check() -> None:
    release = OWN.assign(job=OTHER["job"], pay=OTHER["pay"])
    assert evaluated(sl.Release([release], ["job", "pay"])).verdict == "NOTHING FOUND"
    fewer = evaluated(sl.Release([release], ["pay"]))
    assert (fewer.verdict, [one.columns for one in fewer.findings]) == ("CHECK", [("job",)])
    more = evaluated(sl.Release([release], ["job", "pay", "town"]))
    assert (more.verdict, more.worst.columns) == ("STOP", ("town",))


def test_whole_copies_are_stated_first() -> None:
    own, others = people(4, 600), people(5, 600)
    result = evaluated(pd.concat([own[:60], others[60:]], ignore_index=True), own)
    assert (result.verdict, result.worst.measure) == ("STOP", "copied_people")
    assert result.worst.people >= 60
    assert "near_copies" in {finding.measure for finding in result.findings}
