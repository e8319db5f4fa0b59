"""One row of the table: the numbers of synthlab and of R, and the tolerance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.crosscheck.tolerances import TOLERANCES, Tolerance
from synthlab.exceptions import InputError
from synthlab.r import Reference

MOST_DIGITS = 16.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Check:
    """Numbers of synthlab compared with those of R.

    Attributes
    ----------
    group, what, case : str
        The part of the package, the quantity, and the data.
    ours, theirs : numpy.ndarray of float, shape (k,)
        The numbers compared, one by one.
    quantity : str
        The tolerance that applies: a key of `TOLERANCES`.
    live : bool
        Whether R computed its numbers just now.
    stated : numpy.ndarray of float, shape (k,)
        The difference, synthlab minus R, that follows from their conventions; 0 where these agree.
    reason : str
        The reason of the difference, where there is one.
    """

    group: str
    what: str
    case: str
    ours: FloatArray
    theirs: FloatArray
    quantity: str
    live: bool
    stated: FloatArray
    reason: str = ""

    @property
    def tolerance(self) -> Tolerance:
        """The tolerance of the quantity, and its reason."""
        return TOLERANCES[self.quantity]

    @property
    def allowed(self) -> FloatArray:
        """The largest difference allowed from the expected number, shape (k,)."""
        size = np.where(np.isfinite(self.theirs), np.abs(self.theirs), 0.0)
        return self.tolerance.absolute + self.tolerance.relative * size

    @property
    def error(self) -> FloatArray:
        """|ours - theirs - stated|, shape (k,): 0 where both are NaN or the same infinity, infinite where one is."""
        with np.errstate(invalid="ignore"):
            error = np.abs(self.ours - self.theirs - self.stated)
        same = (np.isnan(self.ours) & np.isnan(self.theirs)) | (self.ours == self.theirs + self.stated)
        return np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))

    @property
    def passes(self) -> bool:
        """Return whether every number is within its tolerance."""
        return bool((self.error <= self.allowed).all())

    @property
    def worst(self) -> int:
        """Position of the number furthest out, in units of what is allowed; of the largest one where all are equal."""
        if not self.error.any():
            return int(np.argmax(np.where(np.isfinite(self.theirs), np.abs(self.theirs), -1.0)))
        smallest = np.finfo(float).tiny
        return int(np.argmax(self.error / np.maximum(self.allowed, smallest)))

    @property
    def digits(self) -> float:
        """The number of digits that agree at the worst place: -log10 of the relative error, 16 where all are equal.

        Where a difference is stated, it is taken off first.
        """
        size = np.abs(self.theirs + self.stated)
        finite = np.isfinite(size) & (size > 0)
        error = self.error[finite] / size[finite]
        if self.error[~finite].any():
            return 0.0
        largest = float(error.max(initial=0.0))
        return MOST_DIGITS if largest == 0 else float(np.clip(-np.log10(largest), 0.0, MOST_DIGITS))

    @property
    def verdict(self) -> str:
        """Say "agrees", "differs as stated" or "FAILS"."""
        if not self.passes:
            return "FAILS"
        return "differs as stated" if np.any(self.stated != 0) else "agrees"

    def _difference(self, at: int) -> float:
        same = self.error[at] == 0 and self.stated[at] == 0
        return 0.0 if same else float(self.ours[at] - self.theirs[at])

    def __str__(self) -> str:
        row = self.to_dict()
        off = int((self.error > self.allowed).sum())
        said = f"{self.what}: {self.verdict}; {row['values']} numbers, {off} further off than allowed"
        return f"{said}; worst: synthlab {row['ours']:.10g}, R {row['r']:.10g}, allowed {row['allowed']:.1e}"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values: the numbers at the worst place, and the verdict."""
        at = self.worst
        return {
            "group": self.group,
            "what": self.what,
            "case": self.case,
            "values": int(self.ours.size),
            "ours": float(self.ours[at]),
            "r": float(self.theirs[at]),
            "difference": self._difference(at),
            "stated": float(self.stated[at]),
            "allowed": float(self.allowed[at]),
            "digits": self.digits,
            "from": "live" if self.live else "recorded",
            "verdict": self.verdict,
            "reason": self.reason,
        }


def make_check(
    group: str,
    what: str,
    case: str,
    ours: Any,
    theirs: Any,
    quantity: str,
    answer: Reference,
    *,
    stated: Any = 0.0,
    reason: str = "",
) -> Check:
    """Compare numbers of synthlab with those of R: both flat, of one length, and at least one."""
    here = np.atleast_1d(np.asarray(ours, dtype=np.float64)).reshape(-1)
    there = np.atleast_1d(np.asarray(theirs, dtype=np.float64)).reshape(-1)
    if here.shape != there.shape or not here.size:
        raise ValueError(f"{group}, {what}, {case}: {here.size} numbers of synthlab, {there.size} of R")
    difference = np.broadcast_to(np.asarray(stated, dtype=np.float64), here.shape)
    arrays = [_checks.read_only(np.array(a)) for a in (here, there, difference)]
    return Check(group, what, case, arrays[0], arrays[1], quantity, answer.live, arrays[2], reason)


def compare(ours: Any, answer: Reference, rows: Mapping[str, object], quantity: str, *, what: str = "yours") -> Check:
    """Compare numbers of your own with an answer of R.

    Parameters
    ----------
    ours : array_like
        Your numbers, in the order of R's.
    answer : Reference
        The return value of `synthlab.r.reference`.
    rows : mapping
        The rows of R's answer: {column: value}.
    quantity : str
        The tolerance that applies: a key of `TOLERANCES`.
    what : str
        Your name of the row.

    Returns
    -------
    Check

    Raises
    ------
    InputError
        If there is no such quantity or no such row, or if your numbers are not as many as R's.

    Examples
    --------
    >>> from synthlab.crosscheck import compare
    >>> from synthlab.r import reference
    >>> rows = {"what": "expected match risk", "case": "acs-lecture"}
    >>> print(compare(44.44, reference("match_risk", live=False), rows, "sum of ratios", what="by hand"))
    by hand: FAILS; 1 numbers, 1 further off than allowed; worst: synthlab 44.44, R 44.43911528, allowed 4.4e-11
    """
    _checks.check_choice(quantity, "quantity", tuple(TOLERANCES))
    theirs = answer.value(**rows)
    if np.size(ours) != np.size(theirs):
        raise InputError(f"ours: {np.size(ours)} numbers, R has {np.size(theirs)}")
    return make_check("yours", what, ", ".join(map(str, rows.values())), ours, theirs, quantity, answer)
