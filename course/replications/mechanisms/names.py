"""The mechanisms of the study: what each is called, and what it guarantees."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pandas as pd

COPY, PLAIN = "copy of the file", "ordinary synthesis"
ONE, WEIGHTED, AGAIN = "one weight for all", "weighted pseudo-posterior", "re-weighted pseudo-posterior"
CLIPPED = "clipped pseudo-posterior"
DIRICHLET, PMSE = "Dirichlet-multinomial (beta-binomial)", "pMSE exponential mechanism"
POISSON, KEPT = "Poisson counts", "Poisson counts, pseudocount left in"
NBI, GAF = "NBI counts", "GAF counts"
LAPLACE, GEOMETRIC, GAUSSIAN = "Laplace histogram", "geometric histogram", "Gaussian histogram"
RESPONSE = "randomized response"
ALONE, TOGETHER = "one question alone", "four questions together"
POSTERIORS = (ONE, WEIGHTED, AGAIN)
BY_OPENDP = (LAPLACE, GEOMETRIC, GAUSSIAN, RESPONSE, ALONE, TOGETHER)
DELTA = 1e-4
STRICT, WITH_DELTA, LOCAL, NONE = "strict", "strict, with delta", "local, asymptotic", "none"
ADD_REMOVE, REPLACE, EITHER, LEAVE_ONE_OUT = "add-remove", "replace", "add-remove or replace", "leave one out"
CHAIN = "that the chain has converged; units and prior declared beforehand"
FILE = "the bound is the largest value seen on this file; weights and the cut are computed from it and not paid for"
SHAPE = "the pseudocount and the shape are set before the data are seen; for the GAF no cell is above a number that is declared"
CELLS = "the cells are declared"
COIN = "the system's source of randomness"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The guarantee of a mechanism at epsilon.

    Attributes
    ----------
    guarantee : str
        One of `STRICT`, `WITH_DELTA`, `LOCAL`, `NONE`.
    neighbours : str
        For which databases.
    delta : float
        0 where there is none.
    on_trust : str
        What is taken on trust.
    """

    guarantee: str
    neighbours: str
    delta: float
    on_trust: str


GUARANTEES = {
    GEOMETRIC: Guarantee(STRICT, ADD_REMOVE, 0.0, f"{CELLS}; {COIN}"),
    LAPLACE: Guarantee(STRICT, ADD_REMOVE, 0.0, f"{CELLS}; {COIN}"),
    PMSE: Guarantee(STRICT, ADD_REMOVE, 0.0, f"{CELLS}; the size of the table is declared; pseudo-random numbers"),
    DIRICHLET: Guarantee(STRICT, EITHER, 0.0, f"{CELLS}; the size of the table is declared; pseudo-random numbers"),
    RESPONSE: Guarantee(STRICT, REPLACE, 0.0, f"no agency: each answer is changed before it is given; {COIN}"),
    CLIPPED: Guarantee(STRICT, ADD_REMOVE, 0.0, f"{CHAIN}; pseudo-random numbers"),
    ALONE: Guarantee(STRICT, ADD_REMOVE, 0.0, f"the bounds are declared; {COIN}"),
    TOGETHER: Guarantee(STRICT, ADD_REMOVE, 0.0, f"the bounds are declared; {COIN}"),
    GAUSSIAN: Guarantee(WITH_DELTA, ADD_REMOVE, DELTA, f"{CELLS}; {COIN}"),
    POISSON: Guarantee(WITH_DELTA, ADD_REMOVE, DELTA, f"{SHAPE}; pseudo-random numbers"),
    KEPT: Guarantee(WITH_DELTA, ADD_REMOVE, DELTA, f"{SHAPE}; pseudo-random numbers"),
    NBI: Guarantee(WITH_DELTA, ADD_REMOVE, DELTA, f"{SHAPE}; pseudo-random numbers"),
    GAF: Guarantee(WITH_DELTA, ADD_REMOVE, DELTA, f"{SHAPE}; pseudo-random numbers"),
    WEIGHTED: Guarantee(LOCAL, LEAVE_ONE_OUT, 0.0, f"{FILE}; pseudo-random numbers"),
    AGAIN: Guarantee(LOCAL, LEAVE_ONE_OUT, 0.0, f"{FILE}; pseudo-random numbers"),
    ONE: Guarantee(LOCAL, LEAVE_ONE_OUT, 0.0, f"{FILE}; pseudo-random numbers"),
    PLAIN: Guarantee(
        NONE,
        "none",
        1.0,
        "a table from its own Dirichlet-multinomial has epsilon log(1 + n); a regression has no bound",
    ),
    COPY: Guarantee(NONE, "none", 1.0, "every record is released as it is"),
}


def guarantees() -> pd.DataFrame:
    """Return one row per mechanism: what it guarantees, for which neighbours, with which delta, and what is taken on trust."""
    return pd.DataFrame([{"mechanism": name, **asdict(one)} for name, one in GUARANTEES.items()])
