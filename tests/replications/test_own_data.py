"""The studies run on the files that users bring, unchanged: here on made-up ones of the same layout, on a tiny grid."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from replications import ce2017
from replications.dp import STUDY as DP, figures as dp_figures
from replications.gamma_family import STUDY as GAMMA, data as gamma_data, figures, study as gamma_family
from replications.risk_weighted import STUDY as RISK, incomes
from synthlab import cli, datasets
from tests.datasets.test_datasets_own import cells, units, write  # noqa: F401


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path / "mine"))
    (tmp_path / "mine").mkdir()
    gamma_data.load_table.cache_clear()
    yield tmp_path / "mine"
    gamma_data.load_table.cache_clear()


def test_the_income_studies_run_on_the_public_file(units, folder):  # noqa: F811
    for study in (RISK, DP):
        assert (study.load({}), study.source(study.load({}))) == ("simulated", {})
    write(units, folder / "fmli171x.csv")
    for study in (RISK, DP):
        assert (study.load({}), study.source(study.load({}))) == ("pumd", {"data": "pumd"})
    frame = ce2017.consumer_units(1, 20)
    assert frame.shape == (310, 9)
    assert (frame["income"] % 1 == 0.25).all()
    assert ce2017.kind("pumd") == "real"
    case = incomes.cases(frame)[1]
    found = incomes.fit(case, frame, 1, {"draws": 20, "tune": 20, "thin": 1, "chains": 2})
    table, _ = incomes.release(case, frame, 1, found, 5, 1, 5)
    assert np.isfinite(table["value"]).mean() > 0.9
    assert found[1]["weight"].shape == (310,)


@pytest.mark.parametrize(("study", "table"), [(RISK, "income_rises"), (DP, "models")])
def test_what_is_said_follows_the_version_that_the_record_names(study, table):
    raw = {name: study.read(name) for name in study.raw}
    assert raw[table]["data"].unique().tolist() == ["simulated"]
    texts = []
    for version in ("simulated", "pumd"):
        found = study.assemble({**raw, table: raw[table].assign(data=version)})
        assert found.data == version
        texts.append(" ".join([found.describe(), *found.published["reason"], *found.claims["reason"]]))
    assert "SIMULATED" in texts[0]
    for word in ("SIMULATED", "simulated", "calibrated"):
        assert word not in texts[1]
    assert "public file" in texts[1]


def test_the_figure_of_the_incomes_is_of_the_version_of_the_record(units, folder):  # noqa: F811
    write(units, folder / "fmli171x.csv")
    for version, word in (("simulated", "simulated data"), ("pumd", "real data")):
        shown = dp_figures.figure_1(version)
        texts = [text.get_text() for ax in shown.figure.axes for text in ax.texts]
        assert [word in text for text in texts].count(True) == 1
        assert ("simulated" in str(shown)) == (version == "simulated")


def test_the_tables_are_synthesized_from_the_archive(cells, folder, monkeypatch):  # noqa: F811
    write(cells, folder / "esc_rep.csv")
    table = gamma_family.load_table("archive")
    assert table.total == datasets.load("esc").frame["count"].sum()
    rows = pd.DataFrame({"n": [table.total + 7]})
    assert gamma_family._total(rows) == table.total + 7
    published = gamma_family.published(table.size_summary(), simulated=False)
    assert published["status"].unique().tolist() == ["exact"]
    assert GAMMA.options == ("version",)
    given = GAMMA.load(GAMMA.quick, version="archive")
    assert (given.version, given.table.total, GAMMA.source(given)) == ("archive", table.total, {"data": "archive"})
    rows = GAMMA.read("settings")
    found = GAMMA.assemble({**{name: GAMMA.read(name) for name in GAMMA.raw}, "settings": rows.assign(n=table.total)})
    assert found.claims["study"].unique().tolist() == ["the archive's table"]
    assert "on the archive's table" in found.describe()
    texts = [text.get_text() for ax in figures.agreement(found).figure.axes for text in ax.texts]
    assert [text for text in texts if text.endswith(" data")] == ["real data"]


def test_the_version_of_the_data_is_an_option_of_the_command(cells, folder, monkeypatch, capsys):  # noqa: F811
    asked = {}
    monkeypatch.setattr(type(GAMMA), "run", lambda self, **options: asked.update(options) or "done")
    with pytest.raises(SystemExit) as ended:
        cli.main(["replicate", "gamma-family", "--quick", "--data", "archive"])
    assert ended.value.code == 0
    assert (asked["version"], asked["quick"]) == ("archive", True)
    monkeypatch.undo()
    with pytest.raises(SystemExit) as ended:
        cli.main(["replicate", "coverage", "--quick", "--data", "real"])
    assert ended.value.code == 2
    assert "--data: 'coverage' does not have this argument" in capsys.readouterr().err


@pytest.mark.full
def test_the_quick_run_on_the_archive_says_so_everywhere(cells, folder, tmp_path):  # noqa: F811
    write(cells, folder / "esc_rep.csv")
    result = GAMMA.run(quick=True, folder=tmp_path / "out", version="archive")
    assert "the archive's table" in str(result)
    assert result.published["status"].unique().tolist() == ["exact"]
    assert (tmp_path / "out" / "pieces" / "settings.json").read_text(encoding="utf-8").count('"archive"') == 1
