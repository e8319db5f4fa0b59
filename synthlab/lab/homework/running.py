"""Run a submission in a kernel of its own, cell by cell, and take its answers out after each check.

What runs here is the grader: the code of the student runs in the kernel, within a sandbox, and sends messages. Every
answer is copied to a folder that the kernel does not see as soon as it was checked, so that nothing later costs it.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from synthlab.exceptions import SynthlabError
from synthlab.lab.homework.checking import Homework
from synthlab.lab.homework.copying import copy_answer, made
from synthlab.lab.homework.limits import MB, Limits, size_of
from synthlab.lab.homework.processes import left_behind, used
from synthlab.lab.homework.sandbox import Sandbox

if TYPE_CHECKING:
    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.manager import KernelManager

GRACE = 5.0  # seconds an interrupted cell has to end
STARTING = 120.0  # seconds a kernel has to answer for the first time
LOOK = 0.3  # seconds between two looks at memory, files and processes


class Ended(Exception):  # noqa: N818 - the end of a kernel, for a reason; no fault
    """The kernel cannot go on."""


class Run:
    """One run of a notebook.

    Parameters
    ----------
    homework : Homework
    sandbox : Sandbox
    limits : Limits
    answers : Path
        An empty folder: one folder an answer is made in it.
    """

    def __init__(self, homework: Homework, sandbox: Sandbox, limits: Limits, answers: Path) -> None:
        self.homework, self.sandbox, self.limits, self.answers = homework, sandbox, limits, answers
        self.events: list[str] = []
        self.failed = 0
        self._end = 0.0
        self._looked = 0.0
        self._printed = 0
        self._cut = False

    def notebook(self, notebook: Any) -> str:
        """Run all code cells, and return in a few words how that went."""
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        with self._kernel():
            try:
                self._cells(cells)
            except Ended as end:
                self.events.append(str(end))
        if self.failed:
            self.events.append(f"{self.failed} cell{'s' if self.failed > 1 else ''} failed")
        return "; ".join(dict.fromkeys(self.events)) or "ran through"

    def _cells(self, cells: list[str]) -> None:
        self._end = time.monotonic() + self.limits.total_seconds
        for number, source in enumerate(cells, start=1):
            error = self._execute(source, f"cell {number}")
            self.failed += error
            for name in self.homework.checked:
                if f"{self.homework.name}.{name}" in source:
                    self._export(name)
        for name in self.homework.checked:
            if not (self.answers / name).is_dir():
                self._export(name)

    def _execute(self, source: str, what: str) -> bool:
        """Run one cell; say whether it raised."""
        began = time.monotonic()
        request = self.client.execute(source, store_history=False, allow_stdin=False, stop_on_error=False)
        error = replied = interrupted = False
        self._printed = 0
        while True:
            now = time.monotonic()
            self._look(what, now)
            if not interrupted and (said := self._too_much(what, now - began, now)):
                self.events.append(said)
                interrupted, began = True, now
                self.manager.interrupt_kernel()
            elif interrupted and now - began > GRACE:
                raise Ended("its kernel went on, and was ended")
            match self._message(request, waits=not replied):
                case "idle":
                    return error and not interrupted
                case "error":
                    error = True
                case "reply":
                    replied = True
                case None if replied:  # it is done, and its last messages are lost: they were too large
                    if not interrupted:
                        self.events.append(f"{what} printed more than {self.limits.output_mb} MB")
                    self._listen()
                    return error and not interrupted

    def _listen(self) -> None:
        """Open the line on which a kernel says what it prints; it breaks off at a message that is too large."""
        import zmq

        self.client.iopub_channel.stop()
        self.client._iopub_channel = None
        self.client.iopub_channel.start()
        self._line = self.client.iopub_channel.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._cut = False
        end = time.monotonic() + STARTING
        while time.monotonic() < end and self.manager.is_alive():
            request = self.client.kernel_info()
            with suppress(Empty):
                while (self.client.get_iopub_msg(timeout=1.0).get("parent_header") or {}).get("msg_id") != request:
                    pass
                return
        raise Ended("its kernel is heard no more, and was ended")

    def _too_much(self, what: str, seconds: float, now: float) -> str | None:
        if self._cut or self._printed > self.limits.output_mb * MB:
            return f"{what} printed more than {self.limits.output_mb} MB"
        if seconds > self.limits.cell_seconds:
            return f"{what} ran longer than {self.limits.cell_seconds} s"
        if now > self._end:
            raise Ended(f"stopped in {what}: all cells together ran longer than {self.limits.total_seconds} s")
        return None

    def _message(self, request: str, *, waits: bool) -> str | None:
        """Return the next thing a kernel says of a request, or None when it says nothing for a moment."""
        try:
            message = self.client.get_iopub_msg(timeout=0.2 if waits else 2.0)
        except Empty:
            if not waits:
                return None
            with suppress(Empty):
                reply = self.client.get_shell_msg(timeout=0)
                if reply["parent_header"].get("msg_id") == request:
                    return "reply"
            return "silence"
        except Exception:  # noqa: BLE001 - a kernel can send anything
            return "noise"
        content = message.get("content") or {}
        self._printed += sum(len(str(part)) for part in (content.get("text"), content.get("data")) if part)
        if (message.get("parent_header") or {}).get("msg_id") != request:
            return "other"
        if message["msg_type"] == "error":
            return "error"
        if message["msg_type"] == "status" and content.get("execution_state") == "idle":
            return "idle"
        return "other"

    def _look(self, what: str, now: float) -> None:
        """End a kernel that is gone, or that uses more than it may."""
        if now - self._looked < LOOK:
            return
        self._looked = now
        if not self.manager.is_alive():
            raise Ended(f"{what} ended the kernel")
        if self.sandbox.kind != "docker":
            count, memory = used()
            if count > self.limits.processes:
                raise Ended(f"stopped in {what}: more than {self.limits.processes} processes")
            if memory > self.limits.memory_mb * MB:
                raise Ended(f"stopped in {what}: more than {self.limits.memory_mb:,} MB of memory")
        self._cut = self._cut or bool(self._line.poll(0))
        most = self.limits.disk_mb * MB
        if size_of(self.box, most) > most:
            raise Ended(f"stopped in {what}: more than {self.limits.disk_mb:,} MB of files")

    def _export(self, name: str) -> None:
        """Have the kernel write an answer down, and copy it to where the kernel does not reach."""
        kept = self.homework.questions[name]
        calls = [case["arguments"] for case in kept["cases"]] if kept["kind"] == "function" else None
        order = json.dumps({"name": name, "calls": calls, "folder": str(self.box / "out")})
        source = f"__import__('synthlab.lab.homework.portable', fromlist=['export']).export({order!r}, globals())"
        before = list(self.events)
        self._execute(source, f"the answer {name!r}")
        if self.events == before:
            copy_answer(self.box, name, self.answers, self.limits.disk_mb * MB)

    @contextmanager
    def _kernel(self) -> Iterator[None]:
        """Start the kernel; whatever happens, neither it nor what it started lives on."""
        import zmq
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import KernelManager

        self.box = Path(tempfile.mkdtemp(prefix="sl-", dir="/tmp" if Path("/tmp").is_dir() else None))
        home = self.sandbox.home or str(made(self.box / "home"))
        made(self.box / "out")
        inner = ["python", "-m", "synthlab.lab.homework.kernel", json.dumps(self.limits.to_dict()), "-f"]
        command = self.sandbox.command(self.box, [*inner, "{connection_file}"], self._shown(home), self.limits)
        context = zmq.Context()
        context.setsockopt(zmq.MAXMSGSIZE, self.limits.output_mb * MB)
        self.manager: KernelManager = KernelManager(
            transport="ipc", ip=str(self.box / "k"), connection_file=str(self.box / "kernel.json"), context=context
        )
        self.manager._kernel_spec = KernelSpec(argv=command, interrupt_mode="message", language="python")
        environment = {**self.sandbox.environment(), "HOME": home}
        if self.sandbox.kind == "docker":
            environment = {**os.environ, **environment}
        devnull = os.open(os.devnull, os.O_RDWR)
        with left_behind():
            try:
                self.manager.start_kernel(
                    cwd=home if self.sandbox.home is None else str(self.box),
                    env=environment,
                    stdout=devnull,
                    stderr=devnull,
                )
                self.client: BlockingKernelClient = self.manager.client(context=context)
                self.client.start_channels()
                self._wait()
                self._listen()
                yield
            finally:
                os.close(devnull)
                with suppress(Exception):
                    self.client.iopub_channel.socket.disable_monitor()
                    self.client.stop_channels()
                with suppress(Exception):
                    self.manager.shutdown_kernel(now=True)
                with suppress(Exception):
                    self.sandbox.end(self.box)
                with suppress(Exception):
                    context.destroy(linger=0)
                rmtree(self.box, ignore_errors=True)

    def _wait(self) -> None:
        try:
            self.client.wait_for_ready(timeout=STARTING)
        except RuntimeError as error:
            raise SynthlabError(f"no kernel could be started in the sandbox ({self.sandbox.kind}): {error}") from None

    def _shown(self, home: str) -> dict[Path, str]:
        """Return what a student has beside the notebook: the sealed answers, the checks, the data of the homework."""
        name = self.homework.name
        beside = [self.homework.folder / part for part in (f"{name}.json", f"{name}_checks.py", f"{name}_data")]
        there = {path: path.name for path in beside if path.exists()}
        if self.sandbox.home is None:
            for path in there:
                (Path(home) / path.name).symlink_to(path)
        return there
