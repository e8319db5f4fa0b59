"""For every test and doctest: figures and display settings do not outlive it; R is asked a question once."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

gc.disable()  # until all is collected; a process that only hands out tests needs none
collect_ignore = ["course/site/conf.py"]  # Sphinx runs it: it has no examples, and begins to look through the package
os.environ.setdefault("MPLBACKEND", "agg")
os.environ["SYNTHLAB_MINE"] = "off"  # lectures neither write nor read the functions of a student
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # its import takes 2 s; jsonschema needs it for one format
if "PYTEST_XDIST_WORKER" in os.environ:  # the tests share the cores already
    os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--level`."""
    parser.addoption(
        "--level",
        choices=("check", "test", "added", "all"),
        default="all",
        help="check, test: the tests of make check and make test; added: those that make test-all adds to make test (default: all)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let all processes, notebooks too, share what R answers to our scripts (synthlab/r/reference_results.py).

    The next run has it too, as long as R, its packages, the scripts and the data are the same; --cache-clear asks R again.
    """
    cache = getattr(config, "cache", None)  # not where the plugin is turned off
    if cache is not None and "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ["SYNTHLAB_R_ANSWERS"] = str(cache.mkdir("r"))
    if getattr(config.option, "nbval_lax", False):
        from tests import forked_kernels

        forked_kernels.use()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """A module without examples is not imported to look for them, in each of the processes."""
    found = yield
    if file_path.suffix != ".py" or ">>>" in file_path.read_text(encoding="utf-8"):
        return found
    return [one for one in found if type(one) is pytest.Module]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not collect files that the level leaves out."""
    level = config.getoption("--level")
    if level == "all":
        return None
    from tests import levels

    return levels.is_left_out(collection_path, level) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect items that the level leaves out, and begin with the files that take longest."""
    from tests import levels

    items.sort(key=lambda item: not levels.is_below(item.path, levels.FIRST))
    level = config.getoption("--level")
    if level == "all":
        return
    kept, gone = [], []
    for item in items:
        (kept if levels.includes(item, level) else gone).append(item)
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = kept


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not go through it again and again.

    It goes through the rest, large libraries too, a tenth as often as Python has it.
    """
    gc.freeze()
    gc.set_threshold(700, 10, 100)
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def lines_are_counted_here_alone() -> Iterator[None]:
    """A pytest that a test starts in a process of its own does not count lines, and does not look for the package."""
    counted = os.environ.pop("SLIPCOVER_ENABLED", None)
    yield
    if counted:
        os.environ["SLIPCOVER_ENABLED"] = counted


@pytest.fixture(autouse=True)
def leave_nothing_behind() -> Iterator[None]:
    """Close all figures and undo settings of pandas and rpy2, so that a test does not change the next one."""
    libraries = os.environ.get("LD_LIBRARY_PATH")
    yield
    if libraries is None:
        os.environ.pop("LD_LIBRARY_PATH", None)  # rpy2 sets it, and a Python in a subprocess can load wrong libraries
    else:
        os.environ["LD_LIBRARY_PATH"] = libraries
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        pandas.reset_option(r"^display\.(precision|max_)")
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
