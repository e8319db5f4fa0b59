"""The needs of a class: a kernel for the notebooks, and a port for JupyterLab."""

from __future__ import annotations

import json
import shutil
import socket
import sys
from pathlib import Path

from synthlab import _extras
from synthlab.doctor._check import Check, ask

KERNEL = "python3"  # the one that the notebooks of the course name
PORT = 8888
_ASK_KERNEL = f"""
import json
from jupyter_client.kernelspec import KernelSpecManager
print(json.dumps(KernelSpecManager().get_kernel_spec({KERNEL!r}).argv))
"""


def kernel() -> list[Check]:
    """Ask Jupyter which Python runs the notebooks."""
    name, cost = f"kernel {KERNEL}", "the notebooks of the course do not run"
    if _extras.version("jupyter_client") is None or _extras.version("ipykernel") is None:
        return [Check(name, "missing", "", cost, _extras.how_to_install("course"))]
    mend = f"python -m ipykernel install --sys-prefix --name {KERNEL}"
    said, problem = ask(_ASK_KERNEL)
    if problem:
        return [Check(name, "broken", "", f"{cost} ({problem})", mend)]
    first = str(json.loads(said)[0])
    # Jupyter reads the bare word as the Python it runs in.
    path = sys.executable if Path(first).name == first and first.startswith("python") else shutil.which(first)
    if path is None:
        return [Check(name, "broken", first, f"{cost} (there is no such program)", mend)]
    if not Path(path).samefile(sys.executable):
        return [Check(name, "other version", path, "notebooks run in another Python than this one", mend)]
    return [Check(name, "ok", path)]


def port() -> list[Check]:
    """Try whether JupyterLab finds its port free, on this machine alone."""
    if _is_free(PORT):
        return [Check("port", "ok", f"{PORT} is free for JupyterLab")]
    other = next((number for number in range(PORT + 1, PORT + 100) if _is_free(number)), 0)
    cost = "JupyterLab opens at another port"
    return [Check("port", "missing", f"{PORT} is taken", cost, f"jupyter lab --port={other}")]


def _is_free(number: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(sys.platform != "win32"))
        try:
            one.bind(("127.0.0.1", number))
        except OSError:
            return False
    return True
