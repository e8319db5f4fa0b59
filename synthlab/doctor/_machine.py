"""The machine: compiled code, data, folders that are written to, cores, memory and space."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from synthlab import _about, _extras
from synthlab._memory import memory_gb
from synthlab.doctor._check import Check, ask, by_system

SPACE = 1.0  # GB: reports, editions of the course and compiled code
MEMORY = 2.0  # GB: what the largest lecture is allowed to take
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COMPILERS = ("cc", "gcc", "clang", "cl")
_ASK_COMPILED = """
import numpy as np
from synthlab import _halving
print(_halving.look._cache.cache_path)
"""


def compiled_code() -> list[Check]:
    """Ask a fresh Python to load functions that Numba compiles, and for the folder it keeps them in."""
    found, problem = ask(_ASK_COMPILED)
    if not problem:
        return [Check("compiled code", "ok", f"kept in {found}", required=True)]
    if "no locator available" in problem:
        cost = "Numba may write neither beside the package nor into the cache of the user, and does not go on"
        folder = Path(tempfile.gettempdir(), "numba")
        return [Check("compiled code", "broken", "", cost, _set("NUMBA_CACHE_DIR", folder), required=True)]
    cost, mend = f"synthlab does not work ({problem})", "python -m pip install --force-reinstall numba"
    return [Check("compiled code", "broken", "", cost, mend, required=True)]


def _set(name: str, value: object) -> str:
    unix = f"export {name}='{value}'"
    return by_system(unix, unix, f"$env:{name} = '{value}'")


def _unset(name: str) -> str:
    return by_system(f"unset {name}", f"unset {name}", f"Remove-Item Env:{name}")


def bundled_data() -> list[Check]:
    """Compare the bundled datasets with the digests that the registry has."""
    from synthlab.datasets import _files, _registry

    mend = f"python -m pip install --force-reinstall --no-deps {_about.DISTRIBUTION}"
    if (_about.PACKAGE.parent / "pyproject.toml").is_file():
        mend = "git checkout -- data"
    files = [
        file
        for entry in _registry.REGISTRY.values()
        for version in entry.versions
        if version.packaged
        for file in version.files
    ]
    wrong = []
    for file in files:
        path = _files.packaged_file(file.name)
        if not path.is_file() or _files.sha256(path.read_bytes()) != file.sha256:
            wrong.append(file.name)
    if wrong or not files:
        cost = f"these datasets cannot be loaded: {', '.join(wrong)}"
        return [Check("bundled data", "broken", str(_about.data_folder()), cost, mend, required=True)]
    digest, number = _about.data_version()
    return [Check("bundled data", "ok", f"{number} files, version {digest[:12]}", required=True)]


def surveys() -> list[Check]:
    """Say which real surveys are at hand, and whether the folder in which they are looked for is there."""
    from synthlab import datasets
    from synthlab.datasets import _files
    from synthlab.exceptions import InputError

    name = _files.DATA_DIR_VARIABLE
    try:
        folder = _files.data_folder()
    except InputError as error:
        return [Check(name, "broken", "", f"no dataset can be loaded ({error})", _unset(name))]
    found = str(folder) if folder else "not set; datasets come from the package and the cache of the user"
    checks = [Check(name, "ok", found)]
    table = datasets.describe()
    for row in table[table["version"] == "real"].itertuples(index=False):
        if row.at_hand:
            checks.append(Check(f"data {row.name}", "ok", f"{row.rows:,} records"))
        else:
            cost = "a simulated stand-in is loaded in its place"
            checks.append(Check(f"data {row.name}", "missing", "", cost, f"synthlab data fetch {row.name}"))
    network = "not needed: synthlab data fetch alone uses it"
    return [*checks, Check("network", "ok", network)]


def folders() -> list[Check]:
    """Try to write where reports, temporary files and fetched data go."""
    from synthlab.datasets._files import cache_folder

    here, temporary, cache = Path.cwd(), Path(tempfile.gettempdir()), cache_folder()
    while not cache.exists():  # it is made when it is needed
        cache = cache.parent
    return [
        _writable("this folder", here, "nothing can be written here", f'cd "{Path.home()}"'),
        _writable("temporary files", temporary, "notebooks and grading need them", _set("TMPDIR", here)),
        _writable("cache", cache, "synthlab data fetch has no place for its files", _set("XDG_CACHE_HOME", here)),
    ]


def _writable(name: str, folder: Path, cost: str, mend: str) -> Check:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"synthlab")
    except OSError as error:
        return Check(name, "broken", str(folder), f"{cost} ({error.strerror or type(error).__name__})", mend)
    return Check(name, "ok", f"{folder} can be written to")


def machine() -> list[Check]:
    """Count cores, memory and free space."""
    from joblib import cpu_count

    checks = [Check("cores", "ok", f"{cpu_count()} for this process")]
    memory = memory_gb()
    if memory is None:
        cost = "its size is not known, and a lecture takes up to 1 GB of it"
        checks.append(Check("memory", "missing", "", cost, _extras.how_to_install("course")))
    elif memory < MEMORY:
        cost = f"less than the {MEMORY:g} GB that the largest lectures are allowed to take"
        checks.append(Check("memory", "missing", f"{memory:.1f} GB", cost, "synthlab demo --m 5"))
    else:
        checks.append(Check("memory", "ok", f"{memory:.1f} GB"))
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    if free < SPACE:
        cost = f"less than {SPACE:g} GB: reports, editions of the course or compiled code may not fit"
        return [*checks, Check("disk space", "missing", f"{free:.2f} GB free", cost, "python -m pip cache purge")]
    return [*checks, Check("disk space", "ok", f"{free:.1f} GB free")]


def compiler() -> list[Check]:
    """Look for a compiler of C, with which rpy2 is built."""
    found = next(filter(None, map(shutil.which, COMPILERS)), None)
    if found is not None:
        return [Check("compiler", "ok", found)]
    cost = "rpy2 cannot be built, and PyTensor warns that it has none; nothing else needs one"
    mend = by_system(
        "sudo apt-get install build-essential",
        "xcode-select --install",
        "winget install Microsoft.VisualStudio.2022.BuildTools",
    )
    return [Check("compiler", "missing", "", cost, mend)]


def browser() -> list[Check]:
    """Look for a browser that can be driven, with which the tests look at pages."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is not None:
        return [Check("browser", "ok", found)]
    cost = "make site-test and the tests of pages look at none; reports, lectures and the site open in any browser"
    mend = by_system(
        "sudo apt-get install chromium", "brew install --cask google-chrome", "winget install Google.Chrome"
    )
    return [Check("browser", "missing", "", cost, mend)]
