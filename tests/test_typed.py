"""What a type checker sees of the package: the signature of every public name, and that a typo is an error."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("", "risk", "weights", "utility", "counts", "dp", "synthesizers", "report", "datasets", "r")
PUBLIC = {room: import_module(f"synthlab.{room}".rstrip(".")).__all__ for room in ROOMS}


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """Return a function that checks a text, and gives the remarks by line."""
    folder = tmp_path_factory.mktemp("typed")

    def run(source: str) -> dict[int, str]:
        file = folder / "asked.py"
        file.write_text(source, encoding="utf-8")
        command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(file)]
        printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
        found = re.findall(r"asked\.py:(\d+): (?:note|error): (.*)", printed)
        assert found, printed
        return {int(line): said for line, said in found}

    return run


@pytest.mark.full
def test_the_type_of_every_public_name_is_seen(check):
    lines, names = ["import synthlab"], {}
    for room, public in PUBLIC.items():
        home = f"synthlab.{room}".rstrip(".")
        lines.append(f"import {home}")
        for name in public:
            lines.append(f"reveal_type({home}.{name})")
            names[len(lines)] = f"{home}.{name}"
    said = check("\n".join(lines))
    assert set(said) == set(names)
    assert len(names) > 150
    unseen = [names[line] for line, what in said.items() if re.search(r'is "(Any|def \(\*Any)', what)]
    assert unseen == []


def test_a_typo_and_a_wrong_argument_are_errors(check):
    said = check(
        "import pandas as pd\nimport synthlab as sl\n"
        "sl.identification_risks\n"
        "sl.identification_risk(pd.DataFrame(), pd.DataFrame(), sl.Intruder(knwon=['a']))\n"
        "sl.identification_risk(pd.DataFrame(), pd.DataFrame(), 'a')\n"
        "sl.pmse(3, pd.DataFrame())\n"
        "sl.synthesizers.NormalRegresion\n"
    )
    assert sorted(said) == [3, 4, 5, 6, 7], said


def test_the_stub_and_the_package_have_the_same_names():
    """What the stub names is there, and nothing is public without it."""
    for home in ("synthlab", "synthlab.utility", "synthlab.synthesizers", "synthlab.r"):
        module = import_module(home)
        assert sorted(module.__all__) == sorted(set(module.__all__))
        for name in module.__all__:
            assert getattr(module, name) is not None
        with pytest.raises(AttributeError, match="nothing"):
            module.nothing  # noqa: B018


def test_the_signature_of_a_figure_is_seen(check):
    said = check(
        "from synthlab.plots.utility import plot_propensity\n"
        "reveal_type(plot_propensity)\n"
        "plot_propensity(3)\n"
        "plot_propensity(ax=3)\n"
        "plot_propensity(dta='real')\n"
    )
    assert "result: synthlab.utility._propensity_result.PmseResult" in said[2]
    assert "ax: matplotlib.axes._axes.Axes | None =" in said[2]
    assert "*, data: " in said[2]
    assert set(said) == {2, 3, 4, 5}, said
