"""The package issues, collects and drops its own warnings, and leaves the filters of the process as they are."""

from __future__ import annotations

import ast
import threading
import warnings
from contextvars import copy_context
from pathlib import Path

import pytest

from synthlab._warnings import collected, issue_again, library_warnings, not_filtered_out, quiet, warn
from synthlab.exceptions import PseudocountWarning, SynthlabWarning, UndefinedStatisticWarning

PACKAGE = Path(__file__).resolve().parents[1] / "synthlab"


def texts(caught: list[warnings.WarningMessage]) -> list[str]:
    return [str(one.message) for one in caught]


def test_the_warning_names_the_line_outside_the_package():
    source = "def inner(): warn('here', PseudocountWarning)\ndef library(): inner()"
    namespace = {"warn": warn, "PseudocountWarning": PseudocountWarning}
    exec(compile(source, str(PACKAGE / "counts" / "made_up.py"), "exec"), namespace)  # noqa: S102
    with pytest.warns(PseudocountWarning) as issued:
        namespace["library"]()
    with collected() as given:
        namespace["library"]()
    first = test_the_warning_names_the_line_outside_the_package.__code__.co_firstlineno
    for caught, line in ((issued, first + 5), (given, first + 7)):
        assert [(w.filename, w.lineno) for w in caught] == [(__file__, line)]


def test_a_filter_of_the_user_decides_where_nothing_collects():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SynthlabWarning)
        with pytest.raises(PseudocountWarning, match="stop"):
            warn("stop", PseudocountWarning)
        with collected() as given:
            warn("go on", PseudocountWarning)
        with pytest.raises(PseudocountWarning, match="go on"):
            issue_again(given)
    with pytest.warns(PseudocountWarning, match="go on"):
        issue_again(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PseudocountWarning)
        assert not_filtered_out(given) == []
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert texts(not_filtered_out(given)) == ["go on"]


def test_the_innermost_block_receives_a_warning():
    with collected() as outer:
        with quiet(PseudocountWarning):
            warn("dropped", PseudocountWarning)
            warn("passed on", UndefinedStatisticWarning)
            with collected() as inner:
                warn("kept", PseudocountWarning)
        warn("last", PseudocountWarning)
        with quiet():
            issue_again(inner)
        issue_again(inner)
    assert texts(inner) == ["kept"]
    assert texts(outer) == ["passed on", "last", "kept"]


def test_other_warnings_are_neither_collected_nor_dropped():
    with pytest.warns(RuntimeWarning, match="unknown"), quiet():
        warnings.warn("unknown", RuntimeWarning, stacklevel=1)
    with pytest.warns(RuntimeWarning, match="unknown"), collected() as given:
        warnings.warn("unknown", RuntimeWarning, stacklevel=1)
    assert given == []


def test_a_thread_collects_for_itself_and_waits_while_another_changes_the_filters():
    found: dict[str, list[str]] = {}
    started, changed = threading.Event(), threading.Event()

    def other() -> None:
        started.set()
        changed.wait()
        with collected() as given:
            warn("of the thread", PseudocountWarning)
        found["collected"] = texts(given)
        warn("late", PseudocountWarning)

    before = list(warnings.filters)
    thread = threading.Thread(target=copy_context().run, args=(other,))
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        with quiet(), library_warnings("ignore"):
            thread.start()
            started.wait()
            changed.set()
            thread.join(0.2)
            assert thread.is_alive()
        thread.join()
    assert texts(issued) == ["late"]
    assert found == {"collected": ["of the thread"]}
    assert warnings.filters == before


def test_no_other_module_changes_the_filters():
    """A function that does would do so for all threads; a warning issued by another function would not be collected."""
    modules = [path for path in PACKAGE.rglob("*.py") if path.name != "_warnings.py"]
    assert len(modules) > 400
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names.append(str(node.module))
            assert "warnings" not in names, path
