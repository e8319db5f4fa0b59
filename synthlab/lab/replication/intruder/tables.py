"""The repetitions as tables: Table 1 beside the paper's, the claims of section 3, and what goes beyond."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab.lab.replication.intruder.attacks import MEASURES, PUBLISHED, PUBLISHED_UNIQUES, ROWS

OFTEN = 0.9  # share of the repetitions from which a statement holds
SELDOM = 0.5


def table_1(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row of Table 1 a row and measure: the paper's number, our mean and range, the limit of h."""
    rows = []
    for (row, m), published in PUBLISHED.items():
        mine = runs[(runs["row"] == row) & (runs["m"] == m)]
        limit = runs[(runs["row"] == row.replace("fixed", "limit")) & (runs["m"] == m)]
        for measure, number in zip(MEASURES, published, strict=True):
            values = mine[measure].astype(float)
            low, high = float(values.min()), float(values.max())
            rows.append(
                {
                    "row": row,
                    "m": m,
                    "measure": measure,
                    "published": float(number),
                    "mean": float(values.mean()),
                    "low": low,
                    "high": high,
                    "sd": float(values.std(ddof=1)) if len(values) > 1 else np.nan,
                    "inside": bool(low <= number <= high),
                    "limit": float(limit[measure].mean()) if row.endswith("fixed") and len(limit) else np.nan,
                }
            )
    return pd.DataFrame(rows)


def wide(runs: pd.DataFrame, measure: str) -> Any:
    """Return one row a repetition, one column a (row, m)."""
    return runs.pivot_table(index="repetition", columns=["row", "m"], values=measure)


def claims(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what section 3 says, in how many repetitions it holds, and the numbers behind it."""
    perceived, expected, true, uniques = (wide(runs, name) for name in (*MEASURES, "uniques"))
    found = [
        _information(expected, true),
        _perceived_falls(perceived),
        _mode_does_not_fall(perceived),
        _probability_beats_mode(expected, true),
        _fixed_beats_drawn(expected),
        _more_data(expected, true),
        _unclear(expected),
        _uniques(true, uniques),
    ]
    return pd.DataFrame(found)


def _claim(claim: str, paper: str, holds: Any, numbers: str) -> dict[str, Any]:
    share = float(holds.mean())
    verdict = "holds" if share >= OFTEN else "holds in part" if share >= SELDOM else "does not hold"
    times = f"{int(holds.sum())} of {len(holds)} repetitions"
    return {"claim": claim, "paper": paper, "verdict": verdict, "share": share, "evidence": f"{times}; {numbers}"}


def _means(table: Any, row: str) -> str:
    return ", ".join(f"{table[row, m].mean():.1f}" for m in (2, 3, 10))


def _information(expected: Any, true: Any) -> dict[str, Any]:
    holds = pd.Series(True, index=expected.index)
    for table in (expected, true):
        for m in (2, 3, 10):
            holds &= table["probability", m] < table["everything, fixed", 0]
        empty, models = (table[[(row, m) for m in (2, 3, 10)]].mean(axis=1) for row in ("probability", "models, fixed"))
        holds &= (empty < models) & (models < table["everything, fixed", 0])
    return _claim(
        "Expected and true matches are lowest when nothing is released about the models and largest when everything is",
        "section 3, Table 1",
        holds,
        f"expected matches for m = 2, 3, 10: {_means(expected, 'probability')} with nothing, {_means(expected, 'models, fixed')} with "
        f"the models, {expected['everything, fixed', 0].mean():.1f} with everything (a repetition counts when the mean over m rises, "
        "and everything beats nothing at every m)",
    )


def _perceived(perceived: Any, row: str) -> tuple[Any, str]:
    """Return whether the perceived risk falls from m = 2 to 3 and from 3 to 10, by repetition, and the numbers."""
    two, three, ten = (perceived[row, m] for m in (2, 3, 10))
    return (two > three) & (
        three > ten
    ), f"means {_means(perceived, row)}; lower at 10 than at 2 in {int((ten < two).sum())}"


def _perceived_falls(perceived: Any) -> dict[str, Any]:
    falls, numbers = _perceived(perceived, "probability")
    return _claim(
        "With nothing released the perceived risk falls with m in the probability-based approach",
        "section 3",
        falls,
        f"m = 2, 3, 10: {numbers}",
    )


def _mode_does_not_fall(perceived: Any) -> dict[str, Any]:
    falls, numbers = _perceived(perceived, "mode")
    return _claim(
        "With nothing released the perceived risk does not fall with m in the mode-based approach",
        "section 3",
        ~falls,
        f"it falls from 2 to 3 to 10 in the other {int(falls.sum())}; {numbers}",
    )


def _probability_beats_mode(expected: Any, true: Any) -> dict[str, Any]:
    both = pd.Series(True, index=expected.index)
    for table in (expected, true):
        for m in (2, 3, 10):
            both &= table["probability", m] > table["mode", m]
    alone = (expected["probability"] > expected["mode"]).all(axis=1)
    return _claim(
        "Expected and true matches of the probability-based approach exceed those of the mode-based one for all m",
        "section 3",
        both,
        f"expected {_means(expected, 'probability')} against {_means(expected, 'mode')} (expected matches alone: in "
        f"{int(alone.sum())}); true {_means(true, 'probability')} against {_means(true, 'mode')}",
    )


def _fixed_beats_drawn(expected: Any) -> dict[str, Any]:
    models = (expected["models, fixed"] >= expected["models, drawn"]).to_numpy()
    everything = expected["everything, fixed", 0] >= expected["everything, drawn", 0]
    holds = pd.Series(np.column_stack([models, everything]).mean(axis=1) > 0.5, index=expected.index)
    return _claim(
        "Fixed parameters typically give more matches than drawn ones, although the differences are not dramatic",
        "section 3",
        holds,
        f"fixed gives at least as many expected matches in {models.mean():.0%} of the comparisons with the models released "
        f"({_means(expected, 'models, fixed')} against {_means(expected, 'models, drawn')}) and in {everything.mean():.0%} with "
        f"everything released ({expected['everything, fixed', 0].mean():.1f} against "
        f"{expected['everything, drawn', 0].mean():.1f})",
    )


def _more_data(expected: Any, true: Any) -> dict[str, Any]:
    holds = pd.Series(True, index=expected.index)
    for table in (expected, true):
        holds &= table["probability", 2] < table["probability", 10]
    return _claim(
        "With nothing released, more datasets give more expected and true matches",
        "section 3",
        holds,
        f"means for m = 2, 3, 10: expected {_means(expected, 'probability')}; true {_means(true, 'probability')} (counted from 2 to 10)",
    )


def _unclear(expected: Any) -> dict[str, Any]:
    two, three, ten = (expected["models, fixed", m] for m in (2, 3, 10))
    rising = (two < three) & (three < ten)
    return _claim(
        "With the models released without their parameters, the effect of m is unclear at these values",
        "section 3",
        ~rising,
        f"expected matches rise from 2 to 3 to 10 in the other {int(rising.sum())}, from 2 to 10 in {int((two < ten).sum())}; means "
        f"{_means(expected, 'models, fixed')}",
    )


def _uniques(true: Any, uniques: Any) -> dict[str, Any]:
    everything, empty = uniques["everything, fixed", 0], uniques["probability"].mean(axis=1)
    matches = true["everything, fixed", 0]
    return _claim(
        "Most true matches are of records that are not unique; unique ones are matched most when everything is released",
        f"section 3: {PUBLISHED_UNIQUES} of 48",
        (2 * everything < matches) & (everything > empty),
        f"{everything.mean():.1f} of {matches.mean():.1f} true matches with everything released, {empty.mean():.1f} with nothing",
    )


def summarise(runs: pd.DataFrame, rows: list[str], by: list[str]) -> pd.DataFrame:
    """Return mean, lowest and highest of the measures over the repetitions."""
    chosen = runs[runs["row"].isin(rows)]
    names = [*MEASURES, "uniques", "declared", "outside"]
    grouped = chosen.groupby([*by, "row", "m"], sort=False)[names]
    table = pd.concat({how: grouped.agg(how) for how in ("mean", "min", "max")}, axis=1)
    table.columns = pd.Index([f"{column[1]}, {column[0]}" for column in table.columns])
    return table.reset_index()


def label(row: str, m: int) -> str:
    """Return the words for a row of Table 1."""
    words = ROWS.get(row, row)
    return f"{words}, m = {m}" if m else words
