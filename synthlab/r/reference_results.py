"""Reference results of R: computed live if R is installed, otherwise recorded.

Recorded results are in ``data/reference``. Live and recorded results come from the same scripts, so they have the same
columns and print the same text; the last line states which kind it is. A script runs in a separate process and does not
need rpy2.
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
from synthlab.datasets.files import course_folder, data_folder, packaged_file
from synthlab.exceptions import InputError, RUnavailableError
from synthlab.r.session import UNUSABLE, error_line, installed, package_problem, package_state, probe

FOLDER = "reference"
MANIFEST = f"{FOLDER}/manifest.json"
TIMEOUT = 900.0
SHARED = "SYNTHLAB_R_ANSWERS"  # environment variable: folder in which processes share the answers of R
SESSION = "session.txt"


@dataclass(frozen=True, slots=True)
class Script:
    """Script in ``data/reference`` that runs R.

    Attributes
    ----------
    name : str
        File name.
    outputs : tuple of str
        Files that the script writes.
    inputs : tuple of str
        Files of ``data`` that the script reads.
    course : tuple of str
        Files of the course that the script reads from its output folder.
    datasets : tuple of str
        Datasets of `synthlab.datasets` that the script reads as NAME.csv from its output folder.
    samples : tuple of str
        Files of the real samples that the script reads from the folder SYNTHLAB_DATA_DIR.
    packages : tuple of str
        Required R packages, other than those included in R.
    slow : bool
        Whether the script takes minutes, or draws other random numbers in each run, and therefore runs only on request.
    """

    name: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    course: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    slow: bool = False


_ACS = ("acs_simulated.csv", *(f"acs_simulated_synthetic_{label}.csv" for label in ("lecture", "2", "3")))
_CE = ("ce_simulated.csv", *(f"ce_simulated_synthetic_{number}.csv" for number in (1, 2, 3)))
_SYNTHPOP = (f"{FOLDER}/synthpop_asking.R",)
_GAMLSS_DIST = ("GAF", "qGAF", "NBI_PIG_PO", "quantiles", "DEL_SICHEL", "qDEL_qSICHEL", "continuous", "draws", "edges")
SCRIPTS = (
    Script(
        "match_risk.R",
        ("match_risk.csv",),
        (*_ACS, *_CE, f"{FOLDER}/match_risk_edges.csv"),
        packages=("IdentificationRiskCalculation",),
    ),
    Script(
        "make_gamlss_dist.R",
        tuple(f"gamlss_dist_{what}.csv" for what in _GAMLSS_DIST),
        packages=("gamlss.dist",),
    ),
    Script("tau_metrics.R", ("tau_metrics_esc_cells_0_to_10.csv",), packages=("gamlss.dist",)),
    Script("weights.R", ("weights.csv",), (*_CE, "nb_mixture_paper.csv")),
    Script("utility.R", ("utility.csv", *(f"utility_{d}.csv" for d in ("confidential", "partial", "full")))),
    Script("survey.R", ("survey.csv", "survey_file.csv"), packages=("survey",)),
    Script(
        "models.R",
        ("models.csv",),
        ("acs_simulated.csv", "nb_mixture_paper.csv", "youths_simulated.csv"),
        packages=("MASS", "nnet"),
    ),
    Script("multinom.R", ("multinom.csv",), packages=("nnet",)),
    Script("population_risk.R", ("population_risk.csv",), ("acs_simulated.csv",), packages=("sdcMicro",)),
    Script("dpmpm.R", ("dpmpm.csv",), ("acs_simulated.csv",)),
    Script(
        "nested_households.R",
        ("nested_households.csv",),
        ("households_simulated.csv",),
        packages=("NestedCategBayesImpute",),
        slow=True,
    ),
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
            "acs_slides_synthetic.csv",
            "ce_slides.csv",
            "ce_slides_synthetic.csv",
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
    Script(
        "hu_course.R",
        ("hu_course.csv",),
        course=("replications/hu_course/paper_numbers.csv",),
        samples=("acs_confidential.csv", "acs_slides_synthetic.csv", "ce_slides.csv"),
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
# A reference is named after its file without the extension. The settings of a run are stored next to its table.
NAMES = {output.split(".")[0]: output for output in reversed(list(_BY_OUTPUT))}


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Reference result of R.

    Attributes
    ----------
    table : pandas.DataFrame
        Results of R, with numbers to 15 digits.
    live : bool
        Whether R computed the results in this session.
    source : str
        Versions of R and of the packages, whether the results are live or recorded, and if R failed, the reason.
    skipped : str
        Reason why R did not compute live results that were required; empty if they were not required or R did.
    """

    table: pd.DataFrame
    live: bool
    source: str
    skipped: str = ""

    def value(self, **where: object) -> Any:
        """Return the value of the matching row, or an array for several rows.

        Parameters
        ----------
        **where
            Conditions column=value that the rows must meet.

        Raises
        ------
        InputError
            If the table has no column `value` or no column of a given name, a condition is not a single value, or no row matches.
        """
        rows, columns = self.table, _checks.shorten(self.table.columns, 20)
        if "value" not in rows:
            raise InputError(f"value: the reference has no column 'value'; use a column of .table: {columns}")
        for column, wanted in where.items():
            if column not in rows:
                raise InputError(f"{column}={wanted!r}: the reference has no such column; use one of {columns}")
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
    """Return a reference result of R: live if possible, otherwise recorded.

    Parameters
    ----------
    name : str
        Name of a file in ``data/reference`` without its extension, such as "match_risk" or "gamlss_dist_GAF".
    live : bool, optional
        True requires R; False requires the recorded result. By default, R is run if it is installed and the script does not
        take minutes. If R fails, the recorded result is returned, and its last line states why.

    Returns
    -------
    Reference

    Raises
    ------
    InputError
        If no reference has this name.
    RUnavailableError
        If ``live=True`` and R, a package or the real samples are missing, or the script fails.

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
    # The command that fixes the problem ends the line, so that it can be copied.
    return Reference(_read(output, data), False, f"Recorded: {made}.{failure and f' Not live: {failure}'}")


def why_not_live(script: Script) -> str:
    """Return why a script cannot run, with the command that fixes it; empty if it can."""
    status = probe()
    if status.r is None:
        return f"{status.problem}; fix it with: {status.remedy}"
    for package in script.packages:
        state = package_state(package)
        if state in UNUSABLE:
            return package_problem(package, state)
    if script.course and course_folder() is None:
        return f"{script.name} reads a file of the course, which is not installed"
    folder = data_folder()
    absent = [name for name in script.samples if folder is None or not (folder / name).is_file()]
    if absent:
        return f"{script.name} reads real samples: SYNTHLAB_DATA_DIR must name a folder with {', '.join(absent)}"
    return ""


@cache
def run(script: Script) -> dict[str, bytes]:
    """Run a script in a separate process, once per session; return its output files.

    The output includes the session information as "session". Processes with the same folder in the environment variable
    SYNTHLAB_R_ANSWERS form one session: they reuse the output of the first process as long as R, the packages, the scripts
    and their input files do not change.

    Raises
    ------
    RUnavailableError
        If a requirement is missing, or if the script does not start, stops with an error, or does not write all files.
    """
    problem = why_not_live(script)
    if problem:
        raise RUnavailableError(problem)
    with TemporaryDirectory() as out, resources.as_file(packaged_file(FOLDER)) as folder:
        for name in script.datasets:
            load(name).frame.to_csv(Path(out) / f"{name}.csv", index=False)
        for name, content in course_files(script).items():
            atomic_write.write_bytes(Path(out) / Path(name).name, content)
        shared = os.environ.get(SHARED)
        if not shared:
            return _run_script(script, folder, out)
        from filelock import FileLock

        kept = Path(shared) / _known_by(script, folder, Path(out))
        with FileLock(f"{kept}.lock"):
            if not (kept / SESSION).is_file():  # the last file to be written
                for name, data in _run_script(script, folder, out).items():
                    atomic_write.write_bytes(kept / name, data)
            return _written(script, kept)


def course_files(script: Script) -> dict[str, bytes]:
    """Return the contents of the files of the course that a script reads, by name."""
    return {name: ((course_folder() or Path()) / name).read_bytes() for name in script.course}


def _known_by(script: Script, folder: Path, out: Path) -> str:
    """Return a digest of the script, R, the packages, and all input files."""
    read = [file.read_bytes() for file in sorted(folder.glob("*.R"))]
    read += [packaged_file(name).read_bytes() for name in script.inputs]
    read += course_files(script).values()
    read += [(out / f"{name}.csv").read_bytes() for name in script.datasets]
    read += [((data_folder() or Path()) / name).read_bytes() for name in script.samples]
    known = sha256(repr((script, _rscript(), software(script), installed())).encode())
    for content in read:
        known.update(sha256(content).digest())
    return known.hexdigest()


def _run_script(script: Script, folder: Path, out: str) -> dict[str, bytes]:
    """Run a script and return the files that it writes."""
    samples = [str(data_folder())] if script.samples else []
    rscript = _rscript()
    command = [rscript, "--vanilla", str(folder / script.name), out, *samples]
    look_closer = f"see the details with: {shlex.join(command[:3])} $(mktemp -d) {shlex.join(samples)}".rstrip()
    reinstall = f"({rscript}); fix it with: sudo apt-get install --reinstall r-base-core"
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        message = f"R did not finish {script.name} in {TIMEOUT:.0f} s; {look_closer}"
        raise RUnavailableError(message) from None
    except OSError as error:
        raise RUnavailableError(f"R cannot run {script.name}: {error} {reinstall}") from error
    if done.returncode:
        said = error_line(done)
        # An error message of R comes from the script or a package; without one, R itself is broken.
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
    """Return why a script fails, or an empty string (cached: failing can take long)."""
    try:
        run(script)
    except RUnavailableError as error:
        return str(error)
    return ""


def _rscript() -> str:
    """Return the Rscript of the detected R, which might not be the first on PATH."""
    path = Path(probe().path)
    beside = (p.with_name("Rscript") for p in (path, path.resolve()))
    return next((str(p) for p in beside if p.is_file()), shutil.which("Rscript") or "Rscript")


def software(script: Script) -> str:
    """Return the versions of R and of the packages of a script."""
    return ", ".join([str(probe().r), *(f"{package} {package_state(package)}" for package in script.packages)])


def _read(output: str, data: bytes) -> pd.DataFrame:
    if output.endswith(".json"):
        return pd.json_normalize(json.loads(data)["cases"])
    text = gzip.decompress(data) if output.endswith(".gz") else data
    return pd.read_csv(BytesIO(text), skipinitialspace=True, keep_default_na=False, na_values=["NA", "NaN"])
