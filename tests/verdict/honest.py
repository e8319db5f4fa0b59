"""Honest releases made from a confidential file, one for each kind of synthesizer and number."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

import synthlab as sl
from tests.corpus import files as corpus
from tests.verdict.files import Latent, real, rng, shuffled, simulated

SYNTHPOP = "SYNTHLAB_SYNTHPOP"  # environment variable: folder with recorded releases of R's synthpop
SIMULATED = ("survey", "latent 4", "latent 12", "latent 30", "latent 60", "independent 8", "independent 20")
REAL = ("youths_simulated", "ce_simulated", "acs_simulated", "anes96", "affairs", "ce2017")
SIZES, FACTORS, DATASETS = (200, 300, 500, 1000, 2000, 5000, 10_000), (0.1, 0.5, 1, 1, 1, 2, 5), (1, 1, 1, 2, 5, 20)
CELLS, DRAWN = 120_000, 20_000  # at most: cells of the file, and records of all datasets together


def is_amount(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and column.dtype != bool and column.nunique() > 20


def known_columns(frame: pd.DataFrame) -> list[str]:
    """Return up to a third of the columns, those with few values first in the file."""
    return [c for c in frame if not is_amount(frame[c])][: max(1, frame.shape[1] // 3)] or list(frame)[:1]


def asked(
    confidential: pd.DataFrame,
    synthetic: Any,
    known: list[str] | None = None,
    *,
    radius: dict[str, float] | None = None,
    undeclared: tuple[str, ...] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return the arguments of `evaluate`.

    All columns that are released, not known and not undeclared are declared synthetic; amounts have a radius of 10%, dates of a month.
    """
    frames = [synthetic] if isinstance(synthetic, pd.DataFrame) else list(synthetic)
    shared = [c for c in confidential if all(c in frame for frame in frames)]
    known = [c for c in known or known_columns(confidential) if c in shared]
    synthesized = [c for c in shared if c not in (*known, *undeclared)]
    near: dict[str, Any] = {
        c: 0.1 for c in synthesized if is_amount(confidential[c]) and pd.api.types.is_numeric_dtype(frames[0][c])
    }
    near |= {c: "1m" for c in synthesized if pd.api.types.is_datetime64_any_dtype(confidential[c])} | (radius or {})
    intruder = sl.Intruder(known=known, synthesized=synthesized, radius=near or None, missing="category")
    return {"confidential": confidential, "synthetic": synthetic, "intruder": intruder, **more}


def margins(frame: pd.DataFrame, n: int, draw: np.random.Generator) -> pd.DataFrame:
    """Draw every column independently."""
    return pd.DataFrame({c: frame[c].iloc[draw.integers(0, len(frame), n)].to_numpy() for c in frame}).astype(
        frame.dtypes
    )


def copula(frame: pd.DataFrame, n: int, draw: np.random.Generator) -> pd.DataFrame:
    """Draw from a Gaussian copula with the margins of the file; the categories are ordered by their names."""
    from scipy import stats

    order = {c: frame[c].sort_values(na_position="last", kind="stable").index for c in frame}
    places = pd.DataFrame({c: pd.Series(range(1, len(frame) + 1), order[c]) for c in frame})
    ties = {c: frame[c].astype(object).where(frame[c].notna(), "") for c in frame}
    ranks = pd.DataFrame({c: places[c].groupby(ties[c]).transform("mean") for c in frame})
    together = np.corrcoef(stats.norm.ppf(ranks / (len(frame) + 1)).T)
    scores = draw.multivariate_normal(
        np.zeros(len(together)), np.nan_to_num(together, nan=0.0), n, check_valid="ignore"
    )
    rows = np.minimum((stats.norm.cdf(scores) * len(frame)).astype(int), len(frame) - 1)
    return pd.DataFrame({c: frame.loc[order[c][rows[:, j]], c].to_numpy() for j, c in enumerate(frame)}).astype(
        frame.dtypes
    )


def file_of(draw: np.random.Generator, number: int, width: int = 60) -> tuple[str, pd.DataFrame]:
    """Return a name and a confidential file: every third file is real."""
    n = int(draw.choice(SIZES))
    if number % 3 == 0:
        name = REAL[number // 3 % len(REAL)]
        frame = real(name)
        rows = draw.permutation(len(frame))[: min(n, len(frame), CELLS // frame.shape[1])]
        return name, frame.iloc[rows].reset_index(drop=True)
    kinds = [kind for kind in SIMULATED if kind == "survey" or int(kind.split()[1]) <= width]
    name = kinds[number % len(kinds)]
    probe = simulated(name, 2, 0).shape[1]
    return name, simulated(name, min(n, CELLS // probe), 1000 + number)


def release_size(draw: np.random.Generator, frame: pd.DataFrame) -> tuple[int, int]:
    """Return the number of released records and of datasets."""
    n = max(20, min(int(len(frame) * draw.choice(FACTORS)), DRAWN))
    return n, int(min(draw.choice(DATASETS), max(1, DRAWN // n)))


def drawn(synthesizer: Callable[..., pd.DataFrame], draw: np.random.Generator, number: int) -> dict[str, Any]:
    _, frame = file_of(draw, number)
    n, m = release_size(draw, frame)
    return asked(frame, [synthesizer(frame, n, draw) for _ in range(m)])


def trees(draw: np.random.Generator, number: int) -> dict[str, Any]:
    _, frame = file_of(draw, number, width=30)
    n, m = release_size(draw, frame)
    return asked(frame, sl.synthesize(frame, m=m, n=n, rng=number).frames)


def partial_trees(draw: np.random.Generator, number: int, mixed: bool = False) -> dict[str, Any]:
    _, frame = file_of(draw, number, width=30)
    known = known_columns(frame)
    _, m = release_size(draw, frame)
    frames = sl.synthesize(frame, m=m, rng=number, keep=known).frames
    return asked(frame, [shuffled(one, place) for place, one in enumerate(frames)] if mixed else list(frames), known)


def partial_margins(draw: np.random.Generator, number: int) -> dict[str, Any]:
    """Redraw every column that is not known, independently of all others, in row order."""
    _, frame = file_of(draw, number)
    known = known_columns(frame)
    _, m = release_size(draw, frame)
    return asked(frame, [margins(frame, len(frame), draw).assign(**frame[known]) for _ in range(m)], known)


def halves(draw: np.random.Generator, number: int) -> dict[str, Any]:
    frame = shuffled(real(REAL[number % len(REAL)]), number)
    n = min(int(draw.choice(SIZES)), len(frame) // 2)
    return asked(frame[:n].reset_index(drop=True), frame[n : 2 * n].reset_index(drop=True))


def true_model(draw: np.random.Generator, number: int) -> dict[str, Any]:
    name = SIMULATED[number % len(SIMULATED)]
    width = simulated(name, 2, 0).shape[1]
    frame = simulated(name, min(int(draw.choice(SIZES)), CELLS // width), 1000 + number)
    n, m = release_size(draw, frame)
    others = [simulated(name, n, 10**6 + 100 * number + place) for place in range(m)]
    more = {"control": simulated(name, len(frame), 2000 + number)} if number % 5 == 4 else {}
    return asked(frame, others, **more)


def true_model_partial(draw: np.random.Generator, number: int) -> dict[str, Any]:
    """Draw the columns that are not known anew, given the latent class, in row order."""
    model = Latent(int(draw.choice([4, 12, 30, 60])), number)
    classes = model.classes(int(draw.choice(SIZES[:-2])), draw)
    frame = model.draw(classes, draw)
    known = known_columns(frame)
    frames = [model.draw(classes, draw).assign(**frame[known]) for _ in range(int(draw.choice([1, 3])))]
    synthesized = [c for c in frame if c not in known]
    return asked(frame, sl.Release(frames, synthesized, rows="aligned"), known)


KINDS: dict[str, Callable[[np.random.Generator, int], dict[str, Any]]] = {
    "independent columns": partial(drawn, margins),
    "independent columns, partial": partial_margins,
    "Gaussian copula": partial(drawn, copula),
    "default trees": trees,
    "default trees, partial": partial_trees,
    "default trees, partial, shuffled": partial(partial_trees, mixed=True),
    "half of a real file": halves,
    "true model": true_model,
    "true model, partial": true_model_partial,
}


def made(kind: str, number: int) -> dict[str, Any]:
    """Return the arguments of `evaluate` for one honest release of a kind."""
    return KINDS[kind](rng(2026, crc32(kind.encode()), number), number)


def recorded_by_synthpop() -> dict[str, Callable[[], dict[str, Any]]]:
    """Return the recorded releases of R's synthpop by their names; none if their folder is not given."""
    folder = Path(os.environ.get(SYNTHPOP) or os.devnull)
    found = sorted(folder.glob("s_*.csv")) if folder.is_dir() else []
    return {f"synthpop_{path.stem[2:]}": partial(_recorded, path) for path in found}


def _recorded(path: Path) -> dict[str, Any]:
    return asked(pd.read_csv(path.with_name(f"c{path.name[1:]}")), pd.read_csv(path))


def trees_of_corpus() -> dict[str, Callable[[], dict[str, Any]]]:
    """Return default trees of the files of `make corpus`, if these are installed."""
    return {f"corpus_{path.name}": partial(_of_corpus, path) for path in corpus.chosen(24)}


def _of_corpus(path: Path) -> dict[str, Any]:
    frame = sl.read(path, na="NA").iloc[:1500, :40]
    frame = frame.loc[:, frame.notna().any()]
    release = sl.synthesize(frame, m=1, rng=1, identifiers="drop")
    return asked(frame, release.frames)
