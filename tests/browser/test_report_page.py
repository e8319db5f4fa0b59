"""The report in a real browser, at the width of a telephone and of a laptop: nothing sticks out, nothing complains."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import SynthlabWarning

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--virtual-time-budget=5000",
]
# A window cannot be narrower than 500 pixels, so the page is put in a frame of the wanted width and measured there.
FRAME = """<!doctype html><meta charset="utf-8"><body style="margin:0"><iframe id="page" style="border:0;width:{width}px;height:900px"
srcdoc="{page}"></iframe><pre id="found"></pre><script>
const frame = document.getElementById("page");
frame.addEventListener("load", () => {{
  const inside = frame.contentDocument, root = inside.documentElement, wide = frame.clientWidth;
  const scrolls = e => e && e.closest(".scroll");
  const out = [...inside.body.querySelectorAll("*")].filter(e => !scrolls(e.parentElement) && e.getBoundingClientRect().right > wide + 1);
  document.getElementById("found").textContent = JSON.stringify({{
    wide, scrollWidth: root.scrollWidth, out: out.map(e => e.tagName), images: inside.images.length,
    broken: [...inside.images].filter(i => !i.naturalWidth).length,
    thin: [...inside.images].filter(i => i.getBoundingClientRect().width < Math.min(300, wide - 60)).length,
    font: parseFloat(getComputedStyle(inside.body).fontSize), title: inside.title}});
}});
</script>"""

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome on PATH: the page is not looked at")


def look(page: str, width: int, folder: Path) -> tuple[dict, list[str]]:
    """Return what the page measures at a width, and the lines it wrote to the console."""
    source = folder / "frame.html"
    source.write_text(FRAME.format(width=width, page=html.escape(page)), encoding="utf-8")
    size = f"--window-size={max(width, 500)},900"
    command = [str(BROWSER), *FLAGS, f"--user-data-dir={folder / 'profile'}", size, "--dump-dom", source.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="found">(.+?)</pre>', done.stdout)
    assert found, f"the page was not measured: {done.stderr[-2000:]}"
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(found[1])), console


@pytest.fixture(scope="module")
def evaluation() -> sl.report.EvaluationResult:
    rng = np.random.default_rng(1)
    name = "a_very_long_name_of_a_variable_without_a_single_space_in_it_as_surveys_have_them"
    frame = pd.DataFrame(
        {"region": rng.choice(list("NESW"), 300), name: rng.lognormal(8, 1, 300), "job": rng.integers(0, 9, 300)}
    )
    frame.attrs["synthlab"] = {"kind": "simulated"}
    frames = [frame.assign(**{name: frame[name] * np.exp(rng.normal(0, 0.3, 300))}) for _ in range(5)]
    release = sl.Release(frames, [name], {"synthesizer": "x" * 200, "seed": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(frame, release, sl.Intruder(known=["region", "job"], synthesized=[name], radius=0.2))


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("show_values", [False, True])
def test_nothing_sticks_out_and_nothing_complains(evaluation, width: int, show_values: bool, tmp_path: Path) -> None:
    found, console = look(evaluation.to_html(title="A report", show_values=show_values), width, tmp_path)
    assert found["wide"] == width
    assert found["title"] == "A report"
    assert found["scrollWidth"] <= width
    assert found["out"] == []
    assert found["images"] == 6
    assert found["broken"] == 0
    assert found["thin"] == 0
    assert found["font"] >= 16
    assert console == []


def test_the_look_finds_what_it_looks_for(evaluation, tmp_path: Path) -> None:
    wide = '<div style="width:900px">wide</div><img src="https://example.org/x.png" alt="elsewhere">'
    broken = evaluation.to_html().replace("</main>", f"{wide}<script>alert(1)</script></main>")
    found, console = look(broken, 400, tmp_path)
    assert found["scrollWidth"] >= 900
    assert "DIV" in found["out"]
    assert found["broken"] == 1
    assert any("Content Security Policy" in line for line in console)
