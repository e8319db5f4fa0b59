"""What data/reference records: the hashes always, the numbers where R can be asked."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import replace
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from replications.lecture_8 import lecture_8_in_r
from synthlab.crosscheck import crosscheck
from synthlab.exceptions import InputError, RUnavailableError
from synthlab.r import reference, reference_results
from synthlab.r.reference_results import NAMES, SCRIPTS, Script, course_files, run, why_not_live

# Not answers of R: what is there beside them, and who makes it.
OTHERS = {
    "README.md", "manifest.json", "record.py", "common.R", "match_risk_edges.csv", "counts_exact.csv",
    "make_counts_exact.py", "make_synthpop_cases.py", "synthpop_asking.R", "synthpop_affairs.csv.gz",
    "synthpop_youths.csv.gz",
}  # fmt: skip
SESSION_LINES = ("R version", "attached base packages:")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(scope="module")
def manifest(reference):
    return json.loads((reference / "manifest.json").read_text())["scripts"]


def test_every_file_is_accounted_for(reference):
    made = {name for script in SCRIPTS for name in (script.name, *script.outputs)}
    assert made | OTHERS == {path.name for path in reference.iterdir() if path.is_file()}


def test_the_manifest_has_every_script(manifest):
    assert list(manifest) == [script.name for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.name)
def test_hashes_are_those_the_answers_were_recorded_with(script, manifest, reference):
    entry = manifest[script.name]
    for name, file in (("script", script.name), ("common.R", "common.R")):
        assert entry["sha256"][name] == sha256((reference / file).read_bytes()), file
    inputs = {n: (reference.parent / n).read_bytes() for n in script.inputs} | course_files(script)
    assert entry["inputs_sha256"] == {name: sha256(content) for name, content in inputs.items()}
    assert entry["outputs_sha256"] == {n: sha256((reference / n).read_bytes()) for n in script.outputs}
    assert set(entry["samples_sha256"]) == set(script.samples)
    session = "\n".join(entry["session"])
    assert all(line in session for line in SESSION_LINES)
    for package in script.packages:
        assert f"{package}_" in session.replace(" ", "\n")
        assert package in entry["software"]


@pytest.mark.real
@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.samples], ids=lambda s: s.name)
def test_samples_are_those_the_answers_were_recorded_with(script, manifest, real_data):
    found = {name: sha256((real_data / name).read_bytes()) for name in script.samples}
    assert found == manifest[script.name]["samples_sha256"]


def frame(name: str, data: bytes) -> pd.DataFrame:
    if name.endswith(".json"):
        return pd.json_normalize(json.loads(data)["cases"])
    return pd.read_csv(BytesIO(data), compression="gzip" if name.endswith(".gz") else None, skipinitialspace=True)


@pytest.mark.r
@pytest.mark.full
@pytest.mark.parametrize("script", [s for s in SCRIPTS if not s.slow], ids=lambda s: s.name)
def test_recorded_is_live(script, reference):
    problem = why_not_live(script)
    if problem:
        pytest.skip(problem)
    for name, data in run(script).items():
        if name == "session.txt":
            continue
        now, then = frame(name, data), frame(name, (reference / name).read_bytes())
        # Another build of R and of the linear algebra below it may round otherwise.
        pd.testing.assert_frame_equal(now, then, rtol=1e-8, atol=1e-13)


@pytest.mark.r
@pytest.mark.full
@pytest.mark.parametrize("case", ["acs-lecture", "ce-income"])
def test_lecture_8_in_live_r_is_lecture_8_in_recorded_r(case, capsys):
    """Here, where a script of R that ran once in this process is not run again."""
    try:
        live = lecture_8_in_r(case, live=True)
    except RUnavailableError as error:
        pytest.skip(str(error))
    kept = lecture_8_in_r(case, live=False)
    np.testing.assert_allclose(live.table.to_numpy(float), kept.table.to_numpy(float), rtol=1e-12)
    assert live.live
    assert live.source.startswith("Live: R version")
    assert capsys.readouterr().out == ""


def test_both_print_the_same_text_and_say_which_it_is(monkeypatch, reference):
    def answer(script: Script) -> dict[str, bytes]:
        return {name: (reference / name).read_bytes() for name in script.outputs}

    monkeypatch.setattr(reference_results, "run", answer)
    monkeypatch.setattr(reference_results, "why_not_live", lambda script: "")
    monkeypatch.setattr(reference_results, "software", lambda script: "R version 9")
    live, kept = reference_results.reference("weights"), reference_results.reference("weights", live=False)
    assert (live.live, kept.live) == (True, False)
    assert str(live).splitlines()[:-1] == str(kept).splitlines()[:-1]
    assert live.source == "Live: R version 9, reference/weights.R."
    assert kept.source.startswith("Recorded: R version 4")
    assert repr(live) == str(live)
    assert "Live: R version 9" in live._repr_html_()


def test_recorded_where_r_is_not(monkeypatch):
    monkeypatch.setattr(reference_results, "why_not_live", lambda script: "R is not on PATH; fix it with: apt")
    run.cache_clear()
    assert not reference("weights").live
    with pytest.raises(RUnavailableError, match="R is not on PATH; fix it"):
        reference("weights", live=True)


def test_a_script_of_minutes_is_not_run_unless_asked(monkeypatch):
    monkeypatch.setattr(reference_results, "why_not_live", lambda script: "")
    monkeypatch.setattr(reference_results, "run", lambda script: pytest.fail("was run"))
    assert not reference("npbayes_dpmpm_acs").live


@pytest.mark.parametrize("name", NAMES)
def test_every_reference_can_be_read(name):
    answer = reference(name, live=False)
    assert len(answer.table) > 0
    assert answer.source.startswith("Recorded: R version")


def test_values_by_condition():
    answer = reference("match_risk", live=False)
    assert answer.value(what="c", case="one tenth below") == 197
    three = answer.value(what="unique matches", case="ce-income")
    np.testing.assert_array_equal(three, [264, 245, 258])
    with pytest.raises(InputError, match="no row with"):
        answer.value(what="nothing")
    with pytest.raises(InputError, match=r"nosuch=1: .*no such column; use one of 'what', 'case'"):
        answer.value(nosuch=1)
    with pytest.raises(InputError, match=r"case=\['a', 'b'\]: must be one value"):
        answer.value(case=["a", "b"])
    with pytest.raises(InputError, match=r"has no column 'value'; use a column of \.table: .*'pGAF'"):
        reference("gamlss_dist_GAF", live=False).value(mu=1)
    with pytest.raises(InputError, match="name='nothing'"):
        reference("nothing")


def test_samples_that_are_not_here_are_named(monkeypatch, tmp_path):
    script = next(s for s in SCRIPTS if s.samples and not s.slow)
    monkeypatch.setattr(reference_results, "probe", lambda: recorded_status())
    monkeypatch.setattr(reference_results, "package_state", lambda package: "1.0")
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path))
    assert why_not_live(script).startswith(f"{script.name} reads real samples: SYNTHLAB_DATA_DIR must name a folder")
    monkeypatch.setattr(reference_results, "package_state", lambda package: "missing")
    assert why_not_live(script).startswith("the R package IdentificationRiskCalculation is not installed")


def recorded_status():
    from synthlab.r import RStatus

    return RStatus("R version 4.2.2", None, path="/usr/bin/R")


@pytest.mark.r
def test_a_script_that_stops_says_why(monkeypatch, tmp_path):
    script = replace(SCRIPTS[0], name="weights.R", packages=(), outputs=("no_such_file.csv",), inputs=())
    if why_not_live(script):
        pytest.skip(why_not_live(script))
    (tmp_path / "weights.R").write_text("stop('out of ideas')\n")
    monkeypatch.setattr(reference_results, "packaged_file", lambda name: tmp_path)
    with pytest.raises(
        RUnavailableError, match=r"R stopped in weights.R: Error: out of ideas; see the details with: .*Rscript"
    ):
        run(script)


@pytest.fixture
def forget():
    def clear():
        reference_results.run.cache_clear()
        reference_results._why_run_fails.cache_clear()

    clear()
    yield
    clear()


def r_at(folder, monkeypatch, rscript):
    """Let R be in a folder, beside an Rscript of these lines."""
    folder.mkdir(exist_ok=True)
    status = replace(recorded_status(), path=str(folder / "R"))
    monkeypatch.setattr(reference_results, "probe", lambda: status)
    (folder / "Rscript").write_text(f"#!/bin/sh\n{rscript}\n")
    (folder / "Rscript").chmod(0o755)


BROKEN = [
    ("kill -SEGV $$", "R stopped in weights.R: no answer, exit code -11 ({rscript}); fix it with: sudo apt-get"),
    (
        "printf '\\377\\n'; printf '\\377 bad\\n' >&2; exit 1",
        "R stopped in weights.R: \ufffd bad ({rscript}); fix it with: sudo",
    ),
    (
        "exit 0",
        "R ended weights.R without writing weights.csv, session.txt ({rscript}); fix it with: sudo apt-get install",
    ),
    ("exec sleep 9", "R did not finish weights.R in 1 s; see the details with: {rscript} --vanilla "),
]


@pytest.mark.usefixtures("forget")
@pytest.mark.parametrize(("rscript", "why"), BROKEN)
def test_where_r_fails_the_recorded_answer_is_given_and_says_why(monkeypatch, tmp_path, rscript, why):
    monkeypatch.setattr(reference_results, "TIMEOUT", 1.0)
    r_at(tmp_path, monkeypatch, rscript)
    why = why.format(rscript=tmp_path / "Rscript")
    answer, kept = reference("weights"), reference("weights", live=False)
    assert not answer.live
    assert f"{kept.source} Not live: {why}" in answer.source
    assert str(answer).splitlines()[:-1] == str(kept).splitlines()[:-1]
    assert str(answer).splitlines()[-1] == answer.source
    with pytest.raises(RUnavailableError) as raised:
        reference("weights", live=True)
    assert why in str(raised.value)


@pytest.mark.usefixtures("forget")
def test_a_script_that_fails_is_run_once_a_session(monkeypatch, tmp_path):
    r_at(tmp_path, monkeypatch, f"echo once >> {tmp_path}/runs; exit 1")
    for name in ("weights", "weights"):
        assert not reference(name).live
    assert (tmp_path / "runs").read_text() == "once\n"


@pytest.mark.usefixtures("forget")
def test_an_rscript_that_does_not_start(monkeypatch, tmp_path):
    r_at(tmp_path, monkeypatch, "")
    (tmp_path / "Rscript").write_text("#!/no/such/shell\n")
    assert "Not live: R cannot run weights.R: " in reference("weights").source


@pytest.mark.usefixtures("forget")
def test_the_crosscheck_goes_on_where_r_fails(monkeypatch, tmp_path):
    r_at(tmp_path, monkeypatch, "exit 0")
    result = crosscheck(["weights"])
    assert result.passes
    assert not any(row.live for row in result.rows)
    assert "Not live: R ended weights.R without writing" in str(result)


@pytest.mark.usefixtures("forget")
def test_the_rscript_beside_the_r_that_was_probed_is_run(monkeypatch, tmp_path, reference):
    r_at(tmp_path / "good", monkeypatch, f'cp "{reference}"/weights.csv "$3"; : > "$3/session.txt"')
    (tmp_path / "Rscript").write_text("#!/bin/sh\nexit 9\n")
    (tmp_path / "Rscript").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert reference_results.reference("weights").live
    # R may be a link into the folder of both.
    (tmp_path / "bin").mkdir()
    (tmp_path / "good/R").touch()
    (tmp_path / "bin/R").symlink_to(tmp_path / "good/R")
    status = replace(recorded_status(), path=str(tmp_path / "bin/R"))
    monkeypatch.setattr(reference_results, "probe", lambda: status)
    reference_results.run.cache_clear()
    assert reference_results.reference("weights").live


@pytest.fixture
def processes(monkeypatch, tmp_path, reference, forget):
    """Return a function that asks as a new process would, and says how often R was run so far."""
    answer = f'cp "{reference}"/weights.csv "$3"; : > "$3/session.txt"'
    r_at(tmp_path, monkeypatch, f"echo once >> {tmp_path}/runs; test -e {tmp_path}/broken && exit 1; {answer}")
    monkeypatch.setenv(reference_results.SHARED, str(tmp_path / "shared"))
    monkeypatch.setattr(reference_results, "installed", lambda: "MASS, this morning")
    (tmp_path / "shared").mkdir()
    weights = next(script for script in SCRIPTS if script.name == "weights.R")

    def ask():
        reference_results.run.cache_clear()
        written = run(weights)
        assert written == {"weights.csv": (reference / "weights.csv").read_bytes(), "session.txt": b""}
        return (tmp_path / "runs").read_text().count("once")

    return ask


def test_processes_that_share_a_folder_run_a_script_once(processes, monkeypatch):
    assert [processes(), processes()] == [1, 1]
    monkeypatch.delenv(reference_results.SHARED)
    assert [processes(), processes()] == [2, 3]


@pytest.mark.parametrize("what", ["the script", "what it reads", "the packages", "their builds", "R"])
def test_another_question_is_asked_again(processes, monkeypatch, tmp_path, reference, what):
    assert processes() == 1
    if what == "the packages":
        monkeypatch.setattr(reference_results, "software", lambda script: "R version 4.2.2, MASS 9")
    elif what == "their builds":
        monkeypatch.setattr(reference_results, "installed", lambda: "MASS, this evening")
    elif what == "R":
        r_at(tmp_path / "other", monkeypatch, (tmp_path / "Rscript").read_text())
    else:
        name = {"the script": "reference/weights.R", "what it reads": "ce_simulated.csv"}[what]
        data = tmp_path / "data"
        shutil.copytree(reference.parent, data)
        (data / name).write_bytes((data / name).read_bytes() + b"\n")
        monkeypatch.setattr(reference_results, "packaged_file", lambda name: data / name)
    assert [processes(), processes()] == [2, 2]


def test_a_failure_is_not_shared(processes, tmp_path):
    (tmp_path / "broken").touch()
    with pytest.raises(RUnavailableError):
        processes()
    (tmp_path / "broken").unlink()
    assert [processes(), processes()] == [2, 2]
