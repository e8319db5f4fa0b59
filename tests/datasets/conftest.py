"""A machine without any real data, a small dataset that can be at hand or not, and a server on loopback."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest

from synthlab.datasets import _registry
from synthlab.datasets._entry import DataFile, Entry, Upstream, Version, levels, number

CONFIDENTIAL = b"sex,income\r\n1,1200.5\r\n2,-40\r\n2,0\r\n"
SYNTHETIC_PUBLISHED = b'"","sex","income"\n"1",1,900\n"2",2,-35.5\n"3",2,10\n'
SYNTHETIC = b'"sex","income"\n1,900\n2,-35.5\n2,10\n'
HOMEMADE = b"sex,income\n1,1\n2,2\n2,3\n"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and no SYNTHLAB_DATA_DIR, whatever this machine has; returns the folder for data."""
    monkeypatch.delenv("SYNTHLAB_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "synthlab" / "data"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Entry:
    """A registered dataset: a real version of three files, two of them public, and a stand-in."""
    upstream = {"repository": "someone/data", "commit": "0" * 40}
    entry = Entry(
        name="toy",
        title="three people",
        known=("sex",),
        sensitive=("income",),
        synthesized=("income",),
        variables={"sex": levels("1 male, 2 female", 2), "income": number("dollars")},
        versions=(
            Version(
                name="real",
                kind="real",
                rows=3,
                source="a survey",
                licence="public domain",
                files=(
                    DataFile("toy.csv", sha256(CONFIDENTIAL), upstream=Upstream(**upstream, path="a folder/toy.csv")),
                    DataFile(
                        "toy_synthetic.csv",
                        sha256(SYNTHETIC),
                        "first",
                        Upstream(
                            **upstream, path="syn.csv", sha256=sha256(SYNTHETIC_PUBLISHED), convert="drop_row_names"
                        ),
                    ),
                    DataFile("toy_homemade.csv", sha256(HOMEMADE), "second"),
                ),
            ),
            Version(
                name="simulated",
                kind="simulated",
                rows=3,
                source="a script",
                licence="ours",
                make=lambda rng, n: pd.DataFrame({"sex": [1, 2, 2], "income": [1.0, 2.0, 3.0]}),
            ),
        ),
    )
    monkeypatch.setitem(_registry.REGISTRY, "toy", entry)
    return entry


@dataclass
class Server:
    """What a server on loopback answers by path, and what it was asked."""

    url: str = ""
    answers: dict[str, bytes] = field(default_factory=dict)
    cut_off: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Serve the toy dataset's public files; the environment's proxies are set aside."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    state = Server()
    prefix = f"/someone/data/{'0' * 40}"
    state.answers = {f"{prefix}/a%20folder/toy.csv": CONFIDENTIAL, f"{prefix}/syn.csv": SYNTHETIC_PUBLISHED}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            body = state.answers.get(self.path)
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if self.path in state.cut_off else body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        state.url = f"http://127.0.0.1:{running.server_port}"
        yield state
        running.shutdown()
        thread.join()
