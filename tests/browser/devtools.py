"""A headless Chromium that is driven by keys: its devtools protocol over a websocket, nothing else."""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
]
CODES = {
    "ArrowUp": 38,
    "ArrowDown": 40,
    "Tab": 9,
    "Enter": 13,
    "Home": 36,
    "Delete": 46,
    "End": 35,
    "Backspace": 8,
    " ": 32,
}


class Page:
    """One page of the browser."""

    def __init__(self, address: str) -> None:
        import websocket

        self.socket = websocket.create_connection(address, timeout=180)
        self.numbers = itertools.count(1)
        self.console: list[str] = []
        self.requests: list[str] = []  # after Network.enable
        for domain in ("Page", "Runtime", "Log", "Accessibility", "DOM"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its answer; what the console says in between is kept."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        what = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.console.append(str(what["exceptionDetails"].get("exception", what["exceptionDetails"]))[:2000])
        if message.get("method") == "Runtime.consoleAPICalled" and what["type"] in ("error", "assert"):
            self.console.append(" ".join(str(a.get("value", a.get("description"))) for a in what["args"])[:2000])
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        if message.get("method") == "Network.loadingFailed" and not what.get("canceled"):
            self.console.append(f"a request failed: {what['errorText']}")
        if message.get("method") == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.console.append(f"{what['entry']['text']} {what['entry'].get('url', '')}")

    def run(self, script: str) -> Any:
        """Return what an expression evaluates to, waited for if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script: str, seconds: float = 60) -> Any:
        """Return the first value of an expression that is true, or fail with what the page shows."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.run(script)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(
            f"not within {seconds} s: {script}\n{self.run('document.body.innerText')[-1500:]}\n{self.console}"
        )

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press and release a key of the keyboard."""
        code = CODES.get(key, ord(key[0].upper()))
        given = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        if len(key) == 1 and not modifiers:
            given["text"] = key
        if key == "Enter":
            given["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **given)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in given.items() if k != "text"})

    def type(self, text: str) -> None:
        """Press the keys of a text."""
        for letter in text:
            self.press(letter)

    def focused(self) -> dict[str, Any]:
        """Return role, name and value of what has the focus, as assistive technology is told."""
        thing = self.call("Runtime.evaluate", expression="document.activeElement")["result"]["objectId"]
        nodes = self.call("Accessibility.getPartialAXTree", objectId=thing, fetchRelatives=False)["nodes"]
        return {k: nodes[0].get(k, {}).get("value") for k in ("role", "name", "value")}


@contextlib.contextmanager
def open_page(address: str, folder: Path) -> Iterator[Page]:
    """Open a page in a browser of its own, which is closed afterwards."""
    command = [str(BROWSER), *FLAGS, f"--user-data-dir={folder}", "about:blank"]
    with (folder.parent / "chromium.log").open("w") as log:
        browser = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        port = _read_when_there(folder / "DevToolsActivePort", browser).splitlines()[0]
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"http://127.0.0.1:{port}/json"
        ) as answer:
            tabs = json.load(answer)
        page = Page(next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page"))
        with contextlib.closing(page.socket):
            page.call("Page.navigate", url=address)
            yield page
    finally:
        browser.terminate()
        browser.wait(timeout=30)


def _read_when_there(file: Path, process: subprocess.Popen[Any], seconds: float = 60) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if file.exists() and file.read_text():
            return file.read_text()
        time.sleep(0.1)
    raise AssertionError(f"{file.name} was not written within {seconds} s; return code {process.poll()}")
