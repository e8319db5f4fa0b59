"""R, its packages, and the bridge to it."""

from __future__ import annotations

from synthlab import _extras
from synthlab.doctor._check import Check, State, by_system
from synthlab.r.session import RStatus, how_to_install, look

SECONDS = 50.0  # for each question to R, of which there are three
PACKAGES = {
    "IdentificationRiskCalculation": "matching risks are compared with the recorded answers of R alone",
    "gamlss.dist": "count distributions are compared with the recorded answers of R alone",
    "MASS": "fitted models are compared with the recorded answers of R alone",
    "nnet": "fitted models are compared with the recorded answers of R alone",
    "synthpop": "disclosure and tables are compared with the recorded answers of R alone",
    "survey": "survey designs are compared with the recorded answers of R alone",
    "reticulate": "R cannot call synthlab (course/r/synthlab.R)",
}


def look_up() -> list[Check]:
    """Ask R for its version and its packages, and a fresh Python whether the bridge starts."""
    status, cost = look(tuple(PACKAGES), SECONDS), "R is not run: its recorded answers are used instead"
    if status.r is None:
        state: State = "broken" if status.path else "missing"
        said = f"{cost} ({status.problem})" if status.path else cost
        mend = status.remedy if status.path else by_system(status.remedy, "brew install r", "winget install RProject.R")
        return [Check("R", state, status.path, said, mend)]
    checks = [Check("R", "ok", f"{status.r.removeprefix('R version ')} at {status.path}")]
    for name, package_cost in PACKAGES.items():
        found = status.packages[name]
        if found == "missing":
            checks.append(Check(f"R {name}", "missing", "", package_cost, how_to_install(name)))
        elif found == "no answer":
            said = f"{package_cost}, as far as is known (R took longer than {SECONDS:.0f} s)"
            checks.append(Check(f"R {name}", "broken", "", said, "synthlab doctor"))
        elif found == "broken":
            checks.append(Check(f"R {name}", "broken", "", package_cost, f"re{how_to_install(name)}"))
        else:
            checks.append(Check(f"R {name}", "ok", found))
    return [*checks, bridge(status)]


def bridge(status: RStatus) -> Check:
    """Say whether R can be called from Python."""
    cost = "R cannot be called from Python: its recorded answers are used instead"
    if status.usable:
        return Check("rpy2", "ok", str(status.rpy2))
    version = _extras.version("rpy2")
    if version is None:
        return Check("rpy2", "missing", "", cost, status.remedy)
    return Check("rpy2", "broken", version, f"{cost} ({status.problem})", status.remedy)
