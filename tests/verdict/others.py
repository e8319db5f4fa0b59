"""What SDMetrics and anonymeter find on a case of `make verdict`; both need an environment of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from tests.verdict.cases import Made
from tests.verdict.measured import datasets_of

ATTACKED = 300  # people whom anonymeter attacks, and released records that SDMetrics compares
# A tool warns beyond these values. They were chosen on honest releases: neither tool states a limit of its own.
WARNS: dict[str, Callable[[float], bool]] = {
    "new rows": lambda score: score < 0.9,
    "distance": lambda score: score < 0.05,
    "overfitting": lambda score: score < 0.75,
    "linkability": lambda lowest: lowest > 0.1,
    "inference": lambda lowest: lowest > 0.1,
}


def metadata(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the description of the columns that SDMetrics needs."""
    numbers = set(frame.select_dtypes("number"))
    return {"columns": {name: {"sdtype": "numerical" if name in numbers else "categorical"} for name in frame}}


def of_sdmetrics(own: pd.DataFrame, frame: pd.DataFrame, control: pd.DataFrame | None) -> dict[str, float]:
    """Return the share of new rows, and the scores of the distances to the closest record (1 is best)."""
    from sdmetrics.single_table import DCRBaselineProtection, DCROverfittingProtection, NewRowSynthesis

    described = metadata(own)
    drawn = frame.sample(min(ATTACKED, len(frame)), random_state=1)
    found = {
        "new rows": NewRowSynthesis.compute(own, drawn, metadata=described),
        "distance": DCRBaselineProtection.compute(own, drawn, described, None),
    }
    if control is not None:
        found["overfitting"] = DCROverfittingProtection.compute(own, drawn, control, described, None)
    return found


def of_anonymeter(
    own: pd.DataFrame, frame: pd.DataFrame, control: pd.DataFrame | None, known: list[str]
) -> dict[str, float]:
    """Return the lower limits (95%) of the risks of linkage and inference, the largest over the columns that are not known."""
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator

    attacked = min(ATTACKED, len(own), len(frame), *([] if control is None else [len(control)]))
    columns, found = list(own), {}
    halves = columns[::2], columns[1::2]
    link = LinkabilityEvaluator(own, frame, halves, n_attacks=attacked, control=control).evaluate(n_jobs=1)
    found["linkability"] = link.risk().ci[0]
    lowest = []
    for secret in [name for name in columns if name not in known]:
        number = pd.api.types.is_numeric_dtype(own[secret]) and own[secret].nunique() > 20
        attack = InferenceEvaluator(
            own, frame, known or [name for name in columns if name != secret], secret, number, attacked, control
        )
        lowest.append(attack.evaluate(n_jobs=1).risk().ci[0])
    found["inference"] = max(lowest, default=float("nan"))
    return found


def other_tools(made: Made) -> dict[str, str]:
    """Return the numbers of both tools, the worst over the datasets, with a star where a tool warns."""
    own, control, datasets = made["confidential"], made.get("control"), datasets_of(made)
    known = list(made["intruder"].known)
    shared = [column for column in own if all(column in frame for frame in datasets)]
    tools: dict[str, Callable[[pd.DataFrame], dict[str, float]]] = {
        "SDMetrics": lambda frame: of_sdmetrics(
            own[shared], frame[shared], None if control is None else control[shared]
        ),
        "anonymeter": lambda frame: of_anonymeter(
            own[shared], frame[shared], None if control is None else control[shared], [c for c in known if c in shared]
        ),
    }
    found = {}
    for tool, ask in tools.items():
        np.random.seed(1)  # noqa: NPY002 - both tools draw from NumPy's global generator
        try:
            table = pd.DataFrame([ask(frame) for frame in datasets])
        except ImportError:
            found[tool] = "not installed"
            continue
        except Exception as error:  # noqa: BLE001 - whatever another tool raises is its answer
            found[tool] = type(error).__name__
            continue
        worst = {
            kind: table[kind].max() if kind in ("linkability", "inference") else table[kind].min() for kind in table
        }
        found[tool] = ", ".join(
            f"{kind} {value:.2f}{'*' if WARNS[kind](value) else ''}" for kind, value in worst.items()
        )
    return found
