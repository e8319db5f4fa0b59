"""Agency that releases synthetic data, with cached fits and datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._warnings import WarningMessage, collected, issue_again
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.synthesizers import Sequential, Synthesizer

MOST_DATASETS = 20


@dataclass(frozen=True, slots=True, eq=False)
class FittedOnce:
    """Model of the intruder that is fitted once to each dataset of an agency.

    A fit is identified by the random stream of its dataset and the number of records. The number includes records of weight 0,
    which are added for categories that occur only in other datasets.
    """

    model: Synthesizer
    fits: dict[tuple[object, int], tuple[Any, list[WarningMessage]]] = field(default_factory=dict)

    def fit(self, confidential: pd.DataFrame, *, rng: np.random.Generator, **options: Any) -> Any:
        """Return the cached fit of a dataset, and issue its warnings again."""
        key = rng.bit_generator.seed_seq.spawn_key, len(confidential)  # type: ignore[attr-defined]
        if key not in self.fits:
            with collected() as heard:
                self.fits[key] = self.model.fit(confidential, rng=rng, **options), heard
        fitted, heard = self.fits[key]
        issue_again(heard)
        return fitted


@dataclass(frozen=True, slots=True, eq=False)
class Agency:
    """Agency with confidential data, a model per variable, and an intruder.

    Parameters
    ----------
    frame : pandas.DataFrame
        Confidential data.
    known : sequence of str
        Known variables, which are never synthesized.
    models : mapping {variable: synthesizer}
        Models in the order of synthesis. The intruder also knows the true values of these variables. Variables that are not
        synthesized are released unchanged.
    sampler : mapping, optional
        Options of `fit`.
    seed : int
        Random seed. A release of m datasets consists of the first m datasets of any larger release.

    Raises
    ------
    InputError
        If a variable is absent, `models` is empty, a model is not a synthesizer, or `sampler` is not a mapping.
    """

    frame: pd.DataFrame = field(repr=False)
    known: Sequence[str]
    models: Mapping[str, Synthesizer]
    sampler: Mapping[str, Any] = field(default_factory=dict, repr=False)
    seed: int = 1
    fits: dict[tuple[str, ...], Any] = field(default_factory=dict, repr=False)
    releases: dict[tuple[str, ...], dict[int, Release]] = field(default_factory=dict, repr=False)
    forms: dict[tuple[str, ...], FittedOnce] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        frame = _checks.check_frame(self.frame, "frame")
        _checks.check_columns(frame, self.known, "known", where="frame", allow_empty=True)
        _checks.check_columns(frame, list(self.models), "models", where="frame")
        _checks.check_disjoint(list(self.known), list(self.models))
        _checks.check_count(self.seed, "seed", 0)
        _checks.check_mapping(self.sampler, "sampler", "options of fit")
        for variable, model in self.models.items():
            if not isinstance(model, Synthesizer) or isinstance(model, type):
                raise InputError(f"models[{variable!r}]: {_checks.shown(model)} is not a synthesizer")

    def chosen(self, synthesized: Sequence[str]) -> tuple[str, ...]:
        """Return the variables to synthesize, in the order of the models."""
        names = _checks.check_columns(self.frame, synthesized, "synthesized", where="frame")
        without = [c for c in names if c not in self.models]
        if without:
            raise InputError(
                f"synthesized: no model for {_checks.named(without)}; choose from the variables {list(self.models)}"
            )
        return tuple(c for c in self.models if c in names)

    def fitted(self, synthesized: Sequence[str]) -> Any:
        """Return the cached fit of the models of a subset of the variables."""
        names = self.chosen(synthesized)
        if names not in self.fits:
            model = Sequential([self.models[c] for c in names])
            self.fits[names] = model.fit(self.frame, rng=self.seed, **self.sampler)
        return self.fits[names]

    def form(self, synthesized: Sequence[str]) -> FittedOnce:
        """Return the models of a subset of the variables, to be fitted by an intruder."""
        names = self.chosen(synthesized)
        return self.forms.setdefault(names, FittedOnce(self.fitted(names).specification))

    def release(self, m: int, synthesized: Sequence[str]) -> Release:
        """Return the first m synthetic datasets; the datasets are drawn once."""
        m = _checks.check_count(m, "m", 1, MOST_DATASETS)
        names, fitted = self.chosen(synthesized), self.fitted(synthesized)
        made = self.releases.setdefault(names, {})
        if m not in made:
            most = max(m, min(MOST_DATASETS, fitted.n_draws or MOST_DATASETS))
            whole = made[most] if most in made else fitted.generate(m=most, rng=self.seed)
            used = whole.private["draws_used"]
            private = {**whole.private, "draws_used": used and used[:m]}
            part = replace(whole, frames=whole.frames[:m], provenance={**whole.provenance, "m": m}, private=private)
            made |= {most: whole, m: part}
        return made[m]
