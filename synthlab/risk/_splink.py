"""Match weights of all pairs within blocks, by Splink: the one file that knows that library.

Only integers and numbers reach its SQL: columns are called ``v0``, ``v1``, ... there, whatever their names, and
categories are codes.
"""

from __future__ import annotations

import gc
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _extras
from synthlab._checks import Days
from synthlab._typing import FloatArray, IntArray

OTHER_COLUMNS = ("unique_id", "block", "person")
ITERATIONS = 100
CONVERGED = 1e-3  # the largest change of a probability in an iteration; closer costs minutes and moves no link


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
        For the pairs from which the starting values of u are estimated.

    Returns
    -------
    pairs : Pairs
    levels : list of dict
        Column, level, and the m and u probabilities of each level of agreement.
    """
    for library in ("duckdb", "splink"):
        _extras.load("linkage", library, "linkage_risk")
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
        max_iterations=ITERATIONS,
        em_convergence=CONVERGED,
        retain_matching_columns=False,
    )
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET threads = 1")  # the same sums in the same order, so the same seed gives the same links
        api = DuckDBAPI(connection)
        tables = [api.register(t, dataset_display_name=name) for t, name in ((left, "a"), (right, "b"))]
        linker = Linker(tables, settings, log_level=logging.ERROR)
        linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=seed, min_count_per_level=None)
        if em:
            linker.training.estimate_parameters_using_expectation_maximisation(
                block_on("block"), fix_u_probabilities=False, fix_probability_two_random_records_match=True
            )
        else:
            linker.training.estimate_m_from_label_column("person")
        table = linker.inference.predict().as_pandas_dataframe()
        model = linker.misc.save_model_to_json()
    order = np.lexsort((table["unique_id_r"], table["unique_id_l"]))
    columns = (table[c].to_numpy()[order] for c in ("unique_id_l", "unique_id_r", "match_weight", "match_probability"))
    return Pairs(*columns), _levels(model)


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
