from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest

from synthlab.utility import analysis_utility, bootstrap_statistic, cluster_utility, interval_overlap, pmse


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    mpl.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_results_draw_themselves_on_the_axes_they_are_given(confidential, releases) -> None:
    import matplotlib.pyplot as plt

    synthetic = releases["partial"]
    results = [
        pmse(confidential, synthetic),
        cluster_utility(confidential, synthetic, clusters=3, variables=["age"], starts=2, rng=1),
        analysis_utility(confidential, synthetic, formula="income ~ age"),
        interval_overlap([[0, 1], [0, 2]], [[0.5, 1.5], [3, 4]]),
        bootstrap_statistic(confidential, synthetic, variable="income", resamples=20, rng=1),
    ]
    for result in results:
        _, ax = plt.subplots()
        assert result.plot(ax=ax) is ax
        assert ax.get_xlabel()
        assert ax.has_data()
