"""Match weights of all pairs within blocks; the only module that uses Splink.

Splink compares the records of each pair. Its SQL contains only numbers: the columns are called ``v0``, ``v1``, ..., and
categories are coded. EM is implemented in this module, on the counts of the agreement patterns, because EM in Splink
checks convergence of the parameters instead of the likelihood and then averages its u with the u of random pairs.
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
SMALLEST = 1e-300  # Splink also uses this number instead of a probability of 0 in logarithms


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs within blocks: positions, match weights (log2 odds) and match probabilities."""

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
    """Estimate the Fellegi-Sunter model within blocks, and weight every pair.

    Parameters
    ----------
    left, right : pandas.DataFrame
        ``unique_id`` and ``person`` (row position), ``block`` (code) and the compared columns ``v0``, ``v1``, ...
    radii : dict
        Half-widths of the levels of agreement of each numeric column, in increasing order. Other columns have two levels:
        equal or not.
    relative : bool
        Whether a half-width is relative to the absolute value in `left`. Half-widths of dates (`Days`) are always absolute.
    missing : str
        With "category" two missing numbers agree at the first level, and a missing number disagrees with any other number.
        Otherwise a pair with a missing value has no level of agreement and does not affect the match weight.
    em : bool
        Whether m and u are estimated from the pairs alone. Otherwise m is estimated from the true links and u from random
        pairs.
    seed : int
        Seed of the random pairs; used only if `em` is False.

    Returns
    -------
    pairs : Pairs
    levels : list of dict
        Column, level, m probability and u probability of each level of agreement.
    """
    for library in ("duckdb", "splink"):
        optional_dependencies.load("linkage", library, "linkage_risk")
    try:
        with _own_random_state():
            return _weigh(left, right, radii, relative, missing, em, seed)
    finally:
        gc.collect()  # Splink's objects form reference cycles that keep the closed database and its threads alive


@contextmanager
def _own_random_state() -> Iterator[None]:
    """Restore the state of the `random` module, which Splink uses to name its tables."""
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
        # Every person has one released record, so that the prior probability of a match is known.
        probability_two_random_records_match=min(0.5, len(left) / pairs_within_blocks(left["block"], right["block"])),
        retain_matching_columns=True,  # with the levels of agreement, named gamma_v0, gamma_v1, ...
    )
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET threads = 1")  # a fixed order of summation makes results reproducible
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
    """Estimate m and u by EM; update the model and the table of pairs in place."""
    groups = table.groupby(gamma)
    patterns = groups.size()
    levels = [[one for one in c["comparison_levels"] if not one.get("is_null_level")] for c in model["comparisons"]]
    # Splink numbers the levels in decreasing order down to 0 ("disagree"); a missing value is -1.
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
        For each pattern, 1 at the level of agreement of each compared variable. All levels of a missing variable are 0.
    counts : numpy.ndarray, shape (p,)
        Number of pairs of each pattern.
    sizes : list of int
        Number of levels of each variable, with sum k. Levels are ordered from the closest agreement to disagreement.
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
        'estimates; compare more variables, or check the links against estimate="truth"',
        ConvergenceWarning,
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
    """Return the m and u probabilities of the levels; None for a level that never occurred."""
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
