"""Files that are not as they should be: each is measured for what it is, or refused by name."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import DtypeMismatchError, InputError, SynthlabWarning
from synthlab.report.content import Content
from synthlab.report.dossier import check_dossier

KNOWN = ["sex", "town"]
SOMEONE = sl.Intruder(known=KNOWN, synthesized=["job", "pay"], radius={"pay": 0.1})
BY_VALUE = sl.Intruder(known=["sex"], synthesized=["job"])
DRAW = np.random.default_rng(3)
N = 240
PEOPLE = pd.DataFrame(
    {
        "sex": DRAW.choice(list("fm"), N),
        "town": DRAW.choice([f"t{i}" for i in range(12)], N),
        "job": DRAW.choice(list("abcd"), N),
        "pay": np.exp(DRAW.normal(7, 0.5, N)).round(1),
    }
)
RELEASE = PEOPLE.assign(job=DRAW.permutation(PEOPLE["job"]), pay=DRAW.permutation(PEOPLE["pay"]))
SORTED = PEOPLE.sort_values(KNOWN, ignore_index=True)


def evaluated(*data: Any, **options: Any) -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(*data, **options)


def missing(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(
        job=frame["job"].where(np.arange(len(frame)) % 7 > 0), pay=frame["pay"].where(np.arange(len(frame)) % 9 > 0)
    )


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=1).reset_index(drop=True)


MEASURED: dict[str, tuple[pd.DataFrame, Any, str, str]] = {
    "identical files": (PEOPLE, PEOPLE.copy(), "compatible", "STOP"),
    "the file, rows shuffled": (PEOPLE, shuffled(PEOPLE), "refuted", "STOP"),
    "sorted, the order in a cell lost": (
        SORTED,
        shuffled(SORTED).sort_values(KNOWN, ignore_index=True),
        "compatible",
        "STOP",
    ),
    "fewer rows": (PEOPLE, RELEASE.iloc[:100], "refuted", "NOTHING FOUND"),
    "more rows": (PEOPLE, pd.concat([RELEASE] * 2), "refuted", "NOTHING FOUND"),
    "one row": (PEOPLE, RELEASE.iloc[:1], "refuted", "NOTHING FOUND"),
    "one record": (PEOPLE.iloc[:1], RELEASE, "refuted", "NOTHING FOUND"),
    "all known variables changed": (PEOPLE, RELEASE.assign(sex="x", town="y"), "refuted", "NOTHING FOUND"),
    "known variables permuted": (PEOPLE, shuffled(RELEASE).assign(pay=RELEASE["pay"]), "refuted", "NOTHING FOUND"),
    "columns permuted": (PEOPLE, RELEASE[RELEASE.columns[::-1]], "compatible", "NOTHING FOUND"),
    "other number types": (
        PEOPLE.assign(pay=PEOPLE["pay"].round()),
        RELEASE.assign(pay=RELEASE["pay"].astype(int)),
        "compatible",
        "NOTHING FOUND",
    ),
    "a spare column missing": (PEOPLE.assign(spare=1), RELEASE, "compatible", "NOTHING FOUND"),
    "a spare column of another kind": (
        PEOPLE.assign(spare=1),
        RELEASE.assign(spare="a"),
        "compatible",
        "CHECK columns spare",
    ),
    "twenty datasets": (PEOPLE, [RELEASE] * 20, "compatible", "NOTHING FOUND"),
    "missing values": (missing(PEOPLE), missing(RELEASE), "compatible", "CHECK agreement job"),
    "categories": (
        PEOPLE.astype({"sex": "category", "job": "category"}),
        RELEASE.astype({"job": pd.CategoricalDtype(list("dcba"), ordered=True)}),
        "compatible",
        "NOTHING FOUND",
    ),
    "bools": (
        PEOPLE.assign(job=PEOPLE["job"] == "a"),
        RELEASE.assign(job=RELEASE["job"] == "a"),
        "compatible",
        "not STOP",
    ),
    "dates": (
        PEOPLE.assign(job=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N) % 30, unit="D")),
        RELEASE.assign(job=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N) % 31, unit="D")),
        "compatible",
        "NOTHING FOUND",
    ),
    "nullable types": (
        missing(PEOPLE).convert_dtypes(),
        missing(RELEASE).convert_dtypes(),
        "compatible",
        "CHECK agreement job",
    ),
}


@pytest.mark.parametrize("case", MEASURED)
def test_a_file_is_measured_for_what_it_is(case: str) -> None:
    own, release, state, verdict = MEASURED[case]
    someone = (
        SOMEONE
        if case not in ("missing values", "nullable types")
        else sl.Intruder(known=KNOWN, synthesized=["job", "pay"], radius={"pay": 0.1}, missing="category")
    )
    result = evaluated(own, release, someone)
    assert result.rows.state == state
    assert result.failed == ()
    if verdict == "not STOP":
        assert result.verdict != "STOP"
    elif verdict.startswith("CHECK"):
        assert verdict == f"{result.verdict} {result.worst.measure} {result.worst.columns[0]}"
    else:
        assert result.verdict == verdict
    assert ("best_intruder" in result.summary().index) == (state == "compatible")
    if verdict == "STOP":
        assert (result.worst.dataset, result.worst.people, result.worst.of) == (1, N, N)
        assert result.summary().loc["exact_copies", "synthetic"] == N
    json.dumps([result.to_dict(publish=publish) for publish in {False, len(own) >= 10}], allow_nan=False)


@pytest.mark.parametrize("arrow", [True, False])
def test_other_kinds_of_frames_give_the_same_numbers(arrow: bool) -> None:
    pytest.importorskip("pyarrow" if arrow else "polars")
    if arrow:
        files = [frame.convert_dtypes(dtype_backend="pyarrow") for frame in (PEOPLE, RELEASE)]
    else:
        import polars

        files = [polars.DataFrame({str(c): frame[c].tolist() for c in frame}) for frame in (PEOPLE, RELEASE)]
    pd.testing.assert_frame_equal(evaluated(*files, SOMEONE).summary(), evaluated(PEOPLE, RELEASE, SOMEONE).summary())


ODD = {"sex": "<b>sex & co</b>", "town": "a, b = 3 | x", "job": 'j"ob\n', "pay": "$pay_{2}^$"}


def test_odd_names_are_text_everywhere(tmp_path: Path) -> None:
    odd = sl.Intruder(known=[ODD["sex"], ODD["town"]], synthesized=[ODD["job"], ODD["pay"]], radius={ODD["pay"]: 0.1})
    result = evaluated(
        PEOPLE.rename(columns=ODD), RELEASE.rename(columns=ODD), {"<i>one</i>": odd, "two | b": odd}, rng=1
    )
    page = result.to_html()
    assert "<b>sex" not in page
    assert "<i>one" not in page
    assert "&lt;b&gt;sex &amp; co&lt;/b&gt;" in page
    assert {line.count("|") for line in result.save(tmp_path / "a.md").read_text().splitlines()} == {6}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no rows": ({"synthetic": RELEASE.iloc[:0]}, "synthetic dataset 1 of 1: has 0 rows"),
    "no records": ({"confidential": PEOPLE.iloc[:0]}, "confidential: has 0 rows"),
    "a column missing": ({"synthetic": RELEASE.drop(columns="town")}, "'town' not in synthetic dataset 1"),
    "lists": ({"synthetic": RELEASE.assign(job=[["secret"]] * N)}, "column 'job' holds list values"),
    "lists in a spare column": (
        {"confidential": PEOPLE.assign(spare=[["secret"]] * N)},
        "column 'spare' holds list values",
    ),
    "a variable of one file": (
        {"confidential": PEOPLE.assign(spare=1), "variables": ["spare", "job"]},
        "variables: 'spare' not in the synthetic data",
    ),
    "a second intruder who knows no column": (
        {"intruder": {"a": SOMEONE, "b": sl.Intruder(known=["sex", "nothing"], synthesized=["job"])}},
        "known: 'nothing' not in confidential",
    ),
    "a control that is a part": (
        {"control": PEOPLE.iloc[:50]},
        "control: 50 of its 50 records are among the confidential",
    ),
    "nothing to predict": ({"predict": "nothing"}, "predict: 'nothing' not in confidential"),
    "a limit on nothing": ({"limits": {"luck": 1}}, "limits: unknown name 'luck'"),
    "a limit that is no number": ({"limits": {"cap": "little"}}, r"limits\['cap'\]: cannot be read"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_cannot_be_measured_is_refused_by_name(case: str) -> None:
    options, message = REFUSED[case]
    everything = {"confidential": PEOPLE, "synthetic": RELEASE, "intruder": SOMEONE, **options}
    with pytest.raises((InputError, DtypeMismatchError), match=message) as caught:
        evaluated(everything.pop("confidential"), everything.pop("synthetic"), everything.pop("intruder"), **everything)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("columns", "values"), [(60, 3_000), pytest.param(300, 51_871, marks=pytest.mark.full)])
def test_300_columns_and_a_column_of_thousands_of_values(columns: int, values: int) -> None:
    draw = np.random.default_rng(4)
    wide = pd.DataFrame({f"q{i}": draw.integers(0, 2, N).astype(str) for i in range(40)})
    wide = pd.concat([wide, pd.DataFrame({f"z{i}": np.zeros(N) for i in range(columns - 40)})], axis=1)
    result = evaluated(wide, wide.apply(lambda c: draw.permutation(c)), sl.Intruder(known=["q0"], synthesized=["q1"]))
    assert len(result["exact_copies"].variables) == columns
    names = np.arange(values).astype(str)
    long = pd.DataFrame(
        {"sex": draw.choice(list("fm"), names.size), "job": draw.choice(list("ab"), names.size), "name": names}
    )
    other = long.assign(job=draw.permutation(long["job"]), name=draw.permutation(names))
    unseen = long.iloc[:500].assign(name="new")
    someone = sl.Intruder(known=["sex"], synthesized=["job", "name"])  # a column that is neither would be an identifier
    result = evaluated(long, other, someone, variables=["job", "name"], control=unseen)
    assert "'name'" in result.not_measured["pmse"][0]
    assert (
        f"'name' is not a measurement and has {values + 1:,} values, more than 1,000"
        in result.not_measured["closest_record"][0]
    )
    assert result["closest_record"].variables == ("job",)


def test_an_infinite_number_has_no_distance_and_the_rest_is_measured() -> None:
    unseen = PEOPLE.assign(pay=PEOPLE["pay"] + 1, spare=1.0)
    result = evaluated(PEOPLE.assign(spare=np.inf), RELEASE.assign(spare=1.0), SOMEONE, control=unseen)
    assert "'spare' of confidential has an infinite value" in result.not_measured["closest_record"][0]
    assert "spare" not in result["closest_record"].variables


def test_files_get_the_types_of_the_confidential_data(tmp_path: Path) -> None:
    coded = PEOPLE.assign(job=PEOPLE["job"].map({"a": "1", "b": "2", "c": "3", "d": "4"}))
    file = tmp_path / "synthetic.csv"
    coded.to_csv(file, index=False)
    result = evaluated(coded, file, SOMEONE)
    assert result.summary().loc["exact_copies", "synthetic"] == N
    assert "job" in result["exact_copies"].variables


def test_a_share_of_replicated_uniques_is_one_of_all_records() -> None:
    few = sl.Intruder(known=[*KNOWN, "job"], synthesized=["pay"], radius={"pay": 0.1}, targets=[1, 5, 7])
    result = evaluated(PEOPLE, RELEASE.assign(job=PEOPLE["job"]), few, limits={"replicated_uniques": "50%"})
    kept = result["replicated_uniques"].replicated.max() / N
    assert kept > 0.03
    assert result.verdicts().loc["replicated_uniques", "verdict"] == "held"
    assert result.verdicts().loc["replicated_uniques", "value"] == f"{100 * kept:.1f}%"


def test_what_is_measured_is_not_said_to_be_unmeasured() -> None:
    told = "what an intruder learns about a person without finding"
    assert not any(told in text for text in Content(evaluated(PEOPLE, RELEASE, BY_VALUE)).not_measured)
    blind = sl.Intruder(known=[], synthesized=["job"])
    assert any(told in text for text in Content(evaluated(PEOPLE, RELEASE, blind)).not_measured)


def rare(few: int = 5) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return people of whom few have a rare job, and a release in which 12 have it."""
    draw = np.random.default_rng(8)
    people = pd.DataFrame({"sex": draw.choice(list("fm"), 200), "job": np.repeat(["common", "rare"], [200 - few, few])})
    return people, people.assign(job=draw.permutation(np.repeat(["common", "rare"], [188, 12])))


def numbers(value: Any) -> list[float]:
    """Return all numbers of a document."""
    if isinstance(value, dict):
        return [number for one in value.values() for number in numbers(one)]
    if isinstance(value, list):
        return [number for one in value for number in numbers(one)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def test_the_count_of_a_rare_value_is_not_for_publication() -> None:
    people, other = rare()
    result = evaluated(people, other, BY_VALUE, predict="job", rng=1, limits={"variable_distance": 0.01, "cap": 0.01})
    document = result.to_dict(publish=True)
    text = re.sub(r"<style.*?</style>", "", result.to_html(publish=True), flags=re.DOTALL) + result.published().to_csv()
    # 5 or 195 of 200; 7 move; what a draw from the margin hits.
    told = [5 / 200, 195 / 200, 7 / 200, (5**2 + 195**2) / 200**2, (5 * 12 + 195 * 188) / 200**2]
    found = numbers({name: document[name] for name in ("summary", "table_utility", "prediction", "limits")})
    assert not [one for one in told if np.isclose(found, one, atol=1e-6).any()]
    for one in ("97.5%", "2.5%", "3.5%", "0.975", "0.025", "0.035"):
        assert one not in text.replace("q0.025", ""), one
    assert sum("97.5%" in line.meaning for line in Content(result).lines("risk")) == 2
    assert "cap" not in document["summary"]  # one value is left after the rare one is merged


def test_large_counts_are_for_publication() -> None:
    people, other = rare(60)
    summary = evaluated(people, other, BY_VALUE, predict="job", rng=1).published()
    assert summary.loc["cap", "known_only"] == pytest.approx(140 / 200)
    assert summary.loc["prediction_score", "random_guess"] == pytest.approx(140 / 200)


def test_level_names_that_were_not_released_are_on_no_page() -> None:
    people, other = rare(40)
    other = other.assign(job="common")
    result = evaluated(people, other, BY_VALUE, predict="job", rng=1)
    for publish in (True, False):  # neither is named in a figure, a sentence or a number
        everything = result.to_html(publish=publish) + json.dumps(result.to_dict(publish=publish)) + str(result)
        assert "rare" not in re.sub(r"rarer", "", everything)


def test_weights_of_single_records_are_not_for_publication() -> None:
    told = {"weights": [4.25, 2.0, 77.75]}
    assert check_dossier(told)["weights"] == "3 weights from 2 to 77.8, mean 28"
    page = evaluated(PEOPLE, RELEASE, BY_VALUE, variables=["job"]).to_html(dossier=told, publish=True)
    assert "3 weights, mean 28" in page
    assert "77.8" not in page


def halves(records: int = 600) -> tuple[pd.DataFrame, pd.DataFrame]:
    draw = np.random.default_rng(9)
    both = pd.DataFrame({"age": draw.normal(40, 9, 2 * records), "pay": draw.normal(7, 1, 2 * records)})
    return both.iloc[:records], both.iloc[records:].reset_index(drop=True)


ABOUT_PAY = sl.Intruder(known=["age"], synthesized=["pay"], radius={"age": 0.01, "pay": 0.1})


def test_a_part_of_the_data_is_no_control_whatever_was_changed() -> None:
    seen = halves()[0].assign(job=np.tile(["a", "b"], 300))
    honest = seen.assign(job=shuffled(seen)["job"])
    someone = sl.Intruder(known=["age"], synthesized=["job"], radius={"age": 0.01})
    with pytest.raises(InputError, match="control: 300 of its 300 records are among the confidential"):
        evaluated(seen, honest, someone, control=seen.iloc[:300])


def test_a_control_of_people_who_all_have_a_twin_is_one() -> None:
    draw = np.random.default_rng(4)
    seen, unseen = (pd.DataFrame({"job": np.where(draw.random(k) < 0.01, "x", "a")}) for k in (300, 20))
    seen["job"] = [*seen["job"][:-3], "b", "c", "d"]
    assert evaluated(seen, shuffled(seen), sl.Intruder(known=[], synthesized=["job"]), control=unseen)["closest_record"]


@pytest.mark.parametrize("order", ["as it was", "shuffled"])
def test_a_copy_with_a_little_noise_is_near(order: str) -> None:
    seen, unseen = halves()
    noisy = seen * (1 + np.random.default_rng(2).normal(0, 0.0001, seen.shape))
    near = shuffled(noisy) if order == "shuffled" else noisy
    result = evaluated(seen, near, ABOUT_PAY, control=unseen)
    assert (result.verdict, result.worst.measure, result.worst.dataset) == ("CHECK", "closest_record", 1)
    assert result["closest_record"].share[0] > 0.95
    # Without people the synthesizer never saw the classifier shows it, and the distance does not apply.
    alone = evaluated(seen, near, ABOUT_PAY)
    assert any("might contain confidential records" in text for text in alone.too_good)
    assert "requires a holdout sample" in alone.not_measured["closest_record"][0]


def test_of_large_files_some_released_records_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synthlab.report.measures.closest_record.WORK", 600 * 1200 * 2 // 3)
    seen, unseen = halves()
    result = evaluated(seen, shuffled(seen), ABOUT_PAY, control=unseen)
    assert "one in 3 released records is compared" in result.not_measured["closest_record"][0]
    assert result["closest_record"].share == pytest.approx(1.0)


def test_a_variable_of_many_levels_is_not_predicted() -> None:
    draw = np.random.default_rng(1)
    town = pd.DataFrame({"sex": draw.choice(list("fm"), 500), "job": draw.integers(0, 200, 500).astype(str)})
    result = evaluated(town, shuffled(town), BY_VALUE, predict="job", variables=["sex", "job"])
    assert re.search(r"'job' has \d+ levels; at most 100 can be predicted", result.not_measured["prediction"][0])
    with pytest.raises(InputError, match="target: 'job' has"):
        sl.prediction_utility(town, town, target="job")


def test_membership_is_about_the_people_each_intruder_looks_for() -> None:
    fitted = sl.DirichletMultinomial(["job"]).fit(PEOPLE, rng=1, draws=200)
    release = fitted.generate(1, rng=1)
    looking = [sl.Intruder(known=["sex"], synthesized=["job"], targets=one) for one in ([0], [5, 7, 9])]
    result = evaluated(PEOPLE, release, dict(zip("ab", looking, strict=True)), fitted=fitted)
    sizes = {name: one["membership"].parameters.size for name, one in result.intruders.items()}
    assert sizes == {"a": 1, "b": 3}
