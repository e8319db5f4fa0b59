"""Tables, barycenters, resamples and clusters at their edges, by plain loops over cells, steps and records."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import synthlab as sl
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.utility import (
    _cells,
    barycenter,
    bootstrap,
    bootstrap_statistic,
    cluster,
    cluster_utility,
    table_utility,
    wasserstein,
)  # fmt: skip


def _j(ours: Any, theirs: Any) -> float:
    common = min(ours[1], theirs[1]) - max(ours[0], theirs[0])
    widths = [side[1] - side[0] for side in (ours, theirs)]
    return sum(common / w for w in widths) / 2 if min(widths) > 0 else np.nan


@pytest.mark.parametrize("bins", [2, 3, 4, 10])
def test_tables_cell_by_cell(bins: int) -> None:
    ours = pd.DataFrame({"x": [1.0, 2.0, 2.0, 3.0, 5.0, 8.0, np.nan], "c": list("aabbbca")})
    released = [
        pd.DataFrame({"x": [0.0, 2.0, 2.5, 9.0], "c": list("abcd")}),
        pd.DataFrame({"x": [1.0, 1.0, np.nan, 3.0], "c": list("aabb")}),
    ]
    found = table_utility(ours, released, bins=bins, missing="category")
    edges = np.unique(np.quantile(ours["x"].dropna(), np.arange(1, bins) / bins))
    distinct = pd.concat([ours["x"], *(f["x"] for f in released)]).nunique()

    def cell(value: float) -> object:
        if value != value:
            return "(missing)"
        return sum(value > e for e in edges) if distinct > bins else value

    frames = [f.assign(x=[cell(v) for v in f["x"]]) for f in (ours, *released)]
    assert found.names == ["x", "c", "x x c"]
    for t, columns in enumerate((["x"], ["c"], ["x", "c"])):
        keys = [list(f[columns].itertuples(index=False, name=None)) for f in frames]
        cells = set().union(*keys)
        p = {k: keys[0].count(k) / 7 for k in cells}
        for j in (0, 1):
            gaps = [abs(keys[j + 1].count(k) / 4 - p[k]) for k in cells]
            assert found.total_variation[t, j] == pytest.approx(sum(gaps) / 2)
            assert found.max_difference[t, j] == pytest.approx(max(gaps))
        chance = sum(sum(abs(x / 4 - q) * stats.binom.pmf(x, 4, q) for x in range(5)) for q in p.values()) / 2
        assert found.expected_total_variation[t] == pytest.approx(chance)
        margin = found.margins[t].to_frame()
        assert margin["confidential"].sum() == 7
        assert margin["synthetic"].sum() == pytest.approx(4)
        assert margin["difference"].tolist() == pytest.approx(
            (margin["share_synthetic"] - margin["share_confidential"]).tolist()
        )
        shown = found.summary().iloc[t]
        assert shown["cells"] == len(margin)
        assert shown["total_variation"] == pytest.approx(found.total_variation[t].mean())
        assert shown["max_difference"] == pytest.approx(found.max_difference[t].mean())
        assert shown["expected_total_variation"] == found.expected_total_variation[t]
    frame = found.to_frame()
    assert frame[["table", "dataset"]].to_numpy().tolist() == [[n, j] for n in found.names for j in (1, 2)]
    assert frame["total_variation"].tolist() == found.total_variation.ravel().tolist()
    worst = found.worst_cells(4)
    every = sorted((abs(v) for m in found.margins for v in m.to_frame()["difference"]), reverse=True)
    assert worst["difference"].abs().tolist() == pytest.approx(every[:4])
    row = worst.iloc[0]
    margin = found.margins[found.names.index(row["table"])]
    place = [
        ", ".join(f"{c}={v}" for c, v in zip(margin.variables, key, strict=True))
        for key in itertools.product(*margin.levels)
    ].index(row["cell"])
    assert margin.to_frame()["difference"].iloc[place] == row["difference"]


def test_names_and_limits_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _cells._interval_names(["1", "2", "5"]) == ["<= 1", "(1, 2]", "(2, 5]", "> 5"]
    assert _cells._interval_names(["1"]) == ["<= 1", "> 1"]
    frame = pd.DataFrame(
        {"c": pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"]), "d": [True, False, True], "n": [3, 1, 2]}
    )
    other = pd.DataFrame({"c": ["a", "q", "b"], "d": [True, True, True], "n": [1, 1, 1]})
    coded = _cells.code_variable("c", [frame, other], 10)
    assert coded.levels == ("b", "a", "q")  # the declared ones that occur first, in their order
    assert [c.tolist() for c in coded.codes] == [[0, 1, 0], [1, 2, 0]]
    assert _cells.code_variable("n", [frame, other], 3).levels == (1, 2, 3)
    assert len(_cells.code_variable("n", [frame, other], 2).levels) == 2
    counts = _cells.count_cells([coded, _cells.code_variable("n", [frame, other], 3)], 1)
    assert counts.tolist() == [1, 0, 0, 1, 0, 0, 1, 0, 0]
    monkeypatch.setattr(_cells, "MAX_CELLS", 9)
    _cells.check_size(["c", "n"], [coded, _cells.code_variable("n", [frame, other], 3)])
    monkeypatch.setattr(_cells, "MAX_CELLS", 8)
    with pytest.raises(InputError, match=r"has 9 cells, more than 8"):
        _cells.check_size(["c", "n"], [coded, _cells.code_variable("n", [frame, other], 3)])
    for options in (
        {"bins": 1},
        {"margins": []},
        {"margins": [[]]},
        {"margins": [["c"]], "variables": ["c"]},
    ):
        with pytest.raises(InputError):
            table_utility(frame, frame, **options)
    monkeypatch.setattr(_cells, "MAX_CELLS", 12)
    three = table_utility(frame, frame, margins=[["n", "c", "d"]])
    assert (three.names, three.total_variation.tolist()) == (["n x c x d"], [[0.0]])


def test_barycenters_step_by_step() -> None:
    ours, theirs = np.array([1.0, 4.0, 2.0]), [np.array([0.0, 3.0]), np.array([5.0, 1.0, 9.0, 2.0])]
    found = barycenter(ours, theirs, probabilities=[0.0, 0.3, 1.0])
    fine = (np.arange(12) + 0.5) / 12  # every step has its ends on this grid

    def step(values: np.ndarray) -> np.ndarray:
        return np.sort(values)[np.minimum((fine * values.size).astype(int), values.size - 1)]

    apart = [np.sqrt(((step(t) - step(ours)) ** 2).mean()) for t in theirs]
    assert found.dataset_distance.tolist() == pytest.approx(apart)
    middle = np.mean([step(t) for t in theirs], axis=0)
    assert found.distance == pytest.approx(np.sqrt(((middle - step(ours)) ** 2).mean()))
    quantiles = [np.quantile(t, [0.0, 0.3, 1.0]) for t in theirs]
    assert found.barycenter.tolist() == pytest.approx(np.mean(quantiles, axis=0).tolist())
    frame = found.to_frame()
    assert frame.columns.tolist() == ["confidential", "barycenter", "dataset 1", "dataset 2"]
    np.testing.assert_allclose(
        frame.to_numpy().T, [np.quantile(ours, [0, 0.3, 1]), np.mean(quantiles, axis=0), *quantiles]
    )
    assert frame.index.tolist() == [0.0, 0.3, 1.0]
    many = barycenter(ours, theirs)
    assert many.probabilities.tolist() == np.linspace(0, 1, 201).tolist()
    shown = many.summary()
    assert shown.index.tolist() == [0.025, 0.25, 0.5, 0.75, 0.975]
    assert shown["confidential"].tolist() == pytest.approx(np.quantile(ours, shown.index).tolist())
    assert wasserstein._grid(2).tolist() == [0.0, 1.0]
    for bad in (1, [0.0], [0.0, 0.5], [0.5, 1.0], [0.0, 0.5, 0.5, 1.0], [[0.0, 1.0]], None):
        with pytest.raises(InputError, match="probabilities"):
            wasserstein._grid(bad)
    for bad in ([], 3.0, [1.0, 2.0], "ab"):
        with pytest.raises(InputError, match="synthetic"):
            barycenter(ours, bad)
    for bad in ([], [np.nan], [[1.0]], pd.DataFrame({"x": [1.0]})):
        with pytest.raises(InputError, match="confidential"):
            barycenter(bad, theirs)


@pytest.mark.parametrize("cells", [1, 9, 10, 10**7])
@pytest.mark.parametrize("statistic", ["mean", "median", 0.25, np.max])
def test_a_bootstrap_by_the_same_draws(cells: int, statistic: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "CELLS_AT_ONCE", cells)
    frames = [
        pd.DataFrame({"x": v})
        for v in ([1.0, 5.0, 2.0, 8.0, 3.0], [4.0, 4.0, 6.0, 1.0, 0.0], [9.0, 7.0, 7.0, 2.0, 1.0])
    ]
    found = bootstrap_statistic(frames[0], frames[1:], variable="x", statistic=statistic, resamples=7, level=0.8, rng=3)
    compute = {"mean": np.mean, "median": np.median, 0.25: lambda v: np.quantile(v, 0.25)}.get(statistic, np.max)
    draws = []
    for frame, stream in zip(frames, sl._rng.spawn(3, 3), strict=True):
        step, rows = max(1, cells // 5), []
        for start in range(0, 7, step):
            rows += [compute(frame["x"].to_numpy()[r]) for r in stream.integers(0, 5, (min(step, 7 - start), 5))]
        draws.append(rows)
    assert found.confidential_draws.tolist() == pytest.approx(draws[0])
    np.testing.assert_allclose(found.draws, draws[1:])
    estimates = [float(compute(f["x"])) for f in frames]
    assert [found.confidential_estimate, *found.estimates] == pytest.approx(estimates)
    assert found.mean == pytest.approx(np.mean(draws[1:]))
    ends, own = np.quantile(draws[1:], [0.1, 0.9]), np.quantile(draws[0], [0.1, 0.9])
    assert found.interval.tolist() == pytest.approx(ends.tolist())
    assert found.confidential_interval.tolist() == pytest.approx(own.tolist())
    if min(ends[1] - ends[0], own[1] - own[0]) > 0:
        assert found.interval_overlap == pytest.approx(_j(own, ends))
    rows = [[estimates[0], np.mean(draws[0]), *own], [np.mean(estimates[1:]), np.mean(draws[1:]), *ends]]
    np.testing.assert_allclose(found.summary().to_numpy(), rows)
    np.testing.assert_allclose(
        found.to_frame().to_numpy(),
        [[e, np.mean(d), *np.quantile(d, [0.1, 0.9])] for e, d in zip(estimates[1:], draws[1:], strict=True)],
    )
    words = {"mean": "mean", "median": "median", 0.25: "0.25 quantile"}.get(statistic, "max")
    assert found.title.startswith(f"Bootstrap of the {words} of x: 7 resamples of each of m = 2 datasets, pooled; 80%")


def test_statistics_that_cannot_be_resampled() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    for options in (
        {"resamples": 1},
        {"level": 0.0},
        {"level": 1.0},
        {"statistic": 0.0},
        {"statistic": 1.0},
        {"statistic": "mode"},
        {"statistic": np.sort},
        {"variable": 3},
        {"variable": None},
    ):
        with pytest.raises(InputError):
            bootstrap_statistic(frame, frame, **{"variable": "x", **options})
    whole = bootstrap_statistic(frame, frame, statistic=len, resamples=2, rng=1)
    assert (whole.variable, whole.statistic, whole.draws.tolist()) == ("the dataset", "len", [[3.0, 3.0]])
    with pytest.warns(UndefinedStatisticWarning, match="on some resamples of 2 of 2 datasets"):
        bootstrap_statistic(frame, frame, variable="x", statistic=lambda v: np.nan, resamples=2)


@pytest.mark.parametrize("weighting", ["equal", "size"])
def test_clusters_are_counted(weighting: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1, 9.0]})
    released = [pd.DataFrame({"x": [0.0, 5.0, 9.1, 9.2]}), pd.DataFrame({"x": [0.2, 0.1, 5.0, 9.0]})]
    found = cluster_utility(ours, released, clusters=3, weighting=weighting, rng=1)
    c = 5 / 9
    for j, frame in enumerate(released):
        groups = [[np.argmin([abs(v - centre) for centre in (0, 5, 9)]) for v in f["x"]] for f in (ours, frame)]
        own = [groups[0].count(g) for g in range(3)]
        size = [o + groups[1].count(g) for g, o in enumerate(own)]
        assert sorted(zip(found.cluster_size[j].tolist(), found.confidential_size[j].tolist(), strict=True)) == sorted(
            zip(size, own, strict=True)
        )
        w = [1.0 if weighting == "equal" else 3 * s / 9 for s in size]
        utility = np.mean([a * (o / s - c) ** 2 for a, o, s in zip(w, own, size, strict=True)])
        null = np.mean([a * c * c * (1 - c) * (9 - s) / (s * 8) for a, s in zip(w, size, strict=True)])
        assert found.to_frame().iloc[j].tolist() == pytest.approx([utility, null, utility / null])
    table = found.to_frame()
    assert found.summary().to_numpy().tolist() == [[table[k].mean(), table[k].min(), table[k].max()] for k in table]
    assert (found.m, found.n_clusters, found.share_confidential) == (2, 3, c)
    assert cluster._cluster(np.array([[0.0], [0.0], [1.0]]), 2, 1, 1).size == 3
    with pytest.raises(InputError, match="only 2 distinct records"):
        cluster._cluster(np.array([[0.0], [0.0], [1.0]]), 3, 1, 1)
    for options in ({"clusters": 1}, {"clusters": 10}, {"starts": 0}, {"weighting": "none"}):
        with pytest.raises(InputError):
            cluster_utility(ours, released, **{"clusters": 3, **options})
