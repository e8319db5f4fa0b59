"""The demonstration, with a small fit: what it claims about the survey must hold."""

from __future__ import annotations

from typing import Any

import pytest

from synthlab.exceptions import InputError
from synthlab.report import demo
from synthlab.synthesizers import TwoPart


@pytest.mark.full
def test_the_demo_measures_a_release_of_the_real_survey(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = TwoPart.fit

    def quick(self: TwoPart, confidential: Any, **options: Any) -> Any:
        return fit(self, confidential, **{**options, "draws": 200, "tune": 200})

    monkeypatch.setattr(TwoPart, "fit", quick)
    monkeypatch.setattr(demo, "FORMULA", "affairs ~ rate_marriage + age + yrs_married + religious")
    told: list[str] = []
    result = demo.demonstrate(m=2, rng=1, tell=told.append)
    table = result.summary()
    assert (result.m, result.n, result.data_kind) == (2, 6366, "real")
    assert len(told) == 3
    assert table.loc["expected_match_risk", "synthetic"] < table.loc["expected_match_risk", "confidential"] / 2
    assert table.loc["mean_ir", "synthetic"] < table.loc["mean_ir", "confidential"]
    assert table.loc["ecdf_max", "synthetic"] < 0.1
    assert all(frame["affairs"].between(0, 60).all() for frame in result.release)
    assert result.warnings == ()
    # One number, and why nearly half of the records of a partially synthetic release are copies.
    found, copies = table.loc["best_intruder"], float(result["exact_copies"].copies.max())
    assert f"can identify {found['synthetic']:,.0f} of 6,366 people" in result.headline
    assert f"{copies:,.0f} of 6,366 released records equal a confidential record" in result.headline
    assert "Copies are expected: 8 of 9 columns are released unchanged" in result.headline


@pytest.mark.parametrize("m", [0, 2001, 99999, 2.0])
def test_more_datasets_than_draws_are_refused_before_the_fit(m: object) -> None:
    told: list[str] = []
    with pytest.raises(InputError, match=rf"m={m}: must be an int >= 1"):
        demo.demonstrate(m=m, tell=told.append)
    assert told == []
