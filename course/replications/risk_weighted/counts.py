"""The simulation study of Hu, Savitsky and Williams, with the posterior computed instead of sampled.

A single negative binomial has two parameters, so its (pseudo) posterior is a table of numbers on a fine
grid: no chain, no compilation, hundreds of refits a minute. The priors are the authors': log mu ~ N(0, s),
s ~ half-t(3, 0, 1), 1/phi ~ half-Cauchy(0, 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import quiet
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.risk import identification_probability
from synthlab.utility import bootstrap_statistic, ecdf_utility
from synthlab.weights import risk_weights, whack_a_mole

RADII = (0.30, 0.25, 0.20, 0.15)
SIZES = (30, 20, 10, 5, 1)
ORDERS = {"M": 1, "P": 2, "3-way": 3, "4-way": 4}
M = 20
TABLE_6_RADIUS = 0.20
THRESHOLD = 0.25
NOTICEABLE = 0.02  # a rise of the exact expected IR, which has no noise
GRID = 121


@dataclass(frozen=True, slots=True, eq=False)
class GridPosterior:
    """Posterior of (log mu, log phi) on a grid: cell centres, cell widths, probabilities of the cells."""

    log_mu: FloatArray
    log_phi: FloatArray
    probability: FloatArray

    def draw(self, count: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw (mu, phi): a cell, and a place in it."""
        cell = rng.choice(self.probability.size, size=count, p=self.probability.ravel())
        row, column = np.unravel_index(cell, self.probability.shape)
        place = rng.random((2, count)) - 0.5
        mu = self.log_mu[row] + place[0] * (self.log_mu[1] - self.log_mu[0])
        phi = self.log_phi[column] + place[1] * (self.log_phi[1] - self.log_phi[0])
        return np.exp(mu), np.exp(phi)

    def mean(self) -> tuple[float, float]:
        """Return the posterior means of mu and phi."""
        rows, columns = self.probability.sum(axis=1), self.probability.sum(axis=0)
        return float(rows @ np.exp(self.log_mu)), float(columns @ np.exp(self.log_phi))


def grid_posterior(y: IntArray, weights: FloatArray | None = None) -> GridPosterior:
    """Compute the (pseudo) posterior of a negative binomial; weights multiply the log-likelihood."""
    w = np.ones(y.size) if weights is None else weights
    values, place = np.unique(y.astype(np.float64), return_inverse=True)
    merged = np.asarray(np.bincount(place, weights=w), dtype=np.float64)
    centre, half = np.array([np.log(merged @ values / merged.sum()), np.log(10.0)]), np.array([0.5, 3.0])
    for _ in range(4):  # zoom in on the mass
        axes = [np.linspace(c - h, c + h, GRID) for c, h in zip(centre, half, strict=True)]
        log = _log_posterior(values, merged, *axes)
        probability = np.exp(log - log.max())
        probability /= probability.sum()
        for axis in (0, 1):
            margin = probability.sum(axis=1 - axis)
            mean = margin @ axes[axis]
            sd = np.sqrt(margin @ (axes[axis] - mean) ** 2)
            centre[axis], half[axis] = mean, min(half[axis], max(7 * sd, 2 * half[axis] / GRID))
    return GridPosterior(axes[0], axes[1], probability)


def _log_posterior(
    values: IntArray | FloatArray, merged: FloatArray, log_mu: FloatArray, log_phi: FloatArray
) -> FloatArray:
    from scipy.special import gammaln
    from scipy.stats import norm, t

    phi, mu = np.exp(log_phi), np.exp(log_mu)[:, None]
    choose = merged @ (gammaln(values[:, None] + phi) - gammaln(phi))
    total, count = float(merged @ values), float(merged.sum())
    log = choose + total * (log_mu[:, None] - np.log(mu + phi)) + count * phi * (log_phi - np.log(mu + phi))
    scale = np.exp(np.linspace(-6, 6, 200))
    prior_mu = np.log((norm.pdf(log_mu[:, None], 0, scale) * t.pdf(scale, 3) * scale).sum(axis=1))
    prior_phi = -log_phi - np.log1p(np.exp(-2 * log_phi) / 25)  # half-Cauchy(0, 5) for 1/phi, with the Jacobian
    return np.asarray(log + prior_mu[:, None] + prior_phi)


def make_release(posterior: GridPosterior, n: int, m: int, rng: np.random.Generator) -> Release:
    """Draw m datasets, each from its own parameters."""
    mu, phi = posterior.draw(m, rng)
    frames = [pd.DataFrame({"outcome": rng.negative_binomial(f, f / (f + u), n)}) for u, f in zip(mu, phi, strict=True)]
    return Release(frames, ["outcome"])


def expected_ir(
    y: IntArray, r: float, posterior: GridPosterior, rng: np.random.Generator, draws: int = 200
) -> FloatArray:
    """Return the exact expectation of IR: all records have one predictive distribution, given the parameters."""
    from scipy.stats import nbinom

    mu, phi = (v[:, None] for v in posterior.draw(draws, rng))
    values, where = np.unique(y, return_inverse=True)
    low, high = np.ceil(values - r * np.abs(values)), np.floor(values + r * np.abs(values))
    share = phi / (phi + mu)
    inside = nbinom.cdf(high, phi, share) - nbinom.cdf(low - 1, phi, share)
    return np.asarray((inside * (1 - inside)).mean(axis=0)[where] * (y.size - 1) / y.size)


def repeat(frame: pd.DataFrame, seed: int, number: int, resamples: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run the whole study once; return one row per number, and one row per record (for the figures)."""
    rng = _rng.as_generator(np.random.SeedSequence([seed, number]))
    y, n = frame["outcome"].to_numpy(), len(frame)
    rows: list[dict[str, Any]] = []
    records: dict[str, FloatArray] = {"outcome": y.astype(np.float64)}

    def add(synthesizer: str, r: float, m: int, measure: str, value: float) -> None:
        rows.append({"synthesizer": synthesizer, "r": r, "L": m, "measure": measure, "value": float(value)})

    plain = grid_posterior(y)
    unweighted = make_release(plain, n, max(SIZES), rng)
    second = make_release(plain, n, M, rng)
    first = Release(unweighted.frames[:M], ["outcome"])
    _utility(add, "S", 0.0, frame, first)
    _intervals(add, "S", frame, unweighted, resamples, rng)
    for r in RADII:
        someone = Intruder(known=[], synthesized=["outcome"], radius={"outcome": r})
        with quiet():
            before = identification_probability(frame, first, someone)
            null = identification_probability(frame, second, someone)
        exact = expected_ir(y, r, plain, rng)
        records |= {f"D {r:.2f}": before.confidential, f"S {r:.2f}": before.record, f"S again {r:.2f}": null.record}
        _risk(add, "D", r, before.confidential)
        _risk(add, "S", r, before.record)
        add("S", r, M, "expected IR, mean", exact.mean())
        for name, order in ORDERS.items():
            weights = risk_weights(frame, someone, order=order).weights
            posterior = grid_posterior(y, weights)
            table_6 = name == "M" and r == TABLE_6_RADIUS
            release = make_release(posterior, n, max(SIZES) if table_6 else M, rng)
            if table_6:
                _intervals(add, name, frame, release, resamples, rng)
                release = Release(release.frames[:M], ["outcome"])
            elif name == "M":
                _intervals(add, f"M {r:.2f}", frame, release, resamples, rng, sizes=(M,))
            _utility(add, name, r, frame, release)
            after = identification_probability(frame, release, someone)
            weighted = expected_ir(y, r, posterior, rng)
            moles = whack_a_mole(before, after, THRESHOLD, null=null, expected_before=exact, expected_after=weighted)
            _risk(add, name, r, after.record)
            mean = posterior.mean()
            for measure, value in {
                "weight, mean": weights.mean(),
                "posterior mu": mean[0],
                "posterior phi": mean[1],
                "expected IR, mean": weighted.mean(),
                "rises": moles.n_risen,
                "rises by noise": moles.n_risen_by_noise,
                "largest expected rise": (weighted - exact).max(),
                "noticeable expected rises": (weighted - exact > NOTICEABLE).sum(),
            }.items():
                add(name, r, M, measure, value)
            records |= {f"{name} {r:.2f}": after.record, f"weight {name} {r:.2f}": weights}
            records[f"expected rise {name} {r:.2f}"] = weighted - exact
    return pd.DataFrame(rows), pd.DataFrame(records)


def _risk(add: Any, name: str, r: float, ir: FloatArray) -> None:
    low, high = np.quantile(ir, [0.25, 0.75])
    for measure, value in {"IR, mean": ir.mean(), "IR, IQR": high - low, "IR, max": ir.max()}.items():
        add(name, r, M, measure, value)


def _utility(add: Any, name: str, r: float, frame: pd.DataFrame, release: Release) -> None:
    distance = ecdf_utility(frame, release, variables=["outcome"]).summary().loc["outcome"]
    add(name, r, release.m, "U_m", distance["ecdf_max"])
    add(name, r, release.m, "U_a", distance["ecdf_mean_square"])


def _intervals(
    add: Any,
    name: str,
    frame: pd.DataFrame,
    release: Release,
    resamples: int,
    rng: np.random.Generator,
    sizes: tuple[int, ...] = SIZES,
) -> None:
    for statistic in ("mean", "median"):
        boot = bootstrap_statistic(
            frame, release, variable="outcome", statistic=statistic, resamples=resamples, rng=rng
        )
        if name == "S":
            _interval(add, "D", 0, statistic, boot.confidential_draws)
        for m in sizes:
            _interval(add, name, m, statistic, boot.draws[:m])


def _interval(add: Any, name: str, m: int, statistic: str, draws: FloatArray) -> None:
    low, high = np.quantile(draws, [0.025, 0.975])
    for measure, value in {"": draws.mean(), ", low": low, ", high": high, ", length": high - low}.items():
        add(name, 0.0, m, statistic + measure, value)
