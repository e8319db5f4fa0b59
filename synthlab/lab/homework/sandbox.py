"""The place where the code of a student runs: without network, environment and the files of anybody else.

Bubblewrap (``bwrap``) where it is installed and works, or Docker with an image that holds synthlab. Both see the Python
this runs in, the package, the folder of one submission, and nothing else.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.lab.homework.limits import MB, Limits
from synthlab.lab.homework.portable import PACKAGE

HOME = "/home/student"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/fonts")
KINDS = ("bubblewrap", "docker", "none")
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "MPLBACKEND": "agg",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One way to run a kernel.

    Attributes
    ----------
    kind : {"bubblewrap", "docker", "none"}
    image : str
        Of Docker; else empty.
    """

    kind: str
    image: str = ""

    @property
    def home(self) -> str | None:
        """The working folder within it; without a sandbox there is none but the box."""
        return None if self.kind == "none" else HOME

    def command(self, box: Path, inner: Sequence[str], shown: Mapping[Path, str], limits: Limits) -> list[str]:
        """Return the command that runs another one within the sandbox.

        Parameters
        ----------
        box : Path
            The folder of the submission: the one place that is written to and remains.
        inner : sequence of str
            The command to be run, its first word "python".
        shown : mapping {Path: str}
            Files and folders to be read, and where they are seen in the working folder.
        limits : Limits
        """
        if self.kind == "bubblewrap":
            return [*_bubblewrap(box, shown, limits), sys.executable, *inner[1:]]
        if self.kind == "docker":
            return [*_docker(self.image, box, shown, limits), *inner]
        return [sys.executable, *inner[1:]]

    def end(self, box: Path) -> None:
        """End what still runs; a container does not end with the command that started it."""
        if self.kind == "docker":
            subprocess.run(["docker", "kill", _container(box)], capture_output=True, timeout=60, check=False)

    def environment(self) -> dict[str, str]:
        """Return the variables a kernel sees."""
        return {**ENVIRONMENT, **_search_path(), "HOME": self.home or ""}


def find_sandbox(unsafe: bool = False, image: str | None = None) -> Sandbox:
    """Return the sandbox of this machine.

    Parameters
    ----------
    unsafe : bool, default False
        Whether to go on without one.
    image : str, optional
        A Docker image that holds synthlab, with ``python`` on its path; Docker is used then.

    Returns
    -------
    Sandbox

    Raises
    ------
    InputError
        If there is none, with what to do.
    """
    if unsafe:
        return Sandbox("none")
    if image is not None:
        if not isinstance(image, str) or not image or image.startswith("-"):
            raise InputError("image: must be the name of a Docker image")
        _works("docker", ["docker", "image", "inspect", image])
        return Sandbox("docker", image)
    if which("bwrap") is None:
        raise InputError(
            "the code of a submission runs in a sandbox, and there is none: install bubblewrap "
            "(sudo apt-get install bubblewrap), or name a Docker image with --image; --unsafe runs it with your own rights"
        )
    _works("bubblewrap", [*_bubblewrap(None, {}, Limits()), "true"])
    return Sandbox("bubblewrap")


def _works(kind: str, command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{kind} does not work here: {type(error).__name__}; --unsafe goes on without it") from None
    if done.returncode:
        said = _checks.shorten(done.stderr.split()) if done.stderr else f"exit code {done.returncode}"
        raise InputError(f"{kind} does not work here: {said}; --unsafe goes on without it")


def _bubblewrap(box: Path | None, shown: Mapping[Path, str], limits: Limits) -> list[str]:
    words = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--uid", "1000", "--gid", "1000", "--hostname", "student", "--clearenv"]
    for name, value in {**ENVIRONMENT, **_search_path(), "HOME": HOME, "USER": "student"}.items():
        words += ["--setenv", name, value]
    for folder in SYSTEM:
        if os.path.islink(folder):
            words += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            words += ["--ro-bind", folder, folder]
    for name in SETTINGS:
        words += ["--ro-bind-try", name, name]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", HOME):
        words += ["--size", str(limits.disk_mb * MB), "--tmpfs", folder]
    for held in _python():
        words += ["--ro-bind", held, held]
    if box is not None:
        words += ["--bind", str(box), str(box)]
    for path, name in shown.items():
        words += ["--ro-bind", str(path), f"{HOME}/{name}"]
    # What bubblewrap makes in memory for the mounts themselves has no size.
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME]


def _search_path() -> dict[str, str]:
    """Return what lets a kernel find the package that grades it, where that is a checkout and not installed."""
    root = Path(PACKAGE).parent
    return {"PYTHONPATH": str(root)} if (root / "pyproject.toml").is_file() else {}


def _python() -> list[str]:
    """Return the folders of this Python and of the package that the system's own do not hold, parents first."""
    root = Path(PACKAGE)
    wanted = {str(Path(p).resolve()) for p in (sys.prefix, sys.base_prefix, sys.exec_prefix)} | {sys.prefix, PACKAGE}
    if (root.parent / "pyproject.toml").is_file():  # in a checkout the data stand beside the package
        wanted |= {str(root.parent / "data")}
    kept: list[str] = []
    for path in sorted(wanted, key=len):
        held = [*kept, "/usr"]
        if os.path.isdir(path) and not any(Path(path).is_relative_to(one) for one in held):
            kept.append(path)
    return kept


def _container(box: Path) -> str:
    return f"synthlab-{box.name}"


def _docker(image: str, box: Path, shown: Mapping[Path, str], limits: Limits) -> list[str]:
    words = ["docker", "run", "--rm", "--init", "--network", "none", "--cap-drop", "ALL", "--read-only"]
    words += ["--security-opt", "no-new-privileges", "--name", _container(box)]
    words += ["--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m"]
    words += ["--pids-limit", str(limits.processes), "--workdir", HOME]
    for folder in ("/tmp", HOME):
        words += ["--tmpfs", f"{folder}:rw,mode=1777,size={limits.disk_mb}m"]
    if sys.platform != "win32":
        words += ["--user", f"{os.getuid()}:{os.getgid()}"]
    for name, value in {**ENVIRONMENT, "HOME": HOME}.items():
        words += ["--env", f"{name}={value}"]
    words += ["--volume", f"{box}:{box}"]
    for path, name in shown.items():
        words += ["--volume", f"{path}:{HOME}/{name}:ro"]
    return [*words, image]
