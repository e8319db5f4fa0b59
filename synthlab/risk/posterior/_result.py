"""Result of `intruder_risk`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.risk.posterior._attack import Attack
from synthlab.risk.posterior._average import TIE, Average, Declared
from synthlab.risk.posterior._targets import Pairs, agrees


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class IntruderRiskResult(Result):
    """Match probabilities and declarations of an intruder, and their correctness.

    Attributes
    ----------
    largest : numpy.ndarray of float, shape (targets,)
        Maximum over j = 1..n of Pr(J = j).
    match_count : numpy.ndarray of int, shape (targets,)
        c_i: the number of records with the largest probability; 0 if no record is declared.
    contains_true : numpy.ndarray of bool, shape (targets,)
        I_i: whether the target's own record is one of these records. For shuffled datasets whose links are shared by several
        records (see `classes`), it is a probability, the mean over the possible orders.
    unique_true : numpy.ndarray of bool, shape (targets,)
        K_i: whether exactly one record is declared and it is the target's own; a probability if `contains_true` is one.
    record_match_risk : numpy.ndarray of float, shape (targets,)
        I_i / c_i; 0 if no record is declared.
    true_probability : numpy.ndarray of float, shape (targets,)
        Pr(J = i) of the target's own record.
    outside_probability : numpy.ndarray of float, shape (targets,)
        Pr(J = n + 1): the target is not in the file (with ``fallback=False``, also that no record matched).
    unique : numpy.ndarray of bool, shape (targets,)
        Whether the target is unique in the confidential data, given the intruder's knowledge.
    targets : numpy.ndarray of int, shape (targets,)
        Row positions of the targets.
    released : numpy.ndarray of bool, shape (targets,)
        Whether the record of the target is released.
    expected_match_risk : float
        Sum of I_i / c_i, in [0, targets].
    true_match_risk, matched_uniques, n_unique : int
        Sum of K_i; sum of K_i over the unique targets; number of unique targets. The sums are expected values, and floats, if
        K_i is a probability.
    classes : numpy.ndarray of int, shape (n,), or None
        With ``links=``, the class of each record: records of a class have the same values of the linking variables. None if all
        classes have one record, or without `links`.
    n, m : int
        Number of released records and number of synthetic datasets.
    intruder : Intruder
        The intruder, with the knowledge used.
    attack : Attack
        The released information (``attack.scenario``) and its use.
    """

    _figure: ClassVar[str] = "intruder.plot_perceived"
    _per_record: ClassVar[tuple[str, ...]] = (
        "largest", "match_count", "contains_true", "unique_true", "record_match_risk", "true_probability",
        "outside_probability", "unique",
    )  # fmt: skip

    average: Average = field(repr=False)
    declared: Declared = field(repr=False)
    baseline: Declared = field(repr=False)
    targets: IntArray
    own: IntArray = field(repr=False)
    profile: IntArray = field(repr=False)
    known_records: Pairs = field(repr=False)
    known_profile: IntArray = field(repr=False)
    unique: BoolArray
    n: int
    m: int
    intruder: Intruder
    attack: Attack
    data_kind: str | None = None
    classes: IntArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for part in (self.declared, self.baseline):
            for name in ("largest", "count", "own", "own_probability", "outside"):
                _checks.read_only(getattr(part, name))
        _checks.read_only(self.unique)

    @property
    def released(self) -> BoolArray:
        """Whether the record of each target is released, shape (targets,)."""
        return _checks.read_only(self.own >= 0)

    @property
    def largest(self) -> FloatArray:
        """Largest match probability of each target, shape (targets,)."""
        return self.declared.largest

    @property
    def match_count(self) -> IntArray:
        """Number of declared records c_i, shape (targets,)."""
        return self.declared.count

    @property
    def contains_true(self) -> BoolArray | FloatArray:
        """Whether the declared records include the own record (I_i), shape (targets,)."""
        return self.declared.own

    @property
    def unique_true(self) -> BoolArray | FloatArray:
        """Whether only the own record is declared (K_i), shape (targets,)."""
        return _checks.read_only(_unique_true(self.declared))

    @property
    def record_match_risk(self) -> FloatArray:
        """I_i / c_i, shape (targets,)."""
        return _checks.read_only(_risk(self.declared))

    @property
    def true_probability(self) -> FloatArray:
        """Pr(J = i) of the target's own record, shape (targets,)."""
        return self.declared.own_probability

    @property
    def outside_probability(self) -> FloatArray:
        """Pr(J = n + 1), shape (targets,)."""
        return self.declared.outside

    def perceived_match_risk(self, threshold: float | None = None) -> int:
        """Count targets whose largest match probability exceeds a threshold.

        The default is the threshold of the attack.
        """
        limit = self.attack.threshold if threshold is None else threshold
        limit = _checks.check_number(limit, "threshold", low=0.0, high=1.0, open_high=True)
        return _perceived(self.declared, limit)

    @property
    def expected_match_risk(self) -> float:
        """Sum of I_i / c_i."""
        return float(_risk(self.declared).sum())

    @property
    def true_match_risk(self) -> float:
        """Sum of K_i."""
        return _total(_unique_true(self.declared))

    @property
    def n_unique(self) -> int:
        """Number of unique targets."""
        return int(self.unique.sum())

    @property
    def matched_uniques(self) -> float:
        """Number of true matches among the unique targets."""
        return _total(_unique_true(self.declared) * self.unique)

    @property
    def known_only(self) -> float:
        """Expected matches if only the known variables are used: the sum of 1 / n*_t."""
        profile = self.known_profile[self.profile]
        own = agrees(self.known_records, profile, self.own, self.n)
        return float((own / np.maximum(self.known_records.count[profile], 1)).sum())

    @property
    def random_guess(self) -> float:
        """Expected matches if records are picked at random: released targets / n."""
        return int(self.released.sum()) / self.n

    def match_probabilities(self) -> Any:
        """Return the match probabilities Pr(J = j) of all targets.

        Returns
        -------
        scipy.sparse.csr_array
            Shape (targets, n + 1); the last column is J = n + 1. Rows sum to 1. If a guess had no match, every record that
            agrees on the known variables has an entry. For one target, `probabilities` needs less memory.
        """
        from scipy.sparse import csr_array, hstack

        profiles, inverse = np.unique(self.profile, return_inverse=True)
        matched = self.average.matched[profiles]
        spread = [self._spread(int(g)) for g in profiles]
        column = np.concatenate([c for c, _ in spread])
        row = np.repeat(np.arange(profiles.size), [c.size for c, _ in spread])
        value = np.concatenate([np.full(c.size, v) for c, v in spread])
        full = matched + csr_array((value, (row, column)), shape=matched.shape)
        table = csr_array(hstack([full, csr_array(self.average.outside[profiles][:, None])], format="csr"))
        return table[inverse.reshape(-1)]

    def probabilities(self, target: int) -> FloatArray:
        """Return Pr(J = j) of the target in a row, shape (n + 1,); the last is J = n + 1."""
        place = np.flatnonzero(self.targets == _checks.check_count(target, "target", 0))
        if place.size == 0:
            raise InputError(f"target={target!r}: is not among the targets of this result")
        g = int(self.profile[place[0]])
        result = np.zeros(self.n + 1)
        result[:-1] = self.average.matched[[g]].toarray()[0]
        columns, value = self._spread(g)
        result[columns] += value
        result[-1] = self.average.outside[g]
        return _checks.read_only(result)

    def _spread(self, g: int) -> tuple[IntArray, float]:
        """Return the records that agree on the known variables, and their additional probability."""
        value = float(self.average.spread[g])
        if value == 0:
            return np.empty(0, dtype=np.int64), value
        start = int(self.known_records.count[: self.known_profile[g]].sum())
        stop = start + int(self.known_records.count[self.known_profile[g]])
        return self.known_records.record[start:stop], value

    def summary(self) -> pd.DataFrame:
        """Return the measures of the release and of the baselines."""
        rows = {
            f"perceived match risk (above {self.attack.threshold:g})": [
                self.perceived_match_risk(), _perceived(self.baseline, self.attack.threshold), np.nan, np.nan,
            ],
            "expected match risk": [
                self.expected_match_risk, float(_risk(self.baseline).sum()), self.known_only, self.random_guess,
            ],
            "true match risk": [self.true_match_risk, _total(_unique_true(self.baseline)), np.nan, np.nan],
            "matched uniques": [
                self.matched_uniques, _total(_unique_true(self.baseline) * self.unique), np.nan, np.nan,
            ],
        }  # fmt: skip
        columns = ["release", "confidential", "known_only", "random_guess"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype=float).rename_axis("measure")

    @property
    def title(self) -> str:
        """Description of the intruder and the attacked release."""
        known = ", ".join(self.intruder.known) or "nothing else"
        return (
            f"The intruder knows the true {', '.join(self.intruder.synthesized)} and {known} of {self.targets.size:,} targets among "
            f"{self.n:,} records (m = {self.m}; {self.n_unique:,} targets are unique). {self.attack.describe()}"
        )


def _risk(declared: Declared) -> FloatArray:
    return declared.own / np.maximum(declared.count, 1)


def _unique_true(declared: Declared) -> BoolArray | FloatArray:
    return np.asarray(declared.own * (declared.count == 1))


def _total(some: BoolArray | FloatArray) -> float:
    """Return the sum: an int, or a float for probabilities."""
    return int(some.sum()) if some.dtype == bool else float(some.sum())


def _perceived(declared: Declared, threshold: float) -> int:
    return int((declared.largest > threshold * (1 + TIE)).sum())
