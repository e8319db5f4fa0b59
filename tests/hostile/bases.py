"""Twelve people, and what a case of the sweep is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
import synthlab.counts as slc

N = 12


@dataclass(frozen=True)
class Case:
    """One public callable, and ordinary arguments for it.

    Parameters
    ----------
    name : str
        Of what is called, such as ``"GAF.pmf"``; with a note in brackets where it is called in several ways.
    call : callable
        Gets the ordinary arguments by name, one of them replaced.
    base : callable
        Returns fresh ordinary arguments.
    few : bool
        Whether a call is so slow that a few hostile values must do.
    aliases : mapping {parameter: words}
        What else a message may call a parameter.
    covers : tuple of str
        The public names that are called, where that is not `name` alone.
    """

    name: str
    call: Callable[..., Any]
    base: Callable[[], dict[str, Any]]
    few: bool = False
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    covers: tuple[str, ...] = ()

    @property
    def covered(self) -> tuple[str, ...]:
        """The public names this case stands for."""
        return self.covers or (self.name.split(" ")[0],)


def people() -> pd.DataFrame:
    """Return the confidential records."""
    return pd.DataFrame(
        {
            "region": list("NNNSSSEEEWWW"),
            "sex": list("fmfmfmfmfmff"),
            "works": list("yyynynyyynyy"),
            "age": [23, 35, 41, 52, 29, 64, 38, 47, 55, 31, 26, 60],
            "children": [0, 1, 2, 0, 3, 1, 0, 0, 2, 5, 1, 0],
            "income": [10.5, 20.25, 40.0, 15.5, 30.0, 31.5, 22.0, 61.0, 18.5, 27.0, 33.5, 12.0],
        }
    )


def release() -> list[pd.DataFrame]:
    """Return three synthetic datasets, with other incomes."""
    frame = people()
    return [frame.assign(income=frame["income"] * (1 + 0.03 * k) + k) for k in (1, -1, 2)]


def someone() -> sl.Intruder:
    """Return an intruder."""
    return sl.Intruder(known=["region", "sex"], synthesized=["income"], radius={"income": 0.2})


def data(**others: Any) -> dict[str, Any]:
    """Return both sides, and more arguments."""
    return {"confidential": people(), "synthetic": release(), **others}


def counts() -> slc.Table:
    """Return a small table of counts."""
    return slc.Table.from_counts(
        np.array([[0, 1, 3], [20, 5, 40]]), {"sex": ["F", "M"], "age": ["child", "adult", "old"]}
    )


def log_likelihood() -> Any:
    """Return log-likelihoods of five draws and twelve records."""
    return -np.random.default_rng(1).gamma(2.0, size=(5, N))


@cache
def fitted_shares() -> Any:
    """Return a fit that samples nothing but takes no time."""
    return sl.DirichletMultinomial(["works"], given=["sex"]).fit(people(), rng=1, draws=20)


@cache
def fitted_mixture() -> Any:
    """Return a fitted mixture, of so few draws that it warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sl.FiniteMixture("income ~ age", classes=1, transform="log").fit(people(), rng=1, draws=20, tune=20)
