"""A check: numbers of synthlab, numbers of R, and their tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.crosscheck.tolerances import TOLERANCES, Tolerance
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
        parts = [f"{row['verdict']:<17}", f"{self.what}, {self.case}", f"{row['values']:,} numbers"]
        if not self.skipped:
            parts.append(f"difference {row['difference']:.1e}, allowed {row['allowed']:.1e}, {row['from']}")
        return "; ".join([*parts, self.reason] if self.reason else parts)

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
            "quantity": self.quantity,
            "reason": self.reason,
            "skipped": self.skipped,
        }


class Row(NamedTuple):
    """Numbers of one quantity, as a case computes them.

    what, case : quantity, and data; ours, theirs : numbers of synthlab and of R, of any shape; quantity : key of
    `TOLERANCES`; stated : expected difference, with its reason.
    """

    what: str
    case: str
    ours: Any
    theirs: Any
    quantity: str
    stated: Any = 0.0
    reason: str = ""


def make_check(group: str, row: Row, answer: Reference) -> Check:
    """Return the check of the flattened numbers of a row, which must have the same positive length."""
    ours, theirs = (np.asarray(numbers, dtype=np.float64).reshape(-1) for numbers in (row.ours, row.theirs))
    if ours.shape != theirs.shape or not ours.size:
        raise ValueError(f"{group}, {row.what}, {row.case}: {ours.size} numbers of synthlab, {theirs.size} of R")
    stated = np.broadcast_to(np.asarray(row.stated, dtype=np.float64), ours.shape)
    arrays = [_checks.read_only(np.array(numbers)) for numbers in (ours, theirs, stated)]
    return Check(
        group,
        row.what,
        row.case,
        arrays[0],
        arrays[1],
        row.quantity,
        answer.live,
        arrays[2],
        row.reason,
        answer.skipped,
    )
