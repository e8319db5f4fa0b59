"""Identification probabilities and risk weights compared with base R."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from synthlab import datasets
from synthlab._typing import RadiusKind
from synthlab.crosscheck._check import Row
from synthlab.intruder import Intruder
from synthlab.r import Reference
from synthlab.risk import identification_probability
from synthlab.weights import risk_weights

FIRST = 300  # number of records of the stand-in dataset
SIZES = {1: 300, 2: 300, 3: 60, 4: 24}  # number of records of the simulation by order; R visits every group


def stand_in(answer: Reference) -> Iterator[Row]:
    """Yield the rows of a stand-in dataset."""
    data = datasets.load("ce", version="simulated")
    frame = data.frame.head(FIRST)
    release = [data.synthetic_version(v).head(FIRST) for v in ("1", "2", "3")]
    kind: RadiusKind
    for case, kind, radius in (("ce", "relative", 0.2), ("ce-fixed-radius", "absolute", 5000.0)):
        someone = Intruder(known=["Marital"], synthesized=["Income"], radius=radius, radius_kind=kind)
        result = identification_probability(frame, release, someone)
        label = f"{FIRST} of ce, income within {'20%' if kind == 'relative' else '5,000'}, m = 3"
        theirs = answer.value(what="IR synthetic", case=case)
        yield Row("IR of the release", label, result.record, theirs, "share")
        if case == "ce":
            theirs = answer.value(what="IR confidential", case=case)
            yield Row("IR of the confidential data", label, result.confidential, theirs, "share")
    label = f"{FIRST} of ce, income within 20%"
    settings: dict[str, Any] = {
        "weight 1": {"order": 1},
        "weight 2": {"order": 2},
        "weight 2 scaled and shifted": {"order": 2, "scale": 1.5, "shift": -0.4},
    }
    someone = Intruder(known=["Marital"], synthesized=["Income"], radius=0.2)
    for what, options in settings.items():
        ours = risk_weights(frame, someone, **options).weights
        yield Row(what, label, ours, answer.value(what=what, case="ce"), "share")


def simulation(answer: Reference) -> Iterator[Row]:
    """Yield the rows of simulated counts, with groups of up to four records."""
    values = datasets.load("nb_mixture").frame
    for order, n in SIZES.items():
        frame = values.head(n).astype(np.float64)
        someone = Intruder(known=[], synthesized=list(frame.columns), radius=0.2)
        ours = risk_weights(frame, someone, order=order).weights
        theirs = answer.value(what=f"weight {order}", case="nb-mixture")
        yield Row(f"weight {order}", f"{n} of nb_mixture, one pattern", ours, theirs, "share")
