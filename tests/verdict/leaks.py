"""Changes that turn confidential records into a release that leaks them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from tests.verdict.files import part, real, rng, shuffled
from tests.verdict.honest import is_amount


def amounts(frame: pd.DataFrame) -> list[str]:
    return [c for c in frame if is_amount(frame[c])]


def mixed_in(own: pd.DataFrame, others: pd.DataFrame, seed: int = 3) -> pd.DataFrame:
    """Replace records of an honest release by records of real people."""
    return shuffled(pd.concat([own, others.iloc[len(own) :]]), seed)


def noisy(frame: pd.DataFrame, share: float, columns: list[str] | None = None, seed: int = 7) -> pd.DataFrame:
    """Multiply numbers by normal noise; whole numbers stay whole."""
    draw = rng(seed)
    changed = {c: frame[c] * draw.normal(1, share, len(frame)) for c in columns or amounts(frame)}
    whole = {c: (frame[c].dropna() % 1 == 0).all() for c in changed}
    return frame.assign(**{c: values.round() if whole[c] else values for c, values in changed.items()})


def spread(frame: pd.DataFrame, share: float, columns: list[str]) -> pd.DataFrame:
    """Add normal noise with a share of the standard deviation."""
    draw = rng()
    return frame.assign(**{c: frame[c] + draw.normal(0, share * frame[c].std(), len(frame)) for c in columns})


def permuted(frame: pd.DataFrame, columns: list[str], seed: int = 7) -> pd.DataFrame:
    draw = rng(seed)
    return frame.assign(**{c: frame[c].to_numpy()[draw.permutation(len(frame))] for c in columns})


def redrawn(frame: pd.DataFrame, others: pd.DataFrame, share: float, seed: int = 7) -> pd.DataFrame:
    """Replace a share of the cells by those of other people."""
    draw = rng(seed)
    other = others.iloc[: len(frame)].set_axis(frame.index)
    return pd.DataFrame({c: frame[c].where(draw.random(len(frame)) >= share, other[c]) for c in frame})


def one_cell_redrawn(frame: pd.DataFrame, columns: list[str] | None = None) -> pd.DataFrame:
    """Replace one cell of each record by another person's."""
    draw, columns = rng(), columns or list(frame)
    place = draw.integers(0, len(columns), len(frame))
    other = {c: frame[c].iloc[draw.permutation(len(frame))].set_axis(frame.index) for c in columns}
    return frame.assign(**{c: frame[c].where(place != j, other[c]) for j, c in enumerate(columns)})


def mapped(frame: pd.DataFrame) -> pd.DataFrame:
    """Change every column by a fixed map: another unit for numbers, permuted labels for categories."""
    return pd.DataFrame(
        {c: (frame[c] * 1.3 + 17) if c in amounts(frame) else relabeled(frame[c]) for c in frame}, index=frame.index
    )


def relabeled(column: pd.Series) -> pd.Series:
    """Permute the labels of a category."""
    labels = sorted(column.dropna().unique())
    return column.map(dict(zip(labels, labels[1:] + labels[:1], strict=True)))


def micro_aggregated(column: pd.Series, size: int = 3) -> pd.Series:
    """Replace each value by the mean of its group of neighbors in the order of the values."""
    return column.groupby(column.rank(method="first").sub(1) // size).transform("mean").round()


def neighbors_swapped(column: pd.Series) -> pd.Series:
    """Swap each value with the next one in the order of the values."""
    order = column.argsort().to_numpy()
    pairs = np.arange(len(order)) ^ 1
    pairs[pairs >= len(order)] = len(order) - 1
    values = column.to_numpy().copy()
    values[order] = column.to_numpy()[order[pairs]]
    return pd.Series(values, column.index)


def rank_kept(column: pd.Series, others: pd.Series) -> pd.Series:
    """Draw other values, in the order of the people's own values."""
    return pd.Series(np.sort(others.to_numpy()[: len(column)])[column.rank(method="first").astype(int) - 1])


def between_neighbors(frame: pd.DataFrame, weight: float = 0.2) -> pd.DataFrame:
    """Move the numbers of each record up to a share of the way to its nearest neighbor (SMOTE)."""
    from scipy.spatial import cKDTree

    columns = amounts(frame)
    scaled = ((frame[columns] - frame[columns].mean()) / frame[columns].std()).to_numpy()
    nearest = cKDTree(scaled).query(scaled, k=2)[1][:, 1]
    share = rng().random((len(frame), 1)) * weight
    moved = frame[columns].to_numpy() * (1 - share) + frame[columns].to_numpy()[nearest] * share
    return frame.assign(**dict(zip(columns, moved.T, strict=True)))


def records_swapped(frame: pd.DataFrame, number: int) -> pd.DataFrame:
    """Permute each column among a few records."""
    draw, release = rng(), frame.copy()
    rows = draw.choice(len(release), number, replace=False)
    for column in release:
        release.loc[rows, column] = release.loc[draw.permutation(rows), column].to_numpy()
    return release


@cache
def _synthesized(name: str, n: int, keep: tuple[str, ...], m: int) -> tuple[pd.DataFrame, ...]:
    return sl.synthesize(part(name, 0, n), m=m, rng=11, keep=list(keep)).frames


def trees(name: str, n: int, keep: tuple[str, ...] = (), m: int = 1) -> list[pd.DataFrame]:
    """Return default trees of the first records of a real file."""
    return [frame.copy() for frame in _synthesized(name, n, keep, m)]


@cache
def overfitted(name: str, n: int) -> pd.DataFrame:
    """Return trees with leaves of one record: most released records are people."""
    frame = real(name).iloc[:n].reset_index(drop=True)
    frame, columns = frame.fillna(frame.mode().iloc[0]), list(frame)
    model = sl.Sequential([sl.Resample(columns[:1]), sl.CART(columns[1:], predictors=columns[:1], min_leaf=1)])
    return model.fit(frame, rng=5).generate(1, rng=5)[0]


def without_copies(release: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Remove the released records that equal a person."""
    return release[~np.isin(text_of(release), text_of(frame))].reset_index(drop=True)


def text_of(frame: pd.DataFrame) -> Any:
    """Return each record as one text."""
    texts = frame.astype(object).where(frame.notna(), "missing").astype(str)
    return np.array(["|".join(row) for row in texts.itertuples(index=False)])
