"""The nested mixture in two languages: the comparison, the shares of couples, and a run that goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from replications.nested_households import STUDY, recorded
from replications.nested_households.pairs import VARIANTS, independent, same, variant
from replications.nested_households.study import BY_SIZE, CORRECTED, DATA, JOINT, RELEASED, compared


def test_equal_chains_do_not_differ_and_a_shift_is_counted_in_standard_errors() -> None:
    noise = np.random.default_rng(1).normal(size=10)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    parts = {BY_SIZE: noise, JOINT: noise, CORRECTED: np.array([-1.0, 1.0]), RELEASED: [3.0], DATA: [0.0]}
    rows = [(s, i + 1, "a", v) for s, values in parts.items() for i, v in enumerate(values)]
    table = compared(pd.DataFrame(rows, columns=["sampler", "chain", "statistic", "value"])).loc["a"]
    assert table["difference / error"] == pytest.approx(0.0, abs=1e-12)
    assert table["error"] == pytest.approx(np.sqrt(0.1 + 0.5))
    assert table["released / error"] == pytest.approx(3 / np.sqrt(1.5))


def test_the_chance_of_equal_education_is_that_of_random_pairs() -> None:
    frame, _ = variant(VARIANTS[0], 400)
    head = frame[frame["relation"] == "head"].set_index("hhid")
    partner = frame[frame["relation"] == "partner"].set_index("hhid")
    one, other = head.loc[partner.index, "educ"].to_numpy(), partner["educ"].to_numpy()
    assert independent(frame) == pytest.approx((one[:, None] == other).mean())
    assert same(frame) == (one == other).mean()
    assert same(frame) > independent(frame) + 0.1


@pytest.mark.parametrize("name", VARIANTS)
def test_versions_differ_only_in_ages(name: str) -> None:
    first, _ = variant(VARIANTS[0], 150)
    frame, spec = variant(name, 150)
    assert frame.drop(columns="age", errors="ignore").equals(first.drop(columns="age"))
    assert spec.rules.holds(frame, "hhid").all()


def test_a_run_is_resumed_and_ends_in_the_same_tables(tmp_path: Path) -> None:
    size = {"chains": 1, "repetitions": 1, "households": 60, "tune": 5, "draws": 4}
    first = STUDY.compute(1, size, tmp_path, False)
    sorted((tmp_path / "pieces").glob("*.npz"))[0].unlink()
    again = STUDY.compute(1, size, tmp_path, False)
    assert all(first[name].equals(again[name]) for name in STUDY.raw)


def test_the_record_supports_the_reason_for_couples() -> None:
    mean = recorded().pairs.groupby("variant")[["confidential", "independent", "synthetic"]].mean()
    kept = (mean["synthetic"] - mean["independent"]) / (mean["confidential"] - mean["independent"])
    assert kept[VARIANTS[2]] > 0.5 > kept[VARIANTS[0]]
