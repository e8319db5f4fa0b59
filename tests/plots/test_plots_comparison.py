"""The risk-utility map: points where the table says."""

from __future__ import annotations

import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.plots.color import CONFIDENTIAL
from synthlab.plots.comparison import RISKS, UTILITIES, plot_risk_utility_map


@pytest.fixture(scope="module")
def comparison(people: pd.DataFrame, synthetic: list[pd.DataFrame]) -> sl.report.ComparisonResult:
    releases = {"noise": synthetic, "more $ noise": [f.assign(income=f["income"] * 1.05) for f in synthetic]}
    return sl.compare(people, releases, sl.Intruder(known=["region"], synthesized=["income"], radius=0.2))


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("utility", UTILITIES)
def test_the_map_puts_every_release_where_the_table_says(comparison, risk: str, utility: str) -> None:
    ax = plot_risk_utility_map(comparison, risk=risk, utility=utility)
    table = comparison.summary()
    points = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert [line.get_xdata()[0] for line in points] == pytest.approx(table[utility].tolist())
    assert [line.get_ydata()[0] for line in points] == pytest.approx(table[risk].tolist())
    assert [line.get_color() == CONFIDENTIAL for line in points] == [True, False, False]
    assert len({(line.get_color(), line.get_marker()) for line in points}) == 3
    words = {text.get_text() for text in ax.texts}
    assert {"confidential", "noise", r"more \$ noise", "simulated data"} <= words
    assert ("known variables alone" in words) is (risk == "expected_match_risk")
    assert ax.get_xlim()[0] == ax.get_ylim()[0] == 0


def test_the_map_names_what_it_cannot_draw(comparison) -> None:
    with pytest.raises(InputError, match="risk='fear'"):
        comparison.plot(risk="fear")
    with pytest.raises(InputError, match="utility='beauty'"):
        comparison.plot(utility="beauty")
    texts = pd.DataFrame({"region": list("NNNNSSSS"), "job": list("abcdabcd")})
    other = texts.assign(job=list("abdcabcd"))
    only_words = sl.compare(
        texts, {"one": other}, sl.Intruder(known=["region"], synthesized=["job"]), variables=["job"]
    )
    with pytest.raises(InputError, match="utility='ecdf_max': not measured"):
        only_words.plot()
