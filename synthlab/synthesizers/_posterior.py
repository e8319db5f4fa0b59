"""Posterior draws, their diagnostics, and the order in which datasets use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._system import optional_dependencies
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import library_warnings, warn
from synthlab.exceptions import ConvergenceWarning, UndefinedStatisticWarning
from synthlab.synthesizers._frozen import set_fields

# 1.01 is the usual limit for four long chains. With two chains of 1,000 draws, some of tens of parameters reach it by
# chance, so the warning starts slightly above it; the table shows the value.
MAX_RHAT = 1.02
MIN_ESS_PER_CHAIN = 100
TAILS = (0.05, 0.95)  # quantiles whose smaller effective size is that of the tails; ArviZ 1 has no default
INDEPENDENT = ("laplace", "exact")  # methods with independent draws


@dataclass(frozen=True, slots=True, eq=False)
class Posterior(Mapping[str, FloatArray]):
    """Posterior draws of the parameters, ordered by chain.

    ``posterior["beta"]`` has shape (draws of all chains, ...); `by_chain` has shape (chains, draws, ...).

    Parameters
    ----------
    by_chain : mapping of str to ndarray of shape (chains, draws, ...)
    labels : mapping of str to sequence of str
        Names of the elements of vector parameters.
    divergences : int
        Divergent transitions after adaptation.
    method : {"nuts", "independence", "gibbs", "metropolis", "laplace", "exact"}
        "laplace" and "exact" draws are independent, so convergence is not an issue.
    traced : sequence of str
        Parameters whose diagnostics are shown but give no warning, because a release hardly depends on them.
    reason : str
        Why the fastest method of the model was not used; "" if it was.
    trouble : str
        What the sampler itself found wrong with the draws; "" if it found nothing.
    """

    by_chain: Mapping[str, FloatArray] = field(repr=False)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    divergences: int = 0
    method: str = "nuts"
    traced: tuple[str, ...] = ()
    reason: str = ""
    trouble: str = ""

    def __post_init__(self) -> None:
        frozen = {name: _checks.read_only(np.array(value)) for name, value in self.by_chain.items()}
        set_fields(self, by_chain=_checks.ReadOnlyMapping(frozen))

    def __getitem__(self, name: str) -> FloatArray:
        values = self.by_chain[name]
        return values.reshape(values.shape[0] * values.shape[1], *values.shape[2:])

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_chain)

    def __len__(self) -> int:
        return len(self.by_chain)

    @property
    def n_draws(self) -> int:
        """Number of draws of all chains."""
        chains, draws = next(iter(self.by_chain.values())).shape[:2]
        return int(chains * draws)

    def keep(self, rows: IntArray) -> Posterior:
        """Return a subset of the draws as one chain; draws are numbered chain by chain."""
        kept = {name: self[name][rows][None] for name in self}
        return replace(self, by_chain=kept)

    def elements(self) -> Iterator[tuple[str, FloatArray]]:
        """Yield each scalar parameter with its draws, shape (chains, draws)."""
        for name, values in self.by_chain.items():
            flat = values.reshape(*values.shape[:2], int(np.prod(values.shape[2:])))
            labels = self.labels.get(name) or tuple(map(str, range(flat.shape[2])))
            for j in range(flat.shape[2]):
                yield (name if values.ndim == 2 else f"{name}[{labels[j]}]"), flat[:, :, j]

    def summary(self) -> pd.DataFrame:
        """Return the posterior mean, sd and central 95% interval, one row per parameter.

        The sd of a single draw is undefined.
        """
        if self.n_draws == 1:
            warn("sd: one draw has no standard deviation", UndefinedStatisticWarning)
        rows = {name: [v.mean(), _sd(v), *np.quantile(v, [0.025, 0.975])] for name, v in self.elements()}
        return pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "sd", "2.5 %", "97.5 %"])


def _sd(draws: FloatArray) -> float:
    return float(draws.std(ddof=1)) if draws.size > 1 else np.nan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Diagnostics(Result):
    """Diagnostics of the sampling of a posterior.

    Parameters
    ----------
    parameters : tuple of str
    rhat : ndarray of shape (parameters,)
        Rank-normalized split R-hat (Vehtari et al. 2021); NaN for independent draws.
    ess_bulk, ess_tail : ndarray of shape (parameters,)
        Effective sample sizes.
    divergences : int
        Divergent transitions after adaptation.
    chains, draws : int
        Number of chains, and number of draws per chain.
    method : str
        "nuts", "independence", "gibbs", "metropolis", "laplace", "exact", or "given" for chains from another source.
    traced : tuple of str
        Parameters that are shown but give no warning.
    reason : str
        Why the fastest method of the model was not used; "" if it was.
    trouble : str
        What the sampler itself found wrong with the draws; "" if it found nothing. It is one of the `problems`.
    """

    _table: ClassVar[str] = "to_frame"

    parameters: tuple[str, ...]
    rhat: FloatArray
    ess_bulk: FloatArray
    ess_tail: FloatArray
    divergences: int
    chains: int
    draws: int
    method: str
    traced: tuple[str, ...] = ()
    reason: str = ""
    trouble: str = ""

    @property
    def title(self) -> str:
        """Verdict in one sentence."""
        verdict = "no sign of trouble" if self.ok else "; ".join(self.problems)
        why = f"; {self.reason}" if self.reason else ""
        return f"Diagnostics ({self.method}, {self.chains} x {self.draws} draws): {verdict}{why}"

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems, one sentence each; empty if there are none."""
        found = [self.trouble] if self.trouble else []
        found += self._unsettled()
        chained = any(method not in INDEPENDENT for method in self.method.split(", "))
        if not self.parameters and chained and self.chains * self.draws > 1:
            found.append(f"nothing moved in {self.chains * self.draws} draws")
        if self.divergences:
            found.append(f"{self.divergences} divergent transitions of {self.chains * self.draws}")
        return tuple(found)

    def _unsettled(self) -> list[str]:
        """Return the problems with R-hat and effective sample sizes, one sentence each."""
        watched = np.array([name not in self.traced for name in self.parameters], dtype=bool)
        rhat = np.where(watched, self.rhat, np.nan)
        if np.isnan(rhat).all():
            return []
        found = []
        sizes = np.where(watched, np.minimum(self.ess_bulk, self.ess_tail), np.inf)
        worst, least = int(np.nanargmax(rhat)), int(np.argmin(sizes))
        if self.rhat[worst] > MAX_RHAT:
            found.append(f"R-hat of {self.parameters[worst]} is {self.rhat[worst]:.3f}, above {MAX_RHAT}")
        smallest = sizes[least]
        if smallest < MIN_ESS_PER_CHAIN * self.chains:
            found.append(
                f"effective sample size of {self.parameters[least]} is {smallest:.0f}, below {MIN_ESS_PER_CHAIN} per chain"
            )
        return found

    @property
    def ok(self) -> bool:
        """True if there are no problems."""
        return not self.problems

    @classmethod
    def combine(cls, parts: Mapping[str, Diagnostics]) -> Diagnostics:
        """Combine the diagnostics of several fits into one table."""
        names = tuple(f"{part}: {name}" for part, d in parts.items() for name in d.parameters)
        return cls(
            parameters=names,
            rhat=_checks.read_only(np.concatenate([d.rhat for d in parts.values()])),
            ess_bulk=_checks.read_only(np.concatenate([d.ess_bulk for d in parts.values()])),
            ess_tail=_checks.read_only(np.concatenate([d.ess_tail for d in parts.values()])),
            divergences=sum(d.divergences for d in parts.values()),
            chains=max(d.chains for d in parts.values()),
            draws=max(d.draws for d in parts.values()),
            method=", ".join(dict.fromkeys(d.method for d in parts.values())),
            traced=tuple(f"{part}: {name}" for part, d in parts.items() for name in d.traced),
            reason="; ".join(f"{part}: {d.reason}" for part, d in parts.items() if d.reason),
            trouble="; ".join(f"{part}: {d.trouble}" for part, d in parts.items() if d.trouble),
        )

    def warn(self) -> None:
        """Issue a `ConvergenceWarning` if there are problems."""
        if self.problems:
            advice = 'omit sampler, or use sampler="nutpie"' if self.trouble else "increase tune and draws"
            warn(f"{'; '.join(self.problems)}; {advice}", ConvergenceWarning)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per parameter."""
        return pd.DataFrame(
            {"rhat": self.rhat, "ess_bulk": self.ess_bulk, "ess_tail": self.ess_tail},
            index=pd.Index(self.parameters, name="parameter"),
        )

    def summary(self) -> pd.DataFrame:
        """Return the worst values in one row."""
        any_, chained = bool(self.parameters), not np.isnan(self.rhat).all()
        return pd.DataFrame(
            {
                "method": [self.method],
                "chains": [self.chains],
                "draws": [self.draws],
                "max_rhat": [np.nanmax(self.rhat) if chained else np.nan],
                "min_ess_bulk": [self.ess_bulk.min() if any_ else np.nan],
                "min_ess_tail": [self.ess_tail.min() if any_ else np.nan],
                "divergences": [self.divergences],
                "ok": [self.ok],
            }
        )


def effective_sizes(draws: FloatArray) -> tuple[float, float]:
    """Return the effective sample sizes of the bulk and of the tails of draws, shape (chains, draws)."""
    arviz = _arviz()
    return float(arviz.ess(draws, method="bulk")), float(arviz.ess(draws, method="tail", prob=TAILS))


def _arviz() -> Any:
    with library_warnings("ignore", FutureWarning):
        return optional_dependencies.load("bayes", "arviz", "diagnostics of chains")


def diagnose(posterior: Posterior) -> Diagnostics:
    """Return R-hat and effective sample sizes; NaN for constant parameters."""
    names, rows = [], []
    independent = posterior.method in INDEPENDENT
    for name, values in posterior.elements():
        if np.ptp(values) == 0:
            continue
        names.append(name)
        if independent:
            rows.append((np.nan, float(values.size), float(values.size)))
        else:
            halves = values if values.shape[0] > 1 else values[:, : values.size // 2 * 2].reshape(2, -1)
            with np.errstate(divide="ignore", invalid="ignore"):  # R-hat is infinite if a chain never moves
                rows.append((float(_arviz().rhat(halves)), *effective_sizes(values)))
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    chains, draws = next(iter(posterior.by_chain.values())).shape[:2]
    rhat, bulk, tail = (_checks.read_only(table[:, j].copy()) for j in range(3))
    how = (posterior.method, posterior.traced, posterior.reason, posterior.trouble)
    return Diagnostics(tuple(names), rhat, bulk, tail, posterior.divergences, chains, draws, *how)


def nested_order(n_draws: int, shift: int = 0) -> IntArray:
    """Return all draw numbers in an order whose first elements cover all chains.

    The order is the bit reversal of 0, 1, 2, ... (van der Corput), so the first 5 of 20 draws are the same as with 5
    draws. `shift` rotates the order, so that another seed uses other draws.

    Examples
    --------
    >>> nested_order(8).tolist()
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    bits = max(1, int(n_draws - 1).bit_length())
    numbers = np.arange(2**bits)
    reversed_ = np.zeros_like(numbers)
    for bit in range(bits):
        reversed_ |= ((numbers >> bit) & 1) << (bits - 1 - bit)
    return (reversed_[reversed_ < n_draws] + shift) % n_draws
