"""Columns with different types or spellings in the two files are resolved, or named, and never prevent a report."""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import synthlab as sl
from synthlab.cli import app
from synthlab.exceptions import DtypeMismatchError, FitError, InputError
from synthlab.report import column_types as module
from synthlab.report.column_types import resolve_types, with_one_type
from synthlab.report.measures import MEASURES

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
N = 300


def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "sex": rng.choice(["Female", "Male"], N),
            "town": rng.choice(["Köln", "São Paulo", "Bad Aibling", "Łódź"], N),
            "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, N), unit="D"),
            "pay": rng.lognormal(8, 0.5, N).round(2),
            "jobs": rng.integers(0, 4, N),
        }
    )


KNOWN, SYNTHESIZED = ["sex", "jobs"], ["town", "born", "pay"]
SOMEONE = sl.Intruder(known=KNOWN, synthesized=SYNTHESIZED, radius={"born": 1, "pay": 0.1})


def evaluated(own: Any, release: Any, someone: Any = SOMEONE, **options: Any) -> Any:
    return sl.evaluate(own, release, someone, **options)


def mixed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=3).reset_index(drop=True)


def sentences(result: Any) -> list[str]:
    return [one["sentence"] for one in result.to_dict()["findings"]]


# A copy in another spelling is the confidential file.
SPELLED: dict[str, tuple[str, Callable[[pd.Series], pd.Series], str]] = {
    "lower case": ("town", lambda s: s.str.lower(), "texts"),
    "blanks": ("town", lambda s: "  " + s.str.replace(" ", "\u00a0 ") + "\u200b", "texts"),
    "decomposed": ("town", lambda s: s.str.normalize("NFD"), "texts"),
    "UTF-8 read as Windows-1252": ("town", lambda s: s.map(lambda t: t.encode().decode("cp1252", "replace")), "texts"),
    "categories": ("town", lambda s: s.str.upper().astype("category"), "texts"),
    "ISO dates": ("born", lambda s: s.dt.strftime("%Y-%m-%d"), "dates"),
    "days of Python": ("born", lambda s: s.dt.date.astype(object), "dates"),
    "money": ("pay", lambda s: s.map("${:,.2f}".format), "numbers"),
    "negative money": ("pay", lambda s: s.map(lambda v: f"€ {v:,.2f}"), "numbers"),
    "decimal comma": ("pay", lambda s: s.map(lambda v: f"{v:,.2f}".translate(str.maketrans(",.", ".,"))), "numbers"),
    "thousands apart": ("pay", lambda s: s.map(lambda v: f"{v:,.2f}".replace(",", "\u202f")), "numbers"),
    "percent": ("pay", lambda s: s.map(lambda v: f"{v * 100:.0f}%"), "numbers"),
    "leading zeros": ("jobs", lambda s: s.map("{:02d}".format), "numbers"),
}


@pytest.mark.parametrize("case", SPELLED)
def test_a_copy_in_another_spelling_is_found(case: str) -> None:
    column, spell, how = SPELLED[case]
    own = people()
    result = evaluated(own, mixed(own.assign(**{column: spell(own[column])})))
    assert result.verdict == "STOP"
    assert result.worst.people == N
    assert result.question.columns.resolved == {column: how}
    told = [one for one in sentences(result) if one.startswith(f"{column}: ")]
    assert len(told) == (how != "dates")
    assert all(len(one.split()) <= 30 for one in sentences(result))
    # The other way round, the confidential file has the other spelling.
    again = evaluated(own.assign(**{column: spell(own[column])}), mixed(own))
    assert again.verdict == "STOP"
    assert again.question.columns.other_types == ()


def test_a_release_in_the_same_spelling_is_left_as_it_is() -> None:
    own = people().assign(code=["a", "A"] * (N // 2), number=["1", "2"] * (N // 2))
    found = resolve_types(own, sl.Release(mixed(own)))
    assert (found.changed, found.unlike) == ({}, ())
    assert found.confidential is own
    pd.testing.assert_frame_equal(found.release[0], mixed(own))


def test_codes_with_leading_zeros_are_no_numbers() -> None:
    own = people().assign(code=np.resize(["01", "1", "2"], N))
    found = resolve_types(own, sl.Release(own.assign(code=np.resize([1, 1, 2], N))))
    assert (found.changed, found.unlike) == ({}, ("code",))


READINGS: list[tuple[list[str], list[float], list[float] | None]] = [
    (["12.5%", "0.3 %"], [0.125, 0.003], [0.125, 0.003]),
    (["12.5%", "0.3%"], [12.5, 0.3], [12.5, 0.3]),
    (["1,000", "2,500"], [1000.0, 3.0], [1000.0, 2500.0]),
    (["1,000", "2,500"], [1.0, 2.5], [1.0, 2.5]),
    (["1.000", "2.500"], [1000.0, 2500.0], [1000.0, 2500.0]),
    (["1,5", "2,25"], [9.0], [1.5, 2.25]),
    (["1.234,5", "7"], [9.0], [1234.5, 7.0]),
    (["1 234", "1\u00a0234.5"], [9.0], [1234.0, 1234.5]),
    (["1'234.50", "-5"], [9.0], [1234.5, -5.0]),
    (["$5", "-$5", "$-6", "($7.50)", "\u22128"], [9.0], [5.0, -5.0, -6.0, -7.5, -8.0]),
    (["5 EUR", "US$ 6", "1e3", ".5"], [9.0], [5.0, 6.0, 1000.0, 0.5]),
    (["5", "unknown"], [9.0], None),
    (["5%", "6"], [9.0], None),
    (["1,00", "1.00"], [9.0], None),
    (["1,23,456"], [9.0], None),
    (["A12", "B13"], [9.0], None),
    (["2020-01-01"], [9.0], None),
    (["1.2.3"], [9.0], None),
    (["", " "], [9.0], None),
    (["$5$"], [9.0], None),
    (["--5"], [9.0], None),
]


@pytest.mark.parametrize(("texts", "reference", "expected"), READINGS)
def test_numbers_written_as_text(texts: list[str], reference: list[float], expected: list[float] | None) -> None:
    found = module._read_numbers(texts, np.array(reference))
    assert expected == (None if found is None else found.tolist())


def test_two_columns_of_numbers_as_text_are_numbers_if_they_have_a_radius() -> None:
    own = people()
    own["pay"] = own["pay"].map("${:,.2f}".format)
    near = people()
    near["pay"] = (near["pay"] * 1.05).map("{:.2f} USD".format)
    result = evaluated(own, near)
    assert float(result["identification_risk"].expected_match_risk[0]) > 0.9 * N
    assert "pay: numbers are stored as text; compared as numbers." in sentences(result)
    by_value = evaluated(own, mixed(own), sl.Intruder(known=KNOWN, synthesized=["pay"]))
    assert by_value.question.columns.resolved == {}


def test_dates_are_dates_in_files(tmp_path: Path) -> None:
    own = people()[["sex", "jobs", "born"]]
    files = [tmp_path / "own.csv", tmp_path / "release.csv"]
    own.to_csv(files[0], index=False)
    own.assign(born=own["born"] + pd.Timedelta(days=1)).to_csv(files[1], index=False)
    someone = sl.Intruder(known=["sex"], synthesized=["born"], radius={"born": "1d"})
    result = evaluated(sl.read(files[0]), files[1], someone)
    assert result.question.confidential["born"].dtype.kind == "M"
    assert float(result.summary().loc["best_intruder", "synthetic"]) > 0.95 * N
    with pytest.raises(InputError, match="'born' has 2.. distinct dates and no radius"):
        evaluated(sl.read(files[0]), files[1], sl.Intruder(known=["sex"], synthesized=["born"]))
    config = tmp_path / "evaluation.toml"
    config.write_text('known = ["sex"]\nsynthesized = ["born"]\nradius = {born = "1d"}\n')
    several = tmp_path / "intruders.toml"
    several.write_text('[intruders.neighbor]\nknown = ["sex"]\nsynthesized = ["born"]\nradius = {born = "1d"}\n')
    for options in (
        ["--known", "sex", "--synthesized", "born", "--radius", "born=1"],
        ["--known", "sex", "--synthesized", "born", "--radius", "1d"],
        ["--config", str(config)],
        ["--config", str(several)],
    ):
        out = tmp_path / "numbers.json"
        ran = CliRunner().invoke(app, ["evaluate", *map(str, files), *options, "--json", str(out)])
        assert ran.exit_code in (0, 4), ran.output
        numbers = json.loads(out.read_text())
        assert numbers["summary"]["best_intruder"]["synthetic"] > 0.95 * N
        assert numbers["intruder"]["radius"] == {"born": 1.0}
    wrong = CliRunner().invoke(
        app, ["evaluate", *map(str, files), "--known", "sex", "--synthesized", "born", "--radius", "born=1w"]
    )
    assert isinstance(wrong.exception, InputError)


def test_a_date_with_a_time_zone_is_no_date_without_one() -> None:
    own = people()
    zoned = own.assign(born=own["born"].dt.tz_localize("Europe/Berlin"))
    assert resolve_types(own, sl.Release(zoned)).unlike == ("born",)
    elsewhere = zoned.assign(born=zoned["born"].dt.tz_convert("Asia/Tokyo"))
    result = evaluated(zoned, mixed(elsewhere))
    assert result.question.columns.other_types == ()
    assert result.verdict == "STOP"


UNLIKE: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "groups of a number": lambda f: f.assign(pay=pd.cut(f["pay"], 6).astype(str)),
    "codes of a text": lambda f: f.assign(pay=f["pay"] + 0.5, town=pd.factorize(f["town"])[0]),
    "years of a date": lambda f: f.assign(born=f["born"].dt.year),
    "unknown date": lambda f: f.assign(born=f["born"].dt.strftime("%Y-%m-%d").replace("1960-01-01", "x").where(f.index > 0, "x")),
    "a known variable": lambda f: f.assign(sex=f["sex"] == "Male"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNLIKE)
@pytest.mark.parametrize("as_files", [False, True])
def test_a_column_of_another_type_is_named_and_the_rest_is_measured(case: str, as_files: bool, tmp_path: Path) -> None:
    own = people()
    release = UNLIKE[case](own)
    column = next(c for c in own if not own[c].equals(release[c]) and not (c == "pay" and case.startswith("codes")))
    release = mixed(release)
    if as_files:
        own.to_csv(tmp_path / "own.csv", index=False)
        own = sl.read(tmp_path / "own.csv")
        release.to_csv(tmp_path / "release.csv", index=False)
        release = tmp_path / "release.csv"
    result = evaluated(own, release)
    assert result.question.columns.other_types == (column,)
    assert f"{column} has another type or coding in the release and was not compared." in sentences(result)
    assert result.verdict == "STOP"  # the other columns are copies
    assert "is the confidential file" not in result.worst.sentence
    assert column not in {*result.intruder.used, *result.question.variables, *result.intruder.radii}
    assert result.failed == ()
    for name in ("page.html", "numbers.json", "table.csv"):
        assert result.save(tmp_path / name).exists()
    if as_files:
        files = [str(tmp_path / "own.csv"), str(tmp_path / "release.csv")]
        options = ["--known", "sex,jobs", "--synthesized", "town,born,pay", "--radius", "born=1,pay=0.1"]
        assert CliRunner().invoke(app, ["evaluate", *files, *options]).exit_code == 4


def test_a_radius_without_a_name_outlives_the_column_it_was_for() -> None:
    own = people().drop(columns="born")
    release = own.assign(pay=pd.cut(own["pay"], 6).astype(str), town=np.roll(own["town"], 1))
    someone = sl.Intruder(known=KNOWN, synthesized=["town", "pay"], radius=0.2)
    assert evaluated(own, release, someone).intruder.synthesized == ("town",)


def test_without_a_synthesized_column_that_can_be_compared_there_is_nothing_to_evaluate() -> None:
    own = people()
    release = own.assign(pay="much")
    only = sl.Intruder(known=KNOWN, synthesized=["pay"], radius={"pay": 0.1})
    with pytest.raises(DtypeMismatchError, match="no other synthesized variable can be compared"):
        evaluated(own, release, only)
    with pytest.raises(DtypeMismatchError, match="of intruder 'b'"):
        evaluated(own, release, {"a": SOMEONE, "b": only})


def test_one_dataset_in_another_type_does_not_hide_that_it_is_a_copy() -> None:
    own, rng = people(), np.random.default_rng(5)
    drawn = [own.assign(**{c: own[c].sample(frac=1, random_state=rng).to_numpy() for c in own}) for _ in range(3)]
    copy = mixed(own).assign(pay=lambda f: f["pay"].map("${:,.2f}".format))
    result = evaluated(own, [*drawn, copy])
    assert (result.verdict, result.worst.dataset) == ("STOP", 4)
    unreadable = copy.assign(pay="much")
    result = evaluated(own, [*drawn, unreadable])
    assert result.question.columns.other_types == ("pay",)
    assert (result.verdict, result.worst.dataset) == ("STOP", 4)
    assert [one["pay"].dtype == own["pay"].dtype for one in with_one_type([*drawn, copy], own)] == [True] * 4


def test_the_holdout_sample_is_read_like_the_other_files() -> None:
    own = people()
    other = people().assign(pay=np.random.default_rng(9).lognormal(8, 0.5, N).round(2))
    control = other.assign(pay=other["pay"].map("${:,.2f}".format), town=other["town"].str.upper())
    release = mixed(own)
    expected = evaluated(own, release, control=other)["closest_record"]
    np.testing.assert_array_equal(evaluated(own, release, control=control)["closest_record"].share, expected.share)


FAULTS = [
    FitError("the logistic regression has not converged"),
    DtypeMismatchError("column 'pay' holds text"),
    InputError("values must be finite"),
    ZeroDivisionError("secret 5"),
    MemoryError(),
]


@pytest.mark.parametrize("only", [3, pytest.param(None, marks=pytest.mark.full)])
def test_no_failure_of_a_measure_prevents_the_report(only: int | None, tmp_path: Path, monkeypatch: Any) -> None:
    """Each measure fails in its turn; in the small case one of them, and the records are fewer."""
    own = people() if only is None else people()[:80]
    release = own.assign(**{c: own[c].sample(frac=1, random_state=4).to_numpy() for c in SYNTHESIZED})
    control = mixed(own).assign(pay=lambda f: f["pay"] + 1, town=lambda f: f["town"].to_numpy()[::-1])
    options = {"control": control, "predict": "town", "rows": "aligned", "rng": 1}
    whole = evaluated(own, release, **options)
    assert len(whole.results) > 10
    for place, (name, fault) in enumerate(zip(whole.results, itertools.cycle(FAULTS), strict=False)):
        if only not in (None, place):
            continue

        def fails(self: Any, question: Any, fault: Exception = fault) -> Any:
            raise fault

        with monkeypatch.context() as patch:
            patch.setattr(type(MEASURES[name]), "compute", fails)
            result = evaluated(own, release, **options)
            assert result.failed == (name,), name
            assert set(result.results) == set(whole.results) - {name}
            (reason,) = result.not_measured[name][-1:]
            assert "secret" not in reason
            assert f"{MEASURES[name].title} could not be measured." in sentences(result)
            assert result.verdict in ("CHECK", "STOP")
            for file in ("numbers.json", "table.csv", *(["page.html"] if place < len(FAULTS) else [])):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    assert result.save(tmp_path / file).exists()
            assert reason in json.dumps(json.loads((tmp_path / "numbers.json").read_text())["not_measured"])


def test_an_age_that_is_a_year_of_birth_fails_one_classifier_alone() -> None:
    own = people().assign(age=np.random.default_rng(3).integers(18, 90, N))
    someone = sl.Intruder(known=["sex", "age"], synthesized=["pay", "town"], radius={"pay": 0.2})
    result = evaluated(own, mixed(own.assign(age=2020 - own["age"])), someone)
    assert set(result.failed) <= {"pmse"}
    assert result.verdict == "STOP"
    assert "ecdf" in result.results
