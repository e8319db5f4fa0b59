"""The published numbers of lecture 8, and R's on the stand-ins."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import synthlab as sl
from replications.lecture_8 import compute, lecture_8_in_r, study as lecture_8
from replications.lecture_8.slides import CASES, KNOWN, MEASURES
from replications.paper_tables import read_numbers
from replications.published import rounds_to
from synthlab.exceptions import InputError, SynthlabWarning


@pytest.mark.real
def test_the_published_numbers_come_out_on_the_real_sample(real_data):
    result = compute()
    slides = [name for name, case in CASES.items() if case.version == "slides"]
    there = [name for name in CASES if result.table.loc[name, "here"].notna().all()]
    assert result.table.drop(index=there, level="release")["here"].isna().all()
    assert not {"as is", "synthetic"} - {*there}
    assert result.table.loc[there, "agrees"].tolist() == [True] * 4 * len(there)
    assert result.at_hand == ({*slides} <= {*there})
    earlier = result.table.drop(index=slides, level="release")
    np.testing.assert_allclose(earlier["here"].to_numpy(), earlier["r"].to_numpy(), rtol=1e-12)


@pytest.mark.real
def test_what_the_lecture_says_of_the_known_variables_on_the_real_sample(real_data):
    acs = sl.datasets.load("acs", version="real")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        case = CASES["synthetic"]
        risk = sl.identification_risk(
            acs.frame, acs.synthetic_version("lecture"), sl.Intruder(known=KNOWN, synthesized=case.synthesized)
        )
    assert risk.known_only[0] == pytest.approx(57)
    assert risk.expected_match_risk[0] < 57


def test_without_the_sample_the_table_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("synthlab.datasets.files.cache_folder", lambda: tmp_path)
    result = compute()
    assert not result.at_hand
    assert "No real sample is on this machine" in result.status
    assert "`synthlab data fetch` gets the data (acs, ce_lecture)" in result.status
    assert result.table["here"].isna().all()
    assert set(result.table["agrees"]) == {None}
    assert result.table.loc[("synthetic", "expected_match_risk"), "published"] == "41.37"
    assert "-" in str(result)
    assert "41.37" in result._repr_html_()
    copied = result.to_frame()
    copied.iloc[0, 0] = "x"
    assert result.table.iloc[0, 0] == "173"


def test_the_confidential_sample_alone_fills_half_the_table(monkeypatch):
    alone = _Alone(sl.datasets.load("acs", version="simulated"))
    monkeypatch.setattr(lecture_8, "_real_sample", lambda case: alone if case.dataset == "acs" else None)
    result = compute()
    assert result.table.loc["as is", "here"].notna().all()
    assert result.table.loc["synthetic", "here"].isna().all()
    assert result.table.loc["as is", "agrees"].tolist() == [False, True, True, True]
    assert result.status.startswith(
        "Not on this machine: synthetic, DIS and HICOV synthesized, CE, synthetic, CE, as is;"
    )


class _Alone:
    def __init__(self, dataset):
        self.frame, self.labels = dataset.frame, ()


def test_the_record_holds_all_sixteen_numbers_of_the_slides():
    found = lecture_8.recorded()
    assert found.table["agrees"].tolist() == [True] * 20
    assert found.at_hand
    assert "recorded" in str(found)
    ends = ("CE, as is", "expected_match_risk")  # the intervals of R are open, and some expenditures lie on an end
    others = found.table.drop(index=[ends])
    np.testing.assert_allclose(others["here"].to_numpy(float), others["r"].to_numpy(float), rtol=1e-12)
    assert 1e-7 < abs(found.table.loc[ends, "here"] / found.table.loc[ends, "r"] - 1) < 1e-6
    assert found.published["status"].tolist() == ["exact"] * 16


def test_the_rates_are_whole_numbers_of_records():
    here = lecture_8.recorded().table["here"]
    for name, case in CASES.items():
        n = 5_133 if case.dataset == "ce_lecture" else 10_000
        unique = here[name, "n_unique"]
        right, wrong = here[name, "true_match_rate"] * n, here[name, "false_match_rate"] * unique
        assert (right, wrong) == (pytest.approx(round(right)), pytest.approx(round(wrong)))
        assert right + wrong == pytest.approx(unique)
        assert here[name, "expected_match_risk"] >= right


def test_every_case_has_every_measure_and_a_recorded_answer():
    texts = read_numbers("lecture_8").values()
    assert {(t["release"], t["measure"]) for t in texts} == {(name, m) for name in CASES for m in MEASURES}
    for text in texts:
        if (case := CASES[text["release"]]).recorded is not None:
            assert rounds_to(lecture_8._recorded(case)[text["measure"]], text["printed"])


@pytest.mark.parametrize(
    ("value", "printed", "same"), [(0.00052, "0.0005", True), (0.0006, "0.0005", False), (172.4, "173", False)]
)
def test_rounds_to(value, printed, same):
    assert rounds_to(value, printed) is same


@pytest.mark.parametrize("case", ["acs-lecture", "ce-income"])
def test_recorded_r_is_ours(case):
    answer = lecture_8_in_r(case, live=False)
    assert not answer.live
    assert answer.source.startswith("Recorded: R version")
    np.testing.assert_allclose(answer.table.to_numpy(float), _ours(case).to_frame().to_numpy(float), rtol=1e-12)


def test_unknown_case():
    with pytest.raises(InputError, match="case='x'"):
        lecture_8_in_r("x")


def _ours(case: str):
    name, labels = ("acs", ["lecture"]) if case == "acs-lecture" else ("ce", ["1", "2", "3"])
    data = sl.datasets.load(name, version="simulated")
    released = [data.synthetic_version(label) for label in labels]
    arguments = sl.Intruder(known=list(KNOWN), synthesized=list(CASES["synthetic"].synthesized))
    if case == "ce-income":
        arguments = sl.Intruder(known=["Educ", "Marital"], synthesized=["Income"], radius={"Income": 0.1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.identification_risk(data.frame, released, replace(arguments, convention="irc"))
