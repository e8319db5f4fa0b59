"""The statements of lectures 12 to 14 on mechanisms at equal epsilon, judged in every repetition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from synthlab.replication.claims import Claim, Rows
from synthlab.replication.mechanisms.data import MEASURES
from synthlab.replication.mechanisms.names import (
    AGAIN,
    ALONE,
    BY_OPENDP,
    CENSORED,
    COPY,
    DIRICHLET,
    GAF,
    GAUSSIAN,
    GEOMETRIC,
    KEPT,
    LAPLACE,
    NBI,
    ONE,
    PLAIN,
    PMSE,
    POISSON,
    POSTERIORS,
    RESPONSE,
    TOGETHER,
    WEIGHTED,
)
from synthlab.replication.mechanisms.settings import EPSILONS
from synthlab.synthesizers._posterior import MAX_RHAT

RHAT = "R-hat"
NEAR = 0.05  # an achieved epsilon that is at most so much off is the one wanted
BOUNDED = (CENSORED, DIRICHLET, PMSE, POISSON, KEPT, NBI, GAF)


def by(rows: Rows, mechanism: str, column: str = "distance") -> np.ndarray:
    """Return a column of a mechanism, one number an epsilon."""
    places, values = rows.places.get(mechanism, {}), rows.columns[column]
    return np.array([values[places[e]] if e in places else np.nan for e in EPSILONS], dtype=np.float64)


def anchor(rows: Rows, mechanism: str, column: str = "distance") -> float:
    """Return a number of an anchor, which has no epsilon."""
    return float(rows.columns[column][next(iter(rows.places[mechanism].values()))])


def _said(column: str, *mechanisms: str) -> Callable[[Sequence[Rows]], str]:
    def words(runs: Sequence[Rows]) -> str:
        parts = []
        for name in mechanisms:
            if name in (PLAIN, COPY):
                parts.append(f"{name} {np.mean([anchor(rows, name, column) for rows in runs]):.3g}")
            else:
                values = np.mean([by(rows, name, column) for rows in runs], axis=0)
                parts.append(f"{name} " + ", ".join(f"{v:.3g}" for v in values))
        return f"{column} at epsilon {', '.join(f'{e:g}' for e in EPSILONS)}: " + "; ".join(parts)

    return words


def _nearer(first: str, second: str, column: str = "distance") -> Callable[[Rows], bool]:
    return lambda rows: bool((by(rows, first, column) < by(rows, second, column)).all())


def _equal(rows: Rows) -> bool:
    return all(np.abs(by(rows, name, "epsilon spent") / np.array(EPSILONS) - 1.0).max() <= NEAR for name in POSTERIORS)


def _converged(rows: Rows) -> bool:
    return bool(by(rows, CENSORED, RHAT).max() <= MAX_RHAT)


def _worst_rhat(runs: Sequence[Rows]) -> str:
    values = np.max([by(rows, CENSORED, RHAT) for rows in runs], axis=0)
    said = ", ".join(f"{v:.3f}" for v in values)
    return f"largest R-hat of all repetitions at epsilon {', '.join(f'{e:g}' for e in EPSILONS)}: {CENSORED} {said}"


WEIGHTS_FALL = "the most sensitive records get weight 0 whatever epsilon is, and that costs more than the noise saves"
CLIP = "where few contributions are clipped, the clip costs less than the weights do"
CLAIMS: tuple[Claim[Rows], ...] = (
    Claim(
        "study",
        f"weights are found by which the posterior mechanisms achieve every epsilon within {NEAR:.0%}",
        _equal,
        _said("epsilon spent", *POSTERIORS),
        "of two answers the rarer has weight 0 at every scale, so that the others say the same whatever the parameter, and next to "
        "nothing is spent; one weight is at most 1, and spends what it spends; else the bound, a maximum over draws, jumps over the target",
    ),
    Claim(
        "lecture 13",
        "at equal epsilon the censored mechanism loses more utility than the weighted one, whose guarantee is weaker, at every epsilon",
        _nearer(WEIGHTED, CENSORED),
        _said("distance", WEIGHTED, CENSORED),
        f"{CLIP}; and {WEIGHTS_FALL}",
    ),
    Claim(
        "lecture 13",
        "re-weighting, at the same achieved epsilon, is nearer to the file than the weights it starts from, at every epsilon",
        _nearer(AGAIN, WEIGHTED),
        _said("distance", WEIGHTED, AGAIN),
        "the rule lifts the records in the middle, and those far out keep a weight near 0",
    ),
    Claim(
        "lecture 13",
        "record weights are nearer to the file than one weight for all, at every epsilon",
        _nearer(WEIGHTED, ONE),
        _said("distance", ONE, WEIGHTED),
        WEIGHTS_FALL,
    ),
    Claim(
        "lecture 12",
        "the exponential mechanism over all tables, with the pMSE as utility, is nearer to the file than a Dirichlet-multinomial with the "
        "prior that epsilon demands, at every epsilon",
        _nearer(PMSE, DIRICHLET),
        _said("distance", DIRICHLET, PMSE),
        "in a table of many cells nearly all tables are far from the data; and at a large epsilon the prior is small",
    ),
    Claim(
        "lecture 14",
        "the pseudocount that gives Poisson counts their epsilon and delta may be taken off again, and the table is nearer to the "
        "file for it, at every epsilon",
        _nearer(POISSON, KEPT),
        _said("distance", KEPT, POISSON),
        "with few cells, or a large epsilon, the pseudocount is small beside the counts",
    ),
    Claim(
        "lecture 14",
        "noise that does not grow with the count (GAF, nu = 0) is nearer to the file than Poisson and NBI counts, at every epsilon",
        lambda rows: _nearer(GAF, POISSON)(rows) and _nearer(GAF, NBI)(rows),
        _said("distance", POISSON, NBI, GAF),
        "the counts of small cells have little noise under the Poisson, and the draw of the table has noise of its own",
    ),
    Claim(
        "lectures 12 to 14",
        "every mechanism with a guarantee that is not local leaves the file nearer at the largest epsilon than at the smallest",
        lambda rows: all(by(rows, name)[-1] < by(rows, name)[0] for name in BOUNDED),
        _said("distance", *BOUNDED),
        "clipped contributions do not say which way to go: at equal shares of the largest epsilon a table still has most of them clipped",
    ),
    Claim(
        "lectures 12 to 14",
        "a copy of the file has no error by any measure, and no protection: utility alone does not tell it from the best mechanism",
        lambda rows: all(anchor(rows, COPY, name) == 0.0 or np.isnan(anchor(rows, COPY, name)) for name in MEASURES),
        _said("distance", COPY, PLAIN),
        "",
    ),
)
WITH_RHAT: tuple[Claim[Rows], ...] = (
    Claim(
        "lecture 13",
        f"the chains of the censored mechanism, whose epsilon is for exact draws, have converged (R-hat of {MAX_RHAT} at most), at every "
        "epsilon",
        _converged,
        _worst_rhat,
        "where most contributions are clipped the posterior is flat, or has several modes; then the epsilon is that of draws which "
        "these chains are not",
    ),
)
WITH_OPENDP: tuple[Claim[Rows], ...] = (
    Claim(
        "lecture 12",
        "the noise of a histogram (geometric), a strict guarantee, leaves the file nearer than the weighted pseudo-posterior, a "
        "local one, at every epsilon",
        _nearer(GEOMETRIC, WEIGHTED),
        _said("distance", GEOMETRIC, WEIGHTED),
        "with many cells and a small epsilon, a model of two parameters takes less noise than every cell for itself",
    ),
    Claim(
        "lecture 13",
        "among strict guarantees the histogram leaves the file nearer than the censored pseudo-posterior, at every epsilon",
        _nearer(GEOMETRIC, CENSORED),
        _said("distance", GEOMETRIC, CENSORED),
        CLIP,
    ),
    Claim(
        "lecture 12",
        "a histogram with noise is nearer to the file than a Dirichlet-multinomial with the prior that epsilon demands, at every epsilon",
        _nearer(GEOMETRIC, DIRICHLET),
        _said("distance", GEOMETRIC, DIRICHLET),
        "",
    ),
    Claim(
        "lecture 12",
        "randomised response, which trusts no agency, is further from the file than the histogram, at every epsilon",
        _nearer(GEOMETRIC, RESPONSE),
        _said("distance", GEOMETRIC, RESPONSE),
        "with two answers and a large epsilon nearly every answer is the true one",
    ),
    Claim(
        "lecture 14",
        "for one histogram a delta buys nothing: Gaussian noise is no nearer to the file than Laplace noise, at every epsilon",
        lambda rows: bool((by(rows, LAPLACE) <= by(rows, GAUSSIAN)).all()),
        _said("distance", LAPLACE, GAUSSIAN),
        "",
    ),
)
ASKED: tuple[Claim[Rows], ...] = (
    Claim(
        "lecture 12",
        "a median asked of the file by itself is nearer than that of weighted synthetic data at the same epsilon, at every epsilon",
        _nearer(ALONE, WEIGHTED, "median"),
        _said("median", ALONE, TOGETHER, WEIGHTED, CENSORED, GEOMETRIC),
        "",
    ),
    Claim(
        "lecture 12",
        "and a mean, over bounds as wide as two million dollars",
        _nearer(ALONE, WEIGHTED, "mean"),
        _said("mean", ALONE, TOGETHER, WEIGHTED, CENSORED, GEOMETRIC),
        "the noise of a mean grows with the declared bounds, which are a hundred times the mean; a model of the logarithm is hardly moved "
        "by them",
    ),
    Claim(
        "lecture 12",
        "four questions that share epsilon are still nearer in the median than weighted synthetic data, which answer them all, at every "
        "epsilon",
        _nearer(TOGETHER, WEIGHTED, "median"),
        _said("median", TOGETHER, WEIGHTED),
        "each question has a quarter of epsilon; a synthetic file answers any number of questions for one",
    ),
)


def claims_of(case: str, rows: pd.DataFrame) -> tuple[Claim[Rows], ...]:
    """Return the claims that can be tested: on OpenDP where it drew, on questions that were asked, on an R-hat that was recorded."""
    drawn = set(BY_OPENDP) & set(rows["mechanism"])
    return (
        CLAIMS
        + WITH_RHAT * (RHAT in rows)
        + WITH_OPENDP * (GEOMETRIC in drawn)
        + ASKED * (case == "income" and ALONE in drawn)
    )
