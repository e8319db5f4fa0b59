"""A check: numbers of synthlab, numbers of R, and their tolerance."""

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
    """Comparison of numbers of synthlab with numbers of R.

    Attributes
    ----------
    group, what, case : str
        Part of the package, quantity, and data.
    ours, theirs : numpy.ndarray of float, shape (k,)
        Numbers of synthlab and of R, compared elementwise.
    quantity : str
        Key of the tolerance in `TOLERANCES`.
    live : bool
        Whether R computed its numbers in this session.
    stated : numpy.ndarray of float, shape (k,)
        Expected difference, synthlab minus R, that follows from different conventions; 0 if the conventions agree.
    reason : str
        Reason for the expected difference, if any.
    skipped : str
        Reason why R was not asked although live numbers were required; the recorded numbers are then not compared.
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
    skipped: str = ""

    @property
    def tolerance(self) -> Tolerance:
        """Tolerance of the quantity, with its reason."""
        return TOLERANCES[self.quantity]

    @property
    def allowed(self) -> FloatArray:
        """Largest allowed deviation from the expected number, shape (k,)."""
        size = np.where(np.isfinite(self.theirs), np.abs(self.theirs), 0.0)
        return self.tolerance.absolute + self.tolerance.relative * size

    @property
    def error(self) -> FloatArray:
        """Absolute error |ours - theirs - stated|, shape (k,).

        The error is 0 if both numbers are NaN or the same infinity, and infinite if only one of them is.
        """
        with np.errstate(invalid="ignore"):
            error = np.abs(self.ours - self.theirs - self.stated)
        same = (np.isnan(self.ours) & np.isnan(self.theirs)) | (self.ours == self.theirs + self.stated)
        return np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))

    @property
    def passes(self) -> bool:
        """Return whether every number is within its tolerance, or the check was skipped."""
        return bool(self.skipped) or bool((self.error <= self.allowed).all())

    @property
    def worst(self) -> int:
        """Position of the largest error relative to its tolerance (or largest number)."""
        if not self.error.any():
            return int(np.argmax(np.where(np.isfinite(self.theirs), np.abs(self.theirs), -1.0)))
        smallest = np.finfo(float).tiny
        return int(np.argmax(self.error / np.maximum(self.allowed, smallest)))

    @property
    def digits(self) -> float:
        """Number of digits that agree at the worst position.

        The number is -log10 of the relative error, and 16 if all numbers are equal. An expected difference is subtracted
        first.
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
        """Verdict: "agrees", "differs as stated", "FAILS" or "skipped"."""
        if self.skipped:
            return "skipped"
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
        """Return the check as plain values: numbers at the worst position, and verdict."""
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
            "skipped": self.skipped,
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
    """Return the check of flattened numbers, which must have the same positive length."""
    here = np.atleast_1d(np.asarray(ours, dtype=np.float64)).reshape(-1)
    there = np.atleast_1d(np.asarray(theirs, dtype=np.float64)).reshape(-1)
    if here.shape != there.shape or not here.size:
        raise ValueError(f"{group}, {what}, {case}: {here.size} numbers of synthlab, {there.size} of R")
    difference = np.broadcast_to(np.asarray(stated, dtype=np.float64), here.shape)
    arrays = [_checks.read_only(np.array(a)) for a in (here, there, difference)]
    return Check(group, what, case, arrays[0], arrays[1], quantity, answer.live, arrays[2], reason, answer.skipped)


def compare(ours: Any, answer: Reference, rows: Mapping[str, object], quantity: str, *, what: str = "yours") -> Check:
    """Compare your own numbers with an answer of R.

    Parameters
    ----------
    ours : array_like
        Your numbers, in the order of the numbers of R.
    answer : Reference
        Return value of `synthlab.r.reference`.
    rows : mapping
        Conditions {column: value} that select rows of the answer.
    quantity : str
        Key of the tolerance in `TOLERANCES`.
    what : str
        Name of the check.

    Returns
    -------
    Check

    Raises
    ------
    InputError
        If the quantity is unknown, no row matches, or the number of values differs from R.

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
        raise InputError(f"ours: has {np.size(ours)} numbers, but R has {np.size(theirs)}")
    return make_check("yours", what, ", ".join(map(str, rows.values())), ours, theirs, quantity, answer)
