"""Execution of all checks, by group, and the table of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab.crosscheck import (
    bridge,
    counts,
    dpmpm,
    match_risk,
    models,
    population_risk,
    survey,
    synthpop,
    utility,
    weights,
)
from synthlab.crosscheck._answers import available
from synthlab.crosscheck._check import Check
from synthlab.crosscheck.tolerances import TOLERANCES
from synthlab.exceptions import RUnavailableError
from synthlab.r import Reference, probe
from synthlab.r.session import PACKAGES, UNUSABLE, package_problem, package_state

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = {"what": "what", "case": "case", "values": "values", "ours": "synthlab", "r": "R", "difference": "difference"}
COLUMNS |= {"allowed": "allowed", "from": "from", "verdict": "verdict"}


VERDICTS = ("agrees", "differs as stated", "FAILS", "skipped")
REQUIRED = ("match-risk", "counts", "bridge")  # groups that compare with IdentificationRiskCalculation and gamlss.dist


@dataclass(frozen=True, slots=True)
class Group:
    """Group of checks: functions that get the answers of R and compute the checks."""

    title: str
    ask: Callable[[bool | None], Mapping[str, Reference]]
    checks: Callable[[Mapping[str, Reference]], Iterator[Check]]


def _references(names: Sequence[str], live: bool | None) -> dict[str, Reference]:
    return {name: available(name, live=live) for name in names}


def _group(title: str, module: Any) -> Group:
    return Group(title, partial(_references, module.REFERENCES), module.checks)


GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        "match-risk": _group("Match risk, compared with IdentificationRiskCalculation", match_risk),
        "counts": _group("Count distributions, compared with gamlss.dist", counts),
        "weights": _group(
            "Identification probability and risk weights, compared with their definitions in base R", weights
        ),
        "utility": _group("Utility, compared with base R", utility),
        "survey": _group("Estimates of a population, compared with survey", survey),
        "synthpop": Group("Disclosure and utility, compared with synthpop", synthpop.ask, synthpop.checks),
        "models": _group("Fitted models, compared with glm, MASS and nnet", models),
        "dpmpm": _group("Dirichlet process mixture, compared with a sampler in base R", dpmpm),
        "population": _group("Risk in the population, compared with sdcMicro", population_risk),
        "bridge": Group("The same through rpy2", bridge.ask, bridge.checks),
    }
)


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
        """Outcome of the checks."""
        return self.last_line()

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
        """Return one row per group: counts of checks, numbers, live answers and verdicts."""
        frame = self.to_frame()
        counted = frame.groupby("group", sort=False)
        table = pd.DataFrame({"checks": counted.size(), "numbers": counted["values"].sum()})
        for name in ("live", "recorded"):
            table[name] = (frame["from"] == name).groupby(frame["group"], sort=False).sum()
        for name in VERDICTS:
            table[name] = (frame["verdict"] == name).groupby(frame["group"], sort=False).sum()
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; numbers that are not finite become text."""
        rows = [{key: _plain(value) for key, value in check.to_dict().items()} for check in self.rows]
        used = {check.quantity: check.tolerance for check in self.rows}
        tolerances = {q: {"relative": t.relative, "absolute": t.absolute, "reason": t.reason} for q, t in used.items()}
        for row, check in zip(rows, self.rows, strict=True):
            row["quantity"] = check.quantity
        return {
            "passes": self.passes,
            "complete": self.is_complete,
            "stopped": self.stopped,
            "sources": list(self.sources),
            "tolerances": tolerances,
            "rows": rows,
        }

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the number of digits that agree, one dot per check."""
        from synthlab.plots.crosscheck import plot_digits

        return plot_digits(self.to_frame(), ax, **options)

    def __str__(self) -> str:
        parts = []
        for name, checks in self.checks.items():
            parts += [f"{name}: {GROUPS[name].title}", _table(checks), *_reasons(checks), ""]
        return "\n".join([*parts, self.footer()])

    __repr__ = __str__

    def footer(self) -> str:
        """Return the tolerances, the sources, what was skipped or stopped, and the outcome as text."""
        parts = []
        used = dict.fromkeys(check.quantity for check in self.rows)
        parts += ["Allowed is relative x |R's| + absolute:"]
        parts += [
            f"  {q}: {TOLERANCES[q].relative:g} and {TOLERANCES[q].absolute:g}; {TOLERANCES[q].reason}" for q in used
        ]
        skipped = dict.fromkeys(check.skipped for check in self.rows if check.skipped)
        notes = [f"Skipped: {reason}" for reason in skipped]
        notes += [f"{name} stopped: {error}" for name, error in self.stopped.items()]
        if self.r and not skipped:
            notes.append(self.r)
        return "\n".join([*parts, "", *self.sources, *notes, "", self.last_line()])

    def last_line(self) -> str:
        """Return the outcome of the checks in one line."""
        verdicts = Counter(check.verdict for check in self.rows)
        said = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS)
        live = sum(check.live for check in self.rows)
        compared = len(self.rows) - verdicts["skipped"]
        stopped = f"; stopped: {', '.join(self.stopped)}" if self.stopped else ""
        numbers = sum(check.ours.size for check in self.rows)
        return (
            f"{len(self.rows)} checks of {numbers:,} numbers: {said}; {live} live, {compared - live} recorded{stopped}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.last_line())}</p>{self.summary().to_html()}"


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
    >>> print(crosscheck(["weights"], live=False).last_line())
    10 checks of 2,484 numbers: 10 agrees, 0 differs as stated, 0 FAILS, 0 skipped; 0 live, 10 recorded
    """
    names = list(GROUPS) if groups is None else [_checks.check_choice(g, "groups", tuple(GROUPS)) for g in groups]
    status = probe()
    if live and status.r is None:
        raise RUnavailableError(f"{status.problem}; fix it with: {status.remedy}")
    checks, sources, stopped = dict[str, tuple[Check, ...]](), dict[str, None](), dict[str, str]()
    for name in dict.fromkeys(names):
        checks[name] = ()
        try:
            answers = GROUPS[name].ask(live)
            sources.update(dict.fromkeys(answer.source for answer in answers.values()))
            for check in GROUPS[name].checks(answers):
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


def row_text(check: Check) -> str:
    """Return a check as one line, for output while the checks run."""
    row = check.to_dict()
    parts = [f"{row['verdict']:<17}", f"{check.what}, {check.case}", f"{row['values']:,} numbers"]
    if not check.skipped:
        parts.append(f"difference {row['difference']:.1e}, allowed {row['allowed']:.1e}, {row['from']}")
    if check.reason:
        parts.append(check.reason)
    return "; ".join(parts)


def _table(checks: Sequence[Check]) -> str:
    if not checks:
        return "  no checks"
    frame = pd.DataFrame([check.to_dict() for check in checks])[list(COLUMNS)].rename(columns=COLUMNS)
    for column in ("synthlab", "R"):
        frame[column] = [f"{v:.10g}" for v in frame[column]]
    for column in ("difference", "allowed"):
        frame[column] = [f"{v:.1e}" if v else "0" for v in frame[column]]
    widths = {column: max(map(len, [column, *frame[column].astype(str)])) for column in frame}
    left = {"what", "case", "from", "verdict"}
    lines = [list(frame.columns), *frame.astype(str).to_numpy().tolist()]
    return "\n".join(
        "  " + "  ".join(_pad(v, widths[c], c in left) for v, c in zip(line, frame.columns, strict=True)).rstrip()
        for line in lines
    )


def _pad(text: str, width: int, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)


def _reasons(checks: Sequence[Check]) -> list[str]:
    stated = [check for check in checks if check.reason]
    return [f"  {check.what}, {check.case}: {check.reason}." for check in stated]


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, float) and value - value != 0 else value
