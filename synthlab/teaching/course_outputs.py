"""Execution of the course notebooks, with normalized outputs for readable diffs.

    python -m synthlab.teaching.course_outputs course               # every notebook below a folder
    python -m synthlab.teaching.course_outputs course/08_*.ipynb    # some notebooks

A notebook is executed from top to bottom in a fresh kernel and written only if all cells run. The kernel does not find the
real samples, neither in SYNTHLAB_DATA_DIR nor in the user's cache, so the outputs are the same for all users. Lines with the
source of R's numbers ("Live: ..." or "Recorded: ...") depend on the machine, so the notebook tests ignore them. The outputs of
the project are created with R and its packages; if they are missing, a message is printed.
Execution counts are kept, because the notebook tests skip cells without one. Values that differ between runs or machines are
removed: timings, versions, widget state, paths and memory addresses.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from synthlab._system import atomic_write, signals
from synthlab.datasets.files import DATA_DIR_VARIABLE, cache_folder
from synthlab.exceptions import InputError, SynthlabError
from synthlab.r.magic import CELLS, RECORD
from synthlab.r.reference_results import SCRIPTS, why_not_live
from synthlab.teaching import cell_tags, saved_functions

if TYPE_CHECKING:
    from nbclient import NotebookClient

TIMEOUT = 600
KEPT_CELL_METADATA = ("tags",)
NOT_RUN = {".ipynb_checkpoints", "homework"}  # homework contains the student editions, which have no outputs
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
WIDGET = "application/vnd.jupyter.widget-view+json"
WIDGET_TEXT = "Controls: run this cell to use them. The figure of the next cell shows them at their default setting."
ROOT = Path(__file__).resolve().parents[2]

_IMAGE = re.compile(r"(base64,[A-Za-z0-9+/=]+)")
_PATH = r"(?<![^\s\"'<>()=])[^\s\"'<>()=]*"  # matches the beginning of a path
# The order matters: paths inside other paths come first.
_VOLATILE = (
    (re.compile(_PATH + r"ipykernel_\d+[/\\]\d+\.py"), "cell"),
    (re.compile(_PATH + r"[/\\]site-packages[/\\]"), "site-packages/"),
    (re.compile(re.escape(f"{ROOT}/")), ""),
    (re.compile(re.escape(str(Path.home())) + r"(?=[/\s\"'])"), "~"),
    (re.compile(r"\b0x[0-9a-fA-F]{6,}"), "0x..."),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Execute and rewrite the notebooks of the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m synthlab.teaching.course_outputs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="*", metavar="path", help="notebook, or folder of notebooks")
    paths = parser.parse_args(arguments).paths
    return signals.run(lambda: _rewrite_all(paths))


def _rewrite_all(paths: Sequence[str]) -> int:
    try:
        notebooks = find_notebooks(paths)
        _say_what_of_r_is_missing()
        for path in notebooks:
            sys.stdout.write(f"{path}\n")
            rewrite(path)
    except SynthlabError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _say_what_of_r_is_missing() -> None:
    reasons = {script.name: why_not_live(script) for script in SCRIPTS if not script.slow and not script.samples}
    for reason in dict.fromkeys(reason for reason in reasons.values() if reason):
        sys.stderr.write(f"answers of R will be shown as recorded, not as live: {reason}\n")


def find_notebooks(paths: Sequence[str | Path]) -> list[Path]:
    """Return the given notebooks, and all notebooks below the given folders.

    Parameters
    ----------
    paths : sequence of str or Path

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        If a path is neither a notebook nor a folder, or no notebook is found.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += sorted(p for p in path.rglob("*.ipynb") if not NOT_RUN & {*p.relative_to(path).parts[:-1]})
        elif path.is_file() and path.suffix == ".ipynb":
            found.append(path)
        else:
            raise InputError(f"{str(path)!r}: is neither a notebook nor a folder")
    if not found:
        raise InputError(f"no notebook in {', '.join(map(str, paths)) or 'an empty list of paths'}")
    return found


def rewrite(path: Path) -> None:
    """Execute a notebook in its folder and write it, unless a cell fails."""
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    # The answers of R to R cells are recorded, for machines without R.
    execute(notebook, path, settings={RECORD: str(ROOT / "data" / CELLS)})
    text = nbformat.writes(normalise(notebook), version=4)
    atomic_write.write_text(path, text.rstrip("\n") + "\n")


def execute(
    notebook: Any,
    path: Path,
    *,
    allow_errors: bool = False,
    timeout: int = TIMEOUT,
    settings: Mapping[str, str] | None = None,
) -> None:
    """Execute all cells in a fresh kernel that does not find the real samples.

    With `allow_errors`, an error becomes the output of its cell, and execution continues. `settings` are environment
    variables of the kernel.

    Raises
    ------
    SynthlabError
        If a cell raises an error or takes too long; the message names the notebook.
    """
    import ipykernel.kernelspec
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    class ThisPython(KernelSpecManager):
        """Kernel manager that always uses the running Python."""

        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            return KernelSpec(resource_dir="", **ipykernel.kernelspec.get_kernel_dict())

    class Manager(AsyncKernelManager):
        def __init__(self, **options: Any) -> None:
            super().__init__(kernel_spec_manager=ThisPython(), **options)

    client = NotebookClient(
        notebook,
        kernel_name=KERNEL["name"],
        kernel_manager_class=Manager,
        timeout=timeout,
        allow_errors=allow_errors,
        record_timing=False,
        store_widget_state=True,  # without it, nbclient fails when a widget that it does not know prints
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        with without_samples() as environment:
            _execute(
                client, stderr=DEVNULL, env={**environment, **(settings or {})}
            )  # the log of the kernel, not the output of cells
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise SynthlabError(f"{path}: not written, because a cell failed\n{error}") from error


class _QuietLoop(asyncio.SelectorEventLoop):
    """Event loop that ignores signals, which nbclient would treat as a dead kernel."""

    def add_signal_handler(self, *_: Any) -> None:  # type: ignore[override]
        raise NotImplementedError


def _execute(client: NotebookClient, **options: Any) -> None:
    """Execute a notebook and always shut down its kernel."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        loop = _QuietLoop()
    else:  # within a notebook, nbclient runs in a thread, where it receives no signals
        client.execute(**options)
        return
    try:
        loop.run_until_complete(client.async_execute(**options))
    finally:
        loop.run_until_complete(_end(client, asyncio.all_tasks(loop)))
        loop.close()


async def _end(client: NotebookClient, left: set[asyncio.Task[Any]]) -> None:
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    if client.km is not None and client.km.has_kernel:
        await client.km.shutdown_kernel(now=True)  # type: ignore[misc]  # the manager is asynchronous
    await asyncio.get_running_loop().shutdown_asyncgens()


@contextmanager
def without_samples() -> Iterator[dict[str, str]]:
    """Yield the environment for a process that must not find the real samples.

    Yields
    ------
    dict of str to str
        Environment without SYNTHLAB_DATA_DIR, without saved functions of a student, and with a temporary cache. The cache links to
        all files in the user's cache except the files that synthlab downloaded. It is valid as long as the context.
    """
    fetched = cache_folder().parent
    with TemporaryDirectory(prefix="synthlab-", ignore_cleanup_errors=True) as folder:
        for entry in fetched.parent.iterdir() if fetched.parent.is_dir() else ():
            if entry != fetched:
                with suppress(OSError):  # without links, the caches are simply filled again
                    (Path(folder) / entry.name).symlink_to(entry)
        environment = {name: value for name, value in os.environ.items() if name != DATA_DIR_VARIABLE}
        yield {**environment, "XDG_CACHE_HOME": folder, saved_functions.SWITCH: "off"}


def normalise(notebook: Any) -> Any:
    """Remove outputs that differ between runs, in place, and return the notebook.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Executed notebook.

    Returns
    -------
    nbformat.NotebookNode
        The same object.
    """
    from nbformat import NotebookNode

    notebook.metadata = NotebookNode(kernelspec=NotebookNode(KERNEL), language_info=NotebookNode(name="python"))
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        cell.metadata = NotebookNode({k: v for k, v in cell.metadata.items() if k in KEPT_CELL_METADATA})
        if cell.cell_type == "code":
            cell.outputs = [_normalise_output(output) for output in _join_streams(cell.outputs)]
    return cell_tags.mark(notebook) if cell_tags.is_lecture(notebook) else notebook


def _join_streams(outputs: Sequence[Any]) -> list[Any]:
    """Join the pieces of each stream, which depend on the speed of the machine."""
    joined: list[Any] = []
    for output in outputs:
        earlier = next((o for o in joined if o.output_type == "stream" and o.get("name") == output.get("name")), None)
        if output.output_type == "stream" and earlier is not None:
            earlier.text += output.text
        else:
            joined.append(output)
    return joined


def _normalise_output(output: Any) -> Any:
    if "metadata" in output:
        output.metadata = type(output)()
    if output.output_type == "stream":
        output.text = scrub(output.text)
    for kind, value in list(output.get("data", {}).items()):
        if kind == WIDGET:
            del output.data[kind]
            output.data["text/plain"] = WIDGET_TEXT
        elif kind.startswith("text/") and output.data.get("text/plain") != WIDGET_TEXT:
            output.data[kind] = scrub(value)
    return output


def scrub(text: str) -> str:
    """Replace local paths and memory addresses in a text; keep images.

    Examples
    --------
    >>> from synthlab.teaching.course_outputs import scrub
    >>> scrub("/tmp/ipykernel_12/345.py:2: UserWarning: <object at 0x7f00deadbeef>")
    'cell:2: UserWarning: <object at 0x...>'
    """
    pieces = _IMAGE.split(text)
    for pattern, replacement in _VOLATILE:
        pieces[::2] = [pattern.sub(replacement, piece) for piece in pieces[::2]]
    return "".join(pieces)


if __name__ == "__main__":
    raise SystemExit(main())
