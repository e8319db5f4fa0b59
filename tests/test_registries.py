"""A new synthesizer and a new measure change few files: a module and a registry each, and files that commands write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CODE, FOLDERS = ("synthlab", "tests"), ("binder", "course", "data")  # folders to copy and to link to
TOYS = ROOT / "tests" / "toys"
DECLARATION = """    Declaration(
        "marginal",
        "Marginal",
        lambda: synthesizers.Marginal("income"),
        missing=False,
        density=False,
        needs_records=True,
    ),
"""
EVALUATION = """
import warnings
import synthlab as sl
from tests.fitted_examples import SURVEY
warnings.simplefilter("ignore")
release = sl.Marginal("income").fit(SURVEY).generate(2, rng=1)
evaluation = sl.evaluate(SURVEY, release, sl.Intruder(known=["region"], synthesized=["income"], radius=0.1))
assert len(evaluation["same_row"].counts) == 2
assert "same_row" in evaluation.summary().index
"""
TESTS = (
    "tests/synthesizers/test_contract.py",
    "tests/hostile/test_hostile_sample.py::test_every_public_callable_is_swept_or_left_out_for_a_reason",
    "tests/hostile/test_hostile_sample.py::test_every_argument_of_what_is_swept_gets_hostile_values",
    "tests/recorded/test_returned.py::test_every_call_is_recorded_without_sentences",
    "tests/recorded/test_returned.py::test_signatures",
)


def contents(root: Path) -> dict[str, bytes]:
    """Return the contents of the code, tests and recorded answers."""
    paths = [path for folder in CODE for path in (root / folder).rglob("*") if path.suffix in (".py", ".pyi", ".json")]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def insert(path: Path, line: str, text: str) -> None:
    """Insert text after a line."""
    before, after = path.read_text(encoding="utf-8").split(line)
    path.write_text(before + line + text + after, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository with a toy synthesizer and a toy measure."""
    root = tmp_path_factory.mktemp("repository")
    for path in ROOT.iterdir():
        if path.name in CODE:
            shutil.copytree(path, root / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif path.is_file() and not path.name.startswith("."):
            shutil.copy(path, root)
        elif path.name in FOLDERS:
            (root / path.name).symlink_to(path)
    measures, synthesizers = root / "synthlab" / "report" / "measures", root / "synthlab" / "synthesizers"
    shutil.copy(TOYS / "same_row.py", measures)
    insert(
        measures / "__init__.py",
        "from synthlab.report.measures.replicated_uniques import ReplicatedUniques\n",
        "from synthlab.report.measures.same_row import SameRow\n",
    )
    insert(measures / "__init__.py", "        Relations(),\n", "        SameRow(),\n")
    shutil.copy(TOYS / "marginal.py", synthesizers)
    insert(synthesizers / "registry.py", "DECLARATIONS = (\n", DECLARATION)
    return root


def run(root: Path, *arguments: str) -> None:
    """Run Python in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.mark.full
def test_a_synthesizer_and_a_measure_change_few_files(copy: Path) -> None:
    run(copy, "-m", "tests.stubs")
    run(copy, "-m", "tests.recorded", "Marginal", "signatures")
    run(copy, "-c", EVALUATION)
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "Marginal or test_returned or hostile", *TESTS)
    before, after = contents(ROOT), contents(copy)
    written_by_hand = {
        "synthlab/report/measures/__init__.py",
        "synthlab/report/measures/same_row.py",
        "synthlab/synthesizers/marginal.py",
        "synthlab/synthesizers/registry.py",
    }
    written_by_commands = {
        "synthlab/__init__.pyi",
        "synthlab/synthesizers/__init__.pyi",
        "tests/recorded/answers/Release.json",
        "tests/recorded/signatures.json",
    }
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == written_by_hand | written_by_commands
