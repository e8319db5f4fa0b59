"""The modules that lay out and check the site, and a server of a built one."""

from __future__ import annotations

import functools
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def module(name: str) -> ModuleType:
    """Return a module of course/site, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "course" / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="session")
def stage() -> ModuleType:
    pytest.importorskip("nbformat", reason="nbformat is not installed: the site is not laid out")
    return module("stage")


@pytest.fixture(scope="session")
def check() -> ModuleType:
    pytest.importorskip("nbformat", reason="nbformat is not installed: the site is not checked")
    return module("check")


@pytest.fixture(scope="session")
def source(stage: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that Sphinx reads."""
    folder = tmp_path_factory.mktemp("source")
    stage.stage(folder)
    return folder


class Quiet(SimpleHTTPRequestHandler):
    """A server that writes no log."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Path], str]]:
    """Return a function that serves a folder on this machine and returns its address."""
    servers = []

    def start(folder: Path) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
