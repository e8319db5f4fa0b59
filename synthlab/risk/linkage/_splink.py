"""Match weights of all pairs within blocks; the only module that uses Splink.

Splink compares the records of each pair. Only numbers reach its SQL: the columns are called ``v0``, ``v1``, ... there and
categories are codes. EM runs here, on the counts of the patterns of agreement. EM in Splink tests the change of the
parameters and not of the likelihood, and then averages its u with the u of random pairs.
"""

from __future__ import annotations

import gc
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from synthlab._checks import Days
from synthlab._system import optional_dependencies
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import ConvergenceWarning

OTHER_COLUMNS = ("unique_id", "block", "person")
ITERATIONS = 20_000
CONVERGED = 1e-13  # relative increase of the log-likelihood in one iteration; rounding errors are near 1e-15
SMALLEST = 1e-300  # Splink takes the logarithm of this number for a probability of 0


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All pairs of records within blocks: their positions, match weight (log2 of the odds) and match probability."""

    left: IntArray
    right: IntArray
    weight: FloatArray
    probability: FloatArray


def match_weights(
    left: pd.DataFrame,
    right: pd.DataFrame,
    radii: dict[str, tuple[float, ...]],
    relative: bool,
    missing: str,
    em: bool,
    seed: int,
) -> tuple[Pairs, list[dict[str, Any]]]:
    """Estimate the Fellegi-Sunter model by EM within blocks, and weigh every pair.

    Parameters
    ----------
    left, right : pandas.DataFrame
        ``unique_id`` and ``person`` (row position), ``block`` (code) and the compared columns ``v0``, ``v1``, ...
    radii : dict
        The half-widths of the levels of agreement of a numeric column, smallest first; other columns agree or not.
    relative : bool
        Whether a half-width is a share of the absolute value on the left; never of a date, whose half-widths are `Days`.
    missing : str
        With "category" two missing numbers agree at the first level, and a missing one disagrees with any other number.
        Otherwise a pair with a missing value has no level of agreement: it is neither for nor against a match.
    em : bool
        Whether m and u are estimated from the pairs alone; otherwise m from the true links, u from random pairs.
    seed : int
        Seed of the random pairs. Used only if `em` is False.

    Returns
    -------
    pairs : Pairs
    levels : list of dict
        Column, level, and the m and u probabilities of each level of agreement.
    """
    for library in ("duckdb", "splink"):
        optional_dependencies.load("linkage", library, "linkage_risk")
    try:
        with _own_random_state():
            return _weigh(left, right, radii, relative, missing, em, seed)
    finally:
        gc.collect()  # Splink's objects hold each other, and with them the closed database, its memory and its threads


@contextmanager
def _own_random_state() -> Iterator[None]:
    """Put the state of the standard library's random numbers back: Splink names its tables by them."""
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)


def _weigh(
    left: pd.DataFrame,
    right: pd.DataFrame,
    radii: dict[str, tuple[float, ...]],
    relative: bool,
    missing: str,
    em: bool,
    seed: int,
) -> tuple[Pairs, list[dict[str, Any]]]:
    import duckdb
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[_comparison(c, radii.get(c), relative, missing) for c in left.columns if c not in OTHER_COLUMNS],
        blocking_rules_to_generate_predictions=[block_on("block")],
        # Every person has one released record, so the prior of a pair in a block is known and not estimated.
        probability_two_random_records_match=min(0.5, len(left) / pairs_within_blocks(left["block"], right["block"])),
        retain_matching_columns=True,  # with the levels of agreement, named gamma_v0, gamma_v1, ...
    )
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET threads = 1")  # the same sums in the same order, so the same seed gives the same links
        api = DuckDBAPI(connection)
        tables = [api.register(t, dataset_display_name=name) for t, name in ((left, "a"), (right, "b"))]
        linker = Linker(tables, settings, log_level=logging.ERROR)
        if not em:
            linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=seed, min_count_per_level=None)
            linker.training.estimate_m_from_label_column("person")
        model = linker.misc.save_model_to_json()
        gamma = [f"gamma_{comparison['output_column_name']}" for comparison in model["comparisons"]]
        columns = ["unique_id_l", "unique_id_r", "match_weight", "match_probability", *(gamma if em else ())]
        pairs = linker.inference.predict().physical_name
        table = connection.sql(f"SELECT {', '.join(columns)} FROM {pairs} ORDER BY unique_id_l, unique_id_r").df()
    if em:
        _estimate(table, gamma, model)
    return Pairs(*(table[c].to_numpy() for c in columns[:4])), _levels(model)


def _estimate(table: pd.DataFrame, gamma: list[str], model: dict[str, Any]) -> None:
    """Estimate m and u by EM; write them into the model, and the weights and probabilities into the table of pairs."""
    groups = table.groupby(gamma)
    patterns = groups.size()
    levels = [[one for one in c["comparison_levels"] if not one.get("is_null_level")] for c in model["comparisons"]]
    # Splink numbers the levels downwards to 0, which is "disagree"; a missing value is -1.
    numbers = [np.arange(len(own) - 1, -1, -1) for own in levels]
    codes = patterns.index.to_frame().to_numpy()
    agree = np.column_stack([codes[:, [j]] == own for j, own in enumerate(numbers)]).astype(np.float64)
    prior = model["probability_two_random_records_match"]
    counts = np.asarray(patterns, dtype=np.float64)
    m, u = maximize_likelihood(agree, counts, list(map(len, levels)), prior)
    for level, occurs, own_m, own_u in zip(chain(*levels), counts @ agree > 0, m.tolist(), u.tolist(), strict=True):
        if occurs:
            level.update(m_probability=own_m, u_probability=own_u)
    log_odds = np.log(prior / (1 - prior)) + agree @ (_log(m) - _log(u))
    pattern = groups.ngroup().to_numpy()
    table["match_weight"] = (log_odds / np.log(2))[pattern]
    table["match_probability"] = expit(log_odds)[pattern]


def maximize_likelihood(
    agree: FloatArray, counts: FloatArray, sizes: list[int], prior: float
) -> tuple[FloatArray, FloatArray]:
    """Return the m and u probabilities that maximize the likelihood of the patterns of agreement.

    Parameters
    ----------
    agree : numpy.ndarray, shape (p, k)
        For each pattern, 1 at the level of agreement of each compared variable; all 0 for a variable with a missing value.
    counts : numpy.ndarray, shape (p,)
        Number of pairs of each pattern.
    sizes : list of int
        Number of levels of each variable, from the closest agreement to none; they add up to k.
    prior : float
        Probability that a pair is a match.

    Returns
    -------
    m, u : numpy.ndarray, shape (k,)
        NaN for the levels of a variable that is missing in every pair.
    """
    variable = np.repeat(np.arange(len(sizes)), sizes)
    same = (variable[:, None] == variable).astype(np.float64)
    first = np.concatenate([[True], np.diff(variable) > 0])
    m = np.where(first, 0.95, 0.05 / np.maximum(1, np.repeat(sizes, sizes) - 1))
    with np.errstate(invalid="ignore"):
        u = (counts @ agree) / (counts @ agree @ same)
    reached = -np.inf
    for _ in range(ITERATIONS):
        match, other = np.log(prior) + agree @ _log(m), np.log1p(-prior) + agree @ _log(u)
        either = np.logaddexp(match, other)
        before, reached = reached, float(counts @ either)
        if reached - before <= CONVERGED * abs(reached):
            return m, u
        share = np.exp(match - either)
        with np.errstate(invalid="ignore"):
            m, u = (part / (part @ same) for part in ((share * counts) @ agree, ((1 - share) * counts) @ agree))
    warn(
        f"EM has not converged in {ITERATIONS:,} iterations, so the m and u probabilities are not the maximum-likelihood "
        'estimates; compare more variables, or compare the links with those of estimate="truth"',
        ConvergenceWarning,
        stacklevel=6,  # the caller of linkage_risk
    )
    return m, u


def _log(probability: FloatArray) -> FloatArray:
    return np.log(np.maximum(np.nan_to_num(probability), SMALLEST))


def pairs_within_blocks(blocks: pd.Series, other: pd.Series) -> int:
    """Return the number of pairs with one record of each file in the same block."""
    sizes = blocks.value_counts()
    return int((sizes * other.value_counts().reindex(sizes.index, fill_value=0)).sum())


def _comparison(column: str, radii: tuple[float, ...] | None, relative: bool, missing: str) -> Any:
    import splink.comparison_level_library as level_library
    from splink.comparison_library import CustomComparison

    if radii is None:
        agree = [level_library.ExactMatchLevel(column).configure(label_for_charts="equal")]
    else:
        scale = f" * abs({column}_l)" if relative and not isinstance(radii[0], Days) else ""
        both = f"{column}_l IS NULL AND {column}_r IS NULL OR " if missing == "category" else ""
        agree = [
            level_library.CustomLevel(
                f"{both}abs({column}_l - {column}_r) <= {float(radius)!r}{scale}", f"within {radius:g}"
            )
            for radius in radii
        ]
    rest = level_library.ElseLevel().configure(label_for_charts="disagree")
    null: list[Any] = [] if missing == "category" else [level_library.NullLevel(column)]
    return CustomComparison(output_column_name=column, comparison_levels=[*null, *agree, rest])


def _levels(model: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the estimated probabilities of the levels of agreement; None where a level never occurred."""
    return [
        {
            "column": comparison["output_column_name"],
            "level": level["label_for_charts"],
            "m": level.get("m_probability"),
            "u": level.get("u_probability"),
        }
        for comparison in model["comparisons"]
        for level in comparison["comparison_levels"]
        if not level.get("is_null_level")
    ]
