"""Keyboard operation and accessible names of every explorer in JupyterLab in a real browser."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.devtools import BROWSER, Page, open_page

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: the controls are not driven")
pytest.importorskip("ipywidgets", reason="ipywidgets is not installed: the controls are not driven")
pytest.importorskip("websocket", reason="websocket-client is not installed: the controls are not driven")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: the controls are not driven")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome on PATH: the controls are not driven"),
    pytest.mark.full,
]

SETUP = """
import numpy as np, pandas as pd, synthlab as sl, synthlab.counts as slc
from synthlab.teaching.widgets import *
rng = np.random.default_rng(3)
n = 120
people = pd.DataFrame({"region": rng.choice(list("ab"), n), "sex": rng.choice(list("fm"), n), "income": rng.lognormal(3, 1, n)})
people["spending"] = people["income"] * rng.lognormal(0, 0.3, n)
people.attrs["synthlab"] = {"kind": "simulated"}
shuffled = [people.assign(income=rng.permutation(people["income"])) for _ in range(3)]
model = sl.NormalRegression("spending ~ log(income)", transform="log")
answers = sl.analysis_utility(people, model.fit(people, rng=1).generate(m=8, rng=1), formula="spending ~ income")
towns = people[["sex"]].assign(town=rng.choice(list("xyz"), n))
agency = Agency(towns, known=["sex"], models={"town": sl.DirichletMultinomial(["town"], given=["sex"])})
table = slc.Table.from_counts([0, 0, 1, 1, 5, 20], {"age": range(6)})
"""
# Call of the explorer, label of the control that the keyboard changes, and the value of this control afterwards.
CONTROLS = {
    "one_record": ("one_record_explorer()", "True value", "51"),
    "laplace_noise": ("laplace_noise_explorer(count=7, epsilon=1.0, released=10.0)", "Epsilon", "1.1"),
    "match_risk": (
        'match_risk_explorer(people, shuffled, choices={"region": ["region"], "nothing": []}, synthesized="income")',
        "Radius",
        "10%",
    ),
    "three_knobs": ("three_knobs_explorer(agency)", "Number of datasets", "3"),
    "two_dials": ("two_dials_explorer(table)", "nu", "-0.25"),
    "unique_records": (
        'unique_records_explorer(people, variables=["region", "sex", "income"], known=["region"])',
        "sex",
        "true",
    ),
    "pmse": (
        'pmse_explorer(people, {"shuffled": shuffled}, variables=["income", "spending"], order=2, share=0.2)',
        "Synthetic records",
        "10%",
    ),
    "combined_interval": ('combined_interval_explorer(answers, m=3, data="simulated")', "Number of datasets", "4"),
}
NOTEBOOK = "[...window.jupyterapp.shell.widgets('main')][0]"
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}


def look(number: int, what: str) -> str:
    """Return the script for something of the control in the cell of a number."""
    return f"document.querySelectorAll('.jp-Notebook .jp-CodeCell')[{number}].querySelector('{what}')"


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[Page]:
    """A notebook with all controls, run in JupyterLab with a kernel of its own."""
    folder = tmp_path_factory.mktemp("lab")
    sources = [SETUP, *(source for source, *_ in CONTROLS.values())]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    (folder / "work").mkdir()
    nbformat.write(notebook, folder / "work" / "controls.ipynb")
    for name, settings in SETTINGS.items():
        room, plugin = name.split("/")
        file = folder / "settings" / "@jupyterlab" / room / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    own = {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "run"}
    own |= {"JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython", "JUPYTER_DATA_DIR": "data"}
    package = Path(__file__).resolve().parents[2]
    path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH", "")]))
    # R, once started in this process, leaves a path of libraries behind that another Python does not bear.
    inherited = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "R_HOME")}
    environment = {**inherited, **{k: str(folder / v) for k, v in own.items()}, "PYTHONPATH": path}
    options = [f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", "--ip=127.0.0.1"]
    options += ["--no-browser", "--allow-root", "--expose-app-in-browser", f"--ServerApp.root_dir={folder / 'work'}"]
    with (folder / "server.log").open("w") as log:
        command = [sys.executable, "-m", "jupyterlab", *options]
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder / "work")
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/api?token={token}", server, folder / "server.log")
        with open_page(f"{address}/lab/tree/controls.ipynb?token={token}&reset", folder / "profile") as page:
            page.wait("window.jupyterapp && document.querySelectorAll('.jp-Notebook .jp-CodeCell').length > 8", 180)
            page.wait(f"{NOTEBOOK}?.sessionContext?.session?.kernel?.status === 'idle'", 180)
            page.run(f"window.jupyterapp.shell.activateById({NOTEBOOK}.id)")
            page.run("void window.jupyterapp.commands.execute('notebook:run-all-cells')")
            page.wait(f"document.querySelectorAll('.jupyter-widgets figure img').length >= {len(CONTROLS)}", 180)
            yield page
    finally:
        server.terminate()
        server.wait(timeout=60)


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(900):
        assert server.poll() is None, log.read_text()[-3000:]
        try:
            opener.open(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"no server: {log.read_text()[-3000:]}")


CONTROL = ".widget-vbox input, .widget-vbox select"


def go_through(lab: Page, number: int) -> list[dict[str, str]]:
    """Go through the controls of a cell with the Tab key and return their roles and names."""
    lab.run(f"{look(number, CONTROL)}.focus()")
    count = lab.run(f"{look(number, '.jp-OutputArea')}.querySelectorAll('{CONTROL}').length")
    found = [lab.focused()]
    for _ in range(count - 1):
        lab.press("Tab")
        found.append(lab.focused())
    return found


def go_to(lab: Page, number: int, label: str) -> dict[str, str]:
    """Go with the Tab key to the control whose name begins with the label."""
    lab.run(f"{look(number, CONTROL)}.focus()")
    for _ in range(9):
        here = lab.focused()
        if here["name"].startswith(label):
            return here
        lab.press("Tab")
    raise AssertionError(f"no control {label!r} was reached with Tab")


@pytest.mark.parametrize("name", CONTROLS)
def test_the_keyboard_changes_a_control_and_its_figure(lab: Page, name: str) -> None:
    number, (_, label, after) = 1 + list(CONTROLS).index(name), CONTROLS[name]
    described = f"{look(number, 'figure img')}?.alt"
    before, image = lab.run(described), lab.run(f"{look(number, 'figure img')}.src")
    controls = go_through(lab, number)
    assert all(control["name"] and control["name"].strip() for control in controls)
    assert len({control["name"] for control in controls}) == len(controls)
    assert {control["role"] for control in controls} <= {"spinbutton", "combobox", "checkbox"}
    here = go_to(lab, number, label)
    for key in {"combobox": [" ", "ArrowUp", "Enter"], "checkbox": [" "], "spinbutton": ["ArrowUp"]}[here["role"]]:
        lab.press(key)
    lab.wait(f"{described} && {described} !== {json.dumps(before)}")
    assert lab.run(f"{look(number, 'figure img')}.src") != image
    assert lab.run(f"{look(number, 'figcaption')}.textContent").endswith(lab.run(described))
    assert lab.run(f"{look(number, '.jp-OutputArea')}.querySelectorAll('img').length") == 1
    value = lab.run(
        "(e => e.type === 'checkbox' ? String(e.checked) : e.selectedOptions?.[0]?.text ?? e.value)(document.activeElement)"
    )
    assert value == after, here
    assert lab.console == []


def test_a_value_that_is_not_allowed_is_explained_and_the_next_value_draws_again(lab: Page) -> None:
    number = 1 + list(CONTROLS).index("laplace_noise")
    go_to(lab, number, "Epsilon")
    for typed, selector, text in (("-3", "[role=alert]", "epsilon=0"), ("2", "figure", "The figure in words")):
        lab.press("a", modifiers=2)
        lab.type(typed)
        lab.press("Enter")
        lab.wait(f"{look(number, selector)}?.innerText.includes('{text}')")
        assert lab.run(f"{look(number, '.jp-OutputArea')}.querySelectorAll('figure, [role=alert]').length") == 1
    assert lab.console == []
