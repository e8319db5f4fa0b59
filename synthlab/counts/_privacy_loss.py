"""Privacy losses of a synthetic cell when a record is added or removed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.counts._family import CountFamily
from synthlab.exceptions import InputError

TAIL = 1e-24  # mass omitted in each tail of a distribution, and added to every delta
MOST_TERMS = 2_000_000
MOST_MEETINGS = 40_000_000  # for "replace": terms of one cell times changes of the other


@dataclass(frozen=True, slots=True)
class Rules:
    """Treatment of zeros: pseudocount, whether every cell gets it, and share of zeros changed to ones."""

    pseudocount: float
    everywhere: bool
    zeros_to_ones: float

    def means(self, counts: FloatArray) -> FloatArray:
        """Return the means of the cells; 0 for an empty cell without a pseudocount."""
        return np.asarray(counts + self.pseudocount * ((counts == 0) | self.everywhere), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Distributions P and Q of a synthetic count under f and f + 1, for several f.

    `log_p` and `log_q` are the concatenated log masses of all changes, and `starts` are the positions of the first mass
    of each change. `out_p` and `out_q` are the omitted tail masses of each change. `loss` is log P - log Q.
    """

    counts: IntArray
    starts: IntArray
    log_p: FloatArray
    log_q: FloatArray
    loss: FloatArray
    out_p: FloatArray
    out_q: FloatArray

    def part(self, index: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the log masses and the losses of one change."""
        ends = [*self.starts[1:], self.loss.size]
        here = slice(int(self.starts[index]), int(ends[index]))
        return self.log_p[here], self.log_q[here], self.loss[here]


def changes_of(family: CountFamily, rules: Rules, counts: IntArray, most: int) -> Changes:
    """Return the distributions under f and f + 1 for each count f.

    Raise `InputError` if the sums would have more than `most` terms.
    """
    here = counts.astype(np.float64)
    there = here + 1.0
    windows = [_window(family, rules, c) for c in (here, there)]
    low = np.minimum(windows[0][0], windows[1][0])
    width = np.maximum(windows[0][1], windows[1][1]) - low + 1.0
    if not width.sum() <= most:
        raise InputError(
            f"largest, pseudocount: under {family.label} the changes up to {int(counts[-1]) + 1:,} require sums of "
            f"{width.sum():,.0f} terms, more than {most:,}; use smaller values"
        )
    size = width.astype(np.int64)
    starts = np.cumsum(size) - size
    which = np.repeat(np.arange(counts.size), size)
    y = low[which] + np.arange(which.size) - starts[which]
    log_p, log_q = (_log_masses(family, rules, c[which], y) for c in (here, there))
    with np.errstate(invalid="ignore"):
        loss = np.where(np.isneginf(log_p) & np.isneginf(log_q), 0.0, log_p - log_q)
    ends = low + width - 1.0
    out_p, out_q = (_outside(family, rules, c, low, ends) for c in (here, there))
    return Changes(counts, starts, log_p, log_q, loss, out_p, out_q)


def _stays(family: CountFamily, means: FloatArray) -> FloatArray:
    """Return the means, with 0 replaced by 1 if the family does not allow a mean of 0."""
    return means if family.takes_zero else np.where(means > 0, means, 1.0)


def _fixed(family: CountFamily, means: FloatArray) -> BoolArray:
    return np.asarray((means == 0) & (not family.takes_zero), dtype=bool)


def _window(family: CountFamily, rules: Rules, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    means = rules.means(counts)
    at = family.at(_stays(family, means))
    low, high = np.asarray(at.ppf(TAIL)), np.asarray(at.isf(TAIL))
    fixed = _fixed(family, means)
    low, high = np.where(fixed, 0.0, low), np.where(fixed, 0.0, high)
    mixed = (counts == 0) & (rules.zeros_to_ones > 0)
    return np.where(mixed, np.minimum(low, 1.0), low), np.where(mixed, np.maximum(high, 1.0), high)


def _log_masses(family: CountFamily, rules: Rules, counts: FloatArray, y: FloatArray) -> FloatArray:
    means = rules.means(counts)
    logs = np.asarray(family.at(_stays(family, means)).logpmf(y))
    with np.errstate(divide="ignore"):
        logs = np.where(_fixed(family, means), np.log((y == 0).astype(np.float64)), logs)
        share = rules.zeros_to_ones
        mixed = np.logaddexp(np.log1p(-share) + logs, np.log(share * (y == 1)))
    return np.where(counts == 0, mixed, logs)


def _outside(family: CountFamily, rules: Rules, counts: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    means = rules.means(counts)
    at = family.at(_stays(family, means))
    beyond = np.asarray(at.cdf(low - 1.0)) + np.asarray(at.sf(high))
    return np.where(_fixed(family, means), 0.0, beyond)


def _excess(log_mass: FloatArray, loss: FloatArray, epsilon: float) -> FloatArray:
    """Return max(0, P - e^epsilon Q) from log P and the loss log P - log Q."""
    return np.exp(log_mass) * -np.expm1(np.minimum(epsilon - loss, 0.0))


def _beyond(log_mass: FloatArray, loss: FloatArray, epsilon: float) -> FloatArray:
    """Return P where the loss exceeds epsilon, and 0 elsewhere."""
    return np.where(loss > epsilon, np.exp(log_mass), 0.0)


def one_cell(changes: Changes, epsilon: float, *, probabilistic: bool = False) -> FloatArray:
    """Return delta(epsilon) of each change of one cell, shape (2, n), for f -> f + 1 and f + 1 -> f."""
    part = _beyond if probabilistic else _excess
    up = np.add.reduceat(part(changes.log_p, changes.loss, epsilon), changes.starts) + changes.out_p
    down = np.add.reduceat(part(changes.log_q, -changes.loss, epsilon), changes.starts) + changes.out_q
    return np.minimum(np.stack([up, down]), 1.0)


class Pairs:
    """Changes of two cells: one changes from f_i to f_i + 1, the other from f_j + 1 to f_j.

    The loss of the pair is the sum of the losses of the two cells. For each outcome of the first cell, the total loss
    exceeds epsilon if the loss of the second cell is large enough, so the sums are looked up in cumulative sums.
    """

    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self._gain, self._lose = [], []
        for index in range(changes.counts.size):
            log_p, log_q, loss = changes.part(index)
            kept = np.isfinite(log_p)
            self._gain.append((np.exp(log_p[kept]), loss[kept]))
            kept = np.isfinite(log_q)
            order = np.argsort(loss[kept])  # the loss of the reverse change is the negative
            p, q = np.exp(log_q[kept][order]), np.exp(log_p[kept][order])
            back = np.concatenate([[0.0], np.cumsum(p)]), np.concatenate([[0.0], np.cumsum(q)])
            self._lose.append((loss[kept][order], *back))

    def delta(self, i: int, j: int, epsilon: float, *, probabilistic: bool = False) -> float:
        """Return delta(epsilon), or the probability that the loss exceeds epsilon."""
        mass, gain = self._gain[i]
        ahead, p, q = self._lose[j]
        short = epsilon - gain  # the loss of the second cell must exceed this
        first = np.searchsorted(ahead, -short, side="left")
        inner = p[first]
        if not probabilistic:
            with np.errstate(divide="ignore", over="ignore"):
                inner = np.maximum(inner - np.exp(short + np.log(q[first])), 0.0)
        return float(min(mass @ inner + self.changes.out_p[i] + self.changes.out_q[j], 1.0))
