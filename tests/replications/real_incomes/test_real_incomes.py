"""Real incomes: the samples are disjoint, and the recorded tables and claims follow from the raw tables."""

from __future__ import annotations

import numpy as np
import pytest

from replications.real_incomes import STUDY, recorded
from replications.real_incomes.samples import DRAWN, FILES, SIZE, SLIDES, STAND_IN, load
from replications.real_incomes.study import ORDERS, QUICK, _classes, _confidential, _mechanisms, _weighted
from synthlab.exceptions import DatasetUnavailableError


def test_the_stand_in_is_always_there_and_a_quick_run_uses_a_part() -> None:
    whole, part = load(STAND_IN), load(STAND_IN, 8)
    assert (whole.frame["income"] > 0).all()
    assert len(part.frame) == len(whole.frame) // 8
    assert part.intruder.known == ("gender", "age", "region")


@pytest.mark.real
def test_samples_of_2015_are_disjoint_households_with_the_predictors_of_the_paper() -> None:
    frames = [load(name).frame for name in DRAWN]
    assert [len(frame) for frame in frames] == [SIZE] * len(DRAWN)
    assert all((frame["income"] > 0).all() and not frame.isna().any(axis=None) for frame in frames)
    means = [frame["income"].mean() for frame in frames]
    assert len(set(means)) == len(DRAWN)
    found = recorded().ratios
    row = found[(found["measure"] == "mean") & (found["of"] == "D")].iloc[0]
    np.testing.assert_allclose([row[name] for name in DRAWN], means, rtol=1e-5)
    assert load(SLIDES).frame["income"].min() > 0


def test_without_the_files_the_error_states_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.delenv("SYNTHLAB_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DatasetUnavailableError, match="synthlab data fetch ce2015"):
        load(DRAWN[0])


@pytest.mark.full
def test_a_piece_is_computed_from_its_seed_alone() -> None:
    size = {**QUICK, "share": 32, "releases": 1, "max_fits": 1}
    for compute in (
        lambda: _weighted(1, size, STAND_IN, "M"),
        lambda: _mechanisms(1, size, STAND_IN),
        lambda: _classes(1, size, STAND_IN, "P"),
    ):
        (first, _), (again, _) = compute(), compute()
        assert first.equals(again)
        few = first["measure"].str.startswith("weight of incomes below")  # the part has no such income
        assert np.isfinite(first.loc[~few, "value"]).all()
    values = _confidential(size, STAND_IN)[0].set_index("measure")["value"]
    assert 0 < values["IR, mean"] <= values["IR, max"] <= 1


def test_the_record_has_every_file_and_case() -> None:
    result = recorded()
    assert set(result.weighted["file"]) == set(result.mechanisms["file"]) == set(FILES)
    assert set(result.weighted["case"]) == {"D", *ORDERS}
    bounds = result.bounds[result.bounds["measure"] == "Lipschitz bound"].set_index("of")[list(FILES)]
    np.testing.assert_allclose(bounds.loc["EM"], bounds.loc["DP"], rtol=0.025)
    assert STUDY.jobs(1, QUICK, None)[-1].name == f"classes {FILES[-1]} P"
