"""Answers of R: computed now where R and its packages are there, else as recorded in ``data/reference``.

Both come from the same scripts of the project, so both have the same columns and print the same text; the last line says
which of the two it is. A script runs in a process of its own and needs no rpy2.
"""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab._system import atomic_write
from synthlab.datasets import load
from synthlab.datasets._files import data_folder, packaged_file
from synthlab.exceptions import InputError, RUnavailableError
from synthlab.r.session import UNUSABLE, installed, package_problem, package_state, probe, what_it_said

FOLDER = "reference"
MANIFEST = f"{FOLDER}/manifest.json"
TIMEOUT = 900.0
SHARED = "SYNTHLAB_R_ANSWERS"  # a folder; the processes that have it ask R once
SESSION = "session.txt"


@dataclass(frozen=True, slots=True)
class Script:
    """A script of ``data/reference`` that asks R.

    Attributes
    ----------
    name : str
        File name.
    outputs : tuple of str
        Files it writes.
    inputs : tuple of str
        Files of ``data`` it reads.
    datasets : tuple of str
        Datasets of `synthlab.datasets` it reads, written as NAME.csv into the folder of its outputs.
    samples : tuple of str
        Files of the real samples it reads, from the folder named by SYNTHLAB_DATA_DIR.
    packages : tuple of str
        R packages it needs, other than those every R has.
    slow : bool
        Whether it takes minutes: run on request alone.
    """

    name: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    slow: bool = False


_ACS = ("acs_simulated.csv", *(f"acs_simulated_synthetic_{label}.csv" for label in ("lecture", "2", "3")))
_CE = ("ce_simulated.csv", *(f"ce_simulated_synthetic_{number}.csv" for number in (1, 2, 3)))
_SYNTHPOP = (f"{FOLDER}/synthpop_asking.R",)
SCRIPTS = (
    Script(
        "match_risk.R",
        ("match_risk.csv",),
        (*_ACS, *_CE, f"{FOLDER}/match_risk_edges.csv"),
        packages=("IdentificationRiskCalculation",),
    ),
    Script(
        "make_gamlss_dist.R",
        tuple(f"gamlss_dist_{what}.csv" for what in ("GAF", "qGAF", "NBI_PIG_PO", "quantiles", "draws", "edges")),
        packages=("gamlss.dist",),
    ),
    Script("tau_metrics.R", ("tau_metrics_esc_cells_0_to_10.csv",), packages=("gamlss.dist",)),
    Script("weights.R", ("weights.csv",), (*_CE, "nb_mixture_paper.csv")),
    Script("utility.R", ("utility.csv", *(f"utility_{d}.csv" for d in ("confidential", "partial", "full")))),
    Script("survey.R", ("survey.csv", "survey_file.csv"), packages=("survey",)),
    Script("models.R", ("models.csv",), ("acs_simulated.csv", "nb_mixture_paper.csv"), packages=("MASS", "nnet")),
    Script("multinom.R", ("multinom.csv",), packages=("nnet",)),
    Script("population_risk.R", ("population_risk.csv",), ("acs_simulated.csv",), packages=("sdcMicro",)),
    Script("dpmpm.R", ("dpmpm.csv",), ("acs_simulated.csv",)),
    Script(
        "identification_risk_calculation.R",
        (
            "identification_risk_calculation.json",
            "records_acs-synthetic-lecture.csv.gz",
            "records_ce-income.csv.gz",
        ),
        samples=(
            "acs_confidential.csv",
            "acs_synthetic_lecture.csv",
            "ce_hornby.csv",
            *(f"ce_hornby_synthetic_{number}.csv" for number in (1, 2, 3)),
        ),
        packages=("IdentificationRiskCalculation",),
    ),
    Script(
        "synthpop.R",
        ("synthpop.csv", "synthpop_pairs.csv"),
        (*_SYNTHPOP, f"{FOLDER}/synthpop_affairs.csv.gz", f"{FOLDER}/synthpop_youths.csv.gz", *_ACS, *_CE),
        datasets=("affairs",),
        packages=("synthpop",),
    ),
    Script("synthpop_missing.R", ("synthpop_missing.csv",), datasets=("affairs",), packages=("synthpop",)),
    Script(
        "synthpop_acs.R",
        ("synthpop_acs.csv", "synthpop_acs_pairs.csv"),
        _SYNTHPOP,
        samples=("acs_confidential.csv", *(f"acs_synthetic_{label}.csv" for label in ("lecture", "2", "3"))),
        packages=("synthpop",),
    ),
    Script("npbayes_zeros.R", ("npbayes_zeros.csv",), ("acs_simulated.csv",), packages=("NPBayesImputeCat",)),
    Script(
        "npbayes_dpmpm.R",
        ("npbayes_dpmpm_acs.csv", "npbayes_dpmpm_acs.json"),
        samples=("acs_confidential.csv",),
        packages=("NPBayesImputeCat",),
        slow=True,
    ),
)
_BY_OUTPUT = {output: script for script in SCRIPTS for output in script.outputs}
# A reference is called by its file without the ending; the settings of a run stand beside its table.
NAMES = {output.split(".")[0]: output for output in reversed(list(_BY_OUTPUT))}


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """An answer of R.

    Attributes
    ----------
    table : pandas.DataFrame
        What R answered, numbers with 15 digits.
    live : bool
        Whether R computed it just now.
    source : str
        Which R, which packages, whether live or recorded, and why recorded where R was asked and failed.
    """

    table: pd.DataFrame
    live: bool
    source: str

    def value(self, **where: object) -> Any:
        """Return the one value of the rows that meet all conditions, or an array of several.

        Parameters
        ----------
        **where
            column=value; rows of the table with these values.

        Raises
        ------
        InputError
            The table has no column `value` or not the one named, a condition is not one value, or no row meets all.
        """
        rows, columns = self.table, _checks.shorten(self.table.columns, 20)
        if "value" not in rows:
            raise InputError(f"value: the reference has no column 'value'; take one of {columns} from .table")
        for column, wanted in where.items():
            if column not in rows:
                raise InputError(f"{column}={wanted!r}: the reference has no such column; it has {columns}")
            if not pd.api.types.is_scalar(wanted):
                raise InputError(f"{column}={wanted!r}: must be one value of the column")
            rows = rows[rows[column] == wanted]
        if rows.empty:
            raise InputError(f"the reference has no row with {where}")
        values = rows["value"].to_numpy(dtype=float)
        return float(values[0]) if values.size == 1 else values

    def __str__(self) -> str:
        return f"{self.table.to_string(max_rows=20, float_format='{:.10g}'.format)}\n{self.source}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"{self.table.to_html(max_rows=20, float_format='{:.10g}'.format)}<p>{escape(self.source)}</p>"


def reference(name: str, *, live: bool | None = None) -> Reference:
    """Return an answer of R: live where R and the packages are there, else recorded.

    Parameters
    ----------
    name : str
        A file of ``data/reference`` without its ending, such as "match_risk" or "gamlss_dist_GAF".
    live : bool, optional
        True insists on R, False on the recorded answer. By default R is asked where it can be, unless the script
        takes minutes; where it then fails, the recorded answer is returned, and its last line says why.

    Returns
    -------
    Reference

    Raises
    ------
    InputError
        If there is no such reference.
    RUnavailableError
        With ``live=True``: R, a package or the real samples are missing, or the script fails.

    Examples
    --------
    >>> from synthlab.r import reference
    >>> answer = reference("match_risk", live=False)
    >>> round(answer.value(what="expected match risk", case="acs-lecture"), 4)
    44.4391
    >>> answer.live, answer.source[:9]
    (False, 'Recorded:')
    """
    output = NAMES[_checks.check_choice(name, "name", tuple(NAMES))]
    script = _BY_OUTPUT[output]
    failure = ""
    if live is None:
        live = not script.slow and not why_not_live(script)
        failure = _why_run_fails(script) if live else ""
    if live and not failure:
        data = run(script)[output]
        return Reference(_read(output, data), True, f"Live: {software(script)}, {FOLDER}/{script.name}.")
    entry = json.loads(packaged_file(MANIFEST).read_text(encoding="utf-8"))["scripts"][script.name]
    data = packaged_file(f"{FOLDER}/{output}").read_bytes()
    made = f"{entry['software']}, {FOLDER}/{script.name}, {entry['date']}"
    # The command that mends it ends the line, so that it can be copied.
    return Reference(_read(output, data), False, f"Recorded: {made}.{failure and f' Not live: {failure}'}")


def why_not_live(script: Script) -> str:
    """Return why a script cannot be run here, with the command that fixes it; empty if it can."""
    status = probe()
    if status.r is None:
        return f"{status.problem}; mend it with: {status.remedy}"
    for package in script.packages:
        state = package_state(package)
        if state in UNUSABLE:
            return package_problem(package, state)
    folder = data_folder()
    absent = [name for name in script.samples if folder is None or not (folder / name).is_file()]
    if absent:
        return f"{script.name} reads real samples: SYNTHLAB_DATA_DIR must name a folder with {', '.join(absent)}"
    return ""


@cache
def run(script: Script) -> dict[str, bytes]:
    """Run a script in a process of its own, once a session; return what it writes, and its session as "session".

    Processes for which the variable SYNTHLAB_R_ANSWERS names the same folder are one session: what the first has asked the
    others read, as long as R, the packages, the scripts and what they read are the same.

    Raises
    ------
    RUnavailableError
        Something is missing, or the script does not run, stops, or leaves out a file it should write.
    """
    problem = why_not_live(script)
    if problem:
        raise RUnavailableError(problem)
    with TemporaryDirectory() as out, resources.as_file(packaged_file(FOLDER)) as folder:
        for name in script.datasets:
            load(name).frame.to_csv(Path(out) / f"{name}.csv", index=False)
        shared = os.environ.get(SHARED)
        if not shared:
            return _asked(script, folder, out)
        from filelock import FileLock

        kept = Path(shared) / _known_by(script, folder, Path(out))
        with FileLock(f"{kept}.lock"):
            if not (kept / SESSION).is_file():  # the last one to be written
                for name, data in _asked(script, folder, out).items():
                    atomic_write.write_bytes(kept / name, data)
            return _written(script, kept)


def _known_by(script: Script, folder: Path, out: Path) -> str:
    """Return a name for a question: the script, which R is asked, its packages, and every file that is read."""
    read = [file.read_bytes() for file in sorted(folder.glob("*.R"))]
    read += [packaged_file(name).read_bytes() for name in script.inputs]
    read += [(out / f"{name}.csv").read_bytes() for name in script.datasets]
    read += [((data_folder() or Path()) / name).read_bytes() for name in script.samples]
    known = sha256(repr((script, _rscript(), software(script), installed())).encode())
    for content in read:
        known.update(sha256(content).digest())
    return known.hexdigest()


def _asked(script: Script, folder: Path, out: str) -> dict[str, bytes]:
    """Run a script and return what it writes."""
    samples = [str(data_folder())] if script.samples else []
    rscript = _rscript()
    command = [rscript, "--vanilla", str(folder / script.name), out, *samples]
    look_closer = f"look closer with: {shlex.join(command[:3])} $(mktemp -d) {shlex.join(samples)}".rstrip()
    reinstall = f"({rscript}); mend it with: sudo apt-get install --reinstall r-base-core"
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        message = f"R gave no answer to {script.name} in {TIMEOUT:.0f} s; {look_closer}"
        raise RUnavailableError(message) from None
    except OSError as error:
        raise RUnavailableError(f"R cannot run {script.name}: {error} {reinstall}") from error
    if done.returncode:
        said = what_it_said(done)
        # An error of R's own is of the script or a package; without one it is R that is broken.
        then = f"; {look_closer}" if said.startswith("Error") else f" {reinstall}"
        raise RUnavailableError(f"R stopped in {script.name}: {said}{then}")
    lost = [name for name in (*script.outputs, SESSION) if not (Path(out) / name).is_file()]
    if lost:
        raise RUnavailableError(f"R ended {script.name} without writing {', '.join(lost)} {reinstall}")
    return _written(script, Path(out))


def _written(script: Script, folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in (*script.outputs, SESSION)}


@cache
def _why_run_fails(script: Script) -> str:
    """Return why a script fails here, empty if it answers; kept, as a failure may take as long as an answer."""
    try:
        run(script)
    except RUnavailableError as error:
        return str(error)
    return ""


def _rscript() -> str:
    """Return the Rscript of the R that was probed, not just the first on PATH, which may be another one."""
    path = Path(probe().path)
    beside = (p.with_name("Rscript") for p in (path, path.resolve()))
    return next((str(p) for p in beside if p.is_file()), shutil.which("Rscript") or "Rscript")


def software(script: Script) -> str:
    """Return which R and which packages answer."""
    return ", ".join([str(probe().r), *(f"{package} {package_state(package)}" for package in script.packages)])


def _read(output: str, data: bytes) -> pd.DataFrame:
    if output.endswith(".json"):
        return pd.json_normalize(json.loads(data)["cases"])
    text = gzip.decompress(data) if output.endswith(".gz") else data
    return pd.read_csv(BytesIO(text), skipinitialspace=True, keep_default_na=False, na_values=["NA", "NaN"])
