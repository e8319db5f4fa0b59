"""What the agency releases beside the data, and what the intruder knows and does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError

Released = Literal["nothing", "models", "everything"]
Strategy = Literal["probability", "mode"]
Parameters = Literal["fixed", "drawn"]


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """All that is known of a number: it lies between two ends, which belong to the interval.

    Parameters
    ----------
    lower, upper : number or array of shape (n,)
        Ends for every record alike, or one a record. Infinite ends are allowed.

    Examples
    --------
    >>> from synthlab.risk import Interval
    >>> Interval(100_000, float("inf")).of(3)
    (array([100000., 100000., 100000.]), array([inf, inf, inf]))
    """

    lower: Any
    upper: Any

    def of(self, n: int, name: str = "interval") -> tuple[FloatArray, FloatArray]:
        """Return the ends for n records, checked."""
        n, name = _checks.check_count(n, "n"), _checks.check_text(name, "name")
        ends = []
        for side, value in (("lower", self.lower), ("upper", self.upper)):
            array = _checks.check_array(value, f"{name}: {side}", f"a number, or an array of shape ({n},)").copy()
            if array.shape not in ((), (n,)) or np.isnan(array).any():
                raise InputError(f"{name}: {side} must be a number, or an array of shape ({n},), and not NaN")
            ends.append(np.array(np.broadcast_to(array, (n,))))
        if (ends[0] > ends[1]).any():
            raise InputError(f"{name}: lower is above upper for {int((ends[0] > ends[1]).sum())} of {n} records")
        return ends[0], ends[1]


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """All that is known of a value: it is one of a set.

    Parameters
    ----------
    values : mapping, or sequence of n collections
        For each value the set it is known to be in (the intruder knows a coarser category), or a set for each record.

    Examples
    --------
    >>> from synthlab.risk import OneOf
    >>> coarse = OneOf({"Black": {"Black", "Hispanic"}, "Hispanic": {"Black", "Hispanic"}, "White": {"White"}})
    >>> [sorted(s) for s in coarse.of(["White", "Black"])]
    [['White'], ['Black', 'Hispanic']]
    """

    values: Any

    def of(self, truth: Sequence[Any], name: str = "values") -> list[frozenset[Any]]:
        """Return the set of each record, whose true values are given."""
        name = _checks.check_text(name, "name")
        truth = _checks.check_list(truth, "truth", "a list with the true value of each record")
        if not all(map(pd.api.types.is_hashable, truth)):
            raise InputError("truth: must be a list with the true value of each record, each a number, text or a date")
        if isinstance(self.values, Mapping):
            absent = [v not in self.values for v in truth]
            if any(absent):
                raise InputError(
                    f"{name}: OneOf says nothing of the values of {_checks.first_of(absent, 'records')}; name a set for every value"
                )
            sets = [self.values[v] for v in truth]
        elif isinstance(self.values, Sequence) and not isinstance(self.values, str):
            sets = list(self.values)
        else:
            raise InputError(f"{name}: OneOf takes a mapping from values to sets, or a list with a set for each record")
        if len(sets) != len(truth):
            raise InputError(f"{name}: OneOf has {len(sets)} sets, there are {len(truth)} records")
        if any(isinstance(s, str) or not hasattr(s, "__iter__") for s in sets):
            raise InputError(f"{name}: every entry of OneOf must be a set of values, such as {{1, 2}}")
        try:
            frozen = [frozenset(s) for s in sets]
        except TypeError:
            raise InputError(f"{name}: a set of OneOf holds lists; it must hold numbers, text or dates") from None
        if not all(frozen):
            raise InputError(f"{name}: a set of OneOf is empty")
        return frozen


Knowledge = Interval | OneOf


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scenario:
    """What is released about the synthesis, what the intruder knows, and how they attack.

    Parameters
    ----------
    released : {"nothing", "models", "everything"}
        What the agency tells about its models: nothing; their form, so that the intruder fits them to each synthetic
        dataset; or everything, the posterior distribution of the parameters included.
    strategy : {"probability", "mode"}
        With ``released="nothing"``: each synthetic dataset is an equally likely guess of the true values; or each
        variable of a record has its most frequent synthetic value (the mean, for a number with a radius).
    parameters : {"fixed", "drawn"}
        With models: simulate with the parameters at their posterior mean (of coefficients; a model without
        coefficients at its most likely draw), or drawn anew for every simulated dataset.
    models : synthesizer, fitted synthesizer, or sequence of them
        With ``released="models"`` what the intruder fits (of a fitted one, its specification); with
        ``released="everything"`` the agency's own fits. Several follow one another as in `Sequential`.
    draws : int or "exact"
        h, the number of simulated datasets. "exact": its limit for h to infinity, which exists for models with closed
        probabilities of categories, fixed parameters, and a target known to be in the file.
    in_file : bool
        Whether the intruder knows that the target is in the file. If not, N_t comes from `weights` or `population`.
    weights : array_like of shape (n,), optional
        Survey weights: N_t is their sum over the matching records.
    population : pandas.Series or array_like of shape (n,), optional
        Census counts: a Series indexed by the values of known and synthesized variables (level names are the
        variables, its values of the same kind), summed over what is consistent with the target, at least the number of
        such people in the file; or N_t of each record.
    fallback : bool
        What the intruder does with a draw in which nothing matches a target known to be in the file: spread the
        probability over the records that agree on the known variables, or (False) match nobody.
    threshold : float in [0, 1)
        Of the perceived match risk: the largest match probability must exceed it.
    knowledge : mapping {variable: Interval or OneOf}, optional
        Variables of which the intruder knows less than the value. What is known must be true.
    selection : mapping {synthesized variable: Interval or OneOf}, optional
        What is released about why records were synthesized, as the admissible true values of each record; a
        record that was left alone has the set of its released value.
    may_decline : bool
        Whether the intruder declares no match when "not in the file" is more probable than every record. By default
        the best of the n records is declared, as in the paper.

    Raises
    ------
    InputError
        For a value that is not allowed, or values that contradict one another.

    Examples
    --------
    >>> from synthlab.risk import Scenario
    >>> print(Scenario(strategy="mode"))
    Nothing is released about the models; the intruder takes the most frequent synthetic values. The target is known to be in the file.
    """

    released: Released = "nothing"
    strategy: Strategy = "probability"
    parameters: Parameters = "fixed"
    models: Any = field(default=None, repr=False)
    draws: int | Literal["exact"] = 100
    in_file: bool = True
    weights: Any = field(default=None, repr=False)
    population: Any = field(default=None, repr=False)
    fallback: bool = True
    threshold: float = 0.20
    knowledge: Mapping[str, Knowledge] | None = field(default=None, repr=False)
    selection: Mapping[str, Knowledge] | None = field(default=None, repr=False)
    may_decline: bool = False

    def __post_init__(self) -> None:
        _checks.check_choice(self.released, "released", ("nothing", "models", "everything"))
        _checks.check_choice(self.strategy, "strategy", ("probability", "mode"))
        _checks.check_choice(self.parameters, "parameters", ("fixed", "drawn"))
        for name in ("in_file", "fallback", "may_decline"):
            _checks.check_choice(getattr(self, name), name, (True, False))
        threshold = _checks.check_number(self.threshold, "threshold", low=0.0, high=1.0, open_high=True)
        object.__setattr__(self, "threshold", threshold)
        if not (isinstance(self.draws, str) and self.draws == "exact"):
            _checks.check_count(self.draws, "draws")
        self._check_models()
        self._check_population()
        for name in ("knowledge", "selection"):
            _check_known(getattr(self, name), name)

    def _check_models(self) -> None:
        if self.released == "nothing":
            if self.models is not None:
                raise InputError('models: are given, and released="nothing"; say released="models" or "everything"')
            return
        if self.models is None:
            raise InputError(f"models: released={self.released!r} needs the models that are released")
        if self.strategy == "mode":
            raise InputError('strategy="mode": is for released="nothing"; with models the intruder simulates')
        if self.draws == "exact":
            for name, wanted in (("parameters", "fixed"), ("in_file", True), ("selection", None)):
                if getattr(self, name) != wanted:
                    raise InputError(
                        f'draws="exact": there is no closed limit unless {name}={_checks.shown(wanted)}; give a number of draws'
                    )

    def _check_population(self) -> None:
        given = [name for name in ("weights", "population") if getattr(self, name) is not None]
        if self.in_file and given:
            raise InputError(f"{given[0]}: counts people outside the file; it goes with in_file=False")
        if not self.in_file and len(given) != 1:
            raise InputError("in_file=False: needs N_t: give weights or population, one of them")

    @property
    def parts(self) -> tuple[Any, ...]:
        """The models, in order."""
        several = isinstance(self.models, Sequence) and not isinstance(self.models, str)
        return tuple(self.models) if several else (self.models,)

    def describe(self) -> str:
        """Say the scenario in two sentences."""
        if self.released == "nothing":
            how = "weighs the synthetic datasets equally"
            if self.strategy == "mode":
                how = "takes the most frequent synthetic values"
            first = f"Nothing is released about the models; the intruder {how}."
        else:
            what = "The form of the models is" if self.released == "models" else "The models and their posterior are"
            size = "in the limit of infinitely many" if self.draws == "exact" else f"{self.draws:,}"
            first = f"{what} released; the intruder simulates {size} datasets with parameters {self.parameters}."
        second = "The target is known to be in the file."
        if not self.in_file:
            source = "survey weights" if self.weights is not None else "population counts"
            second = f"The target need not be in the file; N_t comes from {source}."
        return f"{first} {second}"

    def __str__(self) -> str:
        return self.describe()


def _check_known(value: object, name: str) -> None:
    if value is None:
        return
    if not isinstance(value, Mapping) or not value:
        raise InputError(f"{name}: must be a mapping from variables to Interval or OneOf")
    for column, known in value.items():
        if not isinstance(known, Interval | OneOf):
            raise InputError(f"{name}[{column!r}]: must be an Interval or a OneOf, got {type(known).__name__}")
        if name == "selection" and isinstance(known, OneOf) and isinstance(known.values, Mapping):
            raise InputError(
                f"selection[{column!r}]: give OneOf a list with a set of admissible values for each record"
            )


def holds(sets: Sequence[frozenset[Any]], values: Sequence[Any]) -> BoolArray:
    """Say for each record whether its value is in its set."""
    return np.array([v in s for v, s in zip(values, sets, strict=True)], dtype=bool)


NOTHING_RELEASED = Scenario()
