"""Which published results can be computed again, by the name the command line knows them by.

A new replication is one entry; its module is imported when it is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from synthlab._typing import RngLike
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True)
class Replication:
    """One replication.

    Attributes
    ----------
    title : str
        What is computed again, in a line.
    module, function : str
        Where it is; the function returns a result with `to_frame`.
    seeded : bool
        Whether the function takes `rng`.
    quick : mapping
        Arguments that make it a matter of seconds; empty if it is one anyway.
    """

    title: str
    module: str
    function: str
    seeded: bool = False
    quick: Mapping[str, Any] = field(default_factory=dict)


REPLICATIONS = {
    "coverage": Replication(
        "how often 95 % intervals from synthetic data hold the truth, right and naive",
        "synthlab.lab.replication.coverage.study",
        "simulate_coverage",
        seeded=True,
        quick={"repetitions": 200},
    ),
    "dp": Replication(
        "Savitsky, Williams & Hu: the pseudo posterior mechanism, figures 2 to 5, table 2 and the claims",
        "synthlab.lab.replication.dp.study",
        "run",
        seeded=True,
        quick={"quick": True},
    ),
    "gamma-family": Replication(
        "Jackson, Mitra, Francis & Dove: contingency tables with the gamma family, all figures and claims",
        "synthlab.lab.replication.gamma_family.study",
        "run",
        seeded=True,
        quick={"quick": True},
    ),
    "intruder": Replication(
        "Reiter & Mitra: Table 1, fourteen attacks on the youths, repeated; the claims, N_t, the prior",
        "synthlab.lab.replication.intruder.study",
        "run",
        seeded=True,
        quick={"quick": True},
    ),
    "lecture-8": Replication(
        "the published risks of lecture 8 on the ACS sample, beside R's and ours",
        "synthlab.lab.replication.lecture_8.study",
        "run",
    ),
    "risk-weighted": Replication(
        "Hu, Savitsky & Williams: risk weights, both studies, published numbers beside ours",
        "synthlab.lab.replication.risk_weighted.study",
        "run",
        seeded=True,
        quick={"quick": True},
    ),
}


def replicate(name: str, *, quick: bool = False, rng: RngLike = None) -> Any:
    """Run a replication by name.

    Parameters
    ----------
    name : str
        A key of `REPLICATIONS`.
    quick : bool
        A smaller run, to see that it works.
    rng : int or numpy.random.Generator, optional
        Seed; by default the one of the recorded result.

    Returns
    -------
    result
        That of the replication: it prints itself and has `to_frame`.

    Raises
    ------
    InputError
        If there is no such replication, or it takes no seed or has no quick form.
    """
    if name not in REPLICATIONS:
        close = get_close_matches(str(name), REPLICATIONS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise InputError(f"name={name!r}: no such replication, there are {', '.join(REPLICATIONS)}{hint}")
    found = REPLICATIONS[name]
    if quick and not found.quick:
        raise InputError(f"quick=True: {name!r} has no quick form, it takes seconds anyway")
    if rng is not None and not found.seeded:
        raise InputError(f"rng={rng!r}: {name!r} draws no random numbers")
    options = {**(found.quick if quick else {}), **({} if rng is None else {"rng": rng})}
    return getattr(import_module(found.module), found.function)(**options)


def to_csv(name: str, result: Any) -> str:
    """Return a result as the text of a CSV file, in the form its module records it in, if it has one."""
    module = import_module(REPLICATIONS[name].module)
    own = getattr(module, "to_csv", None)
    text = own(result) if own is not None else result.to_frame().to_csv(lineterminator="\n")
    return str(text)
