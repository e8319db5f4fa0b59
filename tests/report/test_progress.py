"""What takes long says on a terminal what it does, before it does it."""

import io

import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.report.measures import MEASURES

FRAME = pd.DataFrame({"region": list("NNSS") * 5, "income": range(20)})
SOMEONE = sl.Intruder(known=["region"], synthesized=["income"], radius=0.2)


@pytest.fixture
def seen(monkeypatch):
    """What had been written to stderr when each measure began."""
    said = {}
    for name, measure in MEASURES.items():

        def applies(question, name=name, ask=measure.applies):
            import sys

            said[name] = sys.stderr.getvalue()
            return ask(question)

        monkeypatch.setattr(measure, "applies", applies)
    return said


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_each_measure_is_named_before_it_is_computed(seen, monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    sl.evaluate(FRAME, FRAME.assign(income=range(20, 0, -1)), SOMEONE, rows="aligned", progress=True)
    assert {*seen} == {name for name, measure in MEASURES.items() if not measure.per_unit}
    for name, text in seen.items():
        assert text.rpartition("\r")[2].count(MEASURES[name].title) == 1


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_the_command_shows_progress_on_a_terminal_alone(seen, monkeypatch, tmp_path, kind):
    monkeypatch.setattr("sys.stderr", kind())
    monkeypatch.setenv("TERM", "xterm")
    FRAME.to_csv(tmp_path / "survey.csv", index=False)
    FRAME.assign(income=range(40, 60)).to_csv(tmp_path / "made.csv", index=False)
    files = [str(tmp_path / name) for name in ("survey.csv", "made.csv")]
    with pytest.raises(SystemExit) as ended:
        cli.main(["evaluate", *files, "--known", "region", "--synthesized", "income", "--radius", "0.2"])
    assert ended.value.code == 0
    terminal = kind is Terminal
    assert ("reading survey.csv" in seen["pmse"]) is terminal
    assert (MEASURES["pmse"].title in seen["pmse"]) is terminal
