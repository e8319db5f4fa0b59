from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import InputError, MissingValueError
from synthlab.utility import table_utility


def test_by_hand() -> None:
    confidential = pd.DataFrame({"sex": list("ffmm"), "job": ["yes", "no", "yes", "no"]})
    synthetic = pd.DataFrame({"sex": list("ffmm"), "job": ["yes", "yes", "yes", "no"]})
    result = table_utility(confidential, synthetic)
    assert result.names == ["sex", "job", "sex x job"]
    assert result.total_variation[:, 0].tolist() == [0, 0.25, 0.25]
    assert result.max_difference[:, 0].tolist() == [0, 0.25, 0.25]
    # four records, p = 1/2: E|X - 2| = 2 (2 + 0) / 16 + 2 * 4 / 16 = 3/4, over 4, two cells, halved
    np.testing.assert_allclose(result.expected_total_variation[:2], 3 / 16)
    worst = result.worst_cells(2)
    assert worst["cell"].tolist() == ["job=no", "job=yes"]
    assert worst["difference"].tolist() == [-0.25, 0.25]


@pytest.mark.parametrize("kind", ["partial", "full"])
def test_equals_r(confidential, releases, answer, kind) -> None:
    margins = [["region"], ["married"], ["income"], ["region", "married"], ["region", "income"]]
    result = table_utility(confidential, releases[kind], margins=margins)
    ours = result.to_frame().set_index(["dataset", "table"])
    for measure in ("total_variation", "max_difference"):
        expected = answer(measure, kind)
        assert len(expected) == len(margins) * len(releases[kind])
        np.testing.assert_allclose(ours[measure].reindex(expected.index), expected, rtol=1e-12, atol=1e-15)
    expected = answer("expected_total_variation", kind).droplevel("dataset")
    np.testing.assert_allclose(result.expected_total_variation, expected[result.names], rtol=1e-9)


def test_counts_are_those_of_crosstab(confidential, releases) -> None:
    result = table_utility(confidential, releases["full"], margins=[["region", "married"]])
    margin = result.margins[0]
    expected = pd.crosstab(confidential["region"], confidential["married"])
    np.testing.assert_array_equal(margin.confidential.reshape(3, 2), expected)
    assert margin.levels == (("north", "south", "west"), (0, 1))
    for counts, frame in zip(margin.synthetic, releases["full"], strict=True):
        np.testing.assert_array_equal(counts.reshape(3, 2), pd.crosstab(frame["region"], frame["married"]))
    table = margin.to_frame()
    assert table.loc[("west", 1), "confidential"] == expected.loc["west", 1]
    np.testing.assert_allclose(table["difference"].sum(), 0, atol=1e-12)


def test_expected_total_variation_is_what_drawing_from_the_table_gives(confidential) -> None:
    draw = np.random.default_rng(8)
    redrawn = [confidential.sample(200, replace=True, random_state=draw).reset_index(drop=True) for _ in range(400)]
    result = table_utility(confidential, redrawn, margins=[["region"], ["region", "income"]])
    np.testing.assert_allclose(result.total_variation.mean(axis=1), result.expected_total_variation, rtol=0.06)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=20), st.lists(st.sampled_from("bcd"), min_size=1, max_size=20)
)
def test_total_variation_is_a_distance(one: list[str], other: list[str]) -> None:
    a, b = pd.DataFrame({"v": one}), pd.DataFrame({"v": other})
    there, back = table_utility(a, b), table_utility(b, a)
    assert there.total_variation[0, 0] == pytest.approx(back.total_variation[0, 0])
    assert 0 <= there.max_difference[0, 0] <= there.total_variation[0, 0] + 1e-15 <= 1 + 1e-12
    shares = {v: (one.count(v) / len(one), other.count(v) / len(other)) for v in "abcd"}
    assert there.total_variation[0, 0] == pytest.approx(sum(abs(p - q) for p, q in shares.values()) / 2)


def test_numbers_are_cut_at_confidential_quantiles() -> None:
    confidential = pd.DataFrame({"x": np.arange(1.0, 101.0)})
    result = table_utility(confidential, confidential + 0.5, bins=4)
    assert result.margins[0].levels[0] == ("<= 25.75", "(25.75, 50.5]", "(50.5, 75.25]", "> 75.25")
    assert result.margins[0].confidential.tolist() == [25, 25, 25, 25]
    # 100.5 stays in the last group; 25.5, 50.5 and 75.5: 75.5 > 75.25 moves up by one, 25.5 and 50.5 do not
    assert result.margins[0].synthetic[0].tolist() == [25, 25, 24, 26]
    zeros = pd.DataFrame({"x": [0.0] * 60 + list(range(1, 41))})
    assert table_utility(zeros, zeros, bins=4).margins[0].levels[0] == ("<= 0", "(0, 15.25]", "> 15.25")


def test_level_in_one_dataset_only_and_declared_order() -> None:
    order = pd.CategoricalDtype(["low", "high", "never"])
    confidential = pd.DataFrame({"v": pd.Series(["high", "low"], dtype=order)})
    synthetic = pd.DataFrame({"v": ["high", "odd"]})
    result = table_utility(confidential, [synthetic, confidential])
    assert result.margins[0].levels == (("low", "high", "odd"),)
    assert result.total_variation[0].tolist() == [0.5, 0.0]


def test_missing_values_are_an_error_or_a_cell() -> None:
    confidential, synthetic = pd.DataFrame({"v": ["a", None]}), pd.DataFrame({"v": ["a", "a"]})
    with pytest.raises(MissingValueError, match='use missing="category" to count missing as a separate level'):
        table_utility(confidential, synthetic)
    result = table_utility(confidential, synthetic, missing="category")
    assert result.margins[0].levels == (("a", "(missing)"),)
    assert result.total_variation[0, 0] == 0.5
    numbers = pd.DataFrame({"x": [*np.arange(30.0), np.nan]})
    assert table_utility(numbers, numbers, missing="category").margins[0].levels[0][-1] == "(missing)"


def test_bad_input(small) -> None:
    with pytest.raises(InputError, match="variables, margins: give one of them"):
        table_utility(small, small, variables=["sex"], margins=[["sex"]])
    for margins in ([], [[]], [["sex", "sex"]], 5, [1], [[["sex"]]]):
        with pytest.raises(InputError, match="margins"):
            table_utility(small, small, margins=margins)
    with pytest.raises(InputError, match="'wage' not in confidential"):
        table_utility(small, small, margins=[["sex", "wage"]])
    with pytest.raises(InputError, match="bins=1"):
        table_utility(small, small, bins=1)
    with pytest.raises(InputError, match="k=0"):
        table_utility(small, small).worst_cells(0)
    with pytest.raises(InputError, match="infinite values"):
        table_utility(small, small.assign(income=np.inf))
    wide = pd.DataFrame({c: [f"{c}{i}" for i in range(400)] for c in "abc"})
    with pytest.raises(InputError, match="has 64,000,000 cells"):
        table_utility(wide, wide, margins=[["a", "b", "c"]])


def test_the_worst_cells_are_as_many_as_asked(small) -> None:
    assert len(table_utility(small, [small, small], bins=3).worst_cells(3)) == 3


def test_dates_and_time_spans_are_cut_at_confidential_quantiles() -> None:
    start = pd.Timestamp("2020-01-01")
    days = pd.to_timedelta(np.arange(100), unit="D")
    confidential, synthetic = pd.DataFrame({"d": start + days}), pd.DataFrame({"d": start + days.to_numpy()[::-1]})
    (margin,) = table_utility(confidential, synthetic, bins=4).margins
    assert margin.levels[0] == (
        "<= 2020-01-25 18:00:00",
        "(2020-01-25 18:00:00, 2020-02-19 12:00:00]",
        "(2020-02-19 12:00:00, 2020-03-15 06:00:00]",
        "> 2020-03-15 06:00:00",
    )
    assert margin.confidential.tolist() == [25] * 4 == margin.synthetic[0].tolist()
    zoned = [frame.apply(lambda d: d.dt.tz_localize("Asia/Tokyo")) for frame in (confidential, synthetic)]
    assert table_utility(*zoned, bins=4).margins[0].confidential.tolist() == [25] * 4
    spans = [frame - start for frame in (confidential, synthetic)]
    (margin,) = table_utility(*spans, bins=2).margins
    assert margin.levels == (("<= 49.5 days", "> 49.5 days"),)
    few = table_utility(confidential.head(4), synthetic.tail(4))
    assert few.margins[0].levels == (tuple(start + days[:4]),)
