"""The studies run on the files that users bring, unchanged: here on made-up ones of the same layout, on a tiny grid."""

from __future__ import annotations

import numpy as np
import pandas as pd
import platformdirs
import pytest

from synthlab import datasets
from synthlab.lab.replication import ce2017
from synthlab.lab.replication.gamma_family import STUDY as GAMMA, study as gamma_family
from synthlab.lab.replication.risk_weighted import incomes
from tests.datasets.test_datasets_own import cells, units, write  # noqa: F401


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, **_: tmp_path / "cache" / name)
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path / "mine"))
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


def test_the_income_studies_run_on_the_public_file(units, folder):  # noqa: F811
    assert (ce2017.version(), ce2017.source()) == ("simulated", {})
    write(units, folder / "fmli171x.csv")
    assert (ce2017.version(), ce2017.source()) == ("pumd", {"data": "pumd"})
    frame = ce2017.consumer_units(1, 20)
    assert frame.shape == (310, 9)
    assert (frame["income"] % 1 == 0.25).all()
    case = incomes.cases(frame)[1]
    found = incomes.fit(case, frame, 1, {"draws": 20, "tune": 20, "thin": 1, "chains": 2})
    table, _ = incomes.release(case, frame, 1, found, 5, 1, 5)
    assert np.isfinite(table["value"]).mean() > 0.9
    assert found[1]["weight"].shape == (310,)


def test_the_tables_are_synthesized_from_the_archive(cells, folder, monkeypatch):  # noqa: F811
    write(cells, folder / "esc_rep.csv")
    table = gamma_family.load_table("archive")
    assert table.total == datasets.load("esc").frame["count"].sum()
    rows = pd.DataFrame({"n": [table.total + 7]})
    assert gamma_family._total(rows) == table.total + 7
    published = gamma_family.published(table.size_summary(), simulated=False)
    assert published["status"].unique().tolist() == ["exact"]
    assert GAMMA.options == ("version",)
