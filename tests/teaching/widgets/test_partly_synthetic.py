"""The ratio of a file with some synthetic values is that of `pmse`, and its control computes a setting once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.teaching.figures.lecture_06 import plot_ratio_by_share
from synthlab.teaching.widgets import pmse_by_share, pmse_figure
from tests.teaching.widgets.drawn import outside

MONEY = ["income", "spending"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    income = rng.lognormal(0, 0.5, 400)
    frame = pd.DataFrame({"income": income, "spending": income * rng.lognormal(0, 0.2, 400), "sex": list("fm") * 200})
    frame.attrs["synthlab"] = {"kind": "simulated"}
    shuffled = [frame.assign(income=rng.permutation(income)) for _ in range(2)]
    noisy = [frame.assign(income=income * rng.lognormal(0, 0.8, 400)) for _ in range(2)]
    return frame, {"shuffled": shuffled, "noisy": noisy}


def test_all_records_give_the_ratio_of_pmse_and_none_gives_zero(data):
    frame, releases = data
    for order in (1, 2):
        table = pmse_by_share(frame, releases["noisy"], variables=MONEY, order=order, shares=[1.0, 0.0])
        whole = sl.pmse(frame, releases["noisy"], variables=MONEY, order=order)
        assert table.loc[1.0, "ratio"] == pytest.approx(whole.ratio.mean())
        assert table.loc[1.0, "ratio_max"] == pytest.approx(whole.ratio.max())
        assert table.loc[1.0, "reference_high"] == pytest.approx(1 + 2 * (whole.null_sd / whole.null_mean).max())
        assert table.loc[0.0, "ratio"] == pytest.approx(0.0, abs=1e-9)


def test_products_see_the_shuffle_that_main_effects_do_not(data):
    frame, releases = data
    blind = pmse_by_share(frame, releases["shuffled"], variables=MONEY, shares=[0.5, 1.0])["ratio"]
    seeing = pmse_by_share(frame, releases["shuffled"], variables=MONEY, order=2, shares=[0.5, 1.0])["ratio"]
    assert blind[1.0] < 0.01
    assert seeing[1.0] > 10
    assert seeing[0.5] < seeing[1.0]


def test_a_share_of_the_records_is_synthetic_and_a_larger_one_holds_it(data, monkeypatch):
    frame, releases = data
    seen = []

    def looked(confidential, frames, **options):
        seen.append((frames[0]["income"] != confidential["income"]).to_numpy())
        return sl.pmse(confidential, frames, **options)

    monkeypatch.setattr("synthlab.teaching.widgets.partly_synthetic.pmse", looked)
    pmse_by_share(frame, releases["noisy"], variables=MONEY, shares=[0.25, 0.5, 1.0])
    assert [int(one.sum()) for one in seen] == [100, 200, 400]
    assert not (seen[0] & ~seen[1]).any()


def test_categories_are_compared_too(data):
    frame, _ = data
    other = frame.assign(sex=pd.Categorical(["m"] * 400, categories=["f", "m"]))
    coded = frame.assign(sex=pd.Categorical(frame["sex"], categories=["f", "m"]))
    assert pmse_by_share(coded, other, variables=["sex"], shares=[0.5]).loc[0.5, "ratio"] > 5


def test_bad_input(data):
    frame, releases = data
    for shares in ([], [1.5], [-0.1], [float("nan")]):
        with pytest.raises(InputError, match="shares"):
            pmse_by_share(frame, releases["noisy"], variables=MONEY, shares=shares)
    with pytest.raises(InputError, match="variables: 'age' not in confidential"):
        pmse_by_share(frame, releases["noisy"], variables=["age"])


@pytest.mark.parametrize("which", ["shuffled", "noisy"])
@pytest.mark.parametrize("order", [1, 2])
def test_everything_stays_inside_at_the_ends_of_the_boxes(data, which, order):
    frame, releases = data
    for share in (0.0, 0.07, 0.5, 1.0):
        figure = pmse_figure(frame, releases[which], variables=MONEY, order=order, share=share).figure
        assert outside(figure) == []


def test_a_share_that_is_not_in_the_table_is_refused():
    columns = {"ratio": [0.0, 9.0], "ratio_min": [0.0, 8.0], "ratio_max": [0.0, 9.9], "reference_high": [2.0, 2.0]}
    table = pd.DataFrame(columns, index=[0.0, 1.0])
    with pytest.raises(InputError, match="share: is not in the index"):
        plot_ratio_by_share(table, share=0.5)
    assert outside(plot_ratio_by_share(table).figure) == []
