"""pytest in a forked process: the parent has imported the heavy libraries once, and synthlab never."""

from __future__ import annotations

import gc
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

HEAVY = (
    *("numpy", "scipy.stats", "scipy.optimize", "scipy.integrate", "pandas", "statsmodels.api", "sklearn.tree"),
    *("sklearn.linear_model", "formulaic", "matplotlib.pyplot", "numba", "pymc", "hypothesis", "typer", "rich.table"),
)


@dataclass(frozen=True)
class Outcome:
    """What pytest said: its exit code (None: stopped by the time limit), and the test that failed first."""

    code: int | None
    failed: str | None
    seconds: float


def warm() -> None:
    """Import the heavy libraries and give hypothesis a profile in which a run says the same twice."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # nbval alone takes a second
    for name in HEAVY:
        importlib.import_module(name)
    from hypothesis import settings

    settings.register_profile("mutation", derandomize=True, database=None, deadline=None)
    settings.load_profile("mutation")
    gc.freeze()  # pytest collects garbage, and what is imported here is none


def forked(work: Callable[[], Any], *, cpu: float, log: Path) -> tuple[Any, bool, float]:
    """Return what `work` gives in a forked process, whether it ended in time, and its CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        pid = os.fork()
        if pid == 0:
            with open(log, "w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu) + 5))
            try:
                answer.write_text(json.dumps(work()))
            except BaseException:  # noqa: BLE001 - nothing may leave the fork
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(0)
        _, status, usage = os.wait4(pid, 0)
        value = json.loads(answer.read_text()) if answer.exists() else None
        return value, not os.WIFSIGNALED(status), usage.ru_utime + usage.ru_stime


def run(root: Path, order: Sequence[str], *, log: Path, cpu: float, file: str = "", tree: Any = None) -> Outcome:
    """Run the tests named, in this order until one fails, with `tree` as the syntax tree of the file if there is one."""
    cache = tempfile.mkdtemp() if tree is not None and "njit" in (root / file).read_text() else None

    def work() -> list[Any]:
        if tree is not None:
            sys.meta_path.insert(0, _Planted(module_name(file), root / file, compile(tree, root / file, "exec")))
        if cache:  # what was compiled before knows nothing of the fault
            import numba

            numba.config.CACHE_DIR = cache
        chosen, paths = Chosen(order), sorted({name.split("::")[0] for name in order})
        if not imported(root, [module_name(name) for name in (file, *paths)]):
            return [1, "import"]
        return [call_pytest(root, paths, chosen), chosen.failed]

    try:
        value, ended, seconds = forked(work, cpu=cpu, log=log)
    finally:
        if cache:
            shutil.rmtree(cache)
    if value is None:
        return Outcome(3 if ended else None, None, seconds)
    return Outcome(value[0], value[1], seconds)


def imported(root: Path, names: Sequence[str]) -> bool:
    """Import modules of the package here, as a user does: pytest, left to it, makes copies of some."""
    os.chdir(root)
    sys.path.insert(0, str(root))
    try:
        for name in names:
            if name and not name.startswith("tests."):
                importlib.import_module(name)
    except Exception:  # noqa: BLE001 - whatever a fault does on import
        traceback.print_exc()
        return False
    return True


def call_pytest(root: Path, paths: Sequence[str], *plugins: object) -> int:
    """Run pytest here; the tests marked slow are left out."""
    flags = ["-q", "-x", "--tb=line", "-m", "not slow", "-p", "no:cacheprovider"]
    return int(pytest.main([*flags, "--rootdir", str(root), *paths], plugins=list(plugins)))


class Chosen:
    """A pytest plugin: only these tests, in this order."""

    def __init__(self, order: Sequence[str]) -> None:
        self.order = {name: place for place, name in enumerate(order)}
        self.failed: str | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda i: self.order[i.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.failed is None:
            self.failed = report.nodeid


class _Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, and runs the code given in the place of the file's."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self.name, self.path, self.code = name, path, code

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        folder = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, self.path, loader=self, submodule_search_locations=folder)

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)  # noqa: S102 - the fault planted


def module_name(file: str) -> str:
    """Return the dotted name of a file of the package."""
    return file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
