"""A kernel that is forked for a notebook is as one that is started for it."""

from __future__ import annotations

import json
from typing import Any

import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager

from tests import forked_kernels

ASKED = """
import json, os, sys
import matplotlib, numpy as np, pandas as pd
# in lower case: the encoding is UTF-8 in one, utf-8 in the other
options = pd.describe_option("display", _print_desc=False)
about = {
    "folder": os.getcwd(), "environment": {k: v for k, v in os.environ.items() if not k.startswith("JPY_")}, "warned": sys.warnoptions,
    "arguments": [a for a in sys.argv if not a.endswith(".json")][1:], "pandas": options.lower(), "backend": matplotlib.get_backend(),
    "leads": os.getpgid(0) == os.getpid(), "path": sorted(set(sys.path) - {""}), "names": sorted(globals()),
}
print(json.dumps([about, np.random.random(), os.getpid()]))
"""  # fmt: skip


def asked(kernels: Any, folder: str) -> list[Any]:
    printed = []
    manager = KernelManager(kernel_name=nbval.kernel.CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=kernels)
    manager.start_kernel(cwd=folder)
    client = manager.blocking_client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=60)
        client.execute_interactive(
            ASKED, output_hook=lambda message: printed.append(message["content"].get("text", ""))
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert not manager.has_kernel
    return json.loads("".join(printed))


@pytest.fixture
def forked(monkeypatch):
    monkeypatch.setattr(nbval.kernel, "NbvalKernelspecManager", nbval.kernel.NbvalKernelspecManager)
    forked_kernels.use()
    return forked_kernels.Specifications()


def test_it_sees_what_a_kernel_that_was_started_sees(forked, tmp_path, monkeypatch):
    monkeypatch.setenv("SYNTHLAB_TOLD", "yes")
    monkeypatch.syspath_prepend(tmp_path)  # what a test adds is not for the kernels
    started = asked(forked_kernels.Specifications.__bases__[0](), str(tmp_path))
    first, second = asked(forked, str(tmp_path)), asked(forked, str(tmp_path))
    assert first[0] == second[0] == started[0]
    assert first[0]["environment"]["SYNTHLAB_TOLD"] == "yes"
    assert first[1] != second[1], "two kernels draw the same numbers without a seed"
    assert first[2] != second[2]
