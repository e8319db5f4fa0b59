"""Kernels of notebooks that begin with the large libraries imported: nbval starts one for each notebook.

A process that has imported them, and runs no notebook, is forked for each kernel (`multiprocessing` calls it the fork server),
which saves every notebook seconds. The kernel is the same otherwise: it imports what it says, and this package anew.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import ipykernel.kernelspec
import nbval.kernel
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

ROOT = Path(__file__).resolve().parents[1]
# What Python finds before any test adds to it, without the folder that it was begun in, and without the replications.
PATH = [folder for folder in sys.path[sys.path[0] in ("", os.getcwd()) :] if folder != str(ROOT / "course")]


class Kernel:
    """What `LocalProvisioner` asks of ``subprocess.Popen``, of a forked process."""

    stdin = stdout = stderr = None

    def __init__(self, arguments: list[str], environment: dict[str, str], folder: str) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.preloaded"])
        self.process = context.Process(target=run, args=(arguments, environment, folder, PATH))
        self.process.start()
        self.pid = self.process.pid
        self.terminate, self.kill = self.process.terminate, self.process.kill

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self) -> int | None:
        self.process.join()
        return self.process.exitcode

    def send_signal(self, signum: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, signum)


def run(arguments: list[str], environment: dict[str, str], folder: str, path: list[str]) -> None:
    """Be the kernel that ``python -m ipykernel_launcher`` with these arguments would be."""
    import numpy as np
    from ipykernel import kernelapp

    os.setsid()  # a signal reaches it and its own processes, as with one that was not forked
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:] = path
    np.random.seed()  # noqa: NPY002 - not that of the other kernels
    gc.freeze()  # what was imported stays: the garbage collector need not go through it
    sys.argv = ["ipykernel_launcher", *arguments]
    kernelapp.launch_new_instance()


class ForkedProvisioner(LocalProvisioner):  # type: ignore[misc]
    """Kernels of this environment's Python."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        self.process = Kernel(arguments, dict(kwargs["env"]), kwargs.get("cwd") or os.getcwd())
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class Specifications(nbval.kernel.NbvalKernelspecManager):  # type: ignore[misc]
    """nbval's kernels, forked where the kernel is that of this environment."""

    def get_kernel_spec(self, kernel_name: str) -> Any:
        found = super().get_kernel_spec(kernel_name)
        if found.resource_dir == ipykernel.kernelspec.RESOURCES:
            found.metadata = {**found.metadata, "kernel_provisioner": {"provisioner_name": "forked"}}
        return found


def use() -> None:
    """Let nbval fork its kernels in this process, where the system can."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return
    entry = EntryPoint("forked", f"{__name__}:{ForkedProvisioner.__name__}", KernelProvisionerFactory.GROUP_NAME)
    KernelProvisionerFactory.instance().provisioners["forked"] = entry
    nbval.kernel.NbvalKernelspecManager = Specifications
