"""Simulated table of school pupils with the published cell sizes.

Jackson, Mitra, Francis and Dove describe their data, a substitute for the English School Census that the Office for
National Statistics made from public sources. They publish the variables with their numbers of categories (table 1) and
the number of cells of each size from 0 to 10 and above (table 2). `make_esc_counts` reproduces both exactly.

Unpublished properties were chosen here: which cells are empty, the counts above 10, and the order and names of the
levels. Cells are ranked by an intensity, and counts are assigned by rank. The intensity has margins of about the size
published for England, regional differences in ethnicity, first language by ethnicity, and noise. The counts above 10
follow a power law that continues the published sizes and gives a total of about eight million pupils.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from synthlab._rng import as_generator
from synthlab._typing import FloatArray, RngLike

SEED = 20220711

# Table 2 of the paper: the number of cells of size 0, 1, ..., 10, and above.
CELLS_BY_SIZE = (3_134_980, 119_917, 51_412, 25_952, 19_450, 13_076, 10_345, 7_947, 7_077, 5_809, 5_163)
CELLS_ABOVE = 67_512

_TAIL_EXPONENT = 0.7
_LARGEST = 2_900.0
_NOISE = 1.1

_ETHNICITY = {
    "White British": 0.6543,
    "White Irish": 0.003,
    "Traveller of Irish heritage": 0.0015,
    "Gypsy or Roma": 0.003,
    "Any other White background": 0.07,
    "White and Black Caribbean": 0.016,
    "White and Black African": 0.008,
    "White and Asian": 0.014,
    "Any other mixed background": 0.023,
    "Indian": 0.033,
    "Pakistani": 0.044,
    "Bangladeshi": 0.018,
    "Any other Asian background": 0.019,
    "Black Caribbean": 0.010,
    "Black African": 0.039,
    "Any other Black background": 0.008,
    "Chinese": 0.005,
    "Any other ethnic group": 0.020,
    "Refused": 0.006,
    "Not obtained": 0.0052,
}
# Share of pupils whose first language is not English.
_OTHER_LANGUAGE = (0.01, 0.05, 0.1, 0.45, 0.7, 0.03, 0.25, 0.2, 0.2) + (
    0.55,
    0.7,
    0.75,
    0.65,
    0.06,
    0.6,
    0.35,
    0.65,
    0.7,
    0.25,
    0.3,
)
_LANGUAGE = ("English", "Other", "Believed English", "Believed other", "Not obtained", "Refused", "Pending")
_LANGUAGE_UNKNOWN = (0.013, 0.012, 0.011, 0.010, 0.009)
_SEX = {"Female": 0.488, "Male": 0.5117, "Not known": 0.0002, "Not specified": 0.0001}
_AGE = (0.1, 0.14, 0.2, 0.45, 0.95) + (1.0,) * 6 + (0.98, 0.96, 0.95, 0.93, 0.91, 0.3, 0.24, 0.14)

ESC_LEVELS: MappingProxyType[str, tuple[str, ...] | tuple[int, ...]] = MappingProxyType(
    {
        "GEOGRAPHY": tuple(f"LA{number:03d}" for number in range(1, 327)),
        "ETHNICITY": tuple(_ETHNICITY),
        "SEX": tuple(_SEX),
        "AGE": tuple(range(len(_AGE))),
        "LANGUAGE": _LANGUAGE,
    }
)


def make_esc_counts(rng: RngLike = SEED) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Return the simulated table.

    Parameters
    ----------
    rng : int or numpy.random.Generator, optional
        Seed for the assignment of counts to cells. The numbers of cells of each size do not depend on it.

    Returns
    -------
    array of int32, shape (326, 20, 4, 19, 7)
        Counts by GEOGRAPHY, ETHNICITY, SEX, AGE and LANGUAGE; the levels are in `ESC_LEVELS`.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.datasets.esc import make_esc_counts
    >>> counts = make_esc_counts()
    >>> counts.shape, np.bincount(np.minimum(counts.ravel(), 11))[:4].tolist()
    ((326, 20, 4, 19, 7), [3134980, 119917, 51412, 25952])
    """
    score = _log_intensity(as_generator(rng))
    sizes = occupied_sizes()
    # Only occupied cells must be sorted. Scores are rounded, so that ranks do not depend on the last bit of an exponential.
    order = np.argpartition(score, score.size - sizes.size)[-sizes.size :]
    order = order[np.lexsort((order, score[order]))]
    counts = np.zeros(score.size, dtype=np.int32)
    counts[order] = sizes
    return counts.reshape(tuple(len(values) for values in ESC_LEVELS.values()))


def make_esc_frame(rng: RngLike = SEED) -> pd.DataFrame:
    """Return the simulated table with one row per occupied cell.

    Parameters
    ----------
    rng : int or numpy.random.Generator, optional
        Random seed or generator, as in `make_esc_counts`.

    Returns
    -------
    pandas.DataFrame
        Frame with 333,660 rows. The variables are categorical with all levels, so empty cells can be restored.
    """
    counts = make_esc_counts(rng)
    cells = np.flatnonzero(counts)
    codes = np.unravel_index(cells, counts.shape)
    columns = {}
    for (name, values), code in zip(ESC_LEVELS.items(), codes, strict=True):
        columns[name] = pd.Categorical(pd.Index(values)[code], categories=pd.Index(values))
    frame = pd.DataFrame(columns)
    frame["count"] = counts.ravel()[cells].astype(np.int64)
    return frame


def _log_intensity(rng: np.random.Generator) -> FloatArray:
    """Return the flat log intensities of the cells with noise, rounded to 1e-6."""
    from scipy.special import gammaincinv, ndtri

    n_areas = len(ESC_LEVELS["GEOGRAPHY"])
    share = np.array(list(_ETHNICITY.values()))
    size = np.exp(0.55 * ndtri(rng.random(n_areas)))
    # Areas differ in ethnicity: the shares of minorities are scaled jointly (cities) and separately.
    diverse = np.exp(1.0 * ndtri(rng.random(n_areas)))
    mixed = gammaincinv(1.2, rng.random((n_areas, share.size)))
    minority = share * diverse[:, None] * mixed
    minority[:, 0] = share[0]
    ethnicity = np.log(minority / minority.sum(axis=1, keepdims=True)) + np.log(size)[:, None]
    other = np.array(_OTHER_LANGUAGE)[:, None]
    unknown = np.broadcast_to(_LANGUAGE_UNKNOWN, (share.size, len(_LANGUAGE_UNKNOWN)))
    language = np.log(np.hstack([1.0 - other, other, unknown]))
    sex, age = np.log(list(_SEX.values())), np.log(_AGE)
    grid = (
        ethnicity[:, :, None, None, None]
        + sex[None, None, :, None, None]
        + age[None, None, None, :, None]
        + language[None, :, None, None, :]
    )
    noise = _NOISE * ndtri(rng.random(grid.size))
    return np.asarray(np.round(grid.ravel() + noise, 6))


def occupied_sizes() -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return the counts of the occupied cells in increasing order.

    Returns
    -------
    array of int32, shape (333660,)

    Examples
    --------
    >>> from synthlab.datasets.esc import occupied_sizes
    >>> occupied_sizes()[[0, -1]].tolist()
    [1, 2898]
    """
    return np.concatenate([np.repeat(np.arange(1, 11), CELLS_BY_SIZE[1:]), _sizes_above()]).astype(np.int32)


def _sizes_above() -> FloatArray:
    """Return the sorted counts above 10: quantiles of a truncated power law."""
    p = (np.arange(CELLS_ABOVE) + 0.5) / CELLS_ABOVE
    start = 10.5
    reach = 1.0 - (_LARGEST / start) ** -_TAIL_EXPONENT
    return np.asarray(np.floor(start * (1.0 - p * reach) ** (-1.0 / _TAIL_EXPONENT) + 0.5))
