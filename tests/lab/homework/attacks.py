"""Submissions that are written to deceive the grader, to harm the machine, or to read what is not theirs.

Each says for itself what must not happen: a notebook that finds what it must not find fails in that cell.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from synthlab.lab.homework import Limits
from tests.lab.homework.submissions import IN_LAST, LAST, MEAN, NOTHING, RIGHT, Case, submission

LIMITS = Limits(cell_seconds=20, total_seconds=90, memory_mb=1500, output_mb=2, disk_mb=61, processes=83)
TOKEN = "token-of-the-lecturer"
LEFT_BEHIND = "left-behind-by-a-submission"


ZERO = {"mean": "mean = 1", "tax": "tax = lambda income, rate: -1.0", "made": "made = [people]"}


@dataclass(frozen=True)
class Where:
    """What an attack knows of the lecturer's machine."""

    lecturer: Path  # holds all folders below
    submissions: Path
    answers: Path
    out: Path
    port: int  # somebody listens there


NOWHERE = Where(*map(Path, ("lecturer", "submissions", "answers", "out")), 1)

ANY_END = r"ran through|\d cells? failed|cell \d ended the kernel"
# Put before whatever harms, so that it does nothing where it is not locked in.
LOCKED_IN = f"""
import os
if os.readlink("/proc/self/ns/pid") == {os.readlink("/proc/self/ns/pid") if Path("/proc/self/ns/pid").exists() else ""!r}:
    raise SystemError("this notebook is not in a sandbox")
"""

FORGE_MODULES = """
import sys
import synthlab.lab.homework as homework
from synthlab.lab.homework import CheckResult, checking

def rich(question, *others, **more):
    return CheckResult(str(question), True, 999, 999, "all of it")

for name, module in list(sys.modules.items()):
    if name.startswith("synthlab.lab.homework"):
        for part in list(vars(module)):
            if callable(getattr(module, part)) and not isinstance(getattr(module, part), type) and part[:2] != "__":
                if part in ("digest", "candidates", "cell_of", "collect", "sealed_homework") or "problem" in part:
                    setattr(module, part, rich)
                if part == "check":
                    setattr(module, part, rich)
homework.check = check = rich
"""
FORGE_FILES = """
import json, os, threading, time
forged = {"passed": True, "points": 999, "possible": 999, "message": "all of it", "share": 999}
texts = [json.dumps(x) for x in (
    {name: forged for name in ("mean", "tax", "made")}, {"results": {"mean": forged}, "points": 999},
    {"small.mean": forged}, [forged], 999)]
def forge():
    number = 0
    while True:
        for folder, _, files in os.walk("."):
            for file in files:
                try:
                    with open(os.path.join(folder, file), "w") as opened:
                        opened.write(texts[number % len(texts)])
                    number += 1
                except OSError:
                    pass
        for name in ("results", "answers", "export", "points", "small"):
            try:
                with open(name + ".json", "w") as opened:
                    opened.write(texts[number % len(texts)])
            except OSError:
                pass
        time.sleep(0.02)
threading.Thread(target=forge, daemon=True).start()
time.sleep(0.5)
"""
LOOP = "import time\nwhile True:\n    time.sleep(0.01)"
SWALLOWS = """
import time
while True:
    try:
        while True:
            time.sleep(0.01)
    except BaseException:
        pass
"""
DEAF = """
import signal, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
while True:
    time.sleep(1)
"""
SURVIVES = f"""
import subprocess, sys
code = "import time; time.sleep(600)"
for _ in range(2):
    subprocess.Popen(["sh", "-c", f"(setsid {{sys.executable}} -c '{{code}}' {LEFT_BEHIND} &) &"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", code, "{LEFT_BEHIND}"])
    os._exit(0)
"""
FORKS = """
import subprocess, time
for _ in range(400):
    subprocess.Popen(["sleep", "300"])
time.sleep(300)
"""
FILLS = """
import time
for number in range(30):
    with open({folder!r} + f"/full{{number}}", "wb") as file:
        file.write(os.urandom(10_000_000))
    time.sleep(0.05)
time.sleep(300)
"""
SPARSE = """
with open("sparse", "wb") as file:
    file.truncate(2**40)
"""
PRINTS = """
for _ in range(400):
    print("x" * 1_000_000)
"""
WRITES_BELOW = """
import os
for _ in range(400):
    os.write(1, b"x" * 1_000_000)
    os.write(2, b"x" * 1_000_000)
"""
SHOWS = """
from IPython.display import HTML, display
for _ in range(40):
    display(HTML("<script>alert(1)</script>" + "x" * 1_000_000))
"""
ALLOCATES = """
import time
held = []
for _ in range(30):
    held.append(b"x" * 100_000_000)
    time.sleep(0.02)
time.sleep(300)
"""
CHILDREN_ALLOCATE = """
import subprocess, sys, time
code = "import time; held = b'x' * 300_000_000; time.sleep(300)"
held = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(6)]
time.sleep(300)
"""
DELETES = """
import shutil
for path in (os.getcwd(), os.path.expanduser("~"), "/tmp", "/var/tmp", {folder!r}):
    for one in (os.listdir(path) if os.path.isdir(path) else []):
        shutil.rmtree(os.path.join(path, one), ignore_errors=True)
        try:
            os.remove(os.path.join(path, one))
        except OSError:
            pass
shutil.rmtree(os.getcwd(), ignore_errors=True)
"""
READS = """
import os, pathlib
found = [f"{{k}}" for k in os.environ if any(x in k.upper() for x in ("TOKEN", "SECRET", "PASSW", "SSH", "AWS"))]
for one in pathlib.Path("/proc").glob("[0-9]*"):
    for part in ("environ", "cmdline"):
        try:
            found += [f"{{one}}/{{part}}"] * ({token!r}.encode() in (one / part).read_bytes())
        except OSError:
            pass
assert not found, found
"""
LOOKS = """
import os, sys
there = [path for path in {paths!r} if os.path.exists(path)]
for top in ("/root", "/home", "/mnt", "/media", "/srv"):
    for name in os.listdir(top) if os.path.isdir(top) else []:
        path = os.path.join(top, name)
        if not any(own.startswith(path) for own in (os.getcwd(), sys.base_prefix, sys.prefix)):
            there.append(path)
assert not there, there
"""
WRITES = """
import os, sys, synthlab, tempfile
written = []
package = os.path.dirname(synthlab.__file__)
for folder in {paths!r} + [package, os.path.dirname(package), sys.prefix, "/etc", "/usr", "/var/tmp", "/opt", "/", "/dev"]:
    if folder.startswith("/tmp/"):  # a checkout there is held below the sandbox's own /tmp
        continue
    name = os.path.join(folder, "written-by-a-submission")
    try:
        with open(name, "w") as file:
            file.write("x")
        written.append(folder)
    except OSError:
        pass
assert not written, written
"""
CONNECTS = """
import socket
reached = []
for kind, address in ((socket.AF_INET, ("127.0.0.1", {port})), (socket.AF_INET, ("1.1.1.1", 53)),
                      (socket.AF_UNIX, "\\0listening-{port}")):
    try:
        with socket.socket(kind) as one:
            one.settimeout(2)
            one.connect(address)
            reached.append(address)
    except OSError:
        pass
assert not reached, reached
"""
EVIL = """
import os

class Evil:
    def __reduce__(self):
        return (open, ({path!r}, "w"))
    def __eq__(self, other):
        return True
    __hash__ = None
    def __float__(self):
        raise SystemExit("no float")
    def __len__(self):
        return 10**12
    def __iter__(self):
        while True:
            yield self
    def __repr__(self):
        os._exit(3)
    __str__ = __repr__
    def __getattr__(self, name):
        return self
    def __call__(self, *arguments, **more):
        return self
    def __array__(self, *arguments, **more):
        return self
    @property
    def __class__(self):
        return float
"""
SHUTS = "get_ipython().kernel.do_shutdown(False)"
# In place of its answers: links to files of others, pipes, folders, and far too many and too large files.
BOX = """
import glob, os, re, threading, time
known = open("/proc/self/cmdline").read() + open("/proc/self/mountinfo").read()
boxes = {{path for path in re.findall(r"[^\\0 ]*/sl-[^\\0 /]*", known)}}
def spoil():
    number = 0
    while True:
        for box in boxes:
            folder = f"{{box}}/out/mean"
            try:
                os.makedirs(folder, exist_ok=True)
                number += 1
                for name in ("answer.json", "0.parquet"):
                    path = f"{{folder}}/{{name}}"
                    if os.path.lexists(path):
                        os.remove(path)
                    if number % 4 == 0:
                        os.symlink({path!r}, path)
                    elif number % 4 == 1:
                        os.mkfifo(path)
                    elif number % 4 == 2:
                        os.mkdir(path); os.rmdir(path)
                    else:
                        with open(path, "w") as file:
                            file.truncate(50_000_000)
            except OSError:
                pass
        time.sleep(0.001)
threading.Thread(target=spoil, daemon=True).start()
assert boxes
"""
LINKS = """
import os, re, shutil
known = open("/proc/self/cmdline").read() + open("/proc/self/mountinfo").read()
for box in {{path for path in re.findall(r"[^\\0 ]*/sl-[^\\0 /]*", known)}}:
    shutil.rmtree(f"{{box}}/out", ignore_errors=True)
    os.symlink({path!r}, f"{{box}}/out")
"""
MUTE = """
import builtins, json, os, pathlib, io
def no(*arguments, **more):
    raise BaseException("nothing is written")
builtins.open = json.dump = json.dumps = os.replace = os.rename = os.open = io.open = no
pathlib.Path.write_text = pathlib.Path.write_bytes = no
"""
# What the kernel tells the grader, in words that no kernel uses: raw frames, messages without their parts, other types.
MESSAGES = """
kernel = get_ipython().kernel
kernel.iopub_socket.send_multipart([b"junk"])
kernel.iopub_socket.send_multipart([b"<IDS|MSG>", b"no signature", b"{}", b"{}", b"{}", b"{}"])
kinds = ("stream", "display_data", "execute_result", "error", "status", "update_display_data", "clear_output",
         "execute_input", "comm_open", "comm_msg", "comm_close", "=cmd", "")
for kind in kinds:
    for content in ({}, 5, [1], None, "text", {"name": 5, "text": 5, "data": 5, "metadata": 5, "transient": 5, "execution_state": [], "comm_id": []},
                    {"name": "stdout", "text": ["x"], "data": {"text/html": 5}, "ename": 1, "evalue": None, "traceback": 3,
                     "transient": {"display_id": []}, "comm_id": {}, "data": {"method": 3}}):
        for parent in (kernel.get_parent(), {"header": 5}, {}):
            try:
                kernel.session.send(kernel.iopub_socket, kind, content=content, parent=parent)
            except Exception:
                pass
"""
# Answers to questions that were not asked, on the channel on which it says that a cell is done.
REPLIES = """
import time
kernel = get_ipython().kernel
identity = kernel._parent_ident["shell"]
for content in ({}, 5, {"status": "ok", "execution_count": []}, {"status": "error"}, {"payload": 5}):
    for parent in (kernel.get_parent(), {"header": {"msg_id": 5}}, {}, {"header": 5}):
        try:
            kernel.session.send(kernel.shell_stream, "execute_reply", content=content, parent=parent, ident=identity)
        except Exception:
            pass
kernel.shell_stream.send_multipart([*identity, b"junk"])
time.sleep(1)
"""
# One message of many MB, which a grader would hold as a whole.
ONE_MESSAGE = """
kernel = get_ipython().kernel
for _ in range(3):
    kernel.iopub_socket.send_multipart([b"<IDS|MSG>", b"x" * 250_000_000])
"""
IDLE = """
import time
kernel = get_ipython().kernel
kernel.session.send(kernel.iopub_socket, "status", content={"execution_state": "idle"}, parent=kernel.get_parent())
time.sleep(600)
"""
NAMED = """
class Odd(Exception):
    pass
Odd.__name__ = Odd.__qualname__ = "=cmd<img src=x onerror=alert(1)>"
def tax(income, rate):
    raise Odd("\\n=cmd|'calc'!A0<script>alert(1)</script>\\x00\\x1b[31m\\ud83d")
"""


def deceiving() -> Iterator[Case]:
    """Yield what wants points for nothing: all answers are wrong but those that the case says."""
    yield Case("d_modules.ipynb", submission(first=FORGE_MODULES, **ZERO), NOTHING)
    yield Case("d_modules_last.ipynb", submission(f"{FORGE_MODULES}\ncheck('small.mean', 1)", **ZERO), NOTHING)
    yield Case("d_files.ipynb", submission("import time; time.sleep(1)", first=FORGE_FILES, **ZERO), NOTHING, ".*")
    yield Case("d_mute.ipynb", submission(MUTE), RIGHT, ".*")
    yield Case("d_mute_first.ipynb", submission(first=MUTE, **ZERO), NOTHING, ".*")
    yield Case(
        "d_loads_none.ipynb", submission("import synthlab as sl\nsl.datasets.load = None\ncheck('small.made', made)")
    )


def ending() -> Iterator[Case]:
    """Yield right answers with a last cell that does not let the notebook end, or ends it."""
    ran_long = f"cell {IN_LAST} ran longer than {LIMITS.cell_seconds} s"
    went_on = f"{ran_long}; its kernel went on, and was ended"
    ended = f"cell {IN_LAST} ended the kernel"
    yield Case("e_loop.ipynb", submission(LOOP), state=ran_long)
    yield Case("e_loop_in_the_middle.ipynb", submission(mean=f"{MEAN}\n{LOOP}"), state=ran_long.replace("5", "2", 1))
    yield Case("e_swallows.ipynb", submission(SWALLOWS), state=went_on)
    yield Case("e_deaf.ipynb", submission(DEAF), state=went_on)
    yield Case("e_exits.ipynb", submission("import os\nos._exit(0)"), state=ended)
    yield Case("e_shuts.ipynb", submission(SHUTS), state=f"ran through|{ended}")
    yield Case("e_quits.ipynb", submission("quit()"), state=f"ran through|{ended}")
    yield Case(
        "e_kills.ipynb",
        submission("import os\nfor number in (os.getpid(), 1):\n    os.kill(number, 9)"),
        state=ended,
        harms=True,
    )
    yield Case(
        "e_sleeps.ipynb", submission(*["import time\ntime.sleep(15)"] * 7), state=f".*{LIMITS.total_seconds} s.*"
    )
    yield Case("e_asks.ipynb", submission("input('name? ')"), state="1 cell failed")
    endless = "def tax(income, rate):\n    while True:\n        pass"
    yield Case("e_function_loops.ipynb", submission(tax=endless), (2, 0, 3), ".*")
    yield Case("e_function_exits.ipynb", submission(tax="import os\ntax = lambda i, r: os._exit(0)"), (2, 0, 0), ".*")


def filling() -> Iterator[Case]:
    """Yield right answers with a last cell that takes more than there is."""
    printed = f"cell {IN_LAST} printed more than {LIMITS.output_mb} MB"
    memory = f"stopped in cell {IN_LAST}: more than {LIMITS.memory_mb:,} MB of memory"
    full = f"stopped in cell {IN_LAST}: more than {LIMITS.disk_mb} MB of files"
    yield Case(
        "f_forks.ipynb",
        submission(FORKS),
        state=f"stopped in cell {IN_LAST}: more than {LIMITS.processes} processes",
        harms=True,
    )
    yield Case("f_fills.ipynb", submission(FILLS.format(folder=".")), state=f"{full}|1 cell failed", harms=True)
    for folder in ("/tmp", "/dev/shm", "/dev", "/"):
        name = folder.replace("/", "_")
        last = FILLS.format(folder=folder)
        yield Case(f"f_fills{name}.ipynb", submission(last), state=f"{full}|{memory}|1 cell failed", harms=True)
    yield Case("f_sparse.ipynb", submission(SPARSE), state=f"ran through|1 cell failed|{full}")
    # Whether a message that is too large is counted, lost, or its kernel ended for holding it, depends on when it is sent.
    yield Case("f_prints.ipynb", submission(PRINTS), state=f"ran through|{printed}.*|{memory}")
    yield Case("f_writes_below.ipynb", submission(WRITES_BELOW), state=f"ran through|{printed}.*|{memory}")
    yield Case("f_shows.ipynb", submission(SHOWS), state=printed)
    yield Case("f_one_message.ipynb", submission(ONE_MESSAGE), state=".*")
    yield Case("f_allocates.ipynb", submission(ALLOCATES), state=f"{memory}|1 cell failed", harms=True)
    yield Case("f_children.ipynb", submission(CHILDREN_ALLOCATE), state=memory, harms=True)


def absurd(where: Where) -> Iterator[Case]:
    """Yield answers of a kind that nobody expects."""
    evil = EVIL.format(path=str(where.lecturer / "written-by-an-answer"))
    kinds = {
        "large": ("mean = 10**400", "tax = lambda i, r: 10**5000", "made = [people] * 100_000"),
        "nan": ("mean = float('nan')", "tax = lambda i, r: float('inf')", "made = [people * float('nan')] * 2"),
        "evil": (f"{evil}\nmean = Evil()", "tax = Evil()", "made = [Evil(), Evil()]"),
        "nested": (
            "mean = []\nfor _ in range(100_000):\n    mean = [mean]",
            "tax = lambda i, r: mean",
            "made = {}\nmade['made'] = made",
        ),
        "array": (
            "import numpy as np\nmean = np.ones(10**7)",
            "tax = lambda i, r: np.ones(10**6)",
            "made = np.array([people], dtype=object)",
        ),
        "frame": (
            "mean = people['income'].astype(str)",
            "tax = lambda i, r: people",
            "import numpy as np\nmade = [pd.DataFrame({'age': np.arange(10**6), 'income': 1.0})] * 2",
        ),
        "objects": (
            "mean = 34 + 0j",
            "class tax:\n    pass",
            "made = [people.assign(income=[{1}, [2], object(), None, pd, 'x'])] * 2",
        ),
        "columns": (
            "mean = '\\ud83d'",
            "tax = print",
            "made = [people.set_axis([1, 1], axis=1), people.set_axis([None, ('a',)], axis=1)]",
        ),
        "none": ("mean = None", "tax = None", "made = [None, None]"),
        "yielding": ("mean = (x for x in people)", "def tax(i, r):\n    yield 1", "made = iter([people, people])"),
    }
    for name, (mean, tax, made) in kinds.items():
        yield Case(f"a_{name}.ipynb", submission(mean=mean, tax=tax, made=made), NOTHING, ANY_END)
    yield Case("a_named.ipynb", submission(tax=NAMED), (2, 0, 3), "ran through|1 cell failed", ("onerror",))


def spying(where: Where) -> Iterator[Case]:
    """Yield what reads, writes or reaches what is not its own, and fails if it can; and what stays when it is over."""
    paths = [str(path) for path in (where.lecturer, where.submissions, where.out)]
    yield Case("s_reads.ipynb", submission(READS.format(token=TOKEN)), harms=True)
    yield Case("s_looks.ipynb", submission(LOOKS.format(paths=paths)), harms=True)
    yield Case("s_writes.ipynb", submission(WRITES.format(paths=paths)), harms=True)
    yield Case("s_deletes.ipynb", submission(DELETES.format(folder=str(where.submissions))), state=".*", harms=True)
    yield Case(
        "s_spoils.ipynb",
        submission(first=BOX.format(path=str(where.answers / "small.json")), **ZERO),
        NOTHING,
        ".*",
        harms=True,
    )
    yield Case("s_links.ipynb", submission(LINKS.format(path=str(where.submissions))), state=".*", harms=True)
    yield Case("s_connects.ipynb", submission(CONNECTS.format(port=where.port)), harms=True)
    yield Case("s_survives.ipynb", submission(SURVIVES), harms=True)


def attacks(where: Where) -> list[Case]:
    """Return all of them; what harms does nothing outside of a sandbox."""
    cases = [*deceiving(), *ending(), *filling(), *absurd(where), *spying(where)]
    return [replace(case, content=_locked(case)) if case.harms else case for case in cases]


def _locked(case: Case) -> object:
    for cell in [case.content.cells[1], *case.content.cells[LAST - 1 :]]:
        cell["source"] = f"{LOCKED_IN}\n{cell['source']}"
    return case.content
