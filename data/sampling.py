"""What the scripts of this folder share: sampling from uniform numbers alone.

Only `Generator.random` is used, whose stream is the same in every version of NumPy; every other
distribution is an inverse CDF of it. So a script writes the same file everywhere.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.interpolate import PchipInterpolator
from scipy.special import gammaincinv, ndtr, ndtri


def pick(u: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """Return codes 1..k with the given shares (they are scaled to sum to one)."""
    edges = np.cumsum(np.asarray(shares, dtype=float))
    return 1 + np.searchsorted(edges[:-1] / edges[-1], u, side="right")


def pick_by(u: np.ndarray, group: Sequence[object], shares: Mapping[object, Sequence[float]]) -> np.ndarray:
    """Return codes whose shares depend on the group of the record."""
    return np.array([pick(value, shares[key]) for value, key in zip(u, group, strict=True)])


def normal(u: np.ndarray) -> np.ndarray:
    """Return standard normal values."""
    return ndtri(u)


def lean(u: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Move uniform numbers up where `shift` is positive and down where it is negative: higher codes, lower codes."""
    return ndtr(ndtri(u) + shift)


def dirichlet(u: np.ndarray, concentration: np.ndarray) -> np.ndarray:
    """Return one draw from a Dirichlet distribution."""
    draw = gammaincinv(concentration, u)
    return draw / draw.sum()


def by_rank(score: np.ndarray, quantile: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Give the record with the j-th smallest score the value quantile((j - 1/2) / n)."""
    position = np.empty(score.size)
    position[np.argsort(score, kind="stable")] = (np.arange(score.size) + 0.5) / score.size
    return quantile(position)


def log_quantile(anchors: Mapping[float, float]) -> Callable[[np.ndarray], np.ndarray]:
    """Return a smooth monotone quantile function through (probability, positive value) anchors, on the log scale."""
    curve = PchipInterpolator(list(anchors), np.log(list(anchors.values())))
    return lambda p: np.exp(curve(p))


def heap(u: np.ndarray, values: np.ndarray, share_of: Mapping[float, float]) -> np.ndarray:
    """Round a share of the values to each of some multiples, as people do when they answer; the rest to 1.

    `share_of` maps a multiple to its share. No value is rounded to zero.
    """
    steps = np.array([*share_of, 1.0])
    step = steps[pick(u, [*share_of.values(), 1 - sum(share_of.values())]) - 1]
    step = np.where(np.abs(values) < 2 * step, 1.0, step)
    return np.round(values / step) * step


def write(files: Mapping[str, pd.DataFrame], description: str) -> None:
    """Write the frames to the folder named by --to (by default the one of this script) and print their SHA-256."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--to", type=Path, default=Path(__file__).parent, help="folder to write to")
    folder = parser.parse_args().to
    for name, frame in files.items():
        data = frame.to_csv(index=False, lineterminator="\n").encode()
        (folder / name).write_bytes(data)
        print(hashlib.sha256(data).hexdigest(), name)
