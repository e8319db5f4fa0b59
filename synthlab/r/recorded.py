"""Answers of R: computed now where R and its packages are there, else as recorded in ``data/reference``.

Both come from the same scripts of ours, so both have the same columns and print the same text; the last line says
which of the two it is. A script runs in a process of its own and needs no rpy2.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab.datasets._files import data_folder, packaged_file
from synthlab.exceptions import InputError, RUnavailableError
from synthlab.r.session import package_problem, package_state, probe

FOLDER = "reference"
MANIFEST = f"{FOLDER}/manifest.json"
TIMEOUT = 900.0


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
    samples: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    slow: bool = False


_ACS = ("acs_simulated.csv", *(f"acs_simulated_synthetic_{label}.csv" for label in ("lecture", "2", "3")))
_CE = ("ce_simulated.csv", *(f"ce_simulated_synthetic_{number}.csv" for number in (1, 2, 3)))
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
    Script("models.R", ("models.csv",), ("acs_simulated.csv", "nb_mixture_paper.csv"), packages=("MASS", "nnet")),
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
        Which R, which packages, and whether live or recorded.
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
        """
        rows = self.table
        for column, wanted in where.items():
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
        takes minutes.

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
    if live is None:
        live = not script.slow and not why_not_live(script)
    if live:
        data = run(script)[output]
        return Reference(_read(output, data), True, f"Live: {software(script)}, {FOLDER}/{script.name}.")
    entry = json.loads(packaged_file(MANIFEST).read_text(encoding="utf-8"))["scripts"][script.name]
    data = packaged_file(f"{FOLDER}/{output}").read_bytes()
    made = f"{entry['software']}, {FOLDER}/{script.name}, {entry['date']}"
    return Reference(_read(output, data), False, f"Recorded: {made}.")


def why_not_live(script: Script) -> str:
    """Return why a script cannot be run here, with the command that mends it; empty if it can."""
    status = probe()
    if status.r is None:
        return f"{status.problem}; mend it with: {status.remedy}"
    for package in script.packages:
        state = package_state(package)
        if state in ("missing", "broken"):
            return package_problem(package, state)
    folder = data_folder()
    absent = [name for name in script.samples if folder is None or not (folder / name).is_file()]
    if absent:
        return f"{script.name} reads real samples: SYNTHLAB_DATA_DIR must name a folder with {', '.join(absent)}"
    return ""


@cache
def run(script: Script) -> dict[str, bytes]:
    """Run a script in a process of its own, once a session; return what it writes, and its session as "session"."""
    problem = why_not_live(script)
    if problem:
        raise RUnavailableError(problem)
    rscript = shutil.which("Rscript") or str(Path(probe().path).with_name("Rscript"))
    with TemporaryDirectory() as out, resources.as_file(packaged_file(FOLDER)) as folder:
        command = [rscript, "--vanilla", str(folder / script.name), out]
        if script.samples:
            command.append(str(data_folder()))
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RUnavailableError(f"R cannot run {script.name}: {error}") from error
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise RUnavailableError(f"R stopped in {script.name}: {last}")
        return {name: (Path(out) / name).read_bytes() for name in (*script.outputs, "session.txt")}


def software(script: Script) -> str:
    """Return which R and which packages answer."""
    return ", ".join([str(probe().r), *(f"{package} {package_state(package)}" for package in script.packages)])


def _read(output: str, data: bytes) -> pd.DataFrame:
    if output.endswith(".json"):
        return pd.json_normalize(json.loads(data)["cases"])
    options: dict[str, Any] = {"skipinitialspace": True, "keep_default_na": False, "na_values": ["NA", "NaN"]}
    return pd.read_csv(BytesIO(data), compression="gzip" if output.endswith(".gz") else None, **options)
