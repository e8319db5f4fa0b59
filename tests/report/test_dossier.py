"""The dossier: what is told, what is open, and digests of the files."""

from __future__ import annotations

import hashlib
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, SynthlabWarning
from synthlab.report.dossier import HEADINGS, OPEN
from synthlab.weights import PseudoPosteriorMechanism

PEOPLE = pd.DataFrame({"sex": list("fmfmfmfmfm"), "job": list("aabbaabbab")})


@pytest.fixture(scope="module")
def result() -> sl.report.EvaluationResult:
    other = PEOPLE.assign(job=list("abbbaabbaa"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(
            PEOPLE, other, sl.Intruder(known=["sex"], synthesized=["job"]), rows="aligned", limits={"pmse": 1}
        )


def test_every_heading_is_there_and_what_is_not_told_is_open(result) -> None:
    page = result.to_html(dossier={"purpose": "Teaching <b>", "epsilon": 2.5, "assumptions": ["one", "two"]})
    for heading in HEADINGS:
        assert f">{heading}</h2>" in page
    assert "<dd>Teaching &lt;b&gt;</dd>" in page
    assert "<dd>2.5</dd>" in page
    assert "<dd>one; two</dd>" in page
    told = sum(len(keys) for keys in HEADINGS.values()) - 3
    assert page.count(f"<dd>{OPEN}</dd>") == told
    assert OPEN not in result.to_html()


def test_digests_are_those_of_the_tables_and_the_confidential_one_stays_inside(result) -> None:
    own, other = (
        hashlib.sha256(frame.to_csv(index=False, lineterminator="\n").encode()).hexdigest()
        for frame in (PEOPLE, result.release[0])
    )
    inside, outside = result.to_html(dossier={}), result.to_html(dossier={}, publish=True)
    assert own in inside
    assert other in inside
    assert own not in outside
    assert other in outside


def test_what_a_mechanism_accounts_for_is_told_with_its_neighbors_and_its_guarantee(result) -> None:
    model = PseudoPosteriorMechanism(
        synthesizer=sl.DirichletMultinomial(["job"]), quantile=1.0, mapping="maximum", shift=0.5
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        release = model.fit(PEOPLE, rng=1, draws=20).generate(m=2, rng=1)
        page = sl.evaluate(PEOPLE, release, sl.Intruder(known=["sex"], synthesized=["job"])).to_html(dossier={})
    made = release.provenance
    assert f"<dd>{made['epsilon_total']} for all 2 datasets. The guarantee is local" in page
    assert "<dd>leave one out: two databases" in page
    assert "<dd>PseudoPosteriorMechanism(" in page
    assert "asymptotic" not in result.to_html(dossier={})


def test_weights_are_told_by_their_spread(result) -> None:
    page = result.to_html(dossier={"weights": np.array([0.25, 0.5, 1.0])})
    assert "3 weights from 0.25 to 1, mean 0.583" in page


@pytest.mark.parametrize(
    ("dossier", "message"),
    [
        ({"colour": "red"}, "dossier: unknown key 'colour'; allowed keys are purpose"),
        ({"purpose": {}}, "purpose"),
        (7, "dossier"),
    ],
)
def test_what_a_dossier_does_not_have_is_refused(result, dossier, message) -> None:
    with pytest.raises(InputError, match=message):
        result.to_html(dossier=dossier)


def test_a_dossier_is_a_file(result, tmp_path: Path) -> None:
    assert "Goals and intended use" in result.save(tmp_path / "d.html", dossier={"purpose": "x"}).read_text()
    with pytest.raises(InputError, match="dossier apply only to an HTML page"):
        result.save(tmp_path / "d.json", dossier={"purpose": "x"})
