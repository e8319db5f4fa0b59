"""Release dossier: facts to approve a release, in the order of NIST SP 800-188.

The caller supplies facts that cannot be measured, such as the purpose, the assumptions, the privacy parameters and the
decision. Facts that are missing are marked as not stated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._format import count, three_digits
from synthlab.exceptions import InputError
from synthlab.release.manifest import public

if TYPE_CHECKING:
    from synthlab.report.evaluation_data import EvaluationData

OPEN = "not stated"
# Facts by heading; NIST SP 800-188 (2023), De-identifying government datasets, chapters 3 and 4.
HEADINGS: dict[str, dict[str, str]] = {
    "Goals and intended use of the release": {
        "purpose": "Purpose",
        "users": "Intended users",
        "access": "How it is shared",
    },
    "Data and legal basis": {"data": "Confidential data", "basis": "Legal basis", "owner": "Responsible"},
    "De-identification method and its parameters": {
        "mechanism": "Mechanism",
        "weights": "Record weights",
        "epsilon": "Epsilon",
        "delta": "Delta",
        "adjacency": "Neighboring files",
    },
    "Assumptions about intruders": {"assumptions": "Assumptions", "linkable": "Data an intruder may link with"},
    "Decision and monitoring": {
        "review": "Reviewed by",
        "decision": "Decision",
        "monitoring": "After the release",
        "contact": "Contact",
    },
}
KEYS = [key for keys in HEADINGS.values() for key in keys]


def check_dossier(value: object, *, publish: bool = False) -> dict[str, str]:
    """Validate the dossier and return its facts as text.

    For publication, the range of the weights is omitted because its ends are weights of single records.
    """
    told = _checks.check_mapping(value, "dossier", f"a mapping with some of {', '.join(KEYS)}")
    if odd := [key for key in told if key not in KEYS]:
        raise InputError(f"dossier: unknown key {_checks.named(odd)}; allowed keys are {', '.join(KEYS)}")
    return {key: _text(key, item, publish) for key, item in told.items()}


def _text(key: str, value: object, publish: bool) -> str:
    if key == "weights" and not isinstance(value, str):
        weights = _checks.check_vector(value, "dossier['weights']")
        low, high = (three_digits(float(end)) for end in (weights.min(initial=np.inf), weights.max(initial=-np.inf)))
        ends = "" if publish else f" from {low} to {high}"
        return f"{count(weights.size)} weights{ends}, mean {three_digits(float(weights.mean()))}"
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"dossier[{key!r}]: must be a text, a number or a list of texts")
    return str(value)


def parts(result: EvaluationData, told: Mapping[str, str], *, publish: bool) -> list[dict[str, Any]]:
    """Return each heading with its facts from the caller or the provenance."""
    made = result.release.provenance
    known = {
        "mechanism": made.get("mechanism", made.get("synthesizer")),
        "epsilon": made.get("epsilon", _accounted(made)),
        "adjacency": made.get("adjacency"),
    }
    texts = {**{key: str(value) for key, value in public(known).items() if value is not None}, **told}
    found = [
        {"heading": heading, "facts": [(label, texts.get(key, OPEN)) for key, label in keys.items()]}
        for heading, keys in HEADINGS.items()
    ]
    found.insert(
        3, {"heading": "Files and their digests (SHA-256 of the table as CSV)", "facts": _digests(result, publish)}
    )
    return found


def _accounted(made: Mapping[str, Any]) -> str | None:
    """Return the privacy loss and the guarantee that the release states, or None."""
    if "epsilon_total" not in made:
        return None
    total = f"{made['epsilon_total']} for all {made['m']} datasets" if "m" in made else str(made["epsilon_total"])
    return f"{total}. {made['guarantee']}" if "guarantee" in made else total


def _digests(result: EvaluationData, publish: bool) -> list[tuple[str, str]]:
    files = {f"Synthetic dataset {number}": frame for number, frame in enumerate(result.release, start=1)}
    if not publish:
        files = {"Confidential data (internal)": result.confidential, **files}
    return [(name, _digest(frame)) for name, frame in files.items()]


def _digest(frame: pd.DataFrame) -> str:
    return hashlib.sha256(frame.to_csv(index=False, lineterminator="\n").encode("utf-8", "surrogatepass")).hexdigest()
