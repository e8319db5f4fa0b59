"""Execution of all checks, by group, and the table of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab.crosscheck._check import Check
from synthlab.crosscheck.cases import CASES, GROUPS
from synthlab.exceptions import RUnavailableError
from synthlab.r import probe
from synthlab.r.session import PACKAGES, UNUSABLE, package_problem, package_state

VERDICTS = ("agrees", "differs as stated", "FAILS", "skipped")
REQUIRED = ("match-risk", "counts", "bridge")  # groups that compare with IdentificationRiskCalculation and gamlss.dist


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrosscheckResult(Result):
    """Result of the comparison of synthlab with R.

    Attributes
    ----------
    checks : dict of str to tuple of Check
        Checks by group.
    sources : tuple of str
        Sources of the numbers of R.
    r : str
        Reason why R was not run for all checks; empty if it was.
    stopped : dict of str to str
        Errors that stopped groups, by group.
    """

    checks: dict[str, tuple[Check, ...]]
    sources: tuple[str, ...]
    r: str = ""
    stopped: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Outcome of the checks, in one line."""
        verdicts = Counter(check.verdict for check in self.rows)
        said = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS)
        live = sum(check.live for check in self.rows)
        compared = len(self.rows) - verdicts["skipped"]
        stopped = f"; stopped: {', '.join(self.stopped)}" if self.stopped else ""
        numbers = sum(check.ours.size for check in self.rows)
        return (
            f"{len(self.rows)} checks of {numbers:,} numbers: {said}; {live} live, {compared - live} recorded{stopped}"
        )

    @property
    def rows(self) -> list[Check]:
        """All checks, in the order of the groups."""
        return [check for checks in self.checks.values() for check in checks]

    @property
    def passes(self) -> bool:
        """Return whether all checks pass and no group was stopped by an error."""
        return not self.stopped and all(check.passes for check in self.rows)

    @property
    def is_complete(self) -> bool:
        """Return whether no check of IdentificationRiskCalculation or gamlss.dist was skipped."""
        return not any(check.skipped and check.group in REQUIRED for check in self.rows)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per check: numbers at the worst position, tolerance and verdict."""
        return pd.DataFrame([check.to_dict() for check in self.rows])

    def summary(self) -> pd.DataFrame:
        """Return one row per group: numbers of checks, of compared numbers, and of each verdict."""
        frame = self.to_frame()
        table = frame.groupby("group", sort=False).agg(checks=("values", "size"), numbers=("values", "sum"))
        verdicts = pd.crosstab(frame["group"], frame["verdict"])
        return table.join(verdicts.reindex(columns=pd.Index(VERDICTS), fill_value=0))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; numbers that are not finite become text."""
        rows = [{key: _plain(value) for key, value in check.to_dict().items()} for check in self.rows]
        used = {check.quantity: check.tolerance for check in self.rows}
        tolerances = {q: {"relative": t.relative, "absolute": t.absolute, "reason": t.reason} for q, t in used.items()}
        return {
            "passes": self.passes,
            "complete": self.is_complete,
            "stopped": self.stopped,
            "sources": list(self.sources),
            "tolerances": tolerances,
            "rows": rows,
        }

    def __str__(self) -> str:
        parts = []
        for name, checks in self.checks.items():
            parts += [f"{name}: {GROUPS[name]}", *(f"  {check}" for check in checks), ""]
        return "\n".join([*parts, self.footer()])

    __repr__ = __str__

    def footer(self) -> str:
        """Return the tolerances, the sources, what was skipped or stopped, and the outcome as text."""
        used = {check.quantity: check.tolerance for check in self.rows}
        parts = ["Allowed is relative x |R's| + absolute:"]
        parts += [f"  {name}: {t.relative:g} and {t.absolute:g}; {t.reason}" for name, t in used.items()]
        skipped = dict.fromkeys(check.skipped for check in self.rows if check.skipped)
        notes = [f"Skipped: {reason}" for reason in skipped]
        notes += [f"{name} stopped: {error}" for name, error in self.stopped.items()]
        if self.r and not skipped:
            notes.append(self.r)
        return "\n".join([*parts, "", *self.sources, *notes, "", self.title])


def crosscheck(
    groups: Sequence[str] | None = None,
    *,
    live: bool | None = None,
    report: Callable[[Check], object] | None = None,
) -> CrosscheckResult:
    """Compare the numbers of synthlab with the numbers of R.

    Parameters
    ----------
    groups : sequence of str, optional
        Keys of `GROUPS`; all by default.
    live : bool, optional
        True requires R; checks that need a missing package or rpy2 are skipped. False uses recorded answers. By default,
        R is used if it is installed.
    report : callable, optional
        Function that gets each check as soon as it is computed.

    Returns
    -------
    CrosscheckResult
        Result with one row per check. A check fails if the difference between synthlab and R, minus the expected
        difference, exceeds the tolerance of the quantity. An error in one group does not stop the other groups.

    Raises
    ------
    InputError
        If a group is unknown.
    RUnavailableError
        If ``live=True`` and R is missing; the message contains the command that installs it.

    Examples
    --------
    >>> from synthlab.crosscheck import crosscheck
    >>> print(crosscheck(["weights"], live=False).title)
    10 checks of 2,484 numbers: 10 agrees, 0 differs as stated, 0 FAILS, 0 skipped; 0 live, 10 recorded
    """
    names = list(GROUPS) if groups is None else [_checks.check_choice(g, "groups", tuple(GROUPS)) for g in groups]
    status = probe()
    if live and status.r is None:
        raise RUnavailableError(f"{status.problem}; fix it with: {status.remedy}")
    ask = cache(lambda source, answer: source(answer, live))
    checks, sources, stopped = dict[str, tuple[Check, ...]](), dict[str, None](), dict[str, str]()
    for name in dict.fromkeys(names):
        checks[name] = ()
        try:
            for case in (case for case in CASES if case.group == name):
                answers = [ask(case.ask, answer) for answer in case.answers]
                sources.update(dict.fromkeys(answer.source for answer in answers))
                for check in case.checks(answers):
                    checks[name] += (check,)
                    if report is not None:
                        report(check)
        except Exception as error:  # noqa: BLE001
            stopped[name] = f"{type(error).__name__}: {error}"
    return CrosscheckResult(checks, tuple(sources), "" if live is False else _why_not_all(checks), stopped)


def _why_not_all(checks: Mapping[str, tuple[Check, ...]]) -> str:
    """Return why some answers are recorded, with the commands that fix it."""
    if all(check.live for rows in checks.values() for check in rows):
        return ""
    status = probe()
    states = {} if status.r is None else {package: package_state(package) for package in PACKAGES}
    said = [f"{status.problem}; fix it with: {status.remedy}"] if status.problem else []
    return "\n".join([*said, *(package_problem(p, state) for p, state in states.items() if state in UNUSABLE)])


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, float) and value - value != 0 else value
