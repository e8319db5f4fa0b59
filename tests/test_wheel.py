"""The installed wheel works without the checkout, data and templates included."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    root = Path(__file__).resolve().parents[1]
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return next(out.glob("*.whl"))


def test_wheel_holds_the_data_and_the_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert any(n.startswith("synthlab/_data/") and n.endswith(".csv") for n in names)
    assert any(n.endswith("LICENSE") for n in names)
    assert any(n.endswith(".html.j2") or n.endswith(".html") for n in names if n.startswith("synthlab/report"))
    assert not any(n.startswith(("tests/", "course/")) for n in names)


@pytest.mark.slow
def test_installed_wheel_works_without_the_checkout(wheel, tmp_path):
    """A fresh environment sees the wheel and the libraries, not the checkout."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    ask = [sys.executable, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    libraries = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    site = next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(site)
    # Appended behind the wheel, and without the .pth files that point back to the checkout.
    code = f"""
import sys
sys.path.append({libraries!r})
import synthlab, synthlab.cli
from pathlib import Path
assert Path(synthlab.__file__).is_relative_to({str(site)!r}), synthlab.__file__
frames = [synthlab.datasets.load(name).frame for name in ("affairs", "acs", "ce", "ce2017", "nb_mixture")]
print([len(f) for f in frames])
f = frames[0]
print(round(float(synthlab.identification_risk(f, f, synthlab.Intruder(known=["age"], synthesized=["educ"])).expected_match_risk[0])))
"""
    done = subprocess.run(
        [str(python), "-I", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("[6366, 10000, 5571, 6208, 1000]")
