"""A module is looked through for examples only where it has some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_a_module_without_examples_is_not_imported(tmp_path):
    (tmp_path / "without.py").write_text('"""No examples."""\nraise RuntimeError("was imported")\n')
    (tmp_path / "example.py").write_text('"""One.\n\n>>> 1 + 1\n2\n"""\n')
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-v", "-p", "conftest", "-p", "no:cacheprovider", "-c", "pytest.ini"]
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --doctest-modules\n")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)})
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert "example.py::example PASSED" in done.stdout
    assert "test_one.py::test_one PASSED" in done.stdout
