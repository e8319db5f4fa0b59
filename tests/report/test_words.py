"""The sentences say what the numbers say."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab._format import count, percent, three_digits
from synthlab.exceptions import SynthlabWarning
from synthlab.report.content import Content
from synthlab.report.measures.pmse import apart
from tests.asking import ask


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1, "1"),
        (2.0, "2"),
        (2.04, "2.0"),
        (41.37, "41.4"),
        (173.2, "173"),
        (12345.6, "12,346"),
        (0.25, "0.25"),
    ],
)
def test_people_are_counted(value: float, text: str) -> None:
    assert count(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.0005, "0.05%"), (0.974359, "97.4%"), (1, "100%"), (0.2212, "22.1%"), (0.00012345, "0.012%")],
)
def test_shares_are_percentages(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize("write", [count, percent, three_digits])
def test_an_undefined_number_is_said_to_be_undefined(write) -> None:
    assert write(float("nan")) == "not defined"


@pytest.fixture
def six() -> pd.DataFrame:
    return pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})


def measured(confidential: pd.DataFrame, synthetic: object, **options: object) -> sl.report.EvaluationResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return ask(
            sl.evaluate, confidential, synthetic, known=["region"], synthesized=["income"], radius=0.2, **options
        )


def test_six_people_by_hand(six: pd.DataFrame) -> None:
    # Persons 0 and 3 are found for sure, 2 shares a match with 1's record, 4 and 5 share two; 1 is not found.
    lines = Content(measured(six, six.assign(income=[11, 33, 41, 16, 30, 31]))).lines("risk")
    meaning = {line.name: line.meaning for line in lines}
    values = {line.name: (line.synthetic, line.confidential) for line in lines}
    assert values["People found by guessing among the matches"] == ("3.5", "5")
    assert values["People found with certainty"] == ("33.3%", "66.7%")
    assert values["Single matches that are wrong"] == ("0%", "0%")
    assert values["People with a single match"] == ("2", "4")
    found = meaning["People found by guessing among the matches"]
    assert "right for about 3.5 of 6 people." in found
    assert (
        "With the unchanged confidential data it would be 5, with the known variables alone 2, and with a random guess 1."
        in found
    )
    assert "add 1.5 people to the risk from the known variables" in found
    assert (
        "For 2 of 6 people exactly one record matches, and it is their own; in the confidential data, for 4."
        in (meaning["People found with certainty"])
    )


def test_the_verdict_turns_when_the_known_variables_alone_do_better(six: pd.DataFrame) -> None:
    result = measured(six, six.assign(income=[99, 98, 97, 96, 95, 94]))
    best, line, *_ = Content(result).lines("risk")
    assert (best.synthetic, line.synthetic) == ("2", "0")
    assert result["chosen_variables"].variables == ()
    assert "do not increase the risk from the known variables" in line.meaning


def test_zero_of_zero_is_explained(six: pd.DataFrame) -> None:
    lines = Content(measured(six, six.assign(income=999))).lines("risk")
    wrong = next(line for line in lines if line.name == "Single matches that are wrong")
    assert wrong.synthetic == "not defined"
    assert "this rate is not defined" in wrong.meaning


def test_people_alone_in_their_group_are_mentioned(six: pd.DataFrame) -> None:
    alone = six.assign(region=list("NNNSSW"))
    near = alone.assign(income=[11, 33, 41, 16, 30, 31])
    by_formula, certain = (
        next(
            line.meaning
            for line in Content(measured(alone, near, singletons=choice)).lines("risk")
            if "IR" in line.name
        )
        for choice in ("formula", "certain")
    )
    assert "1 person is alone in a group and counted as 0" in by_formula
    assert "1 person is alone in a group and counted as certain to be found (1)." in certain


@pytest.mark.parametrize(
    ("noise", "said"), [(0.0, "not defined here"), (0.001, "hardly sees"), (3.0, "relations were lost")]
)
def test_utility_is_judged_by_its_ratio(noise: float, said: str) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"region": ["N"] * 400, "income": rng.normal(50, 10, 400)})
    result = measured(frame, frame.assign(income=frame["income"] + noise * 5))
    line = next(
        line for line in Content(result).lines("utility") if line.name.startswith("Can a classifier tell them apart")
    )
    assert said in line.meaning


@pytest.mark.parametrize(
    ("ratio", "sees"), [(0.9, "hardly sees a"), (1.9, "hardly sees a"), (3.3, "sees some"), (40.0, "sees a")]
)
def test_a_ratio_of_squares_is_no_distance_and_2_is_correct_too(ratio: float, sees: str) -> None:
    said = apart(ratio, f"{ratio:.3g}")
    assert (
        f"pMSE is {three_digits(ratio)} times its expected value under a correct synthesizer with fixed parameters."
        in said
    )
    assert "draws new parameters for each dataset, as Bayesian synthesizers do, has a ratio of about 2." in said
    assert f"This classifier {sees} difference" in said
    assert "times as far" not in said


def test_a_correct_bayesian_synthesizer_is_not_said_to_be_off() -> None:
    # 200 releases of a normal variable, mean and standard deviation drawn from their posterior for each.
    rng, n = np.random.default_rng(4), 300
    own = rng.normal(50, 10, n)
    sd = own.std(ddof=1) * np.sqrt((n - 1) / rng.chisquare(n - 1, 200))
    mean = rng.normal(own.mean(), sd / np.sqrt(n))
    frames = [pd.DataFrame({"income": rng.normal(a, b, n)}) for a, b in zip(mean, sd, strict=True)]
    ratio = float(sl.utility.pmse(pd.DataFrame({"income": own}), frames).ratio.mean())
    assert ratio == pytest.approx(2, abs=0.6)
    assert "hardly sees a difference" in apart(ratio, f"{ratio:.3g}")


def test_the_page_does_not_say_that_every_correct_synthesizer_has_1(result) -> None:
    line = next(line for line in Content(result).lines("utility") if line.name.startswith("Can a classifier"))
    assert "near 1" not in line.meaning
    assert line.meaning.startswith("A logistic regression uses 3 variables and their two-way products to estimate")
    assert "and 0.5, the share of synthetic records (average over the datasets)." in line.meaning
    assert "a ratio near 1" not in result.to_html()


def test_a_largest_distance_is_that_of_the_worst_dataset_too(six: pd.DataFrame) -> None:
    # Against 10 15 20 30 30 40, one dataset moves nobody past a limit, the other moves everybody past the last one.
    near, far = six.copy(), six.assign(income=41)
    both, one = (measured(six, frames, model="cart") for frames in ([near, far], [far]))
    meaning, alone = (Content(r).lines("utility")[0].meaning for r in (both, one))
    assert both["ecdf"].ecdf_max.tolist() == [[0.0, 1.0]]
    assert "The two shares differ by at most 50.0% on average over the datasets, 100% in the worst." in meaning
    assert "mean of the squared difference (average over the datasets)." in meaning
    assert "The two shares differ by at most 100%." in alone
    assert "average" not in alone
    for show in (False, True):
        assert (
            both.to_html(show_values=show).count("by at most 50.0% on average over the datasets, 100% in the worst")
            == 3
        )
        assert "at most 50.0%." not in both.to_html(show_values=show)


def test_every_number_of_people_that_is_an_average_is_said_to_be_one(six: pd.DataFrame) -> None:
    one, other = six.assign(income=[11, 33, 41, 16, 30, 31]), six.assign(income=[11, 33, 70, 16, 30, 31])
    names = ("People found", "Single matches", "People with a single")
    lines = [line for line in Content(measured(six, [one, other])).lines("risk") if line.name.startswith(names)]
    assert len(lines) == 4
    for line in lines:
        assert line.meaning.count("(average over the datasets)") == 1, line.name
    assert all("average" not in line.meaning for line in Content(measured(six, one)).lines("risk"))


def test_the_overview_has_one_row_a_measure(result) -> None:
    rows = Content(result).overview()
    assert len(rows) == len(result.summary())
    assert all(len(row) == 5 for row in rows)
    assert rows[1][3] != ""
    assert rows[2][3:] == ("", "")


def test_what_was_not_measured_names_the_intruder(result) -> None:
    said = " ".join(Content(result).not_measured)
    for part in ("region", "the true income", "Attribute disclosure", "differential privacy"):
        assert part in said
